import { hostname } from 'node:os'

import { isLoopback } from '#config/gateways.ts'
import type { AppContext } from '#context'
import { dialect } from '#db/dialect.ts'
import { version } from '#platform/version.ts'

import { freeDiskBytes } from './health/health.service.ts'
import type { InfoView, ServerLog, ServerLogQuery } from './operations.model.ts'

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
