/** The form with which people register without an account, and the token that proves that it was filled in on its page. */

import type { AppContext } from '#context'
import { hasMailServer } from '#domains/delivery/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { badRequest } from '#http/errors.ts'
import { uuid } from '#platform/ids.ts'

import { type ActivityRow, findCounters } from '../activities.store.ts'
import { phaseOf } from '../registrations/registrations.rules.ts'
import { type GuestForm, READING_MS, TOKEN_MS } from './guest-forms.model.ts'

export const noGuests = () =>
  badRequest('Nobody can register for this activity without an account', '该活动不接受无账号报名')
const noMail = () =>
  badRequest(
    'This server has no mail server, so nobody can register without an account',
    '此服务器未配置邮件服务器，无法无账号报名',
  )
const pageTooOld = () =>
  badRequest(
    'This form is too old or was used too often: open the page again',
    '此表单已过期或使用次数过多，请重新打开页面',
  )
const tooFast = () =>
  badRequest('This was sent too fast: wait two seconds and send it again', '发送过快，请等待两秒后重新发送')
export const usedTooOften = pageTooOld

/** Whether the activity lets guests register, as far as it decides that itself. */
export const takesGuests = ({ visibility, registration }: Pick<ActivityRow, 'visibility' | 'registration'>): boolean =>
  visibility !== 'RESTRICTED' && registration?.guests === true

/** @throws AppError 400 unless guests can register for activities like this one */
export async function requireGuests(ctx: AppContext, row: ActivityRow): Promise<void> {
  if (!takesGuests(row) || !(await getSetting(ctx, 'guests.enabled'))) throw noGuests()
  if (!hasMailServer(ctx)) throw noMail()
}

/** When registration closes. */
export const closesAt = ({ registration, startTime, endTime }: ActivityRow): number =>
  Math.min(registration?.closesAt ?? startTime, endTime)

/** Few places are left below this part of them. */
const FEW = 0.1

/** Null while guests cannot register. */
export async function findForm(ctx: AppContext, row: ActivityRow): Promise<GuestForm | null> {
  const { registration, status, orgStatus, capacity } = row
  const now = ctx.clock.now()
  if (registration === null || status !== 'ACTIVE' || orgStatus === 'DISABLED' || !takesGuests(row)) return null
  if (phaseOf(registration, row, now) !== 'open') return null
  if (!(await getSetting(ctx, 'guests.enabled')) || !hasMailServer(ctx)) return null
  const left = capacity === 0 ? Infinity : capacity - (await findCounters(ctx.db.read, row.id)).confirmed
  return {
    formToken: makeToken(ctx, row.id),
    questions: registration.questions.map(({ key, label, required }) => ({ key, label, required })),
    placesLeft: left <= 0 ? 'NONE' : left <= Math.max(1, capacity * FEW) ? 'FEW' : 'MANY',
    closesAt: closesAt(row),
  }
}

const PURPOSE = 'guest form'

const makeToken = (ctx: AppContext, activityId: number): string =>
  ctx.seal.seal(JSON.stringify([PURPOSE, activityId, ctx.clock.now(), uuid()]))

/** Returns the text that marks the token. @throws AppError 400 for a token of another activity, or one that is too old or too new */
export function readToken(ctx: AppContext, activityId: number, token: string): string {
  const text = ctx.seal.open(token)
  // The key seals other texts too.
  if (text?.startsWith(`["${PURPOSE}",`) !== true) throw pageTooOld()
  const [, id, madeAt, nonce] = JSON.parse(text) as [string, number, number, string]
  const age = ctx.clock.now() - madeAt
  if (id !== activityId || age > TOKEN_MS) throw pageTooOld()
  if (age < READING_MS) throw tooFast()
  return nonce
}
