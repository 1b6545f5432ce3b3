/** `data` of pushed records: what the endpoints accept, and what views contain, because clients may send whole rows back. */

import type { TSchema } from '@sinclair/typebox'

import { Id, Nullable, SortOrder, type Static, Type } from '#http/schema.ts'
import { invalidAll, valueChecker } from '#http/validate.ts'

import { CreateAssetCategory, UpdateAssetCategory } from '../categories/categories.model.ts'
import { NewAsset, ScrapAsset, UpdateAsset } from '../register/register.model.ts'

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Views show an empty color for a category without one, and the names of the rows to which values refer. */
function inputOf(data: unknown): unknown {
  if (!isObject(data)) return data
  return {
    ...data,
    ...(data['color'] === '' && { color: null }),
    ...(Array.isArray(data['values']) && { values: inputValues(data['values']) }),
  }
}

/** COMPUTED values are read-only. */
const inputValues = (values: readonly unknown[]): unknown[] =>
  values
    .filter((item) => !isObject(item) || item['type'] !== 'COMPUTED')
    .map((item) => (isObject(item) ? { ...item, value: inputValue(item['value']) } : item))

/** The id of `{id, title}`, and the ids of files. */
function inputValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => (isObject(part) && 'fileId' in part ? part['fileId'] : part))
  return isObject(value) && 'title' in value && 'id' in value ? value['id'] : value
}

/** Returns the normalized `data`, without unknown fields. @throws AppError 400 */
function checked<T extends TSchema>(schema: T): (data: unknown) => Static<T> {
  const check = valueChecker(schema)
  return (data) => {
    const { value, problems } = check(inputOf(data), 'data')
    if (problems.length > 0) throw invalidAll(problems)
    return value!
  }
}

/** Used only when the asset becomes scrapped. */
const scrapping = { scrapReason: ScrapAsset.properties.reason }

export const AssetData = Type.Object({ ...NewAsset.properties, ...scrapping })
export const newAssetData = checked(AssetData)
export const assetData = checked(Type.Object({ ...UpdateAsset.properties, ...scrapping }))

const place = {
  parentId: Type.Optional(Nullable(Id)),
  pinned: Type.Optional(Type.Boolean()),
  sortOrder: Type.Optional(SortOrder),
}

export const AssetCategoryData = Type.Object({ ...CreateAssetCategory.properties, ...place })
export const newCategoryData = checked(AssetCategoryData)
export const categoryData = checked(Type.Object({ ...UpdateAssetCategory.properties, ...place }))
