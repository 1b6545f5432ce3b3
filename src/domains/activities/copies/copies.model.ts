/** Shapes of copies of activities and of series. */

import { Enum, Id, Model, Name, Named, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

import { ActivityView } from '../register/register.model.ts'

const PARTS = ['COVER', 'QUESTIONS', 'LISTS', 'PASS_CONFIG', 'CHECK_IN', 'TEXT'] as const
export type CopiedPart = (typeof PARTS)[number]
export const ALL_PARTS: ReadonlySet<CopiedPart> = new Set(PARTS)

/** A year of weeks. */
export const MAX_SERIES = 52

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

export const CopyActivity = Model('CopyActivity', {
  name: optional({ ...Name, description: 'By default the same' }),
  startTime: {
    ...Time,
    description: 'All other times keep their distance from it, by the clocks of the time zone of the activity',
  },
  orgId: optional({
    ...Id,
    description: 'The organization that gets the copy; null: you. By default the owner of the activity',
  }),
  include: Type.Optional(
    Type.Array(Named('CopiedPart', Enum(PARTS, { examples: ['COVER'] })), {
      maxItems: PARTS.length,
      uniqueItems: true,
      description:
        'COVER, QUESTIONS of the registration, LISTS (check-in lists), PASS_CONFIG (passes and their rules), CHECK_IN (check-in and its rules), TEXT (the ' +
        'description). By default all',
    }),
  ),
})
export type CopyActivity = Static<typeof CopyActivity>

const Start = { ...Time, examples: [1_767_830_400_000] }

/** Of the fields, which exclude each other. */
const EXAMPLE = { every: 'WEEK', interval: 1, count: 3 }

export const CreateSeries = Model(
  'CreateActivitySeries',
  { examples: [EXAMPLE] },
  {
    every: optional(
      Named('SeriesUnit', Enum(['DAY', 'WEEK', 'MONTH'], { examples: ['WEEK'], description: 'Instead of `dates`' })),
    ),
    interval: optional(
      Type.Integer({
        minimum: 1,
        maximum: 12,
        description: 'Every so many days, weeks or months; by default 1',
        examples: [1],
      }),
    ),
    count: optional(
      Type.Integer({ minimum: 1, maximum: MAX_SERIES, description: 'How many activities to add', examples: [3] }),
    ),
    until: optional({
      ...Time,
      examples: [1_775_001_600_000],
      description: `Instead of \`count\`: the last start. At most ${MAX_SERIES} activities`,
    }),
    weekdays: optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 7, examples: [4] }), {
        minItems: 1,
        maxItems: 7,
        uniqueItems: true,
        description: 'With `every: WEEK`: Monday is 1. By default the weekday of the activity',
      }),
    ),
    dates: optional(
      Type.Array(Start, {
        minItems: 1,
        maxItems: MAX_SERIES,
        uniqueItems: true,
        description: 'Instead of `every`: the start of each activity',
      }),
    ),
    dryRun: optional(Type.Boolean({ description: '`true` adds nothing and answers which starts there would be' })),
    orgId: optional(Id),
  },
)
export type CreateSeries = Static<typeof CreateSeries>
/** Without the fields that are null. */
export type Repetition = { [K in keyof CreateSeries]: NonNullable<CreateSeries[K]> }

export const SeriesView = Model('ActivitySeries', {
  seriesId: Nullable(Text('3d1c8a52-6a0f-4f0e-9c1b-2f1e0a9d8c7b', { description: 'Null with `dryRun`' })),
  starts: Type.Array(Start, { description: 'The starts of the activities, in their order' }),
  items: Type.Array(ActivityView, { description: 'The activities, in the order of their starts. Empty with `dryRun`' }),
  skipped: Type.Array(Type.String({ examples: ['2026-02-31'] }), {
    description: 'Days of the series that the calendar of the time zone does not have, as `YYYY-MM-DD`',
  }),
})
export type SeriesView = Static<typeof SeriesView>
