/** Puts messages into the outbox; asks the gateways that must answer at once. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { SECOND } from '#platform/clock.ts'
import { sha256, uuid } from '#platform/ids.ts'
import { GatewayError } from '#platform/outgoing.ts'

import { oneClickNotConfigured, oneClickTokenRefused, oneClickUnavailable } from './errors.ts'
import { citiesOf, oneClickOf } from './gateways.ts'
import { type CodeMessage, NOTICE_MS, type NoticeKind, type NoticeMessage, type Outgoing } from './model.ts'
import { insertMessage } from './store.ts'
import { wake } from './worker.ts'

/** A message that leaves when, and only when, the write commits: then it is tried until it is delivered or worth nothing. */
async function enqueue(ctx: AppContext, tx: Tx, message: Outgoing, topic: string | null): Promise<void> {
  const { channel, expiresAt } = message.type === 'CODE' ? message : { ...message, channel: 'EMAIL' as const }
  const payload = ctx.seal.seal(JSON.stringify(message))
  await insertMessage(tx, { channel, topic, payload, expiresAt }, ctx.clock.now())
  tx.afterCommit(() => wake(ctx, channel))
}

/**
 * Sends a verification code once the write commits. It replaces a code for the same recipient and purpose that still waits: of
 * two codes only the newer one is good. At least once: after a crash the same code may come twice.
 */
export async function sendCode(ctx: AppContext, tx: Tx, message: CodeMessage): Promise<void> {
  const { channel, to, purpose, code, locale, expiresAt } = message
  const topic = sha256(`${channel} ${purpose} ${to}`)
  await enqueue(ctx, tx, { type: 'CODE', id: uuid(), channel, to, purpose, code, locale, expiresAt }, topic)
}

/** Tells the holder of an account by e-mail, once the write commits, what happened to it. Tried for a day. */
export async function sendNotice<K extends NoticeKind>(
  ctx: AppContext,
  tx: Tx,
  notice: NoticeMessage<K>,
): Promise<void> {
  const { to, kind, locale, data } = notice
  const expiresAt = ctx.clock.now() + NOTICE_MS
  // The pair of kind and data is one of the union's: K says so here, and nothing can say it there.
  await enqueue(ctx, tx, { type: 'NOTICE', id: uuid(), to, kind, locale, data, expiresAt } as Outgoing, null)
}

/** Somebody waits with a phone in the hand. */
const ONE_CLICK_MS = 5 * SECOND
/** Longer is no token of any carrier. */
const MAX_TOKEN = 4096

const ONE_CLICK_FAILURES = { name: 'tessera_oneclick_failures_total', help: 'One-click tokens without a phone number.' }

/**
 * The phone number, in E.164, of the person whose app got `token` from a carrier's SDK. Asks a gateway, up to 5 s: never
 * inside a write.
 * @throws AppError 400 for a token that is not good, or when none is configured; 503 while the gateway does not work.
 */
export async function resolveOneClickToken(ctx: AppContext, token: string): Promise<string> {
  const gateway = await oneClickOf(ctx)
  if (gateway === undefined) throw oneClickNotConfigured()
  if (token === '' || token.length > MAX_TOKEN) throw oneClickTokenRefused('its length')
  let given: string
  try {
    given = await gateway.phoneOf(token, AbortSignal.timeout(ONE_CLICK_MS))
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    ctx.metrics.count(ONE_CLICK_FAILURES, { reason: error.permanent ? 'token' : 'gateway' })
    if (error.permanent) throw oneClickTokenRefused(error.message)
    ctx.log.error('one-click gateway failed', { reason: error.message })
    throw oneClickUnavailable()
  }
  const phone = /^1[3-9]\d{9}$/.test(given) ? `+86${given}` : given
  if (/^\+[1-9]\d{6,14}$/.test(phone)) return phone
  ctx.log.error('one-click gateway gave no phone number', { phone: given })
  throw oneClickUnavailable()
}

/** City, else province, else country of an address; empty when unknown or without a database. Answers at once. */
export const cityOf = (ctx: AppContext, ip: string): string => citiesOf(ctx).cityOf(ip)
