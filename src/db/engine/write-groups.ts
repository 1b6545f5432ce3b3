/**
 * Decides which writes run together on PostgreSQL, and how many groups at the same time. A write that comes alone starts at once, in a group of its
 * own. When all lanes are busy, writes wait, and the next free lane takes its share of them as one group: they share a transaction, and so its BEGIN,
 * COMMIT and fsync.
 *
 * Each conflict halves the number of lanes, each success raises it a little (additive increase, multiplicative decrease): independent writes run in
 * parallel, conflicting ones soon in one lane, where none can conflict with another of this process. A group that takes long, such as one that waits
 * for a lock, does not count towards the limit, so that it cannot stop all the others.
 */

export interface QueuedWrite {
  /** Writes with the same table run in one lane at a time. */
  readonly inOrder: string | undefined
  /** Such writes form groups of their own, whose transactions are READ COMMITTED. */
  readonly isOneStatement: boolean
  /** Runs in a group of its own. */
  isAlone: boolean
}

/** The end of a group: its other writes have been answered. */
export interface Ended<W> {
  /** To be run again, before all that wait. */
  readonly again: readonly W[]
  readonly isConflict: boolean
}

/** A group has at most this many writes. Stamps are reserved for as many in each connection (stamps.ts). */
const GROUP_WRITES = 64

/** This many successes raise the number of lanes by one. */
const SUCCESSES_PER_STEP = 20

/**
 * In milliseconds. PostgreSQL finds a deadlock after a second (`deadlock_timeout`): if conflicting writes stopped counting while they wait
 * in one, those that start meanwhile would make the next.
 */
const LONG_MS = 1500

export class WriteGroups<W extends QueuedWrite> {
  /** A fraction between 1 and `lanes`; its whole part counts. */
  #limit: number
  #running = 0
  /** Groups among the running ones that have taken `longMs`. */
  #long = 0
  #waiting: W[] = []
  /** Tables of running groups with `inOrder`. */
  readonly #busy = new Set<string>()

  /** Never more than `max` groups run at once, long ones included: each has a connection. `run` must not reject. */
  constructor(
    readonly max: number,
    readonly lanes: number,
    readonly run: (group: readonly W[]) => Promise<Ended<W>>,
    readonly longMs = LONG_MS,
  ) {
    this.#limit = lanes
  }

  add(write: W): void {
    this.#waiting.push(write)
    this.#start()
  }

  #start(): void {
    while (this.#running < this.max && this.#running - this.#long < Math.floor(this.#limit)) {
      const group = this.#take()
      if (group.length === 0) return
      void this.#runGroup(group)
    }
  }

  /** Removes the next group from those that wait. */
  #take(): W[] {
    const first = this.#waiting.find(({ inOrder }) => inOrder === undefined || !this.#busy.has(inOrder))
    if (first === undefined) return []
    const { inOrder, isOneStatement } = first
    const isAlike = (write: W) => write.inOrder === inOrder && write.isOneStatement === isOneStatement
    const fits = (write: W) => write === first || (!first.isAlone && !write.isAlone && isAlike(write))
    const fitting = this.#waiting.reduce((sum, write) => sum + Number(fits(write)), 0)
    // Those of a table have one lane only.
    const share = inOrder === undefined ? Math.ceil(fitting / Math.floor(this.#limit)) : fitting
    const group: W[] = []
    this.#waiting = this.#waiting.filter((write) => {
      const isTaken = group.length < Math.min(share, GROUP_WRITES) && fits(write)
      if (isTaken) group.push(write)
      return !isTaken
    })
    return group
  }

  async #runGroup(group: readonly W[]): Promise<void> {
    const { inOrder } = group[0]!
    this.#running++
    if (inOrder !== undefined) this.#busy.add(inOrder)
    let isLong = false
    const timer = setTimeout(() => {
      isLong = true
      this.#long++
      this.#start()
    }, this.longMs)
    const { again, isConflict } = await this.run(group)
    clearTimeout(timer)
    if (isLong) this.#long--
    if (isConflict) this.#limit = Math.max(1, this.#limit / 2)
    else this.#limit = Math.min(this.lanes, this.#limit + 1 / SUCCESSES_PER_STEP)
    this.#running--
    if (inOrder !== undefined) this.#busy.delete(inOrder)
    // Before the others, so that they cannot starve.
    if (again.length > 0) this.#waiting = [...again, ...this.#waiting]
    this.#start()
  }
}
