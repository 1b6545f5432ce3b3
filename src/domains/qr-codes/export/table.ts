/** Codes as rows of a table, for spreadsheets and for the index of an archive. */

import type { AppContext } from '#context'

import type { QrCodeRow } from '../codes/store.ts'
import { publicUrlOf } from '../codes/view.ts'

export const COLUMNS = [
  'id',
  'uuid',
  'name',
  'content',
  'contentType',
  'category',
  'tags',
  'remark',
  'isPublic',
  'scanCount',
  'publicUrl',
  'createdAt',
] as const

/** In the order of `COLUMNS`. Times are ISO 8601 in UTC, tags are separated by commas. */
export const cellsOf = (
  ctx: AppContext,
  row: QrCodeRow,
  categories: ReadonlyMap<number, string>,
): (string | number)[] => [
  row.id,
  row.uuid,
  row.name,
  row.content,
  row.contentType,
  (row.categoryId !== null && categories.get(row.categoryId)) || '',
  row.tags.join(', '),
  row.remark,
  String(row.isPublic),
  row.scanCount,
  publicUrlOf(ctx, row.uuid),
  new Date(row.createdAt).toISOString(),
]
