/** Writes of many requests that one write does together. */

import { expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { isUniqueViolation } from '#db/errors.ts'
import { type Gathered, GatheredWrites } from '#db/gathered-writes.ts'
import { counters } from '#db/schema/index.ts'
import type { Tx } from '#db/store.ts'

import { withPlace } from './fresh.ts'

test('64 inputs at once, of which one is refused, one is not unique and one takes too long: each of these fails alone', async () => {
  await withPlace(async (place) => {
    const store = await place.open({ limits: { slowMs: 50, stuckMs: 2000, groupMs: 4 } })
    const row = (key: string) => ({ key, count: 1, windowStart: 0, expiresAt: 0 })
    await store.write('test', async (tx) => void (await tx.insert(counters).values(row('taken'))))
    const sizes: number[] = []
    const run = async (tx: Tx, list: readonly number[]): Promise<Gathered<string>[]> => {
      sizes.push(list.length)
      const keys = list.map((i) => (i === 20 ? 'taken' : `k${i}`))
      const rows = keys.filter((_, at) => list[at] !== 10).map(row)
      if (rows.length > 0) await tx.insert(counters).values(rows)
      if (list.includes(30)) await new Promise(() => {})
      return list.map((i, at) => (i === 10 ? { error: new Error('over quota') } : { value: keys[at]! }))
    }
    const gathered = new GatheredWrites(store, 'test.gathered', run, {})
    const outcomes = await Promise.allSettled(Array.from({ length: 64 }, (_, i) => gathered.add(i)))
    expect(Math.max(...sizes)).toBeGreaterThan(8)
    const errors = outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error) : undefined))
    expect(errors.flatMap((error, i) => (error ? [i] : []))).toEqual([10, 20, 30])
    expect(errors[10]!.message).toBe('over quota')
    expect(isUniqueViolation(errors[20])).toBe(true)
    expect(errors[30]!.message).toContain('took longer')
    expect(await store.read.select().from(counters)).toHaveLength(62)
    expect(await store.read.select().from(counters).where(eq(counters.key, 'k30'))).toEqual([])
  })
})

test('an input that is to come later is tried again after the others, in the same order', async () => {
  await withPlace(async (place) => {
    const store = await place.open()
    const groups: (readonly number[])[] = []
    const run = async (_: Tx, list: readonly number[]): Promise<Gathered<number>[]> => {
      groups.push(list)
      return list.map((i, at) => (at > 0 && i % 2 === 1 ? 'later' : { value: i }))
    }
    const gathered = new GatheredWrites(store, 'test.gathered', run, {})
    expect(await Promise.all([2, 4, 5, 6, 7].map((i) => gathered.add(i)))).toEqual([2, 4, 5, 6, 7])
    expect(groups).toEqual([[2, 4, 5, 6, 7], [5, 7], [7]])
  })
})
