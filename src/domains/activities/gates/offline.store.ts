import { and, asc, eq, gt, inArray, isNotNull } from 'drizzle-orm'

import { passChanges, passes } from '#db/schema/passes.ts'
import type { Db } from '#db/store.ts'

import { isKept, passColumns } from '../passes/passes.store.ts'

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

export interface ChangedRow {
  /** When it was changed. */
  readonly at: number
  readonly uuid: string
  readonly validFrom: number | null
  readonly validTo: number | null
  readonly followsActivity: boolean
}

/** The same of passes whose validity was changed, also of those that were revoked later. */
export async function changedSince(db: Db, activityId: number, since: number, limit: number): Promise<ChangedRow[]> {
  const columns = {
    id: passes.id,
    at: passChanges.changedAt,
    uuid: passes.uuid,
    validFrom: passes.validFrom,
    validTo: passColumns.validTo,
    followsActivity: passes.followsActivity,
  }
  const selected = () => db.select(columns).from(passChanges).innerJoin(passes, eq(passes.id, passChanges.passId))
  const ofActivity = eq(passChanges.activityId, activityId)
  const rows = await selected()
    .where(and(ofActivity, gt(passChanges.changedAt, since)))
    .orderBy(asc(passChanges.changedAt), asc(passChanges.passId))
    .limit(limit)
  const last = rows.at(-1)
  if (rows.length === limit && last !== undefined)
    rows.push(
      ...(await selected()
        .where(and(ofActivity, eq(passChanges.changedAt, last.at), gt(passChanges.passId, last.id)))
        .orderBy(asc(passChanges.passId))),
    )
  return rows.map(({ at, uuid, validFrom, validTo, followsActivity }) => ({
    at,
    uuid,
    validFrom,
    validTo,
    followsActivity,
  }))
}

/** The same of passes that were issued by one of these templates after `since`. */
export async function issuedSince(
  db: Db,
  activityId: number,
  templateIds: readonly number[],
  since: number,
  limit: number,
): Promise<{ readonly uuid: string; readonly at: number }[]> {
  const ofTemplates = and(
    eq(passes.activityId, activityId),
    isNotNull(passes.templateId),
    inArray(passes.templateId, [...templateIds]),
    isKept,
  )
  const selected = () => db.select({ id: passes.id, uuid: passes.uuid, at: passes.createdAt }).from(passes)
  const rows = await selected()
    .where(and(ofTemplates, gt(passes.createdAt, since)))
    .orderBy(asc(passes.createdAt), asc(passes.id))
    .limit(limit)
  const last = rows.at(-1)
  if (rows.length === limit && last !== undefined)
    rows.push(
      ...(await selected()
        .where(and(ofTemplates, eq(passes.createdAt, last.at), gt(passes.id, last.id)))
        .orderBy(asc(passes.id))),
    )
  return rows.map(({ uuid, at }) => ({ uuid, at }))
}
