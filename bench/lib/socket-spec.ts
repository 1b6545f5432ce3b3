/** The messages to and from the socket clients (sockets.ts). */

export type SocketCommand =
  /** Opens a socket for each path and waits until all of them have their first frame. */
  | { readonly do: 'open'; readonly port: number; readonly paths: readonly string[] }
  /** Forgets the frames that have arrived. */
  | { readonly do: 'reset' }
  /** Waits until so many messages have arrived since the last reset. */
  | { readonly do: 'wait'; readonly frames: number }
  /** Sends messages at even distances, each once the frames of the one before have arrived or `everyMs` has passed. */
  | {
      readonly do: 'paced'
      readonly port: number
      readonly headers: Readonly<Record<string, string>>
      readonly target: object
      readonly count: number
      readonly everyMs: number
      /** Frames of each message. */
      readonly frames: number
    }
  | { readonly do: 'close' }

export interface SocketResult {
  /** Sockets that are open. */
  open: number
  /** Messages that have arrived since the last reset. */
  frames: number
  /** From the last reset to the arrival of the last message. */
  seconds: number
  /** Of each message to each socket, from just before the request of its sender. Of `paced`. */
  p50Ms: number
  p99Ms: number
  maxMs: number
}
