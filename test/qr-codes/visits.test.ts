/** Breakdowns of scans, visitors and robots: how they are counted, kept and deleted. */

import { describe, expect, test } from 'bun:test'

import { count } from 'drizzle-orm'

import { qrCodeScans } from '#db/schema/qr-codes.ts'
import { qrScanDetails, qrScanSalts, qrScanVisitors } from '#db/schema/qr-visits.ts'
import { countScan, flushScans } from '#domains/qr-codes/codes/scan-counter.ts'
import { codeScanStats, oldCountsJob, visitorsJob } from '#domains/qr-codes/stats/stats.service.ts'
import type { Visit } from '#domains/qr-codes/visits/visits.rules.ts'
import { MAX_VISITORS } from '#domains/qr-codes/visits/visits.store.ts'
import { setSetting } from '#domains/settings/index.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, startServer, type TestServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCode } from './helpers.ts'

const visit = (fields: Partial<Visit> = {}): Visit => ({
  isRobot: false,
  isOptedOut: false,
  ip: '203.0.113.9',
  userAgent:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  device: 'ANDROID',
  language: 'zh-cn',
  country: 'CN',
  referrer: 'direct',
  rule: null,
  ...fields,
})

async function withServer(use: (s: TestServer, me: Person) => Promise<void>): Promise<void> {
  const s = await startServer()
  try {
    await use(s, await s.person())
  } finally {
    await s.stop()
  }
}

const statsOf = async (me: Person, id: number, query: Record<string, string | number> = {}) =>
  ok(await me.get(`/api/qr-codes/${id}/stats`, query)).data
/** The same for a user whose session has expired. */
const laterStatsOf = ({ ctx }: TestServer, { id: userId }: Person, id: number, query: object = {}) =>
  codeScanStats(ctx, { userId, orgId: 0 }, id, { days: 30, tz: 'UTC', ...query })
const rowsIn = async ({ ctx }: TestServer, table: typeof qrScanDetails | typeof qrScanSalts | typeof qrScanVisitors) =>
  (await ctx.db.read.select({ n: count() }).from(table as typeof qrScanDetails))[0]!.n
const setting = (s: TestServer, key: 'scans.details' | 'scans.retentionDays', value: never) =>
  s.ctx.db.write('test.setting', (tx) => setSetting(tx, key, value))
const sum = (rows: { count: number }[]) => rows.reduce((n, row) => n + row.count, 0)
const BREAKDOWNS = ['byDevice', 'byLanguage', 'byCountry', 'byReferrer', 'byRule'] as const
/** Moves the clock to this time of the next UTC day. */
const tomorrowAt = ({ clock }: TestServer, ms: number) =>
  clock.advance((Math.floor(clock.now() / DAY) + 1) * DAY + ms - clock.now())

describe.if(inProcess)('scans of a code', () => {
  test('are broken down by device, language, country, page and rule, and their visitors counted once a day', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      const before = s.clock.now()
      countScan(s.ctx, id, visit())
      countScan(s.ctx, id, visit({ referrer: 'weibo.com', rule: 1 }))
      countScan(s.ctx, id, visit({ ip: '203.0.113.10', device: 'IOS', language: 'de', country: null }))
      countScan(s.ctx, id)
      await flushScans(s.ctx)
      const stats = await statsOf(me, id, { days: 3 })
      expect(stats).toMatchObject({
        total: 4,
        visitors: 2,
        robots: 0,
        earlierScans: 0,
        byDevice: [
          { value: 'ANDROID', count: 2 },
          { value: 'IOS', count: 1 },
        ],
        byLanguage: [
          { value: 'zh', count: 2 },
          { value: 'de', count: 1 },
        ],
        byCountry: [
          { value: 'CN', count: 2 },
          { value: null, count: 1 },
        ],
        byReferrer: [
          { value: 'direct', count: 2 },
          { value: 'weibo.com', count: 1 },
        ],
        byRule: [
          { value: 'default', count: 2 },
          { value: '1', count: 1 },
        ],
      })
      expect(stats.byHour).toHaveLength(24)
      expect(sum(stats.byHour)).toBe(4)
      expect(stats.byVisitorDay.at(-1)).toEqual({ date: new Date(before).toISOString().slice(0, 10), visitors: 2 })
      expect(stats.to - stats.from).toBe(3 * DAY)
      expect(stats.generatedAt).toBeGreaterThanOrEqual(before)
      // The same visitors later on the day are not new, on the next day they are.
      countScan(s.ctx, id, visit())
      await flushScans(s.ctx)
      expect((await statsOf(me, id)).visitors).toBe(2)
      tomorrowAt(s, HOUR)
      countScan(s.ctx, id, visit())
      await flushScans(s.ctx)
      expect(await statsOf(me, id)).toMatchObject({ visitors: 3, total: 6 })
    }))

  test('by robots raise the number of robots only', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      for (let i = 0; i < 3; i++) countScan(s.ctx, id, visit({ isRobot: true }))
      await flushScans(s.ctx)
      const stats = await statsOf(me, id)
      expect(stats).toMatchObject({ total: 0, robots: 3, visitors: 0, byDevice: [], byRule: [] })
      expect(sum(stats.byDay)).toBe(0)
      expect(ok(await me.call('qrCodes.stats')).data).toMatchObject({ robots: 3, top: [], scanCount: 0 })
    }))

  test('by visitors who opted out count, but in no breakdown and as no visitor', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      countScan(s.ctx, id, visit({ isOptedOut: true }))
      await flushScans(s.ctx)
      expect(await statsOf(me, id)).toMatchObject({ total: 1, visitors: 0, byDevice: [], byCountry: [] })
      expect(await rowsIn(s, qrScanVisitors)).toBe(0)
    }))

  test('are not broken down while scans.details is off', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      await setting(s, 'scans.details', false as never)
      countScan(s.ctx, id, visit())
      countScan(s.ctx, id, visit({ isRobot: true }))
      await flushScans(s.ctx)
      expect(await statsOf(me, id)).toMatchObject({ total: 1, robots: 1, visitors: 0, byDevice: [], byReferrer: [] })
      expect([await rowsIn(s, qrScanVisitors), await rowsIn(s, qrScanSalts)]).toEqual([0, 0])
    }))

  test('have breakdowns whose sums are the scans of their UTC days', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      tomorrowAt(s, DAY - 2 * HOUR)
      const perDay = [0, 0, 0]
      for (let i = 0; i < 300; i++) {
        const day = i < 100 ? 0 : i < 250 ? 1 : 2
        if (i === 100 || i === 250) tomorrowAt(s, DAY - 2 * HOUR)
        countScan(s.ctx, id, visit({ referrer: `h${i}.example`, rule: i % 7, ip: `203.0.113.${i % 90}` }))
        perDay[day]!++
        if (i % 40 === 0) await flushScans(s.ctx)
      }
      await flushScans(s.ctx)
      const stats = await statsOf(me, id, { days: 3, tz: 'UTC' })
      expect(stats.byDay.map((day: { count: number }) => day.count)).toEqual(perDay)
      for (const name of BREAKDOWNS) expect([name, sum(stats[name])]).toEqual([name, 300])
      const yesterday = await statsOf(me, id, { from: s.clock.now() - DAY, to: s.clock.now() - DAY + 1, tz: 'UTC' })
      for (const name of BREAKDOWNS) expect([name, sum(yesterday[name])]).toEqual([name, perDay[1]!])
    }))

  test('belong to the days of the time zone, also in Kathmandu', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      // Midnight in Nepal is at 18:15 UTC.
      tomorrowAt(s, 18 * HOUR + 14 * MINUTE)
      countScan(s.ctx, id, visit())
      s.clock.advance(MINUTE)
      for (let i = 0; i < 2; i++) countScan(s.ctx, id, visit())
      // Without a write between them: each is counted at its own time.
      await flushScans(s.ctx)
      const { byDay, byHour, from, to } = await statsOf(me, id, { days: 2, tz: 'Asia/Kathmandu' })
      expect(byDay.map((day: { count: number }) => day.count)).toEqual([1, 2])
      expect(byHour.filter((one: { count: number }) => one.count > 0)).toEqual([
        { hour: 0, count: 2 },
        { hour: 23, count: 1 },
      ])
      expect([from % DAY, to % DAY]).toEqual([18.25 * HOUR, 18.25 * HOUR])
      expect((await statsOf(me, id, { days: 1, tz: 'UTC' })).byDay[0].count).toBe(3)
    }))

  test('of a day have at most 50,000 visitors', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      for (let i = 0; i < MAX_VISITORS - 1; i++)
        countScan(s.ctx, id, visit({ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` }))
      await flushScans(s.ctx)
      expect((await statsOf(me, id)).visitors).toBe(MAX_VISITORS - 1)
      for (let i = 0; i < 5; i++) countScan(s.ctx, id, visit({ ip: `203.0.113.${i}` }))
      await flushScans(s.ctx)
      countScan(s.ctx, id, visit({ ip: '203.0.113.99' }))
      await flushScans(s.ctx)
      expect(await statsOf(me, id)).toMatchObject({ visitors: MAX_VISITORS, total: MAX_VISITORS + 5 })
    }))
})

describe.if(inProcess)('the salt and the hashes of a day', () => {
  test('are deleted within an hour after the day, and its number of visitors stays', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      countScan(s.ctx, id, visit())
      await flushScans(s.ctx)
      await visitorsJob.run(s.ctx)
      expect([await rowsIn(s, qrScanVisitors), await rowsIn(s, qrScanSalts)]).toEqual([1, 1])
      expect(visitorsJob.every).toBeLessThanOrEqual(30 * MINUTE)
      // The last scans of the day are being written for some minutes.
      tomorrowAt(s, MINUTE)
      await visitorsJob.run(s.ctx)
      expect(await rowsIn(s, qrScanSalts)).toBe(1)
      tomorrowAt(s, 10 * MINUTE)
      await visitorsJob.run(s.ctx)
      expect([await rowsIn(s, qrScanVisitors), await rowsIn(s, qrScanSalts)]).toEqual([0, 0])
      expect((await statsOf(me, id)).visitors).toBe(1)
    }))

  test('are deleted with the code, as everything else that its scans left', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      const kept = await createCode(me)
      for (const code of [id, kept.id]) countScan(s.ctx, code, visit())
      await flushScans(s.ctx)
      ok(await me.delete(`/api/qr-codes/${id}`))
      ok(await me.call('qrCodes.emptyTrash'))
      expect([await rowsIn(s, qrScanVisitors), await rowsIn(s, qrScanDetails)]).toEqual([1, 1])
      // A robot alone leaves a row, too.
      countScan(s.ctx, kept.id, visit({ isRobot: true }))
      countScan(s.ctx, id, visit())
      await flushScans(s.ctx)
      expect(await rowsIn(s, qrScanDetails)).toBe(1)
    }))
})

describe.if(inProcess)('old statistics of scans', () => {
  test('are kept by day for 400 days and by month afterwards', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      const scansOn = async (times: number) => {
        for (let i = 0; i < times; i++) countScan(s.ctx, id, visit({ ip: `203.0.113.${i}` }))
        countScan(s.ctx, id, visit({ isRobot: true }))
        await flushScans(s.ctx)
      }
      // From the first of a month on: the 1st, the 2nd and the 20th.
      const now = new Date(s.clock.now())
      const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 12)
      s.clock.advance(month - s.clock.now())
      await scansOn(1)
      s.clock.advance(DAY)
      await scansOn(2)
      s.clock.advance(18 * DAY)
      await scansOn(3)
      s.clock.advance(400 * DAY)
      await oldCountsJob.run(s.ctx)
      expect(await rowsIn(s, qrScanDetails)).toBe(3)
      s.clock.advance(31 * DAY)
      await oldCountsJob.run(s.ctx)
      await oldCountsJob.run(s.ctx)
      const rows = await s.ctx.db.read.select().from(qrScanDetails)
      expect(rows).toMatchObject([{ day: Math.floor(month / DAY), isMonth: true, robots: 3, visitors: 6 }])
      expect(rows[0]!.details['device']).toEqual({ ANDROID: 6 })
      // A period that touches the month contains it.
      const stats = await laterStatsOf(s, me, id, { from: month + 19 * DAY, to: month + 20 * DAY })
      expect(stats).toMatchObject({ total: 6, visitors: 6, robots: 3, byDevice: [{ value: 'ANDROID', count: 6 }] })
      expect(stats.byVisitorDay[0]).toEqual({ date: new Date(month).toISOString().slice(0, 10), visitors: 6 })
      expect(await laterStatsOf(s, me, id)).toMatchObject({ total: 6, visitors: 0, byDevice: [] })
    }))

  test('are deleted after scans.retentionDays, and the number of scans stays', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      await setting(s, 'scans.retentionDays', 30 as never)
      countScan(s.ctx, id, visit())
      await flushScans(s.ctx)
      const left = async () => [
        await rowsIn(s, qrScanDetails),
        (await s.ctx.db.read.select({ n: count() }).from(qrCodeScans))[0]!.n,
      ]
      s.clock.advance(29 * DAY)
      await oldCountsJob.run(s.ctx)
      expect(await left()).toEqual([1, 1])
      s.clock.advance(2 * DAY)
      await oldCountsJob.run(s.ctx)
      expect(await left()).toEqual([0, 0])
      expect(await laterStatsOf(s, me, id, { days: 90 })).toMatchObject({ total: 1, visitors: 0 })
    }))
})

describe.if(inProcess)('the statistics of a period', () => {
  test('of a code and of all codes begin and end with whole days of the time zone', () =>
    withServer(async (s, me) => {
      const a = await createCode(me, { name: 'A' })
      const b = await createCode(me, { name: 'B' })
      const org = await createOrg(me)
      const shared = ok(
        await me.call('qrCodes.create', { query: { orgId: org.id }, body: { name: 'C', content: 'c' } }),
      )
      tomorrowAt(s, 12 * HOUR)
      const noon = s.clock.now()
      countScan(s.ctx, a.id, visit())
      s.clock.advance(DAY)
      for (let i = 0; i < 3; i++) countScan(s.ctx, b.id, visit())
      countScan(s.ctx, shared.data.id, visit())
      countScan(s.ctx, b.id, visit({ isRobot: true }))
      await flushScans(s.ctx)
      const all = async (query: Record<string, string | number>) => ok(await me.get('/api/qr-codes/stats', query)).data
      expect(await all({ days: 2 })).toMatchObject({
        robots: 1,
        top: [
          { id: b.id, name: 'B', count: 3 },
          { id: a.id, name: 'A', count: 1 },
        ],
      })
      const first = { from: noon, to: noon + HOUR, tz: 'UTC' }
      expect(await all(first)).toMatchObject({ robots: 0, top: [{ id: a.id, name: 'A', count: 1 }] })
      expect(await all({ orgId: org.id })).toMatchObject({ top: [{ id: shared.data.id, name: 'C', count: 1 }] })
      expect((await statsOf(me, a.id, first)).byDay).toEqual([
        { date: new Date(noon).toISOString().slice(0, 10), count: 1 },
      ])
      expect(sum((await statsOf(me, b.id, first)).byDay)).toBe(0)
      // Without `from`, the last days before `to`.
      const untilNoon = await statsOf(me, a.id, { days: 2, to: noon + HOUR, tz: 'UTC' })
      expect(untilNoon.byDay.map((day: { count: number }) => day.count)).toEqual([0, 1])
    }))

  test('answer 400 if it ends before it begins or is longer than 366 days, and for other formats', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      const now = s.clock.now()
      for (const query of [
        { from: now, to: now },
        { from: now + DAY },
        { from: now - 400 * DAY },
        { from: 'never' },
        { format: 'pdf' },
        { tz: 'Nowhere' },
      ])
        expect((await me.get(`/api/qr-codes/${id}/stats`, query as never)).status, JSON.stringify(query)).toBe(400)
      ok(await me.get(`/api/qr-codes/${id}/stats`, { from: now - 365 * DAY, tz: 'UTC' }))
    }))

  test('are a table with the same numbers as CSV and XLSX, for those who may see the code', () =>
    withServer(async (s, me) => {
      const { id } = await createCode(me)
      countScan(s.ctx, id, visit({ referrer: 'weibo.com' }))
      await flushScans(s.ctx)
      const download = (who: Person, query: object) => who.get(`/api/qr-codes/${id}/stats`, query as never)
      const csv = await download(me, { format: 'csv', days: 2, tz: 'Asia/Kathmandu' })
      expect(csv.headers.get('content-type')).toStartWith('text/csv')
      expect(csv.headers.get('content-disposition')).toMatch(/^attachment; filename="scans-\d+-\d{8}\.csv"$/)
      const lines = csv.text.replace('\uFEFF', '').trim().split('\r\n')
      expect(lines).toContain('All scans,,1')
      expect(lines).toContain('Page with the link,weibo.com,1')
      expect(lines.filter((line) => line.startsWith('Day (Asia/Kathmandu),'))).toHaveLength(2)
      expect(lines.filter((line) => line.startsWith('Hour (Asia/Kathmandu),'))).toHaveLength(24)
      const xlsx = await download(me, { format: 'xlsx' })
      expect([xlsx.status, xlsx.text.slice(0, 2)]).toEqual([200, 'PK'])
      expect((await download(await s.person(), { format: 'csv' })).status).toBe(404)
      expect((await s.request('GET', `/api/qr-codes/${id}/stats?format=csv`)).status).toBe(401)
    }))
})
