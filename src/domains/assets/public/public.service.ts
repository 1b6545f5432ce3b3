/** The landing page of an asset: the columns and fields that its owner made public, the finder card, and nothing else. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import { urlsOf } from '#domains/files/index.ts'
import { findForm, type FoundForm } from '#domains/found/index.ts'
import { type AssetValue, isEnabled, toText, valuesOf, visibleFields } from '#domains/metadata/index.ts'
import { locationTree } from '#domains/orgs/index.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { UUID_PATTERN } from '#lib/text.ts'
import { serverZone } from '#platform/clock.ts'

import { assetCategoryTree } from '../categories/categories.store.ts'
import { entitiesOf } from '../entities.service.ts'
import type { PublicColumn } from '../register/register.model.ts'
import { fieldIdOf, priceText } from '../register/register.rules.ts'
import { type AssetRow, findByUuid, photosByIds } from '../register/register.store.ts'

export interface PublicPhoto {
  readonly url: string
  readonly thumbnailUrl: string | null
}

export interface PublicField {
  /** As in `publicFields`. */
  readonly key: string
  readonly label: string
  /** Null if it is empty. */
  readonly value: unknown
  /** The value of a field of metadata as people read it. */
  readonly text?: string
}

export interface PublicAsset {
  readonly uuid: string
  readonly kind: 'ASSET'
  readonly fields: readonly PublicField[]
  readonly found: FoundForm | null
}

const LABELS: Readonly<Record<PublicColumn, Localized>> = {
  name: { en: 'Name', zh: '名称' },
  assetNo: { en: 'Asset no.', zh: '资产编号' },
  status: { en: 'Status', zh: '状态' },
  category: { en: 'Category', zh: '分类' },
  brand: { en: 'Brand', zh: '品牌' },
  model: { en: 'Model', zh: '型号' },
  serialNo: { en: 'Serial no.', zh: '序列号' },
  purchaseDate: { en: 'Purchase date', zh: '购买日期' },
  purchasePrice: { en: 'Purchase price', zh: '购买价格' },
  supplier: { en: 'Supplier', zh: '供应商' },
  warrantyExpiry: { en: 'Warranty expiry', zh: '保修截止日期' },
  location: { en: 'Location', zh: '位置' },
  latitude: { en: 'Latitude', zh: '纬度' },
  longitude: { en: 'Longitude', zh: '经度' },
  remark: { en: 'Remark', zh: '备注' },
  photos: { en: 'Photos', zh: '照片' },
}

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i')

/** Undefined for unknown and deleted assets, and for those of which nothing is public and the card is not shown. */
export async function findPublicAsset(ctx: AppContext, uuid: string, locale: Locale): Promise<PublicAsset | undefined> {
  const row = UUID.test(uuid) ? await findByUuid(ctx.db.read, uuid) : undefined
  if (row === undefined) return undefined
  const found = await findForm(ctx, 'ASSET', { id: row.id, isLost: row.status === 'LOST' })
  if (row.publicFields.length === 0 && found === null) return undefined
  const values = await publicValues(ctx, row, locale)
  const fields: PublicField[] = []
  for (const key of row.publicFields) {
    const fieldId = fieldIdOf(key)
    if (fieldId === undefined) {
      const column = key as PublicColumn
      fields.push({ key, label: LABELS[column][locale], value: await columnValue(ctx, row, column) })
    } else {
      const field = values.get(fieldId)
      if (field !== undefined) fields.push({ key, ...field })
    }
  }
  return { uuid: row.uuid, kind: 'ASSET', fields, found }
}

async function columnValue(ctx: AppContext, row: AssetRow, column: PublicColumn): Promise<unknown> {
  const db = ctx.db.read
  switch (column) {
    case 'category':
      return row.categoryId === null
        ? null
        : ((await assetCategoryTree.find(db, row.owner, row.categoryId))?.name ?? null)
    case 'location':
      return row.locationId === null
        ? null
        : ((await locationTree.find(db, orgOf(row.owner), row.locationId))?.name ?? null)
    case 'photos':
      return photosOf(ctx, row)
    case 'purchasePrice':
      return priceText(row.purchasePrice)
    default:
      return row[column] === '' ? null : row[column]
  }
}

/** Without the ids of the files, in their order. */
async function photosOf(ctx: AppContext, { photoIds }: AssetRow): Promise<PublicPhoto[]> {
  const files = photoIds.length === 0 ? [] : await photosByIds(ctx.db.read, photoIds)
  return photoIds.flatMap((id) => {
    const file = files.find((one) => one.id === id)
    return file === undefined ? [] : [urlsOf(ctx, file)]
  })
}

/**
 * The fields that may be public, by id: GLOBAL ones and those of the owner, as long as they exist. References and files are not shown,
 * because they lead to rows that are not public.
 */
async function publicValues(
  ctx: AppContext,
  row: AssetRow,
  locale: Locale,
): Promise<Map<number, Omit<PublicField, 'key'>>> {
  const found = new Map<number, Omit<PublicField, 'key'>>()
  const db = ctx.db.read
  if (row.publicFields.every((key) => fieldIdOf(key) === undefined) || !(await isEnabled(db, 'asset'))) return found
  const orgId = orgOf(row.owner)
  // A user of an organization's asset has fields of their own, which nobody else may see.
  const viewer = { userId: orgId === 0 ? -row.owner : 0, orgId }
  const visible = (await visibleFields(db, 'asset', viewer)).filter(
    ({ owner, type }) => (owner === 0 || owner === row.owner) && !HIDDEN_TYPES.has(type),
  )
  const values = await valuesOf(ctx, db, viewer, 'asset', await entitiesOf(db, [row]), locale)
  const byField = new Map<number, AssetValue>((values.get(row.id) ?? []).map((value) => [value.fieldId, value]))
  for (const field of visible) {
    const { name: label = field.name, value = null } = byField.get(field.id) ?? {}
    const text = value === null ? '' : String(toText(field, value, locale, serverZone()) ?? '')
    found.set(field.id, { label, value, text })
  }
  return found
}

const HIDDEN_TYPES: ReadonlySet<string> = new Set(['REF', 'ATTACHMENT', 'PHOTO'])
