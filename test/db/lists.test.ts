/** The lists with maps against the plain way, under random writes. */

import { describe, expect, test } from 'bun:test'

import { and, asc, count, desc, eq, isNull, sql } from 'drizzle-orm'

import { ListMap } from '#db/list-map.ts'
import { longList } from '#db/lists.ts'
import { qrCodes, scanRecords, users } from '#db/schema/index.ts'
import type { Store, Tx } from '#db/store.ts'

import { onSqlite, withStore } from './fresh.ts'

const codes = longList({
  table: qrCodes,
  owner: ['userId'],
  scope: and(eq(qrCodes.userId, sql.placeholder('userId')), eq(qrCodes.orgId, 0), isNull(qrCodes.deletedAt))!,
  pinned: qrCodes.pinned,
  by: { sortOrder: qrCodes.sortOrder, createdAt: qrCodes.createdAt, id: qrCodes.id },
  rows: (db, { where, orderBy, limit, offset }) =>
    db
      .select({ id: qrCodes.id })
      .from(qrCodes)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit)
      .offset(offset),
})

const scans = longList({
  table: scanRecords,
  owner: ['userId'],
  scope: eq(scanRecords.userId, sql.placeholder('userId')),
  by: { scannedAt: scanRecords.scannedAt, id: scanRecords.id },
  descending: true,
  rows: (db, { where, orderBy, limit, offset }) =>
    db
      .select({ id: scanRecords.id })
      .from(scanRecords)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit)
      .offset(offset),
})

/** Random numbers that a failure can be repeated with (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

async function addUsers(store: Store, many: number): Promise<void> {
  await store.write('test', async (tx) => {
    for (let i = 0; i < many; i++) await tx.insert(users).values({ nickname: `u${i}`, createdAt: 1, updatedAt: 1 })
  })
}

type Code = typeof qrCodes.$inferSelect
let made = 0
async function addCodes(
  tx: Tx,
  userId: number,
  rows: { pinned: boolean; sortOrder: number; createdAt: number }[],
): Promise<void> {
  const values = rows.map((row) => ({
    ...row,
    uuid: `uuid ${made++}`,
    userId,
    name: 'x',
    content: 'x',
    contentType: 'TEXT',
    tags: [],
    style: {},
    updatedAt: 1,
  }))
  for (const row of await tx.insert(qrCodes).values(values).returning()) codes.inserted(tx, { userId }, row)
}

async function removeCode(tx: Tx, id: number): Promise<void> {
  const [row] = await tx
    .update(qrCodes)
    .set({ deletedAt: 1 })
    .where(and(eq(qrCodes.id, id), isNull(qrCodes.deletedAt)))
    .returning()
  if (row) codes.removed(tx, { userId: row.userId }, row)
}

async function moveCode(tx: Tx, id: number, change: Partial<Code>): Promise<void> {
  const [before] = await tx.select().from(qrCodes).where(eq(qrCodes.id, id))
  if (before === undefined || before.deletedAt !== null) return
  const [after] = await tx.update(qrCodes).set(change).where(eq(qrCodes.id, id)).returning()
  codes.removed(tx, { userId: before.userId }, before)
  codes.inserted(tx, { userId: before.userId }, after!)
}

async function plainCodes(store: Store, userId: number): Promise<number[]> {
  const rows = await store.read
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(eq(qrCodes.userId, userId), isNull(qrCodes.deletedAt)))
    .orderBy(desc(qrCodes.pinned), asc(qrCodes.sortOrder), asc(qrCodes.createdAt), asc(qrCodes.id))
  return rows.map(({ id }) => id)
}

async function expectSamePages(store: Store, userId: number, random: (below: number) => number): Promise<void> {
  const all = await plainCodes(store, userId)
  const size = 1 + random(40)
  const last = Math.ceil(all.length / size)
  for (const page of new Set([1, last, last + 1, ...Array.from({ length: 4 }, () => 1 + random(last + 1))])) {
    if (page < 1) continue
    const found = await codes.page(store.read, { userId }, { page, size })
    expect({ page, size, total: found.total, ids: found.items.map(({ id }) => id) }).toEqual({
      page,
      size,
      total: all.length,
      ids: all.slice((page - 1) * size, page * size),
    })
  }
}

describe('a long list', () => {
  test('has the pages and totals of the plain way after any writes', async () => {
    await withStore(async (store) => {
      const seed = Date.now() % 1_000_000
      const random = randomFrom(seed)
      console.log(`lists: seed ${seed}`)
      await addUsers(store, 3)
      const rows = (n: number) =>
        Array.from({ length: n }, () => ({ pinned: random(10) === 0, sortOrder: random(3), createdAt: random(1000) }))
      // Sizes on both sides of a stretch of the map.
      await store.write('test', async (tx) => addCodes(tx, 1, rows(1800)))
      await store.write('test', async (tx) => addCodes(tx, 2, rows(240)))
      for (let round = 0; round < (onSqlite ? 60 : 6); round++) {
        const userId = 1 + random(3)
        const ids = await plainCodes(store, userId)
        const some = () => ids[random(Math.max(1, ids.length))] ?? 0
        const kind = random(7)
        await store.write('test', async (tx) => {
          if (kind === 0) await addCodes(tx, userId, rows(1 + random(5)))
          else if (kind === 1) await addCodes(tx, userId, rows(random(12) === 0 ? 900 : 30))
          else if (kind === 2) for (let i = random(60); i >= 0; i--) await removeCode(tx, some())
          else if (kind === 3) await moveCode(tx, some(), { pinned: random(2) === 0 })
          else if (kind === 4) for (let i = 0; i < 20; i++) await moveCode(tx, some(), { sortOrder: random(4) })
          else if (kind === 5) {
            // Everything from one place on goes: stretches become empty.
            for (const id of ids.slice(random(Math.max(1, ids.length))).slice(0, 400)) await removeCode(tx, id)
          } else {
            await tx
              .update(qrCodes)
              .set({ sortOrder: random(4) })
              .where(eq(qrCodes.userId, userId))
            codes.forget(tx, { userId })
          }
        })
        await expectSamePages(store, userId, random)
      }
    })
  }, 120_000)

  test('stays right while rows come and go during its first reading', async () => {
    await withStore(async (store) => {
      const random = randomFrom(7)
      await addUsers(store, 1)
      const rows = (n: number) =>
        Array.from({ length: n }, () => ({ pinned: random(4) === 0, sortOrder: random(50), createdAt: random(1e6) }))
      await store.write('test', async (tx) => {
        for (let i = 0; i < 10; i++) await addCodes(tx, 1, rows(2000))
      })
      const ids = await plainCodes(store, 1)
      for (let round = 0; round < 3; round++) {
        await store.write('test', async (tx) => codes.forget(tx, { userId: 1 }))
        // The map is being made while these commit.
        const pages = Array.from({ length: 5 }, () =>
          codes.page(store.read, { userId: 1 }, { page: 1 + random(700), size: 20 }),
        )
        const writes = Array.from({ length: 40 }, () =>
          store.write('test', async (tx) => {
            await addCodes(tx, 1, rows(3))
            await removeCode(tx, ids[random(ids.length)]!)
            await moveCode(tx, ids[random(ids.length)]!, { pinned: random(2) === 0, sortOrder: random(50) })
          }),
        )
        await Promise.all([...pages, ...writes])
        await expectSamePages(store, 1, random)
      }
    })
  }, 120_000)

  test('knows nothing of a write that was undone', async () => {
    await withStore(async (store) => {
      await addUsers(store, 1)
      const row = { pinned: false, sortOrder: 0, createdAt: 1 }
      await store.write('test', async (tx) => addCodes(tx, 1, [row, row, row]))
      const total = async () => (await codes.page(store.read, { userId: 1 }, { page: 1, size: 2 })).total
      expect(await total()).toBe(3)
      const undone = store.write('test', async (tx) => {
        await addCodes(tx, 1, [row, row])
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      expect(await total()).toBe(3)
    })
  })

  test('newest first, each owner for themselves', async () => {
    await withStore(async (store) => {
      await addUsers(store, 2)
      const random = randomFrom(3)
      const add = (userId: number, n: number) =>
        store.write('test', async (tx) => {
          const values = Array.from({ length: n }, () => ({
            userId,
            content: 'x',
            contentType: 'TEXT',
            source: 'CAMERA' as const,
            scannedAt: random(500),
            createdAt: 1,
            updatedAt: 1,
          }))
          for (const row of await tx.insert(scanRecords).values(values).returning()) scans.inserted(tx, { userId }, row)
        })
      await add(1, 1100)
      await add(2, 7)
      for (let round = 0; round < 8; round++) {
        await add(1, 1 + random(400))
        for (const userId of [1, 2]) {
          const all = await store.read
            .select({ id: scanRecords.id })
            .from(scanRecords)
            .where(eq(scanRecords.userId, userId))
            .orderBy(desc(scanRecords.scannedAt), desc(scanRecords.id))
          const page = 1 + random(Math.ceil(all.length / 30))
          const found = await scans.page(store.read, { userId }, { page, size: 30 })
          expect(found).toEqual({ items: all.slice((page - 1) * 30, page * 30), total: all.length, page, size: 30 })
        }
      }
    })
  }, 60_000)

  test('sees the rows of a running write when it is given its tx', async () => {
    await withStore(async (store) => {
      await addUsers(store, 1)
      await store.write('test', async (tx) => {
        await addCodes(tx, 1, [{ pinned: false, sortOrder: 0, createdAt: 1 }])
        expect((await codes.page(tx, { userId: 1 }, { page: 1, size: 5 })).total).toBe(1)
        expect((await codes.page(store.read, { userId: 1 }, { page: 1, size: 5 })).total).toBe(0)
      })
      expect((await codes.page(store.read, { userId: 1 }, { page: 1, size: 5 })).total).toBe(1)
    })
  })

  if (onSqlite)
    test('mends itself when a writer forgot to tell it', async () => {
      await withStore(async (store, place) => {
        await addUsers(store, 1)
        const row = { pinned: false, sortOrder: 0, createdAt: 1 }
        await store.write('test', async (tx) => addCodes(tx, 1, [row, row, row]))
        const page = async () => codes.page(store.read, { userId: 1 }, { page: 1, size: 5 })
        expect((await page()).total).toBe(3)
        /** By another connection: reads of this turn keep the snapshot they began with. */
        const elsewhere = async (statement: string) => {
          await place.raw(statement)
          await new Promise((next) => setImmediate(next))
        }
        await elsewhere('DELETE FROM qr_codes WHERE id = 2')
        expect(await page()).toMatchObject({ total: 2, items: [{ id: 1 }, { id: 3 }] })
        // Nor is a row missed that came without a word.
        await elsewhere('UPDATE qr_codes SET deleted_at = 1 WHERE id = 1')
        expect((await page()).total).toBe(1)
        await elsewhere('UPDATE qr_codes SET deleted_at = NULL, sort_order = 9 WHERE id = 1')
        expect(await page()).toMatchObject({ total: 2, items: [{ id: 3 }, { id: 1 }] })
        await store.write('test', async (tx) => codes.forget(tx, { userId: 1 }))
        expect(await page()).toMatchObject({ total: 2, items: [{ id: 3 }, { id: 1 }] })
      })
    })
})

describe('the map of a list', () => {
  /** A list of keys, read into a map in steps, and changed; against an array. */
  function model(pins: boolean, descending: boolean, random: (below: number) => number) {
    const rows: { pinned: boolean; key: number[] }[] = []
    const row = () => ({ pinned: pins && random(3) === 0, key: [random(5), random(200)] })
    const sorted = () =>
      rows.toSorted((a, b) => {
        if (a.pinned !== b.pinned) return a.pinned ? -1 : 1
        const difference = a.key[0]! - b.key[0]! || a.key[1]! - b.key[1]!
        return descending ? -difference : difference
      })
    const taken = (candidate: { key: number[] }) => rows.some(({ key }) => key.join() === candidate.key.join())
    return { rows, row, sorted, taken }
  }

  test.each([
    [true, false],
    [false, false],
    [false, true],
  ])('finds every row (pins %p, descending %p)', (pins, descending) => {
    const random = randomFrom(pins ? 11 : descending ? 12 : 13)
    const STEP = 10
    for (let round = 0; round < 30; round++) {
      const { rows, row, sorted, taken } = model(pins, descending, random)
      for (let i = random(80); i > 0; i--) {
        const candidate = row()
        if (!taken(candidate)) rows.push(candidate)
      }
      const map = new ListMap(pins, 2, descending)
      const change = () => {
        const candidate = row()
        if (random(2) === 0 && !taken(candidate)) {
          rows.push(candidate)
          map.change(candidate, 1)
        } else if (rows.length > 0) {
          const [gone] = rows.splice(random(rows.length), 1)
          map.change(gone!, -1)
        }
      }
      while (!map.complete) {
        const { pinned, key } = map.frontier
        const group = sorted().filter((r) => r.pinned === pinned)
        const isBefore = (a: number[], b: number[]) => (a[0]! - b[0]! || a[1]! - b[1]!) * (descending ? -1 : 1) < 0
        const rest = group.filter((r) => !isBefore(r.key, [...key]))
        if (rest.length > STEP) map.extend(rest[STEP]!.key, STEP)
        else map.closeGroup(rest.length)
        if (random(2) === 0) change()
      }
      for (let i = 0; i < 60; i++) {
        change()
        const all = sorted()
        expect(map.total).toBe(all.length)
        const offset = random(all.length + 5)
        const size = 1 + random(15)
        const found = map.pieces(offset, size).flatMap(({ place, skip, take }) => {
          const group = all.filter((r) => r.pinned === place.pinned)
          const from = group.findIndex((r) => {
            const difference = r.key[0]! - place.key[0]! || r.key[1]! - place.key[1]!
            return descending ? difference <= 0 : difference >= 0
          })
          const part = from < 0 ? [] : group.slice(from + skip, from + skip + take)
          expect(part).toHaveLength(take)
          return part
        })
        expect(found).toEqual(all.slice(offset, offset + size))
      }
    }
  })
})

test('plain pages of a filtered list have the same shape', async () => {
  const { plainPage, mapPage } = await import('#db/paging.ts')
  await withStore(async (store) => {
    await addUsers(store, 5)
    const page = await plainPage(
      { page: 2, size: 2 },
      (limit, offset) => store.read.select({ id: users.id }).from(users).orderBy(users.id).limit(limit).offset(offset),
      () => store.read.select({ n: count() }).from(users),
    )
    expect(mapPage(page, ({ id }) => `user ${id}`)).toEqual({ items: ['user 3', 'user 4'], total: 5, page: 2, size: 2 })
  })
})
