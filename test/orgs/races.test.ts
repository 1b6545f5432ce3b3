/** Many at once: always one owner, exact counts, one winner. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { type Person, race, type Reply, startServer, type TestServer } from '../harness/index.ts'
import { enrol, expectSound, found, look, members, ok, promote } from './helpers.ts'

let server: TestServer
let owner: Person
let crowd: Person[]

beforeAll(async () => {
  server = await startServer()
  owner = await server.person('owner')
  crowd = await race(50, () => server.person())
}, 120_000)
afterAll(() => server.stop())

const statuses = (replies: Reply[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const reply of replies) counts[reply.status] = (counts[reply.status] ?? 0) + 1
  return counts
}

describe('the member limit', () => {
  test('50 join by code where 10 have room: exactly 10 are members', async () => {
    const org = await found(owner, { joinPolicy: 'FREE', memberLimit: 11 })
    const replies = await race(50, (i) => crowd[i]!.post('/api/orgs/join-by-code', { code: org.code }))
    expect(statuses(replies)).toEqual({ 200: 10, 400: 40 })
    expect((await look(owner, org)).memberCount).toBe(11)
    await expectSound(owner, org)
    for (const [i, reply] of replies.entries())
      expect((await crowd[i]!.get(`/api/orgs/${org.id}/qrcode`)).status).toBe(reply.status === 200 ? 200 : 403)
  })

  test('50 accept invitations where 10 have room', async () => {
    const org = await found(owner, { visibility: 'INTERNAL', memberLimit: 11 })
    const { items } = ok(await owner.post(`/api/orgs/${org.id}/invite`, { userIds: crowd.map((p) => p.id) })).data
    const replies = await race(50, (i) =>
      crowd[i]!.post('/api/orgs/invitation/respond', { invitationId: items[i].invitationId, accept: true }),
    )
    expect(statuses(replies)).toEqual({ 200: 10, 400: 40 })
    await expectSound(owner, org)
    expect(ok(await owner.get(`/api/orgs/${org.id}/invitations`, { status: 'PENDING' })).data.total).toBe(40)
  })

  test('one person joins 50 times at once: one membership', async () => {
    const org = await found(owner, { joinPolicy: 'FREE' })
    const replies = await race(50, () => crowd[0]!.post(`/api/orgs/${org.id}/apply`))
    expect(statuses(replies)).toEqual({ 200: 1, 400: 49 })
    expect((await look(owner, org)).memberCount).toBe(2)
    await expectSound(owner, org)
  })
})

describe('one decision', () => {
  test('50 answers to one invitation', async () => {
    const org = await found(owner)
    const { items } = ok(await owner.post(`/api/orgs/${org.id}/invite`, { userIds: [crowd[0]!.id] })).data
    const answer = (accept: boolean) => ({ invitationId: items[0].invitationId, accept })
    const replies = await race(50, (i) => crowd[0]!.post('/api/orgs/invitation/respond', answer(i % 2 === 0)))
    expect(statuses(replies)).toEqual({ 200: 1, 400: 49 })
    const accepted = replies.find((r) => r.status === 200)!.data.status === 'ACCEPTED'
    expect((await look(owner, org)).memberCount).toBe(accepted ? 2 : 1)
    await expectSound(owner, org)
  })

  test('50 decisions on one request', async () => {
    const org = await found(owner)
    ok(await crowd[1]!.post(`/api/orgs/${org.id}/apply`))
    const body = (approve: boolean) => ({ userId: crowd[1]!.id, approve })
    const replies = await race(50, (i) => owner.post(`/api/orgs/${org.id}/approve`, body(i % 2 === 0)))
    expect(statuses(replies)).toEqual({ 200: 1, 404: 49 })
    const approved = replies.findIndex((r) => r.status === 200) % 2 === 0
    expect((await look(owner, org)).memberCount).toBe(approved ? 2 : 1)
    await expectSound(owner, org)
  })

  test('50 invitations of one person: one is open', async () => {
    const org = await found(owner)
    const replies = await race(50, () => owner.post(`/api/orgs/${org.id}/invite`, { userIds: [crowd[2]!.id] }))
    const answers = replies.map((r) => ok(r).data.items[0].status)
    expect(answers.filter((a: string) => a === 'INVITED')).toHaveLength(1)
    expect(
      ok(await crowd[2]!.get('/api/orgs/my-invitations')).data.items.filter(
        (i: { orgId: number }) => i.orgId === org.id,
      ),
    ).toHaveLength(1)
  })

  test('acceptance against withdrawal: member and ACCEPTED, or neither', async () => {
    for (let round = 0; round < 10; round++) {
      const org = await found(owner)
      const person = crowd[round]!
      const { items } = ok(await owner.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] })).data
      const id = items[0].invitationId
      const [accepted, cancelled] = await Promise.all([
        person.post('/api/orgs/invitation/respond', { invitationId: id, accept: true }),
        owner.post(`/api/orgs/${org.id}/invitations/${id}/cancel`),
      ])
      expect([accepted.status, cancelled.status].toSorted()).toEqual([200, 400])
      expect((await look(owner, org)).memberCount).toBe(accepted.status === 200 ? 2 : 1)
    }
  })
})

describe('one owner', () => {
  test('50 transfers to different members at once', async () => {
    const org = await found(owner)
    await enrol(owner, org, ...crowd)
    const replies = await race(50, (i) => owner.post(`/api/orgs/${org.id}/transfer`, { userId: crowd[i]!.id }))
    expect(statuses(replies)).toEqual({ 200: 1, 403: 49 })
    const heir = crowd[replies.findIndex((r) => r.status === 200)]!
    expect((await look(heir, org))['isOwner']).toBe(true)
    expect(await look(owner, org)).toMatchObject({ ownerId: heir.id, isOwner: false, roleName: 'Administrator' })
    await expectSound(owner, org)
  })

  test('transfer against the heir leaving, being removed, and the owner leaving', async () => {
    for (let round = 0; round < 12; round++) {
      const org = await found(owner)
      const [heir, admin] = [crowd[round]!, crowd[round + 20]!]
      await enrol(owner, org, heir, admin)
      await promote(owner, org, admin, 'ADMIN')
      const transfer = () => owner.post(`/api/orgs/${org.id}/transfer`, { userId: heir.id })
      const rivals = [
        () => heir.post(`/api/orgs/${org.id}/leave`),
        () => admin.delete(`/api/orgs/${org.id}/members/${heir.id}`),
        () => owner.post(`/api/orgs/${org.id}/leave`),
      ]
      const calls = [transfer, rivals[round % 3]!]
      if (round % 2) calls.reverse()
      const replies = await Promise.all(calls.map((call) => call()))
      expect(replies.every((r) => r.status < 500)).toBe(true)
      await expectSound(admin, org)
      const now = await members(admin, org)
      expect(now.find((m) => m.isOwner)).toBeDefined()
      expect((await look(admin, org))['ownerId']).toBe(now.find((m) => m.isOwner)!.userId)
    }
  })

  test('role changes against transfer never leave two owners or none', async () => {
    const org = await found(owner)
    const [heir, admin] = [crowd[0]!, crowd[1]!]
    await enrol(owner, org, heir, admin)
    await promote(owner, org, admin, 'ADMIN')
    await race(50, (i) =>
      i === 25
        ? owner.post(`/api/orgs/${org.id}/transfer`, { userId: heir.id })
        : admin.put(`/api/orgs/${org.id}/members/${heir.id}`, { roleCode: i % 2 ? 'GUEST' : 'MEMBER' }),
    )
    await expectSound(admin, org)
  })

  test('transfer against the deletion of the heir’s account', async () => {
    for (let round = 0; round < 12; round++) {
      const org = await found(owner)
      const heir = await server.person()
      await enrol(owner, org, heir)
      const end = () => heir.post('/api/auth/account/delete')
      const transfer = () => owner.post(`/api/orgs/${org.id}/transfer`, { userId: heir.id })
      const replies = await Promise.all(round % 2 ? [end(), transfer()] : [transfer(), end()])
      const [ended, handed] = round % 2 ? replies : replies.toReversed()
      expect([ended!.status, handed!.status].toSorted()).toEqual([200, 400])
      await expectSound(ended!.status === 200 ? owner : heir, org)
      expect((await look(owner, org)).memberCount).toBe(ended!.status === 200 ? 1 : 2)
    }
  })

  test('joining against the deletion of the account: the dead are members of nothing', async () => {
    for (let round = 0; round < 12; round++) {
      const org = await found(owner, { joinPolicy: 'FREE' })
      const person = await server.person()
      const join = () => person.post(`/api/orgs/${org.id}/apply`)
      const end = () => person.post('/api/auth/account/delete')
      const replies = await Promise.all(round % 2 ? [end(), join()] : [join(), end()])
      expect((round % 2 ? replies : replies.toReversed())[0]!.status).toBe(200)
      expect(replies.every((r) => r.status < 500)).toBe(true)
      await expectSound(owner, org)
      expect((await look(owner, org)).memberCount).toBe(1)
    }
  })

  test('dissolving against 50 joins: nobody is a member of nothing', async () => {
    const org = await found(owner, { joinPolicy: 'FREE' })
    const replies = await race(51, (i) =>
      i === 20
        ? owner.delete(`/api/orgs/${org.id}?force=true`)
        : crowd[i > 20 ? i - 1 : i]!.post('/api/orgs/join-by-code', { code: org.code }),
    )
    expect(replies[20]!.status).toBe(200)
    expect(replies.every((r) => r.status === 200 || r.status === 404)).toBe(true)
    for (const person of crowd) {
      const { items } = ok(await person.get('/api/orgs', { size: 100 })).data
      expect(items.some((o: { id: number }) => o.id === org.id)).toBe(false)
      expect((await person.get(`/api/orgs/${org.id}/members`)).status).toBe(403)
    }
  })
})
