import type { ShareView } from './model.ts'
import type { ShareRow } from './store.ts'

export const toShareView = (row: ShareRow): ShareView => ({
  id: row.id,
  orgId: row.orgId,
  entityType: row.entityType,
  sourceId: row.sourceId,
  copyId: row.copyId,
  name: row.name,
  sharedBy: { userId: row.sharedBy, nickname: row.nickname, avatarUrl: row.avatarUrl },
  createdAt: row.createdAt,
})
