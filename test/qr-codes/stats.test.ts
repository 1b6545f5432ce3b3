import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { inProcess, type Person, startServer, type TestServer } from '../harness/index.ts'
import { makeCategory, makeCode, ok } from './helpers.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

interface Day {
  date: string
  count: number
}
const counted = (days: Day[]) => days.filter((d) => d.count > 0)
const sum = (days: Day[]) => days.reduce((n, d) => n + d.count, 0)

describe('of codes', () => {
  test('totals, by category, by type, by day', async () => {
    const me = await server.person()
    const a = await makeCategory(me, 'A')
    const b = await makeCategory(me, 'B')
    const made = [
      await makeCode(me, { categoryId: a, content: 'https://example.com' }),
      await makeCode(me, { categoryId: a, content: 'https://example.org', isPublic: true }),
      await makeCode(me, { categoryId: b, content: 'text' }),
      await makeCode(me, { content: 'tel:+8613800138000' }),
      await makeCode(me, { content: 'https://example.net' }),
    ]
    ok(await me.patch(`/api/qr-codes/${made[3]!.id}/pin`, { pinned: true }))
    ok(await me.delete(`/api/qr-codes/${made[4]!.id}`))
    for (let i = 0; i < 3; i++) await server.request('GET', `/api/qr-codes/public/${made[1]!.uuid}`)
    await makeCode(await server.person(), { isPublic: true })
    // Views are written within a second.
    await Bun.sleep(1300)
    const { data } = ok(await me.get('/api/qr-codes/stats'))
    expect(data).toMatchObject({ total: 4, publicCount: 1, pinnedCount: 1, trashCount: 1, scanCount: 3 })
    expect(data.byCategory).toHaveLength(3)
    expect(data.byCategory[0]).toEqual({ categoryId: a, name: 'A', count: 2 })
    expect(data.byCategory).toContainEqual({ categoryId: b, name: 'B', count: 1 })
    expect(data.byCategory).toContainEqual({ categoryId: null, name: null, count: 1 })
    expect(data.byType[0]).toEqual({ contentType: 'URL', count: 2 })
    expect(data.byType).toHaveLength(3)
    expect(data.byDay).toHaveLength(30)
    expect(sum(data.byDay)).toBe(4)
    expect(data.byDay.at(-1)).toEqual({ date: new Date().toISOString().slice(0, 10), count: 4 })
  })

  test('nothing yet', async () => {
    const { data } = ok(await (await server.person()).get('/api/qr-codes/stats', { days: 1 }))
    expect(data).toMatchObject({
      total: 0,
      publicCount: 0,
      pinnedCount: 0,
      trashCount: 0,
      scanCount: 0,
      byCategory: [],
      byType: [],
    })
    expect(data.byDay).toHaveLength(1)
  })

  test('days and zones that are none are refused', async () => {
    const me = await server.person()
    for (const path of ['/api/qr-codes/stats', '/api/scan-records/stats']) {
      for (const query of [
        { days: 0 },
        { days: 367 },
        { days: 'x' },
        { tz: 'Mars/Olympus' },
        { tz: '+25:00' },
        { tz: '' },
      ])
        expect((await me.get(path, query as never)).status, JSON.stringify(query)).toBe(400)
      for (const tz of ['Asia/Shanghai', '+08:00', '-03:30', 'UTC', 'America/New_York'])
        ok(await me.get(path, { tz, days: 366 }))
      expect((await server.request('GET', path)).status).toBe(401)
    }
    ok(await me.send('GET', '/api/qr-codes/stats?tz=+08:00'))
  })

  test.if(inProcess)('days are the caller’s own', async () => {
    const s = await startServer()
    try {
      const me = await s.person()
      await makeCode(me)
      const today = async (tz: string) => ok(await me.get('/api/qr-codes/stats', { tz, days: 3 })).data.byDay as Day[]
      for (const tz of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu']) {
        const date = new Intl.DateTimeFormat('en-CA', {
          timeZone: tz,
          year: 'numeric',
          month: '2-digit',
          day: '2-digit',
        }).format()
        expect(counted(await today(tz)), tz).toEqual([{ date, count: 1 }])
      }
      s.clock.advance(2 * 86_400_000)
      expect((await today('UTC')).map((d) => d.count)).toEqual([1, 0, 0])
      s.clock.advance(86_400_000)
      expect((await today('UTC')).map((d) => d.count)).toEqual([0, 0, 0])
    } finally {
      await s.stop()
    }
  })
})

describe('of scans', () => {
  const record = async (me: Person, scannedAt: string | number, fields: Record<string, unknown> = {}) =>
    ok(await me.post('/api/scan-records', { content: 'x', scannedAt, ...fields }))

  test('by type and source', async () => {
    const me = await server.person()
    const now = Date.now()
    await record(me, now, { content: 'https://example.com', source: 'IMAGE' })
    await record(me, now, { source: 'IMAGE', favorite: true })
    await record(me, now)
    const { data } = ok(await me.get('/api/scan-records/stats'))
    expect(data).toMatchObject({
      total: 3,
      favorites: 1,
      byType: [
        { contentType: 'TEXT', count: 2 },
        { contentType: 'URL', count: 1 },
      ],
      bySource: [
        { source: 'IMAGE', count: 2 },
        { source: 'CAMERA', count: 1 },
      ],
    })
    expect(sum(data.byDay)).toBe(3)
  })

  test('the day a clock changes is one day, of 23 or of 25 hours', async () => {
    // The last change in New York that lies in the past 366 days, and scans on both sides of both its midnights.
    const me = await server.person()
    const zone = 'America/New_York'
    const offset = (t: number) =>
      new Date(new Date(t).toLocaleString('en-US', { timeZone: zone })).getTime() -
      new Date(new Date(t).toLocaleString('en-US', { timeZone: 'UTC' })).getTime()
    const hour = 3_600_000
    let change = Math.floor(Date.now() / hour) * hour
    while (offset(change) === offset(change - hour)) change -= hour
    // Clocks change at two in the morning: local midnight is two hours of the old time before.
    const midnight = change - 2 * hour
    const nextMidnight = midnight + 24 * hour - (offset(change) - offset(change - hour))
    for (const t of [midnight - 1, midnight, change - 1, change, nextMidnight - 1, nextMidnight]) await record(me, t)
    const { data } = ok(await me.get('/api/scan-records/stats', { tz: zone, days: 366 }))
    expect(counted(data.byDay).map((d) => d.count)).toEqual([1, 4, 1])
    // Nobody's day there is a day in UTC.
    const utc = ok(await me.get('/api/scan-records/stats', { tz: 'UTC', days: 366 })).data.byDay
    expect(counted(utc).map((d) => d.count)).not.toEqual([1, 4, 1])
  })
})
