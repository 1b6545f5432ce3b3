/**
 * No operation shows or changes rows of another user. Every operation with an id is called by an attacker with the victim's ids: in
 * the path, in bodies and queries, and inside an organization of the attacker's own. The rows come from `test/<domain>/isolation.ts`.
 */

import { beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import type { AnyEndpoint } from '#http/endpoint.ts'

import { isolation as accounts } from '../accounts/isolation.ts'
import { useServer } from '../harness/index.ts'
import { isolation as notifications } from '../notifications/isolation.ts'
import { isolation as orgs } from '../orgs/isolation.ts'
import { isolation as qrCodes } from '../qr-codes/isolation.ts'
import { sample } from './samples.ts'

/** A later domain may build on rows of the earlier ones. */
const FIXTURES = [accounts, qrCodes, orgs, notifications]

const MARK = 'victims-private-text'

const { server, admin, victim, attacker } = useServer({ people: ['victim', 'attacker'] })
const owned: Record<string, number | string> = {}
/** The attacker may do everything in it. */
let attackersOrg: number

beforeAll(async () => {
  for (const { make } of FIXTURES) {
    const made = await make({ server, admin, victim, mark: MARK, owned })
    for (const name of Object.keys(made)) expect(Object.keys(owned), `${name} is made twice`).not.toContain(name)
    Object.assign(owned, made)
  }
  attackersOrg = (await attacker.post('/api/orgs', { name: 'their own' })).data.id
  // With an id that does not exist, the tests would only see the 404 of an unknown row.
  for (const [name, id] of Object.entries(owned)) expect(['number', 'string'], name).toContain(typeof id)
})

const FIELDS: Readonly<Record<string, string>> = Object.assign({}, ...FIXTURES.map(({ fields }) => fields))

/** The name of the row that the first id of a path stands for. */
const pathRow = (path: string): string | undefined =>
  FIXTURES.flatMap(({ paths }) => paths).find(([pattern]) => pattern.test(path))?.[1]

/** The id of the row that a list of ids stands for. */
const listedId = (path: string): number | string =>
  owned[FIXTURES.flatMap(({ lists = [] }) => lists).find(([pattern]) => pattern.test(path))?.[1] ?? 'code']!

/** Everything the victim owns, as the victim sees it. */
async function everything(): Promise<string> {
  const paths = FIXTURES.flatMap(({ reads }) => reads(owned, victim))
  const replies = await Promise.all(paths.map((path) => victim.get(path)))
  for (const [i, reply] of replies.entries()) expect(reply.status, paths[i]).toBe(200)
  return JSON.stringify(replies.map((r) => r.data)).replace(/"lastActive\w*":\d+/g, '')
}

const isPersonal = (e: AnyEndpoint) =>
  e.access.kind !== 'open' && e.access.kind !== 'platform' && e.access.kind !== 'admin'

describe('isolation', () => {
  for (const endpoint of allEndpoints.filter((e) => isPersonal(e) && e.path.includes(':')))
    test(`${endpoint.method} ${endpoint.path} with an id of another user answers 403 or 404 and changes nothing`, async () => {
      const row = pathRow(endpoint.path)
      expect(row, 'no isolation.ts says whose id this is').toBeDefined()
      const before = await everything()
      const path = endpoint.path
        .replace(/:\w+/, String(owned[row!]))
        .replaceAll(/:(\w+)/g, (_, name: string) => String(owned[FIELDS[name]!]))
      const reply = await attacker.send(endpoint.method, path, endpoint.body ? { body: validBody(endpoint) } : {})
      expect([403, 404], `${reply.status} ${reply.text}`).toContain(reply.status)
      expect(reply.text).not.toContain(MARK)
      expect(await everything()).toBe(before)
    })

  // Without the operation that would dissolve the organization that later tests need.
  for (const endpoint of allEndpoints.filter((e) => e.access.kind === 'org' && e.id !== 'orgs.dissolve'))
    test(`${endpoint.method} ${endpoint.path} in the caller's organization with ids of another user shows and changes nothing`, async () => {
      const before = await everything()
      const path = endpoint.path
        .replace(/:\w+/, String(attackersOrg))
        .replaceAll(/:(\w+)/g, (_, name: string) => String(owned[FIELDS[name]!]))
      const body = endpoint.body && {
        ...(validBody(endpoint) as object),
        ...stolen(endpoint.body['properties'] as object, endpoint, true),
      }
      const reply = await attacker.send(endpoint.method, path, body ? { body } : {})
      expect(reply.status).toBeLessThan(500)
      const namesTwo = endpoint.path.split(':').length > 2
      if (namesTwo) expect([400, 404], `${reply.status} ${reply.text}`).toContain(reply.status)
      expect(reply.text).not.toContain(MARK)
      expect(await everything()).toBe(before)
    })

  for (const endpoint of allEndpoints.filter((e) => isPersonal(e) && (e.body || e.query)))
    test(`${endpoint.method} ${endpoint.path} with ids of another user in body and query shows and changes nothing`, async () => {
      const before = await everything()
      const path = endpoint.path.replaceAll(/:\w+/g, '999999')
      const query = stolen(endpoint.query?.['properties'] as object | undefined, endpoint, false)
      const body = endpoint.body && {
        ...(validBody(endpoint) as object),
        ...stolen(endpoint.body['properties'] as object, endpoint, true),
      }
      const reply = await attacker.send(endpoint.method, path, {
        ...(body && { body }),
        query: query as Record<string, string>,
      })
      expect(reply.status).toBeLessThan(500)
      expect(reply.text).not.toContain(MARK)
      expect(await everything()).toBe(before)
    })
})

/** A body that passes validation, so that the answer depends on ownership. */
function validBody(endpoint: AnyEndpoint): unknown {
  const body = sample(endpoint.body!) as Record<string, unknown>
  const known = (endpoint.body!['properties'] ?? {}) as object
  if ('ids' in known) body['ids'] = [listedId(endpoint.path)]
  if (endpoint.path.endsWith('/parent')) body['parentId'] = null
  return body
}

function stolen(properties: object | undefined, endpoint: AnyEndpoint, inBody: boolean): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(properties ?? {})) {
    if (FIELDS[name]) values[name] = owned[FIELDS[name]]
    if (name === 'ids') values[name] = inBody ? [listedId(endpoint.path)] : listedId(endpoint.path)
    if (name === 'items' && /reorder|pin/.test(endpoint.path))
      values[name] = [{ id: listedId(endpoint.path), sortOrder: 7 }]
  }
  return values
}
