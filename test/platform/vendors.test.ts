/** Tests each driver with the vendor's published example, and with an HTTP server that checks signatures by code of its own. */

import { afterAll, beforeEach, describe, expect, test } from 'bun:test'

import { parseOneClick, parseSms } from '#config/gateways.ts'
import { aliyunHeaders } from '#platform/aliyun.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import { openOneClick } from '#platform/oneclick.ts'
import { GatewayError } from '#platform/outgoing.ts'
import { openSms, type SmsMessage } from '#platform/sms/index.ts'
import { tencentAuthorization } from '#platform/sms/tencent.ts'

import { hmacSha256, type Received, sha256Hex, startHttpGateway } from './http-gateway.ts'

const gateway = startHttpGateway()
afterAll(() => gateway.stop())
beforeEach(() => {
  gateway.received.length = 0
})

const log = createLog({ level: 'error', format: 'text', write: () => {} })
const sms = (text: string) => openSms(parseSms(text.replace('HOST', gateway.host))!, { clock: systemClock, log })
const oneClick = (text: string) => openOneClick(parseOneClick(text.replace('HOST', gateway.host))!, systemClock)

const message: SmsMessage = {
  id: 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6',
  to: '+8613800138000',
  code: '012345',
  minutes: 5,
  purpose: 'LOGIN',
  locale: 'zh',
  text: 'Tessera 验证码 012345',
}
const abroad = { ...message, to: '+85291234567' }

async function failure(promise: Promise<unknown>): Promise<GatewayError> {
  const error: unknown = await promise.then(
    () => undefined,
    (e: unknown) => e,
  )
  expect(error).toBeInstanceOf(GatewayError)
  return error as GatewayError
}

/** Within the vendors' 5 or 15 minutes. */
const isRecent = (ms: number): boolean => Math.abs(Date.now() - ms) < 60_000

describe('Aliyun', () => {
  test("ACS3-HMAC-SHA256 produces the signature of Alibaba's documentation", () => {
    const headers = aliyunHeaders(
      { key: 'YourAccessKeyId', secret: 'YourAccessKeySecret' },
      {
        host: 'ecs.cn-shanghai.aliyuncs.com',
        action: 'RunInstances',
        version: '2014-05-26',
        query: {
          RegionId: 'cn-shanghai',
          ImageId: 'win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd',
        },
        date: '2023-10-26T10:22:32Z',
        nonce: '3156853299f313e23d1673dc12e1703d',
      },
    )
    expect(headers['authorization']).toBe(
      'ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0',
    )
  })

  /** Checks the signature as the vendor's server does, from the received request. */
  async function isSigned(request: Received, secret: string): Promise<boolean> {
    const match = /^ACS3-HMAC-SHA256 Credential=KEY,SignedHeaders=([^,]+),Signature=([0-9a-f]{64})$/.exec(
      request.headers.get('authorization') ?? '',
    )
    if (!match) return false
    const names = match[1]!.split(';')
    for (const required of ['host', 'x-acs-action', 'x-acs-content-sha256', 'x-acs-date', 'x-acs-signature-nonce'])
      if (!names.includes(required)) return false
    const hash = await sha256Hex(request.body)
    if (request.headers.get('x-acs-content-sha256') !== hash) return false
    if (!isRecent(Date.parse(request.headers.get('x-acs-date') ?? ''))) return false
    const encoded = (text: string): string =>
      [...new TextEncoder().encode(text)]
        .map((b) =>
          /[A-Za-z0-9_.~-]/.test(String.fromCharCode(b))
            ? String.fromCharCode(b)
            : `%${b.toString(16).toUpperCase().padStart(2, '0')}`,
        )
        .join('')
    const query = Object.entries(request.query)
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&')
    let text = `${request.method}\n${request.path}\n${query}\n`
    for (const name of names) text += `${name}:${request.headers.get(name)!.trim()}\n`
    text += `\n${names.join(';')}\n${hash}`
    const signature = await hmacSha256(secret, `ACS3-HMAC-SHA256\n${await sha256Hex(text)}`)
    return signature.toHex() === match[2]
  }

  const url = 'aliyun://KEY:S%2Fecret@HOST?sign=二维码 (测试)*&template=SMS_1&sign-abroad=Tessera&template-abroad=SMS_2'

  test('Alibaba SendSms is signed and carries the sign, template and code', async () => {
    const signed: boolean[] = []
    gateway.answer = async (request) => {
      signed.push(await isSigned(request, 'S/ecret'), await isSigned(request, 'other'))
      return Response.json({ Code: 'OK', Message: 'OK', BizId: '1', RequestId: 'r' })
    }
    await (await sms(url)).send(message)
    expect(signed).toEqual([true, false])
    const [request] = gateway.received
    expect(request!.method).toBe('POST')
    expect(request!.headers.get('x-acs-action')).toBe('SendSms')
    expect(request!.headers.get('x-acs-version')).toBe('2017-05-25')
    expect(request!.body).toBe('')
    expect(request!.query).toEqual({
      PhoneNumbers: '13800138000',
      SignName: '二维码 (测试)*',
      TemplateCode: 'SMS_1',
      TemplateParam: '{"code":"012345"}',
      OutId: message.id,
    })
  })

  test('Alibaba numbers outside the mainland use their own template, and each request has its own nonce', async () => {
    gateway.answer = () => Response.json({ Code: 'OK' })
    const driver = await sms(`${url}&param=captcha`)
    await driver.send(abroad)
    await driver.send(abroad)
    const [first, second] = gateway.received
    expect(first!.query).toMatchObject({
      PhoneNumbers: '85291234567',
      SignName: 'Tessera',
      TemplateCode: 'SMS_2',
      TemplateParam: '{"captcha":"012345"}',
    })
    const nonce = (request: Received | undefined) => request!.headers.get('x-acs-signature-nonce')
    expect(nonce(first)).not.toBe(nonce(second))
  })

  test.each([
    ['isv.MOBILE_NUMBER_ILLEGAL', true],
    ['isv.BUSINESS_LIMIT_CONTROL', false],
    ['isv.AMOUNT_NOT_ENOUGH', false],
    ['SignatureDoesNotMatch', false],
  ])('the Alibaba error %s is permanent: %p', async (Code, permanent) => {
    gateway.answer = () => Response.json({ Code, Message: 'why' }, { status: 400 })
    const error = await failure((await sms(url)).send(message))
    expect(error.permanent).toBe(permanent)
    expect(error.message).toBe(`${Code}: why`)
  })

  test('Alibaba GetMobile is signed, sends the token and returns the number', async () => {
    const signed: boolean[] = []
    gateway.answer = async (request) => {
      signed.push(await isSigned(request, 'S'))
      return Response.json({ Code: 'OK', Message: 'OK', GetMobileResultDTO: { Mobile: '13800138000' } })
    }
    const phone = await oneClick('aliyun://KEY:S@HOST').phoneOf('a token+/=')
    expect(phone).toBe('13800138000')
    expect(signed).toEqual([true])
    expect(gateway.received[0]!.query).toEqual({ AccessToken: 'a token+/=' })
    expect(gateway.received[0]!.headers.get('x-acs-action')).toBe('GetMobile')
  })

  test.each([
    [{ Code: 'isv.ACCESS_TOKEN_INVALID', Message: 'no' }, true],
    [{ Code: 'InvalidAccessKeyId.NotFound', Message: 'no' }, false],
    [{ Code: 'Throttling.User', Message: 'no' }, false],
    [{ Code: 'isp.UNKNOWN', Message: 'no' }, false],
    [{ Code: 'OK' }, false],
    [{}, false],
  ])('the GetMobile answer %j is a permanent failure of the token: %p', async (answer, permanent) => {
    gateway.answer = () => Response.json(answer)
    expect((await failure(oneClick('aliyun://KEY:S@HOST').phoneOf('t'))).permanent).toBe(permanent)
  })
})

describe('Tencent', () => {
  const example = {
    host: 'cvm.tencentcloudapi.com',
    service: 'cvm',
    action: 'DescribeInstances',
    payload: '{"Limit": 1, "Filters": [{"Values": ["\\u672a\\u547d\\u540d"], "Name": "instance-name"}]}',
    timestamp: 1551113065,
  }

  test("TC3-HMAC-SHA256 produces the signature of Tencent's documentation, whose key consists of asterisks", () => {
    const key = { key: `AKID${'*'.repeat(32)}`, secret: '*'.repeat(32) }
    expect(tencentAuthorization(key, example)).toBe(
      `TC3-HMAC-SHA256 Credential=AKID${'*'.repeat(32)}/2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=10b1a37a7301a02ca19a647ad722d5e43b4b3cff309d421d85b46093f6ab6c4f`,
    )
  })

  async function isSigned(request: Received, id: string, secret: string): Promise<boolean> {
    const match =
      /^TC3-HMAC-SHA256 Credential=([^/]+)\/(\d{4}-\d\d-\d\d)\/(\w+)\/tc3_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
        request.headers.get('authorization') ?? '',
      )
    if (!match) return false
    const [, given, date, service, names, signature] = match as unknown as string[]
    const timestamp = request.headers.get('x-tc-timestamp') ?? ''
    if (given !== id || service !== 'sms' || !isRecent(Number(timestamp) * 1000)) return false
    if (new Date(Number(timestamp) * 1000).toISOString().slice(0, 10) !== date) return false
    let text = `POST\n/\n\n`
    for (const name of names!.split(';')) text += `${name}:${request.headers.get(name)!.toLowerCase()}\n`
    text += `\n${names}\n${await sha256Hex(request.body)}`
    const toSign = `TC3-HMAC-SHA256\n${timestamp}\n${date}/sms/tc3_request\n${await sha256Hex(text)}`
    const dated = await hmacSha256(await hmacSha256(`TC3${secret}`, date!), 'sms')
    return (await hmacSha256(await hmacSha256(dated, 'tc3_request'), toSign)).toHex() === signature
  }

  const url = 'tencent://ID:KEY@HOST?app=1400006666&sign=二维码&template=1110&params=code,minutes&template-abroad=1111'
  const ok = { Response: { SendStatusSet: [{ Code: 'Ok', Message: 'send success' }], RequestId: 'r' } }

  test('Tencent SendSms is signed and carries the application, template and its variables', async () => {
    const signed: boolean[] = []
    gateway.answer = async (request) => {
      signed.push(await isSigned(request, 'ID', 'KEY'), await isSigned(request, 'ID', 'other'))
      return Response.json(ok)
    }
    await (await sms(url)).send(message)
    expect(signed).toEqual([true, false])
    const [request] = gateway.received
    expect(request!.headers.get('x-tc-action')).toBe('SendSms')
    expect(request!.headers.get('x-tc-version')).toBe('2021-01-11')
    expect(request!.headers.get('x-tc-region')).toBe('ap-guangzhou')
    expect(JSON.parse(request!.body)).toEqual({
      PhoneNumberSet: ['+8613800138000'],
      SmsSdkAppId: '1400006666',
      SignName: '二维码',
      TemplateId: '1110',
      TemplateParamSet: ['012345', '5'],
      SessionContext: message.id,
    })
    await (await sms(url)).send(abroad)
    expect(JSON.parse(gateway.received[1]!.body)).toMatchObject({ TemplateId: '1111' })
  })

  test.each([
    [{ Response: { Error: { Code: 'AuthFailure.SignatureFailure', Message: 'no' } } }, false, 'AuthFailure'],
    [{ Response: { SendStatusSet: [{ Code: 'InvalidParameterValue.IncorrectPhoneNumber' }] } }, true, 'Incorrect'],
    [{ Response: { SendStatusSet: [{ Code: 'FailedOperation.PhoneNumberInBlacklist' }] } }, true, 'Blacklist'],
    [{ Response: { SendStatusSet: [{ Code: 'LimitExceeded.PhoneNumberThirtySecondLimit' }] } }, false, 'Thirty'],
    [{ Response: { SendStatusSet: [] } }, false, 'HTTP 200'],
    [{}, false, 'HTTP 200'],
  ])('the Tencent answer %j is a permanent failure: %p', async (answer, permanent, said) => {
    gateway.answer = () => Response.json(answer)
    const error = await failure((await sms(url)).send(message))
    expect(error.permanent).toBe(permanent)
    expect(error.message).toContain(said)
  })
})

describe('Twilio', () => {
  const url = 'twilio://AC123:to%3Aken@HOST?from=+15550100'

  test('Twilio receives a form with Basic authentication', async () => {
    gateway.answer = () => Response.json({ sid: 'SM1', status: 'queued' }, { status: 201 })
    await (await sms(url)).send(message)
    const [request] = gateway.received
    expect(request!.path).toBe('/2010-04-01/Accounts/AC123/Messages.json')
    expect(atob(request!.headers.get('authorization')!.replace('Basic ', ''))).toBe('AC123:to:ken')
    expect(request!.headers.get('content-type')).toBe('application/x-www-form-urlencoded')
    expect(Object.fromEntries(new URLSearchParams(request!.body))).toEqual({
      To: '+8613800138000',
      Body: message.text,
      From: '+15550100',
    })
  })

  test('Twilio receives the messaging service instead of a number if one is configured', async () => {
    gateway.answer = () => Response.json({ sid: 'SM1' }, { status: 201 })
    await (await sms('twilio://AC123:t@HOST?messaging-service=MG1')).send(message)
    expect(Object.fromEntries(new URLSearchParams(gateway.received[0]!.body))).toEqual({
      To: '+8613800138000',
      Body: message.text,
      MessagingServiceSid: 'MG1',
    })
  })

  test.each([
    [400, { code: 21211, message: "The 'To' number is not valid." }, true],
    [400, { code: 21610, message: 'unsubscribed' }, true],
    [400, { code: 21606, message: 'From is not ours' }, false],
    [401, { code: 20003, message: 'Authenticate' }, false],
    [429, { code: 20429, message: 'Too Many Requests' }, false],
  ])('the Twilio answer %d %j is a permanent failure: %p', async (status, body, permanent) => {
    gateway.answer = () => Response.json(body, { status })
    const error = await failure((await sms(url)).send(message))
    expect(error.permanent).toBe(permanent)
    expect(error.message).toBe(`${body.code}: ${body.message}`)
  })
})

describe('a webhook', () => {
  const url = 'http://:s%3Aecret@HOST/hooks/sms?team=7'

  async function isSigned(request: Received, secret: string): Promise<boolean> {
    const timestamp = request.headers.get('x-tessera-timestamp') ?? ''
    const expected = (await hmacSha256(secret, `${timestamp}.${request.body}`)).toHex()
    return isRecent(Number(timestamp) * 1000) && request.headers.get('x-tessera-signature') === expected
  }

  test('a webhook receives the whole message, signed, without the secret in its address', async () => {
    const signed: boolean[] = []
    gateway.answer = async (request) => {
      signed.push(await isSigned(request, 's:ecret'), await isSigned(request, 'other'))
      signed.push(await isSigned({ ...request, body: request.body.replace('012345', '999999') }, 's:ecret'))
      return new Response(null, { status: 204 })
    }
    await (await sms(url)).send(message)
    expect(signed).toEqual([true, false, false])
    const [request] = gateway.received
    expect(request!.method).toBe('POST')
    expect(request!.path).toBe('/hooks/sms')
    expect(request!.rawQuery).toBe('team=7')
    expect(request!.headers.get('authorization')).toBeNull()
    expect(JSON.parse(request!.body)).toEqual({ type: 'sms.code', ...message })
  })

  test.each([
    [400, true],
    [410, true],
    [422, true],
    [401, false],
    [404, false],
    [429, false],
    [500, false],
    [503, false],
  ])('the webhook answer HTTP %d is a permanent failure: %p', async (status, permanent) => {
    gateway.answer = () => new Response('because\n\nof\tthis', { status })
    const error = await failure((await sms(url)).send(message))
    expect(error.permanent).toBe(permanent)
    expect(error.message).toBe(`HTTP ${status} because of this`)
  })

  test('a redirect of a webhook is not followed, as it would send the code elsewhere', async () => {
    gateway.answer = () => Response.redirect(`http://${gateway.host}/elsewhere`, 307)
    expect((await failure((await sms(url)).send(message))).permanent).toBe(false)
    expect(gateway.received.map(({ path }) => path)).toEqual(['/hooks/sms'])
  })

  test('an endless answer of a webhook is cut off', async () => {
    gateway.answer = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(16_384)),
        }),
      )
    expect((await failure((await sms(url)).send(message))).message).toContain('larger than')
  })

  test('a one-click webhook receives the token and returns the number', async () => {
    const signed: boolean[] = []
    gateway.answer = async (request) => {
      signed.push(await isSigned(request, 's'))
      return Response.json({ phone: '+8613800138000' })
    }
    const driver = oneClick('http://:s@HOST/oneclick')
    expect(await driver.phoneOf('t')).toBe('+8613800138000')
    expect(signed).toEqual([true])
    expect(JSON.parse(gateway.received[0]!.body)).toEqual({ type: 'oneclick.token', token: 't' })
    gateway.answer = () => new Response('expired', { status: 422 })
    expect((await failure(driver.phoneOf('t'))).permanent).toBe(true)
    for (const answer of [{}, { phone: 13_800_138_000 }]) {
      gateway.answer = () => Response.json(answer)
      expect((await failure(driver.phoneOf('t'))).permanent).toBe(false)
    }
  })
})

describe('any gateway', () => {
  test('a gateway that does not listen is a temporary failure', async () => {
    const closed = startHttpGateway()
    await closed.stop()
    const driver = await openSms(parseSms(`http://:s@${closed.host}/x`)!, { clock: systemClock, log })
    const error = await failure(driver.send(message))
    expect(error.permanent).toBe(false)
    expect(error.message).toContain(`${closed.host} cannot be reached`)
    expect((await failure(driver.check())).message).toContain('cannot be reached')
  })

  test('sending to a gateway that never answers ends with the signal', async () => {
    gateway.answer = () => new Promise(() => {})
    const driver = await sms('http://:s@HOST/x')
    const error = await failure(driver.send(message, AbortSignal.timeout(50)))
    expect(error.permanent).toBe(false)
    // Not by its own time limit of 10 s.
    expect(error.message).not.toContain('did not answer within')
  })

  test('a gateway that answers with any status counts as reachable', async () => {
    gateway.answer = () => new Response('Not here', { status: 404 })
    expect(await (await sms('aliyun://K:S@HOST?sign=a&template=b')).check()).toBe(`${gateway.host} answers (HTTP 404)`)
    // The check sends no message.
    expect(gateway.received.map(({ method, query }) => [method, query])).toEqual([['GET', {}]])
  })
})

test('without an SMS gateway the log shows the code and masks the number', async () => {
  const lines: string[] = []
  const written = createLog({ level: 'warn', format: 'json', write: (text) => lines.push(text) })
  await (await openSms({ kind: 'log' }, { clock: systemClock, log: written })).send(message)
  expect(lines.join('')).toContain('012345')
  expect(lines.join('')).toContain('LOGIN')
  expect(lines.join('')).not.toContain('13800138000')
})
