/**
 * Starts the product for a test: in this process, or, with TEST_BINARY, as the compiled executable in an empty folder; on SQLite,
 * or, with TEST_DATABASE_URL, on PostgreSQL. Port 0 and a data directory of its own, removed at `stop`. With TEST_PROCESSES=3 it starts
 * three processes on one PostgreSQL database, and a proxy that sends each request to the next of them.
 */

import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { SQL } from 'bun'

import { createContext, domains, serve } from '#app'
import { type Config, defaultConfig } from '#config/config.ts'
import type { Machine } from '#config/machine.ts'
import { modeOf } from '#config/reach.ts'
import type { AppContext } from '#context'
import type { Domain } from '#domains/domain.ts'
import { setSetting, type SettingKey, type Settings } from '#domains/settings/index.ts'
import { createLog } from '#platform/log.ts'
import { createPasswords } from '#platform/passwords.ts'

import { type Call, callBy } from './api.ts'
import { type Reply, type RequestOptions, send } from './client.ts'
import { TestClock } from './clock.ts'
import { freshDatabase, freshFile } from './database.ts'
import { type Person, person } from './people.ts'
import { program } from './program.ts'
import { startProxy } from './proxy.ts'

export const ADMIN = { username: 'root', password: 'correct horse battery' }

export interface ServerOptions {
  rateLimit?: boolean
  /** Start without an administrator. */
  noAdmin?: boolean
  /** Use this directory (and database) instead of fresh ones; `stop` does not delete them. */
  dataDir?: string
  config?: Partial<Config>
  /**
   * Business settings from the start on. By default a user may own any number of organizations, and query parameters that an operation
   * does not know are refused.
   */
  settings?: Partial<Settings>
  /** Changes the list of domains, to listen to events or to contribute. In-process servers only. */
  domains?: (product: readonly Domain[]) => readonly Domain[]
  /** The names and addresses of the machine. In-process servers only. */
  machine?: () => Machine
  /** Where start values come from, as the command line reports it. In-process servers only. */
  origins?: ReadonlyMap<string, string>
  /** The public key of releases. In-process servers only. */
  releaseKey?: string
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

/** Processes of each server under test. */
const processes = Number(process.env['TEST_PROCESSES'] || 0)

/** False if the server is another program: the tests can then not look inside it or move its clock. */
export const inProcess = !process.env['TEST_BINARY'] && processes === 0

let counter = 0

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'tessera-test-'))
  const onPostgres = !!process.env['TEST_DATABASE_URL']
  const database = onPostgres && options.config?.databaseUrl === undefined ? await freshDatabase() : undefined
  const given: Config = {
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
    ...(options.config?.domain && { beside: { host: '127.0.0.1', port: 0, orAny: true } }),
    ...options.config,
  }
  const config = { ...given, mode: options.config?.mode ?? modeOf(given) }
  const settings = { 'quota.organizations': 0, 'http.refuseUnknownParameters': true, ...options.settings }
  if (config.databaseUrl === '') await freshFile(config.dataDir)
  const running = inProcess
    ? await startHere(config, settings, options)
    : processes > 0
      ? await startSeveral(config, settings, processes)
      : await startBinary(config, settings)
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

/** A hash of the real cost takes 26 ms of a core, and the tests make thousands of users. */
const CHEAP_HASHES = { memoryCost: 64, timeCost: 1 }

async function startHere(
  config: Config,
  settings: Partial<Settings>,
  { domains: change, idleSeconds, machine, origins, releaseKey }: ServerOptions,
): Promise<Running> {
  const clock = new TestClock()
  const log = createLog({ level: config.logLevel, format: 'text' })
  const passwords = createPasswords(CHEAP_HASHES)
  const ctx = await createContext(config, {
    log,
    clock,
    passwords,
    domains: change?.(domains) ?? domains,
    ...(machine && { machine }),
    ...(origins && { origins }),
    ...(releaseKey !== undefined && { releaseKey }),
  })
  await ctx.db.write('test.settings', async (tx) => {
    for (const [key, value] of Object.entries(settings)) await setSetting(tx, key as SettingKey, value)
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

/** Starts processes on one database, each with a data directory of its own. Files are in S3 or in a directory that they share. */
async function startSeveral(config: Config, settings: Partial<Settings>, count: number): Promise<Running> {
  if (config.databaseUrl === '') throw new Error('TEST_PROCESSES needs TEST_DATABASE_URL')
  await saveSettings(config.databaseUrl, settings)
  const sharedFiles = config.storageUrl === '' ? join(config.dataDir, 'shared') : ''
  if (sharedFiles !== '') mkdirSync(sharedFiles, { recursive: true })
  const children = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      startChild({
        ...config,
        secret: config.secret || 'the secret of all processes of a test',
        sharedFiles,
        dataDir: join(config.dataDir, `process-${i}`),
      }),
    ),
  )
  const proxy = await startProxy(children.map(({ url }) => url))
  return {
    url: proxy.url,
    clock: new TestClock(),
    async stop() {
      await proxy.stop()
      await Promise.all(children.map((child) => child.stop()))
    },
  }
}

/** No command changes settings. */
async function saveSettings(databaseUrl: string, settings: Partial<Settings>): Promise<void> {
  const sql = new SQL({ url: databaseUrl, max: 1 })
  for (const [key, value] of Object.entries(settings))
    await sql.unsafe('INSERT INTO settings (key, value, updated_at) VALUES ($1, $2, 0)', [key, JSON.stringify(value)])
  await sql.close()
}

async function startBinary(config: Config, settings: Partial<Settings>): Promise<Running> {
  if (config.databaseUrl === '') {
    // Before the start, at which a server reads all settings.
    using db = new Database(join(config.dataDir, 'tessera.db'))
    const save = db.query('INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES (?, ?, 0)')
    for (const [key, value] of Object.entries(settings)) save.run(key, JSON.stringify(value))
  }
  return { ...(await startChild(config)), clock: new TestClock() }
}

export interface Child {
  readonly url: string
  /** Ends the process with a signal, SIGKILL by default. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts the product as a process in an empty folder. */
export async function startChild(config: Config): Promise<Child> {
  const child = spawnServer(config)
  const url = await firstAddress(child.stdout)
  return {
    url,
    async stop(signal = 'SIGKILL') {
      child.kill(signal)
      await child.exited
    },
  }
}

/** `startChild` without waiting until it listens. `main`: a file to run instead of the product, with variables of its own. */
export function spawnServer(config: Config, main?: { path: string; env: Readonly<Record<string, string>> }) {
  const cwd = join(config.dataDir, 'cwd')
  mkdirSync(cwd, { recursive: true })
  // A test that needs a public address of its own has chosen a port for it.
  const isAtPort =
    ![0, defaultConfig.port].includes(config.port) && new URL(config.publicUrl).port === String(config.port)
  return Bun.spawn([...(main ? [process.execPath, main.path] : program), 'serve'], {
    cwd,
    env: {
      ...main?.env,
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      // A start value locks the address, also the default one.
      TESSERA_HOST: config.host === defaultConfig.host ? '' : config.host,
      TESSERA_PORT: isAtPort ? String(config.port) : '0',
      TESSERA_DATA_DIR: config.dataDir,
      TESSERA_DATABASE_URL: config.databaseUrl,
      TESSERA_STORAGE_URL: config.storageUrl,
      TESSERA_SHARED_FILES: config.sharedFiles,
      TESSERA_SECRET: config.secret,
      // Processes of one database must give the same addresses; a process alone takes its port.
      TESSERA_PUBLIC_URL: config.databaseUrl || isAtPort ? config.publicUrl : '',
      TESSERA_SHORT_URL: config.shortUrl,
      TESSERA_LAN: config.lan ? 'on' : '',
      TESSERA_HTTP_PORT: config.lan ? String(config.httpPort ?? 'off') : '',
      TESSERA_ADMIN_USERNAME: config.adminUsername,
      TESSERA_ADMIN_PASSWORD: config.adminPassword,
      TESSERA_SMTP_URL: config.smtpUrl,
      TESSERA_MAIL_FROM: config.mailFrom,
      TESSERA_SMS_URL: config.smsUrl,
      TESSERA_ONECLICK_URL: config.oneclickUrl,
      TESSERA_GEOIP_FILE: config.geoipFile.join(),
      TESSERA_TRUSTED_PROXIES: config.trustedProxies.join() || 'none',
      TESSERA_METRICS_TOKEN: config.metricsToken,
      TESSERA_OTLP_URL: config.otlpUrl,
      TESSERA_OTLP_HEADERS: config.otlpHeaders,
      TESSERA_TRACE_RATIO: config.otlpUrl && String(config.traceRatio),
      TESSERA_CORS_ORIGINS: config.corsOrigins.join() || 'none',
      TESSERA_PUSH_SERVICES: config.pushServices.join() || 'none',
      TESSERA_PRIVATE_TARGETS: config.privateTargets.join() || 'none',
      TESSERA_LOG_LEVEL: config.logLevel,
      TESSERA_RATE_LIMIT: config.rateLimit ? 'on' : 'off',
    },
    stdout: 'pipe',
    stderr: 'inherit',
  })
}

/** Reads the server's output until it prints its address, and keeps reading afterwards so that the pipe never fills. */
export async function firstAddress(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stdout.getReader()
  let seen = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the server ended before it listened: ${seen}`)
    seen += new TextDecoder().decode(value)
    const address = /listening on (https?:\/\/\S+)/.exec(seen)?.[1]
    if (address) {
      void drain(reader)
      return address
    }
  }
}

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}
