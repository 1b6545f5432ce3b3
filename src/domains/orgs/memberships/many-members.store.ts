/** Memberships of an import: a few statements for thousands of rows. */

import { and, eq, inArray, or, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { organizations, orgMembers } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'

import type { OrgRow } from '../orgs.store.ts'

const AT_ONCE = 500

/** The organizations with one of these codes or names, or this id. */
export async function findOrgs(
  db: Db | Tx,
  by: { readonly codes: readonly string[]; readonly names: readonly string[]; readonly id: number | undefined },
): Promise<OrgRow[]> {
  const found: OrgRow[] = []
  const texts = Math.max(by.names.length, 1)
  for (let at = 0; at < texts; at += AT_ONCE)
    found.push(
      ...(await db
        .select()
        .from(organizations)
        .where(
          or(
            inArray(organizations.code, by.codes.slice(at, at + AT_ONCE)),
            inArray(organizations.name, by.names.slice(at, at + AT_ONCE)),
            at === 0 && by.id !== undefined ? eq(organizations.id, by.id) : undefined,
          ),
        )),
    )
  return found
}

/** Those of the users who are members. */
export async function membersAmong(db: Db | Tx, orgId: number, userIds: readonly number[]): Promise<number[]> {
  const found: number[] = []
  for (let at = 0; at < userIds.length; at += AT_ONCE) {
    const rows = await db
      .select({ userId: orgMembers.userId })
      .from(orgMembers)
      .where(and(eq(orgMembers.orgId, orgId), isOneOf(orgMembers.userId, userIds.slice(at, at + AT_ONCE))))
    found.push(...rows.map(({ userId }) => userId))
  }
  return found
}

const reserve = prepared((db) =>
  db
    .update(organizations)
    .set({ memberCount: sql`${organizations.memberCount} + ${sql.placeholder('count')}` })
    .where(
      and(
        eq(organizations.id, sql.placeholder('id')),
        sql`${organizations.memberCount} + ${sql.placeholder('more')} <= ${organizations.memberLimit}`,
      ),
    )
    .returning({ id: organizations.id }),
)

/** Counts new members. False if the organization is missing or has not so many places. */
export const addToMemberCount = async (tx: Tx, id: number, count: number): Promise<boolean> =>
  (await reserve(tx, { id, count, more: count })).length > 0
