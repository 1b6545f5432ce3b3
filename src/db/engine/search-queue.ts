/**
 * Runs searches so that no user's searches delay other users: one at a time for each user, and each for a limited time. Statements
 * of a search are short (search.ts) and wait for each other in the order in which they come, so users take turns at them.
 *
 * Of several searches of one user, the newest runs next: while a person types, the answer to the last key is the one that is wanted.
 * A screen that searches a few lists at once gets all answers.
 */

import { isStatementTimeout, SearchRefused } from '../errors.ts'
import type { Rows, Runner } from '../query/builders.ts'
import type { Db } from '../store.ts'
import { ReadDb } from './write.ts'

/** Searches of one user that wait while another one runs. Beyond, the one that has waited longest is refused. */
export const MAX_WAITING = 4

/** A search that takes longer, including the wait, is refused. A million small rows take about a second. */
export const SEARCH_MS = 10_000

/** Refuses to start a statement after `endsAt` (of `performance.now`). */
class TimedRunner implements Runner {
  constructor(
    readonly runner: Runner,
    readonly endsAt: number,
  ) {}
  rows(sql: string, params: unknown[]): Rows | Promise<Rows> {
    if (performance.now() >= this.endsAt) throw new SearchRefused('timeout')
    const rows = this.runner.rows(sql, params)
    return rows instanceof Promise ? rows.catch(refuseTimeout) : rows
  }
}

function refuseTimeout(error: unknown): never {
  throw isStatementTimeout(error) ? new SearchRefused('timeout') : error
}

/** `Store.search`, with another runner if one is given. */
export type Search = <T>(userId: number, fn: (db: Db) => Promise<T>, on?: Runner) => Promise<T>

/** `runner` must run statements in the order in which they come, and away from the event loop. */
export function searchQueue(runner: Runner, searchMs: number): Search {
  /** Users with a running search, and their waiting ones, the newest last. */
  const waitingOf = new Map<number, PromiseWithResolvers<void>[]>()

  function turnOf(userId: number): Promise<void> | undefined {
    const waiting = waitingOf.get(userId)
    if (waiting === undefined) {
      waitingOf.set(userId, [])
      return undefined
    }
    const turn = Promise.withResolvers<void>()
    waiting.push(turn)
    if (waiting.length > MAX_WAITING) waiting.shift()!.reject(new SearchRefused('replaced'))
    return turn.promise
  }

  function startNext(userId: number): void {
    const next = waitingOf.get(userId)!.pop()
    if (next) next.resolve()
    else waitingOf.delete(userId)
  }

  return async (userId, fn, on = runner) => {
    const endsAt = performance.now() + searchMs
    await turnOf(userId)
    try {
      return await fn(new ReadDb(new TimedRunner(on, endsAt)))
    } finally {
      startNext(userId)
    }
  }
}
