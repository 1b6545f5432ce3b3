/** The page behind the secret link of a guest. Mail scanners open links, so only a POST changes anything. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { Tx } from '#db/store.ts'
import { addressHash, sendComposed } from '#domains/delivery/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { findBySecret } from '#http/admission.ts'
import { secondsOf } from '#http/budget.ts'
import type { Caller } from '#http/endpoint.ts'
import { badRequest, limited, notFound } from '#http/errors.ts'
import { DAY } from '#platform/clock.ts'
import { sha256 } from '#platform/ids.ts'

import { findActivity, IN_ORDER } from '../activities.store.ts'
import { publicItem } from '../discovery/discovery.service.ts'
import { PENDING_MS } from '../guest-forms/guest-forms.model.ts'
import { calendarOf } from '../links/links.service.ts'
import { passUrl } from '../links/links.view.ts'
import { statusOf } from '../passes/passes.rules.ts'
import { passOfGuest } from '../passes/passes.store.ts'
import type { PersonalMail } from '../personal-mails.model.ts'
import * as guests from '../registrations/guests.store.ts'
import { endPlace } from '../registrations/places.service.ts'
import { answersTo, isOpen, toView } from '../registrations/registrations.service.ts'
import { type RegistrationRow, setAnswers } from '../registrations/registrations.store.ts'
import { refuseIfDisabled } from '../visibility/visibility.service.ts'
import type { GuestAction, GuestPage } from './guests.model.ts'
import { answersIn, canConfirm, confirmGuest, type FoundGuest, LIVE } from './guests.service.ts'

const noPass = () => badRequest('You have no valid pass', '你没有有效的通行证')
const unconfirmed = () => badRequest('Confirm your registration first', '请先确认报名')

/** @throws AppError 404 for a link that is wrong or has ended, 429 after too many wrong ones */
export async function findGuest(ctx: AppContext, given: string, caller: Pick<Caller, 'ip'>): Promise<FoundGuest> {
  const found = await findBySecret(ctx, caller, () => find(ctx, ctx.db.read, given))
  if (found === undefined) throw notFound()
  return found
}

async function find(
  ctx: AppContext,
  db: AppContext['db']['read'] | Tx,
  given: string,
): Promise<FoundGuest | undefined> {
  const row = await guests.findGuestBySecret(db, sha256(given))
  if (row === undefined || (row.status === 'PENDING' && row.createdAt <= ctx.clock.now() - PENDING_MS)) return undefined
  const activity = await findActivity(db, row.activityId)
  return activity && { row, activity }
}

/** @throws AppError as `findGuest` */
export const readGuest = async (ctx: AppContext, given: string, caller: Pick<Caller, 'ip'>): Promise<GuestPage> =>
  toPage(ctx, await findGuest(ctx, given, caller))

export async function toPage(ctx: AppContext, { row, activity }: FoundGuest): Promise<GuestPage> {
  const { status, position, answers } = await toView(ctx, row)
  const pass = await passOfGuest(ctx.db.read, row.id)
  const now = ctx.clock.now()
  return {
    activity: publicItem(ctx, activity),
    name: row.name ?? '',
    status,
    position,
    reason: row.reason,
    answers,
    questions: (activity.registration?.questions ?? []).map(({ key, label, required }) => ({ key, label, required })),
    pass: pass === undefined ? null : { publicUrl: passUrl(ctx, pass), status: statusOf(pass, now) },
    canConfirm: canConfirm(row),
    canCancel: LIVE.includes(status) && activity.status === 'ACTIVE',
    canChange: LIVE.includes(status) && isOpen(activity, now),
  }
}

/** Undefined: the registration was deleted, because its guest has not confirmed it. */
type Change = (ctx: AppContext, tx: Tx, found: FoundGuest, input: GuestAction) => Promise<RegistrationRow | undefined>

const CHANGES: Readonly<Record<GuestAction['action'], Change>> = {
  confirm: confirmGuest,
  cancel,
  answers: changeAnswers,
  'resend-pass': resendPass,
}

/** The same action again changes nothing. @throws AppError as `findGuest`; 400 if it is not possible, 403 in a disabled organization */
export async function changeGuest(
  ctx: AppContext,
  given: string,
  input: GuestAction,
  caller: Pick<Caller, 'ip'>,
): Promise<GuestPage> {
  await findGuest(ctx, given, caller)
  const changed = await ctx.db.write(
    `guests.${input.action}`,
    async (tx): Promise<FoundGuest> => {
      const found = await find(ctx, tx, given)
      if (found === undefined) throw notFound()
      refuseIfDisabled(found.activity)
      const row = await CHANGES[input.action](ctx, tx, found, input)
      return { row: row ?? { ...found.row, status: 'CANCELLED' }, activity: found.activity }
    },
    IN_ORDER,
  )
  return toPage(ctx, changed)
}

async function cancel(ctx: AppContext, tx: Tx, { row, activity }: FoundGuest): Promise<RegistrationRow | undefined> {
  if (row.status !== 'PENDING') return (await endPlace(ctx, tx, activity, row)) ?? row
  await guests.deletePending(tx, [row.id])
  return undefined
}

/** @throws AppError 400 while registration is closed */
async function changeAnswers(
  ctx: AppContext,
  tx: Tx,
  { row, activity }: FoundGuest,
  input: GuestAction,
): Promise<RegistrationRow> {
  const answers = answersTo(activity, answersIn(input), ctx.clock.now())
  if (!LIVE.includes(row.status)) throw badRequest('The registration has ended', '该报名已结束')
  return setAnswers(tx, row, answers)
}

/** @throws AppError 400 without a pass, 429 after too many mails */
async function resendPass(ctx: AppContext, tx: Tx, { row, activity }: FoundGuest): Promise<RegistrationRow> {
  const { email, emailConfirmedAt } = row
  if (email === null || emailConfirmedAt === null) throw unconfirmed()
  const now = ctx.clock.now()
  const pass = await passOfGuest(tx, row.id)
  if (pass === undefined || ['REVOKED', 'EXPIRED'].includes(statusOf(pass, now))) throw noPass()
  // Settings are cached.
  const limit = await getSetting(ctx, 'budget.guestMailsPerRecipient')
  const use = { key: `guests:passes:${addressHash(ctx, email)}`, limit, windowMs: DAY }
  const refusal = limit === 0 ? undefined : await spend(tx, [use], now)
  if (refusal !== undefined)
    throw limited(
      'Your pass was sent several times today, try again tomorrow',
      '今天已多次发送通行证，请明天再试',
      secondsOf(refusal),
    )
  const data: PersonalMail = { kind: 'PASS', activityId: activity.id, userId: -row.id }
  await sendComposed(ctx, tx, [{ to: email, kind: 'ACTIVITY', data: { ...data } }])
  return row
}

/** @throws AppError as `findGuest` */
export async function guestCalendar(ctx: AppContext, given: string, caller: Caller): Promise<Response> {
  const { row, activity } = await findGuest(ctx, given, caller)
  return privately(await calendarOf(ctx, activity, row.language ?? caller.locale))
}

/** @throws AppError as `findGuest`, also without a pass */
export async function guestPass(ctx: AppContext, given: string, caller: Caller): Promise<Response> {
  const { row } = await findGuest(ctx, given, caller)
  const pass = await passOfGuest(ctx.db.read, row.id)
  if (pass === undefined) throw notFound()
  const { pathname } = new URL(passUrl(ctx, pass))
  return privately(new Response(null, { status: 302, headers: { location: pathname } }))
}

/** The address of the request is a secret. */
function privately(response: Response): Response {
  response.headers.set('cache-control', 'private, no-store')
  response.headers.set('referrer-policy', 'no-referrer')
  response.headers.set('x-robots-tag', 'noindex')
  return response
}
