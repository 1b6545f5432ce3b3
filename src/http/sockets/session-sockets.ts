/**
 * The sockets of each session, of which all processes together keep the 20 newest. A process that has more than its share of a session reports
 * the ages of its sockets to the others, and those that have some of that session then report theirs: if there are more than 20, at least one
 * process has more than its share. So the usual session costs no message.
 */

import type { AppContext } from '#context'
import { type Topic, topic } from '#platform/bus.ts'
import { SECOND } from '#platform/clock.ts'

import { CLOSE, type Connection } from './connection.ts'

/** Of all processes together. The next one closes the oldest. */
const MAX_OF_SESSION = 20
/** Those of all processes may be more for a second, in which the others report that sockets were closed. */
const MAX_FOR_A_SECOND = 25
/** A report of another process holds for this long. It is repeated once a second. */
const HOLDS_MS = 3 * SECOND
/** Messages have less than 8,000 bytes. */
const IN_MESSAGE = 20

interface Report {
  readonly from: string
  /** When the sockets of each session were opened, in epoch milliseconds. */
  readonly sessions: readonly (readonly [sessionId: number, openedAt: readonly number[]])[]
}

const socketsReported: Topic<Report> = topic('http.socketsOfSessions')

/** One socket of a session, here or in another process. */
interface Aged {
  readonly openedAt: number
  readonly process: string
  readonly socket?: Connection
}

export class SessionSockets {
  readonly #own = new Map<number, Set<Connection>>()
  /** By session and process. */
  readonly #others = new Map<number, Map<string, { readonly openedAt: readonly number[]; readonly until: number }>>()
  /** Sessions that are reported next. */
  readonly #due = new Set<number>()
  /** Those that were reported in this second. */
  readonly #reported = new Set<number>()

  constructor(readonly ctx: AppContext) {
    ctx.bus.on(socketsReported, ({ from, sessions }) => {
      if (from !== ctx.processes.id) for (const [sessionId, openedAt] of sessions) this.#hear(from, sessionId, openedAt)
    })
  }

  of(sessionId: number): Iterable<Connection> {
    return this.#own.get(sessionId) ?? []
  }

  *all(): Iterable<Connection> {
    for (const sockets of this.#own.values()) yield* sockets
  }

  add(socket: Connection): void {
    const { sessionId } = socket.actor
    const sockets = this.#own.get(sessionId)
    if (sockets === undefined) this.#own.set(sessionId, new Set([socket]))
    else sockets.add(socket)
    // Also if the clocks of the others are ahead.
    for (const { openedAt } of this.#others.get(sessionId)?.values() ?? [])
      socket.openedAt = Math.max(socket.openedAt, ...openedAt.map((time) => time + 1))
    this.#close(this.#aged(sessionId), this.ctx.limiter.share(MAX_OF_SESSION))
    this.#keepNewest(sessionId, MAX_FOR_A_SECOND)
    this.#reportIfShared(sessionId)
  }

  /** False if the socket is not here. */
  remove(socket: Connection): boolean {
    const { sessionId } = socket.actor
    const sockets = this.#own.get(sessionId)
    if (!sockets?.delete(socket)) return false
    if (sockets.size === 0) this.#own.delete(sessionId)
    if (this.#reported.has(sessionId)) this.#reportSoon(sessionId)
    return true
  }

  /** Called every second. */
  tick(): void {
    if (this.ctx.processes.alive <= 1) return
    const now = this.ctx.clock.now()
    this.#reported.clear()
    for (const [sessionId, others] of this.#others) {
      for (const [process, { until }] of others) if (until <= now) others.delete(process)
      if (others.size === 0) this.#others.delete(sessionId)
    }
    for (const sessionId of this.#own.keys()) {
      this.#keepNewest(sessionId, MAX_OF_SESSION)
      this.#reportIfShared(sessionId)
    }
  }

  #hear(from: string, sessionId: number, openedAt: readonly number[]): void {
    const own = this.#own.get(sessionId)
    if (own === undefined) return
    const others = this.#others.get(sessionId) ?? new Map()
    this.#others.set(sessionId, others.set(from, { openedAt, until: this.ctx.clock.now() + HOLDS_MS }))
    this.#keepNewest(sessionId, MAX_FOR_A_SECOND)
    if (!this.#reported.has(sessionId)) this.#reportSoon(sessionId)
  }

  #aged(sessionId: number): Aged[] {
    const process = this.ctx.processes.id
    return Array.from(this.of(sessionId), (socket) => ({ openedAt: socket.openedAt, process, socket }))
  }

  /** All processes sort the same sockets in the same order, and each closes its own. */
  #keepNewest(sessionId: number, most: number): void {
    const others = this.#others.get(sessionId)
    if (others === undefined) return
    const sockets = this.#aged(sessionId)
    for (const [process, { openedAt: times }] of others)
      for (const openedAt of times) sockets.push({ openedAt, process })
    sockets.sort((a, b) => a.openedAt - b.openedAt || (a.process < b.process ? -1 : Number(a.process > b.process)))
    this.#close(sockets, most)
  }

  /** Those that are too many, from the oldest on. */
  #close(sockets: readonly Aged[], most: number): void {
    for (const { socket } of sockets.slice(0, Math.max(0, sockets.length - most)))
      socket?.close(CLOSE.replaced, 'the session has opened newer sockets')
  }

  /** If this or another process has more than its share. */
  #reportIfShared(sessionId: number): void {
    const { alive } = this.ctx.processes
    const counts = [this.#own.get(sessionId)?.size ?? 0]
    for (const { openedAt } of this.#others.get(sessionId)?.values() ?? []) counts.push(openedAt.length)
    if (alive > 1 && Math.max(...counts) > MAX_OF_SESSION / alive) this.#reportSoon(sessionId)
  }

  #reportSoon(sessionId: number): void {
    this.#reported.add(sessionId)
    if (this.#due.size === 0) setImmediate(() => this.#report())
    this.#due.add(sessionId)
  }

  #report(): void {
    const sessions = [...this.#due].map((id) => [id, Array.from(this.of(id), ({ openedAt }) => openedAt)] as const)
    this.#due.clear()
    while (sessions.length > 0)
      this.ctx.bus.tell(socketsReported, { from: this.ctx.processes.id, sessions: sessions.splice(0, IN_MESSAGE) })
  }
}
