import { and, asc, eq, gt, isNotNull } from 'drizzle-orm'

import { passes } from '#db/schema/passes.ts'
import type { Db } from '#db/store.ts'

export interface RevokedRow {
  readonly uuid: string
  readonly revokedAt: number
}

/**
 * Passes of the activity that were revoked after `since`, the oldest first: at most `limit`, and those that were revoked in the same
 * write as the last of them.
 */
export async function revokedSince(db: Db, activityId: number, since: number, limit: number): Promise<RevokedRow[]> {
  const ofActivity = and(eq(passes.activityId, activityId), isNotNull(passes.revokedAt))
  const columns = { id: passes.id, uuid: passes.uuid, revokedAt: passes.revokedAt }
  const rows = await db
    .select(columns)
    .from(passes)
    .where(and(ofActivity, gt(passes.revokedAt, since)))
    .orderBy(asc(passes.revokedAt), asc(passes.id))
    .limit(limit)
  const last = rows.at(-1)
  if (rows.length === limit && last !== undefined)
    rows.push(
      ...(await db
        .select(columns)
        .from(passes)
        .where(and(ofActivity, eq(passes.revokedAt, last.revokedAt!), gt(passes.id, last.id)))
        .orderBy(asc(passes.id))),
    )
  return rows.map(({ uuid, revokedAt }) => ({ uuid, revokedAt: revokedAt! }))
}
