/**
 * Starts the product for a test: in this process, or, with TEST_BINARY, as the compiled executable in an empty folder; on SQLite,
 * or, with TEST_DATABASE_URL, on PostgreSQL. Port 0 and a data directory of its own, removed at `stop`.
 */

import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createContext, domains, serve } from '#app'
import { type Config, defaultConfig } from '#config/config.ts'
import type { AppContext } from '#context'
import type { Domain } from '#domains/domain.ts'
import { setSetting, type SettingKey, type Settings } from '#domains/settings/index.ts'
import { createLog } from '#platform/log.ts'

import { type Call, callBy } from './api.ts'
import { type Reply, type RequestOptions, send } from './client.ts'
import { TestClock } from './clock.ts'
import { freshDatabase } from './database.ts'
import { type Person, person } from './people.ts'

export const ADMIN = { username: 'root', password: 'correct horse battery' }

export interface ServerOptions {
  rateLimit?: boolean
  /** Start without an administrator. */
  noAdmin?: boolean
  /** Use this directory (and database) instead of fresh ones; `stop` does not delete them. */
  dataDir?: string
  config?: Partial<Config>
  /** Business settings from the start on. By default a user may own any number of organizations. */
  settings?: Partial<Settings>
  /** Changes the list of domains, to listen to events or to contribute. In-process servers only. */
  domains?: (product: readonly Domain[]) => readonly Domain[]
  /** Seconds until an idle connection is closed. In-process servers only. */
  idleSeconds?: number
}

export interface TestServer {
  readonly url: string
  readonly dataDir: string
  /** In-process servers only; tests that use it are guarded by `inProcess`. */
  readonly ctx: AppContext
  readonly clock: TestClock
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** Calls an operation by its id without signing in. */
  call: Call
  /** Registers and signs in a new user. */
  person(name?: string): Promise<Person>
  /** The first administrator, holding SYSTEM_ADMIN. */
  admin(): Promise<Person>
  stop(): Promise<void>
  /** Stops in an orderly way, as on SIGTERM. In-process servers only; `stop` must follow. */
  drain(): Promise<void>
  /** `stop`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** False if the compiled executable is under test: the tests can then not look inside the server or move its clock. */
export const inProcess = !process.env['TEST_BINARY']

let counter = 0

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'tessera-test-'))
  const onPostgres = !!process.env['TEST_DATABASE_URL']
  const database = onPostgres && options.config?.databaseUrl === undefined ? await freshDatabase() : undefined
  const config: Config = {
    ...defaultConfig,
    host: '127.0.0.1',
    port: 0,
    dataDir,
    databaseUrl: database?.url ?? '',
    adminUsername: options.noAdmin ? '' : ADMIN.username,
    adminPassword: options.noAdmin ? '' : ADMIN.password,
    logLevel: 'error',
    rateLimit: options.rateLimit ?? false,
    checkAnswers: true,
    ...options.config,
  }
  const settings = { 'quota.organizations': 0, ...options.settings }
  const running = inProcess ? await startHere(config, settings, options) : await startBinary(config, settings)
  const { url } = running
  async function stop(): Promise<void> {
    await running.stop()
    await database?.drop()
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
  return {
    url,
    dataDir,
    get ctx() {
      if (!running.ctx) throw new Error('this test looks inside the server: guard it with `inProcess`')
      return running.ctx
    },
    clock: running.clock,
    request: (method, path, options) => send(url, method, path, options),
    call: callBy((method, path, options) => send(url, method, path, options)),
    async person(name = `user${++counter}`) {
      const password = `secret of ${name}`
      const deviceId = `device-of-${name}-${crypto.randomUUID()}`
      const headers = { 'x-device-id': deviceId }
      const made = await send(url, 'POST', '/api/auth/register', { headers, body: { username: name, password } })
      return person(url, made, name, password, deviceId)
    },
    async admin() {
      const deviceId = `device-of-admin-${crypto.randomUUID()}`
      const body = { account: ADMIN.username, password: ADMIN.password }
      const login = await send(url, 'POST', '/api/admin/auth/login', { headers: { 'x-device-id': deviceId }, body })
      return person(url, login, ADMIN.username, ADMIN.password, deviceId)
    },
    stop,
    async drain() {
      if (!running.drain) throw new Error('only servers of this process drain')
      await running.drain()
    },
    [Symbol.asyncDispose]: stop,
  }
}

interface Running {
  url: string
  ctx?: AppContext
  clock: TestClock
  drain?(): Promise<void>
  stop(): Promise<void>
}

async function startHere(
  config: Config,
  settings: Partial<Settings>,
  { domains: change, idleSeconds }: ServerOptions,
): Promise<Running> {
  const clock = new TestClock()
  const log = createLog({ level: config.logLevel, format: 'text' })
  const ctx = await createContext(config, { log, clock, domains: change?.(domains) ?? domains })
  await ctx.db.write('test.settings', async (tx) => {
    for (const [key, value] of Object.entries(settings)) await setSetting(ctx, tx, key as SettingKey, value)
  })
  const server = await serve(ctx, { idleSeconds })
  return {
    url: server.url,
    ctx,
    clock,
    drain: () => server.stop(),
    async stop() {
      await server.kill()
      await ctx.close()
    },
  }
}

async function startBinary(config: Config, settings: Partial<Settings>): Promise<Running> {
  const cwd = join(config.dataDir, 'cwd')
  mkdirSync(cwd, { recursive: true })
  const child = Bun.spawn([process.env['TEST_BINARY']!, 'serve'], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      TESSERA_HOST: config.host,
      TESSERA_PORT: '0',
      TESSERA_DATA_DIR: config.dataDir,
      TESSERA_DATABASE_URL: config.databaseUrl,
      TESSERA_STORAGE_URL: config.storageUrl,
      TESSERA_ADMIN_USERNAME: config.adminUsername,
      TESSERA_ADMIN_PASSWORD: config.adminPassword,
      TESSERA_SMTP_URL: config.smtpUrl,
      TESSERA_MAIL_FROM: config.mailFrom,
      TESSERA_SMS_URL: config.smsUrl,
      TESSERA_ONECLICK_URL: config.oneclickUrl,
      TESSERA_GEOIP_FILE: config.geoipFile.join(),
      TESSERA_CORS_ORIGINS: config.corsOrigins.join() || 'none',
      TESSERA_LOG_LEVEL: config.logLevel,
      TESSERA_RATE_LIMIT: config.rateLimit ? 'on' : 'off',
    },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const url = await firstAddress(child.stdout)
  // No command changes settings. The server has not read them yet.
  if (config.databaseUrl === '') {
    using db = new Database(join(config.dataDir, 'tessera.db'))
    const save = db.query('INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES (?, ?, 0)')
    for (const [key, value] of Object.entries(settings)) save.run(key, JSON.stringify(value))
  }
  return {
    url,
    clock: new TestClock(),
    async stop() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Reads the server's output until it prints its address, and keeps reading afterwards so that the pipe never fills. */
export async function firstAddress(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stdout.getReader()
  let seen = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the server ended before it listened: ${seen}`)
    seen += new TextDecoder().decode(value)
    const address = /listening on (http:\/\/\S+)/.exec(seen)?.[1]
    if (address) {
      void drain(reader)
      return address
    }
  }
}

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}
