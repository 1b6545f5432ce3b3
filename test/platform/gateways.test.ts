/** The forms of gateway addresses, as docs/operations.md ("Mail and SMS") describes them. */

import { describe, expect, test } from 'bun:test'

import { maskGateway, parseMailbox, parseOneClick, parseSms, parseSmtp } from '#config/gateways.ts'

describe('a mail server', () => {
  const plain = { user: '', password: '', caFile: '' }
  test.each([
    [
      'smtps://u:p@mail.example.org',
      { host: 'mail.example.org', port: 465, tls: 'implicit', user: 'u', password: 'p' },
    ],
    ['smtps://mail.example.org:4650/', { host: 'mail.example.org', port: 4650, tls: 'implicit' }],
    ['smtp://mail.example.org', { host: 'mail.example.org', port: 587, tls: 'required' }],
    ['smtp://relay.lan:25?tls=off', { host: 'relay.lan', port: 25, tls: 'off' }],
    ['smtp://localhost:25', { host: 'localhost', port: 25, tls: 'off' }],
    ['smtp://u:p@127.0.0.1:25', { host: '127.0.0.1', port: 25, tls: 'off', user: 'u', password: 'p' }],
    [
      'smtp://localhost?tls=required&ca=/x/ca.pem',
      { host: 'localhost', port: 587, tls: 'required', caFile: '/x/ca.pem' },
    ],
    ['smtp://[::1]:25', { host: '::1', port: 25, tls: 'off' }],
    ['smtps://a%40b.c:p%3A%2F%23%25@h', { host: 'h', port: 465, tls: 'implicit', user: 'a@b.c', password: 'p:/#%' }],
  ])('%s is a mail server', (text, expected) => {
    expect(parseSmtp(text)).toEqual({ ...plain, ...expected } as never)
  })

  test.each([
    'smtp://',
    'mail.example.org',
    'http://mail.example.org',
    'smtp://h/path',
    'smtp://h#x',
    'smtp://user@h',
    'smtp://:password@h',
    'smtp://h?tls=maybe',
    'smtps://h?tls=off',
    'smtp://h?verify=no',
    'smtp://h?ca=a&ca=b',
    'smtp://%E0%A4%A@h',
    // The password would cross the network unencrypted.
    'smtp://u:p@relay.lan?tls=off',
  ])('%s is not a mail server', (text) => {
    expect(parseSmtp(text)).toBeUndefined()
  })
})

describe('a sender', () => {
  test.each([
    ['no-reply@example.org', '', 'no-reply@example.org'],
    ['Tessera <no-reply@example.org>', 'Tessera', 'no-reply@example.org'],
    ['"Tessera, Inc." <x@example.org>', 'Tessera, Inc.', 'x@example.org'],
    ['二维码平台 <x@example.org>', '二维码平台', 'x@example.org'],
  ])('%s is a sender', (text, name, address) => {
    expect(parseMailbox(text)).toEqual({ name, address })
  })

  test.each([
    '',
    'Tessera',
    'a@b, c@d',
    'x <a@b> y',
    'x\r\nBcc: y@z <a@b>',
    '<a@b',
    'a b@c',
    `${'x'.repeat(250)}@y.org`,
  ])('%j is not a sender', (text) => {
    expect(parseMailbox(text)).toBeUndefined()
  })
})

describe('an SMS gateway', () => {
  test('log: is the SMS gateway that writes to the log', () => {
    expect(parseSms('log:')).toEqual({ kind: 'log' })
  })

  test('aliyun:// is parsed with its sign, template and variable, at home and abroad', () => {
    expect(parseSms('aliyun://KEY:S%2Bx@dysmsapi.aliyuncs.com?sign=二维码&template=SMS_1')).toEqual({
      kind: 'aliyun',
      endpoint: 'https://dysmsapi.aliyuncs.com',
      key: 'KEY',
      secret: 'S+x',
      home: { sign: '二维码', template: 'SMS_1' },
      abroad: { sign: '二维码', template: 'SMS_1' },
      param: 'code',
    })
    const abroad = 'aliyun://K:S@h/?sign=a&template=b&template-abroad=c&sign-abroad=d&param=captcha'
    expect(parseSms(abroad)).toMatchObject({ abroad: { sign: 'd', template: 'c' }, param: 'captcha' })
  })

  test('tencent:// is parsed with its application, region, template and variables', () => {
    expect(parseSms('tencent://ID:KEY@sms.tencentcloudapi.com?app=1400&sign=s&template=7&params=code,minutes')).toEqual(
      {
        kind: 'tencent',
        endpoint: 'https://sms.tencentcloudapi.com',
        key: 'ID',
        secret: 'KEY',
        app: '1400',
        region: 'ap-guangzhou',
        home: { sign: 's', template: '7' },
        abroad: { sign: 's', template: '7' },
        params: ['code', 'minutes'],
      },
    )
  })

  test('twilio:// is parsed with its sender, and the plus sign of a number survives the query', () => {
    const expected = { kind: 'twilio', endpoint: 'https://api.twilio.com', key: 'AC1', secret: 'T' }
    for (const from of ['+15550100', '%2B15550100'])
      expect(parseSms(`twilio://AC1:T@api.twilio.com?from=${from}`)).toEqual({
        ...expected,
        from: '+15550100',
        messagingService: '',
      } as never)
    expect(parseSms('twilio://AC1:T@api.twilio.com?from=Tessera')).toMatchObject({ from: 'Tessera' })
    expect(parseSms('twilio://AC1:T@api.twilio.com?messaging-service=MG1')).toMatchObject({ messagingService: 'MG1' })
  })

  test('a webhook address keeps its query and loses the secret', () => {
    expect(parseSms('https://:s%2Fx@hooks.example.org/sms?team=1')).toEqual({
      kind: 'webhook',
      url: 'https://hooks.example.org/sms?team=1',
      secret: 's/x',
    })
  })

  test.each([
    ['http://:s@127.0.0.1:9/x', 'http://127.0.0.1:9/x'],
    ['http://:s@localhost/x', 'http://localhost/x'],
    ['http://:s@10.1.2.3/x?tls=off', 'http://10.1.2.3/x'],
    ['http://:s@172.31.0.1/x?tls=off&team=1', 'http://172.31.0.1/x?team=1'],
    ['http://:s@[fd00::7]/x?tls=off', 'http://[fd00::7]/x'],
    ['http://:s@sms-hook:8000/x?tls=off', 'http://sms-hook:8000/x'],
    ['http://:s@hook.internal/x?tls=off', 'http://hook.internal/x'],
    ['https://:s@hooks.example.org/x?tls=off', 'https://hooks.example.org/x?tls=off'],
  ])('the webhook %s is called at %s', (text, url) => {
    for (const parse of [parseSms, parseOneClick]) expect(parse(text)).toEqual({ kind: 'webhook', url, secret: 's' })
  })

  test.each([
    'http://:s@hooks.example.org/x',
    'http://:s@hooks.example.org/x?tls=off',
    'http://:s@10.1.2.3/x',
    'http://:s@10.1.2.3/x?tls=on',
    'http://:s@172.32.0.1/x?tls=off',
    'http://:s@8.8.8.8/x?tls=off',
    'http://:s@[2001:db8::1]/x?tls=off',
    'http://:s@127.0.0.1.example.org/x?tls=off',
    'http://:s@internal.example.org/x?tls=off',
  ])('the webhook %s is refused, because codes would cross the network unencrypted', (text) => {
    for (const parse of [parseSms, parseOneClick]) expect(parse(text)).toBeUndefined()
  })

  test('vendors are called over HTTP on this machine and over HTTPS elsewhere', () => {
    for (const host of ['localhost:99', '127.0.0.1:99', '[::1]:99'])
      expect(parseSms(`aliyun://K:S@${host}?sign=a&template=b`)).toMatchObject({ endpoint: `http://${host}` })
    for (const host of ['localhost.example.org', '127.0.0.1.example.org', '10.0.0.1'])
      expect(parseSms(`aliyun://K:S@${host}?sign=a&template=b`)).toMatchObject({ endpoint: `https://${host}` })
  })

  test.each([
    '',
    'log',
    'log:x',
    'aliyun://h?sign=a&template=b',
    'aliyun://K@h?sign=a&template=b',
    'aliyun://K:S@h?template=b',
    'aliyun://K:S@h?sign=a',
    'aliyun://K:S@h?sign=a&template=b&tempalte-abroad=c',
    'aliyun://K:S@h/path?sign=a&template=b',
    'tencent://K:S@h?sign=a&template=b',
    'tencent://K:S@h?app=1&sign=a&template=b&params=minutes',
    'tencent://K:S@h?app=1&sign=a&template=b&params=code,name',
    'twilio://K:S@h',
    'https://hooks.example.org/sms',
    'https://user:secret@hooks.example.org/sms',
    'ftp://:s@h',
  ])('%j is not an SMS gateway', (text) => {
    expect(parseSms(text)).toBeUndefined()
  })
})

test('a one-click gateway is aliyun:// or a webhook and nothing else', () => {
  expect(parseOneClick('aliyun://K:S@dypnsapi.aliyuncs.com')).toEqual({
    kind: 'aliyun',
    endpoint: 'https://dypnsapi.aliyuncs.com',
    key: 'K',
    secret: 'S',
  })
  expect(parseOneClick('https://:s@h/x')).toEqual({ kind: 'webhook', url: 'https://h/x', secret: 's' })
  for (const text of ['', 'log:', 'aliyun://K:S@h?sign=a', 'tencent://K:S@h', 'https://h']) {
    expect(parseOneClick(text)).toBeUndefined()
  }
})

test.each([
  ['smtps://u:hunter2@mail.example.org', 'smtps://u:***@mail.example.org'],
  ['aliyun://KEY:hunter2@h/?sign=a&template=b', 'aliyun://KEY:***@h/?sign=a&template=b'],
  ['https://:hunter2@h.example/hunter2?token=hunter2', 'https://***@h.example/…'],
  ['smtp://relay.lan:25', 'smtp://relay.lan:25'],
  ['log:', 'log:'],
])('the gateway address %s is shown as %s', (text, shown) => {
  expect(maskGateway(text)).toBe(shown)
})
