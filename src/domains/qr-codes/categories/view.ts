import type { CategoryView } from './model.ts'
import type { CategoryRow } from './store.ts'

export const toView = (row: CategoryRow, codeCount: number): CategoryView => ({
  id: row.id,
  name: row.name,
  color: row.color,
  parentId: row.parentId,
  pinned: row.pinned,
  sortOrder: row.sortOrder,
  codeCount,
  createdAt: row.createdAt,
})
