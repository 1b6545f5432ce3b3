/** Loans: an asset is checked out to a member or to a person without an account, and checked in again. Its custodian stays. */

import type { AppContext } from '#context'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page, readerFor } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalid, invalidAll } from '#http/validate.ts'

import { noSuchMember, notYourself, onLoan, scrapped } from '../register/errors.ts'
import { type AssetRow, findAsset, membersAmong, updateRows } from '../register/store.ts'
import { updateAssets } from '../writing/service.ts'
import type { CheckIn, CheckOut, LoansQuery, LoanView } from './model.ts'
import * as store from './store.ts'

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
    const inserted = await store.insertLoan(tx, { ...loan, operatorId: owner.userId })
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

/** Notifies of each overdue loan once: the borrower, or the user who checked the asset out if the borrower has no account. */
export async function notifyOfOverdue(ctx: AppContext): Promise<void> {
  for (;;) {
    const loans = await ctx.db.write('assets.notifyOfOverdue', async (tx) => {
      const taken = await store.takeOverdue(tx, ctx.clock.now(), LOANS_PER_WRITE)
      for (const loan of taken) await notifyOf(ctx, tx, loan)
      return taken
    })
    if (loans.length < LOANS_PER_WRITE) return
    await Bun.sleep(0)
  }
}

async function notifyOf(ctx: AppContext, tx: Tx, loan: store.OverdueLoan): Promise<void> {
  const { userId, personName, operatorId } = loan
  const isBorrower = userId !== null && (await store.isActive(tx, userId))
  if (!isBorrower && !(await store.isActive(tx, operatorId))) return
  const asset = `${loan.name} (${loan.assetNo})`
  await notify(ctx, tx, {
    userIds: [isBorrower ? userId : operatorId],
    type: 'ASSET',
    title: { en: 'A loan is overdue', zh: '借用已逾期' },
    body: isBorrower
      ? { en: `Please return ${asset}.`, zh: `请归还 ${asset}。` }
      : {
          en: `${asset} has not been returned${personName === null ? '' : ` by ${personName}`}.`,
          zh: `${asset} 尚未归还${personName === null ? '' : `（借用人：${personName}）`}。`,
        },
    data: { assetId: loan.assetId, orgId: orgOf(loan.owner) || null, loanId: loan.id, event: 'LOAN_OVERDUE' },
    subject: `ASSET_LOAN ${loan.id}`,
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
})
