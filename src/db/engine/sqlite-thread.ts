/** Work on a SQLite file that would hold up the event loop: it runs on a thread that is there only while there is work. */

import { asStorageError } from '../errors.ts'
import type { Answer, Task } from './sqlite.worker.ts'

/** The thread costs about 3 MB, and 6 ms to start: it is kept a while for the next checkpoint, in milliseconds. */
const IDLE_MS = 5000

// Inside the executable, workers lie under their path from src/ (scripts/build.ts).
const script = (): string =>
  Bun.isStandaloneExecutable ? './db/engine/sqlite.worker.ts' : new URL('./sqlite.worker.ts', import.meta.url).href

export interface SqliteThread {
  /** Copies what the log holds into the database file, as far as readers and the writer allow. */
  checkpoint(): Promise<void>
  /** Writes a consistent, compact copy to `path`, which must not exist; the copy may not be on disk yet. */
  backupTo(path: string): Promise<void>
  /** What is wrong with the file, in SQLite's words; empty when it is sound. */
  integrityCheck(): Promise<string[]>
  /** Waits for what is under way. */
  close(): Promise<void>
}

/** Tasks run one after the other. They reject with StorageErrors. */
export function sqliteThread(file: string): SqliteThread {
  let worker: Worker | undefined
  let waiting: PromiseWithResolvers<Answer> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let idle: ReturnType<typeof setTimeout> | undefined

  function start(): Worker {
    const thread = new Worker(script(), { smol: true })
    thread.addEventListener('message', ({ data }: MessageEvent<Answer>) => waiting?.resolve(data))
    thread.addEventListener('error', ({ message }) => {
      if (worker === thread) stop()
      waiting?.reject(new Error(`the database's thread failed: ${message}`))
    })
    return thread
  }

  function stop(): void {
    clearTimeout(idle)
    worker?.terminate()
    worker = undefined
  }

  async function perform(task: Task): Promise<string[]> {
    clearTimeout(idle)
    worker ??= start()
    const thread = worker
    // The process stays for a task, not for a thread that waits for one.
    thread.ref()
    waiting = Promise.withResolvers()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.postMessage(task)
    const { problems, error } = await waiting.promise.finally(() => {
      thread.unref()
      idle = setTimeout(stop, IDLE_MS)
      idle.unref()
    })
    const where = task.kind === 'backup' ? `${file} or ${task.to}` : file
    if (error) throw asStorageError(Object.assign(new Error(error.message), { code: error.code }), where)
    return problems
  }

  function run(task: Task): Promise<string[]> {
    const result = last.then(() => perform(task))
    last = result.catch(() => undefined)
    return result
  }

  return {
    async checkpoint() {
      await run({ kind: 'checkpoint', file })
    },
    async backupTo(path) {
      await run({ kind: 'backup', file, to: path })
    },
    integrityCheck: () => run({ kind: 'check', file }),
    async close() {
      await last
      stop()
    },
  }
}
