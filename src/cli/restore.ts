import { rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { Config } from '#config/config.ts'
import { makeBackupFolder, stampOf } from '#platform/backup/folder.ts'
import { backupId, type Manifest, SQLITE_FILE } from '#platform/backup/manifest.ts'
import {
  decideRestore,
  type Decision,
  discardRestore,
  makeStaging,
  oldDataOf,
  pendingRestore,
  restorePending,
  stagingOf,
  swapIn,
} from '#platform/backup/swap.ts'
import { systemClock } from '#platform/clock.ts'
import { lockDataDirectory } from '#platform/lock.ts'

import { loadDump, openDataDirectory } from './data-directory.ts'
import { EXIT, Refusal } from './exit-codes.ts'
import { note, progress, say } from './terminal.ts'
import type { Run } from './verb.ts'

export const run: Run = async (call) => {
  const { words, options } = call
  const config = call.config()
  const archive = resolve(words[0]!)
  const found = statSync(archive, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new Refusal(`There is no file ${archive}.`, EXIT.usage)
  return options.has('check') ? check(config, archive) : restore(config, archive, options.has('keep-sessions'))
}

async function check(config: Config, archive: string): Promise<typeof EXIT.ok> {
  await makeBackupFolder(config)
  const manifest = await withBar(async (bar) => (await import('#db/backup.ts')).verifyBackup(config, archive, bar))
  say(`${archive} can be restored: ${summary(manifest)}.`)
  return EXIT.ok
}

async function restore(config: Config, archive: string, keepSessions: boolean): Promise<typeof EXIT.ok> {
  const { dataDir, sharedFiles } = config
  if (sharedFiles !== '')
    throw new Refusal(
      `Files are restored into the data directory: unset TESSERA_SHARED_FILES, restore, and move ${join(dataDir, 'files')} to ${sharedFiles} before you set it again.`,
      EXIT.usage,
    )
  const { lock, completed } = await open(config)
  try {
    const stamp = stampOf(new Date(systemClock.now()))
    const staging = await makeStaging(dataDir, stamp)
    try {
      const manifest = await verify(config, archive, staging)
      const decision = { stamp, backup: { id: backupId(manifest), keepsSessions: keepSessions } }
      if (completed?.backup?.id === decision.backup.id) await finishAgain(config, manifest, completed, keepSessions)
      else {
        if (manifest.database === 'postgres') await load(config, manifest, decision, completed !== undefined)
        else (await import('#db/maintenance.ts')).finishRestoreSqlite(join(staging, SQLITE_FILE), keepSessions)
        await swapIn(dataDir, decision)
        report(config, manifest, decision)
      }
      return EXIT.ok
    } finally {
      // If the restore is decided but not completed, the next start needs the folder.
      if (!restorePending(dataDir)) rmSync(staging, { recursive: true, force: true })
    }
  } finally {
    lock.release()
  }
}

function report({ dataDir, storageUrl }: Config, manifest: Manifest, decision: Decision): void {
  const kept = oldDataOf(dataDir, decision)
  say(`Restored: ${summary(manifest)}.${kept === undefined ? '' : ` The old data is in ${kept}.`}`)
  if (manifest.log) say(`The operation log now ends with row ${manifest.log.id}:${manifest.log.hash}`)
  if (storageUrl !== '')
    say(
      'The bucket of files belongs to the database that was backed up, so nothing in it is cleaned up. If that one is gone, start the server and run "tessera files adopt".',
    )
  if (decision.backup?.keepsSessions === false)
    say('All sessions have ended: every user has to sign in again, with the password of the backup.')
}

/** The command was repeated after it was killed: the restore is complete, except that this one may also have to end the sessions. */
async function finishAgain(
  config: Config,
  manifest: Manifest,
  completed: Decision,
  keepSessions: boolean,
): Promise<void> {
  const { dataDir, databaseUrl } = config
  const kept = completed.backup?.keepsSessions === true
  if (kept && !keepSessions) {
    const db = await import('#db/maintenance.ts')
    if (databaseUrl === '') db.finishRestoreSqlite(db.databaseFile(dataDir), false)
    else await db.finishRestorePostgres(databaseUrl, false)
  }
  report(config, manifest, { ...completed, backup: { id: backupId(manifest), keepsSessions: kept && keepSessions } })
  if (keepSessions && !kept)
    note('The restore that was interrupted had no --keep-sessions, so the sessions could not be kept.')
}

/** Locks the data directory. An interrupted restore is completed, or discarded if it had changed nothing here yet. */
async function open(config: Config): ReturnType<typeof openDataDirectory> {
  const { dataDir, databaseUrl } = config
  const before = lockDataDirectory(dataDir, 'restore')
  try {
    const pending = pendingRestore(dataDir)
    const { placeOf } = await import('#db/maintenance.ts')
    if (pending?.load !== undefined && (databaseUrl === '' || placeOf(databaseUrl) !== pending.load.where)) {
      await discardRestore(dataDir, pending)
      note(`An interrupted restore to ${pending.load.where} was given up.`)
    }
  } finally {
    before.release()
  }
  const opened = await openDataDirectory(config, 'restore')
  if (opened.completed) note('An interrupted restore was completed first.')
  return opened
}

/** Unpacks the archive into `folder` and checks everything that can be checked without changing data. */
const verify = async (config: Config, archive: string, folder: string): Promise<Manifest> =>
  withBar(async (bar) => (await import('#db/backup.ts')).unpackBackup(config, archive, folder, bar))

async function withBar<T>(work: (bar: { onTotal(bytes: number): void; onBytes(count: number): void }) => Promise<T>) {
  let bar = progress('Checking', 0)
  const result = await work({
    onTotal: (total) => (bar = progress('Checking', total)),
    onBytes: (count) => bar.add(count),
  })
  bar.done()
  return result
}

/**
 * Loads the dump into the empty database. The decision comes first, so that a start after a kill does not use the database without its
 * files. `wasCompleted`: this command has just completed another restore.
 */
async function load(
  { dataDir, databaseUrl }: Config,
  { tables }: Manifest,
  { stamp, backup }: Required<Pick<Decision, 'stamp' | 'backup'>>,
  wasCompleted: boolean,
): Promise<void> {
  const db = await import('#db/maintenance.ts')
  const where = db.placeOf(databaseUrl)
  const [found] = Object.keys(await db.countPostgres(databaseUrl))
  if (found !== undefined)
    throw new Refusal(
      wasCompleted
        ? `${where} now contains the backup of the interrupted restore, which was completed: to restore this one instead, create a new, empty database and set TESSERA_DATABASE_URL to it.`
        : `${where} is not empty (it contains table ${found}): create a new, empty database and set TESSERA_DATABASE_URL to it.`,
      EXIT.usage,
    )
  const decision = { stamp, backup, load: { where, tables, keepSessions: backup.keepsSessions } }
  await decideRestore(dataDir, decision)
  try {
    await loadDump(databaseUrl, stagingOf(dataDir, stamp), decision.load)
  } catch (error) {
    const left = await db.countPostgres(databaseUrl).catch(() => undefined)
    if (left !== undefined && Object.keys(left).length === 0) await discardRestore(dataDir, decision)
    throw error
  }
}

function summary({ files, tables, createdAt, tessera }: Manifest): string {
  const rows = Object.values(tables).reduce((sum, n) => sum + n, 0)
  return `${files.length} files, ${rows} rows, written ${createdAt} by Tessera ${tessera}`
}
