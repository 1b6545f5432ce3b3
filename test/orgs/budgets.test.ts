/** Budgets of contacts, invitations and join links, and the number of organizations that a user owns. */

import { describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'

const DAY = 86_400_000
const emails = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `nobody${from + i}@example.org`)

describe.if(inProcess)('look-ups of contacts', () => {
  const { server } = useServer({ rateLimit: true })

  const ownerOf = async () => {
    const owner = await server.person()
    const { id } = ok(await owner.call('orgs.create', { body: { name: 'Climbers', joinPolicy: 'FREE' } })).data
    const post = (what: 'invite' | 'share-join-link', body: object, ip = '192.0.2.1') =>
      owner.send('POST', `/api/orgs/${id}/${what}`, { body, headers: { 'x-forwarded-for': ip } })
    return { owner, id, post }
  }

  test('a user looks up 50 e-mails and phones a day, over invitations, join links and the search', async () => {
    const { owner, post } = await ownerOf()
    expect((await post('invite', { emails: emails(51) })).status).toBe(429)
    expect((await post('invite', { emails: emails(20), phones: ['13800138000'] })).status).toBe(200)
    expect((await post('share-join-link', { emails: emails(28) })).status).toBe(200)
    const search = (q: string) => owner.get('/api/orgs/users/search', { q })
    expect((await search('nobody@example.org')).status).toBe(200)
    const refused = await search('nobody@example.org')
    expect([refused.status, refused.code, refused.message]).toEqual([
      429,
      4022,
      'Too many look-ups of e-mail addresses and phone numbers, try again later',
    ])
    expect((await post('invite', { phones: ['13800138000'] }, '192.0.2.2')).status).toBe(429)
    // Searching by name and inviting by id look up no contact.
    expect((await search('nobody')).status).toBe(200)
    const other = await server.person()
    expect((await post('invite', { userIds: [other.id] })).data.items[0].status).toBe('INVITED')
    server.clock.advance(DAY)
    expect((await post('invite', { emails: emails(50) })).status).toBe(200)
  })

  test('all users at an address look up 200 contacts a day', async () => {
    const ip = '192.0.2.33'
    const owners = await Promise.all(Array.from({ length: 5 }, ownerOf))
    const replies = await race(20, (i) => owners[i % 5]!.post('invite', { emails: emails(25, i * 25) }, ip))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(8)
    expect(replies.filter((r) => r.code === 4022)).toHaveLength(12)
    const last = owners.at(-1)!
    expect((await last.post('share-join-link', { emails: emails(1) }, ip)).status).toBe(429)
    // The link alone looks up nobody.
    expect((await last.post('share-join-link', {}, ip)).status).toBe(200)
  })

  test('a user sends 200 invitations and join links a day, repeated ones included', async () => {
    const { post } = await ownerOf()
    const people: Person[] = []
    server.clock.advance(DAY)
    for (let i = 0; i < 20; i++) people.push(await server.person())
    const userIds = people.map(({ id }) => id)
    const replies = []
    for (let i = 0; i < 12; i++) replies.push(await post(i % 2 ? 'invite' : 'share-join-link', { userIds }))
    expect(replies.map((r) => r.status)).toEqual([...Array(10).fill(200), 429, 429])
    server.clock.advance(DAY)
    expect((await post('share-join-link', { userIds })).status).toBe(200)
  })
})

describe.if(inProcess)('owned organizations', () => {
  const { server } = useServer({ settings: { 'quota.organizations': 20 } })
  const create = (who: Person) => who.call('orgs.create', { body: { name: 'Climbers' } })
  const quota = (limit: number) => server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.organizations', limit))

  test('of 50 organizations that a user creates at once 20 are created', async () => {
    const owner = await server.person()
    const replies = await race(50, () => create(owner))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(20)
    const refused = replies.find((r) => r.status !== 200)!
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(ok(await owner.call('profile.quotas')).data.organizations).toEqual({ used: 20, limit: 20 })
    const { items } = ok(await owner.call('orgs.list', { query: { size: 1 } })).data
    ok(await owner.call('orgs.dissolve', { params: { id: items[0]!.id } }))
    ok(await create(owner))
  })

  test('memberships of other organizations do not count, and 0 allows any number', async () => {
    const [owner, member] = [await server.person(), await server.person()]
    await quota(1)
    const body = { name: 'Divers', joinPolicy: 'FREE' } as const
    const { code } = ok(await owner.call('orgs.create', { body })).data
    ok(await member.call('orgs.joinByCode', { body: { code } }))
    ok(await create(member))
    expect((await create(member)).code).toBe(4022)
    await quota(0)
    ok(await create(member))
    await quota(20)
  })

  test('a user who owns as many as allowed cannot accept another one, and can when one is given up', async () => {
    const [owner, heir] = [await server.person(), await server.person()]
    const body = { name: 'Divers', joinPolicy: 'FREE' } as const
    const { id, code } = ok(await owner.call('orgs.create', { body })).data
    ok(await heir.call('orgs.joinByCode', { body: { code } }))
    ok(await owner.call('orgs.transfer', { params: { id }, body: { userId: heir.id } }))
    const own = ok(await create(heir)).data
    await quota(1)
    const accept = () => heir.call('orgs.answerTransfer', { params: { id }, body: { accept: true } })
    expect((await accept()).code).toBe(4022)
    ok(await heir.call('orgs.dissolve', { params: { id: own.id } }))
    expect(ok(await accept()).data.ownerId).toBe(heir.id)
    await quota(20)
  })
})
