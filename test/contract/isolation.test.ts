import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '../../src/app.ts'
import type { AnyEndpoint } from '../../src/http/endpoint.ts'
import { type Person, startServer, type TestServer } from '../harness/index.ts'
import { sample } from './samples.ts'

/** Stands in every text the victim owns; no answer to somebody else may hold it. */
const MARK = 'victims-private-text'

let server: TestServer
let victim: Person
let attacker: Person
let owned: Record<string, number | string>

beforeAll(async () => {
  server = await startServer()
  victim = await server.person('victim')
  attacker = await server.person('attacker')
  const category = (await victim.post('/api/categories', { name: MARK })).data.id
  const child = (await victim.post('/api/categories', { name: `${MARK} child`, parentId: category })).data.id
  const code = (await victim.post('/api/qr-codes', { name: MARK, content: MARK, categoryId: category })).data.id
  const trashed = (await victim.post('/api/qr-codes', { name: MARK, content: `${MARK} trashed` })).data.id
  await victim.delete(`/api/qr-codes/${trashed}`)
  const scan = (await victim.post('/api/scan-records', { content: MARK, source: 'CAMERA' })).data.id
  const device = (await victim.get('/api/auth/devices')).data.items[0].deviceId
  owned = { category, child, code, trashed, scan, session: victim.sessionId, device, user: victim.id }
  for (const [name, id] of Object.entries(owned)) expect(id, name).toBeTruthy()
})
afterAll(() => server.stop())

/** What of the victim's each id in a path stands for. A new id-bearing operation must be added here. */
const FIXTURES: [RegExp, string][] = [
  [/^\/api\/qr-codes\/trash\/restore\/:/, 'trashed'],
  [/^\/api\/qr-codes\/:/, 'code'],
  [/^\/api\/categories\/:/, 'category'],
  [/^\/api\/scan-records\/:/, 'scan'],
  [/^\/api\/auth\/sessions\/:/, 'session'],
  [/^\/api\/auth\/(devices|logout)\/:/, 'device'],
  [/^\/api\/login-records\/user\/:/, 'user'],
]

/** What each id in a body or query stands for. */
const FIELDS: Record<string, string> = {
  categoryId: 'category',
  parentId: 'child',
  qrCodeId: 'code',
  sessionId: 'session',
  deviceId: 'device',
  userId: 'user',
}

const idsOf = (endpoint: AnyEndpoint): string => (endpoint.path.startsWith('/api/categories') ? 'category' : 'code')

/** Everything the victim has, as the victim sees it. */
async function everything(): Promise<string> {
  const paths = [
    '/api/qr-codes?size=100',
    '/api/qr-codes/trash?size=100',
    '/api/categories?size=100',
    '/api/categories/tree',
    '/api/scan-records?size=100',
    '/api/auth/sessions',
    '/api/auth/devices',
    '/api/auth/userinfo',
    `/api/login-records/user/${victim.id}`,
  ]
  const replies = await Promise.all(paths.map((path) => victim.get(path)))
  for (const [i, reply] of replies.entries()) expect(reply.status, paths[i]).toBe(200)
  return JSON.stringify(replies.map((r) => r.data)).replace(/"lastActive\w*":\d+/g, '')
}

const isPersonal = (e: AnyEndpoint) =>
  e.access.kind !== 'open' && e.access.kind !== 'platform' && e.access.kind !== 'admin'

describe('isolation', () => {
  for (const endpoint of allEndpoints.filter((e) => isPersonal(e) && e.path.includes(':')))
    test(`${endpoint.method} ${endpoint.path} of somebody else`, async () => {
      const fixture = FIXTURES.find(([pattern]) => pattern.test(endpoint.path))
      expect(fixture, 'no fixture for this operation').toBeDefined()
      const before = await everything()
      const path = endpoint.path.replace(/:\w+/, String(owned[fixture![1]]))
      const reply = await attacker.send(endpoint.method, path, endpoint.body ? { body: validBody(endpoint) } : {})
      expect([403, 404], `${reply.status} ${reply.text}`).toContain(reply.status)
      expect(reply.text).not.toContain(MARK)
      expect(await everything()).toBe(before)
    })

  for (const endpoint of allEndpoints.filter((e) => isPersonal(e) && (e.body || e.query)))
    test(`${endpoint.method} ${endpoint.path} naming somebody else's ids`, async () => {
      const before = await everything()
      const path = endpoint.path.replace(/:\w+/, '999999')
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

/** A body that passes validation, so that ownership and not form decides. */
function validBody(endpoint: AnyEndpoint): unknown {
  const body = sample(endpoint.body!) as Record<string, unknown>
  const known = (endpoint.body!['properties'] ?? {}) as object
  if ('ids' in known) body['ids'] = [owned[idsOf(endpoint)]]
  if (endpoint.path.endsWith('/parent')) body['parentId'] = null
  return body
}

function stolen(properties: object | undefined, endpoint: AnyEndpoint, inBody: boolean): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(properties ?? {})) {
    if (FIELDS[name]) values[name] = owned[FIELDS[name]]
    if (name === 'ids') values[name] = inBody ? [owned[idsOf(endpoint)]] : owned[idsOf(endpoint)]
    if (name === 'items' && /reorder|pin/.test(endpoint.path))
      values[name] = [{ id: owned[idsOf(endpoint)], sortOrder: 7 }]
  }
  return values
}
