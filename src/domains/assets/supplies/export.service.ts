/** Files of supplies and of their movements. Rows are read while the file is sent, so an export of any size takes little memory. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Db } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { sendExport } from '#http/exports.ts'
import { columnsIn, dayStamp, tableFile, type TableFormat } from '#http/tables.ts'
import { zoneOf } from '#http/validate.ts'
import { localTime } from '#lib/days.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import type { Cell, Sheet } from '#lib/spreadsheets/xlsx-writer.ts'

import { categoryPaths } from '../categories/categories.service.ts'
import { priceText } from '../register/register.rules.ts'
import { locationPaths } from '../sheets.store.ts'
import type { MovementsQuery, MovementView } from './movements.model.ts'
import { movementFilters, toViews } from './movements.service.ts'
import * as movements from './movements.store.ts'
import { KIND_WORDS, MOVEMENT_WORDS, SUPPLY_COLUMNS } from './sheets.rules.ts'
import { type ExportQuery, MAX_SUPPLIES } from './supplies.model.ts'
import { suppliesReader, supplyConditions } from './supplies.service.ts'
import { DEFAULT_SORT, suppliesByIds, supplyIds, type SupplyRow } from './supplies.store.ts'

const ROWS_PER_READ = 200
/** A sheet has at most 1,048,576 rows. */
const MAX_MOVEMENT_ROWS = 1_000_000

const MOVEMENT_COLUMNS = [
  { en: 'Time', zh: '时间', width: 18, isTime: true },
  { en: 'Supply no.', zh: '物料编号', width: 14 },
  { en: 'Supply', zh: '物料', width: 30 },
  { en: 'Type', zh: '类型', width: 12 },
  { en: 'Quantity', zh: '数量', width: 10 },
  { en: 'Difference', zh: '变动', width: 10 },
  { en: 'Stock after', zh: '结存', width: 12 },
  { en: 'Unit', zh: '单位', width: 8 },
  { en: 'Location', zh: '位置', width: 24 },
  { en: 'To location', zh: '目标位置', width: 24 },
  { en: 'Person', zh: '领用人', width: 18 },
  { en: 'Price', zh: '单价', width: 12 },
  { en: 'Note', zh: '备注', width: 30 },
  { en: 'Due', zh: '应还时间', width: 18, isTime: true },
  { en: 'Booked by', zh: '经办人', width: 18 },
  { en: 'Number', zh: '流水号', width: 10 },
  { en: 'Reverses', zh: '冲销流水号', width: 12 },
] as const

/** All movements that meet the filters, newest first. @throws AppError 429 */
export const exportMovements = async (
  ctx: AppContext,
  owner: Owner,
  query: MovementsQuery,
  format: TableFormat,
  caller: Caller,
): Promise<Response> =>
  sendExport(ctx, await partyOf(ctx, owner.userId, caller), async ({ readInWorker: db }) => {
    const locale = query.lang ?? caller.locale
    const zone = zoneOf(query)
    const paths = await locationPaths(db, ownerKey(owner))
    const pathOf = (id: number | null) => (id === null ? null : (paths.get(id) ?? null))
    const cellsOf = (view: MovementView, supply: { readonly supplyNo: string; readonly unit: string } | undefined) => [
      localTime(view.createdAt, zone),
      supply?.supplyNo ?? '',
      view.supplyName,
      MOVEMENT_WORDS[view.type][locale],
      view.quantity,
      view.difference,
      view.stockAfter,
      supply?.unit ?? '',
      pathOf(view.locationId),
      pathOf(view.toLocationId),
      view.personName,
      amountCell(view.price),
      view.note,
      view.dueAt === null ? null : localTime(view.dueAt, zone),
      view.operatorName,
      view.id,
      view.reverses,
    ]
    const filters = await movementFilters(ctx, owner, query)
    async function* rows(): AsyncGenerator<readonly Cell[]> {
      let [before, count] = [Number.MAX_SAFE_INTEGER, 0]
      while (count < MAX_MOVEMENT_ROWS) {
        const some = await movements.movementsBefore(db, ownerKey(owner), filters, before, ROWS_PER_READ)
        const supplies = await movements.supplyNames(
          db,
          some.map((row) => row.supplyId),
        )
        for (const view of await toViews(db, some)) yield cellsOf(view, supplies.get(view.supplyId))
        if (some.length < ROWS_PER_READ) return
        before = some.at(-1)!.id
        count += some.length
        await pause()
      }
    }
    const name = { en: 'Movements', zh: '出入库记录' }[locale]
    const sheet = { name, columns: columnsIn(MOVEMENT_COLUMNS, locale, zone), rows: rows() }
    const now = ctx.clock.now()
    const file = await tableFile(sheet, format, now)
    return { ...file, name: `supply-movements-${dayStamp(now, zone)}.${format}`, rows: Infinity }
  })

const amountCell = (amount: string | null): number | null => (amount === null ? null : Number(amount))

/** The supplies that meet the filters, with the columns of an import. @throws AppError 400, 429 */
export const exportSupplies = async (
  ctx: AppContext,
  owner: Owner,
  query: ExportQuery,
  caller: Caller,
): Promise<Response> =>
  sendExport(ctx, await partyOf(ctx, owner.userId, caller), async (reads) => {
    const { format = 'xlsx', lang = caller.locale, template = false } = query
    const key = ownerKey(owner)
    const where = await supplyConditions(ctx, owner, query)
    const sort = query.sort ?? DEFAULT_SORT
    const read = (db: Db) => supplyIds(db, key, where, sort, MAX_SUPPLIES)
    const ids = template
      ? []
      : query.keyword
        ? await reads.search(owner.userId, read)
        : await read(await suppliesReader(ctx, key))
    const rows = template ? [EXAMPLE.map((text) => (typeof text === 'object' ? text[lang] : text))] : undefined
    const sheet: Sheet = {
      name: { en: 'Supplies', zh: '物料' }[lang],
      columns: SUPPLY_COLUMNS.map((column) => ({ title: column[lang], width: column.width })),
      rows: rows ?? supplyRows(ctx, reads.read, owner, ids, lang),
    }
    const now = ctx.clock.now()
    const name = template ? `supplies-template.${format}` : `supplies-${dayStamp(now, zoneOf(query))}.${format}`
    return { ...(await tableFile(sheet, format, now)), name, rows: ids.length }
  })

const EXAMPLE = [
  { en: 'Whiteboard markers', zh: '白板笔' },
  'S-00001',
  KIND_WORDS.CONSUMABLE,
  '',
  { en: 'box', zh: '盒' },
  48,
  20,
  4.9,
  { en: 'Office World', zh: '文具公司' },
  '',
  { en: 'Blue and black', zh: '蓝色和黑色' },
] as const

/** A row for each place where there are any, so that an import books the same stock. */
async function* supplyRows(
  ctx: AppContext,
  db: Db,
  owner: Owner,
  ids: readonly number[],
  locale: Locale,
): AsyncGenerator<readonly Cell[]> {
  const key = ownerKey(owner)
  const categories = await categoryPaths(ctx, db, owner)
  const locations = await locationPaths(db, key)
  for (let at = 0; at < ids.length; at += ROWS_PER_READ) {
    const rows = await suppliesByIds(db, key, ids.slice(at, at + ROWS_PER_READ))
    const places = Map.groupBy(
      await movements.placesOf(
        db,
        rows.map((row) => row.id),
      ),
      (place) => place.supplyId,
    )
    for (const row of rows)
      for (const { locationId, quantity } of places.get(row.id) ?? [{ locationId: 0, quantity: 0 }])
        yield cells(row, quantity, categories.get(row.categoryId ?? 0), locations.get(locationId), locale)
    await pause()
  }
}

const cells = (
  row: SupplyRow,
  stock: number,
  category: string | undefined,
  location: string | undefined,
  locale: Locale,
): readonly Cell[] => [
  row.name,
  row.supplyNo,
  KIND_WORDS[row.kind][locale],
  category ?? null,
  row.unit,
  stock,
  row.minimum,
  amountCell(priceText(row.price)),
  row.supplier,
  location ?? null,
  row.remark,
]
