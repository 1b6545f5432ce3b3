import { and, asc, desc, eq, gt, gte, inArray, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { insertFrom, jsonRows, together } from '#db/json-rows.ts'
import { pagedTable } from '#db/lists.ts'
import { note } from '#db/notes.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { activities, activityCounters } from '#db/schema/activities.ts'
import { activityGates, gateDevices } from '#db/schema/activity-gates.ts'
import { checkInLists, passes, passListUses, passUses } from '#db/schema/passes.ts'
import { searchPage } from '#db/search.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

import { isNotDeleted } from '../check-in-lists/check-in-lists.store.ts'
import { isKept, passColumns, type PassRow } from '../passes/passes.store.ts'
import type { UsesQuery } from './gates.model.ts'
import type { Neighbours, Passage } from './gates.rules.ts'
import { addToLists, changeListUses, listSums, type ListUses, onLists } from './list-uses.store.ts'

const p = sql.placeholder

export type UseRow = typeof passUses.$inferSelect
/** A use that was not taken back. */
export const NOT_UNDONE = { undoneAt: null, undoneByUserId: null, undoneByGateId: null, undoReason: '' } as const
export type NewUse = Omit<UseRow, 'id' | keyof typeof NOT_UNDONE>

export const listed = pagedTable(passUses, ['id', 'activityId', 'passId', 'usedAt', 'createdAt'])
const lists = {
  orders: { usedAt: ['usedAt', 'createdAt', 'id'] },
  sort: '-usedAt',
  select: (db: Builders) => db.select().from(passUses).$dynamic(),
} as const
const ofActivity = listed.list({ owner: ['activityId'], total: 'pass_uses.activity', ...lists })
const ofPass = listed.list({ owner: ['passId'], ...lists })

/** The uses of an activity or of one pass: the caller checks who may see them. */
type AllUses = { readonly activityId: number } | { readonly passId: number }
/** The same, or those on a check-in list. */
export type Uses = AllUses | { readonly listId: number }

/** Newest first. */
export const usesPage = (db: Db, uses: AllUses, page: PageInput): Promise<Page<UseRow>> =>
  'passId' in uses ? ofPass.page(db, uses, page) : ofActivity.page(db, uses, page)

export const newestFirst = [desc(passUses.usedAt), desc(passUses.createdAt), desc(passUses.id)]

const matches = ({ result, isDoubleUse, listId }: UsesQuery): SQL | undefined =>
  and(
    listId === undefined ? undefined : eq(passUses.listId, listId),
    result === undefined ? undefined : eq(passUses.result, result),
    isDoubleUse === undefined ? undefined : eq(passUses.isDoubleUse, isDoubleUse),
  )

const isDuring = ({ from, to }: UsesQuery): SQL | undefined =>
  and(
    from === undefined ? undefined : gte(passUses.usedAt, from),
    to === undefined ? undefined : lte(passUses.usedAt, to),
  )

const inUses = (uses: Uses): SQL =>
  'passId' in uses
    ? eq(passUses.passId, uses.passId)
    : 'listId' in uses
      ? eq(passUses.listId, uses.listId)
      : eq(passUses.activityId, uses.activityId)

/** Uses that pass the filters of the query, except for its pass. Reads all of the period: `db` is that of `Store.search`. */
export const searchUses = (db: Db, uses: Uses, query: UsesQuery): Promise<Page<UseRow>> =>
  searchPage(
    db,
    {
      table: passUses,
      scope: and(inUses(uses), isDuring(query)),
      order: [passUses.usedAt, passUses.createdAt, passUses.id],
      isReversed: true,
      where: matches(query),
      select: lists.select,
    },
    { page: query.page, size: query.size },
  )

/** Uses of the passes that the user holds for the activity, and that pass the filters of the query. `db` is that of `Store.search`. */
export const pageOfHolder = (db: Db, activityId: number, userId: number, query: UsesQuery): Promise<Page<UseRow>> =>
  pageOf(db, passUses, {
    where: and(
      inArray(
        passUses.passId,
        db
          .select({ id: passes.id })
          .from(passes)
          .where(
            and(
              eq(passes.holderUserId, userId),
              eq(passes.activityId, activityId),
              query.passId === undefined ? undefined : eq(passes.id, query.passId),
            ),
          ),
      ),
      isDuring(query),
      matches(query),
    ),
    orderBy: newestFirst,
    page: query,
  })

/** The nicknames of users, by id. */
export async function nicknames(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: users.id, nickname: users.nickname })
    .from(users)
    .where(inArray(users.id, [...new Set(ids)]))
  return new Map(rows.map(({ id, nickname }) => [id, nickname]))
}

interface NamedGate {
  readonly id: number
  readonly name: string
  readonly deviceName: string | null
}

export interface NamedGates {
  /** Those that have scanned, by the id of the device. */
  readonly devices: ReadonlyMap<number | null, NamedGate>
  /** The names of those that have undone uses. */
  readonly names: ReadonlyMap<number, string>
}

/** The gates in these uses. */
export async function gatesOf(
  db: Db,
  rows: readonly Pick<UseRow, 'gateDeviceId' | 'undoneByGateId'>[],
): Promise<NamedGates> {
  const deviceIds = [...new Set(rows.flatMap(({ gateDeviceId }) => gateDeviceId ?? []))]
  if (deviceIds.length === 0) return { devices: new Map(), names: new Map() }
  // A gate undoes only uses that its devices have scanned.
  const named = await db
    .select({ deviceId: gateDevices.id, id: activityGates.id, name: activityGates.name, deviceName: gateDevices.name })
    .from(gateDevices)
    .innerJoin(activityGates, eq(activityGates.id, gateDevices.gateId))
    .where(inArray(gateDevices.id, deviceIds))
  return {
    devices: new Map(
      named.map(({ deviceId, id, name, deviceName }) => [deviceId, { id, name, deviceName: deviceName || null }]),
    ),
    names: new Map(named.map(({ id, name }) => [id, name])),
  }
}

const scans = jsonRows('scans', { id: 'int', admitted: 'int', refused: 'int' })
const addScans = prepared((db) =>
  db
    .update(gateDevices)
    .set({
      admitted: sql`${gateDevices.admitted} + ${scans.admitted}`,
      refused: sql`${gateDevices.refused} + ${scans.refused}`,
    })
    .from(scans.rows)
    .where(eq(gateDevices.id, scans.id)),
)

/** Adds uses to the numbers of the devices of gates that have scanned them; `factor` -1 takes them away. */
export async function countScans(
  tx: Tx,
  uses: readonly Pick<NewUse, 'gateDeviceId' | 'result' | 'direction'>[],
  factor = 1,
): Promise<void> {
  const byDevice = new Map<number, { admitted: number; refused: number }>()
  for (const { gateDeviceId: id, result, direction } of uses) {
    if (id === null) continue
    const { admitted, refused } = byDevice.get(id) ?? { admitted: 0, refused: 0 }
    const isEntry = result === 'ACCEPTED' && direction === 'ENTRY'
    byDevice.set(id, {
      admitted: admitted + (isEntry ? factor : 0),
      refused: refused + (result === 'REFUSED' ? factor : 0),
    })
  }
  if (byDevice.size > 0) await addScans(tx, scans.values([...byDevice].map(([id, sums]) => ({ id, ...sums }))))
}

const inserted = prepared((db) =>
  db
    .insert(passUses)
    .values({
      activityId: p('activityId'),
      passId: p('passId'),
      passUuid: p('passUuid'),
      result: p('result'),
      reason: p('reason'),
      direction: p('direction'),
      nonce: p('nonce'),
      offline: p('offline'),
      isDoubleUse: p('isDoubleUse'),
      takesUse: p('takesUse'),
      listId: p('listId'),
      verifierUserId: p('verifierUserId'),
      gateId: p('gateId'),
      gateDeviceId: p('gateDeviceId'),
      usedAt: p('usedAt'),
      createdAt: p('createdAt'),
    })
    .onConflictDoNothing()
    .returning(),
)

/** Notes an entry for webhooks. */
function noteUse(tx: Tx, { result, direction, passId, activityId }: NewUse): void {
  if (result === 'ACCEPTED' && direction === 'ENTRY' && passId !== null)
    note(tx, { type: 'pass.redeemed', activityId, id: passId })
}

/** Undefined if the activity has a use with this nonce. */
export async function insertUse(tx: Tx, use: NewUse): Promise<UseRow | undefined> {
  const [row] = await inserted(tx, { ...use })
  if (row) {
    listed.inserted(tx, row)
    noteUse(tx, row)
  }
  return row
}

const byNonce = prepared((db) =>
  db
    .select()
    .from(passUses)
    .where(and(eq(passUses.activityId, p('activityId')), eq(passUses.nonce, p('nonce')))),
)

export const findByNonce = async (db: Db | Tx, activityId: number, nonce: string): Promise<UseRow | undefined> =>
  (await byNonce(db, { activityId, nonce }))[0]

/** The uses of the activity with these nonces; at most 1,000. */
export const findByNonces = (db: Db | Tx, activityId: number, nonces: readonly string[]): Promise<UseRow[]> =>
  db
    .select()
    .from(passUses)
    .where(and(eq(passUses.activityId, activityId), isOneOf(passUses.nonce, nonces)))

const asked = jsonRows('asked', { nth: 'int', activityId: 'int', passUuid: 'text', nonce: 'text', listId: 'int' })

const facts = prepared((db) =>
  db
    .select({
      nth: asked.nth.mapWith(Number),
      activity: { status: activities.status, endedAt: activities.endedAt, deletedAt: activities.deletedAt },
      pass: passColumns,
      first: passUses,
      list: checkInLists,
      listUses: passListUses,
    })
    .from(asked.rows)
    .leftJoin(activities, eq(activities.id, asked.activityId))
    .leftJoin(passes, and(eq(passes.uuid, asked.passUuid), isKept))
    .leftJoin(passUses, and(eq(passUses.activityId, asked.activityId), eq(passUses.nonce, asked.nonce)))
    .leftJoin(
      checkInLists,
      and(eq(checkInLists.id, asked.listId), eq(checkInLists.activityId, asked.activityId), isNotDeleted),
    )
    .leftJoin(
      passListUses,
      and(
        eq(passListUses.activityId, asked.activityId),
        eq(passListUses.passId, passes.id),
        eq(passListUses.listId, asked.listId),
      ),
    ),
)

interface Asked {
  readonly activityId: number
  /** Null: no pass is looked for. */
  readonly passUuid: string | null
  readonly nonce: string | null
  readonly listId: number | null
}

/** For each redemption: its activity, its pass, the use that has its nonce, its list, and the uses of the pass on that. */
export async function findFacts(tx: Tx, redemptions: readonly Asked[]) {
  const rows = redemptions.map(({ activityId, passUuid, nonce, listId }, nth) => ({
    nth,
    activityId,
    passUuid,
    nonce,
    listId,
  }))
  return (await facts(tx, asked.values(rows))).toSorted((a, b) => a.nth - b.nth)
}

const changed = jsonRows('changed', { id: 'int', usedCount: 'int', isInside: 'bool', lastUsedAt: 'int' })
const changePasses = (db: Builders) =>
  db
    .update(passes)
    .set({
      usedCount: changed.usedCount,
      isInside: changed.isInside,
      lastUsedAt: changed.lastUsedAt,
      updatedAt: sql`${p('stamp')}`,
    })
    .from(changed.rows)
    .where(eq(passes.id, changed.id))

const sums = jsonRows('sums', { activityId: 'int', uses: 'int' })
const addToActivities = (db: Builders) =>
  db
    .update(activityCounters)
    .set({ passUses: sql`${activityCounters.passUses} + ${sums.uses}` })
    .from(sums.rows)
    .where(eq(activityCounters.activityId, sums.activityId))

const newUses = jsonRows('new_uses', {
  activityId: 'int',
  passId: 'int',
  passUuid: 'text',
  result: 'text',
  reason: 'text',
  direction: 'text',
  nonce: 'text',
  offline: 'bool',
  isDoubleUse: 'bool',
  takesUse: 'bool',
  listId: 'int',
  verifierUserId: 'int',
  gateId: 'int',
  gateDeviceId: 'int',
  usedAt: 'int',
  createdAt: 'int',
})
const insertUses = (db: Builders) => insertFrom(db, passUses, newUses).returning({ id: passUses.id })

const storeAll = together(changePasses, addToActivities, insertUses)
const storeAllOnLists = together(changePasses, addToActivities, changeListUses, addToLists, insertUses)

/** The changes that uses make to other rows. */
export interface Counts {
  /** The passes as they are afterwards, by id. */
  readonly passes: Map<number, PassRow>
  /** Numbers to add to the uses of activities, by their ids. */
  readonly activities: Map<number, number>
  /** The uses of passes on lists as they are afterwards, by any key. */
  readonly onLists: Map<string, ListUses>
  /** Numbers to add to the counts of lists, by their ids. */
  readonly lists: Map<number, { readonly admitted: number; readonly inside: number }>
}

/**
 * Stores uses and the counts that they change, in an `IN_ORDER` write that has read their facts. Returns the ids of the uses, in their order. Fails if an
 * activity has a use with one of the nonces.
 */
export async function storeUses(tx: Tx, uses: readonly NewUse[], counts: Counts): Promise<number[]> {
  const used = [...counts.passes.values()]
  const values = {
    stamp: tx.stamp,
    ...changed.values(used.map(({ id, usedCount, isInside, lastUsedAt }) => ({ id, usedCount, isInside, lastUsedAt }))),
    ...sums.values([...counts.activities].map(([activityId, uses]) => ({ activityId, uses }))),
    ...newUses.values(uses),
  }
  const rows =
    counts.onLists.size === 0
      ? await storeAll(tx, values)
      : await storeAllOnLists(tx, {
          ...values,
          ...onLists.values([...counts.onLists.values()]),
          ...listSums.values([...counts.lists].map(([id, sum]) => ({ id, ...sum }))),
        })
  await countScans(tx, uses)
  const ids = rows.map(({ id }) => id).toSorted((a, b) => a - b)
  for (const [i, use] of uses.entries()) {
    listed.inserted(tx, { ...use, id: ids[i]! })
    noteUse(tx, use)
  }
  return ids
}

const hasUse = or(eq(passes.maxUses, 0), lt(passes.usedCount, passes.maxUses))!

/**
 * Records that a pass went through a gate at an earlier time, as `judgeLater` has decided in the same write. Undefined, without a change,
 * if that would take a use too many. `isLast`: no accepted use is later.
 */
export async function passLater(
  tx: Tx,
  id: number,
  passage: Passage,
  usedAt: number,
  isLast: boolean,
): Promise<PassRow | undefined> {
  const [row] = await tx
    .update(passes)
    .set({
      ...(passage === 'USE' && { usedCount: sql`${passes.usedCount} + 1` }),
      ...(isLast && { isInside: passage !== 'EXIT', lastUsedAt: usedAt }),
      updatedAt: tx.stamp,
    })
    .where(and(eq(passes.id, id), passage === 'USE' ? hasUse : undefined))
    .returning(passColumns)
  return row
}

/** Accepted and not taken back. */
export const isCounted = and(eq(passUses.result, 'ACCEPTED'), isNull(passUses.undoneAt))

const acceptedOf = (db: Pick<Builders, 'select'>, earlier: boolean, isOnList: boolean) =>
  db
    .select({ direction: passUses.direction })
    .from(passUses)
    .where(
      and(
        eq(passUses.passId, p('passId')),
        isCounted,
        isOnList ? eq(passUses.listId, p('listId')) : isNull(passUses.listId).inlineParams(),
        earlier ? lte(passUses.usedAt, p('at')) : gt(passUses.usedAt, p('at')),
      ),
    )
    .orderBy(...(earlier ? newestFirst : [asc(passUses.usedAt), asc(passUses.createdAt), asc(passUses.id)]))
    .limit(1)
const atEntrance = {
  lastUpTo: prepared((db) => acceptedOf(db, true, false)),
  firstAfter: prepared((db) => acceptedOf(db, false, false)),
}
const onList = {
  lastUpTo: prepared((db) => acceptedOf(db, true, true)),
  firstAfter: prepared((db) => acceptedOf(db, false, true)),
}

/** The accepted uses of the pass on the list around this time; those at the time itself are before it. */
export async function neighboursOf(
  db: Db | Tx,
  passId: number,
  listId: number | null,
  at: number,
): Promise<Neighbours> {
  const { lastUpTo, firstAfter } = listId === null ? atEntrance : onList
  const [before] = await lastUpTo(db, { passId, listId, at })
  const [after] = await firstAfter(db, { passId, listId, at })
  return { before: before?.direction, after: after?.direction }
}

const counted = prepared((db) =>
  db
    .update(activityCounters)
    .set({ passUses: sql`${activityCounters.passUses} + ${p('n')}` })
    .where(eq(activityCounters.activityId, p('activityId')))
    .returning({ passUses: activityCounters.passUses }),
)

/** Adds to the uses of all passes of the activity; a negative number takes away. */
export async function countUses(tx: Tx, activityId: number, n: number): Promise<void> {
  await counted(tx, { activityId, n })
}

const nextActivity = prepared((db) =>
  db
    .select({ activityId: passUses.activityId })
    .from(passUses)
    .where(and(isNull(passUses.verifierUserId).inlineParams(), gt(passUses.activityId, p('after'))))
    .orderBy(asc(passUses.activityId))
    .limit(1),
)

/** The next activity, by id, with refused checks of people who do not manage it. */
export const nextWithRefusedChecks = async (db: Db, after: number): Promise<number | undefined> =>
  (await nextActivity(db, { after }))[0]?.activityId

const refusedChecksOf = (activityId: number): SQL | undefined =>
  and(eq(passUses.activityId, activityId), isNull(passUses.verifierUserId).inlineParams())

/** The id of the newest refused check beyond the `kept` newest; undefined if there are not more. */
export async function refusedCheckBeyond(db: Db, activityId: number, kept: number): Promise<number | undefined> {
  const [row] = await db
    .select({ id: passUses.id })
    .from(passUses)
    .where(refusedChecksOf(activityId))
    .orderBy(desc(passUses.id))
    .limit(1)
    .offset(kept)
  return row?.id
}

/** Deletes at most `limit` refused checks, the oldest first, up to this id or created before this time. Returns their number. */
export async function deleteRefusedChecks(
  tx: Tx,
  activityId: number,
  { upTo, before, limit }: { readonly upTo: number; readonly before: number; readonly limit: number },
): Promise<number> {
  const oldest = await tx
    .select({ id: passUses.id, createdAt: passUses.createdAt })
    .from(passUses)
    .where(refusedChecksOf(activityId))
    .orderBy(asc(passUses.id))
    .limit(limit)
  const ids = oldest.filter((row) => row.id <= upTo || row.createdAt < before).map((row) => row.id)
  if (ids.length === 0) return 0
  const rows = await tx.delete(passUses).where(inArray(passUses.id, ids)).returning(listed.columns)
  for (const row of rows) listed.deleted(tx, row)
  return rows.length
}
