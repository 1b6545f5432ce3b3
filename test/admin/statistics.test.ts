/** GET /api/admin/statistics. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import type { ReadDb } from '#db/engine/write.ts'
import type { Runner } from '#db/query/builders.ts'
import { sessions, users } from '#db/schema/accounts.ts'
import { activities } from '#db/schema/activities.ts'
import { assets } from '#db/schema/assets.ts'
import { files } from '#db/schema/files.ts'
import { organizations } from '#db/schema/orgs.ts'
import { qrCodes, scanRecords } from '#db/schema/qr-codes.ts'
import { countActive, countByQuarter, countLastActivity, SERIES } from '#domains/admin/statistics/statistics.store.ts'
import { lastDays } from '#lib/days.ts'
import { QUARTER_HOUR, quartersOf } from '#lib/quarter-hours.ts'

import { createRole, grant } from '../access/helpers.ts'
import { createActivity } from '../activities/helpers.ts'
import { createAsset } from '../assets/helpers.ts'
import { plansOf } from '../db/plans.ts'
import { text, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const PATH = '/api/admin/statistics'

describe('GET /api/admin/statistics', () => {
  const { server, admin, alice } = useServer({ people: ['alice'] })

  test('answers one row for each day of the period, with zeros, oldest first', async () => {
    for (const [days, length] of [
      [undefined, 30],
      ['7', 7],
      ['30', 30],
      ['90', 90],
    ] as const) {
      const { data } = ok(await admin.call('admin.statistics.get', { query: days === undefined ? {} : { days } }))
      expect(data.byDay).toHaveLength(length)
      const dates = data.byDay.map(({ date }) => Date.parse(date) / DAY)
      expect(dates.every((date, i) => i === 0 || date === dates[i - 1]! + 1)).toBe(true)
      expect(data.byDay.at(-1)!.date).toBe(new Date(data.generatedAt).toISOString().slice(0, 10))
      expect(data.byDay[0]).toMatchObject({
        users: 0,
        organizations: 0,
        qrCodes: 0,
        scans: 0,
        assets: 0,
        storageBytes: 0,
      })
    }
  })

  test('refuses other periods and unknown time zones with 400', async () => {
    for (const query of ['days=8', 'days=0', 'days=all', 'tz=Mars/Olympus', 'tz=%2B25:00'])
      expect((await admin.get(`${PATH}?${query}`)).status, query).toBe(400)
  })

  test('needs statistics:read', async () => {
    expect((await server.request('GET', PATH)).status).toBe(401)
    expect((await alice.get(PATH)).status).toBe(403)
    ok(await grant(admin, alice, await createRole(admin, { permissions: ['statistics:read'] })))
    ok(await alice.get(PATH))
  })
})

describe.if(inProcess)('the statistics of the server', () => {
  const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

  const show = async (query: { days?: '7' | '30' | '90'; tz?: string } = {}) =>
    ok(await admin.call('admin.statistics.get', { query })).data
  const fresh = (query: Parameters<typeof show>[0] = {}) => {
    server.clock.advance(MINUTE)
    return show(query)
  }
  /** Moves the creation of all rows of the table. */
  const createdAt = (table: typeof qrCodes, at: number) =>
    server.ctx.db.write('test', async (tx) => void (await tx.update(table).set({ createdAt: at })))

  /** The number of statements of the statistics that `run` has the worker execute. Jobs and, on PostgreSQL, all other readers use it too. */
  async function statements(
    run: () => unknown,
    isCounted = (sql: string) => sql.includes(` / ${QUARTER_HOUR}`) || sql.includes('list_totals'),
  ): Promise<number> {
    const runner = (server.ctx.db.readInWorker as ReadDb).runner as Runner
    const { rows } = runner
    let n = 0
    runner.rows = (sql, params) => {
      if (isCounted(sql)) n += 1
      return rows.call(runner, sql, params)
    }
    try {
      await run()
    } finally {
      runner.rows = rows
    }
    return n
  }

  async function createOneOfEach(person: Person): Promise<void> {
    await createOrg(person)
    await createCode(person)
    await createAsset(person)
    await createActivity(person)
    await uploaded(person, text())
    ok(await person.call('scanRecords.create', { body: { content: 'https://example.org' } }))
  }

  test('count what exists by the days of a time zone, and not what was deleted', async () => {
    await createOneOfEach(alice)
    const code = await createCode(bob)
    const { totals, byDay } = await fresh()
    const size = (await server.ctx.db.read.select({ size: files.size }).from(files))[0]!.size
    const people = (await server.ctx.db.read.select({ status: users.status }).from(users)).length
    expect(totals).toEqual({
      users: people,
      organizations: 1,
      qrCodes: 2,
      scans: 1,
      assets: 1,
      activities: 1,
      storageBytes: size,
    })
    expect(byDay.at(-1)).toEqual({ date: byDay.at(-1)!.date, ...totals })

    ok(await bob.call('qrCodes.delete', { params: { id: code.id } }))
    ok(await bob.call('auth.deleteAccount'))
    expect((await fresh()).totals).toEqual({ ...totals, users: people - 1, qrCodes: 1 })

    // Five in the morning of one day in Kiritimati is three in the afternoon of the day before in UTC.
    const moment = Math.floor(server.clock.now() / DAY) * DAY - 9 * 3_600_000 - 10 * DAY
    for (const table of [organizations, qrCodes, scanRecords, assets, activities, files, users])
      await createdAt(table as unknown as typeof qrCodes, moment)
    const dateIn = (tz: string) =>
      Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(tz).toPlainDate().toString()
    server.clock.advance(MINUTE)
    for (const tz of ['UTC', 'Pacific/Kiritimati', 'America/New_York', 'Asia/Kathmandu']) {
      const shown = await show({ tz })
      expect(shown.byDay.find(({ date }) => date === dateIn(tz))).toEqual({ date: dateIn(tz), ...shown.totals })
      for (const { date, ...numbers } of shown.byDay)
        if (date !== dateIn(tz)) expect(Object.values(numbers), date).toEqual([0, 0, 0, 0, 0, 0, 0])
    }
    expect(dateIn('Pacific/Kiritimati')).not.toBe(dateIn('UTC'))
    expect((await show({ days: '7' })).byDay.every((day) => day.qrCodes === 0)).toBe(true)
  })

  test('count users as active who signed in or used a session in the period', async () => {
    const carol = await server.person()
    const before = (await fresh({ days: '7' })).activeUsers
    const since = (days: number) => server.clock.now() - days * DAY
    const seen = (lastLoginAt: number, lastActiveAt: number) =>
      server.ctx.db.write('test', async (tx) => {
        await tx.update(users).set({ lastLoginAt }).where(eq(users.id, carol.id))
        await tx.update(sessions).set({ lastActiveAt }).where(eq(sessions.userId, carol.id))
      })
    const active = async () => {
      server.clock.advance(MINUTE)
      return Promise.all((['7', '30', '90'] as const).map(async (days) => (await show({ days })).activeUsers))
    }
    await seen(since(100), since(20))
    const [week, month, quarter] = await active()
    expect([week, month]).toEqual([before - 1, quarter!])
    expect(month).toBe(week! + 1)
    await seen(since(60), since(100))
    expect(await active()).toEqual([before - 1, before - 1, before])
    await server.ctx.db.write(
      'test',
      async (tx) => void (await tx.delete(sessions).where(eq(sessions.userId, carol.id))),
    )
    await seen(since(1), 0)
    expect(await active()).toEqual([before, before, before])
  })

  test('are computed once a minute for all time zones and periods', async () => {
    await fresh()
    const zones = Intl.supportedValuesOf('timeZone').slice(0, 50)
    const cached = await statements(() =>
      Promise.all(zones.flatMap((tz) => (['7', '90'] as const).map((days) => show({ tz, days })))),
    )
    expect(cached).toBe(0)
    server.clock.advance(MINUTE)
    const once = await statements(() => show())
    server.clock.advance(MINUTE)
    const raced = await statements(() => race(50, (i) => show({ tz: zones[i]! })))
    expect(once).toBeGreaterThan(7)
    expect(raced).toBe(once)
  })

  test.if(!!process.env['TEST_DATABASE_URL'])(
    'count active users once a minute for each beginning of a period',
    async () => {
      const zones = Intl.supportedValuesOf('timeZone').slice(0, 50)
      const isOfUses = (sql: string) => sql.includes('"last_active_at" >= ')
      server.clock.advance(MINUTE)
      const beginnings = zones.map((tz) => quartersOf(lastDays(server.clock.now(), 30, tz)).first)
      expect(await statements(() => race(50, (i) => show({ tz: zones[i]! })), isOfUses)).toBe(new Set(beginnings).size)
      expect(await statements(() => race(50, (i) => show({ tz: zones[i]! })), isOfUses)).toBe(0)
    },
  )

  test.if(!process.env['TEST_DATABASE_URL'])('are found by indexes, step by step', async () => {
    server.clock.advance(MINUTE)
    const plans = await plansOf(server.ctx.db.readInWorker, () => show())
    // The job that deletes old notifications may be reading them meanwhile.
    const steps = plans.filter(({ sql }) => / order by | group by /.test(sql) && !sql.includes('from "notifications"'))
    expect(steps.length).toBeGreaterThanOrEqual(16)
    for (const { sql, plan } of steps) {
      const reads = plan.filter(
        (line) => /^(?:SEARCH|SCAN)/.test(line) && line !== 'SCAN people' && line !== 'SCAN seen',
      )
      expect(reads.length, sql).toBeGreaterThan(0)
      for (const line of reads) expect(line, sql).toMatch(/^SEARCH .* USING (?:COVERING |INTEGER |INDEX )/)
    }
  })

  test('are the same however few rows a statement reads, also if many have the same time', async () => {
    const db = server.ctx.db.readInWorker
    const at = (hours: number) => Math.floor(server.clock.now() / DAY) * DAY - hours * 3_600_000
    const times = [1, 1, 1, 1, 1, 2, 3, 3, 3, 4, 5, 50].map(at)
    await server.ctx.db.write('test', async (tx) => {
      await tx.delete(scanRecords)
      await tx.insert(scanRecords).values(
        times.map((time) => ({
          userId: alice.id,
          content: 'x',
          contentType: 'TEXT',
          source: 'MANUAL' as const,
          scannedAt: time,
          createdAt: time,
          updatedAt: time,
        })),
      )
    })
    const collect = async (steps: AsyncIterable<readonly { quarter: number; n: number }[]>) => {
      const sums: Record<number, number> = {}
      for await (const rows of steps) for (const { quarter, n } of rows) sums[quarter] = (sums[quarter] ?? 0) + n
      return sums
    }
    const expected = await collect(countByQuarter(db, SERIES.scans, at(24)))
    expect(expected[at(1) / QUARTER_HOUR]).toBe(5)
    expect(Object.values(expected).reduce((sum, n) => sum + n, 0)).toBe(11)
    for (const step of [1, 2, 3, 4, 11])
      expect(await collect(countByQuarter(db, SERIES.scans, at(24), step)), String(step)).toEqual(expected)
    const lastSeen = await collect(countLastActivity(db, 0))
    expect(Object.keys(lastSeen).length).toBeGreaterThan(0)
    for (const step of [1, 2]) expect(await collect(countLastActivity(db, 0, step))).toEqual(lastSeen)
    for (const quarter of [0, ...Object.keys(lastSeen).map(Number), 9e6]) {
      const later = Object.entries(lastSeen).filter(([q]) => Number(q) >= quarter)
      expect(await countActive(db, quarter * QUARTER_HOUR)).toBe(later.reduce((sum, [, n]) => sum + n, 0))
    }
  })
})
