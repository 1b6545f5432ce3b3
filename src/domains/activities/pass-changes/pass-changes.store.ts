import { and, asc, eq, exists, gt, inArray, isNull, notExists, or, type SQL, sql } from 'drizzle-orm'

import { isOneOf, notByIndex } from '#db/dialect.ts'
import { note } from '#db/notes.ts'
import { registrations } from '#db/schema/activities.ts'
import { passes } from '#db/schema/passes.ts'
import type { Db, Tx } from '#db/store.ts'

import { isKept, markChanged, matching, passColumns, type PassRow } from '../passes/passes.store.ts'
import type { PassFilter } from './pass-changes.model.ts'
import type { Changed } from './pass-changes.rules.ts'

function hasRegistration(db: Db | Tx, status: NonNullable<PassFilter['registration']>): SQL {
  const ofHolder = db
    .select({ one: sql`1` })
    .from(registrations)
    .where(
      and(
        eq(registrations.activityId, passes.activityId),
        or(
          eq(registrations.userId, passes.holderUserId),
          and(isNull(passes.holderUserId), eq(registrations.id, passes.registrationId)),
        ),
        status === 'NONE' ? undefined : eq(registrations.status, status),
      ),
    )
  return status === 'NONE' ? notExists(ofHolder) : exists(ofHolder)
}

/** Those of the ids that are passes of the activity. */
export async function passesAmong(db: Db, activityId: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await db
    .select({ id: passes.id })
    .from(passes)
    .where(and(isOneOf(passes.id, ids), sql`${notByIndex(passes.activityId)} = ${activityId}`, isKept))
  return new Set(rows.map(({ id }) => id))
}

/** The passes that the filter selects, at most `limit` after the id `after`; or those of them with these ids. */
export function selectedPasses(
  db: Db | Tx,
  activityId: number,
  { status, keyword, userId, templateId, ids, registration }: PassFilter,
  now: number,
  some: { readonly after: number; readonly limit: number } | { readonly ids: readonly number[] },
): Promise<PassRow[]> {
  const where = and(
    eq(passes.activityId, activityId),
    isKept,
    'ids' in some ? inArray(passes.id, [...some.ids]) : gt(passes.id, some.after),
    ids === undefined || 'ids' in some ? undefined : inArray(passes.id, ids),
    matching({ status, keyword }, now),
    userId === undefined ? undefined : eq(passes.holderUserId, userId),
    templateId === undefined ? undefined : eq(passes.templateId, templateId),
    registration === undefined ? undefined : hasRegistration(db, registration),
  )
  const rows = db.select(passColumns).from(passes).where(where).orderBy(asc(passes.id))
  return 'ids' in some ? rows : rows.limit(some.limit)
}

export interface RowChange extends Pick<Changed, 'set' | 'changesValidity' | 'becomesLiveOf' | 'isCurrent'> {
  readonly row: PassRow
}

/**
 * Writes the changes of passes that were read in this write. Passes with the same values share a statement. A pass that a holder must not have
 * beside a live one has been left out. Returns the rows.
 */
export async function changePasses(tx: Tx, changes: readonly RowChange[], now: number): Promise<PassRow[]> {
  const groups = new Map<string, { set: object; ids: number[] }>()
  for (const { row, set, changesValidity, becomesLiveOf, isCurrent } of changes) {
    const isOver = changesValidity && !isCurrent && set.followsActivity !== true
    const all = {
      ...set,
      ...(changesValidity && { expiredAt: isOver ? now : null }),
      ...(isOver && { liveHolderId: null }),
      ...(becomesLiveOf !== null && { liveHolderId: becomesLiveOf }),
    }
    const key = JSON.stringify(all)
    const group = groups.get(key) ?? { set: all, ids: [] }
    group.ids.push(row.id)
    groups.set(key, group)
  }
  const after: PassRow[] = []
  for (const { set, ids } of groups.values())
    after.push(
      ...(await tx
        .update(passes)
        .set({ ...set, updatedAt: tx.stamp })
        .where(and(isOneOf(passes.id, ids), isNull(passes.revokedAt)))
        .returning(passColumns)),
    )
  await markChanged(
    tx,
    changes.filter(({ changesValidity }) => changesValidity).map(({ row }) => row),
  )
  return after
}

/** Revokes those of the passes that are not revoked. Returns their number. */
export async function revokePasses(tx: Tx, ids: readonly number[], reason: string): Promise<number> {
  const rows = await tx
    .update(passes)
    .set({ revokedAt: tx.stamp, revokeReason: reason, liveHolderId: null, updatedAt: tx.stamp })
    .where(and(isOneOf(passes.id, ids), isNull(passes.revokedAt)))
    .returning({ id: passes.id, activityId: passes.activityId })
  for (const { id, activityId } of rows) note(tx, { type: 'pass.revoked', activityId, id })
  return rows.length
}
