/** The address of the database leads to a standby that has taken the place of the primary, or to one that has not. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { STAMP_GAP } from '#db/engine/stamps.ts'
import { serverState } from '#db/schema/index.ts'
import type { Store } from '#db/store.ts'

import { until } from '../harness/index.ts'
import { type PostgresProxy, startPostgresProxy } from '../harness/postgres-proxy.ts'
import { onPostgres } from '../ops/cli.ts'
import { onSqlite, type Place, withTwo } from './fresh.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { hear, published, publisher } from './sharing.ts'

const isStandby = async (store: Store) =>
  (await store.read.select({ at: sql<boolean>`pg_is_in_recovery()` }).from(sql`(VALUES (1)) AS one`))[0]!.at

const gapsIn = async (store: Store) => {
  const rows = await store.read.select().from(serverState)
  return rows.filter(({ key }) => key.startsWith(STAMP_GAP))
}

if (!onSqlite && onPostgres)
  describe('with a synchronous standby', () => {
    let primary: PostgresServer | undefined
    let standby: PostgresServer | undefined
    let proxy: PostgresProxy | undefined
    beforeAll(async () => {
      primary = await startPostgres()
      standby = primary && (await startPostgres({ primary }))
      await primary?.run(`ALTER SYSTEM SET synchronous_standby_names = '*'`, 'SELECT pg_reload_conf()')
      proxy = primary && (await startPostgresProxy(primary.databaseUrl))
    })
    afterAll(async () => {
      await proxy?.stop()
      await standby?.remove()
      await primary?.remove()
    })

    const withStores = (use: (a: Store, b: Store, place: Place) => Promise<void>) =>
      withTwo(use, undefined, proxy!.databaseUrl)

    test('an address that leads to a standby counts as away, and nothing reads from there afterwards', async () => {
      if (proxy === undefined) return
      await withStores(async (a, b) => {
        const writers = [publisher(a, 0), publisher(b, 100_000)]
        await until(() => writers.every(({ written }) => written.length > 20))
        proxy!.leadTo(standby!.databaseUrl)
        proxy!.breakAll()
        // Health checks read without asking whether others have written.
        for (const store of [a, b]) await until(async () => isStandby(store).catch(() => false))
        await until(() => writers.every(({ refused }) => refused.size > 0))
        expect(
          await a.bus.caughtUp()?.then(
            () => 'caught up',
            ({ kind }) => kind,
          ),
        ).toBe('unreachable')
        const before = writers.map(({ written }) => written.length)
        // The connections to the standby stay open.
        proxy!.leadTo(primary!.databaseUrl)
        await until(() => writers.every(({ written }, i) => written.length > before[i]! + 20))
        for (const store of [a, b]) {
          await until(async () =>
            store.bus.caughtUp()!.then(
              () => true,
              () => false,
            ),
          )
          const at = await Promise.all(Array.from({ length: 40 }, () => isStandby(store)))
          expect(new Set(at)).toEqual(new Set([false]))
        }
        await Promise.all(writers.map(({ stop }) => stop()))
        for (const { refused } of writers) expect([...refused]).toEqual(['StorageError unreachable'])
      })
    })

    test('no confirmed write is missing after the primary was killed and the standby promoted', async () => {
      if (proxy === undefined) return
      await withStores(async (a, b, place) => {
        const [atA, atB] = [hear(a), hear(b)]
        const writers = [0, 1, 2, 3].map((i) => publisher(i % 2 === 0 ? a : b, (i + 10) * 100_000))
        await until(() => writers.every(({ written }) => written.length > 50))
        await primary!.kill()
        const before = writers.map(({ written }) => written.length)
        await standby!.promote()
        proxy!.leadTo(standby!.databaseUrl)
        await until(() => writers.every(({ written }, i) => written.length > before[i]! + 50))
        await Promise.all(writers.map(({ stop }) => stop()))
        const rows = new Set(await published(place))
        for (const { written } of writers) expect(written.filter((n) => !rows.has(n))).toEqual([])
        for (const { refused } of writers) expect([...refused]).toEqual(['StorageError unreachable'])
        expect(Math.min(atA.gaps, atB.gaps)).toBeGreaterThan(0)
        // The stamps that no write can have got are noted, once for all that were lost.
        for (const { key, value } of await gapsIn(a))
          expect(Number(key.slice(STAMP_GAP.length))).toBeLessThan(Number(value))
      })
    })
  })
