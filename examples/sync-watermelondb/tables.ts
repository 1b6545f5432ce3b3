/** Tables for the six entities. Leave out the columns, except the last three, and the tables that your app does not need. */

import { appSchema, tableSchema } from '@nozbe/watermelondb'

import type { TableMapping } from './index.ts'

export const tables: Readonly<Record<string, TableMapping>> = {
  categories: { entity: 'category', references: { parent_id: 'categories' } },
  qr_codes: { entity: 'qrCode', json: ['tags', 'style'], references: { category_id: 'categories' } },
  scan_records: { entity: 'scanRecord', references: { qr_code_id: 'qr_codes' } },
  album_photos: { entity: 'albumPhoto', json: ['watermark'], references: { qr_code_id: 'qr_codes' } },
  asset_categories: { entity: 'assetCategory', references: { parent_id: 'asset_categories' } },
  assets: {
    entity: 'asset',
    json: ['photos', 'values', 'public_fields'],
    references: { category_id: 'asset_categories' },
  },
}

/** A column that can be empty: the server then uses its default for new rows. */
const text = (name: string) => ({ name, type: 'string', isOptional: true }) as const
const number = (name: string) => ({ name, type: 'number', isOptional: true }) as const
const flag = (name: string) => ({ name, type: 'boolean', isOptional: true }) as const

/** Written by synchronization. A model needs a field `updatedAt`, with which WatermelonDB sets `updated_at` at each change. */
const OWN_COLUMNS = [
  { name: 'updated_at', type: 'number' },
  { name: 'server_id', type: 'number', isOptional: true, isIndexed: true },
  { name: 'server_version', type: 'number' },
] as const

export const schema = appSchema({
  version: 1,
  tables: [
    tableSchema({
      name: 'categories',
      columns: [
        text('name'),
        text('color'),
        text('parent_id'),
        flag('pinned'),
        number('sort_order'),
        number('code_count'),
        ...OWN_COLUMNS,
      ],
    }),
    tableSchema({
      name: 'qr_codes',
      columns: [
        text('name'),
        text('content'),
        text('content_type'),
        text('category_id'),
        text('tags'),
        text('remark'),
        text('style'),
        flag('is_public'),
        flag('pinned'),
        number('sort_order'),
        number('org_id'),
        number('scan_count'),
        text('public_url'),
        ...OWN_COLUMNS,
      ],
    }),
    tableSchema({
      name: 'scan_records',
      columns: [
        text('content'),
        text('content_type'),
        text('source'),
        text('title'),
        flag('favorite'),
        number('latitude'),
        number('longitude'),
        text('address'),
        text('qr_code_id'),
        number('scanned_at'),
        ...OWN_COLUMNS,
      ],
    }),
    tableSchema({
      name: 'album_photos',
      columns: [
        number('file_id'),
        text('qr_code_id'),
        number('taken_at'),
        number('latitude'),
        number('longitude'),
        text('address'),
        text('watermark'),
        number('org_id'),
        ...OWN_COLUMNS,
      ],
    }),
    tableSchema({
      name: 'asset_categories',
      columns: [
        text('name'),
        text('color'),
        text('parent_id'),
        flag('shared'),
        number('sort_order'),
        number('org_id'),
        ...OWN_COLUMNS,
      ],
    }),
    tableSchema({
      name: 'assets',
      columns: [
        text('name'),
        text('asset_no'),
        text('category_id'),
        text('brand'),
        text('model'),
        text('serial_no'),
        text('purchase_date'),
        text('purchase_price'),
        text('supplier'),
        text('warranty_expiry'),
        text('remark'),
        text('status'),
        number('location_id'),
        number('custodian_id'),
        text('photos'),
        text('values'),
        text('public_fields'),
        number('latitude'),
        number('longitude'),
        number('org_id'),
        ...OWN_COLUMNS,
      ],
    }),
  ],
})
