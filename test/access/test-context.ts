/** A context with a database that contains the permission points, without a server. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Config, defaultConfig } from '#config/config.ts'
import { thisMachine } from '#config/machine.ts'
import type { AppContext } from '#context'
import { dialect } from '#db/dialect.ts'
import { openStore } from '#db/open.ts'
import { ONLY_PROCESS } from '#db/processes.ts'
import type { PermissionDomain } from '#db/schema/access.ts'
import { users } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'
import { access, bindPlatformRole, bindRole, createRole } from '#domains/access/index.ts'
import { systemRoles } from '#domains/access/system-roles.ts'
import { openBlobs, openStaging } from '#platform/blobs/index.ts'
import { createImages } from '#platform/images/index.ts'
import { createLimiter } from '#platform/limiter.ts'
import { createLog } from '#platform/log.ts'
import { createMetrics } from '#platform/metrics.ts'
import { createPasswords } from '#platform/passwords.ts'
import { createSeal } from '#platform/seal.ts'
import { createSheets } from '#platform/spreadsheets/index.ts'
import { createTokens } from '#platform/tokens.ts'
import { createUrlSigner } from '#platform/url-signer.ts'

import { TestClock } from '../harness/clock.ts'
import { freshDatabase, freshFile } from '../harness/database.ts'

export interface TestContext {
  ctx: AppContext
  clock: TestClock
  /** Another context on the same database, with caches of its own, like those of a second process. */
  otherProcess(): AppContext
  /** Inserts a user without roles and returns the id. */
  createUser(): Promise<number>
  /** Inserts the roles of an organization, with the points of the templates. */
  createOrgRoles(orgId: number): Promise<void>
  close(): Promise<void>
}

/** Binds a role of any domain. */
export const bind = (
  ctx: AppContext,
  tx: Tx,
  userId: number,
  { domain, scopeId, code }: { domain: PermissionDomain; scopeId: number; code: string },
): Promise<void> =>
  domain === 'PLATFORM' ? bindPlatformRole(ctx, tx, userId, code) : bindRole(tx, userId, domain, scopeId, code)

export async function openTestContext(options: { seeded?: boolean } = {}): Promise<TestContext> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-access-'))
  const database = dialect === 'postgres' ? await freshDatabase() : undefined
  if (!database) await freshFile(dataDir)
  const clock = new TestClock()
  const log = createLog({ level: 'error', format: 'text' })
  const config: Config = { ...defaultConfig, dataDir, databaseUrl: database?.url ?? '' }
  const db = await openStore({ config, clock, log })
  const limiter = createLimiter(clock)
  const context = (): AppContext => ({
    config,
    origins: new Map(),
    clock,
    log,
    machine: thisMachine,
    db,
    bus: db.bus,
    blobs: openBlobs(config),
    staging: openStaging(config),
    images: createImages({ heic: () => true }),
    sheets: createSheets(),
    metrics: createMetrics(),
    limiter,
    exactLimiter: limiter,
    processes: ONLY_PROCESS,
    passwords: createPasswords(),
    tokens: createTokens(new Uint8Array(32), clock),
    signer: createUrlSigner(new Uint8Array(32)),
    seal: createSeal(new Uint8Array(32)),
    lifecycle: { startedAt: clock.now(), leaving: false, draining: false },
  })
  const ctx = context()
  if (options.seeded !== false) await access.seed(ctx)
  return {
    ctx,
    clock,
    otherProcess: context,
    async createUser() {
      const rows = await db.write('test', async (tx) =>
        tx
          .insert(users)
          .values({ nickname: 'A user', createdAt: tx.stamp, updatedAt: tx.stamp })
          .returning({ id: users.id }),
      )
      return rows[0]!.id
    },
    async createOrgRoles(orgId) {
      await db.write('test', async (tx) => {
        for (const { domain, code, name, points } of systemRoles)
          if (domain === 'ORG')
            await createRole(tx, {
              domain,
              scopeId: orgId,
              code,
              name: name.en,
              isSystem: true,
              points: points === 'everything' ? [] : points,
            })
      })
    },
    async close() {
      await db.close()
      await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
