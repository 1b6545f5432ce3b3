import { and, asc, desc, eq, isNotNull, isNull, lt, lte, not, sql } from 'drizzle-orm'

import { pagedTable } from '#db/lists.ts'
import { note } from '#db/notes.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { assetLoans, assets } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'
import { DAY } from '#platform/clock.ts'

import { firstNoticeOf, nextNoticeOf } from '../bookings.rules.ts'
import type { LoansQuery } from './loans.model.ts'

export type LoanRow = typeof assetLoans.$inferSelect

const listed = pagedTable(assetLoans, ['id', 'owner'])
const ofOwner = listed.list({
  owner: ['owner'],
  total: 'asset_loans.owner',
  orders: { id: ['id'] },
  sort: '-id',
  select: (db) => db.select().from(assetLoans).$dynamic(),
})

/** All loans of the owner, newest first. */
export const loansPage = (db: Db, owner: OwnerKey, page: PageInput): Promise<Page<LoanRow>> =>
  ofOwner.page(db, { owner }, page)

const isOpen = isNull(assetLoans.checkedInAt)

export function filteredPage(db: Db, owner: OwnerKey, query: LoansQuery, now: number): Promise<Page<LoanRow>> {
  const { open, overdue, assetId, userId } = query
  const isOverdue = sql`(${isOpen} and ${assetLoans.dueAt} is not null and ${lt(assetLoans.dueAt, now)})`
  const where = and(
    eq(assetLoans.owner, owner),
    open === undefined ? undefined : open ? isOpen : isNotNull(assetLoans.checkedInAt),
    // The condition is given twice for the index of open loans.
    overdue === undefined ? undefined : overdue ? and(isOpen, isOverdue) : not(isOverdue),
    assetId === undefined ? undefined : eq(assetLoans.assetId, assetId),
    userId === undefined ? undefined : eq(assetLoans.userId, userId),
  )
  return pageOf(db, assetLoans, { where, orderBy: [desc(assetLoans.id)], page: query })
}

/** When users are to be notified of a loan that is due at this time. */
function noticesOf(from: number, dueAt: number | null): Pick<LoanRow, 'noticeAt' | 'announcedAt'> {
  if (dueAt === null) return { noticeAt: null, announcedAt: null }
  // The version before announces a loan a day before it is due, unless it was announced.
  return { noticeAt: firstNoticeOf(from, dueAt), announcedAt: dueAt - from <= DAY ? from : null }
}

/** Undefined if the asset has an open loan. */
export async function insertLoan(
  tx: Tx,
  loan: Pick<LoanRow, 'owner' | 'assetId' | 'userId' | 'personName' | 'dueAt' | 'note' | 'operatorId'> &
    Partial<Pick<LoanRow, 'reservationId'>>,
): Promise<LoanRow | undefined> {
  const [row] = await tx
    .insert(assetLoans)
    .values({ ...loan, ...noticesOf(tx.stamp, loan.dueAt), checkedOutAt: tx.stamp })
    .onConflictDoNothing()
    .returning()
  if (row !== undefined) {
    listed.inserted(tx, row)
    note(tx, { type: 'asset.checked_out', owner: row.owner, id: row.assetId })
  }
  return row
}

/** Undefined if the asset has no open loan. */
export async function endLoan(
  tx: Tx,
  assetId: number,
  change: Pick<LoanRow, 'condition' | 'returnNote'>,
): Promise<LoanRow | undefined> {
  const [row] = await tx
    .update(assetLoans)
    .set({ ...change, checkedInAt: tx.stamp })
    .where(and(eq(assetLoans.assetId, assetId), isOpen))
    .returning()
  if (row !== undefined) note(tx, { type: 'asset.checked_in', owner: row.owner, id: assetId })
  return row
}

/** Loans belong to the owner of their asset, also after it was given to an organization. */
export async function giveLoans(tx: Tx, assetId: number, owner: OwnerKey): Promise<void> {
  const rows = await tx.select().from(assetLoans).where(eq(assetLoans.assetId, assetId))
  await tx.update(assetLoans).set({ owner }).where(eq(assetLoans.assetId, assetId)).returning({ id: assetLoans.id })
  for (const row of rows) listed.updated(tx, row, { ...row, owner })
}

/** The loans of a reservation that are open are due at another time. Returns the ids of their assets. */
export async function prolongLoans(tx: Tx, reservationId: number, dueAt: number): Promise<number[]> {
  const rows = await tx
    .update(assetLoans)
    .set({ dueAt, ...noticesOf(tx.stamp, dueAt), remindedAt: null, overdueNotices: 0 })
    .where(and(eq(assetLoans.reservationId, reservationId), isNotNull(assetLoans.reservationId), isOpen))
    .returning({ assetId: assetLoans.assetId })
  return rows.map((row) => row.assetId)
}

/** A loan of which users are to be notified, with the name and number of its asset. */
export interface DueLoan extends Pick<
  LoanRow,
  'id' | 'assetId' | 'owner' | 'userId' | 'personName' | 'operatorId' | 'reservationId' | 'dueAt' | 'overdueNotices'
> {
  readonly name: string
  readonly assetNo: string
  readonly categoryId: number | null
}

/** Loans that the version before has written get the time of their next notification. */
export async function adoptLoans(tx: Tx, now: number): Promise<void> {
  await tx
    .update(assetLoans)
    .set({ noticeAt: sql`case when ${assetLoans.announcedAt} is null then ${now} else ${assetLoans.dueAt} end` })
    .where(and(isOpen, isNull(assetLoans.remindedAt), lte(assetLoans.dueAt, now + DAY), isNull(assetLoans.noticeAt)))
    .returning({ id: assetLoans.id })
}

/** At most `limit` open loans of which users are to be notified now. They have been from now on. */
export async function takeDue(tx: Tx, now: number, limit: number): Promise<DueLoan[]> {
  const { id, assetId, owner, userId, personName, operatorId, reservationId, dueAt, overdueNotices } = assetLoans
  const { name, assetNo, categoryId } = assets
  const rows = await tx
    .select({
      id,
      assetId,
      owner,
      userId,
      personName,
      operatorId,
      reservationId,
      dueAt,
      overdueNotices,
      name,
      assetNo,
      categoryId,
    })
    .from(assetLoans)
    .innerJoin(assets, eq(assets.id, assetId))
    .where(and(isOpen, isNotNull(assetLoans.noticeAt), lte(assetLoans.noticeAt, now)))
    .orderBy(asc(assetLoans.noticeAt), asc(id))
    .limit(limit)
  for (const row of rows) {
    const sent = row.overdueNotices + 1
    const change =
      now < row.dueAt!
        ? { noticeAt: row.dueAt, announcedAt: tx.stamp }
        : { noticeAt: nextNoticeOf(row.dueAt!, sent, now), remindedAt: tx.stamp, overdueNotices: sent }
    await tx.update(assetLoans).set(change).where(eq(id, row.id)).returning({ id })
    if (now >= row.dueAt! && row.overdueNotices === 0)
      note(tx, { type: 'asset.overdue', owner: row.owner, id: row.assetId })
  }
  return rows
}
