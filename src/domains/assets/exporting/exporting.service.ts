/** Exports of assets. Rows are read while the file is sent, so an export of any size holds some hundred of them in memory. */

import type { AppContext } from '#context'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { Db, HeavyReads } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import type { RefTarget } from '#domains/contributions.ts'
import { computeValues, fieldSet, isEnabled, seesValues, shownValues, visibleFields } from '#domains/metadata/index.ts'
import type { FieldRow, FieldSet } from '#domains/metadata/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'
import { sendExport } from '#http/exports.ts'
import { dayStamp, tableFile } from '#http/tables.ts'
import { zoneOf } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import type { Cell, Sheet } from '#lib/spreadsheets/xlsx-writer.ts'

import { categoryPaths } from '../categories/categories.service.ts'
import { entitiesOf } from '../entities.service.ts'
import { assetsReader, listConditions } from '../listing.service.ts'
import { assetIds, type Keep } from '../listing.store.ts'
import { type AssetRow, assetsByIds } from '../register/register.store.ts'
import { columnsFor, type SheetColumn, titleOf, widthOf } from '../sheets.rules.ts'
import { locationPaths, personTexts } from '../sheets.store.ts'
import type { ExportQuery } from './exporting.model.ts'
import { exampleCell, fieldCell, fixedCell, type NamesOf, templateColumns } from './exporting.rules.ts'

/** Rows read at once, which takes some milliseconds. */
const ROWS_PER_READ = 50
/** A sheet has at most 1,048,576 rows. */
const MAX_EXPORT = 1_000_000

const SHEET = { en: 'Assets', zh: '资产' }
interface Asked {
  readonly query: ExportQuery
  /** Filters by field (`field.<id>`). */
  readonly parameters: Readonly<Record<string, string>>
}

interface Table {
  readonly columns: readonly SheetColumn[]
  readonly fields: FieldSet
  readonly locale: Locale
  readonly zone: string
  /** The zone, if the request names it. */
  readonly titleZone: string | undefined
}

/** @throws AppError 400 or 429 */
export const exportAssets = async (
  ctx: AppContext,
  owner: Owner,
  { query, parameters }: Asked,
  caller: Caller,
): Promise<Response> =>
  sendExport(ctx, await partyOf(ctx, owner.userId, caller), async (reads) => {
    const { format = 'xlsx', lang = caller.locale, template = false } = query
    const zone = zoneOf(query)
    const hasFields = (await isEnabled(ctx.db.read, 'asset')) && (await seesValues(ctx, owner))
    const rows = hasFields ? await visibleFields(ctx.db.read, 'asset', owner) : []
    const fields = await fieldSet(ctx.db.read, rows)
    const table: Table = { columns: columnsFor(rows), fields, locale: lang, zone, titleZone: query.tz && zone }
    const { sheet, rows: count } = template
      ? { sheet: await templateSheet(ctx, owner, table), rows: 0 }
      : await exportSheet(ctx, reads, owner, { query, parameters }, table)
    const now = ctx.clock.now()
    const name = template ? `assets-template.${format}` : `assets-${dayStamp(now, zone)}.${format}`
    return { ...(await tableFile(sheet, format, now)), name, rows: count }
  })

async function templateSheet(ctx: AppContext, owner: Owner, table: Table): Promise<Sheet> {
  const { columns, locale } = table
  const key = ownerKey(owner)
  const names = {
    categories: await categoryPaths(ctx, ctx.db.read, owner),
    locations: await locationPaths(ctx.db.read, key),
  }
  const offered = templateColumns(columns, names, table)
  return { name: SHEET[locale], columns: offered, rows: [offered.map((column) => exampleCell(column, locale))] }
}

async function exportSheet(
  ctx: AppContext,
  reads: HeavyReads,
  owner: Owner,
  { query, parameters }: Asked,
  table: Table,
): Promise<{ sheet: Sheet; rows: number }> {
  const key = ownerKey(owner)
  const { where, isSearch, keep } = await listConditions(ctx, owner, query, parameters)
  const ids = isSearch
    ? await reads.search(owner.userId, (db) => assetIds(db, key, where, query.sort, MAX_EXPORT + 1))
    : await assetIds(await assetsReader(ctx, key, reads), key, where, query.sort, MAX_EXPORT + 1)
  if (ids.length > MAX_EXPORT)
    throw badRequest(
      `An export has at most ${MAX_EXPORT} assets: filter the list`,
      `单次最多导出 ${MAX_EXPORT} 项资产，请筛选后导出`,
    )
  const { columns, locale } = table
  const sheet = {
    name: SHEET[locale],
    columns: columns.map((column) => ({ title: titleOf(column, locale, table.titleZone), width: widthOf(column) })),
    rows: exportedRows(ctx, reads.read, owner, ids, keep, table),
  }
  return { sheet, rows: ids.length }
}

/** Assets that were deleted since the export began are left out. */
async function* exportedRows(
  ctx: AppContext,
  db: Db,
  owner: Owner,
  ids: readonly number[],
  keep: Keep | undefined,
  table: Table,
): AsyncGenerator<readonly Cell[]> {
  const key = ownerKey(owner)
  const paths = { categories: await categoryPaths(ctx, db, owner), locations: await locationPaths(db, key) }
  for (let at = 0; at < ids.length; at += ROWS_PER_READ) {
    const some = ids.slice(at, at + ROWS_PER_READ)
    const byId = new Map((await assetsByIds(db, key, some)).map((row) => [row.id, row]))
    const found = some.flatMap((id) => byId.get(id) ?? [])
    const rows = keep === undefined ? found : await keep(db, found)
    const people = await personTexts(db, key, [...new Set(rows.flatMap(({ custodianId }) => custodianId ?? []))])
    const names: NamesOf = { ...paths, people }
    const values = await valuesOf(ctx, db, owner, names, rows, table)
    for (const row of rows)
      yield table.columns.map((column) =>
        column.field === undefined
          ? fixedCell(column.key, row, names, table.locale)
          : fieldCell(column.field, values(row.id, column.field), table.locale, table.zone),
      )
    await pause()
  }
}

type ValueOf = (assetId: number, field: FieldRow) => unknown

/** The values of the fields for spreadsheets: references as texts, files as names. */
async function valuesOf(
  ctx: AppContext,
  db: Db,
  owner: Owner,
  names: NamesOf,
  rows: readonly AssetRow[],
  { columns, fields }: Table,
): Promise<ValueOf> {
  const asked = columns.flatMap(({ field }) => field ?? [])
  if (asked.length === 0 || rows.length === 0) return () => null
  const entities = await computeValues(db, 'asset', fields, await entitiesOf(db, rows))
  const byAsset = new Map(entities.map((of) => [of.entity.id, of]))
  const named = asked.filter(({ type }) => type === 'REF' || type === 'ATTACHMENT' || type === 'PHOTO')
  const found = entities.flatMap((values) =>
    named.filter((field) => values.get(field) !== null).map((field) => ({ values, field })),
  )
  const shown = await shownValues(ctx, db, owner, found)
  const refs = found.flatMap(({ field }, i) => (field.type === 'REF' ? [{ field, value: shown[i] as Ref | null }] : []))
  const texts = await refTexts(db, ownerKey(owner), names, refs)
  const special = new Map<string, unknown>()
  for (const [i, { values, field }] of found.entries()) {
    const value =
      field.type === 'REF'
        ? texts(field, shown[i] as Ref | null)
        : (shown[i] as { name: string }[]).map(({ name }) => name)
    special.set(`${values.entity.id} ${field.id}`, value)
  }
  return (assetId, field) =>
    named.includes(field) ? (special.get(`${assetId} ${field.id}`) ?? null) : (byAsset.get(assetId)?.get(field) ?? null)
}

/** `title` is null for viewers who may not see the target. */
interface Ref {
  readonly id: number
  readonly title: string | null
}

const targetOf = (field: FieldRow): RefTarget => field.config['target'] as RefTarget

/** The texts by which imports find the targets again: number, username or path. */
async function refTexts(
  db: Db,
  key: OwnerKey,
  names: NamesOf,
  refs: readonly { readonly field: FieldRow; readonly value: Ref | null }[],
) {
  const idsOf = (target: RefTarget) => [
    ...new Set(
      refs.flatMap(({ field, value }) => (value?.title != null && targetOf(field) === target ? [value.id] : [])),
    ),
  ]
  const assetIdsOf = idsOf('ASSET')
  const numbers = new Map(
    (assetIdsOf.length === 0 ? [] : await assetsByIds(db, key, assetIdsOf)).map(({ id, assetNo }) => [id, assetNo]),
  )
  const people = await personTexts(db, key, idsOf('USER'))
  const byTarget: Partial<Record<RefTarget, ReadonlyMap<number, string>>> = {
    ASSET: numbers,
    USER: people,
    LOCATION: names.locations,
  }
  return (field: FieldRow, value: Ref | null): string | null =>
    value?.title == null ? null : (byTarget[targetOf(field)]?.get(value.id) ?? value.title)
}
