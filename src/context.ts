/** Everything with a lifetime, built from the configuration in `app.ts` and replaceable in tests. */

import type { Config } from '#config/config.ts'
import type { Store } from '#db/store.ts'
import type { Clock } from '#platform/clock.ts'
import type { Limiter } from '#platform/limiter.ts'
import type { Log } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'
import type { Passwords } from '#platform/passwords.ts'
import type { Seal } from '#platform/seal.ts'
import type { Tokens } from '#platform/tokens.ts'

export interface Lifecycle {
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** The server is stopping and takes nothing new. */
  draining: boolean
}

export interface AppContext {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly db: Store
  readonly metrics: Metrics
  readonly limiter: Limiter
  readonly passwords: Passwords
  readonly tokens: Tokens
  /** For what must lie in the database and not be read there. */
  readonly seal: Seal
  readonly lifecycle: Lifecycle
}

/**
 * State that belongs to one domain and lives as long as the context (a cache, a queue), made when first asked for.
 * It keeps `AppContext` from naming every domain's inside, and two servers in one process apart.
 */
export function perContext<T>(make: (ctx: AppContext) => T): (ctx: AppContext) => T {
  const made = new WeakMap<AppContext, T>()
  return (ctx) => {
    let value = made.get(ctx)
    if (value === undefined) made.set(ctx, (value = make(ctx)))
    return value
  }
}
