import { afterAll, beforeAll, expect, test } from 'bun:test'

import { type Person, startServer, type TestServer } from '../harness/index.ts'
import { enrol, found, ok, promote } from './helpers.ts'

let server: TestServer
let owner: Person

beforeAll(async () => {
  server = await startServer()
  owner = await server.person('owner')
})
afterAll(() => server.stop())

interface Shown {
  type: string
  title: string
  body: string
  data: Record<string, unknown>
}
const told = async (who: Person): Promise<Shown[]> => ok(await who.get('/api/notifications')).data.items

test('an invitation is told to the invitee alone, once', async () => {
  const org = await found(owner, { name: 'Willow' })
  const [person, other] = [await server.person(), await server.person()]
  const invite = () => owner.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id, 999_999_999] })
  const { items } = ok(await invite()).data
  ok(await invite())
  const notices = await told(person)
  expect(notices).toHaveLength(1)
  expect(notices[0]).toMatchObject({
    type: 'ORG_INVITE',
    title: 'Invitation to Willow',
    data: { orgId: org.id, orgName: 'Willow', invitationId: items[0].invitationId, inviterId: owner.id },
  })
  const chinese = await person.send('GET', '/api/notifications', { headers: { 'accept-language': 'zh-CN' } })
  expect(chinese.data.items[0].title).toContain('邀请')
  expect(await told(other)).toEqual([])
})

test('a request is told to those who decide, the decision to the applicant', async () => {
  const org = await found(owner)
  const [admin, member, lucky, unlucky] = [
    await server.person(),
    await server.person(),
    await server.person(),
    await server.person(),
  ]
  await enrol(owner, org, admin, member)
  await promote(owner, org, admin, 'ADMIN')
  const before = (await told(owner)).length
  ok(await lucky.post(`/api/orgs/${org.id}/apply`, { message: 'It is me' }))
  ok(await lucky.post(`/api/orgs/${org.id}/apply`, { message: 'again' }))
  ok(await unlucky.post('/api/orgs/join-by-code', { code: org.code }))
  for (const [who, known] of [
    [owner, before],
    [admin, 1],
  ] as const) {
    const notices = await told(who)
    expect(notices.length - known).toBe(2)
    expect(notices[1]).toMatchObject({
      type: 'ORG_APPROVAL_REQUEST',
      body: 'It is me',
      data: { orgId: org.id, userId: lucky.id },
    })
    expect(notices[0]).toMatchObject({ type: 'ORG_APPROVAL_REQUEST', data: { userId: unlucky.id } })
  }
  expect((await told(member)).map((n) => n.type)).toEqual(['ORG_INVITE'])

  ok(await admin.post(`/api/orgs/${org.id}/approve`, { userId: lucky.id, approve: true }))
  const reason = 'Come back in spring'
  ok(await admin.post(`/api/orgs/${org.id}/approve`, { userId: unlucky.id, approve: false, reason }))
  expect(await told(lucky)).toMatchObject([{ type: 'ORG_APPROVED', data: { orgId: org.id } }])
  expect(await told(unlucky)).toMatchObject([{ type: 'ORG_REJECTED', body: reason, data: { orgId: org.id, reason } }])
})

test('a join link is told to those who are no members, each once; it leads in', async () => {
  const org = await found(owner, { joinPolicy: 'FREE' })
  const [person, member] = [await server.person(), await server.person()]
  await enrol(owner, org, member)
  ok(await owner.post(`/api/orgs/${org.id}/share-join-link`, { userIds: [person.id, person.id, member.id] }))
  const notices = await told(person)
  expect(notices).toHaveLength(1)
  expect(notices[0]).toMatchObject({ type: 'ORG_JOIN_LINK', data: { orgId: org.id, code: org.code } })
  expect((await told(member)).some((n) => n.type === 'ORG_JOIN_LINK')).toBe(false)
  ok(await person.post('/api/orgs/join-by-qrcode', { content: notices[0]!.data['content'] }))
})

test('what is refused tells nobody', async () => {
  const org = await found(owner, { memberLimit: 1 })
  const person = await server.person()
  ok(await person.post(`/api/orgs/${org.id}/apply`))
  const refused = await owner.post(`/api/orgs/${org.id}/approve`, { userId: person.id, approve: true })
  expect(refused.status).toBe(400)
  expect(await told(person)).toEqual([])
  expect((await person.post(`/api/orgs/${org.id}/invite`, { userIds: [owner.id] })).status).toBe(403)
  expect((await told(owner)).filter((n) => n.type === 'ORG_INVITE')).toEqual([])
})
