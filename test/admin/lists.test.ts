/** The rules that all lists of the console share. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { checkIn, openActivity } from '../activities/check-in-helpers.ts'
import { issueOne } from '../activities/gate-helpers.ts'
import { withPasses } from '../activities/pass-helpers.ts'
import { createAsset } from '../assets/helpers.ts'
import { png, uploaded } from '../files/helpers.ts'
import { ok, type Reply, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

/** Lists that are ordered by time, and the field with that time. */
const LISTS = {
  activities: 'createdAt',
  albums: 'createdAt',
  'asset-categories': 'createdAt',
  assets: 'createdAt',
  'auth/link/list': 'createdAt',
  'auth/sessions': 'createdAt',
  categories: 'createdAt',
  'check-in': 'checkedInAt',
  files: 'createdAt',
  'login-records': 'createdAt',
  notifications: 'createdAt',
  orgs: 'createdAt',
  passes: 'createdAt',
  'qr-codes': 'createdAt',
  'scan-records': 'createdAt',
  shares: 'createdAt',
  users: 'createdAt',
} as const

const list = (name: string, query = {}): Promise<Reply> => admin.get(`/api/admin/${name}`, { size: 100, ...query })

beforeAll(async () => {
  const org = await createOrg(alice)
  await createOrg(bob)
  const activity = await openActivity(server, alice)
  const gated = await withPasses(alice)
  for (const [i, person] of [bob, alice].entries()) {
    await server.clock.advance(60_000)
    await checkIn(person, activity)
    await issueOne(alice, gated.id, { userId: person.id })
    const code = await createCode(alice)
    const body = { entityType: 'QR_CODE', sourceId: code.id } as const
    ok(await alice.call('shares.create', { params: { orgId: org.id }, body }))
    ok(await person.post('/api/scan-records', { content: code.content }))
    await createCategory(person, 'Menus')
    await createAsset(person)
    ok(await person.post('/api/assets/categories', { name: 'Tools' }))
    const file = await uploaded(person, png(), { type: 'album', name: 'door.png' })
    ok(await person.call('album.add', { body: { fileId: file.id } }))
    ok(await admin.post('/api/admin/notifications', { userIds: [person.id], title: `News ${i}`, body: 'Text' }))
    const other = await server.person()
    ok(await admin.post('/api/admin/auth/link', { ownerUserId: person.id, linkedUserId: other.id }))
  }
})

describe.each(Object.entries(LISTS))('GET /api/admin/%s', (name, time) => {
  const timesOf = ({ data }: Reply) => (data.items as Record<string, number>[]).map((item) => item[time]!)

  test('lists the newest first, and the oldest first with sort=createdAt', async () => {
    const newestFirst = timesOf(ok(await list(name)))
    expect(new Set(newestFirst).size).toBeGreaterThan(1)
    expect(newestFirst).toEqual(newestFirst.toSorted((a, b) => b - a))
    expect(timesOf(ok(await list(name, { sort: '-createdAt' })))).toEqual(newestFirst)
    expect(timesOf(ok(await list(name, { sort: 'createdAt' })))).toEqual(newestFirst.toReversed())
    // With a filter the list is searched, which is another query.
    const from = newestFirst.at(-1)!
    expect(timesOf(ok(await list(name, { sort: 'createdAt', from })))).toEqual(newestFirst.toReversed())
    expect((await list(name, { sort: 'other' })).status).toBe(400)
  })

  test('lists what was created at `from` or later and before `to`', async () => {
    const times = timesOf(ok(await list(name)))
    const [newest, oldest] = [times[0]!, times.at(-1)!]
    expect(timesOf(ok(await list(name, { from: newest })))).toEqual(times.filter((one) => one === newest))
    expect(timesOf(ok(await list(name, { to: newest })))).toEqual(times.filter((one) => one < newest))
    expect(timesOf(ok(await list(name, { from: oldest, to: oldest })))).toEqual([])
    expect(ok(await list(name, { to: oldest })).data.total).toBe(0)
  })

  test('finds nothing of an unknown user', async () => {
    if (name === 'users') return
    expect(ok(await list(name, { userId: 999_999 })).data).toMatchObject({ items: [], total: 0 })
  })
})
