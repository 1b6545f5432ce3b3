/** Servers and gateways for the tests of the outbox. Everything started here is stopped after each test. */

import { afterEach } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createContext, serve } from '#app'
import { type Config, defaultConfig } from '#config/config.ts'
import type { AppContext } from '#context'
import { outbox } from '#db/schema/delivery.ts'
import { type CodeMessage, sendCode } from '#domains/delivery/index.ts'
import { createLog } from '#platform/log.ts'

import { freshDatabase, freshFile } from '../harness/database.ts'
import { type Gateways, startGateways, TestClock, until } from '../harness/index.ts'
import type { MailSinkOptions } from '../harness/mail-sink.ts'

export const MINUTE = 60_000
export const PHONE = '+8613800138000'
export const MAIL = 'ann@example.com'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

export async function gatewaysWith(mail?: MailSinkOptions): Promise<Gateways> {
  const gateways = await startGateways(mail)
  cleanups.push(() => gateways.stop())
  return gateways
}

interface Line {
  level: string
  message: string
  [field: string]: unknown
}

export interface Run {
  ctx: AppContext
  clock: TestClock
  url: string
  dataDir: string
  databaseUrl: string
  /** Lines of the log from level warn. */
  lines: Line[]
  /** Called with each line as it is logged. */
  onLine: (line: Line) => void
  stop(): Promise<void>
}

/** Starts a server on fresh data, or on the data of an earlier run. */
export async function runWith(config: Partial<Config>, earlier?: Pick<Run, 'dataDir' | 'databaseUrl'>): Promise<Run> {
  const { dataDir, databaseUrl } = earlier ?? (await freshData())
  const clock = new TestClock()
  const write = (text: string): void => {
    if (text === '') return
    const line = JSON.parse(text) as Line
    if (line.message === 'slow write') return
    run.lines.push(line)
    run.onLine(line)
  }
  const run: Omit<Run, 'ctx' | 'url' | 'stop'> = { clock, dataDir, databaseUrl, lines: [], onLine: () => {} }
  const log = createLog({ level: 'warn', format: 'json', write })
  const whole: Config = { ...defaultConfig, host: '127.0.0.1', port: 0, dataDir, databaseUrl, ...config }
  const ctx = await createContext(whole, { log, clock })
  const server = await serve(ctx)
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> =>
    (stopping ??= (async () => {
      await server.kill()
      await ctx.close()
    })())
  cleanups.push(stop)
  return Object.assign(run, { ctx, url: server.url, stop })
}

async function freshData(): Promise<Pick<Run, 'dataDir' | 'databaseUrl'>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-delivery-'))
  const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
  if (!database) await freshFile(dataDir)
  cleanups.push(async () => {
    await database?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { dataDir, databaseUrl: database?.url ?? '' }
}

export const errorsOf = ({ lines }: Run): Line[] => lines.filter(({ level }) => level === 'error')
/** Log lines about failed attempts that are followed by another. */
export const retriesOf = ({ lines }: Run): Line[] =>
  lines.filter(({ message }) => message === 'a message was not sent, it will be tried again')

export const code = (ctx: AppContext, more: Partial<CodeMessage> = {}): CodeMessage => ({
  channel: 'SMS',
  to: PHONE,
  purpose: 'LOGIN',
  code: '012345',
  locale: 'zh',
  expiresAt: ctx.clock.now() + 5 * MINUTE,
  ...more,
})

/** Sends a code in a write of its own. */
export const sendOne = (ctx: AppContext, more?: Partial<CodeMessage>): Promise<void> =>
  ctx.db.write('test', (tx) => sendCode(ctx, tx, code(ctx, more)))

export const waiting = (ctx: AppContext) => ctx.db.read.select().from(outbox)

export const untilEmpty = (ctx: AppContext): Promise<void> => until(async () => (await waiting(ctx)).length === 0)
