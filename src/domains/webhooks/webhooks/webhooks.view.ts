import { orgOf } from '#db/owner-key.ts'

import type { WebhookView } from './webhooks.model.ts'
import type { WebhookRow } from './webhooks.store.ts'

export const toView = (row: WebhookRow): WebhookView => ({
  id: row.id,
  scope: row.scope,
  orgId: orgOf(row.owner) || null,
  name: row.name,
  url: row.url,
  events: row.events,
  enabled: row.enabled,
  disabledReason: row.disabledReason,
  pending: row.pending,
  lastSuccessAt: row.lastSuccessAt,
  lastFailureAt: row.lastFailureAt,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})
