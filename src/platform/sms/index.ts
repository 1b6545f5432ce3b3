/** Picks the driver for a configured gateway. */

import type { SmsGateway } from '#config/gateways.ts'

import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Sms } from './port.ts'

export type { Sms, SmsMessage } from './port.ts'

export interface SmsParts {
  readonly clock: Clock
  /** For codes that nobody else takes. */
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
      return (await import('./log.ts')).logSms(log)
  }
}
