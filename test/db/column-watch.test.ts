import { expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { announceWrites } from '#db/column-watch.ts'
import { qrSlugs } from '#db/schema/index.ts'
import type { Store, Tx } from '#db/store.ts'
import { topic } from '#platform/bus.ts'

import { rejection, withStore } from './fresh.ts'

// Other tests may share the module: of this table, none of them looks at events.
const changed = announceWrites(topic<'all'>('test.slugsChanged'), { columns: [qrSlugs.isCustom], inserts: [] })
const added = announceWrites(topic<'all'>('test.slugsAdded'), { columns: [], inserts: [qrSlugs] })

const row = (slug: string) => ({ slug, userId: 1, createdAt: 1 })
const isA = eq(qrSlugs.slug, 'a')

/** The topics that a write announces, in a store with one short link. */
const announced = async (store: Store, run: (tx: Tx) => Promise<unknown>): Promise<string[]> => {
  const heard: string[] = []
  store.bus.on(changed, () => heard.push('changed'))
  store.bus.on(added, () => heard.push('added'))
  await store.write('test', run).catch(() => undefined)
  return heard
}

const update = (tx: Tx, set: Partial<typeof qrSlugs.$inferInsert>) => tx.update(qrSlugs).set(set).where(isA)

for (const [name, run, expected] of [
  ['an update of a watched column', (tx) => update(tx, { isCustom: true }), ['changed']],
  ['an update of two columns', (tx) => update(tx, { createdAt: 2, isCustom: true }), ['changed']],
  ['an update of another column', (tx) => update(tx, { createdAt: 2 }), []],
  ['the deletion of a row', (tx) => tx.delete(qrSlugs).where(isA), ['changed']],
  ['a new row', (tx) => tx.insert(qrSlugs).values(row('b')), ['added']],
  [
    'a new row that turns out to be an update',
    (tx) =>
      tx
        .insert(qrSlugs)
        .values(row('a'))
        .onConflictDoUpdate({ target: qrSlugs.slug, set: { isCustom: true } }),
    ['changed', 'added'],
  ],
  ['a read', (tx) => tx.select().from(qrSlugs).where(isA), []],
] satisfies [string, (tx: Tx) => Promise<unknown>, string[]][])
  test(`${name} announces ${expected.join() || 'nothing'}`, async () => {
    await withStore(async (store) => {
      await store.write('test', (tx) => tx.insert(qrSlugs).values(row('a')))
      expect(await announced(store, run)).toEqual(expected)
    })
  })

test('a write announces a change once, however many statements make it, and not if it is rolled back', async () => {
  await withStore(async (store) => {
    await store.write('test', (tx) => tx.insert(qrSlugs).values(row('a')))
    const twice = async (tx: Tx) => {
      await update(tx, { isCustom: true })
      await update(tx, { isCustom: false })
    }
    expect(await announced(store, twice)).toEqual(['changed'])
  })
  await withStore(async (store) => {
    const failing = async (tx: Tx) => {
      await update(tx, { isCustom: true })
      throw new Error('on purpose')
    }
    expect(await announced(store, failing)).toEqual([])
    expect(await rejection(store.write('test', failing))).toHaveProperty('message', 'on purpose')
  })
})
