/** Categories of assets on devices: pushed changes, and the categories that only some members of an organization see. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { assetCategoryCleanUps, assets } from '#db/schema/assets.ts'
import { syncTombstones } from '#db/schema/sync.ts'
import { emptyCategories } from '#domains/assets/categories/categories.service.ts'

import { addMany, createAsset, getAsset } from '../assets/helpers.ts'
import { createCategory } from '../assets/places.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { createTemplate } from '../metadata/helpers.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { ASSET_ENTITIES, catchUp, caughtUp, pushOne, record } from './asset-pushes.ts'
import { Replica } from './replica.ts'

const { server, admin, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

const entity = 'assetCategory' as const
const entities = [entity]
const change = (id: number, baseVersion: number, data: object) => record({ entity, serverId: id, baseVersion, data })
const deletion = (id: number, baseVersion: number) => record({ entity, serverId: id, baseVersion, deleted: true })
const update = async (user: Person, id: number, body: object) =>
  ok(await user.call('assetCategories.update', { params: { id }, body })).data
const move = async (user: Person, id: number, parentId: number | null) =>
  ok(await user.call('assetCategories.move', { params: { id }, body: { parentId } })).data
const remove = async (user: Person, id: number) => ok(await user.call('assetCategories.delete', { params: { id } }))
/** The category as a pull from the beginning shows it. */
const pulled = async (user: Person, id: number) =>
  (await caughtUp(new Replica(user, { entities }))).rows.get(entity)!.get(id)

/** Later than every change so far. */
const later = () => Date.now() + 60_000

describe('pushing categories of assets', () => {
  test('a new category has all fields of its data, and a change of several fields is one version', async () => {
    const template = await createTemplate(alice)
    const data = { name: ' Laptops ', color: '#FF8800', templateIds: [template.id], pinned: true, sortOrder: 7 }
    const made = await pushOne(alice, record({ entity, localId: 'c1', data }))
    expect(made).toMatchObject({ status: 'APPLIED', version: 1 })
    const id = made.serverId!
    const view = await pulled(alice, id)
    expect(view).toMatchObject({
      ...data,
      name: 'Laptops',
      color: '#ff8800',
      defaultTemplateId: template.id,
      parentId: null,
      shared: false,
      orgId: null,
      localId: 'c1',
      updatedAt: made.updatedAt!,
    })
    expect(view).not.toHaveProperty('children')
    const parent = await createCategory(alice, 'parent')
    const changed = { name: 'Notebooks', parentId: parent.id, pinned: false, templateIds: [] }
    expect(await pushOne(alice, change(id, 1, changed))).toMatchObject({ status: 'APPLIED', version: 2 })
    expect(await pulled(alice, id)).toMatchObject({ ...changed, sortOrder: 7, version: 2, defaultTemplateId: null })
  })

  test('a category that is sent back as it was pulled is not changed', async () => {
    const { id } = await createCategory(alice, 'plain')
    const view = await pulled(alice, id)
    const result = await pushOne(alice, change(id, 1, view!))
    expect(result).toMatchObject({ status: 'APPLIED', version: 1, updatedAt: view!.updatedAt })
  })

  test('bad fields are named in the data', async () => {
    const { id } = await createCategory(alice, 'good')
    const paths = async (data: object) => {
      const result = await pushOne(alice, change(id, 1, data))
      expect(result).toMatchObject({ status: 'REJECTED', code: 400 })
      return result.details?.map(({ path }) => path)
    }
    expect(await paths({ name: '' })).toEqual(['data.name'])
    expect(await paths({ color: 'red' })).toEqual(['data.color'])
    expect(await paths({ shared: true })).toEqual(['data.shared'])
    expect(await paths({ parentId: 999_999_999 })).toEqual(['data.parentId'])
    expect(await paths({ templateIds: [999_999_999] })).toEqual(['data.templateIds.0'])
    expect(await paths({ defaultTemplateId: 999_999_999 })).toEqual(['data.defaultTemplateId'])
    expect(await pulled(alice, id)).toMatchObject({ name: 'good', version: 1 })
  })

  test('a category with sub-categories is not deleted', async () => {
    const { id } = await createCategory(alice, 'parent')
    const child = await createCategory(alice, 'child', { parentId: id })
    expect(await pushOne(alice, deletion(id, 1))).toMatchObject({ status: 'REJECTED', code: 400 })
    expect(await pushOne(alice, deletion(child.id, 1))).toMatchObject({ status: 'APPLIED', version: 2 })
    expect(await pushOne(alice, deletion(id, 1))).toMatchObject({ status: 'APPLIED', version: 2 })
    expect(await pulled(alice, id)).toBeUndefined()
  })

  test.if(inProcess)('a deleted category loses its first assets at once and the others by the job', async () => {
    const { id } = await createCategory(alice, 'many')
    await addMany(
      server,
      { userId: alice.id, orgId: 0 },
      Array.from({ length: 450 }, () => ({ categoryId: id })),
    )
    const device = await caughtUp(new Replica(alice, { entities: ASSET_ENTITIES }))
    expect(await pushOne(alice, deletion(id, 1))).toMatchObject({ status: 'APPLIED', version: 2 })
    const rest = () => server.ctx.db.read.select().from(assets).where(eq(assets.categoryId, id))
    expect((await rest()).length).toBe(250)
    await emptyCategories(server.ctx)
    expect(await rest()).toEqual([])
    expect(await server.ctx.db.read.select().from(assetCategoryCleanUps)).toEqual([])
    await catchUp(device)
    expect(device.ids(entity)).not.toContain(id)
    expect(device.state()).toEqual((await caughtUp(new Replica(alice, { entities: ASSET_ENTITIES }))).state())
  })

  test('an update that beats the deletion brings the category back without its templates', async () => {
    const [parent, template] = [await createCategory(alice, 'parent'), await createTemplate(alice)]
    const { id } = await createCategory(alice, 'back', { parentId: parent.id, templateIds: [template.id] })
    const asset = await createAsset(alice, { categoryId: id })
    const device = await caughtUp(new Replica(alice, { entities }))
    await remove(alice, id)
    await remove(alice, parent.id)
    await catchUp(device)
    expect(device.ids(entity)).not.toContain(id)
    const data = { name: 'back again' }
    const result = await pushOne(alice, { ...change(id, 1, data), updatedAt: later() })
    expect(result).toMatchObject({ status: 'APPLIED', serverId: id, version: 3, conflictId: expect.any(Number) })
    await catchUp(device)
    expect(device.rows.get(entity)!.get(id)).toMatchObject({
      ...data,
      parentId: null,
      templateIds: [],
      assetCount: 0,
      version: 3,
    })
    expect(ok(await getAsset(alice, asset.id)).data.categoryId).toBeNull()
    expect(device.state()).toEqual((await caughtUp(new Replica(alice, { entities }))).state())
  })

  test('a category that a push of another user names is not found', async () => {
    const { id } = await createCategory(alice, 'mine')
    for (const pushed of [change(id, 1, { name: 'theirs' }), deletion(id, 1)])
      expect(await pushOne(mallory, pushed)).toMatchObject({ status: 'REJECTED', code: 404 })
    expect(await pulled(alice, id)).toMatchObject({ name: 'mine', version: 1 })
  })
})

describe('categories that only some members see', () => {
  async function world() {
    const [owner, creator, member] = [await server.person(), await server.person(), await server.person()]
    const org = await createOrg(owner)
    await addMembers(owner, org, creator, member)
    await setRole(owner, org, creator, 'ADMIN')
    const make = (user: Person, name: string, fields: object = {}) =>
      createCategory(user, name, { orgId: org.id, ...fields })
    return { owner, creator, member, org, make }
  }

  /** Every device is as one that starts now; returns the ids that they have. */
  async function agree(...devices: Replica[]): Promise<number[][]> {
    for (const device of devices) {
      await catchUp(device, 1)
      expect(device.state()).toEqual((await caughtUp(new Replica(device.user, device.query))).state())
    }
    return devices.map((device) => device.ids(entity))
  }

  test('a category that is no longer shared disappears from devices of others, with everything below it', async () => {
    const { owner, creator, member, org, make } = await world()
    const top = await make(creator, 'top')
    const middle = await make(owner, 'middle', { parentId: top.id })
    const low = await make(owner, 'low', { parentId: middle.id })
    await setRole(owner, org, creator, 'MEMBER')
    const all = [top.id, middle.id, low.id]
    const devices = [owner, creator, member].map((user) => new Replica(user, { entities }))
    expect(await agree(...devices)).toEqual([all, all, all])
    await update(owner, top.id, { shared: false })
    expect(await agree(...devices)).toEqual([all, all, []])
    await update(owner, middle.id, { shared: false })
    expect(await agree(...devices)).toEqual([all, [top.id], []])
    await update(owner, top.id, { shared: true })
    expect(await agree(...devices)).toEqual([all, [top.id], [top.id]])
    const { version } = await update(owner, middle.id, { shared: true })
    expect(await agree(...devices)).toEqual([all, all, all])
    expect(version).toBe(3)
    expect(await pulled(member, low.id)).toMatchObject({ version: 1 })
  })

  test('a category that is moved below a hidden one disappears, and comes back when it is moved away', async () => {
    const { owner, member, make } = await world()
    const hidden = await make(owner, 'hidden', { shared: false })
    const open = await make(owner, 'open')
    const below = await make(owner, 'below', { parentId: open.id })
    const devices = [owner, member].map((user) => new Replica(user, { entities }))
    const all = [hidden.id, open.id, below.id]
    expect(await agree(...devices)).toEqual([all, [open.id, below.id]])
    await move(owner, open.id, hidden.id)
    expect(await agree(...devices)).toEqual([all, []])
    await move(owner, open.id, null)
    expect(await agree(...devices)).toEqual([all, [open.id, below.id]])
  })

  test("an administrator's deletion of a hidden category shows the ones below it to everyone", async () => {
    const { owner, member, make } = await world()
    const hidden = await make(owner, 'hidden', { shared: false })
    const child = await make(owner, 'child', { parentId: hidden.id })
    const grandchild = await make(owner, 'grandchild', { parentId: child.id })
    const devices = [owner, member].map((user) => new Replica(user, { entities }))
    expect(await agree(...devices)).toEqual([[hidden.id, child.id, grandchild.id], []])
    ok(await admin.call('assetCategories.deleteAny', { params: { id: hidden.id } }))
    const rest = [child.id, grandchild.id]
    expect(await agree(...devices)).toEqual([rest, rest])
  })

  test('who may manage categories sees the hidden ones, and loses them with the permission', async () => {
    const { owner, member, org, make } = await world()
    const open = await make(owner, 'open')
    const hidden = await make(owner, 'hidden', { shared: false })
    const below = await make(owner, 'below', { parentId: hidden.id })
    const device = new Replica(member, { entities })
    expect(await agree(device)).toEqual([[open.id]])
    await setRole(owner, org, member, 'ADMIN')
    expect(await agree(device)).toEqual([[open.id, hidden.id, below.id]])
    const own = await make(member, 'own', { shared: false })
    await setRole(owner, org, member, 'MEMBER')
    expect(await agree(device)).toEqual([[open.id, own.id]])
    await setRole(owner, org, member, 'GUEST')
    expect(await agree(device)).toEqual([[]])
  })

  test('a push cannot change categories without the permission, nor learn of hidden ones', async () => {
    const { owner, member, make } = await world()
    const open = await make(owner, 'open')
    const hidden = await make(owner, 'hidden', { shared: false })
    const code = async (id: number) => (await pushOne(member, change(id, 1, { name: 'x' }))).code
    expect(await code(open.id)).toBe(403)
    expect(await code(hidden.id)).toBe(404)
    expect(await code(999_999_999)).toBe(404)
    const made = record({ entity, data: { name: 'x', orgId: open.orgId } })
    expect(await pushOne(member, made)).toMatchObject({ status: 'REJECTED', code: 403 })
  })

  test('a pushed category is hidden as one of a request', async () => {
    const { owner, member, org } = await world()
    const device = new Replica(member, { entities })
    const data = { name: 'pushed', orgId: org.id }
    const { serverId: id } = await pushOne(owner, record({ entity, data }))
    expect(await agree(device)).toEqual([[id!]])
    expect(await pushOne(owner, change(id!, 1, { shared: false }))).toMatchObject({ status: 'APPLIED', version: 2 })
    expect(await agree(device)).toEqual([[]])
  })

  test('the categories of a dissolved organization disappear', async () => {
    const { owner, member, org, make } = await world()
    const [gone, { id }] = [await make(owner, 'gone'), await make(owner, 'category')]
    const device = new Replica(member, { entities })
    expect(await agree(device)).toEqual([[gone.id, id]])
    await remove(owner, gone.id)
    ok(await owner.call('orgs.dissolve', { params: { id: org.id }, query: { force: true } }))
    expect(await agree(device)).toEqual([[]])
    if (!inProcess) return
    const tombstones = await server.ctx.db.read
      .select()
      .from(syncTombstones)
      .where(eq(syncTombstones.owner, org.id))
      .orderBy(syncTombstones.entityId)
    expect(tombstones.map(({ entityId, version }) => [entityId, version])).toEqual([
      [gone.id, 2],
      [id, 2],
    ])
    expect(tombstones[0]!.stamp).toBeLessThan(tombstones[1]!.stamp)
  })
})
