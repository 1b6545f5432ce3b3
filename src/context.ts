/** Everything with a lifetime, built from the configuration in `app.ts` and replaceable in tests. */

import type { StartChanges } from '#config/changed.ts'
import type { Config } from '#config/config.ts'
import type { Machine } from '#config/machine.ts'
import type { Membership } from '#db/processes.ts'
import type { Store } from '#db/store.ts'
import type { RestorePlan } from '#platform/backup/restores.ts'
import type { BlobStore } from '#platform/blobs/port.ts'
import type { Staging } from '#platform/blobs/staging.ts'
import type { Bus, Topic } from '#platform/bus.ts'
import type { Clock } from '#platform/clock.ts'
import type { Images } from '#platform/images/index.ts'
import type { ExactLimiter, Limiter } from '#platform/limiter.ts'
import type { Log } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'
import type { Passwords } from '#platform/passwords.ts'
import type { Seal } from '#platform/seal.ts'
import type { Sheets } from '#platform/spreadsheets/port.ts'
import type { Supervisor } from '#platform/supervisor.ts'
import type { Tokens } from '#platform/tokens.ts'
import type { Tracer } from '#platform/tracer.ts'
import type { UrlSigner } from '#platform/url-signer.ts'

/** A job that this process runs, or would run if another one did not. */
export interface JobState {
  readonly name: string
  /** Milliseconds from one start to the next. */
  readonly every: number
  /** Epoch milliseconds; null if it has not succeeded in this process. */
  lastSuccessAt: number | null
}

export interface Lifecycle {
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** The server will stop: requests should go to other processes, but are still answered (`Config.drainSeconds`). */
  leaving: boolean
  /** The server is stopping and accepts no new requests. */
  draining: boolean
  /** Ends the program, so that its supervisor starts it again. Undefined where nobody can do that, as in tests. */
  restart?: { readonly supervisor: Supervisor; readonly ask: () => void }
  /** Reads the sources of the configuration again, from disk. Undefined as `restart`. */
  startChanges?: () => StartChanges
  /** Stops the server, carries the plan out and starts again. Undefined as `restart`. */
  restore?: (plan: RestorePlan, afterwards?: (restored: AppContext) => Promise<void>) => void
  /** The ports of this process. Undefined before the server answers. */
  doors?: {
    list(): readonly { readonly scheme: 'http' | 'https'; readonly host: string; readonly port: number }[]
    /** Opens what `next` needs. @throws DoorError if that is not possible, when everything is as before */
    prepare(next: Config): Promise<{
      /** Call it once `next` is in force: it closes the other ports and follows the certificate of `next`. */
      keep(): Promise<void>
      undo(): void
    }>
  }
  /** Undefined before the server answers. */
  jobs?: readonly JobState[]
}

export interface AppContext {
  readonly config: Config
  /** The source of each value of the configuration: `--port`, `TESSERA_PORT`, `port in tessera.toml`. Defaults have none. */
  readonly origins: ReadonlyMap<string, string>
  readonly clock: Clock
  readonly log: Log
  /** With which releases are signed, in minisign's form; undefined in a program without one. */
  readonly releaseKey?: string | undefined
  /** The names and addresses of this machine, as they are now. */
  readonly machine: () => Machine
  readonly db: Store
  /** That of `db`. */
  readonly bus: Bus
  readonly blobs: BlobStore
  readonly staging: Staging
  readonly images: Images
  readonly sheets: Sheets
  readonly metrics: Metrics
  /** Undefined unless a collector is configured. */
  readonly tracer?: Tracer | undefined
  /** Rates of requests. */
  readonly limiter: Limiter
  /** Secrets and budgets. The same as `limiter` if no other process uses the database. */
  readonly exactLimiter: ExactLimiter
  /** This one and the others on its database. */
  readonly processes: Membership
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly signer: UrlSigner
  /** Encrypts texts that must not be readable in the database. */
  readonly seal: Seal
  readonly lifecycle: Lifecycle
}

/**
 * State of one domain that lives as long as the context (a cache, a queue), created on first use. `AppContext` does not have to list
 * it, and two servers in one process do not share it.
 */
export function perContext<T>(create: (ctx: AppContext) => T): (ctx: AppContext) => T {
  const created = new WeakMap<AppContext, T>()
  return (ctx) => {
    let value = created.get(ctx)
    if (value === undefined) created.set(ctx, (value = create(ctx)))
    return value
  }
}

/** Which entries of a cache have changed: their keys, or all of them. */
export type Changed<K> = readonly K[] | 'all'

/**
 * Drops the entries of a cache that `changed` names, and all of them when events may have been missed. Call it where the cache is created:
 * what changed before that was never cached.
 */
export function dropWhen<K>(
  ctx: AppContext,
  changed: Topic<Changed<K>>,
  cache: { drop(key: K): void; clear(): void },
): void {
  ctx.bus.on(changed, (keys) => {
    if (keys === 'all') cache.clear()
    else for (const key of keys) cache.drop(key)
  })
  ctx.bus.onGap(() => cache.clear())
}
