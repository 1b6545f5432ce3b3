/** Opens the data directory for a command: locks it and completes a restore that was interrupted. */

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import type { Config } from '#config/config.ts'
import { compareRows, FOLDERS, POSTGRES_FILE } from '#platform/backup/manifest.ts'
import {
  clearStaging,
  type Decision,
  finishRestore,
  type PendingLoad,
  pendingRestore,
  restorePending,
  stagingOf,
  swapIn,
} from '#platform/backup/swap.ts'
import { type DirectoryLock, lockDataDirectory } from '#platform/lock.ts'

import { EXIT, Refusal } from './exit-codes.ts'

type Place = Pick<Config, 'dataDir' | 'databaseUrl'>

/** `completed`: the restore that was interrupted, if there was one. */
export async function openDataDirectory(
  config: Place,
  verb: string,
): Promise<{ readonly lock: DirectoryLock; readonly completed: Decision | undefined }> {
  const lock = lockDataDirectory(config.dataDir, verb)
  try {
    const completed = await completeRestore(config)
    // The backup of a restore that was killed between its reading and its decision has the size of the data.
    await clearStaging(config.dataDir)
    return { lock, completed }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function completeRestore({ dataDir, databaseUrl }: Place): Promise<Decision | undefined> {
  const pending = pendingRestore(dataDir)
  if (pending?.load === undefined) return finishRestore(dataDir)
  const { load } = pending
  const { placeOf } = await import('#db/maintenance.ts')
  if (databaseUrl === '' || placeOf(databaseUrl) !== load.where)
    throw new Refusal(
      `A restore to ${load.where} was interrupted: set TESSERA_DATABASE_URL to it to complete the restore, or delete ${join(dataDir, 'restore.json')} to keep the old data.`,
      EXIT.usage,
    )
  await loadDump(databaseUrl, stagingOf(dataDir, pending.stamp), load)
  await swapIn(dataDir, pending)
  return pending
}

/** Whether there are files, app packages or keys, which belong to a database. */
export const hasOtherData = (dataDir: string): boolean =>
  FOLDERS.some((name) => existsSync(join(dataDir, name)) && readdirSync(join(dataDir, name)).length > 0)

/** Loads the dump in the folder `staging`, unless a process that was killed has done so, and finishes the restored database. */
export async function loadDump(
  databaseUrl: string,
  staging: string,
  { tables, keepSessions, where }: PendingLoad,
): Promise<void> {
  const db = await import('#db/maintenance.ts')
  const dump = join(staging, POSTGRES_FILE)
  // pg_restore uses one transaction, so tables that exist are complete.
  const isLoaded = async (): Promise<boolean> => Object.keys(await db.countPostgres(databaseUrl)).length > 0
  if (!(await isLoaded())) {
    try {
      await db.loadPostgres(databaseUrl, dump)
    } catch (error) {
      // The pg_restore of a killed process may have gone on and won the race.
      if (!(await isLoaded())) throw error
    }
  }
  // The process that was killed may also have added the row with the time of the restore.
  const { server_state: _expected, ...expected } = tables
  const { server_state: _counted, ...counts } = await db.countPostgres(databaseUrl)
  compareRows(expected, counts, where)
  await db.finishRestorePostgres(databaseUrl, keepSessions)
  rmSync(dump, { force: true })
}

/**
 * For commands that change rows beside a running server.
 * @throws Refusal unless there is a database, it is not being replaced, and it has the tables of this version
 */
export async function checkDatabase({ databaseUrl, dataDir }: Place): Promise<void> {
  const { databaseFile, postgresSchema, sqliteSchema } = await import('#db/maintenance.ts')
  if (databaseUrl === '' && !statSync(databaseFile(dataDir), { throwIfNoEntry: false }))
    throw new Refusal(`There is no database in ${dataDir} yet: start the server once.`, EXIT.usage)
  if (restorePending(dataDir))
    throw new Refusal('A restore is under way or was interrupted: start the server, which completes it.', EXIT.busy)
  const { pending } = databaseUrl === '' ? sqliteSchema(databaseFile(dataDir)) : await postgresSchema(databaseUrl)
  if (pending.length > 0)
    throw new Refusal('The database is older than this program: start the server, which updates it.', EXIT.data)
}
