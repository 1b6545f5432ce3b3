/** Rows of organizations: gaining and losing access, by membership, roles, permissions, shares and the end of an organization. */

import { describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { syncAccess } from '#db/schema/sync.ts'

import { createAsset, transfer } from '../assets/helpers.ts'
import { inProcess, ok, race, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave, type Org, setRole } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { pullPage, Replica, startedNow } from './replica.ts'

const { server, owner, admin } = useServer({ people: ['owner'] })

const createOrgCode = (org: Org) => createCode(owner, { orgId: org.id } as object)
const createOrgAsset = (org: Org, fields: object = {}) => createAsset(owner, { orgId: org.id, ...fields })
const trash = async (id: number) => ok(await owner.call('qrCodes.delete', { params: { id } }))

/** Creates codes of an organization in writes of 50. */
async function addCodes(org: Org, count: number): Promise<void> {
  for (let at = 0; at < count; at += 50) {
    const items = Array.from({ length: Math.min(50, count - at) }, (_, i) => ({
      name: `code ${at + i}`,
      content: `${org.id} ${at + i}`,
    }))
    ok(await owner.call('qrCodes.createBatch', { query: { orgId: org.id }, body: { items } }))
  }
}

/** The device has exactly the rows that a new device gets, and those that `owner`, who sees everything, has of the organizations. */
async function expectCurrent(replica: Replica, limit?: number): Promise<void> {
  await replica.pull(limit)
  expect(replica.state()).toEqual((await startedNow(replica.user, replica.query)).state())
}

describe('membership', () => {
  test('the first pull of a member has the rows of all their organizations, and those of no other', async () => {
    const user = await server.person()
    const [a, b, foreign] = [await createOrg(owner), await createOrg(owner), await createOrg(owner)]
    for (const org of [a, b, foreign]) {
      await createOrgCode(org)
      await createOrgAsset(org)
    }
    await addMembers(owner, a, user)
    await addMembers(owner, b, user)
    const own = await createCode(user)
    const page = await pullPage(user, 0)
    expect(page.hasMore).toBe(false)
    expect(page.changes.qrCode!.updated.map((row) => row.orgId)).toEqual([a.id, b.id, null])
    expect(page.changes.asset!.updated.map((row) => row.orgId)).toEqual([a.id, b.id])
    expect(page.changes.qrCode!.updated[2]!.id).toBe(own.id)
  })

  test('rows come as updated after joining, although they are older, and as deleted after leaving', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    const [code, gone, asset] = [await createOrgCode(org), await createOrgCode(org), await createOrgAsset(org)]
    await trash(gone.id)
    const replica = await startedNow(user)
    await addMembers(owner, org, user)
    const joined = await replica.page()
    expect(joined.changes.qrCode!.updated.map(({ id }) => id)).toEqual([code.id])
    expect(joined.changes.asset!.updated.map(({ id }) => id)).toEqual([asset.id])
    const later = await createOrgCode(org)
    await replica.pull()
    expect(replica.ids('qrCode')).toEqual([code.id, later.id])
    ok(await leave(user, org))
    const left = await replica.page()
    expect(left.changes.qrCode!.updated).toEqual([])
    expect(left.changes.qrCode!.deleted).toContain(code.id)
    expect(replica.ids('qrCode')).toEqual([])
    expect(replica.ids('asset')).toEqual([])
    expect((await replica.page()).changes.qrCode).toEqual({ updated: [], deleted: [] })
    await addMembers(owner, org, user)
    await expectCurrent(replica)
    expect(replica.ids('qrCode')).toEqual([code.id, later.id])
  })

  test('a device that was away while its user left deletes the rows that were deleted permanently since', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    const [a, b, c] = [await createOrgCode(org), await createOrgCode(org), await createOrgCode(org)]
    await addMembers(owner, org, user)
    const [active, away] = [await startedNow(user), await startedNow(user)]
    expect(away.ids('qrCode')).toEqual([a.id, b.id, c.id])
    await trash(a.id)
    ok(await owner.call('qrCodes.emptyTrash', { query: { orgId: org.id } }))
    ok(await leave(user, org))
    await active.pull()
    await trash(b.id)
    ok(await owner.call('qrCodes.emptyTrash', { query: { orgId: org.id } }))
    await createCode(user)
    for (const limit of [1, 500]) {
      const copy = new Replica(user)
      copy.since = away.since
      for (const [id, row] of away.rows.get('qrCode')!) copy.rows.get('qrCode')!.set(id, row)
      await expectCurrent(copy, limit)
      expect(copy.ids('qrCode')).toHaveLength(1)
    }
  })

  test('a row that was deleted permanently before its user left goes away also if the client pages past its deletion', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    const gone = await createOrgCode(org)
    await addMembers(owner, org, user)
    const replica = await startedNow(user)
    expect(replica.ids('qrCode')).toEqual([gone.id])
    await trash(gone.id)
    ok(await owner.call('qrCodes.emptyTrash', { query: { orgId: org.id } }))
    const own = await createCode(user)
    ok(await leave(user, org))
    expect(await replica.pull(1)).toBeGreaterThan(1)
    expect(replica.ids('qrCode')).toEqual([own.id])
  })

  test('leaving and joining again between two pulls loses nothing', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    const code = await createOrgCode(org)
    await addMembers(owner, org, user)
    const [active, away] = [await startedNow(user), await startedNow(user)]
    ok(await leave(user, org))
    await active.pull()
    const other = await createOrgCode(org)
    await trash(code.id)
    ok(await owner.call('qrCodes.emptyTrash', { query: { orgId: org.id } }))
    await addMembers(owner, org, user)
    for (const replica of [away, active]) {
      await expectCurrent(replica)
      expect(replica.ids('qrCode')).toEqual([other.id])
    }
  })

  test('a dissolved organization takes its rows from the devices', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    const code = await createOrgCode(org)
    await addMembers(owner, org, user)
    const replica = await startedNow(user)
    expect(replica.ids('qrCode')).toEqual([code.id])
    await trash(code.id)
    const restored = await createOrgCode(org)
    await replica.pull()
    await trash(restored.id)
    ok(await owner.call('orgs.dissolve', { params: { id: org.id }, query: { force: true } }))
    await replica.pull()
    expect(replica.ids('qrCode')).toEqual([])
  })
})

describe('roles and permissions', () => {
  test('a guest loses the assets and keeps the codes, and gets the assets back as a member', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    const [code, asset] = [await createOrgCode(org), await createOrgAsset(org)]
    await addMembers(owner, org, user)
    const replica = await startedNow(user)
    expect([replica.ids('qrCode'), replica.ids('asset')]).toEqual([[code.id], [asset.id]])
    await setRole(owner, org, user, 'GUEST')
    await expectCurrent(replica)
    expect([replica.ids('qrCode'), replica.ids('asset')]).toEqual([[code.id], []])
    await setRole(owner, org, user, 'MEMBER')
    await expectCurrent(replica)
    expect(replica.ids('asset')).toEqual([asset.id])
  })

  test('assets come again, with or without their values, when the point meta_value:read of the role changes', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    await createOrgAsset(org)
    await addMembers(owner, org, user)
    const roles = ok(
      await admin.call('access.listRoles', { query: { domain: 'ORG', scopeId: org.id, size: 100 } }),
    ).data
    const role = roles.items.find(({ code }) => code === 'MEMBER')!
    const change = async (permissions: readonly string[]) =>
      ok(await admin.call('access.changeRole', { params: { id: role.id }, body: { permissions: [...permissions] } }))
    const replica = await startedNow(user)
    await change(role.permissions.filter((point) => point !== 'meta_value:read'))
    expect((await replica.page()).changes.asset!.updated).toHaveLength(1)
    await change(role.permissions)
    expect((await replica.page()).changes.asset!.updated).toHaveLength(1)
    expect((await replica.page()).changes.asset!.updated).toEqual([])
    await change(role.permissions.filter((point) => !point.startsWith('asset:')))
    await expectCurrent(replica)
    expect(replica.ids('asset')).toEqual([])
  })

  test('rows that a member may create or change, but not read, come as deleted after the push', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    const code = await createOrgCode(org)
    await addMembers(owner, org, user)
    const roles = ok(
      await admin.call('access.listRoles', { query: { domain: 'ORG', scopeId: org.id, size: 100 } }),
    ).data
    const { id } = roles.items.find((role) => role.code === 'MEMBER')!
    const permissions = ['qr_code:create', 'qr_code:update']
    ok(await admin.call('access.changeRole', { params: { id }, body: { permissions } }))
    const replica = await startedNow(user)
    const record = { entity: 'qrCode', baseVersion: 0, updatedAt: Date.now() } as const
    const data = { name: 'Door', content: 'https://example.org/door', orgId: org.id }
    const records = [
      { ...record, localId: 'new', data },
      { ...record, localId: 'known', serverId: code.id, baseVersion: code.version, data: { name: 'Gate' } },
    ]
    const { results } = ok(await user.call('sync.push', { body: { records } })).data
    expect(results.map(({ status }) => status)).toEqual(['APPLIED', 'APPLIED'])
    const { updated, deleted } = (await replica.page()).changes.qrCode!
    expect([updated, deleted.toSorted()]).toEqual([[], results.map(({ serverId }) => serverId!).toSorted()])
    expect((await replica.page()).changes.qrCode!.deleted).toEqual([])
  })

  test('categories that are not shared come and go with asset_category:manage', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    await addMembers(owner, org, user)
    const create = async (name: string, shared: boolean): Promise<number> =>
      ok(await owner.call('assetCategories.create', { body: { name, shared, orgId: org.id } as never })).data.id
    const [shared, hidden] = [await create('shared', true), await create('hidden', false)]
    const replica = await startedNow(user)
    expect(replica.ids('assetCategory')).toEqual([shared])
    await setRole(owner, org, user, 'ADMIN')
    await expectCurrent(replica)
    expect(replica.ids('assetCategory')).toEqual([shared, hidden])
    await setRole(owner, org, user, 'MEMBER')
    await expectCurrent(replica)
    expect(replica.ids('assetCategory')).toEqual([shared])
    ok(await owner.call('assetCategories.update', { params: { id: hidden }, body: { shared: true } }))
    ok(await owner.call('assetCategories.update', { params: { id: shared }, body: { shared: false } }))
    await expectCurrent(replica)
    expect(replica.ids('assetCategory')).toEqual([hidden])
  })
})

describe('rows that change their owner', () => {
  test('a share that is removed takes the copy from the members', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    await addMembers(owner, org, user)
    const replica = await startedNow(user)
    const { id } = await createCode(owner)
    const share = ok(
      await owner.call('shares.create', { params: { orgId: org.id }, body: { entityType: 'QR_CODE', sourceId: id } }),
    ).data
    await expectCurrent(replica)
    expect(replica.ids('qrCode')).toEqual([share.copyId])
    ok(await owner.call('shares.delete', { params: { orgId: org.id, shareId: share.id } as never }))
    await expectCurrent(replica)
    expect(replica.ids('qrCode')).toEqual([])
  })

  test('an asset that its owner gives to an organization stays for its members only', async () => {
    const org = await createOrg(owner)
    const [giver, member] = [await server.person(), await server.person()]
    await addMembers(owner, org, giver, member)
    await setRole(owner, org, giver, 'ADMIN')
    const asset = await createAsset(giver)
    const replicas = [await startedNow(giver), await startedNow(member)] as const
    ok(await transfer(giver, asset.id, { toOrgId: org.id }))
    for (const replica of replicas) {
      await expectCurrent(replica)
      expect(replica.ids('asset')).toEqual([asset.id])
    }
    ok(await leave(giver, org))
    await expectCurrent(replicas[0])
    expect(replicas[0].ids('asset')).toEqual([])
  })
})

describe('one organization', () => {
  test('orgId gives the rows of that organization only, and 403 to users who are not members', async () => {
    const user = await server.person()
    const [a, b] = [await createOrg(owner), await createOrg(owner)]
    const [code] = [await createOrgCode(a), await createOrgCode(b)]
    await createCode(user)
    expect((await user.get('/api/sync/pull', { since: 0, orgId: a.id })).status).toBe(403)
    await addMembers(owner, a, user)
    await addMembers(owner, b, user)
    const replica = await startedNow(user, { orgId: a.id })
    expect(replica.ids('qrCode')).toEqual([code.id])
    await createOrgCode(b)
    const another = await createOrgCode(a)
    await expectCurrent(replica)
    expect(replica.ids('qrCode')).toEqual([code.id, another.id])
    await trash(code.id)
    await setRole(owner, a, user, 'GUEST')
    await expectCurrent(replica)
    expect(replica.ids('qrCode')).toEqual([another.id])
    expect(replica.ids('asset')).toEqual([])
    ok(await leave(user, a))
    expect((await user.get('/api/sync/pull', { since: replica.since, orgId: a.id })).status).toBe(403)
    expect((await user.get('/api/sync/pull', { since: 0, orgId: 999_999_999 })).status).toBe(403)
  })
})

describe('large organizations', () => {
  test('the rows of a joined organization come in chunks, whatever changes meanwhile, to all devices of the user', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    await addCodes(org, 1300)
    const replicas = [await startedNow(user), await startedNow(user)] as const
    await addMembers(owner, org, user)
    const sizes: number[] = []
    for (let i = 0; ; i++) {
      const page = await replicas[0].page(10)
      sizes.push(page.changes.qrCode!.updated.length)
      const [first] = replicas[0].ids('qrCode')
      if (i < 3 && first !== undefined) {
        ok(await owner.call('qrCodes.update', { params: { id: first }, body: { remark: `edit ${i}` } }))
        await trash(replicas[0].ids('qrCode').at(-1)!)
        await createOrgCode(org)
      }
      if (!page.hasMore) break
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(550)
    for (const replica of replicas) await expectCurrent(replica, 100)
    expect(replicas[0].ids('qrCode')).toHaveLength(1300)
  })

  test('fifty pulls at once that find a new organization record it once, and all get its rows', async () => {
    const user = await server.person()
    const org = await createOrg(owner)
    await addCodes(org, 60)
    const { since } = await startedNow(user)
    await addMembers(owner, org, user)
    const results = await race(50, async () => {
      const replica = new Replica(user)
      replica.since = since
      // While another write with an earlier stamp is running, the rows come with a later pull.
      await until(async () => (await replica.pull()) > 0 && replica.ids('qrCode').length > 0)
      return replica.ids('qrCode').length
    })
    expect(new Set(results)).toEqual(new Set([60]))
    if (!inProcess) return
    const rows = await server.ctx.db.read
      .select()
      .from(syncAccess)
      .where(and(eq(syncAccess.userId, user.id), eq(syncAccess.scope, 'qr_code:read')))
    expect(rows).toHaveLength(1)
  })

  test('a user can join more organizations than one pull opens', async () => {
    const user = await server.person()
    const replica = await startedNow(user)
    const organizations: Org[] = []
    for (let i = 0; i < 25; i++) {
      const org = await createOrg(owner)
      await createOrgCode(org)
      await addMembers(owner, org, user)
      organizations.push(org)
    }
    expect(await replica.pull()).toBeGreaterThan(1)
    expect(replica.ids('qrCode')).toHaveLength(25)
    await expectCurrent(replica, 3)
    for (const org of organizations.slice(0, 10)) ok(await leave(user, org))
    await expectCurrent(replica)
    expect(replica.ids('qrCode')).toHaveLength(15)
  })
})
