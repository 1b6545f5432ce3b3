import { statusAt } from '../rules.ts'
import type { InvitationView } from './model.ts'
import type { ShownInvitation } from './store.ts'

/** `now` in epoch milliseconds: an open invitation ends by itself. */
export const toInvitationView = (row: ShownInvitation, now: number): InvitationView => ({
  id: row.invitation.id,
  orgId: row.invitation.orgId,
  orgName: row.orgName,
  orgAvatarUrl: row.orgAvatarUrl,
  inviterId: row.invitation.inviterId,
  inviterNickname: row.inviterNickname,
  inviteeId: row.invitation.inviteeId,
  inviteeNickname: row.inviteeNickname,
  status: statusAt(row.invitation, now),
  expiresAt: row.invitation.expiresAt,
  respondedAt: row.invitation.respondedAt,
  createdAt: row.invitation.createdAt,
})
