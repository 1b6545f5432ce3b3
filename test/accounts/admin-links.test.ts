/** Account links and administrators: links that they propose, and links into the account of a user who becomes one. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { roles, userRoles } from '#db/schema/access.ts'
import { SYSTEM_ADMIN } from '#domains/access/index.ts'

import { findRole, grant, revoke } from '../access/helpers.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'

const { server, admin } = useServer()

const link = async (from: Person, to: Person): Promise<number> =>
  ok(await from.call('auth.link', { body: { verifyType: 'PASSWORD', linkedUserId: to.id, password: to.password } }))
    .data.id
const switchBy = (who: Person, linkId: number) => who.call('auth.switchLink', { params: { linkId } })
/** The session of the linked account on the device of `who`. */
const switched = async (who: Person, linkId: number): Promise<Person> =>
  person(server.url, ok(await switchBy(who, linkId)), '', '', who.deviceId)
const isSignedIn = async (who: Person): Promise<boolean> => (await who.call('profile.get')).status === 200
const platformRole = (code: string) => findRole(admin, 'PLATFORM', 0, code)

describe('a user who becomes an administrator', () => {
  test('loses the links into the account and the sessions that they opened, but no session of their own', async () => {
    const [ann, bob, carol] = [await server.person(), await server.person(), await server.person()]
    const [intoBob, intoCarol] = [await link(ann, bob), await link(bob, carol)]
    const [annAsBob, bobAsCarol] = [await switched(ann, intoBob), await switched(bob, intoCarol)]
    const annAsCarol = await switched(annAsBob, intoCarol)
    const other = ok(await annAsBob.call('sessions.create', { body: {} })).data
    const annOnOtherDevice = { ...annAsBob, token: other.accessToken, deviceId: other.deviceId }
    const socket = await annAsBob.socket()
    ok(await grant(admin, bob, await platformRole('OPERATION_ADMIN')))

    expect((await socket.closed).code).toBe(4401)
    for (const ended of [annAsBob, annAsCarol]) expect(await isSignedIn(ended)).toBe(false)
    expect((await server.request('GET', '/api/auth/userinfo', annOnOtherDevice)).status).toBe(401)
    for (const { refreshToken } of [annAsBob, other])
      expect((await server.request('POST', '/api/auth/refresh', { body: { refreshToken } })).status).toBe(401)
    expect((await switchBy(ann, intoBob)).status).toBe(404)
    expect((await ann.call('auth.switchAccount', { params: { targetUserId: bob.id } })).status).toBe(404)
    for (const direction of ['OUTGOING', 'INCOMING'] as const) {
      const who = direction === 'OUTGOING' ? ann : bob
      expect(ok(await who.call('auth.links', { query: { direction } })).data.total).toBe(0)
    }
    for (const own of [ann, bob, carol, bobAsCarol]) expect(await isSignedIn(own)).toBe(true)
    ok(await switchBy(bob, intoCarol))
  })

  test('loses nothing when the role was held already', async () => {
    const [ann, bob] = [await server.person(), await server.person()]
    const role = await platformRole('OPERATION_ADMIN')
    ok(await grant(admin, bob, role))
    const annAsBob = await switched(ann, await link(ann, bob))
    ok(await grant(admin, bob, role))
    expect(await isSignedIn(annAsBob)).toBe(true)
    // Another role is another grant.
    ok(await grant(admin, bob, await platformRole('USER_ADMIN')))
    expect(await isSignedIn(annAsBob)).toBe(false)
  })

  test('is not opened by a link from before the role, also after the role was revoked', async () => {
    const [ann, bob] = [await server.person(), await server.person()]
    const id = await link(ann, bob)
    const role = await platformRole(SYSTEM_ADMIN)
    ok(await grant(admin, bob, role))
    ok(await revoke(admin, bob, role))
    expect((await switchBy(ann, id)).status).toBe(404)
  })

  test.if(inProcess)('is not opened by a link that a server of an earlier version left', async () => {
    const [ann, bob] = [await server.person(), await server.person()]
    const id = await link(ann, bob)
    ok(await switchBy(ann, id))
    await server.ctx.db.write('test', async (tx) => {
      const [role] = await tx.select({ id: roles.id }).from(roles).where(eq(roles.code, SYSTEM_ADMIN))
      await tx.insert(userRoles).values({ userId: bob.id, roleId: role!.id, createdAt: tx.stamp })
    })
    expect((await switchBy(ann, id)).status).toBe(404)
  })
})
