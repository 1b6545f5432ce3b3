/** A client of `/ws/chat`. It keeps the frames in the order in which they arrived. */

import { PATIENCE_MS } from './until.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into frames of every shape
type Data = any

export interface ReceivedFrame {
  type: string
  id?: string
  data: Data
}

export interface Closed {
  code: number
  reason: string
}

export interface SocketOptions {
  /** Send the token as `Sec-WebSocket-Protocol: bearer, <token>`, as browsers can, instead of in the query. */
  byProtocol?: boolean
  headers?: Record<string, string>
}

interface Waiting {
  matches(frame: ReceivedFrame): boolean
  resolve(frame: ReceivedFrame): void
  reject(error: Error): void
}

export class TestSocket {
  /** Every frame that arrived. */
  readonly frames: ReceivedFrame[] = []
  readonly closed: Promise<Closed>
  /** Subprotocol that the server chose. */
  protocol = ''
  /** Data of the first frame. */
  hello: Data
  /** Those that `next` has not returned. */
  #unread: ReceivedFrame[] = []
  readonly #waiting: Waiting[] = []
  #ended: Closed | undefined
  #pings = 0

  constructor(readonly ws: WebSocket) {
    const { promise, resolve } = Promise.withResolvers<Closed>()
    this.closed = promise
    ws.addEventListener('message', ({ data }) => this.#arrived(JSON.parse(String(data)) as ReceivedFrame))
    ws.addEventListener('close', ({ code, reason }) => {
      this.#ended = { code, reason }
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(this.#story('the socket closed')))
      resolve(this.#ended)
    })
  }

  /** The data of the oldest frame of this type that it has not returned yet. Waits for it if it has not arrived. */
  async next(type: string, matches: (data: Data) => boolean = () => true): Promise<Data> {
    return (await this.nextFrame((frame) => frame.type === type && matches(frame.data), type)).data
  }

  nextFrame(matches: (frame: ReceivedFrame) => boolean, wanted = 'the frame'): Promise<ReceivedFrame> {
    const at = this.#unread.findIndex(matches)
    if (at >= 0) return Promise.resolve(this.#unread.splice(at, 1)[0]!)
    if (this.#ended) return Promise.reject(new Error(this.#story(`${wanted} can no longer arrive`)))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(this.#story(`${wanted} did not arrive`))), PATIENCE_MS)
      this.#waiting.push({
        matches,
        resolve(frame) {
          clearTimeout(timer)
          resolve(frame)
        },
        reject(error) {
          clearTimeout(timer)
          reject(error)
        },
      })
    })
  }

  /** The frames of a type that have arrived, read or not. */
  of(type: string): Data[] {
    return this.frames.filter((frame) => frame.type === type).map(({ data }) => data as Data)
  }

  send(type: string, data: unknown = {}, id?: string): void {
    this.sendRaw(JSON.stringify({ type, data, ...(id !== undefined && { id }) }))
  }

  /** Sends text or bytes as they are. */
  sendRaw(message: string | Uint8Array<ArrayBuffer>): void {
    this.ws.send(message)
  }

  /** Resolves when everything that the server sent until now has arrived. Counts as a frame of the client. */
  async roundTrip(): Promise<void> {
    const id = `round-trip-${++this.#pings}`
    this.send('ping', {}, id)
    await this.nextFrame((frame) => frame.type === 'pong' && frame.id === id, 'the pong')
  }

  close(): Promise<Closed> {
    this.ws.close()
    return this.closed
  }

  #arrived(frame: ReceivedFrame): void {
    this.frames.push(frame)
    const at = this.#waiting.findIndex(({ matches }) => matches(frame))
    if (at >= 0) this.#waiting.splice(at, 1)[0]!.resolve(frame)
    else this.#unread.push(frame)
  }

  #story(problem: string): string {
    const end = this.#ended ? `; closed with ${this.#ended.code} ${this.#ended.reason}` : ''
    return `${problem}; received ${this.frames.map(({ type }) => type).join(', ') || 'nothing'}${end}`
  }
}

/** Connects and waits for the first frame. Rejects if the server refuses the handshake. */
export async function openSocket(url: string, token: string, options: SocketOptions = {}): Promise<TestSocket> {
  const { byProtocol = false, headers = {} } = options
  const address = `${url.replace(/^http/, 'ws')}/ws/chat${byProtocol ? '' : `?token=${encodeURIComponent(token)}`}`
  const ws = new WebSocket(address, { headers, ...(byProtocol && { protocols: ['bearer', token] }) })
  const socket = new TestSocket(ws)
  socket.hello = await socket.next('hello')
  socket.protocol = ws.protocol
  return socket
}
