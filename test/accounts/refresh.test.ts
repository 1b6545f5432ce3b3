import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { inProcess, type Person, race, type Reply, startServer, type TestServer } from '../harness/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const refresh = (refreshToken: string, deviceId?: string) =>
  server.request('POST', '/api/auth/refresh', { body: { refreshToken }, ...(deviceId && { deviceId }) })

const works = async (reply: Reply, person: Person): Promise<boolean> => {
  const asked = await server.request('GET', '/api/auth/userinfo', {
    token: reply.data.accessToken,
    deviceId: person.deviceId,
  })
  return asked.status === 200
}

describe('refresh', () => {
  test('gives a new pair for the same session, and prolongs it', async () => {
    const bob = await server.person()
    const before = (await bob.get(`/api/auth/sessions/${bob.sessionId}`)).data
    const reply = await refresh(bob.refreshToken)
    expect(reply.data).toMatchObject({ sessionId: bob.sessionId, isNewUser: false, user: { id: bob.id } })
    expect(reply.data.refreshToken).not.toBe(bob.refreshToken)
    expect(reply.data.accessToken).not.toBe(bob.token)
    expect(await works(reply, bob)).toBe(true)
    const after = (await bob.get(`/api/auth/sessions/${bob.sessionId}`)).data
    expect(after.expiredAt).toBeGreaterThanOrEqual(before.expiredAt)
    expect(Math.abs(after.expiredAt - Date.now() - 30 * 86_400_000)).toBeLessThan(10_000)
    expect(reply.text).not.toContain(bob.deviceId)
  })

  test('leaves no login record', async () => {
    const bob = await server.person()
    await refresh(bob.refreshToken)
    expect((await bob.get(`/api/login-records/user/${bob.id}`)).data.total).toBe(1)
  })

  test('refuses what is no refresh token', async () => {
    const bob = await server.person()
    for (const token of ['x', 'x'.repeat(43), bob.token.slice(0, 200), `${bob.refreshToken} `])
      expect((await refresh(token)).status, token).toBe(401)
    expect((await server.request('POST', '/api/auth/refresh', { body: {} })).status).toBe(400)
    expect((await bob.get('/api/auth/userinfo')).status).toBe(200)
  })

  test("on another device: refused, and the owner's token stays good", async () => {
    const bob = await server.person()
    expect((await refresh(bob.refreshToken, `device-${crypto.randomUUID()}`)).status).toBe(401)
    expect((await refresh(bob.refreshToken, bob.deviceId)).status).toBe(200)
  })

  test('shown again at once it gives another pair: both go on', async () => {
    const bob = await server.person()
    const [first, again] = [await refresh(bob.refreshToken), await refresh(bob.refreshToken)]
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.data.refreshToken).not.toBe(first.data.refreshToken)
    expect(await works(first, bob)).toBe(true)
    expect(await works(again, bob)).toBe(true)
    expect((await refresh(first.data.refreshToken)).status).toBe(200)
  })

  test('a token whose successor was used ends the session, also within 30 seconds', async () => {
    const bob = await server.person()
    const first = await refresh(bob.refreshToken)
    const second = await refresh(first.data.refreshToken)
    expect((await refresh(bob.refreshToken)).status).toBe(401)
    expect(await works(second, bob)).toBe(false)
    expect((await refresh(second.data.refreshToken)).status).toBe(401)
  })

  test.if(inProcess)('a rotated token shown after 30 seconds ends the session', async () => {
    const bob = await server.person()
    const next = await refresh(bob.refreshToken)
    server.clock.advance(31_000)
    expect((await refresh(bob.refreshToken)).status).toBe(401)
    expect(await works(next, bob)).toBe(false)
    expect((await refresh(next.data.refreshToken)).status).toBe(401)
    const { sessions } = await import('#db/schema/accounts.ts')
    const rows = await server.ctx.db.read.select().from(sessions)
    expect(rows.find((s) => s.id === bob.sessionId)!.status).toBe('REVOKED')
  })

  test.if(inProcess)('a stolen token ends only its own session', async () => {
    const bob = await server.person()
    const other = await server.request('POST', '/api/auth/login', {
      body: { account: bob.username, password: bob.password },
    })
    await refresh(other.data.refreshToken)
    server.clock.advance(31_000)
    expect((await refresh(other.data.refreshToken)).status).toBe(401)
    expect((await bob.get('/api/auth/userinfo')).status).toBe(200)
  })

  test('50 at once with one token: all get a pair, the session has one line of succession', async () => {
    const bob = await server.person()
    const replies = await race(50, () => refresh(bob.refreshToken))
    expect(replies.map((r) => r.status)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(new Set(replies.map((r) => r.data.refreshToken)).size).toBe(50)
    expect(new Set(replies.map((r) => r.data.sessionId))).toEqual(new Set([bob.sessionId]))
    // Any of the answers may be the one that arrived last. Using one makes the others "just rotated".
    const next = await refresh(replies[17]!.data.refreshToken)
    expect(next.status).toBe(200)
    expect((await refresh(replies[3]!.data.refreshToken)).status).toBe(200)
    // The first token is two exchanges old now.
    expect((await refresh(bob.refreshToken)).status).toBe(401)
    expect(await works(next, bob)).toBe(false)
  })

  test.if(inProcess)('a session lives 30 days from its last refresh', async () => {
    const day = 86_400_000
    const bob = await server.person()
    server.clock.advance(29 * day)
    const kept = await refresh(bob.refreshToken)
    expect(kept.status).toBe(200)
    server.clock.advance(29 * day)
    const again = await refresh(kept.data.refreshToken)
    expect(again.status).toBe(200)
    server.clock.advance(30 * day)
    expect((await refresh(again.data.refreshToken)).status).toBe(401)
    expect(await works(again, bob)).toBe(false)
  })

  test.if(inProcess)('only hashes of tokens are stored', async () => {
    const bob = await server.person()
    const { refreshTokens } = await import('#db/schema/accounts.ts')
    const rows = JSON.stringify(await server.ctx.db.read.select().from(refreshTokens))
    expect(rows).not.toContain(bob.refreshToken)
    expect(rows).toContain(new Bun.CryptoHasher('sha256').update(bob.refreshToken).digest('base64url'))
  })
})
