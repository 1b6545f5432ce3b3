import { and, eq, gte, inArray, lt, type SQL } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import { assets } from '#db/schema/assets.ts'
import { orgLocations } from '#db/schema/locations.ts'
import { organizations } from '#db/schema/orgs.ts'
import type { Db } from '#db/store.ts'

import type { AdminListQuery } from '../register/model.ts'

/** The filters that only the console has. */
export const ownersWhere = ({ userId, orgId, from, to }: AdminListQuery): SQL | undefined =>
  and(
    userId === undefined ? undefined : eq(assets.userId, userId),
    orgId === undefined ? undefined : eq(assets.owner, orgId),
    from === undefined ? undefined : gte(assets.createdAt, from),
    to === undefined ? undefined : lt(assets.createdAt, to),
  )

export async function organizationOfLocation(db: Db, id: number): Promise<number | undefined> {
  const rows = await db.select({ orgId: orgLocations.orgId }).from(orgLocations).where(eq(orgLocations.id, id))
  return rows[0]?.orgId
}

export type Person = Pick<typeof users.$inferSelect, 'id' | 'username' | 'nickname'>

export const usersByIds = (db: Db, ids: readonly number[]): Promise<Person[]> =>
  db
    .select({ id: users.id, username: users.username, nickname: users.nickname })
    .from(users)
    .where(inArray(users.id, [...ids]))

export const organizationsByIds = (db: Db, ids: readonly number[]): Promise<{ id: number; name: string }[]> =>
  db
    .select({ id: organizations.id, name: organizations.name })
    .from(organizations)
    .where(inArray(organizations.id, [...ids]))
