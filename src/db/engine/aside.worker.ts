/** Reads a SQLite file on a thread of its own; each message is a statement, each answer its rows. Its host is `aside.ts`. */

import { Database, type SQLQueryBindings } from 'bun:sqlite'

declare const self: Worker

export interface Question {
  readonly id: number
  readonly file: string
  readonly sql: string
  readonly params: unknown[]
}

export interface Reply {
  readonly id: number
  readonly rows: unknown[][]
  /** What bun:sqlite threw; errors lose their `code` between threads. */
  readonly error?: { readonly code: string | undefined; readonly message: string }
}

let db: Database | undefined

function open(file: string): Database {
  const opened = new Database(file, { create: false, readwrite: true, strict: true })
  opened.run('PRAGMA query_only = ON; PRAGMA busy_timeout = 5000; PRAGMA trusted_schema = OFF')
  return opened
}

self.addEventListener('message', ({ data: { id, file, sql, params } }: MessageEvent<Question>) => {
  let reply: Reply
  try {
    // The statements of filters are many, and seldom the same: none is kept.
    const statement = (db ??= open(file)).prepare(sql)
    reply = { id, rows: statement.values(...(params as SQLQueryBindings[])) }
    statement.finalize()
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    reply = { id, rows: [], error: { code, message } }
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  self.postMessage(reply)
})
