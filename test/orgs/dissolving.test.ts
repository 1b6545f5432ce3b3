/** Dissolving an organization: refused while it owns anything, confirmed with `force` if it has other members, who are notified. */

import { describe, expect, test } from 'bun:test'

import { count, eq } from 'drizzle-orm'

import { domains } from '#app'
import { users } from '#db/schema/accounts.ts'
import { notifications, notificationSendRecipients, notificationSends } from '#db/schema/notifications.ts'
import { organizations, orgMembers } from '#db/schema/orgs.ts'
import { type Domain, domain } from '#domains/domain.ts'
import type { NotificationCreated } from '#domains/events.ts'

import { inProcess, type Person, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg, currentOrgId, getOrg, ok, type Org, setRole, switchTo } from './helpers.ts'

/** Kinds of resources of domains to come, with the number that each organization owns. */
const owned = { assets: 0, activities: 0 }
const events: NotificationCreated[] = []
const toCome = domain({
  name: 'toCome',
  orgResources: [
    { key: 'assets', name: 'assets', count: async () => owned.assets },
    { key: 'activities', name: 'activities', count: async () => owned.activities },
  ],
  on: { 'notification.created': (_ctx, tx, event) => tx.afterCommit(() => events.push(event)) },
})

const { server, owner, member, other } = useServer({
  people: ['owner', 'member', 'other'],
  ...(inProcess && { domains: (product) => [...product, toCome] }),
})

const dissolve = (user: Person, org: { id: number }, force?: boolean) =>
  user.call('orgs.dissolve', { params: { id: org.id }, query: force === undefined ? {} : { force } })

/** The notifications of dissolutions that a user has. */
const told = async (user: Person, language = 'en') =>
  ok(
    await user.send('GET', '/api/notifications', {
      query: { type: 'ORG_DISSOLVED', size: 100 },
      headers: { 'accept-language': language },
    }),
  ).data.items

test('DELETE /orgs/:id is for the owner only, needs force with other members, and leaves nothing', async () => {
  const org = await createOrg(owner)
  await addMembers(owner, org, member)
  await setRole(owner, org, member, 'ADMIN')
  expect((await dissolve(member, org, true)).status).toBe(403)
  ok(await switchTo(member, org))

  for (const refused of [await dissolve(owner, org), await dissolve(owner, org, false)]) {
    expect(refused.status).toBe(400)
    expect(refused.message).toContain('1 other member,')
    expect(refused.message).toContain('force=true')
  }
  expect((await getOrg(owner, org)).memberCount).toBe(2)

  ok(await dissolve(owner, org, true))
  expect((await owner.get(`/api/orgs/${org.id}`)).status).toBe(404)
  expect((await member.get(`/api/orgs/${org.id}/members`)).status).toBe(403)
  expect((await owner.get(`/api/orgs/${org.id}/qrcode`)).status).toBe(403)
  expect(await currentOrgId(member)).toBeNull()
  expect((await server.request('GET', `/api/orgs/public/${org.code}`)).status).toBe(404)
})

test('DELETE /orgs/:id answers 400 while the organization owns QR codes', async () => {
  const org = await createOrg(owner)
  const code = ok(await owner.post('/api/qr-codes', { name: 'sign', content: 'x', orgId: org.id })).data
  const refused = await dissolve(owner, org, true)
  expect(refused.status).toBe(400)
  expect(refused.message).toContain('QR codes (1)')
  ok(await owner.delete(`/api/qr-codes/${code.id}?orgId=${org.id}`))
  ok(await dissolve(owner, org))
})

test.if(inProcess)('DELETE /orgs/:id names everything that the organization still owns, of all domains', async () => {
  const org = await createOrg(owner)
  ok(await owner.post('/api/qr-codes', { name: 'sign', content: 'x', orgId: org.id }))
  Object.assign(owned, { assets: 3, activities: 2 })
  const refused = await dissolve(owner, org, true)
  Object.assign(owned, { assets: 0, activities: 0 })
  expect(refused.status).toBe(400)
  expect(refused.message).toEndWith('it still has QR codes (1), assets (3), activities (2)')
  expect((await getOrg(owner, org)).id).toBe(org.id)
})

test('the names of resources in errors are like those of fields, without blanks', () => {
  const keys = domains.flatMap(({ orgResources = [] }: Domain) => orgResources.map(({ key }) => key))
  expect(keys.toSorted()).toEqual(['activities', 'albumPhotos', 'assets', 'files', 'passTemplates', 'qrCodes'])
})

test('the members of a dissolved organization are notified, except the owner who dissolved it', async () => {
  const org = await createOrg(owner, { name: 'Willow' })
  await addMembers(owner, org, member, other)
  const stranger = await server.person()
  ok(await dissolve(owner, org, true))
  const isOfOrg = (item: { data: { orgId: number } }) => item.data.orgId === org.id
  for (const user of [member, other]) {
    await until(async () => (await told(user)).some(isOfOrg))
    expect((await told(user)).filter(isOfOrg)).toMatchObject([{ title: 'Willow was dissolved', read: false }])
    expect((await told(user, 'zh-CN')).find(isOfOrg)).toMatchObject({ title: 'Willow 已解散' })
  }
  for (const user of [owner, stranger]) expect(await told(user)).toEqual([])
})

test('a refused dissolution notifies no one', async () => {
  const org = await createOrg(owner)
  await addMembers(owner, org, member)
  const before = (await told(member)).length
  expect((await dissolve(owner, org)).status).toBe(400)
  ok(await dissolve(owner, org, true))
  // Notifications are sent in the order of their causes: one of the refused dissolution would have arrived by now.
  await until(async () => (await told(member)).length > before)
  expect((await told(member)).length).toBe(before + 1)
})

describe.if(inProcess)('an organization with 1,200 members', () => {
  async function addManyMembers(org: Org): Promise<void> {
    await server.ctx.db.write('test', async (tx) => {
      const people = Array.from({ length: 1200 }, (_, i) => ({
        nickname: `member ${i}`,
        // The last one deletes the account before the notification arrives.
        status: i === 1199 ? ('DELETED' as const) : ('ACTIVE' as const),
        createdAt: tx.stamp,
        updatedAt: tx.stamp,
      }))
      for (let i = 0; i < people.length; i += 400) {
        const rows = await tx
          .insert(users)
          .values(people.slice(i, i + 400))
          .returning({ userId: users.id })
        await tx.insert(orgMembers).values(rows.map((row) => ({ ...row, orgId: org.id, joinedAt: tx.stamp })))
      }
      await tx.update(organizations).set({ memberCount: 1201 }).where(eq(organizations.id, org.id))
    })
  }

  test('every member of a large dissolved organization is notified once, in writes of at most 500', async () => {
    const org = await createOrg(owner)
    await addManyMembers(org)
    const { read } = server.ctx.db
    events.length = 0
    ok(await dissolve(owner, org, true))
    await until(async () => (await read.select().from(notificationSends)).length === 0)
    const batches = events.filter((event) => event.type === 'ORG_DISSOLVED')
    const recipients = batches.flatMap((event) => event.recipients.map((recipient) => recipient.userId))
    expect(recipients).toHaveLength(1199)
    expect(new Set(recipients).size).toBe(1199)
    expect(batches.every((event) => event.recipients.length <= 500)).toBe(true)
    expect(batches[0]).toMatchObject({
      title: { en: `${org.name} was dissolved`, zh: `${org.name} 已解散` },
      data: { orgId: org.id },
    })
    const [rows] = await read.select({ n: count() }).from(notifications).where(eq(notifications.type, 'ORG_DISSOLVED'))
    expect(rows!.n).toBeGreaterThanOrEqual(1199)
    expect(await read.select().from(notificationSendRecipients)).toEqual([])
  })
})
