/** Hands out the things of reservations, and takes them back. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, type FieldProblem } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { UUID_PATTERN } from '#lib/text.ts'

import { isBookable, timeText } from '../bookings.rules.ts'
import { busyTimes, finish, lockAssets } from '../bookings.store.ts'
import { assetCategoryTree, bookingsOfMany } from '../categories/categories.store.ts'
import { zoneOfOwner } from '../days.service.ts'
import { assetIn } from '../inventories/inventories.service.ts'
import { endLoan } from '../loans/loans.service.ts'
import { insertLoan } from '../loans/loans.store.ts'
import {
  type AssetRow,
  assetsByIds,
  findByNumber,
  isGone,
  openLoans,
  updateRows,
  userNames,
} from '../register/register.store.ts'
import { bookItems, type Fresh } from '../supplies/booking.service.ts'
import type { MovementItem } from '../supplies/movements.model.ts'
import { placesOf } from '../supplies/movements.store.ts'
import { findByUuid, lockSupplies } from '../supplies/supplies.store.ts'
import { inOrder } from './choosing.service.ts'
import { loansOfPerson, settleDueTimes } from './pool-loans.service.ts'
import { viewOf } from './reading.service.ts'
import * as refused from './reservations.errors.ts'
import type { HandledReservation, PickUp, ReturnItems, ScanResult } from './reservations.model.ts'
import { hasExpired, lock } from './reservations.service.ts'
import * as store from './reservations.store.ts'

/** A code with the asset or the supply that it names. */
interface Scan {
  readonly code: string
  readonly assetId: number | undefined
  readonly supplyId: number | undefined
}

const SUPPLY_PAGE = new RegExp(`/s/supply/(${UUID_PATTERN})/?$`, 'i')

async function supplyIn(tx: Tx, orgId: number, code: string): Promise<number | undefined> {
  const uuid = SUPPLY_PAGE.exec(URL.parse(code)?.pathname ?? '')?.[1]
  const row = uuid === undefined ? undefined : await findByUuid(tx, uuid)
  return row?.owner === orgId ? row.id : undefined
}

async function resolve(ctx: AppContext, tx: Tx, { orgId }: Owner, codes: readonly string[]): Promise<Scan[]> {
  const scans: Scan[] = []
  for (const code of codes) {
    const numbered = await findByNumber(tx, orgId, code)
    const assetId = numbered?.id ?? (await assetIn(ctx, tx, code))
    scans.push({ code, assetId, supplyId: assetId === undefined ? await supplyIn(tx, orgId, code) : undefined })
  }
  return scans
}

/** The assets that were scanned or ticked. All of them, if both are absent. */
interface Selection {
  readonly scans: readonly Scan[]
  readonly assetIds: readonly number[] | undefined
}

async function selectionOf(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  { codes, assetIds }: Pick<PickUp, 'codes' | 'assetIds'>,
): Promise<Selection> {
  return { scans: await resolve(ctx, tx, owner, [...new Set(codes ?? [])]), assetIds: assetIds ?? undefined }
}

const checkLists = ({ codes, assetIds }: Pick<PickUp, 'codes' | 'assetIds'>): void => {
  if (codes != null && assetIds != null) throw refused.twoLists()
}

export async function pickUp(ctx: AppContext, owner: Owner, id: number, input: PickUp): Promise<HandledReservation> {
  checkLists(input)
  const { row, results } = await ctx.db.write('assets.pickUpReservation', async (tx) => {
    const { row: before, items } = await lock(tx, owner, id)
    const now = ctx.clock.now()
    if (before.status === 'REQUESTED' && !hasExpired(before, now)) throw refused.notApproved()
    if (!['APPROVED', 'OUT'].includes(before.status) || hasExpired(before, now)) throw refused.closed()
    const dueAt = input.dueAt ?? before.endsAt
    if (dueAt <= now) throw refused.isPast('dueAt')
    const selection = await selectionOf(ctx, tx, owner, input)
    const wanted = [
      ...selection.scans.flatMap(({ assetId }) => assetId ?? []),
      ...items.flatMap(({ assetId }) => assetId ?? []),
    ]
    await lockAssets(tx, wanted)
    const assets = new Map((await assetsByIds(tx, owner.orgId, wanted)).map((asset) => [asset.id, asset]))
    const handing = new Handing(ctx, tx, owner, { row: before, items, assets, dueAt, now, note: input.note ?? '' })
    const handed = input.codes == null ? await handing.all(selection.assetIds) : await handing.scan(selection.scans)
    return { row: await handing.end(), results: handed }
  })
  return { ...(await viewOf(ctx, owner, row)), results }
}

interface Given {
  readonly row: store.ReservationRow
  readonly items: readonly store.ItemRow[]
  /** Of the items and the scans. */
  readonly assets: ReadonlyMap<number, AssetRow>
  readonly dueAt: number
  readonly now: number
  readonly note: string
}

/** The handing out of a reservation, in a write that has locked it and its assets. */
class Handing {
  /** The items as they are now. */
  readonly #items: store.ItemRow[]
  #handed = 0

  constructor(
    readonly ctx: AppContext,
    readonly tx: Tx,
    readonly owner: Owner,
    readonly given: Given,
  ) {
    this.#items = [...given.items]
  }

  /** All of these, or none; without ids, everything that waits. @throws AppError 400 */
  async all(assetIds: readonly number[] | undefined): Promise<ScanResult[]> {
    const ofAsset = new Map(this.#items.map((item) => [item.assetId, item]))
    const problems: FieldProblem[] = []
    const chosen: store.ItemRow[] = []
    for (const [i, id] of (assetIds ?? []).entries()) {
      const item = ofAsset.get(id)
      if (item === undefined || !isHandled(item)) problems.push(refused.notPart(`body.assetIds.${i}`))
      else chosen.push(item)
    }
    if (problems.length > 0) throw invalidAll(problems)
    if (assetIds === undefined) chosen.push(...this.#items.filter(isWaiting))
    if (chosen.length === 0) throw refused.nothingWaits()
    const waiting = chosen.filter(isWaiting)
    await this.#checkAll(waiting)
    for (const item of waiting)
      if (item.assetId === null) await this.#handOutPool(item)
      else await this.#handOut(item, this.given.assets.get(item.assetId)!)
    return chosen.map(({ assetId }) => ({ code: null, assetId, result: 'OUT' }))
  }

  /** @throws AppError 400 that says who has them, or when others have reserved them */
  async #checkAll(waiting: readonly store.ItemRow[]): Promise<void> {
    const { tx, owner } = this
    const ids = waiting.flatMap(({ assetId }) => assetId ?? [])
    const loans = await openLoans(tx, ids)
    if (loans.length > 0) {
      const names = await userNames(
        tx,
        owner.orgId,
        loans.flatMap(({ userId }) => userId ?? []),
      )
      const [{ assetId, userId, personName }] = loans as [(typeof loans)[number], ...typeof loans]
      const asset = this.given.assets.get(assetId)!
      const person = personName ?? names.get(userId ?? 0) ?? ''
      throw badRequest(
        `${asset.name} (${asset.assetNo}) is still with ${person}`,
        `${asset.name}（${asset.assetNo}）仍在 ${person} 处`,
      )
    }
    const [busy] = inOrder(await busyTimes(tx, ids, this.#question))
    if (busy === undefined) return
    const zone = await zoneOfOwner(tx, owner.orgId)
    const asset = this.given.assets.get(busy.assetId)!
    const from = timeText(busy.from, zone)
    throw badRequest(
      `${asset.name} (${asset.assetNo}) is reserved for somebody else from ${from} (${zone})`,
      `${asset.name}（${asset.assetNo}）自 ${from}（${zone}）起已被他人预约`,
    )
  }

  /** From now until the loan is due, and the whole time of the reservation. */
  get #question() {
    const { row, dueAt, now } = this.given
    return { from: Math.min(now, row.startsAt), to: Math.max(dueAt, row.endsAt), now, except: row.id }
  }

  async scan(scans: readonly Scan[]): Promise<ScanResult[]> {
    const scanned = new Set(scans.flatMap(({ assetId }) => assetId ?? []))
    const results: ScanResult[] = []
    for (const { code, assetId, supplyId } of scans) {
      if (supplyId !== undefined) {
        results.push({ code, assetId: null, result: await this.#judgePool(supplyId) })
        continue
      }
      const asset = assetId === undefined ? undefined : this.given.assets.get(assetId)
      const result = asset === undefined ? 'UNKNOWN' : await this.#judge(asset, scanned)
      results.push({ code, assetId: asset?.id ?? null, result })
    }
    return results
  }

  async #judge(asset: AssetRow, scanned: ReadonlySet<number>): Promise<ScanResult['result']> {
    const item = this.#items.find(({ assetId }) => assetId === asset.id)
    // Scans that waited for a connection may be sent twice.
    if (item?.state === 'OUT') return 'OUT'
    if (item !== undefined && isWaiting(item)) {
      if (!(await this.#isFree(asset))) return 'UNAVAILABLE'
      await this.#handOut(item, asset)
      return 'OUT'
    }
    const other = await this.#exchangeable(asset, scanned)
    if (other === undefined) return 'NOT_PART'
    if (!(await this.#isFree(asset))) return 'UNAVAILABLE'
    await this.#handOut(other, asset)
    return 'EXCHANGED'
  }

  async #judgePool(supplyId: number): Promise<ScanResult['result']> {
    const item = this.#items.find((one) => one.supplyId === supplyId)
    if (item?.state === 'OUT') return 'OUT'
    if (item === undefined || !isWaiting(item)) return 'NOT_PART'
    await this.#handOutPool(item)
    return 'OUT'
  }

  async #isFree(asset: AssetRow): Promise<boolean> {
    if (isGone(asset)) return false
    if ((await openLoans(this.tx, [asset.id])).length > 0) return false
    return (await busyTimes(this.tx, [asset.id], this.#question)).length === 0
  }

  /** A waiting item in place of which a bookable asset of its category can be handed out; the last one, unless it is scanned too. */
  async #exchangeable(asset: AssetRow, scanned: ReadonlySet<number>): Promise<store.ItemRow | undefined> {
    const { categoryId } = asset
    if (categoryId === null) return undefined
    const booking = (await bookingsOfMany(this.tx, [categoryId])).get(categoryId)
    if (!isBookable(asset.bookable, booking)) return undefined
    const waiting = this.#items.filter((item) => isWaiting(item) && item.categoryId !== null && item.assetId !== null)
    const fitting: store.ItemRow[] = []
    for (const [id, some] of Map.groupBy(waiting, (item) => item.categoryId!)) {
      const branch = await assetCategoryTree.branchIds(this.tx, this.owner.orgId, id)
      if (branch.includes(categoryId)) fitting.push(...some)
    }
    return fitting.findLast(({ assetId }) => !scanned.has(assetId!)) ?? fitting.at(-1)
  }

  async #handOut(item: store.ItemRow, asset: AssetRow): Promise<void> {
    const { tx, owner, given } = this
    const { row, dueAt, note } = given
    const { userId, personName } = row
    const loan = { owner: asset.owner, assetId: asset.id, userId, personName, dueAt, note }
    const inserted = await insertLoan(tx, { ...loan, operatorId: owner.userId, reservationId: row.id })
    await updateRows(tx, [{ row: asset, change: {}, touched: true }])
    const change = {
      assetId: asset.id,
      name: asset.name,
      assetNo: asset.assetNo,
      state: 'OUT' as const,
      busyUntil: Math.max(row.endsAt, dueAt),
      loanId: inserted!.id,
    }
    await this.#changed(item, change)
  }

  /** Takes them from where there are most. @throws AppError 400 if there are not so many now */
  async #handOutPool(item: store.ItemRow): Promise<void> {
    const { ctx, tx, owner, given } = this
    const { row, dueAt, note } = given
    const supplies = await lockSupplies(tx, owner.orgId, [item.supplyId!])
    const places = (await placesOf(tx, [item.supplyId!])).toSorted((a, b) => b.quantity - a.quantity)
    const person = row.userId === null ? { personName: row.personName } : { userId: row.userId }
    const fresh: Fresh[] = []
    let left = item.quantity
    for (const [i, { locationId, quantity }] of places.entries()) {
      // The last place refuses to give more than it has.
      const taken = i === places.length - 1 ? left : Math.min(left, quantity)
      if (taken === 0) continue
      fresh.push(bookingOf({ type: 'TAKE', quantity: taken, locationId: locationId || null, ...person, dueAt, note }))
      left -= taken
    }
    if (fresh.length === 0) fresh.push(bookingOf({ type: 'TAKE', quantity: left, ...person, dueAt, note }))
    await bookItems(ctx, tx, owner, supplies, fresh)
    await this.#changed(item, { state: 'OUT', busyUntil: Math.max(row.endsAt, dueAt) })

    function bookingOf(one: Omit<MovementItem, 'supplyId'>): Fresh {
      return { item: { ...one, supplyId: item.supplyId! }, path: 'body', isPickUp: true }
    }
  }

  async #changed(item: store.ItemRow, change: Partial<store.ItemRow>): Promise<void> {
    await store.updateItem(this.tx, item.id, change)
    this.#items[this.#items.findIndex(({ id }) => id === item.id)] = { ...item, ...change }
    this.#handed++
  }

  /** The reservation as it is after the handing out. */
  async end(): Promise<store.ReservationRow> {
    const { row, note } = this.given
    if (this.#handed === 0) return row
    return store.updateReservation(this.tx, row, {
      status: 'OUT',
      announceAt: null,
      expiresAt: this.#items.some(isWaiting) ? row.endsAt : null,
      ...(note !== '' && { note }),
    })
  }
}

const isWaiting = ({ state, busyUntil }: store.ItemRow): boolean => state === 'WAITING' && busyUntil !== null
const isHandled = (item: store.ItemRow): boolean => isWaiting(item) || item.state === 'OUT'

export async function returnItems(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: ReturnItems,
): Promise<HandledReservation> {
  checkLists(input)
  const { row, results } = await ctx.db.write('assets.returnReservation', async (tx) => {
    const { row: before, items } = await lock(tx, owner, id)
    const { scans, assetIds } = await selectionOf(ctx, tx, owner, input)
    const { chosen, results: judged } =
      input.codes == null ? returnedOf(items, assetIds) : returnedByScans(items, scans)
    const ids = chosen.flatMap(({ assetId }) => assetId ?? [])
    await lockAssets(tx, ids)
    for (const asset of await assetsByIds(tx, owner.orgId, ids)) await endLoan(ctx, tx, owner, asset, input)
    for (const item of chosen) if (item.supplyId !== null) await takeBack(ctx, tx, owner, before, item, input)
    await finish(tx, [id])
    return { row: (await store.findReservation(tx, owner.orgId, id))!, results: judged }
  })
  return { ...(await viewOf(ctx, owner, row)), results }
}

interface Returned {
  /** The items that are out and come back now. */
  readonly chosen: readonly store.ItemRow[]
  readonly results: ScanResult[]
}

const isItemOut = ({ state }: store.ItemRow): boolean => state === 'OUT'

/** @throws AppError 400 if one of the assets is not out */
function returnedOf(items: readonly store.ItemRow[], assetIds: readonly number[] | undefined): Returned {
  const named = assetIds?.map((id) => items.find(({ assetId }) => assetId === id))
  const problems = (named ?? []).flatMap((item, i) =>
    item === undefined || item.state === 'WAITING' ? [refused.notPart(`body.assetIds.${i}`)] : [],
  )
  if (problems.length > 0) throw invalidAll(problems)
  const all = named?.map((item) => item!) ?? items.filter(isItemOut)
  if (all.length === 0) throw refused.nothingIsOut()
  return {
    chosen: all.filter(isItemOut),
    results: all.map(({ assetId }) => ({ code: null, assetId, result: 'RETURNED' })),
  }
}

function returnedByScans(items: readonly store.ItemRow[], scans: readonly Scan[]): Returned {
  const found = scans.map(({ assetId, supplyId }) =>
    items.find((item) => (assetId === undefined ? item.supplyId === supplyId : item.assetId === assetId)),
  )
  const chosen = new Set(found.filter((item) => item !== undefined && isItemOut(item)))
  return {
    chosen: [...chosen].filter((item) => item !== undefined),
    results: scans.map(({ code, assetId, supplyId }, i): ScanResult => {
      if (assetId === undefined && supplyId === undefined) return { code, assetId: null, result: 'UNKNOWN' }
      const item = found[i]
      const isBack = item !== undefined && item.state !== 'WAITING'
      return { code, assetId: item?.assetId ?? null, result: isBack ? 'RETURNED' : 'NOT_PART' }
    }),
  }
}

/** Books the return of as many as the person still has: some may have come back without the reservation. */
async function takeBack(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  row: store.ReservationRow,
  given: store.ItemRow,
  { locationId, note }: ReturnItems,
): Promise<void> {
  const { userId, personName } = row
  const { id, supplyId, quantity } = given
  const supplies = await lockSupplies(tx, owner.orgId, [supplyId!])
  const [loan] = await loansOfPerson(tx, row, [supplyId!])
  const returned = Math.min(quantity, loan?.quantity ?? 0)
  if (returned > 0) {
    const person = userId === null ? { personName } : { userId }
    const item = { supplyId: supplyId!, type: 'RETURN' as const, quantity: returned, locationId, note, ...person }
    await bookItems(ctx, tx, owner, supplies, [{ item, path: 'body' }])
  }
  await settleDueTimes(tx, row, [given])
  await store.updateItem(tx, id, { state: 'RETURNED', busyUntil: null })
}
