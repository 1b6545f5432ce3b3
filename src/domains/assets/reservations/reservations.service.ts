/** Reservations: creating, changing and cancelling them, and the decisions of keepers. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { Tx } from '#db/store.ts'
import { can } from '#domains/access/index.ts'
import { requireEnabled } from '#domains/orgs/index.ts'
import { type Budget, budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { DAY } from '#platform/clock.ts'

import { announcementOf, expiryOf, timeProblem } from '../bookings.rules.ts'
import { categoryPaths } from '../categories/categories.service.ts'
import { zoneOfOwner } from '../days.service.ts'
import { prolongLoans } from '../loans/loans.store.ts'
import { noSuchMember } from '../register/register.errors.ts'
import { assetsByIds, updateRows, userNames } from '../register/register.store.ts'
import { bookingOf, checkFree, choose, type Chosen } from './choosing.service.ts'
import { tellKeepers, tellPerson } from './notices.service.ts'
import { settleDueTimes } from './pool-loans.service.ts'
import { viewOf } from './reading.service.ts'
import * as refused from './reservations.errors.ts'
import {
  type ApproveReservation,
  type CancelReservation,
  type CreateReservation,
  KEEPER_WRITES,
  MAX_OPEN,
  MAX_OPEN_ITEMS,
  type RejectReservation,
  REQUESTS,
  type ReservationView,
  type UpdateReservation,
} from './reservations.model.ts'
import * as store from './reservations.store.ts'

/** A `requestId` is kept so long. */
const REQUEST_KEPT_MS = 7 * DAY

export const isKeeper = (ctx: AppContext, { userId, orgId }: Owner): MaybePromise<boolean> =>
  can(ctx, userId, 'ORG', orgId, 'asset:transfer')

/** The caller of a change, and the time of it. */
interface Change {
  readonly owner: Owner
  readonly keeper: boolean
  readonly now: number
  readonly zone: string
  /** Categories that the caller sees. */
  readonly visible: ReadonlySet<number>
}

async function changeBy(ctx: AppContext, owner: Owner, namesCategories: boolean): Promise<Change> {
  const paths = namesCategories ? await categoryPaths(ctx, ctx.db.read, owner) : new Map<number, string>()
  return {
    owner,
    keeper: await isKeeper(ctx, owner),
    now: ctx.clock.now(),
    zone: await zoneOfOwner(ctx.db.read, owner.orgId),
    visible: new Set(paths.keys()),
  }
}

const namesCategories = (items: CreateReservation['items'] | undefined): boolean =>
  items?.some(({ categoryId }) => categoryId != null) === true

export async function createReservation(
  ctx: AppContext,
  owner: Owner,
  input: CreateReservation,
): Promise<ReservationView> {
  if (owner.orgId === 0) throw refused.onlyOrganizations()
  const { userId = null, personName = null } = input
  if (userId !== null && personName !== null) throw refused.twoPeople()
  const by = await changeBy(ctx, owner, namesCategories(input.items))
  const isOther = personName !== null || (userId !== null && userId !== owner.userId)
  if (isOther && !by.keeper) throw refused.notForOthers
  if (input.to <= input.from) throw refused.endsBefore()
  if (input.to <= by.now) throw refused.isPast('to')
  const uses = await usesOf(ctx, budgetFor(by.keeper), { actor: owner, caller: { ip: '' } })
  const row = await ctx.db.write('assets.createReservation', async (tx) => {
    await requireEnabled(tx, owner.orgId)
    if (input.requestId != null) {
      const first = await store.findByRequest(tx, owner.userId, input.requestId, by.now - REQUEST_KEPT_MS)
      if (first !== undefined && first.orgId === owner.orgId) return first
    }
    const refusal = await spend(tx, uses, by.now)
    if (refusal !== undefined) throw budgetUsedUp(refusal)
    return insert(ctx, tx, by, input, personName === null ? (userId ?? owner.userId) : null)
  })
  return viewOf(ctx, owner, row)
}

const budgetFor = (keeper: boolean): Budget => (keeper ? KEEPER_WRITES : REQUESTS)

/** `personId`: the member for whom it is, if it is for one. */
async function insert(
  ctx: AppContext,
  tx: Tx,
  by: Change,
  input: CreateReservation,
  personId: number | null,
): Promise<store.ReservationRow> {
  const { owner, keeper, now } = by
  const { orgId } = owner
  if (personId !== null && !(await store.lockMember(tx, orgId, personId)))
    throw personId === owner.userId ? notFound() : invalidAll([noSuchMember('body.userId')])
  const { from, to, items } = input
  const chosen = await choose(tx, { ...by, orgId, items, from, to, isKeeper: keeper })
  if (!keeper) {
    checkTimes(by, input, chosen)
    await checkOpen(tx, by, chosen, 1)
  }
  const status = keeper || chosen.booking.approval === 'NONE' ? 'APPROVED' : 'REQUESTED'
  const row = await store.insertReservation(tx, {
    orgId,
    status,
    startsAt: from,
    endsAt: to,
    userId: personId,
    userName: personId === null ? null : ((await userNames(tx, orgId, [personId])).get(personId) ?? null),
    personName: input.personName ?? null,
    purpose: input.purpose ?? '',
    note: '',
    reason: '',
    decidedBy: keeper ? owner.userId : null,
    createdBy: owner.userId,
    ...timesOf(status, { from, to }, chosen.booking.noShowHours, now),
    requestId: input.requestId ?? null,
  })
  const rows = await store.insertItems(tx, row, chosen.items)
  if (status === 'REQUESTED') await tellKeepers(ctx, tx, row, rows)
  else await tellPerson(ctx, tx, 'APPROVED', row, rows, owner.userId)
  return row
}

const timesOf = (
  status: 'REQUESTED' | 'APPROVED',
  times: { readonly from: number; readonly to: number },
  noShowHours: number,
  now: number,
) => ({
  expiresAt: expiryOf(status, times, noShowHours, now),
  announceAt: status === 'APPROVED' ? announcementOf(times.from, now) : null,
})

/** @throws AppError 400 if the times break the rules of the assets */
function checkTimes({ now, zone }: Change, times: { from: number; to: number }, { booking }: Chosen): void {
  const problem = timeProblem(times, booking, now, zone)
  if (problem !== undefined) throw invalidAll([{ path: `body.${problem.field}`, text: problem.text }])
}

/** `adding`: reservations. @throws AppError 400 if the member would have too many open ones */
async function checkOpen(
  tx: Tx,
  { owner, now }: Change,
  { items }: Chosen,
  adding: 0 | 1,
  except?: number,
): Promise<void> {
  const open = await store.countOpen(tx, owner.orgId, owner.userId, now, except)
  if (open.reservations + adding > MAX_OPEN) throw refused.tooManyOpen()
  if (open.items + items.length > MAX_OPEN_ITEMS) throw refused.tooManyItems()
}

interface Locked {
  readonly row: store.ReservationRow
  readonly items: readonly store.ItemRow[]
}

/** Locks a reservation of the organization. @throws AppError 404 */
export async function lock(tx: Tx, { orgId }: Owner, id: number): Promise<Locked> {
  const row = await store.lockReservation(tx, orgId, id)
  if (row === undefined) throw notFound()
  return { row, items: (await store.itemsOf(tx, [id])).get(id) ?? [] }
}

/** For members, whose point only reads. @throws AppError 404, or 403 in a DISABLED organization */
async function lockEnabled(tx: Tx, owner: Owner, id: number): Promise<Locked> {
  if (owner.orgId !== 0) await requireEnabled(tx, owner.orgId)
  return lock(tx, owner, id)
}

export const hasExpired = ({ status, expiresAt }: store.ReservationRow, now: number): boolean =>
  (status === 'REQUESTED' || status === 'APPROVED') && expiresAt !== null && expiresAt <= now

/** Whether it can still be picked up, or is out. */
const isOpen = (row: store.ReservationRow, now: number): boolean =>
  ['REQUESTED', 'APPROVED', 'OUT'].includes(row.status) && !hasExpired(row, now)

export async function updateReservation(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: UpdateReservation,
): Promise<ReservationView> {
  const by = await changeBy(ctx, owner, namesCategories(input.items))
  const uses = await usesOf(ctx, budgetFor(by.keeper), { actor: owner, caller: { ip: '' } })
  const row = await ctx.db.write('assets.updateReservation', async (tx) => {
    const found = await lockEnabled(tx, owner, id)
    const { row: before } = found
    if (!by.keeper && before.userId !== owner.userId) throw refused.notYours
    if (!isOpen(before, by.now)) throw refused.closed()
    const purpose = input.purpose === undefined ? before.purpose : (input.purpose ?? '')
    const { from = before.startsAt, to = before.endsAt, items } = input
    const isMoved = from !== before.startsAt || to !== before.endsAt
    if (!isMoved && items === undefined && purpose === before.purpose) return before
    if (before.status === 'OUT' && !by.keeper) throw refused.onlyKeepers
    const refusal = await spend(tx, uses, by.now)
    if (refusal !== undefined) throw budgetUsedUp(refusal)
    if (!isMoved && items === undefined) return store.updateReservation(tx, before, { purpose })
    if (to <= from) throw refused.endsBefore()
    if (isMoved && to <= by.now) throw refused.isPast('to')
    if (before.status !== 'OUT') return change(ctx, tx, by, found, { from, to, items, purpose })
    if (from !== before.startsAt || items !== undefined) throw refused.onlyTheEnd()
    return prolong(tx, by, found, to, purpose)
  })
  return viewOf(ctx, owner, row)
}

/** Before the pick-up: other times or other things, which may need an approval again. */
async function change(
  ctx: AppContext,
  tx: Tx,
  by: Change,
  { row: before, items: present }: Locked,
  input: { from: number; to: number; items: UpdateReservation['items']; purpose: string },
): Promise<store.ReservationRow> {
  const { owner, keeper, now } = by
  const { orgId } = owner
  const { from, to, purpose } = input
  const ids = present.flatMap(({ assetId }) => assetId ?? [])
  const items =
    input.items ??
    present.map(({ assetId, supplyId, quantity }) => (assetId === null ? { supplyId, quantity } : { assetId }))
  const chosen = await choose(tx, {
    ...by,
    orgId,
    items,
    from,
    to,
    isKeeper: keeper,
    except: before.id,
    present: ids,
    presentSupplies: present.flatMap(({ supplyId }) => supplyId ?? []),
  })
  const isWider = from < before.startsAt || to > before.endsAt || input.items !== undefined
  if (!keeper) {
    if (from !== before.startsAt || to !== before.endsAt) checkTimes(by, { from, to }, chosen)
    await store.lockMember(tx, orgId, owner.userId)
    await checkOpen(tx, by, chosen, 1, before.id)
  }
  const asks = before.status === 'APPROVED' && !keeper && isWider && chosen.booking.approval === 'KEEPER'
  const status = asks || before.status === 'REQUESTED' ? 'REQUESTED' : 'APPROVED'
  const row = await store.updateReservation(tx, before, {
    status,
    startsAt: from,
    endsAt: to,
    purpose,
    ...(asks && { decidedBy: null }),
    ...timesOf(status, { from, to }, chosen.booking.noShowHours, now),
  })
  const rows = await replaceItems(tx, row, present, chosen, input.items === undefined)
  if (asks) await tellKeepers(ctx, tx, row, rows)
  return row
}

/** Items of assets that stay keep their ids and the category that was asked for. */
async function replaceItems(
  tx: Tx,
  row: store.ReservationRow,
  present: readonly store.ItemRow[],
  chosen: Chosen,
  keepsItems: boolean,
): Promise<store.ItemRow[]> {
  if (keepsItems) {
    await store.moveItems(tx, row.id, { from: row.startsAt, to: row.endsAt })
    return [...present]
  }
  await store.deleteItems(
    tx,
    present.map(({ id }) => id),
  )
  return store.insertItems(tx, row, chosen.items)
}

/** After the pick-up: it ends at another time, and so do its loans. */
async function prolong(
  tx: Tx,
  { now, zone, owner }: Change,
  { row, items }: Locked,
  to: number,
  purpose: string,
): Promise<store.ReservationRow> {
  const kept = items.filter(({ busyUntil }) => busyUntil !== null)
  await checkFree(tx, owner.orgId, kept, { from: Math.min(now, row.startsAt), to, now, except: row.id, zone })
  await settleDueTimes(
    tx,
    row,
    kept.filter(({ state }) => state === 'OUT'),
    to,
  )
  await store.moveItems(tx, row.id, { from: row.startsAt, to })
  const lent = await assetsByIds(tx, owner.orgId, await prolongLoans(tx, row.id, to))
  // Clients that synchronize see the loan in the asset.
  await updateRows(
    tx,
    lent.map((asset) => ({ row: asset, change: {}, touched: true })),
  )
  return store.updateReservation(tx, row, { endsAt: to, purpose, ...(row.expiresAt !== null && { expiresAt: to }) })
}

export async function cancelReservation(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: CancelReservation,
): Promise<ReservationView> {
  const keeper = await isKeeper(ctx, owner)
  const row = await ctx.db.write('assets.cancelReservation', async (tx) => {
    const { row: before, items } = await lockEnabled(tx, owner, id)
    if (!keeper && before.userId !== owner.userId) throw refused.notYours
    if (before.status === 'CANCELLED') return before
    if (before.status === 'OUT') throw refused.isOut()
    if (!isOpen(before, ctx.clock.now())) throw refused.closed()
    const after = await close(tx, before, { status: 'CANCELLED', reason: input.reason ?? '' })
    await tellPerson(ctx, tx, 'CANCELLED', after, items, owner.userId)
    return after
  })
  return viewOf(ctx, owner, row)
}

/** Its assets are free from now on. */
async function close(
  tx: Tx,
  row: store.ReservationRow,
  change: Partial<store.ReservationRow>,
): Promise<store.ReservationRow> {
  await store.releaseItems(tx, [row.id])
  return store.updateReservation(tx, row, { ...change, expiresAt: null, announceAt: null })
}

export async function approveReservation(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: ApproveReservation,
): Promise<ReservationView> {
  const row = await ctx.db.write('assets.approveReservation', async (tx) => {
    const { row: before, items } = await lock(tx, owner, id)
    const now = ctx.clock.now()
    if (before.status === 'APPROVED' && !hasExpired(before, now)) return before
    if (before.status !== 'REQUESTED' || hasExpired(before, now)) throw refused.notRequested()
    const { noShowHours } = await bookingOf(tx, owner.orgId, items)
    const after = await store.updateReservation(tx, before, {
      status: 'APPROVED',
      note: input.note ?? '',
      decidedBy: owner.userId,
      ...timesOf('APPROVED', { from: before.startsAt, to: before.endsAt }, noShowHours, now),
    })
    await tellPerson(ctx, tx, 'APPROVED', after, items, owner.userId)
    return after
  })
  return viewOf(ctx, owner, row)
}

export async function rejectReservation(
  ctx: AppContext,
  owner: Owner,
  id: number,
  { reason }: RejectReservation,
): Promise<ReservationView> {
  const row = await ctx.db.write('assets.rejectReservation', async (tx) => {
    const { row: before, items } = await lock(tx, owner, id)
    if (before.status === 'REJECTED') return before
    if (before.status !== 'REQUESTED' || hasExpired(before, ctx.clock.now())) throw refused.notRequested()
    const after = await close(tx, before, { status: 'REJECTED', reason, decidedBy: owner.userId })
    await tellPerson(ctx, tx, 'REJECTED', after, items, owner.userId)
    return after
  })
  return viewOf(ctx, owner, row)
}
