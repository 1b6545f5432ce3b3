import { and, asc, count, desc, eq, gte, inArray, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { orgOf } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf, pageOfQuery } from '#db/paging.ts'
import { versionIn } from '#db/row-version.ts'
import {
  assetMaintenanceDues as dues,
  assetMaintenancePlans as plans,
  assetMaintenanceRecords as records,
} from '#db/schema/asset-maintenance.ts'
import { assets } from '#db/schema/assets.ts'
import type { Db, Tx } from '#db/store.ts'

import type { PlanRow } from '../dues.store.ts'
import type { DueQuery } from './maintenance.model.ts'

export type RecordRow = typeof records.$inferSelect
type Managed = 'id' | 'version' | 'createdAt' | 'updatedAt'

export const versionOfPlan = versionIn(plans)
export const versionOfRecord = versionIn(records)

export async function findPlan(db: Db | Tx, owner: OwnerKey, id: number): Promise<PlanRow | undefined> {
  const rows = await db
    .select()
    .from(plans)
    .where(and(eq(plans.id, id), eq(plans.owner, owner)))
  return rows[0]
}

export async function organizationOfPlan(db: Db, id: number): Promise<number | undefined> {
  const [row] = await db.select({ owner: plans.owner }).from(plans).where(eq(plans.id, id))
  return row && orgOf(row.owner)
}

export async function insertPlan(tx: Tx, values: Omit<PlanRow, Managed>): Promise<PlanRow> {
  const [row] = await tx
    .insert(plans)
    .values({ ...values, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

export async function updatePlan(tx: Tx, { id, owner, version }: PlanRow, change: Partial<PlanRow>): Promise<PlanRow> {
  const [row] = await tx
    .update(plans)
    .set({ ...change, version: version + 1, updatedAt: tx.stamp })
    .where(and(eq(plans.id, id), eq(plans.owner, owner)))
    .returning()
  return row!
}

export const deletePlan = async (tx: Tx, { id, owner }: PlanRow): Promise<void> =>
  void (await tx.delete(plans).where(and(eq(plans.id, id), eq(plans.owner, owner))))

export async function countPlans(db: Db | Tx, owner: OwnerKey): Promise<number> {
  const [row] = await db.select({ n: count() }).from(plans).where(eq(plans.owner, owner))
  return row!.n
}

const ofAsset = (owner: OwnerKey, assetId: number) => and(eq(records.assetId, assetId), eq(records.owner, owner))

export const recordsPage = (db: Db, owner: OwnerKey, assetId: number, page: PageInput): Promise<Page<RecordRow>> =>
  pageOf(db, records, { where: ofAsset(owner, assetId), orderBy: [desc(records.doneOn), desc(records.id)], page })

export async function findRecord(
  db: Db | Tx,
  owner: OwnerKey,
  assetId: number,
  id: number,
): Promise<RecordRow | undefined> {
  const rows = await db
    .select()
    .from(records)
    .where(and(eq(records.id, id), ofAsset(owner, assetId)))
  return rows[0]
}

export async function countRecords(tx: Tx, owner: OwnerKey, assetId: number): Promise<number> {
  const [row] = await tx.select({ n: count() }).from(records).where(ofAsset(owner, assetId))
  return row!.n
}

/** The asset of a record. */
export async function assetOfRecord(db: Db, id: number): Promise<number | undefined> {
  const [row] = await db.select({ assetId: records.assetId }).from(records).where(eq(records.id, id))
  return row?.assetId
}

export async function insertRecord(tx: Tx, values: Omit<RecordRow, Managed>): Promise<RecordRow> {
  const [row] = await tx
    .insert(records)
    .values({ ...values, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

export async function updateRecord(tx: Tx, { id, version }: RecordRow, change: Partial<RecordRow>): Promise<RecordRow> {
  const [row] = await tx
    .update(records)
    .set({ ...change, version: version + 1, updatedAt: tx.stamp })
    .where(eq(records.id, id))
    .returning()
  return row!
}

export const deleteRecord = async (tx: Tx, id: number): Promise<void> =>
  void (await tx.delete(records).where(eq(records.id, id)))

/** Takes deleted files away from the records that had them. */
export async function clearFiles(tx: Tx, fileIds: readonly number[], recordIds: readonly number[]): Promise<void> {
  const lost = new Set(fileIds)
  const rows = await tx
    .select()
    .from(records)
    .where(inArray(records.id, [...recordIds]))
  for (const row of rows) await updateRecord(tx, row, { fileIds: row.fileIds.filter((id) => !lost.has(id)) })
}

/** The ids of the plans that exist. */
export async function existingPlans(db: Db | Tx, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .select({ id: plans.id })
    .from(plans)
    .where(inArray(plans.id, [...ids]))
  return new Set(rows.map(({ id }) => id))
}

const dueWhere = (
  owner: OwnerKey,
  { to, overdue, assetId }: DueQuery,
  today: string,
  planIds?: readonly number[],
): SQL =>
  and(
    eq(dues.owner, owner),
    to ? lte(dues.dueOn, to) : undefined,
    overdue === undefined ? undefined : overdue ? lt(dues.dueOn, today) : gte(dues.dueOn, today),
    assetId === undefined ? undefined : eq(dues.assetId, assetId),
    planIds && inArray(dues.planId, [...planIds]),
  )!

const dueColumns = {
  assetId: dues.assetId,
  name: assets.name,
  assetNo: assets.assetNo,
  planId: dues.planId,
  planName: plans.name,
  dueOn: dues.dueOn,
  assigneeId: plans.assigneeId,
}

/** Earliest first. `planIds`: only of these plans. */
export function duePage(db: Db, owner: OwnerKey, query: DueQuery, today: string, planIds?: readonly number[]) {
  const where = dueWhere(owner, query, today, planIds)
  return pageOfQuery(
    query,
    db
      .select(dueColumns)
      .from(dues)
      .innerJoin(assets, eq(assets.id, dues.assetId))
      .innerJoin(plans, eq(plans.id, dues.planId))
      .where(where)
      .orderBy(asc(dues.dueOn), asc(dues.assetId), asc(dues.planId)),
    db.select({ n: count() }).from(dues).innerJoin(plans, eq(plans.id, dues.planId)).where(where),
  )
}

export type NoticeKind = 'SOON' | 'OVERDUE'

/** Dates of which nobody was notified. `today`: those that are overdue were due before it. */
const untold = (kind: NoticeKind, today: string): SQL =>
  kind === 'SOON'
    ? and(isNull(dues.announcedAt), lte(dues.soonOn, today))!
    : and(isNull(dues.remindedAt), lt(dues.dueOn, today))!

/** The plans with such dates. */
export async function plansToNotify(db: Db, kind: NoticeKind, today: string): Promise<PlanRow[]> {
  const some = db.select({ id: dues.planId }).from(dues).where(untold(kind, today))
  return db.select().from(plans).where(inArray(plans.id, some)).orderBy(asc(plans.id))
}

export interface DueGroup {
  readonly custodianId: number | null
  readonly count: number
  /** The earliest ones. */
  readonly assets: readonly { id: number; name: string; assetNo: string; dueOn: string }[]
}

/** Takes the dates of a plan of which nobody was notified: by custodian, unless all of them are for one user. */
export async function takeUntold(
  tx: Tx,
  plan: PlanRow,
  kind: NoticeKind,
  { today, together, listed }: { readonly today: string; readonly together: boolean; readonly listed: number },
): Promise<DueGroup[]> {
  const where = and(eq(dues.planId, plan.id), untold(kind, today))
  const by = together ? sql`0` : sql`${assets.custodianId}`
  const ranked = tx
    .select({
      assetId: dues.assetId,
      name: assets.name,
      assetNo: assets.assetNo,
      dueOn: dues.dueOn,
      custodianId: assets.custodianId,
      place: sql<number>`row_number() over (partition by ${by} order by ${dues.dueOn}, ${dues.assetId})`.as('place'),
      n: sql<number>`count(*) over (partition by ${by})`.as('n'),
    })
    .from(dues)
    .innerJoin(assets, eq(assets.id, dues.assetId))
    .where(where)
    .as('ranked')
  const rows = await tx.select().from(ranked).where(lte(ranked.place, listed)).orderBy(asc(ranked.place))
  const told = kind === 'SOON' ? { announcedAt: tx.stamp } : { announcedAt: tx.stamp, remindedAt: tx.stamp }
  await tx.update(dues).set(told).where(where)
  return [...Map.groupBy(rows, ({ custodianId }) => (together ? null : custodianId))].map(([custodianId, some]) => ({
    custodianId,
    count: Number(some[0]!.n),
    assets: some.map(({ assetId: id, name, assetNo, dueOn }) => ({ id, name, assetNo, dueOn })),
  }))
}
