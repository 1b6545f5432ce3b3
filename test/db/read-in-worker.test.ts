import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'

import { count, eq, sql } from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import { counters } from '#db/schema/index.ts'

import { rejection, withStore } from './fresh.ts'

const row = (key: string, n = 0) => ({ key, count: n, granted: 0, windowStart: 5, expiresAt: 6 })

test('readInWorker sees committed rows at once and returns the same shape as read', () =>
  withStore(async (store) => {
    for (let i = 0; i < 20; i++) {
      await store.write('test', (tx) => tx.insert(counters).values(row(`键 ${i}`, i)))
      const query = (db: typeof store.read) =>
        db
          .select()
          .from(counters)
          .where(eq(counters.key, `键 ${i}`))
      expect(await query(store.readInWorker)).toEqual([row(`键 ${i}`, i)])
      expect(await query(store.readInWorker)).toEqual(await query(store.read))
    }
    expect(await store.readInWorker.select({ n: count() }).from(counters)).toEqual([{ n: 20 }])
    expect(await store.readInWorker.select().from(counters).where(eq(counters.key, 'none'))).toEqual([])
  }))

test('each of many concurrent readInWorker queries gets its own rows', () =>
  withStore(async (store) => {
    await store.write('test', (tx) =>
      tx.insert(counters).values(Array.from({ length: 200 }, (_, i) => row(`k${i}`, i))),
    )
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        store.readInWorker
          .select()
          .from(counters)
          .where(eq(counters.key, `k${i}`)),
      ),
    )
    expect(answers.map(([found]) => found?.count)).toEqual(Array.from({ length: 200 }, (_, i) => i))
  }))

test('a readInWorker query with a wrong statement rejects, and the next query works', () =>
  withStore(async (store) => {
    const broken = store.readInWorker.select({ x: sql`no_such_function(1)` }).from(counters)
    await expect(Promise.resolve(broken)).rejects.toThrow(/no_such_function/)
    expect(await store.readInWorker.select().from(counters)).toEqual([])
  }))

if (dialect === 'sqlite') {
  test('closing the store answers pending readInWorker queries, and leaves no log file', () =>
    withStore(async (store, { dataDir }) => {
      await store.write('test', (tx) => tx.insert(counters).values(row('x')))
      // No message of the worker can arrive between these two lines.
      const pending = Promise.resolve(store.readInWorker.select().from(counters))
      const closing = store.close()
      expect(await pending).toHaveLength(1)
      await closing
      expect(readdirSync(dataDir)).toEqual(['tessera.db'])
    }))

  test('closing the store rejects readInWorker queries that do not end', () =>
    withStore(async (store) => {
      // It ends after some seconds, as a worker cannot be ended within a statement.
      const slow = sql<number>`(with recursive t(n) as (select 1 union all select n + 1 from t where n < 30000000) select count(*) from t)`
      await store.write('test', (tx) => tx.insert(counters).values(row('x')))
      const pending = Promise.resolve(store.readInWorker.select({ n: slow }).from(counters))
      const closing = store.close()
      expect(String(await rejection(pending))).toContain('the store is closed')
      await closing
    }))

  test('a slow readInWorker query does not block other reads', () =>
    withStore(async (store) => {
      await store.write('test', (tx) => tx.insert(counters).values(row('x')))
      let isOver = false
      const slow = Promise.resolve(
        store.readInWorker
          .select({
            n: sql<number>`(with recursive t(n) as (select 1 union all select n + 1 from t where n < 2000000) select count(*) from t)`,
          })
          .from(counters),
      ).finally(() => (isOver = true))
      let answered = 0
      while (!isOver) {
        expect(await store.read.select().from(counters)).toHaveLength(1)
        answered++
        await new Promise<void>((next) => setImmediate(next))
      }
      expect(await slow).toEqual([{ n: 2_000_000 }])
      // About 10,000 on an idle machine. On the event loop's own thread it would be 1: the query would be over before the second read.
      expect(answered).toBeGreaterThan(10)
    }))
}
