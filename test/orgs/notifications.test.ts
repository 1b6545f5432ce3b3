import { expect, test } from 'bun:test'

import { type Person, race, useServer } from '../harness/index.ts'
import { addMembers, apply, createOrg, invite, joinByCode, leave, ok, respond, setRole, UNKNOWN_ID } from './helpers.ts'

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

test('the answer to an invitation notifies the inviter, once and nobody else', async () => {
  const [boss, deputy, yes, no] = [
    await server.person(),
    await server.person(),
    await server.person(),
    await server.person(),
  ]
  const org = await createOrg(boss, { name: 'Alder' })
  await addMembers(boss, org, deputy)
  await setRole(boss, org, deputy, 'ADMIN')
  const before = [await received(boss), await received(deputy)].map((list) => list.length)
  const items = await invite(deputy, org, yes, no)
  ok(await respond(yes, items[0]!.invitationId!, true))
  const answers = await race(10, () => respond(no, items[1]!.invitationId!, false))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const [declined, accepted] = await received(deputy)
  const { nickname } = ok(await yes.call('profile.get')).data
  expect(accepted).toMatchObject({
    type: 'SYSTEM',
    title: `${nickname} accepted your invitation`,
    body: `${nickname} is now a member of Alder.`,
    data: { orgId: org.id, event: 'ORG_INVITATION_ACCEPTED', userId: yes.id, invitationId: items[0]!.invitationId },
  })
  expect(declined).toMatchObject({ data: { event: 'ORG_INVITATION_DECLINED', userId: no.id } })
  expect((await received(deputy)).length).toBe(before[1]! + 2)
  expect((await received(boss)).length).toBe(before[0]!)
})

test('an inviter who has left the organization is not notified of the answer', async () => {
  const org = await createOrg(owner)
  const [deputy, person] = [await server.person(), await server.person()]
  await addMembers(owner, org, deputy)
  await setRole(owner, org, deputy, 'ADMIN')
  const [item] = await invite(deputy, org, person)
  ok(await leave(deputy, org))
  const before = (await received(deputy)).length
  ok(await respond(person, item!.invitationId!, true))
  expect((await received(deputy)).length).toBe(before)
})

test('joins of a FREE organization are one notification to the owner until it is read', async () => {
  const boss = await server.person()
  const org = await createOrg(boss, { name: 'Rowan', joinPolicy: 'FREE' })
  const people = await Promise.all(Array.from({ length: 12 }, () => server.person()))
  const joined = async () => (await received(boss)).filter(({ data }) => data['event'] === 'ORG_JOINED')
  ok(await joinByCode(people[0]!, org.code))
  const { nickname } = ok(await people[0]!.call('profile.get')).data
  expect(await joined()).toMatchObject([
    { type: 'SYSTEM', title: `${nickname} joined Rowan`, data: { orgId: org.id, count: 1, userId: people[0]!.id } },
  ])
  // A user who leaves and joins again is no second person.
  ok(await leave(people[0]!, org))
  ok(await joinByCode(people[0]!, org.code))
  expect(await joined()).toMatchObject([{ data: { count: 1 } }])
  const replies = await race(10, (i) => apply(people[i + 1]!, org))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  const merged = await joined()
  expect(merged).toMatchObject([{ title: '11 people joined Rowan', data: { count: 11 } }])
  const chinese = await boss.send('GET', '/api/notifications', { headers: { 'accept-language': 'zh-CN' } })
  expect(chinese.data.items[0].title).toBe('11 人加入了 Rowan')
  // A notification that was read stays; the next join is one of its own.
  ok(await boss.call('notifications.read', { params: { id: chinese.data.items[0].id } }))
  ok(await joinByCode(people[11]!, org.code))
  expect(await joined()).toMatchObject([{ data: { count: 1, userId: people[11]!.id } }, { data: { count: 11 } }])
  expect(ok(await boss.call('notifications.unreadCount')).data.count).toBe(1)
  for (const person of people) expect(await received(person)).toEqual([])
})
