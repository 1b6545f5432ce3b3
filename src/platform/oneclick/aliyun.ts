/** Alibaba Cloud Phone Number Verification: `GetMobile` of Dypnsapi 2017-05-25. A token can be asked for once. */

import type { OneClickGateway } from '#config/gateways.ts'

import { callAliyun } from '../aliyun.ts'
import type { Clock } from '../clock.ts'
import { GatewayError, jsonOf, reach, shownAnswer } from '../outgoing.ts'
import type { OneClick } from './port.ts'

/** Answers that are about us or the vendor: keys, rights, flow control, money, outages. Every other one is about the token. */
const NOT_THE_TOKEN =
  /^(Throttling|ServiceUnavailable|InternalError|SignatureDoesNotMatch|InvalidAccessKeyId|Forbidden|NoPermission|MissingParameter|InvalidTimeStamp|isp\.|isv\.(OUT_OF_SERVICE|AMOUNT_NOT_ENOUGH|BUSINESS_LIMIT|PRODUCT_))/

export function aliyunOneClick(gateway: Extract<OneClickGateway, { kind: 'aliyun' }>, clock: Clock): OneClick {
  return {
    async phoneOf(token, signal) {
      const query = { AccessToken: token }
      const answer = await callAliyun(gateway, clock, { action: 'GetMobile', version: '2017-05-25', query }, signal)
      const { Code, Message, GetMobileResultDTO } = jsonOf(answer)
      const phone = (GetMobileResultDTO as { Mobile?: unknown } | undefined)?.Mobile
      if (Code === 'OK' && typeof phone === 'string') return phone
      if (typeof Code !== 'string' || Code === 'OK') throw new GatewayError(shownAnswer(answer))
      throw new GatewayError(`${Code}: ${String(Message)}`, !NOT_THE_TOKEN.test(Code))
    },
    check: () => reach(gateway.endpoint),
  }
}
