/** Clean-ups in slices: they end between two slices, and the next run continues. */

import { expect, test } from 'bun:test'

import { count, lte } from 'drizzle-orm'

import type { ReadDb } from '#db/engine/write.ts'
import type { Runner } from '#db/query/builders.ts'
import { counters } from '#db/schema/settings.ts'
import { deleteSome, finishInSlices, inSlices, SLICE_ROWS } from '#db/slices.ts'
import type { Store, Tx } from '#db/store.ts'

import { onSqlite, withPlace } from './fresh.ts'
import { statementsOf } from './plans.ts'

/** `n` rows that have expired and one that has not. */
async function storeWith(store: Store, n: number): Promise<void> {
  const rows = Array.from({ length: n }, (_, i) => ({ key: `old ${i}`, count: 1, windowStart: 0, expiresAt: 1 + i }))
  await store.write('test.counters', async (tx) => {
    for (let i = 0; i < n; i += 1000) await tx.insert(counters).values(rows.slice(i, i + 1000))
    await tx.insert(counters).values({ key: 'new', count: 1, windowStart: 0, expiresAt: 1_000_000 })
  })
}

const left = async (store: Store): Promise<number> => (await store.read.select({ n: count() }).from(counters))[0]!.n

const deleteOld = (tx: Tx, limit: number) => deleteSome(tx, counters, lte(counters.expiresAt, 100_000), limit)

test('a clean-up ends between two slices when the server stops, and the next run does the rest', () =>
  withPlace(async (place) => {
    const store = await place.open()
    await storeWith(store, 3000)
    const lifecycle = { draining: true }
    await inSlices({ db: store, lifecycle }, 'test.clean', deleteOld)
    expect(await left(store)).toBe(3001)

    lifecycle.draining = false
    const stopAfterOne = async (tx: Tx, limit: number) => {
      tx.afterCommit(() => (lifecycle.draining = true))
      return deleteOld(tx, limit)
    }
    await inSlices({ db: store, lifecycle }, 'test.clean', stopAfterOne)
    expect(await left(store)).toBe(3001 - SLICE_ROWS)

    lifecycle.draining = false
    const limits: number[] = []
    await inSlices({ db: store, lifecycle }, 'test.clean', (tx, limit) => {
      limits.push(limit)
      return deleteOld(tx, limit)
    })
    expect(await left(store)).toBe(1)
    expect(Math.max(...limits)).toBeLessThanOrEqual(5000)
  }))

test('the row that names the work stays until all of it is done, also if a slice fails', () =>
  withPlace(async (place) => {
    const store = await place.open()
    await storeWith(store, 600)
    const ctx = { db: store, lifecycle: { draining: false } }
    let [isLeft, slices] = [true, 0]
    const rest = {
      first: async () => (isLeft ? { name: 'the rest' } : undefined),
      async work(tx: Tx, _: object, limit: number) {
        if (++slices === 2) throw new Error('the process was killed')
        return deleteOld(tx, limit)
      },
      async end(tx: Tx) {
        tx.afterCommit(() => (isLeft = false))
      },
    }
    await expect(finishInSlices(ctx, 'test.finish', rest)).rejects.toThrow('killed')
    expect(isLeft).toBe(true)
    expect(await left(store)).toBe(601 - SLICE_ROWS)
    await finishInSlices(ctx, 'test.finish', rest)
    expect([isLeft, await left(store)]).toEqual([false, 1])
  }))

test('of several clean-ups at once, one slice runs at a time', () =>
  withPlace(async (place) => {
    const store = await place.open()
    await storeWith(store, 2000)
    const ctx = { db: store, lifecycle: { draining: false } }
    let [running, most] = [0, 0]
    const clean = () =>
      inSlices(ctx, 'test.clean', async (tx, limit) => {
        most = Math.max(most, ++running)
        const rows = await deleteOld(tx, limit)
        running--
        return rows
      })
    await Promise.all([clean(), clean(), clean(), clean()])
    expect([most, await left(store)]).toEqual([1, 1])
  }))

test.if(!onSqlite)('PostgreSQL looks up the rows of a slice by their places', () =>
  withPlace(async (place) => {
    // As if the table were large.
    await place.raw(
      `do $$ begin execute format('alter database %I set enable_seqscan = off', current_database()); end $$`,
    )
    const store = await place.open()
    await storeWith(store, 100)
    await store.write('test.plan', async (tx) => {
      const [statement] = await statementsOf(tx, () => deleteOld(tx, 5000), 'delete from')
      const { runner } = tx as unknown as ReadDb
      const plan = (await (runner as Runner).rows(`explain ${statement![0]}`, statement![1])).map(String).join('\n')
      expect(plan).toContain('Tid Scan')
      expect(plan).not.toContain('Join')
    })
  }),
)
