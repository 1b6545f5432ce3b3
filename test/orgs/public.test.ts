import { describe, expect, test } from 'bun:test'

import { type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, ok } from './helpers.ts'

const { server, owner } = useServer({ people: ['owner'] })

const anonymous = (path: string, accept = 'application/json') => server.request('GET', path, { headers: { accept } })
/** A word that no other text contains. */
const uniqueWord = () => `word${crypto.randomUUID().replaceAll('-', '')}`

describe('without signing in', () => {
  test('a public organization is found by code and by id, without data about its members', async () => {
    const org = await createOrg(owner, { description: 'Books & tea' })
    for (const path of [
      `/api/orgs/public/${org.code}`,
      `/api/orgs/public/${org.code.toLowerCase()}`,
      `/api/orgs/public/by-id/${org.id}`,
      `/public/orgs/${org.code}`,
    ]) {
      const { data } = ok(await anonymous(path))
      expect(Object.keys(data).toSorted(), path).toEqual(
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

  test('anonymous requests for INTERNAL and for unknown organizations get the same 404', async () => {
    const org = await createOrg(owner, { visibility: 'INTERNAL', name: 'hidden name' })
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

  test('GET /public/orgs/:code is an HTML page in both languages, with every text escaped', async () => {
    const org = await createOrg(owner, {
      name: '<b>Tea</b>',
      description: '<script>alert(1)</script>',
      joinPolicy: 'FREE',
    })
    const page = await anonymous(`/public/orgs/${org.code}`, 'text/html')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.text).toContain('&lt;b&gt;Tea&lt;/b&gt;')
    expect(page.text).toContain('&lt;script&gt;alert(1)')
    expect([...page.text.matchAll(/<script[^>]* src="([^"]*)"/g)].map(([, src]) => src)).toEqual(['/copy.js'])
    expect(page.text).not.toMatch(/<script(?! src="\/copy\.js")/)
    expect(page.text).toContain(`org-join%3A${org.code}`)
    expect(page.text).toContain(`href="/console/join?code=${org.code}"`)
    const chinese = await server.request('GET', `/public/orgs/${org.code}`, {
      headers: { accept: 'text/html', 'accept-language': 'zh-CN' },
    })
    expect(chinese.text).toContain('自由加入')
    const byInvitation = await createOrg(owner, { joinPolicy: 'INVITE' })
    expect((await anonymous(`/public/orgs/${byInvitation.code}`, 'text/html')).text).not.toMatch(
      /org-join|console\/join/,
    )
    expect((await anonymous('/public/orgs/AAAAAAAA', 'text/html')).status).toBe(404)
  })
})

test('GET /discover/orgs finds public organizations by keyword, sorts them, and never shows INTERNAL ones', async () => {
  const word = uniqueWord()
  const big = await createOrg(owner, { name: `${word} big` })
  const small = await createOrg(owner, { name: `${word} small`, description: '100% tea' })
  await createOrg(owner, { name: `${word} hidden`, visibility: 'INTERNAL' })
  const person = await server.person()
  await addMembers(owner, big, person)
  const find = async (query: { keyword: string; sort?: '-memberCount' | '-name' }) =>
    ok(await person.call('orgs.discover', { query })).data.items.map((org) => org.id)
  expect(await find({ keyword: word.toUpperCase() })).toEqual([big.id, small.id])
  expect(await find({ keyword: word, sort: '-memberCount' })).toEqual([big.id, small.id])
  expect(await find({ keyword: word, sort: '-name' })).toEqual([small.id, big.id])
  expect(await find({ keyword: '100%' })).toEqual([small.id])
  const { data } = ok(await person.call('orgs.discover', { query: { keyword: word, size: 1 } }))
  expect(data).toMatchObject({ total: 2, size: 1 })
  expect(data.items[0]!.memberCount).toBe(2)
  expect((await person.get('/api/discover/orgs', { sort: 'ownerId' })).status).toBe(400)
  ok(await owner.call('orgs.update', { params: { id: small.id }, body: { visibility: 'INTERNAL' } }))
  expect(await find({ keyword: word })).toEqual([big.id])
})

describe('searching users to invite', () => {
  const search = async (q: string) => ok(await owner.call('orgs.searchUsers', { query: { q } })).data.items

  test('GET /orgs/users/search finds users by nickname prefix or whole username, and shows no more', async () => {
    const register = async (body: object): Promise<{ id: number }> =>
      ok(
        await server.request('POST', '/api/auth/register', {
          headers: { 'x-device-id': `device-${crypto.randomUUID()}` },
          body: { password: 'a long enough secret', ...body },
        }),
      ).data.user
    const zhang = await register({ username: 'zhang.san', nickname: '张三丰' })
    const lin = await register({ username: 'lin.find', nickname: 'Linnea_50%' })
    const ids = async (q: string) => (await search(q)).map((user) => user.id)
    expect(await ids('张三')).toEqual([zhang.id])
    expect(await ids('LINNEA')).toEqual([lin.id])
    expect(await ids('innea')).toEqual([])
    expect(await ids('Linnea_50%')).toEqual([lin.id])
    expect(await ids('%%')).toEqual([])
    expect(await ids('ZHANG.SAN')).toEqual([zhang.id])
    expect(await ids('zhang.sa')).toEqual([])
    expect(await ids('Lin.Find')).toEqual([lin.id])
    expect(await ids('lin.fin')).toEqual([])
    expect(await search('linnea')).toEqual([{ id: lin.id, nickname: 'Linnea_50%', avatarUrl: null }])
    expect(await ids('owner')).toEqual([])
    for (const q of ['', 'x', ' x ']) expect((await owner.get('/api/orgs/users/search', { q })).status, q).toBe(400)
    expect((await owner.get('/api/orgs/users/search')).status).toBe(400)
  })

  test('GET /orgs/users/search finds at most 20 users', async () => {
    const prefix = uniqueWord()
    for (let i = 0; i < 22; i++) {
      const person = await server.person()
      ok(await person.put('/api/auth/userinfo', { nickname: `${prefix} ${i}` }))
    }
    expect(await search(prefix)).toHaveLength(20)
  })
})

test('scanning an organization’s QR code shows its name, of an INTERNAL one to members only', async () => {
  const [open, internal] = [await createOrg(owner), await createOrg(owner, { visibility: 'INTERNAL' })]
  const [member, stranger] = [await server.person(), await server.person()]
  await addMembers(owner, internal, member)
  const scan = async (user: Person, code: string) =>
    ok(await user.post('/api/scan-records', { content: `org-join:${code}` })).data.resolved
  expect(await scan(stranger, open.code)).toEqual({ kind: 'ORG_JOIN', id: open.id, title: open.name })
  expect(await scan(member, internal.code)).toEqual({ kind: 'ORG_JOIN', id: internal.id, title: internal.name })
  expect(await scan(stranger, internal.code)).toEqual({ kind: 'ORG_JOIN' })
  expect(await scan(stranger, 'AAAAAAAA')).toEqual({ kind: 'ORG_JOIN' })
})
