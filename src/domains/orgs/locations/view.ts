import type { LocationView } from './model.ts'
import type { LocationRow } from './store.ts'

export const toView = (row: LocationRow): LocationView => ({
  id: row.id,
  parentId: row.parentId,
  name: row.name,
  description: row.description,
  latitude: row.latitude,
  longitude: row.longitude,
  pinned: row.pinned,
  sortOrder: row.sortOrder,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})
