/** Sends text messages, or writes their codes to the log while no gateway is configured. */

import type { SmsGateway } from '#config/gateways.ts'

import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Sms } from './port.ts'

export type { Sms, SmsMessage } from './port.ts'

export interface SmsParts {
  readonly clock: Clock
  /** Receives the codes that no gateway takes. */
  readonly log: Log
}

export async function openSms(gateway: SmsGateway, { clock, log }: SmsParts): Promise<Sms> {
  switch (gateway.kind) {
    case 'aliyun':
      return (await import('./aliyun.ts')).aliyunSms(gateway, clock)
    case 'tencent':
      return (await import('./tencent.ts')).tencentSms(gateway, clock)
    case 'twilio':
      return (await import('./twilio.ts')).twilioSms(gateway)
    case 'webhook':
      return (await import('./webhook.ts')).webhookSms(gateway, clock)
    case 'log':
      return logSms(log)
  }
}

function logSms(log: Log): Sms {
  return {
    async send({ to, code, purpose }) {
      const problem = `no SMS gateway is configured: for ${to} the ${purpose} code is`
      // The code is in a sentence that the log does not mask: here it is meant to be read. The number is masked as everywhere.
      log.readable(`${problem} ${code}`, `${problem} in the log of the server`)
    },
    check: () => Promise.resolve('not configured: codes by SMS are written to the log'),
  }
}
