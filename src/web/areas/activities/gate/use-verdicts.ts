/** The verdict of a gate, and the scans before it, which can be undone. */

import { useCallback, useState } from 'react'

import type { ApiError } from '../../../api/errors.ts'
import type { GateDirection, GatePass, PassUse, RefusalReason } from '../../../api/types.ts'
import type { GateStore, UsesRow } from './gate-store.ts'

export interface Verdict {
  /** Distinguishes the same verdict on two visitors. */
  readonly key: string
  readonly direction: GateDirection
  readonly isValid: boolean
  /** `NEEDS_CONNECTION`: the content cannot be checked without the server. */
  readonly reason: RefusalReason | 'NEEDS_CONNECTION' | null
  /** Null without a connection: the code does not contain the name. */
  readonly pass: GatePass | null
  readonly isOffline: boolean
  /** A refusal of the server that is not about the pass, such as a missing permission. */
  readonly error?: ApiError
  readonly scan?: LastScan
}

/** A scan that the server has recorded. */
export interface LastScan {
  readonly use: PassUse
  /** The uses of the pass that the browser had kept before the scan. */
  readonly before: UsesRow | undefined
}

/** Shown scans: enough to find the last visitor again. */
const MAX_LAST_SCANS = 10

export interface Verdicts {
  readonly verdict: Verdict | undefined
  /** Scans with a connection since the page was opened, the newest first. */
  readonly lastScans: readonly LastScan[]
  readonly show: (verdict: Verdict | undefined) => void
  /** For the use of a scan that was undone. */
  readonly undone: (use: PassUse) => Promise<void>
}

/** `read` reads the state of the gate again. */
export function useVerdicts(store: GateStore, read: () => Promise<void>): Verdicts {
  const [verdict, setVerdict] = useState<Verdict>()
  const [lastScans, setLastScans] = useState<readonly LastScan[]>([])
  const show = useCallback((next: Verdict | undefined) => {
    setVerdict(next)
    const scan = next?.scan
    if (scan) setLastScans((scans) => [scan, ...scans].slice(0, MAX_LAST_SCANS))
  }, [])
  const undone = async (use: PassUse) => {
    const before = lastScans.find((scan) => scan.use.id === use.id)?.before
    setLastScans((scans) => scans.map((scan) => (scan.use.id === use.id ? { ...scan, use } : scan)))
    // A green verdict no longer holds.
    setVerdict(undefined)
    // A browser without storage keeps no uses.
    await store.restore(use.passUuid!, before, use.direction === 'ENTRY').then(read, () => undefined)
  }
  return { verdict, lastScans, show, undone }
}
