/** Reads aside of the event loop give what the others give. */

import { expect, test } from 'bun:test'

import { count, eq, sql } from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import { counters } from '#db/schema/index.ts'

import { withStore } from './fresh.ts'

const row = (key: string, n = 0) => ({ key, count: n, windowStart: 5, expiresAt: 6 })

test('what was committed is seen at once, in the same shape', () =>
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

test('many questions at once each get their own answer', () =>
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

test('a statement that fails rejects, and the next one works', () =>
  withStore(async (store) => {
    const broken = store.readInWorker.select({ x: sql`no_such_function(1)` }).from(counters)
    await expect(Promise.resolve(broken)).rejects.toThrow(/no_such_function/)
    expect(await store.readInWorker.select().from(counters)).toEqual([])
  }))

test('closing the store ends what is under way', () =>
  withStore(async (store) => {
    if (dialect !== 'sqlite') return
    const long = Promise.resolve(
      store.readInWorker
        .select({
          n: sql`(with recursive t(n) as (select 1 union all select n + 1 from t where n < 5000000) select count(*) from t)`,
        })
        .from(counters),
    ).catch((error: unknown) => String(error))
    await store.write('test', (tx) => tx.insert(counters).values(row('x')))
    const started = performance.now()
    await store.close()
    expect(performance.now() - started).toBeLessThan(3000)
    expect(await long).toContain('closed')
  }))

test('a long question does not hold up the others', () =>
  withStore(async (store) => {
    if (dialect !== 'sqlite') return
    await store.write('test', (tx) => tx.insert(counters).values(row('x')))
    let isOver = false
    const long = Promise.resolve(
      store.readInWorker
        .select({
          n: sql<number>`(with recursive t(n) as (select 1 union all select n + 1 from t where n < 2000000) select count(*) from t)`,
        })
        .from(counters),
    ).then((rows) => {
      isOver = true
      return rows
    })
    let answered = 0
    while (!isOver) {
      expect(await store.read.select().from(counters)).toHaveLength(1)
      answered++
      await new Promise<void>((go) => setImmediate(go))
    }
    expect(await long).toEqual([{ n: 2_000_000 }])
    expect(answered).toBeGreaterThan(100)
  }))
