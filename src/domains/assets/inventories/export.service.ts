/** The result of an inventory as a workbook. It is generated while it is sent. */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { Condition, InventoryState } from '#db/schema/assets.ts'
import type { Db } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import { locationTree } from '#domains/orgs/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { type ExportFile, sendExport } from '#http/exports.ts'
import { columnsIn, dayStamp, tableFile } from '#http/tables.ts'
import { localTime } from '#lib/days.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import type { Cell } from '#lib/spreadsheets/xlsx-writer.ts'
import { pathsOf } from '#lib/tree.ts'

import { userNames } from '../register/register.store.ts'
import { type InventoryRow, itemCount, type ItemRow } from './inventories.rules.ts'
import * as store from './inventories.store.ts'

const COLUMNS = [
  { en: 'Asset no.', zh: '资产编号', width: 20 },
  { en: 'Name', zh: '名称', width: 30 },
  { en: 'Result', zh: '结果', width: 14 },
  { en: 'Recorded location', zh: '登记位置', width: 35 },
  { en: 'Location found', zh: '盘点位置', width: 35 },
  { en: 'Condition', zh: '状况', width: 12 },
  { en: 'Note', zh: '备注', width: 40 },
  { en: 'Scanned by', zh: '盘点人', width: 20 },
  { en: 'Scanned at', zh: '盘点时间', width: 20, isTime: true },
  { en: 'UUID', zh: 'UUID', width: 38 },
] as const

const STATES: Readonly<Record<InventoryState, Localized>> = {
  FOUND: { en: 'Found', zh: '已找到' },
  MISPLACED: { en: 'Misplaced', zh: '位置不符' },
  MISSING: { en: 'Missing', zh: '缺失' },
  UNEXPECTED: { en: 'Unexpected', zh: '计划外' },
}
const CONDITIONS: Readonly<Record<Condition, Localized>> = {
  GOOD: { en: 'Good', zh: '完好' },
  FAIR: { en: 'Fair', zh: '一般' },
  DAMAGED: { en: 'Damaged', zh: '损坏' },
  UNUSABLE: { en: 'Unusable', zh: '不可用' },
}

/** @throws AppError 404 */
export const exportInventory = async (
  ctx: AppContext,
  owner: Owner,
  id: number,
  zone: string,
  caller: Caller,
): Promise<Response> =>
  sendExport(ctx, await partyOf(ctx, owner.userId, caller), async ({ read }): Promise<ExportFile> => {
    const { locale } = caller
    const inventory = await store.findInventory(ctx.db.read, ownerKey(owner), id)
    if (inventory === undefined) throw notFound()
    const now = ctx.clock.now()
    const columns = columnsIn(COLUMNS, locale, zone)
    const sheet = { name: inventory.name, columns, rows: rowsOf(ctx, read, inventory, locale, zone) }
    const name = `inventory-${id}-${dayStamp(now, zone)}.xlsx`
    return { ...(await tableFile(sheet, 'xlsx', now)), name, rows: itemCount(inventory, undefined) }
  })

/** Rows read at once, which takes about a millisecond. */
const ROWS_PER_READ = 200

async function* rowsOf(
  ctx: AppContext,
  read: Db,
  { id, owner, status }: InventoryRow,
  locale: Locale,
  zone: string,
): AsyncGenerator<readonly Cell[]> {
  if (status === 'DRAFT') return
  const locations = await locationPaths(ctx, owner)
  const names = new Map<number, string>()
  for (let after = 0; ;) {
    const items = await store.itemsAfter(read, id, after, ROWS_PER_READ)
    const unknown = items.map(({ scannedBy }) => scannedBy).filter((user) => user !== null && !names.has(user))
    for (const [user, name] of await userNames(read, orgOf(owner), unknown as number[])) names.set(user, name)
    const location = (locationId: number | null) =>
      locationId === null ? '' : (locations.get(locationId) ?? `#${locationId}`)
    for (const item of items) yield cellsOf(item, location, names, locale, zone)
    if (items.length < ROWS_PER_READ) return
    after = items.at(-1)!.assetId
    await pause()
  }
}

const cellsOf = (
  item: ItemRow,
  location: (id: number | null) => string,
  names: ReadonlyMap<number, string>,
  locale: Locale,
  zone: string,
): Cell[] => [
  item.assetNo,
  item.name,
  STATES[item.state][locale],
  location(item.expectedLocationId),
  location(item.locationId),
  item.condition && CONDITIONS[item.condition][locale],
  item.note,
  item.scannedBy === null ? '' : (names.get(item.scannedBy) ?? ''),
  item.scannedAt === null ? null : localTime(item.scannedAt, zone),
  item.uuid,
]

/** Paths of the locations as they are now, by id. */
async function locationPaths(ctx: AppContext, owner: OwnerKey): Promise<ReadonlyMap<number, string>> {
  const orgId = orgOf(owner)
  return orgId === 0 ? new Map() : pathsOf(await locationTree.all(ctx.db.read, orgId))
}
