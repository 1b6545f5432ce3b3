import { count, eq, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { organizations, orgInvitations, orgJoinRequests } from '#db/schema/orgs.ts'
import { orgShares } from '#db/schema/shares.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import { serverZone } from '#platform/clock.ts'

export type OrgRow = typeof organizations.$inferSelect

/** The zone in which the days of an organization begin. */
export const zoneOf = ({ timeZone }: Pick<OrgRow, 'timeZone'>): string => timeZone ?? serverZone()

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
/** `code` must be normalized. */
export const findOrgByCode = async (db: Db | Tx, code: string): Promise<OrgRow | undefined> =>
  (await byCode(db, { code }))[0]

const owned = prepared((db) =>
  db
    .select({ n: count() })
    .from(organizations)
    .where(eq(organizations.ownerId, p('userId'))),
)

/** Number of organizations of which the user is the owner. */
export const countOwned = async (db: Db | Tx, userId: number): Promise<number> => (await owned(db, { userId }))[0]!.n

const firstOwned = prepared((db) =>
  db
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.ownerId, p('userId')))
    .limit(1),
)

/** Whether the user is the owner of any organization. */
export const ownsAny = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await firstOwned(db, { userId })).length > 0

/** Deletes at most `limit` requests, invitations and shares of an organization that was dissolved. Returns their number. */
export async function deleteRestOfOrg(tx: Tx, id: number, limit: number): Promise<number> {
  let rows = 0
  for (const table of [orgJoinRequests, orgInvitations, orgShares])
    if (rows < limit) rows += await deleteSome(tx, table, eq(table.orgId, id), limit - rows)
  return rows
}
