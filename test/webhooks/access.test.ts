import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { type Gateways, ok, type Person, race, startGateways, startServer, type TestServer } from '../harness/index.ts'
import { addMembers } from '../orgs/helpers.ts'
import { hookAt } from './helpers.ts'

let gateways: Gateways
let server: TestServer
let admin: Person
let alice: Person
let mallory: Person
beforeAll(async () => {
  gateways = await startGateways()
  server = await startServer({ config: gateways.config })
  admin = await server.admin()
  alice = await server.person('alice')
  mallory = await server.person('mallory')
})
afterAll(async () => {
  await server?.stop()
  await gateways?.stop()
})
const url = 'https://example.org/hook'
const body = { name: 'ERP', url, events: ['asset.*'] }

const ALL = ['USER', 'ORG', 'PLATFORM']
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'asset.created': ALL,
  'member.joined': ['ORG', 'PLATFORM'],
  'user.created': ['PLATFORM'],
  'member.batch': ['ORG', 'PLATFORM'],
  'webhook.test': ALL,
}

const newOrg = async () => ok(await alice.call('orgs.create', { body: { name: 'Library' } })).data.id

describe('An address of a webhook', () => {
  test.each([
    'http://example.org/',
    'http://[::ffff:10.0.0.1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://167772161/',
    'https://0x7f.1/',
    'https://012.0.0.1/',
    'https://127.0.0.1:8443/',
    'https://nas.local/',
    'https://nas/',
    'https://user:secret@example.org/',
    'ftp://example.org/',
    'not an address',
    'https://example.org:22/',
    'https://example.org:80/',
  ])('is refused as %s', async (bad) => {
    const orgId = await newOrg()
    const reply = await alice.call('webhooks.create', { body: { ...body, url: bad, orgId } })
    expect(reply).toMatchObject({ status: 400, details: [{ path: 'body.url' }] })
    const good = await hookAt(alice, 'https://example.org:8443/hook', { orgId })
    expect((await alice.call('webhooks.update', { params: { id: good.id }, body: { url: bad } })).status).toBe(400)
    expect(ok(await alice.call('webhooks.list', { query: { orgId } })).data.items.map((one) => one.url)).toEqual([
      'https://example.org:8443/hook',
    ])
  })
})

test('A user needs a proved address for a webhook of their own, and can have three', async () => {
  expect((await mallory.call('webhooks.create', { body })).status).toBe(403)
  const person = mallory
  const email = 'mallory@example.com'
  ok(await person.post('/api/auth/email/bind-code', { email }))
  ok(await person.post('/api/auth/email-bind', { email, code: await gateways.codeFor(email) }))
  await race(6, () => person.call('webhooks.create', { body }))
  expect(ok(await person.call('webhooks.list')).data.total).toBe(3)
  const more = await person.call('webhooks.create', { body })
  expect(more).toMatchObject({ status: 429, code: 4022 })
})

test('An organization can have 20 webhooks, however many are made at once', async () => {
  const orgId = await newOrg()
  const replies = await race(30, () => alice.call('webhooks.create', { body: { ...body, orgId } }))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(20)
  expect(ok(await alice.call('webhooks.list', { query: { orgId } })).data.total).toBe(20)
})

test('The webhooks of an organization are those of its members with org:update', async () => {
  const orgId = await newOrg()
  const { id, secret } = await hookAt(alice, url, { orgId })
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  const params = { id }
  expect((await mallory.call('webhooks.get', { params })).status).toBe(404)
  expect((await mallory.call('webhooks.list', { query: { orgId } })).status).toBe(403)
  expect((await mallory.call('webhooks.create', { body: { ...body, orgId } })).status).toBe(403)
  expect((await admin.call('webhooks.get', { params })).status).toBe(404)
  expect((await admin.call('webhooks.getOfServer', { params })).status).toBe(404)
  expect((await server.request('GET', `/api/webhooks/${id}`)).status).toBe(401)
  expect((await alice.call('webhooks.listOfServer')).status).toBe(403)
  await addMembers(alice, { id: orgId }, mallory)
  expect((await mallory.call('webhooks.get', { params })).status).toBe(403)
  expect((await mallory.call('webhooks.delete', { params })).status).toBe(403)
  const shown = ok(await alice.call('webhooks.get', { params }))
  expect(shown.text).not.toContain('secret')
  ok(await alice.call('webhooks.delete', { params }))
  expect((await alice.call('webhooks.get', { params })).status).toBe(404)
})

test('Events that a webhook cannot get are refused, with their place', async () => {
  const orgId = await newOrg()
  for (const event of ['assets.*', 'asset.changed', 'user.created', 'ass*', ''])
    expect(await alice.call('webhooks.create', { body: { ...body, events: ['*', event], orgId } })).toMatchObject({
      status: 400,
      details: [{ path: 'body.events.1' }],
    })
  for (const events of [['user.created', 'backup.*'], ['webhook.test']])
    ok(await admin.call('webhooks.createOfServer', { body: { ...body, events } }))
})

test('/webhooks.json describes each event with its version and an example', async () => {
  const { data: document } = { data: JSON.parse((await server.request('GET', '/webhooks.json')).text) }
  expect(document.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
  const { version, description, example, properties } = document.$defs['asset.created']
  expect({ version, type: properties.type.const }).toEqual({ version: 1, type: 'asset.created' })
  expect(description).toBe('An asset was registered.')
  expect(example).toMatchObject({ type: 'asset.created', data: { id: 42 }, schemaVersion: 1 })
  // Which kinds of webhooks can get it, so that forms offer no others.
  for (const type of ['asset.created', 'member.joined', 'user.created', 'member.batch', 'webhook.test'])
    expect([type, document.$defs[type].scopes]).toEqual([type, SCOPES[type]!])
  for (const { $ref } of document.oneOf) expect(document.$defs[$ref.slice(8)]).toHaveProperty('examples')
  const names = new Set(JSON.stringify(document).match(/(?<="#\/\$defs\/)[^"]+/g))
  for (const name of names) expect(document.$defs).toHaveProperty([name])
})

test('Switched off by a setting, webhooks are neither made nor told', async () => {
  const orgId = await newOrg()
  const { id } = await hookAt(alice, url, { orgId })
  ok(await admin.put('/api/admin/settings', { values: { 'webhooks.enabled': false } }))
  expect((await alice.call('webhooks.create', { body: { ...body, orgId } })).status).toBe(403)
  expect((await alice.call('webhooks.test', { params: { id } })).status).toBe(403)
  ok(await alice.call('assets.create', { body: { name: 'Projector', orgId } }))
  ok(await admin.put('/api/admin/settings', { values: { 'webhooks.enabled': null } }))
  expect(ok(await alice.call('webhooks.deliveries', { params: { id } })).data.total).toBe(0)
})

test('Members of a disabled organization change and send nothing of its webhooks', async () => {
  const orgId = await newOrg()
  const { id } = await hookAt(alice, url, { orgId })
  const delivery = ok(await alice.call('webhooks.test', { params: { id } })).data
  const setStatus = async (status: 'ACTIVE' | 'DISABLED') =>
    void ok(await admin.call('admin.orgs.update', { params: { orgId }, body: { status } }))
  await setStatus('DISABLED')
  const params = { id }
  for (const reply of [
    await alice.call('webhooks.create', { body: { ...body, orgId } }),
    await alice.call('webhooks.update', { params, body: { name: 'new' } }),
    await alice.call('webhooks.renewSecret', { params }),
    await alice.call('webhooks.test', { params }),
    await alice.call('webhooks.replay', { params, body: { from: 0, to: Date.now() } }),
    await alice.call('webhooks.replayDelivery', { params: { id, deliveryId: delivery.id } }),
    await alice.call('webhooks.delete', { params }),
  ])
    expect([reply.status, reply.message]).toEqual([403, expect.stringContaining('The organization is disabled')])
  await setStatus('ACTIVE')
  expect(ok(await alice.call('webhooks.get', { params })).data).toMatchObject({ name: 'ERP', enabled: true })
})

test('Dissolving an organization ends its webhooks', async () => {
  const orgId = await newOrg()
  const { id } = await hookAt(alice, url, { orgId })
  ok(await alice.call('orgs.dissolve', { params: { id: orgId } }))
  expect((await alice.call('webhooks.get', { params: { id } })).status).toBe(404)
})
