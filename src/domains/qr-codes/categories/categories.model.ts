import {
  Enum,
  Id,
  Line,
  Model,
  Name,
  Nullable,
  OneOf,
  PageOf,
  PageQuery,
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

/** The only notation that is safe to put into a style sheet unchanged. Rows from before this rule may have others. */
export const Color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: '`#rrggbb`', examples: ['#ff8800'] })
export const ParentId = Nullable(Id)

export const CategoryName = { ...Name, examples: ['Menus'] }

export const CreateCategory = Model('CreateCategory', {
  name: CategoryName,
  color: Type.Optional(Nullable(Color)),
  parentId: Type.Optional(ParentId),
})
export type CreateCategory = Static<typeof CreateCategory>

export const UpdateCategory = Model('UpdateCategory', {
  name: Type.Optional(CategoryName),
  color: Type.Optional(Nullable(Color)),
})
export type UpdateCategory = Static<typeof UpdateCategory>

/** Every field of a category that can change. */
export interface CategoryChange extends UpdateCategory {
  parentId?: number | null
  pinned?: boolean
  sortOrder?: number
}

export const MoveCategory = Model('MoveCategory', { parentId: ParentId })
const Ids = Type.Array(Id, { minItems: 1, maxItems: MAX_CATEGORIES, uniqueItems: true })
export const PinCategories = Model('PinCategories', { ids: Ids, pinned: Type.Boolean() })

/** Exactly one of the two: `ids` in their new order, or `items` with a sort order each. */
export const ReorderCategories = OneOf('ReorderCategories', ['ids', 'items'], {
  ids: Type.Optional(Ids),
  items: Type.Optional(Type.Array(SortItem, { minItems: 1, maxItems: MAX_CATEGORIES })),
})
export type ReorderCategories = Static<typeof ReorderCategories>

export const ListQuery = PageQuery({
  parentId: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only its direct children; 0 for the top level',
      examples: [0],
    }),
  ),
  keyword: Type.Optional(Line(100, 0, { description: 'Part of the name', examples: ['menu'] })),
  sort: Sort(['name', 'createdAt', 'sortOrder']),
})
export type ListQuery = Static<typeof ListQuery>

const fields = {
  id: Id,
  name: Text('Menus'),
  color: Text('#ff8800'),
  parentId: Nullable(Id),
  pinned: Type.Boolean(),
  sortOrder: SortOrder,
  codeCount: Type.Integer({ minimum: 0, description: 'Codes directly in it, without sub-categories and trash' }),
  createdAt: Time,
}
export const CategoryView = Model('Category', fields)
export type CategoryView = Static<typeof CategoryView>
export const CategoryPage = PageOf(CategoryView)

export const CategoryTree = Type.Array(Tree('CategoryNode', fields))

const DELETABLE_REASONS = ['HAS_CHILDREN'] as const
export const Deletable = Model('CategoryDeletable', {
  deletable: Type.Boolean(),
  reason: Nullable(Enum(DELETABLE_REASONS)),
  childCount: Type.Integer({ minimum: 0 }),
  codeCount: Type.Integer({ minimum: 0, description: 'Codes that would be left without a category' }),
})
export type Deletable = Static<typeof Deletable>
