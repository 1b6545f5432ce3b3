/** Assets: registering, changing, deleting and scrapping them. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { releaseFile } from '#domains/files/index.ts'
import { planValues } from '#domains/metadata/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { UUID_PATTERN } from '#lib/text.ts'

import { changeOfColumns, entitiesOf, toDetail } from '../entities/service.ts'
import { notifyCustodians } from '../transfers/service.ts'
import { insertAssets, limitsOf, updateAssets } from '../writing/service.ts'
import { onLoan } from './errors.ts'
import type { AssetView, NewAsset, UpdateAsset } from './model.ts'
import { type AssetChange, changeOf } from './rules.ts'
import * as store from './store.ts'

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
  const given = checkedChange(input)
  const limits = await limitsOf(ctx)
  const row = await ctx.db.write('assets.create', async (tx) => {
    const plan = await planOf(ctx, tx, owner, undefined, input.values)
    const change = { ...given, ...plan.change }
    const [created] = await insertAssets(ctx, tx, owner, limits, [{ name: input.name, change, path: 'body' }])
    await plan.apply(created!.id)
    return created!
  })
  return toDetail(ctx, owner, row, locale)
}

/** Checks the values of a body. The columns that some of them stand for are part of the change of the asset. */
async function planOf(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  row: store.AssetRow | undefined,
  values: NewAsset['values'] = [],
) {
  const [entity] = row === undefined || values.length === 0 ? [] : await entitiesOf(tx, [row])
  const [plan] = await planValues(ctx, tx, owner, 'asset', [{ entity, values, path: 'body.values' }])
  const { columns, columnPaths, changes, apply } = plan!
  return { change: changeOfColumns(columns, (column) => columnPaths[column] ?? 'body.values'), changes, apply }
}

function checkedChange(input: UpdateAsset): AssetChange {
  const problems: FieldProblem[] = []
  const change = changeOf(input, problems, 'body')
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
  const given = checkedChange(input)
  const row = await ctx.db.write('assets.update', async (tx) => {
    const before = await findOrFail(tx, owner, id)
    const plan = await planOf(ctx, tx, owner, before, input.values)
    const change = { ...given, ...plan.change }
    const item = { row: before, change, touched: plan.changes, path: 'body' }
    const { rows, transfers } = await updateAssets(ctx, tx, owner, [item])
    await plan.apply(id)
    await notifyCustodians(ctx, tx, owner, rows[0]!, transfers)
    return rows[0]!
  })
  return toDetail(ctx, owner, row, locale)
}

async function findOrFail(tx: Tx, owner: Owner, id: number): Promise<store.AssetRow> {
  const row = await store.findAsset(tx, owner, id)
  if (row === undefined) throw notFound()
  return row
}

/** Transfers, values of metadata and results of inventories stay; the number becomes free. @throws AppError 400 while it is on loan */
export async function deleteAsset(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  await ctx.db.write('assets.delete', async (tx) => {
    const row = await findOrFail(tx, owner, id)
    if ((await store.openLoans(tx, [id])).length > 0) throw onLoan()
    await markDeleted(ctx, tx, row)
  })
}

/** Deletes the photos with their files. The caller has checked that the asset may be deleted. */
export async function markDeleted(ctx: AppContext, tx: Tx, row: store.AssetRow): Promise<void> {
  for (const photo of row.photoIds) await releaseFile(ctx, tx, photo)
  await store.updateRows(tx, [{ row, change: { deletedAt: tx.stamp, photoIds: [] } }])
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

/** Whether the user may see an asset, and so its photos. */
export async function mayRead(ctx: AppContext, userId: number, id: number): Promise<boolean> {
  const row = await store.findAnyAsset(ctx.db.read, id)
  return row !== undefined && (await isVisible(ctx, userId, row))
}

async function isVisible(ctx: AppContext, userId: number, { owner }: store.AssetRow): Promise<boolean> {
  if (orgOf(owner) === 0) return owner === -userId
  return access.can(ctx, userId, 'ORG', orgOf(owner), 'asset:read')
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
