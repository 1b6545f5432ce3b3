/**
 * Tencent Cloud SMS: `SendSms` of 2021-01-11, signed with TC3-HMAC-SHA256 (cloud.tencent.com, "Signature v3"). The signed
 * headers are content-type, host and x-tc-action.
 */

import { createHash, createHmac } from 'node:crypto'

import type { TencentSms } from '#config/gateways.ts'

import type { Clock } from '../clock.ts'
import { call, describeAnswer, GatewayError, jsonOf, reach } from '../outgoing.ts'
import { isMainland, type Sms } from './port.ts'

const ALGORITHM = 'TC3-HMAC-SHA256'
const CONTENT_TYPE = 'application/json; charset=utf-8'

export interface TencentRequest {
  readonly host: string
  /** First label of the interface's host name: `sms`, `cvm`. */
  readonly service: string
  readonly action: string
  readonly payload: string
  /** Epoch seconds. */
  readonly timestamp: number
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** The `Authorization` header. */
export function tencentAuthorization(
  { key, secret }: { readonly key: string; readonly secret: string },
  { host, service, action, payload, timestamp }: TencentRequest,
): string {
  const signed = 'content-type;host;x-tc-action'
  const headers = `content-type:${CONTENT_TYPE}\nhost:${host}\nx-tc-action:${action.toLowerCase()}\n`
  const canonical = ['POST', '/', '', headers, signed, sha256(payload)].join('\n')
  const date = new Date(timestamp * 1000).toISOString().slice(0, 10)
  const scope = `${date}/${service}/tc3_request`
  const text = [ALGORITHM, timestamp, scope, sha256(canonical)].join('\n')
  const signingKey = hmac(hmac(hmac(`TC3${secret}`, date), service), 'tc3_request')
  return `${ALGORITHM} Credential=${key}/${scope}, SignedHeaders=${signed}, Signature=${hmac(signingKey, text).toString('hex')}`
}

/** Errors that concern the phone number, not our account. */
const PERMANENT = new Set(['InvalidParameterValue.IncorrectPhoneNumber', 'FailedOperation.PhoneNumberInBlacklist'])

interface SendSmsResponse {
  readonly Error?: { readonly Code?: string; readonly Message?: string }
  readonly SendStatusSet?: readonly { readonly Code?: string; readonly Message?: string }[]
}

export function tencentSms(gateway: TencentSms, clock: Clock): Sms {
  return {
    async send({ id, to, code, minutes }, signal) {
      const { sign, template } = isMainland(to) ? gateway.home : gateway.abroad
      const payload = JSON.stringify({
        PhoneNumberSet: [to],
        SmsSdkAppId: gateway.app,
        SignName: sign,
        TemplateId: template,
        TemplateParamSet: gateway.params.map((name) => (name === 'code' ? code : String(minutes))),
        SessionContext: id,
      })
      const { host } = new URL(gateway.endpoint)
      const timestamp = Math.floor(clock.now() / 1000)
      const request = { host, service: 'sms', action: 'SendSms', payload, timestamp }
      const answer = await call(gateway.endpoint, {
        headers: {
          authorization: tencentAuthorization(gateway, request),
          'content-type': CONTENT_TYPE,
          host,
          'x-tc-action': request.action,
          'x-tc-version': '2021-01-11',
          'x-tc-region': gateway.region,
          'x-tc-timestamp': String(timestamp),
        },
        body: payload,
        ...(signal && { signal }),
      })
      const { Error: refused, SendStatusSet } = (jsonOf(answer)['Response'] ?? {}) as SendSmsResponse
      const status = refused ?? SendStatusSet?.[0]
      if (status?.Code === 'Ok') return
      if (status?.Code === undefined) throw new GatewayError(describeAnswer(answer))
      throw new GatewayError(`${status.Code}: ${String(status.Message)}`, PERMANENT.has(status.Code))
    },
    check: () => reach(gateway.endpoint),
  }
}
