/** Pushed categories: the rules and limits of the endpoints. */

import { expect, test } from 'bun:test'

import { categories } from '#db/schema/index.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { changesOf, pull } from './changes.ts'
import { newCategory, pushOne } from './push-helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const get = async (user: Person, id: number) => ok(await user.get(`/api/categories/${id}`)).data
const change = (id: number, baseVersion: number, data: object) => newCategory('', { serverId: id, baseVersion, data })

test('a pushed category can have every field, and a change of several raises the version once', async () => {
  const parentId = await createCategory(alice, 'parent')
  const data = { name: 'menus', color: '#FF8800', parentId, pinned: true, sortOrder: 4 }
  const result = await pushOne(alice, newCategory('', { data }))
  expect(result).toMatchObject({ status: 'APPLIED', version: 1 })
  const id = result.serverId!
  expect(await get(alice, id)).toMatchObject({ ...data, color: '#ff8800' })
  const { serverTime } = await pull(alice, 0)
  const changed = { name: 'new', color: null, parentId: null, pinned: false, sortOrder: 5 }
  expect(await pushOne(alice, change(id, 1, changed))).toMatchObject({ status: 'APPLIED', version: 2 })
  const { changes, serverTime: next } = await pull(alice, serverTime)
  expect(changes.category.updated).toMatchObject([{ id, ...changed, color: '', orgId: null, version: 2 }])
  const shown = changes.category.updated[0]!
  expect(await pushOne(alice, change(id, 2, shown))).toMatchObject({ status: 'APPLIED', version: 2 })
  expect(changesOf((await pull(alice, next)).changes)).toEqual({})
})

test('a category that is too deep, below itself, or below a category of another user is rejected', async () => {
  let deepest: number | null = null
  const path: number[] = []
  for (let level = 1; level <= 5; level++) path.push((deepest = await createCategory(alice, `level ${level}`, deepest)))
  const foreign = await createCategory(await server.person(), 'foreign')
  const { serverTime } = await pull(alice, 0)
  const refused = { status: 'REJECTED', code: 400 }
  expect(await pushOne(alice, newCategory('', { data: { name: 'x', parentId: deepest } }))).toMatchObject(refused)
  expect(await pushOne(alice, change(path[0]!, 1, { parentId: path[2] }))).toMatchObject(refused)
  expect(await pushOne(alice, change(path[0]!, 1, { parentId: path[0], name: 'new' }))).toMatchObject(refused)
  for (const record of [
    newCategory('', { data: { name: 'x', parentId: foreign } }),
    change(path[1]!, 1, { parentId: foreign, name: 'new' }),
  ])
    expect(await pushOne(alice, record)).toMatchObject({ ...refused, details: [{ path: 'data.parentId' }] })
  for (const [data, at] of [
    [{ name: '' }, 'data.name'],
    [{ color: 'red' }, 'data.color'],
    [{ sortOrder: 'x' }, 'data.sortOrder'],
  ] as const)
    expect(await pushOne(alice, change(path[0]!, 1, data))).toMatchObject({ ...refused, details: [{ path: at }] })
  expect(changesOf((await pull(alice, serverTime)).changes)).toEqual({})
})

test('a pushed deletion leaves the codes without a category, and is rejected while there are sub-categories', async () => {
  const parent = await createCategory(alice, 'parent')
  const child = await createCategory(alice, 'child', parent)
  const code = await createCode(alice, { categoryId: child })
  const { serverTime } = await pull(alice, 0)
  const deletion = (id: number) => newCategory('', { serverId: id, baseVersion: 1, deleted: true })
  expect(await pushOne(alice, deletion(parent))).toMatchObject({ status: 'REJECTED', code: 400 })
  expect(await pushOne(alice, deletion(child))).toMatchObject({ status: 'APPLIED', serverId: child, version: 2 })
  expect(await pushOne(alice, deletion(parent))).toMatchObject({ status: 'APPLIED', serverId: parent, version: 2 })
  const { changes } = await pull(alice, serverTime)
  expect(changesOf(changes)).toEqual({
    qrCode: { updated: [code.id], deleted: [] },
    category: { updated: [], deleted: [child, parent] },
  })
  expect(changes.qrCode.updated).toMatchObject([{ categoryId: null }])
})

test('a change brings a deleted category back under its id', async () => {
  const id = await createCategory(alice, 'deleted')
  ok(await alice.delete(`/api/categories/${id}`))
  const { serverTime } = await pull(alice, 0)
  const back = await pushOne(alice, change(id, 2, { name: 'back', sortOrder: 9 }))
  expect(back).toMatchObject({ status: 'APPLIED', serverId: id, version: 3 })
  expect(await get(alice, id)).toMatchObject({ name: 'back', sortOrder: 9, parentId: null })
  expect(changesOf((await pull(alice, serverTime)).changes)).toEqual({ category: { updated: [id], deleted: [] } })
})

test.if(inProcess)('a category beyond the 2,000th is rejected', async () => {
  const user = await server.person()
  const { db } = server.ctx
  await db.write('test.categories', async (tx) => {
    const row = { userId: user.id, name: 'x', createdAt: tx.stamp, updatedAt: tx.stamp }
    await tx.insert(categories).values(Array.from({ length: 1999 }, () => row))
  })
  expect(await pushOne(user, newCategory('last'))).toMatchObject({ status: 'APPLIED' })
  expect(await pushOne(user, newCategory('too many'))).toMatchObject({ status: 'REJECTED', code: 400 })
})
