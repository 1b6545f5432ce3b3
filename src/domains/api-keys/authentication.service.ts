/**
 * Who asks with an API key. It runs before every operation that a program calls, so keys are cached like sessions, and the time of their
 * last use is written once a minute.
 */

import { type AppContext, dropWhen, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import { sessionEnded } from '#domains/accounts/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import type { AppError } from '#http/errors.ts'
import type { KeyScope } from '#http/key-scope.ts'
import { isWellFormedKey } from '#lib/api-key.ts'
import { type IpTest, ipTest } from '#lib/ip.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'
import { sha256 } from '#platform/ids.ts'

import { apiKeysChanged, findActiveKey, type KeyRow, saveUse } from './api-keys.store.ts'

interface CachedKey {
  readonly actor: Actor
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Undefined: every address. */
  readonly isInside: IpTest | undefined
  /** When the last use was written, epoch milliseconds. */
  savedAt: number
}

/** About 2 KB each, with their points. */
const MAX_KEPT = 5_000
/** As of sessions. */
const MAX_AGE = 30 * SECOND

/** By the hash of the key. */
const activeKeys = perContext((ctx) => {
  const cache = new ReadCache<string, CachedKey>({
    max: MAX_KEPT,
    maxAge: MAX_AGE,
    now: () => ctx.clock.now(),
    load: (keyHash) => load(ctx, keyHash),
  })
  // Keys are dropped by their hash, which a change does not name, so all are dropped.
  dropWhen(ctx, apiKeysChanged, { drop: () => cache.clear(), clear: () => cache.clear() })
  return cache
})

async function load(ctx: AppContext, keyHash: string): Promise<CachedKey | undefined> {
  const row = await findActiveKey(ctx.db.read, keyHash)
  return row === undefined ? undefined : cachedOf(row)
}

function cachedOf(row: KeyRow): CachedKey {
  const { id, name, userId, domain, orgId, mcp, networks, expiresAt } = row
  const key: KeyScope = Object.freeze({ id, name, userId, domain, orgId, points: new Set(row.points), mcp })
  return {
    // Programs that synchronize are devices of their own.
    actor: Object.freeze({ userId, sessionId: -id, deviceKey: `api key ${id}`, key }),
    expiresAt,
    isInside: networks.length === 0 ? undefined : ipTest(networks),
    savedAt: row.lastUsedAt ?? 0,
  }
}

/** The owner of the key with its limits, or the 401 to answer, which is the same for every reason. Synchronous if the key is cached. */
export function authenticateKey(
  ctx: AppContext,
  key: string,
  caller: Pick<Caller, 'ip'>,
): MaybePromise<Actor | AppError> {
  const isEnabled = getSetting(ctx, 'apiKeys.enabled')
  return isEnabled instanceof Promise
    ? isEnabled.then((enabled) => find(ctx, key, caller, enabled))
    : find(ctx, key, caller, isEnabled)
}

function find(
  ctx: AppContext,
  key: string,
  caller: Pick<Caller, 'ip'>,
  isEnabled: boolean,
): MaybePromise<Actor | AppError> {
  if (!isEnabled || !isWellFormedKey(key)) return sessionEnded()
  const keyHash = sha256(key)
  const cached = activeKeys(ctx).get(keyHash)
  return cached === undefined
    ? activeKeys(ctx)
        .fetch(keyHash)
        .then((loaded) => check(ctx, loaded, caller))
    : check(ctx, cached, caller)
}

function check(ctx: AppContext, key: CachedKey | undefined, { ip }: Pick<Caller, 'ip'>): Actor | AppError {
  const now = ctx.clock.now()
  if (key === undefined || key.expiresAt <= now || key.isInside?.(ip) === false) return sessionEnded()
  if (now - key.savedAt >= MINUTE) noteUse(ctx, key, now, ip)
  return key.actor
}

const saving = perContext(() => new Set<Promise<void>>())

function noteUse(ctx: AppContext, key: CachedKey, now: number, ip: string): void {
  key.savedAt = now
  const id = key.actor.key!.id
  const running = outsideRequest(() =>
    ctx.db
      .write('apiKeys.noteUse', (tx) => saveUse(tx, id, now, ip))
      .catch((error: unknown) => ctx.log.error('the last use of an API key could not be written', { error })),
  ).finally(() => saving(ctx).delete(running))
  saving(ctx).add(running)
}

/** Waits for the times of last use that are being written. */
export const flushUses = async (ctx: AppContext): Promise<void> => void (await Promise.all(saving(ctx)))

/** Requests of one key in a minute; 0 = unlimited. */
export const keyRate = (ctx: AppContext): MaybePromise<number> => getSetting(ctx, 'apiKeys.perMinute')
