/** The clock behind `tx.stamp`: milliseconds that never go back and never repeat, over restarts too. */

import type { Clock } from '#platform/clock.ts'

/** Row of `server_state` that holds the mark: no stamp at or below it will be given after a restart. */
export const STAMP_MARK = 'stamp.mark'

/** Stamps that may be needed before the next chance to move the mark; at least the writes of one group or of one pool. */
const MARGIN = 512
/** How far ahead the mark is set, so that it is written at most once a second. After a crash stamps start that far ahead. */
const AHEAD = 1000

export class Stamps {
  #last: number
  #durable: number

  /** `mark`: what `server_state` held, 0 when nothing. */
  constructor(
    readonly clock: Clock,
    mark: number,
  ) {
    this.#last = this.#durable = mark
  }

  /** The last stamp given: the mark to leave behind on a clean stop. */
  get last(): number {
    return this.#last
  }

  /** The mark to make durable before more stamps are given, or undefined while the present one is enough. */
  due(): number | undefined {
    const next = Math.max(this.#last + 1, this.clock.now())
    return next + MARGIN > this.#durable ? next + MARGIN + AHEAD : undefined
  }

  /** `mark` is on disk. */
  keep(mark: number): void {
    this.#durable = Math.max(this.#durable, mark)
  }

  /** The next stamp, at most `mark`: one that is durable, or that commits together with whatever uses the stamp. */
  next(mark = this.#durable): number {
    return (this.#last = Math.max(this.#last + 1, Math.min(this.clock.now(), mark)))
  }
}
