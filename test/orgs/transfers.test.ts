/** Handing an organization over: the owner offers it, and the member becomes the owner by accepting. */

import { describe, expect, test } from 'bun:test'

import { createRole } from '#domains/access/index.ts'
import { DAY } from '#platform/clock.ts'

import { inProcess, type Person, race, type Reply, useServer } from '../harness/index.ts'
import {
  addMembers,
  answerOffer,
  createOrg,
  expectConsistent,
  getOrg,
  leave,
  offerTo,
  ok,
  type Org,
  setRole,
  UNKNOWN_ID,
  withdrawOffer,
} from './helpers.ts'

const { server, owner } = useServer({ people: ['owner'] })

/** An organization whose owner has offered it to `heir`; `member` is another member. */
async function offered(): Promise<{ org: Org; heir: Person; member: Person }> {
  const org = await createOrg(owner)
  const [heir, member] = [await server.person(), await server.person()]
  await addMembers(owner, org, heir, member)
  ok(await offerTo(owner, org, heir))
  return { org, heir, member }
}

const pending = async (user: Person, org: Org) => (await getOrg(user, org)).pendingTransfer
const deleteAccount = (user: Person) => user.post('/api/auth/account/delete')
/** Titles of the notifications of a type, the newest first. */
const titles = async (user: Person, type = 'ORG_TRANSFER'): Promise<string[]> =>
  ok(await user.get('/api/notifications', { type })).data.items.map((item: { title: string }) => item.title)

for (const path of ['transfer', 'transfer-ownership'])
  test(`POST /orgs/:id/${path} is for the owner only and offers the organization, which has one owner all the time`, async () => {
    const org = await createOrg(owner)
    const [heir, stranger] = [await server.person(), await server.person()]
    await addMembers(owner, org, heir)
    const transfer = (user: Person, userId: number) => user.post(`/api/orgs/${org.id}/${path}`, { userId })
    expect((await transfer(heir, heir.id)).status).toBe(403)
    for (const userId of [stranger.id, owner.id, UNKNOWN_ID]) expect((await transfer(owner, userId)).status).toBe(400)
    expect(await pending(owner, org)).toBeNull()

    expect(ok(await transfer(owner, heir.id)).data).toMatchObject({
      isOwner: true,
      ownerId: owner.id,
      roleName: 'Owner',
      pendingTransfer: { userId: heir.id },
    })
    expect(await getOrg(heir, org)).toMatchObject({ isOwner: false, ownerId: owner.id, roleName: 'Member' })

    expect(ok(await answerOffer(heir, org, true)).data).toMatchObject({
      isOwner: true,
      ownerId: heir.id,
      roleName: 'Owner',
      pendingTransfer: null,
    })
    expect(await getOrg(owner, org)).toMatchObject({ isOwner: false, roleName: 'Administrator', pendingTransfer: null })
    expect((await transfer(owner, owner.id)).status).toBe(403)
    expect((await owner.delete(`/api/orgs/${org.id}?force=true`)).status).toBe(403)
    await expectConsistent(heir, org)
    ok(await leave(owner, org))
  })

test('an offer is shown to the owner and the candidate, and to no one else', async () => {
  const { org, heir, member } = await offered()
  for (const user of [owner, heir]) {
    const shown = await pending(user, org)
    expect(shown!.userId).toBe(heir.id)
    expect(shown!.expiresAt - shown!.createdAt).toBeGreaterThan(6.9 * DAY)
    const { items } = ok(await user.call('orgs.list', { query: { size: 100 } })).data
    expect(items.find((item) => item.id === org.id)!.pendingTransfer).toEqual(shown)
  }
  expect(await pending(member, org)).toBeNull()
  expect(ok(await member.call('orgs.list')).data.items[0]!.pendingTransfer).toBeNull()
  expect(await pending(await server.person(), org)).toBeNull()
})

test('an offer to a user does not keep them from deleting their account, which ends the offer', async () => {
  const { org, heir, member } = await offered()
  ok(await deleteAccount(heir))
  expect(await pending(owner, org)).toBeNull()
  ok(await offerTo(owner, org, member))
  await expectConsistent(owner, org)
})

test('only the candidate can answer an offer', async () => {
  const { org, heir, member } = await offered()
  for (const user of [owner, member, await server.person()])
    for (const accept of [true, false]) expect((await answerOffer(user, org, accept)).status).toBe(404)
  expect((await answerOffer(heir, await createOrg(owner), true)).status).toBe(404)
  expect((await getOrg(owner, org)).isOwner).toBe(true)
  expect(await pending(heir, org)).not.toBeNull()
})

test('a member who declines changes nothing, and the owner can then offer the organization to another member', async () => {
  const { org, heir, member } = await offered()
  expect(ok(await answerOffer(heir, org, false)).data).toMatchObject({ isOwner: false, pendingTransfer: null })
  expect((await answerOffer(heir, org, true)).status).toBe(404)
  expect(await getOrg(owner, org)).toMatchObject({ isOwner: true, pendingTransfer: null })
  ok(await offerTo(owner, org, member))
})

test('an offer that the owner withdrew cannot be accepted', async () => {
  const { org, heir, member } = await offered()
  for (const user of [heir, member]) expect((await withdrawOffer(user, org)).status).toBe(403)
  ok(await withdrawOffer(owner, org))
  expect((await withdrawOffer(owner, org)).status).toBe(404)
  expect((await answerOffer(heir, org, true)).status).toBe(404)
  expect(await getOrg(owner, org)).toMatchObject({ isOwner: true, pendingTransfer: null })
})

test('an organization has one open offer: repeating it changes nothing, and another one is answered with 400', async () => {
  const { org, heir, member } = await offered()
  const before = await pending(owner, org)
  ok(await offerTo(owner, org, heir))
  expect((await offerTo(owner, org, member)).status).toBe(400)
  expect(await pending(owner, org)).toEqual(before)
  expect(await titles(heir)).toHaveLength(1)
  expect(await titles(member)).toEqual([])
})

test.if(inProcess)('an offer expires after 7 days', async () => {
  const { org, heir, member } = await offered()
  server.clock.advance(7 * DAY)
  // The access tokens have expired with it.
  for (const user of [owner, heir, member])
    user.token = ok(
      await server.request('POST', '/api/auth/refresh', {
        deviceId: user.deviceId,
        body: { refreshToken: user.refreshToken },
      }),
    ).data.accessToken
  for (const user of [owner, heir]) expect(await pending(user, org)).toBeNull()
  expect((await answerOffer(heir, org, true)).status).toBe(400)
  expect((await withdrawOffer(owner, org)).status).toBe(404)
  ok(await offerTo(owner, org, member))
  expect((await answerOffer(heir, org, true)).status).toBe(404)
  ok(await answerOffer(member, org, true))
})

describe('an offer ends', () => {
  const endings: [string, (org: Org, heir: Person) => Promise<Reply>][] = [
    ['when the candidate leaves', (org, heir) => leave(heir, org)],
    [
      'when the candidate is removed',
      (org, heir) => owner.call('orgs.removeMember', { params: { orgId: org.id, userId: heir.id } }),
    ],
  ]
  for (const [when, end] of endings)
    test(`an offer ends ${when}, also for a candidate who becomes a member again`, async () => {
      const { org, heir } = await offered()
      ok(await end(org, heir))
      expect(await pending(owner, org)).toBeNull()
      await addMembers(owner, org, heir)
      expect(await pending(heir, org)).toBeNull()
      expect((await answerOffer(heir, org, true)).status).toBe(404)
    })

  test('an offer ends when the organization is dissolved', async () => {
    const { org, heir } = await offered()
    ok(await owner.call('orgs.dissolve', { params: { id: org.id }, query: { force: true } }))
    expect((await answerOffer(heir, org, true)).status).toBe(404)
  })
})

test('both sides of a transfer are notified of every step, in English and Chinese', async () => {
  const { org, heir } = await offered()
  const [title] = await titles(heir)
  expect(title).toBe(`You are offered ${org.name}`)
  const chinese = await heir.send('GET', '/api/notifications', { headers: { 'accept-language': 'zh-CN' } })
  expect(chinese.data.items[0]).toMatchObject({
    title: `${org.name} 拟转让给你`,
    data: { orgId: org.id, event: 'OFFERED', userId: heir.id, expiresAt: expect.any(Number) },
  })
  ok(await withdrawOffer(owner, org))
  expect(await titles(heir)).toEqual([`The offer of ${org.name} was withdrawn`])
  ok(await offerTo(owner, org, heir))
  ok(await answerOffer(heir, org, false))
  expect((await titles(owner))[0]).toBe(`Your offer of ${org.name} was declined`)
  ok(await offerTo(owner, org, heir))
  ok(await answerOffer(heir, org, true))
  expect((await titles(owner))[0]).toBe(`${org.name} has a new owner`)
  // The four offers and the withdrawal were one matter.
  expect(await titles(heir)).toEqual([`You are the owner of ${org.name}`, `You are offered ${org.name}`])
})

test('a removed member is notified, and a member who leaves is not', async () => {
  const { org, heir, member } = await offered()
  ok(await owner.call('orgs.removeMember', { params: { orgId: org.id, userId: member.id } }))
  expect(await titles(member, 'ORG_REMOVED')).toEqual([`You were removed from ${org.name}`])
  ok(await leave(heir, org))
  expect(await titles(heir, 'ORG_REMOVED')).toEqual([])
})

test.if(inProcess)('a custom role with org:transfer and org:delete can neither transfer nor dissolve', async () => {
  const { org, heir: thief } = await offered()
  const { ctx } = server
  const points = ['org:read', 'org:transfer', 'org:delete']
  await ctx.db.write('test', (tx) =>
    createRole(tx, { domain: 'ORG', scopeId: org.id, code: 'THIEF', name: 'Thief', points }),
  )
  await setRole(owner, org, thief, 'THIEF')
  expect((await offerTo(thief, org, thief)).status).toBe(403)
  expect((await withdrawOffer(thief, org)).status).toBe(403)
  expect((await thief.delete(`/api/orgs/${org.id}?force=true`)).status).toBe(403)
  await expectConsistent(owner, org)
})

describe('at the same moment', () => {
  const countByStatus = (replies: Reply[]): Record<number, number> => {
    const counts: Record<number, number> = {}
    for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }

  test('of 20 simultaneous offers to different members, exactly one is made', async () => {
    const org = await createOrg(owner)
    const crowd = await race(20, () => server.person())
    await addMembers(owner, org, ...crowd)
    const replies = await race(20, (i) => offerTo(owner, org, crowd[i]!))
    expect(countByStatus(replies)).toEqual({ 200: 1, 400: 19 })
    const heir = crowd[replies.findIndex((reply) => reply.status === 200)]!
    expect((await pending(owner, org))!.userId).toBe(heir.id)
    const told = await Promise.all(crowd.map((user) => titles(user)))
    expect(told.flat()).toHaveLength(1)
  })

  test('of 50 simultaneous answers to one offer, exactly one counts', async () => {
    const { org, heir } = await offered()
    const replies = await race(50, (i) => answerOffer(heir, org, i % 2 === 0))
    expect(countByStatus(replies)).toEqual({ 200: 1, 404: 49 })
    const accepted = replies.findIndex((reply) => reply.status === 200) % 2 === 0
    expect((await getOrg(heir, org)).isOwner).toBe(accepted)
    await expectConsistent(owner, org)
    expect((await titles(owner)).filter((title) => title.includes(org.name))).toHaveLength(1)
  })

  /** Both orders in turn: SQLite runs writes in the order of the requests. */
  async function rival(round: number, accept: () => Promise<Reply>, other: () => Promise<Reply>): Promise<Reply[]> {
    const calls = round % 2 ? [accept, other] : [other, accept]
    const replies = await Promise.all(calls.map((call) => call()))
    return round % 2 ? replies : replies.toReversed()
  }

  test('an offer that is accepted and withdrawn at once is either accepted or withdrawn', async () => {
    for (let round = 0; round < 6; round++) {
      const { org, heir } = await offered()
      const [accepted, withdrawn] = await rival(
        round,
        () => answerOffer(heir, org, true),
        () => withdrawOffer(owner, org),
      )
      expect(accepted!.status === 200).toBe(withdrawn!.status !== 200)
      // The former owner may have lost the permission, or the offer may be gone.
      expect([200, 403, 404]).toContain(withdrawn!.status)
      expect([200, 404]).toContain(accepted!.status)
      expect((await getOrg(heir, org)).isOwner).toBe(accepted!.status === 200)
      await expectConsistent(owner, org)
    }
  })

  test('a candidate who accepts while leaving or being removed is either the owner or no member', async () => {
    for (let round = 0; round < 8; round++) {
      const { org, heir, member: deputy } = await offered()
      await setRole(owner, org, deputy, 'ADMIN')
      const end =
        round % 4 < 2
          ? () => leave(heir, org)
          : () => deputy.call('orgs.removeMember', { params: { orgId: org.id, userId: heir.id } })
      const [accepted, ended] = await rival(round, () => answerOffer(heir, org, true), end)
      expect(accepted!.status === 200).toBe(ended!.status !== 200)
      expect([accepted!.status, ended!.status].every((status) => status < 500)).toBe(true)
      expect((await getOrg(deputy, org)).ownerId).toBe(accepted!.status === 200 ? heir.id : owner.id)
      expect((await getOrg(deputy, org)).memberCount).toBe(accepted!.status === 200 ? 3 : 2)
      await expectConsistent(deputy, org)
    }
  })

  test('a candidate who accepts while deleting the account either is the owner or has no account', async () => {
    for (let round = 0; round < 8; round++) {
      const { org, heir } = await offered()
      const [accepted, deleted] = await rival(
        round,
        () => answerOffer(heir, org, true),
        () => deleteAccount(heir),
      )
      expect(accepted!.status === 200).toBe(deleted!.status !== 200)
      expect([accepted!.status, deleted!.status].every((status) => status < 500)).toBe(true)
      await expectConsistent(accepted!.status === 200 ? heir : owner, org)
    }
  })

  test('an organization that is dissolved while the candidate accepts either is gone or has a new owner', async () => {
    for (let round = 0; round < 4; round++) {
      const { org, heir, member } = await offered()
      const [accepted, dissolved] = await rival(
        round,
        () => answerOffer(heir, org, true),
        () => owner.call('orgs.dissolve', { params: { id: org.id }, query: { force: true } }),
      )
      expect(accepted!.status === 200).toBe(dissolved!.status !== 200)
      expect([accepted!.status, dissolved!.status].every((status) => status < 500)).toBe(true)
      expect((await member.get(`/api/orgs/${org.id}`)).status).toBe(accepted!.status === 200 ? 200 : 404)
      if (accepted!.status === 200) await expectConsistent(heir, org)
    }
  })

  test('role changes of the candidate while they accept never leave two owners or none', async () => {
    const { org, heir, member: deputy } = await offered()
    await setRole(owner, org, deputy, 'ADMIN')
    await race(50, (i): Promise<Reply> =>
      i === 25
        ? answerOffer(heir, org, true)
        : deputy.call('orgs.changeMember', {
            params: { orgId: org.id, userId: heir.id },
            body: { roleCode: i % 2 ? 'GUEST' : 'MEMBER' },
          }),
    )
    expect((await getOrg(heir, org)).isOwner).toBe(true)
    await expectConsistent(deputy, org)
  })
})
