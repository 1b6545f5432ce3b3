import type { AppContext } from '#context'

import type { PassView, PublicPass } from './passes.model.ts'
import { maskName, statusOf } from './passes.rules.ts'
import type { PassRow } from './passes.store.ts'

/** `qrContent` is null for callers who neither manage the activity nor hold the pass. */
export const viewOf = (ctx: AppContext, row: PassRow, qrContent: string | null): PassView => ({
  id: row.id,
  uuid: row.uuid,
  activityId: row.activityId,
  templateId: row.templateId,
  holderUserId: row.holderUserId,
  holderName: row.holderName,
  fields: row.fields.map(({ key, label, value }) => ({ key, label, value })),
  color: row.color || null,
  status: statusOf(row, ctx.clock.now()),
  validFrom: row.validFrom,
  validTo: row.validTo,
  followsActivity: row.followsActivity,
  maxUses: row.maxUses,
  usedCount: row.usedCount,
  lastUsedAt: row.lastUsedAt,
  revokedAt: row.revokedAt,
  revokeReason: row.revokeReason || null,
  qrContent,
  publicUrl: `${ctx.config.publicUrl}/s/pass/${row.uuid}`,
  createdAt: row.createdAt,
})

/** The answer to people who check a pass without being allowed to redeem it. */
export const publicPass = (row: PassRow, now: number): PublicPass => ({
  uuid: row.uuid,
  holderName: maskName(row.holderName),
  status: statusOf(row, now),
  validFrom: row.validFrom,
  validTo: row.validTo,
})
