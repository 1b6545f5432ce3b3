import { Enum, Model, type Static, Time, TimeZone, Type } from '#http/schema.ts'

const DAYS = ['7', '30', '90'] as const
export const StatisticsQuery = Type.Object({
  days: Enum(DAYS, { default: '30', description: 'Days up to and including today' }),
  tz: TimeZone,
})
export type StatisticsQuery = Static<typeof StatisticsQuery>

const Count = Type.Integer({ minimum: 0 })
const numbers = {
  users: { ...Count, description: 'Accounts' },
  organizations: Count,
  qrCodes: Count,
  scans: { ...Count, description: 'Scan records' },
  assets: Count,
  activities: Count,
  storageBytes: { ...Count, description: 'Bytes of files' },
}

export const Statistics = Model('Statistics', {
  totals: Type.Object(numbers, { description: 'All that exist, without those in the trash' }),
  activeUsers: { ...Count, description: 'Users who signed in or used a session in the period' },
  byDay: Type.Array(Type.Object({ date: Type.String({ examples: ['2026-03-08'] }), ...numbers }), {
    description: 'Rows that were created on each day and still exist, oldest day first',
  }),
  generatedAt: Time,
})
export type Statistics = Static<typeof Statistics>
export type Numbers = Statistics['totals']
