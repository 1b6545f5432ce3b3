/** Lists the domains, mounts them, builds the context. Nothing else. */

import { type Config } from '#config/config.ts'
import type { AppContext, Job } from '#context'
import { openStore } from '#db/open.ts'
import * as access from '#domains/access/index.ts'
import * as accounts from '#domains/accounts/index.ts'
import * as delivery from '#domains/delivery/index.ts'
import * as notifications from '#domains/notifications/index.ts'
import * as operations from '#domains/operations/index.ts'
import * as orgs from '#domains/orgs/index.ts'
import * as qrCodes from '#domains/qr-codes/index.ts'
import * as shares from '#domains/shares/index.ts'
import { docsEndpoints } from '#http/docs.endpoints.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'
import type { Gatekeeper } from '#http/mount.ts'
import { listen, type RunningServer } from '#http/server.ts'
import { type Clock, MINUTE, systemClock } from '#platform/clock.ts'
import { deriveKey, signingKey } from '#platform/keys.ts'
import { createLimiter } from '#platform/limiter.ts'
import type { Log } from '#platform/log.ts'
import { createMetrics } from '#platform/metrics.ts'
import { createPasswords } from '#platform/passwords.ts'
import { createSeal } from '#platform/seal.ts'
import { createTokens } from '#platform/tokens.ts'

const apiEndpoints: readonly AnyEndpoint[] = [
  ...accounts.endpoints,
  ...qrCodes.endpoints,
  ...orgs.endpoints,
  ...shares.endpoints,
  ...notifications.endpoints,
  ...access.endpoints,
  ...operations.endpoints,
]

/** Every endpoint of the product: the interface in the order of its areas, then its documentation. */
export const allEndpoints: readonly AnyEndpoint[] = [...apiEndpoints, ...docsEndpoints(apiEndpoints)]

const gatekeeper: Gatekeeper = {
  authenticate: accounts.authenticate,
  can: access.can,
  isAdministrator: access.holdsAnyPlatformRole,
}

const jobs: readonly Job[] = [...accounts.jobs, ...qrCodes.jobs, ...notifications.jobs]

export interface RunningContext extends AppContext {
  /** Flushes what is kept in memory and closes the database. */
  close(): Promise<void>
}

export interface Parts {
  log: Log
  clock?: Clock
}

/** Opens (and migrates) the database and builds everything with a lifetime. The data directory must be locked by the caller. */
export async function createContext(config: Config, parts: Parts): Promise<RunningContext> {
  const { log, clock = systemClock } = parts
  const key = await signingKey(config)
  const db = await openStore({ config, clock, log })
  const ctx: AppContext = {
    config,
    clock,
    log,
    db,
    metrics: createMetrics(),
    limiter: createLimiter(clock),
    passwords: createPasswords(),
    tokens: createTokens(key, clock),
    seal: createSeal(deriveKey(key, 'sealed texts v1')),
    lifecycle: { startedAt: clock.now(), draining: false },
  }
  await access.seed(ctx)
  await accounts.seedNicknames(ctx)
  accounts.registerUsage(ctx, 'qrCodes', qrCodes.countCodes)
  accounts.registerNotifier(ctx, notifications.notify)
  accounts.registerDeletion(ctx, async (_ctx, tx, userId) =>
    (await orgs.endMemberships(ctx, tx, userId)) ? undefined : accounts.ownerStays(),
  )
  accounts.registerDeletion(ctx, async (_ctx, tx, userId) => {
    await notifications.deleteAllOf(tx, userId)
    return undefined
  })
  orgs.registerResource(ctx, qrCodes.ofOrganization)
  qrCodes.registerResolver(ctx, 'ORG_JOIN', orgs.resolveJoin)
  notifications.registerOrganizations(ctx, orgs.forNotifications)
  // One object, not a copy: domains keep their state by the identity of the context.
  return Object.assign(ctx, {
    async close() {
      await delivery.stopDelivery(ctx)
      await notifications.stopSends(ctx)
      await accounts.flush(ctx)
      await qrCodes.flush(ctx)
      await db.close()
      log.flush()
    },
  })
}

/** What a server does once before it answers: looks at configured files, makes the configured administrator if there is none yet. */
export async function prepareServer(ctx: AppContext): Promise<void> {
  delivery.citiesOf(ctx)
  await accounts.ensureConfiguredAdministrator(ctx)
}

/** Starts answering and runs the background jobs until `stop`. */
export function serve(ctx: AppContext): RunningServer {
  const server = listen(allEndpoints, ctx, gatekeeper)
  const timer = setInterval(() => void runJobs(ctx), 10 * MINUTE)
  delivery.startDelivery(ctx)
  notifications.continueSends(ctx)
  return {
    ...server,
    stop() {
      clearInterval(timer)
      return server.stop()
    },
    kill() {
      clearInterval(timer)
      return server.kill()
    },
  }
}

async function runJobs(ctx: AppContext): Promise<void> {
  for (const job of jobs) {
    try {
      await job.run(ctx)
    } catch (error) {
      ctx.log.error('job failed', { job: job.name, error })
    }
  }
}
