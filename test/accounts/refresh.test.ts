import { describe, expect, test } from 'bun:test'

import { inProcess, type Person, race, type Reply, useServer } from '../harness/index.ts'
import { newDevice } from './helpers.ts'

const { server } = useServer()

const refresh = (refreshToken: string, deviceId?: string) =>
  server.request('POST', '/api/auth/refresh', { body: { refreshToken }, ...(deviceId && { deviceId }) })

const works = async (reply: Reply, person: Person): Promise<boolean> => {
  const asked = await server.request('GET', '/api/auth/userinfo', {
    token: reply.data.accessToken,
    deviceId: person.deviceId,
  })
  return asked.status === 200
}

describe('POST /auth/refresh', () => {
  test('a refresh answers new tokens of the same session and extends it to 30 days', async () => {
    const bob = await server.person()
    const before = (await bob.call('sessions.detail', { params: { sessionId: bob.sessionId } })).data
    const [from, reply, to] = [server.clock.now(), await refresh(bob.refreshToken), server.clock.now()]
    expect(reply.data).toMatchObject({ sessionId: bob.sessionId, isNewUser: false, user: { id: bob.id } })
    expect(reply.data.refreshToken).not.toBe(bob.refreshToken)
    expect(reply.data.accessToken).not.toBe(bob.token)
    expect(await works(reply, bob)).toBe(true)
    const after = (await bob.call('sessions.detail', { params: { sessionId: bob.sessionId } })).data
    expect(after.expiredAt).toBeGreaterThanOrEqual(before.expiredAt)
    expect(after.expiredAt).toBeGreaterThanOrEqual(from + 30 * 86_400_000)
    expect(after.expiredAt).toBeLessThanOrEqual(to + 30 * 86_400_000)
    expect(reply.text).not.toContain(bob.deviceId)
  })

  test('a refresh leaves no login record', async () => {
    const bob = await server.person()
    await refresh(bob.refreshToken)
    expect((await bob.call('loginRecords.ofUser', { params: { userId: bob.id } })).data.total).toBe(1)
  })

  test('a refresh with an invalid token is answered with 401 and ends nothing', async () => {
    const bob = await server.person()
    for (const token of ['x', 'x'.repeat(43), bob.token.slice(0, 200), `${bob.refreshToken} `])
      expect((await refresh(token)).status, token).toBe(401)
    expect((await server.request('POST', '/api/auth/refresh', { body: {} })).status).toBe(400)
    expect((await bob.call('profile.get')).status).toBe(200)
  })

  test('a refresh on another device is refused and does not use the token up', async () => {
    const bob = await server.person()
    expect((await refresh(bob.refreshToken, newDevice())).status).toBe(401)
    expect((await refresh(bob.refreshToken, bob.deviceId)).status).toBe(200)
  })

  test('a refresh token that is sent twice at once gets two pairs of tokens, and both work', async () => {
    const bob = await server.person()
    const [first, again] = [await refresh(bob.refreshToken), await refresh(bob.refreshToken)]
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.data.refreshToken).not.toBe(first.data.refreshToken)
    expect(await works(first, bob)).toBe(true)
    expect(await works(again, bob)).toBe(true)
    expect((await refresh(first.data.refreshToken)).status).toBe(200)
  })

  test('a refresh token whose successor was used ends the session, even within 30 seconds', async () => {
    const bob = await server.person()
    const first = await refresh(bob.refreshToken)
    const second = await refresh(first.data.refreshToken)
    expect((await refresh(bob.refreshToken)).status).toBe(401)
    expect(await works(second, bob)).toBe(false)
    expect((await refresh(second.data.refreshToken)).status).toBe(401)
  })

  test.if(inProcess)('a rotated refresh token that is sent after 30 seconds ends the session', async () => {
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

  test.if(inProcess)('a stolen refresh token ends only its own session', async () => {
    const bob = await server.person()
    const other = await server.request('POST', '/api/auth/login', {
      body: { account: bob.username, password: bob.password },
    })
    await refresh(other.data.refreshToken)
    server.clock.advance(31_000)
    expect((await refresh(other.data.refreshToken)).status).toBe(401)
    expect((await bob.call('profile.get')).status).toBe(200)
  })

  test('50 refreshes at once with one token all get tokens of the same generation', async () => {
    const bob = await server.person()
    const replies = await race(50, () => refresh(bob.refreshToken))
    expect(replies.map((r) => r.status)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(new Set(replies.map((r) => r.data.refreshToken)).size).toBe(50)
    expect(new Set(replies.map((r) => r.data.sessionId))).toEqual(new Set([bob.sessionId]))
    // The client may use any of the answers. Using one makes the others just rotated.
    const next = await refresh(replies[17]!.data.refreshToken)
    expect(next.status).toBe(200)
    expect((await refresh(replies[3]!.data.refreshToken)).status).toBe(200)
    // The first token is two generations old now.
    expect((await refresh(bob.refreshToken)).status).toBe(401)
    expect(await works(next, bob)).toBe(false)
  })

  test.if(inProcess)('a session lasts 30 days from its last refresh', async () => {
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

  test.if(inProcess)('refresh tokens are stored as hashes only', async () => {
    const bob = await server.person()
    const { refreshTokens } = await import('#db/schema/accounts.ts')
    const rows = JSON.stringify(await server.ctx.db.read.select().from(refreshTokens))
    expect(rows).not.toContain(bob.refreshToken)
    expect(rows).toContain(new Bun.CryptoHasher('sha256').update(bob.refreshToken).digest('base64url'))
  })
})
