/**
 * Limits how much large work runs at once: exports, imports, long pulls. A place is held while the server works, not while a client
 * reads, so a slow reader keeps nobody waiting. Users take turns at the places.
 */

import type { AppContext } from '#context'
import type { SharedPlace } from '#db/process-places.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'

import { type AppError, unavailable } from './errors.ts'

/** Who asks for a place. */
export interface Party {
  readonly userId: number
  readonly isAdministrator: boolean
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined
}

/** Who may use a place. */
type Kind = 'administrators' | 'small' | 'all'
/** In the order in which free ones are taken, so that those for all stay free for works that fit into no other. */
const KINDS: readonly Kind[] = ['administrators', 'small', 'all']

/** Rows of a work that is too large for the place that is kept for small ones. */
const LARGE = 1000
/** A request that waits longer for a place is refused. Clients and proxies wait for 30 seconds or more. */
export const MAX_WAIT_MS = 15 * SECOND
/** A reader that takes nothing for so long can be cut off. */
const IDLE_MS = 5 * SECOND
/** Users who had a place in this time come after the others. */
const RECENT_MS = MINUTE
/** Works of administrators that can be open when there are too many of others. */
const ADMINISTRATORS_WORKS = 10
/** How often works that have waited too long are looked for. */
const SWEEP_MS = 500

const stopping = unavailable('The server is shutting down', '服务器正在关闭', { retryAfter: 5 })

interface Waiting {
  readonly work: Work
  /** By the clock. */
  readonly until: number
  enter(kind: Kind): void
  refuse(error: AppError): void
}

interface Refusals {
  /** For a user whose last work is still open. */
  readonly own: AppError
  /** For a work for which there is no place. */
  readonly others: AppError
}

/** The places of one kind of work in this process: two for all, one for small works and one for administrators. */
export class Places {
  readonly #free: Record<Kind, number> = { administrators: 1, small: 1, all: 2 }
  /** By user, the oldest first. */
  readonly #open = new Map<number, Work>()
  /** In the order of arrival. */
  readonly #waiting = new Set<Waiting>()
  /** The turns of the users who had a place lately, the oldest first. */
  readonly #turns = new Map<number, { readonly turn: number; readonly at: number }>()
  #turn = 0
  #sweeping: ReturnType<typeof setInterval> | undefined

  /** At most `maxOpen` works wait, run or are read by their clients. This bounds their memory. */
  constructor(
    readonly ctx: Pick<AppContext, 'clock' | 'lifecycle' | 'processes'>,
    readonly refusals: Refusals,
    readonly maxOpen: number,
  ) {}

  /** A user has one work at a time in this process, which ends with `close`. `rows`: if it is known. @throws AppError 429 */
  open(party: Party, rows = Infinity): Work {
    if (this.#open.has(party.userId)) throw this.refusals.own
    if (this.#open.size >= this.maxOpen + (party.isAdministrator ? ADMINISTRATORS_WORKS : 0)) {
      const idle = this.#longestIdle()
      if (idle === undefined) throw this.refusals.others
      idle.cutOff!()
    }
    const work = new Work(this, party, rows)
    this.#open.set(party.userId, work)
    return work
  }

  /** As `open`, but a user has one work of this kind at a time in all processes together. @throws AppError 429, StorageError */
  async openShared(place: SharedPlace, party: Party, rows?: number): Promise<Work> {
    const work = this.open(party, rows)
    const { places } = this.ctx.processes
    if (places === undefined) return work
    try {
      work.giveBack = await places.take(place, party.userId)
    } finally {
      if (work.giveBack === undefined) this.#open.delete(party.userId)
    }
    if (work.giveBack === undefined) throw this.refusals.own
    return work
  }

  #longestIdle(): Work | undefined {
    const now = this.ctx.clock.now()
    let longest: Work | undefined
    for (const work of this.#open.values()) {
      if (work.cutOff === undefined || work.idleSince === undefined || now - work.idleSince < IDLE_MS) continue
      if (longest === undefined || work.idleSince < longest.idleSince!) longest = work
    }
    return longest
  }

  /** Called by `Work`. */
  async remove({ party, giveBack }: Work): Promise<void> {
    this.#open.delete(party.userId)
    await giveBack?.()
  }

  /** Called by `Work`. @throws AppError 429 after `patienceMs`, 503 if the server stops */
  async enter(work: Work, patienceMs: number): Promise<Kind> {
    // The stream of an answer that has begun notices itself.
    const signal = patienceMs === Infinity ? undefined : work.party.signal
    if (signal?.aborted) throw this.refusals.others
    const free = KINDS.find((kind) => this.#free[kind] > 0 && mayUse(work, kind))
    if (free !== undefined) {
      this.#free[free] -= 1
      this.#countTurn(work)
      return free
    }
    const place = Promise.withResolvers<Kind>()
    const end = () => {
      this.#waiting.delete(waiting)
      signal?.removeEventListener('abort', abort)
      if (this.#waiting.size > 0) return
      clearInterval(this.#sweeping)
      this.#sweeping = undefined
    }
    const waiting: Waiting = {
      work,
      until: this.ctx.clock.now() + patienceMs,
      enter(kind) {
        end()
        place.resolve(kind)
      },
      refuse(error) {
        end()
        place.reject(error)
      },
    }
    const abort = () => waiting.refuse(this.refusals.others)
    signal?.addEventListener('abort', abort)
    this.#waiting.add(waiting)
    this.#sweeping ??= setInterval(() => this.sweep(), SWEEP_MS).unref()
    return place.promise
  }

  /** Called by `Work`. */
  leave(kind: Kind): void {
    const next = this.#nextFor(kind)
    if (next === undefined) {
      this.#free[kind] += 1
      return
    }
    this.#countTurn(next.work)
    next.enter(kind)
  }

  /** Called by `Work`, if it is closed while it waits. */
  abandon(work: Work): void {
    for (const waiting of this.#waiting) if (waiting.work === work) waiting.refuse(this.refusals.others)
  }

  /** Refuses works that have waited too long, and all requests that wait when the server stops. */
  sweep(): void {
    const now = this.ctx.clock.now()
    for (const waiting of this.#waiting)
      if (waiting.until <= now) waiting.refuse(this.refusals.others)
      else if (this.ctx.lifecycle.draining && waiting.until < Infinity) waiting.refuse(stopping)
  }

  /**
   * Users without a turn in the last minute come first, the smallest of their works first; then those whose last turn is the longest ago.
   * So who repeats large works delays nobody by more than one of them.
   */
  #nextFor(kind: Kind): Waiting | undefined {
    let next: { readonly waiting: Waiting; readonly turn: number } | undefined
    for (const waiting of this.#waiting) {
      if (!mayUse(waiting.work, kind)) continue
      const turn = this.#recentTurn(waiting.work)
      const isNext =
        next === undefined || turn < next.turn || (turn === next.turn && waiting.work.rows < next.waiting.work.rows)
      if (isNext) next = { waiting, turn }
    }
    return next?.waiting
  }

  #recentTurn({ party }: Work): number {
    const last = this.#turns.get(party.userId)
    return last === undefined || this.ctx.clock.now() - last.at >= RECENT_MS ? 0 : last.turn
  }

  #countTurn({ party }: Work): void {
    const now = this.ctx.clock.now()
    for (const [userId, { at }] of this.#turns) {
      if (now - at < RECENT_MS) break
      this.#turns.delete(userId)
    }
    this.#turns.delete(party.userId)
    this.#turns.set(party.userId, { turn: ++this.#turn, at: now })
  }
}

function mayUse({ party, rows }: Work, kind: Kind): boolean {
  return kind === 'all' || (kind === 'small' ? rows < LARGE : party.isAdministrator)
}

/** One export, import or pull, from the request until its answer has been read. */
export class Work {
  /** When the server last worked for it; undefined while it works or waits for a place. */
  idleSince: number | undefined
  /** Breaks off the answer and closes the work. Only works with readers have it. */
  cutOff: (() => void) | undefined
  /** Gives back the place that it has among all processes. */
  giveBack: (() => Promise<void>) | undefined
  #isClosed = false

  constructor(
    readonly places: Places,
    readonly party: Party,
    /** Infinity if it is not known. */
    public rows: number,
  ) {
    this.idleSince = places.ctx.clock.now()
  }

  /**
   * Runs `fn` while it holds a place. `patienceMs`: for the parts of a request that has had no answer yet; the others wait for their turn.
   * @throws AppError 429 if there is no place in this time, or if the client disconnects while it waits
   */
  async run<T>(fn: () => Promise<T>, patienceMs = Infinity): Promise<T> {
    this.idleSince = undefined
    try {
      const kind = await this.places.enter(this, patienceMs)
      try {
        return await fn()
      } finally {
        this.places.leave(kind)
      }
    } finally {
      this.idleSince = this.places.ctx.clock.now()
      if (this.#isClosed) await this.places.remove(this)
    }
  }

  /** The user can open another one when this has resolved and the running part has ended. May be called repeatedly. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.idleSince === undefined) this.places.abandon(this)
    else await this.places.remove(this)
  }
}
