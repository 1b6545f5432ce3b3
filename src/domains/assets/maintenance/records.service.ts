/** Maintenance that was done: records of an asset, their files, and the due dates that follow from them. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import { type Page } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import { attachFile, findFiles, releaseFile, urlsOf } from '#domains/files/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { dayNumberOf } from '#lib/days.ts'

import { mayRead as mayReadAsset } from '../assets.service.ts'
import { planFinder, plansOf } from '../dues.store.ts'
import { isFinal, notADay, notAPrice } from '../register/register.errors.ts'
import { hundredths, priceText } from '../register/register.rules.ts'
import { type AssetRow, findAsset, updateRows } from '../register/register.store.ts'
import * as refused from './maintenance.errors.ts'
import { type CreateRecord, MAX_RECORDS, type RecordView, type UpdateRecord } from './maintenance.model.ts'
import * as store from './maintenance.store.ts'
import { refreshAssets } from './plans.service.ts'

type RecordRow = store.RecordRow
type Fields = Pick<
  RecordRow,
  'kind' | 'doneOn' | 'nextDue' | 'cost' | 'supplier' | 'result' | 'note' | 'fileIds' | 'planId'
>

export async function listRecords(
  ctx: AppContext,
  owner: Owner,
  assetId: number,
  page: { page: number; size: number },
): Promise<Page<RecordView>> {
  const db = ctx.db.read
  if ((await findAsset(db, owner, assetId)) === undefined) throw notFound()
  const { items, ...rest } = await store.recordsPage(db, ownerKey(owner), assetId, page)
  return { ...rest, items: await toViews(ctx, db, items) }
}

export async function getRecord(ctx: AppContext, owner: Owner, assetId: number, id: number): Promise<RecordView> {
  const row = await store.findRecord(ctx.db.read, ownerKey(owner), assetId, id)
  if (row === undefined || (await findAsset(ctx.db.read, owner, assetId)) === undefined) throw notFound()
  return viewOf(ctx, row)
}

/** The columns that a request sets. @throws AppError 400 */
function changeOf(input: UpdateRecord): Partial<Fields> {
  const { kind, doneOn, nextDue, cost, supplier, result, note, fileIds, planId } = input
  const problems: FieldProblem[] = []
  if (doneOn !== undefined && dayNumberOf(doneOn) === undefined) problems.push(notADay('body.doneOn'))
  if (nextDue && dayNumberOf(nextDue) === undefined) problems.push(notADay('body.nextDue'))
  const price = cost == null || cost === '' ? null : hundredths(cost)
  if (price === undefined) problems.push(notAPrice('body.cost'))
  if (problems.length > 0) throw invalidAll(problems)
  return {
    ...(kind !== undefined && { kind }),
    ...(doneOn !== undefined && { doneOn }),
    ...(nextDue !== undefined && { nextDue: nextDue || null }),
    ...(cost !== undefined && { cost: price! }),
    ...(supplier !== undefined && { supplier: supplier ?? '' }),
    ...(result !== undefined && { result: result ?? 'NONE' }),
    ...(note !== undefined && { note: note ?? '' }),
    ...(fileIds !== undefined && { fileIds: fileIds ?? [] }),
    ...(planId !== undefined && { planId }),
  }
}

const EMPTY = { nextDue: null, cost: null, supplier: '', result: 'NONE', note: '', fileIds: [], planId: null } as const

export async function createRecord(
  ctx: AppContext,
  owner: Owner,
  assetId: number,
  input: CreateRecord,
): Promise<RecordView> {
  const fields: Fields = { ...EMPTY, fileIds: [], kind: input.kind, doneOn: input.doneOn, ...changeOf(input) }
  const row = await ctx.db.write('assets.createRecord', async (tx) => {
    const asset = await findOrFail(tx, owner, assetId)
    if ((await store.countRecords(tx, asset.owner, assetId)) >= MAX_RECORDS) throw refused.tooManyRecords()
    await checkPlan(tx, asset, fields.planId)
    const inserted = await store.insertRecord(tx, { ...fields, owner: asset.owner, assetId, createdBy: owner.userId })
    await changeFiles(ctx, tx, owner, inserted.id, [], fields.fileIds)
    await afterChange(tx, asset, inserted.kind, input.status)
    return inserted
  })
  return viewOf(ctx, row)
}

export async function updateRecord(
  ctx: AppContext,
  owner: Owner,
  assetId: number,
  id: number,
  input: UpdateRecord,
): Promise<RecordView> {
  const change = changeOf(input)
  const row = await ctx.db.write('assets.updateRecord', async (tx) => {
    const asset = await findOrFail(tx, owner, assetId)
    const before = await store.findRecord(tx, asset.owner, assetId, id)
    if (before === undefined) throw notFound()
    const names = Object.keys(change) as (keyof Fields)[]
    const isChanged = names.some((name) => !Bun.deepEquals(change[name], before[name]))
    if (change.planId !== before.planId) await checkPlan(tx, asset, change.planId ?? null)
    if (change.fileIds !== undefined) await changeFiles(ctx, tx, owner, id, before.fileIds, change.fileIds)
    const after = isChanged ? await store.updateRecord(tx, before, change) : before
    await afterChange(tx, asset, after.kind, input.status)
    return after
  })
  return viewOf(ctx, row)
}

export async function deleteRecord(ctx: AppContext, owner: Owner, assetId: number, id: number): Promise<void> {
  await ctx.db.write('assets.deleteRecord', async (tx) => {
    const asset = await findOrFail(tx, owner, assetId)
    const row = await store.findRecord(tx, asset.owner, assetId, id)
    if (row === undefined) throw notFound()
    await store.deleteRecord(tx, id)
    for (const file of row.fileIds) await releaseFile(ctx, tx, file)
    await refreshAssets(tx, [asset])
  })
}

async function findOrFail(tx: Tx, owner: Owner, assetId: number): Promise<AssetRow> {
  const asset = await findAsset(tx, owner, assetId)
  if (asset === undefined) throw notFound()
  return asset
}

/** @throws AppError 400 unless the plan holds for the asset */
async function checkPlan(tx: Tx, asset: AssetRow, planId: number | null): Promise<void> {
  if (planId === null) return
  const find = await planFinder(tx, asset.owner, await plansOf(tx, asset.owner))
  if (!find(asset).some(({ id }) => id === planId)) throw refused.noSuchPlan()
}

async function changeFiles(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  recordId: number,
  before: readonly number[],
  after: readonly number[],
): Promise<void> {
  for (const [i, id] of after.entries())
    if (!before.includes(id)) {
      const path = `body.fileIds.${i}`
      await attachFile(tx, owner, id, { type: 'asset', entityType: 'MAINTENANCE', entityId: recordId, path })
    }
  for (const id of before) if (!after.includes(id)) await releaseFile(ctx, tx, id)
}

/** Sets the status that a repair gives, and the due dates. @throws AppError 400 */
async function afterChange(
  tx: Tx,
  asset: AssetRow,
  kind: RecordRow['kind'],
  status: 'REPAIR' | 'IN_USE' | undefined,
): Promise<void> {
  if (status !== undefined && kind !== 'REPAIR') throw refused.onlyRepairs()
  if (status !== undefined && asset.status === 'SCRAPPED') throw invalidAll([isFinal('body.status')])
  const [after] = status === undefined ? [asset] : await updateRows(tx, [{ row: asset, change: { status } }])
  await refreshAssets(tx, [after!])
}

const viewOf = async (ctx: AppContext, row: RecordRow): Promise<RecordView> =>
  (await toViews(ctx, ctx.db.read, [row]))[0]!

async function toViews(ctx: AppContext, db: Db, rows: readonly RecordRow[]): Promise<RecordView[]> {
  const fileIds = rows.flatMap((row) => row.fileIds)
  const files = new Map((fileIds.length === 0 ? [] : await findFiles(db, fileIds)).map((file) => [file.id, file]))
  const plans = await store.existingPlans(
    db,
    rows.flatMap(({ planId }) => planId ?? []),
  )
  return rows.map((row) => ({
    id: row.id,
    assetId: row.assetId,
    kind: row.kind,
    doneOn: row.doneOn,
    cost: priceText(row.cost),
    supplier: row.supplier,
    result: row.result,
    note: row.note,
    fileIds: row.fileIds,
    files: row.fileIds.flatMap((id) => {
      const file = files.get(id)
      return file === undefined ? [] : [{ fileId: id, name: file.name, url: urlsOf(ctx, file).url }]
    }),
    planId: row.planId !== null && plans.has(row.planId) ? row.planId : null,
    nextDue: row.nextDue,
    createdBy: row.createdBy,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }))
}

/** Whether the user may see a record, and so its files. */
export async function mayRead(ctx: AppContext, userId: number, id: number): Promise<boolean> {
  const assetId = await store.assetOfRecord(ctx.db.read, id)
  return assetId !== undefined && mayReadAsset(ctx, userId, assetId)
}
