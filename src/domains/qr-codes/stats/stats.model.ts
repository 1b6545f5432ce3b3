/** Shapes of the statistics of codes, and of statistics by day, which scan records have too. */

import type { TProperties } from '@sinclair/typebox'

import { Id, InOrg, Model, Nullable, type Static, Text, TimeZone, Type } from '#http/schema.ts'

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

export const StatsQuery = DaysQuery(InOrg.properties)

const Count = Type.Integer({ minimum: 0 })

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
})
export type CodeStats = Static<typeof CodeStats>

export const ScansOfCode = Model('QrCodeScanStats', {
  total: Type.Integer({ minimum: 0, description: '`scanCount` of the code: all scans since it was created' }),
  byDay: ByDay,
})
export type ScansOfCode = Static<typeof ScansOfCode>
