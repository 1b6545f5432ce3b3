import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import type { AnyEndpoint } from '#http/endpoint.ts'

import { createGate, type Device, deviceAt } from '../activities/gate-link-helpers.ts'
import { withPasses } from '../activities/pass-helpers.ts'
import { type Person, startServer, type TestServer } from '../harness/index.ts'
import { brokenBodies, HOSTILE, RAW_BODIES, sample } from './samples.ts'

let server: TestServer
let user: Person
let admin: Person
/** An organization of the user, so that its operations pass the permission check. */
let orgId: number
let gate: Device
let sent = 0

beforeAll(async () => {
  server = await startServer()
  user = await server.person()
  admin = await server.admin()
  gate = await deviceAt(server, await createGate(user, (await withPasses(user)).id))
  orgId = (await user.post('/api/orgs', { name: 'their own' })).data.id
})
afterAll(async () => {
  console.log(`bad input: ${sent} requests`)
  await server.stop()
})

/** Text that no answer may contain: stack traces, SQL, paths of the machine. */
const INSIDE =
  /\bat .+:\d+:\d+|\.ts:\d+|SQLITE_|sqlite|drizzle|\bSELECT\b.+\bFROM\b|\bINSERT INTO\b|node_modules|\/tmp\/|\/dev\/shm\/|\$bunfs|TypeError|ReferenceError/

// They would end the session that sends the requests, and the rest would only test the 401.
const ENDS_SESSION = new Set(['sessions.revoke', 'devices.revoke', 'auth.logout', 'auth.logoutDevice'])

interface Attempt {
  path: string
  body?: unknown
}

// After dissolving the organization, its other operations would answer 403.
const inOwnOrg = (endpoint: AnyEndpoint) => endpoint.access.kind === 'org' && endpoint.id !== 'orgs.dissolve'
const fill = (endpoint: AnyEndpoint, value: string) =>
  (inOwnOrg(endpoint) ? endpoint.path.replace(/:\w+/, String(orgId)) : endpoint.path).replace(/:\w+/g, value)
const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)) ?? ''

function* attempts(endpoint: AnyEndpoint): Generator<Attempt> {
  const path = fill(endpoint, '999999')
  if (endpoint.params)
    for (const value of HOSTILE) {
      const text = encodeURIComponent(asText(value).toWellFormed()).slice(0, 2000)
      if (text !== '') yield { path: fill(endpoint, text), body: endpoint.body && sample(endpoint.body) }
    }
  if (endpoint.query)
    for (const name of [...Object.keys(endpoint.query['properties'] as object), 'unknown'])
      for (const value of HOSTILE) {
        const query = new URLSearchParams([[name, asText(value).toWellFormed().slice(0, 2000)]])
        yield { path: `${path}?${query}` }
      }
  if (endpoint.body) {
    for (const body of brokenBodies(endpoint.body)) yield { path, body }
    for (const body of RAW_BODIES) yield { path, body }
  }
}

async function attempt(endpoint: AnyEndpoint, { path, body }: Attempt): Promise<void> {
  const { kind } = endpoint.access
  const who = kind === 'gate' ? gate : ['platform', 'publisher'].includes(kind) ? admin : user
  const options = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const reply = await who.send(endpoint.method, path, options)
  sent++
  const seen = `${endpoint.id} ${path.slice(0, 200)} ${asText(body).slice(0, 200)} → ${reply.status} ${reply.text.slice(0, 300)}`
  expect(reply.status, seen).toBeLessThan(500)
  if (endpoint.access.kind !== 'open') expect(reply.status, seen).not.toBe(401)
  if (reply.status >= 400) expect(INSIDE.test(reply.text), seen).toBe(false)
}

describe('bad input', () => {
  const targets = allEndpoints.filter((e) => !ENDS_SESSION.has(e.id))
  for (const endpoint of targets)
    test(`${endpoint.method} ${endpoint.path} answers hostile input without a 5xx and without internals`, async () => {
      let batch: Promise<void>[] = []
      for (const one of attempts(endpoint)) {
        batch.push(attempt(endpoint, one))
        if (batch.length === 16) {
          await Promise.all(batch)
          batch = []
        }
      }
      await Promise.all(batch)
    })

  test('at least 5,000 hostile requests were sent', () => {
    expect(sent).toBeGreaterThan(5000)
  })

  test('hostile input polluted no prototype', async () => {
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect((await user.get('/api/auth/userinfo')).status).toBe(200)
  })
})
