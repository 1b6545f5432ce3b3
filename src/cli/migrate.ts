import { isShared } from '#config/config.ts'
import type { Place } from '#db/maintenance.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'

import { openDataDirectory } from './data-directory.ts'
import { EXIT, Refusal } from './exit-codes.ts'
import { say } from './terminal.ts'
import type { Run } from './verb.ts'

export const run: Run = async (call) => {
  const config = call.config()
  const { databaseUrl, dataDir, logFormat } = config
  if (call.options.has('status')) {
    await showStatus(config, call.options.has('json'))
    return EXIT.ok
  }
  const { migrate } = await import('#db/migrate.ts')
  const { lock } = await openDataDirectory({ dataDir, databaseUrl }, 'migrate')
  try {
    const log = createLog({ level: 'warn', format: logFormat })
    const removes = call.options.has('contract')
    const shared = isShared(config)
    const result = await migrate({ databaseUrl, dataDir, clock: systemClock, log, shared, leavesContracts: !removes })
    const { applied, waiting, older, backup } = result
    if (backup !== undefined) say(`A copy of the old database is in ${backup}.`)
    for (const name of applied) say(`applied  ${name}`)
    if (removes && older.length > 0)
      throw new Refusal(
        `${waiting.join(', ')}: not applied while processes of an older version run (${older.map(({ host, version }) => `${version} on ${host}`).join(', ')}). Stop them first.`,
        EXIT.busy,
      )
    for (const name of waiting) say(`waiting  ${name}`)
    if (applied.length + waiting.length === 0) say('The database is up to date.')
    return EXIT.ok
  } finally {
    lock.release()
  }
}

async function showStatus({ databaseUrl, dataDir }: Place, asJson: boolean): Promise<void> {
  const { databaseFile, postgresSchema, sqliteSchema } = await import('#db/maintenance.ts')
  const exists = databaseUrl !== '' || (await Bun.file(databaseFile(dataDir)).exists())
  if (!exists) return say(asJson ? 'null' : 'There is no database yet: the first start creates it.')
  const { migrations, canGoBack } =
    databaseUrl === '' ? sqliteSchema(databaseFile(dataDir)) : await postgresSchema(databaseUrl)
  if (asJson) return say(JSON.stringify({ migrations, canGoBack }, null, 2))
  for (const { name, kind, state } of migrations) say(`${state}  ${name}${kind === null ? '' : `  ${kind}`}`)
  say(
    canGoBack
      ? 'The version before this one can use the database.'
      : 'The version before this one cannot use the database: restore a backup to go back.',
  )
}
