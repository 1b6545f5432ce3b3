/**
 * A signed JSON POST to an address of the operator's own. `X-Tessera-Signature` is the lower-case hex HMAC-SHA-256, under the
 * shared secret, of `X-Tessera-Timestamp` (epoch seconds), a full stop, and the body's bytes. A receiver checks it, refuses
 * timestamps more than 5 minutes off, and may remember `id` to drop repetitions.
 */

import { createHmac } from 'node:crypto'

import type { Webhook } from '#config/gateways.ts'

import type { Clock } from './clock.ts'
import { type Answer, call, GatewayError, shownAnswer } from './outgoing.ts'

export const webhookSignature = (secret: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')

/** What a receiver says when it will never take this one; every other failure may pass. */
const NEVER = [400, 410, 422]

/** Resolves with a 2xx answer. @throws GatewayError */
export async function callWebhook(
  { url, secret }: Webhook,
  clock: Clock,
  content: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Answer> {
  const body = JSON.stringify(content)
  const timestamp = String(Math.floor(clock.now() / 1000))
  const answer = await call(url, {
    headers: {
      'content-type': 'application/json',
      'x-tessera-timestamp': timestamp,
      'x-tessera-signature': webhookSignature(secret, timestamp, body),
    },
    body,
    ...(signal && { signal }),
  })
  if (answer.status >= 200 && answer.status < 300) return answer
  throw new GatewayError(shownAnswer(answer), NEVER.includes(answer.status))
}
