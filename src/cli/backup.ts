import { mkdirSync, rmSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

import type { Config } from '#config/config.ts'
import { type DatabaseFacts, POSTGRES_FILE, SQLITE_FILE } from '#platform/backup/manifest.ts'
import { restorePending } from '#platform/backup/swap.ts'
import { whileFilesAreKept } from '#platform/backup/under-way.ts'
import { dataMembers, type Member, writeArchive } from '#platform/backup/write.ts'
import { filesFolder, openBlobs } from '#platform/blobs/index.ts'
import { DAY, systemClock } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'
import { version } from '#platform/version.ts'

import { EXIT, Refusal } from './exit-codes.ts'
import { bytes, progress, say } from './terminal.ts'
import type { Run } from './verb.ts'

/** Age at which the work folder of a killed backup is deleted. No backup takes that long. */
const STALE_MS = DAY
const WORK = '.backup-'

export const run: Run = async (call) => {
  const { words, options } = call
  const config = call.config()
  const createdAt = new Date(systemClock.now())
  const gzip = options.has('gzip')
  const output = resolve(
    words[0] ?? join(config.dataDir, 'backups', `tessera-${stampOf(createdAt)}.tar.${gzip ? 'gz' : 'zst'}`),
  )
  const backups = join(config.dataDir, 'backups')
  if (!statSync(config.dataDir, { throwIfNoEntry: false }))
    throw new Refusal(`There is no data directory ${config.dataDir}.`, EXIT.usage)
  if (statSync(output, { throwIfNoEntry: false }))
    throw new Refusal(`${output} already exists: choose another name.`, EXIT.usage)
  if (!statSync(dirname(output), { throwIfNoEntry: false }) && words[0] !== undefined)
    throw new Refusal(`There is no directory ${dirname(output)} to write the backup to.`, EXIT.usage)
  mkdirSync(backups, { recursive: true, mode: 0o700 })
  await removeStale(backups)

  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const work = join(backups, WORK + uuid())
  mkdirSync(work, { mode: 0o700 })
  try {
    const { manifest, size } = await whileFilesAreKept(filesFolder(config), async () => {
      // The database comes first: a file is on disk before its row, so every file that the copy refers to is found afterwards.
      const { facts, member } = await copyDatabase(config, work)
      const members = [member, ...(await dataMembers(config.dataDir, filesFolder(config)))]
      const bar = progress(
        'Backing up',
        members.reduce((sum, each) => sum + each.size, 0),
      )
      const written = await writeArchive({
        output,
        gzip,
        members,
        facts: { format: 'tessera-backup', version: 1, tessera: version, createdAt: createdAt.toISOString(), ...facts },
        onBytes: (count) => bar.add(count),
        signal: stop.signal,
      })
      bar.done()
      return written
    })
    const rows = Object.values(manifest.tables).reduce((sum, n) => sum + n, 0)
    const bucket = config.storageUrl === '' ? null : openBlobs(config).place
    const files = manifest.files.length
    const { log = null } = manifest
    if (options.has('json')) say(JSON.stringify({ file: output, bytes: size, files, rows, notIncluded: bucket, log }))
    else {
      say(`${output}: ${bytes(size)}, ${files} files, ${rows} rows.`)
      if (log) say(`The operation log in it ends with row ${log.id}:${log.hash}`)
      if (bucket !== null)
        say(
          `It does not include uploaded files: they are in ${bucket}. Keep deleted versions there as long as this backup.`,
        )
    }
    return EXIT.ok
  } catch (error) {
    if (stop.signal.aborted) throw new Refusal('Interrupted: no backup was written.', EXIT.failure)
    throw error
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The time in UTC as `20300102-030405`. */
export const stampOf = (time: Date): string => time.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)

async function copyDatabase(
  { databaseUrl, dataDir }: Config,
  work: string,
): Promise<{ facts: DatabaseFacts; member: Member }> {
  const db = await import('#db/maintenance.ts')
  if (databaseUrl !== '') {
    const path = join(work, POSTGRES_FILE)
    const counted = await db.dumpPostgres(databaseUrl, path)
    return {
      facts: { database: 'postgres', ...counted },
      member: { name: POSTGRES_FILE, path, size: statSync(path).size },
    }
  }
  const file = db.databaseFile(dataDir)
  const path = join(work, SQLITE_FILE)
  const before = statSync(file, { throwIfNoEntry: false })
  if (restorePending(dataDir))
    throw new Refusal('A restore is under way or was interrupted: start the server, which completes it.', EXIT.busy)
  if (!before) throw new Refusal(`There is no database in ${dataDir} to back up.`, EXIT.usage)
  db.copySqlite(file, path)
  // Otherwise damage would be noticed only when the backup is needed.
  db.checkSqlite(path)
  if (restorePending(dataDir) || statSync(file).ino !== before.ino)
    throw new Refusal('The data was restored during the backup: run the backup again.', EXIT.busy)
  return {
    facts: { database: 'sqlite', tables: db.countSqlite(path), ...db.logHeadSqlite(path) },
    member: { name: SQLITE_FILE, path, size: statSync(path).size },
  }
}

async function removeStale(backups: string): Promise<void> {
  for (const name of await readdir(backups)) {
    if (!name.startsWith(WORK)) continue
    const found = statSync(join(backups, name), { throwIfNoEntry: false })
    if (found && found.mtimeMs < systemClock.now() - STALE_MS)
      rmSync(join(backups, name), { recursive: true, force: true })
  }
}
