/** Assets: registering, changing, deleting and scrapping them. */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { SyncRevival } from '#domains/contributions.ts'
import { emit } from '#domains/domain.ts'
import type { LostFiles } from '#domains/events.ts'
import { releaseFile } from '#domains/files/index.ts'
import { deleteOfThings } from '#domains/found/index.ts'
import { checkValues, planValues, valuesOf } from '#domains/metadata/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { noPermission } from '#http/permissions.ts'
import { invalidAll } from '#http/validate.ts'
import { UUID_PATTERN } from '#lib/text.ts'

import { lockAssets, reservedAmong } from './bookings.store.ts'
import { deletePlansOf, takeRecordFiles } from './dues.store.ts'
import { changeOfColumns, entitiesOf, toDetail } from './entities.service.ts'
import { isReserved, onLoan } from './register/register.errors.ts'
import type { AssetView, NewAsset, UpdateAsset } from './register/register.model.ts'
import { type AssetChange, changeOf, differences } from './register/register.rules.ts'
import * as store from './register/register.store.ts'
import { notifyCustodians } from './transfers/transfers.service.ts'
import { insertAssets, limitsOf, possibleChange, restoreAsset, updateAssets } from './writing.service.ts'

export async function getAsset(ctx: AppContext, owner: Owner, id: number, { locale }: Caller): Promise<AssetView> {
  const row = await store.findAsset(ctx.db.read, owner, id)
  if (row === undefined) throw notFound()
  return toDetail(ctx, owner, row, locale)
}

export async function createAsset(
  ctx: AppContext,
  owner: Owner,
  input: NewAsset,
  { locale }: Caller,
): Promise<AssetView> {
  const insert = await prepareAsset(ctx, owner, input, { where: 'body' })
  const row = await ctx.db.write('assets.create', (tx) => insert(tx))
  return toDetail(ctx, owner, row, locale)
}

export interface CheckOptions {
  /** The first part of the paths of bad fields. */
  readonly where: string
  /** For clients that synchronize, which scrap by the status. Requests have an endpoint for it. */
  readonly scrap?: { readonly isPermitted: boolean; readonly reason: string }
  /** The input is a former state of the asset. Values that it lacks are cleared, and those that are no longer possible are left out. */
  readonly isRestore?: boolean
}

/** Checks a new asset; the returned function inserts it in a write. */
export async function prepareAsset(
  ctx: AppContext,
  owner: Owner,
  input: NewAsset,
  { where, scrap: scrapping }: CheckOptions,
): Promise<(tx: Tx, revived?: SyncRevival) => Promise<store.AssetRow>> {
  const given = checkedChange(input, where)
  const isScrapped = given.status === 'SCRAPPED' && scrapping !== undefined
  if (isScrapped && !scrapping.isPermitted) throw noPermission
  const limits = await limitsOf(ctx)
  return async (tx, revived) => {
    const plan = await planOf(ctx, tx, owner, undefined, input.values, where)
    const change = { ...given, ...plan.change, ...(isScrapped && { scrapReason: scrapping.reason }) }
    const item = { name: input.name, change, path: where, ...(revived && { revived }) }
    const [created] = await insertAssets(ctx, tx, owner, limits, [item], { acceptScrapped: isScrapped })
    await plan.apply(created!.id)
    return created!
  }
}

/** Checks the values of a body. The columns that some of them stand for are part of the change of the asset. */
async function planOf(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  row: store.AssetRow | undefined,
  values: NewAsset['values'] = [],
  where: string,
) {
  const path = `${where}.values`
  const [entity] = row === undefined || values.length === 0 ? [] : await entitiesOf(tx, [row])
  const [plan] = await planValues(ctx, tx, owner, 'asset', [{ entity, values, path }])
  const { columns, columnPaths, changes, apply } = plan!
  return { change: changeOfColumns(columns, (column) => columnPaths[column] ?? path), changes, apply }
}

function checkedChange(input: UpdateAsset, where: string): AssetChange {
  const problems: FieldProblem[] = []
  const change = changeOf(input, problems, where)
  if (problems.length > 0) throw invalidAll(problems)
  return change
}

export async function updateAsset(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: UpdateAsset,
  { locale }: Caller,
): Promise<AssetView> {
  const change = await prepareChange(ctx, owner, input, { where: 'body' })
  const row = await ctx.db.write('assets.update', async (tx) => change(tx, await findOrFail(tx, owner, id)))
  return toDetail(ctx, owner, row, locale)
}

/** Checks a change; the returned function applies it in a write. A deleted asset comes back. */
export async function prepareChange(
  ctx: AppContext,
  owner: Owner,
  input: UpdateAsset,
  { where, scrap: scrapping, isRestore = false }: CheckOptions,
): Promise<(tx: Tx, row: store.AssetRow) => Promise<store.AssetRow>> {
  const given = checkedChange(input, where)
  const limits = await limitsOf(ctx)
  return async (tx, before) => {
    const values = isRestore ? await possibleValues(ctx, tx, owner, before, input.values) : input.values
    const plan = await planOf(ctx, tx, owner, before, values, where)
    const possible = isRestore ? await possibleChange(tx, owner, before, given) : given
    // A whole view has every fixed column twice. Its old value must not undo the change of the column.
    const change = { ...possible, ...plan.change, ...differences(before, possible) }
    const isScrapped = change.status === 'SCRAPPED' && before.status !== 'SCRAPPED' && scrapping !== undefined
    if (isScrapped) {
      if (!scrapping.isPermitted) throw noPermission
      Object.assign(change, { scrappedAt: tx.stamp, scrapReason: scrapping.reason })
    }
    if (isRestore && before.status === 'SCRAPPED' && change.status !== undefined && change.status !== 'SCRAPPED')
      Object.assign(change, { scrappedAt: null, scrapReason: '' })
    const item = { row: before, change, touched: plan.changes, path: where }
    const options = { acceptScrapped: isScrapped, isRestore }
    const { rows, transfers } =
      before.deletedAt === null
        ? await updateAssets(ctx, tx, owner, [item], options)
        : await restoreAsset(ctx, tx, owner, limits, item, options)
    await plan.apply(before.id)
    await notifyCustodians(ctx, tx, owner, rows[0]!, transfers)
    return rows[0]!
  }
}

/** The values of a former state, and null for those that it lacks, without those that cannot be written any longer. */
async function possibleValues(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  row: store.AssetRow,
  former: NewAsset['values'] = [],
): Promise<NewAsset['values']> {
  const [entity] = await entitiesOf(tx, [row])
  const present = (await valuesOf(ctx, tx, owner, 'asset', [entity!])).get(row.id) ?? []
  const kept = new Set(former.map(({ fieldId }) => fieldId))
  const added = present.filter(({ fieldId, type }) => type !== 'COMPUTED' && !kept.has(fieldId))
  const values = [...former, ...added.map(({ fieldId }) => ({ fieldId, value: null }))]
  const { problems } = await checkValues(ctx, tx, owner, 'asset', [{ entity, values, path: 'values' }])
  const impossible = new Set(problems.map(({ path }) => path))
  return impossible.has('values') ? [] : values.filter((_, i) => !impossible.has(`values.${i}.value`))
}

async function findOrFail(tx: Tx, owner: Owner, id: number): Promise<store.AssetRow> {
  const row = await store.findAsset(tx, owner, id)
  if (row === undefined) throw notFound()
  return row
}

/** `force`: also an asset that is reserved. */
export async function deleteAsset(ctx: AppContext, owner: Owner, id: number, force: boolean): Promise<void> {
  await ctx.db.write('assets.delete', (tx) => removeAsset(ctx, tx, owner, id, { force }))
}

/**
 * Transfers, values of metadata and results of inventories stay; the number becomes free.
 * @throws AppError 400 while it is on loan, or reserved and not forced
 */
export async function removeAsset(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  id: number,
  { force = false }: { readonly force?: boolean } = {},
): Promise<store.AssetRow> {
  await lockAssets(tx, [id])
  const row = await findOrFail(tx, owner, id)
  if ((await store.openLoans(tx, [id])).length > 0) throw onLoan()
  if (!force && (await reservedAmong(tx, [id], ctx.clock.now())).size > 0) throw isReserved()
  return markDeleted(ctx, tx, row)
}

export async function markDeleted(ctx: AppContext, tx: Tx, row: store.AssetRow): Promise<store.AssetRow> {
  return (await markAllDeleted(ctx, tx, row.owner, [row]))[0]!
}

/**
 * Deletes the photos and the files of records, their plans, and what finders wrote. The caller has checked that these assets of one owner
 * may be deleted.
 */
export async function markAllDeleted(
  ctx: AppContext,
  tx: Tx,
  owner: OwnerKey,
  rows: readonly store.AssetRow[],
): Promise<store.AssetRow[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  await emit(ctx, tx, 'labelled.deleting', { kind: 'ASSET', ids })
  const files = [...rows.flatMap(({ photoIds }) => photoIds), ...(await takeRecordFiles(tx, ids))]
  for (const file of files) await releaseFile(ctx, tx, file)
  await deletePlansOf(tx, owner, { assetIds: ids })
  await deleteOfThings(ctx, tx, 'ASSET', ids)
  return store.updateRows(
    tx,
    rows.map((row) => ({ row, change: { deletedAt: tx.stamp, photoIds: [] } })),
  )
}

export async function scrapAsset(
  ctx: AppContext,
  owner: Owner,
  id: number,
  reason: string | null | undefined,
  { locale }: Caller,
): Promise<AssetView> {
  const row = await ctx.db.write('assets.scrap', async (tx) => scrap(tx, await findOrFail(tx, owner, id), reason))
  return toDetail(ctx, owner, row, locale)
}

/** Scrapping is final; an asset that is scrapped stays as it is. */
export async function scrap(tx: Tx, row: store.AssetRow, reason: string | null | undefined): Promise<store.AssetRow> {
  if (row.status === 'SCRAPPED') return row
  const change = { status: 'SCRAPPED', scrappedAt: tx.stamp, scrapReason: reason ?? '' } as const
  return (await store.updateRows(tx, [{ row, change }]))[0]!
}

/** Takes deleted files away from the assets whose photos they were. */
export async function clearPhotos(tx: Tx, { fileIds, entityIds }: LostFiles): Promise<void> {
  const lost = new Set(fileIds)
  const rows = await store.anyAssetsByIds(tx, entityIds)
  await store.updateRows(
    tx,
    rows.map((row) => ({ row, change: { photoIds: row.photoIds.filter((id) => !lost.has(id)) } })),
  )
}

/** Whether the user may see an asset, and so its photos. */
export async function mayRead(ctx: AppContext, userId: number, id: number): Promise<boolean> {
  const row = await store.findAnyAsset(ctx.db.read, id)
  return row !== undefined && (await isVisible(ctx, userId, row))
}

async function isVisible(ctx: AppContext, userId: number, { owner }: store.AssetRow): Promise<boolean> {
  if (orgOf(owner) === 0) return owner === -userId
  return access.can(ctx, userId, 'ORG', orgOf(owner), 'asset:read')
}

/** The path of the public page of an asset. */
export async function publicPath(db: Db, id: number): Promise<string | undefined> {
  const row = await store.findAnyAsset(db, id)
  return row && `/s/asset/${row.uuid}`
}

const LANDING = new RegExp(`/s/asset/(${UUID_PATTERN})/?$`, 'i')

/** The asset whose public page a scanned text leads to, if the user may see it. */
export async function resolveScan(
  ctx: AppContext,
  userId: number,
  content: string,
): Promise<{ id: number; title: string } | undefined> {
  const uuid = LANDING.exec(URL.parse(content.trim())?.pathname ?? '')?.[1]
  const row = uuid === undefined ? undefined : await store.findByUuid(ctx.db.read, uuid)
  return row !== undefined && (await isVisible(ctx, userId, row)) ? { id: row.id, title: row.name } : undefined
}
