/**
 * No secret is in any answer, line of the log, row of the operation log, export or manifest: each is set to a marker, the server uses them, and everything
 * that administrators can read is searched.
 */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { allEndpoints } from '#app'

import { send } from '../harness/client.ts'
import { ADMIN } from '../harness/server.ts'
import { until } from '../harness/until.ts'
import { Installation } from './cli.ts'

let place: Installation
beforeEach(async () => void (place = await Installation.make()))
afterEach(() => place.dispose())

const marker = (name: string): string => `MARKER${name}MARKER${'0123456789'.repeat(3)}`
const SECRETS = {
  TESSERA_SECRET: marker('secret'),
  TESSERA_METRICS_TOKEN: marker('metrics'),
  TESSERA_SMS_URL: `http://:${marker('sms')}@127.0.0.1:9/sms`,
  TESSERA_ONECLICK_URL: `http://:${marker('oneclick')}@127.0.0.1:9/oneclick`,
  TESSERA_OTLP_HEADERS: `authorization=${marker('otlp')}`,
  TESSERA_ADMIN_PASSWORD: marker('admin'),
}

const PASSWORD = marker('mail')
const TLS = join(import.meta.dir, '../harness/tls')
const KEY = readFileSync(join(TLS, 'localhost-1.key.pem'), 'utf8')
/** In the forms in which it could be written. */
const forms = (text: string): string[] => [
  text,
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
  Buffer.from(text).toString('base64url'),
  Buffer.from(text).toString('hex'),
  Buffer.from(`\0desk\0${text}`).toString('base64').replace(/=+$/, ''),
]
const FORBIDDEN = ['secret', 'metrics', 'sms', 'oneclick', 'otlp', 'admin', 'mail', 'newer', 'acmedns', 'cloudflare']
  .map(marker)
  .concat(KEY.split('\n')[1]!)
  .flatMap(forms)

function expectNoSecret(what: string, text: string): void {
  const found = FORBIDDEN.filter((form) => text.includes(form))
  expect({ what, found }).toEqual({ what, found: [] })
}

test.each(['start values', 'stored values'])('secrets of %s are in nothing that can be read', async (kind) => {
  const isStart = kind === 'start values'
  const smtp = isStart && {
    TESSERA_SMTP_URL: `smtps://desk:${PASSWORD}@localhost:9`,
    TESSERA_MAIL_FROM: 'desk@example.org',
  }
  const env = {
    ...SECRETS,
    ...smtp,
    TESSERA_OTLP_URL: 'http://127.0.0.1:9',
    TESSERA_ADMIN_USERNAME: ADMIN.username,
    TESSERA_LOG_LEVEL: 'debug',
    TESSERA_RATE_LIMIT: 'off',
  }
  const server = await place.serve([], { env })
  const device = { 'x-device-id': 'device-of-the-secrets-test' }
  const login = await send(server.url, 'POST', '/api/admin/auth/login', {
    headers: device,
    body: { account: ADMIN.username, password: SECRETS.TESSERA_ADMIN_PASSWORD },
  })
  const headers = { ...device, authorization: `Bearer ${(login.data as { accessToken: string }).accessToken}` }
  const call = async (method: string, path: string, body?: object) => {
    const reply = await send(server.url, method, path, { headers, ...(body && { body }) })
    expectNoSecret(`${method} ${path}`, reply.text + JSON.stringify([...reply.headers]))
    return reply
  }

  // The secrets are used, in ways that fail.
  const mail = { kind: 'SMTP', host: 'localhost', port: 9, security: 'TLS', user: 'desk', from: 'desk@example.org' }
  if (!isStart) {
    expect((await call('PUT', '/api/admin/server/mail', { ...mail, password: PASSWORD })).status).toBe(200)
    expect((await call('PUT', '/api/admin/server/mail', { ...mail, password: marker('newer') })).status).toBe(200)
    expect((await call('PUT', '/api/admin/server/mail', { security: 'NONE', host: '10.0.0.1' })).status).toBe(400)
    const certificate = (body: object) => call('PUT', '/api/admin/server/certificate', body)
    const service = { kind: 'ACMEDNS', url: 'https://dns.example', username: 'desk', subdomain: 'qr' }
    expect((await certificate({ dns: { ...service, password: marker('acmedns') } })).status).toBe(200)
    expect((await certificate({ dns: { ...service, url: 'x', password: marker('acmedns') } })).status).toBe(400)
    const cloudflare = { kind: 'CLOUDFLARE', zoneId: 'zone', token: marker('cloudflare') }
    expect((await certificate({ dns: cloudflare })).status).toBe(200)
    // A certificate needs an address that others reach.
    const proxy = { mode: 'PROXY', publicUrl: 'https://localhost' }
    const isOpen = (await call('PUT', '/api/admin/server/reach', proxy)).status === 200
    const files = { kind: 'FILES', chain: readFileSync(join(TLS, 'localhost-1.cert.pem'), 'utf8'), key: KEY }
    await certificate(files)
    expect((await certificate({ ...files, chain: 'x' })).status).toBe(400)
    expect(isOpen).toBe(true)
    const tried = { to: 'a@example.org', mail: { ...mail, password: PASSWORD } }
    expect((await call('POST', '/api/admin/server/mail/test', tried)).status).toBe(200)
  }
  expect((await call('POST', '/api/admin/server/mail/test', { to: 'a@example.org' })).status).toBe(200)
  await call('POST', '/api/auth/email/send-code', { email: 'new@example.org' })
  await call('POST', '/api/auth/sms/send-code', { phone: '+8613800138000' })
  await call('POST', '/api/auth/verify-mobile', { token: 'a-token-of-a-carrier' })
  const made = await call('POST', '/api/admin/backups')
  expect(made.status).toBe(200)
  const folder = join(place.dataDir, 'backups')
  const backups = () => readdirSync(folder).filter((name) => !name.startsWith('.') && !name.endsWith('.part'))
  await until(async () => {
    const { data } = await call('GET', '/api/admin/backups')
    const { items } = data as { items: { status?: string }[] }
    return items.length > 0 && !JSON.stringify(items).includes('RUNNING') && backups().length > 0
  })

  const paths = allEndpoints
    .filter(
      ({ method, path }) => method === 'GET' && path.startsWith('/') && !path.includes(':') && !path.startsWith('/ws'),
    )
    .map(({ path }) => path)
  expect(paths.length).toBeGreaterThan(100)
  for (const path of new Set(paths)) await call('GET', path)
  expect((await call('GET', '/api/admin/server')).text).toContain('"hasPassword":true')
  await call('GET', '/api/admin/logs?size=100')
  await call('GET', '/api/admin/server-log?size=100')
  // The manifest at its beginning is plain text.
  for (const name of backups()) expectNoSecret(name, readFileSync(join(folder, name)).toString('latin1'))
  const check = await place.run(['check-config'], { env })
  expectNoSecret('check-config', check.stdout + check.stderr)
  const doctor = await place.run(['doctor'], { env })
  expectNoSecret('doctor', doctor.stdout + doctor.stderr)
  expect(await server.end()).toBe(0)
  expect(server.stderr().length).toBeGreaterThan(1000)
  expectNoSecret('the log', server.stdout() + server.stderr())
})
