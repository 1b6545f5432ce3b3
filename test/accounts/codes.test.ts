import { describe, expect, spyOn, test } from 'bun:test'

import { normalizePhone } from '#domains/accounts/accounts.rules.ts'
import { usesOfCode } from '#domains/accounts/codes/codes.rules.ts'

import { inProcess, race, startServer } from '../harness/index.ts'
import { newDevice, newEmail, newIp, newPhone, otherThan, useWorld } from './helpers.ts'

const world = useWorld()

const MINUTE = 60_000
const DAY = 86_400_000
const send = (phone: string, ip = newIp()) =>
  world.post('/api/auth/sms/send-code', { phone }, { headers: { 'x-forwarded-for': ip } })
const sendMail = (email: string) => world.post('/api/auth/email/send-code', { email })
const enter = (phone: string, code: string) =>
  world.post('/api/auth/phone-login', { phone, code }, { deviceId: newDevice() })

describe('phone numbers', () => {
  const cases: [string, string | undefined][] = [
    ['13800138000', '+8613800138000'],
    [' 138-0013 8000 ', '+8613800138000'],
    ['+86 138 0013 8000', '+8613800138000'],
    ['8613800138000', '+8613800138000'],
    ['+1 202-555-0123', '+12025550123'],
    ['+44 (7400) 123456', '+447400123456'],
    ['12800138000', undefined],
    ['1380013800', undefined],
    ['138001380000', undefined],
    ['+861013800138', undefined],
    ['+15', undefined],
    ['+999123456789', undefined],
    ['2025550123', undefined],
    ['１３８００１３８０００', undefined],
    ['', undefined],
  ]
  for (const [given, stored] of cases)
    test(`the phone number ${JSON.stringify(given)} is normalized to ${stored ?? 'nothing, because it is not one'}`, async () =>
      expect(await normalizePhone(given)).toBe(stored as string))
})

describe('the limits of codes', () => {
  const request = {
    purpose: 'LOGIN',
    channel: 'SMS',
    credential: '+8613800138000',
    userId: 0,
    ip: '192.0.2.4',
  } as const
  const all = (a: Parameters<typeof usesOfCode>[0]) => [...usesOfCode(a).caller, ...usesOfCode(a).credential]

  const limits = (purpose: 'LOGIN' | 'RESET' | 'CHANGE', channel: 'SMS' | 'EMAIL') =>
    all({ ...request, purpose, channel }).map((b) => b.limit)

  test('a code counts in the limits of its IP address, the minute of its purpose and the daily limits of its credential', () => {
    const login = all(request)
    const bind = all({ ...request, purpose: 'BIND', userId: 7 })
    expect(login.map((b) => [b.limit, b.windowMs])).toEqual([
      [20, DAY],
      [1, MINUTE],
      [9, DAY],
      [9, DAY],
    ])
    // All but the minute, which is one of the purpose.
    expect(login.map((b) => b.key).filter((key) => bind.some((b) => b.key === key))).toHaveLength(3)
    expect(limits('LOGIN', 'EMAIL')).toEqual([20, 1, 2, 4])
  })

  test('the last code of a day is for RESET, and CHANGE codes do not count for an asking IP address', () => {
    expect(limits('RESET', 'SMS')).toEqual([20, 1, 9, 10])
    expect(limits('RESET', 'EMAIL')).toEqual([20, 1, 2, 5])
    expect(limits('CHANGE', 'EMAIL')).toEqual([20, 1, 4])
  })

  test('an IPv6 caller counts by /64, /56 and /48, and for one credential by /48', () => {
    const uses = all({ ...request, ip: '2001:db8:1:2::3' })
    expect(uses.map((b) => b.limit)).toEqual([20, 60, 100, 1, 9, 9])
    expect(uses[4]!.key).toEndWith('2001:db8:1::/48')
  })

  test('codes for account links share no limit with other codes', () => {
    const link = all({ ...request, purpose: 'ACCOUNT_LINK', userId: 7 })
    const keys = new Set(all(request).map((b) => b.key))
    expect(link.filter((b) => keys.has(b.key))).toEqual([])
    expect(link.map((b) => b.limit)).toEqual([20, 1, 9, 5])
  })

  test('the keys of the counters contain no phone number', () => {
    for (const { key } of all(request)) expect(key).not.toContain('13800138000')
  })
})

describe('sending codes', () => {
  test('of 50 requests at once one sends a code, and the others get 4022 with Retry-After', async () => {
    const phone = newPhone()
    const replies = await race(50, () => send(phone))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    for (const r of replies.filter((r) => r.status !== 200)) {
      expect([r.status, r.code]).toEqual([429, 4022])
      expect(Number(r.headers.get('retry-after'))).toBeGreaterThan(30)
      expect(Number(r.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
    await world.codeTo(phone)
    await world.allDelivered()
    expect(world.gateways.messages.filter((m) => m.to === phone)).toHaveLength(1)
  })

  test('an IP address can request 20 codes a day, even if it sends 50 requests at once', async () => {
    const ip = newIp()
    const phones = Array.from({ length: 50 }, newPhone)
    const replies = await race(50, (i) => send(phones[i]!, ip))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(20)
    expect(replies.filter((r) => r.status === 429)).toHaveLength(30)
    expect(
      (await world.post('/api/auth/email/send-code', { email: newEmail() }, { headers: { 'x-forwarded-for': ip } }))
        .status,
    ).toBe(429)
    const lines = { 'x-forwarded-for': ip }
    const forgot = await world.post('/api/auth/password/forgot-code', { credential: newPhone() }, { headers: lines })
    expect(forgot.status).toBe(429)
  })

  test('an IPv6 /64 network counts as one IP address', async () => {
    const replies = await race(25, (i) => send(newPhone(), `2001:db8:1:2::${i + 1}`))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(20)
    expect((await send(newPhone(), '2001:db8:1:3::1')).status).toBe(200)
  })

  test('forgotten-password codes for unknown e-mails also count for the IP address', async () => {
    const headers = { 'x-forwarded-for': newIp() }
    for (let i = 0; i < 20; i++) {
      const reply = await world.post('/api/auth/password/forgot-code', { credential: newEmail() }, { headers })
      expect([reply.status, reply.message]).toEqual([400, 'This account is not registered'])
    }
    const after = await world.post('/api/auth/password/forgot-code', { credential: newEmail() }, { headers })
    expect(after.status).toBe(429)
  })

  test('a request with an invalid phone or e-mail is answered with 400', async () => {
    for (const phone of ['', '123', 'bob', '+86138', null])
      expect((await world.post('/api/auth/sms/send-code', { phone })).status).toBe(400)
    for (const email of ['', 'bob', 'a@b', null])
      expect((await world.post('/api/auth/email/send-code', { email })).status).toBe(400)
  })

  test('a foreign phone number is recognized in any spelling', async () => {
    const reply = await send('+44 7400 123-456')
    expect(reply.status).toBe(200)
    expect(await world.codeTo('+447400123456')).toMatch(/^\d{6}$/)
    expect((await send('+447400123456')).status).toBe(429)
  })

  test('the answer says when the code expires and when the next one may be requested', async () => {
    const before = world.server.clock.now()
    const { data } = await send(newPhone())
    expect(data.expiresAt).toBeGreaterThanOrEqual(before + 5 * MINUTE)
    expect(data.expiresAt).toBeLessThanOrEqual(world.server.clock.now() + 5 * MINUTE)
    expect(data.expiresAt - data.resendAt).toBe(4 * MINUTE)
  })

  test.if(inProcess)(
    'a credential gets its next code after a minute, at most 10 a day by SMS and 5 by e-mail, of which the last is for a reset',
    async () => {
      const { clock } = world.server
      const { phone } = await world.withPhone()
      const { email } = await world.withEmail()
      const forgot = async (credential: string) =>
        (await world.post('/api/auth/password/forgot-code', { credential })).status
      clock.advance(DAY)
      const [sms, mail] = [[] as number[], [] as number[]]
      for (let i = 0; i < 12; i++) {
        sms.push((await send(phone)).status)
        mail.push((await sendMail(email)).status)
        clock.advance(MINUTE / 2)
        expect((await send(phone)).status).toBe(429)
        clock.advance(MINUTE / 2 + 1)
      }
      expect(sms).toEqual([...Array(9).fill(200), 429, 429, 429])
      expect(mail).toEqual([...Array(4).fill(200), ...Array(8).fill(429)])
      for (const credential of [phone, email]) {
        expect(await forgot(credential)).toBe(200)
        clock.advance(MINUTE + 1)
        expect(await forgot(credential)).toBe(429)
      }
      const refused = await send(phone)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000)
      clock.advance(DAY)
      expect((await send(phone)).status).toBe(200)
      expect((await sendMail(email)).status).toBe(200)
    },
  )

  test.if(inProcess)(
    'an IP address can request 2 codes a day to one e-mail, and a stranger there leaves the others',
    async () => {
      const { email } = await world.withEmail()
      const { clock } = world.server
      clock.advance(DAY)
      const ask = async (path: string, body: object, ip: string) => {
        const { status } = await world.post(path, body, { headers: { 'x-forwarded-for': ip } })
        clock.advance(MINUTE + 1)
        return status
      }
      const stranger = newIp()
      const statuses = []
      for (let i = 0; i < 4; i++) statuses.push(await ask('/api/auth/email/send-code', { email }, stranger))
      statuses.push(await ask('/api/auth/password/forgot-code', { credential: email }, stranger))
      expect(statuses).toEqual([200, 200, 429, 429, 429])
      const owner = newIp()
      expect(await ask('/api/auth/email/send-code', { email }, owner)).toBe(200)
      expect(await ask('/api/auth/password/forgot-code', { credential: email }, owner)).toBe(200)
    },
  )

  test.if(inProcess)(
    'the server sends as many SMS a day as the setting says, logs the ceiling and still sends mail',
    async () => {
      const { setSetting } = await import('#domains/settings/index.ts')
      const { ctx, clock } = world.server
      const ceiling = (n: number) => ctx.db.write('test', (tx) => setSetting(tx, 'budget.smsPerDay', n))
      clock.advance(DAY)
      await ceiling(3)
      const log = spyOn(ctx.log, 'error').mockImplementation(() => {})
      try {
        const phones = Array.from({ length: 12 }, newPhone)
        const replies = await race(12, (i) => send(phones[i]!))
        expect(replies.filter((r) => r.status === 200)).toHaveLength(3)
        const refused = replies.filter((r) => r.code === 4022)
        expect(refused).toHaveLength(9)
        expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(86_000)
        expect(log.mock.calls.filter(([text]) => text.includes('ceiling of SMS'))).toHaveLength(1)
        expect(ctx.metrics.render()).toContain('tessera_sms_refused_total{reason="ceiling"} 9')
        expect((await sendMail(newEmail())).status).toBe(200)
        await ceiling(0)
        expect((await send(newPhone())).status).toBe(200)
        // A refused number has not used up its minute.
        expect((await send(phones[replies.findIndex((r) => r.status !== 200)]!)).status).toBe(200)
      } finally {
        log.mockRestore()
        await ceiling(1000)
      }
    },
  )

  test.if(inProcess)('the limits survive a restart of the server', async () => {
    const phone = newPhone()
    const { mkdtempSync, rmSync } = await import('node:fs')
    const dataDir = mkdtempSync('/tmp/tessera-codes-')
    const databaseUrl = world.server.ctx.config.databaseUrl
    if (databaseUrl !== '') return rmSync(dataDir, { recursive: true })
    const ask = async () => {
      const server = await startServer({ dataDir })
      const body = { phone }
      const { status } = await server.request('POST', '/api/auth/sms/send-code', { body })
      await server.stop()
      return status
    }
    expect([await ask(), await ask()]).toEqual([200, 429])
    rmSync(dataDir, { recursive: true })
  })
})

describe('using codes', () => {
  const codeOf = (phone: string) => world.codeBy(undefined, '/api/auth/sms/send-code', { phone }, phone)

  test('a code works once, even if five requests use it at the same time', async () => {
    const phone = newPhone()
    const code = await codeOf(phone)
    const replies = await race(5, () => enter(phone, code))
    expect(replies.map((r) => r.status).toSorted()).toEqual([200, 400, 400, 400, 400])
    expect((await enter(phone, code)).status).toBe(400)
  })

  test('after 5 wrong tries the right code is refused, too', async () => {
    const phone = newPhone()
    const code = await codeOf(phone)
    const wrong = await race(50, () => enter(phone, otherThan(code)))
    expect(new Set(wrong.map((r) => `${r.status} ${r.message}`)).size).toBe(1)
    const late = await enter(phone, code)
    expect([late.status, late.message]).toEqual([400, wrong[0]!.message])
  })

  test('the fifth try can still succeed', async () => {
    const phone = newPhone()
    const code = await codeOf(phone)
    for (let i = 0; i < 4; i++) expect((await enter(phone, otherThan(code))).status).toBe(400)
    expect((await enter(phone, code)).status).toBe(200)
  })

  test('a wrong, a used, an unsent and a malformed code get the same answer', async () => {
    const phone = newPhone()
    const code = await codeOf(phone)
    const texts = new Set<string>()
    const note = async (p: string, c: string) => {
      const r = await enter(p, c)
      texts.add(`${r.status} ${r.code} ${r.message} ${JSON.stringify(r.details)}`)
    }
    await note(phone, otherThan(code))
    expect((await enter(phone, code)).status).toBe(200)
    await note(phone, code)
    await note(newPhone(), code)
    for (const nonsense of ['abc', '12345', '1234567', '１２３４５６', '000000']) await note(phone, nonsense)
    expect([...texts]).toHaveLength(1)
  })

  test('a code works only for its purpose, its credential and the user who requested it', async () => {
    const [bob, eve] = [await world.server.person(), await world.server.person()]
    const phone = newPhone()
    const login = await codeOf(phone)
    expect((await bob.call('auth.phoneBind', { body: { phone, code: login } })).status).toBe(400)
    const bind = await world.codeBy(bob, '/api/auth/sms/bind-code', { phone }, phone)
    expect((await enter(phone, bind)).status).toBe(bind === login ? 200 : 400)
    expect((await eve.call('auth.phoneBind', { body: { phone, code: bind } })).status).toBe(400)
    expect((await bob.call('auth.phoneBind', { body: { phone: newPhone(), code: bind } })).status).toBe(400)
    expect((await bob.call('auth.phoneBind', { body: { phone, code: bind } })).status).toBe(200)
  })

  test.if(inProcess)('a code expires after 5 minutes and is replaced by a newer one', async () => {
    const { clock } = world.server
    const phone = newPhone()
    const first = await codeOf(phone)
    clock.advance(MINUTE + 1000)
    const second = await codeOf(phone)
    if (first !== second) expect((await enter(phone, first)).status).toBe(400)
    clock.advance(5 * MINUTE)
    expect((await enter(phone, second)).status).toBe(400)
    clock.advance(MINUTE)
    const third = await codeOf(phone)
    clock.advance(4 * MINUTE)
    expect((await enter(phone, third)).status).toBe(200)
  })

  test.if(inProcess)('a code is stored as a keyed hash, and deleted when it is used or expired', async () => {
    const { verificationCodes } = await import('#db/schema/accounts.ts')
    const { accounts } = await import('#domains/accounts/index.ts')
    const rows = () => world.server.ctx.db.read.select().from(verificationCodes)
    const phone = newPhone()
    const code = await codeOf(phone)
    const row = (await rows()).find((r) => r.credential === phone)!
    expect(JSON.stringify(row)).not.toContain(code)
    // Without the server's key the hash cannot be reversed by trying a million codes.
    for (const text of [code, phone + code, `LOGIN${phone}${code}`])
      expect(row.hash).not.toBe(new Bun.CryptoHasher('sha256').update(text).digest('base64url'))
    expect((await enter(phone, code)).status).toBe(200)
    expect((await rows()).filter((r) => r.credential === phone)).toEqual([])
    await codeOf(newPhone())
    world.server.clock.advance(5 * MINUTE)
    for (const job of accounts.jobs) await job.run(world.server.ctx)
    expect(await rows()).toEqual([])
  })
})
