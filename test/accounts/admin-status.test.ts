/** Role and status of users in the console, and the rule of rank. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { findRole, grant, rolesOf, systemReadStatus } from '../access/helpers.ts'
import { ok, type Person, race, useServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { UNKNOWN_ID } from '../orgs/helpers.ts'

const { server, admin } = useServer()
/** Holds USER_ADMIN. */
let clerk: Person

const path = (user: { id: number }) => `/api/admin/users/${user.id}`
const setRole = (who: Person, user: { id: number }, role: string) => who.patch(`${path(user)}/role`, { role })
const setStatus = (who: Person, user: { id: number }, status: string, reason?: string) =>
  who.patch(`${path(user)}/status`, { status, ...(reason && { reason }) })
const isAdmin = async (user: { id: number }): Promise<boolean> => ok(await admin.get(path(user))).data.isAdmin
const statusOf = async (user: { id: number }): Promise<string> => ok(await admin.get(path(user))).data.status
const grantPlatform = async (user: Person, code: string) =>
  grant(admin, user, await findRole(admin, 'PLATFORM', 0, code))
const isSignedIn = async (who: Person): Promise<boolean> => (await who.call('profile.get')).status === 200
const signIn = (who: Person, body: object = {}) =>
  server.request('POST', '/api/auth/login', {
    deviceId: who.deviceId,
    body: { account: who.username, password: who.password, ...body },
  })
const refresh = ({ refreshToken }: Person) => server.request('POST', '/api/auth/refresh', { body: { refreshToken } })
const logged = async (action: string, user: { id: number }) =>
  ok(await admin.get('/api/admin/logs', { action, targetId: user.id })).data.items

beforeAll(async () => {
  clerk = await server.person()
  ok(await grantPlatform(clerk, 'USER_ADMIN'))
})

describe('PATCH /api/admin/users/:userId/role', () => {
  test('ADMIN grants USER_ADMIN, USER revokes all PLATFORM roles, and both take effect at once', async () => {
    const bob = await server.person()
    expect(await systemReadStatus(bob)).toBe(403)
    expect(ok(await setRole(admin, bob, 'ADMIN')).data).toMatchObject({
      isAdmin: true,
      roles: [{ code: 'USER_ADMIN' }],
    })
    expect(await systemReadStatus(bob)).toBe(200)
    ok(await grantPlatform(bob, 'OPERATION_ADMIN'))
    ok(await setRole(admin, bob, 'ADMIN'))
    expect(ok(await setRole(admin, bob, 'USER')).data).toMatchObject({ isAdmin: false, roles: [] })
    expect(await systemReadStatus(bob)).toBe(403)
    expect(await rolesOf(admin, bob)).toEqual(['APP 0 USER'])
    ok(await setRole(admin, bob, 'USER'))
    expect(await logged('USER_ROLE', bob)).toMatchObject([
      { before: { roles: ['USER_ADMIN', 'OPERATION_ADMIN'] }, after: { roles: [] } },
      { before: { roles: [] }, after: { roles: ['USER_ADMIN'] } },
    ])
  })

  test('grants nothing to a user who holds another PLATFORM role', async () => {
    const bob = await server.person()
    ok(await grantPlatform(bob, 'BUSINESS_ADMIN'))
    ok(await setRole(admin, bob, 'ADMIN'))
    expect(await rolesOf(admin, bob)).toEqual(['PLATFORM 0 BUSINESS_ADMIN', 'APP 0 USER'])
  })

  test('is for SYSTEM_ADMIN, and nobody changes their own role or that of the first administrator', async () => {
    const bob = await server.person()
    const second = await server.person()
    ok(await grantPlatform(second, 'SYSTEM_ADMIN'))
    expect((await setRole(bob, bob, 'ADMIN')).status).toBe(403)
    for (const user of [bob, clerk]) expect((await setRole(clerk, user, 'USER')).status).toBe(403)
    // A custom role may have the point.
    const points = { permissions: ['rbac_user_role:grant', 'user:read', 'user:update'] }
    const role = { domain: 'PLATFORM' as const, code: 'GRANTER', name: 'Granter', ...points }
    const granter = await server.person()
    ok(await grant(admin, granter, ok(await admin.call('access.createRole', { body: role })).data))
    expect((await setRole(granter, bob, 'ADMIN')).status).toBe(403)
    expect(await isAdmin(bob)).toBe(false)
    for (const body of ['USER', 'ADMIN']) expect((await setRole(admin, admin, body)).status).toBe(400)
    expect((await setRole(second, admin, 'USER')).status).toBe(400)
    expect((await setRole(second, second, 'USER')).status).toBe(400)
    expect((await setRole(admin, { id: UNKNOWN_ID }, 'ADMIN')).status).toBe(404)
    expect((await setRole(admin, bob, 'OWNER')).status).toBe(400)
    expect(await isAdmin(second)).toBe(true)
    ok(await setRole(admin, second, 'USER'))
  })

  test('refuses users who are disabled or deleted, and those with a weak password', async () => {
    const [disabled, deleted] = [await server.person(), await server.person()]
    ok(await setStatus(clerk, disabled, 'DISABLED'))
    ok(await deleted.call('auth.deleteAccount'))
    const body = { username: 'weakling', password: 'sh0rt pw' }
    const weak = ok(await server.request('POST', '/api/auth/register', { body })).data.user
    for (const user of [disabled, deleted, weak]) {
      expect((await setRole(admin, user, 'ADMIN')).status).toBe(400)
      expect(await isAdmin(user)).toBe(false)
      expect(await logged('USER_ROLE', user)).toEqual([])
    }
  })

  test('a password that an administrator chose must be changed by its user before any PLATFORM role', async () => {
    const body = { username: 'chosen.one', password: 'chosen by the clerk' }
    const { data } = ok(await clerk.post('/api/admin/users', body))
    const attempts = async () => [
      (await setRole(admin, data, 'ADMIN')).status,
      (await grantPlatform(data, 'USER_ADMIN')).status,
    ]
    expect(await attempts()).toEqual([400, 400])
    const login = await server.request('POST', '/api/auth/login', { body: { account: body.username, ...body } })
    const bob = person(server.url, login, body.username, body.password, login.data.deviceId)
    const refused = await setRole(admin, data, 'ADMIN')
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('chose the password')])
    const change = { verifyType: 'OLD_PASSWORD', oldPassword: body.password, newPassword: 'my very own one' } as const
    ok(await bob.call('auth.changePassword', { body: change }))
    expect(await attempts()).toEqual([200, 200])
  })

  test('ten promotions at once change the role once, also beside a grant of the same and of another role', async () => {
    const [bob, carl] = [await server.person(), await server.person()]
    for (const reply of await race(10, () => setRole(admin, bob, 'ADMIN'))) ok(reply)
    expect(await rolesOf(admin, bob)).toEqual(['PLATFORM 0 USER_ADMIN', 'APP 0 USER'])
    expect(await logged('USER_ROLE', bob)).toHaveLength(1)
    const [same, other] = await Promise.all(
      ['USER_ADMIN', 'BUSINESS_ADMIN'].map((code) => findRole(admin, 'PLATFORM', 0, code)),
    )
    const replies = await race(12, (i) =>
      i % 3 === 0 ? setRole(admin, carl, 'ADMIN') : grant(admin, carl, i % 3 === 1 ? same! : other!),
    )
    for (const reply of replies) ok(reply)
    const rows = [...(await logged('USER_ROLE', carl)), ...(await logged('USER_ROLE_GRANT', carl))]
    // Each role was bound by exactly one request.
    expect(rows).toHaveLength((await rolesOf(admin, carl)).length - 1)
  })

  test('of two system administrators who revoke each other’s roles at once, one remains', async () => {
    const pair = [await server.person(), await server.person()] as const
    for (const one of pair) ok(await grantPlatform(one, 'SYSTEM_ADMIN'))
    const replies = await Promise.all([setRole(pair[0], pair[1], 'USER'), setRole(pair[1], pair[0], 'USER')])
    expect(replies.map((r) => r.status).toSorted()).toEqual([200, 403])
    expect([await isAdmin(pair[0]), await isAdmin(pair[1])].filter(Boolean)).toHaveLength(1)
  })
})

describe('PATCH /api/admin/users/:userId/status', () => {
  test('DISABLED ends sessions, sockets and refresh tokens at once and refuses sign-in; ACTIVE allows it again', async () => {
    const bob = await server.person()
    const other = ok(await bob.call('sessions.create', { body: {} })).data
    const socket = await bob.socket()
    expect(ok(await setStatus(clerk, bob, 'DISABLED', 'Sends advertisements')).data.status).toBe('DISABLED')
    expect((await socket.closed).code).toBe(4401)
    expect(socket.of('session.revoked')).toEqual([{ reason: 'DISABLED' }])
    expect(await isSignedIn(bob)).toBe(false)
    const { accessToken: token, deviceId } = other
    const refreshToken = other.refreshToken!
    expect((await server.request('GET', '/api/auth/userinfo', { token, deviceId })).status).toBe(401)
    expect([(await refresh(bob)).status, (await refresh({ ...bob, refreshToken })).status]).toEqual([401, 401])
    expect((await signIn(bob)).status).toBe(403)
    expect((await signIn(bob, { password: 'a wrong one' })).status).toBe(401)

    ok(await setStatus(clerk, bob, 'DISABLED', 'Once more'))
    ok(await setStatus(clerk, bob, 'ACTIVE'))
    expect(await isSignedIn(bob)).toBe(false)
    expect((await refresh(bob)).status).toBe(401)
    ok(await signIn(bob))
    expect(await logged('USER_STATUS', bob)).toMatchObject([
      { before: { status: 'DISABLED' }, after: { status: 'ACTIVE' } },
      { before: { status: 'ACTIVE' }, after: { status: 'DISABLED', reason: 'Sends advertisements' } },
    ])
  })

  test('DISABLED ends the sessions that links opened, into the account and from it', async () => {
    const [ann, bob, carl] = [await server.person(), await server.person(), await server.person()]
    const link = async (from: Person, to: Person): Promise<number> =>
      ok(await from.post('/api/auth/link', { linkedUserId: to.id, password: to.password })).data.id
    const switched = (who: Person, linkId: number) => who.call('auth.switchLink', { params: { linkId } })
    const session = (login: Awaited<ReturnType<typeof switched>>, deviceId: string) =>
      person(server.url, ok(login), '', '', deviceId)
    const intoBob = await link(ann, bob)
    const annAsBob = session(await switched(ann, intoBob), ann.deviceId)
    const bobAsCarl = session(await switched(bob, await link(bob, carl)), bob.deviceId)
    ok(await setStatus(clerk, bob, 'DISABLED'))
    for (const ended of [bob, annAsBob, bobAsCarl]) expect(await isSignedIn(ended)).toBe(false)
    for (const other of [ann, carl]) expect(await isSignedIn(other)).toBe(true)
    expect((await switched(ann, intoBob)).status).toBe(403)
    ok(await setStatus(clerk, bob, 'ACTIVE'))
    expect(await isSignedIn(annAsBob)).toBe(false)
    ok(await switched(ann, intoBob))
  })

  test('follows the rule of rank; nobody disables themselves or the first administrator', async () => {
    const [bob, operator, second] = [await server.person(), await server.person(), await server.person()]
    ok(await grantPlatform(operator, 'OPERATION_ADMIN'))
    ok(await grantPlatform(second, 'SYSTEM_ADMIN'))
    expect((await server.request('PATCH', `${path(bob)}/status`, { body: { status: 'DISABLED' } })).status).toBe(401)
    expect((await setStatus(operator, bob, 'DISABLED')).status).toBe(403)
    for (const user of [operator, admin, second]) expect((await setStatus(clerk, user, 'DISABLED')).status).toBe(403)
    for (const who of [admin, clerk]) expect((await setStatus(who, who, 'DISABLED')).status).toBe(400)
    expect((await setStatus(second, admin, 'DISABLED')).status).toBe(400)
    expect((await setStatus(clerk, { id: UNKNOWN_ID }, 'DISABLED')).status).toBe(404)
    for (const bad of ['DELETED', 'x']) expect((await setStatus(clerk, bob, bad)).status).toBe(400)
    for (const user of [bob, operator, admin, second]) expect(await statusOf(user)).toBe('ACTIVE')
    ok(await setStatus(admin, second, 'DISABLED'))
    expect(await isSignedIn(second)).toBe(false)
    ok(await bob.call('auth.deleteAccount'))
    expect((await setStatus(clerk, bob, 'ACTIVE')).status).toBe(400)
    expect(await statusOf(bob)).toBe('DELETED')
  })

  test('sign-ins beside the change leave no session, and ten requests at once log one change', async () => {
    const bob = await server.person()
    const replies = await race(20, (i) => (i % 2 === 0 ? setStatus(clerk, bob, 'DISABLED') : signIn(bob)))
    for (const [i, reply] of replies.entries()) {
      if (i % 2 === 0) ok(reply)
      else if (reply.status === 200) {
        const { accessToken: token, deviceId } = reply.data
        expect((await server.request('GET', '/api/auth/userinfo', { token, deviceId })).status).toBe(401)
      } else expect(reply.status).toBe(403)
    }
    expect(await logged('USER_STATUS', bob)).toHaveLength(1)
  })

  test('a limited administrator cannot disable a user whom SYSTEM_ADMIN promotes at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const bob = await server.person()
      const [promoted, disabled] = await Promise.all([setRole(admin, bob, 'ADMIN'), setStatus(clerk, bob, 'DISABLED')])
      expect([
        [200, 403],
        [400, 200],
      ]).toContainEqual([promoted.status, disabled.status])
      expect([await isAdmin(bob), await statusOf(bob)]).toEqual(
        promoted.status === 200 ? [true, 'ACTIVE'] : [false, 'DISABLED'],
      )
    }
  })
})
