/** Loans: an asset is checked out to a member or to a person without an account, and checked in again. Its custodian stays. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page, readerFor } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalid, invalidAll } from '#http/validate.ts'

import { busyText } from '../bookings.rules.ts'
import { FOR_EVER, itemsReturned, lockAssets, reservedTimes } from '../bookings.store.ts'
import { zoneOfOwner } from '../days.service.ts'
import { noSuchMember, notYourself, onLoan, scrapped } from '../register/register.errors.ts'
import { type AssetRow, findAsset, membersAmong, updateRows } from '../register/register.store.ts'
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
    await lockAssets(tx, [id])
    const asset = await findOrFail(tx, owner, id)
    if (asset.status === 'SCRAPPED') throw scrapped()
    if (userId !== null) await checkBorrower(tx, owner, userId)
    if (input.ignoreReservations !== true) await checkReservations(ctx, tx, asset, userId, dueAt)
    const loan = { owner: asset.owner, assetId: id, userId, personName, dueAt, note: note ?? '' }
    const inserted = await store.insertLoan(tx, { ...loan, operatorId: owner.userId })
    if (inserted === undefined) throw onLoan()
    // Clients that synchronize see the loan in the asset.
    await updateRows(tx, [{ row: asset, change: {}, touched: true }])
    return inserted
  })
  return toView(row, ctx.clock.now())
}

/** @throws AppError 400 if another person than the borrower has reserved the asset until the loan is due */
async function checkReservations(
  ctx: AppContext,
  tx: Tx,
  { id, owner }: AssetRow,
  borrower: number | null,
  dueAt: number | null,
): Promise<void> {
  const now = ctx.clock.now()
  const question = { from: now, to: dueAt ?? FOR_EVER, now, exceptUser: borrower }
  const times = await reservedTimes(tx, [id], question)
  if (times.length === 0) return
  const { en, zh } = busyText(times, await zoneOfOwner(tx, owner))
  throw badRequest(`The asset ${en}`, `资产${zh}`, {
    details: [{ path: 'body.dueAt', text: { en, zh } }],
  })
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
  const row = await ctx.db.write('assets.checkIn', async (tx) => {
    await lockAssets(tx, [id])
    return endLoan(ctx, tx, owner, await findOrFail(tx, owner, id), input)
  })
  return toView(row, ctx.clock.now())
}

/** Ends the loan of an asset, and its item in a reservation. @throws AppError 400 if it is not on loan */
export async function endLoan(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  asset: AssetRow,
  { condition = null, locationId, note }: Pick<CheckIn, 'condition' | 'locationId' | 'note'>,
): Promise<store.LoanRow> {
  const ended = await store.endLoan(tx, asset.id, { condition, returnNote: note ?? '' })
  if (ended === undefined) throw notOnLoan()
  await itemsReturned(tx, [ended])
  const change = locationId === undefined ? {} : { locationId }
  await updateAssets(ctx, tx, owner, [{ row: asset, change, touched: true, path: 'body' }], { note: note ?? '' })
  return ended
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
