import { afterAll, beforeAll, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { webhookDeliveries, webhookOutbox } from '#db/schema/webhooks.ts'
import { cleanUpJob } from '#domains/webhooks/deliveries/deliveries.service.ts'
import type { WebhookView } from '#domains/webhooks/webhooks/webhooks.model.ts'

import { createActivity, setStatus } from '../activities/helpers.ts'
import { inProcess, ok, type Person, startServer, type TestServer, until } from '../harness/index.ts'
import { createField } from '../metadata/helpers.ts'
import { addMembers, leave, setRole } from '../orgs/helpers.ts'
import { DAY, hook, MINUTE } from './helpers.ts'
import { type Receiver, startReceiver } from './receiver.ts'

let receiver: Receiver
let server: TestServer
let admin: Person
let alice: Person
let bob: Person
let orgId: number
let ofOrg: Pick<WebhookView, 'id' | 'url'>
let ofServer: Pick<WebhookView, 'id' | 'url'>

beforeAll(async () => {
  receiver = startReceiver()
  server = await startServer({ config: { privateTargets: [receiver.origin] } })
  admin = await server.admin()
  alice = await server.person('alice')
  bob = await server.person('bob')
  orgId = ok(await alice.call('orgs.create', { body: { name: 'Library' } })).data.id
  ofOrg = await hook(alice, receiver, { orgId })
  const body = { name: 'Monitoring', url: receiver.newUrl(), events: ['*'] }
  ofServer = ok(await admin.call('webhooks.createOfServer', { body })).data
})
afterAll(async () => {
  await server?.stop()
  await receiver?.stop()
})

/** The events of the organization that `act` causes, in their order. */
async function eventsOf(act: () => Promise<unknown>, last: string) {
  const before = receiver.at(ofOrg.url).length
  await act()
  await receiver.next(ofOrg.url, 1, (one) => receiver.at(ofOrg.url).indexOf(one) >= before && one.event.type === last)
  // Those before it may arrive later.
  const sequences = () => receiver.at(ofOrg.url).map(({ event }) => event.sequence as number)
  await until(() => new Set(sequences()).size === Math.max(...sequences()))
  return receiver
    .at(ofOrg.url)
    .slice(before)
    .map(({ event }) => event)
    .toSorted((a, b) => a.sequence - b.sequence)
}
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type)

test('The event of a new code with a short link shows the link', async () => {
  const body = { name: 'Link', content: 'https://example.org/link', slug: 'hooked-link', isDynamic: true, orgId }
  const [created, ...others] = await eventsOf(
    async () => ok(await alice.call('qrCodes.create', { body })),
    'qr_code.created',
  )
  const { items } = ok(await alice.call('qrCodes.list', { query: { orgId, keyword: 'Link' } })).data
  expect(created.data).toEqual(items[0])
  expect(created.data.slug).toBe('hooked-link')
  expect(others).toEqual([])
})

test('Codes: created, changed, restored and deleted', async () => {
  const body = { name: 'Menu', content: 'https://example.org/menu', orgId }
  const code = ok(await alice.call('qrCodes.create', { body })).data
  const [created] = await eventsOf(async () => undefined, 'qr_code.created')
  const read = ok(await alice.call('qrCodes.get', { params: { id: code.id } })).data
  expect(created).toMatchObject({ type: 'qr_code.created', orgId, data: read })
  const events = await eventsOf(async () => {
    ok(await alice.call('qrCodes.update', { params: { id: code.id }, body: { name: 'Card' } }))
    ok(await alice.call('qrCodes.update', { params: { id: code.id }, body: { name: 'Card' } }))
    ok(await alice.call('qrCodes.delete', { params: { id: code.id } }))
  }, 'qr_code.deleted')
  // The second change changed nothing.
  expect(types(events)).toEqual(['qr_code.updated', 'qr_code.deleted'])
  expect(events[0].data.name).toBe('Card')
  expect(events[1].data).toEqual({ id: code.id, name: 'Card', kind: 'qr_code' })
})

test('Assets: lent, given back and scrapped', async () => {
  const { id } = ok(await alice.call('assets.create', { body: { name: 'Projector', orgId } })).data
  const events = await eventsOf(async () => {
    ok(await alice.call('assets.checkOut', { params: { id }, body: { personName: 'Ms Chen' } }))
    ok(await alice.call('assets.checkIn', { params: { id }, body: {} }))
    ok(await alice.call('assets.scrap', { params: { id }, body: { reason: 'broken' } }))
  }, 'asset.scrapped')
  expect(types(events).filter((type) => type !== 'asset.created')).toEqual([
    'asset.checked_out',
    'asset.updated',
    'asset.checked_in',
    'asset.updated',
    'asset.updated',
    'asset.scrapped',
  ])
  expect(events.find(({ type }) => type === 'asset.checked_out').data.loan).toMatchObject({ personName: 'Ms Chen' })
  expect(events.at(-1).data).toMatchObject({ status: 'SCRAPPED', scrapReason: 'broken' })
})

test('An asset of an organization is shown with the values that its members see, without those in fields of one user', async () => {
  const [own, shared, lender] = [
    await createField(alice),
    await createField(alice, {}, { orgId }),
    await createField(alice, { type: 'REF', config: { target: 'ASSET' } } as never, { orgId }),
  ]
  const { id: other } = ok(await alice.call('assets.create', { body: { name: 'Cable', orgId } })).data
  const values = [
    { fieldId: own.id, value: 'a secret of Alice' },
    { fieldId: shared.id, value: 'red' },
    { fieldId: lender.id, value: other },
  ]
  ok(await alice.call('assets.create', { body: { name: 'Laser', orgId, values } }))
  const [laser] = await receiver.next(ofOrg.url, 1, ({ event }) => event.data.name === 'Laser')
  const { event, text } = laser!
  expect(event.type).toBe('asset.created')
  expect(event.data.values.map(({ fieldId, value }: { fieldId: number; value: unknown }) => [fieldId, value])).toEqual([
    [shared.id, 'red'],
    [lender.id, { id: other, title: 'Cable' }],
  ])
  expect(text).not.toContain('a secret of Alice')
})

test('Beside the event of an asset, the answer shows the values that the caller sees', async () => {
  const [own, shared] = [await createField(alice), await createField(alice, {}, { orgId })]
  const values = [
    { fieldId: own.id, value: 'only for Alice' },
    { fieldId: shared.id, value: 'for all' },
  ]
  const { id } = ok(await alice.call('assets.create', { body: { name: 'Tripod', orgId, values } })).data
  await addMembers(alice, { id: orgId }, bob)
  await setRole(alice, { id: orgId }, bob, 'ADMIN')
  const answers: unknown[] = []
  const events = await eventsOf(async () => {
    for (const [person, brand] of [
      [alice, 'A'],
      [bob, 'B'],
    ] as const) {
      const changed = ok(await person.call('assets.update', { params: { id }, body: { brand } })).data
      expect(changed).toEqual(ok(await person.call('assets.get', { params: { id } })).data)
      answers.push(changed.values!.filter(({ key }) => key !== 'brand').map(({ fieldId }) => fieldId))
    }
    ok(await leave(bob, { id: orgId }))
  }, 'member.left')
  expect(answers).toEqual([[shared.id, own.id], [shared.id]])
  const shown = events.filter(({ type }) => type === 'asset.updated').map(({ data }) => data)
  expect(shown.map(({ brand }) => brand)).toEqual(['A', 'B'])
  for (const data of shown) {
    expect(data.values.map(({ key }: { key: string }) => key)).toContain('brand')
    expect(JSON.stringify(data)).not.toContain('only for Alice')
  }
})

test('Members: who joins, is promoted and leaves', async () => {
  const events = await eventsOf(async () => {
    await addMembers(alice, { id: orgId }, bob)
    await setRole(alice, { id: orgId }, bob, 'ADMIN')
    ok(await leave(bob, { id: orgId }))
  }, 'member.left')
  expect(types(events)).toEqual(['invitation.answered', 'member.joined', 'member.role_changed', 'member.left'])
  expect(events[1].data).toMatchObject({ id: bob.id, roleCode: 'MEMBER' })
  expect(events[2].data).toMatchObject({ roleCode: 'ADMIN' })
})

test('Activities: their life, and who takes part', async () => {
  const startTime = Date.now() + 3_600_000
  const times = { startTime, endTime: startTime + 3_600_000 }
  const events = await eventsOf(async () => {
    const fields = { ...times, ownerType: 'ORGANIZATION', ownerId: orgId, visibility: 'INVITE_ONLY' } as const
    const more = { hasCheckIn: true, hasPass: true, registration: { waitlist: false }, status: 'ACTIVE' } as const
    const activity = await createActivity(alice, { ...fields, ...more } as never)
    ok(await alice.call('registrations.register', { params: { id: activity.id }, body: {} } as never))
    await setStatus(alice, activity.id, 'CANCELLED')
  }, 'activity.cancelled')
  expect(types(events)).toEqual([
    'activity.created',
    'activity.updated',
    'activity.published',
    'registration.confirmed',
    'activity.updated',
    'activity.cancelled',
  ])
  const text = JSON.stringify(events)
  expect(text).not.toMatch(/"inviteCode":"|"shortCode":"|"qrContent":"/)
  expect(events[3].data).toMatchObject({ userId: alice.id, status: 'CONFIRMED' })
})

test('A webhook of the server gets ids, names and kinds, and the events of the server', async () => {
  const mia = await server.person('mia')
  const [created] = await receiver.next(
    ofServer.url,
    1,
    ({ event }) => event.type === 'user.created' && event.data.id === mia.id,
  )
  expect(created!.event).toMatchObject({ orgId: null, data: { id: mia.id, name: 'mia', kind: 'user' } })
  await receiver.next(ofServer.url, 1, ({ event }) => event.type === 'asset.created')
  for (const { event } of receiver.at(ofServer.url))
    expect(Object.keys(event.data).toSorted()).toEqual(['id', 'kind', 'name'])
  ok(await admin.patch(`/api/admin/users/${mia.id}/status`, { status: 'DISABLED' }))
  await receiver.next(ofServer.url, 1, ({ event }) => event.type === 'user.disabled')
})

test('A webhook of a user gets their own rows only', async () => {
  const own = await hook(admin, receiver)
  ok(await admin.call('assets.create', { body: { name: 'Own' } }))
  ok(await alice.call('assets.create', { body: { name: 'Other', orgId } }))
  ok(await alice.call('assets.create', { body: { name: 'Personal' } }))
  const [only] = await receiver.next(own.url)
  expect(only!.event).toMatchObject({ type: 'asset.created', orgId: null, data: { name: 'Own' } })
  ok(await admin.call('webhooks.test', { params: { id: own.id } }))
  await receiver.next(own.url, 2)
  expect(types(receiver.at(own.url).map(({ event }) => event))).toEqual(['asset.created', 'webhook.test'])
})

test.if(inProcess)('An event exists only if its change does', async () => {
  const count = async () => ok(await alice.call('webhooks.deliveries', { params: { id: ofOrg.id } })).data.total
  const before = await count()
  const bad = { name: 'Chair', assetNo: 'SAME-1', orgId }
  ok(await alice.call('assets.create', { body: bad }))
  expect((await alice.call('assets.create', { body: bad })).status).toBe(400)
  expect(await count()).toBe(before + 1)
})

test.if(inProcess)('Events that a version before the outbox has written are sent in their order', async () => {
  const { ctx } = server
  const names = ['first', 'second', 'third']
  const rows = names.map((name) => ({
    webhookId: ofOrg.id,
    eventId: `earlier ${name}`,
    event: 'asset.created',
    body: JSON.stringify({ type: 'asset.created', data: { name }, id: `earlier ${name}` }),
    attempts: [],
    createdAt: ctx.clock.now(),
  }))
  await ctx.db.write('test', (tx) => tx.insert(webhookDeliveries).values(rows))
  ok(await alice.call('webhooks.test', { params: { id: ofOrg.id } }))
  const isEarlier = ({ event }: { event: { id: string } }) => event.id.startsWith('earlier')
  const sent = (await receiver.next(ofOrg.url, 3, isEarlier)).map(({ event }) => event)
  const earlier = sent.toSorted((a, b) => a.sequence - b.sequence)
  expect(earlier.map(({ data }) => data.name)).toEqual(names)
  const { sequence } = earlier[0]!
  expect(earlier.map((one) => one.sequence)).toEqual([sequence, sequence + 1, sequence + 2])
})

test.if(inProcess)('Events of a webhook that has ended meanwhile do not stay in the outbox', async () => {
  const { ctx } = server
  const { id: webhookId } = await hook(alice, receiver, { orgId })
  ok(await alice.call('webhooks.delete', { params: { id: webhookId } }))
  const createdAt = ctx.clock.now()
  const row = { webhookId, eventId: 'too late', event: 'asset.created', body: '{}', createdAt }
  await ctx.db.write('test', (tx) => tx.insert(webhookOutbox).values(row))
  ok(await alice.call('webhooks.test', { params: { id: ofOrg.id } }))
  expect(await ctx.db.read.select().from(webhookOutbox)).toEqual([])
})

test.if(inProcess)(
  'Of the deliveries that have ended, the last 5,000 of a webhook are kept, and all that wait',
  async () => {
    const { ctx } = server
    const { id: webhookId } = await hook(alice, receiver, { events: ['webhook.test'], orgId })
    const one = { webhookId, event: 'asset.created', body: '{}', attempts: [], createdAt: ctx.clock.now() }
    const rows = Array.from({ length: 5010 }, (_, i) => ({
      ...one,
      eventId: `event ${i}`,
      sequence: i + 1,
      status: i === 2 ? ('PENDING' as const) : ('DELIVERED' as const),
    }))
    await ctx.db.write('test', async (tx) => {
      for (let at = 0; at < rows.length; at += 1000)
        await tx.insert(webhookDeliveries).values(rows.slice(at, at + 1000))
    })
    await cleanUpJob.run(ctx)
    const { sequence } = webhookDeliveries
    const left = await ctx.db.read
      .select({ sequence })
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.webhookId, webhookId))
    const kept = [3, ...Array.from({ length: 5000 }, (_, i) => i + 11)]
    expect(left.map((row) => row.sequence!).toSorted((a, b) => a - b)).toEqual(kept)
  },
)

// The last test: sessions end meanwhile.
test.if(inProcess)('Deliveries are kept for 30 days', async () => {
  const { clock, ctx } = server
  const kept = () => ctx.db.read.select().from(webhookDeliveries).where(eq(webhookDeliveries.webhookId, ofOrg.id))
  const id = ok(await alice.call('webhooks.test', { params: { id: ofOrg.id } })).data.id
  await until(async () => (await kept()).every(({ status }) => status === 'DELIVERED'))
  const { createdAt } = (await kept()).find((row) => row.id === id)!
  clock.advance(createdAt + 30 * DAY - MINUTE - clock.now())
  await cleanUpJob.run(ctx)
  expect((await kept()).map((row) => row.id)).toContain(id)
  clock.advance(2 * MINUTE)
  await cleanUpJob.run(ctx)
  expect(await kept()).toEqual([])
})
