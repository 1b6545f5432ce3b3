/** Scanning at a gate: with the server if it answers, otherwise by the signature of the pass. */

import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'

import { callWith } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors.ts'
import type { GateDirection, Pass, PassVerification, RefusalReason } from '../../../api/types.ts'
import { useSession } from '../../../session/session.ts'
import { type GateState, GateStore } from './gate-store.ts'
import { signal } from './signals.ts'
import { canVerify, readToken } from './verify-token.ts'

export interface Verdict {
  /** Distinguishes the same verdict on two visitors. */
  readonly nonce: string
  readonly direction: GateDirection
  readonly isValid: boolean
  /** `NEEDS_CONNECTION`: the content cannot be checked without the server. */
  readonly reason: RefusalReason | 'NEEDS_CONNECTION' | null
  /** Null without a connection: the code does not contain the name. */
  readonly pass: Pass | null
  readonly isOffline: boolean
  /** A refusal of the server that is not about the pass, such as a missing permission. */
  readonly error?: ApiError
}

export interface Gate {
  readonly state: GateState
  readonly isOnline: boolean
  /** Whether the gate can go on without a connection. Undefined until it is known. */
  readonly canWorkOffline: boolean | undefined
  readonly isBusy: boolean
  readonly verdict: Verdict | undefined
  /** The error of the last attempt to read keys and send scans, unless the server could not be reached. */
  readonly problem: unknown
  readonly scan: (scanned: { content: string } | { passUuid: string }) => void
}

/** Milliseconds: visitors wait, and the signature can be checked without the server. */
const PATIENCE = 4_000
/** Milliseconds between two attempts to reach the server, which also read new revocations. */
const PAUSE = 20_000

export function useGate(activityId: number, direction: GateDirection): Gate {
  const { user } = useSession()
  const store = useMemo(() => new GateStore(activityId, user.id), [activityId, user.id])
  const state = useSyncExternalStore(store.subscribe, store.get)
  const [isOnline, setOnline] = useState(true)
  const [canCheck, setCanCheck] = useState<boolean>()
  const [isBusy, setBusy] = useState(false)
  const [verdict, setVerdict] = useState<Verdict>()
  const [problem, setProblem] = useState<unknown>()
  const busy = useRef(false)

  useEffect(() => {
    let isGone = false
    void canVerify().then((can) => isGone || setCanCheck(can))
    const renew = async () => {
      // Apart: a refused upload must not keep this gate from learning of revoked passes.
      const results = await Promise.allSettled([store.prepare(), store.uploadQueue()])
      if (isGone) return
      const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
      setOnline(!errors.some(isLost))
      setProblem(errors.find((error) => !isLost(error)))
    }
    void renew()
    const timer = setInterval(() => void renew(), PAUSE)
    const onConnected = () => void renew()
    globalThis.addEventListener('online', onConnected)
    return () => {
      isGone = true
      clearInterval(timer)
      globalThis.removeEventListener('online', onConnected)
    }
  }, [store])

  const scan = useCallback(
    (scanned: { content: string } | { passUuid: string }) => {
      const run = async () => {
        try {
          const nonce = crypto.getRandomValues(new Uint32Array(4)).join('-')
          const next = await judge(store, activityId, { ...scanned, direction, nonce })
          signal(next.isValid)
          setOnline(!next.isOffline)
          setVerdict(next)
          if (next.isValid && direction === 'ENTRY') store.change({ admitted: store.get().admitted + 1 })
        } catch (error) {
          // Such as a full storage of the browser. The gate goes on with the next pass.
          setVerdict(undefined)
          setProblem(error)
        } finally {
          busy.current = false
          setBusy(false)
        }
      }
      if (busy.current) return
      busy.current = true
      setBusy(true)
      void run()
    },
    [store, activityId, direction],
  )
  const canWorkOffline = canCheck === undefined ? undefined : canCheck && state.preparedAt > 0
  return { state, isOnline, canWorkOffline, isBusy, verdict, problem, scan }
}

type Scan = { nonce: string; direction: GateDirection } & ({ content: string } | { passUuid: string })

async function judge(store: GateStore, activityId: number, scan: Scan): Promise<Verdict> {
  const { nonce, direction } = scan
  const base = { nonce, direction, pass: null, isOffline: false }
  try {
    const { valid, reason, pass } = (await callWith(
      'passes.verify',
      { params: { id: activityId }, body: { ...scan, redeem: true } },
      { signal: AbortSignal.timeout(PATIENCE) },
    )) as PassVerification
    // With `redeem` the whole pass is answered.
    const whole = pass as Pass | null
    if (valid && whole !== null && direction === 'ENTRY')
      remember(store, whole.uuid, whole.maxUses === 0 ? null : whole.maxUses - whole.usedCount)
    return { ...base, isValid: valid, reason, pass: whole }
  } catch (error) {
    if (!isLost(error)) return { ...base, isValid: false, reason: null, error: error as ApiError }
    return { ...base, isOffline: true, ...(await judgeAlone(store, activityId, scan)) }
  }
}

/** The verdict of the signature, the times in the code, the revocations, and the entries that this gate has seen. */
async function judgeAlone(
  store: GateStore,
  activityId: number,
  scan: Scan,
): Promise<{ isValid: boolean; reason: Verdict['reason'] }> {
  const refuse = (reason: Verdict['reason']) => ({ isValid: false, reason })
  const { keys, revoked, left, preparedAt, queue } = store.get()
  if (!('content' in scan) || preparedAt === 0 || !(await canVerify())) return refuse('NEEDS_CONNECTION')
  const { content, nonce, direction } = scan
  const token = await readToken(content, keys)
  // The link of the page of a pass holds no signature.
  if (token === 'MALFORMED') return refuse(/\/s\/pass\//i.test(content) ? 'NEEDS_CONNECTION' : 'MALFORMED')
  if (token === 'FORGED') return refuse('FORGED')
  const now = Date.now()
  if (token.activityId !== activityId) return refuse('WRONG_ACTIVITY')
  if (revoked.includes(token.uuid)) return refuse('REVOKED')
  if (token.validTo !== null && now > token.validTo) return refuse('EXPIRED')
  if (token.validFrom !== null && now < token.validFrom) return refuse('NOT_YET_VALID')
  if (direction === 'ENTRY' && left[token.uuid] === 0) return refuse('USED')
  // The code does not say how many uses it has: a pass that this gate does not know gets one.
  const before = left[token.uuid]
  if (direction === 'ENTRY') remember(store, token.uuid, before === null ? null : (before ?? 1) - 1)
  // The next entry after an exit is free.
  else if (before !== null && before !== undefined) remember(store, token.uuid, before + 1)
  store.change({ queue: [...queue, { content, nonce, usedAt: now, direction }] })
  return { isValid: true, reason: null }
}

const remember = (store: GateStore, uuid: string, uses: number | null): void =>
  store.change({ left: { ...store.get().left, [uuid]: uses } })

/** Whether there was no answer of the server: no network, a proxy without a server, or a timeout. */
const isLost = (error: unknown): boolean =>
  error instanceof ApiError ? error.status === 0 || error.status >= 502 : error instanceof DOMException
