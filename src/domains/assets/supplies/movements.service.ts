/** Movements: what changes the stock of a supply. Each write books all of its movements, or none. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import { type Page, readerFor } from '#db/paging.ts'
import { inSlices } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import { can } from '#domains/access/index.ts'
import { locationTree, requireEnabled } from '#domains/orgs/index.ts'
import { budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { noPermission } from '#http/permissions.ts'
import { invalidAll } from '#http/validate.ts'

import { priceText } from '../register/register.rules.ts'
import { userNames } from '../register/register.store.ts'
import { bookItems, type Fresh, reverseAll } from './booking.service.ts'
import {
  type CreateMovement,
  type CreateMovements,
  type LoansQuery,
  type LoanView,
  type MovementItem,
  type MovementsQuery,
  type MovementView,
  ORG_MOVEMENTS,
  OWN_MOVEMENTS,
  REQUESTS_KEPT_MS,
  type ReverseMovement,
  SELF_SERVICE,
} from './movements.model.ts'
import * as store from './movements.store.ts'
import * as errors from './supplies.errors.ts'
import { findSupply, lockSupplies, type SupplyRow } from './supplies.store.ts'

interface Asked {
  readonly items: readonly MovementItem[]
  /** Of the object with the fields of an item, for errors. */
  readonly pathOf: (index: number) => string
  readonly requestId?: string | null | undefined
}

export async function createMovement(
  ctx: AppContext,
  owner: Owner,
  supplyId: number,
  { requestId, ...item }: CreateMovement,
  caller: Caller,
): Promise<MovementView> {
  if ((await findSupply(ctx.db.read, ownerKey(owner), supplyId)) === undefined) throw notFound()
  const rows = await bookAll(ctx, owner, { items: [{ ...item, supplyId }], pathOf: () => 'body', requestId }, caller)
  return (await toViews(ctx.db.read, rows))[0]!
}

export async function createMovements(
  ctx: AppContext,
  owner: Owner,
  { items, requestId }: CreateMovements,
  caller: Caller,
): Promise<{ items: MovementView[] }> {
  const rows = await bookAll(ctx, owner, { items, pathOf: (i) => `body.items.${i}`, requestId }, caller)
  return { items: await toViews(ctx.db.read, rows) }
}

const isKeeper = (ctx: AppContext, { userId, orgId }: Owner) =>
  can(ctx, userId, orgId === 0 ? 'APP' : 'ORG', orgId, 'asset:transfer')

async function bookAll(ctx: AppContext, owner: Owner, asked: Asked, caller: Caller): Promise<store.MovementRow[]> {
  const keeps = await isKeeper(ctx, owner)
  const { items, pathOf, requestId } = asked
  const actor = { userId: owner.userId }
  const budget = owner.orgId === 0 ? OWN_MOVEMENTS : ORG_MOVEMENTS
  const uses = await usesOf(ctx, budget, { actor, caller, orgId: owner.orgId }, items.length)
  const taken = keeps ? 0 : items.reduce((sum, { type, quantity }) => sum + (type === 'TAKE' ? quantity : 0), 0)
  uses.push(...(await usesOf(ctx, SELF_SERVICE, { actor, caller }, taken)))
  return ctx.db.write('supplies.move', async (tx) => {
    const first = requestId == null ? undefined : await answered(tx, owner, requestId, asked)
    if (first !== undefined) return first
    // Items that were booked by an earlier request keep their movements.
    const before: (store.MovementRow | undefined)[] = []
    for (const [i, item] of items.entries()) {
      const one = { items: [item], pathOf: () => pathOf(i) }
      before.push(item.requestId == null ? undefined : (await answered(tx, owner, item.requestId, one))?.[0])
    }
    const fresh = items.flatMap((item, i) => (before[i] === undefined ? [{ item, path: pathOf(i) }] : []))
    const supplies = await lockSupplies(
      tx,
      ownerKey(owner),
      fresh.map(({ item }) => item.supplyId),
    )
    if (!keeps) await checkSelfService(tx, owner, supplies, fresh)
    const rows = await bookItems(ctx, tx, owner, supplies, fresh, keeps)
    const refusal = fresh.length === 0 ? undefined : await spend(tx, uses, ctx.clock.now())
    if (refusal !== undefined) throw budgetUsedUp(refusal)
    let next = 0
    const all = before.map((row) => row ?? rows[next++]!)
    for (const [i, item] of items.entries())
      if (item.requestId != null && before[i] === undefined)
        await store.insertRequest(tx, owner.userId, item.requestId, [all[i]!.id])
    if (requestId != null)
      await store.insertRequest(
        tx,
        owner.userId,
        requestId,
        all.map(({ id }) => id),
      )
    return all
  })
}

/** The movements that this request made before; undefined for a new one. @throws AppError 400 if it was another request */
async function answered(
  tx: Tx,
  owner: Owner,
  requestId: string,
  { items, pathOf }: Asked,
): Promise<store.MovementRow[] | undefined> {
  const ids = await store.findRequest(tx, owner.userId, requestId)
  if (ids === undefined) return undefined
  const rows = await store.movementsByIds(tx, ownerKey(owner), ids)
  const isSame = rows.length === items.length && rows.every((row, i) => row.supplyId === items[i]!.supplyId)
  if (!isSame) throw invalidAll([errors.usedBefore(items.length === 1 ? `${pathOf(0)}.requestId` : 'body.requestId')])
  return rows
}

/** @throws AppError 403 or 400 unless a member without `asset:transfer` may do all of it */
async function checkSelfService(
  tx: Tx,
  { userId, orgId }: Owner,
  supplies: readonly SupplyRow[],
  fresh: readonly Fresh[],
): Promise<void> {
  if (orgId === 0) throw noPermission
  // `asset:read`, which everybody here has, is granted in DISABLED organizations too.
  await requireEnabled(tx, orgId)
  const byId = new Map(supplies.map((row) => [row.id, row]))
  const problems: FieldProblem[] = []
  for (const { item, path } of fresh) {
    const supply = byId.get(item.supplyId)
    if (supply === undefined) continue
    if (!supply.selfService || (item.type !== 'TAKE' && item.type !== 'RETURN')) throw noPermission
    if (item.personName != null || (item.userId ?? userId) !== userId) throw errors.notForOthers
    if (item.type === 'TAKE' && item.quantity > supply.maxPerTake)
      problems.push(errors.tooManyAtOnce(supply.maxPerTake)(`${path}.quantity`))
  }
  if (problems.length > 0) throw invalidAll(problems)
}

/** Books the opposite of a movement, once. @throws AppError 400 if something would fall below 0, 404 */
export async function reverseMovement(
  ctx: AppContext,
  owner: Owner,
  id: number,
  { note }: ReverseMovement,
  caller: Caller,
): Promise<MovementView> {
  const budget = owner.orgId === 0 ? OWN_MOVEMENTS : ORG_MOVEMENTS
  const uses = await usesOf(ctx, budget, { actor: { userId: owner.userId }, caller, orgId: owner.orgId })
  const row = await ctx.db.write('supplies.reverse', async (tx) => {
    const movement = await store.findMovement(tx, ownerKey(owner), id)
    if (movement === undefined) throw notFound()
    const done = (await store.reversalsOf(tx, [id])).get(id)
    if (done !== undefined) return done
    if (movement.reverses !== null) throw errors.isReversal()
    const [supply] = await lockSupplies(tx, movement.owner, [movement.supplyId])
    if (supply === undefined) throw notFound()
    const refusal = await spend(tx, uses, ctx.clock.now())
    if (refusal !== undefined) throw budgetUsedUp(refusal)
    return (await reverseAll(ctx, tx, owner, [{ supply, movement }], note ?? ''))[0]!
  })
  return (await toViews(ctx.db.read, [row]))[0]!
}

export async function listMovements(ctx: AppContext, owner: Owner, query: MovementsQuery): Promise<Page<MovementView>> {
  const key = ownerKey(owner)
  const { read } = ctx.db
  const filters = await movementFilters(ctx, owner, query)
  const { supplyId, ...others } = filters
  const isFiltered = Object.values(others).some((value) => value !== undefined)
  if (!isFiltered && supplyId === undefined) return shown(read, await store.movementsPage(read, key, query))
  if (!isFiltered && (await findSupply(read, key, supplyId!)) !== undefined)
    return shown(read, await store.movementsOfSupply(read, supplyId!, query))
  const { total } = await store.movementsPage(read, key, { page: 1, size: 1 })
  return shown(read, await store.filteredMovements(readerFor(ctx.db, total), key, filters, query))
}

export async function movementFilters(
  ctx: AppContext,
  owner: Owner,
  { supplyId, type, userId, locationId, from, to }: MovementsQuery,
): Promise<store.MovementFilters> {
  const locationIds =
    locationId === undefined ? undefined : await locationTree.branchIds(ctx.db.read, owner.orgId, locationId)
  return { supplyId, type, userId, locationIds, from, to }
}

const shown = async (db: Db, { items, ...page }: Page<store.MovementRow>): Promise<Page<MovementView>> => ({
  ...page,
  items: await toViews(db, items),
})

/** Views in the order of the rows, with a bounded number of queries for all of them. */
export async function toViews(db: Db, rows: readonly store.MovementRow[]): Promise<MovementView[]> {
  if (rows.length === 0) return []
  const names = await store.supplyNames(
    db,
    rows.map((row) => row.supplyId),
  )
  const reversals = await store.reversalsOf(
    db,
    rows.map((row) => row.id),
  )
  // The names of accounts that ended are removed; others see the same as everywhere.
  const nameless = rows.flatMap((row) => [
    ...(row.userId !== null && row.personName === '' ? [row.userId] : []),
    ...(row.operatorName === '' ? [row.operatorId] : []),
  ])
  const present = await userNames(db, orgOf(rows[0]!.owner), [...new Set(nameless)])
  return rows.map((row) => ({
    id: row.id,
    supplyId: row.supplyId,
    supplyName: names.get(row.supplyId)?.name ?? '',
    type: row.type,
    quantity: row.quantity,
    difference: row.difference,
    stockAfter: row.stockAfter,
    locationId: row.locationId,
    toLocationId: row.toLocationId,
    userId: row.userId,
    personName: row.personName || (row.userId === null ? null : (present.get(row.userId) ?? null)),
    price: priceText(row.price),
    note: row.note,
    dueAt: row.dueAt,
    operatorId: row.operatorId,
    operatorName: row.operatorName || (present.get(row.operatorId) ?? ''),
    reverses: row.reverses,
    reversedBy: reversals.get(row.id)?.id ?? null,
    createdAt: row.createdAt,
  }))
}

export async function listLoans(ctx: AppContext, owner: Owner, id: number, query: LoansQuery): Promise<Page<LoanView>> {
  const db = ctx.db.read
  if ((await findSupply(db, ownerKey(owner), id)) === undefined) throw notFound()
  const { items, ...page } = await store.loansPage(db, id, query.userId, query)
  const names = await userNames(
    db,
    owner.orgId,
    items.flatMap(({ userId }) => userId || []),
  )
  return {
    ...page,
    items: items.map(({ userId, personName, quantity, dueAt }) => ({
      userId: userId || null,
      personName: userId === 0 ? personName : (names.get(userId) ?? ''),
      quantity,
      dueAt,
    })),
  }
}

export const deleteOldRequests = (ctx: AppContext): Promise<void> =>
  inSlices(ctx, 'supplies.deleteOldRequests', (tx, limit) =>
    store.deleteRequestsBefore(tx, ctx.clock.now() - REQUESTS_KEPT_MS, limit),
  )
