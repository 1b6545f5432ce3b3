/** Shapes of assets in requests and answers. */

import { ASSET_STATUSES } from '#db/schema/assets.ts'
import { ownerFields, ownerFilters } from '#domains/admin/index.ts'
import { AssetValue, NewValues } from '#domains/metadata/index.ts'
import {
  Description,
  Documented,
  Enum,
  Id,
  Latitude,
  Line,
  Longitude,
  Model,
  Multiline,
  Name,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  RowVersion,
  ShownAs,
  Sort,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

export const MAX_PHOTOS = 5
/** The largest price, in hundredths. */
export const MAX_PRICE = 999_999_999_999_999
export const MAX_NUMBER_LENGTH = 64

export const AssetStatusName = Named('AssetStatus', Enum(ASSET_STATUSES, { examples: ['IN_USE'] }))

/** Columns that the public page can show, beside `field:<id>`. */
export const PUBLIC_COLUMNS = [
  'name',
  'assetNo',
  'status',
  'category',
  'brand',
  'model',
  'serialNo',
  'purchaseDate',
  'purchasePrice',
  'supplier',
  'warrantyExpiry',
  'location',
  'latitude',
  'longitude',
  'remark',
  'photos',
] as const
export type PublicColumn = (typeof PUBLIC_COLUMNS)[number]
/** The columns above and some fields of metadata. */
const MAX_PUBLIC_FIELDS = 50

const NullableOrgId = Type.Optional(Nullable(Id))
const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

const line = (example: string) => optional(Line(100, 0, { examples: [example] }))
/** The service checks that the day exists. */
export const Day = Documented(
  Line(10, 0, { description: 'An empty text clears it, like null', examples: ['2026-03-01'] }),
  {
    format: 'date',
  },
)
const PRICE_DESCRIPTION = 'From 0 to 9999999999999.99, with at most two decimals'
const PriceText = Type.String({
  maxLength: 20,
  description: `${PRICE_DESCRIPTION}. A number is accepted too`,
  examples: ['1999.90'],
})
export const PriceInput = ShownAs(Type.Union([PriceText, Type.Number()]), PriceText)

const PhotoInput = ShownAs(Type.Union([Id, Type.Object({ fileId: Id })]), Id)

const assetNo = (example: string) => optional(Line(MAX_NUMBER_LENGTH, 0, { examples: [example] }))
const photos = (example: number[]) =>
  optional(
    Type.Array(PhotoInput, {
      maxItems: MAX_PHOTOS,
      description:
        'Ids of images that you have uploaded with type `asset` (for an asset of an organization, also with its `orgId`), in their order. ' +
        'The photos of an answer, objects with `fileId`, are accepted too',
      examples: [example],
    }),
  )

const writable = {
  name: Name,
  assetNo: assetNo('A-2026-00001'),
  categoryId: optional(Id),
  brand: line('ThinkPad'),
  model: line('X1 Carbon'),
  serialNo: line('PF-3K9Q2'),
  purchaseDate: optional(Day),
  purchasePrice: optional(PriceInput),
  supplier: line('Office World'),
  warrantyExpiry: optional({ ...Day, examples: ['2029-02-28'] }),
  nextCountOn: optional({ ...Day, examples: ['2027-06-30'] }),
  bookable: optional(
    Type.Boolean({ description: 'Whether members may reserve it; null: as its category says', examples: [null] }),
  ),
  remark: optional(Description),
  status: optional(AssetStatusName),
  locationId: optional(Id),
  custodianId: optional(Id),
  photos: photos([42]),
  latitude: optional(Latitude),
  longitude: optional(Longitude),
  publicFields: optional(
    Type.Array(Line(40, 1), {
      maxItems: MAX_PUBLIC_FIELDS,
      description: `Shown on the public page: ${PUBLIC_COLUMNS.map((name) => `\`${name}\``).join(', ')}, or \`field:\` and the id of a field`,
      examples: [['name', 'assetNo']],
    }),
  ),
}

const values = Type.Optional({
  ...NewValues,
  description: 'Values of metadata fields. Fields that are not named stay',
  examples: [[]],
})

export const NewAsset = Type.Object({ ...writable, values })
export type NewAsset = Static<typeof NewAsset>
export const CreateAsset = Model('CreateAsset', { ...writable, values, orgId: NullableOrgId })

export const UpdateAsset = Named(
  'UpdateAsset',
  Type.Partial(
    Type.Object({ ...writable, assetNo: assetNo('B-17'), photos: photos([]), values, orgId: NullableOrgId }),
  ),
)
export type UpdateAsset = Static<typeof UpdateAsset>

/** The fixed columns that fields of metadata stand for. */
export const AssetColumns = Type.Pick(Type.Partial(Type.Object(writable)), [
  'brand',
  'model',
  'serialNo',
  'supplier',
  'remark',
  'purchaseDate',
  'warrantyExpiry',
  'purchasePrice',
])

export const DeleteQuery = Type.Object({
  orgId: Type.Optional(Id),
  force: Type.Optional(Type.Boolean({ description: 'If true, its reservations end' })),
})

const REASON_LENGTH = 500
export const ScrapAsset = Model('ScrapAsset', {
  reason: optional(Multiline(REASON_LENGTH, 0, { examples: ['The screen is broken'] })),
  orgId: NullableOrgId,
})
export const AdminScrap = Model('AdminScrapAsset', {
  reason: optional(Multiline(REASON_LENGTH, 0, { examples: ['The screen is broken'] })),
})

const orNone = (what: string, more = '') =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: `0: assets without ${what}${more}`,
      examples: [0],
    }),
  )
const day = (description: string) => Type.Optional({ ...Day, description })

const MAX_IDS = 500
/** The filters of lists, the map and the export. */
export const filters = {
  keyword: Type.Optional(
    Line(100, 0, {
      description: 'Searched for in name, asset number, serial number, brand, model and remark',
      examples: ['laptop'],
    }),
  ),
  categoryId: orNone('a category', '. Any other id includes its sub-categories'),
  locationId: orNone('a location', '. Any other id includes the locations below it'),
  custodianId: orNone('a custodian'),
  status: Type.Optional(Type.Array(AssetStatusName, { maxItems: 20, description: 'One or more, separated by commas' })),
  warrantyFrom: day('The warranty ends on this day or later'),
  warrantyTo: day('The warranty ends on this day or earlier'),
  purchaseFrom: day('Bought on this day or later'),
  purchaseTo: day('Bought on this day or earlier'),
  maintenanceTo: day('Its next maintenance is due on this day or earlier'),
  countTo: day('Its next count is due on this day or earlier'),
  overdueCount: Type.Optional(
    Type.Boolean({
      description: 'Whether its next count should have been before today. Scrapped assets are never overdue',
    }),
  ),
  ids: Type.Optional(Type.Array(Id, { maxItems: MAX_IDS, description: 'Only these, separated by commas' })),
}
const FiltersSchema = Type.Object(filters)
export type Filters = Static<typeof FiltersSchema>

export const SORTS = [
  'name',
  'assetNo',
  'status',
  'purchaseDate',
  'purchasePrice',
  'warrantyExpiry',
  'nextMaintenance',
  'createdAt',
  'updatedAt',
] as const
export type SortName = (typeof SORTS)[number]
export type AssetSort = SortName | `-${SortName}`
export const AssetSort = Sort(SORTS)

export const ListQuery = PageQuery({
  ...filters,
  include: Type.Optional(
    Type.Array(Enum(['values']), { maxItems: 5, description: '`values`: with the values of metadata' }),
  ),
  orgId: Type.Optional(Id),
  sort: AssetSort,
})
export type ListQuery = Static<typeof ListQuery>

export const AdminListQuery = PageQuery({
  ...filters,
  ...ownerFilters,
  sort: Sort(['createdAt']),
})
export type AdminListQuery = Static<typeof AdminListQuery>

const PhotoView = Model('AssetPhoto', {
  fileId: Id,
  url: Text('http://localhost:8080/api/files/42/content'),
  thumbnailUrl: Nullable(Text('http://localhost:8080/api/files/42/content?variant=THUMBNAIL')),
})

const LoanView = Model('AssetOpenLoan', {
  id: Id,
  userId: Nullable(Id),
  personName: Nullable(Text('Ms Chen')),
  dueAt: Nullable(Time),
})

const address = (description: string) =>
  Text('http://localhost:8080/s/asset/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f', { description })

export const AssetView = Model('Asset', {
  id: Id,
  uuid: Type.String({ format: 'uuid', examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] }),
  name: Text('Laptop'),
  assetNo: Text('A-2026-00001'),
  categoryId: Nullable(Id),
  brand: Text('ThinkPad'),
  model: Text('X1 Carbon'),
  serialNo: Text('PF-3K9Q2'),
  purchaseDate: Nullable(Text('2026-03-01')),
  purchasePrice: Nullable(Text('1999.90', { description: 'With two decimals' })),
  supplier: Text('Office World'),
  warrantyExpiry: Nullable(Text('2029-02-28')),
  remark: Text('With charger'),
  status: AssetStatusName,
  locationId: Nullable(Id),
  custodianId: Nullable(Id),
  photos: Type.Array(PhotoView),
  latitude: Nullable(Latitude),
  longitude: Nullable(Longitude),
  publicFields: Type.Array(Text('name')),
  qrContent: address('The content of the QR code on the asset: `publicUrl`'),
  publicUrl: address('Address of the public page; 404 while `publicFields` is empty'),
  scrappedAt: Nullable(Time),
  scrapReason: Text('The screen is broken'),
  nextMaintenance: Nullable(Text('2026-09-01', { description: 'The earliest day on which one of its plans is due' })),
  lastCountedOn: Nullable(
    Text('2026-06-30', { description: 'The day on which the last inventory that found it was closed' }),
  ),
  nextCountOn: Nullable(Text('2027-06-30')),
  bookable: Nullable(Type.Boolean({ description: 'Null: as its category says' })),
  loan: Nullable(LoanView),
  values: Type.Optional(
    Type.Array(AssetValue, { description: 'Values of metadata that you see. In lists only with `include=values`' }),
  ),
  orgId: Nullable(Id),
  userId: { ...Id, description: 'The user who registered the asset' },
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
})
export type AssetView = Static<typeof AssetView>
export const AssetPage = PageOf(AssetView)

/** A row of the console's list. */
export const AdminAssetView = Model('AdminAsset', {
  ...AssetView.properties,
  ...ownerFields,
})
export type AdminAssetView = Static<typeof AdminAssetView>
export const AdminAssetPage = PageOf(AdminAssetView)
