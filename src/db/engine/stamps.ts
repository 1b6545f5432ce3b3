/**
 * The clock behind `tx.stamp`: milliseconds that always increase, even after a restart or when the machine's clock goes back.
 *
 * Within a process it is enough to remember the last stamp. For the time after a restart, a mark that is above every stamp given so
 * far is kept in the database. It is set ahead of the clock, so that it is written about once a second and not with every stamp.
 *
 * Example: the clock goes back 1 h after a restart. Stamps are in milliseconds after 10:00.
 *
 *     10:00:00.000  The mark is saved as 1512 (now + MARGIN + AHEAD). Three writes get the stamps 0, 1 and 2.
 *     10:00:01.100  1100 + MARGIN is above the mark, so it is saved as 2612 first. A write gets the stamp 1100.
 *                   The server is killed, the clock is set back, and the server starts again.
 *     09:00:00.000  The mark in the database is 2612: the next writes get 2613, 2614, … still increasing.
 *     10:00:03.000  The clock has overtaken the stamps. A write gets the stamp 3000.
 *
 * A server that stops properly saves its last stamp as the mark, so that there is no gap after the next start.
 */

import type { Clock } from '#platform/clock.ts'

/** Key of the row in `server_state` that holds the mark. After a restart all stamps are above it. */
export const STAMP_MARK = 'stamp.mark'

/** Key of the row with the time of the last restore: clients that continue from stamps may have later ones than the backup. */
export const RESTORED_AT = 'restored.at'

/**
 * Start of the keys of rows with stamps that were never given: the key ends with the stamp before them, the value is the one behind them. A client that
 * continues from one between them has it from a later state of the database than the one that was put back.
 */
export const STAMP_GAP = 'stamp.gap.'

/** Most stamps that may be needed before the mark can be saved again: at least the writes of one group, or of one in each connection. */
const MARGIN = 512
/** How far the mark is set ahead of the clock, in milliseconds. After a crash, stamps start that far ahead. */
const AHEAD = 1000

export class Stamps {
  #last: number
  #savedMark: number

  /** `mark`: the value in `server_state`, 0 when there is none. */
  constructor(
    readonly clock: Clock,
    mark: number,
  ) {
    this.#last = this.#savedMark = mark
  }

  /** The last stamp given: the mark to save when the server stops. */
  get last(): number {
    return this.#last
  }

  /** `mark` was saved, whatever the database had before. It is not below `last`. */
  continueFrom(mark: number): void {
    this.#last = this.#savedMark = mark
  }

  /** The mark to save before more stamps are given; undefined while the saved one is high enough. */
  markToSave(): number | undefined {
    const next = Math.max(this.#last + 1, this.clock.now())
    return next + MARGIN > this.#savedMark ? next + MARGIN + AHEAD : undefined
  }

  /** To be called when `mark` is durable. */
  markSaved(mark: number): void {
    this.#savedMark = Math.max(this.#savedMark, mark)
  }

  /** The next stamp. It follows the clock up to `mark`, which must be durable or be committed together with the stamp. */
  next(mark = this.#savedMark): number {
    return (this.#last = Math.max(this.#last + 1, Math.min(this.clock.now(), mark)))
  }
}

/** The stamps of one group of writes, which are committed together with `mark`. */
export class GroupStamps {
  /** The last stamp that a write with `sharesStamp` got. */
  #shared: number | undefined

  constructor(
    readonly stamps: Stamps,
    readonly mark: number | undefined,
  ) {}

  next(sharesStamp: boolean): number {
    const stamp = sharesStamp && this.#shared === this.stamps.last ? this.#shared : this.stamps.next(this.mark)
    if (sharesStamp) this.#shared = stamp
    return stamp
  }
}
