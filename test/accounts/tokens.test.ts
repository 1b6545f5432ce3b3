import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { resetPassword } from '#domains/accounts/index.ts'

import { ADMIN, inProcess, useServer } from '../harness/index.ts'
import { newDevice } from './helpers.ts'

const { server, bob } = useServer({ people: ['bob'] })

const ask = (token: string, deviceId: string | undefined = bob.deviceId, headers?: Record<string, string>) =>
  server.request('GET', '/api/auth/userinfo', { token, ...(deviceId && { deviceId }), ...(headers && { headers }) })

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

describe('access tokens', () => {
  test('an access token carries user, session and token version, and no role', () => {
    const { sub, sid, tv, iat, exp, jti, ...rest } = claims(bob.token)
    expect({ sub, sid, tv }).toEqual({ sub: String(bob.id), sid: bob.sessionId, tv: 0 })
    expect(exp - iat).toBe(7 * 86_400)
    expect(typeof jti).toBe('string')
    expect(rest).toEqual({})
  })

  test('an access token is accepted with “Bearer” in any case', async () => {
    expect((await ask(bob.token)).status).toBe(200)
    expect((await ask(bob.token, bob.deviceId, { authorization: `bearer ${bob.token}` })).status).toBe(200)
  })

  test('a missing, empty or otherwise written token is answered with 401 in the envelope', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer ', `Basic ${bob.token}`, bob.token]) {
      const reply = await server.request('GET', '/api/auth/userinfo', {
        headers: { authorization, 'x-device-id': bob.deviceId },
      })
      expect(reply.status, authorization).toBe(401)
      expect(reply.code).toBe(401)
      expect(JSON.parse(reply.text).requestId).toBe(reply.headers.get('x-request-id'))
    }
  })

  test('an access token without the device id of its session is answered with 401', async () => {
    const { data } = await bob.call('sessions.detail', { params: { sessionId: bob.sessionId } })
    for (const deviceId of ['', newDevice(), data.deviceId, bob.deviceId.toUpperCase(), `${bob.deviceId}x`])
      expect((await ask(bob.token, deviceId)).status, deviceId).toBe(401)
    expect((await ask(bob.token)).status).toBe(200)
  })
})

// The key is in the data directory. Tokens forged with it show that the other checks hold as well.
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

  test('a token that is forged exactly like the server’s tokens is accepted', async () => {
    const forged = sign(HS256, { ...claims(bob.token), jti: 'another' }, key())
    expect((await ask(forged)).status).toBe(200)
  })

  const attacks: [string, () => string][] = [
    ['with alg none', () => `${part({ alg: 'none' })}.${part(claims(bob.token))}.`],
    [
      'with alg None and the old signature',
      () => `${part({ alg: 'None' })}.${bob.token.split('.').slice(1).join('.')}`,
    ],
    ['signed by HS512 with the right key', () => sign({ alg: 'HS512' }, claims(bob.token), key(), undefined, 'sha512')],
    ['signed by HS256 under a header with RS256', () => sign({ alg: 'RS256' }, claims(bob.token), key())],
    ['signed with a foreign key', () => sign(HS256, claims(bob.token), Buffer.alloc(32, 7))],
    ['signed with an empty key', () => sign(HS256, claims(bob.token), Buffer.alloc(0))],
    ['without exp', () => sign(HS256, { ...claims(bob.token), exp: undefined }, key())],
    ['with exp in the past', () => sign(HS256, { ...claims(bob.token), exp: 1_700_000_000 }, key())],
    ['with exp as a string', () => sign(HS256, { ...claims(bob.token), exp: '9999999999' }, key())],
    ['without sid', () => sign(HS256, { ...claims(bob.token), sid: undefined }, key())],
    ['with sid as a string', () => sign(HS256, { ...claims(bob.token), sid: String(bob.sessionId) }, key())],
    ['without a token version', () => sign(HS256, { ...claims(bob.token), tv: undefined }, key())],
    ['with an older token version', () => sign(HS256, { ...claims(bob.token), tv: -1 }, key())],
    ['with a later token version', () => sign(HS256, { ...claims(bob.token), tv: 1 }, key())],
    ['with another user as the subject', () => sign(HS256, { ...claims(bob.token), sub: '1' }, key())],
    ['with a session that does not exist', () => sign(HS256, { ...claims(bob.token), sid: 999_999 }, key())],
    ['without jti', () => sign(HS256, { ...claims(bob.token), jti: undefined }, key())],
    ['with a critical header', () => sign({ alg: 'HS256', crit: ['x'], x: 1 }, claims(bob.token), key())],
    [
      'with a tampered payload',
      () => {
        const [header, , signature] = bob.token.split('.')
        return `${header}.${part({ ...claims(bob.token), sub: '1' })}.${signature}`
      },
    ],
    ['with a shortened signature', () => bob.token.slice(0, -2)],
    ['without a signature', () => bob.token.split('.').slice(0, 2).join('.')],
    ['of four parts', () => `${bob.token}.x`],
    ['of ten kilobytes', () => bob.token + 'x'.repeat(10_000)],
  ]
  for (const [name, token] of attacks)
    test(`a token ${name} is answered with 401`, async () => {
      const reply = await ask(token())
      expect(reply.status).toBe(401)
      expect(reply.data).toBeUndefined()
    })

  test('an expired token is refused, even if it was accepted and cached before', async () => {
    const carol = await server.person()
    expect((await carol.call('profile.get')).status).toBe(200)
    server.clock.advance(7 * 86_400_000 + 1000)
    expect((await carol.call('profile.get')).status).toBe(401)
    const fresh = await server.request('POST', '/api/auth/refresh', { body: { refreshToken: carol.refreshToken } })
    expect((await ask(fresh.data.accessToken, carol.deviceId)).status).toBe(200)
    server.clock.advance(-7 * 86_400_000 - 1000)
  })
})

describe.if(inProcess)('resetPassword of the command line', () => {
  test('a password reset on the command line ends every session, token and failure lock', async () => {
    const dora = await server.person()
    const other = await server.request('POST', '/api/auth/login', {
      body: { account: dora.username, password: dora.password },
    })
    for (let i = 0; i < 5; i++)
      await server.request('POST', '/api/auth/login', { body: { account: dora.username, password: 'wrong' } })
    await resetPassword(server.ctx, dora.username, 'an entirely new one')

    expect((await dora.call('profile.get')).status).toBe(401)
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

  test('the command line cannot give an administrator a weak password', async () => {
    await expect(resetPassword(server.ctx, ADMIN.username, '123456789')).rejects.toThrow()
    await expect(resetPassword(server.ctx, 'nobody.here', 'an entirely new one')).rejects.toThrow('no user')
    const login = await server.request('POST', '/api/admin/auth/login', {
      body: { account: ADMIN.username, password: ADMIN.password },
    })
    expect(login.status).toBe(200)
  })
})
