import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { type Person, startServer, type TestServer } from '../harness/index.ts'
import { enrol, found, ok } from './helpers.ts'

let server: TestServer
let owner: Person

beforeAll(async () => {
  server = await startServer()
  owner = await server.person('owner')
})
afterAll(() => server.stop())

const anonymous = (path: string, accept = 'application/json') => server.request('GET', path, { headers: { accept } })

describe('without signing in', () => {
  test('a public organization is found by code and id, without its people', async () => {
    const org = await found(owner, { description: 'Books & tea' })
    for (const path of [
      `/api/orgs/public/${org.code}`,
      `/api/orgs/public/${org.code.toLowerCase()}`,
      `/api/orgs/public/by-id/${org.id}`,
      `/public/orgs/${org.code}`,
    ]) {
      const { data } = ok(await anonymous(path), path)
      expect(Object.keys(data).toSorted()).toEqual(
        [
          'avatarUrl',
          'code',
          'createdAt',
          'description',
          'id',
          'joinPolicy',
          'memberCount',
          'name',
          'visibility',
        ].toSorted(),
      )
      expect(data).toMatchObject({ id: org.id, memberCount: 1 })
    }
  })

  test('internal and unknown ones are the same 404', async () => {
    const org = await found(owner, { visibility: 'INTERNAL', name: 'hidden name' })
    const [internal, unknown] = [
      await anonymous(`/api/orgs/public/by-id/${org.id}`),
      await anonymous('/api/orgs/public/by-id/999999999'),
    ]
    expect(internal.status).toBe(404)
    expect(internal.message).toBe(unknown.message)
    for (const path of [`/api/orgs/public/${org.code}`, '/api/orgs/public/AAAAAAAA', `/public/orgs/${org.code}`]) {
      const reply = await anonymous(path)
      expect(reply.status).toBe(404)
      expect(reply.text).not.toContain('hidden name')
    }
  })

  test('the page is for people, in both languages, with every text escaped', async () => {
    const org = await found(owner, { name: '<b>Tea</b>', description: '<script>alert(1)</script>', joinPolicy: 'FREE' })
    const page = await anonymous(`/public/orgs/${org.code}`, 'text/html')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.text).toContain('&lt;b&gt;Tea&lt;/b&gt;')
    expect(page.text).not.toContain('<script')
    expect(page.text).toContain(`org-join%3A${org.code}`)
    const chinese = await server.request('GET', `/public/orgs/${org.code}`, {
      headers: { accept: 'text/html', 'accept-language': 'zh-CN' },
    })
    expect(chinese.text).toContain('自由加入')
    const invited = await found(owner, { joinPolicy: 'INVITE' })
    expect((await anonymous(`/public/orgs/${invited.code}`, 'text/html')).text).not.toContain('org-join')
    expect((await anonymous('/public/orgs/AAAAAAAA', 'text/html')).status).toBe(404)
  })
})

describe('discovering', () => {
  test('shows public organizations with their size, never internal ones', async () => {
    const word = `word${Date.now()}`
    const big = await found(owner, { name: `${word} big` })
    const small = await found(owner, { name: `${word} small`, description: '100% tea' })
    await found(owner, { name: `${word} hidden`, visibility: 'INTERNAL' })
    const person = await server.person()
    await enrol(owner, big, person)
    const find = async (query: Record<string, string>) =>
      ok(await person.get('/api/discover/orgs', query)).data.items.map((o: { id: number }) => o.id)
    expect(await find({ keyword: word.toUpperCase() })).toEqual([big.id, small.id])
    expect(await find({ keyword: word, sort: '-memberCount' })).toEqual([big.id, small.id])
    expect(await find({ keyword: word, sort: '-name' })).toEqual([small.id, big.id])
    expect(await find({ keyword: '100%' })).toEqual([small.id])
    const { data } = ok(await person.get('/api/discover/orgs', { keyword: word, size: 1 }))
    expect(data).toMatchObject({ total: 2, size: 1 })
    expect(data.items[0].memberCount).toBe(2)
    expect((await person.get('/api/discover/orgs', { sort: 'ownerId' })).status).toBe(400)
    ok(await owner.put(`/api/orgs/${small.id}`, { visibility: 'INTERNAL' }))
    expect(await find({ keyword: word })).toEqual([big.id])
  })
})

describe('finding people', () => {
  test('by the beginning of a nickname, a whole username, a whole e-mail; nothing else of them', async () => {
    const register = async (body: object) =>
      ok(
        await server.request('POST', '/api/auth/register', {
          headers: { 'x-device-id': `device-${crypto.randomUUID()}` },
          body: { password: 'a long enough secret', ...body },
        }),
      ).data.user
    const zhang = await register({ username: 'zhang.san', nickname: '张三丰' })
    const lin = await register({ email: 'lin.find@example.org', nickname: 'Linnea_50%' })
    const find = async (q: string) => ok(await owner.get('/api/orgs/users/search', { q })).data.items
    const ids = async (q: string) => (await find(q)).map((u: { id: number }) => u.id)
    expect(await ids('张三')).toEqual([zhang.id])
    expect(await ids('LINNEA')).toEqual([lin.id])
    expect(await ids('innea')).toEqual([])
    expect(await ids('Linnea_50%')).toEqual([lin.id])
    expect(await ids('%%')).toEqual([])
    expect(await ids('ZHANG.SAN')).toEqual([zhang.id])
    expect(await ids('zhang.sa')).toEqual([])
    expect(await ids('Lin.Find@example.org')).toEqual([lin.id])
    expect(await ids('lin.find@example.or')).toEqual([])
    expect(await ids('lin.find')).toEqual([])
    expect(await find('linnea')).toEqual([{ id: lin.id, nickname: 'Linnea_50%', avatarUrl: null }])
    expect(await ids('owner')).toEqual([])
    for (const q of ['', 'x', ' x ']) expect((await owner.get('/api/orgs/users/search', { q })).status, q).toBe(400)
    expect((await owner.get('/api/orgs/users/search')).status).toBe(400)
  })

  test('gives at most 20', async () => {
    const name = `many${Date.now()}`
    for (let i = 0; i < 22; i++) {
      const person = await server.person()
      ok(await person.put('/api/auth/userinfo', { nickname: `${name} ${i}` }))
    }
    expect(ok(await owner.get('/api/orgs/users/search', { q: name })).data.items).toHaveLength(20)
  })
})

describe('scanning', () => {
  test('an organization’s code says its name, to members only where it is internal', async () => {
    const [open, internal] = [await found(owner), await found(owner, { visibility: 'INTERNAL' })]
    const [member, stranger] = [await server.person(), await server.person()]
    await enrol(owner, internal, member)
    const scan = async (who: Person, code: string) =>
      ok(await who.post('/api/scan-records', { content: `org-join:${code}` })).data.resolved
    expect(await scan(stranger, open.code)).toEqual({ kind: 'ORG_JOIN', id: open.id, title: open['name'] })
    expect(await scan(member, internal.code)).toEqual({ kind: 'ORG_JOIN', id: internal.id, title: internal['name'] })
    expect(await scan(stranger, internal.code)).toEqual({ kind: 'ORG_JOIN' })
    expect(await scan(stranger, 'AAAAAAAA')).toEqual({ kind: 'ORG_JOIN' })
  })
})
