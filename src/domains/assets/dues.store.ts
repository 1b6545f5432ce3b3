/**
 * When each asset is due by each plan that holds for it, as rows: so the list of due maintenance, the notices and the order of assets by
 * `nextMaintenance` have an index, however many assets the category of a plan has. Each write of an asset that changes its plans
 * changes its rows too. Changes of plans of categories leave work for a job.
 */

import { and, asc, eq, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import {
  assetMaintenanceDues as dues,
  assetMaintenancePlans as plans,
  assetMaintenanceRecords as records,
  assetMaintenanceWork as work,
} from '#db/schema/asset-maintenance.ts'
import { assetCategories, assets } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'

import { type Done, dueAfter, soonOf } from './dues.rules.ts'

export type PlanRow = typeof plans.$inferSelect
type DueRow = typeof dues.$inferSelect
type AssetRow = typeof assets.$inferSelect
/** The columns of an asset that decide which plans hold for it. */
export type Planned = Pick<AssetRow, 'id' | 'owner' | 'categoryId' | 'status' | 'deletedAt'>

const p = sql.placeholder
const ofOwner = prepared((db) =>
  db
    .select()
    .from(plans)
    .where(eq(plans.owner, p('owner')))
    .orderBy(asc(plans.id)),
)

/** All plans of an owner: at most MAX_PLANS. */
export const plansOf = (db: Db | Tx, owner: OwnerKey): Promise<PlanRow[]> => ofOwner(db, { owner })

/** The parent of each category of the owner. */
async function parentsOf(db: Db | Tx, owner: OwnerKey): Promise<ReadonlyMap<number, number | null>> {
  const rows = await db
    .select({ id: assetCategories.id, parentId: assetCategories.parentId })
    .from(assetCategories)
    .where(and(eq(assetCategories.owner, owner), isNull(assetCategories.deletedAt)))
  return new Map(rows.map((row) => [row.id, row.parentId]))
}

/** A function that finds the plans that hold for an asset. */
export async function planFinder(
  db: Db | Tx,
  owner: OwnerKey,
  all: readonly PlanRow[],
): Promise<(asset: Planned) => PlanRow[]> {
  const byAsset = Map.groupBy(all, ({ assetId }) => assetId)
  const byCategory = Map.groupBy(all, ({ categoryId }) => categoryId)
  const parents = [...byCategory.keys()].some((id) => id !== null) ? await parentsOf(db, owner) : new Map()
  return ({ id, categoryId, status, deletedAt }) => {
    if (deletedAt !== null || status === 'SCRAPPED') return []
    const found = [...(byAsset.get(id) ?? [])]
    const seen = new Set<number>()
    for (let at = categoryId; at != null && !seen.has(at); at = parents.get(at) ?? null) {
      seen.add(at)
      found.push(...(byCategory.get(at) ?? []))
    }
    return found
  }
}

const keyOf = ({ planId, assetId }: Pick<DueRow, 'planId' | 'assetId'>): string => `${planId} ${assetId}`

/** Records of these assets for these plans, by plan and asset, the oldest first. */
async function recordsOf(
  tx: Tx,
  assetIds: readonly number[],
  planIds: readonly number[],
): Promise<Map<string, Done[]>> {
  const rows = await tx
    .select({ planId: records.planId, assetId: records.assetId, doneOn: records.doneOn, nextDue: records.nextDue })
    .from(records)
    .where(and(inArray(records.assetId, [...assetIds]), inArray(records.planId, [...planIds])))
    .orderBy(asc(records.doneOn), asc(records.id))
  return Map.groupBy(rows, ({ planId, assetId }) => keyOf({ planId: planId!, assetId }))
}

/** Assets of one statement. */
const ASSETS_PER_STATEMENT = 500

/**
 * Brings the due dates of assets up to date. `rows`: the assets as they are after the write. Returns the earliest date of each, which the caller
 * stores as `nextMaintenance`.
 */
export async function refreshDues(tx: Tx, rows: readonly Planned[]): Promise<Map<number, string | null>> {
  const next = new Map<number, string | null>()
  for (const [owner, ofOne] of Map.groupBy(rows, (row) => row.owner)) {
    const all = await plansOf(tx, owner)
    const find = await planFinder(tx, owner, all)
    for (let at = 0; at < ofOne.length; at += ASSETS_PER_STATEMENT)
      await refresh(tx, ofOne.slice(at, at + ASSETS_PER_STATEMENT), find, next)
  }
  return next
}

async function refresh(
  tx: Tx,
  rows: readonly Planned[],
  find: (asset: Planned) => PlanRow[],
  next: Map<number, string | null>,
): Promise<void> {
  const ids = rows.map(({ id }) => id)
  const before = new Map(
    (await tx.select().from(dues).where(inArray(dues.assetId, ids))).map((row) => [keyOf(row), row] as const),
  )
  const pairs = rows.flatMap((asset) => find(asset).map((plan) => ({ asset, plan })))
  const planIds = [...new Set(pairs.map(({ plan }) => plan.id))]
  const done = planIds.length === 0 ? new Map<string, Done[]>() : await recordsOf(tx, ids, planIds)
  const changed: DueRow[] = []
  for (const { id } of rows) next.set(id, null)
  for (const { asset, plan } of pairs) {
    const key = keyOf({ planId: plan.id, assetId: asset.id })
    const dueOn = dueAfter(plan, done.get(key) ?? [])
    const soonOn = soonOf(dueOn, plan)
    const earliest = next.get(asset.id)
    if (earliest == null || dueOn < earliest) next.set(asset.id, dueOn)
    const row = before.get(key)
    before.delete(key)
    if (row?.dueOn === dueOn && row.soonOn === soonOn && row.owner === asset.owner) continue
    const isMoved = row?.dueOn !== dueOn
    const { announcedAt = null, remindedAt = null } = isMoved ? {} : (row ?? {})
    changed.push({ planId: plan.id, assetId: asset.id, owner: asset.owner, dueOn, soonOn, announcedAt, remindedAt })
  }
  for (const [planId, gone] of Map.groupBy(before.values(), (row) => row.planId))
    await tx.delete(dues).where(
      and(
        eq(dues.planId, planId),
        inArray(
          dues.assetId,
          gone.map(({ assetId }) => assetId),
        ),
      ),
    )
  await saveDues(tx, changed)
}

async function saveDues(tx: Tx, rows: readonly DueRow[]): Promise<void> {
  const set = Object.fromEntries(
    [dues.owner, dues.dueOn, dues.soonOn, dues.announcedAt, dues.remindedAt].map((column, i) => [
      (['owner', 'dueOn', 'soonOn', 'announcedAt', 'remindedAt'] as const)[i]!,
      sql`excluded.${sql.identifier(column.name)}`,
    ]),
  )
  for (let at = 0; at < rows.length; at += ASSETS_PER_STATEMENT)
    await tx
      .insert(dues)
      .values(rows.slice(at, at + ASSETS_PER_STATEMENT))
      .onConflictDoUpdate({ target: [dues.planId, dues.assetId], set })
}

/** Whether the owner has a plan of a category. */
export const hasCategoryPlans = async (db: Db | Tx, owner: OwnerKey): Promise<boolean> =>
  (await plansOf(db, owner)).some(({ categoryId }) => categoryId !== null)

export type Work = typeof work.$inferSelect

/** Leaves the assets of these categories to the job. Those that it is at are begun again. */
export async function startWork(tx: Tx, owner: OwnerKey, categoryIds: readonly number[]): Promise<void> {
  if (categoryIds.length === 0) return
  const start = { createdAt: -1, assetId: 0 }
  for (let at = 0; at < categoryIds.length; at += ASSETS_PER_STATEMENT)
    await tx
      .insert(work)
      .values(categoryIds.slice(at, at + ASSETS_PER_STATEMENT).map((categoryId) => ({ categoryId, owner, ...start })))
      .onConflictDoUpdate({ target: work.categoryId, set: start })
}

/** Work of this owner, or of any. */
export async function firstWork(db: Db, owner?: OwnerKey): Promise<Work | undefined> {
  const where = owner === undefined ? undefined : eq(work.owner, owner)
  return (await db.select().from(work).where(where).limit(1))[0]
}

export const endWork = async (tx: Tx, { categoryId }: Work): Promise<void> =>
  void (await tx.delete(work).where(eq(work.categoryId, categoryId)))

/** The next assets of a category that are not up to date yet, at most `limit`. They count as up to date from now on. */
export async function takeAssets(tx: Tx, { categoryId, owner }: Work, limit: number): Promise<AssetRow[]> {
  const [at] = await tx.select().from(work).where(eq(work.categoryId, categoryId))
  if (at === undefined) return []
  const inCategory = and(eq(assets.owner, owner), isNull(assets.deletedAt), eq(assets.categoryId, categoryId))
  const select = (rest: Parameters<typeof and>[0], some: number) =>
    tx.select().from(assets).where(and(inCategory, rest)).orderBy(asc(assets.createdAt), asc(assets.id)).limit(some)
  // A comparison of both columns at once would read all assets that were imported together.
  const rows = await select(and(eq(assets.createdAt, at.createdAt), gt(assets.id, at.assetId)), limit)
  if (rows.length < limit) rows.push(...(await select(gt(assets.createdAt, at.createdAt), limit - rows.length)))
  const last = rows.at(-1)
  if (last !== undefined)
    await tx.update(work).set({ createdAt: last.createdAt, assetId: last.id }).where(eq(work.categoryId, categoryId))
  return rows
}

/** Deletes the plans of assets or of a category that are deleted. */
export async function deletePlansOf(
  tx: Tx,
  owner: OwnerKey,
  of: { readonly assetIds?: readonly number[]; readonly categoryId?: number },
): Promise<void> {
  const { assetIds, categoryId } = of
  const target = or(
    assetIds === undefined ? undefined : inArray(plans.assetId, [...assetIds]),
    categoryId === undefined ? undefined : eq(plans.categoryId, categoryId),
  )
  await tx.delete(plans).where(and(eq(plans.owner, owner), target))
}

/** The files of the records of assets, which lose them. */
export async function takeRecordFiles(tx: Tx, assetIds: readonly number[]): Promise<number[]> {
  const rows = await tx
    .select({ id: records.id, fileIds: records.fileIds })
    .from(records)
    .where(inArray(records.assetId, [...assetIds]))
  const withFiles = rows.filter(({ fileIds }) => fileIds.length > 0)
  if (withFiles.length > 0)
    await tx
      .update(records)
      .set({ fileIds: [] })
      .where(
        inArray(
          records.id,
          withFiles.map(({ id }) => id),
        ),
      )
  return withFiles.flatMap(({ fileIds }) => fileIds)
}

/** Deletes the records and due dates of assets that are deleted permanently. */
export async function purgeMaintenance(tx: Tx, assetIds: readonly number[]): Promise<void> {
  await tx.delete(records).where(inArray(records.assetId, [...assetIds]))
  await tx.delete(dues).where(inArray(dues.assetId, [...assetIds]))
}

/** Plans lose an assignee who leaves the organization; of all organizations if it is undefined. */
export async function clearAssignee(tx: Tx, userId: number, orgId?: number): Promise<void> {
  const where = and(
    eq(plans.assigneeId, userId),
    isNotNull(plans.assigneeId),
    orgId === undefined ? gt(plans.owner, 0) : eq(plans.owner, orgId),
  )
  await tx
    .update(plans)
    .set({ assigneeId: null, version: sql`${plans.version} + 1`, updatedAt: tx.stamp })
    .where(where)
}

/** Plans and records of an asset that is given to an organization. They lose what the giver's other things were for them. */
export async function giveMaintenance(tx: Tx, assetId: number, owner: OwnerKey): Promise<number[]> {
  await tx.update(plans).set({ owner, assigneeId: null }).where(eq(plans.assetId, assetId))
  const own = tx.select({ id: plans.id }).from(plans).where(eq(plans.assetId, assetId))
  await tx
    .update(records)
    .set({ planId: null })
    .where(and(eq(records.assetId, assetId), isNotNull(records.planId), sql`${records.planId} not in ${own}`))
  const rows = await tx
    .update(records)
    .set({ owner })
    .where(eq(records.assetId, assetId))
    .returning({ fileIds: records.fileIds })
  return rows.flatMap(({ fileIds }) => fileIds)
}
