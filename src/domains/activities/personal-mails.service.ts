/** Mails about the registration or the pass of one user, beside the notification in the app. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { Tx } from '#db/store.ts'
import { hasMailServer, sendComposed } from '#domains/delivery/index.ts'
import { mailTargetsOf } from '#domains/notifications/index.ts'
import { DAY } from '#platform/clock.ts'

import type { ActivityRow } from './activities.store.ts'
import { PERSONAL_MAILS_A_DAY, type PersonalKind, type PersonalMail } from './personal-mails.model.ts'

/** To be called in the write of the notification with the same news. Not for activities without automatic notices, and not for users without a proved address. At most some hundred users. */
export async function mailUsers(
  ctx: AppContext,
  tx: Tx,
  { id: activityId, autoNotices }: ActivityRow,
  kind: PersonalKind,
  userIds: readonly number[],
): Promise<void> {
  if (!autoNotices || !hasMailServer(ctx)) return
  const mails = []
  for (const [userId, { address }] of await mailTargetsOf(ctx, tx, userIds)) {
    const use = { key: `activities:mails:${userId}`, limit: PERSONAL_MAILS_A_DAY, windowMs: DAY }
    if (address === null || (await spend(tx, [use], ctx.clock.now())) !== undefined) continue
    const data: PersonalMail = { kind, activityId, userId }
    mails.push({ to: address, kind: 'ACTIVITY', data: { ...data } } as const)
  }
  await sendComposed(ctx, tx, mails)
}
