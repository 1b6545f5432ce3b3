/**
 * Places of which all processes together have one for each user, or for each inventory that is applied. They are advisory locks of the connection that holds the other locks of the
 * process, so those of a killed process are free at once.
 */

import type { TimedConnection } from './engine/pg-connection.ts'
import { LOCKS } from './process-list.ts'

/** First parts of the locks: "Texp", "Timp", "Tapp" and "Tlab" in ASCII. */
const KINDS = {
  exports: 0x54_65_78_70,
  imports: 0x54_69_6d_70,
  applying: 0x54_61_70_70,
  labels: 0x54_6c_61_62,
} as const

export type SharedPlace = keyof typeof KINDS

/** The second part of a lock is a signed integer of 32 bits. Two users whose ids are so far apart wait for each other. */
const ID = '($2::text::bigint % 2147483648)::int'
const TAKE = `SELECT pg_try_advisory_lock($1::text::int, ${ID})`
const GIVE_BACK = `SELECT pg_advisory_unlock($1::text::int, ${ID})`
/** After the connection was replaced, which lost the lock. */
const TAKE_AGAIN = `${TAKE} WHERE NOT EXISTS (
  SELECT FROM ${LOCKS} AND pid = pg_backend_pid() AND classid::bigint = $1::text::bigint AND objid::bigint = ${ID}
)`

type Lock = readonly [kind: string, userId: string]

export class ProcessPlaces {
  readonly #held = new Set<Lock>()

  constructor(readonly connection: Pick<TimedConnection, 'rows'>) {}

  /** Returns the function that gives the place back; undefined if another process has it. The caller asks once for each user. @throws StorageError */
  async take(place: SharedPlace, userId: number): Promise<(() => Promise<void>) | undefined> {
    const lock: Lock = [String(KINDS[place]), String(userId)]
    if ((await this.connection.rows(TAKE, lock))[0]![0] !== true) return undefined
    this.#held.add(lock)
    return async () => {
      this.#held.delete(lock)
      // If it fails, the connection is lost, and the lock with it.
      await this.connection.rows(GIVE_BACK, lock).catch(() => undefined)
    }
  }

  /** Takes those again that were lost with a connection, unless other processes have them now. Called every second. @throws StorageError */
  async takeAgain(): Promise<void> {
    for (const lock of this.#held) await this.connection.rows(TAKE_AGAIN, lock)
  }
}
