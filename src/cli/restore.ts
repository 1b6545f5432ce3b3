import { rmSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import type { Config } from '#config/config.ts'
import { BackupError, type Manifest, POSTGRES_FILE, SQLITE_FILE } from '#platform/backup/manifest.ts'
import { unpackArchive } from '#platform/backup/read.ts'
import { finishRestore, makeStaging, restorePending, swapIn } from '#platform/backup/swap.ts'
import { systemClock } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'
import { lockDataDirectory } from '#platform/lock.ts'

import { stampOf } from './backup.ts'
import { EXIT, Refusal } from './exit-codes.ts'
import { progress, say } from './terminal.ts'
import type { Run } from './verb.ts'

export const run: Run = async (call) => {
  const { words, options } = call
  const config = call.config()
  const archive = resolve(words[0]!)
  const found = statSync(archive, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new Refusal(`There is no file ${archive}.`, EXIT.usage)
  return options.has('check') ? check(config, archive) : restore(config, archive)
}

async function check(config: Config, archive: string): Promise<typeof EXIT.ok> {
  await mkdir(join(config.dataDir, 'backups'), { recursive: true, mode: 0o700 })
  const folder = join(config.dataDir, 'backups', `.backup-${uuid()}`)
  await mkdir(folder, { mode: 0o700 })
  try {
    say(`${archive} can be restored: ${summary(await verify(config, archive, folder))}.`)
    return EXIT.ok
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function restore(config: Config, archive: string): Promise<typeof EXIT.ok> {
  const { dataDir } = config
  const lock = lockDataDirectory(dataDir, 'restore')
  try {
    await finishRestore(dataDir)
    const stamp = stampOf(new Date(systemClock.now()))
    const staging = await makeStaging(dataDir, stamp)
    try {
      const manifest = await verify(config, archive, staging)
      if (manifest.database === 'postgres') await loadDump(config, manifest, staging)
      const kept = await swapIn(dataDir, stamp)
      say(`Restored: ${summary(manifest)}. The old data is in ${kept}.`)
      return EXIT.ok
    } finally {
      // If the restore is decided but not completed, the next start needs the folder.
      if (!restorePending(dataDir)) rmSync(staging, { recursive: true, force: true })
    }
  } finally {
    lock.release()
  }
}

/** Unpacks the archive into `folder` and checks everything that can be checked without changing data. */
async function verify(config: Config, archive: string, folder: string): Promise<Manifest> {
  const bar = progress('Checking', statSync(archive).size)
  const manifest = await unpackArchive(archive, folder, (count) => bar.add(count))
  bar.done()
  const isPostgres = config.databaseUrl !== ''
  if ((manifest.database === 'postgres') !== isPostgres)
    throw new Refusal(
      `The backup contains a ${manifest.database === 'postgres' ? 'PostgreSQL' : 'SQLite'} database: ${isPostgres ? 'unset' : 'set'} TESSERA_DATABASE_URL to restore it.`,
      EXIT.usage,
    )
  const database = isPostgres ? POSTGRES_FILE : SQLITE_FILE
  if (!manifest.files.some(({ path }) => path === database))
    throw new BackupError(`${archive} cannot be used: it contains no database.`)
  if (!isPostgres) await verifySqlite(manifest, join(folder, SQLITE_FILE), archive)
  return manifest
}

async function verifySqlite(manifest: Manifest, file: string, archive: string): Promise<void> {
  const db = await import('#db/maintenance.ts')
  try {
    db.checkSqlite(file)
    db.sqliteSchema(file)
  } catch (error) {
    if (!(error instanceof db.StorageError) || (error.kind !== 'corrupt' && error.kind !== 'schema')) throw error
    throw new BackupError(
      `${archive} cannot be used: ${error.kind === 'corrupt' ? 'its database is damaged' : `its database was written by a newer version`}.`,
    )
  }
  compareRows(manifest, db.countSqlite(file), archive)
}

function compareRows(manifest: Manifest, counts: Readonly<Record<string, number>>, where: string): void {
  for (const name of new Set([...Object.keys(manifest.tables), ...Object.keys(counts)]))
    if (manifest.tables[name] !== counts[name])
      throw new BackupError(
        `${where} cannot be used: table ${name} has ${counts[name] ?? 'no'} rows instead of ${manifest.tables[name] ?? 'none'}.`,
      )
}

async function loadDump({ databaseUrl }: Config, manifest: Manifest, staging: string): Promise<void> {
  const db = await import('#db/maintenance.ts')
  const there = Object.keys(await db.countPostgres(databaseUrl))
  if (there.length > 0)
    throw new Refusal(
      `${db.placeOf(databaseUrl)} is not empty (it contains table ${there[0]!}): create a new, empty database and set TESSERA_DATABASE_URL to it.`,
      EXIT.usage,
    )
  const dump = join(staging, POSTGRES_FILE)
  await db.loadPostgres(databaseUrl, dump)
  compareRows(manifest, await db.countPostgres(databaseUrl), db.placeOf(databaseUrl))
  rmSync(dump)
}

function summary({ files, tables, createdAt, tessera }: Manifest): string {
  const rows = Object.values(tables).reduce((sum, n) => sum + n, 0)
  return `${files.length} files, ${rows} rows, written ${createdAt} by Tessera ${tessera}`
}
