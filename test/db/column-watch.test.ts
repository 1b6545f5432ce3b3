import { expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { announceWrites } from '#db/column-watch.ts'
import { counters, identities } from '#db/schema/index.ts'
import type { Store, Tx } from '#db/store.ts'
import { topic } from '#platform/bus.ts'

import { rejection, withStore } from './fresh.ts'

const changed = announceWrites(topic<'all'>('test.countersChanged'), { columns: [counters.count], inserts: [] })
const added = announceWrites(topic<'all'>('test.countersAdded'), { columns: [], inserts: [counters, identities] })

const counter = (key: string) => ({ key, count: 0, windowStart: 0, expiresAt: 0 })
const isA = eq(counters.key, 'a')

/** The topics that a write announces, in a store with one counter. */
const announced = async (store: Store, run: (tx: Tx) => Promise<unknown>): Promise<string[]> => {
  const heard: string[] = []
  store.bus.on(changed, () => heard.push('changed'))
  store.bus.on(added, () => heard.push('added'))
  await store.write('test', run).catch(() => undefined)
  return heard
}

const update = (tx: Tx, set: Partial<typeof counters.$inferInsert>) => tx.update(counters).set(set).where(isA)

for (const [name, run, expected] of [
  ['an update of a watched column', (tx) => update(tx, { count: 1 }), ['changed']],
  ['an update of two columns', (tx) => update(tx, { windowStart: 1, count: 1 }), ['changed']],
  ['an update of another column', (tx) => update(tx, { windowStart: 1 }), []],
  ['the deletion of a row', (tx) => tx.delete(counters).where(isA), ['changed']],
  ['a new row', (tx) => tx.insert(counters).values(counter('b')), ['added']],
  [
    'a new row that turns out to be an update',
    (tx) =>
      tx
        .insert(counters)
        .values(counter('a'))
        .onConflictDoUpdate({ target: counters.key, set: { count: sql`1` } }),
    ['added'],
  ],
  ['a read', (tx) => tx.select().from(counters).where(isA), []],
] satisfies [string, (tx: Tx) => Promise<unknown>, string[]][])
  test(`${name} announces ${expected.join() || 'nothing'}`, async () => {
    await withStore(async (store) => {
      await store.write('test', (tx) => tx.insert(counters).values(counter('a')))
      expect(await announced(store, run)).toEqual(expected)
    })
  })

test('a write announces a change once, however many statements make it, and not if it is rolled back', async () => {
  await withStore(async (store) => {
    await store.write('test', (tx) => tx.insert(counters).values(counter('a')))
    const twice = async (tx: Tx) => {
      await update(tx, { count: 1 })
      await update(tx, { count: 2 })
    }
    expect(await announced(store, twice)).toEqual(['changed'])
  })
  await withStore(async (store) => {
    const failing = async (tx: Tx) => {
      await update(tx, { count: 1 })
      throw new Error('on purpose')
    }
    expect(await announced(store, failing)).toEqual([])
    expect(await rejection(store.write('test', failing))).toHaveProperty('message', 'on purpose')
  })
})
