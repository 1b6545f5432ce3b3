/**
 * The load generator: a separate process that sends requests to one server on the loopback interface over raw keep-alive sockets,
 * with one request in flight on each. It implements only as much of HTTP as it needs, so that it costs less than the servers it
 * measures. It receives runs and returns results over Bun's IPC channel (lib/load-client.ts). Every run is limited in time.
 */

import type { Socket } from 'bun'

import type { LoadResult, LoadSpec } from './lib/load-spec.ts'
import { COUNTER } from './lib/load-spec.ts'
import { percentile } from './lib/stats.ts'

const HEADER_END = Buffer.from('\r\n\r\n')
const CHUNKED_END = Buffer.from('0\r\n\r\n')
/** Latencies kept for percentiles. A longer run keeps the first ones and still counts all requests. */
const MAX_SAMPLES = 2_000_000
/** A run in which no request has been answered may exceed its time by this many nanoseconds. */
const PATIENCE = 20e9

let counter = 0

/** One run, with the counts that its connections share. */
class Run {
  readonly latencies = new Float64Array(MAX_SAMPLES)
  readonly bodies: Buffer[]
  readonly counterAt: number[]
  readonly statuses: Record<number, number> = {}
  done = 0
  bytes = 0
  failed = 0
  next = 0
  over = false
  firstAnswer = ''
  /** `\r\nContent-Length: ` as this server spells it, learned from its first answer. */
  lengthHeader = Buffer.alloc(0)

  constructor(readonly spec: LoadSpec) {
    this.bodies = spec.requests.map((text) => Buffer.from(text))
    this.counterAt = spec.requests.map((text) => Buffer.from(text).indexOf(COUNTER))
  }

  request(): Buffer {
    const i = this.next++ % this.bodies.length
    const body = this.bodies[i]!
    const at = this.counterAt[i]!
    if (at >= 0) body.write(String(counter++).padStart(COUNTER.length, '0'), at, 'latin1')
    return body
  }
}

class Connection {
  private socket: Socket<Connection> | undefined
  private sentAt = 0
  /** Bytes of the current answer that have not arrived; -1 until its header was read, -2 during a chunked body. */
  private missing = -1
  private held: Buffer | undefined

  constructor(
    private readonly run: Run,
    private readonly port: number,
  ) {}

  async open(): Promise<void> {
    // With TLS, Bun.connect returns before the handshake.
    const opened = Promise.withResolvers<void>()
    await Bun.connect<Connection>({
      hostname: '127.0.0.1',
      port: this.port,
      ...(this.run.spec.isTls === true && { tls: { rejectUnauthorized: false } }),
      data: this,
      socket: {
        binaryType: 'buffer',
        open: (socket) => {
          this.socket = socket
          opened.resolve()
        },
        data: (_socket, chunk) => this.take(chunk as Buffer),
        close: () => this.lost(),
        error: () => this.lost(),
        connectError: () => {
          this.lost()
          opened.resolve()
        },
      },
    })
    await opened.promise
  }

  send(): void {
    if (this.run.over) return
    this.missing = -1
    this.sentAt = Bun.nanoseconds()
    const bytes = this.run.request()
    const written = this.socket!.write(bytes)
    if (written !== bytes.length) throw new Error(`short write: ${written} of ${bytes.length}`)
  }

  close(): void {
    this.socket?.end()
  }

  private lost(): void {
    if (!this.run.over) this.run.failed++
  }

  private take(chunk: Buffer): void {
    const run = this.run
    run.bytes += chunk.length
    if (this.missing === -2) {
      if (chunk.subarray(-CHUNKED_END.length).equals(CHUNKED_END)) this.answered()
      return
    }
    if (this.missing > 0) {
      this.missing -= chunk.length
      if (this.missing <= 0) this.answered()
      return
    }
    const data = this.held ? Buffer.concat([this.held, chunk]) : chunk
    const end = data.indexOf(HEADER_END)
    if (end < 0) {
      this.held = Buffer.from(data)
      return
    }
    this.held = undefined
    const status = (data[9]! - 48) * 100 + (data[10]! - 48) * 10 + data[11]! - 48
    run.statuses[status] = (run.statuses[status] ?? 0) + 1
    if (run.firstAnswer === '') run.firstAnswer = data.toString('utf8').slice(0, 4000)
    const length = this.contentLength(data, end, status)
    if (length === -2) {
      this.missing = -2
      if (data.subarray(-CHUNKED_END.length).equals(CHUNKED_END)) this.answered()
      return
    }
    this.missing = end + HEADER_END.length + length - data.length
    if (this.missing <= 0) this.answered()
  }

  /** Bytes of the body; -2 if it is chunked. */
  private contentLength(data: Buffer, end: number, status: number): number {
    const run = this.run
    let at = run.lengthHeader.length > 0 ? data.indexOf(run.lengthHeader) : -1
    if (at < 0 || at > end) {
      const head = data.toString('latin1', 0, end)
      const found = /\r\n(content-length): */i.exec(head)
      if (!found) {
        if (status === 204 || status === 304) return 0
        if (/\r\ntransfer-encoding: *chunked/i.test(head)) return -2
        throw new Error(`an answer without a length:\n${head}`)
      }
      run.lengthHeader = Buffer.from(found[0])
      at = found.index
    }
    let length = 0
    for (let i = at + run.lengthHeader.length; data[i]! >= 48 && data[i]! <= 57; i++)
      length = length * 10 + data[i]! - 48
    return length
  }

  private answered(): void {
    const run = this.run
    if (run.over) return
    if (run.done < MAX_SAMPLES) run.latencies[run.done] = Bun.nanoseconds() - this.sentAt
    run.done++
    if (run.spec.count !== undefined && run.done >= run.spec.count) return
    if (run.spec.pauseMs === undefined) this.send()
    else setTimeout(() => this.send(), run.spec.pauseMs * (0.5 + Math.random()))
  }
}

async function load(spec: LoadSpec): Promise<LoadResult> {
  const run = new Run(spec)
  const ports = [spec.port, ...(spec.morePorts ?? [])]
  const connections = Array.from({ length: spec.connections }, (_, i) => new Connection(run, ports[i % ports.length]!))
  for (const connection of connections) await connection.open()
  const cpuBefore = process.cpuUsage()
  const startedAt = Bun.nanoseconds()
  const endAt = startedAt + spec.seconds * 1e9
  for (const connection of connections) connection.send()
  // A short run against a slow server continues until one request was answered.
  while (Bun.nanoseconds() < (run.done > 0 ? endAt : endAt + PATIENCE)) {
    if (spec.count !== undefined && run.done >= spec.count) break
    if (run.failed >= spec.connections) break
    await Bun.sleep(Math.min(20, Math.max(1, (endAt - Bun.nanoseconds()) / 1e6)))
  }
  run.over = true
  const seconds = (Bun.nanoseconds() - startedAt) / 1e9
  const cpu = process.cpuUsage(cpuBefore)
  for (const connection of connections) connection.close()
  const sorted = run.latencies.subarray(0, Math.min(run.done, MAX_SAMPLES)).sort()
  return {
    requests: run.done,
    seconds,
    bytes: run.bytes,
    failed: run.failed,
    statuses: run.statuses,
    p50Ms: percentile(sorted, 0.5) / 1e6,
    p99Ms: percentile(sorted, 0.99) / 1e6,
    maxMs: percentile(sorted, 1) / 1e6,
    generatorBusy: (cpu.user + cpu.system) / 1e6 / seconds,
    firstAnswer: run.firstAnswer,
  }
}

process.on('message', (message: { id: number; spec: LoadSpec }) => {
  load(message.spec).then(
    (result) => process.send?.({ id: message.id, result }),
    (error: unknown) => process.send?.({ id: message.id, error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
