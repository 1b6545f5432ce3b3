import { and, eq, inArray, sql } from 'drizzle-orm'

import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { users } from '#db/schema/accounts.ts'
import { orgMembers } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'
import { locationTree } from '#domains/orgs/index.ts'
import { pathsOf } from '#lib/tree.ts'

/** How spreadsheets name users: by their username, or else by their nickname in the organization or their own. */
export async function personTexts(db: Db | Tx, owner: OwnerKey, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({
      id: users.id,
      text: sql<string>`coalesce(${users.username}, ${orgMembers.nickname}, ${users.nickname})`.as('text'),
    })
    .from(users)
    .leftJoin(orgMembers, and(eq(orgMembers.userId, users.id), eq(orgMembers.orgId, orgOf(owner))))
    .where(inArray(users.id, [...ids]))
  return new Map(rows.map((row) => [row.id, row.text]))
}

/** The paths of all locations of the owner, by id. Only organizations have any. */
export const locationPaths = async (db: Db | Tx, owner: OwnerKey): Promise<Map<number, string>> =>
  owner < 0 ? new Map() : pathsOf(await locationTree.all(db, owner))
