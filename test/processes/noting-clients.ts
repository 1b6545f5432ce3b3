/** Clients that write through a proxy of three processes, repeat each request until it is answered, and note the answers. */

import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Child, startChild } from '../chat/child-servers.ts'
import { type Reply, send } from '../harness/client.ts'
import { ok, type Person, until } from '../harness/index.ts'
import { startNginx } from '../harness/nginx.ts'
import { type Proxy, startProxy } from '../harness/proxy.ts'

const PROCESSES = 3
const MAX_STARTS = 3
/** A process that is stopped does not answer. The request is then repeated at another one. */
const PATIENCE_MS = 3000

export interface Work {
  readonly who: Person
  /** Of a POST. */
  readonly path: string
  readonly body: (nth: number) => object
  readonly headers?: (nth: number) => Record<string, string>
  /** The id by which the row is found again. */
  readonly idOf?: (data: Reply['data']) => number
  /** Also answers a repeat, of an operation without `Idempotency-Key`. */
  readonly isDone?: (reply: Reply) => boolean
  /** Where the rows are listed. Several works can fill the same list. */
  readonly list?: { readonly who: Person; readonly path: string }
}

export class NotingClients {
  readonly servers: Child[] = []
  /** The ids of answered writes, by the name of the work. */
  readonly notes = new Map<string, number[]>()
  readonly counts = { answers: 0, repeats: 0, failedStarts: 0 }
  proxy!: Proxy
  #isWriting = true

  /** `pauseMs`: after each answer. */
  constructor(
    readonly folder: string,
    readonly env: Readonly<Record<string, string>>,
    readonly pauseMs = 0,
  ) {}

  get isWriting(): boolean {
    return this.#isWriting
  }

  async startAll(): Promise<void> {
    for (let nth = 0; nth < PROCESSES; nth++) await this.#start(nth)
    const urls = this.servers.map(({ url }) => url)
    const nginx = process.env['TEST_NGINX']
    this.proxy = nginx ? await startNginx(nginx, urls) : await startProxy(urls)
  }

  async #start(nth: number): Promise<void> {
    const dataDir = join(this.folder, `server-${nth}`)
    mkdirSync(dataDir, { recursive: true })
    for (let tries = 1; ; tries++) {
      try {
        this.servers[nth] = await startChild(dataDir, { ...this.env })
        return
      } catch (error) {
        // A service manager starts it again, too: PostgreSQL may answer too late on a busy machine.
        if (tries === MAX_STARTS) throw error
        this.counts.failedStarts++
      }
    }
  }

  /** After a kill. */
  async restart(nth: number): Promise<void> {
    await this.#start(nth)
    this.proxy.use(this.servers.map(({ url }) => url))
  }

  async stopAll(): Promise<void> {
    await this.proxy?.stop()
    await Promise.all(this.servers.map((server) => server.kill()))
  }

  /** Each work is done by one client until `stop`. */
  async write(works: Readonly<Record<string, Work>>): Promise<void> {
    try {
      await Promise.all(Object.entries(works).map(([name, work]) => this.#repeat(name, work)))
    } finally {
      this.#isWriting = false
    }
  }

  stop(): void {
    this.#isWriting = false
  }

  async #repeat(name: string, work: Work): Promise<void> {
    const { idOf = ({ id }) => id } = work
    const ids: number[] = []
    this.notes.set(name, ids)
    for (let nth = 0; this.#isWriting; nth++) {
      ids.push(idOf(await this.#surely(work, nth, `${name} ${nth}`.replaceAll(' ', '-'))))
      this.counts.answers++
      await Bun.sleep(this.pauseMs)
    }
  }

  /** Sends the same request with the same key until it is answered. */
  async #surely({ who, path, body, headers, isDone }: Work, nth: number, key: string): Promise<Reply['data']> {
    const { token, deviceId } = who
    for (;;) {
      const reply = await send(this.proxy.url, 'POST', path, {
        token,
        deviceId,
        body: body(nth),
        headers: { 'idempotency-key': key, ...headers?.(nth) },
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).catch(() => undefined)
      if (reply?.status === 200 || (reply && isDone?.(reply))) return reply.data
      // 409: the first request with this key is still running.
      // 502, 504: of the proxy.
      if (reply !== undefined && ![502, 503, 504].includes(reply.status) && reply.code !== 409)
        throw new Error(`${path} answered ${reply.status}: ${reply.text}`)
      this.counts.repeats++
      await Bun.sleep(20 + this.pauseMs / 2)
    }
  }

  /** Resolves after so many further answers, or when a client has failed. */
  async moreAnswers(count: number): Promise<void> {
    const before = this.counts.answers
    await until(() => this.counts.answers >= before + count || !this.#isWriting)
  }

  /** The ids of these works, in ascending order. */
  noted(...names: readonly string[]): number[] {
    return names.flatMap((name) => this.notes.get(name)!).toSorted((a, b) => a - b)
  }

  get stderr(): string {
    const logs = this.servers.map((_, nth) => readFileSync(join(this.folder, `server-${nth}`, 'stderr.log'), 'utf8'))
    return logs.map((text) => text.slice(-4000)).join('\n')
  }
}

/** All items of a list with pages, through one process. */
export async function allItems(
  { url }: { readonly url: string },
  { token, deviceId }: Person,
  path: string,
): Promise<{ id: number }[]> {
  const items: { id: number }[] = []
  for (let page = 1; ; page++) {
    const asked = `${path}${path.includes('?') ? '&' : '?'}page=${page}&size=100`
    const { data } = ok(await send(url, 'GET', asked, { token, deviceId }))
    items.push(...data.items)
    if (items.length >= data.total) return items
  }
}
