/**
 * Nobody who does not use API keys, webhooks, OpenID providers, assistants, reset codes or trusted devices sees that the server has them:
 * the operations of the interface answer the same, whether all of it is switched on and others use it, or switched off.
 */

import { expect, test } from 'bun:test'

import { makeKey } from '../api-keys/helpers.ts'
import { addPasskey } from '../harness/authenticator.ts'
import { inProcess, ok, type Person, type Reply, startServer, type TestServer } from '../harness/index.ts'
import { addProvider, startLiar } from '../oidc/helpers.ts'
import { FIXTURES } from './fixtures.ts'
import { inOrder, type Json, requestsOf } from './requests.ts'
import { contractMethod, contractPath, operations } from './table.ts'

const ON = {
  'apiKeys.enabled': true,
  'mcp.enabled': true,
  'registration.byInvitation': true,
  'security.adminResetCodes': true,
  'security.trustedDevices': true,
  'webhooks.enabled': true,
}
const OFF = Object.fromEntries(Object.keys(ON).map((key) => [key, false])) as unknown as typeof ON

const known = new Set(operations.map(({ method, path }) => `${method} ${path}`))
const ofInterface = inOrder.filter((e) => !e.opensSocket && known.has(`${contractMethod(e)} ${contractPath(e)}`))

/** Rows of the caller, without those that only operations beyond the interface make. */
async function addRows(server: TestServer, admin: Person): Promise<Record<string, number | string>> {
  const owned: Record<string, number | string> = {}
  for (const { make, paths } of FIXTURES)
    if (!paths.some(([path]) => path.test('/api/webhooks/:id') || path.test('/api/auth/api-keys/:id')))
      Object.assign(owned, await make({ server, admin, victim: admin, mark: 'example', owned }))
  const role = { domain: 'APP', code: 'EXAMPLE', name: 'Example' } as const
  owned['role'] = ok(await admin.call('access.createRole', { body: role })).data.id
  return owned
}

/** Everything that can be switched on is used, by another user and by the server. */
async function useAll(server: TestServer, admin: Person, issuer: string): Promise<void> {
  await addProvider(admin, 'school', issuer, { createAccounts: true })
  const body = { name: 'Monitoring', url: 'https://monitoring.example.net/', events: ['*'] }
  ok(await admin.call('webhooks.createOfServer', { body }))
  const other = await server.person()
  await makeKey(server, other, { points: ['qr_code:read'], mcp: 'WRITE' })
  await addPasskey(other)
}

const CHOICE = /status|type|kind|state|role|policy|scope|visibility/i

/** A value without everything that differs between any two servers: ids, times, secrets, and the number of rows in lists. */
function shapeOf(value: Json, name = ''): Json {
  if (Array.isArray(value)) {
    // The list of settings shows which are on.
    const items = value.filter((item) => !(item?.key in ON))
    return [...new Set(items.map((item) => JSON.stringify(shapeOf(item, name))))].toSorted()
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [/^[\d-]+$/.test(key) ? '#' : key, shapeOf(field, key)]),
    )
  if (typeof value === 'string') return CHOICE.test(name) && /^[A-Z_]+$/.test(value) ? value : 'text'
  return typeof value === 'number' ? 'number' : value
}

const seen = ({ status, code, message, details, data, headers }: Reply) => ({
  status,
  code,
  message,
  details: details.map(({ path, message: text }) => [path, text]),
  type: headers.get('content-type'),
  data: shapeOf(data),
})

async function answersOf(settings: typeof ON, issuer?: string): Promise<Record<string, ReturnType<typeof seen>>> {
  await using server = await startServer({
    settings,
    ...(issuer !== undefined && { config: { privateTargets: [issuer] } }),
  })
  const admin = await server.admin()
  const owned = await addRows(server, admin)
  if (issuer !== undefined) await useAll(server, admin, issuer)
  const { exampleRequest } = requestsOf(owned)
  let person = await server.admin()
  const answers: Record<string, ReturnType<typeof seen>> = {}
  for (const endpoint of ofInterface) {
    const { path, ...options } = exampleRequest(endpoint)
    if ((await person.get('/api/auth/userinfo')).status === 401) person = await server.admin()
    const { send } = endpoint.access.kind === 'open' ? { send: server.request } : person
    answers[endpoint.id] = seen(await send(endpoint.method, path, options))
  }
  return answers
}

test.if(inProcess)('operations of the interface answer the same with all ways in on and off', async () => {
  const provider = await startLiar()
  try {
    const off = await answersOf(OFF)
    const on = await answersOf(ON, provider.issuer)
    const different = Object.keys(off).filter((id) => !Bun.deepEquals(off[id], on[id]))
    expect(different.map((id) => ({ id, off: off[id], on: on[id] }))).toEqual([])
    const used = Object.values(off).filter(({ status }) => status === 200)
    expect(used.length).toBeGreaterThan(200)
  } finally {
    await provider.stop()
  }
})
