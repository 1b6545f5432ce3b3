/** The operator's own gateway: one signed JSON POST per message (see ../webhook.ts). */

import type { Webhook } from '#config/gateways.ts'

import type { Clock } from '../clock.ts'
import { reach } from '../outgoing.ts'
import { callWebhook } from '../webhook.ts'
import type { Sms } from './port.ts'

export function webhookSms(gateway: Webhook, clock: Clock): Sms {
  return {
    async send({ id, to, code, minutes, purpose, locale, text }, signal) {
      const content = { type: 'sms.code', id, to, code, minutes, purpose, locale, text }
      await callWebhook(gateway, clock, content, signal)
    },
    check: () => reach(new URL(gateway.url).origin),
  }
}
