/**
 * The live sockets of this process, by user. A domain sends a frame to users with `pushToUsers`; users without a socket here get nothing.
 * Sockets are hints, and the database is the truth: a client that was away catches up by requests.
 */

import type { TSchema } from '@sinclair/typebox'

import { type AppContext, perContext } from '#context'
import type { Locale } from '#lib/localized.ts'

import type { Actor } from './endpoint.ts'

/** A message between client and server, as JSON. */
export interface Frame {
  readonly type: string
  /** Of the client's frame that this one answers. */
  readonly id?: string
  readonly data: unknown
}

/** A kind of frame that clients send. */
export interface SocketFrame {
  readonly type: string
  /** Of `data`; others are answered with an `error` frame. */
  readonly data: TSchema
  /** An AppError is answered with an `error` frame, any other error with a 500 and a line in the log. */
  run(ctx: AppContext, actor: Actor, data: never): void | Promise<void>
}

/** Parts of the `hello` frame. */
export interface SocketHello {
  readonly cursor?: number
  readonly unread?: Readonly<Partial<Record<'messages' | 'notifications', number>>>
}

export interface LiveSocket {
  readonly actor: Actor
  readonly locale: Locale
  /** Sends the text of a frame. A socket whose client reads too slowly closes itself. */
  send(text: string): void
  /** Sends the texts of several frames in one write to the network. */
  sendAll(texts: readonly string[]): void
}

const liveSockets = perContext(() => new Map<number, Set<LiveSocket>>())

export function addSocket(ctx: AppContext, socket: LiveSocket): void {
  const ofUser = liveSockets(ctx).get(socket.actor.userId)
  if (ofUser === undefined) liveSockets(ctx).set(socket.actor.userId, new Set([socket]))
  else ofUser.add(socket)
}

export function removeSocket(ctx: AppContext, socket: LiveSocket): void {
  const { userId } = socket.actor
  const ofUser = liveSockets(ctx).get(userId)
  if (ofUser?.delete(socket) && ofUser.size === 0) liveSockets(ctx).delete(userId)
}

/** The sockets of a user in this process, in the order in which they were opened. */
export const socketsOf = (ctx: AppContext, userId: number): Iterable<LiveSocket> => liveSockets(ctx).get(userId) ?? []

/** Open sockets of this process. */
export const countSockets = (ctx: AppContext): number =>
  liveSockets(ctx)
    .values()
    .reduce((sum, { size }) => sum + size, 0)

/** Whether the user has a socket in this process. To be asked before a frame is built from rows. */
export const isLive = (ctx: AppContext, userId: number): boolean => liveSockets(ctx).has(userId)

/** Whether any user has. */
export const isAnyLive = (ctx: AppContext): boolean => liveSockets(ctx).size > 0

/** Sends one frame to all sockets of these users in this process. */
export function pushToUsers(ctx: AppContext, userIds: Iterable<number>, frame: Frame): void {
  let text: string | undefined
  for (const userId of userIds)
    for (const socket of socketsOf(ctx, userId)) socket.send((text ??= JSON.stringify(frame)))
}

/** Sends the texts of frames, in this order, to all sockets of a user in this process. */
export function pushTexts(ctx: AppContext, userId: number, texts: readonly string[]): void {
  for (const socket of socketsOf(ctx, userId)) socket.sendAll(texts)
}

/** Sends a frame that depends on the language. */
export function pushLocalized(ctx: AppContext, userId: number, frameIn: (locale: Locale) => Frame): void {
  for (const socket of socketsOf(ctx, userId)) socket.send(JSON.stringify(frameIn(socket.locale)))
}
