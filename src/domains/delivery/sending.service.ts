/** Inserts messages into the outbox, and queries the outside services that answer immediately. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import { badRequest, unavailable } from '#http/errors.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#platform/clock.ts'
import { sha256, uuid } from '#platform/ids.ts'
import type { Refusal, Use } from '#platform/limiter.ts'
import { GatewayError } from '#platform/outgoing.ts'

import { eventMailsQueued, wake } from './delivery-worker.ts'
import {
  type Channel,
  type CodeMessage,
  type ComposedMessage,
  NOTICE_LIFETIME_MS,
  type NoticeKind,
  type NoticeMessage,
  NOTICES_A_DAY,
  NOTICES_WINDOW_MS,
  type Outgoing,
} from './delivery.model.ts'
import { insertMessage, insertMessages } from './delivery.store.ts'
import { oneClickOf, placesOf } from './gateways.ts'

/** The message is sent if and only if the write commits, and retried until it is delivered or has expired. */
async function enqueue(ctx: AppContext, tx: Tx, message: Outgoing, topic: string | null): Promise<void> {
  const { channel, expiresAt } = message.type === 'CODE' ? message : { ...message, channel: 'EMAIL' as const }
  const payload = ctx.seal.seal(JSON.stringify(message))
  await insertMessage(tx, { channel, topic, payload, expiresAt }, ctx.clock.now())
  tx.afterCommit(() => wake(ctx, channel))
}

const SMS_REFUSED = {
  name: 'tessera_sms_refused_total',
  help: 'SMS that were not sent because the ceiling of the day was reached.',
}

/**
 * The ceiling for all SMS of the server, as the use that one message counts: they cost money, and strangers can request them. To be
 * read before the write that spends it.
 */
export async function usesOfCeiling(ctx: AppContext, channel: Channel): Promise<Use[]> {
  const limit = channel === 'SMS' ? await getSetting(ctx, 'budget.smsPerDay') : 0
  return limit === 0 ? [] : [{ key: SMS_KEY, limit, windowMs: DAY }]
}
const SMS_KEY = 'sms'

/** Counts and logs, once an hour, that an SMS was refused. Does nothing if `refusal` is one of another use. */
export function reportCeiling(ctx: AppContext, { use, refusedFor }: Refusal): void {
  if (use.key !== SMS_KEY) return
  ctx.metrics.count(SMS_REFUSED, { reason: 'ceiling' })
  if (ctx.limiter.take('sms ceiling logged', 1, HOUR) === 0)
    ctx.log.error('the ceiling of SMS a day is reached, no SMS are sent', {
      ceiling: use.limit,
      minutesLeft: Math.ceil(refusedFor / MINUTE),
    })
}

/**
 * Sends a verification code after the write commits. It replaces a waiting code for the same recipient and purpose, because only
 * the newest code is valid. At least once: after a crash the same code may be sent twice.
 */
export async function sendCode(ctx: AppContext, tx: Tx, message: CodeMessage): Promise<void> {
  const { channel, to, purpose, code, locale, expiresAt } = message
  const topic = sha256(`${channel} ${purpose} ${to}`)
  await enqueue(ctx, tx, { type: 'CODE', id: uuid(), channel, to, purpose, code, locale, expiresAt }, topic)
}

/**
 * Notifies the holder of an account by e-mail after the write commits. Retried for a day. The address must be proved: mail to others
 * contains verification codes only. Beyond `NOTICES_A_DAY` one more mail refers to the app, and further ones are not sent. Sign-ins
 * are counted apart from changes, so that repeating them cannot hide the notice about a new password.
 */
export async function sendNotice<K extends NoticeKind>(
  ctx: AppContext,
  tx: Tx,
  notice: NoticeMessage<K>,
): Promise<void> {
  const { to, kind, locale, data } = notice
  const key = `notice:${kind === 'NEW_DEVICE' ? 'sign-in' : 'change'}:${sha256(to)}`
  const isWithin = async (use: { key: string; limit: number }): Promise<boolean> =>
    (await spend(tx, [{ ...use, windowMs: NOTICES_WINDOW_MS }], ctx.clock.now())) === undefined
  if (await isWithin({ key, limit: NOTICES_A_DAY })) await sendLastNotice(ctx, tx, notice)
  else if (await isWithin({ key: `${key}:more`, limit: 1 }))
    await sendLastNotice(ctx, tx, { to, kind: 'MORE_EVENTS', locale, data: { at: data.at } })
}

/** Like `sendNotice`, without the limit: for an address that has just left the account, so that no more mails follow. */
export async function sendLastNotice<K extends NoticeKind>(
  ctx: AppContext,
  tx: Tx,
  notice: NoticeMessage<K>,
): Promise<void> {
  const { to, kind, locale, data } = notice
  const expiresAt = ctx.clock.now() + NOTICE_LIFETIME_MS
  // `kind` and `data` match (guaranteed by K); TypeScript cannot express this for the union.
  await enqueue(ctx, tx, { type: 'NOTICE', id: uuid(), to, kind, locale, data, expiresAt } as Outgoing, null)
}

/**
 * Sends mails that their domain composes (`composedMails`), after the write commits; codes and notices never wait for them. Retried for a day. The addresses
 * must be proved, except those of invitations, which have budgets of their own. At most some hundred: they are inserted by one statement.
 */
export async function sendComposed(ctx: AppContext, tx: Tx, mails: readonly ComposedMessage[]): Promise<void> {
  const now = ctx.clock.now()
  const expiresAt = now + NOTICE_LIFETIME_MS
  const rows = mails.map((mail) => {
    const message: Outgoing = { type: 'MAIL', id: uuid(), expiresAt, ...mail }
    return { channel: 'EVENT', payload: ctx.seal.seal(JSON.stringify(message)), expiresAt } as const
  })
  await insertMessages(tx, rows, now)
  if (rows.length > 0) tx.publish(eventMailsQueued, 'all')
}

/** Short, because the user is waiting in the app. */
const ONE_CLICK_TIMEOUT_MS = 5 * SECOND
/** Tokens of carriers are shorter. */
const MAX_TOKEN_LENGTH = 4096

const ONE_CLICK_FAILURES = {
  name: 'tessera_oneclick_failures_total',
  help: 'One-click tokens that could not be resolved to a phone number.',
}

/**
 * Resolves a one-click sign-in token, which the app received from a carrier's SDK, to the user's phone number in E.164. Queries a
 * gateway for up to 5 s, so never call this inside a write.
 * @throws AppError 400 for an invalid token or if no gateway is configured; 503 if the gateway fails.
 */
export async function resolveOneClickToken(ctx: AppContext, token: string): Promise<string> {
  const gateway = await oneClickOf(ctx)
  if (gateway === undefined) throw oneClickNotConfigured()
  if (token === '' || token.length > MAX_TOKEN_LENGTH) throw oneClickTokenRefused('its length')
  let answer: string
  try {
    answer = await gateway.phoneOf(token, AbortSignal.timeout(ONE_CLICK_TIMEOUT_MS))
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    ctx.metrics.count(ONE_CLICK_FAILURES, { reason: error.permanent ? 'token' : 'gateway' })
    if (error.permanent) throw oneClickTokenRefused(error.message)
    ctx.log.error('one-click gateway failed', { reason: error.message })
    throw oneClickUnavailable()
  }
  const phone = /^1[3-9]\d{9}$/.test(answer) ? `+86${answer}` : answer
  if (/^\+[1-9]\d{6,14}$/.test(phone)) return phone
  ctx.log.error('one-click gateway gave no phone number', { phone: answer })
  throw oneClickUnavailable()
}

/** The gateway refused the token: expired, already used, or invented. */
const oneClickTokenRefused = (reason: string) =>
  badRequest(
    'One-click sign-in failed: the token is invalid or has expired. Try again or use a code',
    '一键登录失败：令牌无效或已过期，请重试或使用验证码登录',
    { log: { reason } },
  )

const oneClickNotConfigured = () =>
  badRequest('One-click sign-in is not available on this server', '服务器未开通一键登录')

/** The gateway does not answer or does not accept our credentials. */
const oneClickUnavailable = () =>
  unavailable(
    'One-click sign-in is temporarily unavailable; use a code instead',
    '一键登录暂不可用，请使用验证码登录',
    {
      retryAfter: 30,
    },
  )

/** The city of an IP address, or else its province or country; empty if unknown or if no database is configured. */
export const cityOf = (ctx: AppContext, ip: string): string => placesOf(ctx).cityOf(ip)

/** ISO 3166-1 alpha-2; null if it is not known. */
export const countryOf = (ctx: AppContext, ip: string): string | null => placesOf(ctx).countryOf(ip)
