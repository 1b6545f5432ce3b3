import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { backupFolder, makeBackupFolder, nameAt } from '#platform/backup/folder.ts'
import { openBlobs } from '#platform/blobs/index.ts'
import { systemClock } from '#platform/clock.ts'

import { EXIT, Refusal } from './exit-codes.ts'
import { withBackupDirectory } from './stored-values.ts'
import { bytes, progress, say } from './terminal.ts'
import type { Run } from './verb.ts'

export const run: Run = async (call) => {
  const { words, options } = call
  const started = call.config()
  const config = words[0] === undefined ? await withBackupDirectory(started) : started
  const gzip = options.has('gzip')
  const output = resolve(words[0] ?? join(backupFolder(config), nameAt(systemClock.now(), gzip)))
  if (!statSync(config.dataDir, { throwIfNoEntry: false }))
    throw new Refusal(`There is no data directory ${config.dataDir}.`, EXIT.usage)
  if (statSync(output, { throwIfNoEntry: false }))
    throw new Refusal(`${output} already exists: choose another name.`, EXIT.usage)
  if (!statSync(dirname(output), { throwIfNoEntry: false }) && words[0] !== undefined)
    throw new Refusal(`There is no directory ${dirname(output)} to write the backup to.`, EXIT.usage)
  // The folder that an administrator chose may be on a disk that is not connected.
  if (config.backupDir !== started.backupDir && !statSync(config.backupDir, { throwIfNoEntry: false })?.isDirectory())
    throw new Refusal(
      `The folder of backups ${config.backupDir} is missing: connect its disk, or name a file for the backup.`,
      EXIT.usage,
    )
  await makeBackupFolder(config)

  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const { createBackup } = await import('#db/backup.ts')
  let bar = progress('Backing up', 0)
  try {
    const { manifest, size } = await createBackup({
      place: config,
      output,
      gzip,
      signal: stop.signal,
      onTotal: (total) => (bar = progress('Backing up', total)),
      onBytes: (count) => bar.add(count),
    })
    bar.done()
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
  }
}
