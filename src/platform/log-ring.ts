/** The newest lines of the log of this process, in memory, for the console. Holds only masked texts. */

import type { LogLevel } from '#config/config.ts'

import type { Clock } from './clock.ts'

/** Kept lines of requests, and as many others: on a busy server, requests would push out a warning within seconds. */
export const MAX_LINES = 1000
/** Of each of the two kinds, in bytes. */
const MAX_BYTES = 1024 * 1024
/** Longer texts are cut. UTF-16 units. */
const MAX_MESSAGE = 2000
const MAX_DETAILS = 8000
/** Bytes of a line without its texts, about. */
const LINE_BYTES = 200

const RANK: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }

export interface LogLine {
  /** Greater than that of every earlier line of this process, also of one before a restart: microseconds since 1970, about. */
  readonly id: number
  /** Epoch milliseconds. */
  readonly time: number
  readonly level: LogLevel
  readonly message: string
  /** `name=value …`, and the stack of an error on further lines. */
  readonly details: string
  readonly requestId: string | null
}

/** Lines of requests are put into words when they are read: each request adds one. */
interface Kept {
  readonly id: number
  readonly time: number
  readonly level: LogLevel
  readonly requestId: string | null
  readonly bytes: number
  words(): { readonly message: string; readonly details: string }
}

export interface LogFilter {
  /** The lowest level. */
  readonly level: LogLevel
  /** Part of the message or the details, in any case. */
  readonly text?: string | undefined
  readonly requestId?: string | undefined
  /** Only lines with greater ids. */
  readonly since: number
  readonly limit: number
}

class Ring {
  readonly #lines = new Array<Kept | undefined>(MAX_LINES)
  #first = 0
  #next = 0
  #bytes = 0

  add(line: Kept): void {
    this.#bytes += line.bytes
    while (this.#first < this.#next && (this.#next - this.#first >= MAX_LINES || this.#bytes > MAX_BYTES)) {
      const at = this.#first++ % MAX_LINES
      this.#bytes -= this.#lines[at]!.bytes
      this.#lines[at] = undefined
    }
    this.#lines[this.#next++ % MAX_LINES] = line
  }

  *newestFirst(): Generator<Kept> {
    for (let i = this.#next - 1; i >= this.#first; i--) yield this.#lines[i % MAX_LINES]!
  }
}

export class LogRing {
  readonly #requests = new Ring()
  readonly #others = new Ring()
  #lastId = 0

  constructor(readonly clock: Clock) {}

  /** Every line from now on has a greater id. */
  get position(): number {
    return Math.max(this.#lastId, this.clock.now() * 1000 - 1)
  }

  #nextId(time: number): number {
    return (this.#lastId = Math.max(this.#lastId + 1, time * 1000))
  }

  addRequest(time: number, requestId: string, path: string, words: Kept['words']): void {
    const bytes = LINE_BYTES + 2 * path.length
    this.#requests.add({ id: this.#nextId(time), time, level: 'info', requestId, bytes, words })
  }

  add(time: number, level: LogLevel, text: Pick<LogLine, 'message' | 'details'>, requestId: string | null): void {
    const cut = { message: text.message.slice(0, MAX_MESSAGE), details: text.details.slice(0, MAX_DETAILS) }
    const bytes = LINE_BYTES + 2 * (cut.message.length + cut.details.length)
    this.#others.add({ id: this.#nextId(time), time, level, requestId, bytes, words: () => cut })
  }

  /** The newest lines that match, in the order of their ids. `hasMore`: there are older ones that match. */
  find({ level, text, requestId, since, limit }: LogFilter): { lines: LogLine[]; hasMore: boolean } {
    const wanted = text?.toLowerCase()
    const lines: LogLine[] = []
    for (const kept of merged(this.#requests.newestFirst(), this.#others.newestFirst())) {
      if (kept.id <= since) break
      if (RANK[kept.level] < RANK[level] || (requestId !== undefined && kept.requestId !== requestId)) continue
      const { message, details } = kept.words()
      if (wanted && !message.toLowerCase().includes(wanted) && !details.toLowerCase().includes(wanted)) continue
      if (lines.length === limit) return { lines: lines.toReversed(), hasMore: true }
      lines.push({ id: kept.id, time: kept.time, level: kept.level, message, details, requestId: kept.requestId })
    }
    return { lines: lines.toReversed(), hasMore: false }
  }
}

/** Two descending sequences as one. */
function* merged(a: Generator<Kept>, b: Generator<Kept>): Generator<Kept> {
  let [x, y] = [a.next(), b.next()]
  while (!x.done || !y.done) {
    if (y.done || (!x.done && x.value.id > y.value.id)) {
      yield x.value as Kept
      x = a.next()
    } else {
      yield y.value
      y = b.next()
    }
  }
}
