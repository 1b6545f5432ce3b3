import { hostname } from 'node:os'

import { isLoopback } from '#config/gateways.ts'
import { type AppContext, perContext } from '#context'
import { dialect } from '#db/dialect.ts'
import type { ListedProcess, ProcessFigures } from '#db/process-list.ts'
import { mailServerOf } from '#domains/delivery/index.ts'
import { socketsOfServer } from '#http/sockets/sockets.ts'
import { SECOND } from '#platform/clock.ts'
import { version } from '#platform/version.ts'

import { freeDiskBytes } from './health/health.service.ts'
import type { InfoView, ProcessList } from './operations.model.ts'

/** The id of this process. */
export const idOf = (ctx: AppContext): string => ctx.log.process ?? ctx.processes.id

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
    sendsMail: mailServerOf(ctx) !== undefined,
    sendsSms: ctx.config.smsUrl !== '' && ctx.config.smsUrl !== 'log:',
  }
}

/** The requests that had been answered at a time (`performance.now()`), and the rate until then. */
const rates = perContext(() => ({ at: performance.now(), answered: 0, perSecond: 0 }))

/** The rate since the last call, or that of the last call if it was less than half a second ago. */
function requestsPerSecond(ctx: AppContext): number {
  const rate = rates(ctx)
  const now = performance.now()
  const seconds = (now - rate.at) / SECOND
  if (seconds < 0.5) return rate.perSecond
  const answered = ctx.metrics.answered()
  rate.perSecond = Math.round(((answered - rate.answered) / seconds) * 10) / 10
  rate.at = now
  rate.answered = answered
  return rate.perSecond
}

export function figuresOf(ctx: AppContext): ProcessFigures {
  const sockets = socketsOfServer(ctx)
  const { leaving, draining } = ctx.lifecycle
  return {
    version,
    host: hostname(),
    listening: sockets.isListening && !draining,
    draining: leaving,
    sockets: sockets.count,
    requestsPerSecond: requestsPerSecond(ctx),
    memoryBytes: process.memoryUsage.rss(),
  }
}

export async function listProcesses(ctx: AppContext): Promise<ProcessList> {
  const processes = (await ctx.processes.list()) ?? [thisProcess(ctx)]
  return {
    items: processes.map(({ draining, isLost, listening, sockets, requestsPerSecond: rate, ...one }) => ({
      id: one.id,
      version: one.version,
      host: one.host,
      startedAt: one.startedAt,
      lastSeenAt: one.lastSeenAt,
      listening: listening && !isLost,
      sockets: isLost ? 0 : sockets,
      requestsPerSecond: isLost ? 0 : rate,
      memoryBytes: isLost ? 0 : one.memoryBytes,
      hasJobs: one.hasJobs && !isLost,
      state: isLost ? 'LOST' : draining ? 'DRAINING' : 'UP',
    })),
  }
}

const thisProcess = (ctx: AppContext): ListedProcess => ({
  ...figuresOf(ctx),
  id: idOf(ctx),
  startedAt: ctx.lifecycle.startedAt,
  lastSeenAt: ctx.clock.now(),
  hasJobs: ctx.processes.runsJobs,
  isLost: false,
})

/** With this one, which is the only one while the database does not answer, and may not be listed yet. */
export async function knownProcesses(ctx: AppContext): Promise<readonly ListedProcess[]> {
  const listed = (await ctx.processes.list()?.catch(() => undefined)) ?? []
  return listed.some(({ id }) => id === idOf(ctx)) ? listed : [...listed, thisProcess(ctx)]
}
