/** Fifty requests at once on one activity, or for the last place of a quota. */

import { afterEach, describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, race, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createActivity, getActivity, minimal } from './helpers.ts'

const { server, alice, owner } = useServer({ people: ['alice', 'owner'] })

/** The number of replies of each status. */
const counted = (replies: readonly { status: number }[]) =>
  Object.fromEntries(
    Map.groupBy(replies, ({ status }) => status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  )

describe('fifty requests at once', () => {
  test('all succeed in publishing a draft, which changes once', async () => {
    const { id, version } = await createActivity(alice)
    const replies = await race(50, () => alice.patch(`/api/activities/${id}/status`, { status: 'ACTIVE' }))
    expect(counted(replies)).toEqual({ 200: 50 })
    expect(await getActivity(alice, id)).toMatchObject({ status: 'ACTIVE', version: version + 1 })
  })

  test('either end or cancel an activity, once, and the others change nothing', async () => {
    const { id, version } = await createActivity(alice, { status: 'ACTIVE' })
    const to = (i: number) => (i % 2 === 0 ? 'ENDED' : 'CANCELLED')
    const replies = await race(50, (i) => alice.patch(`/api/activities/${id}/status`, { status: to(i) }))
    const { status, version: after } = await getActivity(alice, id)
    expect(after).toBe(version + 1)
    for (const [i, reply] of replies.entries()) expect(reply.status).toBe(to(i) === status ? 200 : 400)
  })

  test('lose no accepted edit of an activity that is being ended, and edit nothing after its end', async () => {
    const { id, version } = await createActivity(alice, { status: 'ACTIVE' })
    const replies = await race(50, (i) =>
      i === 25
        ? alice.patch(`/api/activities/${id}/status`, { status: 'ENDED' })
        : alice.put(`/api/activities/${id}`, { name: `name ${i}` }),
    )
    const changed = replies.filter((reply) => reply.status === 200)
    expect(new Set(replies.map((reply) => reply.status)).difference(new Set([200, 400])).size).toBe(0)
    const last = changed.toSorted((a, b) => a.data.version - b.data.version).at(-1)!
    expect(await getActivity(alice, id)).toEqual({ ...last.data, status: 'ENDED' })
    expect(new Set(changed.map((reply) => reply.data.version)).size).toBe(changed.length)
    expect(last.data.version).toBe(version + changed.length)
  })

  test('reset the invite code to a different code each, and the last one is valid', async () => {
    const { id } = await createActivity(alice)
    const replies = await race(50, () => alice.patch(`/api/activities/${id}/invite-code`))
    expect(new Set(replies.map((reply) => ok(reply).data.inviteCode)).size).toBe(50)
    const last = replies.toSorted((a, b) => a.data.version - b.data.version).at(-1)!
    expect((await getActivity(alice, id)).inviteCode).toBe(last.data.inviteCode)
  })

  test('delete a draft once, and the others get 404', async () => {
    const { id } = await createActivity(alice)
    expect(counted(await race(50, () => alice.delete(`/api/activities/${id}`)))).toEqual({ 200: 1, 404: 49 })
  })

  test('leave a draft either published or deleted', async () => {
    const { id } = await createActivity(alice)
    const replies = await race(50, (i) =>
      i % 2 === 0
        ? alice.delete(`/api/activities/${id}`)
        : alice.patch(`/api/activities/${id}/status`, { status: 'ACTIVE' }),
    )
    const isDeleted = (await alice.get(`/api/activities/${id}`)).status === 404
    const deletions = replies.filter((_, i) => i % 2 === 0)
    expect(counted(deletions)).toEqual(isDeleted ? { 200: 1, 404: 24 } : { 400: 25 })
  })
})

describe.if(inProcess)('quota.activities', () => {
  const quota = (limit: number) => server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.activities', limit))
  afterEach(() => quota(10_000))

  for (const kind of ['user', 'organization'] as const)
    test(`lets exactly 5 of 50 concurrent requests create an activity of one ${kind} if it is 5, and answers 4022 to the others`, async () => {
      const orgId = kind === 'user' ? null : (await createOrg(owner)).id
      const person = kind === 'user' ? await server.person() : owner
      await quota(5)
      const replies = await race(50, () => person.post('/api/activities', { ...minimal, orgId }))
      expect(counted(replies)).toEqual({ 200: 5, 429: 45 })
      for (const reply of replies.filter(({ status }) => status === 429)) {
        expect(reply.code).toBe(4022)
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      const list = async () => ok(await person.get('/api/activities', { orgId: orgId ?? '' })).data
      const { total, items } = await list()
      expect(total).toBe(5)
      // Deleted activities do not count.
      ok(await person.delete(`/api/activities/${items[0].id}`))
      ok(await person.post('/api/activities', { ...minimal, orgId }))
      expect((await person.post('/api/activities', { ...minimal, orgId })).status).toBe(429)
      expect((await list()).total).toBe(5)
      const quotas = ok(await person.get('/api/auth/quotas', { orgId: orgId ?? '' })).data
      expect(quotas.activities).toEqual({ used: 5, limit: 5 })
    })
})

describe('the budget of new activities', () => {
  const { bob, carol } = useServer({ people: ['bob', 'carol'], rateLimit: true })

  test('refuses a user who created 500 in an hour, also if all of them were deleted', async () => {
    const replies: { status: number }[] = []
    for (let i = 0; i < 510; i += 30) replies.push(...(await race(30, () => bob.post('/api/activities', minimal))))
    expect(counted(replies)).toEqual({ 200: 500, 429: 10 })
    expect((await carol.post('/api/activities', minimal)).status).toBe(200)
  })
})
