import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { accounts } from '#domains/accounts/index.ts'

import { inProcess, type Person, race, until, useServer } from '../harness/index.ts'
import { newDevice } from './helpers.ts'

const { server } = useServer()

const login = (person: Person, deviceId = newDevice()) =>
  server.request('POST', '/api/auth/login', { deviceId, body: { account: person.username, password: person.password } })
const ask = (token: string, deviceId: string) => server.request('GET', '/api/auth/userinfo', { token, deviceId })
const ids = (items: { id: number }[]) => items.map((s) => s.id).toSorted((a, b) => a - b)

describe('sessions', () => {
  test('the list shows the active sessions, newest first, without device ids', async () => {
    const bob = await server.person()
    const second = await login(bob)
    const { data, text } = await bob.call('sessions.list')
    expect(data).toMatchObject({ total: 2, page: 1, size: 20 })
    expect(Object.keys(data.items[0]!).toSorted()).toEqual(
      ['id', 'deviceId', 'deviceName', 'isCurrent', 'status', 'expiredAt', 'lastActiveTime', 'createdAt'].toSorted(),
    )
    expect(data.items.map((s) => s.id)).toEqual([second.data.sessionId, bob.sessionId])
    expect(data.items.map((s) => s.isCurrent)).toEqual([false, true])
    expect(text).not.toContain(bob.deviceId)
    expect((await bob.get('/api/auth/sessions', { page: 2, size: 1 })).data.items[0].id).toBe(bob.sessionId)
  })

  test('a further session can be opened on a new device or on a given one', async () => {
    const bob = await server.person()
    const made = await bob.call('sessions.create', { body: { deviceName: 'Tablet' } })
    expect((await ask(made.data.accessToken, made.data.deviceId)).status).toBe(200)
    const deviceId = newDevice()
    const named = await bob.call('sessions.create', { body: { deviceId } })
    expect(named.text).not.toContain(deviceId)
    expect((await ask(named.data.accessToken, deviceId)).status).toBe(200)
    expect((await bob.call('sessions.list')).data.total).toBe(3)
    expect((await bob.call('sessions.create', { body: { deviceId: 'short' } })).status).toBe(400)
    expect((await server.request('POST', '/api/auth/sessions', { body: {} })).status).toBe(401)
  })

  test('a revoked session is refused at once, shown as REVOKED and no longer listed', async () => {
    const bob = await server.person()
    const phone = newDevice()
    const other = await login(bob, phone)
    const id = other.data.sessionId
    expect((await ask(other.data.accessToken, phone)).status).toBe(200)
    expect((await bob.call('sessions.revoke', { params: { sessionId: id } })).status).toBe(200)
    expect((await ask(other.data.accessToken, phone)).status).toBe(401)
    const refreshed = await server.request('POST', '/api/auth/refresh', {
      body: { refreshToken: other.data.refreshToken },
    })
    expect(refreshed.status).toBe(401)
    expect((await bob.call('sessions.detail', { params: { sessionId: id } })).data.status).toBe('REVOKED')
    expect(ids((await bob.call('sessions.list')).data.items)).toEqual([bob.sessionId])
    // Revoking it again changes nothing and is not recorded again.
    expect((await bob.call('sessions.revoke', { params: { sessionId: id } })).status).toBe(200)
    const records = (await bob.call('loginRecords.ofUser', { params: { userId: bob.id } })).data.items
    expect(records.filter((r) => r.loginType === 'remove_device')).toHaveLength(1)
  })

  const switchTo = (bob: Person, sessionId: number, deviceId?: string) =>
    bob.call('sessions.switch', { params: { sessionId }, body: deviceId === undefined ? {} : { deviceId } })
  const refresh = (refreshToken: string) => server.request('POST', '/api/auth/refresh', { body: { refreshToken } })

  test('switching to the session of another device is refused with 403 and leaves that device signed in', async () => {
    const bob = await server.person()
    const tablet = newDevice()
    const other = await login(bob, tablet)
    for (const deviceId of [undefined, newDevice(), other.data.deviceId]) {
      const refused = await switchTo(bob, other.data.sessionId, deviceId)
      expect(refused.status).toBe(403)
      expect(refused.text).not.toContain('oken')
    }
    // Long after the attempt, the tablet's refresh token is not taken for a stolen one.
    if (inProcess) server.clock.advance(60_000)
    const renewed = await refresh(other.data.refreshToken)
    expect(renewed.status).toBe(200)
    expect((await ask(renewed.data.accessToken, tablet)).status).toBe(200)
  })

  test('switching with the device id of the other session gives tokens that work on that device only', async () => {
    const bob = await server.person()
    const phone = newDevice()
    const other = await login(bob, phone)
    const reply = await switchTo(bob, other.data.sessionId, phone)
    expect(reply.data).toMatchObject({ sessionId: other.data.sessionId, tokenType: 'Bearer', user: { id: bob.id } })
    expect(reply.text).not.toContain(phone)
    expect((await ask(reply.data.accessToken, phone)).status).toBe(200)
    expect((await ask(reply.data.accessToken, bob.deviceId)).status).toBe(401)
    expect((await bob.call('profile.get')).status).toBe(200)
    await bob.call('sessions.revoke', { params: { sessionId: other.data.sessionId } })
    expect((await switchTo(bob, other.data.sessionId, phone)).status).toBe(404)
  })

  test('a session can be switched to on its own device', async () => {
    const bob = await server.person()
    const reply = await switchTo(bob, bob.sessionId)
    expect((await ask(reply.data.accessToken, bob.deviceId)).status).toBe(200)
    expect((await refresh(bob.refreshToken)).status).toBe(200)
  })

  test.if(inProcess)('the tokens of a switch and those of the device are refreshed side by side', async () => {
    const bob = await server.person()
    const phone = newDevice()
    const other = await login(bob, phone)
    const switched = await switchTo(bob, other.data.sessionId, phone)
    let [own, further] = [other.data.refreshToken!, switched.data.refreshToken!]
    for (let round = 0; round < 3; round++) {
      server.clock.advance(60_000)
      const [a, b] = [await refresh(own), await refresh(further)]
      expect([a.status, b.status]).toEqual([200, 200])
      ;[own, further] = [a.data.refreshToken!, b.data.refreshToken!]
    }
    // Another switch replaces the tokens of the one before, which ends nothing.
    const again = await switchTo(bob, other.data.sessionId, phone)
    server.clock.advance(60_000)
    expect((await refresh(further)).status).toBe(401)
    expect((await refresh(own)).status).toBe(200)
    const newest = await refresh(again.data.refreshToken!)
    expect(newest.status).toBe(200)
    // A token that was exchanged long ago still counts as stolen, in both chains.
    server.clock.advance(60_000)
    expect((await refresh(again.data.refreshToken!)).status).toBe(401)
    expect((await refresh(newest.data.refreshToken!)).status).toBe(401)
  })

  test('a session of another user is answered with 404 and stays active', async () => {
    const [bob, mallory] = [await server.person(), await server.person()]
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/switch'],
    ] as const)
      expect((await mallory.send(method, `/api/auth/sessions/${bob.sessionId}${path}`)).status, method).toBe(404)
    for (const id of ['0', '-1', '1.5', 'x', '99999999999999999999'])
      expect((await mallory.get(`/api/auth/sessions/${id}`)).status, id).toBe(400)
    expect((await bob.call('profile.get')).status).toBe(200)
    expect((await bob.call('sessions.detail', { params: { sessionId: bob.sessionId } })).data.status).toBe('ACTIVE')
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/switch'],
    ] as const)
      expect((await server.request(method, `/api/auth/sessions/${bob.sessionId}${path}`)).status).toBe(401)
  })

  test('the 11th session ends the least recently used one', async () => {
    const bob = await server.person()
    const phones = Array.from({ length: 10 }, newDevice)
    const logins = []
    for (const phone of phones.slice(0, 9)) logins.push(await login(bob, phone))
    // The oldest two are used once more, so the third one ends.
    await bob.call('profile.get')
    await ask(logins[0]!.data.accessToken, phones[0]!)
    const eleventh = await login(bob, phones[9]!)
    const alive = await Promise.all(logins.map((l, i) => ask(l.data.accessToken, phones[i]!)))
    expect(alive.map((r) => r.status)).toEqual([200, 401, 200, 200, 200, 200, 200, 200, 200])
    expect((await bob.call('profile.get')).status).toBe(200)
    expect((await ask(eleventh.data.accessToken, phones[9]!)).status).toBe(200)
    expect((await bob.call('sessions.list')).data.total).toBe(10)
  })

  test('of 50 logins at once all succeed, and 10 sessions stay active', async () => {
    const bob = await server.person()
    const phones = Array.from({ length: 50 }, newDevice)
    const replies = await race(50, (i) => login(bob, phones[i]!))
    expect(replies.map((r) => r.status)).toEqual(Array.from({ length: 50 }, () => 200))
    const alive = await Promise.all(replies.map((r, i) => ask(r.data.accessToken, phones[i]!)))
    const living = replies.filter((_, i) => alive[i]!.status === 200)
    expect(living).toHaveLength(10)
    if (!inProcess) return
    const { sessions } = await import('#db/schema/accounts.ts')
    const rows = (await server.ctx.db.read.select().from(sessions)).filter((s) => s.userId === bob.id)
    expect(ids(rows.filter((s) => s.status === 'ACTIVE'))).toEqual(ids(living.map((r) => ({ id: r.data.sessionId }))))
  })

  test('50 further sessions opened at once never end the session that requests them', async () => {
    const bob = await server.person()
    const replies = await race(50, () => bob.post('/api/auth/sessions'))
    expect(replies.every((r) => r.status === 200)).toBe(true)
    const { data } = await bob.call('sessions.list')
    expect(data.total).toBe(10)
    expect(ids(data.items)).toContain(bob.sessionId)
  })

  test('50 revocations of a session at once leave one login record', async () => {
    const bob = await server.person()
    const other = await login(bob)
    await race(50, () => bob.call('sessions.revoke', { params: { sessionId: other.data.sessionId } }))
    const records = (await bob.call('loginRecords.ofUser', { params: { userId: bob.id } })).data.items
    expect(records.filter((r) => r.loginType === 'remove_device')).toHaveLength(1)
  })

  test('no request is accepted after a session was revoked, even while requests with it are running', async () => {
    const bob = await server.person()
    for (let round = 0; round < 10; round++) {
      const phone = newDevice()
      const other = await login(bob, phone)
      const busy = race(20, () => ask(other.data.accessToken, phone))
      await bob.call('sessions.revoke', { params: { sessionId: other.data.sessionId } })
      const after = await race(5, () => ask(other.data.accessToken, phone))
      expect(after.map((r) => r.status)).toEqual([401, 401, 401, 401, 401])
      await busy
    }
  })
})

describe.if(inProcess)('last active time', () => {
  test('the last use of a session is shown at once and stored once a minute', async () => {
    const bob = await server.person()
    const { sessions } = await import('#db/schema/accounts.ts')
    const stored = async () => (await server.ctx.db.read.select().from(sessions)).find((s) => s.id === bob.sessionId)!
    const opened = (await stored()).lastActiveAt
    await accounts.stop(server.ctx)
    server.clock.advance(30_000)
    const shown = (await bob.call('sessions.detail', { params: { sessionId: bob.sessionId } })).data.lastActiveTime
    expect(shown).toBeGreaterThanOrEqual(opened + 30_000)
    expect((await stored()).lastActiveAt).toBeLessThan(opened + 30_000)
    server.clock.advance(31_000)
    await bob.call('profile.get')
    // Written in the background, after the answer.
    await until(async () => (await stored()).lastActiveAt >= opened + 61_000, 'the last use is stored')
    expect((await bob.call('devices.list')).data.items[0]!.lastActiveTime).toBeGreaterThanOrEqual(opened + 61_000)
  })

  test('storing the last use of a session that has ended does not activate it', async () => {
    const bob = await server.person()
    await bob.call('profile.get')
    await bob.call('auth.logout')
    await accounts.stop(server.ctx)
    expect((await bob.call('profile.get')).status).toBe(401)
  })
})

describe.if(inProcess)('changes by another process', () => {
  test('a session that another process ended, and a user that it disabled, are refused after 30 seconds', async () => {
    const { sessions, users } = await import('#db/schema/accounts.ts')
    const people = await race(4, () => server.person())
    for (const person of people) expect((await person.call('profile.get')).status).toBe(200)
    // As the command line or another process would: this process is not notified.
    await server.ctx.db.write('test', async (tx) => {
      const now = server.clock.now()
      await tx.update(sessions).set({ status: 'REVOKED' }).where(eq(sessions.id, people[0]!.sessionId))
      await tx.update(sessions).set({ expiredAt: now }).where(eq(sessions.id, people[1]!.sessionId))
      await tx.update(users).set({ status: 'DISABLED' }).where(eq(users.id, people[2]!.id))
    })
    server.clock.advance(30_001)
    const after = await Promise.all(people.map((person) => person.call('profile.get')))
    expect(after.map((r) => r.status)).toEqual([401, 401, 401, 200])
    // The disabled user cannot sign in or refresh either.
    const disabled = people[2]!
    expect((await login(disabled)).status).toBe(403)
    const refreshed = await server.request('POST', '/api/auth/refresh', {
      body: { refreshToken: disabled.refreshToken },
    })
    expect(refreshed.status).toBe(401)
  })
})

describe('devices', () => {
  test('the list shows the signed-in devices without device ids', async () => {
    const bob = await server.person()
    const { data, text } = await bob.call('devices.list')
    expect(Object.keys(data.items[0]!).toSorted()).toEqual(
      [
        'deviceId',
        'deviceName',
        'loginType',
        'ipAddress',
        'city',
        'loginTime',
        'lastActiveTime',
        'isCurrent',
        'trustedUntil',
      ].toSorted(),
    )
    expect(data.items[0]).toMatchObject({ loginType: 'register', ipAddress: '127.0.0.1', isCurrent: true })
    expect(text).not.toContain(bob.deviceId)
    expect((await server.request('GET', '/api/auth/devices')).status).toBe(401)
  })

  test('a device can be signed out by its key or by its device id', async () => {
    const bob = await server.person()
    for (const name of ['key', 'id'] as const) {
      const phone = newDevice()
      const other = await login(bob, phone)
      const given = name === 'key' ? other.data.deviceId : phone
      expect((await bob.call('devices.revoke', { params: { deviceId: given } })).status).toBe(200)
      expect((await ask(other.data.accessToken, phone)).status).toBe(401)
    }
    expect((await bob.call('devices.list')).data.total).toBe(1)
  })

  test('a device of another user is answered with 404 and stays signed in', async () => {
    const [bob, mallory] = [await server.person(), await server.person()]
    const key = (await bob.call('devices.list')).data.items[0]!.deviceId
    for (const name of [key, bob.deviceId, 'unknown'])
      expect((await mallory.call('devices.revoke', { params: { deviceId: name } })).status).toBe(404)
    expect((await bob.call('profile.get')).status).toBe(200)
    expect((await server.request('DELETE', `/api/auth/devices/${key}`)).status).toBe(401)
  })

  test('two users on one device have a session each, which end independently', async () => {
    const [bob, eve] = [await server.person(), await server.person()]
    const shared = await login(eve, bob.deviceId)
    expect((await bob.call('profile.get')).status).toBe(200)
    expect((await ask(shared.data.accessToken, bob.deviceId)).data.id).toBe(eve.id)
    await bob.call('devices.revoke', { params: { deviceId: bob.deviceId } })
    expect((await bob.call('profile.get')).status).toBe(401)
    expect((await ask(shared.data.accessToken, bob.deviceId)).status).toBe(200)
  })
})

describe.if(inProcess)('the clean-up job', () => {
  test('the clean-up job marks expired sessions, deletes old rows and leaves active sessions alone', async () => {
    const { passwordTries, refreshTokens, sessions } = await import('#db/schema/accounts.ts')
    const day = 86_400_000
    const { ctx } = server
    const old = await server.person()
    await server.request('POST', '/api/auth/login', { body: { account: old.username, password: 'wrong' } })
    server.clock.advance(31 * day)
    const bob = await server.person()
    for (let i = 0; i < 2; i++) for (const job of accounts.jobs) await job.run(ctx)
    const find = async () => (await ctx.db.read.select().from(sessions)).find((s) => s.id === old.sessionId)
    expect((await find())!.status).toBe('EXPIRED')
    expect(await ctx.db.read.select().from(passwordTries)).toEqual([])
    const tokens = await ctx.db.read.select().from(refreshTokens)
    expect(tokens.map((t) => t.sessionId)).toEqual([bob.sessionId])
    expect((await bob.call('profile.get')).status).toBe(200)
    server.clock.advance(31 * day)
    for (const job of accounts.jobs) await job.run(ctx)
    expect(await find()).toBeUndefined()
  })
})
