/** One-click sign-in: a carrier's SDK in the app obtains a token, and the gateway returns the phone number it belongs to. */

import type { OneClickGateway, Webhook } from '#config/gateways.ts'

import { callAliyun } from './aliyun.ts'
import type { Clock } from './clock.ts'
import { describeAnswer, GatewayError, jsonOf, reach } from './outgoing.ts'
import { callWebhook } from './webhook.ts'

export interface OneClick {
  /** The number as the gateway writes it: E.164, or 11 digits of the Chinese mainland. @throws GatewayError */
  phoneOf(token: string, signal?: AbortSignal): Promise<string>
  /** Whether the gateway can be reached. Resolves with a sentence. @throws GatewayError */
  check(): Promise<string>
}

export const openOneClick = (gateway: OneClickGateway, clock: Clock): OneClick =>
  gateway.kind === 'aliyun' ? aliyunOneClick(gateway, clock) : webhookOneClick(gateway, clock)

/**
 * Errors of Alibaba Cloud that concern our account or the service: keys, permissions, throttling, balance, outages. All others
 * concern the token.
 */
const NOT_THE_TOKEN =
  /^(Throttling|ServiceUnavailable|InternalError|SignatureDoesNotMatch|InvalidAccessKeyId|Forbidden|NoPermission|MissingParameter|InvalidTimeStamp|isp\.|isv\.(OUT_OF_SERVICE|AMOUNT_NOT_ENOUGH|BUSINESS_LIMIT|PRODUCT_))/

/** Alibaba Cloud Phone Number Verification: `GetMobile` of Dypnsapi 2017-05-25. A token can be used once. */
function aliyunOneClick(gateway: Extract<OneClickGateway, { kind: 'aliyun' }>, clock: Clock): OneClick {
  return {
    async phoneOf(token, signal) {
      const query = { AccessToken: token }
      const answer = await callAliyun(gateway, clock, { action: 'GetMobile', version: '2017-05-25', query }, signal)
      const { Code, Message, GetMobileResultDTO } = jsonOf(answer)
      const phone = (GetMobileResultDTO as { Mobile?: unknown } | undefined)?.Mobile
      if (Code === 'OK' && typeof phone === 'string') return phone
      if (typeof Code !== 'string' || Code === 'OK') throw new GatewayError(describeAnswer(answer))
      throw new GatewayError(`${Code}: ${String(Message)}`, !NOT_THE_TOKEN.test(Code))
    },
    check: () => reach(gateway.endpoint),
  }
}

/** The operator's own gateway: a signed JSON POST `{type, token}`, answered with `{phone}` (see webhook.ts). */
function webhookOneClick(gateway: Webhook, clock: Clock): OneClick {
  return {
    async phoneOf(token, signal) {
      const answer = await callWebhook(gateway, clock, { type: 'oneclick.token', token }, signal)
      const { phone } = jsonOf(answer)
      if (typeof phone === 'string') return phone
      throw new GatewayError(`no phone in the answer: ${describeAnswer(answer)}`)
    },
    check: () => reach(new URL(gateway.url).origin),
  }
}
