/** Reports: what assets are worth, and what their maintenance costs. Nothing is stored. */

import type { AppContext } from '#context'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { offsetOf } from '#db/paging.ts'
import type { Db } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { sendExport } from '#http/exports.ts'
import { columnsIn, tableFile, type TableFormat } from '#http/tables.ts'
import { invalidAll } from '#http/validate.ts'
import { dayAt, dayNumberOf } from '#lib/days.ts'
import { pause } from '#lib/pause.ts'
import type { Cell } from '#lib/spreadsheets/xlsx-writer.ts'

import { categoryPaths } from '../categories/categories.service.ts'
import { assetCategoryTree } from '../categories/categories.store.ts'
import { todayOf, zoneOfOwner } from '../days.service.ts'
import { assetsReader } from '../listing.service.ts'
import { notADay } from '../register/register.errors.ts'
import { priceText } from '../register/register.rules.ts'
import type {
  CostsQuery,
  CostsReport,
  DepreciationQuery,
  DepreciationReport,
  DepreciationRow,
} from './reports.model.ts'
import { amountText, valueOf } from './reports.rules.ts'
import * as store from './reports.store.ts'

interface Sums {
  assets: number
  without: number
  price: bigint
  bookValue: bigint
}

interface Asked {
  readonly key: OwnerKey
  readonly asOf: string
  readonly categoryIds: readonly number[] | null | undefined
}

const checkDay = (name: string, day: string | undefined): void => {
  if (day && dayNumberOf(day) === undefined) throw invalidAll([notADay(`query.${name}`)])
}

async function asked(ctx: AppContext, owner: Owner, { asOf, categoryId }: DepreciationQuery): Promise<Asked> {
  checkDay('asOf', asOf)
  const key = ownerKey(owner)
  const db = ctx.db.read
  const categoryIds =
    categoryId === undefined
      ? undefined
      : categoryId === 0
        ? null
        : await assetCategoryTree.branchIds(db, key, categoryId)
  return { key, asOf: asOf || (await todayOf(ctx, db, key)), categoryIds }
}

/** The rows of a report, one after the other. Adds each to `sums`. */
async function* reportRows(db: Db, { key, asOf, categoryIds }: Asked, sums: Sums): AsyncGenerator<DepreciationRow> {
  const depreciationOf = await store.depreciations(db, key)
  const zone = await zoneOfOwner(db, key)
  for await (const rows of store.assetSlices(db, key, categoryIds)) {
    for (const row of rows) {
      const depreciation = depreciationOf(row.categoryId)
      const scrappedOn = row.status === 'SCRAPPED' && row.scrappedAt !== null ? dayAt(row.scrappedAt, zone) : null
      const value = valueOf({ ...row, scrappedOn }, depreciation, asOf)
      if (value === undefined) sums.without += 1
      else {
        sums.assets += 1
        sums.price += BigInt(value.price)
        sums.bookValue += value.bookValue
      }
      yield {
        assetId: row.id,
        name: row.name,
        assetNo: row.assetNo,
        categoryId: row.categoryId,
        purchaseDate: row.purchaseDate,
        price: priceText(row.purchasePrice),
        method: value === undefined ? null : depreciation!.method,
        months: value === undefined ? null : depreciation!.months,
        elapsedMonths: value?.elapsedMonths ?? null,
        depreciated: value === undefined ? null : amountText(BigInt(value.price) - value.bookValue),
        bookValue: value === undefined ? null : amountText(value.bookValue),
        endsOn: value?.endsOn ?? null,
      }
    }
    await pause()
  }
}

const noSums = (): Sums => ({ assets: 0, without: 0, price: 0n, bookValue: 0n })

/** All assets are read for the totals, some at a time, so it counts as a search. */
async function depreciationPage(ctx: AppContext, owner: Owner, query: DepreciationQuery): Promise<DepreciationReport> {
  const given = await asked(ctx, owner, query)
  const { page, size } = query
  const from = offsetOf(query)
  return ctx.db.search(owner.userId, async (db) => {
    const sums = noSums()
    const items: DepreciationRow[] = []
    let total = 0
    for await (const row of reportRows(db, given, sums)) {
      if (total >= from && items.length < size) items.push(row)
      total += 1
    }
    const { assets, without, price, bookValue } = sums
    const totals = {
      assets,
      without,
      price: amountText(price),
      depreciated: amountText(price - bookValue),
      bookValue: amountText(bookValue),
    }
    return { items, total, page, size, asOf: given.asOf, totals }
  })
}

const COLUMNS = [
  { en: 'Asset no.', zh: '资产编号', width: 20 },
  { en: 'Name', zh: '名称', width: 30 },
  { en: 'Category', zh: '分类', width: 24 },
  { en: 'Purchase date', zh: '购买日期', width: 14 },
  { en: 'Purchase price', zh: '购买价格', width: 16 },
  { en: 'Method', zh: '折旧方法', width: 16 },
  { en: 'Months', zh: '使用月数', width: 10 },
  { en: 'Elapsed months', zh: '已用月数', width: 16 },
  { en: 'Depreciated', zh: '累计折旧', width: 16 },
  { en: 'Book value', zh: '账面价值', width: 16 },
  { en: 'Ends on', zh: '折旧结束', width: 14 },
] as const
const SHEET = { en: 'Depreciation', zh: '折旧' }
const TOTAL = { en: 'Total', zh: '合计' }
const METHODS = {
  STRAIGHT_LINE: { en: 'Straight line', zh: '直线法' },
  DECLINING: { en: 'Declining balance', zh: '余额递减法' },
}

const dayCell = (day: string | null): Cell => (day === null ? null : Temporal.PlainDate.from(day))
const amountCell = (amount: string | null): Cell => (amount === null ? null : Number(amount))

const depreciationFile = async (
  ctx: AppContext,
  owner: Owner,
  query: DepreciationQuery,
  format: TableFormat,
  caller: Caller,
): Promise<Response> =>
  sendExport(ctx, await partyOf(ctx, owner.userId, caller), async (reads) => {
    const given = await asked(ctx, owner, query)
    const { locale } = caller
    const db = await assetsReader(ctx, given.key, reads)
    const paths = await categoryPaths(ctx, db, owner)
    async function* cells(): AsyncGenerator<readonly Cell[]> {
      const sums = noSums()
      for await (const row of reportRows(db, given, sums))
        yield [
          row.assetNo,
          row.name,
          row.categoryId === null ? null : (paths.get(row.categoryId) ?? null),
          dayCell(row.purchaseDate),
          amountCell(row.price),
          row.method === null ? null : METHODS[row.method][locale],
          row.months,
          row.elapsedMonths,
          amountCell(row.depreciated),
          amountCell(row.bookValue),
          dayCell(row.endsOn),
        ]
      const [price, gone, left] = [sums.price, sums.price - sums.bookValue, sums.bookValue].map((sum) =>
        Number(amountText(sum)),
      )
      yield [TOTAL[locale], null, null, null, price!, null, null, null, gone!, left!, null]
    }
    const sheet = { name: SHEET[locale], columns: columnsIn(COLUMNS, locale, 'UTC'), rows: cells() }
    const now = ctx.clock.now()
    return { ...(await tableFile(sheet, format, now)), name: `depreciation-${given.asOf}.${format}`, rows: Infinity }
  })

export const reportDepreciation = (
  ctx: AppContext,
  owner: Owner,
  query: DepreciationQuery,
  caller: Caller,
): Promise<DepreciationReport | Response> =>
  query.format === undefined
    ? depreciationPage(ctx, owner, query)
    : depreciationFile(ctx, owner, query, query.format, caller)

export async function reportCosts(ctx: AppContext, owner: Owner, query: CostsQuery): Promise<CostsReport> {
  checkDay('from', query.from)
  checkDay('to', query.to)
  const { all, byAsset, byCategory, bySupplier } = await ctx.db.search(owner.userId, (db) =>
    store.maintenanceCosts(db, ownerKey(owner), query),
  )
  const group = ({ n, cost }: { n: number; cost: string }) => ({ records: n, cost: amountText(BigInt(cost)) })
  return {
    ...group(all),
    byAsset: byAsset.map(({ assetId, name, assetNo, ...sum }) => ({ assetId, name, assetNo, ...group(sum) })),
    byCategory: byCategory.map(({ categoryId, ...sum }) => ({ categoryId, ...group(sum) })),
    bySupplier: bySupplier.map(({ supplier, ...sum }) => ({ supplier, ...group(sum) })),
  }
}
