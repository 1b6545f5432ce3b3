import { describe, expect, test } from 'bun:test'

import type { ReadDb } from '#db/engine/write.ts'
import type { Runner } from '#db/query/builders.ts'
import { SenderQuarters } from '#domains/chat/admin/chat.admin.rules.ts'
import { countMessages } from '#domains/chat/admin/chat.admin.store.ts'
import { dayName, lastDays } from '#lib/days.ts'
import { QUARTER_HOUR } from '#lib/quarter-hours.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, race, useServer } from '../harness/index.ts'
import { sendAll } from './conversation-helpers.ts'

describe('settings of chat', () => {
  const { server, admin, alice } = useServer({ people: ['alice'] })
  const path = '/api/admin/chat/settings'

  test('administrators read them and change some, the others stay, and the change is logged once', async () => {
    const before = ok(await admin.call('admin.chat.settings')).data
    expect(before).toEqual({
      textMaxLength: 5000,
      mediaMaxBytes: 20 * 1024 * 1024,
      maxContacts: 500,
      requestsPerDay: 20,
      requestExpiryDays: 30,
      recallSeconds: 120,
      editSeconds: 86_400,
      messagesPerMinute: 60,
      draftMaxLength: 1000,
      retentionDays: 0,
    })
    const change = { recallSeconds: 60, draftMaxLength: 10 }
    expect(ok(await admin.call('admin.chat.changeSettings', { body: change })).data).toEqual({ ...before, ...change })
    ok(await admin.call('admin.chat.changeSettings', { body: change }))
    expect(ok(await admin.call('admin.chat.settings')).data).toEqual({ ...before, ...change })
    const { items } = ok(await admin.get('/api/admin/logs', { action: 'CHAT_SETTING_UPDATE' })).data
    expect(items.map((row: { before: object; after: object }) => [row.before, row.after])).toEqual([
      [{ recallSeconds: 120, draftMaxLength: 1000 }, change],
    ])
  })

  test.each([
    { textMaxLength: 0 },
    { retentionDays: 3651 },
    { messagesPerMinute: 1.5 },
    { recallSeconds: '60s' },
    { maxContacts: null },
  ])('%j is refused with 400 and changes nothing', async (body) => {
    const before = ok(await admin.get(path)).data
    expect((await admin.put(path, { draftMaxLength: 5, ...body })).status).toBe(400)
    expect(ok(await admin.get(path)).data).toEqual(before)
  })

  test('settings and statistics answer 401 without a token and 403 to users without the permission', async () => {
    for (const url of [path, '/api/admin/chat/stats']) {
      expect((await server.request('GET', url)).status).toBe(401)
      expect((await alice.get(url)).status).toBe(403)
    }
    expect((await alice.put(path, { recallSeconds: 1 })).status).toBe(403)
  })
})

describe.if(inProcess)('statistics of chat', () => {
  const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

  test('messages are counted by type, sender and day of the time zone, are a minute old at most, and show no content', async () => {
    await sendAll(server, alice, bob, ['long ago'], { at: server.clock.now() - 8 * DAY })
    await sendAll(server, alice, bob, ['secret', 'secret'])
    await sendAll(server, bob, alice, ['picture'], { type: 'IMAGE' })
    const reply = ok(await admin.call('admin.chat.stats', { query: { days: '7', tz: 'Asia/Shanghai' } }))
    const { data } = reply
    expect(data).toMatchObject({
      conversations: 1,
      messages: 4,
      activeUsers: 2,
      contacts: 0,
      pendingRequests: 0,
      sockets: 0,
    })
    expect(data.byType).toEqual([
      { type: 'TEXT', count: 2 },
      { type: 'IMAGE', count: 1 },
    ])
    expect(data.byDay.length).toBe(7)
    expect(data.byDay.at(-1)).toMatchObject({ messages: 3, senders: 2 })
    expect(data.byDay.slice(0, -1).every(({ messages }) => messages === 0)).toBe(true)
    expect(reply.text).not.toContain('secret')

    await sendAll(server, alice, bob, ['newer'])
    const again = () => admin.call('admin.chat.stats', { query: { days: '7', tz: 'Asia/Shanghai' } })
    expect(ok(await again()).data.messages).toBe(4)
    server.clock.advance(2 * MINUTE)
    expect(ok(await again()).data.messages).toBe(5)
  })

  test('one computation a minute serves all time zones and periods', async () => {
    const runner = (server.ctx.db.readInWorker as ReadDb).runner as Runner
    const { rows } = runner
    let asked: string[] = []
    runner.rows = (sql, params) => {
      asked.push(sql)
      return rows.call(runner, sql, params)
    }
    const show = (tz: string, days: '7' | '90' = '7') => admin.call('admin.chat.stats', { query: { days, tz } })
    const timesOf = (sql: string) => asked.filter((other) => other === sql).length
    try {
      server.clock.advance(MINUTE)
      ok(await show('UTC'))
      // Others are repeated for further messages, more often on a busy machine.
      const once = asked.filter((sql) => timesOf(sql) === 1)
      expect(once.length).toBeGreaterThan(0)
      const zones = Intl.supportedValuesOf('timeZone').slice(0, 50)
      server.clock.advance(MINUTE)
      asked = []
      for (const reply of await race(50, (i) => show(zones[i]!, i % 2 === 0 ? '7' : '90'))) ok(reply)
      expect(once.map(timesOf)).toEqual(once.map(() => 1))
    } finally {
      runner.rows = rows
    }
  })

  test('messages are counted the same however few of them a statement reads', async () => {
    const db = server.ctx.db.readInWorker
    const counted = async (step?: number) => {
      const sums: Record<string, number> = {}
      for await (const rows of countMessages(db, 0, 0, step))
        for (const { quarter, type, senderId, n } of rows) {
          const key = `${quarter} ${type} ${senderId}`
          sums[key] = (sums[key] ?? 0) + n
        }
      return sums
    }
    const expected = await counted()
    expect(Object.values(expected).reduce((sum, n) => sum + n, 0)).toBe(5)
    for (const step of [1, 2, 3, 5]) expect(await counted(step)).toEqual(expected)
  })

  test('other periods and unknown time zones are refused with 400', async () => {
    expect((await admin.get('/api/admin/chat/stats', { days: 8 })).status).toBe(400)
    expect((await admin.get('/api/admin/chat/stats', { tz: 'Mars/Olympus' })).status).toBe(400)
  })
})

test.each(['UTC', 'America/New_York', 'Asia/Kathmandu'])(
  'senders are counted once for each day of %s',
  async (zone) => {
    const now = Date.parse('2026-04-20T03:20:00Z')
    const senders = new SenderQuarters()
    const sets = new Map<string, Set<number>>()
    const sent: [at: number, sender: number][] = []
    for (let i = 0; i < 3000; i++) sent.push([now - ((i * 7_919_003) % (95 * DAY)), (i * 31) % 97])
    // Most messages come in the order of their times, a few do not, and some quarter-hours have several of one sender.
    for (const [at, sender] of [...sent.toSorted((a, b) => a[0] - b[0]), ...sent.slice(0, 50)]) {
      senders.add(Math.floor(at / QUARTER_HOUR), sender)
      const date = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate().toString()
      sets.set(date, (sets.get(date) ?? new Set()).add(sender))
    }
    for (const days of [7, 30, 90]) {
      const range = lastDays(now, days, zone)
      const dates = Array.from({ length: days }, (_, i) => sets.get(dayName(range.firstDay + i)) ?? new Set<number>())
      const { byDay, all } = await senders.count(range)
      expect(byDay).toEqual(dates.map((set) => set.size))
      expect(all).toBe(new Set(dates.flatMap((set) => [...set])).size)
    }
  },
)
