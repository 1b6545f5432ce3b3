/** Explains error codes of the file system and SQLite to the operator. */

import { statfsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'

/**
 * One sentence about `subject` ("The data directory /var/lib/tessera") for an error that concerns the disk, its space or its
 * permissions; undefined for all other errors.
 */
export function diskTrouble(error: unknown, subject: string): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
    case 'SQLITE_READONLY_DIRECTORY':
    case 'SQLITE_PERM':
      return `${subject} cannot be written by this user${userName()}: change its owner or permissions.`
    case 'EROFS':
      return `${subject} is on a read-only file system.`
    case 'ENOSPC':
    case 'EDQUOT':
    case 'SQLITE_FULL':
      if (hasNoInodes(error)) return noInodes(subject)
      return `${subject} is on a disk that is full: free some space and try again. No saved data is lost.`
    case 'EFBIG':
      return `${subject} has reached the limit on file sizes: raise it (ulimit -f) and try again.`
    case 'ENOTDIR':
    case 'EEXIST':
      return `${subject} is not a directory.`
    case 'ENOENT':
      return `${subject} does not exist.`
    case 'EIO':
    case 'SQLITE_IOERR':
      return `${subject} cannot be read or written: the disk reports an input/output error.`
    default:
      return typeof code === 'string' && code.startsWith('SQLITE_IOERR_')
        ? `${subject} cannot be read or written: the disk reports an input/output error (${code}).`
        : undefined
  }
}

export const noInodes = (subject: string): string =>
  `${subject} is on a disk that can hold no more files (inodes): delete some files and try again.`

/** Fewer count as none: the work that failed may have deleted its unfinished files since. */
const FEW_INODES = 16

/** Whether the file system of `path` (default: that of the error) has no inodes left, although it may have free bytes. */
export function hasNoInodes(error: unknown, path = (error as { path?: unknown } | null)?.path): boolean {
  // A folder that could not be created does not exist.
  for (let place = path; typeof place === 'string'; place = dirname(place)) {
    try {
      const { files, ffree } = statfsSync(place)
      return files > 0 && ffree < FEW_INODES
    } catch (failure) {
      if ((failure as NodeJS.ErrnoException).code !== 'ENOENT' || place === dirname(place)) return false
    }
  }
  return false
}

function userName(): string {
  try {
    return ` (${userInfo().username})`
  } catch {
    return ''
  }
}
