/** The configuration with the values that administrators chose in the browser, for commands that run beside the server or without it. */

import { statSync } from 'node:fs'

import type { Config } from '#config/config.ts'
import { thisMachine } from '#config/machine.ts'
import { effectiveConfig, type Origins, type StoredValues } from '#config/reach.ts'

/** Reads settings. Undefined where there is no database yet. */
async function readerOf({ dataDir, databaseUrl }: Config): Promise<((key: string) => Promise<unknown>) | undefined> {
  const db = await import('#db/maintenance.ts')
  if (databaseUrl !== '') return (key) => db.settingPostgres(databaseUrl, key)
  const file = db.databaseFile(dataDir)
  if (!statSync(file, { throwIfNoEntry: false })?.size) return undefined
  return async (key) => db.settingSqlite(file, key)
}

/** With the chosen folder of backups, unless the configuration names one. */
export async function withBackupDirectory(config: Config): Promise<Config> {
  if (config.backupDir !== '') return config
  const read = await readerOf(config)
  const stored = await read?.('backup.directory')
  return { ...config, backupDir: typeof stored === 'string' ? stored : '' }
}

export interface Reached {
  /** With the address and the kind of certificate in force. */
  readonly config: Config
  /** PEM, of a certificate that was uploaded. */
  readonly chain: string | undefined
}

export async function withReach(config: Config, origins: Origins): Promise<Reached> {
  const { parts } = await import('#domains/settings/index.ts')
  const { Value } = await import('@sinclair/typebox/value')
  const read = await readerOf(config)
  const [reach, certificate] = await Promise.all([read?.('server.reach'), read?.('server.certificate')])
  const stored: StoredValues = {
    ...(Value.Check(parts.reach, reach) && { reach }),
    ...(Value.Check(parts.certificate, certificate) && { certificate }),
  }
  const chain = Value.Check(parts.certificate, certificate) ? certificate.chain : undefined
  return { config: effectiveConfig(config, origins, stored, thisMachine()), chain: chain ?? undefined }
}
