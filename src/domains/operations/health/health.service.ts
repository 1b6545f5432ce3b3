/** Whether the server works: in details for people and monitors, and in one word for supervisors and proxies. */

import { access, constants, statfs } from 'node:fs/promises'

import { type AppContext, perContext } from '#context'
import { dialect } from '#db/dialect.ts'
import { StorageError } from '#db/errors.ts'
import { holdsAnyPlatformRole } from '#domains/access/index.ts'
import { authenticate, consoleRefusal } from '#domains/accounts/index.ts'
import { backupHealth } from '#domains/backups/index.ts'
import { readBacklog } from '#domains/delivery/index.ts'
import { FOREIGN_FILES, ownsFiles } from '#domains/files/index.ts'
import { bearerToken } from '#http/caller.ts'
import type { Caller } from '#http/endpoint.ts'
import { AppError } from '#http/errors.ts'
import { certificateInUse } from '#http/tls.ts'
import { BlobError } from '#platform/blobs/port.ts'
import { certificateState } from '#platform/certificate.ts'
import { SECOND } from '#platform/clock.ts'
import { version } from '#platform/version.ts'

import type { HealthView, NotReady, ReadyView } from './health.model.ts'
import { ping } from './health.store.ts'

/** With less free space writes may fail: a WAL checkpoint alone can need several megabytes. */
const MIN_FREE_BYTES = 16 * 1024 * 1024

/** A message that has waited longer shows that a gateway fails. */
const DELAYED_SECONDS = 600
/** Monitors wait no longer for an answer. */
const CHECK_MS = 5 * SECOND
/** Proxies ask often, and wait for a second or two. */
const READY_MS = SECOND
/** Answers within this time share one check, so that probes cost the database nothing, however many there are. */
const READY_FOR_MS = 200
/** A process that has heard nothing of the others for so long may serve rows that they have changed. */
const BEHIND_MS = 5 * SECOND

export async function freeDiskBytes(dir: string): Promise<number> {
  const fs = await statfs(dir)
  return fs.bavail * fs.bsize
}

/** Asks nobody: it is UP as long as the program answers at all. */
export const live = (): Response => Response.json({ status: 'UP' }, { headers: { 'cache-control': 'no-store' } })

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
  const { leaving, startedAt: serverStartedAt } = ctx.lifecycle
  const certificate = certificateInUse(ctx)
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
    ...(certificate && { certificate: certificateState(certificate, ctx.clock.now()) }),
    server: {
      status: leaving ? 'DOWN' : 'UP',
      draining: leaving,
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

/** False while stopping, if the database does not answer or accepts no writes, or if the data directory is not writable or nearly full. */
export async function isHealthy(ctx: AppContext): Promise<boolean> {
  if (ctx.lifecycle.leaving) return false
  try {
    await ping(ctx.db.read)
    await ctx.db.checkWritable()
    return await hasRoom(ctx)
  } catch (error) {
    if (error instanceof StorageError) ctx.db.storage.failed(error)
    else ctx.log.error('health check failed', { error })
    return false
  }
}

/** The data directory can be written and has free space. */
async function hasRoom({ config: { dataDir } }: AppContext): Promise<boolean> {
  await access(dataDir, constants.W_OK)
  return (await freeDiskBytes(dataDir)) >= MIN_FREE_BYTES
}

export function ready(ctx: AppContext): Promise<Response> | Response {
  // Not from memory: proxies must notice at once.
  if (ctx.lifecycle.leaving) return readyAnswer('DRAINING')
  const last = lastReady(ctx)
  if (performance.now() - last.at > READY_FOR_MS) {
    last.at = performance.now()
    last.reason = notReady(ctx)
  }
  return last.reason.then(readyAnswer)
}

const lastReady = perContext(() => ({
  at: Number.NEGATIVE_INFINITY,
  reason: Promise.resolve<NotReady | undefined>(undefined),
}))

function readyAnswer(reason: NotReady | undefined): Response {
  const view: ReadyView = reason === undefined ? { status: 'UP' } : { status: 'DOWN', reason }
  return Response.json(view, { status: reason === undefined ? 200 : 503, headers: { 'cache-control': 'no-store' } })
}

/** Why requests should not come to this process, or undefined if they should. */
async function notReady(ctx: AppContext): Promise<NotReady | undefined> {
  const check = async (): Promise<NotReady | undefined> => {
    await ping(ctx.db.read)
    if (ctx.bus.behindMs() > BEHIND_MS) return 'BEHIND'
    await ctx.db.checkWritable()
    return undefined
  }
  const late = Bun.sleep(READY_MS).then((): NotReady => (ctx.bus.behindMs() > BEHIND_MS ? 'BEHIND' : 'DATABASE'))
  try {
    const reason = await Promise.race([check(), late])
    if (reason !== undefined) return reason
  } catch (error) {
    if (error instanceof StorageError) ctx.db.storage.failed(error)
    else ctx.log.error('the check of the database failed', { error })
    // SQLite's database is a file on the disk of the data directory.
    const isDisk = error instanceof StorageError && !['corrupt', 'busy', 'schema'].includes(error.kind)
    return ctx.config.databaseUrl === '' && isDisk ? 'STORAGE' : 'DATABASE'
  }
  return (await hasRoom(ctx).catch(() => false)) ? undefined : 'STORAGE'
}
