/** Hands one message to its gateway. It is written only now, so that it says how long a code is still good. */

import type { AppContext } from '#context'

import { mailerOf, smsOf } from './gateways.ts'
import type { Outgoing } from './model.ts'
import { minutesLeft } from './rules.ts'
import { codeLetter, codeSms } from './templates/codes.ts'
import { noticeLetter } from './templates/notices.ts'

/** @throws GatewayError */
export async function send(ctx: AppContext, message: Outgoing, signal: AbortSignal): Promise<void> {
  const { id, to, locale } = message
  const { publicUrl } = ctx.config
  if (message.type === 'NOTICE') {
    const letter = noticeLetter(message.kind, message.data, locale, publicUrl)
    return (await mailerOf(ctx)).send({ id, to, ...letter }, signal)
  }
  const { purpose, code } = message
  const minutes = minutesLeft(message.expiresAt, ctx.clock.now())
  if (message.channel === 'EMAIL')
    return (await mailerOf(ctx)).send({ id, to, ...codeLetter({ purpose, code, minutes }, locale, publicUrl) }, signal)
  const text = codeSms({ purpose, code, minutes }, locale)
  return (await smsOf(ctx)).send({ id, to, code, minutes, purpose, locale, text }, signal)
}
