/** Rows as pulls show them, and the fields of them that pushes can write. */

import { SYNC_ENTITIES, type SyncEntityName } from '#db/schema/sync.ts'
import { AddPhoto, PhotoView } from '#domains/album/index.ts'
import { AssetCategoryData, AssetCategoryView, AssetData, AssetView } from '#domains/assets/index.ts'
import { CategoryData, CategoryView, CodeData, QrCodeView, ScanData, ScanView } from '#domains/qr-codes/index.ts'
import {
  Enum,
  Id,
  Model,
  Nullable,
  Raw,
  Time,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  Untyped,
} from '#http/schema.ts'

import { LocalId, Version } from '../sync.model.ts'

interface Shapes {
  /** In the names of its components. */
  readonly name: string
  /** Of the view of its endpoint. */
  readonly view: TProperties
  /** Of the input that creates a row. */
  readonly data: TProperties
  readonly description: string
}

const LATER =
  'A new row needs the fields that its operation requires. For a change, send only the fields that changed. '

const orgId = Type.Optional({ ...Nullable(Id), description: 'Of a new row: the organization that owns it' })

const SHAPES: Readonly<Record<SyncEntityName, Shapes>> = {
  qrCode: { name: 'QrCode', view: QrCodeView.properties, data: { ...CodeData.properties, orgId }, description: LATER },
  category: { name: 'Category', view: CategoryView.properties, data: CategoryData.properties, description: LATER },
  scanRecord: {
    name: 'ScanRecord',
    view: ScanView.properties,
    data: ScanData.properties,
    description: `${LATER}Only \`favorite\`, \`title\` and \`address\` can be changed`,
  },
  albumPhoto: {
    name: 'AlbumPhoto',
    view: PhotoView.properties,
    data: AddPhoto.properties,
    description: `${LATER}\`fileId\` cannot be changed`,
  },
  asset: {
    name: 'Asset',
    view: { ...AssetView.properties, values: Type.Required(AssetView).properties.values },
    data: { ...AssetData.properties, orgId },
    description: LATER,
  },
  assetCategory: {
    name: 'AssetCategory',
    view: AssetCategoryView.properties,
    data: AssetCategoryData.properties,
    description: LATER,
  },
}

interface Row {
  id: number
  version: number
  updatedAt: number
  orgId: number | null
  localId?: string
  [field: string]: unknown
}

/** Changes of the rows of one entity. Only the fields of `Row` are known to TypeScript, because each domain makes its own views. */
export function changesOf(entity: SyncEntityName) {
  const { name, view } = SHAPES[entity]
  const row = Model(`Sync${name}`, {
    ...view,
    version: Version,
    updatedAt: Time,
    orgId: { ...Nullable(Id), description: 'The organization that owns the row; null for your own' },
    localId: Type.Optional(LocalId),
  })
  return Model(`Sync${name}Changes`, {
    updated: Type.Array(Type.Unsafe<Row>(row), { description: 'New and changed rows, oldest change first' }),
    deleted: Type.Array(Id, { description: 'Rows that were deleted or that you may no longer see' }),
  })
}

const Reference = Nullable(Type.Union([Id, Raw(64, 1)]))
const REFERENCES = ['categoryId', 'parentId', 'qrCodeId']
const reference = Untyped(Reference, {
  description:
    'The id of a row as a number, or as a string the `localId` of a row of this push or of one that this device has pushed before; or null',
  examples: [42],
})

/**
 * `record` with an object as `data`, and beside it the fields of `data` for each entity. Generated clients ignore these: each has a class for the
 * data of an entity, and one for all records. For the document.
 */
export function recordOf(record: TObject) {
  const choices = Object.entries(SHAPES).map(([entity, { name, data, description }]) => {
    const fields = Object.entries(data).map(([field, schema]) => [
      field,
      Type.Optional(REFERENCES.includes(field) ? reference : schema),
    ])
    const Data = Model(`Sync${name}Data`, { description }, Object.fromEntries(fields) as TProperties)
    return { properties: { entity: Enum([entity]), data: Data } } as unknown as TSchema
  })
  return Model('SyncPushRecord', { allOf: [{ anyOf: choices }] }, { ...record.properties, entity: Enum(SYNC_ENTITIES) })
}
