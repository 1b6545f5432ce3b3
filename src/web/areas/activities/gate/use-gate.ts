/** Scanning at a gate: with the server if it answers, otherwise by the signature of the pass. */

import { useCallback, useEffect, useMemo, useRef, useState } from 'react'

import { ApiError, isLost } from '../../../api/errors.ts'
import type { GateDirection, GatePass, RefusalReason } from '../../../api/types.ts'
import { serverTime } from '../../../browser/server-time.ts'
import { onOutbox } from '../../../session/outbox.ts'
import { prepareReader } from '../../../ui/code-reader.ts'
import { signal } from '../../../ui/signals.ts'
import type { GateServer, Verification } from './gate-server.ts'
import { EMPTY, type GateState, GateStore, type ListChoice, newNonce, type UsesRow } from './gate-store.ts'
import { useVerdicts, type Verdict, type Verdicts } from './use-verdicts.ts'
import { canVerify, passIn, readToken } from './verify-token.ts'

export interface Gate extends Omit<Verdicts, 'show'> {
  readonly state: GateState
  readonly isOnline: boolean
  /** Whether the gate can go on without a connection. Undefined until it is known. */
  readonly canWorkOffline: boolean | undefined
  /** Whether the reader of the camera has been loaded. Undefined until it is known. */
  readonly hasReader: boolean | undefined
  readonly isBusy: boolean
  /** The error of the last attempt to read keys and send scans, or of the browser's storage, unless the server could not be reached. */
  readonly problem: unknown
  readonly scan: (scanned: Scanned) => void
  readonly sendRefused: () => Promise<void>
  readonly discardRefused: () => Promise<void>
}

export type Scanned = { readonly content: string } | { readonly passUuid: string }

/** Milliseconds: visitors wait, and the signature can be checked without the server. */
const PATIENCE = 4_000
/** Milliseconds between two attempts to reach the server. */
const PAUSE = 20_000

/** `server` and `list` must stay the same objects as long as they mean the same. */
export function useGate(server: GateServer, direction: GateDirection, list?: ListChoice): Gate {
  const store = useMemo(() => new GateStore(server, list), [server, list])
  const [state, setState] = useState(EMPTY)
  const [isOnline, setOnline] = useState(true)
  const canCheck = useCanCheck()
  const hasReader = useReader()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const busy = useRef(false)
  const current = useRef(store)
  /** The server did not answer: passes are judged without it until it has got all scans, so that visitors wait once only. */
  const isAlone = useRef(false)

  const read = useCallback(async () => {
    const next = await store.read()
    if (current.current === store) setState(next)
  }, [store])
  const { show, ...verdicts } = useVerdicts(store, read)
  /** Reads keys and lists unless they are new, and sends scans. */
  const renew = useCallback(async () => {
    // Apart: after a refused upload, this gate must still learn of revoked passes.
    const results = await Promise.allSettled([store.keepFresh(isAlone.current), store.send()])
    results.push(...(await Promise.allSettled([read()])))
    if (current.current !== store) return
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    isAlone.current &&= errors.some(isLost)
    setOnline(!errors.some(isLost))
    setProblem(errors.find((error) => !isLost(error)))
  }, [store, read])
  useReconnection(store, renew)

  useEffect(() => {
    current.current = store
    // The stored state is shown before the server answers.
    void read().catch(setProblem)
    void renew()
    const timer = setInterval(() => void renew(), PAUSE)
    const stop = onOutbox(() => void read().catch(setProblem))
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [store, read, renew])

  const scan = useCallback(
    (scanned: Scanned) => {
      const run = async () => {
        try {
          const next = await judge({ server, store, list }, scanned, { direction, isAlone: isAlone.current })
          isAlone.current ||= next.isOffline
          // Scans that wait come first: the server does not know yet which passes this gate has let in.
          if (isAlone.current && !next.isOffline) void renew()
          signal(next.isValid)
          if (next.isOffline) setOnline(false)
          show(next)
        } catch (error) {
          // The storage of the browser is full, for example. A visitor whose entry cannot be kept is not let in.
          show(undefined)
          setProblem(error)
        } finally {
          // With the verdict: the next visitor is scanned as soon as it is seen.
          busy.current = false
          setBusy(false)
        }
        await read().catch(setProblem)
      }
      if (busy.current) return
      busy.current = true
      setBusy(true)
      void run()
    },
    [server, store, list, direction, read, renew, show],
  )
  const sendRefused = useCallback(() => store.sendRefused().catch(setProblem).then(read), [store, read])
  const discardRefused = useCallback(() => store.discardRefused().then(read), [store, read])
  const canWorkOffline = canCheck === undefined ? undefined : canCheck && state.preparedAt > 0
  return { state, isOnline, canWorkOffline, hasReader, isBusy, problem, scan, sendRefused, discardRefused, ...verdicts }
}

/** Whether the browser can check signatures. Undefined until it is known. */
function useCanCheck(): boolean | undefined {
  const [canCheck, setCanCheck] = useState<boolean>()
  useEffect(() => void canVerify().then(setCanCheck), [])
  return canCheck
}

/** Reads new lists and sends scans when the connection is back. */
function useReconnection(store: GateStore, renew: () => Promise<void>): void {
  useEffect(() => {
    const reconnect = () => {
      store.expire()
      void renew()
    }
    globalThis.addEventListener('online', reconnect)
    return () => globalThis.removeEventListener('online', reconnect)
  }, [store, renew])
}

/** Loads the reader of the camera. False if that has failed; then it is tried again. */
function useReader(): boolean | undefined {
  const [hasReader, setHasReader] = useState<boolean>()
  useEffect(() => {
    const attempt = () =>
      void prepareReader().then(
        () => setHasReader(true),
        () => setHasReader(false),
      )
    attempt()
    const timer = setInterval(attempt, PAUSE)
    return () => clearInterval(timer)
  }, [])
  return hasReader
}

interface Place {
  readonly server: GateServer
  readonly store: GateStore
  readonly list: ListChoice | undefined
}

async function judge(
  place: Place,
  scanned: Scanned,
  { direction, isAlone }: { readonly direction: GateDirection; readonly isAlone: boolean },
): Promise<Verdict> {
  const { server, store, list } = place
  const identity = 'content' in scanned ? passIn(scanned.content) : scanned.passUuid
  // A browser without storage checks passes with a connection only, and cannot repeat a scan whose answer was lost.
  const nonce = await store.nonceOf(identity, direction).catch(newNonce)
  const base = { key: newNonce(), direction, pass: null, isOffline: false }
  const alone = async (): Promise<Verdict> => ({
    ...base,
    isOffline: true,
    ...(await judgeAlone(place, scanned, { nonce, direction })),
  })
  if (isAlone) {
    const verdict = await alone()
    if (verdict.reason !== 'NEEDS_CONNECTION') return verdict
  }
  let answer: Verification
  try {
    answer = await askServer(server, {
      ...scanned,
      direction,
      nonce,
      redeem: true,
      ...(list && { listId: list.id }),
    })
  } catch (error) {
    if (isLost(error)) return await alone()
    // 400: the nonce belongs to another pass, such as a forged one with the same uuid.
    if (error instanceof ApiError && error.status === 400)
      await store.forgetNonce(identity, direction).catch(() => undefined)
    if (error instanceof ApiError) return { ...base, isValid: false, reason: null, error }
    throw error
  }
  const { valid, reason, undone, use, pass } = answer
  if (undone) {
    // The answer to the first try was lost, and its use was undone meanwhile: this is another visit.
    await store.forgetNonce(identity, direction)
    return await judge(place, scanned, { direction, isAlone })
  }
  // The server has decided: what the browser keeps of it must not change the verdict.
  const before = await keep(store, identity, pass, { valid, reason, direction }).catch(() => undefined)
  return { ...base, isValid: valid, reason, pass, ...(use && { scan: { use, before } }) }
}

/** @throws ApiError, also if there is no answer in time; the renewal of the tokens takes longer at times */
function askServer(server: GateServer, body: object): Promise<Verification> {
  const signal = AbortSignal.timeout(PATIENCE)
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    server
      .verify(body, signal)
      .then((answer) => (answer === null ? reject(new ApiError(0, 0, '')) : resolve(answer)), reject)
  })
}

async function keep(
  store: GateStore,
  identity: string,
  pass: GatePass | null,
  { valid, reason, direction }: { valid: boolean; reason: RefusalReason | null; direction: GateDirection },
): Promise<UsesRow | undefined> {
  await store.forgetNonce(identity, direction)
  if (pass === null || !(valid || reason === 'USED')) return undefined
  const left = pass.maxUses === 0 ? null : pass.maxUses - pass.usedCount
  return await store.remember(pass.uuid, { left, isValid: valid, direction })
}

/** The verdict of the signature, the times in the code or the newest list, the revocations, and the passages that this gate has seen. */
async function judgeAlone(
  { server, store }: Place,
  scanned: Scanned,
  scan: { readonly nonce: string; readonly direction: GateDirection },
): Promise<{ isValid: boolean; reason: Verdict['reason'] }> {
  const refuse = (reason: Verdict['reason']) => ({ isValid: false, reason })
  const { keys, preparedAt } = await store.read()
  if (!('content' in scanned) || preparedAt === 0 || !(await canVerify())) return refuse('NEEDS_CONNECTION')
  const { content } = scanned
  const token = await readToken(content, keys)
  // The link of the page of a pass holds no signature.
  if (token === 'MALFORMED') return refuse(/\/s\/pass\//i.test(content) ? 'NEEDS_CONNECTION' : 'MALFORMED')
  if (token === 'FORGED') return refuse('FORGED')
  const now = serverTime()
  if (token.activityId !== server.activityId) return refuse('WRONG_ACTIVITY')
  const { validFrom, validTo } = await store.timesOf(token)
  if (validTo !== null && now > validTo) return refuse('EXPIRED')
  if (validFrom !== null && now < validFrom) return refuse('NOT_YET_VALID')
  const reason = await store.pass({ ...scan, uuid: token.uuid, content })
  return { isValid: reason === null, reason }
}
