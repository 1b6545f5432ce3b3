import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'

import { contains, someTextContains } from '#db/contains.ts'
import { isAnyOf } from '#db/dialect.ts'
import type { Select } from '#db/list-order.ts'
import { pagedTable } from '#db/lists.ts'
import { note } from '#db/notes.ts'
import type { Page, PageInput } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { checkInLists, passChanges, passes, passListUses } from '#db/schema/passes.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

import { ERASED_NAME, eraseGuestRows } from '../registrations/guests.store.ts'
import type { PassStatus } from './passes.rules.ts'

const p = sql.placeholder

/** As read by `passColumns`: with the end and the expiry that count. */
export type PassRow = typeof passes.$inferSelect

const endOfActivity = sql`(select a.end_time from activities a where a.id = ${passes.activityId})`

/** The end of the validity: that of the activity as it is now, if the pass follows it. */
export const validToNow = sql`case when ${passes.followsActivity} then ${endOfActivity} else ${passes.validTo} end`

/** The columns of every query that reads whole passes. */
export const passColumns = {
  ...getTableColumns(passes),
  validTo: validToNow.mapWith(passes.validTo),
  // A process of the version before may have marked one that follows.
  expiredAt: sql`case when ${passes.followsActivity} then null else ${passes.expiredAt} end`.mapWith(passes.expiredAt),
} as unknown as Pick<typeof passes, keyof PassRow>

export const listed = pagedTable(passes, ['id', 'activityId', 'holderUserId', 'deletedAt', 'createdAt'])

/** Not deleted by an administrator. */
export const isKept = isNull(passes.deletedAt).inlineParams()

const byId = prepared((db) =>
  db
    .select(passColumns)
    .from(passes)
    .where(and(eq(passes.id, p('id')), isKept)),
)
const byUuid = prepared((db) =>
  db
    .select(passColumns)
    .from(passes)
    .where(and(eq(passes.uuid, p('uuid')), isKept)),
)

/** Any pass: the caller checks who may see it, and that its activity exists. */
export const findPass = async (db: Db | Tx, id: number): Promise<PassRow | undefined> => (await byId(db, { id }))[0]

export const findPassByUuid = async (db: Db | Tx, uuid: string): Promise<PassRow | undefined> =>
  (await byUuid(db, { uuid: uuid.toLowerCase() }))[0]

/** A pass is live until it expires or is revoked; uses do not matter, because a holder who left may come back. */
const isLive = and(
  isNull(passes.revokedAt).inlineParams(),
  isNull(passes.expiredAt).inlineParams(),
  or(isNull(validToNow), gte(validToNow, p('now'))),
)

const liveOfUser = prepared((db) =>
  db
    .select(passColumns)
    .from(passes)
    .where(and(eq(passes.holderUserId, p('userId')), eq(passes.activityId, p('activityId')), isLive))
    .orderBy(desc(passes.id))
    .limit(100),
)
const liveOfGuest = prepared((db) =>
  db
    .select(passColumns)
    .from(passes)
    .where(and(eq(passes.registrationId, p('id')), isNotNull(passes.registrationId).inlineParams(), isKept, isLive))
    .orderBy(desc(passes.id))
    .limit(100),
)

/** The passes of a person (`personOf`) that are neither expired nor revoked, the newest first. */
export const livePassesOf = (db: Db | Tx, activityId: number, person: number, now: number): Promise<PassRow[]> =>
  person > 0 ? liveOfUser(db, { activityId, userId: person, now }) : liveOfGuest(db, { id: -person, now })

const ofRegistration = prepared((db) =>
  db
    .select(passColumns)
    .from(passes)
    .where(and(eq(passes.registrationId, p('id')), isNotNull(passes.registrationId).inlineParams(), isKept))
    .orderBy(sql`case when ${passes.revokedAt} is null then 0 else 1 end`, desc(passes.id))
    .limit(1),
)

/** The newest pass of a guest, if possible one that is not revoked. */
export const passOfGuest = async (db: Db | Tx, registrationId: number): Promise<PassRow | undefined> =>
  (await ofRegistration(db, { id: registrationId }))[0]

const anyOfHolder = prepared((db) =>
  db
    .select({ id: passes.id })
    .from(passes)
    .where(and(eq(passes.holderUserId, p('userId')), isNotNull(passes.holderUserId)))
    .limit(1),
)

/** Whether the user has ever held a pass. */
export const hasPasses = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await anyOfHolder(db, { userId })).length > 0

/** The names of the holders of passes, by the id of the pass. */
export async function holderNames(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .select({ id: passes.id, holderName: passes.holderName })
    .from(passes)
    .where(inArray(passes.id, [...ids]))
  return new Map(rows.map((row) => [row.id, row.holderName]))
}

/** Replaces the name on all passes of a user whose account is being deleted. */
export async function renameHolder(tx: Tx, userId: number, holderName: string): Promise<void> {
  await tx.update(passes).set({ holderName, updatedAt: tx.stamp }).where(eq(passes.holderUserId, userId))
}

/** Deletes the data of guests (registrations without an account), also on their passes. The rows stay. */
export async function eraseGuests(tx: Tx, registrationIds: readonly number[]): Promise<void> {
  const erased = await eraseGuestRows(tx, registrationIds)
  if (erased.length === 0) return
  await tx
    .update(passes)
    .set({ holderName: ERASED_NAME, updatedAt: tx.stamp })
    .where(and(inArray(passes.registrationId, erased), isNotNull(passes.registrationId)))
}

/** Counting stops here: it is enough to say that there are many. */
const MOST_COUNTED = 1000

/** The number of passes of the activity that are neither expired nor revoked; at most 1,000. */
export async function countLive(db: Db | Tx, activityId: number, now: number): Promise<number> {
  const rows = await someLive(db, { activityId, now })
  return rows.length
}

const someLive = prepared((db) =>
  db
    .select({ id: passes.id })
    .from(passes)
    .where(and(eq(passes.activityId, p('activityId')), isLive))
    .limit(MOST_COUNTED),
)

const listsOf = prepared((db) =>
  db
    .select({
      listId: checkInLists.id,
      name: checkInLists.name,
      used: passListUses.usedCount,
      inside: passListUses.isInside,
      lastUsedAt: passListUses.lastUsedAt,
    })
    .from(checkInLists)
    .leftJoin(
      passListUses,
      and(
        eq(passListUses.activityId, p('activityId')),
        eq(passListUses.passId, p('passId')),
        eq(passListUses.listId, checkInLists.id),
      ),
    )
    .where(and(eq(checkInLists.activityId, p('activityId')), isNull(checkInLists.deletedAt).inlineParams()))
    .orderBy(asc(checkInLists.sortOrder), asc(checkInLists.id)),
)

/** The check-in lists of the activity, with the uses of the pass: null where there are none. */
export const listsOfPass = (db: Db, { activityId, id }: Pick<PassRow, 'activityId' | 'id'>) =>
  listsOf(db, { activityId, passId: id })

const lists = {
  orders: { id: ['id'] },
  sort: '-id',
  select: (db: Pick<Builders, 'select'>) =>
    db.select(passColumns).from(passes).$dynamic() as unknown as Select<PassRow>,
} as const
const ofActivity = listed.list({
  owner: ['activityId'],
  where: { deletedAt: null },
  total: 'passes.activity',
  ...lists,
})
const ofHolder = listed.list({ owner: ['holderUserId', 'activityId'], whereNot: { holderUserId: null }, ...lists })

/** The passes of an activity, or only those of one user. */
export interface PassList {
  readonly activityId: number
  readonly userId?: number | undefined
}

/** Newest first, at the same cost for any length. */
export const passesPage = (db: Db, { activityId, userId }: PassList, page: PageInput): Promise<Page<PassRow>> =>
  userId === undefined
    ? ofActivity.page(db, { activityId }, { page: page.page, size: page.size })
    : ofHolder.page(db, { activityId, holderUserId: userId }, { page: page.page, size: page.size })

export interface PassFilter {
  readonly status?: PassStatus | undefined
  readonly keyword?: string | undefined
}

/** `db` is that of `Store.search`. */
export function searchPasses(
  db: Db,
  { activityId, userId }: PassList,
  filter: PassFilter,
  now: number,
  { page, size }: PageInput,
): Promise<Page<PassRow>> {
  const where = matching(filter, now)
  return userId === undefined
    ? ofActivity.search(db, { activityId }, { page, size }, where)
    : ofHolder.search(db, { activityId, holderUserId: userId }, { page, size }, where)
}

/** `where` of lists of passes. */
export const matching = ({ status, keyword }: PassFilter, now: number): SQL | undefined =>
  and(
    status && hasStatus(status, now),
    keyword
      ? or(
          contains(passes.holderName, keyword),
          someTextContains(passes.fields, keyword),
          eq(passes.uuid, keyword.toLowerCase()),
        )
      : undefined,
  )

/** `statusOf` (passes.rules.ts) in SQL. */
function hasStatus(status: PassStatus, now: number): SQL | undefined {
  if (status === 'REVOKED') return isNotNull(passes.revokedAt)
  const isExpired = or(
    and(eq(passes.followsActivity, false), isNotNull(passes.expiredAt)),
    // NULL is not less, but NOT of it would be NULL.
    sql`coalesce(${validToNow} < ${now}, false)`,
  )!
  if (status === 'EXPIRED') return and(isNull(passes.revokedAt), isExpired)
  const isUsedUp = sql`(${passes.maxUses} > 0 and ${passes.usedCount} >= ${passes.maxUses})`
  return and(isNull(passes.revokedAt), not(isExpired), status === 'USED' ? isUsedUp : not(isUsedUp))
}

/** The next passes of an activity after the pass with the id `after`, oldest first. */
export const passesAfter = (db: Db, activityId: number, after: number, limit: number): Promise<PassRow[]> =>
  db
    .select(passColumns)
    .from(passes)
    .where(and(eq(passes.activityId, activityId), isKept, gt(passes.id, after)))
    .orderBy(asc(passes.id))
    .limit(limit)

/** Undefined if it was revoked before. */
export async function revokePass(tx: Tx, id: number, reason: string): Promise<PassRow | undefined> {
  const [row] = await tx
    .update(passes)
    .set({ revokedAt: tx.stamp, revokeReason: reason, liveHolderId: null, updatedAt: tx.stamp })
    .where(and(eq(passes.id, id), isNull(passes.revokedAt)))
    .returning(passColumns)
  if (row !== undefined) note(tx, { type: 'pass.revoked', activityId: row.activityId, id })
  return row
}

/** Lets gates without a connection know that the validity of the passes is not what their printed codes say. */
export async function markChanged(tx: Tx, rows: readonly Pick<PassRow, 'id' | 'activityId'>[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insert(passChanges)
    .values(rows.map(({ id, activityId }) => ({ passId: id, activityId, changedAt: tx.stamp })))
    .onConflictDoUpdate({ target: passChanges.passId, set: { changedAt: tx.stamp } })
    .returning({ passId: passChanges.passId })
}

/**
 * Marks at most `limit` passes whose own validity has ended, so that their holders can get new ones. Returns their number. Those of the version
 * before that follow their activity only lose their old end, so that they are not found again.
 */
export async function expirePasses(tx: Tx, now: number, limit: number): Promise<number> {
  const ended = tx
    .select({ id: passes.id })
    .from(passes)
    // Like the condition of the index.
    .where(and(isNotNull(passes.validTo), isNull(passes.expiredAt), lt(passes.validTo, now)))
    .orderBy(asc(passes.validTo), asc(passes.id))
    .limit(limit)
  const rows = await tx
    .update(passes)
    .set({
      validTo: sql`case when not ${passes.followsActivity} then ${passes.validTo} end`,
      expiredAt: sql`case when ${passes.followsActivity} then ${passes.expiredAt} else ${now} end`,
      liveHolderId: sql`case when ${passes.followsActivity} then ${passes.liveHolderId} end`,
      updatedAt: sql`case when ${passes.followsActivity} then ${passes.updatedAt} else ${tx.stamp} end`,
    })
    .where(isAnyOf(passes.id, ended))
    .returning({ id: passes.id })
  return rows.length
}
