/**
 * Stamps that were skipped at a start, or because PostgreSQL has restarted (docs/adr/0025-several-processes.md). If an administrator has put back an
 * earlier state of the database, or a failover has lost commits, then the stamps of the lost rows are among them. Numbers of messages are skipped with them.
 */

import { type Clock, DAY, SECOND } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'

import type { Runner } from '../query/builders.ts'
import { STAMP_GAP, STAMP_MARK, type Stamps } from './stamps.ts'

/** A restore or failover takes longer. */
const SHORT_GAP_MS = SECOND
/** Devices that were away for longer pull everything anyway. */
const KEPT_GAPS_MS = 180 * DAY

/** A server that takes thousands of messages a second takes fewer in the seconds that a failover loses. */
const SKIPPED_NUMBERS = 100_000

/**
 * Phones that have lost messages ask for those with higher numbers, and would never get the next ones if these had the same numbers again. $1: as below.
 * A statement of its own: writes of messages lock the sequence first, and the row of the stamps second.
 */
const SKIP_NUMBERS = `UPDATE chat_numbers SET last = last + ${SKIPPED_NUMBERS}
  WHERE EXISTS (SELECT 1 FROM server_state WHERE key = '${STAMP_MARK}' AND value::bigint < $1::text::bigint - ${SHORT_GAP_MS})`

/** $1: the stamp to continue from; $2: gaps of earlier times are forgotten. Returns the mark. `old` is read before the mark is moved. */
const SKIP_STAMPS = `WITH old AS (
    SELECT value::bigint AS mark FROM server_state WHERE key = '${STAMP_MARK}' FOR UPDATE
  ), gap AS (
    INSERT INTO server_state (key, value) SELECT '${STAMP_GAP}' || mark, $1 FROM old WHERE mark < $1::text::bigint - ${SHORT_GAP_MS}
    ON CONFLICT (key) DO UPDATE SET value = excluded.value
  ), forgotten AS (
    DELETE FROM server_state WHERE key LIKE '${STAMP_GAP}%' AND value::bigint < $2::text::bigint
  )
  INSERT INTO server_state (key, value) SELECT '${STAMP_MARK}', $1 FROM (SELECT count(*) AS n FROM old) AS read WHERE n >= 0 ON CONFLICT (key)
  DO UPDATE SET value = greatest(server_state.value::bigint, excluded.value::bigint)::text RETURNING value`

/** Continues with the stamps from now, and notes those that were skipped. Returns the mark. */
export async function skipStamps(reader: Runner, clock: Clock, atLeast = 0): Promise<number> {
  const now = Math.max(clock.now(), atLeast)
  await reader.rows(SKIP_NUMBERS, [String(now)])
  const rows = await reader.rows(SKIP_STAMPS, [String(now), String(now - KEPT_GAPS_MS)])
  return Number(rows[0]![0])
}

/** The same for a process that gives stamps from its memory. */
export async function continueStamps(
  stamps: Stamps,
  { reader, clock, log }: { readonly reader: Runner; readonly clock: Clock; readonly log: Log },
): Promise<void> {
  try {
    const mark = await skipStamps(reader, clock, stamps.last)
    stamps.continueFrom(Math.max(mark, stamps.last))
  } catch (error) {
    log.warn('the stamps of before a restart of PostgreSQL could not be noted', { error })
  }
}
