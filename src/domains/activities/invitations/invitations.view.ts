import type { AppContext } from '#context'

import type { ActivityRow } from '../activities.store.ts'
import { activityUrl } from '../links/links.view.ts'
import { stateOf } from '../visibility/personal-codes.rules.ts'
import type { InvitationRow } from '../visibility/personal-codes.store.ts'
import type { InvitationView } from './invitations.model.ts'

/** The page of the activity with the code of an invitation. */
export const invitationUrl = (ctx: AppContext, activity: Pick<ActivityRow, 'uuid'>, code: string): string =>
  `${activityUrl(ctx, activity)}?code=${code}`

export const toView = (ctx: AppContext, activity: Pick<ActivityRow, 'uuid'>, row: InvitationRow): InvitationView => ({
  id: row.id,
  code: row.code,
  url: invitationUrl(ctx, activity, row.code),
  email: row.email,
  name: row.name,
  language: row.language,
  state: stateOf(row, ctx.clock.now()),
  mail: row.mailState && { state: row.mailState, reason: row.mailReason },
  sentAt: row.sentAt,
  openedAt: row.openedAt,
  registrationId: row.usedBy,
  overCapacity: row.overCapacity,
  expiresAt: row.expiresAt,
  createdAt: row.createdAt,
})
