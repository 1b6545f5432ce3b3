/** The sockets of a server: opening, frames, heartbeats, and closing them when their session, their client or the server ends. */

import type { ServerWebSocket, WebSocketHandler } from 'bun'

import { type AppContext, type Changed, perContext } from '#context'
import { StorageError } from '#db/errors.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { SECOND } from '#platform/clock.ts'
import { fraction } from '#platform/ids.ts'
import type { Claims } from '#platform/tokens.ts'

import type { Listeners } from '../doors.ts'
import type { Actor } from '../endpoint.ts'
import { AppError } from '../errors.ts'
import { accessChanged, type PermissionGates } from '../permissions.ts'
import { publicError } from '../respond.ts'
import { type SessionEnd, sessionsChanged } from '../sessions.ts'
import { addSocket, type Frame, removeSocket, type SocketFrame, type SocketHello, socketsOf } from '../socket.ts'
import { FrameReader, NOT_TEXT } from './client-frames.ts'
import { CLOSE, Connection, HEARTBEAT_MS, MAX_FRAME, type Owner, SILENCE_MS } from './connection.ts'
import { checkOrigin, handshakeHeaders, upgradeRequired } from './handshake.ts'
import { SessionSockets } from './session-sockets.ts'

/** Questions that the domains answer (app.ts). */
export interface SocketGates extends Pick<PermissionGates, 'can'> {
  /** When the session ends (epoch milliseconds), or why it has ended. */
  sessionEnd(
    ctx: AppContext,
    claims: Pick<Claims, 'userId' | 'sessionId' | 'tokenVersion'>,
  ): MaybePromise<number | SessionEnd>
  frames(ctx: AppContext): readonly SocketFrame[]
  hello(ctx: AppContext, actor: Actor): Promise<readonly SocketHello[]>
}

/** Required in the APP domain. */
export const SOCKET_POINT = 'chat:read'
/** Bytes that may wait for all clients together. Beyond it the slowest ones are closed: one account can have 200 sockets. */
export const MAX_UNSENT_OF_ALL = 128 * 1024 * 1024
/** Sockets whose session and permission are looked up at once, when many may have changed. */
const CHECKED_AT_ONCE = 100

const CLOSES = { name: 'tessera_sockets_closed_total', help: 'Sockets that were closed, by the code of the close.' }
const COUNTED_CODES: ReadonlySet<number> = new Set([1000, 1001, 1006, ...Object.values(CLOSE)])

/** Bun calls these for every socket; `ws.data` is its Connection. */
const handler: WebSocketHandler<Connection> = {
  maxPayloadLength: MAX_FRAME,
  // Longer than SILENCE_MS, which comes first. It also ends closed connections whose client does not answer.
  idleTimeout: 120,
  sendPings: false,
  // Each compressed socket would need a window of its own. See docs/adr/0026-sockets.md.
  perMessageDeflate: false,
  open: (ws: ServerWebSocket<Connection>) => {
    ws.data.ws = ws
  },
  message: (ws, message) => ws.data.onMessage(message),
  ping: (ws) => ws.data.onControl(),
  pong: (ws) => ws.data.onControl(),
  drain: (ws) => ws.data.onDrain(),
  close: (ws, code) => ws.data.onClose(code),
}

export class Sockets implements Owner {
  /** For `Bun.serve`. */
  readonly handler = handler
  readonly #sessions: SessionSockets
  /** Those for whose client bytes wait. */
  readonly #waiting = new Set<Connection>()
  #count = 0
  #listeners: Listeners<Connection> | undefined
  #gates: SocketGates | undefined
  #reader: FrameReader | undefined
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(readonly ctx: AppContext) {
    this.#sessions = new SessionSockets(ctx)
    for (const code of COUNTED_CODES) ctx.metrics.counter(CLOSES, { code: String(code) })
    ctx.bus.on(sessionsChanged, ({ ids, ended }) => {
      if (ended === undefined) return
      for (const id of ids) for (const socket of this.#sessions.of(id)) socket.end(ended)
    })
    ctx.bus.on(accessChanged, (users) => void this.#checkUsers(users))
    ctx.bus.onGap(() => void this.#checkUsers('all'))
  }

  /** Whether the server has opened its port. */
  get isListening(): boolean {
    return this.#listeners !== undefined
  }

  /** Sockets of this process. */
  get count(): number {
    return this.#count
  }

  /** Bytes that wait for clients which read too slowly. */
  get unsent(): number {
    let bytes = 0
    for (const socket of this.#waiting) bytes += socket.unsent
    return bytes
  }

  start(listeners: Listeners<Connection>, gates: SocketGates): void {
    this.#listeners = listeners
    this.#gates = gates
    this.#reader = new FrameReader(gates.frames(this.ctx))
    this.#timer = setInterval(() => this.#tick(), SECOND)
  }

  /** Closes all sockets, each with another time to try again, so that they do not all come back at once. */
  stop(): void {
    clearInterval(this.#timer)
    for (const socket of this.#sessions.all()) {
      const ms = RETRY_MS.least + Math.floor(fraction() * (RETRY_MS.most - RETRY_MS.least + 1))
      socket.close(CLOSE.restart, `retry after ${ms} ms`)
    }
  }

  /** Cuts off the closed sockets whose clients do not read. Otherwise the server could not stop before they do. */
  cutOff(): void {
    for (const socket of this.#waiting) socket.cutOff(Number.POSITIVE_INFINITY)
  }

  /**
   * Answers the handshake of a caller who has been admitted. @throws AppError 403 for a page of another origin, 426 for a handshake that
   * Bun does not understand
   */
  open(request: Request, actor: Actor, { tokenVersion, expiresAt }: Claims, locale: Locale): Response {
    checkOrigin(this.ctx, request)
    const socket = new Connection(this, actor, tokenVersion, expiresAt, locale)
    const headers = handshakeHeaders(request)
    // Calls `open` of the handler, which sets `socket.ws`.
    if (!this.#listeners?.upgrade(request, { data: socket, ...(headers && { headers }) })) throw upgradeRequired()
    this.#count++
    addSocket(this.ctx, socket)
    this.#sessions.add(socket)
    void this.#greet(socket)
    // For the log and the metrics; Bun has already answered.
    return new Response(null, { status: 101 })
  }

  now(): number {
    return this.ctx.clock.now()
  }

  receive(socket: Connection, text: string): void {
    const frame = this.#reader!.read(text)
    if ('problem' in frame) this.#refuse(socket, frame.id, frame.problem)
    else if (frame.kind === undefined)
      sendFrame(socket, { type: 'pong', ...withId(frame.id), data: { serverTime: this.now() } })
    else void this.#run(socket, frame.kind, frame.data, frame.id)
  }

  receiveBytes(socket: Connection): void {
    this.#refuse(socket, undefined, NOT_TEXT)
  }

  left(socket: Connection, code: number): void {
    removeSocket(this.ctx, socket)
    if (!this.#sessions.remove(socket)) return
    this.#count--
    this.ctx.metrics.count(CLOSES, { code: COUNTED_CODES.has(code) ? String(code) : 'other' })
  }

  waits(socket: Connection, isWaiting: boolean): void {
    if (isWaiting) this.#waiting.add(socket)
    else this.#waiting.delete(socket)
  }

  /** The registry already has the socket, so that no frame is missed between the cursor of `hello` and the first frame. */
  async #greet(socket: Connection): Promise<void> {
    const { ctx } = this
    try {
      // Also refuses a session that ended after the request was admitted and before the socket was in the registry.
      const [parts] = await Promise.all([this.#gates!.hello(ctx, socket.actor), this.#check(socket)])
      const unread = Object.assign({ messages: 0, notifications: 0 }, ...parts.map((part) => part.unread))
      const data = {
        serverTime: this.now(),
        cursor: parts.find(({ cursor }) => cursor !== undefined)?.cursor ?? 0,
        userId: socket.actor.userId,
        sessionId: socket.actor.sessionId,
        heartbeatSeconds: HEARTBEAT_MS / SECOND,
        unread,
      }
      socket.greet(JSON.stringify({ type: 'hello', data }))
    } catch (error) {
      this.#report('a socket could not be greeted', error)
      socket.close(CLOSE.failed, 'internal error')
    }
  }

  async #run(socket: Connection, kind: SocketFrame, data: unknown, id: string | undefined): Promise<void> {
    try {
      await kind.run(this.ctx, socket.actor, data as never)
    } catch (error) {
      const shown = publicError(error)
      if (!(error instanceof AppError)) this.#report(`a frame ${kind.type} failed`, error)
      sendError(socket, id, shown.code, shown.text)
    }
  }

  #refuse(socket: Connection, id: string | undefined, problem: Localized): void {
    sendError(socket, id, 400, problem)
    socket.countBad()
  }

  #tick(): void {
    const now = this.now()
    for (const socket of this.#sessions.all())
      if (socket.endsAt <= now) void this.#checkLogged(socket)
      else if (now - socket.heardAt >= SILENCE_MS) socket.close(CLOSE.silent, 'nothing heard')
      else if (socket.pingAt <= now) socket.ping(now)
    this.#relieve(now)
    this.#sessions.tick()
  }

  /** Frees the bytes that wait for clients which do not read. */
  #relieve(now: number): void {
    for (const socket of this.#waiting) socket.cutOff(now)
    const waiting = [...this.#waiting].filter((socket) => !socket.isClosed)
    let bytes = waiting.reduce((sum, socket) => sum + socket.unsent, 0)
    if (bytes <= MAX_UNSENT_OF_ALL) return
    for (const socket of waiting.toSorted((a, b) => b.unsent - a.unsent)) {
      if (bytes <= MAX_UNSENT_OF_ALL) return
      bytes -= socket.unsent
      socket.close(CLOSE.slow, 'too slow: catch up and connect again')
    }
  }

  /** Closes the socket if its token or its session has ended, or if the user may not have one. */
  async #check(socket: Connection): Promise<void> {
    const { ctx } = this
    const { actor, tokenVersion, tokenEndsAt } = socket
    // Not again until this check has ended.
    socket.endsAt = Number.POSITIVE_INFINITY
    const state = tokenEndsAt <= this.now() ? 'EXPIRED' : await this.#gates!.sessionEnd(ctx, { ...actor, tokenVersion })
    if (typeof state === 'string') return socket.end(state)
    socket.endsAt = Math.min(tokenEndsAt, state)
    if (!(await this.#gates!.can(ctx, actor.userId, 'APP', 0, SOCKET_POINT)))
      socket.close(CLOSE.policy, 'no permission')
  }

  async #checkLogged(socket: Connection): Promise<void> {
    try {
      await this.#check(socket)
    } catch (error) {
      socket.endsAt = this.now() + HEARTBEAT_MS
      this.#report('the session of a socket could not be checked', error)
    }
  }

  #report(problem: string, error: unknown): void {
    if (error instanceof StorageError) this.ctx.db.storage.failed(error)
    else this.ctx.log.error(problem, { error })
  }

  async #checkUsers(users: Changed<number>): Promise<void> {
    // The caches listen too, and some of them later than this.
    await Promise.resolve()
    const sockets = users === 'all' ? [...this.#sessions.all()] : users.flatMap((id) => [...socketsOf(this.ctx, id)])
    for (let from = 0; from < sockets.length; from += CHECKED_AT_ONCE)
      await Promise.all(
        sockets.slice(from, from + CHECKED_AT_ONCE).map((socket) => this.#checkLogged(socket as Connection)),
      )
  }
}

/** The client tries again after a random time between these. Milliseconds. */
const RETRY_MS = { least: 500, most: 5000 }

const withId = (id: string | undefined) => (id === undefined ? undefined : { id })

const sendFrame = (socket: Connection, frame: Frame): void => socket.send(JSON.stringify(frame))

const sendError = (socket: Connection, id: string | undefined, code: number, text: Localized): void =>
  sendFrame(socket, { type: 'error', ...withId(id), data: { code, message: text[socket.locale] } })

export const socketsOfServer = perContext((ctx) => new Sockets(ctx))
