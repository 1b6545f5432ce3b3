import { withSequence } from '../outbox/outbox.rules.ts'
import type { DeliveryDetail, DeliveryView } from './deliveries.model.ts'
import type { DeliveryRow } from './deliveries.store.ts'

export const toView = (row: DeliveryRow): DeliveryView => ({
  id: row.id,
  eventId: row.eventId,
  event: row.event,
  sequence: row.sequence ?? 0,
  status: row.status,
  attempts: row.attempts.map(({ at, status, error, ms }) => ({ at, status, error, ms })),
  nextAttemptAt: row.dueAt,
  createdAt: row.createdAt,
})

export const toDetail = (row: DeliveryRow): DeliveryDetail => ({
  ...toView(row),
  body: withSequence(row.body, row.sequence ?? 0),
  answer: row.answer,
})
