import { and, asc, desc, eq, inArray, isNotNull, isNull, lt, lte, not, sql } from 'drizzle-orm'

import { pagedTable } from '#db/lists.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { assetLoans, assets } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'

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

/** Undefined if the asset has an open loan. */
export async function insertLoan(
  tx: Tx,
  loan: Pick<LoanRow, 'owner' | 'assetId' | 'userId' | 'personName' | 'dueAt' | 'note' | 'operatorId' | 'announcedAt'>,
): Promise<LoanRow | undefined> {
  const [row] = await tx
    .insert(assetLoans)
    .values({ ...loan, checkedOutAt: tx.stamp })
    .onConflictDoNothing()
    .returning()
  if (row !== undefined) listed.inserted(tx, row)
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
  return row
}

/** Loans belong to the owner of their asset, also after it was given to an organization. */
export async function giveLoans(tx: Tx, assetId: number, owner: OwnerKey): Promise<void> {
  const rows = await tx.select().from(assetLoans).where(eq(assetLoans.assetId, assetId))
  await tx.update(assetLoans).set({ owner }).where(eq(assetLoans.assetId, assetId)).returning({ id: assetLoans.id })
  for (const row of rows) listed.updated(tx, row, { ...row, owner })
}

/** A loan of which a user is to be notified, with the name and number of its asset. */
export interface DueLoan extends Pick<
  LoanRow,
  'id' | 'assetId' | 'owner' | 'userId' | 'personName' | 'operatorId' | 'dueAt'
> {
  readonly name: string
  readonly assetNo: string
}

/** The notifications about a loan, each with the column that says when it was made. */
const NOTIFIED = { DUE_SOON: 'announcedAt', OVERDUE: 'remindedAt' } as const
export type DueKind = keyof typeof NOTIFIED

/** At most `limit` open loans that are due at `time` or before and lack this notification, which they have from now on. */
export async function takeDue(tx: Tx, kind: DueKind, time: number, limit: number): Promise<DueLoan[]> {
  const notified = assetLoans[NOTIFIED[kind]]
  const { id, assetId, owner, userId, personName, operatorId, dueAt } = assetLoans
  const rows = await tx
    .select({ id, assetId, owner, userId, personName, operatorId, dueAt, name: assets.name, assetNo: assets.assetNo })
    .from(assetLoans)
    .innerJoin(assets, eq(assets.id, assetId))
    .where(and(isOpen, isNull(notified), lte(assetLoans.dueAt, time)))
    .orderBy(asc(assetLoans.dueAt))
    .limit(limit)
  const ids = rows.map((row) => row.id)
  await tx
    .update(assetLoans)
    .set({ [NOTIFIED[kind]]: tx.stamp })
    .where(inArray(id, ids))
    .returning({ id })
  return rows
}
