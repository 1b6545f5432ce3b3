import { and, asc, desc, eq, isNotNull, isNull, lt, lte, not, type SQL, sql } from 'drizzle-orm'

import { pagedTable } from '#db/lists.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { assetLoans, assets } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'

import type { LoansQuery } from './model.ts'

export type LoanRow = typeof assetLoans.$inferSelect

const listed = pagedTable(assetLoans, ['id', 'owner'])
const ofOwner = listed.list({
  owner: ['owner'],
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
  loan: Pick<LoanRow, 'owner' | 'assetId' | 'userId' | 'personName' | 'dueAt' | 'note' | 'operatorId'>,
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

const due = (now: number): SQL | undefined => and(isOpen, isNull(assetLoans.remindedAt), lte(assetLoans.dueAt, now))

export interface OverdueLoan {
  readonly id: number
  readonly assetId: number
  readonly owner: OwnerKey
  readonly name: string
  readonly assetNo: string
  readonly personName: string | null
  readonly userId: number | null
  readonly operatorId: number
}

/** At most `limit` overdue loans of which nobody has been notified; from now on somebody has. */
export async function takeOverdue(tx: Tx, now: number, limit: number): Promise<OverdueLoan[]> {
  const rows = await tx
    .select({
      id: assetLoans.id,
      assetId: assetLoans.assetId,
      owner: assetLoans.owner,
      name: assets.name,
      assetNo: assets.assetNo,
      personName: assetLoans.personName,
      userId: assetLoans.userId,
      operatorId: assetLoans.operatorId,
    })
    .from(assetLoans)
    .innerJoin(assets, eq(assets.id, assetLoans.assetId))
    .where(due(now))
    .orderBy(asc(assetLoans.dueAt))
    .limit(limit)
  for (const { id } of rows) await markReminded(tx, { id, now })
  return rows
}

const markReminded = prepared((db) =>
  db
    .update(assetLoans)
    .set({ remindedAt: sql`${sql.placeholder('now')}` })
    .where(eq(assetLoans.id, sql.placeholder('id')))
    .returning({ id: assetLoans.id }),
)

/** Whether the user's account still exists. */
export async function isActive(tx: Tx, userId: number): Promise<boolean> {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), eq(users.status, 'ACTIVE')))
  return rows.length > 0
}
