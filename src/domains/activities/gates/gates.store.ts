import { and, asc, desc, eq, exists, gt, gte, inArray, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'

import { pagedTable } from '#db/lists.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { activities, activityCounters } from '#db/schema/activities.ts'
import { passes, passUses, type RefusalReason } from '#db/schema/passes.ts'
import { searchPage } from '#db/search.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

import type { PassRow } from '../passes/passes.store.ts'
import type { UsesQuery } from './gates.model.ts'
import type { Neighbours, Passage } from './gates.rules.ts'

const p = sql.placeholder

export type UseRow = typeof passUses.$inferSelect
export type NewUse = Omit<UseRow, 'id'>

export const listed = pagedTable(passUses, ['id', 'activityId', 'passId', 'usedAt', 'createdAt'])
const lists = {
  orders: { usedAt: ['usedAt', 'createdAt', 'id'] },
  sort: '-usedAt',
  select: (db: Builders) => db.select().from(passUses).$dynamic(),
} as const
const ofActivity = listed.list({ owner: ['activityId'], total: 'pass_uses.activity', ...lists })
const ofPass = listed.list({ owner: ['passId'], ...lists })

/** The uses of an activity or of one pass: the caller checks who may see them. */
export type Uses = { readonly activityId: number } | { readonly passId: number }

/** Newest first. */
export const usesPage = (db: Db, uses: Uses, page: PageInput): Promise<Page<UseRow>> =>
  'passId' in uses ? ofPass.page(db, uses, page) : ofActivity.page(db, uses, page)

const newestFirst = [desc(passUses.usedAt), desc(passUses.createdAt), desc(passUses.id)]

const matches = ({ result, isDoubleUse }: UsesQuery): SQL | undefined =>
  and(
    result === undefined ? undefined : eq(passUses.result, result),
    isDoubleUse === undefined ? undefined : eq(passUses.isDoubleUse, isDoubleUse),
  )

const isDuring = ({ from, to }: UsesQuery): SQL | undefined =>
  and(
    from === undefined ? undefined : gte(passUses.usedAt, from),
    to === undefined ? undefined : lte(passUses.usedAt, to),
  )

const inUses = (uses: Uses): SQL =>
  'passId' in uses ? eq(passUses.passId, uses.passId) : eq(passUses.activityId, uses.activityId)

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
      verifierUserId: p('verifierUserId'),
      usedAt: p('usedAt'),
      createdAt: p('createdAt'),
    })
    .onConflictDoNothing()
    .returning(),
)

/** Undefined if the activity has a use with this nonce. */
export async function insertUse(tx: Tx, use: NewUse): Promise<UseRow | undefined> {
  const [row] = await inserted(tx, { ...use })
  if (row) listed.inserted(tx, row)
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
    .where(and(eq(passUses.activityId, activityId), inArray(passUses.nonce, [...nonces])))

/** Turns a use into a refused one, in the write that inserted it. */
export async function refuseUse(tx: Tx, id: number, reason: RefusalReason, isDoubleUse: boolean): Promise<UseRow> {
  const [row] = await tx
    .update(passUses)
    .set({ result: 'REFUSED', reason, isDoubleUse })
    .where(eq(passUses.id, id))
    .returning()
  return row!
}

const hasLeft = and(sql`${passes.usedCount} > 0`, eq(passes.isInside, false))!
const hasUse = or(eq(passes.maxUses, 0), lt(passes.usedCount, passes.maxUses))!
const usedOnceMore = sql`${passes.usedCount} + 1`

/** The change that a passage makes, and the state that it needs: the conditions of `judge` that another request can change. */
const PASSAGES = {
  USE: { change: { usedCount: usedOnceMore, isInside: true }, needs: and(sql`not (${hasLeft})`, hasUse) },
  RETURN: { change: { isInside: true }, needs: hasLeft },
  EXIT: { change: { isInside: false }, needs: eq(passes.isInside, true) },
} as const

const ofActivityInState = (state: SQL | undefined) => (db: Builders) =>
  exists(
    db
      .select({ id: activities.id })
      .from(activities)
      .where(and(eq(activities.id, passes.activityId), isNull(activities.deletedAt), state)),
  )

const passingNow = (passage: Passage) =>
  prepared((db) =>
    db
      .update(passes)
      .set({ ...PASSAGES[passage].change, lastUsedAt: sql`${p('now')}`, updatedAt: sql`${p('stamp')}` })
      .where(
        and(
          eq(passes.id, p('id')),
          isNull(passes.revokedAt),
          isNull(passes.expiredAt),
          or(isNull(passes.validFrom), lte(passes.validFrom, p('now'))),
          or(isNull(passes.validTo), gte(passes.validTo, p('now'))),
          PASSAGES[passage].needs,
          ofActivityInState(eq(activities.status, 'ACTIVE'))(db),
        ),
      )
      .returning(),
  )
const nowBy: Record<Passage, ReturnType<typeof passingNow>> = {
  USE: passingNow('USE'),
  RETURN: passingNow('RETURN'),
  EXIT: passingNow('EXIT'),
}

/** Lets a pass through a gate. Undefined, without a change, if that is not possible at this moment. */
export const pass = async (tx: Tx, id: number, passage: Passage, now: number): Promise<PassRow | undefined> =>
  (await nowBy[passage](tx, { id, now, stamp: tx.stamp }))[0]

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
      ...(passage === 'USE' && { usedCount: usedOnceMore }),
      ...(isLast && { isInside: passage !== 'EXIT', lastUsedAt: usedAt }),
      updatedAt: tx.stamp,
    })
    .where(and(eq(passes.id, id), passage === 'USE' ? hasUse : undefined))
    .returning()
  return row
}

const acceptedOf = (db: Pick<Builders, 'select'>, earlier: boolean) =>
  db
    .select({ direction: passUses.direction })
    .from(passUses)
    .where(
      and(
        eq(passUses.passId, p('passId')),
        eq(passUses.result, 'ACCEPTED'),
        earlier ? lte(passUses.usedAt, p('at')) : gt(passUses.usedAt, p('at')),
      ),
    )
    .orderBy(...(earlier ? newestFirst : [asc(passUses.usedAt), asc(passUses.createdAt), asc(passUses.id)]))
    .limit(1)
const lastUpTo = prepared((db) => acceptedOf(db, true))
const firstAfter = prepared((db) => acceptedOf(db, false))

/** The accepted uses of the pass around this time; those at the time itself are before it. */
export async function neighboursOf(db: Db | Tx, passId: number, at: number): Promise<Neighbours> {
  const [before] = await lastUpTo(db, { passId, at })
  const [after] = await firstAfter(db, { passId, at })
  return { before: before?.direction, after: after?.direction }
}

const counted = prepared((db) =>
  db
    .update(activityCounters)
    .set({ passUses: sql`${activityCounters.passUses} + ${p('n')}` })
    .where(eq(activityCounters.activityId, p('activityId')))
    .returning({ passUses: activityCounters.passUses }),
)

/** Adds to the uses of all passes of the activity. */
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
