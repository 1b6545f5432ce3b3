import type { AppContext } from '#context'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { contributions } from '#domains/domain.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { randomCode } from '#platform/ids.ts'

import {
  hasMembers,
  hasResources,
  internalOrg,
  limitBelowCount,
  notAMember,
  onlyOwner,
  orgDisabled,
  ownerAlready,
} from '../errors.ts'
import { addMember } from '../members/membership.ts'
import { findMember, isActiveUser } from '../members/store.ts'
import { CODE_ALPHABET, CODE_LENGTH, DEFAULT_MEMBER_LIMIT, policyFor } from '../rules.ts'
import type { CreateOrg, OrgQrCode, OrgView, PublicOrg, UpdateOrg } from './model.ts'
import {
  deleteOrg,
  discoverPage,
  type DiscoverQuery,
  findOrg,
  findOrgByCode,
  insertOrg,
  type OrgChange,
  type OrgRow,
  orgsPageOf,
  setCode,
  setCurrentOrg,
  setOwner,
  updateOrg,
} from './store.ts'
import { type Standing, toOrgView, toPublicOrg, toQrCode } from './view.ts'

const newCode = (): string => randomCode(CODE_ALPHABET, CODE_LENGTH)

/** What a member is in an organization, as this process knows it. */
async function standingOf(ctx: AppContext, orgId: number, userId: number): Promise<Standing> {
  const [role] = await access.orgRolesOf(ctx.db.read, orgId, userId)
  return { userId, role, permissions: await access.permissionSet(ctx, userId, 'ORG', orgId) }
}

const viewFor = async (ctx: AppContext, actor: Actor, org: OrgRow): Promise<OrgView> =>
  toOrgView(org, await standingOf(ctx, org.id, actor.userId))

async function orgOf(ctx: AppContext, id: number): Promise<OrgRow> {
  const org = await findOrg(ctx.db.read, id)
  if (org === undefined) throw notFound()
  return org
}

/** The caller becomes the owner. The organization has its own roles from the beginning. */
export async function createOrg(ctx: AppContext, actor: Actor, input: CreateOrg): Promise<OrgView> {
  const visibility = input.visibility ?? 'PUBLIC'
  const values = {
    name: input.name,
    description: input.description ?? '',
    visibility,
    joinPolicy: policyFor(visibility, input.joinPolicy ?? 'APPROVAL'),
    memberLimit: input.memberLimit ?? DEFAULT_MEMBER_LIMIT,
    avatarUrl: input.avatarUrl || null,
    ownerId: actor.userId,
  }
  const id = await ctx.db.write('orgs.create', async (tx) => {
    let org: OrgRow | undefined
    while (org === undefined) org = await insertOrg(tx, { ...values, code: newCode() })
    await access.copyOrgTemplates(tx, org.id)
    await addMember(ctx, tx, org.id, actor.userId, access.OWNER)
    return org.id
  })
  return viewFor(ctx, actor, await orgOf(ctx, id))
}

export async function listMyOrgs(ctx: AppContext, actor: Actor, query: PageInput): Promise<Page<OrgView>> {
  const page = await orgsPageOf(ctx.db.read, actor.userId, query)
  const roles = Map.groupBy(
    await access.orgRolesOfMany(
      ctx.db.read,
      page.items.map((org) => org.id),
      [actor.userId],
    ),
    (role) => role.orgId,
  )
  const items: OrgView[] = []
  for (const org of page.items)
    items.push(
      toOrgView(org, {
        userId: actor.userId,
        role: roles.get(org.id)?.[0],
        permissions: await access.permissionSet(ctx, actor.userId, 'ORG', org.id),
      }),
    )
  return { ...page, items }
}

/** Strangers see public active organizations; that of an INTERNAL one they learn no more than that it exists (spec §4.4). */
export async function getOrg(ctx: AppContext, actor: Actor, id: number): Promise<OrgView> {
  const org = await orgOf(ctx, id)
  if (await findMember(ctx.db.read, id, actor.userId)) return viewFor(ctx, actor, org)
  if (org.visibility === 'INTERNAL') throw internalOrg()
  if (org.status !== 'ACTIVE') throw notFound()
  return toOrgView(org, undefined)
}

export async function editOrg(ctx: AppContext, actor: Actor, id: number, input: UpdateOrg): Promise<OrgView> {
  const org = await ctx.db.write('orgs.editOrg', async (tx) => {
    const before = await findOrg(tx, id)
    if (before === undefined) throw notFound()
    const after = await updateOrg(tx, id, changeOf(before, input))
    if (after === undefined) throw limitBelowCount(before.memberCount)
    return after
  })
  return viewFor(ctx, actor, org)
}

function changeOf(org: OrgRow, input: UpdateOrg): OrgChange {
  const visibility = input.visibility ?? org.visibility
  return {
    visibility,
    joinPolicy: policyFor(visibility, input.joinPolicy ?? org.joinPolicy),
    ...(input.name !== undefined && { name: input.name }),
    ...(input.description !== undefined && { description: input.description ?? '' }),
    ...(input.memberLimit !== undefined && { memberLimit: input.memberLimit }),
    ...(input.avatarUrl !== undefined && { avatarUrl: input.avatarUrl || null }),
  }
}

export async function resetCode(ctx: AppContext, actor: Actor, id: number): Promise<OrgView> {
  const org = await ctx.db.write('orgs.resetCode', async (tx) => {
    let code = newCode()
    while (await findOrgByCode(tx, code)) code = newCode()
    return setCode(tx, id, code)
  })
  if (org === undefined) throw notFound()
  return viewFor(ctx, actor, org)
}

/** The owner alone. Refused while the organization owns anything; with other members only when `force` says that they are known. */
export async function dissolveOrg(ctx: AppContext, actor: Actor, id: number, force: boolean): Promise<void> {
  await ctx.db.write('orgs.dissolve', async (tx) => {
    const org = await findOrg(tx, id)
    if (org === undefined) throw notFound()
    if (org.ownerId !== actor.userId) throw onlyOwner()
    await dissolve(ctx, tx, org, force)
  })
}

/** Whoever may. Everything of the organization goes, in this write. */
export async function dissolve(ctx: AppContext, tx: Tx, org: OrgRow, force: boolean): Promise<void> {
  const resources = contributions(ctx, 'orgResources').flat()
  for (const resource of resources) {
    const count = await resource.count(tx, org.id)
    if (count > 0) throw hasResources(`${resource.name} (${count})`)
  }
  if (org.memberCount > 1 && !force) throw hasMembers(org.memberCount - 1)
  for (const resource of resources) await resource.purge?.(tx, org.id)
  await access.dropOrgRoles(ctx, tx, org.id)
  await deleteOrg(tx, org.id)
}

/** The caller, the owner, hands over to another member and stays as an administrator. */
export async function transferOrg(ctx: AppContext, actor: Actor, id: number, userId: number): Promise<OrgView> {
  await ctx.db.write('orgs.transferOrg', (tx) => transfer(ctx, tx, id, actor.userId, userId))
  return viewFor(ctx, actor, await orgOf(ctx, id))
}

/** From the one who is the owner now to another active member. There is one owner before and after, never two or none. */
export async function transfer(ctx: AppContext, tx: Tx, orgId: number, from: number, to: number): Promise<void> {
  if ((await findOrg(tx, orgId))?.ownerId !== from) throw onlyOwner()
  if (from === to) throw ownerAlready()
  if ((await findMember(tx, orgId, to)) === undefined || !(await isActiveUser(tx, to))) throw notAMember()
  if (!(await setOwner(tx, orgId, from, to))) throw onlyOwner()
  await access.unbindRoles(ctx, tx, from, 'ORG', orgId)
  await access.unbindRoles(ctx, tx, to, 'ORG', orgId)
  await access.bindRole(ctx, tx, from, 'ORG', orgId, 'ADMIN')
  await access.bindRole(ctx, tx, to, 'ORG', orgId, access.OWNER)
}

export const orgQrCode = async (ctx: AppContext, id: number): Promise<OrgQrCode> => toQrCode(ctx, await orgOf(ctx, id))

/** The caller's current organization from now on. */
export async function switchOrg(ctx: AppContext, actor: Actor, id: number): Promise<OrgView> {
  await chooseOrg(ctx, actor, id)
  return viewFor(ctx, actor, await orgOf(ctx, id))
}

/** An organization that the caller is a member of, or none. Any other is answered like one that does not exist. */
export async function chooseOrg(ctx: AppContext, actor: Actor, orgId: number | null): Promise<void> {
  await ctx.db.write('orgs.chooseOrg', async (tx) => {
    if (!(await setCurrentOrg(tx, actor.userId, orgId))) throw notFound()
    if (orgId !== null && (await findOrg(tx, orgId))?.status !== 'ACTIVE') throw orgDisabled()
  })
}

export async function discoverOrgs(ctx: AppContext, query: DiscoverQuery): Promise<Page<PublicOrg>> {
  return mapPage(await discoverPage(ctx.db.read, query), toPublicOrg)
}
