/** One live socket: the frames it gets, the limits of its client, and how it is closed. */

import type { ServerWebSocket } from 'bun'

import type { Locale } from '#lib/localized.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'

import type { Actor } from '../endpoint.ts'
import type { SessionEnd } from '../sessions.ts'
import type { LiveSocket } from '../socket.ts'

/** Codes with which the server closes a socket. Bun itself closes with 1002, 1007 (wrong UTF-8) and 1009 (frame above the limit). */
export const CLOSE = {
  policy: 1008,
  failed: 1011,
  restart: 1012,
  slow: 1013,
  sessionEnded: 4401,
  silent: 4408,
  replaced: 4409,
} as const

/** Bytes of the largest frame that a client may send. */
export const MAX_FRAME = 64 * 1024
/** Bytes that may wait for a client that reads too slowly. */
export const MAX_UNSENT = 1024 * 1024
/** The server pings this often, so that proxies and routers keep the connection and a client that is gone is noticed. */
export const HEARTBEAT_MS = 30 * SECOND
/** A client that has sent nothing for this long, not even a pong, is gone. */
export const SILENCE_MS = 75 * SECOND
/** Frames in a minute with which a client is closed. Pings and pongs count too, because they also cost time. */
const MAX_FRAMES = 120
const MAX_BAD_FRAMES = 20
/** For so long a closed socket waits for its client to read the rest and the reason. */
const FAREWELL_MS = 10 * SECOND

/** The sockets of a server, as one of them sees them. */
export interface Owner {
  now(): number
  receive(socket: Connection, text: string): void
  /** The client sent bytes. */
  receiveBytes(socket: Connection): void
  /** The socket gets no more frames. */
  left(socket: Connection, code: number): void
  /** Some bytes wait for the client, or (`false`) none wait any longer. */
  waits(socket: Connection, isWaiting: boolean): void
}

/** There can be 10,000 of these, so it has no functions of its own. */
export class Connection implements LiveSocket {
  /** Set when the handshake is done. */
  ws!: ServerWebSocket<Connection>
  openedAt: number
  heardAt: number
  pingAt: number
  /** When its token or its session ends. */
  endsAt: number
  isClosed = false
  /** Frames that wait for `hello`, which must be the first. */
  #early: string[] | undefined = []
  #windowEnds = 0
  #frames = 0
  #badFrames = 0
  #farewell: { readonly code: number; readonly reason: string; readonly until: number } | undefined

  constructor(
    readonly owner: Owner,
    readonly actor: Actor,
    readonly tokenVersion: number,
    readonly tokenEndsAt: number,
    readonly locale: Locale,
  ) {
    this.openedAt = owner.now()
    this.heardAt = this.openedAt
    this.pingAt = this.heardAt + HEARTBEAT_MS
    this.endsAt = tokenEndsAt
  }

  get unsent(): number {
    return this.ws.getBufferedAmount()
  }

  send(text: string): void {
    if (this.isClosed) return
    if (this.#early === undefined) this.#write(text)
    else if (this.#early.push(text) > MAX_EARLY) this.close(CLOSE.slow, 'too many frames at once')
  }

  sendAll(texts: readonly string[]): void {
    this.ws.cork(() => {
      for (const text of texts) this.send(text)
    })
    // Only now the bytes have reached the network, or wait.
    if (!this.isClosed && this.unsent > 0) this.#waitsForClient()
  }

  /** Sends the first frame, and those that waited for it. */
  greet(hello: string): void {
    const early = this.#early ?? []
    this.#early = undefined
    for (const text of [hello, ...early]) this.send(text)
  }

  ping(now: number): void {
    this.pingAt = now + HEARTBEAT_MS
    this.ws.ping()
  }

  /** The session has ended: sends the reason and closes. */
  end(reason: SessionEnd): void {
    if (this.isClosed) return
    this.#write(JSON.stringify({ type: 'session.revoked', data: { reason } }))
    this.close(CLOSE.sessionEnded, 'session ended')
  }

  /** If bytes still wait for the client, it gets them and the reason when it reads them within `FAREWELL_MS`. */
  close(code: number, reason: string): void {
    if (this.isClosed) return
    this.isClosed = true
    this.owner.left(this, code)
    this.#early = undefined
    if (this.unsent === 0) this.ws.close(code, reason)
    else {
      this.#farewell = { code, reason, until: this.owner.now() + FAREWELL_MS }
      this.owner.waits(this, true)
    }
  }

  /** Cuts a closed connection off whose client has not read the rest in time. Bun then frees the bytes. */
  cutOff(now: number): void {
    if (this.#farewell === undefined || now < this.#farewell.until) return
    this.owner.waits(this, false)
    this.ws.terminate()
  }

  /** A frame of the client that is answered with an error. */
  countBad(): void {
    if (++this.#badFrames >= MAX_BAD_FRAMES) this.close(CLOSE.policy, 'too many bad frames')
  }

  onMessage(message: string | Buffer): void {
    if (!this.#heard()) return
    if (typeof message === 'string') this.owner.receive(this, message)
    else this.owner.receiveBytes(this)
  }

  /** A ping or pong of the client. */
  onControl(): void {
    this.#heard()
  }

  onDrain(): void {
    if (this.unsent > 0) return
    this.owner.waits(this, false)
    if (this.#farewell !== undefined) this.ws.close(this.#farewell.code, this.#farewell.reason)
  }

  onClose(code: number): void {
    this.owner.waits(this, false)
    if (this.isClosed) return
    this.isClosed = true
    this.#early = undefined
    this.owner.left(this, code)
  }

  /** Counts a frame. False if it is to be ignored. */
  #heard(): boolean {
    if (this.isClosed) return false
    const now = this.owner.now()
    this.heardAt = now
    if (now >= this.#windowEnds) {
      this.#windowEnds = now + MINUTE
      this.#frames = 0
      this.#badFrames = 0
    }
    if (++this.#frames < MAX_FRAMES) return true
    this.close(CLOSE.policy, 'too many frames')
    return false
  }

  #write(text: string): void {
    // -1: Bun keeps the bytes until the client reads. 0: the connection is gone.
    if (this.ws.sendText(text) === -1) this.#waitsForClient()
  }

  #waitsForClient(): void {
    if (this.unsent > MAX_UNSENT) this.close(CLOSE.slow, 'too slow: catch up and connect again')
    else this.owner.waits(this, true)
  }
}

/** Frames that may wait for `hello`, which takes a few queries. */
const MAX_EARLY = 1000
