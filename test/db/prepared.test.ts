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

describe('prepared', () => {
  test('a prepared query returns the same as its builder: booleans, JSON, numbers above 2^31, NULL', async () => {
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

  test('a prepared query takes other values at each run, in reads and in writes', async () => {
    await withStore(async (store) => {
      const userId = await someone(store)
      const ids = await store.write('test', async (tx) => {
        const made: number[] = []
        for (const uuid of ['a', 'b', 'c']) made.push((await insertCode(tx, code(userId, uuid)))[0]!.id)
        // The write sees its own rows; readers do not see them yet.
        expect(await idsOf(tx, { userId, limit: 10, offset: 0 })).toHaveLength(3)
        expect(await idsOf(store.read, { userId, limit: 10, offset: 0 })).toEqual([])
        return made
      })
      expect(await idsOf(store.read, { userId, limit: 2, offset: 1 })).toEqual([{ id: ids[1]! }, { id: ids[0]! }])
      expect(await idsOf(store.read, { userId: userId + 1, limit: 2, offset: 0 })).toEqual([])
    })
  })

  test('a prepared update or delete returns the rows of RETURNING, and none without it', async () => {
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

  test('a prepared join has null for a table without a row', async () => {
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

  test('a prepared query rejects when the value of a placeholder is missing', async () => {
    await withStore(async (store) => {
      await expect(codeById(store.read, {})).rejects.toThrow('no value for the placeholder "id"')
      await expect(idsOf(store.read, { userId: 1, limit: 1 })).rejects.toThrow('"offset"')
    })
  })

  test('a prepared query rejects on the tx of a write that has ended', async () => {
    await withStore(async (store) => {
      const tx = await store.write('test', async (inner) => inner)
      await expect(codeById(tx, { id: 1 })).rejects.toThrow('this tx has ended')
    })
  })
})

test('JSON values are read back exactly as they were written', async () => {
  await withStore(async (store) => {
    const values = ['123', 'null', '"', '{"a":1}', '', 0, -1.5, true, [], {}, { b: 1, a: [null, 'x'] }, '中文 🎉']
    await store.write('test', async (tx) => {
      for (const [i, value] of values.entries())
        await tx.insert(settings).values({ key: String(i).padStart(2, '0'), value, updatedAt: AT })
    })
    const rows = await store.read.select({ value: settings.value }).from(settings).orderBy(settings.key)
    expect(rows.map(({ value }) => value)).toEqual(values)
    // The order of the keys is kept, too.
    expect(JSON.stringify(rows[10]!.value)).toBe('{"b":1,"a":[null,"x"]}')
  })
})

test('count() and max() return numbers', async () => {
  await withStore(async (store) => {
    const userId = await someone(store)
    await store.write('test', (tx) => insertCode(tx, code(userId, 'a')))
    const [row] = await store.read.select({ n: count(), last: max(qrCodes.createdAt) }).from(qrCodes)
    expect(row).toEqual({ n: 1, last: AT })
  })
})

test('thousands of different statements return correct rows, although only some of them are kept compiled', async () => {
  await withStore(async (store) => {
    const userId = await someone(store)
    await store.write('test', (tx) => insertCode(tx, code(userId, 'a')))
    for (let i = 0; i < 1200; i++) {
      const rows = await store.read
        .select({ uuid: qrCodes.uuid })
        .from(qrCodes)
        .where(sql`${qrCodes.userId} = ${userId} and ${sql.raw(String(i))} >= 0`)
      if (rows[0]?.uuid !== 'a') throw new Error(`statement ${i} returned ${JSON.stringify(rows)}`)
    }
  })
})
