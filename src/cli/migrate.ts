import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'

import { openDataDirectory } from './data-directory.ts'
import { EXIT } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Run } from './verb.ts'

export const run: Run = async (call) => {
  const { databaseUrl, dataDir, logFormat } = call.config()
  const { migrate } = await import('#db/migrate.ts')
  const { databaseFile, postgresSchema, sqliteSchema } = await import('#db/maintenance.ts')
  if (call.options.has('status')) {
    const exists = databaseUrl !== '' || (await Bun.file(databaseFile(dataDir)).exists())
    if (!exists) {
      say('There is no database yet: the first start creates it.')
      return EXIT.ok
    }
    const state = databaseUrl === '' ? sqliteSchema(databaseFile(dataDir)) : await postgresSchema(databaseUrl)
    for (const name of state.applied) say(`applied  ${name}`)
    for (const name of state.pending) say(`pending  ${name}`)
    return EXIT.ok
  }
  const { lock } = await openDataDirectory({ dataDir, databaseUrl }, 'migrate')
  try {
    const log = createLog({ level: 'warn', format: logFormat })
    const { applied, backup } = await migrate({ databaseUrl, dataDir, clock: systemClock, log })
    if (backup !== undefined) say(`A copy of the old database is in ${backup}.`)
    for (const name of applied) say(`applied  ${name}`)
    if (applied.length === 0) say('The database is up to date.')
    return EXIT.ok
  } finally {
    lock.release()
  }
}
