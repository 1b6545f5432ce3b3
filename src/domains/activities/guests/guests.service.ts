/** People register without an account: the form, the mail with their secret link, and the limits against abuse. */

import type { AppContext } from '#context'
import { findRefusal, leftOf, spend, takeOnce } from '#db/counters.ts'
import type { Tx } from '#db/store.ts'
import { emailOf } from '#domains/accounts/index.ts'
import { addressHash, endSuppression, sendComposed } from '#domains/delivery/index.ts'
import { emit } from '#domains/domain.ts'
import { notify } from '#domains/notifications/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { secondsOf, usesByAddress } from '#http/budget.ts'
import type { Caller } from '#http/endpoint.ts'
import { AppError, limited, notFound } from '#http/errors.ts'
import { ipNetworks } from '#lib/ip.ts'
import type { Localized } from '#lib/localized.ts'
import { UUID_PATTERN } from '#lib/text.ts'
import { DAY } from '#platform/clock.ts'
import type { Refusal, Use } from '#platform/limiter.ts'
import { newLinkSecret } from '#platform/seal.ts'

import { type ActivityRow, findActivity, findByUuid, IN_ORDER } from '../activities.store.ts'
import {
  FORMS_OF_ACTIVITY,
  FORMS_OF_ADDRESS,
  FORMS_WINDOW_MS,
  type GuestForm,
  type NewGuest,
  PENDING_MS,
  pendingBound,
  PROTECTED_MS,
  TOKEN_MS,
  USES_OF_TOKEN,
  WARN_AT,
} from '../guest-forms/guest-forms.model.ts'
import {
  findForm,
  noGuests,
  readToken,
  requireGuests,
  takesGuests,
  usedTooOften,
} from '../guest-forms/guest-forms.service.ts'
import * as store from '../registrations/guests.store.ts'
import { placeIn } from '../registrations/places.service.ts'
import type { Answers } from '../registrations/registrations.rules.ts'
import { answersTo, requireOpen } from '../registrations/registrations.service.ts'
import type { RegistrationRow } from '../registrations/registrations.store.ts'
import {
  checkInvitation,
  checkNamedInvitation,
  type PersonalInvitation,
  useFor,
} from '../visibility/personal-codes.service.ts'
import { refuseIfDisabled, see } from '../visibility/visibility.service.ts'

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i')

const tooManyForms = (seconds: number) =>
  limited('Too many people register at this moment, try again later', '当前报名人数过多，请稍后再试', seconds)
const tooManyMails = (seconds: number) =>
  limited(
    'Several mails were sent to this address today. Look for them, or try again tomorrow',
    '此邮箱今天已收到多封邮件，请查收，或明天再试',
    seconds,
  )

type Visitor = Pick<Caller, 'ip'>

/** @throws AppError 404 and 403 as the page of the activity */
async function findSeen(
  ctx: AppContext,
  uuid: string,
  caller: Visitor,
  code: string | null | undefined,
): Promise<ActivityRow> {
  const row = UUID.test(uuid) ? await findByUuid(ctx.db.read, uuid) : undefined
  return (await see(ctx, row, { viewer: { userId: 0, orgId: 0 }, caller, code })).row
}

/** @throws AppError 400 while guests cannot register */
export async function showForm(
  ctx: AppContext,
  uuid: string,
  caller: Visitor,
  code: string | undefined,
): Promise<GuestForm> {
  const row = await findSeen(ctx, uuid, caller, code)
  const form = await findForm(ctx, row)
  if (form !== null) return form
  await requireGuests(ctx, row)
  requireOpen(row, ctx.clock.now())
  throw noGuests()
}

/** In a form a line break has two characters. */
export const answersIn = ({ answers, answer }: Pick<NewGuest, 'answers' | 'answer'>): Answers =>
  Object.fromEntries(
    Object.entries({ ...answer, ...answers }).map(([key, text]) => [key, text.replaceAll('\r\n', '\n')]),
  )

/**
 * Registers a guest, who must confirm by the link of a mail. If the address has a registration, its link is sent instead, and nothing else
 * happens, so that nobody learns it. @throws AppError 400, 403, 404, 429; none of them depends on who is registered
 */
export async function addGuest(ctx: AppContext, uuid: string, input: NewGuest, caller: Caller): Promise<void> {
  const seen = await findSeen(ctx, uuid, caller, input.code)
  refuseIfDisabled(seen)
  await requireGuests(ctx, seen)
  const email = emailOf(input.email)
  const given = answersIn(input)
  answersTo(seen, given, ctx.clock.now())
  const nonce = readToken(ctx, seen.id, input.formToken)
  if (input.website) return
  await takeRate(ctx, seen, caller)
  const limits = await limitsOf(ctx, seen, email, caller)
  const token: Use = { key: `guests:form:${nonce}`, limit: USES_OF_TOKEN, windowMs: TOKEN_MS }
  const uses = [token, ...limits.all]
  // Most forms of a flood are refused here and cost no write.
  requireUses(limits, await findRefusal(ctx.db.read, uses, ctx.clock.now()), token)
  await ctx.db.write(
    'guests.register',
    async (tx) => {
      const activity = await findActivity(tx, seen.id)
      if (activity === undefined) throw notFound()
      refuseIfDisabled(activity)
      await requireGuests(ctx, activity)
      const now = ctx.clock.now()
      const answers = answersTo(activity, given, now)
      const invitation = await checkInvitation(tx, activity, input.code, now)
      requireUses(limits, await spend(tx, uses, now), token)
      const room = await findRoom(tx, activity, now)
      const row = await store.findGuestByAddress(tx, activity.id, email)
      const isNew = row === undefined || !isLive(row, now)
      if (isNew && room.oldest !== undefined) await store.deletePending(tx, [room.oldest.id])
      const guest = isNew
        ? await insert(ctx, tx, row?.id === room.oldest?.id ? undefined : row, {
            activityId: activity.id,
            status: 'PENDING',
            source: 'GUEST',
            name: input.name,
            email,
            language: input.language ?? caller.locale,
            answers,
            invitationId: invitation?.id ?? null,
          })
        : row
      if (isNew && isProof(invitation, email)) await confirmGuest(ctx, tx, { row: guest, activity })
      await mailLink(ctx, tx, guest)
      await warn(ctx, tx, activity, limits, room.pending + 1 >= WARN_AT * pendingBound(activity.capacity))
    },
    IN_ORDER,
  )
}

/** Whether the code was mailed to the address of the guest, which counts as confirmed then. Managers see the code, too. */
const isProof = (invitation: PersonalInvitation | undefined, email: string): boolean =>
  invitation?.email === email && invitation.sentAt !== null

export interface FoundGuest {
  readonly row: RegistrationRow
  readonly activity: ActivityRow
}

export const LIVE = ['CONFIRMED', 'WAITING', 'PENDING']
export const canConfirm = ({ status, emailConfirmedAt }: RegistrationRow): boolean =>
  LIVE.includes(status) && emailConfirmedAt === null

/** Why a registration ended that its guest confirmed too late. */
const FULL: Localized = { en: 'All places were taken', zh: '名额已满' }

/**
 * Gives the place, or that on the waiting list. If there is none, the registration ends, and the invitation stays open.
 * @throws AppError 400 if the invitation that the guest has named has ended, or if one is needed
 */
export async function confirmGuest(ctx: AppContext, tx: Tx, { row, activity }: FoundGuest): Promise<RegistrationRow> {
  if (!canConfirm(row)) return row
  const now = ctx.clock.now()
  const proof = { emailConfirmedAt: tx.stamp }
  await endSuppression(ctx, tx, row.email!)
  // Entered by a manager: it has its place.
  if (row.status !== 'PENDING') return (await store.changeGuest(tx, row, proof))!
  if (!takesGuests(activity)) throw noGuests()
  requireOpen(activity, now)
  const invitation = await checkNamedInvitation(tx, activity, row.invitationId, now)
  const status = await placeIn(tx, activity, invitation?.overCapacity).catch((error: unknown) => {
    if (error instanceof AppError && error.status === 400) return undefined
    throw error
  })
  if (status === undefined)
    return (await store.changeGuest(tx, row, { ...proof, status: 'CANCELLED', reason: FULL[row.language ?? 'en'] }))!
  // The order of the waiting list is that of the confirmations.
  const times = { createdAt: tx.stamp, confirmedAt: status === 'CONFIRMED' ? tx.stamp : null }
  const saved = (await store.changeGuest(tx, row, { ...proof, ...times, status }))!
  if (invitation !== undefined) await useFor(tx, invitation, saved.id, now)
  if (status === 'CONFIRMED') await emit(ctx, tx, 'registrations.confirmed', { activity, registrationIds: [saved.id] })
  return saved
}

/** Whether the registration has to end before its address can register again. */
const isLive = ({ status, createdAt }: RegistrationRow, now: number): boolean =>
  status === 'PENDING' ? createdAt > now - PENDING_MS : status !== 'CANCELLED'

async function insert(
  ctx: AppContext,
  tx: Tx,
  before: RegistrationRow | undefined,
  values: store.NewGuest,
): Promise<RegistrationRow> {
  if (before !== undefined) return store.renewGuest(tx, before, { ...values, ...newLinkSecret(ctx.seal).columns })
  return store.insertGuest(tx, { ...values, ...newLinkSecret(ctx.seal).columns })
}

/** Mails the link of the page to the address of the guest. */
async function mailLink(ctx: AppContext, tx: Tx, row: RegistrationRow): Promise<void> {
  // Guests whom a manager has entered may have none, and the key of the server may have been replaced.
  const hasLink = row.secret !== null && ctx.seal.open(row.secret) !== undefined
  if (!hasLink) await store.changeGuest(tx, row, { ...newLinkSecret(ctx.seal).columns, updatedAt: row.updatedAt })
  await sendComposed(ctx, tx, [{ to: row.email!, kind: 'ACTIVITY_GUEST', data: { registrationId: row.id } }])
}

/** Mails the link again, if the address has a registration. @throws AppError 404 for an unknown activity, 429 */
export async function sendLink(ctx: AppContext, uuid: string, given: string, caller: Caller): Promise<void> {
  const row = UUID.test(uuid) ? await findByUuid(ctx.db.read, uuid) : undefined
  if (row === undefined || row.status === 'DRAFT' || row.visibility === 'RESTRICTED') throw notFound()
  refuseIfDisabled(row)
  const email = emailOf(given)
  await takeRate(ctx, row, caller)
  const limits = await limitsOf(ctx, row, email, caller)
  requireUses(limits, await findRefusal(ctx.db.read, limits.all, ctx.clock.now()))
  await ctx.db.write(
    'guests.sendLink',
    async (tx) => {
      const now = ctx.clock.now()
      requireUses(limits, await spend(tx, limits.all, now))
      const guest = await store.findGuestByAddress(tx, row.id, email)
      if (guest !== undefined && isLive(guest, now)) await mailLink(ctx, tx, guest)
    },
    IN_ORDER,
  )
}

/** @throws AppError 429 after too many forms in a minute */
async function takeRate(ctx: AppContext, { id }: ActivityRow, { ip }: Visitor): Promise<void> {
  if (!ctx.config.rateLimit) return
  const windowMs = FORMS_WINDOW_MS
  const refusal = await ctx.exactLimiter.takeAll([
    ...usesByAddress({ key: 'guest forms ', limit: FORMS_OF_ADDRESS, windowMs }, ip),
    { key: `guest forms of ${id}`, limit: FORMS_OF_ACTIVITY, windowMs },
  ])
  if (refusal) throw tooManyForms(secondsOf(refusal))
}

interface Limits {
  readonly recipient: Use
  /** The organizer is notified when one of them is nearly used up. */
  readonly told: readonly Use[]
  readonly all: readonly Use[]
}

/** Each form counts as one mail, whether or not it sends one. Addresses are counted by keyed hashes, which are deleted with the day. */
async function limitsOf(ctx: AppContext, { owner }: ActivityRow, email: string, { ip }: Visitor): Promise<Limits> {
  const network = ipNetworks(ip).at(-1)!
  const windowMs = DAY
  const recipient = {
    key: `guests:mailbox:${addressHash(ctx, email)}`,
    limit: await getSetting(ctx, 'budget.guestMailsPerRecipient'),
    windowMs,
  }
  const told = [
    { key: `guests:owner:${owner}`, limit: await getSetting(ctx, 'budget.guestMailsPerOwner'), windowMs },
    {
      key: `guests:address:${ctx.seal.mac(`guest address ${network}`)}`,
      limit: ctx.config.rateLimit ? await getSetting(ctx, 'budget.guestsPerAddress') : 0,
      windowMs,
    },
  ].filter(({ limit }) => limit > 0)
  return { recipient, told, all: recipient.limit > 0 ? [recipient, ...told] : told }
}

function requireUses({ recipient }: Limits, refusal: Refusal | undefined, token?: Use): void {
  if (refusal === undefined) return
  if (refusal.use === token) throw usedTooOften()
  throw refusal.use === recipient ? tooManyMails(secondsOf(refusal)) : tooManyForms(secondsOf(refusal))
}

interface Room {
  readonly pending: number
  /** The guest who gives way to a new one. */
  readonly oldest: RegistrationRow | undefined
}

/** Looks at all guests alike, so that the answer does not tell who is registered. @throws AppError 429 if nobody can give way */
async function findRoom(tx: Tx, { id, capacity }: ActivityRow, now: number): Promise<Room> {
  const pending = await store.countPending(tx, id)
  if (pending < pendingBound(capacity)) return { pending, oldest: undefined }
  const oldest = await store.oldestPending(tx, id)
  const wait = oldest!.createdAt + PROTECTED_MS - now
  if (wait > 0) throw tooManyForms(Math.ceil(wait / 1000))
  return { pending, oldest }
}

/** Notifies the organizer once a day that a limit is nearly used up. */
async function warn(
  ctx: AppContext,
  tx: Tx,
  { id, name, userId }: ActivityRow,
  { told }: Limits,
  isNearlyFull: boolean,
): Promise<void> {
  const now = ctx.clock.now()
  let isNear = isNearlyFull
  for (const use of told) isNear ||= (await leftOf(tx, [use], now)) <= (1 - WARN_AT) * use.limit
  if (!isNear) return
  if (!(await takeOnce(tx, `guests:warned:${id}`, DAY, now))) return
  await notify(ctx, tx, {
    userIds: [userId],
    type: 'SYSTEM',
    title: { en: `Many guests register for ${name}`, zh: `“${name}”的访客报名很多` },
    body: {
      en: 'A limit for forms of guests is nearly reached; then new guests have to wait. If these are not your participants, make the activity INVITE_ONLY, so that the form asks for a code.',
      zh: '访客报名表即将达到上限，届时新访客需要等待。如果这些不是你的参与者，可将活动改为仅限受邀，报名表将要求邀请码。',
    },
    data: { activityId: id, event: 'GUEST_LIMIT' },
    subject: `GUEST_LIMIT ${id}`,
  })
}
