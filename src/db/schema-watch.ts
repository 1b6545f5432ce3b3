/**
 * Watches the schema of a PostgreSQL database while processes of another version may use it. An older process must end as soon as a newer
 * one has removed something that it uses, even if it was taken for dead meanwhile. A newer process runs the migrations that had to wait until the older
 * processes ended.
 */

import type { Bus } from '#platform/bus.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'

import { migrations } from '../../migrations/index.ts'
import { connectPostgres, placeOf } from './engine/pg-connection.ts'
import { asStorageError, StorageError } from './errors.ts'
import { CONTRACTED, migratePostgres, readApplied } from './migrate-postgres.ts'
import { pending } from './schema-state.ts'

/** Milliseconds between two looks whether older processes have ended. */
const LOOK_MS = 5000

export interface SchemaWatch {
  /** Resolves when a newer version has removed what this one needs. */
  readonly outdated: Promise<StorageError>
  stop(): Promise<void>
}

/** @throws StorageError of kind `schema` if it was removed since the process has looked at the schema */
export async function watchSchema(options: {
  readonly databaseUrl: string
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}): Promise<SchemaWatch> {
  const { databaseUrl, bus, log } = options
  const where = placeOf(databaseUrl)
  const outdated = Promise.withResolvers<StorageError>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | undefined
  let isStopped = false

  async function hasWaiting(): Promise<boolean> {
    const sql = connectPostgres(databaseUrl, 1)
    try {
      return pending(migrations.postgres, await readApplied(sql), where).length > 0
    } catch (error) {
      throw asStorageError(error, where)
    } finally {
      await sql.close()
    }
  }

  function check(): void {
    hasWaiting().catch((error: unknown) => {
      if (error instanceof StorageError && error.kind === 'schema') outdated.resolve(error)
      // Without an answer, nothing is known. When the database is back, the gap listeners are called again.
    })
  }

  async function migrateWaiting(): Promise<void> {
    try {
      const { waiting } = await migratePostgres({ ...options, dataDir: '', shared: true })
      if (waiting.length === 0) return
    } catch (error) {
      log.warn('migrations that wait could not be applied: the server tries again', { error })
    }
    lookLater()
  }

  function lookLater(): void {
    if (isStopped) return
    timer = setTimeout(() => (running = migrateWaiting()), LOOK_MS)
    timer.unref()
  }

  bus.on(CONTRACTED, check)
  bus.onGap(check)
  // After the bus was opened: whatever is removed from now on is heard.
  if (await hasWaiting()) lookLater()
  return {
    outdated: outdated.promise,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
