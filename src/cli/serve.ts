import { finishRestore } from '#platform/backup/swap.ts'
import { SECOND } from '#platform/clock.ts'
import { lockDataDirectory } from '#platform/lock.ts'
import { createLog } from '#platform/log.ts'

import { EXIT, Refusal } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Run } from './verb.ts'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** What the shell tells of a process that a signal ended. */
const FORCED = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const

/** Longer than the server's own drain (10 s): closing the database must have its turn. */
const STOP_MS = 15 * SECOND

export const run: Run = async (call) => {
  const config = call.config()
  const log = createLog({ level: config.logLevel, format: config.logFormat })
  process.on('exit', () => log.flush())
  const stop = stopSignal(log)

  const lock = lockDataDirectory(config.dataDir, 'serve')
  try {
    if (await finishRestore(config.dataDir)) log.warn('an interrupted restore was completed')
    // Only now: the tables are built for the database that the configuration names.
    const app = await import('#app')
    const { createSetupLink } = await import('#domains/accounts/index.ts')
    const ctx = await app.createContext(config, { log })
    try {
      const server = await app.serve(ctx).catch(refuseCredentials)
      lock.announce(server.url)
      say(`listening on ${server.url}`)
      const origin = call.reading.origins.has('publicUrl') ? config.publicUrl : server.url
      const link = await createSetupLink(ctx)
      if (link !== null)
        say(`There is no administrator yet. Make the first one here, within 24 hours: ${origin}${link}`)

      process.on('uncaughtException', (error) => log.error('uncaught exception', { error }))
      process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }))

      log.info('stopping', { signal: await stop })
      setTimeout(() => process.exit(EXIT.failure), STOP_MS).unref()
      await server.stop()
    } finally {
      await ctx.close()
    }
    log.info('stopped')
  } finally {
    lock.release()
    log.flush()
  }
  // Whatever else still lives (a watcher in development, an idle connection) must not hold the process.
  process.exit(EXIT.ok)
}

/** The first administrator is checked by the rules of the interface; here its 400 is a mistake in the configuration. */
function refuseCredentials(error: unknown): never {
  if ((error as { status?: unknown }).status !== 400) throw error
  throw new Refusal(
    `TESSERA_ADMIN_USERNAME and TESSERA_ADMIN_PASSWORD are not accepted: ${(error as Error).message}`,
    EXIT.usage,
  )
}

/** One Ctrl-C arrives twice under `bun start`: from the terminal, and passed on by the parent. People do not press that fast. */
const SAME_KEYSTROKE_MS = 100

/** Resolves with the first signal. The second ends the process at once: what was answered is on disk already. */
function stopSignal(log: { warn(message: string): void; flush(): void }): Promise<string> {
  return new Promise((resolve) => {
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
        resolve(signal)
      })
  })
}
