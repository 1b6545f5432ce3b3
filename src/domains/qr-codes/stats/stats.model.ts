/** Shapes of the statistics of codes, and of statistics by day, which scan records have too. */

import type { TProperties } from '@sinclair/typebox'

import { Enum, Id, InOrg, Model, Nullable, type Static, Text, Time, TimeZone, Type } from '#http/schema.ts'

import { ContentTypeName } from '../codes/codes.model.ts'

export const MAX_DAYS = 366

export const DaysQuery = <T extends TProperties>(more: T) =>
  Type.Object({
    ...more,
    days: Type.Integer({
      minimum: 1,
      maximum: MAX_DAYS,
      default: 30,
      description: 'Number of days up to and including today',
    }),
    tz: TimeZone,
  })
export interface DaysQuery {
  readonly days: number
  readonly tz: string
}

export const ByDay = Type.Array(Type.Object({ date: Type.String({ examples: ['2026-03-08'] }), count: Type.Integer() }))

export const StatsQuery = DaysQuery({
  ...InOrg.properties,
  from: Type.Optional({
    ...Time,
    description: `Instead of \`days\`: the period begins on the day of this time. At most ${MAX_DAYS} days`,
  }),
  to: Type.Optional({
    ...Time,
    description: 'The period ends on the day of the moment before this time; without it, today',
    // A month after that of `from`.
    examples: [1_769_904_000_000],
  }),
})
export type StatsQuery = Static<typeof StatsQuery>

export const FORMATS = ['csv', 'xlsx'] as const
export const EXPORT_TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, text/csv'

export const ScanStatsQuery = Type.Object({
  ...StatsQuery.properties,
  format: Type.Optional(Enum(FORMATS, { description: 'The same as a table, one row for each number' })),
})
export type ScanStatsQuery = Static<typeof ScanStatsQuery>

const Count = Type.Integer({ minimum: 0 })
const Robots = Type.Integer({
  minimum: 0,
  description: 'Openings by robots, such as previews of messengers, on the UTC days of the period. They are no scans',
})

/** Codes in the trash are only counted in `trashCount`. */
export const CodeStats = Model('QrCodeStats', {
  total: Count,
  publicCount: Count,
  pinnedCount: Count,
  trashCount: Count,
  scanCount: Type.Integer({ minimum: 0, description: 'Scans of all codes, as each code counts them' }),
  byCategory: Type.Array(
    Type.Object(
      { categoryId: Nullable(Id), name: Nullable(Text('Menus')), count: Count },
      { description: 'Largest first; null stands for codes without a category' },
    ),
  ),
  byType: Type.Array(Type.Object({ contentType: ContentTypeName, count: Count })),
  byDay: ByDay,
  top: Type.Array(Type.Object({ id: Id, name: Text('Menu'), count: Count }), {
    description: 'The 20 codes with the most scans in the period, the most scanned first',
  }),
  robots: Robots,
})
export type CodeStats = Static<typeof CodeStats>

const Breakdown = (value: string, examples: string) =>
  Type.Array(Type.Object({ value: Type.String({ examples: [examples] }), count: Count }), {
    description: `${value}. Most frequent first, at most 50; \`other\` stands for all others. Of the UTC days of the period`,
  })

export const ScansOfCode = Model('QrCodeScanStats', {
  total: Type.Integer({ minimum: 0, description: '`scanCount` of the code: all scans since it was created' }),
  visitors: Type.Integer({ minimum: 0, description: 'Visitors of each UTC day of the period, added up' }),
  robots: Robots,
  earlierScans: Type.Integer({
    minimum: 0,
    description: 'Scans that another service counted before the code was imported',
  }),
  byDay: ByDay,
  byHour: Type.Array(Type.Object({ hour: Type.Integer({ minimum: 0, maximum: 23 }), count: Count }), {
    description: 'Scans of the period by hour of the day',
  }),
  byDevice: Breakdown('Operating systems', 'ANDROID'),
  byLanguage: Breakdown('Languages, `und` if the visitor names none', 'zh'),
  byCountry: Type.Array(Type.Object({ value: Nullable(Type.String({ examples: ['CN'] })), count: Count }), {
    description: 'Countries; null if unknown. As for the other breakdowns',
  }),
  byReferrer: Breakdown('Hosts of the pages with the link, `direct` if there is none', 'www.example.org'),
  byRule: Breakdown('Indexes of the rules that led the scans, or `default`', '0'),
  byVisitorDay: Type.Array(Type.Object({ date: Type.String({ examples: ['2026-03-08'] }), visitors: Count }), {
    description: 'Visitors by UTC day; those of a month that is older than 400 days, on its first one',
  }),
  from: { ...Time, description: 'Start of the period' },
  to: { ...Time, description: 'End of the period, exclusive' },
  generatedAt: Time,
})
export type ScansOfCode = Static<typeof ScansOfCode>
