/** Writes that name their organization twice, in the query and in the body. */

import { expect, test } from 'bun:test'

import { allEndpoints } from '#app'

import { ok, useServer } from '../harness/index.ts'

const { alice } = useServer({ people: ['alice'] })

const writes = allEndpoints.filter((e) => e.access.kind === 'dual' && e.body !== undefined && e.method !== 'GET')

test('every write that can name an organization refuses one in the body that differs from the one in the query', async () => {
  expect(writes.length).toBeGreaterThan(30)
  for (const { id, method, path } of writes)
    for (const [inQuery, inBody] of [
      ['orgId', 'orgId'],
      ['org_id', 'orgId'],
      ['orgId', 'org_id'],
    ] as const) {
      const { status, details } = await alice.send(method, path.replaceAll(/:\w+/g, '1'), {
        query: { [inQuery]: 1 },
        body: { [inBody]: 2 },
      })
      expect([id, status, details[0]?.path]).toEqual([id, 400, 'body.orgId'])
    }
})

test('a creation that names its organization twice creates in it, and nothing where the names differ', async () => {
  const { data: mine } = ok(await alice.post('/api/orgs', { name: 'Mine' }))
  const { data: other } = ok(await alice.post('/api/orgs', { name: 'Other' }))
  const creations = {
    '/api/qr-codes': { name: 'Menu', content: 'https://example.org' },
    '/api/assets': { name: 'Chair' },
    '/api/assets/categories': { name: 'Furniture' },
    '/api/pass/templates': { name: 'Ticket' },
  }
  for (const [path, body] of Object.entries(creations)) {
    const create = (orgId: unknown) => alice.send('POST', path, { query: { orgId: mine.id }, body: { ...body, orgId } })
    expect((await create(other.id)).status).toBe(400)
    for (const org of [mine, other])
      expect([path, ok(await alice.get(path, { orgId: org.id })).text]).toEqual([
        path,
        expect.not.stringContaining(body.name),
      ])
    // A form or a generated client sends the number as text, or null for a field that is not filled in.
    ok(await create(mine.id))
    expect(ok(await create(null)).status).toBe(200)
    expect(ok(await alice.get(path, { orgId: mine.id })).text).toContain(body.name)
  }
})

test('an organization that is not a number is refused, whatever it is', async () => {
  const { data: org } = ok(await alice.post('/api/orgs', { name: 'Ours' }))
  for (const orgId of [{ toString: 'x', valueOf: 1 }, [], [[1]], true, 'x', { orgId: 1 }, 1.5])
    for (const query of [{}, { orgId: org.id }] as Record<string, number>[]) {
      const reply = await alice.send('POST', '/api/qr-codes', { query, body: { name: 'Menu', content: 'menu', orgId } })
      expect([400, 403], reply.text).toContain(reply.status)
    }
})
