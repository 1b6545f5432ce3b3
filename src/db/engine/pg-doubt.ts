/**
 * Writes of a process that uses its database alone whose COMMIT got no answer: PostgreSQL may have carried it out, may do so later if the COMMIT is
 * still on its way, or will roll the write back. Nobody delivers the events of such a write. Caches are dropped at once, and again when it has ended;
 * each request looks first whether it has.
 */

import { sharedRuns } from '#lib/shared-runs.ts'

import type { TimedConnection } from './pg-connection.ts'

/** Pause between two looks, in milliseconds, so that sockets are closed without a request too. */
const LOOK_MS = 200

/** $1: ids of backends, separated by commas. A transaction has this lock until its rows are visible, whatever it does. */
const FIND_OPEN = `SELECT pid FROM pg_locks WHERE locktype = 'virtualxid' AND mode = 'ExclusiveLock'
  AND pid = ANY(string_to_array($1, ',')::int[])`

export class DoubtfulWrites {
  /** By the id of its backend, which this process has given up: called when the write has ended. */
  readonly #writes = new Map<number, () => void>()
  readonly #look = sharedRuns(() => this.#lookAtLocks())
  #timer: ReturnType<typeof setInterval> | undefined

  /** `gap` calls the gap listeners. */
  constructor(
    readonly connection: TimedConnection,
    readonly gap: () => void,
  ) {}

  /** The COMMIT of a write got no answer. Calls `onEnd` when it has been committed or rolled back. */
  add(backend: number, onEnd: () => void): void {
    this.#writes.set(backend, onEnd)
    this.gap()
    this.#timer ??= setInterval(() => this.#look().catch(() => undefined), LOOK_MS)
    // It must not keep the process alive.
    this.#timer.unref()
  }

  /** See `Bus.caughtUp`. */
  caughtUp(): Promise<void> | undefined {
    return this.#writes.size === 0 ? undefined : this.#look()
  }

  async #lookAtLocks(): Promise<void> {
    const asked = [...this.#writes]
    if (asked.length === 0) return
    const rows = await this.connection.rows(FIND_OPEN, [asked.map(([backend]) => backend).join(',')])
    const open = new Set(rows.map(([backend]) => backend))
    const ended = asked.filter(([backend]) => !open.has(backend))
    if (ended.length === 0) return
    for (const [backend, onEnd] of ended) {
      this.#writes.delete(backend)
      onEnd()
    }
    if (this.#writes.size === 0) this.close()
    this.gap()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** Longer than PostgreSQL lets a write be idle. */
const MAX_WAIT_MS = 12_000
const WAIT_MS = 50

/** Writes of Tessera on this database. */
const FIND_WRITES = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'tessera' AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()`

/**
 * Waits for the last writes of a process that was killed: their stamps are lower than those of this one, and it would serve rows that it has read before
 * their COMMIT. Usually there are none.
 */
export async function waitForEarlierWrites(connection: TimedConnection): Promise<void> {
  for (let ms = 0; ms < MAX_WAIT_MS; ms += WAIT_MS) {
    if ((await connection.rows(FIND_WRITES)).length === 0) return
    await Bun.sleep(WAIT_MS)
  }
}
