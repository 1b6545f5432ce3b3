/** Assets as things that have metadata, as targets of its values, and as things that are found. */

import type { AppContext } from '#context'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import type { EntityColumn } from '#db/schema/meta.ts'
import type { Db, Tx } from '#db/store.ts'
import type { ColumnValues, FoundThings, MetaEntity, MetaObject, RefSource } from '#domains/contributions.ts'
import { type AssetValue, type FieldRow, fieldsFor, seesValues, valuesIn, valuesOf } from '#domains/metadata/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll, itemChecker } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'

import { templateIdsOfMany } from './categories/categories.store.ts'
import { numberKey } from './numbers.rules.ts'
import { AssetColumns, type AssetView } from './register/register.model.ts'
import { type AssetChange, changeOf } from './register/register.rules.ts'
import * as store from './register/register.store.ts'
import { toViews } from './register/register.view.ts'

/** The fixed columns as values of fields: the price in whole units of the currency. */
const columnsOf = (row: store.AssetRow): ColumnValues => ({
  brand: row.brand,
  model: row.model,
  serialNo: row.serialNo,
  supplier: row.supplier,
  remark: row.remark,
  purchaseDate: row.purchaseDate,
  warrantyExpiry: row.warrantyExpiry,
  purchasePrice: row.purchasePrice === null ? null : row.purchasePrice / 100,
})

/** The entities of rows, with the templates of their categories. */
export async function entitiesOf(db: Db | Tx, rows: readonly store.AssetRow[]): Promise<MetaEntity[]> {
  const categoryIds = [...new Set(rows.flatMap((row) => row.categoryId ?? []))]
  const templates = await templateIdsOfMany(db, categoryIds)
  return rows.map((row) => ({
    id: row.id,
    owner: row.owner,
    title: row.name,
    templateIds: templates.get(row.categoryId ?? 0) ?? [],
    columns: columnsOf(row),
  }))
}

/** The values that the viewer sees. Members without the permission to read values see none. */
export async function valuesOfAssets(
  ctx: AppContext,
  db: Db,
  viewer: Owner,
  rows: readonly store.AssetRow[],
  locale: Locale,
): Promise<Map<number, AssetValue[]>> {
  if (!(await seesValues(ctx, viewer))) return new Map()
  return valuesOf(ctx, db, viewer, 'asset', await entitiesOf(db, rows), locale)
}

interface Parts {
  readonly userId: number
  readonly entity: MetaEntity
  /** Those that the user sees. */
  readonly fields: readonly FieldRow[]
  readonly loans: readonly store.LoanRow[]
}

/** By rows that a write has returned: what their event has read, so that the answer of the same request need not read it again. */
const readForEvents = new WeakMap<store.AssetRow, Parts>()

/** An asset as its events show it to an organization, or to the user whose it is. */
export async function toEventRow(ctx: AppContext, tx: Tx, row: store.AssetRow): Promise<AssetView> {
  const { owner, userId } = row
  const [entity] = await entitiesOf(tx, [row])
  const viewer = { userId, orgId: orgOf(owner), everyone: true } as const
  const fields = await fieldsFor(tx, viewer, 'asset', [entity!])
  const loans = await store.openLoans(tx, [row.id])
  readForEvents.set(row, { userId, entity: entity!, fields, loans })
  // Values in fields of a user are for this user only, also if the asset is an organization's.
  const shared = fields.filter((field) => field.owner === 0 || field.owner === owner)
  const values = await valuesIn(ctx, tx, viewer, 'asset', { fields: shared, entities: [entity!] })
  return { ...(await toViews(ctx, tx, [row], loans))[0]!, values: values.get(row.id) ?? [] }
}

/** An asset as the answer about one asset shows it: with its values. */
export async function toDetail(
  ctx: AppContext,
  viewer: Owner,
  row: store.AssetRow,
  locale: Locale,
): Promise<AssetView> {
  const db = ctx.db.read
  const read = readForEvents.get(row)
  const [view] = await toViews(ctx, db, [row], read?.loans)
  const isRead = read?.userId === viewer.userId && ownerKey(viewer) === row.owner && (await seesValues(ctx, viewer))
  const values = isRead
    ? await valuesIn(ctx, db, viewer, 'asset', { fields: read.fields, entities: [read.entity], locale })
    : await valuesOfAssets(ctx, db, viewer, [row], locale)
  return { ...view!, values: values.get(row.id) ?? [] }
}

const check = itemChecker(AssetColumns)

/** The columns that values of fields set. `path`: of the value for a column. @throws AppError 400 */
export function changeOfColumns(columns: ColumnValues, path: (column: EntityColumn) => string): AssetChange {
  const [checked] = check([columns], 'columns')
  const problems: FieldProblem[] = [...checked!.problems]
  const change = checked!.value === undefined ? {} : changeOf(checked!.value, problems, 'columns.0')
  if (problems.length > 0)
    throw invalidAll(
      problems.map((problem) => ({ ...problem, path: path(problem.path.split('.')[2] as EntityColumn) })),
    )
  return change
}

async function updateColumns(
  _ctx: AppContext,
  tx: Tx,
  _actor: Owner,
  entity: MetaEntity,
  columns: ColumnValues,
  path: (column: EntityColumn) => string,
): Promise<void> {
  const change = changeOfColumns(columns, path)
  const row = await store.findAnyAsset(tx, entity.id)
  if (row === undefined || row.owner !== entity.owner) throw notFound()
  // Without columns, another value has changed, which clients that synchronize get with the asset.
  await store.updateRows(tx, [{ row, change, touched: Object.keys(columns).length === 0 }])
}

export const assetObject: MetaObject = {
  readPoint: 'asset:read',
  findEntities: async (db, ids) => entitiesOf(db, await store.anyAssetsByIds(db, ids)),
  isLive: store.isLiveAsset,
  entities: store.assetEntities,
  updateColumns,
  async touch(tx, ids) {
    const rows = await store.anyAssetsByIds(tx, ids)
    await store.updateRows(
      tx,
      rows.map((row) => ({ row, change: {}, touched: true })),
    )
  },
}

export const foundAssets: FoundThings = {
  read: 'asset:read',
  update: 'asset:update',
  async find(db, id) {
    const row = await store.findAnyAsset(db, id)
    if (row === undefined) return undefined
    const { owner, name: title, publicFields } = row
    return { owner, title, isPublic: true, isLost: row.status === 'LOST', publicFields }
  },
  async returned(tx, id) {
    const row = await store.findAnyAsset(tx, id)
    if (row?.status === 'LOST') await store.updateRows(tx, [{ row, change: { status: 'IN_USE' } }])
  },
}

/** Texts that one query looks up. */
const TEXTS_PER_QUERY = 500

/** In texts, assets are named by their numbers. */
export const assetTarget: RefSource = {
  readPoint: 'asset:read',
  async titles(db, owner, ids) {
    return new Map((await store.assetsByIds(db, owner, ids)).map((row) => [row.id, row.name]))
  },
  async byTexts(db, owner, texts) {
    const found = new Map<string, number>()
    for (let at = 0; at < texts.length; at += TEXTS_PER_QUERY) {
      const some = texts.slice(at, at + TEXTS_PER_QUERY)
      const rows = await store.assetsByNumbers(db, owner, [...new Set(some.map((text) => numberKey(text.trim())))])
      const byKey = new Map(rows.map((row) => [row.assetNoKey, row.id]))
      for (const text of some) {
        const id = byKey.get(numberKey(text.trim()))
        if (id !== undefined) found.set(text, id)
      }
    }
    return found
  },
}
