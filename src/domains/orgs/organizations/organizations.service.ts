import type { AppContext } from '#context'
import { note } from '#db/notes.ts'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { OrgStatus } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { withSecondFactor } from '#domains/accounts/index.ts'
import { contributions, emit } from '#domains/domain.ts'
import { changeAvatar, giveToOrganization, type StorageQuota, storageQuota } from '#domains/files/index.ts'
import { removeRemains } from '#domains/removals/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { notForApiKeys } from '#http/key-access.ts'
import { organizationDisabled } from '#http/permissions.ts'
import { isZoneName } from '#lib/days.ts'
import type { Locale } from '#lib/localized.ts'
import { CODE_ALPHABET, randomCode } from '#platform/ids.ts'

import { addMember } from '../members/members.service.ts'
import { findMember } from '../members/members.store.ts'
import { notifyOfDissolution } from '../notifications.ts'
import {
  type CountedResource,
  hasOtherMembers,
  hasResources,
  limitBelowMemberCount,
  membersOnly,
  notAZone,
  orgQuotaReached,
  ownerOnly,
  ownFactorNeeded,
} from '../orgs.errors.ts'
import { CODE_LENGTH, DEFAULT_MEMBER_LIMIT, effectiveJoinPolicy } from '../orgs.rules.ts'
import { countOwned, findOrg, findOrgByCode, type OrgRow } from '../orgs.store.ts'
import type {
  CreateOrg,
  DiscoverQuery,
  OrgQrCode,
  OrgResources,
  OrgStats,
  OrgView,
  PublicOrg,
  UpdateOrg,
} from './organizations.model.ts'
import * as store from './organizations.store.ts'
import { type Membership, toOrgView, toPublicOrg, toQrCode } from './organizations.view.ts'

const pictureOf = (orgId: number) => ({ type: 'org', entityType: 'ORG', entityId: orgId }) as const

const newCode = (): string => randomCode(CODE_ALPHABET, CODE_LENGTH)

async function membershipOf(ctx: AppContext, orgId: number, userId: number, locale: Locale): Promise<Membership> {
  const { read } = ctx.db
  const [role] = await access.orgRolesOf(read, orgId, userId)
  const transfer = (await store.openOffers(read, [orgId], ctx.clock.now())).get(orgId)
  return { userId, role, permissions: await access.permissionSet(ctx, userId, 'ORG', orgId), transfer, locale }
}

const viewForMember = async (ctx: AppContext, actor: Actor, org: OrgRow, locale: Locale): Promise<OrgView> =>
  toOrgView(ctx, org, await membershipOf(ctx, org.id, actor.userId, locale))

async function findOrFail(ctx: AppContext, id: number): Promise<OrgRow> {
  const org = await findOrg(ctx.db.read, id)
  if (org === undefined) throw notFound()
  return org
}

/** The caller becomes the owner. The organization gets its own copies of the role templates. */
export async function createOrg(ctx: AppContext, actor: Actor, input: CreateOrg, locale: Locale): Promise<OrgView> {
  const quota = await getSetting(ctx, 'quota.organizations')
  const storage = await storageQuota(ctx)
  const { id } = await ctx.db.write('orgs.createOrg', async (tx) => {
    await checkMayOwnMore(tx, actor.userId, quota)
    return insertOrg(ctx, tx, { ownerId: actor.userId, creatorId: actor.userId }, input, storage)
  })
  return viewForMember(ctx, actor, await findOrFail(ctx, id), locale)
}

/** Inserts an organization with its roles, its owner and its picture, which the creator has uploaded. Returns it without the picture. */
export async function insertOrg(
  ctx: AppContext,
  tx: Tx,
  { ownerId, creatorId }: { ownerId: number; creatorId: number },
  input: CreateOrg,
  storage: StorageQuota,
): Promise<OrgRow> {
  const visibility = input.visibility ?? 'PUBLIC'
  const values = {
    name: input.name,
    description: input.description ?? '',
    visibility,
    joinPolicy: effectiveJoinPolicy(visibility, input.joinPolicy ?? 'APPROVAL'),
    memberLimit: input.memberLimit ?? DEFAULT_MEMBER_LIMIT,
    timeZone: checkedZone(input),
    avatar: null,
    ownerId,
  }
  let org: OrgRow | undefined
  while (org === undefined) org = await store.insertOrg(tx, { ...values, code: newCode() })
  note(tx, { type: 'org.created', id: org.id, data: { id: org.id, name: org.name } })
  await access.copyOrgTemplates(tx, org.id)
  await addMember(ctx, tx, org.id, ownerId, { roleCode: access.OWNER })
  // Before there was an organization, its picture could only be uploaded as a file of the user.
  const avatar = await changeAvatarByUser(ctx, tx, creatorId, org, input, storage)
  if (avatar != null) await store.updateOrg(tx, org.id, { avatar })
  return org
}

/** `changeAvatar` with a file that the user has uploaded as their own. It becomes one of the organization. */
async function changeAvatarByUser(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  org: OrgRow,
  input: UpdateOrg,
  storage: StorageQuota,
): Promise<string | null | undefined> {
  const avatar = await changeAvatar(ctx, tx, { userId, orgId: 0 }, org.avatar, input, pictureOf(org.id))
  if (avatar != null && input.avatarFileId != null) await giveToOrganization(tx, input.avatarFileId, org.id, storage)
  return avatar
}

/** Inside a write, which makes it exact. `quota`: organizations that a user may own, 0 for any number. @throws AppError 429 */
export async function checkMayOwnMore(tx: Tx, userId: number, quota: number): Promise<void> {
  if (quota > 0 && (await countOwned(tx, userId)) >= quota) throw orgQuotaReached(quota)
}

export async function listMyOrgs(
  ctx: AppContext,
  actor: Actor,
  query: PageInput,
  locale: Locale,
): Promise<Page<OrgView>> {
  const { userId } = actor
  const page = await store.orgsOfUser(ctx.db.read, userId, query)
  const orgIds = page.items.map((org) => org.id)
  const roles = Map.groupBy(await access.orgRolesOfMany(ctx.db.read, orgIds, [userId]), (role) => role.orgId)
  const transfers = await store.openOffers(ctx.db.read, orgIds, ctx.clock.now())
  const items: OrgView[] = []
  for (const org of page.items) {
    const permissions = await access.permissionSet(ctx, userId, 'ORG', org.id)
    const [role] = roles.get(org.id) ?? []
    items.push(toOrgView(ctx, org, { userId, role, permissions, transfer: transfers.get(org.id), locale }))
  }
  return { ...page, items }
}

/** Non-members see PUBLIC active organizations; of an INTERNAL one they learn only that it exists (spec §4.4). */
export async function getOrg(ctx: AppContext, actor: Actor, id: number, locale: Locale): Promise<OrgView> {
  const org = await findOrFail(ctx, id)
  if (await findMember(ctx.db.read, id, actor.userId)) return viewForMember(ctx, actor, org, locale)
  if (org.visibility === 'INTERNAL') throw membersOnly()
  if (org.status !== 'ACTIVE') throw notFound()
  return toOrgView(ctx, org, undefined, await store.requestedAt(ctx.db.read, id, actor.userId))
}

export async function updateOrg(
  ctx: AppContext,
  actor: Actor,
  id: number,
  input: UpdateOrg,
  locale: Locale,
): Promise<OrgView> {
  const org = await ctx.db.write('orgs.updateOrg', async (tx) => {
    const before = await findOrg(tx, id)
    if (before === undefined) throw notFound()
    await changeRequirement(tx, actor, before, input)
    const owner = { userId: actor.userId, orgId: id }
    const avatar = await changeAvatar(ctx, tx, owner, before.avatar, input, pictureOf(id))
    return changeOrg(tx, before, input, avatar)
  })
  return viewForMember(ctx, actor, org, locale)
}

/**
 * Inside the write that changes `requireSecondFactor`: who may, and the permissions of all members.
 * @throws AppError 403 for everyone but the owner and for API keys, 400 for an owner without a second factor, who would be locked out
 */
async function changeRequirement(tx: Tx, { userId, key }: Actor, org: OrgRow, { requireSecondFactor }: UpdateOrg) {
  if (requireSecondFactor === undefined || requireSecondFactor === org.requireSecondFactor) return
  if (key !== undefined) throw notForApiKeys
  if (org.ownerId !== userId) throw ownerOnly()
  if (requireSecondFactor && !(await withSecondFactor(tx, [userId])).has(userId)) throw ownFactorNeeded()
  access.rolesChanged(tx)
}

/** `updateOrg` for administrators, who upload the picture as a file of their own. */
export const changeAnyOrg = async (
  ctx: AppContext,
  tx: Tx,
  actor: Actor,
  before: OrgRow,
  input: UpdateOrg,
  storage: StorageQuota,
): Promise<OrgRow> =>
  changeOrg(tx, before, input, await changeAvatarByUser(ctx, tx, actor.userId, before, input, storage))

/** `avatar` undefined: the picture stays. */
async function changeOrg(tx: Tx, before: OrgRow, input: UpdateOrg, avatar: string | null | undefined): Promise<OrgRow> {
  const after = await store.updateOrg(tx, before.id, { ...changeOf(before, input), avatar })
  if (after === undefined) throw limitBelowMemberCount(before.memberCount)
  return after
}

/** @throws AppError 400 */
function checkedZone({ timeZone = null }: Pick<UpdateOrg, 'timeZone'>): string | null {
  if (timeZone !== null && !isZoneName(timeZone)) throw notAZone()
  return timeZone
}

function changeOf(org: OrgRow, input: UpdateOrg): store.OrgChange {
  const visibility = input.visibility ?? org.visibility
  return {
    visibility,
    joinPolicy: effectiveJoinPolicy(visibility, input.joinPolicy ?? org.joinPolicy),
    ...(input.name !== undefined && { name: input.name }),
    ...(input.description !== undefined && { description: input.description ?? '' }),
    ...(input.memberLimit !== undefined && { memberLimit: input.memberLimit }),
    ...(input.requireSecondFactor !== undefined && { requireSecondFactor: input.requireSecondFactor }),
    ...(input.timeZone !== undefined && { timeZone: checkedZone(input) }),
  }
}

export async function resetCode(ctx: AppContext, actor: Actor, id: number, locale: Locale): Promise<OrgView> {
  const org = await ctx.db.write('orgs.resetCode', async (tx) => {
    let code = newCode()
    while (await findOrgByCode(tx, code)) code = newCode()
    return store.setCode(tx, id, code)
  })
  if (org === undefined) throw notFound()
  return viewForMember(ctx, actor, org, locale)
}

/**
 * Disables or enables an organization, for administrators. While it is DISABLED, its roles grant only the points that read, so every
 * operation that asks for another point answers its members with 403. Leaving, rejecting an invitation and withdrawing a
 * join request stay possible, because they ask for no point of the organization.
 */
export async function setOrgStatus(ctx: AppContext, tx: Tx, orgId: number, status: OrgStatus): Promise<void> {
  if (!(await store.setStatus(tx, orgId, status))) throw notFound()
  await emit(ctx, tx, 'org.statusChanged', { orgId, status })
  access.rolesChanged(tx)
}

/** Only the owner may dissolve an organization, even if a custom role has `org:delete`. */
export async function dissolveOrg(ctx: AppContext, actor: Actor, id: number, force: boolean): Promise<void> {
  await ctx.db.write('orgs.dissolveOrg', async (tx) => {
    const org = await findOrg(tx, id)
    if (org === undefined) throw notFound()
    if (org.ownerId !== actor.userId) throw ownerOnly()
    await dissolve(ctx, tx, actor, org, force)
  })
}

/**
 * Deletes an organization; the caller has checked who may. Refused while it owns anything, and, unless `force` is set, while it has members besides the
 * owner; they are notified. Nobody finds it after this write. Of its members and whatever else remains, the first rows are deleted in it, the others soon after.
 */
export async function dissolve(ctx: AppContext, tx: Tx, actor: Actor, org: OrgRow, force: boolean): Promise<void> {
  const left = (await countedResources(ctx, tx, org.id)).filter(({ count }) => count > 0)
  const others = force ? 0 : org.memberCount - 1
  if (left.length > 0) throw hasResources(left, others)
  if (others > 0) throw hasOtherMembers(others)
  if (org.memberCount > 1 || org.ownerId !== actor.userId) await notifyOfDissolution(tx, org, actor.userId)
  await emit(ctx, tx, 'org.dissolving', { orgId: org.id })
  note(tx, { type: 'org.dissolved', id: org.id, data: { id: org.id, name: org.name } })
  await access.deleteOrgRoles(tx, org.id)
  await store.deleteOrg(tx, org.id)
  await removeRemains(ctx, tx, org.id)
}

/** The number of things that the organization owns, by kind. */
export const countResources = async (ctx: AppContext, db: Db | Tx, orgId: number): Promise<OrgResources> =>
  (await countedResources(ctx, db, orgId)).map(({ name, count }) => ({ name, count }))

async function countedResources(ctx: AppContext, db: Db | Tx, orgId: number): Promise<CountedResource[]> {
  const resources: CountedResource[] = []
  for (const { key, name, count } of contributions(ctx, 'orgResources').flat())
    resources.push({ key, name, count: await count(db, orgId) })
  return resources
}

export const getQrCode = async (ctx: AppContext, id: number): Promise<OrgQrCode> =>
  toQrCode(ctx, await findOrFail(ctx, id))

export async function switchOrg(ctx: AppContext, actor: Actor, id: number, locale: Locale): Promise<OrgView> {
  await setCurrentOrg(ctx, actor, id)
  return viewForMember(ctx, actor, await findOrFail(ctx, id), locale)
}

/** Null for none. An organization that the caller is not a member of is answered like one that does not exist. */
export async function setCurrentOrg(ctx: AppContext, actor: Actor, orgId: number | null): Promise<void> {
  await ctx.db.write('orgs.setCurrentOrg', async (tx) => {
    if (!(await store.setCurrentOrg(tx, actor.userId, orgId))) throw notFound()
    if (orgId !== null) await requireEnabled(tx, orgId)
  })
}

/** For writes that ask for a reading point only. @throws AppError 403 if the organization is DISABLED */
export async function requireEnabled(tx: Tx, orgId: number): Promise<void> {
  if (!(await isOrgEnabled(tx, orgId))) throw organizationDisabled
}

/** False also for an organization that does not exist. */
export const isOrgEnabled = async (db: Db | Tx, orgId: number): Promise<boolean> =>
  (await findOrg(db, orgId))?.status === 'ACTIVE'

export async function discoverOrgs(ctx: AppContext, actor: Actor, query: DiscoverQuery): Promise<Page<PublicOrg>> {
  return mapPage(await ctx.db.search(actor.userId, (db) => store.searchPublicOrgs(db, query)), (org) =>
    toPublicOrg(ctx, org),
  )
}

export async function getStats(ctx: AppContext, id: number, locale: Locale): Promise<OrgStats> {
  const { readInWorker } = ctx.db
  const org = await findOrFail(ctx, id)
  const [roles, pendingRequests, pendingInvitations, resources] = await Promise.all([
    store.countByRole(readInWorker, id),
    store.countRequests(readInWorker, id),
    store.countOpenInvitations(readInWorker, id, ctx.clock.now()),
    countResources(ctx, readInWorker, id),
  ])
  return {
    memberCount: org.memberCount,
    memberLimit: org.memberLimit,
    pendingRequests,
    pendingInvitations,
    roles: roles.map((role) => ({
      ...role,
      roleName: access.orgRoleName({ code: role.roleCode, name: role.roleName }, locale),
    })),
    resources,
  }
}
