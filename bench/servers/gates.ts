/**
 * Tessera's own context, HTTP layer and access control with trivial endpoints, to measure the cost of these layers alone.
 * Environment: BENCH_DATA_DIR.
 */

import { createContext } from '#app'
import { defaultConfig } from '#config/config.ts'
import * as access from '#domains/access/index.ts'
import * as accounts from '#domains/accounts/index.ts'
import { decodeToken } from '#domains/activities/pass-keys/pass-keys.rules.ts'
import { contentOf, currentKey, verifyToken } from '#domains/activities/pass-keys/pass-keys.service.ts'
import { loggedActor } from '#domains/operation-log/index.ts'
import { app, endpoint, open, signedIn } from '#http/endpoint.ts'
import { Type } from '#http/schema.ts'
import { listen } from '#http/server.ts'
import { createLog } from '#platform/log.ts'

const Hello = Type.Object({ hello: Type.String() })
const hello = { hello: 'world' }
/** Calls of `authenticate` per measurement: a few seconds at most. */
const CHECKS = 1_000_000

const endpoints = [
  ...accounts.accounts.endpoints,
  endpoint({
    id: 'bench.open',
    method: 'GET',
    path: '/api/bench/open',
    summary: 'Greet anyone',
    tag: 'Operations',
    access: open,
    data: Hello,
    run: () => hello,
  }),
  endpoint({
    id: 'bench.signedIn',
    method: 'GET',
    path: '/api/bench/signed-in',
    summary: 'Greet signed-in users',
    tag: 'Operations',
    access: signedIn,
    data: Hello,
    run: () => hello,
  }),
  endpoint({
    id: 'bench.permitted',
    method: 'GET',
    path: '/api/bench/permitted',
    summary: 'Greet users with a permission',
    tag: 'Operations',
    access: app('qr_code:read'),
    data: Hello,
    run: () => hello,
  }),
  endpoint({
    id: 'bench.tokenCheck',
    method: 'GET',
    path: '/api/bench/token-check',
    summary: 'Measure a token check in microseconds',
    tag: 'Operations',
    access: signedIn,
    data: Type.Object({ us: Type.Number() }),
    run: ({ ctx, request, caller }) =>
      timeTokenCheck(ctx, request.headers.get('authorization')!.slice(7), caller.deviceId),
  }),
  endpoint({
    id: 'bench.permissionCheck',
    method: 'GET',
    path: '/api/bench/permission-check',
    summary: 'Measure a permission check in microseconds, with and without the cache',
    tag: 'Operations',
    access: signedIn,
    data: Type.Object({ cached: Type.Number(), cold: Type.Number() }),
    run: ({ ctx, actor }) => timePermissionCheck(ctx, actor.userId),
  }),
  endpoint({
    id: 'bench.passCheck',
    method: 'GET',
    path: '/api/bench/pass-check',
    summary: 'Measure the check of the signature of a pass in microseconds',
    tag: 'Operations',
    access: open,
    data: Type.Object({ us: Type.Number() }),
    run: ({ ctx }) => timePassCheck(ctx),
  }),
]

/** Checks of one pass per measurement, one after the other. */
const PASS_CHECKS = 5000

/** From the scanned text to the verdict about the signature. */
async function timePassCheck(ctx: Parameters<typeof currentKey>[0]) {
  const { id: keyId } = await currentKey(ctx)
  const pass = {
    uuid: crypto.randomUUID(),
    keyId,
    activityId: 1,
    validFrom: null,
    validTo: Date.now(),
    followsActivity: false,
  }
  const content = await contentOf(ctx, pass)
  const startedAt = Bun.nanoseconds()
  for (let i = 0; i < PASS_CHECKS; i++) if (!(await verifyToken(ctx, decodeToken(content)!))) throw new Error('forged')
  return { us: (Bun.nanoseconds() - startedAt) / 1000 / PASS_CHECKS }
}

/** Checks per measurement that have to read the user and the role from the database. */
const COLD_CHECKS = 100

async function timePermissionCheck(ctx: Parameters<typeof access.can>[0], userId: number) {
  let cold = 0
  for (let i = 0; i < COLD_CHECKS; i++) {
    await ctx.db.write('test', async (tx) => access.rolesChanged(tx))
    const startedAt = Bun.nanoseconds()
    await access.can(ctx, userId, 'APP', 0, 'qr_code:read')
    cold += Bun.nanoseconds() - startedAt
  }
  const startedAt = Bun.nanoseconds()
  for (let i = 0; i < CHECKS; i++)
    if (access.can(ctx, userId, 'APP', 0, 'qr_code:read') !== true) throw new Error('not permitted')
  return { cached: (Bun.nanoseconds() - startedAt) / 1000 / CHECKS, cold: cold / 1000 / COLD_CHECKS }
}

async function timeTokenCheck(
  ctx: Parameters<typeof accounts.authenticate>[0],
  token: string,
  deviceId: string | undefined,
) {
  const startedAt = Bun.nanoseconds()
  for (let i = 0; i < CHECKS; i++) {
    const actor = accounts.authenticate(ctx, token, deviceId)
    const found = actor instanceof Promise ? await actor : actor
    if (found instanceof Error) throw found
  }
  return { us: (Bun.nanoseconds() - startedAt) / 1000 / CHECKS }
}

const config = {
  ...defaultConfig,
  dataDir: process.env['BENCH_DATA_DIR']!,
  port: 0,
  logLevel: 'warn' as const,
  rateLimit: false,
}
const log = createLog({ level: 'warn', format: 'json' })
const ctx = await createContext(config, { log })
const server = listen(endpoints, ctx, {
  authenticate: accounts.authenticate,
  refusePublisherKey: async () => undefined,
  can: access.can,
  isAdministrator: access.holdsAnyPlatformRole,
  consoleRefusal: accounts.consoleRefusal,
  refusesUnknownParameters: () => false,
  spend: async () => undefined,
  isMember: access.holdsAnyOrgRole,
  refusalIn: access.refusalIn,
  loggedActor,
})
process.on(
  'SIGTERM',
  () =>
    void server
      .kill()
      .then(() => ctx.close())
      .then(() => process.exit(0)),
)
console.log(`listening on ${server.url}`)
