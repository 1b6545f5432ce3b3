import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { ok, type Person, startServer, type TestServer } from '../harness/index.ts'
import { type Receiver, startReceiver, verify } from './receiver.ts'

let receiver: Receiver
let server: TestServer
let admin: Person
let alice: Person
let orgId: number

beforeAll(async () => {
  receiver = startReceiver()
  server = await startServer({ config: { privateTargets: [receiver.origin] } })
  admin = await server.admin()
  alice = await server.person('alice')
  orgId = ok(await alice.call('orgs.create', { body: { name: 'Library' } })).data.id
})
afterAll(async () => {
  await server?.stop()
  await receiver?.stop()
})

async function hook(events: string[] = ['*'], person = alice, org: number | null = orgId) {
  const url = receiver.newUrl()
  const body = { name: 'ERP', url, events, ...(org !== null && { orgId: org }) }
  const { data } = ok(await person.call('webhooks.create', { body }))
  return { url, ...data }
}

describe('A webhook of an organization', () => {
  test('gets the row of a new asset, signed as Standard Webhooks says', async () => {
    const { url, secret, id } = await hook(['asset.*'])
    const asset = ok(await alice.call('assets.create', { body: { name: 'Projector', orgId } })).data
    const [first] = await receiver.next(url)
    expect(first!.event).toEqual({
      type: 'asset.created',
      timestamp: new Date(asset.createdAt).toISOString(),
      data: { ...asset, values: [] },
      id: first!.headers['webhook-id'],
      orgId,
      schemaVersion: 1,
      sequence: 1,
    })
    verify(secret, first!)
    const { data } = ok(await alice.call('webhooks.deliveries', { params: { id } }))
    expect(data.items).toHaveLength(1)
  })
})
