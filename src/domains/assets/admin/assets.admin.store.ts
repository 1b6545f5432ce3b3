import { and, eq, type SQL } from 'drizzle-orm'

import { assets } from '#db/schema/assets.ts'
import { orgLocations } from '#db/schema/locations.ts'
import type { Db } from '#db/store.ts'
import { within } from '#domains/admin/index.ts'

import type { AdminListQuery } from '../register/register.model.ts'

/** The filters that only the console has. */
export const ownersWhere = ({ userId, orgId, from, to }: AdminListQuery): SQL | undefined =>
  and(
    userId === undefined ? undefined : eq(assets.userId, userId),
    orgId === undefined ? undefined : eq(assets.owner, orgId),
    within(assets.createdAt, { from, to }),
  )

export async function organizationOfLocation(db: Db, id: number): Promise<number | undefined> {
  const rows = await db.select({ orgId: orgLocations.orgId }).from(orgLocations).where(eq(orgLocations.id, id))
  return rows[0]?.orgId
}
