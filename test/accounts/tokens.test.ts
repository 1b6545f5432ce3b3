import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { resetPassword } from '#domains/accounts/index.ts'

import { ADMIN, inProcess, type Person, startServer, type TestServer } from '../harness/index.ts'

let server: TestServer
let bob: Person
beforeAll(async () => {
  server = await startServer()
  bob = await server.person()
})
afterAll(() => server.stop())

const ask = (token: string, deviceId: string | undefined = bob.deviceId, headers?: Record<string, string>) =>
  server.request('GET', '/api/auth/userinfo', { token, ...(deviceId && { deviceId }), ...(headers && { headers }) })

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

describe('access tokens', () => {
  test('carry session and token version, and no role', () => {
    const { sub, sid, tv, iat, exp, jti, ...rest } = claims(bob.token)
    expect({ sub, sid, tv }).toEqual({ sub: String(bob.id), sid: bob.sessionId, tv: 0 })
    expect(exp - iat).toBe(7 * 86_400)
    expect(typeof jti).toBe('string')
    expect(rest).toEqual({})
  })

  test('the real one works, in any case of "Bearer"', async () => {
    expect((await ask(bob.token)).status).toBe(200)
    expect((await ask(bob.token, bob.deviceId, { authorization: `bearer ${bob.token}` })).status).toBe(200)
  })

  test('no token, an empty one, another scheme: 401 in the envelope', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer ', `Basic ${bob.token}`, bob.token]) {
      const reply = await server.request('GET', '/api/auth/userinfo', {
        headers: { authorization, 'x-device-id': bob.deviceId },
      })
      expect(reply.status, authorization).toBe(401)
      expect(reply.code).toBe(401)
      expect(JSON.parse(reply.text).requestId).toBe(reply.headers.get('x-request-id'))
    }
  })

  test('no device, another device, the key of the device: 401', async () => {
    const { data } = await bob.get(`/api/auth/sessions/${bob.sessionId}`)
    for (const deviceId of [
      '',
      `device-${crypto.randomUUID()}`,
      data.deviceId,
      bob.deviceId.toUpperCase(),
      `${bob.deviceId}x`,
    ])
      expect((await ask(bob.token, deviceId)).status, deviceId).toBe(401)
    expect((await ask(bob.token)).status).toBe(200)
  })
})

// The key lies in the data directory; forging with it shows that the rest of the check holds too.
describe.if(inProcess)('forged tokens', () => {
  const key = (): Buffer => {
    const dir = join(server.dataDir, 'keys')
    for (const name of readdirSync(dir)) {
      const raw = readFileSync(join(dir, name))
      const text = raw.toString().trim()
      for (const candidate of [raw, Buffer.from(text), Buffer.from(text, 'base64url'), Buffer.from(text, 'hex')])
        if (sign({ alg: 'HS256' }, claims(bob.token), candidate, bob.token.split('.')[0]!) === bob.token)
          return candidate
    }
    throw new Error('no file in keys/ holds the signing key')
  }
  const sign = (header: object, payload: object, secret: Buffer, rawHeader = part(header), hash = 'sha256') => {
    const input = `${rawHeader}.${part(payload)}`
    return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
  }
  const HS256 = { alg: 'HS256' }

  test('the forge works: a token made as the server makes them is let in', async () => {
    const forged = sign(HS256, { ...claims(bob.token), jti: 'another' }, key())
    expect((await ask(forged)).status).toBe(200)
  })

  const attacks: [string, () => string][] = [
    ['alg none', () => `${part({ alg: 'none' })}.${part(claims(bob.token))}.`],
    ['alg None with the old signature', () => `${part({ alg: 'None' })}.${bob.token.split('.').slice(1).join('.')}`],
    ['HS512 with the right key', () => sign({ alg: 'HS512' }, claims(bob.token), key(), undefined, 'sha512')],
    ['HS256 in a header that says RS256', () => sign({ alg: 'RS256' }, claims(bob.token), key())],
    ['a foreign key', () => sign(HS256, claims(bob.token), Buffer.alloc(32, 7))],
    ['an empty key', () => sign(HS256, claims(bob.token), Buffer.alloc(0))],
    ['no exp', () => sign(HS256, { ...claims(bob.token), exp: undefined }, key())],
    ['exp in the past', () => sign(HS256, { ...claims(bob.token), exp: 1_700_000_000 }, key())],
    ['exp as text', () => sign(HS256, { ...claims(bob.token), exp: '9999999999' }, key())],
    ['no sid', () => sign(HS256, { ...claims(bob.token), sid: undefined }, key())],
    ['sid as text', () => sign(HS256, { ...claims(bob.token), sid: String(bob.sessionId) }, key())],
    ['no token version', () => sign(HS256, { ...claims(bob.token), tv: undefined }, key())],
    ['an older token version', () => sign(HS256, { ...claims(bob.token), tv: -1 }, key())],
    ['a later token version', () => sign(HS256, { ...claims(bob.token), tv: 1 }, key())],
    ['somebody else as subject', () => sign(HS256, { ...claims(bob.token), sub: '1' }, key())],
    ['a session that does not exist', () => sign(HS256, { ...claims(bob.token), sid: 999_999 }, key())],
    ['no jti', () => sign(HS256, { ...claims(bob.token), jti: undefined }, key())],
    ['a critical header', () => sign({ alg: 'HS256', crit: ['x'], x: 1 }, claims(bob.token), key())],
    [
      'a tampered payload',
      () => {
        const [header, , signature] = bob.token.split('.')
        return `${header}.${part({ ...claims(bob.token), sub: '1' })}.${signature}`
      },
    ],
    ['a signature cut short', () => bob.token.slice(0, -2)],
    ['no signature', () => bob.token.split('.').slice(0, 2).join('.')],
    ['four parts', () => `${bob.token}.x`],
    ['ten kilobytes of token', () => bob.token + 'x'.repeat(10_000)],
  ]
  for (const [name, token] of attacks)
    test(name, async () => {
      const reply = await ask(token())
      expect(reply.status).toBe(401)
      expect(reply.data).toBeUndefined()
    })

  test('an expired one, however often it was seen before', async () => {
    const carol = await server.person()
    expect((await carol.get('/api/auth/userinfo')).status).toBe(200)
    server.clock.advance(7 * 86_400_000 + 1000)
    expect((await carol.get('/api/auth/userinfo')).status).toBe(401)
    const fresh = await server.request('POST', '/api/auth/refresh', { body: { refreshToken: carol.refreshToken } })
    expect((await ask(fresh.data.accessToken, carol.deviceId)).status).toBe(200)
    server.clock.advance(-7 * 86_400_000 - 1000)
  })
})

describe.if(inProcess)('a new password', () => {
  test('ends every session and token from before, and a lock', async () => {
    const dora = await server.person()
    const other = await server.request('POST', '/api/auth/login', {
      body: { account: dora.username, password: dora.password },
    })
    for (let i = 0; i < 5; i++)
      await server.request('POST', '/api/auth/login', { body: { account: dora.username, password: 'wrong' } })
    await resetPassword(server.ctx, dora.username, 'an entirely new one')

    expect((await dora.get('/api/auth/userinfo')).status).toBe(401)
    expect((await ask(other.data.accessToken, other.data.deviceId)).status).toBe(401)
    for (const refreshToken of [dora.refreshToken, other.data.refreshToken])
      expect((await server.request('POST', '/api/auth/refresh', { body: { refreshToken } })).status).toBe(401)
    const old = await server.request('POST', '/api/auth/login', {
      body: { account: dora.username, password: dora.password },
    })
    expect(old.status).toBe(401)
    const body = { account: dora.username, password: 'an entirely new one' }
    const back = await server.request('POST', '/api/auth/login', { body })
    expect(back.status).toBe(200)
    expect(claims(back.data.accessToken).tv).toBe(1)
  })

  test('an administrator cannot be given a weak one', async () => {
    await expect(resetPassword(server.ctx, ADMIN.username, '123456789')).rejects.toThrow()
    await expect(resetPassword(server.ctx, 'nobody.here', 'an entirely new one')).rejects.toThrow('no user')
    const login = await server.request('POST', '/api/admin/auth/login', {
      body: { account: ADMIN.username, password: ADMIN.password },
    })
    expect(login.status).toBe(200)
  })
})
