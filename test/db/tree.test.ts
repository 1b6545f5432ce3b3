/** The tree helper on the table of categories, against a plain model. A failure names its seed: `SEED=<n> bun test test/db/tree.test.ts`. */

import { expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { assetCategories, categories, users } from '#db/schema/index.ts'
import type { Store, Tx } from '#db/store.ts'
import { treeIn } from '#db/tree.ts'

import { onSqlite, withStore } from './fresh.ts'

const MAX_DEPTH = 4
const tree = treeIn(categories, { owner: categories.userId, maxDepth: MAX_DEPTH })

const seed = Number(process.env['SEED'] ?? 20_260_301)

/** Mulberry32. */
function randomFrom(start: number): (below: number) => number {
  let state = start
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

async function addUser(store: Store): Promise<number> {
  return store.write('test', async (tx) => {
    const [row] = await tx.insert(users).values({ nickname: 'u', createdAt: 1, updatedAt: 1 }).returning()
    return row!.id
  })
}

const insert = (store: Store, userId: number, parentId: number | null): Promise<number> =>
  store.write('test', async (tx) => {
    const [row] = await tx
      .insert(categories)
      .values({ userId, name: 'c', parentId, createdAt: tx.stamp, updatedAt: tx.stamp })
      .returning()
    return row!.id
  })

/** The same answers by walking a map from id to parent. */
class Model {
  readonly parents = new Map<number, number | null>()

  path(id: number | null): number[] {
    const ids: number[] = []
    for (let at = id; at !== null; at = this.parents.get(at)!) ids.push(at)
    return ids
  }

  branch(id: number): number[] {
    return [...this.parents.keys()].filter((other) => this.path(other).includes(id))
  }

  problem(id: number | undefined, parentId: number | null): string | undefined {
    if (id !== undefined && !this.parents.has(id)) return 'NODE_NOT_FOUND'
    if (parentId !== null && !this.parents.has(parentId)) return 'PARENT_NOT_FOUND'
    const parentPath = this.path(parentId)
    if (id !== undefined && parentPath.includes(id)) return 'INSIDE_ITSELF'
    const above = id === undefined ? 0 : this.path(id).length - 1
    const levels = id === undefined ? [1] : this.branch(id).map((other) => this.path(other).length - above)
    return parentPath.length + Math.max(...levels) > MAX_DEPTH ? 'TOO_DEEP' : undefined
  }
}

test(`400 random inserts and moves of two owners keep trees as the model says (SEED=${seed})`, async () => {
  const random = randomFrom(seed)
  await withStore(async (store) => {
    const owners = [
      { id: await addUser(store), model: new Model() },
      { id: await addUser(store), model: new Model() },
    ]
    const seen = new Set<string>()
    for (let step = 0; step < 400; step++) {
      const { id: ownerId, model } = owners[random(2)]!
      // Ids of both owners and one of no one: an id of the other owner must be like one that does not exist.
      const ids = [999_999, ...owners.flatMap((owner) => [...owner.model.parents.keys()])]
      const pick = () => ids[random(ids.length)]!
      const parentId = random(5) === 0 ? null : pick()
      const where = `step ${step}, SEED=${seed}`
      if (random(3) === 0 && model.parents.size < 30) {
        const expected = model.problem(undefined, parentId)
        const problem = await store.write('test', (tx) => tree.checkParent(tx, ownerId, parentId))
        expect(problem as string | undefined, where).toBe(expected)
        if (problem === undefined) model.parents.set(await insert(store, ownerId, parentId), parentId)
        seen.add(`insert ${problem}`)
      } else {
        const id = pick()
        const expected = model.problem(id, parentId)
        const problem = await store.write('test', (tx) => tree.move(tx, ownerId, id, parentId))
        expect(problem as string | undefined, where).toBe(expected)
        if (problem === undefined) model.parents.set(id, parentId)
        seen.add(`move ${problem}`)
      }
    }
    for (const problem of ['undefined', 'PARENT_NOT_FOUND', 'TOO_DEEP']) expect(seen).toContain(`insert ${problem}`)
    for (const problem of ['undefined', 'NODE_NOT_FOUND', 'PARENT_NOT_FOUND', 'INSIDE_ITSELF', 'TOO_DEEP'])
      expect(seen).toContain(`move ${problem}`)
    for (const { id: ownerId, model } of owners) {
      const rows = await tree.all(store.read, ownerId)
      expect(new Map(rows.map((row) => [row.id, row.parentId]))).toEqual(
        new Map([...model.parents].toSorted(([a], [b]) => a - b)),
      )
      expect(await tree.count(store.read, ownerId)).toBe(model.parents.size)
      for (const id of model.parents.keys()) {
        expect((await tree.branchIds(store.read, ownerId, id)).toSorted()).toEqual(model.branch(id).toSorted())
        const children = [...model.parents.values()].filter((parent) => parent === id)
        expect(await tree.countChildren(store.read, ownerId, id)).toBe(children.length)
      }
    }
    const [first, second] = owners
    for (const id of second!.model.parents.keys()) {
      expect(await tree.branchIds(store.read, first!.id, id)).toEqual([])
      expect(await tree.find(store.read, first!.id, id)).toBeUndefined()
    }
  })
})

test('pin and reorder change only rows of the owner, and reorder only siblings', async () => {
  await withStore(async (store) => {
    const [me, other] = [await addUser(store), await addUser(store)]
    const [a, b] = [await insert(store, me, null), await insert(store, me, null)]
    const child = await insert(store, me, a)
    const foreign = await insert(store, other, null)
    const order = async () => (await tree.all(store.read, me)).map((row) => row.id)
    const reorder = (...ids: number[]) =>
      store.write('test', (tx) =>
        tree.reorder(
          tx,
          me,
          ids.map((id, i) => ({ id, sortOrder: i + 1 })),
        ),
      )
    expect(await order()).toEqual([a, b, child])
    expect(await reorder(b, a)).toBeUndefined()
    expect(await order()).toEqual([child, b, a])
    expect(await reorder(a, child)).toBe('NOT_SIBLINGS')
    expect(await reorder(a, foreign)).toBe('NODE_NOT_FOUND')
    expect(await order()).toEqual([child, b, a])

    expect(await store.write('test', (tx) => tree.pin(tx, me, [a, foreign], true))).toBe(1)
    expect(await order()).toEqual([a, child, b])
    expect((await tree.find(store.read, other, foreign))!).toMatchObject({ pinned: false, sortOrder: 0 })
    expect((await tree.findMany(store.read, me, [a, foreign])).map((row) => row.id)).toEqual([a])
  })
})

test('walking a tree ends even if the table holds a cycle, which only another program can write', async () => {
  await withStore(async (store, place) => {
    const me = await addUser(store)
    const top = await insert(store, me, null)
    const child = await insert(store, me, top)
    await place.raw(`update categories set parent_id = ${child} where id = ${top}`)
    expect(new Set(await tree.branchIds(store.read, me, top))).toEqual(new Set([top, child]))
    expect(await store.write('test', (tx) => tree.move(tx, me, top, child))).toBe('INSIDE_ITSELF')
  })
})

const softTree = treeIn(assetCategories, {
  owner: assetCategories.owner,
  maxDepth: MAX_DEPTH,
  deletedAt: assetCategories.deletedAt,
})

test('deleted rows of a table that keeps them are not in the tree', async () => {
  await withStore(async (store) => {
    const me = await addUser(store)
    const insertNode = (parentId: number | null) =>
      store.write('test', async (tx) => {
        const [row] = await tx
          .insert(assetCategories)
          .values({ owner: -me, userId: me, name: 'c', parentId, createdAt: tx.stamp, updatedAt: tx.stamp })
          .returning()
        return row!.id
      })
    const top = await insertNode(null)
    const deleted = await insertNode(top)
    const below = await insertNode(deleted)
    const other = await insertNode(null)
    await store.write('test', (tx) =>
      tx.update(assetCategories).set({ deletedAt: 1 }).where(eq(assetCategories.id, deleted)),
    )
    expect(await softTree.find(store.read, -me, deleted)).toBeUndefined()
    expect((await softTree.all(store.read, -me)).map((row) => row.id)).toEqual([top, below, other])
    expect(await softTree.count(store.read, -me)).toBe(3)
    expect(await softTree.countChildren(store.read, -me, top)).toBe(0)
    expect(await softTree.branchIds(store.read, -me, top)).toEqual([top])
    expect(await softTree.branchIds(store.read, -me, deleted)).toEqual([])
    await store.write('test', async (tx) => {
      expect(await softTree.checkParent(tx, -me, deleted)).toBe('PARENT_NOT_FOUND')
      expect(await softTree.move(tx, -me, other, deleted)).toBe('PARENT_NOT_FOUND')
      expect(await softTree.move(tx, -me, deleted, null)).toBe('NODE_NOT_FOUND')
      expect(await softTree.pin(tx, -me, [top, deleted], true)).toBe(1)
      expect(await softTree.reorder(tx, -me, [{ id: deleted, sortOrder: 1 }])).toBe('NODE_NOT_FOUND')
    })
  })
})

test('the version of a row rises with each change of its place, and not with a write that changes nothing', async () => {
  await withStore(async (store) => {
    const me = await addUser(store)
    const [a, b] = await store.write('test', (tx) =>
      tx
        .insert(assetCategories)
        .values(['a', 'b'].map((name) => ({ owner: -me, userId: me, name, createdAt: 1, updatedAt: 1 })))
        .returning(),
    )
    const change = async (fn: (tx: Tx) => Promise<unknown>) => {
      await store.write('test', fn)
      const { version, updatedAt } = (await softTree.find(store.read, -me, b!.id))!
      return [version, updatedAt]
    }
    let before = [1, 1]
    for (const fn of [
      (tx: Tx) => softTree.move(tx, -me, b!.id, a!.id),
      (tx: Tx) => softTree.pin(tx, -me, [b!.id], true),
      (tx: Tx) => softTree.reorder(tx, -me, [{ id: b!.id, sortOrder: 5 }]),
    ]) {
      const after = await change(fn)
      expect(after[0]).toBe(before[0]! + 1)
      expect(after[1]).toBeGreaterThan(before[1]!)
      expect(await change(fn)).toEqual(after)
      before = after
    }
  })
})

test.if(onSqlite)('the queries that walk a tree find parents and children by an index', async () => {
  await withStore(async (_store, place) => {
    const queries: string[] = []
    const recorder = { runner: { rows: (query: string) => (queries.push(query), []) } } as unknown as Tx
    for (const each of [tree, softTree]) {
      await each.branchIds(recorder, 1, 1)
      await each.checkParent(recorder, 1, 1)
    }
    expect(queries).toHaveLength(4)
    for (const query of queries) {
      const plan = (await place.raw(`explain query plan ${query}`)).map((row) => String(row[3]))
      expect(plan.filter((line) => line.startsWith('SEARCH')).length, plan.join('\n')).toBe(2)
      expect(plan.filter((line) => /^SCAN (?!path|branch)/.test(line))).toEqual([])
    }
  })
})
