/** Members, roles and organizations change, and things are shared with organizations. */

import { learn } from './endpoint-steps.ts'
import { PATHS, POINTS } from './entities.ts'
import { Mismatch, type Row } from './rows.ts'
import type { Org, User, World } from './world.ts'

export async function changeMembers(world: World): Promise<void> {
  const { chance, model, pick } = world
  const org = pick(world.orgs)
  if (org === undefined || org.isDissolved) return
  const user = pick(world.users.filter((each) => each !== org.owner))
  const path = `/api/orgs/${org.id}/members/${user.id}`
  const owner = org.owner.devices[0]
  if (model.role(org.id, user.id) === undefined) return world.join(org, user)
  if (chance(60)) {
    if (org.roleId !== undefined && chance(50)) return changeRole(world, org)
    const roleCode = pick(['ADMIN', 'ADMIN', 'MEMBER', 'GUEST', 'CUSTOM', 'CUSTOM'])
    if (roleCode === 'CUSTOM' && org.roleId === undefined) await changeRole(world, org)
    await world.ok(owner, 'PUT', path, { roleCode })
    world.note(`user ${user.id} becomes ${roleCode} in ${org.id}`)
    model.members.get(org.id)!.set(user.id, roleCode)
    return
  }
  const isLeaving = chance(50)
  const reply = isLeaving
    ? await world.request(user.devices[0], 'POST', `/api/orgs/${org.id}/leave`, {})
    : await world.request(owner, 'DELETE', path)
  if (reply.status !== 200 && !reply.isRepeated) throw new Mismatch(`leaving answered ${reply.text}`)
  world.note(`user ${user.id} leaves ${org.id}`)
  model.members.get(org.id)!.delete(user.id)
}

const VALUES = 'meta_value:read'

/** Any points; or only values become hidden or shown; or points to change what the role cannot read. */
function pointsAfter({ chance }: World, before: readonly string[] | undefined): readonly string[] {
  if (before !== undefined && chance(50))
    return before.includes(VALUES) ? before.filter((point) => point !== VALUES) : [...before, VALUES]
  const isBlind = chance(20)
  return POINTS.filter((point) => (isBlind ? !point.endsWith(':read') : chance(60)))
}

/** The organization's own role gets other points. */
async function changeRole(world: World, org: Org): Promise<void> {
  const points = pointsAfter(world, world.model.customPoints.get(org.id))
  const role = { name: 'Custom', permissions: points }
  if (org.roleId === undefined) {
    const created = { ...role, code: 'CUSTOM', domain: 'ORG', scopeId: org.id }
    const { server } = world
    // The answer to the first try may have been lost in a kill. The repeated one is then refused, because the role is there.
    const made = await server.asAdmin('POST', '/api/rbac/roles', created).catch(async (error: unknown) => {
      const found = await server.asAdmin('GET', `/api/rbac/roles?domain=ORG&scopeId=${org.id}&size=100`, undefined)
      const role = (found.items as { id: number; code: string }[]).find(({ code }) => code === created.code)
      if (role === undefined) throw error
      return role
    })
    org.roleId = (made as { id: number }).id
  } else await world.server.asAdmin('PUT', `/api/rbac/roles/${org.roleId}`, role)
  world.model.customPoints.set(org.id, points)
  world.note(`the custom role of ${org.id} has ${points.join()}`)
}

/** The owner deletes everything in an organization, and then the organization. */
export async function dissolve(world: World): Promise<void> {
  const { model } = world
  const org = world.pick(world.orgs)
  if (org === undefined || org.isDissolved || world.isBig || !world.chance(15)) return
  const device = org.owner.devices[0]!
  const depth = (row: Row): number => {
    const parent = row.data['parentId']
    return typeof parent === 'number' ? 1 + depth(model.find(row.entity, parent)!) : 0
  }
  const rows = model.live.filter(({ owner }) => owner === org.id)
  for (const row of rows.toSorted((a, b) => depth(b) - depth(a))) {
    const path = PATHS[row.entity]
    await world.request(device, 'DELETE', `${path}/${row.id}`)
    model.delete(row)
  }
  const reply = await world.request(device, 'DELETE', `/api/orgs/${org.id}?force=true`)
  if (reply.status !== 200 && !reply.isRepeated) throw new Mismatch(`dissolving answered ${reply.text}`)
  world.note(`organization ${org.id} is dissolved`)
  for (const row of model.rows.values()) if (row.owner === org.id && !row.isGone) model.purge(row)
  model.members.get(org.id)!.clear()
  org.isDissolved = true
}

const shares = new WeakMap<World, { org: Org; id: number; copy: Row }[]>()

/** Shares a code or photo with an organization, or removes a share. */
export async function share(world: World): Promise<void> {
  const { chance, model, pick } = world
  const made = shares.get(world) ?? []
  shares.set(world, made)
  const org = pick(world.orgs)
  if (org === undefined || org.isDissolved) return
  const old = made.find((each) => each.org === org && !each.copy.isGone)
  if (old && chance(50)) {
    const reply = await world.request(org.owner.devices[0], 'DELETE', `/api/orgs/${org.id}/shares/${old.id}`)
    if (reply.status !== 200 && !reply.isRepeated) throw new Mismatch(`removing a share answered ${reply.text}`)
    world.note(`share ${old.id} is removed`)
    made.splice(made.indexOf(old), 1)
    model.purge(old.copy)
    return
  }
  const user = pick(world.users.filter(({ id }) => model.can(id, org.id, 'share:create')))
  const source =
    user &&
    pick(
      model.live.filter(({ owner, entity }) => owner === -user.id && (entity === 'qrCode' || entity === 'albumPhoto')),
    )
  if (source === undefined || made.some((each) => each.org === org)) return
  const entityType = source.entity === 'qrCode' ? 'QR_CODE' : 'ALBUM_PHOTO'
  const view = await world.ok(user!.devices[0], 'POST', `/api/orgs/${org.id}/shares`, {
    entityType,
    sourceId: source.id,
  })
  world.note(`user ${user!.id} shares ${entityType} ${source.id} as ${view.copyId} in ${org.id}`)
  const { data } = source
  const copied =
    source.entity === 'qrCode'
      ? { name: data['name'], content: data['content'], remark: data['remark'], tags: data['tags'] }
      : { ...data, qrCodeId: null, fileId: undefined }
  const copy = model.create(source.entity, view.copyId as number, org.id, user!.id, copied, undefined)
  made.push({ org, id: view.id as number, copy })
}

/** A user gives an asset to an organization. */
export async function giveAsset(world: World): Promise<void> {
  const { model, pick } = world
  const org = pick(world.orgs)
  if (org === undefined || org.isDissolved || !world.entities.includes('asset')) return
  const user = pick(world.users.filter(({ id }) => model.can(id, org.id, 'asset:create')))
  const row = user && pick(model.liveOf('asset', -user.id))
  if (row === undefined) return
  const reply = await world.request(user!.devices[0], 'POST', `/api/assets/${row.id}/transfer`, { toOrgId: org.id })
  world.note(`asset ${row.id} is given to ${org.id}: ${reply.status}`)
  const isDone = reply.isRepeated && (await isIn(world, user!, row, org))
  if (reply.status !== 200 && !isDone) return
  row.owner = org.id
  delete row.data[`#${user!.fieldId}`]
  // A change of the owner is a change, even of a row without a category.
  model.change(row, { categoryId: null, owner: org.id })
  delete row.data['owner']
  if (!isDone) learn(world, row, { ...reply, data: reply.data.asset })
}

const isIn = async (world: World, user: User, row: Row, org: Org): Promise<boolean> =>
  (await world.request(user.devices[0], 'GET', `${PATHS[row.entity]}/${row.id}?orgId=${org.id}`)).status === 200
