import { describe, expect, test } from 'bun:test'

import { race, useServer } from '../harness/index.ts'
import { newDevice } from './helpers.ts'

const { server, bob } = useServer({ people: ['bob'] })

/** A user who signed in by device and has neither username nor password. */
async function newcomer() {
  const deviceId = newDevice()
  const { data } = await server.request('POST', '/api/auth/device-login', { deviceId, body: {} })
  const me = { token: data.accessToken as string, deviceId }
  return {
    id: data.user.id as number,
    info: async () => (await server.request('GET', '/api/auth/userinfo', me)).data,
    setUsername: (username: unknown) => server.request('PUT', '/api/users/me/username', { ...me, body: { username } }),
    setPassword: (password: unknown) => server.request('POST', '/api/auth/password/set', { ...me, body: { password } }),
  }
}

describe('the profile', () => {
  for (const path of ['/api/auth/userinfo', '/api/users/userinfo'])
    test(`PUT ${path} leaves absent and null fields unchanged and clears empty ones, the nickname by a generated one`, async () => {
      const eve = await server.person()
      const set = await eve.put(path, { nickname: ' 小明 ', signature: 'hello', avatarUrl: '/files/1.png' })
      expect(set.data).toMatchObject({ id: eve.id, nickname: '小明', signature: 'hello', avatarUrl: '/files/1.png' })
      expect((await eve.put(path, {})).data).toMatchObject({ nickname: '小明', signature: 'hello' })
      expect((await eve.put(path, { nickname: null, signature: null })).data).toMatchObject({
        nickname: '小明',
        signature: 'hello',
      })
      expect((await eve.put(path, { signature: '' })).data).toMatchObject({ nickname: '小明', signature: null })
      const cleared = await eve.put(path, { nickname: ' ', avatar_url: null })
      expect(cleared.data.avatarUrl).toBeNull()
      expect(cleared.data.nickname).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
      expect((await eve.call('profile.get')).data.nickname).toBe(cleared.data.nickname)
      expect((await server.request('PUT', path, { body: { nickname: 'x' } })).status).toBe(401)
    })

  test('a user who clears the nickname still has a name for members of an organization and in searches', async () => {
    const [eve, owner] = [await server.person(), await server.person()]
    const org = (await owner.call('orgs.create', { body: { name: 'Tiles', joinPolicy: 'FREE' } })).data
    expect((await eve.call('orgs.joinByCode', { body: { code: org.code } })).status).toBe(200)
    const headers = { 'accept-language': 'zh' }
    const { data } = await eve.send('PUT', '/api/auth/userinfo', { body: { nickname: '' }, headers })
    expect(data.nickname).toMatch(/^\p{Script=Han}+$/u)
    const { items } = (await owner.call('orgs.members', { params: { orgId: org.id } })).data
    expect(items.find((member) => member.userId === eve.id)!.nickname).toBe(data.nickname)
    const found = (await owner.call('orgs.searchUsers', { query: { q: eve.username } })).data.items
    expect(found).toMatchObject([{ id: eve.id, nickname: data.nickname }])
  })

  test('a profile with an invalid field is answered with 400, and no field changes', async () => {
    const before = (await bob.call('profile.get')).data
    const bad = [
      { nickname: 'x'.repeat(51) },
      { signature: 'x'.repeat(101) },
      { nickname: 5 },
      { nickname: 'two\nlines' },
      { nickname: 'fine', signature: 'x'.repeat(101) },
      { avatarUrl: 'javascript:alert(1)' },
      { avatarUrl: '//evil.example/x.png' },
      { avatarUrl: 'https://a.example/"><script>' },
    ]
    for (const body of bad) expect((await bob.put('/api/auth/userinfo', body)).status, JSON.stringify(body)).toBe(400)
    expect((await bob.call('profile.get')).data).toEqual(before)
  })

  test('a profile update ignores the username and other fields that do not belong to it', async () => {
    const before = (await bob.call('profile.get')).data
    const body = {
      username: 'other',
      id: 1,
      email: 'x@y.org',
      hasPassword: false,
      tokenVersion: 9,
      status: 'DISABLED',
      currentOrgId: 7,
    }
    expect((await bob.put('/api/users/userinfo', body)).status).toBe(200)
    expect((await bob.call('profile.get')).data).toEqual(before)
  })
})

describe('PUT /users/me/username', () => {
  test('a username can be set once', async () => {
    const who = await newcomer()
    expect((await who.setUsername(' First.Name ')).data.username).toBe('First.Name')
    for (const again of ['second.name', 'First.Name', '']) expect((await who.setUsername(again)).status).toBe(400)
    expect((await who.info()).username).toBe('First.Name')
  })

  test('an empty, invalid or taken username is refused, and another one can be set', async () => {
    const who = await newcomer()
    for (const bad of ['', ' ', 'ab', '13800138000', 'a@b.org', 'with space', null, 5, bob.username.toUpperCase()])
      expect((await who.setUsername(bad)).status, String(bad)).toBe(400)
    expect((await who.info()).username).toBeNull()
    expect((await who.setUsername(`free${who.id}`)).status).toBe(200)
  })

  test('of 50 usernames set at once by one user one is set', async () => {
    const who = await newcomer()
    const replies = await race(50, (i) => who.setUsername(`choice${i}.${who.id}`))
    const won = replies.filter((r) => r.status === 200)
    expect(won).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(49)
    expect((await who.info()).username).toBe(won[0]!.data.username)
  })

  test('of two users who set the same username at once one gets it', async () => {
    const two = [await newcomer(), await newcomer()]
    const replies = await race(50, (i) => two[i % 2]!.setUsername('contested'))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(49)
    const names = await Promise.all(two.map(async (who) => (await who.info()).username))
    expect(names.toSorted()).toEqual(['contested', null] as never)
  })
})

describe('POST /auth/password/set', () => {
  test('a password can be set once, exactly as given', async () => {
    const who = await newcomer()
    await who.setUsername(`pass${who.id}`)
    for (const bad of ['', '12345', 'x'.repeat(129), 123456, null])
      expect((await who.setPassword(bad)).status, String(bad)).toBe(400)
    expect((await who.info()).hasPassword).toBe(false)
    const set = await who.setPassword('  spaces count  ')
    expect([set.status, set.data]).toEqual([200, null])
    expect(await who.info()).toMatchObject({ hasPassword: true, hasRecoverableCredential: true })
    expect((await who.setPassword('another one')).status).toBe(400)
    const login = (password: string) =>
      server.request('POST', '/api/auth/login', { body: { account: `pass${who.id}`, password } })
    expect((await login('spaces count')).status).toBe(401)
    expect((await login('another one')).status).toBe(401)
    expect((await login('  spaces count  ')).status).toBe(200)
  })

  test('a password can contain any Unicode characters', async () => {
    const who = await newcomer()
    await who.setUsername(`uni${who.id}`)
    expect((await who.setPassword('密码🔑密码密码')).status).toBe(200)
    const body = { account: `uni${who.id}`, password: '密码🔑密码密码' }
    expect((await server.request('POST', '/api/auth/login', { body })).status).toBe(200)
  })

  test('of 20 passwords set at once one is set, and it signs in', async () => {
    const who = await newcomer()
    await who.setUsername(`prace${who.id}`)
    const replies = await race(20, (i) => who.setPassword(`password number ${i}`))
    const winners = replies.flatMap((r, i) => (r.status === 200 ? [i] : []))
    expect(winners).toHaveLength(1)
    const body = { account: `prace${who.id}`, password: `password number ${winners[0]}` }
    expect((await server.request('POST', '/api/auth/login', { body })).status).toBe(200)
  })

  test('setting a password is refused for users who have one and without a token', async () => {
    expect((await bob.call('profile.setPassword', { body: { password: 'another one' } })).status).toBe(400)
    expect((await server.request('POST', '/api/auth/password/set', { body: { password: 'another one' } })).status).toBe(
      401,
    )
  })
})

describe('GET /auth/quotas', () => {
  test('the quotas show the limits of the settings and the usage of the caller', async () => {
    const eve = await server.person()
    const quotas = async () => (await eve.call('profile.quotas')).data
    const before = await quotas()
    expect(before).toMatchObject({
      storage: { used: 0, limit: 1024 ** 3 },
      qrCodes: { used: 0, limit: 10_000 },
      activities: { used: 0, limit: 10_000 },
      organizations: { used: 0 },
      uploadMaxBytes: 20 * 1024 ** 2,
    })
    expect(before.uploadTypes).toContain('image/png')
    expect((await eve.post('/api/qr-codes', { name: 'counted', content: 'x' })).status).toBe(200)
    expect((await quotas()).qrCodes.used).toBe(1)
    expect((await eve.post('/api/orgs', { name: 'Counted' })).status).toBe(200)
    expect((await quotas()).organizations.used).toBe(1)
    expect((await bob.call('profile.quotas')).data.qrCodes.used).toBe(0)
    expect((await server.request('GET', '/api/auth/quotas')).status).toBe(401)
  })
})
