/** Account links and administrators: links that they propose, and links into the account of a user who becomes one. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { roles, userRoles } from '#db/schema/access.ts'
import { SYSTEM_ADMIN } from '#domains/access/index.ts'

import { createRole, findRole, grant, revoke } from '../access/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
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

  test('loses the links into the account by PATCH /api/admin/users/{userId}/role, too', async () => {
    const [ann, bob] = [await server.person(), await server.person()]
    const id = await link(ann, bob)
    const annAsBob = await switched(ann, id)
    ok(await admin.patch(`/api/admin/users/${bob.id}/role`, { role: 'ADMIN' }))
    expect(await isSignedIn(annAsBob)).toBe(false)
    expect((await switchBy(ann, id)).status).toBe(404)
    expect(await isSignedIn(bob)).toBe(true)
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

describe('a link that an administrator proposes', () => {
  const propose = (ownerUserId: number, linkedUserId: number, by = admin) =>
    by.call('admin.links.propose', { body: { ownerUserId, linkedUserId } })
  const accept = (who: Person, linkId: number) => who.call('auth.acceptLink', { params: { linkId } })
  const incoming = async (who: Person) => ok(await who.call('auth.links', { query: { direction: 'INCOMING' } })).data
  const outgoing = async (who: Person) => ok(await who.call('auth.links', { query: {} })).data

  async function proposed(): Promise<[Person, Person, number]> {
    const [ann, bob] = [await server.person(), await server.person()]
    return [ann, bob, ok(await propose(ann.id, bob.id)).data.id]
  }

  test('opens nothing before the linked user accepts it, and is seen by that user, who is notified', async () => {
    const [ann, bob, id] = await proposed()
    expect((await switchBy(ann, id)).status).toBe(404)
    expect((await ann.call('auth.switchAccount', { params: { targetUserId: bob.id } })).status).toBe(404)
    expect((await outgoing(ann)).total).toBe(0)
    const { nickname } = ok(await ann.call('profile.get')).data
    expect((await incoming(bob)).items).toMatchObject([{ id, ownerUserId: ann.id, nickname, status: 'PENDING' }])
    const notices = ok(await bob.call('notifications.list')).data.items
    expect(notices).toMatchObject([{ type: 'ACCOUNT_LINK', data: { linkId: id, ownerUserId: ann.id } }])
    for (const who of [ann, admin]) expect((await accept(who, id)).status).toBe(404)
    expect((await switchBy(ann, id)).status).toBe(404)

    expect(ok(await accept(bob, id)).data).toMatchObject({ id, status: 'ACTIVE' })
    expect((await outgoing(ann)).items).toMatchObject([{ id, linkedUserId: bob.id, status: 'ACTIVE' }])
    expect(await isSignedIn(await switched(ann, id))).toBe(true)
    for (const { id: userId } of [ann, bob]) {
      const records = ok(await admin.call('admin.loginRecords.list', { query: { userId } })).data.items
      expect(records.map((record) => record.loginType)).toContain('account_link')
    }
    expect((await accept(bob, id)).status).toBe(404)
  })

  test.if(inProcess)('is accepted only by a user who has just proved that they own the account', async () => {
    const [, bob, id] = await proposed()
    server.clock.advance(11 * 60_000)
    const refused = await accept(bob, id)
    expect([refused.status, refused.code]).toEqual([403, 4031])
    expect((await incoming(bob)).items).toMatchObject([{ status: 'PENDING' }])
    ok(await bob.call('auth.confirm', { body: { verifyType: 'PASSWORD', password: bob.password } }))
    ok(await accept(bob, id))
  })

  test('is not accepted from a session that another link opened', async () => {
    const [, bob, id] = await proposed()
    const eve = await server.person()
    const eveAsBob = await switched(eve, await link(eve, bob))
    expect((await accept(eveAsBob, id)).code).toBe(4031)
    expect((await incoming(bob)).items.map((row) => row.status)).toEqual(['PENDING', 'ACTIVE'])
  })

  test('can be declined by the linked user, who is then asked no more, or be put in force by a password', async () => {
    const [ann, bob, id] = await proposed()
    ok(await bob.call('auth.unlink', { params: { linkId: id } }))
    expect((await accept(bob, id)).status).toBe(404)
    expect((await incoming(bob)).total).toBe(0)
    expect(ok(await ann.call('notifications.list')).data.total).toBe(0)
    const [carol, dora, other] = await proposed()
    expect(await link(carol, dora)).toBe(other)
    ok(await switchBy(carol, other))
    expect((await accept(dora, other)).status).toBe(404)
  })

  test('is refused for the caller, for administrators, unknown users, equal users and linked users, and adds nothing', async () => {
    const [ann, bob, chief] = [await server.person(), await server.person(), await server.person()]
    ok(await grant(admin, chief, await platformRole('OPERATION_ADMIN')))
    await link(ann, bob)
    const refused = [
      await propose(admin.id, bob.id),
      await propose(bob.id, admin.id),
      await propose(chief.id, bob.id),
      await propose(bob.id, chief.id),
      await propose(bob.id, bob.id),
      await propose(ann.id, bob.id),
      await propose(999_999_999, bob.id),
      await propose(bob.id, 999_999_999),
      await admin.post('/api/admin/auth/link', { ownerUserId: bob.id }),
      await admin.post('/api/admin/auth/link', { ownerUserId: 'x', linkedUserId: ann.id }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 400, 400, 400, 400, 400, 400])
    expect(refused[5]!.message).toContain('These accounts are already linked')
    expect(refused[7]!.details).toMatchObject([{ path: 'body.linkedUserId' }])
    for (const who of [bob, chief, admin]) {
      const { items } = ok(await admin.call('admin.links.list', { query: { userId: who.id } })).data
      expect(items.every((row) => row.ownerUserId === ann.id)).toBe(true)
    }
    ok(await propose(bob.id, ann.id))
  })

  test('ends when either user becomes an administrator', async () => {
    const role = await platformRole('OPERATION_ADMIN')
    const [, bob, intoBob] = await proposed()
    ok(await grant(admin, bob, role))
    expect((await accept(bob, intoBob)).status).toBe(404)
    expect((await incoming(bob)).total).toBe(0)
    const [ann, carol, ofAnn] = await proposed()
    ok(await grant(admin, ann, role))
    expect((await accept(carol, ofAnn)).status).toBe(403)
    expect((await switchBy(ann, ofAnn)).status).toBe(404)
  })

  test('is proposed, accepted and deleted once when several ask for it at the same time', async () => {
    const [ann, bob] = [await server.person(), await server.person()]
    const made = await race(5, () => propose(ann.id, bob.id))
    expect(made.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400])
    const { id } = made.find(({ status }) => status === 200)!.data
    const accepted = await race(4, () => accept(bob, id))
    expect(accepted.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404])

    for (let round = 0; round < 3; round++) {
      const [carol, dora, other] = await proposed()
      const [taken, deleted] = await race(2, (i) =>
        i === 0 ? dora.post(`/api/auth/link/${other}/accept`) : admin.delete(`/api/admin/auth/link/${other}`),
      )
      expect(deleted!.status).toBe(200)
      expect([200, 404]).toContain(taken!.status)
      expect((await switchBy(carol, other)).status).toBe(404)
      expect((await incoming(dora)).total).toBe(0)
    }
  })
})

describe('administrators', () => {
  const remove = (id: number, by = admin) => by.call('admin.links.delete', { params: { linkId: id } })
  const ids = async (query: object) =>
    ok(await admin.call('admin.links.list', { query: query as never })).data.items.map((row) => row.id)

  test('list the links of all users, or of a user on either side, newest first', async () => {
    const [ann, bob, carol] = [await server.person('link.ann'), await server.person(), await server.person()]
    const first = await link(ann, bob)
    const body = { ownerUserId: carol.id, linkedUserId: ann.id }
    const second = ok(await admin.call('admin.links.propose', { body })).data
    const { items } = ok(await admin.call('admin.links.list', { query: { userId: ann.id } })).data
    const name = async (who: Person) => ok(await who.call('profile.get')).data.nickname
    expect(items).toEqual([
      { ...second, status: 'PENDING' },
      expect.objectContaining({
        id: first,
        status: 'ACTIVE',
        ownerUserId: ann.id,
        ownerNickname: await name(ann),
        linkedUserId: bob.id,
        nickname: await name(bob),
      }),
    ])
    expect(second).toMatchObject({ ownerNickname: await name(carol), nickname: await name(ann) })
    expect((await ids({ size: 2 })).slice(0, 2)).toEqual([second.id, first])
    expect(await ids({ userId: ann.id, size: 1, page: 2 })).toEqual([first])
    expect(await ids({ userId: bob.id })).toEqual([first])
    expect(await ids({ userId: ann.id, status: 'PENDING' })).toEqual([second.id])
    expect(await ids({ keyword: 'LINK.ANN' })).toEqual([second.id, first])
    expect(await ids({ keyword: 'link.ann', to: second.createdAt })).toEqual([first])
    expect(await ids({ userId: 999_999_999 })).toEqual([])
    expect((await admin.get('/api/admin/auth/link/list?status=OPEN')).status).toBe(400)
  })

  test('delete a link with the sessions that it opened, and both users are notified', async () => {
    const [ann, bob] = [await server.person(), await server.person()]
    const id = await link(ann, bob)
    const annAsBob = await switched(ann, id)
    expect(ok(await remove(id)).data).toBeNull()
    expect(await isSignedIn(annAsBob)).toBe(false)
    for (const own of [ann, bob]) {
      expect(await isSignedIn(own)).toBe(true)
      const [newest] = ok(await own.call('notifications.list')).data.items
      expect(newest!.data).toMatchObject({ event: 'ACCOUNT_UNLINKED', linkId: id })
      expect(newest!.body).not.toContain('127.0.0.1')
    }
    expect((await switchBy(ann, id)).status).toBe(404)
    for (const gone of [id, 999_999_999]) expect((await remove(gone)).status).toBe(404)
  })

  test('need the point of each operation, and SYSTEM_ADMIN to delete links of administrators', async () => {
    const [ann, bob, clerk] = [await server.person(), await server.person(), await server.person()]
    const [ofAnn, ofClerk] = [await link(ann, bob), await link(clerk, bob)]
    const tries = (send: Person['send']) =>
      Promise.all([
        send('GET', '/api/admin/auth/link/list'),
        send('POST', '/api/admin/auth/link', { body: { ownerUserId: bob.id, linkedUserId: ann.id } }),
        send('DELETE', `/api/admin/auth/link/${ofAnn}`),
      ])
    expect((await tries(ann.send)).map(({ status }) => status)).toEqual([403, 403, 403])
    expect((await tries(server.request)).map(({ status }) => status)).toEqual([401, 401, 401])
    ok(await grant(admin, clerk, await createRole(admin, { permissions: ['account_link:delete'] })))
    const chief = await server.person()
    const ofChief = await link(chief, bob)
    ok(await grant(admin, chief, await platformRole('OPERATION_ADMIN')))
    expect((await remove(ofChief, clerk)).status).toBe(403)
    expect((await ids({ userId: chief.id })).length).toBe(1)
    for (const [id, by] of [
      [ofAnn, clerk],
      [ofClerk, clerk],
      [ofChief, admin],
    ] as const)
      ok(await remove(id, by))
  })
})
