/** Covers: their addresses, and the visibility of their files. */

import { expect, test } from 'bun:test'

import type { ActivityView } from '#domains/activities/register/register.model.ts'

import { jpeg, pathOf, png, uploaded } from '../files/helpers.ts'
import { ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createActivity, getActivity, setStatus, update } from './helpers.ts'

const { server, alice, bob, owner, member } = useServer({ people: ['alice', 'bob', 'owner', 'member'] })

const cover = async (person: Person, more: object = {}) =>
  (await uploaded(person, png(), { type: 'activity', ...more }, 'cover.png')).id
const statusOf = async (url: string | null) => (await server.request('GET', pathOf(url!))).status
const contentOf = async (person: Person, fileId: number) => (await person.get(`/api/files/${fileId}/content`)).status

const PUBLIC = /^http:\/\/[^/]+\/public\/images\/[0-9A-Za-z]{22}$/
const SIGNED = /\/api\/files\/\d+\/content\?.*signature=/

test('the cover is public while the activity is PUBLIC and not a DRAFT, and otherwise has a signed URL', async () => {
  const coverFileId = await cover(alice)
  const draft = await createActivity(alice, { coverFileId, visibility: 'PUBLIC' })
  expect(draft.coverFileId).toBe(coverFileId)
  expect(draft.coverUrl).toMatch(SIGNED)
  expect(await statusOf(draft.coverUrl)).toBe(200)
  const active = await setStatus(alice, draft.id, 'ACTIVE')
  expect(active.coverUrl).toMatch(PUBLIC)
  const image = await server.request('GET', pathOf(active.coverUrl!))
  expect([image.status, image.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
  // Other changes keep the address.
  expect(ok(await update(alice, draft.id, { name: 'new', coverFileId })).data.coverUrl).toBe(active.coverUrl)
  const hidden = ok(await update(alice, draft.id, { visibility: 'INVITE_ONLY' })).data
  expect(hidden.coverUrl).toMatch(SIGNED)
  expect([await statusOf(active.coverUrl), await statusOf(hidden.coverUrl)]).toEqual([404, 200])
  const shown = ok(await update(alice, draft.id, { visibility: 'PUBLIC' })).data
  expect(shown.coverUrl).toMatch(PUBLIC)
  // An address that was public once is never public again.
  expect(shown.coverUrl).not.toBe(active.coverUrl)
  expect(await statusOf(active.coverUrl)).toBe(404)
  const ended = await setStatus(alice, draft.id, 'ENDED')
  expect(ended.coverUrl).toBe(shown.coverUrl)
  expect(await getActivity(alice, draft.id)).toEqual(ended)
})

test('a cover that is replaced, cleared, or deleted with its activity is deleted, with its addresses', async () => {
  const [first, second] = [await cover(alice), await cover(alice)]
  const open = { visibility: 'PUBLIC', status: 'ACTIVE' } as const
  const activity = await createActivity(alice, { coverFileId: first, ...open })
  const replaced = ok(await update(alice, activity.id, { coverFileId: second })).data
  expect(replaced.coverUrl).toMatch(PUBLIC)
  expect(replaced.coverUrl).not.toBe(activity.coverUrl)
  expect([await statusOf(activity.coverUrl), await contentOf(alice, first)]).toEqual([404, 404])
  const cleared = ok(await update(alice, activity.id, { coverFileId: null })).data
  expect([cleared.coverFileId, cleared.coverUrl]).toEqual([null, null])
  expect([await statusOf(replaced.coverUrl), await contentOf(alice, second)]).toEqual([404, 404])
  const third = await cover(alice)
  const last = ok(await update(alice, activity.id, { coverFileId: third })).data
  await setStatus(alice, activity.id, 'CANCELLED')
  ok(await alice.delete(`/api/activities/${activity.id}`))
  expect([await statusOf(last.coverUrl), await contentOf(alice, third)]).toEqual([404, 404])
})

test('a cover must be an unused upload of the caller, of type activity and for the same owner', async () => {
  const org = await createOrg(owner)
  const used = await cover(owner)
  await createActivity(owner, { coverFileId: used })
  const activity = await createActivity(owner)
  const shared = await createActivity(owner, { orgId: org.id })
  const refused = async ({ id }: ActivityView, coverFileId: number) => {
    const { status, details } = await update(owner, id, { coverFileId })
    expect([status, details?.[0]?.path]).toEqual([400, 'body.coverFileId'])
  }
  await refused(activity, used)
  await refused(activity, await cover(bob))
  await refused(activity, (await uploaded(owner, png(), { type: 'album' })).id)
  await refused(activity, await cover(owner, { orgId: org.id }))
  await refused(shared, await cover(owner))
  expect((await getActivity(owner, activity.id)).coverFileId).toBeNull()
  ok(await update(owner, shared.id, { coverFileId: await cover(owner, { orgId: org.id }) }))
  const inUse = await owner.delete(`/api/files/${used}`)
  expect([inUse.status, await contentOf(owner, used)]).toEqual([400, 200])
})

test('the file of a cover is visible to those who see the activity without a code', async () => {
  const org = await createOrg(owner)
  await addMembers(owner, org, member)
  const orgId = org.id
  const fileOf = async (fields: Parameters<typeof createActivity>[1]) => {
    const coverFileId = await cover(owner, { orgId })
    await createActivity(owner, { orgId, coverFileId, ...fields })
    return coverFileId
  }
  for (const [fields, ...expected] of [
    [{ visibility: 'PUBLIC' }, 200, 404, 404],
    [{ visibility: 'PUBLIC', status: 'ACTIVE' }, 200, 200, 200],
    [{ visibility: 'RESTRICTED', status: 'ACTIVE' }, 200, 200, 404],
    [{ visibility: 'INVITE_ONLY', status: 'ACTIVE' }, 200, 404, 404],
  ] as const) {
    const file = await fileOf(fields)
    const statuses = await Promise.all([owner, member, bob].map((person) => contentOf(person, file)))
    expect([fields, ...statuses]).toEqual([fields, ...expected])
  }
})

test('of fifty activities that take one upload as their cover at once, one gets it', async () => {
  const coverFileId = await cover(alice)
  const made = await race(50, () => createActivity(alice))
  const replies = await race(50, (i) => update(alice, made[i]!.id, { coverFileId }))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(49).fill(400)])
  const after = await race(50, (i) => getActivity(alice, made[i]!.id))
  expect(after.filter((activity) => activity.coverFileId === coverFileId)).toHaveLength(1)
})

test('an activity whose cover is refused is not created', async () => {
  const user = await server.person()
  const photo = (await uploaded(user, await jpeg(), { type: 'album' })).id
  const body = { name: 'x', startTime: 1, endTime: 2, coverFileId: photo }
  expect((await user.post('/api/activities', body)).status).toBe(400)
  expect(ok(await user.get('/api/activities')).data.total).toBe(0)
})
