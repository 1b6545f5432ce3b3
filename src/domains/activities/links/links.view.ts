import type { AppContext } from '#context'

import type { ActivityRow } from '../activities.store.ts'

export const activityUrl = (ctx: AppContext, { uuid }: Pick<ActivityRow, 'uuid'>): string =>
  `${ctx.config.publicUrl}/s/activity/${uuid}`

/** For managers, who share it: with the invite code, which guests would otherwise have to enter. */
export const invitingUrl = (ctx: AppContext, row: Pick<ActivityRow, 'uuid' | 'inviteCode'>): string =>
  activityUrl(ctx, row) + (row.inviteCode === null ? '' : `?code=${row.inviteCode}`)

/** Also the content of the check-in code. Its uuid is not that of the activity, because knowing it replaces the short code. */
export const checkInUrl = (ctx: AppContext, { checkInUuid }: Pick<ActivityRow, 'checkInUuid'>): string =>
  `${ctx.config.publicUrl}/s/check-in/${checkInUuid}`

/** The link is as good as the pass. */
export const passUrl = (ctx: AppContext, { uuid }: { readonly uuid: string }): string =>
  `${ctx.config.publicUrl}/s/pass/${uuid}`

/** Path of the picture of a content on this server. */
export const picturePath = (content: string): string => `/api/qrcode/render?content=${encodeURIComponent(content)}`
