import { describe, expect, test } from 'bun:test'

import { and, count, desc, eq, isNull, max, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { categories, qrCodes, settings, users } from '#db/schema/index.ts'
import type { Store } from '#db/store.ts'

import { withStore } from './fresh.ts'

const { placeholder } = sql

const insertCode = prepared((db) =>
  db
    .insert(qrCodes)
    .values({
      uuid: placeholder('uuid'),
      userId: placeholder('userId'),
      name: placeholder('name'),
      content: 'https://example.com',
      contentType: 'URL',
      tags: placeholder('tags'),
      style: placeholder('style'),
      pinned: placeholder('pinned'),
      categoryId: placeholder('categoryId'),
      createdAt: placeholder('at'),
      updatedAt: placeholder('at'),
    })
    .returning(),
)
const codeById = prepared((db) =>
  db
    .select()
    .from(qrCodes)
    .where(eq(qrCodes.id, placeholder('id'))),
)
const idsOf = prepared((db) =>
  db
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(eq(qrCodes.userId, placeholder('userId')), isNull(qrCodes.deletedAt)))
    .orderBy(desc(qrCodes.id))
    .limit(placeholder('limit'))
    .offset(placeholder('offset')),
)
const pin = prepared((db) =>
  db
    .update(qrCodes)
    .set({ pinned: sql`${placeholder('pinned')}`, version: sql`${qrCodes.version} + 1` })
    .where(eq(qrCodes.id, placeholder('id')))
    .returning({ id: qrCodes.id, pinned: qrCodes.pinned, version: qrCodes.version }),
)
const remove = prepared((db) => db.delete(qrCodes).where(eq(qrCodes.id, placeholder('id'))))

const AT = 1_790_000_000_000

async function someone(store: Store): Promise<number> {
  const [row] = await store.write('test', async (tx) =>
    tx.insert(users).values({ nickname: 'Anna', createdAt: AT, updatedAt: AT }).returning({ id: users.id }),
  )
  return row!.id
}

const code = (userId: number, uuid: string, more: Record<string, unknown> = {}) => ({
  uuid,
  userId,
  name: `code ${uuid}`,
  tags: [],
  style: {},
  pinned: false,
  categoryId: null,
  at: AT,
  ...more,
})

describe('a prepared query', () => {
  test('gives what the builder gives: booleans, JSON, numbers beyond 2^31, NULL', async () => {
    await withStore(async (store) => {
      const userId = await someone(store)
      const given = code(userId, 'a', { tags: ['x', '中文', '"'], style: { fg: 'ff0000', margin: 2 }, pinned: true })
      const [made] = await store.write('test', (tx) => insertCode(tx, given))
      expect(made).toMatchObject({
        tags: ['x', '中文', '"'],
        style: { fg: 'ff0000', margin: 2 },
        pinned: true,
        isPublic: false,
        categoryId: null,
        deletedAt: null,
        remark: '',
        createdAt: AT,
      })
      const built = await store.read.select().from(qrCodes).where(eq(qrCodes.id, made!.id))
      expect(await codeById(store.read, { id: made!.id })).toEqual(built)
      expect(built).toEqual([made!])
    })
  })

  test('runs with other values each time, in reads and in writes', async () => {
    await withStore(async (store) => {
      const userId = await someone(store)
      const ids = await store.write('test', async (tx) => {
        const made: number[] = []
        for (const uuid of ['a', 'b', 'c']) made.push((await insertCode(tx, code(userId, uuid)))[0]!.id)
        // A write sees its own rows, readers do not yet.
        expect(await idsOf(tx, { userId, limit: 10, offset: 0 })).toHaveLength(3)
        expect(await idsOf(store.read, { userId, limit: 10, offset: 0 })).toEqual([])
        return made
      })
      expect(await idsOf(store.read, { userId, limit: 2, offset: 1 })).toEqual([{ id: ids[1]! }, { id: ids[0]! }])
      expect(await idsOf(store.read, { userId: userId + 1, limit: 2, offset: 0 })).toEqual([])
    })
  })

  test('updates and deletes, and says nothing where nothing is returned', async () => {
    await withStore(async (store) => {
      const userId = await someone(store)
      const [made] = await store.write('test', (tx) => insertCode(tx, code(userId, 'a')))
      const id = made!.id
      expect(await store.write('test', (tx) => pin(tx, { id, pinned: true }))).toEqual([
        { id, pinned: true, version: 2 },
      ])
      expect(await store.write('test', (tx) => pin(tx, { id: id + 1, pinned: true }))).toEqual([])
      expect(await store.write('test', (tx) => remove(tx, { id }))).toEqual([])
      expect(await codeById(store.read, { id })).toEqual([])
    })
  })

  test('maps joins: the missing side is null', async () => {
    await withStore(async (store) => {
      const userId = await someone(store)
      const joined = prepared((db) =>
        db
          .select()
          .from(qrCodes)
          .leftJoin(categories, eq(categories.id, qrCodes.categoryId))
          .where(eq(qrCodes.userId, placeholder('userId')))
          .orderBy(qrCodes.id),
      )
      await store.write('test', async (tx) => {
        const [category] = await tx
          .insert(categories)
          .values({ userId, name: 'work', createdAt: AT, updatedAt: AT })
          .returning()
        await insertCode(tx, code(userId, 'a', { categoryId: category!.id }))
        await insertCode(tx, code(userId, 'b'))
      })
      const rows = await joined(store.read, { userId })
      expect(rows.map((row) => [row.qr_codes.uuid, row.categories?.name])).toEqual([
        ['a', 'work'],
        ['b', undefined],
      ])
      expect(rows[0]!.categories!.pinned).toBe(false)
      expect(rows[1]!.categories).toBeNull()
    })
  })

  test('rejects, and changes nothing, when a value is missing', async () => {
    await withStore(async (store) => {
      await expect(codeById(store.read, {})).rejects.toThrow('no value for the placeholder "id"')
      await expect(idsOf(store.read, { userId: 1, limit: 1 })).rejects.toThrow('"offset"')
    })
  })

  test('rejects in a write that is over', async () => {
    await withStore(async (store) => {
      const tx = await store.write('test', async (inner) => inner)
      await expect(codeById(tx, { id: 1 })).rejects.toThrow('this tx is over')
    })
  })
})

test('JSON values come back as they went in, whatever they look like', async () => {
  await withStore(async (store) => {
    const values = ['123', 'null', '"', '{"a":1}', '', 0, -1.5, true, [], {}, { b: 1, a: [null, 'x'] }, '中文 🎉']
    await store.write('test', async (tx) => {
      for (const [i, value] of values.entries())
        await tx.insert(settings).values({ key: String(i).padStart(2, '0'), value, updatedAt: AT })
    })
    const rows = await store.read.select({ value: settings.value }).from(settings).orderBy(settings.key)
    expect(rows.map(({ value }) => value)).toEqual(values)
    // Also with the order of the keys.
    expect(JSON.stringify(rows[10]!.value)).toBe('{"b":1,"a":[null,"x"]}')
  })
})

test('aggregates are numbers', async () => {
  await withStore(async (store) => {
    const userId = await someone(store)
    await store.write('test', (tx) => insertCode(tx, code(userId, 'a')))
    const [row] = await store.read.select({ n: count(), last: max(qrCodes.createdAt) }).from(qrCodes)
    expect(row).toEqual({ n: 1, last: AT })
  })
})

test('a query made anew each time gives the same, also with thousands of different texts', async () => {
  await withStore(async (store) => {
    const userId = await someone(store)
    await store.write('test', (tx) => insertCode(tx, code(userId, 'a')))
    for (let i = 0; i < 1200; i++) {
      const rows = await store.read
        .select({ uuid: qrCodes.uuid })
        .from(qrCodes)
        .where(sql`${qrCodes.userId} = ${userId} and ${sql.raw(String(i))} >= 0`)
      if (rows[0]?.uuid !== 'a') throw new Error(`text ${i} gave ${JSON.stringify(rows)}`)
    }
  })
}, 60_000)
