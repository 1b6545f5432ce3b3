/** Restarting the server in the browser: it ends with a code of its own, if something starts it again. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { SQL } from 'bun'

import { ADMIN } from '../harness/server.ts'
import { until } from '../harness/until.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => void (place = await Installation.make()))
afterEach(() => place.dispose())

const env = (more: Record<string, string> = {}) => ({
  TESSERA_ADMIN_USERNAME: ADMIN.username,
  TESSERA_ADMIN_PASSWORD: ADMIN.password,
  INVOCATION_ID: '',
  XPC_SERVICE_NAME: '',
  KUBERNETES_SERVICE_HOST: '',
  container: '',
  ...more,
})

interface Answer {
  readonly code: number
  readonly message?: string
  readonly data: {
    readonly accessToken?: string
    readonly supervisor?: string
    readonly items?: { action: string }[]
    readonly restart?: { needed: boolean; fields: string[]; problems: string[] }
    readonly ignored?: string[]
    readonly sources?: Record<string, string>
    readonly mail?: { kind: string }
  }
}

async function signIn({ url }: RunningCli): Promise<(method: string, path: string, body?: object) => Promise<Answer>> {
  const device = { 'x-device-id': 'device-of-the-restart-test' }
  const login = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...device },
    body: JSON.stringify({ account: ADMIN.username, password: ADMIN.password }),
  })
  const { data } = (await login.json()) as Answer
  const headers = { authorization: `Bearer ${data.accessToken!}`, 'content-type': 'application/json', ...device }
  return async (method, path, body) =>
    (await (await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json()) as Answer
}

test('a server in a container ends with exit code 75, and the next start knows who restarted it', async () => {
  const server = await place.serve([], { env: env({ container: 'podman' }) })
  const call = await signIn(server)
  const { code, data } = await call('POST', '/api/admin/server/restart')
  expect([code, data.supervisor]).toEqual([200, 'CONTAINER'])
  expect(await server.ended()).toBe(75)

  const next = await place.serve([], { env: env({ container: 'podman' }) })
  const { data: log } = await (await signIn(next))('GET', '/api/admin/logs?action=SERVER_RESTART')
  expect(log.items!.map(({ action }) => action)).toEqual(['SERVER_RESTART'])
  expect(await next.end()).toBe(0)
})

test('a server that nothing would start again goes on, and says what to do', async () => {
  const server = await place.serve([], { env: env() })
  const { code, message } = await (await signIn(server))('POST', '/api/admin/server/restart')
  expect([code, message]).toEqual([400, expect.stringContaining('tessera service install')])
  expect((await fetch(`${server.url}/actuator/health`)).status).toBe(200)
  expect(await server.end()).toBe(0)
})

test('a changed tessera.toml and a changed file of a secret make a restart needed, which names them and no secret', async () => {
  const toml = join(place.cwd, 'tessera.toml')
  const token = join(place.cwd, 'token')
  writeFileSync(toml, 'drain_seconds = 0\nmetrics_token_file = "token"\nlog_level = "warn"\n')
  writeFileSync(token, 'a-first-token-of-metrics')
  const server = await place.serve([], { env: env({ container: 'podman', TESSERA_RATE_LIMIT: 'off' }) })
  const call = await signIn(server)
  const values = async () => (await call('GET', '/api/admin/server')).data
  const { restart, supervisor, sources } = await values()
  expect(restart).toEqual({ needed: false, fields: [], problems: [] })
  expect(supervisor).toBe('CONTAINER')
  expect(sources).toMatchObject({
    drainSeconds: 'FILE',
    dataDir: 'ENVIRONMENT',
    metricsToken: 'FILE',
    smsUrl: 'DEFAULT',
  })

  // The level is the default now, and the port stays that of the environment.
  writeFileSync(toml, 'drain_seconds = 0\nmetrics_token_file = "token"\nport = 99\n')
  writeFileSync(token, 'a-second-token-of-metrics')
  await until(async () => (await values()).restart!.needed)
  await until(async () => (await values()).restart!.fields.length > 1)
  expect((await values()).restart).toEqual({ needed: true, fields: ['metricsToken', 'logLevel'], problems: [] })

  writeFileSync(toml, 'drain_seconds = 0\nmetrics_token = "short-secret"\nport = "x"\n')
  await until(async () => (await values()).restart!.problems.length > 0)
  const broken = JSON.stringify((await values()).restart)
  expect(broken).toContain('metrics_token in tessera.toml must be 16 to 200')
  expect(broken).not.toContain('short-secret')
  expect(await call('POST', '/api/admin/server/restart')).toMatchObject({
    code: 400,
    message: expect.stringContaining('The server would not start again. metrics_token'),
  })
  writeFileSync(toml, 'smtp_url = smtps://user:hidden-word@mail.example.org\n')
  await until(async () => (await values()).restart!.problems.join(' ').includes('not valid TOML'))
  expect(JSON.stringify((await values()).restart)).not.toContain('hidden-word')

  writeFileSync(toml, 'drain_seconds = 0\nmetrics_token_file = "token"\nlog_level = "warn"\n')
  writeFileSync(token, 'a-first-token-of-metrics')
  await until(async () => (await values()).restart!.problems.length === 0)
  expect((await values()).restart).toEqual({ needed: false, fields: [], problems: [] })
  expect(await server.end()).toBe(0)
})

test('a stored server value that is not valid is ignored with one line of the log, and doctor warns of it', async () => {
  expect(await (await place.serve([], { env: env() })).end()).toBe(0)
  await insertSetting('server.mail', JSON.stringify({ host: 7 }))
  await insertSetting('server.unknown', '1')
  const server = await place.serve([], { env: env() })
  const call = await signIn(server)
  const change = async (name: string) => call('PUT', '/api/admin/server/identity', { name })
  // Each change reads all values again.
  expect([(await change('A')).code, (await change('B')).code]).toEqual([200, 200])
  const { data } = await call('GET', '/api/admin/server')
  expect([data.ignored, data.mail!.kind]).toEqual([['server.mail'], 'NONE'])
  expect(server.stderr().match(/"key":"server\.\w+"/g)).toEqual(['"key":"server.mail"'])
  const doctor = await place.run(['doctor', '--json'])
  expect(doctor.stdout).toContain('server.mail is not valid and is ignored')
  expect([doctor.code, doctor.stdout]).toEqual([0, expect.not.stringContaining('server.unknown')])
  expect((await call('PUT', '/api/admin/server/mail', { kind: 'NONE' })).code).toBe(200)
  expect((await call('GET', '/api/admin/server')).data.ignored).toEqual([])
  expect(await server.end()).toBe(0)
})

async function insertSetting(key: string, value: string): Promise<void> {
  const sql = onPostgres ? new SQL(place.databaseUrl) : undefined
  if (sql !== undefined) {
    await sql`INSERT INTO settings (key, value, updated_at) VALUES (${key}, ${value}, 1)`
    return sql.close()
  }
  const db = new Database(join(place.dataDir, 'tessera.db'))
  db.run('INSERT INTO settings (key, value, updated_at) VALUES (?, ?, 1)', [key, value])
  db.close()
}
