/** Loans: an asset is checked out to a member or to a person without an account, and checked in again. Its custodian stays. */

import type { AppContext } from '#context'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page, readerFor } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalid, invalidAll } from '#http/validate.ts'
import type { Localized } from '#lib/localized.ts'
import { DAY } from '#platform/clock.ts'

import { noSuchMember, notYourself, onLoan, scrapped } from '../register/register.errors.ts'
import { type AssetRow, findAsset, membersAmong, updateRows } from '../register/register.store.ts'
import { ownerOfOrg, remindable } from '../reminders.store.ts'
import { updateAssets } from '../writing.service.ts'
import type { CheckIn, CheckOut, LoansQuery, LoanView } from './loans.model.ts'
import * as store from './loans.store.ts'

const noBorrower = () => invalid('body.personName', 'is required, unless userId is given', '不能为空，除非提供 userId')
const twoBorrowers = () => invalid('body.personName', 'must be absent if userId is given', '提供 userId 时不能填写')
const notOnLoan = () => badRequest('The asset is not on loan', '资产未被借出')

export async function listLoans(ctx: AppContext, owner: Owner, query: LoansQuery): Promise<Page<LoanView>> {
  const key = ownerKey(owner)
  const now = ctx.clock.now()
  const { open, overdue, assetId, userId } = query
  const isFiltered = [open, overdue, assetId, userId].some((filter) => filter !== undefined)
  if (!isFiltered) return mapPage(await store.loansPage(ctx.db.read, key, query), (row) => toView(row, now))
  const { total } = await store.loansPage(ctx.db.read, key, { page: 1, size: 1 })
  return mapPage(await store.filteredPage(readerFor(ctx.db, total), key, query, now), (row) => toView(row, now))
}

export async function checkOut(ctx: AppContext, owner: Owner, id: number, input: CheckOut): Promise<LoanView> {
  const { userId = null, personName = null, dueAt = null, note } = input
  if (userId === null && personName === null) throw noBorrower()
  if (userId !== null && personName !== null) throw twoBorrowers()
  const row = await ctx.db.write('assets.checkOut', async (tx) => {
    const asset = await findOrFail(tx, owner, id)
    if (asset.status === 'SCRAPPED') throw scrapped()
    if (userId !== null) await checkBorrower(tx, owner, userId)
    const loan = { owner: asset.owner, assetId: id, userId, personName, dueAt, note: note ?? '' }
    const announcedAt = dueAt !== null && dueAt <= ctx.clock.now() + ANNOUNCED_MS ? tx.stamp : null
    const inserted = await store.insertLoan(tx, { ...loan, announcedAt, operatorId: owner.userId })
    if (inserted === undefined) throw onLoan()
    // Clients that synchronize see the loan in the asset.
    await updateRows(tx, [{ row: asset, change: {}, touched: true }])
    return inserted
  })
  return toView(row, ctx.clock.now())
}

async function findOrFail(tx: Tx, owner: Owner, id: number): Promise<AssetRow> {
  const row = await findAsset(tx, owner, id)
  if (row === undefined) throw notFound()
  return row
}

async function checkBorrower(tx: Tx, { userId, orgId }: Owner, borrower: number): Promise<void> {
  if (orgId === 0) {
    if (borrower !== userId) throw invalidAll([notYourself('body.userId')])
  } else if (!(await membersAmong(tx, orgId, [borrower])).has(borrower)) throw invalidAll([noSuchMember('body.userId')])
}

export async function checkIn(ctx: AppContext, owner: Owner, id: number, input: CheckIn): Promise<LoanView> {
  const { condition = null, locationId, note } = input
  const row = await ctx.db.write('assets.checkIn', async (tx) => {
    const asset = await findOrFail(tx, owner, id)
    const ended = await store.endLoan(tx, id, { condition, returnNote: note ?? '' })
    if (ended === undefined) throw notOnLoan()
    const change = locationId === undefined ? {} : { locationId }
    await updateAssets(ctx, tx, owner, [{ row: asset, change, touched: true, path: 'body' }], { note: note ?? '' })
    return ended
  })
  return toView(row, ctx.clock.now())
}

/** Loans whose borrowers one write notifies. */
const LOANS_PER_WRITE = 50

/** Borrowers are reminded so long before a loan is due, unless they got the asset later. */
const ANNOUNCED_MS = DAY

/**
 * Notifies once that a loan is due soon, and once that it is overdue: the borrower, or the user who checked the asset out if the borrower
 * has no account or has left the organization, or else the owner of the organization.
 */
export async function notifyOfDueLoans(ctx: AppContext): Promise<void> {
  // First, so that a loan that is overdue already is not announced as due soon.
  await notifyOfAll(ctx, 'OVERDUE', 0)
  await notifyOfAll(ctx, 'DUE_SOON', ANNOUNCED_MS)
}

async function notifyOfAll(ctx: AppContext, kind: store.DueKind, aheadMs: number): Promise<void> {
  for (;;) {
    const loans = await ctx.db.write('assets.notifyOfDueLoans', async (tx) => {
      const now = ctx.clock.now()
      const taken = await store.takeDue(tx, kind, now + aheadMs, LOANS_PER_WRITE)
      for (const loan of taken) if (kind === 'OVERDUE' || loan.dueAt! > now) await notifyOf(ctx, tx, loan, TEXTS[kind])
      return taken
    })
    if (loans.length < LOANS_PER_WRITE) return
    await Bun.sleep(0)
  }
}

interface Texts {
  readonly event: string
  readonly title: Localized
  /** To the borrower. */
  borrower(asset: string): Localized
  /** To the user who checked the asset out. */
  lender(asset: string, borrower: string | null): Localized
}

const TEXTS: Readonly<Record<store.DueKind, Texts>> = {
  DUE_SOON: {
    event: 'LOAN_DUE',
    title: { en: 'A loan is due soon', zh: '借用即将到期' },
    borrower: (asset) => ({ en: `Please return ${asset} within a day.`, zh: `请在一天内归还 ${asset}。` }),
    lender: (asset, borrower) => ({
      en: `${borrower ?? 'The borrower'} is to return ${asset} within a day.`,
      zh: `${borrower ?? '借用人'} 应在一天内归还 ${asset}。`,
    }),
  },
  OVERDUE: {
    event: 'LOAN_OVERDUE',
    title: { en: 'A loan is overdue', zh: '借用已逾期' },
    borrower: (asset) => ({ en: `Please return ${asset}.`, zh: `请归还 ${asset}。` }),
    lender: (asset, borrower) => ({
      en: `${borrower ?? 'The borrower'} has not returned ${asset}.`,
      zh: `${borrower ?? '借用人'} 尚未归还 ${asset}。`,
    }),
  },
}

async function notifyOf(ctx: AppContext, tx: Tx, loan: store.DueLoan, texts: Texts): Promise<void> {
  const { userId, personName, operatorId } = loan
  const orgId = orgOf(loan.owner)
  // Users who have left the organization are not told about its assets.
  const ready = await remindable(tx, orgId, userId === null ? [operatorId] : [userId, operatorId])
  const isBorrower = userId !== null && ready.has(userId)
  const fallback = orgId === 0 ? undefined : await ownerOfOrg(tx, orgId)
  const recipient = isBorrower ? userId : ready.has(operatorId) ? operatorId : fallback
  if (recipient === undefined) return
  const asset = `${loan.name} (${loan.assetNo})`
  await notify(ctx, tx, {
    userIds: [recipient],
    type: 'ASSET',
    title: texts.title,
    body: isBorrower ? texts.borrower(asset) : texts.lender(asset, personName),
    data: { assetId: loan.assetId, orgId: orgId || null, loanId: loan.id, event: texts.event },
  })
}

const toView = (row: store.LoanRow, now: number): LoanView => ({
  id: row.id,
  assetId: row.assetId,
  userId: row.userId,
  personName: row.personName,
  dueAt: row.dueAt,
  overdue: row.checkedInAt === null && row.dueAt !== null && row.dueAt < now,
  note: row.note,
  condition: row.condition,
  returnNote: row.returnNote,
  checkedOutAt: row.checkedOutAt,
  checkedInAt: row.checkedInAt,
  operatorId: row.operatorId,
  reservationId: row.reservationId,
})
