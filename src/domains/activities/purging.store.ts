import { and, asc, eq, gt, isNotNull, ne, or, sql } from 'drizzle-orm'

import { isAnyOf, isOneOf } from '#db/dialect.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import {
  activities,
  activityCounters,
  activityKiosks,
  checkIns,
  checkInSlots,
  checkInUsers,
  purgedActivities,
  registrations,
} from '#db/schema/activities.ts'
import { activityBatches } from '#db/schema/activity-batches.ts'
import { activityMessages } from '#db/schema/activity-messages.ts'
import {
  checkInLists,
  dueIssues,
  passChanges,
  passes,
  passIssues,
  passListUses,
  passMinutes,
  passTemplates,
  passUses,
  purgedPasses,
} from '#db/schema/passes.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, SQLiteColumn, Tx } from '#db/store.ts'

import { activitiesWithOwners, type ActivityRow } from './activities.store.ts'
import { listed as listedCheckIns } from './check-ins/check-ins.store.ts'
import { removeDevices, removeGates } from './gate-links/gate-links.store.ts'
import { listed as listedUses } from './gates/gates.store.ts'
import { removeInvitations } from './invitations/invitations.store.ts'
import { removeMessages } from './messages/messages.store.ts'
import { removeRecipients } from './messages/recipients.store.ts'
import { isKept, listed as listedPasses, type PassRow } from './passes/passes.store.ts'
import { removeNews } from './personal-mails.store.ts'
import { listed as listedActivities } from './register/register.store.ts'
import { listed as listedRegistrations } from './registrations/registrations.store.ts'

const cleared = listedPasses.columns
type Listed = Pick<PassRow, keyof typeof cleared>

/** Deletes at most `limit` rows of an activity. Returns their number. */
type Remove = (tx: Tx, activityId: number, limit: number) => Promise<number>

const someOf = (tx: Tx, id: SQLiteColumn, activityId: SQLiteColumn, of: number, limit: number) =>
  tx.select({ id }).from(id.table).where(eq(activityId, of)).limit(limit)

const removeCheckIns: Remove = async (tx, activityId, limit) => {
  const some = someOf(tx, checkIns.id, checkIns.activityId, activityId, limit)
  const rows = await tx.delete(checkIns).where(isAnyOf(checkIns.id, some)).returning(listedCheckIns.columns)
  for (const row of rows) listedCheckIns.deleted(tx, row)
  return rows.length
}

const removeRegistrations: Remove = async (tx, activityId, limit) => {
  const some = someOf(tx, registrations.id, registrations.activityId, activityId, limit)
  const rows = await tx
    .delete(registrations)
    .where(isAnyOf(registrations.id, some))
    .returning(listedRegistrations.columns)
  for (const row of rows) listedRegistrations.deleted(tx, row)
  return rows.length
}

const removeCheckInUsers: Remove = async (tx, activityId, limit) => {
  const some = someOf(tx, checkInUsers.userId, checkInUsers.activityId, activityId, limit)
  const rows = await tx
    .delete(checkInUsers)
    .where(and(eq(checkInUsers.activityId, activityId), isAnyOf(checkInUsers.userId, some)))
    .returning({ userId: checkInUsers.userId })
  return rows.length
}

/** A slot has a row for each method. */
const removeCheckInSlots: Remove = async (tx, activityId, limit) => {
  const some = someOf(tx, checkInSlots.slot, checkInSlots.activityId, activityId, limit)
  const rows = await tx
    .delete(checkInSlots)
    .where(and(eq(checkInSlots.activityId, activityId), isAnyOf(checkInSlots.slot, some)))
    .returning({ slot: checkInSlots.slot })
  return rows.length
}

async function removeUsesWith(tx: Tx, column: SQLiteColumn, value: number, limit: number): Promise<number> {
  const some = someOf(tx, passUses.id, column, value, limit)
  const rows = await tx.delete(passUses).where(isAnyOf(passUses.id, some)).returning(listedUses.columns)
  for (const row of rows) listedUses.deleted(tx, row)
  return rows.length
}

const removeUses: Remove = (tx, activityId, limit) => removeUsesWith(tx, passUses.activityId, activityId, limit)

/** Deletes at most `limit` uses of a pass. Returns their number. */
export const removeUsesOfPass = (tx: Tx, passId: number, limit: number): Promise<number> =>
  removeUsesWith(tx, passUses.passId, passId, limit)

const clearPasses: Remove = async (tx, activityId, limit) => {
  const ofActivity = and(eq(passes.activityId, activityId), isKept)
  return (await clearSome(tx, tx.select(cleared).from(passes).where(ofActivity).limit(limit))).length
}

const removePassChanges: Remove = async (tx, activityId, limit) => {
  const some = someOf(tx, passChanges.passId, passChanges.activityId, activityId, limit)
  const rows = await tx
    .delete(passChanges)
    .where(isAnyOf(passChanges.passId, some))
    .returning({ passId: passChanges.passId })
  return rows.length
}

/** A pass has a row for each list. */
const removeListUses: Remove = async (tx, activityId, limit) => {
  const some = someOf(tx, passListUses.passId, passListUses.activityId, activityId, limit)
  const rows = await tx
    .delete(passListUses)
    .where(and(eq(passListUses.activityId, activityId), isAnyOf(passListUses.passId, some)))
    .returning({ passId: passListUses.passId })
  return rows.length
}

const removePasses: Remove = async (tx, activityId, limit) => {
  const some = someOf(tx, passes.id, passes.activityId, activityId, limit)
  const rows = await tx.delete(passes).where(isAnyOf(passes.id, some)).returning(listedPasses.columns)
  for (const row of rows) listedPasses.deleted(tx, row)
  return rows.length
}

const removeIssues: Remove = async (tx, activityId, limit) => {
  const some = someOf(tx, passIssues.id, passIssues.activityId, activityId, limit)
  const rows = await tx.delete(passIssues).where(isAnyOf(passIssues.id, some)).returning({ id: passIssues.id })
  return rows.length
}

const removeBatches: Remove = async (tx, activityId, limit) => {
  const some = someOf(tx, activityBatches.id, activityBatches.activityId, activityId, limit)
  const rows = await tx
    .delete(activityBatches)
    .where(isAnyOf(activityBatches.id, some))
    .returning({ id: activityBatches.id })
  return rows.length
}

/** Rows that some operation shows. */
export const SHOWN: readonly Remove[] = [
  removeCheckIns,
  removeRegistrations,
  clearPasses,
  removeUses,
  removeListUses,
  removeCheckInUsers,
  removeCheckInSlots,
  removeRecipients,
  removeMessages,
  removeInvitations,
  removeNews,
]

/** Rows that requests which had begun before the deletion can still refer to. Later ones refer to earlier ones. */
export const REFERRED_TO: readonly Remove[] = [
  removeUses,
  removeListUses,
  removePassChanges,
  removePasses,
  removeIssues,
  removeBatches,
  removeDevices,
  removeGates,
]

/** Deletes the activity itself, when no other row refers to it. */
export async function removeActivity(tx: Tx, id: number): Promise<void> {
  await tx.delete(activityCounters).where(eq(activityCounters.activityId, id))
  await tx.delete(dueIssues).where(eq(dueIssues.activityId, id))
  await tx.delete(passMinutes).where(eq(passMinutes.activityId, id))
  await tx.delete(checkInLists).where(eq(checkInLists.activityId, id))
  await tx.delete(activityKiosks).where(eq(activityKiosks.activityId, id))
  const [row] = await tx.delete(activities).where(eq(activities.id, id)).returning(listedActivities.columns)
  if (row) listedActivities.deleted(tx, row)
  await tx.delete(purgedActivities).where(eq(purgedActivities.activityId, id))
}

/** A pass that was deleted, with what its counts need. */
export type Cleared = Pick<PassRow, 'id' | 'activityId' | 'usedCount'>

/**
 * Makes passes ones that no operation finds, without the data of their holders. They count as revoked, so that the lists of gates that work
 * offline contain them. Returns those that were not deleted before.
 */
async function clearSome(tx: Tx, some: PromiseLike<Listed[]>): Promise<Cleared[]> {
  const before = new Map((await some).map((row) => [row.id, row]))
  const rows = await tx
    .update(passes)
    .set({
      holderUserId: null,
      liveHolderId: null,
      holderName: '',
      fields: [],
      validFrom: null,
      validTo: null,
      followsActivity: false,
      revokedAt: sql`coalesce(${passes.revokedAt}, ${tx.stamp})`,
      revokeReason: '',
      deletedAt: tx.stamp,
      updatedAt: tx.stamp,
    })
    .where(and(isOneOf(passes.id, [...before.keys()]), isKept))
    .returning({ ...listedPasses.columns, usedCount: passes.usedCount })
  for (const row of rows) listedPasses.updated(tx, before.get(row.id)!, row)
  return rows
}

/** Undefined if it has been deleted already. */
export async function clearPass(tx: Tx, id: number): Promise<Cleared | undefined> {
  const [row] = await clearSome(
    tx,
    tx
      .select(cleared)
      .from(passes)
      .where(and(eq(passes.id, id), isKept)),
  )
  return row
}

/** Takes a deleted pass and its uses out of the counts of the activity. */
export async function uncountPass(tx: Tx, { activityId, usedCount }: Cleared): Promise<void> {
  await tx
    .update(activityCounters)
    .set({ passes: sql`${activityCounters.passes} - 1`, passUses: sql`${activityCounters.passUses} - ${usedCount}` })
    .where(eq(activityCounters.activityId, activityId))
    .returning({ activityId: activityCounters.activityId })
}

export const insertPurgedActivity = async (tx: Tx, activityId: number): Promise<void> =>
  void (await tx.insert(purgedActivities).values({ activityId, deletedAt: tx.stamp }))

export const insertPurgedPass = async (tx: Tx, passId: number): Promise<void> =>
  void (await tx.insert(purgedPasses).values({ passId }).onConflictDoNothing())

export const deletePurgedPass = async (tx: Tx, passId: number): Promise<void> =>
  void (await tx.delete(purgedPasses).where(eq(purgedPasses.passId, passId)))

/** The next deleted activity, by id. */
export async function nextPurgedActivity(
  db: Db,
  after: number,
): Promise<typeof purgedActivities.$inferSelect | undefined> {
  const [row] = await db
    .select()
    .from(purgedActivities)
    .where(gt(purgedActivities.activityId, after))
    .orderBy(asc(purgedActivities.activityId))
    .limit(1)
  return row
}

export const firstPurgedPass = async (db: Db): Promise<number | undefined> =>
  (await db.select().from(purgedPasses).limit(1))[0]?.passId

const isNotPurged = sql`not exists (select 1 from ${purgedActivities} where ${purgedActivities.activityId} = ${activities.id})`

/** Of the user's own activities that are not ACTIVE and not purged, at most `limit` of which no message after `since` is still being sent. */
export const erasableActivities = (tx: Tx, owner: OwnerKey, since: number, limit: number): Promise<ActivityRow[]> => {
  const isSending = sql`exists (select 1 from ${activityMessages} where ${activityMessages.activityId} = ${activities.id} and ${activityMessages.state} = 'RUNNING' and ${activityMessages.createdAt} > ${since})`
  return activitiesWithOwners(tx)
    .where(
      and(
        eq(activities.owner, owner),
        or(ne(activities.status, 'ACTIVE'), isNotNull(activities.deletedAt)),
        isNotPurged,
        sql`not ${isSending}`,
      ),
    )
    .limit(limit)
}

export async function hasUnpurged(tx: Tx, owner: OwnerKey): Promise<boolean> {
  const rows = await tx
    .select({ id: activities.id })
    .from(activities)
    .where(and(eq(activities.owner, owner), isNotPurged))
    .limit(1)
  return rows.length > 0
}

export const deletePassTemplates = (tx: Tx, owner: OwnerKey, limit: number): Promise<number> =>
  deleteSome(tx, passTemplates, eq(passTemplates.owner, owner), limit)
