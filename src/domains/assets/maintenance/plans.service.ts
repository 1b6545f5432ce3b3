/** Plans of maintenance, and the list of due maintenance. */

import type { AppContext } from '#context'
import { ownerExists } from '#db/owner-counts.ts'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { offsetOf, type Page, type PageInput, readerFor } from '#db/paging.ts'
import { finishInSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { dayNumberOf } from '#lib/days.ts'

import { assetCategoryTree } from '../categories/categories.store.ts'
import { todayOf } from '../days.service.ts'
import * as dues from '../dues.store.ts'
import type { PlanRow } from '../dues.store.ts'
import { countAssets } from '../listing.store.ts'
import { noSuchCategory, noSuchMember, notADay, notYourself } from '../register/register.errors.ts'
import { type AssetRow, assetsByIds, findAsset, membersAmong, updateRows } from '../register/register.store.ts'
import * as refused from './maintenance.errors.ts'
import {
  type CreatePlan,
  type DueQuery,
  type DueView,
  MAX_PLANS,
  type PlansQuery,
  type PlanView,
  type UpdatePlan,
} from './maintenance.model.ts'
import * as store from './maintenance.store.ts'

/** An owner has at most MAX_PLANS, so all of them are read. */
export async function listPlans(
  ctx: AppContext,
  owner: Owner,
  { assetId, ...page }: PlansQuery,
): Promise<Page<PlanView>> {
  const db = ctx.db.read
  const all = await dues.plansOf(db, ownerKey(owner))
  if (assetId === undefined) return pageOfPlans(all, page)
  const asset = await findAsset(db, owner, assetId)
  if (asset === undefined) throw notFound()
  return pageOfPlans((await dues.planFinder(db, ownerKey(owner), all))(asset), page)
}

function pageOfPlans(rows: readonly PlanRow[], { page, size }: PageInput): Page<PlanView> {
  const from = offsetOf({ page, size })
  return { items: rows.slice(from, from + size).map(toView), total: rows.length, page, size }
}

export async function getPlan(ctx: AppContext, owner: Owner, id: number): Promise<PlanView> {
  const row = await store.findPlan(ctx.db.read, ownerKey(owner), id)
  if (row === undefined) throw notFound()
  return toView(row)
}

type PlanChange = Partial<Omit<PlanRow, 'id' | 'owner' | 'createdBy' | 'version' | 'createdAt' | 'updatedAt'>>

/** The columns that a request sets. @throws AppError 400 */
function changeOf({
  name,
  kind,
  every,
  firstDue,
  leadDays,
  assigneeId,
  note,
  assetId,
  categoryId,
}: UpdatePlan): PlanChange {
  const [everyDays, everyMonths] = [every?.days ?? null, every?.months ?? null]
  if (every !== undefined && (everyDays === null) === (everyMonths === null)) throw refused.oneInterval()
  if (firstDue !== undefined && dayNumberOf(firstDue) === undefined) throw invalidAll([notADay('body.firstDue')])
  const isMoved = assetId != null || categoryId != null
  if (assetId != null && categoryId != null) throw refused.oneTarget()
  return {
    ...(name !== undefined && { name }),
    ...(kind !== undefined && { kind }),
    ...(every !== undefined && { everyDays, everyMonths }),
    ...(firstDue !== undefined && { firstDue }),
    ...(leadDays !== undefined && { leadDays }),
    ...(assigneeId !== undefined && { assigneeId }),
    ...(note !== undefined && { note: note ?? '' }),
    ...(isMoved && { assetId: assetId ?? null, categoryId: categoryId ?? null }),
  }
}

/** @throws AppError 400 for an asset, a category or an assignee that is not the owner's */
async function checkReferences(tx: Tx, owner: Owner, { assetId, categoryId, assigneeId }: PlanChange): Promise<void> {
  const problems: FieldProblem[] = []
  if (assetId != null && (await findAsset(tx, owner, assetId)) === undefined) throw refused.noSuchAsset()
  if (categoryId != null && (await assetCategoryTree.find(tx, ownerKey(owner), categoryId)) === undefined)
    problems.push(noSuchCategory('body.categoryId'))
  if (assigneeId != null) {
    const { userId, orgId } = owner
    if (orgId === 0) {
      if (assigneeId !== userId) problems.push(notYourself('body.assigneeId'))
    } else if (!(await membersAmong(tx, orgId, [assigneeId])).has(assigneeId))
      problems.push(noSuchMember('body.assigneeId'))
  }
  if (problems.length > 0) throw invalidAll(problems)
}

export async function createPlan(ctx: AppContext, owner: Owner, input: CreatePlan): Promise<PlanView> {
  const { assetId = null, categoryId = null, leadDays = 14 } = input
  if ((assetId === null) === (categoryId === null)) throw refused.oneTarget()
  const change = changeOf(input)
  const key = ownerKey(owner)
  const row = await ctx.db.write('assets.createPlan', async (tx) => {
    if (!(await ownerExists(tx, key))) throw notFound()
    if ((await store.countPlans(tx, key)) >= MAX_PLANS) throw refused.tooManyPlans()
    await checkReferences(tx, owner, change)
    const inserted = await store.insertPlan(tx, {
      owner: key,
      name: input.name,
      kind: input.kind,
      assetId,
      categoryId,
      everyDays: change.everyDays ?? null,
      everyMonths: change.everyMonths ?? null,
      firstDue: input.firstDue,
      leadDays,
      assigneeId: input.assigneeId ?? null,
      note: input.note ?? '',
      createdBy: owner.userId,
    })
    await spread(tx, owner, inserted)
    return inserted
  })
  await refreshFirst(ctx, key)
  return toView(row)
}

export async function updatePlan(ctx: AppContext, owner: Owner, id: number, input: UpdatePlan): Promise<PlanView> {
  const change = changeOf(input)
  const key = ownerKey(owner)
  const row = await ctx.db.write('assets.updatePlan', async (tx) => {
    const before = await store.findPlan(tx, key, id)
    if (before === undefined) throw notFound()
    const names = Object.keys(change) as (keyof PlanChange)[]
    const changed = names.filter((name) => change[name] !== before[name])
    if (changed.length === 0) return before
    await checkReferences(tx, owner, Object.fromEntries(changed.map((name) => [name, change[name]])))
    const after = await store.updatePlan(tx, before, change)
    await spread(tx, owner, before)
    await spread(tx, owner, after)
    return after
  })
  await refreshFirst(ctx, key)
  return toView(row)
}

/** Records of the plan stay. */
export async function deletePlan(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  const key = ownerKey(owner)
  await ctx.db.write('assets.deletePlan', async (tx) => {
    const row = await store.findPlan(tx, key, id)
    if (row === undefined) throw notFound()
    await store.deletePlan(tx, row)
    await spread(tx, owner, row)
  })
  await refreshFirst(ctx, key)
}

/** The asset of a plan that came, changed or went is brought up to date; the assets of its category are left to the job. */
async function spread(tx: Tx, owner: Owner, { assetId, categoryId }: PlanRow): Promise<void> {
  const key = ownerKey(owner)
  if (assetId !== null) await refreshAssets(tx, await assetsByIds(tx, key, [assetId]))
  if (categoryId !== null) await dues.startWork(tx, key, await assetCategoryTree.branchIds(tx, key, categoryId))
}

export async function refreshAssets(tx: Tx, rows: readonly AssetRow[]): Promise<void> {
  const next = await dues.refreshDues(tx, rows)
  await updateRows(
    tx,
    rows.map((row) => ({ row, change: { nextMaintenance: next.get(row.id) ?? null } })),
  )
}

/** Writes of a request, and assets of each: some hundred milliseconds on SQLite. */
const WRITES = 10
const ASSETS_PER_WRITE = 250

/** Brings the first assets of an owner's categories up to date. The job does the others. */
async function refreshFirst(ctx: AppContext, owner: OwnerKey): Promise<void> {
  for (let writes = 0; writes < WRITES; writes++) {
    const item = await dues.firstWork(ctx.db.read, owner)
    if (item === undefined) return
    await ctx.db.write('assets.refreshDues', async (tx) => {
      if ((await refreshSome(tx, item, ASSETS_PER_WRITE)) < ASSETS_PER_WRITE) await dues.endWork(tx, item)
    })
  }
}

async function refreshSome(tx: Tx, item: dues.Work, limit: number): Promise<number> {
  const rows = await dues.takeAssets(tx, item, limit)
  await refreshAssets(tx, rows)
  return rows.length
}

/** Brings all assets of categories up to date. A category can have a million, so each write takes some. */
export const refreshAll = (ctx: AppContext): Promise<void> =>
  finishInSlices(
    ctx,
    'assets.refreshDues',
    { first: (db) => dues.firstWork(db), work: refreshSome, end: dues.endWork },
    { firstRows: 100, maxRows: 1000 },
  )

export async function listDue(ctx: AppContext, owner: Owner, query: DueQuery): Promise<Page<DueView>> {
  if (query.to && dayNumberOf(query.to) === undefined) throw invalidAll([notADay('query.to')])
  const key = ownerKey(owner)
  const today = await todayOf(ctx, ctx.db.read, key)
  const { assigneeId } = query
  const planIds =
    assigneeId === undefined
      ? undefined
      : (await dues.plansOf(ctx.db.read, key)).filter((plan) => plan.assigneeId === assigneeId).map(({ id }) => id)
  const db = readerFor(ctx.db, await countAssets(ctx.db.read, key))
  const { items, ...page } = await store.duePage(db, key, query, today, planIds)
  return { ...page, items: items.map((item) => ({ ...item, overdue: item.dueOn < today })) }
}

const toView = (row: PlanRow): PlanView => ({
  id: row.id,
  orgId: orgOf(row.owner) || null,
  name: row.name,
  kind: row.kind,
  assetId: row.assetId,
  categoryId: row.categoryId,
  every: { days: row.everyDays, months: row.everyMonths },
  firstDue: row.firstDue,
  leadDays: row.leadDays,
  assigneeId: row.assigneeId,
  note: row.note,
  createdBy: row.createdBy,
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})
