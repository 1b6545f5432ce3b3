/** Picks the driver for a configured gateway. */

import type { OneClickGateway } from '#config/gateways.ts'

import type { Clock } from '../clock.ts'
import type { OneClick } from './port.ts'

export type { OneClick } from './port.ts'

export async function openOneClick(gateway: OneClickGateway, clock: Clock): Promise<OneClick> {
  return gateway.kind === 'aliyun'
    ? (await import('./aliyun.ts')).aliyunOneClick(gateway, clock)
    : (await import('./webhook.ts')).webhookOneClick(gateway, clock)
}
