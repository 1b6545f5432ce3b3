/**
 * A limiter for several processes, which report their counts to each other: cheap, and nearly exact. Together they pass a limit by at most an
 * eighth, and by the uses of the milliseconds that a message takes. `ExactLimiter` is for limits that must hold exactly.
 */

import { type Bus, topic } from './bus.ts'
import { SECOND } from './clock.ts'
import type { Limiter } from './limiter.ts'

interface Counts {
  readonly from: string
  /** `left`: milliseconds until the window ends, because the clocks of machines differ. */
  readonly counts: readonly (readonly [key: string | number, count: number, left: number])[]
}

const counted = topic<Counts>('limits.counted')

/** A process reports its counts this often, also if there are none: the others know by it that they hear each other. */
const REPORT_MS = SECOND
/** Without a message for so long, a process is not heard. */
const UNHEARD_MS = 3 * SECOND
/** Messages have less than 8,000 bytes. */
const IN_MESSAGE = 50

interface Window {
  count: number
  readonly endsAt: number
}

/** Adds to the running window of the key, or starts one. Returns its count. */
function add(
  windows: Map<string | number, Window>,
  key: string | number,
  count: number,
  endsAt: number,
  now: number,
): number {
  const window = windows.get(key)
  if (window === undefined || window.endsAt <= now) {
    windows.set(key, { count, endsAt })
    return count
  }
  window.count += count
  return window.count
}

export interface Others {
  readonly id: string
  /** Processes that live, with this one. */
  readonly alive: number
}

/** Runs until `stop`. */
export class ReportingLimiter implements Limiter {
  readonly #heardAt = new Map<string, number>()
  readonly #unreported = new Map<string | number, Window>()
  /** Counts that the others have reported. */
  readonly #reported = new Map<string | number, Window>()
  /** Those of `#unreported` that are reported next. */
  readonly #due = new Set<string | number>()
  readonly #timer: ReturnType<typeof setInterval>
  #isReporting = false
  #hears = false

  /** `base` counts the uses of this process and those that the others report. `now`: epoch milliseconds. */
  constructor(
    readonly base: Limiter,
    readonly bus: Pick<Bus, 'on' | 'tell'>,
    readonly others: Others,
    readonly now: () => number,
  ) {
    bus.on(counted, ({ from, counts }) => {
      if (from === others.id) return
      const now = this.now()
      this.#heardAt.set(from, now)
      for (const [key, count, left] of counts) {
        base.add(key, count, now + left)
        add(this.#reported, key, count, now + left, now)
      }
    })
    this.#timer = setInterval(() => this.tick(), REPORT_MS)
    this.#timer.unref()
  }

  take(key: string | number, limit: number, windowMs: number): number {
    const { alive } = this.others
    if (alive <= 1) return this.base.take(key, limit, windowMs)
    const most = this.#hears ? limit : Math.min(limit, this.share(limit) + this.#countOfOthers(key))
    const wait = this.base.take(key, most, windowMs)
    if (wait === 0) this.#note(key, limit, windowMs)
    return wait
  }

  /** While the others are not heard, this process must not take their parts. */
  share(limit: number): number {
    return this.#hears ? limit : Math.ceil(limit / Math.min(Math.max(this.others.alive, 1), 4))
  }

  #countOfOthers(key: string | number): number {
    const reported = this.#reported.get(key)
    return reported === undefined || reported.endsAt <= this.now() ? 0 : reported.count
  }

  takeAll: Limiter['takeAll'] = (uses) => this.base.takeAll(uses)
  spent: Limiter['spent'] = (key, limit) => this.base.spent(key, limit)
  add: Limiter['add'] = (key, count, endsAt) => this.base.add(key, count, endsAt)

  /** Called every second. Public for tests. */
  tick(): void {
    const now = this.now()
    for (const [id, at] of this.#heardAt) if (now - at > UNHEARD_MS) this.#heardAt.delete(id)
    this.#hears = this.#heardAt.size >= this.others.alive - 1
    for (const windows of [this.#unreported, this.#reported])
      for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key)
    if (this.others.alive > 1) this.#report()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Counts that are too small to matter, also for all processes together, are not reported. */
  #note(key: string | number, limit: number, windowMs: number): void {
    const now = this.now()
    const count = add(this.#unreported, key, 1, now + windowMs, now)
    if (count < Math.floor(limit / (8 * this.others.alive))) return
    this.#due.add(key)
    if (this.#isReporting) return
    this.#isReporting = true
    setImmediate(() => this.#report())
  }

  #report(): void {
    this.#isReporting = false
    const now = this.now()
    const counts = [...this.#due].flatMap((key) => {
      const unreported = this.#unreported.get(key)
      this.#unreported.delete(key)
      return unreported === undefined ? [] : [[key, unreported.count, unreported.endsAt - now] as const]
    })
    this.#due.clear()
    do this.bus.tell(counted, { from: this.others.id, counts: counts.splice(0, IN_MESSAGE) })
    while (counts.length > 0)
  }
}
