import { statSync } from 'node:fs'

import type { Config } from '#config/config.ts'

/** The configuration with the folder of backups that administrators chose in the browser, unless the configuration names one. */
export async function withBackupDirectory(config: Config): Promise<Config> {
  const { backupDir, dataDir, databaseUrl } = config
  if (backupDir !== '') return config
  const db = await import('#db/maintenance.ts')
  const file = db.databaseFile(dataDir)
  if (databaseUrl === '' && !statSync(file, { throwIfNoEntry: false })?.size) return config
  const stored =
    databaseUrl === ''
      ? db.settingSqlite(file, 'backup.directory')
      : await db.settingPostgres(databaseUrl, 'backup.directory')
  return { ...config, backupDir: typeof stored === 'string' ? stored : '' }
}
