/** How many scans a user may record: one budget for both ways of recording, and a number of records of which the oldest go. */

import { describe, expect, test } from 'bun:test'

import { dialect } from '#db/dialect.ts'
import { migrate } from '#db/migrate.ts'
import { scanRecordCounts } from '#db/schema/qr-codes.ts'
import type { Tx } from '#db/store.ts'
import { deleteBeyondQuota } from '#domains/qr-codes/scans/scans.service.ts'
import { insertScan } from '#domains/qr-codes/scans/scans.store.ts'
import { setSetting } from '#domains/settings/index.ts'

import { migrations } from '../../migrations/index.ts'
import { withPlace } from '../db/fresh.ts'
import { explained, statementsOf } from '../db/plans.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from '../processes/several.ts'
import { otherDevice, push, record } from '../sync/push-helpers.ts'
import { Replica } from '../sync/replica.ts'

const scan = (who: Person, content: string, more: object = {}) => who.post('/api/scan-records', { content, ...more })
const newScan = (content: string) => record({ entity: 'scanRecord', data: { content } })

/** The contents that the user has, in order. */
const contentsOf = async (who: Person): Promise<string[]> =>
  (ok(await who.get('/api/scan-records', { size: 100 })).data.items as { content: string }[])
    .map(({ content }) => content)
    .toSorted()

describe('the budget of records', () => {
  const { server } = useServer({ rateLimit: true, settings: { 'budget.pushedRecordsPerUser': 5 } })

  test('scans that are recorded one by one and records of pushes use up one budget, of this user only', async () => {
    const [alice, bob] = [await server.person(), await server.person()]
    for (const content of ['1', '2']) ok(await scan(alice, content))
    await push(alice, newScan('3'), newScan('4'))
    ok(await scan(alice, '5'))
    const refused = await scan(alice, '6')
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3600)
    expect((await alice.post('/api/sync/push', { records: [newScan('7')] })).status).toBe(429)
    expect(await contentsOf(alice)).toEqual(['1', '2', '3', '4', '5'])
    ok(await scan(bob, 'mine'))
    await push(bob, newScan('and this'))
    // Refused contents count nothing.
    for (let i = 0; i < 5; i++) expect((await scan(bob, '')).status).toBe(400)
    for (const content of ['3', '4', '5']) ok(await scan(bob, content))
    if (!inProcess) return
    server.clock.advance(24 * 3_600_000)
    ok(await scan(alice, '6'))
  })

  test('of 30 concurrent scans exactly as many are recorded as the budget allows', async () => {
    const alice = await server.person()
    const replies = await race(30, (i) => scan(alice, `content ${i}`))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([
      ...Array<number>(5).fill(200),
      ...Array<number>(25).fill(429),
    ])
    expect(await contentsOf(alice)).toHaveLength(5)
  })
})

describe('the number of scan records', () => {
  const { server } = useServer({ settings: { 'quota.scanRecords': 5 } })

  test('a scan beyond the quota deletes the oldest record of the user, by the time of recording', async () => {
    const [alice, bob] = [await server.person(), await server.person()]
    for (const content of ['a', 'b', 'c', 'd', 'e']) for (const who of [alice, bob]) ok(await scan(who, content))
    ok(await scan(alice, 'f', { scannedAt: 1 }))
    expect(await contentsOf(alice)).toEqual(['b', 'c', 'd', 'e', 'f'])
    ok(await scan(alice, 'g', { scannedAt: 2 }))
    expect(await contentsOf(alice)).toEqual(['c', 'd', 'e', 'f', 'g'])
    expect(await contentsOf(bob)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(ok(await alice.get('/api/scan-records')).data.total).toBe(5)
    expect(ok(await alice.get('/api/scan-records/stats')).data.total).toBe(5)
  })

  test('a record that was deleted makes room for another', async () => {
    const alice = await server.person()
    const ids = []
    for (const content of ['a', 'b', 'c', 'd', 'e']) ids.push(ok(await scan(alice, content)).data.id)
    ok(await alice.delete(`/api/scan-records/${ids[2]}`))
    ok(await scan(alice, 'f'))
    expect(await contentsOf(alice)).toEqual(['a', 'b', 'd', 'e', 'f'])
    ok(await scan(alice, 'g'))
    expect(await contentsOf(alice)).toEqual(['b', 'd', 'e', 'f', 'g'])
  })

  test('50 concurrent scans leave exactly the quota, and another device sees the same records', async () => {
    const alice = await server.person()
    for (const content of ['a', 'b', 'c']) ok(await scan(alice, content))
    const phone = new Replica(await otherDevice(server, alice), { entities: ['scanRecord'] })
    await phone.pull()
    expect(phone.ids('scanRecord')).toHaveLength(3)
    const made = await race(50, async (i) => ok(await scan(alice, `content ${i}`)).data)
    expect(new Set(made.map(({ id }) => id)).size).toBe(50)
    await phone.pull(7)
    const { items, total } = ok(await alice.get('/api/scan-records', { size: 100 })).data
    expect([total, items.length]).toEqual([5, 5])
    expect(phone.ids('scanRecord')).toEqual((items as { id: number }[]).map(({ id }) => id).toSorted((a, b) => a - b))
  })

  test('a push of more records than the quota is applied, and both devices then pull the newest records only', async () => {
    const alice = await server.person()
    const tablet = await otherDevice(server, alice)
    const replicas = [alice, tablet].map((who) => new Replica(who, { entities: ['scanRecord'] }))
    for (const replica of replicas) await replica.pull()
    const contents = Array.from({ length: 20 }, (_, i) => `offline ${i}`)
    const results = await push(alice, ...contents.map(newScan))
    expect(results.every(({ status }) => status === 'APPLIED')).toBe(true)
    const { items } = ok(await alice.get('/api/scan-records', { size: 100 })).data
    const left = (items as { id: number }[]).map(({ id }) => id).toSorted((a, b) => a - b)
    expect(left).toHaveLength(5)
    for (const replica of replicas) {
      await replica.pull(3)
      expect(replica.ids('scanRecord')).toEqual(left)
    }
  })

  test('a record that was deleted beyond the quota comes back with a later change of a device, and another goes instead', async () => {
    const alice = await server.person()
    const first = newScan('first')
    const serverId = (await push(alice, first))[0]!.serverId!
    for (const content of ['b', 'c', 'd', 'e', 'f']) ok(await scan(alice, content))
    expect(await contentsOf(alice)).toEqual(['b', 'c', 'd', 'e', 'f'])
    const tablet = new Replica(await otherDevice(server, alice), { entities: ['scanRecord'] })
    await tablet.pull()
    const change = { entity: 'scanRecord', serverId, baseVersion: 1, updatedAt: Date.now() + 60_000 }
    if (inProcess) server.clock.advance(60_000)
    const [back] = await push(alice, record({ ...change, data: { content: 'first', title: 'kept' } }))
    expect(back).toMatchObject({ status: 'APPLIED', serverId })
    expect(await contentsOf(alice)).toEqual(['c', 'd', 'e', 'f', 'first'])
    await tablet.pull()
    expect(tablet.ids('scanRecord')).toContain(serverId)
    expect(tablet.ids('scanRecord')).toHaveLength(5)
  })

  describe.if(inProcess)('with another quota', () => {
    const setQuota = (limit: number) => server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.scanRecords', limit))

    test('records beyond a lower quota are deleted by the job, and 0 keeps all', async () => {
      const alice = await server.person()
      await setQuota(0)
      for (const content of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) ok(await scan(alice, content))
      await deleteBeyondQuota(server.ctx)
      expect(await contentsOf(alice)).toHaveLength(7)
      await setQuota(3)
      await deleteBeyondQuota(server.ctx)
      expect(await contentsOf(alice)).toEqual(['e', 'f', 'g'])
      await setQuota(5)
      for (const content of ['h', 'i', 'j']) ok(await scan(alice, content))
      expect(await contentsOf(alice)).toEqual(['f', 'g', 'h', 'i', 'j'])
    })

    test('a scan deletes at most 50 of the records beyond the quota', async () => {
      const alice = await server.person()
      await setQuota(0)
      await push(alice, ...Array.from({ length: 60 }, (_, i) => newScan(`content ${i}`)))
      await setQuota(5)
      ok(await scan(alice, 'another'))
      expect(ok(await alice.get('/api/scan-records')).data.total).toBe(11)
      ok(await scan(alice, 'one more'))
      expect(ok(await alice.get('/api/scan-records')).data.total).toBe(5)
    })
  })
})

test.if(inProcess && dialect === 'sqlite')(
  'a scan beyond the quota counts no records and reads the oldest from an index, without sorting',
  async () => {
    await withPlace(async (place) => {
      const store = await place.open()
      const { read } = store
      const write = store.write.bind(store)
      await place.raw("INSERT INTO users (id, nickname, created_at, updated_at) VALUES (1, 'Lin', 1, 1)")
      const values = {
        content: 'content',
        contentType: 'TEXT',
        source: 'CAMERA',
        qrCodeId: null,
        title: null,
        favorite: false,
        latitude: null,
        longitude: null,
        address: null,
        scannedAt: 1,
        createdAt: 1,
        updatedAt: 1,
      } as const
      const insert = (tx: Tx) => insertScan(tx, 1, values, { quota: 2 })
      for (let i = 0; i < 2; i++) await write('test', insert)
      const statements = await write('test', (tx) => statementsOf(tx, () => insert(tx), '"scan_records"'))
      const planned = await explained(read, statements)
      expect(planned.map(({ sql }) => sql.split(' ', 1)[0])).toEqual(['insert', 'delete'])
      const { plan } = planned[1]!
      expect(plan).toEqual([
        'SEARCH scan_records USING INTEGER PRIMARY KEY (rowid=?)',
        'LIST SUBQUERY 1',
        'SEARCH scan_records USING COVERING INDEX scan_records_user_created (user_id=?)',
      ])
      expect(await read.select().from(scanRecordCounts)).toEqual([{ userId: 1, records: 2 }])
    })
  },
)

test('the migration counts the scan records that users have', async () => {
  await withPlace(async (place) => {
    const all = migrations[dialect]
    const before = all.findIndex(({ name }) => name.endsWith('scan_record_counts'))
    const { databaseUrl, dataDir, clock, log } = place
    await migrate({ databaseUrl, dataDir, clock, log, migrations: all.slice(0, before) })
    await place.raw(
      "INSERT INTO users (id, nickname, created_at, updated_at) VALUES (7, 'Lin', 1, 1), (8, 'Wu', 1, 1), (9, 'Xu', 1, 1)",
    )
    for (const userId of [7, 8, 8, 8])
      await place.raw(
        `INSERT INTO scan_records (user_id, content, content_type, source, scanned_at, created_at, updated_at) VALUES (${userId}, 'x', 'TEXT', 'CAMERA', 1, 1, 1)`,
      )
    const { read } = await place.open()
    const rows = await read.select().from(scanRecordCounts)
    expect(rows.toSorted((a, b) => a.userId - b.userId)).toEqual([
      { userId: 7, records: 1 },
      { userId: 8, records: 3 },
    ])
  })
})

test.if(onPostgres)('scans through three processes at once leave exactly the quota', async () => {
  await withServers(3, async ({ servers }) => {
    const [first] = servers as [(typeof servers)[0]]
    const alice = await first.person()
    const admin = await first.admin()
    const values = { 'quota.scanRecords': 5 }
    ok(await sendTo(first, admin, 'PUT', '/api/admin/settings', { body: { values } }))
    const phone = new Replica(alice, { entities: ['scanRecord'] })
    await phone.pull()
    await race(45, async (i) =>
      ok(await sendTo(servers[i % 3]!, alice, 'POST', '/api/scan-records', { body: { content: `content ${i}` } })),
    )
    expect(await contentsOf(alice)).toHaveLength(5)
    await phone.pull()
    expect(phone.ids('scanRecord')).toHaveLength(5)
    expect(await first.ctx.db.read.select().from(scanRecordCounts)).toEqual([{ userId: alice.id, records: 5 }])
  })
})
