/** Metrics for Prometheus: of requests, and those that are measured when they are asked for. */

import { statSync } from 'node:fs'

import type { AppContext } from '#context'
import { databaseFile } from '#db/migrate.ts'
import { socketsOfServer } from '#http/sockets/sockets.ts'

import { freeDiskBytes, isHealthy } from './health/health.service.ts'

const REFUSED = 'tessera_writes_refused_total'

interface Gauge {
  readonly name: string
  readonly help: string
  readonly value: number
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
