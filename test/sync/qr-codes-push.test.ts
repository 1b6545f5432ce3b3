/** Pushed QR codes: the rules, limits and permissions of the endpoints. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { createRole } from '#domains/access/index.ts'
import type { SyncAuthor } from '#domains/contributions.ts'
import { syncEntities } from '#domains/qr-codes/sync/sync.service.ts'
import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { changesOf, pull, type Row } from './changes.ts'
import { newCode, pushOne } from './push-helpers.ts'

const { server, alice } = useServer({ people: ['alice', 'mallory'] })

const get = async (user: Person, id: number): Promise<Row> => ok(await user.get(`/api/qr-codes/${id}`)).data
/** A record that changes a code on top of the version that the device knows. */
const change = (code: { id: number; version: number }, data: object) =>
  newCode('', { serverId: code.id, baseVersion: code.version, data })

test('a pushed code can have every field that the endpoints accept', async () => {
  const categoryId = await createCategory(alice, 'menus')
  const data = {
    name: ' Menu ',
    content: 'https://example.org/menu',
    categoryId,
    tags: ['a', 'b', 'a'],
    remark: 'by the window',
    style: { fg: 'FF0000', level: 'H' },
    isPublic: true,
    isDynamic: true,
    pinned: true,
    sortOrder: 7,
  }
  const { serverTime } = await pull(alice, 0)
  const result = await pushOne(alice, newCode('', { data }))
  expect(result).toMatchObject({ status: 'APPLIED', version: 1 })
  const code = await get(alice, result.serverId!)
  expect(code).toMatchObject({
    ...data,
    name: 'Menu',
    contentType: 'URL',
    tags: ['a', 'b'],
    style: { fg: 'ff0000', bg: 'ffffff', level: 'H', margin: 4 },
    orgId: null,
    version: 1,
    updatedAt: result.updatedAt,
  })
  const { changes } = await pull(alice, serverTime)
  expect(changes.qrCode.updated).toMatchObject([code])
})

test('a code that a device makes dynamic gets a slug and is public; the device chooses whether it opens its page, but not its slug', async () => {
  const data = { name: 'Menu', content: 'https://example.org/menu', isDynamic: true, slug: 'of-the-device' }
  const result = await pushOne(alice, newCode('', { data }))
  const code = await get(alice, result.serverId!)
  expect(code).toMatchObject({ isPublic: true, opens: 'TARGET', slug: expect.stringMatching(/^[2-9a-z]{8}$/) })
  expect(await pushOne(alice, change(code, { opens: 'PAGE', slug: 'other' }))).toMatchObject({ status: 'APPLIED' })
  const changed = await get(alice, code.id)
  expect(changed).toMatchObject({ opens: 'PAGE', slug: code['slug'], version: 2 })
  // A whole row that is sent back changes nothing.
  expect(await pushOne(alice, change(changed, changed))).toMatchObject({ status: 'APPLIED', version: 2 })
  expect(await pushOne(alice, change(changed, { opens: 'CONTENT' }))).toMatchObject({ status: 'REJECTED', code: 400 })
  const { changes } = await pull(alice, 0)
  const { warnings: _, ...row } = changed
  expect(changes.qrCode.updated.find(({ id }) => id === code.id)).toMatchObject(row)
})

const bad: [problem: string, data: object, path: string][] = [
  ['without a name', { content: 'x' }, 'data.name'],
  ['without a content', { name: 'x' }, 'data.content'],
  ['with a name of 101 characters', { name: 'x'.repeat(101), content: 'x' }, 'data.name'],
  [
    'with a content that does not fit its level',
    { name: 'x', content: 'x'.repeat(1274), style: { level: 'H' } },
    'data.content',
  ],
  ['with a bad colour', { name: 'x', content: 'x', style: { fg: 'red' } }, 'data.style.fg'],
  ['with 21 tags', { name: 'x', content: 'x', tags: Array.from({ length: 21 }, (_, i) => `${i}`) }, 'data.tags'],
  ['with a pin that is null', { name: 'x', content: 'x', pinned: null }, 'data.pinned'],
  ['with a fraction as its sort order', { name: 'x', content: 'x', sortOrder: 1.5 }, 'data.sortOrder'],
]

describe('bad data', () => {
  test.each(bad)('a new code %s is rejected, and nothing is written', async (_, data, path) => {
    const user = await server.person()
    expect(await pushOne(user, newCode('', { data }))).toMatchObject({
      status: 'REJECTED',
      serverId: null,
      code: 400,
      details: [{ path }],
    })
    expect(ok(await user.get('/api/qr-codes')).data.total).toBe(0)
  })

  test('a change that does not fit is rejected at its field, and changes nothing', async () => {
    const code = await createCode(alice)
    const foreign = await createCategory(await server.person(), 'foreign')
    const changes: [object, string][] = [
      [{ name: '' }, 'data.name'],
      [{ content: 'x'.repeat(2954) }, 'data.content'],
      [{ style: { level: 'H' }, content: 'x'.repeat(1274) }, 'data.content'],
      [{ categoryId: foreign }, 'data.categoryId'],
      [{ categoryId: 'unknown' }, 'data.categoryId'],
    ]
    for (const [data, path] of changes)
      expect(await pushOne(alice, change(code, data))).toMatchObject({ status: 'REJECTED', details: [{ path }] })
    expect(await get(alice, code.id)).toEqual({ ...code })
  })
})

test('a device that sends a code back as it got it changes nothing, and keeps the defaults of its style', async () => {
  const code = await createCode(alice, { style: { fg: 'ff0000' }, tags: ['a'] })
  const { serverTime } = await pull(alice, 0)
  const shown = await get(alice, code.id)
  expect(await pushOne(alice, change(code, shown))).toMatchObject({ status: 'APPLIED', version: 1 })
  expect(changesOf((await pull(alice, serverTime)).changes)).toEqual({})
  // With the default level M, which the view shows, a content of this length would not fit.
  const longer = { ...shown, content: 'x'.repeat(2900) }
  expect(await pushOne(alice, change(code, longer))).toMatchObject({ status: 'APPLIED', version: 2 })
  expect((await get(alice, code.id))['style']).toEqual({ fg: 'ff0000', bg: 'ffffff', level: 'L', margin: 4 })
})

test('a pushed change raises the version once, whatever number of fields it has', async () => {
  const code = await createCode(alice)
  const data = { name: 'new', pinned: true, sortOrder: 3, isPublic: true, remark: 'new' }
  expect(await pushOne(alice, change(code, data))).toMatchObject({ status: 'APPLIED', version: 2 })
  expect(await get(alice, code.id)).toMatchObject({ ...data, version: 2, content: code.content })
})

describe('deletion', () => {
  test('a pushed deletion moves the code to the trash, and a later change takes it out under its id', async () => {
    const categoryId = await createCategory(alice, 'temporary')
    const code = await createCode(alice, { categoryId })
    const deleted = await pushOne(alice, newCode('', { serverId: code.id, baseVersion: 1, deleted: true }))
    expect(deleted).toMatchObject({ status: 'APPLIED', version: 2 })
    expect((await alice.get(`/api/qr-codes/${code.id}`)).status).toBe(404)
    expect(ok(await alice.get('/api/qr-codes/trash')).data.items).toMatchObject([{ id: code.id, version: 2 }])
    ok(await alice.delete(`/api/categories/${categoryId}`))
    const { serverTime } = await pull(alice, 0)
    const [version] = ok(await alice.get('/api/qr-codes/trash')).data.items.map((one: Row) => one.version)
    const back = await pushOne(alice, change({ id: code.id, version }, { name: 'back' }))
    expect(back).toMatchObject({ status: 'APPLIED', serverId: code.id, version: version + 1 })
    expect(await get(alice, code.id)).toMatchObject({ name: 'back', content: code.content, categoryId: null })
    expect(changesOf((await pull(alice, serverTime)).changes)).toEqual({ qrCode: { updated: [code.id], deleted: [] } })
  })

  test('a change of a code that was deleted permanently brings it back under its id, if its data are complete', async () => {
    const code = await createCode(alice)
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    ok(await alice.delete('/api/qr-codes/trash'))
    const { serverTime } = await pull(alice, 0)
    const partial = await pushOne(alice, change({ id: code.id, version: 2 }, { name: 'back' }))
    expect(partial).toMatchObject({ status: 'REJECTED', code: 400, details: [{ path: 'data.content' }] })
    const back = await pushOne(alice, change({ id: code.id, version: 2 }, { name: 'back', content: 'again' }))
    expect(back).toMatchObject({ status: 'APPLIED', serverId: code.id, version: 3 })
    expect(await get(alice, code.id)).toMatchObject({ name: 'back', content: 'again', version: 3 })
    expect(changesOf((await pull(alice, serverTime)).changes)).toEqual({ qrCode: { updated: [code.id], deleted: [] } })
    expect((await createCode(alice)).id).toBeGreaterThan(code.id)
  })
})

describe.if(inProcess)('codes of an organization', () => {
  let org: { id: number }
  let writer: Person

  beforeAll(async () => {
    org = await createOrg(alice)
    writer = await server.person()
    await addMembers(alice, org, writer)
    const points = ['qr_code:read', 'qr_code:create', 'qr_code:update']
    await server.ctx.db.write('test', (tx) =>
      createRole(tx, { domain: 'ORG', scopeId: org.id, code: 'WRITER', name: 'Writer', points }),
    )
    await setRole(alice, org, writer, 'WRITER')
  })

  test('a member without the permission to publish cannot push a public code, but can change one that is public', async () => {
    const data = { name: 'a', content: 'b', orgId: org.id }
    expect(await pushOne(writer, newCode('', { data: { ...data, isPublic: true } }))).toMatchObject({ code: 403 })
    const result = await pushOne(writer, newCode('', { data }))
    expect(result).toMatchObject({ status: 'APPLIED' })
    const code = await get(alice, result.serverId!)
    expect(code).toMatchObject({ orgId: org.id, userId: writer.id })
    expect(await pushOne(writer, change(code, { isPublic: true }))).toMatchObject({ status: 'REJECTED', code: 403 })
    const published = ok(await alice.patch(`/api/qr-codes/${code.id}/public`, { isPublic: true })).data
    const renamed = await pushOne(writer, change(published, { ...published, name: 'new' }))
    expect(renamed).toMatchObject({ status: 'APPLIED', version: 3 })
    expect(await get(alice, code.id)).toMatchObject({ name: 'new', isPublic: true })
  })

  test('a category is rejected, because categories are personal', async () => {
    const categoryId = await createCategory(writer, 'mine')
    const data = { name: 'a', content: 'b', orgId: org.id, categoryId }
    expect(await pushOne(writer, newCode('', { data }))).toMatchObject({
      code: 400,
      details: [{ path: 'data.categoryId' }],
    })
  })
})

describe.if(inProcess)('the quota', () => {
  const quota = (limit: number) => server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.qrCodes', limit))

  /** Inserts a code in a write that fails. */
  async function rolledBack(user: Person): Promise<void> {
    const { ctx } = server
    const insert = await syncEntities.qrCode.prepareCreate(
      ctx,
      {} as SyncAuthor,
      { userId: user.id, orgId: 0 },
      { name: 'x', content: 'x' },
    )
    await ctx.db.write('test.rollBack', async (tx) => {
      await insert(tx)
      throw new Error('rolled back')
    })
  }

  test('refuses a pushed code and a restored one with 4022, and is exact after writes that were rolled back', async () => {
    await quota(2)
    try {
      const user = await server.person()
      const code = await createCode(user)
      ok(await user.delete(`/api/qr-codes/${code.id}`))
      for (let i = 0; i < 5; i++) await expect(rolledBack(user)).rejects.toThrow('rolled back')
      expect(await pushOne(user, newCode('first'))).toMatchObject({ status: 'APPLIED' })
      expect(await pushOne(user, newCode('second'))).toMatchObject({ status: 'APPLIED' })
      expect(await pushOne(user, newCode('third'))).toMatchObject({ status: 'REJECTED', code: 4022 })
      expect(await pushOne(user, change({ id: code.id, version: 2 }, { name: 'back' }))).toMatchObject({ code: 4022 })
      const { items } = ok(await user.get('/api/qr-codes')).data
      expect(items.map((one: { name: string }) => one.name)).toEqual(['first', 'second'])
      ok(await user.delete(`/api/qr-codes/${items[0].id}`))
      expect(await pushOne(user, change({ id: code.id, version: 2 }, { name: 'back' }))).toMatchObject({ version: 3 })
      expect(await pushOne(user, newCode('fourth'))).toMatchObject({ status: 'REJECTED', code: 4022 })
    } finally {
      await quota(0)
    }
  })
})
