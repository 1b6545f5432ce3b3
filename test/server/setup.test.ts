/** How far the setup of the server is: GET and PUT /api/admin/setup, and its part of GET /api/admin/server. */

import { beforeEach, describe, expect, test } from 'bun:test'

import { setServerValue } from '#domains/settings/index.ts'

import { createRole, grant } from '../access/helpers.ts'
import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'

const { server, admin, alice, deputy } = useServer({ people: ['alice', 'deputy'] })

const LISTED = ['language', 'name', 'reach', 'mail', 'registration', 'backup', 'organization', 'invite'] as const
type Key = (typeof LISTED)[number] | 'certificate'
type Status = 'OPEN' | 'DONE' | 'SKIPPED'

const show = async (who: Person = admin) => ok(await who.call('server.setup')).data
const mark = (marks: Partial<Record<Key, Status>>, who: Person = admin) =>
  who.call('server.setup.update', {
    body: { steps: Object.entries(marks).map(([key, status]) => ({ key: key as Key, status })) },
  })
const all = (status: Status) => mark(Object.fromEntries(LISTED.map((key) => [key, status])))
const summary = async () => ok(await admin.call('server.values')).data.setup
const statuses = async () => Object.fromEntries((await show()).steps.map(({ key, status }) => [key, status]))

beforeEach(async () => void ok(await all('OPEN')))

test('a new server has all steps open, in the order of the wizard, and no step for a certificate that it does not need', async () => {
  const { done, steps } = await show()
  expect(done).toBe(false)
  expect(steps).toEqual(LISTED.map((key) => ({ key, status: 'OPEN', since: null, lockedBy: null })))
  expect(await summary()).toEqual({ done: false, open: 8 })
})

test('a mark is stored with its time, and changes nothing else', async () => {
  const before = ok(await admin.call('server.values')).data
  const { data } = ok(await mark({ mail: 'SKIPPED', name: 'DONE' }))
  expect(data.steps.filter(({ status }) => status !== 'OPEN').map(({ key, status }) => [key, status])).toEqual([
    ['name', 'DONE'],
    ['mail', 'SKIPPED'],
  ])
  const since = data.steps.find(({ key }) => key === 'mail')!.since
  expect(since).toBeGreaterThan(0)
  server.clock.advance(60_000)
  ok(await mark({ mail: 'SKIPPED' }))
  expect((await show()).steps.find(({ key }) => key === 'mail')!.since).toBe(since)
  const after = ok(await admin.call('server.values')).data
  expect(after).toEqual({ ...before, setup: { done: false, open: 6 } })
  // Another administrator who has read the values before can still change them.
  const seen = { 'if-match': `"${before.version}"` }
  ok(await admin.call('server.identity.update', { body: {}, headers: seen }))
})

test('the setup is done when no step is open, and opens again only when a step is marked open', async () => {
  ok(await all('SKIPPED'))
  expect(await show()).toMatchObject({ done: true })
  expect(await summary()).toEqual({ done: true, open: 0 })
  ok(await mark({ mail: 'DONE' }))
  expect((await show()).done).toBe(true)
  ok(await mark({ mail: 'OPEN' }))
  expect(await summary()).toEqual({ done: false, open: 1 })
})

test('administrators who mark steps at the same time lose no mark of each other', async () => {
  const replies = await race(LISTED.length, (nth) => mark({ [LISTED[nth]!]: nth % 2 ? 'DONE' : 'SKIPPED' }))
  for (const reply of replies) ok(reply)
  expect(Object.values(await statuses())).not.toContain('OPEN')
  expect((await show()).done).toBe(true)
})

test.if(inProcess)('the step of the certificate is there while the server has names or is for a network', async () => {
  const { ctx } = server
  const reach = (mode: 'DOMAIN' | 'NETWORK' | 'PROXY' | undefined) =>
    ctx.db.write('test.reach', (tx) =>
      setServerValue(
        tx,
        'reach',
        mode && {
          mode,
          names: ['qr.example.org'],
          publicUrl: 'https://qr.example.org',
          host: null,
          httpsPort: null,
          httpPort: null,
          loopback: true,
        },
      ),
    )
  for (const mode of ['DOMAIN', 'NETWORK'] as const) {
    await reach(mode)
    expect((await show()).steps.map(({ key }) => key)[3]).toBe('certificate')
  }
  await reach('PROXY')
  expect((await show()).steps).toHaveLength(8)
  // A setup that is done stays done when a later change adds a step.
  ok(await all('DONE'))
  await reach('DOMAIN')
  expect(await summary()).toEqual({ done: true, open: 0 })
  await reach(undefined)
})

test.each<[string, unknown]>([
  ['an unknown step', { steps: [{ key: 'colour', status: 'DONE' }] }],
  ['an unknown status', { steps: [{ key: 'mail', status: 'LATER' }] }],
  ['no steps', { steps: [] }],
  ['too many steps', { steps: Array.from({ length: 10 }, () => ({ key: 'mail', status: 'DONE' })) }],
  ['something else', { done: true }],
])('%s is refused', async (_, body) => {
  expect((await admin.send('PUT', '/api/admin/setup', { body })).status).toBe(400)
  expect((await show()).done).toBe(false)
})

describe('access', () => {
  test('callers without a token, users, and administrators without SYSTEM_ADMIN are refused', async () => {
    expect((await server.call('server.setup')).status).toBe(401)
    expect((await mark({ mail: 'DONE' }, alice)).status).toBe(403)
    const role = await createRole(admin, { domain: 'PLATFORM', permissions: ['system:read', 'setting:update'] })
    await grant(admin, deputy, role)
    expect(ok(await deputy.call('server.values')).data.setup.open).toBe(8)
    expect((await deputy.call('server.setup')).status).toBe(403)
    expect((await mark({ mail: 'DONE' }, deputy)).status).toBe(403)
    expect((await statuses())['mail']).toBe('OPEN')
  })
})

describe.if(inProcess)('a server with start values', () => {
  test('has the steps that they decide done, and names them', async () => {
    await using started = await startServer({
      config: { smtpUrl: 'smtp://127.0.0.1:2525', publicUrl: 'https://qr.example.org' },
    })
    const origins = started.ctx.origins as Map<string, string>
    origins.set('smtpUrl', 'TESSERA_SMTP_URL').set('publicUrl', '--public-url')
    const root = await started.admin()
    const { steps } = ok(await root.call('server.setup')).data
    expect(steps.filter(({ status }) => status === 'DONE')).toMatchObject([
      { key: 'reach', lockedBy: '--public-url' },
      { key: 'mail', lockedBy: 'TESSERA_SMTP_URL' },
    ])
    ok(await root.call('server.setup.update', { body: { steps: [{ key: 'mail', status: 'SKIPPED' }] } }))
    expect(ok(await root.call('server.values')).data.setup.open).toBe(6)
  })
})
