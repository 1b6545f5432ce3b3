/** Metrics for Prometheus. Those that need the database or the disk are measured when they are asked for. */

import { statSync } from 'node:fs'

import type { AppContext } from '#context'
import { databaseFile } from '#db/migrate.ts'
import { backupHealth } from '#domains/backups/index.ts'
import { readBacklog } from '#domains/delivery/index.ts'
import { socketsOfServer } from '#http/sockets/sockets.ts'
import { SECOND } from '#platform/clock.ts'
import { type Measured, metricText } from '#platform/metrics.ts'

import { freeDiskBytes, isHealthy } from './health/health.service.ts'
import { PROCESS_STATES } from './operations.model.ts'
import { listProcesses } from './operations.service.ts'

type Line = readonly [name: string, help: string, value: Measured | undefined]

export async function metrics(ctx: AppContext): Promise<Response> {
  const { count, unsent } = socketsOfServer(ctx)
  const gauges: readonly Line[] = [
    ['tessera_up', '1 if GET /actuator/health answers UP, otherwise 0.', Number(await isHealthy(ctx))],
    ['tessera_sockets', 'Open WebSockets of this process.', count],
    ['tessera_sockets_unsent_bytes', 'Bytes that wait for WebSocket clients which read too slowly.', unsent],
    [
      'tessera_caught_up_seconds',
      'Time since this process last read the changes of the others; 0 if it is the only one.',
      ctx.bus.behindMs() / SECOND,
    ],
    ['tessera_processes', 'Processes of this server by their state.', await processesByState(ctx)],
    ...(await diskLines(ctx)),
    ...(await outboxLines(ctx)),
    ...(await backupLines(ctx)),
  ]
  const refused = [...ctx.db.storage.refusedWrites].map(([cause, n]) => [{ cause }, n] as const)
  const text = [
    ctx.metrics.render(),
    ...gauges.map(([name, help, value]) => (value === undefined ? '' : metricText({ name, help }, 'gauge', value))),
    metricText({ name: 'tessera_writes_refused_total', help: 'Writes that the storage refused.' }, 'counter', refused),
  ].join('')
  return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
}

/** Undefined while the database does not answer. */
async function processesByState(ctx: AppContext): Promise<Measured | undefined> {
  const list = await listProcesses(ctx).catch(() => undefined)
  return list && PROCESS_STATES.map((state) => [{ state }, list.items.filter((one) => one.state === state).length])
}

async function diskLines({ config: { dataDir, databaseUrl } }: AppContext): Promise<Line[]> {
  const log = statSync(`${databaseFile(dataDir)}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return [
    [
      'tessera_disk_free_bytes',
      'Free space on the file system of the data directory.',
      await freeDiskBytes(dataDir).catch(() => 0),
    ],
    ['tessera_database_log_bytes', "Size of SQLite's write-ahead log.", databaseUrl === '' ? log : undefined],
  ]
}

/** Left out while the database does not answer. */
async function outboxLines(ctx: AppContext): Promise<Line[]> {
  const backlog = await readBacklog(ctx.db.read).catch(() => undefined)
  const age = backlog?.oldestAt == null ? 0 : Math.max(0, ctx.clock.now() - backlog.oldestAt) / SECOND
  return [
    ['tessera_outbox_waiting', 'Mails and SMS that have not been sent yet.', backlog?.waiting],
    ['tessera_outbox_oldest_seconds', 'Age of the oldest of them.', backlog && age],
  ]
}

/** Left out while the folder of backups cannot be read. */
async function backupLines(ctx: AppContext): Promise<Line[]> {
  const backup = await backupHealth(ctx).catch(() => undefined)
  return [
    [
      'tessera_backup_last_good_seconds',
      'When the newest good backup was made, in seconds since 1970; 0 if there is none.',
      backup && (backup.lastGoodAt ?? 0) / SECOND,
    ],
    [
      'tessera_backup_overdue',
      '1 if the schedule of backups is on and two of its intervals have passed without a good one, otherwise 0.',
      backup && Number(backup.status === 'OVERDUE'),
    ],
  ]
}
