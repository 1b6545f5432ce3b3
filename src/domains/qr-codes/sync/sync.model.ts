/** `data` of pushed records: what the endpoints accept, and what views contain, because clients may send whole rows back. */

import type { TSchema } from '@sinclair/typebox'

import { Id, Nullable, SortOrder, type Static, Type } from '#http/schema.ts'
import { invalidAll, valueChecker } from '#http/validate.ts'

import { CategoryName, Color, ParentId } from '../categories/categories.model.ts'
import { NewQrCode, UpdateQrCode } from '../codes/codes.model.ts'
import { CreateScan, UpdateScan } from '../scans/scans.model.ts'

/** Returns the normalized `data`, without unknown fields. @throws AppError 400 */
function checked<T extends TSchema>(schema: T): (data: unknown) => Static<T> {
  const check = valueChecker(schema)
  return (data) => {
    const { value, problems } = check(data, 'data')
    if (problems.length > 0) throw invalidAll(problems)
    return value!
  }
}

const order = { pinned: Type.Optional(Type.Boolean()), sortOrder: Type.Optional(SortOrder) }

/** A slug is not pushed: it could be taken when the device reaches the server. Nor is a design, with which it may be unreadable. */
export const CodeData = Type.Object({ ...Type.Omit(NewQrCode, ['slug', 'designId']).properties, ...order })
export const newCodeData = checked(CodeData)
export const codeData = checked(Type.Omit(UpdateQrCode, ['slug', 'designId']))

const category = {
  // Views show a category without a colour with an empty one.
  color: Type.Optional(Nullable({ ...Color, pattern: '^(#[0-9a-fA-F]{6})?$', description: '`#rrggbb`, or empty' })),
  parentId: Type.Optional(ParentId),
  ...order,
}
export const CategoryData = Type.Object({ name: CategoryName, ...category })
export const newCategoryData = checked(CategoryData)
export const categoryData = checked(Type.Object({ name: Type.Optional(CategoryName), ...category }))

export const ScanData = Type.Object({ ...CreateScan.properties, qrCodeId: Type.Optional(Nullable(Id)) })
export const newScanData = checked(ScanData)
export const scanData = checked(UpdateScan)
