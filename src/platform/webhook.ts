/**
 * Sends a signed JSON POST to a webhook of the operator. `X-Tessera-Signature` is the HMAC-SHA-256, in lower-case hex and with the
 * shared secret as key, of `X-Tessera-Timestamp` (epoch seconds), a full stop and the body's bytes. A receiver checks it, refuses
 * timestamps that differ by more than 5 minutes, and may use `id` to ignore repetitions.
 */

import { createHmac } from 'node:crypto'

import type { Webhook } from '#config/gateways.ts'

import type { Clock } from './clock.ts'
import { type Answer, call, describeAnswer, GatewayError } from './outgoing.ts'

export const webhookSignature = (secret: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')

/** Statuses by which a receiver refuses a message permanently; all other failures are temporary. */
const PERMANENT = [400, 410, 422]

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
  throw new GatewayError(describeAnswer(answer), PERMANENT.includes(answer.status))
}
