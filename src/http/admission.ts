/**
 * Decides whether a request may go on before its permission is checked: by its rate, and by its token, the signature of its URL, its
 * publisher key or the token of its gate.
 */

import { timingSafeEqual } from 'node:crypto'

import type { AppContext } from '#context'
import type { GateSession } from '#db/schema/activity-gates.ts'
import { isApiKey } from '#lib/api-key.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'

import { secondsOf, takeByAddress, usesByAddress } from './budget.ts'
import { bearerToken, publisherKey, readQuery, type RequestCaller } from './caller.ts'
import type { Actor, AnyEndpoint, Caller, GateAccess, OpenAccess, SignedUrlAccess } from './endpoint.ts'
import { AppError, forbidden, limited, unauthorized } from './errors.ts'
import { isClosedToKeys, notForApiKeys } from './key-access.ts'
import type { PathParams } from './router.ts'
import { socketToken } from './sockets/handshake.ts'

/** Questions about callers that the domains answer (app.ts). */
export interface AdmissionGates {
  /** The user whose token this is, if it was issued to this device; otherwise the 401 to answer. */
  authenticate(
    ctx: AppContext,
    token: string,
    deviceId: string | undefined,
    deviceIsOptional?: boolean,
    languages?: string | null,
  ): MaybePromise<Actor | AppError>
  /** The owner of an API key, with the limits of the key; otherwise the 401 to answer. Servers without it take none. */
  authenticateKey?(ctx: AppContext, key: string, caller: Pick<Caller, 'ip'>): MaybePromise<Actor | AppError>
  /** Requests of an API key in a minute; 0 = unlimited. */
  keyRate?(ctx: AppContext): MaybePromise<number>
  /** The 403 to answer to users with an initial password, if the settings say that it must be changed first. */
  initialPasswordRefusal?(ctx: AppContext): MaybePromise<AppError | undefined>
  /** The 401 to answer, unless it is a publisher key that was not revoked. */
  refusePublisherKey(ctx: AppContext, key: string): Promise<AppError | undefined>
  /** The device of a gate whose token this is; otherwise the 401 to answer, or the 403 while its organization is disabled. For servers with gates. */
  readonly authenticateGate?: AuthenticateGate
}

export type AuthenticateGate = (ctx: AppContext, token: string, access: GateAccess) => Promise<GateSession | AppError>

/** Requests per minute (conventions §10). */
const PER_SESSION = 1200
const PER_ADDRESS = 300
/** Answers of bytes without a token, as a page that shows a list asks for an image of each item, and pages for many people behind one address. */
const PER_ADDRESS_BYTES = 3000
const PER_ADDRESS_SECRET = 60

export const noToken = unauthorized('Sign in first', '请先登录')
const badSignature = forbidden('This address is not valid', '链接无效')
const urlExpired = forbidden('This address has expired; ask for a new one', '链接已过期，请重新获取')
export const tooMany = (seconds: number) => limited('Too many requests', '请求过于频繁，请稍后再试', seconds)

export const takePublic = (ctx: AppContext, { ip }: Caller) =>
  takeByAddress(ctx.limiter, 'public', ip, PER_ADDRESS, MINUTE)
const takeBytes = (ctx: AppContext, { ip }: Caller) =>
  takeByAddress(ctx.limiter, 'bytes', ip, PER_ADDRESS_BYTES, MINUTE)
const SECRET_USE = { limit: PER_ADDRESS_SECRET, windowMs: MINUTE }

/**
 * Finds the row of a secret link; `find` returns undefined for wrong ones. Only those are counted, in the limit of operations that check a
 * secret, because hundreds of people at one place share an address. @throws AppError 429 after too many wrong ones
 */
export async function findBySecret<T>(
  ctx: AppContext,
  { ip }: Pick<Caller, 'ip'>,
  find: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const found = await find()
  if (found !== undefined || !ctx.config.rateLimit) return found
  const refusal = await ctx.exactLimiter.takeAll(usesByAddress({ key: 'secret ', ...SECRET_USE }, ip))
  if (refusal) throw tooMany(secondsOf(refusal))
  return undefined
}

const hash = (text: string): Uint8Array => new Bun.CryptoHasher('sha256').update(text).digest()
/** Whether two texts are equal, in a time that does not depend on how much of them is. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(hash(a), hash(b))

/** The admission of the requests of one endpoint. */
export class Admission {
  readonly #isClosedToKeys: boolean

  constructor(
    readonly endpoint: AnyEndpoint,
    readonly ctx: AppContext,
    readonly gates: AdmissionGates,
  ) {
    this.#isClosedToKeys = isClosedToKeys(endpoint)
  }

  /** The caller's user; undefined if the operation needs none. @throws AppError 401, 403 or 429 */
  admit(request: Request, params: PathParams, caller: RequestCaller): MaybePromise<Actor | undefined> {
    const { access, sendsRanges, isForCrowds } = this.endpoint
    if (access.kind === 'gate') return this.#admitGate(request, access, caller)
    if (this.endpoint.takesMetricsToken && this.ctx.config.metricsToken !== '')
      return this.#admitScraper(request, caller)
    if (access.kind === 'open' && !this.#looksAtToken(request, access))
      return this.#admitAnyone(caller, sendsRanges || isForCrowds ? takeBytes : takePublic)
    if (access.kind === 'signedUrl' && this.#isSigned(request, params, access, caller))
      return this.#admitAnyone(caller, takeBytes)
    const key = access.kind === 'publisher' ? publisherKey(request) : undefined
    return key === undefined ? this.#admitUser(request, caller) : this.#admitPublisher(key, caller)
  }

  /** Public operations that do not read tokens refuse API keys all the same if their area is closed to keys. */
  #looksAtToken(request: Request, { readsToken }: OpenAccess): boolean {
    if (readsToken !== true && !this.#isClosedToKeys) return false
    const token = bearerToken(request)
    return token !== undefined && (readsToken === true || isApiKey(token))
  }

  #admitAnyone(caller: Caller, take: typeof takePublic): MaybePromise<undefined> {
    if (!this.ctx.config.rateLimit || this.endpoint.unlimited) return undefined
    if (this.endpoint.checksSecret === true) return this.#countSecret(caller)
    const wait = take(this.ctx, caller)
    if (wait > 0) throw tooMany(wait)
    return undefined
  }

  async #countSecret({ ip }: Caller, sessionId?: number): Promise<undefined> {
    const uses = usesByAddress({ key: 'secret ', ...SECRET_USE }, ip)
    if (sessionId !== undefined) uses.push({ key: `secret session ${sessionId}`, ...SECRET_USE })
    const refusal = await this.ctx.exactLimiter.takeAll(uses)
    if (refusal) throw tooMany(secondsOf(refusal))
  }

  /**
   * Whether the request has a valid signature; false if it has none. The values are compared as they were sent, before validation: a URL
   * that was edited in any way is refused in the same way.
   */
  #isSigned(request: Request, params: PathParams, { purpose, signs }: SignedUrlAccess, caller: Caller): boolean {
    const query = readQuery(request.url)
    const { signature, expires = '' } = query
    if (signature === undefined) return false
    const values = signs.map((name) => params[name] ?? query[name] ?? '')
    const isValid = this.ctx.signer.isValid(signature, purpose, ...values, expires)
    if (isValid && Number(expires) * SECOND > this.ctx.clock.now()) return true
    // Guessing signatures is bounded like any public route.
    const wait = this.ctx.config.rateLimit ? takePublic(this.ctx, caller) : 0
    throw wait > 0 ? tooMany(wait) : isValid ? urlExpired : badSignature
  }

  async #admitPublisher(key: string, caller: Caller): Promise<undefined> {
    await this.#admitAnyone(caller, takePublic)
    const refused = await this.gates.refusePublisherKey(this.ctx, key)
    if (refused) throw refused
  }

  async #admitGate(request: Request, access: GateAccess, caller: RequestCaller): Promise<undefined> {
    const token = bearerToken(request)
    const found = token === undefined ? noToken : await this.gates.authenticateGate!(this.ctx, token, access)
    if (found instanceof AppError) return this.#refuseToken(found, caller)
    const wait = this.ctx.config.rateLimit
      ? this.ctx.limiter.take(`gate device ${found.device.id}`, PER_SESSION, MINUTE)
      : 0
    if (wait > 0) throw tooMany(wait)
    caller.gate = found
  }

  /** Undefined for the metrics token. Wrong tokens are counted with other secrets; right ones are not, however often metrics are read. */
  async #admitScraper(request: Request, caller: Caller): Promise<Actor | undefined> {
    const { exactLimiter, config } = this.ctx
    const token = bearerToken(request)
    if (token === undefined || isApiKey(token)) return this.#admitUser(request, caller)
    const uses = config.rateLimit ? usesByAddress({ key: 'secret ', ...SECRET_USE }, caller.ip) : []
    const wait = Math.max(0, ...uses.map((use) => exactLimiter.spent(use.key, use.limit)))
    if (wait > 0) throw tooMany(wait)
    // The database is not asked, because it may be the part that fails.
    if (isSame(token, config.metricsToken)) return undefined
    const found = await this.gates.authenticate(this.ctx, token, caller.deviceId)
    const refusal = found instanceof AppError ? await exactLimiter.takeAll(uses) : undefined
    if (refusal) throw tooMany(secondsOf(refusal))
    return this.#admitSession(found, caller)
  }

  #admitUser(request: Request, caller: Caller): MaybePromise<Actor | undefined> {
    const { opensSocket = false, access } = this.endpoint
    const token = opensSocket ? socketToken(request) : bearerToken(request)
    if (!opensSocket && token !== undefined && isApiKey(token)) return this.#admitKey(token, caller)
    const found =
      token === undefined || access.kind === 'key'
        ? noToken
        : this.gates.authenticate(this.ctx, token, caller.deviceId, opensSocket, request.headers.get('accept-language'))
    return found instanceof Promise
      ? found.then((actor) => this.#admitSession(actor, caller))
      : this.#admitSession(found, caller)
  }

  #admitSession(actor: Actor | AppError, caller: Caller): MaybePromise<Actor> {
    if (actor instanceof AppError) return this.#refuseToken(actor, caller)
    if (actor.hasInitialPassword === true && this.endpoint.withInitialPassword !== true)
      return this.#admitWithInitialPassword(actor, caller)
    return this.#countSession(actor, caller)
  }

  async #admitWithInitialPassword(actor: Actor, caller: Caller): Promise<Actor> {
    const refusal = await this.gates.initialPasswordRefusal?.(this.ctx)
    await this.#countSession(actor, caller)
    if (refusal !== undefined) throw refusal
    return actor
  }

  #countSession(actor: Actor, caller: Caller): MaybePromise<Actor> {
    if (!this.ctx.config.rateLimit) return actor
    const wait = this.ctx.limiter.take(actor.sessionId, PER_SESSION, MINUTE)
    if (wait > 0) throw tooMany(wait)
    // A session is free to get, so it must not open a way around the limit of the address.
    return this.endpoint.checksSecret === true ? this.#countSecret(caller, actor.sessionId).then(() => actor) : actor
  }

  /** The owner of the key; undefined in public operations, which do for a key what they do for anyone. */
  #admitKey(key: string, caller: Caller): MaybePromise<Actor | undefined> {
    const found = this.gates.authenticateKey?.(this.ctx, key, caller) ?? noToken
    const rate = this.gates.keyRate?.(this.ctx) ?? 0
    return found instanceof Promise || rate instanceof Promise
      ? Promise.all([found, rate]).then(([owner, perMinute]) => this.#admitOwner(owner, perMinute, caller))
      : this.#admitOwner(found, rate, caller)
  }

  #admitOwner(owner: Actor | AppError, perMinute: number, caller: Caller): MaybePromise<Actor | undefined> {
    if (owner instanceof AppError) return this.#refuseToken(owner, caller)
    const { rateLimit } = this.ctx.config
    const wait = rateLimit && perMinute > 0 ? this.ctx.limiter.take(owner.sessionId, perMinute, MINUTE) : 0
    if (wait > 0) throw tooMany(wait)
    if (this.#isClosedToKeys) throw notForApiKeys
    const actor = this.endpoint.access.kind === 'open' ? undefined : owner
    return rateLimit && this.endpoint.checksSecret === true
      ? this.#countSecret(caller, owner.sessionId).then(() => actor)
      : actor
  }

  async #refuseToken(refusal: AppError, caller: Caller): Promise<never> {
    // Guessing tokens is bounded like any public route.
    await this.#admitAnyone(caller, takePublic)
    throw refusal
  }
}
