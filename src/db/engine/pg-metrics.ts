/** The metrics of a PostgreSQL database. */

import { type Metrics, SECONDS } from '#platform/metrics.ts'
import { type Attributes, ending, startSpan } from '#platform/spans.ts'

const STATEMENTS = { name: 'tessera_db_statements_total', help: 'Statements sent to PostgreSQL.' }
const TIME = {
  name: 'tessera_db_seconds',
  help: 'Time of a statement, with the wait for a connection of its pool.',
  buckets: [0.0005, 0.001, 0.0025, ...SECONDS],
}
const WAITING = { name: 'tessera_db_waiting', help: 'Statements and writes that wait for a connection.' }
const CONFLICTS = {
  name: 'tessera_db_conflicts_total',
  help: 'Writes that PostgreSQL rolled back because of a conflict with another one.',
}

/** The pools by the purpose of their connections. */
export type Pool = 'read' | 'write' | 'search' | 'replica' | 'events' | 'stamps'

/** Measures the statements of a pool. */
export class PoolMeter {
  /** Statements that have not been answered. */
  running = 0
  readonly #count: () => void
  readonly #time: (seconds: number) => void
  readonly #spanned: Attributes

  constructor(metrics: Metrics, pool: Pool) {
    this.#spanned = { pool }
    this.#count = metrics.counter(STATEMENTS, { pool })
    this.#time = metrics.histogram(TIME, { pool })
  }

  async timed<T>(statement: Promise<T>): Promise<T> {
    const span = startSpan('statement', this.#spanned)
    const startedAt = performance.now()
    this.running++
    try {
      return await (span === undefined ? statement : ending(span, statement))
    } finally {
      this.running--
      this.#count()
      this.#time((performance.now() - startedAt) / 1000)
    }
  }
}

/** `writes`: how many run or wait. */
export function showWaiting(
  metrics: Metrics,
  meters: { readonly read: PoolMeter; readonly search: PoolMeter },
  sizes: { readonly readers: number; readonly writers: number; readonly searchers: number },
  writes: () => number,
): void {
  const beyond = (running: number, size: number) => Math.max(0, running - size)
  metrics.gauge(WAITING, () => [
    [{ pool: 'read' }, beyond(meters.read.running, sizes.readers)],
    [{ pool: 'write' }, beyond(writes(), sizes.writers)],
    [{ pool: 'search' }, beyond(meters.search.running, sizes.searchers)],
  ])
}

export const conflictCounter = (metrics: Metrics): (() => void) => metrics.counter(CONFLICTS)
