/** The same action on many codes, one after the other, with its progress. */

import { useState } from 'react'
import { useNotify } from 'react-admin'

import { ApiError } from '../../api/errors.ts'
import { useRefresh } from '../../api/hooks.ts'
import type { QrCode } from '../../api/types.ts'

export interface Bulk {
  /** Fraction that is done, 0 to 1; undefined while nothing runs. */
  readonly progress: number | undefined
  /** Stops at the first refusal, which is shown. Returns the number of codes that were changed. */
  run(
    codes: readonly QrCode[],
    action: (code: QrCode) => Promise<unknown>,
    done: (n: number) => string,
  ): Promise<number>
}

export function useBulk(): Bulk {
  const [progress, setProgress] = useState<number>()
  const refresh = useRefresh()
  const notify = useNotify()
  return {
    progress,
    async run(codes, action, done) {
      let n = 0
      setProgress(0)
      try {
        for (const code of codes) {
          await action(code)
          n++
          setProgress(n / codes.length)
        }
        notify(done(n), { type: 'success' })
      } catch (error) {
        notify(error instanceof ApiError ? error.message : String(error), { type: 'error', autoHideDuration: 10_000 })
      } finally {
        setProgress(undefined)
        await refresh('qrCodes', 'categories')
      }
      return n
    },
  }
}
