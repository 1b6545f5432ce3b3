/** Who sent messages in which quarter-hours, for the days of any time zone. */

import type { DayRange } from '#lib/days.ts'
import { pause } from '#lib/pause.ts'
import { quartersOf } from '#lib/quarter-hours.ts'

/** Pairs that are looked at in one turn of the event loop: less than a millisecond. */
const PAIRS_PER_TURN = 50_000

export interface SendersByDay {
  /** Users who sent something on each day of the range. */
  readonly byDay: readonly number[]
  /** Users who sent something in the range. */
  readonly all: number
}

/** Takes about 16 bytes for each quarter-hour in which a user sent something. */
export class SenderQuarters {
  /** The place of each sender in the arrays below. */
  readonly #places = new Map<number, number>()
  /** The newest quarter-hour of each sender: the messages of one quarter-hour mostly follow each other. */
  readonly #newest: number[] = []
  /** Pairs, some of them twice. */
  readonly #quarters: number[] = []
  readonly #senders: number[] = []

  add(quarter: number, senderId: number): void {
    let place = this.#places.get(senderId)
    if (place === undefined) this.#places.set(senderId, (place = this.#places.size))
    if (this.#newest[place] === quarter) return
    this.#newest[place] = quarter
    this.#quarters.push(quarter)
    this.#senders.push(place)
  }

  async count(range: DayRange): Promise<SendersByDay> {
    const { first, days } = quartersOf(range)
    const byDay = Array.from({ length: range.lastDay - range.firstDay + 1 }, () => 0)
    // A bit for each day of each sender: times can be a little out of order.
    const words = Math.ceil(byDay.length / 32)
    const seen = new Uint32Array(this.#places.size * words)
    const isActive = new Uint8Array(this.#places.size)
    for (let i = 0; i < this.#quarters.length; i++) {
      if (i % PAIRS_PER_TURN === PAIRS_PER_TURN - 1) await pause()
      const day = days[this.#quarters[i]! - first]
      if (day === undefined) continue
      const sender = this.#senders[i]!
      const word = sender * words + (day >> 5)
      const bit = 1 << (day & 31)
      if ((seen[word]! & bit) !== 0) continue
      seen[word]! |= bit
      byDay[day]! += 1
      isActive[sender] = 1
    }
    return { byDay, all: isActive.reduce((sum, n) => sum + n, 0) }
  }
}
