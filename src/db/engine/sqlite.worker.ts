/**
 * Long work on a SQLite file, on a thread of its own: each message is a task, each answer its end. It imports nothing of ours, so
 * that the thread stays small. Its host is `sqlite-thread.ts`.
 */

import { Database } from 'bun:sqlite'

declare const self: Worker

export type Task =
  /** Copies what the log holds into the database file, as far as readers and the writer allow. */
  | { readonly kind: 'checkpoint'; readonly file: string }
  /** Writes a consistent, compact copy to `to`, which must not exist. */
  | { readonly kind: 'backup'; readonly file: string; readonly to: string }
  /** Reads every page and index. The answer's `problems` are SQLite's own words, at most 100. */
  | { readonly kind: 'check'; readonly file: string }

export interface Answer {
  readonly problems: string[]
  /** What bun:sqlite threw; errors lose their `code` between threads. */
  readonly error?: { readonly code: string | undefined; readonly message: string }
}

function perform(task: Task): string[] {
  const db = new Database(task.file, { create: false, readwrite: true })
  try {
    db.run('PRAGMA busy_timeout = 5000; PRAGMA trusted_schema = OFF')
    if (task.kind === 'checkpoint') db.run('PRAGMA wal_checkpoint(PASSIVE)')
    else if (task.kind === 'backup') db.run('VACUUM INTO ?', [task.to])
    else {
      const found = db.query('PRAGMA integrity_check(100)').values().flat().map(String)
      const dangling = db.query('PRAGMA foreign_key_check').values().length
      if (dangling > 0) found.push(`${dangling} rows point to rows that do not exist`)
      return found.filter((problem) => problem !== 'ok')
    }
    return []
  } finally {
    db.close()
  }
}

self.addEventListener('message', ({ data }: MessageEvent<Task>) => {
  let answer: Answer
  try {
    answer = { problems: perform(data) }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    answer = { problems: [], error: { code, message } }
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  self.postMessage(answer)
})
