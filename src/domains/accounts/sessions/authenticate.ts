/**
 * Who makes a request, and whether they may use the console. It runs before every signed-in operation, so the sessions are cached, and
 * the time of their last use is kept in memory and written in batches: a request must not cost a write.
 */

import { type AppContext, perContext } from '#context'
import { localeIn } from '#http/caller.ts'
import type { Actor } from '#http/endpoint.ts'
import type { AppError } from '#http/errors.ts'
import { type SessionEnd, sessionsChanged } from '#http/sessions.ts'
import type { Locale } from '#lib/localized.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'
import type { Claims } from '#platform/tokens.ts'

import { sessionEnded, wrongDevice } from '../accounts.errors.ts'
import { deviceKey } from '../login-records/login-records.rules.ts'
import { type EndedSession, findEnded, findForRequest, saveActivity } from './sessions.store.ts'

type Outcome = Actor | AppError

/**
 * The user of an access token, or the 401 to answer. Accepted if the token is valid, its session is active, its token version is
 * the user's current one, and `deviceId` (raw `X-Device-Id`) is the session's. If token and session are cached, it returns
 * synchronously and allocates nothing. `deviceIsOptional`: a browser cannot send the header when it opens a socket, but it can send the
 * cookie of its device. `languages`: the header `Accept-Language`, for mails to the user.
 */
export function authenticate(
  ctx: AppContext,
  token: string,
  deviceId: string | undefined,
  deviceIsOptional = false,
  languages: string | null = null,
): Outcome | Promise<Outcome> {
  const claims = ctx.tokens.verify(token)
  return claims instanceof Promise
    ? claims.then((c) => admit(ctx, c, deviceId, deviceIsOptional, languages))
    : admit(ctx, claims, deviceId, deviceIsOptional, languages)
}

/** In place of the id of a device: any will do. */
const ANY = Symbol('any device')
type Device = string | typeof ANY | undefined

function admit(
  ctx: AppContext,
  claims: Claims | undefined,
  deviceId: string | undefined,
  deviceIsOptional: boolean,
  languages: string | null,
): Outcome | Promise<Outcome> {
  if (claims === undefined) return sessionEnded()
  const device = deviceId ?? (deviceIsOptional && !claims.needsDevice ? ANY : undefined)
  const now = ctx.clock.now()
  const cached = activeSessions(ctx).get(claims.sessionId)
  return cached === undefined
    ? loadAndCheck(ctx, claims, device, languages)
    : check(ctx, cached, claims, device, languages, now)
}

async function loadAndCheck(
  ctx: AppContext,
  claims: Claims,
  device: Device,
  languages: string | null,
): Promise<Outcome> {
  const loaded = await activeSessions(ctx).fetch(claims.sessionId)
  return loaded === undefined ? sessionEnded() : check(ctx, loaded, claims, device, languages, ctx.clock.now())
}

function check(
  ctx: AppContext,
  session: CachedSession,
  claims: Claims,
  device: Device,
  languages: string | null,
  now: number,
): Outcome {
  const { actor } = session
  if (session.expiredAt <= now || session.tokenVersion !== claims.tokenVersion || actor.userId !== claims.userId)
    return sessionEnded()
  if (device === undefined) return wrongDevice()
  if (device !== ANY && device !== session.provenDeviceId) {
    if (deviceKey(device) !== actor.deviceKey) return wrongDevice()
    session.provenDeviceId = device
  }
  noteActivity(ctx, actor.sessionId, now)
  if (languages !== null && languages !== session.languages) noteLanguages(ctx, session, languages)
  return actor
}

/** When the session of a live socket ends (epoch milliseconds), or why it has ended. */
export async function sessionEnd(
  ctx: AppContext,
  { sessionId, tokenVersion }: Pick<Claims, 'sessionId' | 'tokenVersion'>,
): Promise<number | SessionEnd> {
  const session = activeSessions(ctx).get(sessionId) ?? (await activeSessions(ctx).fetch(sessionId))
  const now = ctx.clock.now()
  if (session === undefined) return whyEnded(await findEnded(ctx.db.read, sessionId), now)
  if (session.expiredAt <= now) return 'EXPIRED'
  return session.tokenVersion === tokenVersion ? session.expiredAt : 'PASSWORD_CHANGED'
}

/** As far as the rows show it. The write that ends a session says it exactly (http/sessions.ts). */
function whyEnded(row: EndedSession | undefined, now: number): SessionEnd {
  if (row === undefined) return 'REVOKED'
  if (row.userStatus !== 'ACTIVE') return row.userStatus
  return row.status === 'EXPIRED' || row.expiredAt <= now ? 'EXPIRED' : 'REVOKED'
}

/** A session that was active, and whose user was active, when it was read. */
interface CachedSession {
  readonly actor: Actor
  readonly tokenVersion: number
  /** Epoch milliseconds. */
  readonly expiredAt: number
  /** The raw device id that was last found right: comparing strings costs a hundredth of hashing. Never leaves memory. */
  provenDeviceId: string | undefined
  /** The last header `Accept-Language`: comparing it costs less than reading it. */
  languages: string | undefined
  locale: Locale | null
}

/** As many as verified tokens are kept; about 400 bytes each. */
const MAX_KEPT = 10_000
/** Changes that are not announced, for example by the command line on SQLite, may be seen this late. */
const MAX_AGE = 30 * SECOND

const activeSessions = perContext((ctx) => {
  const cache = new ReadCache<number, CachedSession>({
    max: MAX_KEPT,
    maxAge: MAX_AGE,
    now: () => ctx.clock.now(),
    load: (id) => load(ctx, id),
  })
  ctx.bus.on(sessionsChanged, ({ ids }) => {
    for (const id of ids) cache.drop(id)
  })
  ctx.bus.onGap(() => cache.clear())
  return cache
})

async function load(ctx: AppContext, id: number): Promise<CachedSession | undefined> {
  const found = await findForRequest(ctx.db.read, id)
  if (found === undefined) return undefined
  const { userId, deviceKey, tokenVersion, expiredAt, locale, hasInitialPassword } = found
  const actor = Object.freeze({ userId, sessionId: id, deviceKey, hasInitialPassword })
  return { actor, tokenVersion, expiredAt, provenDeviceId: undefined, languages: undefined, locale }
}

/** Activity is written at most this often. */
const FLUSH_EVERY = MINUTE
/** Rows in one write: a few milliseconds. */
const BATCH = 500

interface Activity {
  /** Last use by session id, epoch milliseconds, since the last flush. */
  noted: Map<number, number>
  /** New languages by session id, since the last flush. */
  locales: Map<number, Locale>
  nextFlush: number
  flushing: Promise<void>
  /** Rows that the running flush has not written yet. */
  leaving: Map<number, number>
}

const activity = perContext((ctx): Activity => ({
  noted: new Map(),
  locales: new Map(),
  leaving: new Map(),
  nextFlush: ctx.clock.now() + FLUSH_EVERY,
  flushing: Promise.resolve(),
}))

function noteActivity(ctx: AppContext, sessionId: number, now: number): void {
  const state = activity(ctx)
  state.noted.set(sessionId, now)
  if (now >= state.nextFlush) void flushActivity(ctx)
}

function noteLanguages(ctx: AppContext, session: CachedSession, languages: string): void {
  session.languages = languages
  const locale = localeIn(languages)
  if (locale === undefined || locale === session.locale) return
  session.locale = locale
  activity(ctx).locales.set(session.actor.sessionId, locale)
}

/** The later of the stored time and the time in memory. */
export function lastActive(ctx: AppContext, session: { id: number; lastActiveAt: number }): number {
  const { noted, leaving } = activity(ctx)
  return Math.max(session.lastActiveAt, noted.get(session.id) ?? 0, leaving.get(session.id) ?? 0)
}

/** Writes the times in memory. Failures are logged; they lose at most a minute of "last active". */
export function flushActivity(ctx: AppContext): Promise<void> {
  const state = activity(ctx)
  state.nextFlush = ctx.clock.now() + FLUSH_EVERY
  state.flushing = state.flushing.then(() => flush(ctx, state))
  return state.flushing
}

async function flush(ctx: AppContext, state: Activity): Promise<void> {
  if (state.noted.size === 0) return
  const { noted: batch, locales } = state
  state.noted = new Map()
  state.locales = new Map()
  state.leaving = batch
  try {
    const rows = [...batch]
    for (let from = 0; from < rows.length; from += BATCH)
      await ctx.db.write('accounts.flushActivity', async (tx) => {
        for (const [id, at] of rows.slice(from, from + BATCH)) await saveActivity(tx, id, at, locales.get(id))
      })
  } catch (error) {
    ctx.log.error('last activity of sessions could not be written', { error })
  }
  state.leaving = new Map()
}
