import { expect, test } from 'bun:test'

import { type Person, race, useServer } from '../harness/index.ts'
import { addMembers, apply, createOrg, invite, joinByCode, ok, setRole, UNKNOWN_ID } from './helpers.ts'

const { server, owner } = useServer({ people: ['owner'] })

const decide = (approver: Person, org: { id: number }, userId: number, approve: boolean, reason?: string) =>
  approver.call('orgs.approve', {
    params: { id: org.id },
    body: { userId, approve, ...(reason !== undefined && { reason }) },
  })

interface Received {
  type: string
  title: string
  body: string
  data: Record<string, unknown>
}
/** The notifications of a user, the newest first. */
const received = async (user: Person): Promise<Received[]> => ok(await user.get('/api/notifications')).data.items

test('an invitation notifies the invitee alone, and only once', async () => {
  const org = await createOrg(owner, { name: 'Willow' })
  const [person, other] = [await server.person(), await server.person()]
  const items = await invite(owner, org, person, { id: UNKNOWN_ID })
  await invite(owner, org, person, { id: UNKNOWN_ID })
  const notifications = await received(person)
  expect(notifications).toHaveLength(1)
  expect(notifications[0]).toMatchObject({
    type: 'ORG_INVITE',
    title: 'Invitation to Willow',
    data: { orgId: org.id, orgName: 'Willow', invitationId: items[0]!.invitationId, inviterId: owner.id },
  })
  const chinese = await person.send('GET', '/api/notifications', { headers: { 'accept-language': 'zh-CN' } })
  expect(chinese.data.items[0].title).toContain('邀请')
  expect(await received(other)).toEqual([])
})

test('a join request notifies the members who can approve it, and the decision notifies the applicant', async () => {
  const org = await createOrg(owner)
  const [deputy, member, approved, rejected] = [
    await server.person(),
    await server.person(),
    await server.person(),
    await server.person(),
  ]
  await addMembers(owner, org, deputy, member)
  await setRole(owner, org, deputy, 'ADMIN')
  const before = (await received(owner)).length
  ok(await apply(approved, org, 'It is me'))
  ok(await apply(approved, org, 'again'))
  ok(await joinByCode(rejected, org.code))
  for (const [user, earlier] of [
    [owner, before],
    [deputy, 1],
  ] as const) {
    const notifications = await received(user)
    expect(notifications.length - earlier).toBe(2)
    expect(notifications[1]).toMatchObject({
      type: 'ORG_APPROVAL_REQUEST',
      body: 'It is me',
      data: { orgId: org.id, userId: approved.id },
    })
    expect(notifications[0]).toMatchObject({ type: 'ORG_APPROVAL_REQUEST', data: { userId: rejected.id } })
  }
  expect((await received(member)).map((n) => n.type)).toEqual(['ORG_INVITE'])

  ok(await decide(deputy, org, approved.id, true))
  const reason = 'Come back in spring'
  ok(await decide(deputy, org, rejected.id, false, reason))
  expect(await received(approved)).toMatchObject([{ type: 'ORG_APPROVED', data: { orgId: org.id } }])
  expect(await received(rejected)).toMatchObject([
    { type: 'ORG_REJECTED', body: reason, data: { orgId: org.id, reason } },
  ])
})

test('a join link notifies each user who is not a member once, and its content lets them join', async () => {
  const org = await createOrg(owner, { joinPolicy: 'FREE' })
  const [person, member] = [await server.person(), await server.person()]
  await addMembers(owner, org, member)
  const body = { userIds: [person.id, person.id, member.id] }
  ok(await owner.call('orgs.shareJoinLink', { params: { id: org.id }, body }))
  const notifications = await received(person)
  expect(notifications).toHaveLength(1)
  expect(notifications[0]).toMatchObject({ type: 'ORG_JOIN_LINK', data: { orgId: org.id, code: org.code } })
  expect((await received(member)).some((n) => n.type === 'ORG_JOIN_LINK')).toBe(false)
  ok(await person.call('orgs.joinByQrCode', { body: { content: String(notifications[0]!.data['content']) } }))
})

test('sending the join link again replaces the notification, also if it is sent 50 times at once', async () => {
  const [first, second] = [await createOrg(owner), await createOrg(owner)]
  const [person, other] = [await server.person(), await server.person()]
  const body = { userIds: [person.id, other.id] }
  const replies = await race(50, (i) =>
    owner.call('orgs.shareJoinLink', { params: { id: i % 2 ? first.id : second.id }, body }),
  )
  for (const reply of replies) expect(ok(reply).data.items.map((item) => item.status)).toEqual(['SENT', 'SENT'])
  const { code } = ok(await owner.call('orgs.resetCode', { params: { id: first.id } })).data
  ok(await owner.call('orgs.shareJoinLink', { params: { id: first.id }, body }))
  for (const user of [person, other]) {
    const links = (await received(user)).filter((n) => n.type === 'ORG_JOIN_LINK')
    expect(links.map((n) => n.data['orgId']).toSorted()).toEqual([first.id, second.id])
    expect(links.find((n) => n.data['orgId'] === first.id)!.data['code']).toBe(code)
  }
})

test('an invitation that is withdrawn and sent again on the same day replaces the notification', async () => {
  const org = await createOrg(owner)
  const person = await server.person()
  let invitationId = 0
  for (let i = 0; i < 3; i++) {
    if (i > 0) ok(await owner.call('orgs.cancelInvitation', { params: { id: org.id, invitationId } }))
    invitationId = (await invite(owner, org, person))[0]!.invitationId!
  }
  expect(await received(person)).toMatchObject([{ type: 'ORG_INVITE', data: { invitationId } }])
})

test('refused approvals and invitations notify no one', async () => {
  const org = await createOrg(owner, { memberLimit: 1 })
  const person = await server.person()
  ok(await apply(person, org))
  expect((await decide(owner, org, person.id, true)).status).toBe(400)
  expect(await received(person)).toEqual([])
  expect((await person.post(`/api/orgs/${org.id}/invite`, { userIds: [owner.id] })).status).toBe(403)
  expect((await received(owner)).filter((n) => n.type === 'ORG_INVITE')).toEqual([])
})
