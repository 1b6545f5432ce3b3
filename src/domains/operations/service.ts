import { access, constants, statfs } from 'node:fs/promises'

import type { AppContext } from '#context'
import { dialect } from '#db/dialect.ts'
import { version } from '#platform/version.ts'

import type { InfoView } from './model.ts'
import { ping } from './store.ts'

/** Below this nothing can be relied on to be written: a checkpoint alone may need some megabytes. */
const MIN_FREE_BYTES = 16 * 1024 * 1024

async function freeDiskBytes(dir: string): Promise<number> {
  const fs = await statfs(dir)
  return fs.bavail * fs.bsize
}

/** False while draining, when the database does not answer, or when the data directory cannot be written or is nearly full. */
export async function isHealthy(ctx: AppContext): Promise<boolean> {
  if (ctx.lifecycle.draining) return false
  try {
    await ping(ctx.db.read)
    await access(ctx.config.dataDir, constants.W_OK)
    return (await freeDiskBytes(ctx.config.dataDir)) >= MIN_FREE_BYTES
  } catch (error) {
    ctx.log.error('health check failed', { error })
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
  }
}

/** Prometheus text: requests by endpoint and status, their durations, and the process. */
export function metricsText(ctx: AppContext): string {
  return ctx.metrics.render()
}
