import { describe, expect, test } from 'bun:test'

import { count } from 'drizzle-orm'

import { qrCodeScans } from '#db/schema/qr-codes.ts'
import { oldCountsJob } from '#domains/qr-codes/stats/stats.service.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, startServer, type TestServer, until, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { type Code, createCategory, createCode } from './helpers.ts'

const { server } = useServer()

interface Day {
  date: string
  count: number
}
const counted = (days: Day[]) => days.filter((d) => d.count > 0)
const sum = (days: Day[]) => days.reduce((n, d) => n + d.count, 0)

describe('codes', () => {
  test('GET /qr-codes/stats counts codes in total, by category, by type and by day', async () => {
    const me = await server.person()
    const a = await createCategory(me, 'A')
    const b = await createCategory(me, 'B')
    const made = [
      await createCode(me, { categoryId: a, content: 'https://example.com' }),
      await createCode(me, { categoryId: a, content: 'https://example.org', isPublic: true }),
      await createCode(me, { categoryId: b, content: 'text' }),
      await createCode(me, { content: 'tel:+8613800138000' }),
      await createCode(me, { content: 'https://example.net' }),
    ]
    ok(await me.patch(`/api/qr-codes/${made[3]!.id}/pin`, { pinned: true }))
    ok(await me.delete(`/api/qr-codes/${made[4]!.id}`))
    for (let i = 0; i < 3; i++) await server.request('GET', `/api/qr-codes/public/${made[1]!.uuid}`)
    await createCode(await server.person(), { isPublic: true })
    // Statistics count only the scans that have been written to the database.
    await until(async () => ok(await me.call('qrCodes.stats')).data.scanCount === 3)
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

  test('GET /qr-codes/stats gives zeros and empty lists to a user without codes', async () => {
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

  test('GET /qr-codes/stats answers 400 to an invalid number of days or time zone, as statistics of scan records do', async () => {
    const me = await server.person()
    for (const path of ['/api/qr-codes/stats', '/api/scan-records/stats']) {
      for (const query of [{ days: 0 }, { days: 367 }, { days: 'x' }, { tz: 'Mars/Olympus' }, { tz: '+25:00' }])
        expect((await me.get(path, query as never)).status, JSON.stringify(query)).toBe(400)
      for (const tz of ['Asia/Shanghai', '+08:00', '-03:30', 'UTC', 'America/New_York'])
        ok(await me.get(path, { tz, days: 366 }))
      expect((await server.request('GET', path)).status).toBe(401)
    }
    ok(await me.send('GET', '/api/qr-codes/stats?tz=+08:00'))
  })

  test.if(inProcess)('GET /qr-codes/stats counts by days of the requested time zone', async () => {
    const s = await startServer()
    try {
      const me = await s.person()
      await createCode(me)
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

describe('scans of one code', () => {
  const open = (s: Pick<TestServer, 'request'>, code: Code) => s.request('GET', `/api/qr-codes/public/${code.uuid}`)

  test('GET /qr-codes/:id/stats counts openings of the public page and scans with the app by day', async () => {
    const me = await server.person()
    const code = await createCode(me, { isPublic: true })
    const other = await createCode(me, { isPublic: true })
    for (let i = 0; i < 3; i++) ok(await open(server, code))
    ok(await open(server, other))
    ok(await me.call('scanRecords.create', { body: { content: code.publicUrl, source: 'CAMERA' } }))
    const stats = async (days: number) =>
      ok(await me.call('qrCodes.scanStats', { params: { id: code.id }, query: { days } })).data
    // Scans count at once, and once they are written no scan counts twice.
    expect((await stats(7)).total).toBe(4)
    await until(async () => ok(await me.call('qrCodes.stats')).data.scanCount === 5)
    const { total, byDay } = await stats(7)
    expect({ total, days: byDay.length, sum: sum(byDay) }).toEqual({ total: 4, days: 7, sum: 4 })
    expect(counted(byDay)).toEqual([{ date: byDay.at(-1)!.date, count: 4 }])
  })

  test('GET /qr-codes/:id/stats answers 404 for a code in the trash, and to those who may not see the code', async () => {
    const me = await server.person()
    const org = await createOrg(me)
    const code = await createCode(me, { isPublic: true })
    const shared = ok(await me.call('qrCodes.create', { query: { orgId: org.id }, body: { name: 'x', content: 'x' } }))
    const read = async (who: Person, id: number) => (await who.call('qrCodes.scanStats', { params: { id } })).status
    const mallory = await server.person()
    expect(await read(mallory, code.id)).toBe(404)
    expect(await read(mallory, shared.data.id)).toBe(404)
    expect(await read(me, shared.data.id)).toBe(200)
    ok(await me.call('qrCodes.delete', { params: { id: code.id } }))
    expect(await read(me, code.id)).toBe(404)
  })

  test.if(inProcess)(
    'scans are counted on the day of the time zone, and deleted with the code or when they are old',
    async () => {
      const s = await startServer()
      try {
        const me = await s.person()
        const code = await createCode(me, { isPublic: true })
        const stats = async (tz: string) =>
          ok(await me.call('qrCodes.scanStats', { params: { id: code.id }, query: { tz, days: 366 } })).data.byDay.map(
            (day) => day.count,
          )
        const left = async () => (await s.ctx.db.read.select({ n: count() }).from(qrCodeScans))[0]!.n
        const written = (n: number) => until(async () => (await left()) === n)
        // Around midnight in Nepal, whose offset is 5:45.
        const midnight = (Math.floor(s.clock.now() / DAY) + 2) * DAY - 5.75 * HOUR
        s.clock.advance(midnight - 10 * MINUTE - s.clock.now())
        ok(await open(s, code))
        await written(1)
        s.clock.advance(10 * MINUTE)
        for (let i = 0; i < 2; i++) ok(await open(s, code))
        await until(async () => ok(await me.call('qrCodes.stats')).data.scanCount === 3)
        expect(await left()).toBe(2)
        expect((await stats('Asia/Kathmandu')).slice(-2)).toEqual([1, 2])
        expect((await stats('UTC')).at(-1)).toBe(3)

        const deleted = await createCode(me, { isPublic: true })
        ok(await open(s, deleted))
        await written(3)
        ok(await me.call('qrCodes.delete', { params: { id: deleted.id } }))
        ok(await me.call('qrCodes.emptyTrash'))
        expect(await left()).toBe(2)

        s.clock.advance(366 * DAY)
        await oldCountsJob.run(s.ctx)
        expect(await left()).toBe(2)
        s.clock.advance(3 * DAY)
        ok(await open(s, code))
        await written(3)
        await oldCountsJob.run(s.ctx)
        expect(await left()).toBe(1)
      } finally {
        await s.stop()
      }
    },
  )
})

describe('scan records', () => {
  const record = async (me: Person, scannedAt: string | number, fields: Record<string, unknown> = {}) =>
    ok(await me.post('/api/scan-records', { content: 'x', scannedAt, ...fields }))

  test('GET /scan-records/stats counts scan records by type and source', async () => {
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

  test('GET /scan-records/stats counts a day on which clocks change as one day of 23 or 25 hours', async () => {
    // The last change in New York within the past 366 days, and scans before and after both midnights of that day.
    const me = await server.person()
    const zone = 'America/New_York'
    const offset = (t: number) =>
      new Date(new Date(t).toLocaleString('en-US', { timeZone: zone })).getTime() -
      new Date(new Date(t).toLocaleString('en-US', { timeZone: 'UTC' })).getTime()
    const hour = 3_600_000
    let change = Math.floor(Date.now() / hour) * hour
    while (offset(change) === offset(change - hour)) change -= hour
    // Clocks change at two in the morning, so local midnight is two hours earlier in the old time.
    const midnight = change - 2 * hour
    const nextMidnight = midnight + 24 * hour - (offset(change) - offset(change - hour))
    for (const t of [midnight - 1, midnight, change - 1, change, nextMidnight - 1, nextMidnight]) await record(me, t)
    const { data } = ok(await me.get('/api/scan-records/stats', { tz: zone, days: 366 }))
    expect(counted(data.byDay).map((d) => d.count)).toEqual([1, 4, 1])
    // No day in New York is a day in UTC.
    const utc = ok(await me.get('/api/scan-records/stats', { tz: 'UTC', days: 366 })).data.byDay
    expect(counted(utc).map((d) => d.count)).not.toEqual([1, 4, 1])
  })
})
