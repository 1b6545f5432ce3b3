/** Alibaba Cloud Short Message Service: `SendSms` of Dysmsapi 2017-05-25. */

import type { AliyunSms } from '#config/gateways.ts'

import { callAliyun } from '../aliyun.ts'
import type { Clock } from '../clock.ts'
import { describeAnswer, GatewayError, jsonOf, reach } from '../outgoing.ts'
import { isMainland, type Sms } from './port.ts'

/** Errors that concern the phone number, not our account. */
const PERMANENT = new Set(['isv.MOBILE_NUMBER_ILLEGAL', 'isv.NOT_SUPPORTED_COUNTRY', 'isv.COUNTRY_RESTRICTED'])

export function aliyunSms(gateway: AliyunSms, clock: Clock): Sms {
  return {
    async send({ id, to, code }, signal) {
      const home = isMainland(to)
      const { sign, template } = home ? gateway.home : gateway.abroad
      const query = {
        // Mainland numbers have no country code, others have one; none has a plus sign.
        PhoneNumbers: home ? to.slice('+86'.length) : to.slice(1),
        SignName: sign,
        TemplateCode: template,
        TemplateParam: JSON.stringify({ [gateway.param]: code }),
        OutId: id,
      }
      const answer = await callAliyun(gateway, clock, { action: 'SendSms', version: '2017-05-25', query }, signal)
      const { Code, Message } = jsonOf(answer)
      if (Code === 'OK') return
      if (typeof Code !== 'string') throw new GatewayError(describeAnswer(answer))
      throw new GatewayError(`${Code}: ${String(Message)}`, PERMANENT.has(Code))
    },
    check: () => reach(gateway.endpoint),
  }
}
