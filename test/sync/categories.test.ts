/** Categories of QR codes in pulls: every write shows, and nothing else does. */

import { describe, expect, test } from 'bun:test'

import { categoryEndpoints } from '#domains/qr-codes/categories/categories.endpoints.ts'

import { ok, type Person, useServer } from '../harness/index.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { changesOf, pull, writesOf } from './changes.ts'

const { server } = useServer()

describe('each write', () => {
  /** Changes categories; `a` and `b` are at the top level. Returns the ids that a pull must show. */
  type Write = (user: Person, a: number, b: number) => Promise<{ updated?: number[]; deleted?: number[] }>
  const writes: Record<string, Write> = {
    'categories.create': async (user) => ({ updated: [await createCategory(user, 'new')] }),
    'categories.update': async (user, a) => {
      ok(await user.call('categories.update', { params: { id: a }, body: { name: 'new', color: '#FF0000' } }))
      return { updated: [a] }
    },
    'categories.move': async (user, a, b) => {
      ok(await user.call('categories.move', { params: { id: b }, body: { parentId: a } }))
      return { updated: [b] }
    },
    'categories.pin': async (user, a) => {
      ok(await user.call('categories.pin', { params: { id: a }, body: { pinned: true } }))
      return { updated: [a] }
    },
    'categories.batchPin': async (user, a, b) => {
      ok(await user.call('categories.batchPin', { body: { ids: [a, b], pinned: true } }))
      return { updated: [a, b] }
    },
    'categories.reorder': async (user, a, b) => {
      ok(await user.call('categories.reorder', { body: { ids: [b, a] } }))
      return { updated: [a, b] }
    },
    'categories.delete': async (user, a) => {
      ok(await user.call('categories.delete', { params: { id: a } }))
      return { deleted: [a] }
    },
  }

  test('of categories has a line in the table of this test', () => {
    expect(Object.keys(writes).toSorted()).toEqual(writesOf(categoryEndpoints))
  })

  for (const [name, write] of Object.entries(writes))
    test(`${name} is followed by a pull that shows its rows as they are, and no others`, async () => {
      const user = await server.person()
      const [a, b] = [await createCategory(user, 'a'), await createCategory(user, 'b')]
      const { serverTime } = await pull(user, 0)
      const { updated = [], deleted = [] } = await write(user, a, b)
      const { changes, serverTime: next } = await pull(user, serverTime)
      expect(changesOf(changes)).toEqual({ category: { updated, deleted } })
      for (const row of changes.category.updated) {
        const { data } = ok(await user.get(`/api/categories/${row.id}`))
        const version = row.id === a || row.id === b ? 2 : 1
        expect(row).toEqual({ ...data, orgId: null, version, updatedAt: expect.any(Number) })
      }
      // The same write again changes nothing, if it can be repeated.
      if (['categories.create', 'categories.delete'].includes(name)) return
      await write(user, a, b)
      expect(changesOf((await pull(user, next)).changes)).toEqual({})
    })
})

test('a code that is added to a category does not change the category', async () => {
  const user = await server.person()
  const categoryId = await createCategory(user, 'full')
  const { serverTime } = await pull(user, 0)
  const code = await createCode(user, { categoryId })
  expect(changesOf((await pull(user, serverTime)).changes)).toEqual({ qrCode: { updated: [code.id], deleted: [] } })
  expect((await pull(user, 0)).changes.category.updated).toMatchObject([{ id: categoryId, codeCount: 1, version: 1 }])
})

test('a refused change of a category shows nothing', async () => {
  const user = await server.person()
  const parent = await createCategory(user, 'parent')
  const child = await createCategory(user, 'child', parent)
  const { serverTime } = await pull(user, 0)
  expect((await user.delete(`/api/categories/${parent}`)).status).toBe(400)
  expect((await user.patch(`/api/categories/${parent}/parent`, { parentId: child })).status).toBe(400)
  expect((await user.put(`/api/categories/${parent}`, { name: '' })).status).toBe(400)
  expect(changesOf((await pull(user, serverTime)).changes)).toEqual({})
})
