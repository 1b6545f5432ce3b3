/** Decisions about assets: the columns that a request sets, days and prices. Pure. */

import type { assets } from '#db/schema/assets.ts'
import type { FieldProblem } from '#http/errors.ts'
import { dayNumberOf } from '#lib/days.ts'

import { numberKey } from '../numbers.rules.ts'
import {
  halfAPosition,
  isFinal,
  notADay,
  notAPrice,
  notPublishable,
  numberNeeded,
  photoTwice,
  scrapSeparately,
} from './register.errors.ts'
import { type Filters, MAX_PRICE, PUBLIC_COLUMNS, type UpdateAsset } from './register.model.ts'

type Row = typeof assets.$inferSelect

/** The columns that requests, imports and clients that synchronize decide. */
export type AssetFields = Pick<
  Row,
  | 'name'
  | 'assetNo'
  | 'categoryId'
  | 'brand'
  | 'model'
  | 'serialNo'
  | 'purchaseDate'
  | 'purchasePrice'
  | 'supplier'
  | 'warrantyExpiry'
  | 'nextCountOn'
  | 'bookable'
  | 'remark'
  | 'status'
  | 'locationId'
  | 'custodianId'
  | 'photoIds'
  | 'latitude'
  | 'longitude'
  | 'publicFields'
>
export type AssetChange = Partial<
  AssetFields &
    Pick<Row, 'owner' | 'assetNoKey' | 'scrappedAt' | 'scrapReason' | 'deletedAt' | 'nextMaintenance' | 'lastCountedOn'>
>

/** Of a new asset for which only a name is given. An empty number is generated. */
export const EMPTY: Omit<AssetFields, 'name'> = {
  assetNo: '',
  categoryId: null,
  brand: '',
  model: '',
  serialNo: '',
  purchaseDate: null,
  purchasePrice: null,
  supplier: '',
  warrantyExpiry: null,
  nextCountOn: null,
  bookable: null,
  remark: '',
  status: 'IN_USE',
  locationId: null,
  custodianId: null,
  photoIds: [],
  latitude: null,
  longitude: null,
  publicFields: [],
}

const AMOUNT = /^(\d{1,13})(?:\.(\d{1,2}))?$/

/** The amount in hundredths, without arithmetic of fractions; undefined if it is none. A number is read as JSON writes it. */
export function hundredths(price: string | number): number | undefined {
  const [, whole, decimals = ''] = AMOUNT.exec(String(price).trim()) ?? []
  if (whole === undefined) return undefined
  const value = Number(whole + decimals.padEnd(2, '0'))
  return value <= MAX_PRICE ? value : undefined
}

/** `199990` as `1999.90`. */
export function priceText(price: number | null): string | null {
  if (price === null) return null
  const digits = String(price).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/**
 * The columns that a request sets; absent fields are left out, null clears. Adds the problems that need no other row.
 * `path`: of the object with the fields, `body` in a request.
 */
export function changeOf(input: UpdateAsset, problems: FieldProblem[], path: string): AssetChange {
  const change: AssetChange = {}
  const at = (name: string) => `${path}.${name}`
  if (input.name !== undefined) change.name = input.name
  for (const name of ['brand', 'model', 'serialNo', 'supplier', 'remark'] as const)
    if (input[name] !== undefined) change[name] = input[name] ?? ''
  for (const name of ['categoryId', 'locationId', 'custodianId', 'latitude', 'longitude'] as const)
    if (input[name] !== undefined) change[name] = input[name]
  for (const name of ['purchaseDate', 'warrantyExpiry', 'nextCountOn'] as const) {
    const given = input[name]
    if (given === undefined) continue
    if (given && dayNumberOf(given) === undefined) problems.push(notADay(at(name)))
    else change[name] = given || null
  }
  if (input.purchasePrice !== undefined) {
    const given = input.purchasePrice
    const price = given === null || given === '' ? null : hundredths(given)
    if (price === undefined) problems.push(notAPrice(at('purchasePrice')))
    else change.purchasePrice = price
  }
  if (input.bookable !== undefined) change.bookable = input.bookable
  if (input.assetNo !== undefined) change.assetNo = input.assetNo ?? ''
  if (input.status !== undefined) change.status = input.status ?? 'IN_USE'
  if (input.photos !== undefined) {
    const ids = (input.photos ?? []).map((photo) => (typeof photo === 'number' ? photo : photo.fileId))
    if (new Set(ids).size < ids.length) problems.push(photoTwice(at('photos')))
    change.photoIds = ids
  }
  if (input.publicFields !== undefined) {
    const names = [...new Set(input.publicFields)]
    for (const [i, name] of names.entries())
      if (!isPublicColumn(name)) problems.push(notPublishable(at(`publicFields.${i}`)))
    change.publicFields = names
  }
  return change
}

const FIELD = /^field:([1-9]\d{0,14})$/
const isPublicColumn = (name: string): boolean =>
  (PUBLIC_COLUMNS as readonly string[]).includes(name) || FIELD.test(name)

/** The field of metadata that a public field names; undefined for a column. */
export function fieldIdOf(publicField: string): number | undefined {
  const id = FIELD.exec(publicField)?.[1]
  return id === undefined ? undefined : Number(id)
}

export type NewFields = AssetFields & Pick<AssetChange, 'scrapReason'>

/** The columns of a new asset. Its number may be empty: then one is generated. */
export const newFields = (change: AssetChange, name: string): NewFields => ({ ...EMPTY, ...change, name })

interface AllowedChanges {
  /** It may become scrapped. */
  readonly acceptScrapped?: boolean
  /** It may get the state back that it had before it was scrapped. */
  readonly isRestore?: boolean
}

/** The problems of a change to an existing asset that only the asset itself decides. */
export function changeProblems(
  row: Pick<Row, 'status'>,
  change: AssetChange,
  path: string,
  { acceptScrapped = false, isRestore = false }: AllowedChanges,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (change.assetNo === '') problems.push(numberNeeded(`${path}.assetNo`))
  if (change.status !== undefined && change.status !== row.status) {
    if (row.status === 'SCRAPPED' && !isRestore) problems.push(isFinal(`${path}.status`))
    if (change.status === 'SCRAPPED' && !acceptScrapped) problems.push(scrapSeparately(`${path}.status`))
  }
  return problems
}

/** The problem of a coordinate without the other, at the missing one. */
export function positionProblem(
  { latitude, longitude }: Pick<Row, 'latitude' | 'longitude'>,
  path: string,
): FieldProblem[] {
  if ((latitude === null) === (longitude === null)) return []
  return [halfAPosition(`${path}.${latitude === null ? 'latitude' : 'longitude'}`)]
}

/** The values of `change` that the row does not have yet, with the key of the number. */
export function differences(row: Row, change: AssetChange): AssetChange {
  const different = Object.fromEntries(
    Object.entries(change).filter(([name, value]) => !Bun.deepEquals(value, row[name as keyof AssetChange])),
  ) as AssetChange
  if (different.assetNo !== undefined) different.assetNoKey = numberKey(different.assetNo)
  return different
}

export const DAY_FILTERS = [
  'warrantyFrom',
  'warrantyTo',
  'purchaseFrom',
  'purchaseTo',
  'maintenanceTo',
  'countTo',
] as const

/** Problems of the days of a query. */
export const filterProblems = (query: Filters): FieldProblem[] =>
  DAY_FILTERS.flatMap((name) =>
    query[name] && dayNumberOf(query[name]) === undefined ? [notADay(`query.${name}`)] : [],
  )
