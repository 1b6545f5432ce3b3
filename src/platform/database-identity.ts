/**
 * Recognizes that another file was put in the place of the SQLite database while the write-ahead log of the earlier one is beside it. SQLite would
 * write that log into the new file and destroy it.
 */

import { statSync } from 'node:fs'
import { join } from 'node:path'

import { SQLITE_FILE } from './backup/manifest.ts'

/** Device, inode and time of creation of the database and of its log. */
export interface DatabaseIdentity {
  readonly database: string
  readonly log: string
}

/** With the time of its creation, because a new file often gets the inode of one that was just deleted. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`
}

/** Undefined unless the directory has both files. */
export function identifyDatabase(directory: string): DatabaseIdentity | undefined {
  const path = join(directory, SQLITE_FILE)
  const [database, log] = [identityOf(path), identityOf(`${path}-wal`)]
  return database !== undefined && log !== undefined ? { database, log } : undefined
}

/**
 * Whether the log is the recorded one and the database is not. If both differ, the directory was copied as a whole.
 * `missing`: the database file does not exist.
 */
export function compareDatabase(
  directory: string,
  recorded: DatabaseIdentity | undefined,
): 'same' | 'replaced' | 'missing' {
  const path = join(directory, SQLITE_FILE)
  if (recorded === undefined || identityOf(`${path}-wal`) !== recorded.log) return 'same'
  const database = identityOf(path)
  if (database === undefined) return 'missing'
  return database === recorded.database ? 'same' : 'replaced'
}

export const replacedSentence = (directory: string, record: string): string => {
  const path = join(directory, SQLITE_FILE)
  return `${path} is another file than the one that ${path}-wal belongs to, whose changes would destroy it: to use the new file, move ${path}-wal and ${path}-shm to another directory first. If it is a copy of the same state of the same database, delete ${record}.`
}
