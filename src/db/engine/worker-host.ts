/**
 * Runs tasks on a worker thread that exists only while it is needed: started by the first task, ended after a while without one.
 * The worker answers each task, in order, with a `WorkerReply`.
 */

/** A worker costs about 3 MB and takes 6 ms to start, so it is kept this long after its last task, in milliseconds. */
const IDLE_MS = 30_000

export interface WorkerRequest<Task> {
  readonly id: number
  readonly task: Task
}

export interface WorkerReply<Result> {
  readonly id: number
  readonly result?: Result
  /** Errors lose their `code` when they are posted between threads, so it is sent separately. */
  readonly error?: { readonly code: string | undefined; readonly message: string }
}

/** The URL of a worker of ours. `path` is relative to `src/`, which is where workers are inside the executable (scripts/build.ts). */
export const workerUrl = (path: string): string =>
  Bun.isStandaloneExecutable ? `./${path}` : new URL(`../../${path}`, import.meta.url).href

export class WorkerHost<Task, Result> {
  #worker: Worker | undefined
  #idleTimer: ReturnType<typeof setTimeout> | undefined
  #lastId = 0
  readonly #pending = new Map<number, PromiseWithResolvers<Result>>()

  constructor(
    readonly url: string,
    readonly idleMs = IDLE_MS,
  ) {}

  /** Rejects with the error that the worker caught (message and `code`), or when the worker fails or is stopped. */
  run(task: Task): Promise<Result> {
    clearTimeout(this.#idleTimer)
    const worker = (this.#worker ??= this.#start())
    // Only a pending task keeps the process running; an idle worker does not.
    if (this.#pending.size === 0) worker.ref()
    const id = ++this.#lastId
    const answer = Promise.withResolvers<Result>()
    this.#pending.set(id, answer)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
    worker.postMessage({ id, task } satisfies WorkerRequest<Task>)
    return answer.promise
  }

  #start(): Worker {
    const worker = new Worker(this.url, { smol: true })
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerReply<Result>>) => this.#receive(data))
    worker.addEventListener('error', ({ message }) => {
      if (this.#worker === worker) this.stop(new Error(`the worker failed: ${message}`))
    })
    return worker
  }

  #receive({ id, result, error }: WorkerReply<Result>): void {
    const answer = this.#pending.get(id)
    this.#pending.delete(id)
    if (error) answer?.reject(Object.assign(new Error(error.message), { code: error.code }))
    else answer?.resolve(result as Result)
    if (this.#pending.size > 0) return
    this.#worker?.unref()
    this.#idleTimer = setTimeout(() => this.stop(), this.idleMs)
    this.#idleTimer.unref()
  }

  /**
   * Lets a running worker perform its pending tasks and `last`, for at most `ms` milliseconds, and ends it. Tasks that are pending
   * then reject with `reason`.
   */
  async finish(last: Task, ms: number, reason: Error): Promise<void> {
    if (this.#worker !== undefined) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
      await Promise.race([this.run(last).catch(() => undefined), late])
      clearTimeout(timer)
    }
    this.stop(reason)
  }

  /** Ends the worker at once; pending tasks reject with `reason`. The next task starts a new worker. */
  stop(reason = new Error('the worker was stopped')): void {
    clearTimeout(this.#idleTimer)
    this.#worker?.terminate()
    this.#worker = undefined
    for (const { reject } of this.#pending.values()) reject(reason)
    this.#pending.clear()
  }
}
