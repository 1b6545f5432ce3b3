/**
 * Clients of `/ws/chat` for the benchmarks: a separate process with thousands of raw sockets that only counts messages and measures how long they
 * took, so that it costs less than the servers it measures. Commands and results go over Bun's IPC channel (lib/socket-client.ts).
 */

import type { Socket } from 'bun'

import type { SocketCommand, SocketResult } from './lib/socket-spec.ts'
import { percentile } from './lib/stats.ts'

const HEADER_END = Buffer.from('\r\n\r\n')
const MESSAGE = Buffer.from('{"type":"message"')
/** The text of a paced message is `sent at <nanoseconds> `. */
const SENT_AT = Buffer.from('sent at ')
/** Opcodes of RFC 6455. */
const TEXT = 1
const PING = 9
/** Handshakes at a time: more would overflow the queue of the listening socket. */
const OPENING = 64
const PATIENCE_MS = 120_000

const counts = { frames: 0, lost: 0 }
let startedAt = 0
let lastAt = 0
let latencies: number[] | undefined
const sockets = new Set<Client>()

class Client {
  #held: Buffer | undefined
  #isUpgraded = false
  #socket: Socket<Client> | undefined
  readonly #ready = Promise.withResolvers<void>()

  async open(port: number, path: string): Promise<void> {
    this.#socket = await Bun.connect<Client>({
      hostname: '127.0.0.1',
      port,
      data: this,
      socket: {
        binaryType: 'buffer',
        data: (_, chunk) => this.#take(chunk as Buffer),
        close: () => this.#lost(),
        error: () => this.#lost(),
      },
    })
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost:8080\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    )
    await this.#ready.promise
    sockets.add(this)
  }

  close(): void {
    sockets.delete(this)
    this.#socket?.end()
  }

  #lost(): void {
    if (sockets.delete(this)) counts.lost++
    this.#ready.reject(new Error('the server closed a socket'))
  }

  #take(chunk: Buffer): void {
    let data = this.#held ? Buffer.concat([this.#held, chunk]) : chunk
    this.#held = undefined
    if (!this.#isUpgraded) {
      const end = data.indexOf(HEADER_END)
      if (end < 0) return void (this.#held = Buffer.from(data))
      if (!data.subarray(0, 12).equals(Buffer.from('HTTP/1.1 101')))
        return this.#ready.reject(new Error(data.toString('latin1', 0, 300)))
      this.#isUpgraded = true
      data = data.subarray(end + 4)
    }
    let at = 0
    while (at + 2 <= data.length) {
      let length = data[at + 1]! & 127
      let start = at + 2
      if (length === 126) {
        if (at + 4 > data.length) break
        length = data.readUInt16BE(at + 2)
        start = at + 4
      } else if (length === 127) {
        if (at + 10 > data.length) break
        length = data.readUInt32BE(at + 6)
        start = at + 10
      }
      if (start + length > data.length) break
      const opcode = data[at]! & 15
      if (opcode === TEXT) this.#frame(data, start, start + length)
      else if (opcode === PING) this.#pong(data.subarray(start, start + length))
      at = start + length
    }
    if (at < data.length) this.#held = Buffer.from(data.subarray(at))
  }

  /** Frames of clients are masked; a mask of zeros changes nothing. */
  #pong(payload: Buffer): void {
    this.#socket!.write(Buffer.concat([Buffer.from([0x8a, 0x80 | payload.length, 0, 0, 0, 0]), payload]))
  }

  #frame(data: Buffer, start: number, end: number): void {
    this.#ready.resolve()
    if (data.compare(MESSAGE, 0, MESSAGE.length, start, start + MESSAGE.length) !== 0) return
    counts.frames++
    lastAt = Bun.nanoseconds()
    if (latencies === undefined) return
    const sentAt = data.indexOf(SENT_AT, start)
    if (sentAt < 0 || sentAt > end) return
    latencies.push((lastAt - Number.parseInt(data.toString('latin1', sentAt + SENT_AT.length, sentAt + 32), 10)) / 1e6)
  }
}

async function open(port: number, paths: readonly string[]): Promise<void> {
  const left = [...paths]
  const openNext = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) await new Client().open(port, path)
  }
  await Promise.all(Array.from({ length: OPENING }, openNext))
}

function reset(): void {
  counts.frames = 0
  startedAt = lastAt = Bun.nanoseconds()
}

async function wait(wanted: number): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (counts.frames < wanted) {
    if (Date.now() > end || counts.lost > 0)
      throw new Error(`${counts.frames} of ${wanted} frames arrived, ${counts.lost} sockets were closed`)
    await Bun.sleep(1)
  }
}

async function paced(command: SocketCommand & { do: 'paced' }): Promise<void> {
  latencies = []
  reset()
  const url = `http://127.0.0.1:${command.port}/api/chats/messages`
  for (let n = 1; n <= command.count; n++) {
    const next = Bun.sleep(command.everyMs)
    const clientMsgId = crypto.randomUUID()
    const content = { text: `sent at ${Bun.nanoseconds()} ` }
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...command.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...command.target, clientMsgId, type: 'TEXT', content }),
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`a message was answered with ${response.status}: ${text}`)
    await Promise.all([wait(n * command.frames), next])
  }
}

async function run(command: SocketCommand): Promise<SocketResult> {
  if (command.do === 'open') await open(command.port, command.paths)
  if (command.do === 'reset') reset()
  if (command.do === 'wait') await wait(command.frames)
  if (command.do === 'paced') await paced(command)
  if (command.do === 'close') for (const each of sockets) each.close()
  const sorted = (latencies ?? []).sort((a, b) => a - b)
  latencies = undefined
  return {
    open: sockets.size,
    frames: counts.frames,
    seconds: (lastAt - startedAt) / 1e9,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    maxMs: sorted.at(-1) ?? Number.NaN,
  }
}

process.on('message', (message: { id: number; command: SocketCommand }) => {
  run(message.command).then(
    (result) => process.send!({ id: message.id, result }),
    (error: unknown) => process.send!({ id: message.id, error: String(error) }),
  )
})
