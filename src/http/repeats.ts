/**
 * `Idempotency-Key`: a POST that is sent again with its key, because the answer was lost, creates nothing and gets the first answer.
 *
 * Each write of such a request stores its result in the row of the key, in the same transaction. If the server dies before the answer is
 * stored too, the repeat runs the operation again, and each write that was committed only returns its stored result: no row is made
 * twice, and the answer is built from the rows that were made. See docs/adr/0031-repeat-safe-creation.md.
 */

import { isShared } from '#config/config.ts'
import { type AppContext, perContext } from '#context'
import { StorageError } from '#db/errors.ts'
import type { RepeatKey, RepeatKeys } from '#db/repeat-keys.ts'
import type { Db, Tx, WriteBody } from '#db/store.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { SECOND } from '#platform/clock.ts'

import { AppError, badRequest } from './errors.ts'

const VISIBLE = /^[\x21-\x7e]{1,128}$/

const malformed = (): AppError =>
  badRequest(
    'Idempotency-Key must have 1 to 128 visible ASCII characters',
    'Idempotency-Key 须为 1 至 128 个可见 ASCII 字符',
  )

const usedOtherwise = (): AppError =>
  new AppError(409, 4023, {
    en: 'This Idempotency-Key was used with another request',
    zh: '此 Idempotency-Key 已用于其他请求',
  })

const unfinished = (): AppError =>
  new AppError(
    409,
    409,
    {
      en: 'The first request with this Idempotency-Key is still running',
      zh: '使用此 Idempotency-Key 的首个请求仍在处理中',
    },
    { retryAfter: 1 },
  )

/** So long after its first write, a request of another process is taken for dead. If it is not, both only share their results. */
const ABANDONED_MS = 10 * SECOND

/** Sealed in a row: the answer, and until there is one the results of the writes by their names. */
interface Content {
  readonly answer?: { readonly data: unknown }
  readonly steps?: Readonly<Record<string, { readonly result?: unknown }>>
}

/** Another request with the same key has finished while this one ran. Leaves the write and the operation. */
class Finished extends Error {}

/** Requests with keys that this process runs, with their fingerprints. */
const running = perContext(() => new Map<string, string>())

export interface KeyedRequest {
  readonly userId: number
  /** Id of the operation. */
  readonly operation: string
  /** The header. */
  readonly key: string
  /** All input of the operation. */
  readonly input: unknown
}

export interface Once {
  readonly data: unknown
  /** Another request with the key made the row or change that `data` describes. */
  readonly isReplay: boolean
}

/**
 * Answers a request with a key. `begin` is called before `run`, unless an earlier request with the key has changed something. Refusals are
 * not kept: the same request may be tried again.
 * @throws AppError 400 for a malformed key, 409 for one of another request or of one that is running
 */
export async function runOnce(
  ctx: AppContext,
  rows: RepeatKeys,
  request: KeyedRequest,
  begin: () => MaybePromise<void>,
  run: () => unknown,
): Promise<Once> {
  if (!VISIBLE.test(request.key)) throw malformed()
  const keyed = new Keyed(ctx, rows, request)
  const others = running(ctx)
  const other = others.get(keyed.key)
  if (other !== undefined) throw other === keyed.fingerprint ? unfinished() : usedOtherwise()
  others.set(keyed.key, keyed.fingerprint)
  try {
    const found = await keyed.find(ctx.db.read)
    if (found === undefined) await begin()
    else if (found.answer) return keyed.answer(found.answer)
    else if (isShared(ctx.config) && found.createdAt > ctx.clock.now() - ABANDONED_MS) throw unfinished()
    try {
      return await keyed.store(await keyed.run(run), found !== undefined)
    } catch (error) {
      if (error instanceof AppError && error.status < 500 && found === undefined) await keyed.forget()
      const finished = error instanceof Finished ? await keyed.find(ctx.db.read) : undefined
      if (finished?.answer) return keyed.answer(finished.answer)
      throw error
    }
  } finally {
    others.delete(keyed.key)
  }
}

interface Found extends Content {
  readonly createdAt: number
}

/** One request with a key. */
class Keyed {
  readonly #userId: number
  /** Says nothing about the key itself, and differs between users. */
  readonly key: string
  /** Keyed, because a request may contain a password. */
  readonly fingerprint: string
  /** A write has stored its result. */
  #isKept = false
  /** Its first write has: what exists was made by this request, even if another one is the first to keep the answer. */
  #isFirst = false
  /** A write has returned the result of another request. */
  #isJoined = false

  constructor(
    readonly ctx: AppContext,
    readonly rows: RepeatKeys,
    { userId, operation, key, input }: KeyedRequest,
  ) {
    this.#userId = userId
    this.key = ctx.seal.mac(`repeat key\n${userId}\n${operation}\n${key}`)
    this.fingerprint = ctx.seal.mac(`repeat request\n${JSON.stringify(input, inOrder)}`)
  }

  /** @throws AppError 409 if the key belongs to another request */
  async find(db: Db | Tx): Promise<Found | undefined> {
    const row = await this.rows.find(db, this.#userId, this.key, this.ctx.clock.now())
    if (row === undefined) return undefined
    if (row.fingerprint !== this.fingerprint) throw usedOtherwise()
    const content = this.ctx.seal.open(row.content)
    return content === undefined ? undefined : { ...(JSON.parse(content) as Content), createdAt: row.createdAt }
  }

  #save(tx: Tx, content: Content, createdAt = this.ctx.clock.now()): Promise<void> {
    const { key, fingerprint } = this
    const row: RepeatKey = {
      userId: this.#userId,
      key,
      fingerprint,
      createdAt,
      content: this.ctx.seal.seal(JSON.stringify(content)),
    }
    return this.rows.save(tx, row)
  }

  /** Runs the operation; its writes remember their results. Those that it only starts, and that run on afterwards, do not. */
  async run(run: () => unknown): Promise<unknown> {
    let hasEnded = false
    const counts = new Map<string, number>()
    const around = <T>(name: string, body: WriteBody<T>): WriteBody<T> => {
      if (hasEnded) return body
      const nth = (counts.get(name) ?? 0) + 1
      counts.set(name, nth)
      return (tx) => this.#step(tx, `${name} ${nth}`, body)
    }
    try {
      return await this.ctx.db.aroundWrites(around, run)
    } finally {
      hasEnded = true
    }
  }

  async #step<T>(tx: Tx, step: string, body: WriteBody<T>): Promise<T> {
    const found = await this.find(tx)
    if (found?.answer) throw new Finished()
    const steps = found?.steps ?? {}
    const done = steps[step]
    if (done !== undefined) {
      this.#isJoined = true
      return done.result as T
    }
    const result = await body(tx)
    if (this.ctx.config.checkAnswers) checkStorable(step, result)
    await this.#save(tx, { steps: { ...steps, [step]: { result } } }, found?.createdAt)
    this.#isKept = true
    if (found === undefined) this.#isFirst = true
    return result
  }

  /** After a refusal, whose writes have only counted it: the request may be tried again. */
  async forget(): Promise<void> {
    if (!this.#isKept || this.#isJoined) return
    await this.ctx.db.write('http.forgetKey', (tx) => this.rows.delete(tx, this.#userId, this.key))
  }

  /** The answer that is kept. */
  answer({ data }: NonNullable<Content['answer']>): Once {
    return { data, isReplay: !this.#isFirst }
  }

  /** Keeps the answer, or returns the one that another request has kept. */
  async store(data: unknown, isResumed: boolean): Promise<Once> {
    const isReplay = !this.#isFirst && (isResumed || this.#isJoined)
    try {
      return await this.ctx.db.write('http.keepAnswer', async (tx) => {
        const found = await this.find(tx)
        if (found?.answer) return this.answer(found.answer)
        await this.#save(tx, { answer: { data: data ?? null } }, found?.createdAt)
        return { data, isReplay }
      })
    } catch (error) {
      // The results of the writes are stored: a repeat builds its answer from them.
      if (error instanceof StorageError) return { data, isReplay }
      throw error
    }
  }
}

/** For JSON.stringify: clients may send the fields of an object in any order. */
const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** In tests: a result that JSON changes could not be returned by a repeat. */
function checkStorable(step: string, result: unknown): void {
  const json = JSON.stringify(result)
  if (json !== undefined && !Bun.deepEquals(JSON.parse(json), result))
    throw new Error(`the result of the write ${step} is not JSON, so a repeat of the request cannot return it`)
}
