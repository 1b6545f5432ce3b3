/** Many simultaneous requests: always one owner, exact member counts, and exactly one winner. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { type Person, race, type Reply, useServer } from '../harness/index.ts'
import { apply, createOrg, expectConsistent, getOrg, invite, joinByCode, ok, respond } from './helpers.ts'

const { server, owner } = useServer({ people: ['owner'] })
let crowd: Person[]

beforeAll(async () => {
  crowd = await race(50, () => server.person())
})

const countByStatus = (replies: Reply[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const reply of replies) counts[reply.status] = (counts[reply.status] ?? 0) + 1
  return counts
}
const deleteAccount = (user: Person) => user.post('/api/auth/account/delete')

describe('the member limit', () => {
  test('of 50 users who join by code at once, exactly the 10 that fit become members', async () => {
    const org = await createOrg(owner, { joinPolicy: 'FREE', memberLimit: 11 })
    const replies = await race(50, (i) => joinByCode(crowd[i]!, org.code))
    expect(countByStatus(replies)).toEqual({ 200: 10, 400: 40 })
    expect((await getOrg(owner, org)).memberCount).toBe(11)
    await expectConsistent(owner, org)
    for (const [i, reply] of replies.entries())
      expect((await crowd[i]!.get(`/api/orgs/${org.id}/qrcode`)).status).toBe(reply.status === 200 ? 200 : 403)
  })

  test('of 50 users who accept invitations at once, exactly the 10 that fit become members', async () => {
    const org = await createOrg(owner, { visibility: 'INTERNAL', memberLimit: 11 })
    const items = await invite(owner, org, ...crowd)
    const replies = await race(50, (i) => respond(crowd[i]!, items[i]!.invitationId!, true))
    expect(countByStatus(replies)).toEqual({ 200: 10, 400: 40 })
    await expectConsistent(owner, org)
    const pending = await owner.call('orgs.invitations', { params: { id: org.id }, query: { status: 'PENDING' } })
    expect(ok(pending).data.total).toBe(40)
  })

  test('a user who joins 50 times at once gets one membership', async () => {
    const org = await createOrg(owner, { joinPolicy: 'FREE' })
    const replies = await race(50, () => apply(crowd[0]!, org))
    expect(countByStatus(replies)).toEqual({ 200: 1, 400: 49 })
    expect((await getOrg(owner, org)).memberCount).toBe(2)
    await expectConsistent(owner, org)
  })
})

describe('decisions', () => {
  test('of 50 simultaneous answers to one invitation, exactly one counts', async () => {
    const org = await createOrg(owner)
    const [item] = await invite(owner, org, crowd[0]!)
    const replies = await race(50, (i) => respond(crowd[0]!, item!.invitationId!, i % 2 === 0))
    expect(countByStatus(replies)).toEqual({ 200: 1, 400: 49 })
    const accepted = replies.find((r) => r.status === 200)!.data.status === 'ACCEPTED'
    expect((await getOrg(owner, org)).memberCount).toBe(accepted ? 2 : 1)
    await expectConsistent(owner, org)
  })

  test('of 50 simultaneous decisions on one join request, exactly one counts', async () => {
    const org = await createOrg(owner)
    ok(await apply(crowd[1]!, org))
    const replies = await race(50, (i) =>
      owner.call('orgs.approve', { params: { id: org.id }, body: { userId: crowd[1]!.id, approve: i % 2 === 0 } }),
    )
    expect(countByStatus(replies)).toEqual({ 200: 1, 404: 49 })
    const approved = replies.findIndex((r) => r.status === 200) % 2 === 0
    expect((await getOrg(owner, org)).memberCount).toBe(approved ? 2 : 1)
    await expectConsistent(owner, org)
  })

  test('50 simultaneous invitations of one user make one open invitation', async () => {
    const org = await createOrg(owner)
    const results = await race(50, () => invite(owner, org, crowd[2]!))
    expect(results.filter(([item]) => item!.status === 'INVITED')).toHaveLength(1)
    const { items } = ok(await crowd[2]!.call('orgs.myInvitations')).data
    expect(items.filter((invitation) => invitation.orgId === org.id)).toHaveLength(1)
  })

  test('when an invitation is accepted and withdrawn at once, exactly one of the two succeeds', async () => {
    for (let round = 0; round < 10; round++) {
      const org = await createOrg(owner)
      const person = crowd[round]!
      const [item] = await invite(owner, org, person)
      const invitationId = item!.invitationId!
      const [accepted, cancelled] = await Promise.all([
        respond(person, invitationId, true),
        owner.call('orgs.cancelInvitation', { params: { id: org.id, invitationId } }),
      ])
      expect([accepted.status, cancelled.status].toSorted()).toEqual([200, 400])
      expect((await getOrg(owner, org)).memberCount).toBe(accepted.status === 200 ? 2 : 1)
    }
  })
})

describe('membership', () => {
  test('a user who joins while their account is being deleted does not stay a member', async () => {
    for (let round = 0; round < 12; round++) {
      const org = await createOrg(owner, { joinPolicy: 'FREE' })
      const person = await server.person()
      const calls: (() => Promise<Reply>)[] = [() => deleteAccount(person), () => apply(person, org)]
      if (round % 2 === 0) calls.reverse()
      const replies = await Promise.all(calls.map((call) => call()))
      expect((round % 2 ? replies : replies.toReversed())[0]!.status).toBe(200)
      expect(replies.every((r) => r.status < 500)).toBe(true)
      await expectConsistent(owner, org)
      expect((await getOrg(owner, org)).memberCount).toBe(1)
    }
  })

  test('dissolving an organization while 50 users join leaves no membership behind', async () => {
    const org = await createOrg(owner, { joinPolicy: 'FREE' })
    const replies = await race(51, (i): Promise<Reply> =>
      i === 20
        ? owner.call('orgs.dissolve', { params: { id: org.id }, query: { force: true } })
        : joinByCode(crowd[i > 20 ? i - 1 : i]!, org.code),
    )
    expect(replies[20]!.status).toBe(200)
    expect(replies.every((r) => r.status === 200 || r.status === 404)).toBe(true)
    for (const person of crowd) {
      const { items } = ok(await person.call('orgs.list', { query: { size: 100 } })).data
      expect(items.some((item) => item.id === org.id)).toBe(false)
      expect((await person.get(`/api/orgs/${org.id}/members`)).status).toBe(403)
    }
  })
})
