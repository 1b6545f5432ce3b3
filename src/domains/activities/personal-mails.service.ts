/** News about the registration or the pass of one person: a notification in the app, and a mail. All mails to participants have the same budgets. */

import type { AppContext } from '#context'
import { leftOf, spend, spendEach } from '#db/counters.ts'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { registrations } from '#db/schema/activities.ts'
import type { SkipReason } from '#db/schema/activity-messages.ts'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { SettleMail } from '#domains/contributions.ts'
import { addressHash, hasMailServer, sendComposed } from '#domains/delivery/index.ts'
import type { Job } from '#domains/domain.ts'
import { mailTargetsOf, notify } from '#domains/notifications/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Localized } from '#lib/localized.ts'
import { DAY, HOUR } from '#platform/clock.ts'
import type { Use } from '#platform/limiter.ts'

import type { ActivityRow } from './activities.store.ts'
import { MAILS_TO_ADDRESS, type PersonalKind, type PersonalMail } from './personal-mails.model.ts'
import * as store from './personal-mails.store.ts'

/** The budgets of mails to participants: of the owner of the activity and of the server, in a day, without those that are unlimited. */
export async function mailUses(ctx: AppContext, owner: OwnerKey): Promise<Use[]> {
  const uses = [
    { key: `event-mails:${owner}`, limit: await getSetting(ctx, 'budget.eventMailsPerOwner'), windowMs: DAY },
    { key: 'event-mails', limit: await getSetting(ctx, 'budget.eventMailsPerDay'), windowMs: DAY },
  ]
  return uses.filter(({ limit }) => limit > 0)
}

/** Counts up to `wanted` mails. Returns how many the budgets allow. `overdraw`: they allow all, which count nevertheless. */
export async function spendMails(
  tx: Tx,
  uses: readonly Use[],
  { wanted, overdraw, now }: { readonly wanted: number; readonly overdraw: boolean; readonly now: number },
): Promise<number> {
  if (wanted === 0) return 0
  const allowed = overdraw ? wanted : Math.min(wanted, await leftOf(tx, uses, now))
  if (allowed === 0) return 0
  const spent = uses.map((use) => ({ ...use, cost: allowed, ...(overdraw && { limit: Number.MAX_SAFE_INTEGER }) }))
  await spend(tx, spent, now)
  return allowed
}

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
  ACCEPTED: {
    title: () => ({ en: 'Your registration is confirmed', zh: '你的报名已确认' }),
    body: (name) => ({
      en: `The organizer has confirmed your registration for ${name}.`,
      zh: `主办方已确认你在“${name}”的报名。`,
    }),
    event: 'REGISTRATION_CONFIRMED',
  },
  WAITING: {
    title: () => ({ en: 'You are on the waiting list', zh: '你已进入候补名单' }),
    body: (name) => ({
      en: `The organizer has put you on the waiting list of ${name}.`,
      zh: `主办方已将你列入“${name}”的候补名单。`,
    }),
    event: 'REGISTRATION_WAITING',
  },
  REJECTED: {
    title: () => ({ en: 'Your registration was not accepted', zh: '你的报名未通过' }),
    body: (name) => ({
      en: `The organizer has not accepted your registration for ${name}.`,
      zh: `主办方未接受你在“${name}”的报名。`,
    }),
    event: 'REGISTRATION_REJECTED',
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
  PASS_CHANGED: {
    title: (name) => ({ en: `Your pass for ${name} has changed`, zh: `你的通行证有变更：${name}` }),
    body: (name) => ({
      en: `Your pass for ${name} is valid at other times now. Its QR code stays good.`,
      zh: `你的“${name}”通行证的有效时间已变更，原二维码仍可使用。`,
    }),
    event: null,
  },
  PASS_REVOKED: {
    title: (name) => ({ en: `Your pass for ${name} was revoked`, zh: `你的通行证已作废：${name}` }),
    body: (name) => ({
      en: `Your pass for ${name} is no longer valid. The entrance refuses it.`,
      zh: `你的“${name}”通行证已作废，入口将不再放行。`,
    }),
    event: null,
  },
}

/** The words of the news in the app. */
export const noticeOf = (
  kind: PersonalKind,
  activity: string,
): { readonly title: Localized; readonly body: Localized } => ({
  title: NOTICES[kind].title(activity),
  body: NOTICES[kind].body(activity),
})

/** A user, or the registration of a guest. */
export type Person = Pick<typeof registrations.$inferSelect, 'userId'> &
  Partial<Pick<typeof registrations.$inferSelect, 'id' | 'email' | 'emailConfirmedAt'>>

/** At most some hundred people, in the write that made the news. `reason`: words of the organizer for all of them. */
export async function tellPeople(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  kind: PersonalKind,
  people: readonly Person[],
  reason = '',
): Promise<void> {
  const userIds = people.flatMap(({ userId }) => userId ?? [])
  if (userIds.length > 0) await tellInApp(ctx, tx, activity, kind, userIds, reason)
  await mailPeople(ctx, tx, activity, kind, people)
}

async function tellInApp(
  ctx: AppContext,
  tx: Tx,
  { id, name, owner }: ActivityRow,
  kind: PersonalKind,
  userIds: readonly number[],
  reason: string,
): Promise<void> {
  const { title, body, event } = NOTICES[kind]
  const { en, zh } = body(name)
  await notify(ctx, tx, {
    userIds,
    type: 'SYSTEM',
    title: title(name),
    body: reason === '' ? { en, zh } : { en: `${en} ${reason}`, zh: `${zh}${reason}` },
    data: { activityId: id, ...(event === null ? { orgId: orgOf(owner) || null } : { event }) },
    // A later one takes its place: users can cancel and register again.
    subject: `${kind.startsWith('PASS') ? kind : 'REGISTRATION'} ${id}`,
  })
  const told = { activityId: id, kind, channel: 'APP', state: 'SENT', reason: null, sentAt: tx.stamp } as const
  await store.insertNews(
    tx,
    userIds.map((person) => ({ ...told, person })),
  )
}

/** Not for activities without automatic notices, and not for people without a proved address. */
async function mailPeople(
  ctx: AppContext,
  tx: Tx,
  { id: activityId, owner, autoNotices }: ActivityRow,
  kind: PersonalKind,
  people: readonly Person[],
): Promise<void> {
  if (!autoNotices) return
  const userIds = people.flatMap(({ userId }) => userId ?? [])
  const targets = hasMailServer(ctx) ? await mailTargetsOf(ctx, tx, userIds) : undefined
  const addressOf = ({ userId, email = null, emailConfirmedAt = null }: Person): string | null =>
    userId === null ? (emailConfirmedAt === null ? null : email) : (targets?.get(userId)?.address ?? null)
  const planned = people.flatMap((one) => {
    const person = one.userId ?? (one.id === undefined ? undefined : -one.id)
    return person === undefined ? [] : [{ person, address: addressOf(one) }]
  })
  const queued = targets === undefined ? NOBODY : await withinBudgets(ctx, tx, owner, planned)
  const skippedOf = (one: Planned): SkipReason | null => {
    if (targets === undefined) return 'NO_MAIL_SERVER'
    if (one.address === null) return 'NO_ADDRESS'
    return queued.has(one) ? null : 'BUDGET'
  }
  const newsIds = await store.insertNews(
    tx,
    planned.map((one) => ({
      activityId,
      person: one.person,
      kind,
      channel: 'EMAIL',
      state: skippedOf(one) === null ? 'QUEUED' : 'SKIPPED',
      reason: skippedOf(one),
      sentAt: null,
    })),
  )
  const mails = planned.flatMap((one, i) => {
    const data: PersonalMail = { kind, activityId, userId: one.person, newsId: newsIds[i]! }
    return queued.has(one) ? [{ to: one.address!, kind: 'ACTIVITY', data: { ...data } } as const] : []
  })
  await sendComposed(ctx, tx, mails)
}

interface Planned {
  readonly person: number
  readonly address: string | null
}
const NOBODY: ReadonlySet<Planned> = new Set()

/** Those with an address whose mails the budgets of the address, the owner and the server allow, where they are counted. */
async function withinBudgets(
  ctx: AppContext,
  tx: Tx,
  owner: OwnerKey,
  planned: readonly Planned[],
): Promise<ReadonlySet<Planned>> {
  const now = ctx.clock.now()
  // A guest and a user may have the same address.
  const ofAddresses = new Map<string, Use>()
  for (const { address } of planned)
    if (address !== null)
      ofAddresses.set(address, {
        key: `event-mails-to:${addressHash(ctx, address)}`,
        limit: MAILS_TO_ADDRESS,
        windowMs: DAY,
      })
  const refused = await spendEach(tx, [...ofAddresses.values()], now)
  const wanted = planned.filter(({ address }) => address !== null && !refused.has(ofAddresses.get(address)!))
  // Settings are cached.
  const uses = await mailUses(ctx, owner)
  return new Set(wanted.slice(0, await spendMails(tx, uses, { wanted: wanted.length, overdraw: false, now })))
}

/** Records what became of a mail. It was dropped if the person has opted out or left the address, or if the news was no longer true. */
export const settlePersonalMail: SettleMail = async (_ctx, tx, data, result) => {
  const { newsId } = data as unknown as PersonalMail
  if (newsId === undefined) return
  const state = result === 'DROPPED' ? 'SKIPPED' : result
  await store.settleNews(tx, newsId, { state, reason: null, sentAt: result === 'SENT' ? tx.stamp : null })
}

const NEWS_KEPT_MS = 365 * DAY

export const oldNewsJob: Job = {
  name: 'activities.deleteOldNews',
  every: HOUR,
  run: (ctx) =>
    inSlices(ctx, 'activities.deleteOldNews', (tx, limit) =>
      store.deleteOldNews(tx, ctx.clock.now() - NEWS_KEPT_MS, limit),
    ),
}
