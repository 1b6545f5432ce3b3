/**
 * A WebSocket client over plain TCP, for handshakes that are refused and for clients that break the rules: it sends any bytes, and can
 * stop reading.
 */

import { connect, type Socket } from 'node:net'

export const OP = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface Handshake {
  path?: string
  method?: string
  headers?: Record<string, string>
  /** By default that of the server. */
  host?: string
}

/** The headers of a correct handshake. */
const HANDSHAKE = {
  upgrade: 'websocket',
  connection: 'Upgrade',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

/** One frame, masked as clients must. */
export function frame(op: number, payload: string | Uint8Array, { fin = true, rsv = 0 } = {}): Buffer {
  const bytes = Buffer.from(payload as string)
  const { length } = bytes
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = (fin ? 0x80 : 0) | rsv | op
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127)
  if (head.length === 4) head.writeUInt16BE(length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([head, Buffer.alloc(4), bytes])
}

export class RawSocket {
  #received: Buffer = Buffer.alloc(0)
  #check: (() => void) | undefined
  #ended = false
  status = 0
  headers = new Map<string, string>()

  constructor(readonly tcp: Socket) {
    tcp.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes])
      this.#check?.()
    })
    const end = () => {
      this.#ended = true
      this.#check?.()
    }
    tcp.on('close', end).on('end', end).on('error', end)
  }

  /** The body of a refused handshake. */
  get body(): string {
    return this.#received.toString()
  }

  write(bytes: Uint8Array): void {
    this.tcp.write(bytes)
  }

  send(op: number, payload: string | Uint8Array): void {
    this.write(frame(op, payload))
  }

  /** Waits until `take` returns a value for the received bytes; undefined if the connection ends before. */
  #until<T>(take: (bytes: Buffer) => { result: T; used: number } | undefined): Promise<T | undefined> {
    return new Promise((resolve) => {
      this.#check = () => {
        const taken = take(this.#received)
        if (taken === undefined && !this.#ended) return
        this.#check = undefined
        this.#received = this.#received.subarray(taken?.used ?? 0)
        resolve(taken?.result)
      }
      this.#check()
    })
  }

  async readHead(): Promise<void> {
    const head = await this.#until((bytes) => {
      const end = bytes.indexOf('\r\n\r\n')
      return end < 0 ? undefined : { result: bytes.toString('latin1', 0, end), used: end + 4 }
    })
    const [first = '', ...lines] = (head ?? '').split('\r\n')
    this.status = Number(first.split(' ')[1] ?? 0)
    for (const line of lines) {
      const colon = line.indexOf(':')
      this.headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
    }
  }

  /** The next frame of the server; undefined if the connection has ended. */
  next(): Promise<{ op: number; payload: Buffer } | undefined> {
    return this.#until((bytes) => {
      if (bytes.length < 2) return undefined
      const short = bytes[1]! & 0x7f
      const from = short < 126 ? 2 : short === 126 ? 4 : 10
      if (bytes.length < from) return undefined
      const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
      if (bytes.length < from + length) return undefined
      const result = { op: bytes[0]! & 0x0f, payload: Buffer.from(bytes.subarray(from, from + length)) }
      return { result, used: from + length }
    })
  }

  /** The code and reason with which the server closes; undefined if it only ends the connection. Skips other frames. */
  async closed(): Promise<{ code: number; reason: string } | undefined> {
    for (;;) {
      const next = await this.next()
      if (next === undefined) return undefined
      if (next.op === OP.close) return { code: next.payload.readUInt16BE(0), reason: next.payload.toString('utf8', 2) }
    }
  }

  destroy(): void {
    this.tcp.destroy()
  }
}

/** Connects and waits for the answer. A refusal is read to its end: `status` and `body` say why. */
export async function rawSocket(
  url: string,
  { path = '/ws/chat', method = 'GET', headers = {}, host }: Handshake = {},
) {
  const { hostname, port, host: own } = new URL(url)
  const tcp = connect(Number(port), hostname)
  const socket = new RawSocket(tcp)
  const all: Record<string, string> = { host: host ?? own, ...HANDSHAKE, ...headers }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}\r\n`]))
  tcp.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await socket.readHead()
  if (socket.status !== 101) {
    const length = Number(socket.headers.get('content-length') ?? 0)
    while (socket.body.length < length && !tcp.destroyed) await Bun.sleep(1)
    tcp.destroy()
  }
  return socket
}
