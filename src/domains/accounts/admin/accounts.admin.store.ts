import {
  and,
  asc,
  count,
  eq,
  exists,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  not,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { note } from '#db/notes.ts'
import { orgExists } from '#db/org-exists.ts'
import { roles, userRoles } from '#db/schema/access.ts'
import { identities, users, type UserStatus } from '#db/schema/accounts.ts'
import { organizations, orgMembers } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'
import { type AdminList, within } from '#domains/admin/index.ts'

import { type OwnIdentity, ownIdentity, userColumns, type UserRow } from '../users/users.store.ts'
import type { UsersQuery } from './accounts.admin.model.ts'

/** The columns of the index of each order. Usernames and sign-ins can be null; these users come last in both directions. */
const ORDERS = {
  createdAt: [users.createdAt, users.id],
  lastLoginAt: [users.lastLoginAt, users.createdAt, users.id],
  username: [users.usernameKey, users.createdAt, users.id],
} as const

export interface Keyword {
  readonly text: string
  /** Ids of the users whom the keyword names: by id, or by their e-mail or phone. */
  readonly userIds: readonly number[]
}

/** Members of an organization whom a search can sort again for each of its slices. */
const MANY = 5000

export async function hasManyMembers(db: Db, orgId: number): Promise<boolean> {
  const { memberCount } = organizations
  const [org] = await db.select({ memberCount }).from(organizations).where(eq(organizations.id, orgId))
  return org !== undefined && org.memberCount > MANY
}

/**
 * The list of users with these filters. `db` only builds the queries. A search among the members of an organization with many (`hasMany`)
 * reads all users in the order of the list instead of sorting the members for each slice.
 */
export function userList(
  db: Db,
  { status, role, identity, orgId, sort = '-createdAt', ...times }: UsersQuery,
  keyword: Keyword | undefined,
  hasMany = false,
): AdminList<UserRow> {
  const order = sort.replace('-', '') as keyof typeof ORDERS
  const created = within(users.createdAt, times)
  const isAdministrator = inArray(users.id, administrators(db))
  const isInactive = status === 'DISABLED' || status === 'DELETED'
  const others = and(
    status === undefined || isInactive ? undefined : eq(users.status, status),
    role === 'USER' ? not(isAdministrator) : undefined,
    identity === undefined ? undefined : hasIdentity(db, identity),
    order === 'createdAt' ? undefined : created,
    keyword === undefined ? undefined : matches(keyword),
  )
  const isAll = !isInactive && role !== 'ADMIN' && orgId === undefined && created === undefined
  const isSearchedForMembers = orgId !== undefined && hasMany && others !== undefined
  return {
    table: users,
    scope: and(
      ofStatus(status),
      role === 'ADMIN' ? isAdministrator : undefined,
      orgId === undefined || isSearchedForMembers ? undefined : inArray(users.id, membersOf(db, orgId)),
    ),
    period: order === 'createdAt' ? times : undefined,
    where: isSearchedForMembers ? and(isMember(db, orgId), others) : others,
    order: ORDERS[order],
    isReversed: sort.startsWith('-'),
    total: isAll ? 'users.all' : undefined,
    select: (reader) => reader.select(userColumns).from(users).$dynamic() as never,
  }
}

/** In the words of the partial indexes: each order has one for all users who are not deleted, and one for the inactive ones. */
const ofStatus = (status: UserStatus | undefined): SQL =>
  status === undefined || status === 'ACTIVE'
    ? ne(users.status, 'DELETED').inlineParams()
    : and(ne(users.status, 'ACTIVE'), eq(users.status, status))!.inlineParams()

/** Users with any PLATFORM role. */
const administrators = (db: Db) =>
  db
    .select({ userId: userRoles.userId })
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.roleId))
    .where(eq(roles.domain, 'PLATFORM'))

const membersOf = (db: Db, orgId: number) =>
  db
    .select({ userId: orgMembers.userId })
    .from(orgMembers)
    .where(and(eq(orgMembers.orgId, orgId), orgExists(orgMembers.orgId)))

const isMember = (db: Db, orgId: number): SQL =>
  exists(
    db
      .select({ userId: orgMembers.userId })
      .from(orgMembers)
      .where(and(eq(orgMembers.orgId, orgId), eq(orgMembers.userId, users.id), orgExists(orgMembers.orgId))),
  )

/** The values of the filter `identity` (spec §4.7, rule 9). */
function hasIdentity(db: Db, identity: NonNullable<UsersQuery['identity']>): SQL {
  const contacts = db
    .select({ id: identities.id })
    .from(identities)
    .where(and(eq(identities.userId, users.id), ne(identities.provider, 'DEVICE')))
  if (identity === 'bound') return or(isNotNull(users.passwordHash), exists(contacts))!
  // Not `not(or(…))`: PostgreSQL makes a join of NOT EXISTS, which its workers share, only where it stands alone.
  const isUnbound = and(isNull(users.passwordHash), notExists(contacts))
  return and(isUnbound, identity === 'device_user' ? isNull(users.usernameKey) : undefined)!
}

const matches = ({ text, userIds }: Keyword): SQL =>
  or(
    contains(users.username, text),
    contains(users.nickname, text),
    userIds.length === 0 ? undefined : inArray(users.id, [...userIds]),
  )!

/** Ids of the users who have one of these e-mails and phones, proved or as a claim. */
export async function usersByContacts(db: Db, credentials: readonly string[]): Promise<number[]> {
  if (credentials.length === 0) return []
  const rows = await db
    .select({ userId: identities.userId })
    .from(identities)
    .where(and(inArray(identities.provider, ['PHONE', 'EMAIL']), inArray(identities.credential, [...credentials])))
  return rows.map((row) => row.userId)
}

export const identitiesOfUsers = (db: Db, userIds: readonly number[]): Promise<OwnIdentity[]> =>
  db
    .select(ownIdentity)
    .from(identities)
    .where(inArray(identities.userId, [...userIds]))
    .orderBy(asc(identities.id))

/** The `limit` oldest memberships of each of the users, oldest first. */
export function oldestMemberships(db: Db, userIds: readonly number[], limit: number) {
  const { userId, orgId, joinedAt } = orgMembers
  const ranked = db
    .select({
      userId,
      orgId,
      joinedAt,
      place: sql<number>`row_number() over (partition by ${userId} order by ${joinedAt}, ${orgId})`.as('place'),
    })
    .from(orgMembers)
    .where(and(inArray(userId, [...userIds]), orgExists(orgId)))
    .as('ranked')
  return db
    .select({
      userId: ranked.userId,
      orgId: ranked.orgId,
      joinedAt: ranked.joinedAt,
      orgName: organizations.name,
      ownerId: organizations.ownerId,
    })
    .from(ranked)
    .innerJoin(organizations, eq(organizations.id, ranked.orgId))
    .where(lte(ranked.place, limit))
    .orderBy(asc(ranked.userId), asc(ranked.place))
}
export type MembershipRow = Awaited<ReturnType<typeof oldestMemberships>>[number]

/** Users without memberships are left out. */
export const countMemberships = (db: Db, userIds: readonly number[]) =>
  db
    .select({ userId: orgMembers.userId, n: count() })
    .from(orgMembers)
    .where(and(inArray(orgMembers.userId, [...userIds]), orgExists(orgMembers.orgId)))
    .groupBy(orgMembers.userId)

/** Does nothing to a deleted user. */
export async function setStatus(tx: Tx, userId: number, status: Exclude<UserStatus, 'DELETED'>): Promise<void> {
  const rows = await tx
    .update(users)
    .set({ status, updatedAt: tx.stamp })
    .where(and(eq(users.id, userId), ne(users.status, 'DELETED')))
    .returning({ id: users.id, username: users.username, nickname: users.nickname })
  const type = status === 'ACTIVE' ? 'user.enabled' : 'user.disabled'
  for (const { id, username, nickname } of rows) note(tx, { type, id, data: { id, name: username ?? nickname } })
}
