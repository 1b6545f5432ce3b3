import { DEPRECIATION_METHODS } from '#db/schema/assets.ts'
import { APPROVALS } from '#db/schema/reservations.ts'
import { keywordFilter, ownerFields, ownerFilters } from '#domains/admin/index.ts'
import {
  Enum,
  Id,
  Model,
  Name,
  Named,
  Nullable,
  OneOf,
  PageOf,
  PageQuery,
  RowVersion,
  Sort,
  SortItem,
  SortOrder,
  type Static,
  Text,
  Time,
  Tree,
  Type,
} from '#http/schema.ts'

/** Levels of the tree (interface: at most 5). */
export const MAX_DEPTH = 5
/** The tree is always answered as a whole, so its size needs a limit; far above what people use. */
export const MAX_CATEGORIES = 2000
/** Templates of one category. */
export const MAX_TEMPLATES = 20

const SCOPES = ['PERSONAL', 'ORG'] as const
export type Scope = (typeof SCOPES)[number]
const ScopeName = Enum(SCOPES)

/** The only notation that is safe to put into a style sheet unchanged. */
const Color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: '`#rrggbb`', examples: ['#ff8800'] })
const CategoryName = { ...Name, examples: ['Laptops'] }

const OrgId = Type.Optional(Id)
const NullableOrgId = Type.Optional(Nullable(Id))

const Depreciation = Model('AssetDepreciation', {
  method: Enum(DEPRECIATION_METHODS, { examples: ['STRAIGHT_LINE'] }),
  months: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1200,
        description: 'The useful life. Required with STRAIGHT_LINE',
        examples: [36],
      }),
    ),
  ),
  residualPercent: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, default: 0, description: 'Of the price, which remains' }),
  ),
  yearlyPercent: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 99,
        description: 'Required with DECLINING, absent otherwise',
        examples: [null],
      }),
    ),
  ),
})
export type DepreciationInput = Static<typeof Depreciation>

const MAX_KEEPERS = 10
const booking = {
  bookable: Type.Boolean({ default: false, description: 'Whether members may reserve its assets' }),
  approval: Enum(APPROVALS, {
    default: 'KEEPER',
    description: 'KEEPER: each reservation has to be approved',
    examples: ['KEEPER'],
  }),
  maxDays: Type.Integer({ minimum: 1, maximum: 366, default: 14, description: 'The longest reservation' }),
  leadHours: Type.Integer({ minimum: 0, maximum: 720, default: 0, description: 'It begins so long after the request' }),
  aheadDays: Type.Integer({ minimum: 1, maximum: 730, default: 90, description: 'It begins at most so far ahead' }),
  noShowHours: Type.Integer({
    minimum: 1,
    maximum: 720,
    default: 24,
    description: 'A reservation that nobody picks up ends so long after its beginning',
  }),
  keeperIds: Type.Array(Id, {
    maxItems: MAX_KEEPERS,
    uniqueItems: true,
    default: [],
    description: 'Members who are asked to approve; the keepers of the organization if it is empty',
    examples: [[]],
  }),
}
const BookingInput = Named('NewAssetBooking', Type.Partial(Type.Object(booking), { examples: [{ bookable: true }] }))
export type BookingInput = Static<typeof BookingInput>

const AsAbove = 'null: as the nearest category above it that has one'
const writable = {
  booking: Type.Optional(
    Nullable({
      ...BookingInput,
      description: `How members may reserve its assets; ${AsAbove}. Only for organizations`,
    }),
  ),
  depreciation: Type.Optional(Nullable({ ...Depreciation, description: `How its assets lose value; ${AsAbove}` })),
  countEveryMonths: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 120,
        description: `Months from one count of its assets to the next; ${AsAbove}`,
        examples: [12],
      }),
    ),
  ),
  color: Type.Optional(Nullable(Color)),
  shared: Type.Optional({
    ...Type.Boolean(),
    description:
      'Only for organizations, true by default. If false, only its creator and members who may manage asset categories see it, with ' +
      'everything below it, in the tree',
  }),
  templateIds: Type.Optional(
    Nullable(
      Type.Array(Id, {
        maxItems: MAX_TEMPLATES,
        uniqueItems: true,
        description: 'Metadata templates of its assets, in the order of their fields',
      }),
    ),
  ),
  defaultTemplateId: Type.Optional(
    Nullable({ ...Id, description: 'One of `templateIds`; the first of them if you give none' }),
  ),
}

// Without templates, because nobody could send an example with their ids.
const examples = [{ name: 'Laptops', color: '#ff8800' }]

export const CreateAssetCategory = Model(
  'CreateAssetCategory',
  { examples },
  { name: CategoryName, parentId: Type.Optional(Nullable(Id)), ...writable, orgId: NullableOrgId },
)
export type CreateAssetCategory = Static<typeof CreateAssetCategory>

export const UpdateAssetCategory = Model(
  'UpdateAssetCategory',
  { examples },
  { name: Type.Optional(CategoryName), ...writable },
)
export type UpdateAssetCategory = Static<typeof UpdateAssetCategory>

/** Every field of a category that can change. */
export interface CategoryChange extends UpdateAssetCategory {
  parentId?: number | null
  pinned?: boolean
  sortOrder?: number
}

export const MoveAssetCategory = Model('MoveAssetCategory', { parentId: Nullable(Id) })
const Ids = Type.Array(Id, { minItems: 1, maxItems: MAX_CATEGORIES, uniqueItems: true })
export const PinAssetCategories = Model('PinAssetCategories', {
  ids: Ids,
  pinned: Type.Boolean(),
  orgId: NullableOrgId,
})

/** Exactly one of the two: `ids` in their new order, or `items` with a sort order each. */
export const ReorderAssetCategories = OneOf('ReorderAssetCategories', ['ids', 'items'], {
  ids: Type.Optional(Ids),
  items: Type.Optional(Type.Array(SortItem, { minItems: 1, maxItems: MAX_CATEGORIES })),
  orgId: NullableOrgId,
})
export type ReorderAssetCategories = Static<typeof ReorderAssetCategories>

export const TreeQuery = Type.Object({
  scope: Type.Optional(
    Enum(SCOPES, { description: 'ORG by default if you give `orgId`, otherwise PERSONAL, which ignores `orgId`' }),
  ),
  orgId: OrgId,
})
export type TreeQuery = Static<typeof TreeQuery>

export const AllAssetCategoriesQuery = PageQuery({
  scope: Type.Optional(ScopeName),
  ...ownerFilters,
  ...keywordFilter('the name'),
  sort: Sort(['createdAt']),
})
export type AllAssetCategoriesQuery = Static<typeof AllAssetCategoriesQuery>

const fields = {
  id: Id,
  scope: ScopeName,
  orgId: Nullable(Id),
  name: Text('Laptops'),
  color: Text('#ff8800'),
  parentId: Nullable(Id),
  pinned: Type.Boolean(),
  sortOrder: SortOrder,
  shared: Type.Boolean(),
  templateIds: Type.Array(Id),
  defaultTemplateId: Nullable(Id),
  depreciation: Nullable(
    Model('AssetCategoryDepreciation', {
      method: Enum(DEPRECIATION_METHODS),
      months: Nullable(Type.Integer({ examples: [36] })),
      residualPercent: Type.Integer({ examples: [0] }),
      yearlyPercent: Nullable(Type.Integer({ examples: [20] })),
    }),
  ),
  countEveryMonths: Nullable(Type.Integer({ examples: [12] })),
  booking: Nullable(Model('AssetBooking', booking)),
  assetCount: Type.Integer({ minimum: 0, description: 'Assets directly in it, without sub-categories' }),
  createdBy: Id,
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
}
export const AssetCategoryView = Model('AssetCategory', fields)
export type AssetCategoryView = Static<typeof AssetCategoryView>
export const AnyAssetCategoryView = Model('AdminAssetCategory', { ...fields, ...ownerFields })
export type AnyAssetCategoryView = Static<typeof AnyAssetCategoryView>
export const AnyAssetCategoryPage = PageOf(AnyAssetCategoryView)
export const AssetCategoryTree = Type.Array(Tree('AssetCategoryNode', fields))

const DELETABLE_REASONS = ['HAS_CHILDREN'] as const
export const AssetCategoryDeletable = Model('AssetCategoryDeletable', {
  deletable: Type.Boolean(),
  reason: Nullable(Enum(DELETABLE_REASONS)),
  childCount: Type.Integer({ minimum: 0 }),
  assetCount: Type.Integer({ minimum: 0, description: 'Assets that would be left without a category' }),
})
export type AssetCategoryDeletable = Static<typeof AssetCategoryDeletable>
