/** Shapes of supplies in requests and answers. */

import { SUPPLY_KINDS } from '#db/schema/supplies.ts'
import { ownerFields, ownerFilters } from '#domains/admin/index.ts'
import type { Budget } from '#http/budget.ts'
import {
  Description,
  Enum,
  ExportZone,
  Id,
  Line,
  Model,
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
import { TABLE_FORMATS } from '#http/tables.ts'
import { DAY } from '#platform/clock.ts'

import { MAX_NUMBER_LENGTH, PriceInput } from '../register/register.model.ts'

/** Of one owner, without deleted ones. */
export const MAX_SUPPLIES = 20_000
export const MAX_QUANTITY = 1_000_000_000
export const MAX_PHOTOS = 2
export const MAX_KEEPERS = 10
export const UNITS = { en: 'pcs', zh: '件' } as const
/** That a member may take at once, unless the supply says otherwise. */
export const MAX_PER_TAKE = 10

/** Rows of deleted supplies stay because of their movements. */
export const NEW_SUPPLIES: Budget = {
  name: 'new-supplies',
  counts: { en: 'new supplies', zh: '新建物料' },
  per: 'user',
  limit: MAX_SUPPLIES,
  windowMs: DAY,
  durable: true,
}

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

export const SupplyKindName = Named('SupplyKind', Enum(SUPPLY_KINDS, { examples: ['CONSUMABLE'] }))
/** The validator refuses fractions and texts such as `1e3`. */
export const Quantity = (minimum: number, example: number, description?: string) =>
  Type.Integer({
    minimum,
    maximum: MAX_QUANTITY,
    examples: [example],
    ...(description !== undefined && { description }),
  })

const PhotoInput = ShownAs(Type.Union([Id, Type.Object({ fileId: Id })]), Id)

const writable = {
  name: { ...Name, examples: ['Whiteboard markers'] },
  supplyNo: optional(
    Line(MAX_NUMBER_LENGTH, 0, { description: 'The next free one if there is none', examples: ['S-00001'] }),
  ),
  categoryId: optional({ ...Id, description: 'A category of assets' }),
  unit: optional(Line(20, 0, { description: '`pcs` or `件` by default', examples: ['box'] })),
  price: optional(PriceInput),
  supplier: optional(Line(100, 0, { examples: ['Office World'] })),
  remark: optional(Description),
  photos: optional(
    Type.Array(PhotoInput, {
      maxItems: MAX_PHOTOS,
      description:
        'Ids of images that you have uploaded with type `asset` (for a supply of an organization, also with its `orgId`)',
      examples: [[]],
    }),
  ),
  minimum: optional(Quantity(0, 20, 'Keepers are notified when the stock falls below it')),
  target: optional(Quantity(0, 100, 'How many there should be after an order')),
  keeperIds: optional(
    Type.Array(Id, {
      maxItems: MAX_KEEPERS,
      uniqueItems: true,
      description: 'Members who are notified; without any, those who may hand out assets',
      examples: [[]],
    }),
  ),
  selfService: optional(Type.Boolean({ description: 'Whether members may take some for themselves' })),
  maxPerTake: optional(Quantity(1, MAX_PER_TAKE, `How many of them at once; ${MAX_PER_TAKE} by default`)),
}
const kind = {
  kind: Type.Optional({ ...SupplyKindName, description: 'CONSUMABLE by default; POOL: is lent and comes back' }),
}

export const NewSupply = Type.Object({ ...writable, ...kind })
export type NewSupply = Static<typeof NewSupply>
const examples = [{ name: 'Whiteboard markers', unit: 'box', price: '4.90', minimum: 20, target: 100 }]
export const CreateSupply = Model('CreateSupply', { examples }, { ...writable, ...kind, orgId: optional(Id) })
export const UpdateSupply = Named(
  'UpdateSupply',
  Type.Partial(Type.Object({ ...writable, ...kind, orgId: Nullable(Id) }), {
    examples: [{ minimum: 20, target: 100 }],
  }),
)
export type UpdateSupply = Static<typeof UpdateSupply>

const filters = {
  keyword: Type.Optional(
    Line(100, 0, { description: 'Searched for in name, number, supplier and remark', examples: ['toner'] }),
  ),
  categoryId: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: '0: supplies without a category. Any other id includes its sub-categories',
      examples: [0],
    }),
  ),
  locationId: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Supplies of which some are there, or at a location below it. 0: of which some have no place',
      examples: [0],
    }),
  ),
  kind: Type.Optional(SupplyKindName),
  low: Type.Optional(Type.Boolean({ description: 'Whether there are fewer than the minimum' })),
  ids: Type.Optional(Type.Array(Id, { maxItems: 500, description: 'Only these, separated by commas' })),
}
export const SUPPLY_SORTS = ['name', 'supplyNo', 'stock', 'updatedAt'] as const
export const SupplySort = Sort(SUPPLY_SORTS)
export type SupplySort = NonNullable<Static<typeof SupplySort>>

export const SuppliesQuery = PageQuery({ orgId: Type.Optional(Id), ...filters, sort: SupplySort })
export type SuppliesQuery = Static<typeof SuppliesQuery>
const FilterSchema = Type.Object(filters)
export type SupplyFilters = Static<typeof FilterSchema>

export const ExportQuery = Type.Object({
  orgId: Type.Optional(Id),
  ...filters,
  sort: SupplySort,
  format: Type.Optional(Enum(TABLE_FORMATS, { default: 'xlsx' })),
  tz: ExportZone,
  lang: Type.Optional(
    Enum(['en', 'zh'], { description: 'Of the headers and words; that of `Accept-Language` by default' }),
  ),
  template: Type.Optional(Type.Boolean({ default: false, description: 'A table to fill in: headers and an example' })),
})
export type ExportQuery = Static<typeof ExportQuery>

export const AdminSuppliesQuery = PageQuery({
  keyword: filters.keyword,
  kind: filters.kind,
  low: filters.low,
  ...ownerFilters,
})
export type AdminSuppliesQuery = Static<typeof AdminSuppliesQuery>

const address = (description: string) =>
  Text('http://localhost:8080/s/supply/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f', { description })
const amount = (example: number, description: string) => Type.Integer({ minimum: 0, examples: [example], description })

export const SupplyView = Model('Supply', {
  id: Id,
  uuid: Type.String({ format: 'uuid', examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] }),
  name: Text('Whiteboard markers'),
  supplyNo: Text('S-00001'),
  kind: SupplyKindName,
  categoryId: Nullable(Id),
  unit: Text('box'),
  price: Nullable(Text('4.90', { description: 'Of one, with two decimals' })),
  supplier: Text('Office World'),
  remark: Text('Blue and black'),
  photos: Type.Array(
    Model('SupplyPhoto', {
      fileId: Id,
      url: Text('http://localhost:8080/api/files/42/content'),
      thumbnailUrl: Nullable(Text('http://localhost:8080/api/files/42/content?variant=THUMBNAIL')),
    }),
  ),
  minimum: Nullable(Quantity(0, 20)),
  target: Nullable(Quantity(0, 100)),
  keeperIds: Type.Array(Id),
  selfService: Type.Boolean(),
  maxPerTake: Quantity(1, MAX_PER_TAKE),
  stock: amount(48, 'How many are there now'),
  lent: amount(0, 'How many of a POOL people have'),
  available: amount(48, 'How many can be taken now: the stock'),
  byLocation: Type.Array(
    Model('SupplyPlace', {
      locationId: Nullable({ ...Id, description: 'Null: no place is known' }),
      quantity: Quantity(1, 48),
    }),
  ),
  publicUrl: address('Where members take some of it, after signing in; 404 to everybody else'),
  qrContent: address('The content of the QR code on it: `publicUrl`'),
  orgId: Nullable(Id),
  userId: { ...Id, description: 'The user who registered it' },
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
})
export type SupplyView = Static<typeof SupplyView>
export const SupplyPage = PageOf(SupplyView)

export const AdminSupplyView = Model('AdminSupply', { ...SupplyView.properties, ...ownerFields })
export type AdminSupplyView = Static<typeof AdminSupplyView>
export const AdminSupplyPage = PageOf(AdminSupplyView)
