/** While a backup is copied, the server keeps deleted files, so that every row of the copied database has its bytes in the backup. */

import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { DAY, systemClock } from '../clock.ts'
import { uuid } from '../ids.ts'

/** The marker of a killed backup is ignored after this time. No backup takes that long. */
const STALE_MS = DAY

/** Inside the folder of files. The dot keeps it out of backups. */
const markersOf = (filesFolder: string): string => join(filesFolder, '.backups')

/** Runs `work` with a marker in the folder of files. */
export async function whileFilesAreKept<T>(filesFolder: string, work: () => Promise<T>): Promise<T> {
  const folder = markersOf(filesFolder)
  const marker = join(folder, uuid())
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(marker, '')
  try {
    return await work()
  } finally {
    await rm(marker, { force: true })
  }
}

/** Whether a backup is copying the files of this folder. */
export async function areFilesKept(filesFolder: string): Promise<boolean> {
  const folder = markersOf(filesFolder)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found && found.mtimeMs > systemClock.now() - STALE_MS) return true
    if (found) await rm(path, { force: true })
  }
  return false
}
