/** Login records and sessions of all users, for administrators. */

import { describe, expect, test } from 'bun:test'

import { createRole, findRole, grant } from '../access/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'

const { server, admin, ann, bob } = useServer({ people: ['ann', 'bob'] })

async function onDevice(who: Person, name: string, ip: string): Promise<Person> {
  const deviceId = `device-${crypto.randomUUID()}`
  const headers = { 'x-device-name': name, 'x-forwarded-for': ip }
  const body = { account: who.username, password: who.password }
  const login = await server.request('POST', '/api/auth/login', { body, headers, deviceId })
  return person(server.url, login, who.username, who.password, deviceId)
}
/** An administrator who holds only these points. */
async function helper(...permissions: string[]): Promise<Person> {
  const who = await server.person()
  ok(await grant(admin, who, await createRole(admin, { permissions })))
  return who
}
const isSignedIn = async (who: Person): Promise<boolean> => (await who.call('profile.get')).status === 200

describe('GET /api/admin/login-records', () => {
  const list = async (query: object = {}) => ok(await admin.get('/api/admin/login-records', query as never)).data
  const types = async (query: object) =>
    (await list(query)).items.map((row: { loginType: string }) => row.loginType) as string[]

  test('lists the records of all users with their names, newest first, in pages', async () => {
    const laptop = await onDevice(ann, "Ann's laptop", '203.0.113.41')
    await server.request('POST', '/api/auth/login', { body: { account: 'never.existed', password: 'x' } })
    const first = await list({ size: 2 })
    expect(first.items[0]).toMatchObject({ userId: null, username: null, nickname: null, status: 'failed' })
    const { nickname } = ok(await laptop.call('profile.get')).data
    expect(first.items[1]).toMatchObject({ userId: ann.id, username: 'ann', nickname, deviceName: "Ann's laptop" })
    const all = [...first.items, ...(await list({ size: 2, page: 2 })).items]
    const keys = all.map((row) => [row.createdAt, row.id])
    expect(keys).toEqual(keys.toSorted((a, b) => b[0] - a[0] || b[1] - a[1]))
    expect(first.total).toBeGreaterThanOrEqual(5)
    expect(JSON.stringify(await list())).not.toContain(laptop.deviceId)
    expect((await admin.get('/api/login-records/admin/all')).data).toEqual(await list())
  })

  test('is filtered by user, type, status, time and words, also together', async () => {
    const carol = await server.person('carol')
    await carol.call('loginRecords.report', { body: { loginType: 'qrcode', city: 'Hangzhou', deviceName: 'Scanner' } })
    await server.request('POST', '/api/auth/login', { body: { account: 'carol', password: 'wrong' } })
    const ofCarol = { userId: carol.id }
    expect(await types(ofCarol)).toEqual(['login', 'qrcode', 'register'])
    expect(await types({ ...ofCarol, loginType: 'qrcode' })).toEqual(['qrcode'])
    expect(await types({ ...ofCarol, status: 'failed' })).toEqual(['login'])
    expect(await types({ ...ofCarol, hours: 1 })).toHaveLength(3)
    expect(await types({ ...ofCarol, keyword: 'hangZHOU' })).toEqual(['qrcode'])
    expect(await types({ ...ofCarol, keyword: 'scanner', status: 'failed' })).toEqual([])
    expect(await types({ userId: 999_999_999 })).toEqual([])

    const rows = (await list()).items
    const [newest, reported] = [rows[0], rows.find((row: { loginType: string }) => row.loginType === 'qrcode')]
    expect((await list({ loginType: 'qrcode' })).items[0].id).toBe(reported.id)
    expect((await list({ loginType: 'qrcode', status: 'failed' })).total).toBe(0)
    const since = await list({ from: reported.createdAt, to: newest.createdAt + 1, loginType: 'login' })
    expect(since.items[0]).toMatchObject({ id: newest.id, status: 'failed', failureReason: 'wrong password' })
    expect((await list({ from: newest.createdAt + 1 })).total).toBe(0)
    expect((await list({ to: rows.at(-1).createdAt })).total).toBe(0)
    expect((await list({ keyword: 'Hangzhou' })).items.map((row: { id: number }) => row.id)).toEqual([reported.id])
    for (const bad of ['loginType=nonsense', 'status=SUCCESS', 'hours=0', 'userId=0', 'from=x', 'size=101'])
      expect((await admin.get(`/api/admin/login-records?${bad}`)).status, bad).toBe(400)
  })

  test.if(inProcess)('takes the later of `from` and the last hours', async () => {
    const dora = await server.person()
    const start = server.clock.now()
    server.clock.advance(2 * 3_600_000)
    await dora.call('loginRecords.report', { body: { loginType: 'oauth' } })
    const ofDora = { userId: dora.id }
    expect(await types({ ...ofDora, hours: 1 })).toEqual(['oauth'])
    expect(await types({ ...ofDora, hours: 1, from: start })).toEqual(['oauth'])
    expect(await types({ ...ofDora, hours: 24, from: server.clock.now() - 1000 })).toEqual(['oauth'])
    expect(await types({ ...ofDora, hours: 24 })).toEqual(['oauth', 'register'])
  })
})

describe('GET /api/admin/auth/sessions', () => {
  const list = async (query: object = {}, who = admin) =>
    ok(await who.get('/api/admin/auth/sessions', query as never)).data

  test('lists active sessions of all users or of one, and shows no device id or key', async () => {
    const tablet = await onDevice(bob, 'Tablet', '203.0.113.42')
    const { items } = await list({ size: 100 })
    expect(items.map((row: { id: number }) => row.id)).toEqual(
      items.map((row: { id: number }) => row.id).toSorted((a: number, b: number) => b - a),
    )
    const row = items.find((each: { id: number }) => each.id === tablet.sessionId)
    const { nickname } = ok(await bob.call('profile.get')).data
    expect(row).toMatchObject({ userId: bob.id, username: 'bob', nickname, ipAddress: '203.0.113.42' })
    expect(row).toMatchObject({ deviceName: 'Tablet', status: 'ACTIVE', isCurrent: false })
    expect(items.filter((each: { isCurrent: boolean }) => each.isCurrent)).toMatchObject([{ id: admin.sessionId }])
    const key = ok(await tablet.call('devices.list')).data.items.find((device) => device.isCurrent)!.deviceId
    expect(key.startsWith(row.deviceId.slice(0, -1))).toBe(true)
    for (const secret of [key, tablet.deviceId, tablet.refreshToken, tablet.token])
      expect(JSON.stringify(items)).not.toContain(secret)

    const ids = async (query: object) => (await list(query)).items.map((each: { id: number }) => each.id)
    expect(await ids({ userId: bob.id })).toEqual([tablet.sessionId, bob.sessionId])
    expect(await ids({ userId: bob.id, keyword: 'tabl' })).toEqual([tablet.sessionId])
    expect(await ids({ keyword: '203.0.113.42' })).toEqual([tablet.sessionId])
    expect(await ids({ keyword: 'BOB', size: 1, page: 2 })).toEqual([bob.sessionId])
    expect(await ids({ userId: bob.id, to: row.createdAt })).toEqual([bob.sessionId])
    expect(await ids({ userId: 999_999_999 })).toEqual([])
    expect(await ids({ userId: bob.id, status: 'REVOKED' })).toEqual([])
    await tablet.call('auth.logout')
    expect(await ids({ userId: bob.id, status: 'REVOKED' })).toEqual([tablet.sessionId])
    expect(await ids({ userId: bob.id })).toEqual([bob.sessionId])
    for (const bad of ['status=ENDED', 'userId=x', 'page=0'])
      expect((await admin.get(`/api/admin/auth/sessions?${bad}`)).status, bad).toBe(400)
  })

  test('needs session:read, and ending one session:revoke', async () => {
    const [reader, other] = [await helper('session:read'), await helper('login_record:read')]
    expect((await list({ userId: bob.id }, reader)).items.at(-1)).toMatchObject({ id: bob.sessionId })
    for (const who of [other, bob]) expect((await who.get('/api/admin/auth/sessions')).status).toBe(403)
    for (const who of [other, bob, reader])
      expect((await who.delete(`/api/admin/auth/sessions/${bob.sessionId}`)).status).toBe(403)
    expect((await server.request('GET', '/api/admin/auth/sessions')).status).toBe(401)
    expect((await server.request('DELETE', `/api/admin/auth/sessions/${bob.sessionId}`)).status).toBe(401)
    expect(await isSignedIn(bob)).toBe(true)
  })
})

describe('DELETE /api/admin/auth/sessions/{sessionId}', () => {
  const revoke = (id: number, by = admin) => by.call('admin.sessions.revoke', { params: { sessionId: id } })

  test('ends the session, its socket and refresh token, and sessions opened through it, and no other session', async () => {
    const [eve, fay] = [await server.person(), await server.person()]
    const phone = await onDevice(eve, 'Phone', '203.0.113.43')
    const proof = { verifyType: 'PASSWORD', linkedUserId: fay.id, password: fay.password } as const
    const linkId = ok(await eve.call('auth.link', { body: proof })).data.id
    const opened = await phone.call('auth.switchLink', { params: { linkId } })
    const asFay = person(server.url, opened, '', '', phone.deviceId)
    const socket = await phone.socket()
    expect(ok(await revoke(phone.sessionId)).data).toBeNull()
    expect((await socket.closed).code).toBe(4401)
    expect(socket.of('session.revoked')).toEqual([{ reason: 'REVOKED' }])
    for (const ended of [phone, asFay]) {
      expect(await isSignedIn(ended)).toBe(false)
      const { refreshToken } = ended
      expect((await server.request('POST', '/api/auth/refresh', { body: { refreshToken } })).status).toBe(401)
    }
    for (const stays of [eve, fay, admin]) expect(await isSignedIn(stays)).toBe(true)
    const [record] = ok(await eve.call('loginRecords.ofUser', { params: { userId: eve.id } })).data.items
    expect(record).toMatchObject({ loginType: 'remove_device', deviceName: 'Phone', ipAddress: '' })
    for (const id of [phone.sessionId, asFay.sessionId, 999_999_999]) expect((await revoke(id)).status).toBe(404)
  })

  test('is refused for a session of an administrator unless the caller is SYSTEM_ADMIN, except for their own', async () => {
    const [clerk, chief] = [await helper('session:revoke'), await server.person()]
    ok(await grant(admin, chief, await findRole(admin, 'PLATFORM', 0, 'OPERATION_ADMIN')))
    for (const { sessionId } of [admin, chief]) expect((await revoke(sessionId, clerk)).status).toBe(403)
    for (const who of [admin, chief]) expect(await isSignedIn(who)).toBe(true)
    ok(await revoke((await onDevice(bob, 'Old', '203.0.113.44')).sessionId, clerk))
    ok(await revoke(chief.sessionId))
    expect(await isSignedIn(chief)).toBe(false)
    ok(await revoke(clerk.sessionId, clerk))
    expect(await isSignedIn(clerk)).toBe(false)
  })

  test('ends a session once when several administrators ask for it', async () => {
    const { sessionId } = await onDevice(bob, 'Old', '203.0.113.45')
    const replies = await race(5, () => revoke(sessionId))
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 404, 404, 404, 404])
  })
})
