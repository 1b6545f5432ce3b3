/**
 * SQLite work that would block the event loop: slow queries (`readInWorker`) and checkpoints. It imports only types of ours, so
 * that the thread stays small. Its host is worker-host.ts.
 */

import { Database, type SQLQueryBindings } from 'bun:sqlite'

import type { WorkerReply, WorkerRequest } from './worker-host.ts'

declare const self: Worker

export type SqliteTask =
  /** Runs one statement that only reads, and answers with its rows. */
  | { readonly kind: 'query'; readonly file: string; readonly sql: string; readonly params: unknown[] }
  /** Copies the write-ahead log into the database file, as far as readers and the writer allow. Answers with no rows. */
  | { readonly kind: 'checkpoint'; readonly file: string }
  /** Closes the connection of the queries: an open one would keep the log file in place. Answers with no rows. */
  | { readonly kind: 'close' }

/** Kept between queries. One worker serves one file. */
let reader: Database | undefined

function open(file: string, pragmas = ''): Database {
  const db = new Database(file, { create: false, readwrite: true, strict: true })
  db.run(`PRAGMA busy_timeout = 5000; PRAGMA trusted_schema = OFF; ${pragmas}`)
  return db
}

function perform(task: SqliteTask): unknown[][] {
  if (task.kind === 'query') {
    reader ??= open(task.file, 'PRAGMA query_only = ON;')
    // Not cached: these statements come from filters, are many, and are rarely repeated.
    const statement = reader.prepare(task.sql)
    try {
      return statement.values(...(task.params as SQLQueryBindings[]))
    } finally {
      statement.finalize()
    }
  }
  if (task.kind === 'close') {
    reader?.close()
    reader = undefined
    return []
  }
  const db = open(task.file)
  try {
    db.run('PRAGMA wal_checkpoint(PASSIVE)')
    return []
  } finally {
    db.close()
  }
}

self.addEventListener('message', ({ data: { id, task } }: MessageEvent<WorkerRequest<SqliteTask>>) => {
  let reply: WorkerReply<unknown[][]>
  try {
    reply = { id, result: perform(task) }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    reply = { id, error: { code, message } }
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
  self.postMessage(reply)
})
