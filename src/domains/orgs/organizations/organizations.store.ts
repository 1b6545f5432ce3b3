import { and, asc, count, eq, gt, inArray, lte, or, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { note } from '#db/notes.ts'
import { orgExists } from '#db/org-exists.ts'
import { mapPage, type Page, type PageInput, pageOfQuery } from '#db/paging.ts'
import { roles, userRoles } from '#db/schema/access.ts'
import { users } from '#db/schema/accounts.ts'
import { orgLocations } from '#db/schema/locations.ts'
import {
  organizations,
  orgInvitations,
  orgJoinRequests,
  orgMembers,
  type OrgStatus,
  orgTransfers,
} from '#db/schema/orgs.ts'
import { searchPage } from '#db/search.ts'
import type { Db, Tx } from '#db/store.ts'
import { updatedAtFor } from '#db/updated-at.ts'
import { isReplaced, MEMBER } from '#domains/access/index.ts'
import type { MetaObject } from '#domains/contributions.ts'

import { type OrgRow, zoneOf } from '../orgs.store.ts'
import type { DiscoverQuery, PendingTransfer } from './organizations.model.ts'

export type NewOrg = Pick<
  OrgRow,
  'name' | 'description' | 'code' | 'visibility' | 'joinPolicy' | 'memberLimit' | 'timeZone' | 'avatar' | 'ownerId'
>
export type OrgChange = Partial<
  Pick<
    OrgRow,
    'name' | 'description' | 'visibility' | 'joinPolicy' | 'memberLimit' | 'timeZone' | 'avatar' | 'requireSecondFactor'
  >
>

/** Undefined if the code is taken. The member count is 0 until the owner is added as a member. */
export async function insertOrg(tx: Tx, org: NewOrg): Promise<OrgRow | undefined> {
  const rows = await tx
    .insert(organizations)
    .values({ ...org, memberCount: 0, createdAt: tx.stamp, updatedAt: tx.stamp })
    .onConflictDoNothing({ target: organizations.code })
    .returning()
  return rows[0]
}

const noteUpdate = (tx: Tx, id: number): void => note(tx, { type: 'org.updated', owner: id, id })

/** Undefined if there is no such organization, or if it has more members than the new limit. */
export async function updateOrg(tx: Tx, id: number, change: OrgChange): Promise<OrgRow | undefined> {
  const fits = change.memberLimit === undefined ? undefined : lte(organizations.memberCount, change.memberLimit)
  const rows = await tx
    .update(organizations)
    .set({ ...change, updatedAt: updatedAtFor(organizations, change, tx.stamp) })
    .where(and(eq(organizations.id, id), fits))
    .returning()
  if (rows[0]?.updatedAt === tx.stamp) noteUpdate(tx, id)
  return rows[0]
}

/** Clears the pictures of those of the organizations that have one of these. */
export async function clearAvatars(tx: Tx, orgIds: readonly number[], avatars: readonly string[]): Promise<void> {
  const rows = await tx
    .update(organizations)
    .set({ avatar: null, updatedAt: tx.stamp })
    .where(and(inArray(organizations.id, [...orgIds]), inArray(organizations.avatar, [...avatars])))
    .returning({ id: organizations.id })
  for (const { id } of rows) noteUpdate(tx, id)
}

export async function setCode(tx: Tx, id: number, code: string): Promise<OrgRow | undefined> {
  const rows = await tx
    .update(organizations)
    .set({ code, updatedAt: tx.stamp })
    .where(eq(organizations.id, id))
    .returning()
  noteUpdate(tx, id)
  return rows[0]
}

/** False if there is no such organization. */
export async function setStatus(tx: Tx, id: number, status: OrgStatus): Promise<boolean> {
  const rows = await tx
    .update(organizations)
    .set({ status, updatedAt: updatedAtFor(organizations, { status }, tx.stamp) })
    .where(eq(organizations.id, id))
    .returning({ id: organizations.id, updatedAt: organizations.updatedAt })
  if (rows[0]?.updatedAt === tx.stamp) noteUpdate(tx, id)
  return rows.length > 0
}

/** False if `from` is no longer the owner. */
export async function setOwner(tx: Tx, id: number, from: number, to: number): Promise<boolean> {
  const rows = await tx
    .update(organizations)
    .set({ ownerId: to, updatedAt: tx.stamp })
    .where(and(eq(organizations.id, id), eq(organizations.ownerId, from)))
    .returning({ id: organizations.id })
  if (rows.length > 0) noteUpdate(tx, id)
  return rows.length > 0
}

/**
 * Deletes an organization with its offer of ownership and its locations, of which there are at most 5,000. Members, requests, invitations and shares
 * remain: no operation finds them without the organization.
 */
export async function deleteOrg(tx: Tx, id: number): Promise<void> {
  await tx.delete(orgTransfers).where(eq(orgTransfers.orgId, id))
  await tx.delete(orgLocations).where(eq(orgLocations.orgId, id))
  await tx.delete(organizations).where(eq(organizations.id, id))
}

/** The organizations of a user, the earliest joined first. */
export async function orgsOfUser(db: Db, userId: number, page: PageInput): Promise<Page<OrgRow>> {
  const where = and(eq(orgMembers.userId, userId), orgExists(orgMembers.orgId))
  const rows = await pageOfQuery(
    page,
    db
      .select({ org: organizations })
      .from(orgMembers)
      .innerJoin(organizations, eq(organizations.id, orgMembers.orgId))
      .where(where)
      .orderBy(asc(orgMembers.joinedAt), asc(orgMembers.orgId)),
    db.select({ n: count() }).from(orgMembers).where(where),
  )
  return mapPage(rows, (row) => row.org)
}

/** The zone in which the days of an organization begin; that of the server if there is no such organization. */
export async function zoneOfOrg(db: Db | Tx, orgId: number): Promise<string> {
  const rows = await db
    .select({ timeZone: organizations.timeZone })
    .from(organizations)
    .where(eq(organizations.id, orgId))
  return zoneOf(rows[0] ?? { timeZone: null })
}

const { name, memberCount, createdAt, id } = organizations
const discoverOrders = {
  createdAt: [createdAt, id],
  name: [name, createdAt, id],
  memberCount: [memberCount, createdAt, id],
}

/** PUBLIC active organizations, the oldest first by default. `db` is that of `Store.search`: there can be any number of them. */
export function searchPublicOrgs(db: Db, query: DiscoverQuery): Promise<Page<OrgRow>> {
  const { keyword, sort = 'createdAt', page, size } = query
  return searchPage(
    db,
    {
      table: organizations,
      scope: and(eq(organizations.visibility, 'PUBLIC'), eq(organizations.status, 'ACTIVE')),
      order: discoverOrders[sort.replace('-', '') as keyof typeof discoverOrders],
      isReversed: sort.startsWith('-'),
      where: keyword
        ? or(contains(organizations.name, keyword), contains(organizations.description, keyword))
        : undefined,
      select: (builders) => builders.select().from(organizations).$dynamic(),
    },
    { page, size },
  )
}

/** Sets the current organization of a user, or none if null. False if the user is not a member of it. */
export async function setCurrentOrg(tx: Tx, userId: number, orgId: number | null): Promise<boolean> {
  const membership = sql`exists (select 1 from ${orgMembers} where ${orgMembers.orgId} = ${orgId} and ${orgMembers.userId} = ${userId} and ${orgExists(orgMembers.orgId)})`
  const rows = await tx
    .update(users)
    .set({ currentOrgId: orgId, updatedAt: updatedAtFor(users, { currentOrgId: orgId }, tx.stamp) })
    .where(and(eq(users.id, userId), orgId === null ? undefined : membership))
    .returning({ id: users.id })
  return rows.length > 0
}

/** Number of members per role of an organization, including roles without members. Those of a deleted role count as MEMBER until they are moved. */
export async function countByRole(db: Db, orgId: number) {
  const rows = await db
    .select({
      roleId: roles.id,
      roleCode: roles.code,
      roleName: roles.name,
      memberCount: count(userRoles.userId),
      isReplaced: isReplaced.mapWith(Boolean).as('is_replaced'),
    })
    .from(roles)
    .leftJoin(userRoles, eq(userRoles.roleId, roles.id))
    .where(and(eq(roles.domain, 'ORG'), eq(roles.scopeId, orgId)))
    .groupBy(roles.id, roles.code, roles.name)
    .orderBy(asc(roles.id))
  const waiting = rows.reduce((sum, row) => sum + (row.isReplaced ? row.memberCount : 0), 0)
  return rows
    .filter((row) => !row.isReplaced)
    .map(({ roleId, roleCode, roleName, memberCount }) => ({
      roleId,
      roleCode,
      roleName,
      memberCount: roleCode === MEMBER ? memberCount + waiting : memberCount,
    }))
}

export async function countRequests(db: Db, orgId: number): Promise<number> {
  const [row] = await db.select({ n: count() }).from(orgJoinRequests).where(eq(orgJoinRequests.orgId, orgId))
  return row!.n
}

/** Undefined if the user has no request to this organization. */
export async function requestedAt(db: Db, orgId: number, userId: number): Promise<number | undefined> {
  const rows = await db
    .select({ createdAt: orgJoinRequests.createdAt })
    .from(orgJoinRequests)
    .where(and(eq(orgJoinRequests.orgId, orgId), eq(orgJoinRequests.userId, userId)))
  return rows[0]?.createdAt
}

/** Number of invitations that can be answered at `now` (epoch milliseconds). */
export async function countOpenInvitations(db: Db, orgId: number, now: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(orgInvitations)
    .where(
      and(eq(orgInvitations.orgId, orgId), eq(orgInvitations.status, 'PENDING'), gt(orgInvitations.expiresAt, now)),
    )
  return row!.n
}

/** The offers of these organizations that are open at `now`, by organization id. */
export async function openOffers(
  db: Db,
  orgIds: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, PendingTransfer>> {
  if (orgIds.length === 0) return new Map()
  const rows = await db
    .select({ offer: orgTransfers, nickname: users.nickname })
    .from(orgTransfers)
    .innerJoin(users, eq(users.id, orgTransfers.candidateId))
    .where(and(inArray(orgTransfers.orgId, [...orgIds]), gt(orgTransfers.expiresAt, now)))
  return new Map(
    rows.map(({ offer, nickname }) => [
      offer.orgId,
      { userId: offer.candidateId, nickname, createdAt: offer.createdAt, expiresAt: offer.expiresAt },
    ]),
  )
}

/** Organizations as things that have metadata. */
export const orgObject: MetaObject = {
  readPoint: 'org:read',
  async findEntities(db, ids) {
    const rows = await db
      .select({ id: organizations.id, name: organizations.name })
      .from(organizations)
      .where(inArray(organizations.id, [...ids]))
    return rows.map((row) => ({ id: row.id, owner: row.id, title: row.name, templateIds: [], columns: {} }))
  },
  isLive: (orgId) => sql`exists (select 1 from ${organizations} where ${organizations.id} = ${orgId})`,
  entities: {
    table: organizations,
    id: organizations.id,
    order: [organizations.id],
    where: (owner) => eq(organizations.id, owner),
  },
}
