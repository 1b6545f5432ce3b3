import type { PassUseView } from './model.ts'
import type { UseRow } from './store.ts'

/** `showsVerifier`: the caller manages the activity. */
export const toUseView = (row: UseRow, showsVerifier: boolean): PassUseView => ({
  id: row.id,
  passId: row.passId,
  passUuid: row.passUuid,
  holderName: row.holderName,
  result: row.result,
  reason: row.reason,
  direction: row.direction,
  nonce: row.nonce,
  offline: row.offline,
  isDoubleUse: row.isDoubleUse,
  verifierUserId: showsVerifier ? row.verifierUserId : null,
  usedAt: row.usedAt,
  createdAt: row.createdAt,
})
