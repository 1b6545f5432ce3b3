/** The stored server values, for doctor. */

import { statSync } from 'node:fs'

import type { Config } from '#config/config.ts'

import type { Finding } from './doctor-gateways.ts'

export async function checkServerValues(config: Config): Promise<Finding[]> {
  const { databaseFile, postgresSchema, sqliteSchema, withDatabase } = await import('#db/maintenance.ts')
  const file = databaseFile(config.dataDir)
  if (config.databaseUrl === '' && !statSync(file, { throwIfNoEntry: false })?.size) return []
  const { pending } = config.databaseUrl === '' ? sqliteSchema(file) : await postgresSchema(config.databaseUrl)
  if (pending.length > 0) return []
  const { ignoredIn } = await import('#domains/settings/index.ts')
  const rows = await withDatabase(config, (query) =>
    query(`SELECT key, CAST(value AS text) AS value FROM settings WHERE key LIKE 'server.%'`),
  )
  const ignored = ignoredIn(rows.map(({ key, value }) => ({ key: String(key), value: parsed(String(value)) })))
  return ignored.map((key) => ({
    check: 'server values',
    verdict: 'WARN' as const,
    message: `${key} is not valid and is ignored: set it again in the browser (Administration).`,
  }))
}

/** Undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
