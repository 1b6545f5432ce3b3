import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import type { AnyEndpoint } from '#http/endpoint.ts'

import { type Person, startServer, type TestServer } from '../harness/index.ts'
import { sample } from './samples.ts'

/** Stands in every text the victim owns; no answer to somebody else may hold it. */
const MARK = 'victims-private-text'

let server: TestServer
let victim: Person
let attacker: Person
let owned: Record<string, number | string>
/** Where the attacker may do everything. */
let attackersOrg: number

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
  const org = (await victim.post('/api/orgs', { name: MARK, visibility: 'INTERNAL' })).data.id
  const guest = await server.person('guest')
  const invited = await victim.post(`/api/orgs/${org}/invite`, { userIds: [guest.id] })
  const invitation = invited.data.items[0].invitationId
  const location = (await victim.post(`/api/orgs/${org}/locations`, { name: MARK })).data.id
  const share = (await victim.post(`/api/orgs/${org}/shares`, { entityType: 'QR_CODE', sourceId: code })).data.id
  attackersOrg = (await attacker.post('/api/orgs', { name: 'their own' })).data.id
  const linked = await server.person('linked')
  const link = (await victim.post('/api/auth/link', { linkedUserId: linked.id, password: linked.password })).data.id
  const device = (await victim.get('/api/auth/devices')).data.items[0].deviceId
  const admin = await server.admin()
  await admin.post('/api/notifications', { userIds: [victim.id], title: MARK, body: MARK })
  const notification = (await victim.get('/api/notifications')).data.items[0].id
  owned = {
    notification,
    link,
    linked: linked.id,
    category,
    child,
    code,
    trashed,
    scan,
    org,
    invitation,
    location,
    share,
    session: victim.sessionId,
    device,
    user: victim.id,
  }
  // An id that was never made would only test the 404 of nothing.
  for (const [name, id] of Object.entries(owned)) expect(['number', 'string'], name).toContain(typeof id)
})
afterAll(() => server.stop())

/** What of the victim's each id in a path stands for. A new id-bearing operation must be added here. */
const FIXTURES: [RegExp, string][] = [
  [/^\/api\/qr-codes\/trash\/restore\/:/, 'trashed'],
  [/^\/api\/qr-codes\/:/, 'code'],
  [/^\/api\/categories\/:/, 'category'],
  [/^\/api\/scan-records\/:/, 'scan'],
  [/^\/api\/notifications\/:/, 'notification'],
  [/^\/api\/auth\/sessions\/:/, 'session'],
  [/^\/api\/auth\/(devices|logout)\/:/, 'device'],
  [/^\/api\/auth\/link\/:/, 'link'],
  [/^\/api\/auth\/accounts\/:/, 'linked'],
  [/^\/api\/login-records\/user\/:/, 'user'],
  [/^\/api\/orgs\/invitation\/:/, 'invitation'],
  [/^\/api\/orgs\/:/, 'org'],
]

/** What each id in a body or query stands for. */
const FIELDS: Record<string, string> = {
  categoryId: 'category',
  parentId: 'child',
  qrCodeId: 'code',
  sessionId: 'session',
  deviceId: 'device',
  userId: 'user',
  linkedUserId: 'user',
  orgId: 'org',
  invitationId: 'invitation',
  locationId: 'location',
  shareId: 'share',
  sourceId: 'code',
}

const idsOf = (endpoint: AnyEndpoint): string =>
  endpoint.path.includes('/locations') ? 'location' : endpoint.path.startsWith('/api/categories') ? 'category' : 'code'

/** Everything the victim has, as the victim sees it. */
async function everything(): Promise<string> {
  const paths = [
    '/api/qr-codes?size=100',
    '/api/qr-codes/trash?size=100',
    '/api/categories?size=100',
    '/api/categories/tree',
    '/api/scan-records?size=100',
    '/api/notifications?size=100',
    '/api/auth/sessions',
    '/api/auth/devices',
    '/api/auth/userinfo',
    '/api/auth/link/list',
    '/api/auth/link/list?direction=INCOMING',
    `/api/login-records/user/${victim.id}`,
    '/api/orgs',
    `/api/orgs/${owned['org']}/members`,
    `/api/orgs/${owned['org']}/invitations`,
    `/api/orgs/${owned['org']}/stats`,
    `/api/orgs/${owned['org']}/locations`,
    `/api/orgs/${owned['org']}/shares?size=100`,
    `/api/qr-codes?size=100&orgId=${owned['org']}`,
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
      // The first id is what the fixture says, further ones by their names.
      const path = endpoint.path
        .replace(/:\w+/, String(owned[fixture![1]]))
        .replaceAll(/:(\w+)/g, (_, name: string) => String(owned[FIELDS[name]!]))
      const reply = await attacker.send(endpoint.method, path, endpoint.body ? { body: validBody(endpoint) } : {})
      expect([403, 404], `${reply.status} ${reply.text}`).toContain(reply.status)
      expect(reply.text).not.toContain(MARK)
      expect(await everything()).toBe(before)
    })

  // Dissolving it would take it from the tests after this one.
  for (const endpoint of allEndpoints.filter((e) => e.access.kind === 'org' && e.id !== 'orgs.dissolve'))
    test(`${endpoint.method} ${endpoint.path} of one's own organization, naming somebody else's ids`, async () => {
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
    test(`${endpoint.method} ${endpoint.path} naming somebody else's ids`, async () => {
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
