/** Users see the join requests that wait for approval, and can withdraw them. */

import { expect, test } from 'bun:test'

import { type Person, race, type Reply, useServer } from '../harness/index.ts'
import { apply, createOrg, expectConsistent, getOrg, joinByCode, listRequests, ok } from './helpers.ts'

const { server, owner } = useServer({ people: ['owner'] })

const myRequests = async (user: Person) => ok(await user.call('orgs.myRequests')).data
const withdraw = (user: Person, org: { id: number }) => user.call('orgs.withdrawRequest', { params: { id: org.id } })
const decide = (org: { id: number }, user: { id: number }, approve: boolean) =>
  owner.call('orgs.approve', { params: { id: org.id }, body: { userId: user.id, approve } })

test('users see their own join requests, the newest first, until they are decided', async () => {
  const [first, second] = [await createOrg(owner), await createOrg(owner)]
  const [person, other] = [await server.person(), await server.person()]
  ok(await apply(person, first, 'It is me'))
  ok(await joinByCode(person, second.code))
  const { items, total } = await myRequests(person)
  expect(total).toBe(2)
  expect(items).toMatchObject([
    { orgId: second.id, orgName: second.name, message: '' },
    { orgId: first.id, orgName: first.name, orgAvatarUrl: null, message: 'It is me' },
  ])
  expect((await getOrg(person, first)).requestedAt).toBe(items[1]!.createdAt)
  expect((await myRequests(other)).total).toBe(0)
  for (const user of [other, owner]) expect((await getOrg(user, first)).requestedAt).toBeNull()

  ok(await decide(first, person, true))
  ok(await decide(second, person, false))
  expect(await myRequests(person)).toMatchObject({ items: [], total: 0 })
  for (const org of [first, second]) expect((await getOrg(person, org)).requestedAt).toBeNull()
})

test('a withdrawn join request can no longer be approved, and the user can ask again', async () => {
  const org = await createOrg(owner)
  const [person, other] = [await server.person(), await server.person()]
  ok(await apply(person, org))
  expect((await withdraw(other, org)).status).toBe(404)
  expect((await listRequests(owner, org)).total).toBe(1)

  ok(await withdraw(person, org))
  expect((await withdraw(person, org)).status).toBe(404)
  expect((await listRequests(owner, org)).total).toBe(0)
  expect((await getOrg(person, org)).requestedAt).toBeNull()
  expect((await decide(org, person, true)).status).toBe(404)
  expect((await getOrg(owner, org)).memberCount).toBe(1)

  ok(await apply(person, org))
  ok(await decide(org, person, true))
  expect((await withdraw(person, org)).status).toBe(404)
  expect((await getOrg(person, org)).roleName).toBe('Member')
})

test('a user who asks and withdraws again and again leaves one notification with each approver', async () => {
  const org = await createOrg(owner)
  const person = await server.person()
  for (let i = 0; i < 10; i++) {
    ok(await apply(person, org, `attempt ${i}`))
    ok(await withdraw(person, org))
  }
  const { items } = ok(
    await owner.call('notifications.list', { query: { type: 'ORG_APPROVAL_REQUEST', size: 100 } }),
  ).data
  const own = items.filter((item) => item.data['orgId'] === org.id)
  expect(own.map((item) => item.body)).toEqual(['attempt 9'])
})

test('a join request that is approved and withdrawn at once is either approved or withdrawn', async () => {
  const org = await createOrg(owner)
  let members = 1
  for (let round = 0; round < 10; round++) {
    const person = await server.person()
    ok(await apply(person, org))
    const calls: (() => Promise<Reply>)[] = [() => decide(org, person, true), () => withdraw(person, org)]
    if (round % 2) calls.reverse()
    const replies = await Promise.all(calls.map((call) => call()))
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 404])
    const approved = replies[round % 2]!.status === 200
    if (approved) members++
    expect((await getOrg(person, org)).roleName).toBe(approved ? 'Member' : '')
    expect((await getOrg(person, org)).requestedAt).toBeNull()
  }
  expect((await getOrg(owner, org)).memberCount).toBe(members)
  await expectConsistent(owner, org)
})

test('of 50 simultaneous withdrawals of one join request, exactly one succeeds', async () => {
  const org = await createOrg(owner)
  const person = await server.person()
  ok(await apply(person, org))
  const replies = await race(50, () => withdraw(person, org))
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
  expect(replies.filter((reply) => reply.status === 404)).toHaveLength(49)
})
