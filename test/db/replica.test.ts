/** Reads of many rows at a replica: never older than the primary, and at the primary while the replica is away or behind. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { dumpPostgres, withHeavyReads } from '#db/maintenance.ts'
import { replicaState } from '#db/replica.ts'
import { counters } from '#db/schema/index.ts'
import type { HeavyReads, Store } from '#db/store.ts'
import { uuid } from '#platform/ids.ts'

import { until } from '../harness/index.ts'
import { Installation, onPostgres } from '../ops/cli.ts'
import { onSqlite, type Place, rejection, withStore, withTwo } from './fresh.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { counter } from './sharing.ts'

const one = sql`(VALUES (1)) AS one`
const isReplica = async ({ read }: Pick<HeavyReads, 'read'>): Promise<boolean> =>
  (await read.select({ at: sql<boolean>`pg_is_in_recovery()` }).from(one))[0]!.at
const countOf = async ({ read }: Pick<HeavyReads, 'read'>): Promise<number> =>
  (await read.select({ n: sql<number>`count(*)::int` }).from(counters))[0]!.n
const insert = (store: Store, n: number | string) =>
  store.write('test', (tx) => tx.insert(counters).values(counter(`${uuid()} ${n}`)))

test('without a replica, the reads of many rows are those of the store', async () => {
  await withStore(async (store) => {
    const reads = await store.heavyReads()
    expect([reads.read, reads.readInWorker, reads.search]).toEqual([store.read, store.readInWorker, store.search])
  })
})

let primary: PostgresServer | undefined
let replica: PostgresServer | undefined
const urls = () => ({ databaseUrl: primary!.databaseUrl, databaseReadUrl: replica!.databaseUrl })

/** A store without a replica and one with it, which is used. */
const withReplica = (
  use: (store: Store, reading: Store, place: Place) => Promise<void>,
  replicaTimes = { sampleMs: 50, lateMs: 60_000 },
): Promise<void> =>
  withTwo(
    async (store, _, place) => {
      const { databaseReadUrl } = urls()
      const reading = await place.open({ shared: true, databaseReadUrl, replicaTimes })
      await until(async () => isReplica(await reading.heavyReads()))
      await use(store, reading, place)
    },
    undefined,
    primary!.databaseUrl,
  )

if (!onSqlite && onPostgres)
  describe('with a replica', () => {
    beforeAll(async () => {
      primary = await startPostgres()
      replica = primary && (await startPostgres({ primary }))
    })
    afterAll(async () => {
      await replica?.remove()
      await primary?.remove()
    })

    test('a read has every write that was answered before, of any process, and usually goes to the replica', async () => {
      if (replica === undefined) return
      await withReplica(async (store, reading) => {
        let atReplica = 0
        const before = await countOf(store)
        for (let n = 1; n <= 300; n++) {
          await insert(n % 2 === 0 ? store : reading, n)
          const reads = await reading.heavyReads()
          expect(await countOf(reads)).toBe(before + n)
          if (await isReplica(reads)) atReplica++
          expect(await reads.search(1, (read) => countOf({ read }))).toBe(before + n)
        }
        expect(atReplica).toBeGreaterThan(0)
        // Nothing else goes there.
        expect(await Promise.all([isReplica(reading), isReplica({ read: reading.readInWorker })])).toEqual([
          false,
          false,
        ])
        expect(await reading.search(1, (read) => isReplica({ read }))).toBe(false)
      })
    })

    test('while the replica is behind, reads go to the primary, and the log says so once', async () => {
      if (replica === undefined) return
      await withReplica(
        async (store, reading, { log }) => {
          const ofReplica = () => log.lines.filter(({ message }) => message.includes('replica'))
          await replica!.run('SELECT pg_wal_replay_pause()')
          try {
            await until(async () => (await replica!.run('SELECT pg_get_wal_replay_pause_state()'))[0]![0] === 'paused')
            await insert(store, 'later')
            const before = await countOf(store)
            const reads = await reading.heavyReads()
            expect([await countOf(reads), await isReplica(reads)]).toEqual([before, false])
            await until(() => ofReplica().length > 0)
            await insert(store, 'again')
            await Bun.sleep(300)
            expect(ofReplica()).toMatchObject([{ level: 'warn', fields: { reason: 'it is more than 0.1 s behind' } }])
          } finally {
            await replica!.run('SELECT pg_wal_replay_resume()')
          }
          await until(async () => isReplica(await reading.heavyReads()))
          expect(ofReplica().map(({ level }) => level)).toEqual(['warn', 'info'])
        },
        { sampleMs: 20, lateMs: 100 },
      )
    })

    test('statements are run at the primary if the replica does not answer, cancels them or breaks the connection', async () => {
      if (replica === undefined) return
      await withReplica(async (store, reading, { log }) => {
        await insert(store, 'a row')
        const onReplica = (slow: string) =>
          sql<string>`(SELECT CASE WHEN pg_is_in_recovery() THEN ${sql.raw(slow)} ELSE 'primary' END)`
        const run = async (reads: HeavyReads) =>
          await reads.read.select({ at: onReplica("'' || pg_sleep(600)") }).from(one)
        const sleepers = `FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()`
        for (const end of ['pg_cancel_backend', 'pg_terminate_backend']) {
          const running = run(await reading.heavyReads())
          // It ends before it is awaited.
          running.catch(() => undefined)
          await until(async () => (await replica!.run(`SELECT pid ${sleepers}`)).length > 0)
          await replica!.run(`SELECT ${end}(pid) ${sleepers}`)
          if (end === 'pg_cancel_backend') expect(await rejection(running)).toMatchObject({ errno: '57014' })
          else expect(await running).toEqual([{ at: 'primary' }])
        }
        await until(async () => isReplica(await reading.heavyReads()))
        const running = run(await reading.heavyReads())
        await until(async () => (await replica!.run(`SELECT pid ${sleepers}`)).length > 0)
        await replica!.signal('SIGSTOP')
        try {
          expect(await running).toEqual([{ at: 'primary' }])
          expect(await isReplica(await reading.heavyReads())).toBe(false)
          expect(log.lines.filter(({ message }) => message.includes('replica is not used'))).toHaveLength(1)
        } finally {
          await replica!.signal('SIGCONT')
        }
        await until(async () => isReplica(await reading.heavyReads()))
      })
    })

    test('searches take no longer than elsewhere', async () => {
      if (replica === undefined) return
      await withTwo(
        async (_, __, place) => {
          const { databaseReadUrl } = urls()
          const reading = await place.open({ shared: true, databaseReadUrl, searchMs: 1000 })
          await until(async () => isReplica(await reading.heavyReads()))
          const { search } = await reading.heavyReads()
          const slow = search(1, async (db) => db.select({ n: sql`(SELECT 1 FROM pg_sleep(60))` }).from(one))
          expect(await rejection(slow)).toMatchObject({ reason: 'timeout' })
        },
        undefined,
        primary!.databaseUrl,
      )
    })

    test('dumps and the reads of doctor are made at the replica', async () => {
      if (replica === undefined) return
      await withReplica(async (store) => {
        await insert(store, 'a row')
        const place = { ...urls(), dataDir: '' }
        const scans = async (server: PostgresServer) =>
          Number((await server.run('SELECT sum(seq_scan) FROM pg_stat_user_tables'))[0]![0])
        const before = await scans(replica!)
        const target = join(tmpdir(), `${uuid()}.dump`)
        const { tables } = await dumpPostgres(urls(), target)
        expect(tables['counters']).toBe(await countOf(store))
        expect(Bun.file(target).size).toBeGreaterThan(1000)
        await until(async () => (await scans(replica!)) > before)
        const at = await withHeavyReads(place, (query, atPrimary) =>
          Promise.all([query, atPrimary].map(async (ask) => (await ask('SELECT pg_is_in_recovery() AS at'))[0]!['at'])),
        )
        expect(at).toEqual([true, false])
        await replica!.stop('fast')
        try {
          expect((await dumpPostgres(urls(), target)).tables['counters']).toBe(await countOf(store))
        } finally {
          await replica!.start()
          rmSync(target)
        }
      })
    })

    test('the server is refused with an address that leads to something else, and doctor says why', async () => {
      if (replica === undefined) return
      const other = await startPostgres()
      const place = await Installation.make()
      try {
        expect(await replicaState(urls())).toMatchObject({ kind: 'OK' })
        const refused = [
          [urls().databaseUrl, 'is the database itself'],
          [other!.databaseUrl, 'it has another database'],
          [replica.databaseUrl.replace('/postgres', '/missing'), 'does not exist'],
        ] as const
        for (const [databaseReadUrl, why] of refused) {
          const env = { TESSERA_DATABASE_URL: primary!.databaseUrl, TESSERA_DATABASE_READ_URL: databaseReadUrl }
          const { code, stderr } = await place.run(['serve'], { env })
          expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
          const doctor = await place.run(['doctor'], { env })
          expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(new RegExp(`FAIL +replica .*${why}`))])
        }
        const env = { TESSERA_DATABASE_URL: primary!.databaseUrl, TESSERA_DATABASE_READ_URL: replica.databaseUrl }
        expect((await place.run(['doctor'], { env })).stdout).toMatch(/OK +replica /)
        await replica.stop('fast')
        expect(await replicaState(urls())).toMatchObject({ kind: 'AWAY' })
        const server = await place.serve([], { env })
        await until(() => server.stderr().includes('the replica is not used'))
        await replica.start()
        await until(() => server.stderr().includes('the replica is used again'))
        expect(await server.end()).toBe(0)
      } finally {
        await place.dispose()
        await other?.remove()
      }
    })

    test('a replica that was made a primary is not read', async () => {
      if (replica === undefined) return
      const clone = (await startPostgres({ primary: primary! }))!
      try {
        await withTwo(
          async (store, _, place) => {
            const times = { sampleMs: 20, lateMs: 60_000 }
            const options = { shared: true, databaseReadUrl: clone.databaseUrl, replicaTimes: times }
            const reading = await place.open(options)
            await until(async () => isReplica(await reading.heavyReads()))
            await clone.promote()
            await insert(store, 'only at the primary')
            const reads = await reading.heavyReads()
            expect(await countOf(reads)).toBe(await countOf(store))
            await until(() => place.log.lines.some(({ fields }) => fields['reason'] === 'it does not replicate'))
            expect(await replicaState({ ...urls(), databaseReadUrl: clone.databaseUrl })).toMatchObject({
              kind: 'AWAY',
            })
          },
          undefined,
          primary!.databaseUrl,
        )
      } finally {
        await clone.remove()
      }
    })
  })
