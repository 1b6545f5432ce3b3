import { and, asc, eq, gte, inArray, isNotNull, isNull, lte, ne, or, type SQL, sql } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { users } from '#db/schema/accounts.ts'
import { assets, assetWarrantyReminders } from '#db/schema/assets.ts'
import { organizations, orgMembers } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'

/** An asset of which a user is to be reminded. */
export interface EndingWarranty {
  readonly id: number
  readonly owner: OwnerKey
  readonly name: string
  readonly assetNo: string
  /** The user who registered it. */
  readonly userId: number
  readonly custodianId: number | null
  readonly warrantyExpiry: string | null
}

const { id, owner, name, assetNo, userId, custodianId, warrantyExpiry } = assets
const { assetId, day } = assetWarrantyReminders

const endings = (db: Db | Tx, from: string, to: string, where: SQL | undefined) =>
  db
    .select({ id, owner, name, assetNo, userId, custodianId, warrantyExpiry })
    .from(assets)
    .leftJoin(assetWarrantyReminders, eq(assetId, id))
    .where(
      and(
        isNull(assets.deletedAt),
        isNotNull(warrantyExpiry),
        gte(warrantyExpiry, from),
        lte(warrantyExpiry, to),
        ne(assets.status, 'SCRAPPED'),
        or(isNull(day), ne(day, warrantyExpiry)),
        where,
      ),
    )
    .orderBy(asc(warrantyExpiry), asc(id))

/** At most `limit` assets of all owners whose warranty ends in these days, inclusive, and of which nobody has been reminded. */
export const endingWarranties = (
  db: Db,
  from: string,
  to: string,
  after: EndingWarranty | undefined,
  limit: number,
): Promise<EndingWarranty[]> =>
  endings(db, from, to, after && sql`(${warrantyExpiry}, ${id}) > (${after.warrantyExpiry}, ${after.id})`).limit(limit)

/** Those of the assets for which that is still so. */
export const stillEnding = (tx: Tx, from: string, to: string, ids: readonly number[]): Promise<EndingWarranty[]> =>
  endings(tx, from, to, inArray(id, [...ids])).limit(ids.length)

export async function saveReminded(tx: Tx, rows: readonly EndingWarranty[]): Promise<void> {
  await tx
    .insert(assetWarrantyReminders)
    .values(rows.map((row) => ({ assetId: row.id, day: row.warrantyExpiry! })))
    .onConflictDoUpdate({ target: assetWarrantyReminders.assetId, set: { day: sql`excluded.day` } })
}

/** Those of the users who are active, and members of the organization unless it is 0. */
export async function remindable(tx: Tx, orgId: number, userIds: readonly number[]): Promise<Set<number>> {
  const active = and(eq(users.status, 'ACTIVE'), inArray(users.id, [...userIds]))
  const all = tx.select({ id: users.id }).from(users)
  const rows =
    orgId === 0
      ? await all.where(active)
      : await all.innerJoin(orgMembers, and(eq(orgMembers.userId, users.id), eq(orgMembers.orgId, orgId))).where(active)
  return new Set(rows.map((row) => row.id))
}

/** The owner of an organization. */
export async function ownerOfOrg(tx: Tx, orgId: number): Promise<number | undefined> {
  const rows = await tx.select({ id: organizations.ownerId }).from(organizations).where(eq(organizations.id, orgId))
  return rows[0]?.id
}
