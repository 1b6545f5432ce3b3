/**
 * No operation shows or changes rows of another user. Every operation with an id is called by an attacker with the victim's ids: in
 * the path, in bodies and queries, and inside an organization of the attacker's own. The rows come from `test/<domain>/isolation.ts`.
 */

import { beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import type { AnyEndpoint } from '#http/endpoint.ts'
import { readPointOf } from '#permission-points'

import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { FIXTURES } from './fixtures.ts'
import { type RowAndBody, rowOfField, withObject } from './isolation-fixture.ts'
import { sample } from './samples.ts'

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
  seen = await everything()
})

const fieldRow = rowOfField(FIXTURES)

/** The name of the row that the first id of a path stands for. */
const pathRow = (path: string): string | undefined =>
  FIXTURES.flatMap(({ paths }) => paths).find(([pattern]) => pattern.test(path))?.[1]

/** The id of the row that a list of ids stands for. */
const listedId = (path: string): number | string =>
  owned[FIXTURES.flatMap(({ lists = [] }) => lists).find(([pattern]) => pattern.test(path))?.[1] ?? 'code']!

/** Everything the victim owns, as the victim sees it, by path. */
async function everything(): Promise<Record<string, string>> {
  const paths = FIXTURES.flatMap(({ reads }) => reads(owned, victim))
  const replies = await Promise.all(paths.map((path) => victim.get(path)))
  return Object.fromEntries(
    replies.map((reply, i) => {
      expect(reply.status, `${paths[i]}: ${reply.text}`).toBe(200)
      // Signed URLs are others at each full hour.
      const text = JSON.stringify(reply.data).replace(
        /"last(Active|Failure)\w*":\d+|&expires=\d+&signature=[\w-]+/g,
        '',
      )
      return [paths[i]!, text]
    }),
  )
}

let seen: Record<string, string>

/** Everything is as after the test before. Each test reads it once, because its 87 requests are most of the work. */
async function expectNoChange(): Promise<void> {
  const before = seen
  seen = await everything()
  expect(seen).toEqual(before)
}

function tableForm(): FormData {
  const form = new FormData()
  form.set('file', new File(['Name\nLin Mei\n'], 'people.csv'))
  return form
}

const isPersonal = (e: AnyEndpoint) =>
  !['open', 'gate', 'key', 'platform', 'admin', 'publisher'].includes(e.access.kind)

describe('isolation', () => {
  for (const endpoint of allEndpoints.filter((e) => isPersonal(e) && withObject(e.path).includes(':')))
    test(`${endpoint.method} ${endpoint.path} with an id of another user answers 403 or 404 and changes nothing`, async () => {
      const row = pathRow(endpoint.path)
      expect(row, 'no isolation.ts says whose id this is').toBeDefined()
      const path = withObject(endpoint.path)
        .replace(/:\w+/, String(owned[row!]))
        .replaceAll(/:(\w+)/g, (_, name: string) => String(owned[fieldRow(endpoint.path, name)!]))
      const body = endpoint.acceptsFile ? tableForm() : endpoint.body && validBody(endpoint)
      const reply = await attacker.send(endpoint.method, path, body ? { body } : {})
      expect([403, 404], `${reply.status} ${reply.text}`).toContain(reply.status)
      expect(reply.text).not.toContain(MARK)
      await expectNoChange()
    })

  // Without the operation that would dissolve the organization that later tests need.
  for (const endpoint of allEndpoints.filter((e) => e.access.kind === 'org' && e.id !== 'orgs.dissolve'))
    test(`${endpoint.method} ${endpoint.path} in the caller's organization with ids of another user shows and changes nothing`, async () => {
      const path = withObject(endpoint.path)
        .replace(/:\w+/, String(attackersOrg))
        .replaceAll(/:(\w+)/g, (_, name: string) => String(owned[fieldRow(endpoint.path, name)!]))
      const body = endpoint.body && {
        ...(validBody(endpoint) as object),
        ...stolen(endpoint.body['properties'] as object, endpoint, true),
      }
      const reply = await attacker.send(endpoint.method, path, body ? { body } : {})
      expect(reply.status).toBeLessThan(500)
      const namesTwo = withObject(endpoint.path).split(':').length > 2
      if (namesTwo) expect([400, 404], `${reply.status} ${reply.text}`).toContain(reply.status)
      expect(reply.text).not.toContain(MARK)
      await expectNoChange()
    })

  for (const endpoint of allEndpoints.filter((e) => isPersonal(e) && (e.body || e.query)))
    test(`${endpoint.method} ${endpoint.path} with ids of another user in body and query shows and changes nothing`, async () => {
      const path = withObject(endpoint.path).replaceAll(/:\w+/g, '999999')
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
      await expectNoChange()
    })
})

/** `dual` operations with an id of a row: `orgId` may be left out, and the row then decides whose it is. */
describe('rows of users and organizations', () => {
  const callersOwn = new Set(FIXTURES.flatMap((fixture) => fixture.callersOwn ?? []))
  const dual = allEndpoints.flatMap((e) =>
    e.access.kind === 'dual' && withObject(e.path).includes(':') && !callersOwn.has(e.id)
      ? [[e, e.access] as const]
      : [],
  )
  const people: Record<string, Person> = {}
  let orgId: number

  beforeAll(async () => {
    const names = ['owner', 'manager', 'reader', 'pointless', 'elsewhere', 'alone'] as const
    for (const name of names) people[name] = await server.person()
    const { owner, manager, reader, pointless, elsewhere } = people as Record<(typeof names)[number], Person>
    orgId = (await createOrg(owner)).id
    await createOrg(elsewhere)
    await addMembers(owner, { id: orgId }, manager, reader, pointless)
    await setRole(owner, { id: orgId }, manager, 'ADMIN')
    const readPoints = [...new Set(dual.map(([, { point }]) => readPointOf(point)))]
    for (const [member, code, permissions] of [
      [reader, 'READER', readPoints],
      [pointless, 'POINTLESS', []],
    ] as const) {
      const body = { code, name: code, domain: 'ORG' as const, scopeId: orgId, permissions: [...permissions] }
      ok(await admin.call('access.createRole', { body }))
      await setRole(owner, { id: orgId }, member, code)
    }
  })

  for (const [endpoint, { point, organizationOf, rowDecides }] of dual) {
    const row = pathRow(endpoint.path)!
    const create = FIXTURES.map(({ dual: rows }) => rows?.[endpoint.id] ?? rows?.[row]).find(
      (made) => made !== undefined,
    )
    /** Where the row decides, those who may see it are refused with 403. */
    const refused = rowDecides ? '(403|404)' : '404'
    const call = async (who: string, made: number | RowAndBody, organization?: number) => {
      const { id, body, params }: RowAndBody = typeof made === 'number' ? { id: made, body: {} } : made
      const path = withObject(endpoint.path)
        .replace(/:\w+/, String(id))
        .replaceAll(/:(\w+)/g, (_, name: string) => String(params?.[name] ?? owned[fieldRow(endpoint.path, name)!]))
      const reply = await people[who]!.send(endpoint.method, path, {
        ...(endpoint.body && {
          body: endpoint.acceptsFile ? tableForm() : { ...(validBody(endpoint) as object), ...body },
        }),
        query: { orgId: organization ?? '' },
      })
      return `${who}: ${reply.status}`
    }

    test(`${endpoint.method} ${endpoint.path} can find the organization of a row, and isolation.ts can create one`, () => {
      expect(organizationOf ?? rowDecides).toBeDefined()
      expect(create).toBeDefined()
    })

    test(`${endpoint.method} ${endpoint.path} without orgId admits the owner of a personal row, and nobody else`, async () => {
      const id = await create!(people['owner']!)
      for (const who of ['manager', 'elsewhere', 'alone'])
        expect(await call(who, id)).toMatch(new RegExp(`^${who}: ${refused}$`))
      expect(await call('owner', id)).toBe('owner: 200')
    })

    test(`${endpoint.method} ${endpoint.path} without orgId admits members with ${point} to a row of their organization`, async () => {
      const id = await create!(people['owner']!, orgId)
      for (const who of ['elsewhere', 'alone', 'pointless'])
        expect(await call(who, id)).toMatch(new RegExp(`^${who}: ${refused}$`))
      // A member who may see the row learns that the point is missing. Where the row decides, its domain tests such members.
      if (!rowDecides) expect(await call('reader', id)).toBe(`reader: ${point.endsWith(':read') ? 200 : 403}`)
      expect(await call('manager', id)).toBe('manager: 200')
    })

    test(`${endpoint.method} ${endpoint.path} with orgId admits members with ${point} to rows of that organization only`, async () => {
      const [ofOrg, personal] = [await create!(people['owner']!, orgId), await create!(people['manager']!)]
      for (const who of ['elsewhere', 'alone', 'pointless']) expect(await call(who, ofOrg, orgId)).toBe(`${who}: 403`)
      expect(await call('manager', personal, orgId)).toBe('manager: 404')
      expect(await call('manager', owned[row] as number, orgId)).toBe('manager: 404')
      expect(await call('manager', ofOrg, orgId)).toBe('manager: 200')
    })
  }
})

/** A body that passes validation, so that the answer depends on ownership. */
function validBody(endpoint: AnyEndpoint): unknown {
  const body = sample(endpoint.body!) as Record<string, unknown>
  const known = (endpoint.body!['properties'] ?? {}) as object
  if ('ids' in known) body['ids'] = [listedId(endpoint.path)]
  if (endpoint.path.endsWith('/parent')) body['parentId'] = null
  if (endpoint.id === 'assets.transfer') body['custodianId'] = null
  const given = FIXTURES.flatMap(({ bodies = [] }) => bodies).find(([pattern]) => pattern.test(endpoint.path))?.[1]
  return { ...body, ...given }
}

function stolen(properties: object | undefined, endpoint: AnyEndpoint, inBody: boolean): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(properties ?? {})) {
    const row = fieldRow(endpoint.path, name)
    if (row) values[name] = owned[row]
    if (name === 'ids') values[name] = inBody ? [listedId(endpoint.path)] : listedId(endpoint.path)
    if (name === 'items' && /reorder|pin/.test(endpoint.path))
      values[name] = [{ id: listedId(endpoint.path), sortOrder: 7 }]
  }
  return values
}
