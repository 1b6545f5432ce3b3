/** The list of domains, and a loop over it: everything a domain needs from another goes through its record (domains/domain.ts). */

import { type Config, isShared } from '#config/config.ts'
import { parseHeaders } from '#config/gateways.ts'
import { type Machine, thisMachine } from '#config/machine.ts'
import type { AppContext, JobState } from '#context'
import { spend } from '#db/counters.ts'
import { openStore } from '#db/open.ts'
import { joinProcesses, type Membership, ONLY_PROCESS } from '#db/processes.ts'
import { repeatKeyRows } from '#db/repeat-keys.ts'
import { type SchemaWatch, watchSchema } from '#db/schema-watch.ts'
import type { Store } from '#db/store.ts'
import { access, can, holdsAnyOrgRole, holdsAnyPlatformRole, refusalIn } from '#domains/access/index.ts'
import { accounts, authenticate, consoleRefusal, initialPasswordRefusal, sessionEnd } from '#domains/accounts/index.ts'
import { activities, authenticateGate } from '#domains/activities/index.ts'
import { admin } from '#domains/admin/index.ts'
import { agreements } from '#domains/agreements/index.ts'
import { album } from '#domains/album/index.ts'
import { apiKeys, authenticateKey, keyRate } from '#domains/api-keys/index.ts'
import { appUpdates, refusePublisherKey } from '#domains/app-updates/index.ts'
import { assets } from '#domains/assets/index.ts'
import { backups } from '#domains/backups/index.ts'
import { applySettings, certificates, certificatesByAcme } from '#domains/certificates/index.ts'
import { chat } from '#domains/chat/index.ts'
import { contacts } from '#domains/contacts/index.ts'
import { delivery } from '#domains/delivery/index.ts'
import { contributions, type Domain, install } from '#domains/domain.ts'
import { files } from '#domains/files/index.ts'
import { found } from '#domains/found/index.ts'
import { front } from '#domains/front/index.ts'
import { lan, lanCertificates } from '#domains/lan/index.ts'
import { licenses } from '#domains/licenses/index.ts'
import { mcp } from '#domains/mcp/index.ts'
import { metadata } from '#domains/metadata/index.ts'
import { notifications } from '#domains/notifications/index.ts'
import { oidc } from '#domains/oidc/index.ts'
import { loggedActor, operationLog } from '#domains/operation-log/index.ts'
import { operations } from '#domains/operations/index.ts'
import { orgs } from '#domains/orgs/index.ts'
import { ownData } from '#domains/own-data/index.ts'
import { people } from '#domains/people/index.ts'
import { push } from '#domains/push/index.ts'
import { qrCodes } from '#domains/qr-codes/index.ts'
import { removals } from '#domains/removals/index.ts'
import { certificatesFromBrowser, ignoreReach, keepPorts, server } from '#domains/server/index.ts'
import { getSetting, settings } from '#domains/settings/index.ts'
import { shares } from '#domains/shares/index.ts'
import { sync } from '#domains/sync/index.ts'
import { webhooks } from '#domains/webhooks/index.ts'
import { docsEndpoints } from '#http/docs.endpoints.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'
import type { Gatekeeper } from '#http/mount.ts'
import { pageFileEndpoints } from '#http/page-files.endpoints.ts'
import { listen, type RunningServer } from '#http/server.ts'
import { socketEndpoints } from '#http/sockets/socket.endpoints.ts'
import { certificateFiles, type CertificateSource } from '#http/tls.ts'
import { webAppEndpoints } from '#http/web-app/web-app.endpoints.ts'
import { openBlobs, openStaging } from '#platform/blobs/index.ts'
import { tracedBlobs } from '#platform/blobs/traced.ts'
import { type Clock, SECOND, systemClock } from '#platform/clock.ts'
import { createImages } from '#platform/images/index.ts'
import { signingKey } from '#platform/keys.ts'
import { createLimiter } from '#platform/limiter.ts'
import type { Log } from '#platform/log.ts'
import { createMetrics, type Metrics } from '#platform/metrics.ts'
import { createPasswords, type Passwords } from '#platform/passwords.ts'
import { ReportingLimiter } from '#platform/reporting-limiter.ts'
import { startScheduler } from '#platform/scheduler.ts'
import { sealOf } from '#platform/seal.ts'
import { createSheets } from '#platform/spreadsheets/index.ts'
import { createTokens } from '#platform/tokens.ts'
import { Tracer, type TracerOptions } from '#platform/tracer.ts'
import { createUrlSigner } from '#platform/url-signer.ts'
import { releaseKey } from '#platform/version.ts'

/** The product. Domains start in this order and stop in reverse; the API document lists them in this order. */
export const domains = [
  removals,
  accounts,
  ownData,
  qrCodes,
  orgs,
  people,
  shares,
  files,
  album,
  assets,
  found,
  metadata,
  sync,
  activities,
  contacts,
  chat,
  notifications,
  push,
  agreements,
  access,
  apiKeys,
  mcp,
  admin,
  settings,
  server,
  operationLog,
  oidc,
  backups,
  certificates,
  operations,
  appUpdates,
  licenses,
  lan,
  front,
  webhooks,
  delivery,
] as const

const gatekeeper: Gatekeeper = {
  sockets: {
    can,
    sessionEnd,
    frames: (ctx) => contributions(ctx, 'socketFrames').flat(),
    hello: (ctx, actor) => Promise.all(contributions(ctx, 'socketHello').map((hello) => hello(ctx, actor))),
  },
  authenticate,
  authenticateKey,
  keyRate,
  initialPasswordRefusal,
  refusePublisherKey,
  authenticateGate,
  can,
  isAdministrator: holdsAnyPlatformRole,
  consoleRefusal,
  loggedActor,
  isMember: holdsAnyOrgRole,
  refusalIn,
  refusesUnknownParameters: (ctx) => getSetting(ctx, 'http.refuseUnknownParameters'),
  repeatKeys: repeatKeyRows,
  spend: (ctx, uses) => ctx.db.write('http.spend', (tx) => spend(tx, uses, ctx.clock.now())),
}

function endpointsOf(list: readonly Domain[]): readonly AnyEndpoint[] {
  const api = [...list.flatMap(({ endpoints = [] }) => endpoints), ...socketEndpoints]
  return [...api, ...pageFileEndpoints, ...docsEndpoints(api), ...webAppEndpoints]
}

/** Every endpoint of the product, and those of its documentation, of the files that pages load, and of the web application. */
export const allEndpoints = endpointsOf(domains)

export interface RunningContext extends AppContext {
  readonly domains: readonly Domain[]
  /** Resolves when a newer version has removed from the database what this one needs: the server must stop. */
  readonly outdated?: Promise<Error>
  /** Stops the domains, which save their unwritten state, and closes the database. */
  close(): Promise<void>
}

export interface Parts {
  log: Log
  clock?: Clock
  passwords?: Passwords
  /** See `AppContext`. */
  origins?: ReadonlyMap<string, string>
  machine?: () => Machine
  /** Instead of that of the build: for tests. */
  releaseKey?: string
  /** Other domains than the product's: for tests. */
  domains?: readonly Domain[]
}

/** Opens (and migrates) the database and builds everything with a lifetime. The data directory must be locked by the caller. */
export async function createContext(config: Config, parts: Parts): Promise<RunningContext> {
  const { clock = systemClock } = parts
  const metrics = createMetrics()
  const log = countLines(parts.log, metrics)
  const list: readonly Domain[] = parts.domains ?? domains
  const tracer = tracerOf(config, { clock, log, metrics })
  const key = await signingKey(config)
  const shared = isShared(config)
  const db = await openStore({ config, clock, log, metrics, shared })
  const { processes, schema } = shared
    ? await joinOrClose(config, { signingKey: key, clock, log }, db)
    : { processes: ONLY_PROCESS, schema: undefined }
  const counts = createLimiter(clock)
  const limiter = shared ? new ReportingLimiter(counts, db.bus, processes, () => clock.now()) : counts
  const ctx: AppContext = {
    config,
    origins: parts.origins ?? new Map(),
    clock,
    log,
    releaseKey: parts.releaseKey ?? releaseKey,
    machine: parts.machine ?? thisMachine,
    db,
    bus: db.bus,
    blobs: tracer === undefined ? openBlobs(config) : tracedBlobs(openBlobs(config)),
    staging: openStaging(config),
    images: createImages({ heic: () => getSetting(ctx, 'upload.heic') }),
    sheets: createSheets(),
    metrics,
    tracer,
    limiter,
    exactLimiter: processes.exactLimiter ?? limiter,
    processes,
    passwords: parts.passwords ?? createPasswords(),
    tokens: createTokens(key, clock),
    signer: createUrlSigner(key),
    seal: sealOf(key),
    lifecycle: { startedAt: clock.now(), leaving: false, draining: false },
  }
  install(ctx, list)
  for (const { seed } of list) await seed?.(ctx)
  // One object, not a copy: domains keep their state by the identity of the context.
  return Object.assign(ctx, {
    domains: list,
    ...(schema && { outdated: schema.outdated }),
    async close() {
      await schema?.stop()
      for (const { stop } of list.toReversed()) await stop?.(ctx)
      await ctx.images.stop()
      await ctx.sheets.stop()
      if (limiter instanceof ReportingLimiter) limiter.stop()
      await processes.leave()
      await db.close()
      await tracer?.stop()
      log.flush()
    },
  })
}

async function joinOrClose(
  { databaseUrl }: Config,
  parts: { readonly signingKey: Uint8Array; readonly clock: Clock; readonly log: Log },
  db: Store,
): Promise<{ processes: Membership; schema: SchemaWatch }> {
  let processes: Membership | undefined
  try {
    processes = await joinProcesses({ databaseUrl, ...parts })
    return { processes, schema: await watchSchema({ databaseUrl, bus: db.bus, ...parts }) }
  } catch (error) {
    await processes?.leave()
    await db.close()
    throw error
  }
}

function tracerOf(
  { otlpUrl, otlpHeaders, traceRatio }: Config,
  parts: Pick<TracerOptions, 'clock' | 'log' | 'metrics'>,
) {
  if (otlpUrl === '') return undefined
  const headers = parseHeaders(otlpHeaders) ?? {}
  return new Tracer({ url: otlpUrl, headers, ratio: traceRatio, process: parts.log.process ?? 'tessera', ...parts })
}

const LOG_LINES = { name: 'tessera_log_lines_total', help: 'Lines of the log at level warn and error.' }

const JOBS = {
  name: 'tessera_jobs_last_success_seconds',
  help: 'When a job last succeeded in this process, in seconds since 1970. Of several processes, one runs the jobs.',
}

/** Counts what somebody should look at, for alerts. */
function countLines(log: Log, metrics: Metrics): Log {
  for (const level of ['warn', 'error']) metrics.counter(LOG_LINES, { level })
  return {
    ...log,
    warn(message, fields) {
      metrics.count(LOG_LINES, { level: 'warn' })
      log.warn(message, fields)
    },
    readable(message, hidden) {
      metrics.count(LOG_LINES, { level: 'warn' })
      log.readable(message, hidden)
    },
    error(message, fields) {
      metrics.count(LOG_LINES, { level: 'error' })
      log.error(message, fields)
    },
  }
}

export interface ServeOptions {
  /** The last step that may fail. */
  beforeListening?: () => Promise<void>
  /** Seconds until an idle connection is closed. Tests set it, to wait less. */
  idleSeconds?: number | undefined
}

async function certificatesOf(ctx: AppContext): Promise<CertificateSource | undefined> {
  const { tlsCert, lan, domain, browserTls } = ctx.config
  if (tlsCert !== '') return certificateFiles(ctx.config)
  if (lan) return lanCertificates(ctx)
  if (domain.length > 0) return certificatesByAcme(ctx)
  return browserTls === null ? undefined : certificatesFromBrowser(ctx)
}

/** Opens the ports. Stored values that cannot be used do not stop the start: the start values are used alone then. */
async function openPorts(ctx: RunningContext, idleSeconds: number | undefined): Promise<RunningServer> {
  const endpoints = ctx.domains === domains ? allEndpoints : endpointsOf(ctx.domains)
  const open = async () =>
    listen(endpoints, ctx, gatekeeper, { idleTimeout: idleSeconds, certificates: await certificatesOf(ctx) })
  try {
    return await open()
  } catch (error) {
    if (!ignoreReach(ctx, error as Error)) throw error
    return open()
  }
}

/** Starts the domains, then answers requests and runs the jobs until `stop`. */
export async function serve(ctx: RunningContext, options: ServeOptions = {}): Promise<RunningServer> {
  const { beforeListening, idleSeconds } = options
  for (const { start } of ctx.domains) await start?.(ctx)
  await beforeListening?.()
  const server = await openPorts(ctx, idleSeconds)
  keepPorts(ctx, server.config)
  ctx.lifecycle.doors = {
    list: () => server.doors(),
    async prepare(next) {
      const { keep, undo } = await server.prepare(next)
      return {
        undo,
        async keep() {
          await applySettings(ctx)
          keep(await certificatesOf(ctx))
        },
      }
    },
  }
  const jobs = ctx.domains.flatMap(({ jobs = [] }) => jobs)
  const states = jobs.map(({ name, every }): JobState => ({ name, every, lastSuccessAt: null }))
  ctx.lifecycle.jobs = states
  ctx.metrics.gauge(JOBS, () =>
    states.flatMap(({ name: job, lastSuccessAt }) =>
      lastSuccessAt === null ? [] : [[{ job }, lastSuccessAt / SECOND] as const],
    ),
  )
  const scheduler = startScheduler(
    jobs.map(({ name, every, run }, nth) => ({
      name,
      every,
      async run() {
        await run(ctx)
        states[nth]!.lastSuccessAt = ctx.clock.now()
      },
    })),
    { clock: ctx.clock, log: ctx.log, mayRun: () => ctx.processes.runsJobs },
  )
  ctx.processes.competeForJobs(() => void scheduler.tick())
  return {
    ...server,
    async stop(urgent) {
      const stopped = server.stop(urgent)
      ctx.processes.reportNow()
      await stopped
      await scheduler.stop()
    },
    async kill() {
      await server.kill()
      await scheduler.stop()
    },
  }
}
