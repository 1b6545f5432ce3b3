import { statSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { hostname } from 'node:os'

import { isLoopback } from '#config/gateways.ts'
import type { AppContext } from '#context'
import { dialect } from '#db/dialect.ts'
import { StorageError } from '#db/errors.ts'
import { databaseFile } from '#db/migrate.ts'
import { holdsAnyPlatformRole } from '#domains/access/index.ts'
import { authenticate, consoleRefusal } from '#domains/accounts/index.ts'
import { backupHealth } from '#domains/backups/index.ts'
import { readBacklog } from '#domains/delivery/index.ts'
import { FOREIGN_FILES, ownsFiles } from '#domains/files/index.ts'
import { bearerToken } from '#http/caller.ts'
import type { Caller } from '#http/endpoint.ts'
import { AppError } from '#http/errors.ts'
import { socketsOfServer } from '#http/sockets/sockets.ts'
import { BlobError } from '#platform/blobs/port.ts'
import { SECOND } from '#platform/clock.ts'
import { version } from '#platform/version.ts'

import type { HealthView, InfoView, ServerLog, ServerLogQuery } from './operations.model.ts'
import { ping } from './operations.store.ts'

/** With less free space writes may fail: a WAL checkpoint alone can need several megabytes. */
const MIN_FREE_BYTES = 16 * 1024 * 1024

/** A message that has waited longer shows that a gateway fails. */
const DELAYED_SECONDS = 600
/** Monitors wait no longer for an answer. */
const CHECK_MS = 5 * SECOND
const REFUSED = 'tessera_writes_refused_total'

interface Gauge {
  readonly name: string
  readonly help: string
  readonly value: number
}

async function freeDiskBytes(dir: string): Promise<number> {
  const fs = await statfs(dir)
  return fs.bavail * fs.bsize
}

export async function health(ctx: AppContext, request: Request, caller: Caller): Promise<Response> {
  const healthy = await isHealthy(ctx)
  const view: HealthView = { status: healthy ? 'UP' : 'DOWN' }
  if (await isAdministrator(ctx, request, caller)) view.components = await components(ctx)
  return Response.json(view, { status: healthy ? 200 : 503, headers: { 'cache-control': 'no-store' } })
}

/** Also false if the database fails and the token cannot be checked. */
async function isAdministrator(ctx: AppContext, request: Request, caller: Caller): Promise<boolean> {
  const token = bearerToken(request)
  if (token === undefined) return false
  try {
    const actor = await authenticate(ctx, token, caller.deviceId)
    if (actor instanceof AppError || !(await holdsAnyPlatformRole(ctx, actor.userId))) return false
    return (await consoleRefusal(ctx, actor.userId)) === undefined
  } catch {
    // `isHealthy` has logged that the database fails.
    return false
  }
}

/** The parts that administrators see. Each is measured on its own, so that one failure does not hide the others. */
async function components(ctx: AppContext): Promise<HealthView['components']> {
  const startedAt = performance.now()
  const responseMs = await ping(ctx.db.read).then(
    () => Math.round((performance.now() - startedAt) * 1000) / 1000,
    () => null,
  )
  const isWritable = await ctx.db.checkWritable().then(
    () => true,
    () => false,
  )
  const freeBytes = await freeDiskBytes(ctx.config.dataDir).catch(() => null)
  const problem = await filesProblem(ctx)
  const outbox = await readBacklog(ctx.db.read).catch(() => null)
  const oldestSeconds = outbox?.oldestAt == null ? null : Math.floor((ctx.clock.now() - outbox.oldestAt) / SECOND)
  const { draining, startedAt: serverStartedAt } = ctx.lifecycle
  return {
    database: { status: responseMs === null || !isWritable ? 'DOWN' : 'UP', kind: dialect, responseMs },
    disk: {
      status: freeBytes === null || freeBytes < MIN_FREE_BYTES ? 'DOWN' : 'UP',
      freeBytes,
      minimumBytes: MIN_FREE_BYTES,
    },
    files: { status: problem === null ? 'UP' : 'DOWN', storage: ctx.blobs.storage, problem },
    outbox: {
      status: outbox === null ? 'DOWN' : (oldestSeconds ?? 0) >= DELAYED_SECONDS ? 'DELAYED' : 'UP',
      waiting: outbox?.waiting ?? null,
      retrying: outbox?.retrying ?? null,
      oldestSeconds,
    },
    backup: await backupHealth(ctx).catch(() => ({ status: 'DOWN', schedule: 'OFF', lastGoodAt: null }) as const),
    server: {
      status: draining ? 'DOWN' : 'UP',
      draining,
      version,
      uptimeSeconds: Math.floor((ctx.clock.now() - serverStartedAt) / SECOND),
    },
  }
}

async function checkFiles(ctx: AppContext): Promise<string | null> {
  await ctx.blobs.check()
  return (await ownsFiles(ctx))
    ? null
    : `${capitalized(ctx.blobs.place)} has files of another database. ${FOREIGN_FILES}`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Why files cannot be stored, read or deleted; null if they can. */
async function filesProblem(ctx: AppContext): Promise<string | null> {
  const check = checkFiles(ctx).catch((error: unknown) =>
    error instanceof BlobError ? error.message : 'The check of the store of files failed.',
  )
  const late = Bun.sleep(CHECK_MS).then(() => `The store of files did not answer within ${CHECK_MS / SECOND} s.`)
  return Promise.race([check, late])
}

/** False while draining, if the database does not answer or accepts no writes, or if the data directory is not writable or nearly full. */
async function isHealthy(ctx: AppContext): Promise<boolean> {
  if (ctx.lifecycle.draining) return false
  try {
    await ping(ctx.db.read)
    await ctx.db.checkWritable()
    await access(ctx.config.dataDir, constants.W_OK)
    return (await freeDiskBytes(ctx.config.dataDir)) >= MIN_FREE_BYTES
  } catch (error) {
    if (error instanceof StorageError) ctx.db.storage.failed(error)
    else ctx.log.error('health check failed', { error })
    return false
  }
}

export async function info(ctx: AppContext): Promise<InfoView> {
  return {
    name: 'tessera',
    version,
    runtime: `bun ${Bun.version}`,
    database: dialect,
    startedAt: ctx.lifecycle.startedAt,
    uptimeSeconds: Math.floor((ctx.clock.now() - ctx.lifecycle.startedAt) / 1000),
    memoryBytes: process.memoryUsage.rss(),
    freeDiskBytes: await freeDiskBytes(ctx.config.dataDir),
    hasLocalAddress: isLoopback(new URL(ctx.config.publicUrl).hostname),
    sendsMail: ctx.config.smtpUrl !== '',
    sendsSms: ctx.config.smsUrl !== '' && ctx.config.smsUrl !== 'log:',
  }
}

/** The metrics of requests, and those that are measured when they are asked for: health, free space and the database. */
export async function metrics(ctx: AppContext): Promise<Response> {
  const { dataDir, databaseUrl } = ctx.config
  const gauges: Gauge[] = [
    {
      name: 'tessera_up',
      help: '1 if GET /actuator/health answers UP, otherwise 0.',
      value: Number(await isHealthy(ctx)),
    },
    {
      name: 'tessera_disk_free_bytes',
      help: 'Free space on the file system of the data directory.',
      value: await freeDiskBytes(dataDir).catch(() => 0),
    },
  ]
  const { count, unsent } = socketsOfServer(ctx)
  gauges.push(
    { name: 'tessera_sockets', help: 'Open WebSockets of this process.', value: count },
    {
      name: 'tessera_sockets_unsent_bytes',
      help: 'Bytes that wait for WebSocket clients which read too slowly.',
      value: unsent,
    },
  )
  if (databaseUrl === '')
    gauges.push({
      name: 'tessera_database_log_bytes',
      help: "Size of SQLite's write-ahead log.",
      value: statSync(`${databaseFile(dataDir)}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    })
  const refused = [...ctx.db.storage.refusedWrites].map(([cause, count]) => `${REFUSED}{cause="${cause}"} ${count}\n`)
  const text = [
    ctx.metrics.render(),
    ...gauges.map(({ name, help, value }) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`),
    `# HELP ${REFUSED} Writes that the storage refused.\n# TYPE ${REFUSED} counter\n`,
    ...refused,
  ].join('')
  return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
}

/** The newest lines of the log of this process. */
export function showServerLog(ctx: AppContext, { since, ...filter }: ServerLogQuery): ServerLog {
  const { recent } = ctx.log
  const { lastId } = recent
  const { lines, hasMore } = recent.find({ ...filter, since: since > lastId ? 0 : since })
  return {
    process: { host: hostname(), pid: process.pid, startedAt: ctx.lifecycle.startedAt },
    level: ctx.config.logLevel,
    items: lines,
    hasMore,
    lastId,
  }
}
