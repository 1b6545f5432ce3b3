/** All organizations of the server, for administrators. */

import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import { findOrgRole, OWNER } from '#domains/access/index.ts'
import { adminPage, ownersOf } from '#domains/admin/index.ts'
import { avatarUrl, storageQuota } from '#domains/files/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import { isActiveUser } from '../members/members.store.ts'
import { requireMayGive } from '../memberships/memberships.service.ts'
import { notifyOwner } from '../notifications.ts'
import {
  changeAnyOrg,
  countResources,
  dissolve,
  insertOrg,
  setOrgStatus,
} from '../organizations/organizations.service.ts'
import { openOffers } from '../organizations/organizations.store.ts'
import { toPublicOrg } from '../organizations/organizations.view.ts'
import { ownRole } from '../orgs.errors.ts'
import { findOrg, type OrgRow, zoneOf } from '../orgs.store.ts'
import { transferOwnership } from '../transfers/transfers.service.ts'
import type { AnyOrg, AnyOrgDetail, AnyOrgsQuery, CreateAnyOrg, UpdateAnyOrg } from './orgs.admin.model.ts'
import { organizationsList } from './orgs.admin.store.ts'

export async function listAnyOrgs(
  ctx: AppContext,
  actor: Actor,
  { page, size, ...query }: AnyOrgsQuery,
): Promise<Page<AnyOrg>> {
  const found = await adminPage(ctx, actor.userId, organizationsList(query), { page, size })
  return { ...found, items: await toViews(ctx, found.items) }
}

export async function getAnyOrg(ctx: AppContext, id: number): Promise<AnyOrgDetail> {
  const org = await findOrg(ctx.db.read, id)
  if (org === undefined) throw notFound()
  const [view] = await toViews(ctx, [org])
  return { ...view!, resources: await countResources(ctx, ctx.db.readInWorker, id) }
}

/** In three queries, however many organizations there are. */
async function toViews(ctx: AppContext, orgs: readonly OrgRow[]): Promise<AnyOrg[]> {
  const { read } = ctx.db
  const ownerKey = ({ ownerId }: OrgRow) => ({ userId: ownerId, orgId: 0 })
  const ownedBy = await ownersOf(read, orgs.map(ownerKey))
  const offers = await openOffers(
    read,
    orgs.map((org) => org.id),
    ctx.clock.now(),
  )
  return orgs.map((org) => ({
    ...toPublicOrg(ctx, org),
    status: org.status,
    memberLimit: org.memberLimit,
    timeZone: zoneOf(org),
    ownerId: org.ownerId,
    owner: ownedBy(ownerKey(org)).owner,
    pendingTransfer: offers.get(org.id) ?? null,
    updatedAt: org.updatedAt,
  }))
}

/** Without the organization code: with it, anyone can join a FREE organization. */
const loggedFields = (ctx: AppContext, org: OrgRow) => ({
  name: org.name,
  description: org.description,
  status: org.status,
  visibility: org.visibility,
  joinPolicy: org.joinPolicy,
  memberLimit: org.memberLimit,
  timeZone: zoneOf(org),
  avatarUrl: avatarUrl(ctx, org.avatar),
  ownerId: org.ownerId,
})

/** The owner's quota of organizations does not count. */
export async function createAnyOrg(
  ctx: AppContext,
  actor: LoggedActor,
  { ownerId, ...input }: CreateAnyOrg,
): Promise<AnyOrgDetail> {
  const storage = await storageQuota(ctx)
  const id = await actor.write('orgs.createAny', async (tx) => {
    if (!(await isActiveUser(tx, ownerId)))
      throw invalid('body.ownerId', 'must be the id of an active user', '须为有效用户的 id')
    const inserted = await insertOrg(ctx, tx, { ownerId, creatorId: actor.userId }, input, storage)
    const org = (await findOrg(tx, inserted.id))!
    await notifyOwner(ctx, tx, org, actor, { change: 'CREATED' })
    return { result: org.id, logged: { targetId: org.id, targetName: org.name, after: loggedFields(ctx, org) } }
  })
  return getAnyOrg(ctx, id)
}

export async function updateAnyOrg(
  ctx: AppContext,
  actor: LoggedActor,
  id: number,
  { status, ...input }: UpdateAnyOrg,
): Promise<AnyOrgDetail> {
  const storage = await storageQuota(ctx)
  await actor.write('orgs.updateAny', async (tx) => {
    const org = await findOrg(tx, id)
    if (org === undefined) throw notFound()
    const changed = await changeAnyOrg(ctx, tx, actor, org, input, storage)
    const before = loggedFields(ctx, org)
    const after = { ...loggedFields(ctx, changed), status: status ?? org.status }
    if (after.status !== org.status) {
      await setOrgStatus(ctx, tx, id, after.status)
      await notifyOwner(ctx, tx, changed, actor, { change: after.status === 'DISABLED' ? 'DISABLED' : 'ENABLED' })
    } else if (!Bun.deepEquals(before, after)) await notifyOwner(ctx, tx, changed, actor, { change: 'CHANGED' })
    return { result: undefined, logged: { targetId: id, targetName: changed.name, before, after } }
  })
  return getAnyOrg(ctx, id)
}

export async function dissolveAnyOrg(ctx: AppContext, actor: LoggedActor, id: number, force: boolean): Promise<void> {
  await actor.write('orgs.dissolveAny', async (tx) => {
    const org = await findOrg(tx, id)
    if (org === undefined) throw notFound()
    await dissolve(ctx, tx, actor, org, force)
    const before = { ...loggedFields(ctx, org), memberCount: org.memberCount }
    return { result: undefined, logged: { targetId: id, targetName: org.name, before } }
  })
}

/** The new owner does not have to accept. Administrators cannot make themselves the owner. */
export async function transferAnyOrg(
  ctx: AppContext,
  actor: LoggedActor,
  id: number,
  userId: number,
): Promise<AnyOrgDetail> {
  await actor.write('orgs.transferAny', async (tx) => {
    const org = await findOrg(tx, id)
    if (org === undefined) throw notFound()
    if (userId === actor.userId) throw ownRole()
    await requireMayGive(tx, actor, id, (await findOrgRole(tx, id, { code: OWNER }))!)
    await transferOwnership(ctx, tx, org, userId)
    const [before, after] = [{ ownerId: org.ownerId }, { ownerId: userId }]
    return { result: undefined, logged: { targetId: id, targetName: org.name, before, after } }
  })
  return getAnyOrg(ctx, id)
}
