import { access, constants, statfs } from 'node:fs/promises'

import type { AppContext } from '#context'
import { dialect } from '#db/dialect.ts'
import { version } from '#platform/version.ts'

import type { InfoView } from './model.ts'
import { ping } from './store.ts'

/** With less free space writes may fail: a WAL checkpoint alone can need several megabytes. */
const MIN_FREE_BYTES = 16 * 1024 * 1024

async function freeDiskBytes(dir: string): Promise<number> {
  const fs = await statfs(dir)
  return fs.bavail * fs.bsize
}

export async function health(ctx: AppContext): Promise<Response> {
  const healthy = await isHealthy(ctx)
  return Response.json(
    { status: healthy ? 'UP' : 'DOWN' },
    { status: healthy ? 200 : 503, headers: { 'cache-control': 'no-store' } },
  )
}

/** False while draining, if the database does not answer, or if the data directory is not writable or nearly full. */
async function isHealthy(ctx: AppContext): Promise<boolean> {
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

export const metrics = (ctx: AppContext): Response =>
  new Response(ctx.metrics.render(), { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
