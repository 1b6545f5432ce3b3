import { and, asc, count, desc, eq, gt, lt, lte, ne, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { type Page, type PageInput, plainPage } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { orgLocations } from '#db/schema/locations.ts'
import { organizations, orgInvitations, orgJoinRequests, orgMembers } from '#db/schema/orgs.ts'
import { orgShares } from '#db/schema/shares.ts'
import type { Db, Tx } from '#db/store.ts'

export type OrgRow = typeof organizations.$inferSelect
export type NewOrg = Pick<
  OrgRow,
  'name' | 'description' | 'code' | 'visibility' | 'joinPolicy' | 'memberLimit' | 'avatarUrl' | 'ownerId'
>
export type OrgChange = Partial<
  Pick<OrgRow, 'name' | 'description' | 'visibility' | 'joinPolicy' | 'memberLimit' | 'avatarUrl'>
>

const p = sql.placeholder

const byId = prepared((db) =>
  db
    .select()
    .from(organizations)
    .where(eq(organizations.id, p('id'))),
)
const byCode = prepared((db) =>
  db
    .select()
    .from(organizations)
    .where(eq(organizations.code, p('code'))),
)

export const findOrg = async (db: Db | Tx, id: number): Promise<OrgRow | undefined> => (await byId(db, { id }))[0]
/** `code` normalized. */
export const findOrgByCode = async (db: Db | Tx, code: string): Promise<OrgRow | undefined> =>
  (await byCode(db, { code }))[0]

/** Undefined when the code is taken. Its founder is counted as a member from the beginning. */
export async function insertOrg(tx: Tx, org: NewOrg): Promise<OrgRow | undefined> {
  const rows = await tx
    .insert(organizations)
    .values({ ...org, memberCount: 0, createdAt: tx.stamp, updatedAt: tx.stamp })
    .onConflictDoNothing({ target: organizations.code })
    .returning()
  return rows[0]
}

/** Undefined when there is no such organization, or it has more members than a new limit allows. */
export async function updateOrg(tx: Tx, id: number, change: OrgChange): Promise<OrgRow | undefined> {
  const fits = change.memberLimit === undefined ? undefined : lte(organizations.memberCount, change.memberLimit)
  const rows = await tx
    .update(organizations)
    .set({ ...change, updatedAt: tx.stamp })
    .where(and(eq(organizations.id, id), fits))
    .returning()
  return rows[0]
}

export async function setCode(tx: Tx, id: number, code: string): Promise<OrgRow | undefined> {
  const rows = await tx
    .update(organizations)
    .set({ code, updatedAt: tx.stamp })
    .where(eq(organizations.id, id))
    .returning()
  return rows[0]
}

const countUp = prepared((db) =>
  db
    .update(organizations)
    .set({ memberCount: sql`${organizations.memberCount} + 1` })
    .where(
      and(
        eq(organizations.id, p('id')),
        eq(organizations.status, 'ACTIVE'),
        lt(organizations.memberCount, organizations.memberLimit),
      ),
    )
    .returning({ id: organizations.id }),
)
const countDown = prepared((db) =>
  db
    .update(organizations)
    .set({ memberCount: sql`${organizations.memberCount} - 1` })
    .where(and(eq(organizations.id, p('id')), ne(organizations.ownerId, p('userId')), gt(organizations.memberCount, 0)))
    .returning({ id: organizations.id }),
)

/** Makes room for one more member; false when there is none, or the organization is disabled or gone. */
export const takePlace = async (tx: Tx, id: number): Promise<boolean> => (await countUp(tx, { id })).length > 0

/** One member fewer; false when `userId` is the owner, who stays. */
export const freePlace = async (tx: Tx, id: number, userId: number): Promise<boolean> =>
  (await countDown(tx, { id, userId })).length > 0

/** From one owner to the next; false when `from` is not the owner (any more). */
export async function setOwner(tx: Tx, id: number, from: number, to: number): Promise<boolean> {
  const rows = await tx
    .update(organizations)
    .set({ ownerId: to, updatedAt: tx.stamp })
    .where(and(eq(organizations.id, id), eq(organizations.ownerId, from)))
    .returning({ id: organizations.id })
  return rows.length > 0
}

/** The organization and all that hangs on it in this domain. */
export async function deleteOrg(tx: Tx, id: number): Promise<void> {
  const members = tx.select({ userId: orgMembers.userId }).from(orgMembers).where(eq(orgMembers.orgId, id))
  await tx
    .update(users)
    .set({ currentOrgId: null })
    .where(and(sql`${users.id} in ${members}`, eq(users.currentOrgId, id)))
  await tx.delete(orgInvitations).where(eq(orgInvitations.orgId, id))
  await tx.delete(orgJoinRequests).where(eq(orgJoinRequests.orgId, id))
  await tx.delete(orgMembers).where(eq(orgMembers.orgId, id))
  await tx.delete(orgLocations).where(eq(orgLocations.orgId, id))
  await tx.delete(orgShares).where(eq(orgShares.orgId, id))
  await tx.delete(organizations).where(eq(organizations.id, id))
}

const firstOwned = prepared((db) =>
  db
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.ownerId, p('userId')))
    .limit(1),
)

/** Whether the user is the owner (and so the sole one) of any organization. */
export const ownsAny = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await firstOwned(db, { userId })).length > 0

/** A user's organizations, the earliest joined first. */
export function orgsPageOf(db: Db, userId: number, query: PageInput): Promise<Page<OrgRow>> {
  return plainPage(
    query,
    async (limit, offset) => {
      const rows = await db
        .select({ org: organizations })
        .from(orgMembers)
        .innerJoin(organizations, eq(organizations.id, orgMembers.orgId))
        .where(eq(orgMembers.userId, userId))
        .orderBy(asc(orgMembers.joinedAt), asc(orgMembers.orgId))
        .limit(limit)
        .offset(offset)
      return rows.map((row) => row.org)
    },
    () => db.select({ n: count() }).from(orgMembers).where(eq(orgMembers.userId, userId)),
  )
}

export interface DiscoverQuery extends PageInput {
  readonly keyword?: string | undefined
  readonly sort?: string | undefined
}

/** Public active organizations, the oldest first unless `sort` says otherwise. */
export function discoverPage(db: Db, query: DiscoverQuery): Promise<Page<OrgRow>> {
  const { keyword } = query
  const where = and(
    eq(organizations.visibility, 'PUBLIC'),
    eq(organizations.status, 'ACTIVE'),
    keyword ? or(contains(organizations.name, keyword), contains(organizations.description, keyword)) : undefined,
  )
  return plainPage(
    query,
    (limit, offset) =>
      db
        .select()
        .from(organizations)
        .where(where)
        .orderBy(...orderOf(query.sort))
        .limit(limit)
        .offset(offset),
    () => db.select({ n: count() }).from(organizations).where(where),
  )
}

function orderOf(sort = 'createdAt'): SQL[] {
  const [field, direction] = sort.startsWith('-') ? [sort.slice(1), desc] : [sort, asc]
  return [direction(organizations[field as 'name' | 'createdAt' | 'memberCount']), direction(organizations.id)]
}

/** Makes an organization the user's current one, if they are a member; null chooses none. False when they are not. */
export async function setCurrentOrg(tx: Tx, userId: number, orgId: number | null): Promise<boolean> {
  const membership = sql`exists (select 1 from ${orgMembers} where ${orgMembers.orgId} = ${orgId} and ${orgMembers.userId} = ${userId})`
  const rows = await tx
    .update(users)
    .set({ currentOrgId: orgId, updatedAt: tx.stamp })
    .where(and(eq(users.id, userId), orgId === null ? undefined : membership))
    .returning({ id: users.id })
  return rows.length > 0
}
