/** Writes on PostgreSQL whose connection breaks between the COMMIT and its answer. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { openStore } from '#db/open.ts'
import { counters } from '#db/schema/index.ts'
import type { Store } from '#db/store.ts'

import { until } from '../harness/index.ts'
import { type PostgresProxy, startPostgresProxy } from '../harness/postgres-proxy.ts'
import { onSqlite, type Place, rejection, withStore } from './fresh.ts'
import { changed, counter, hear } from './sharing.ts'

const UNREACHABLE = { name: 'StorageError', kind: 'unreachable' }

/** Runs `use` with a store behind a proxy. */
async function withProxy(
  shared: boolean,
  use: (store: Store, proxy: PostgresProxy, place: Place) => Promise<void>,
): Promise<void> {
  await withStore(async (first, place) => {
    await first.close()
    const proxy = await startPostgresProxy(place.databaseUrl)
    const config = { databaseUrl: proxy.databaseUrl, dataDir: '' }
    const store = await openStore({ config, clock: place.clock, log: place.log, shared })
    try {
      await use(store, proxy, place)
    } finally {
      await store.close()
      await proxy.stop()
    }
  })
}

/** Inserts a row and publishes an event. Returns the stamp. */
const stamped = (store: Store, key: string): Promise<number> =>
  store.write('test', async (tx) => {
    await tx.insert(counters).values(counter(key, tx.stamp))
    tx.publish(changed, 1)
    return tx.stamp
  })

const find = async (store: Store, key: string) =>
  (await store.read.select({ stamp: counters.count }).from(counters).where(eq(counters.key, key)))[0]

if (!onSqlite)
  for (const shared of [false, true])
    describe(`a COMMIT without an answer, ${shared ? 'shared' : 'alone'}`, () => {
      /** Events are delivered by a process that shares the database, and stand for a gap otherwise. */
      const notices = ({ events, gaps }: ReturnType<typeof hear>) => (shared ? events.length : gaps)

      test('is noticed by the next request at the latest if it was carried out, and runs no hook', async () => {
        await withProxy(shared, async (store, proxy) => {
          const heard = hear(store)
          let hooks = 0
          proxy.commits = 'lose'
          const lost = store.write('test', async (tx) => {
            await tx.insert(counters).values(counter('lost', tx.stamp))
            tx.publish(changed, 1)
            tx.afterCommit(() => hooks++)
          })
          expect(await rejection(lost)).toMatchObject(UNREACHABLE)
          proxy.commits = 'pass'
          await store.bus.caughtUp()
          expect(notices(heard)).toBeGreaterThan(0)
          expect(await find(store, 'lost')).toBeDefined()
          expect(hooks).toBe(0)
          const later = await stamped(store, 'later')
          await until(async () => (await store.settledStamp()) === later)
        })
      })

      test('keeps its stamp back until it arrives, and is noticed when it has been carried out', async () => {
        await withProxy(shared, async (store, proxy) => {
          const before = await stamped(store, 'before')
          const heard = hear(store)
          proxy.commits = 'hold'
          expect(await rejection(stamped(store, 'late'))).toMatchObject(UNREACHABLE)
          proxy.commits = 'pass'
          const later = await stamped(store, 'later')
          await store.bus.caughtUp()
          const noticed = notices(heard)
          expect(await find(store, 'late')).toBeUndefined()
          // A device continues from here, and must get the row afterwards.
          const settled = await store.settledStamp()
          expect(settled).toBeGreaterThanOrEqual(before)
          await proxy.deliver()
          await store.bus.caughtUp()
          const late = await find(store, 'late')
          expect(late!.stamp).toBeGreaterThan(settled)
          expect(late!.stamp).toBeLessThan(later)
          expect(notices(heard)).toBeGreaterThan(noticed)
          expect(await store.settledStamp()).toBe(later)
        })
      })

      test('is noticed without a request too if it arrives later', async () => {
        await withProxy(shared, async (store, proxy) => {
          const heard = hear(store)
          proxy.commits = 'hold'
          expect(await rejection(stamped(store, 'late'))).toMatchObject(UNREACHABLE)
          proxy.commits = 'pass'
          const noticed = notices(heard)
          await proxy.deliver()
          await until(() => notices(heard) > noticed)
        })
      })

      test('is rolled back if it never arrives, and then no longer keeps a stamp back', async () => {
        await withProxy(shared, async (store, proxy, place) => {
          proxy.commits = 'hold'
          expect(await rejection(stamped(store, 'never'))).toMatchObject(UNREACHABLE)
          proxy.commits = 'pass'
          const later = await stamped(store, 'later')
          expect(await store.settledStamp()).toBeLessThan(later)
          await place.raw(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
          )
          await until(async () => (await store.settledStamp()) === later)
          await store.bus.caughtUp()
          expect(await find(store, 'never')).toBeUndefined()
        })
      })

      test('is missed by no device of the next process if its own has ended', async () => {
        await withProxy(shared, async (store, proxy, place) => {
          proxy.commits = 'hold'
          expect(await rejection(stamped(store, 'late'))).toMatchObject(UNREACHABLE)
          proxy.commits = 'pass'
          await store.close()
          if (!shared) {
            // Started after the COMMIT, because the next process would serve rows that it had read before.
            let isOpen = false
            const opening = place.open().finally(() => (isOpen = true))
            const isWaiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%backend_xid IS NOT NULL%' AND pid <> pg_backend_pid()`
            await until(async () => (await place.raw(isWaiting)).length > 0)
            expect(isOpen).toBe(false)
            await proxy.deliver()
            const next = await opening
            const late = await find(next, 'late')
            expect(await next.settledStamp()).toBeGreaterThanOrEqual(late!.stamp)
            return
          }
          const next = await place.open({ shared })
          const heard = hear(next)
          const later = await stamped(next, 'later')
          const settled = await next.settledStamp()
          await proxy.deliver()
          await next.bus.caughtUp()
          expect((await find(next, 'late'))!.stamp).toBeGreaterThan(settled)
          expect(heard.events.length).toBe(2)
          expect(await next.settledStamp()).toBe(later)
        })
      })
    })
