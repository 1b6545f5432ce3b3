import { statSync } from 'node:fs'
import { join } from 'node:path'

import type { RunningContext } from '#app'
import { type Config, hasTls } from '#config/config.ts'
import { environmentWithoutSettings } from '#config/read.ts'
import type { AppContext } from '#context'
import type { RestoreListener } from '#http/while-restoring.ts'
import type { Locale } from '#lib/localized.ts'
import { SQLITE_FILE } from '#platform/backup/manifest.ts'
import type { RestorePlan } from '#platform/backup/restores.ts'
import { type Certificate, readCertificate } from '#platform/certificate.ts'
import { SECOND } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'
import type { DirectoryLock } from '#platform/lock.ts'
import { createLog, type Log } from '#platform/log.ts'
import { supervisorOf } from '#platform/supervisor.ts'

import { hasOtherData, openDataDirectory } from './data-directory.ts'
import { openBrowser } from './double-click.ts'
import { EXIT, type ExitCode, Refusal } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Call, Run } from './verb.ts'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** The exit code that shells report for a process ended by a signal: 128 and the signal's number. */
const FORCED = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const

/** Longer than the server's own drain (10 s), so that there is time to close the database. */
const STOP_MS = 15 * SECOND

export const run: Run = async (call) => {
  const config = call.config()
  const log = createLog({ level: config.logLevel, format: config.logFormat, process: uuid().slice(0, 8) })
  process.on('exit', () => log.flush())
  const reason = stopReason(log)
  // Before anything is changed.
  if (config.tlsCert !== '') readCertificate(config)
  const { lock, completed } = await openDataDirectory(config, 'serve')
  let stopped: StopReason
  try {
    if (completed) log.warn('an interrupted restore was completed')
    const file = join(config.dataDir, SQLITE_FILE)
    const size = statSync(file, { throwIfNoEntry: false })?.size
    if (config.databaseUrl === '' && !size && hasOtherData(config.dataDir)) {
      const state = size === undefined ? 'missing' : 'empty'
      log.warn(`the database is ${state} although there are files or keys: a new one is created`, { file })
    }
    // Imported only now: the tables are built for the database that the configuration names.
    if (config.databaseUrl !== '') {
      const { poolerProblem } = await import('#db/pooler.ts')
      const problem = await poolerProblem(config.databaseUrl, config.poolerUrl)
      if (problem !== undefined) throw new Refusal(problem, EXIT.usage)
      const missing = await (await import('#db/needs.ts')).needsProblem(config.databaseUrl)
      if (missing !== undefined) throw new Refusal(missing, EXIT.data)
      if (config.databaseReadUrl !== '') {
        const { kind, message } = await (await import('#db/replica.ts')).replicaState(config)
        if (kind === 'WRONG') throw new Refusal(message, EXIT.usage)
      }
    }
    // The certificate is for the public address.
    const isPublic = call.reading.origins.has('publicUrl') || hasTls(config)
    stopped = await serveAndRestore({
      config,
      log,
      lock,
      reason,
      isPublic,
      origins: call.reading.origins,
      changes: call.changes,
    })
    log.info('stopped')
  } finally {
    lock.release()
    log.flush()
  }
  // Anything that is still alive (a file watcher in development, an idle connection) must not keep the process running.
  process.exit(stopped.exitCode)
}

const setupLink = (origin: string, path: string): string =>
  `There is no administrator yet. Create the first one here within 24 hours: ${origin}${path}`
interface Serving {
  readonly config: Config
  readonly log: Log
  readonly lock: DirectoryLock
  readonly reason: Promise<StopReason>
  /** Whether the public address is the one to print. */
  readonly isPublic: boolean
  /** See `AppContext`. */
  readonly origins: ReadonlyMap<string, string>
  readonly changes: Call['changes']
}

/** Serves until there is a reason to stop. To restore a backup, it closes everything and opens it again on the same port. */
async function serveAndRestore(serving: Serving): Promise<StopReason> {
  let { config } = serving
  let restored: Restored | undefined
  let stopped: StopReason | undefined
  void serving.reason.then((reason) => (stopped = reason))
  for (;;) {
    try {
      const end = await serveOnce({ ...serving, config }, restored)
      if ('exitCode' in end) return end
      restored = await restore({ ...serving, config: (config = end.config) }, end)
    } catch (error) {
      if (restored?.isReplaced !== true || restored.hasListened) throw error
      await (await import('./restore-served.ts')).goBack(restored.plan, error, { ...serving, config })
      restored = { ...restored, isReplaced: false }
    }
    if (stopped !== undefined) return stopped
  }
}

/** A server that was closed for a restore. */
interface Closed {
  readonly plan: RestorePlan
  /** Runs on the restored data before the server answers. */
  readonly afterwards: ((restored: AppContext) => Promise<void>) | undefined
  /** With the port that was chosen. */
  readonly config: Config
  /** The configuration in force, with the values that were set in the browser. */
  readonly listening: Config
  readonly certificate: Certificate | undefined
  readonly language: Locale
}

interface Restored extends Pick<Closed, 'plan' | 'afterwards'> {
  readonly isReplaced: boolean
  readonly listener: RestoreListener
  /** Whether the server has answered with the new data. */
  hasListened: boolean
}

async function restore(
  { reason, ...serving }: Serving,
  { plan, afterwards, listening, certificate, language }: Closed,
): Promise<Restored> {
  const { listenWhileRestoring } = await import('#http/while-restoring.ts')
  const { restoreWhileClosed } = await import('./restore-served.ts')
  const listener = listenWhileRestoring(listening, certificate, language)
  try {
    const isReplaced = await restoreWhileClosed(plan, { ...serving, listener, stopAsked: reason })
    return { plan, afterwards, isReplaced, listener, hasListened: false }
  } catch (error) {
    await listener.stop()
    throw error
  }
}

/** Opens everything, serves, and closes it. `restored`: instead of the first time. */
async function serveOnce(
  { config, log, lock, reason, isPublic, origins, changes }: Serving,
  restored: Restored | undefined,
): Promise<StopReason | Closed> {
  const app = await import('#app')
  const { createSetupLink } = await import('#domains/accounts/index.ts')
  const { authorityState, trustUrl } = await import('#domains/lan/index.ts')
  const { startConfig } = await import('#domains/server/index.ts')
  const ctx = await app.createContext(config, { log, origins })
  try {
    let link: string | null = null
    const asked = Promise.withResolvers<Pick<Closed, 'plan' | 'afterwards'>>()
    ctx.lifecycle.restore = (plan, afterwards) => asked.resolve({ plan, afterwards })
    ctx.lifecycle.startChanges = changes
    const restart = Promise.withResolvers<StopReason>()
    ctx.lifecycle.restart = {
      supervisor: supervisorOf(environmentWithoutSettings(), process.pid),
      ask: () => restart.resolve({ name: 'restart', exitCode: EXIT.restart }),
    }
    if (restored?.isReplaced) await restored.afterwards?.(ctx)
    const beforeListening = async () => {
      // After a restore that failed, the link of before still works.
      if (restored === undefined || restored.isReplaced) link = await createSetupLink(ctx)
      await restored?.listener.stop()
      if (restored !== undefined) restored.hasListened = true
    }
    const server = await app.serve(ctx, { beforeListening }).catch(refuseCredentials)
    try {
      lock.announce(server.url)
      if (server.opening && restored === undefined) {
        say(`getting a certificate for ${ctx.config.domain.join(', ')}`)
        say(`until then this computer reaches the server at ${server.url}`)
        if (link !== null) say(setupLink(server.url, String(link)))
      }
      const opened = (url: string): void => {
        const origin = isPublic || ctx.config.mode !== 'LOCAL' ? ctx.config.publicUrl : url
        if (restored === undefined) {
          say(`listening on ${url}`)
          const authority = authorityState(ctx)?.authority
          if (authority) say(`Devices must trust "${authority.name}" once: ${trustUrl(ctx.config)}`)
          openBrowser(`${origin}${link ?? '/'}`)
        }
        if (link !== null) say(setupLink(origin, String(link)))
      }
      if (server.opening) void server.opening.then(opened)
      else opened(server.url)

      const end = await Promise.race([reason, outdated(ctx, log), asked.promise, restart.promise])
      const isStop = 'exitCode' in end
      log.info('stopping', { reason: isStop ? end.name : 'restore' })
      if (isStop) setTimeout(() => process.exit(EXIT.failure), config.drainSeconds * SECOND + STOP_MS).unref()
      // After an error that no code caught, every further request is a risk.
      await server.stop(isStop && end.exitCode !== EXIT.ok && end.exitCode !== EXIT.restart)
      // No confirmed change is lost, but 0 would say that all is well.
      await ctx.db.checkWritable()
      if (isStop) return end
      const { certificateInUse } = await import('#http/tls.ts')
      const { locale } = (await import('#http/site.ts')).siteOf(ctx)
      const certificate = certificateInUse(ctx)
      return { ...end, config: startConfig(ctx), listening: ctx.config, certificate, language: locale }
    } catch (error) {
      // Otherwise it would go on answering without a database.
      await server.kill()
      throw error
    }
  } finally {
    await ctx.close()
  }
}

/** The first administrator is checked by the rules of the interface; here its 400 is a mistake in the configuration. */
function refuseCredentials(error: unknown): never {
  if ((error as { status?: unknown }).status !== 400) throw error
  throw new Refusal(
    `TESSERA_ADMIN_USERNAME and TESSERA_ADMIN_PASSWORD are not accepted: ${(error as Error).message}`,
    EXIT.usage,
  )
}

interface StopReason {
  /** A signal, or the event of an error that no code caught. */
  readonly name: string
  readonly exitCode: ExitCode
}

/** Resolves when a newer version has removed from the database what this one needs. */
async function outdated({ outdated: error }: RunningContext, log: Log): Promise<StopReason> {
  if (error === undefined) return new Promise(() => undefined)
  log.error('the server stops, because a newer version has changed the database', { error: await error })
  return { name: 'outdated', exitCode: EXIT.data }
}

/** One Ctrl-C arrives twice under `bun start`: from the terminal and from the parent process. No one presses that fast. */
const SAME_KEYSTROKE_MS = 100

/**
 * Resolves with the first reason to stop. A second signal ends the process at once: everything that was answered is on disk.
 *
 * After an error that no code caught, the code it interrupted may have left anything half done, and going on is unsafe (Node.js
 * documentation of `uncaughtException`). The server answers the requests under way, then exits with 1 so that the supervisor
 * starts it again. A rejection that no code handles is the same kind of error in an async function, and by default Node.js treats
 * both in the same way. Errors of requests, jobs and after-commit hooks never get here: they are caught and logged where they occur.
 */
function stopReason(log: Log): Promise<StopReason> {
  return new Promise((resolve) => {
    for (const event of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(event, (error: unknown) => {
        log.error('uncaught error: the server stops', { event, error })
        resolve({ name: event, exitCode: EXIT.failure })
      })

    let askedAt: number | undefined
    for (const signal of SIGNALS)
      process.on(signal, () => {
        if (askedAt !== undefined && performance.now() - askedAt < SAME_KEYSTROKE_MS) return
        if (askedAt !== undefined) {
          log.warn('ended by a second signal')
          log.flush()
          process.exit(FORCED[signal])
        }
        askedAt = performance.now()
        resolve({ name: signal, exitCode: EXIT.ok })
      })
  })
}
