/** The parts of the server, for its administrators. */

import { type AppContext, perContext } from '#context'
import { dialect } from '#db/dialect.ts'
import { readDatabaseFacts } from '#db/facts.ts'
import { storedFiles } from '#domains/files/index.ts'
import { UPLOADS_AT_ONCE } from '#http/mount.ts'
import { MAX_UNSENT_OF_ALL } from '#http/sockets/sockets.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'
import { IMAGE_PROCESSES } from '#platform/images/index.ts'
import { MAX_LINES } from '#platform/log-ring.ts'

import { freeDiskBytes } from '../health/health.service.ts'
import { idOf, knownProcesses } from '../operations.service.ts'
import { askOthers } from '../others.service.ts'
import type { SystemView } from './system.model.ts'

/** Epoch milliseconds of the last success by the name of the job. */
type Successes = Readonly<Record<string, number>>

/** Of the jobs that have run in this process. */
export const successesHere = ({ lifecycle }: AppContext): Successes =>
  Object.fromEntries(
    (lifecycle.jobs ?? []).flatMap(({ name, lastSuccessAt }) =>
      lastSuccessAt === null ? [] : [[name, lastSuccessAt]],
    ),
  )

const cachedFiles = perContext(
  (ctx) =>
    new ReadCache<'all', { count: number; bytes: number }>({
      max: 1,
      maxAge: MINUTE,
      now: () => ctx.clock.now(),
      load: () => storedFiles(ctx.db.readInWorker),
    }),
)

export async function showSystem(ctx: AppContext): Promise<SystemView> {
  const { config, db, lifecycle } = ctx
  const others = (await knownProcesses(ctx)).flatMap(({ id, isLost }) => (isLost || id === idOf(ctx) ? [] : [id]))
  const files = cachedFiles(ctx)
  const [facts, stored, free, answers] = await Promise.all([
    readDatabaseFacts(db.read, config.dataDir),
    files.get('all') ?? files.fetch('all'),
    freeDiskBytes(config.dataDir),
    askOthers<Successes>(ctx, 'jobs', others, null),
  ])
  const successes = [successesHere(ctx), ...answers.values()]
  return {
    database: { kind: dialect === 'sqlite' ? 'SQLITE' : 'POSTGRESQL', ...facts },
    files: { storage: ctx.blobs.storage, ...stored!, freeDiskBytes: free },
    jobs: (lifecycle.jobs ?? []).map(({ name, every }) => {
      const last = Math.max(0, ...successes.map((one) => one[name] ?? 0))
      return { name, everySeconds: every / SECOND, lastSuccessAt: last || null }
    }),
    perProcess: [
      ...(dialect === 'sqlite' ? [] : [{ name: 'DATABASE_CONNECTIONS' as const, most: config.databaseConnections }]),
      { name: 'IMAGES', most: IMAGE_PROCESSES },
      { name: 'UPLOADS_OF_USER', most: UPLOADS_AT_ONCE },
      { name: 'UNSENT_SOCKET_BYTES', most: MAX_UNSENT_OF_ALL },
      { name: 'LOG_LINES', most: MAX_LINES },
    ],
    unanswered: others.filter((id) => !answers.has(id)),
  }
}
