/**
 * The store's `aside` on SQLite: reads on a thread of their own, with a connection of its own. A question costs about 0.1 ms more
 * than on the main thread.
 */

import { asStorageError } from '../errors.ts'
import type { Rows, Runner } from '../query/builders.ts'
import type { Question, Reply } from './aside.worker.ts'

/** A thread costs a few MB, and some milliseconds to start: it is kept so long after the last question. */
const IDLE_MS = 30_000

// Inside the executable, workers lie under their path from src/ (scripts/build.ts).
const script = (): string =>
  Bun.isStandaloneExecutable ? './db/engine/aside.worker.ts' : new URL('./aside.worker.ts', import.meta.url).href

export class AsideThread implements Runner {
  #worker: Worker | undefined
  #idle: Timer | undefined
  #lastId = 0
  readonly #waiting = new Map<number, PromiseWithResolvers<Rows>>()

  constructor(readonly file: string) {}

  rows(sql: string, params: unknown[]): Promise<Rows> {
    clearTimeout(this.#idle)
    const worker = (this.#worker ??= this.#start())
    const id = ++this.#lastId
    const answer = Promise.withResolvers<Rows>()
    this.#waiting.set(id, answer)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage({ id, file: this.file, sql, params } satisfies Question)
    return answer.promise
  }

  #start(): Worker {
    const worker = new Worker(script(), { smol: true })
    worker.unref()
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => this.#receive(data))
    worker.addEventListener('error', ({ message }) => {
      if (this.#worker === worker) this.stop(new Error(`the reading thread failed: ${message}`))
    })
    return worker
  }

  #receive({ id, rows, error }: Reply): void {
    const answer = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) answer?.reject(asStorageError(Object.assign(new Error(error.message), { code: error.code }), this.file))
    else answer?.resolve(rows)
    if (this.#waiting.size > 0) return
    this.#idle = setTimeout(() => this.stop(), IDLE_MS)
    this.#idle.unref()
  }

  /** Whoever still waits is told `reason`. The next question starts it again. */
  stop(reason = new Error('the store is closed')): void {
    clearTimeout(this.#idle)
    this.#worker?.terminate()
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) reject(reason)
    this.#waiting.clear()
  }
}
