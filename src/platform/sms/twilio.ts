/** Twilio Programmable Messaging: POST of a form to the account's `Messages.json`, Basic authentication. */

import type { TwilioSms } from '#config/gateways.ts'

import { call, describeAnswer, GatewayError, jsonOf, reach } from '../outgoing.ts'
import type { Sms } from './port.ts'

/** twilio.com/docs/api/errors: invalid number, region not permitted, unsubscribed, unreachable, not a mobile phone. */
const PERMANENT = new Set([21211, 21408, 21610, 21612, 21614])

export function twilioSms(gateway: TwilioSms): Sms {
  const { key, secret, from, messagingService } = gateway
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  return {
    async send({ to, text }, signal) {
      const sender: Record<string, string> =
        messagingService === '' ? { From: from } : { MessagingServiceSid: messagingService }
      const answer = await call(`${gateway.endpoint}/2010-04-01/Accounts/${encodeURIComponent(key)}/Messages.json`, {
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ To: to, Body: text, ...sender }).toString(),
        ...(signal && { signal }),
      })
      if (answer.status === 201 || answer.status === 200) return
      const { code, message } = jsonOf(answer)
      if (typeof code !== 'number') throw new GatewayError(describeAnswer(answer))
      throw new GatewayError(`${code}: ${String(message)}`, PERMANENT.has(code))
    },
    check: () => reach(gateway.endpoint),
  }
}
