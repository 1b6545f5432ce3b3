/** A gateway of the operator's own: one signed JSON POST `{type, token}`, answered by `{phone}` (see ../webhook.ts). */

import type { Webhook } from '#config/gateways.ts'

import type { Clock } from '../clock.ts'
import { GatewayError, jsonOf, reach, shownAnswer } from '../outgoing.ts'
import { callWebhook } from '../webhook.ts'
import type { OneClick } from './port.ts'

export function webhookOneClick(gateway: Webhook, clock: Clock): OneClick {
  return {
    async phoneOf(token, signal) {
      const answer = await callWebhook(gateway, clock, { type: 'oneclick.token', token }, signal)
      const { phone } = jsonOf(answer)
      if (typeof phone === 'string') return phone
      throw new GatewayError(`no phone in the answer: ${shownAnswer(answer)}`)
    },
    check: () => reach(new URL(gateway.url).origin),
  }
}
