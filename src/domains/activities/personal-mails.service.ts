/** News about the registration or the pass of one person: a notification in the app, and a mail. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import { orgOf } from '#db/owner-key.ts'
import { personOf, type registrations } from '#db/schema/activities.ts'
import type { Tx } from '#db/store.ts'
import { hasMailServer, sendComposed } from '#domains/delivery/index.ts'
import { mailTargetsOf, notify } from '#domains/notifications/index.ts'
import type { Localized } from '#lib/localized.ts'
import { DAY } from '#platform/clock.ts'

import type { ActivityRow } from './activities.store.ts'
import { PERSONAL_MAILS_A_DAY, type PersonalKind, type PersonalMail } from './personal-mails.model.ts'

interface Notice {
  readonly title: (activity: string) => Localized
  readonly body: (activity: string) => Localized
  readonly event: string | null
}

const NOTICES: Readonly<Record<PersonalKind, Notice>> = {
  CONFIRMED: {
    title: () => ({ en: 'You have a place', zh: '你已获得名额' }),
    body: (name) => ({
      en: `A place became free: you are now registered for ${name}.`,
      zh: `有名额空出，你已成功报名“${name}”。`,
    }),
    event: 'REGISTRATION_CONFIRMED',
  },
  REMOVED: {
    title: () => ({ en: 'Your registration was cancelled', zh: '你的报名已被取消' }),
    body: (name) => ({
      en: `The organizer has cancelled your registration for ${name}.`,
      zh: `主办方取消了你在“${name}”的报名。`,
    }),
    event: 'REGISTRATION_CANCELLED',
  },
  PASS: {
    title: (name) => ({ en: `Your pass for ${name}`, zh: `你的通行证：${name}` }),
    body: (name) => ({
      en: `You have a pass for ${name}. Show its QR code at the entrance.`,
      zh: `你已获得“${name}”的通行证，入场时请出示其二维码。`,
    }),
    event: null,
  },
}

/** A user, or the registration of a guest. */
export type Person = Pick<typeof registrations.$inferSelect, 'userId'> &
  Partial<Pick<typeof registrations.$inferSelect, 'id' | 'email' | 'emailConfirmedAt'>>

/** At most some hundred people, in the write that made the news. */
export async function tellPeople(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  kind: PersonalKind,
  people: readonly Person[],
): Promise<void> {
  await mailGuests(ctx, tx, activity, kind, people)
  const { id, name, owner } = activity
  const userIds = people.flatMap(({ userId }) => userId ?? [])
  const { title, body, event } = NOTICES[kind]
  await notify(ctx, tx, {
    userIds,
    type: 'SYSTEM',
    title: title(name),
    body: body(name),
    data: { activityId: id, ...(event === null ? { orgId: orgOf(owner) || null } : { event }) },
    // A later one takes its place: users can cancel and register again.
    subject: `${kind === 'PASS' ? 'PASS' : 'REGISTRATION'} ${id}`,
  })
  await mailUsers(ctx, tx, activity, kind, userIds)
}

/** Not for activities without automatic notices, and not for guests without a confirmed address. */
async function mailGuests(
  ctx: AppContext,
  tx: Tx,
  { id: activityId, autoNotices }: ActivityRow,
  kind: PersonalKind,
  people: readonly Person[],
): Promise<void> {
  if (!autoNotices || !hasMailServer(ctx)) return
  const mails = []
  for (const { userId, id, email = null, emailConfirmedAt = null } of people) {
    if (userId !== null || id === undefined || email === null || emailConfirmedAt === null) continue
    const person = personOf({ userId, id })
    const use = { key: `activities:mails:${person}`, limit: PERSONAL_MAILS_A_DAY, windowMs: DAY }
    if ((await spend(tx, [use], ctx.clock.now())) !== undefined) continue
    const data: PersonalMail = { kind, activityId, userId: person }
    mails.push({ to: email, kind: 'ACTIVITY', data: { ...data } } as const)
  }
  await sendComposed(ctx, tx, mails)
}

/** Not for activities without automatic notices, and not for users without a proved address. */
async function mailUsers(
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
