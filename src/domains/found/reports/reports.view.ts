import { orgOf } from '#db/owner-key.ts'

import { type FoundMessage, type FoundReportView, POSITION_MS } from './reports.model.ts'
import type { MessageRow, ReportRow } from './reports.store.ts'

export const toMessage = ({ fromOwner, text, createdAt }: MessageRow): FoundMessage => ({
  fromOwner,
  text,
  at: createdAt,
})

export const toView = (row: ReportRow, messages: readonly MessageRow[], now: number): FoundReportView => ({
  id: row.id,
  kind: row.kind,
  targetId: row.targetId,
  orgId: orgOf(row.owner) || null,
  title: row.title,
  status: row.status,
  messages: messages.map(toMessage),
  contact: row.contact,
  position: positionOf(row, now),
  endsAt: row.endsAt,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

/** Also before the job has deleted it, nobody sees an old position. */
function positionOf({ latitude, longitude, accuracy, createdAt }: ReportRow, now: number): FoundReportView['position'] {
  if (latitude === null || longitude === null || createdAt + POSITION_MS <= now) return null
  return { latitude, longitude, accuracy, address: null }
}
