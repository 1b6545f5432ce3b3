/** Users in the console: lists, views, new users and changed profiles. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import type { Runner } from '#db/query/builders.ts'
import { identities, users } from '#db/schema/accounts.ts'

import { findRole, grant } from '../access/helpers.ts'
import { inProcess, ok, type Person, race, type RequestOptions } from '../harness/index.ts'
import { addMembers, createOrg, UNKNOWN_ID } from '../orgs/helpers.ts'
import { newDevice, newEmail, newPhone, useWorld } from './helpers.ts'

const world = useWorld()
let admin: Person
/** Holds USER_ADMIN. */
let clerk: Person

beforeAll(async () => {
  admin = await world.server.admin()
  clerk = await world.server.person()
  ok(await grant(admin, clerk, await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')))
})

const PATH = '/api/admin/users'
const list = async (query: NonNullable<RequestOptions['query']> = {}) => ok(await clerk.get(PATH, query)).data
const idsOf = async (query: NonNullable<RequestOptions['query']>): Promise<number[]> =>
  (await list(query)).items.map((user: { id: number }) => user.id)
const get = async (user: { id: number }) => ok(await clerk.get(`${PATH}/${user.id}`)).data
const create = (body: object) => clerk.post(PATH, body)
const put = (user: { id: number }, body: object, who = clerk) => who.put(`${PATH}/${user.id}`, body)
const signIn = (account: string, password: string, deviceId = newDevice()) =>
  world.post('/api/auth/login', { account, password }, { deviceId })
const deviceUser = (deviceId = newDevice()) => world.post('/api/auth/device-login', {}, { deviceId })
const newName = () => `u${crypto.randomUUID().slice(0, 12)}`
/** Counts the statements that read, on both threads. */
function countStatements(): { count: number; stop(): void } {
  const { read, readInWorker } = world.server.ctx.db
  const runners = [read, readInWorker].map((db) => (db as unknown as { runner: Runner }).runner)
  const originals = runners.map(({ rows }) => rows)
  const counter = {
    count: 0,
    stop: () => {
      for (const [i, runner] of runners.entries()) runner.rows = originals[i]!
    },
  }
  for (const [i, runner] of runners.entries())
    runner.rows = (sql, params) => {
      counter.count += 1
      return originals[i]!.call(runner, sql, params)
    }
  return counter
}
/** A time later than that of every user so far. */
const nextMillisecond = () => world.server.clock.advance(1)

describe('GET /api/admin/users', () => {
  test('shows each user with identities, roles and memberships, and the same in the list and alone', async () => {
    const bob = await world.withEmail()
    const orgs = [await createOrg(bob), await createOrg(admin)]
    await addMembers(admin, orgs[1]!, bob)
    const view = await get(bob)
    expect(view).toMatchObject({
      username: bob.username,
      email: bob.email,
      status: 'ACTIVE',
      isAdmin: false,
      roles: [],
      roleName: 'User',
      identityTypes: ['EMAIL'],
      deviceCount: 0,
      membershipCount: 2,
      memberships: [
        { orgId: orgs[0]!.id, orgName: orgs[0]!.name, roleName: 'Owner', isOwner: true },
        { orgId: orgs[1]!.id, orgName: orgs[1]!.name, roleName: 'Member', isOwner: false },
      ],
    })
    expect(view.lastLoginAt).toBeGreaterThan(0)
    expect((await list({ keyword: bob.username })).items).toEqual([view])
    expect(await get(clerk)).toMatchObject({
      isAdmin: true,
      roles: [{ code: 'USER_ADMIN', name: 'User administrator' }],
      roleName: 'User administrator',
    })
    const inChinese = await clerk.send('GET', `${PATH}/${bob.id}`, { headers: { 'accept-language': 'zh' } })
    expect(inChinese.data).toMatchObject({ roleName: '用户', memberships: [{ roleName: '所有者' }, {}] })
    expect((await clerk.get(`${PATH}/${UNKNOWN_ID}`)).status).toBe(404)
  })

  test('never shows password hashes, token versions or device ids', async () => {
    const deviceId = newDevice()
    const device = ok(await deviceUser(deviceId)).data.user
    const { text } = ok(await clerk.get(`${PATH}/${device.id}`))
    for (const secret of ['passwordHash', '$argon2', 'tokenVersion', 'deviceKey', deviceId])
      expect(text).not.toContain(secret)
    expect(await get(device)).toMatchObject({
      identityTypes: ['DEVICE'],
      deviceCount: 1,
      identities: [{ credential: expect.stringMatching(/^.{8}…$/) }],
    })
  })

  test('requires a token and the permission point', async () => {
    expect((await world.server.request('GET', PATH)).status).toBe(401)
    expect((await (await world.server.person()).get(PATH)).status).toBe(403)
    expect((await (await world.server.person()).get(`${PATH}/${clerk.id}`)).status).toBe(403)
  })

  test('finds users by a part of the username or nickname, and by a whole e-mail, phone or id', async () => {
    const bob = await world.withEmail()
    const carl = await world.byPhone()
    ok(await bob.call('profile.update', { body: { nickname: 'Quentin Quell' } }))
    expect(await idsOf({ keyword: 'TIN QU' })).toEqual([bob.id])
    expect(await idsOf({ keyword: bob.username.slice(1).toUpperCase() })).toContain(bob.id)
    expect(await idsOf({ keyword: bob.email.toUpperCase() })).toEqual([bob.id])
    expect(await idsOf({ keyword: bob.email.slice(1) })).toEqual([])
    expect(await idsOf({ keyword: carl.phone.replace('+86', '') })).toEqual([carl.id])
    expect(await idsOf({ keyword: carl.phone.slice(0, -1) })).toEqual([])
    expect(await idsOf({ keyword: String(carl.id) })).toContain(carl.id)
    expect(await idsOf({ keyword: '%' })).toEqual([])
  })

  test('filters by role, status, organization, time of creation, and ways to sign in', async () => {
    nextMillisecond()
    const from = world.server.clock.now()
    const bob = await world.server.person()
    const phone = await world.byPhone()
    const device = ok(await deviceUser()).data.user.id as number
    const deviceId = newDevice()
    const named = ok(await deviceUser(deviceId))
    const namedUser = { token: named.data.accessToken, deviceId }
    ok(await world.server.request('PUT', '/api/users/me/username', { ...namedUser, body: { username: newName() } }))
    const namedId = named.data.user.id as number
    const all = [namedId, device, phone.id, bob.id]
    expect(await idsOf({ from })).toEqual(all)
    expect(await idsOf({ from, sort: 'username' })).toEqual(expect.arrayContaining(all))
    expect(await idsOf({ from, to: (await get(bob)).createdAt })).toEqual([])
    expect(await idsOf({ from, identity: 'BOUND' })).toEqual([phone.id, bob.id])
    expect(await idsOf({ from, identity: 'unbound' })).toEqual([namedId, device])
    expect(await idsOf({ from, identity: 'device_user' })).toEqual([device])
    expect(await idsOf({ from, role: 'ADMIN' })).toEqual([])
    expect(await idsOf({ from, role: 'USER' })).toEqual(all)
    expect(await idsOf({ role: 'ADMIN', sort: 'createdAt' })).toEqual([admin.id, clerk.id])
    const org = await createOrg(bob)
    await addMembers(bob, org, phone)
    expect(await idsOf({ orgId: org.id })).toEqual([phone.id, bob.id])
    expect(await idsOf({ orgId: UNKNOWN_ID })).toEqual([])
    ok(await clerk.patch(`${PATH}/${bob.id}/status`, { status: 'DISABLED' }))
    expect(await idsOf({ from, status: 'DISABLED' })).toEqual([bob.id])
    expect(await idsOf({ from, status: 'ACTIVE' })).toEqual([namedId, device, phone.id])
    for (const bad of ['status=GONE', 'role=OWNER', 'identity=x', 'sort=nickname', 'orgId=0'])
      expect((await clerk.get(`${PATH}?${bad}`)).status).toBe(400)
  })

  test('lists deleted users only when they are asked for, in every order', async () => {
    const bob = await world.server.person()
    ok(await bob.call('auth.deleteAccount'))
    const sorts = ['createdAt', 'lastLoginAt', '-lastLoginAt', 'username', '-username']
    for (const sort of sorts) {
      expect(await idsOf({ sort, size: 100 })).not.toContain(bob.id)
      expect(await idsOf({ sort, size: 100, status: 'ACTIVE' })).not.toContain(bob.id)
      expect(await idsOf({ sort, size: 100, status: 'DELETED' })).toContain(bob.id)
    }
    expect(await get(bob)).toMatchObject({ status: 'DELETED', username: null, identities: [], memberships: [] })
    expect((await put(bob, { nickname: 'x' })).status).toBe(400)
  })

  test('pages of every order are parts of one total order; users without the value come last in both directions', async () => {
    // Never signed in, and without a username.
    ok(await create({ username: newName() }))
    ok(await deviceUser())
    for (const [field, sort] of [
      ['lastLoginAt', 'lastLoginAt'],
      ['username', 'username'],
      ['createdAt', 'createdAt'],
    ] as const)
      for (const direction of ['', '-']) {
        const items: { id: number; createdAt: number; username: string | null; lastLoginAt: number | null }[] = []
        let total = 1
        for (let page = 1; items.length < total; page++) {
          const found = await list({ sort: `${direction}${sort}`, size: 3, page })
          expect(found.items.length).toBeGreaterThan(0)
          items.push(...found.items)
          total = found.total
        }
        expect(new Set(items.map((user) => user.id)).size).toBe(total)
        // In a search, too, which reads the list in another way.
        const searched = await list({ sort: `${direction}${sort}`, role: 'USER', size: 100 })
        const administrators = [admin.id, clerk.id]
        expect(searched.items.map((user: { id: number }) => user.id)).toEqual(
          items.map((user) => user.id).filter((id) => !administrators.includes(id)),
        )
        const values = items.map((user) => user[field])
        const known = values.filter((value) => value !== null)
        expect(values.slice(known.length).every((value) => value === null)).toBe(true)
        const key = (value: string | number | null) => (typeof value === 'string' ? value.toLowerCase() : value!)
        const ascending = known.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
        expect(known.map(key)).toEqual((direction === '' ? ascending : ascending.toReversed()).map(key))
        if (field !== 'createdAt') expect(known.length).toBeLessThan(total)
      }
  })

  test.if(inProcess)('reads a page in a fixed number of statements', async () => {
    const statements = async (size: number) => {
      const counter = countStatements()
      const { items } = await list({ size, sort: 'createdAt' })
      counter.stop()
      expect(items).toHaveLength(size)
      return counter.count
    }
    // The first user of the list.
    await createOrg(admin)
    // Fills the caches of the session and of the permissions.
    await statements(1)
    const one = await statements(1)
    expect(one).toBeGreaterThan(3)
    expect(await statements(10)).toBe(one)
  })
})

describe('lastLoginAt', () => {
  test('is null before the first sign-in, rises with each sign-in of any kind, and leaves updatedAt as it is', async () => {
    const username = newName()
    const { data: made } = ok(await create({ username, password: 'a long password' }))
    expect(made.lastLoginAt).toBeNull()
    const times: number[] = []
    const deviceId = newDevice()
    const note = async () => {
      const { lastLoginAt, updatedAt } = await get(made)
      expect(updatedAt).toBe(made.updatedAt)
      times.push(lastLoginAt)
      world.server.clock.advance(1000)
    }
    ok(await signIn(username, 'a long password', deviceId))
    await note()
    expect((await signIn(username, 'a wrong password')).status).toBe(401)
    ok(await signIn(username, 'a long password', deviceId))
    await note()
    const ann = await world.server.person()
    const { data: link } = ok(await ann.post('/api/auth/link', { linkedUserId: made.id, password: 'a long password' }))
    ok(await ann.call('auth.switchLink', { params: { linkId: link.id } }))
    await note()
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
  })
})

describe('POST /api/admin/users', () => {
  test('creates a user who can sign in at once with the initial password, which is shown once', async () => {
    const username = newName()
    const { data } = ok(await create({ username }))
    expect(data.initialPassword).toMatch(/^[\w-]{20}$/)
    expect(data).toMatchObject({ username, status: 'ACTIVE', hasPassword: true, roleName: 'User', identities: [] })
    expect(data.nickname).not.toBe('')
    ok(await signIn(username, data.initialPassword))
    expect(await get(data)).not.toHaveProperty('initialPassword')
    const logs = ok(await admin.get('/api/admin/logs', { targetType: 'USER', targetId: data.id }))
    expect(logs.text).not.toContain(data.initialPassword)
  })

  test('creates users with a chosen password while registration is closed', async () => {
    const username = newName()
    const { data } = ok(await create({ username, password: 'my chosen one', nickname: 'Lin Mei' }))
    expect(data).not.toHaveProperty('initialPassword')
    expect(data.nickname).toBe('Lin Mei')
    ok(await signIn(username, 'my chosen one'))
  })

  test('answers 400 and creates nobody for bad input and for names, e-mails and phones that are taken', async () => {
    const bob = await world.withEmail()
    const carl = await world.byPhone()
    const { total } = await list()
    const username = newName()
    for (const bad of [
      {},
      { username: '' },
      { username: null },
      { username: '1bad' },
      { username: bob.username.toUpperCase() },
      { username, password: 'short' },
      { username, password: 'password' },
      { username, password: username },
      { username, email: 'nothing' },
      { username, phone: '123' },
      { username, email: bob.email },
      { username, phone: carl.phone },
      { username, nickname: 'x'.repeat(51) },
    ]) {
      const refused = await create(bad)
      expect([refused.status, refused.details.length], JSON.stringify(bad)).toEqual([400, 1])
    }
    expect((await list()).total).toBe(total)
    expect((await bob.post(PATH, { username })).status).toBe(403)
    expect((await list()).total).toBe(total)
  })

  test('five requests at once with one username create one user, and one row of the operation log', async () => {
    const username = newName()
    const replies = await race(5, (i) => create({ username: i % 2 === 0 ? username : username.toUpperCase() }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(4)
    expect((await list({ keyword: username })).total).toBe(1)
    const rows = ok(await admin.get('/api/admin/logs', { action: 'USER_CREATE', keyword: username })).data.total
    const upper = ok(
      await admin.get('/api/admin/logs', { action: 'USER_CREATE', keyword: username.toUpperCase() }),
    ).data
    expect(Math.max(rows, upper.total)).toBe(1)
  })

  test('five requests at once with one e-mail give it to one user, and the others are not created', async () => {
    const email = newEmail()
    const names = Array.from({ length: 5 }, newName)
    const replies = await race(5, (i) => create({ username: names[i]!, email }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    let found = 0
    for (const keyword of names) found += (await list({ keyword })).total
    expect(found).toBe(1)
  })
})

describe('e-mail and phone of a user whom an administrator created', () => {
  const PASSWORD = 'known to the clerk'
  async function claimed() {
    const [email, phone] = [newEmail(), newPhone()]
    const { data } = ok(await create({ username: newName(), password: PASSWORD, email, phone }))
    return { user: data as { id: number; username: string }, email, phone }
  }

  test('are unverified names for the password, and tell others nothing', async () => {
    const { user, email, phone } = await claimed()
    expect((await get(user)).identities).toMatchObject([
      { provider: 'EMAIL', credential: email, verified: false },
      { provider: 'PHONE', credential: phone, verified: false },
    ])
    ok(await signIn(email, PASSWORD))
    ok(await world.post('/api/auth/phone-password-login', { phone, password: PASSWORD }, { deviceId: newDevice() }))
    const ann = await world.server.person()
    const link = await ann.post('/api/auth/link', { credential: phone, verifyType: 'CODE', code: '123456' })
    expect(link.status).toBe(400)
  })

  test('the person who proves the phone gets the account, and the administrator’s password and sessions end', async () => {
    const { user, phone } = await claimed()
    const session = ok(await signIn(user.username, PASSWORD)).data
    const code = await world.codeBy(undefined, '/api/auth/sms/send-code', { phone }, phone)
    const owner = ok(await world.post('/api/auth/phone-login', { phone, code }, { deviceId: newDevice() })).data
    expect(owner).toMatchObject({ isNewUser: false, user: { id: user.id, hasPassword: false } })
    expect((await signIn(user.username, PASSWORD)).status).toBe(401)
    const { accessToken: token, deviceId } = session
    expect((await world.server.request('GET', '/api/auth/userinfo', { token, deviceId })).status).toBe(401)
    // The e-mail of an account that belongs to a person now is a mere claim.
    expect((await get(user)).identities).toMatchObject([{ verified: false }, { verified: true }])
  })

  test('the person who proves the e-mail gets the account without the administrator’s password', async () => {
    const { user, email } = await claimed()
    const code = await world.codeBy(undefined, '/api/auth/email/send-code', { email }, email)
    const owner = ok(await world.post('/api/auth/email-login', { email, code }, { deviceId: newDevice() })).data
    expect(owner.user).toMatchObject({ id: user.id, hasPassword: false })
    expect((await signIn(email, PASSWORD)).status).toBe(401)
  })

  test('a disabled account keeps nobody from their phone', async () => {
    const { user, phone } = await claimed()
    ok(await clerk.patch(`${PATH}/${user.id}/status`, { status: 'DISABLED' }))
    const code = await world.codeBy(undefined, '/api/auth/sms/send-code', { phone }, phone)
    const owner = ok(await world.post('/api/auth/phone-login', { phone, code }, { deviceId: newDevice() })).data
    expect(owner.isNewUser).toBe(true)
    expect(owner.user.id).not.toBe(user.id)
    expect((await get(user)).phone).toBeNull()
  })

  test.if(inProcess)(
    'a code for another account’s claim never leads into the account of the administrator',
    async () => {
      const { user, phone } = await claimed()
      const owner = await world.byPhone(phone)
      expect(owner.id).toBe(user.id)
      const rows = await world.server.ctx.db.read.select().from(identities).where(eq(identities.credential, phone))
      expect(rows).toMatchObject([{ userId: user.id, verified: true }])
      const [row] = await world.server.ctx.db.read.select().from(users).where(eq(users.id, user.id))
      expect(row).toMatchObject({ passwordHash: null, passwordIsForeign: false })
    },
  )
})

describe('PUT /api/admin/users/:userId', () => {
  test('changes the profile only, and ignores the fields that cannot be changed', async () => {
    const bob = await world.withEmail()
    const before = await get(bob)
    const forbidden = {
      username: newName(),
      password: 'another one',
      email: newEmail(),
      role: 'ADMIN',
      status: 'DISABLED',
    }
    const avatarUrl = 'https://example.com/b.png'
    const { data } = ok(await put(bob, { nickname: 'Bobby', signature: 'Hi', avatarUrl, ...forbidden }))
    expect(data).toEqual({ ...before, nickname: 'Bobby', signature: 'Hi', avatarUrl, updatedAt: expect.any(Number) })
    expect(data.updatedAt).toBeGreaterThan(before.updatedAt)
    expect(await get(bob)).toEqual(data)
    ok(await signIn(bob.username, bob.password))
    expect(ok(await put(bob, { nickname: null })).data.updatedAt).toBe(data.updatedAt)
    const cleared = ok(await put(bob, { nickname: '', signature: '', avatarUrl: null })).data
    expect(cleared).toMatchObject({ signature: null, avatarUrl: null })
    expect(['', 'Bobby']).not.toContain(cleared.nickname)
  })

  test('refuses unknown users, bad input, and administrators unless the caller is SYSTEM_ADMIN', async () => {
    const bob = await world.server.person()
    const before = await get(bob)
    expect((await put({ id: UNKNOWN_ID }, { nickname: 'x' })).status).toBe(404)
    for (const bad of [{ nickname: 'x'.repeat(51) }, { signature: 'x'.repeat(101) }, { avatarUrl: 'javascript:x' }])
      expect((await put(bob, { ...bad })).status).toBe(400)
    expect((await put(clerk, { nickname: 'x' }, bob)).status).toBe(403)
    expect(await get(bob)).toEqual(before)
    // The own account of an administrator, too: they have /api/auth/userinfo.
    for (const user of [admin, clerk]) expect((await put(user, { nickname: 'x' })).status).toBe(403)
    ok(await put(clerk, { nickname: 'The clerk' }, admin))
    expect((await get(clerk)).nickname).toBe('The clerk')
  })
})
