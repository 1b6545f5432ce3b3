/** The same action on many rows, one after the other. */

import { useRef, useState } from 'react'

import { ApiError } from '../../api/errors.ts'
import { useRefresh } from '../../api/hooks.ts'
import { notify } from '../../browser/notices.ts'

/** One reason, and the names of the rows that were refused for it. */
export interface Refusal {
  readonly error: unknown
  readonly names: readonly string[]
}

/** Rows that are finished, refused ones included. */
export interface Progress {
  readonly done: number
  readonly all: number
}

export interface Bulk {
  /** Undefined while nothing runs. */
  readonly progress: Progress | undefined
  /** Those of the last run, by their reasons. */
  readonly refusals: readonly Refusal[]
  readonly forget: () => void
  /** Ends the run after the row that is being changed. */
  readonly stop: () => void
  /** Goes on after a refusal. Returns the rows that were not changed, which the caller keeps selected. */
  run<Row>(
    rows: readonly Row[],
    action: (row: Row) => Promise<unknown>,
    done: (n: number) => string,
    nameOf: (row: Row) => string,
  ): Promise<readonly Row[]>
}

/** Answers after which each further row would be refused for the same reason: no connection, no session, too many requests, no server. */
const isFatal = (error: unknown): boolean =>
  !(error instanceof ApiError) || [0, 401, 429].includes(error.status) || error.status >= 502

/** `refreshes`: first words of the ids of operations whose answers have changed. */
export function useBulk(...refreshes: string[]): Bulk {
  const [progress, setProgress] = useState<Bulk['progress']>()
  const [refusals, setRefusals] = useState<readonly Refusal[]>([])
  const isStopped = useRef(false)
  const refresh = useRefresh()
  return {
    progress,
    refusals,
    forget: () => setRefusals([]),
    stop: () => (isStopped.current = true),
    async run(rows, action, done, nameOf) {
      const reasons = new Map<string, Refusal>()
      const left: (typeof rows)[number][] = []
      const refuse = (error: unknown, refused: typeof rows) => {
        const reason = error instanceof ApiError ? error.text : String(error)
        reasons.set(reason, { error, names: [...(reasons.get(reason)?.names ?? []), ...refused.map(nameOf)] })
        left.push(...refused)
      }
      setRefusals([])
      isStopped.current = false
      for (const [i, row] of rows.entries()) {
        if (isStopped.current) {
          left.push(...rows.slice(i))
          break
        }
        setProgress({ done: i, all: rows.length })
        try {
          await action(row)
        } catch (error) {
          refuse(error, isFatal(error) ? rows.slice(i) : [row])
          if (isFatal(error)) break
        }
      }
      await refresh(...refreshes)
      setProgress(undefined)
      setRefusals([...reasons.values()])
      const count = rows.length - left.length
      if (count > 0) notify(done(count), 'success')
      return left
    },
  }
}
