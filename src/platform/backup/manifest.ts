/** What a backup says of itself, in its last entry, `manifest.json`. */

export const MANIFEST = 'manifest.json'
export const SQLITE_FILE = 'tessera.db'
export const POSTGRES_FILE = 'database.dump'
/** Folders of the data directory that a backup holds. */
export const FOLDERS = ['files', 'apps', 'keys'] as const

export interface ManifestFile {
  readonly path: string
  readonly size: number
  /** Hex. */
  readonly sha256: string
}

export interface DatabaseFacts {
  readonly database: 'sqlite' | 'postgres'
  /** Rows of each table. */
  readonly tables: Readonly<Record<string, number>>
}

export interface Manifest extends DatabaseFacts {
  readonly format: 'tessera-backup'
  /** Of the format. A reader refuses what it does not know. */
  readonly version: 1
  /** Version of the program that wrote it. */
  readonly tessera: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly files: readonly ManifestFile[]
}

/** The backup cannot be used; the message says what is wrong with it. */
export class BackupError extends Error {
  override name = 'BackupError'
  /** The command line's code for unusable data. */
  readonly exitCode = 4
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** @throws BackupError */
export function parseManifest(text: string): Manifest {
  let value: Partial<Manifest> | null
  try {
    value = JSON.parse(text) as Partial<Manifest> | null
  } catch {
    throw new BackupError(`${MANIFEST} is not JSON`)
  }
  if (value?.format !== 'tessera-backup') throw new BackupError('it is not a backup of Tessera')
  if (value.version !== 1)
    throw new BackupError(`it has format version ${String(value.version)}, made by a newer Tessera: use that one`)
  const { files, tables, database } = value
  const good =
    Array.isArray(files) &&
    files.every(
      (f: Partial<ManifestFile> | null) =>
        typeof f?.path === 'string' && isCount(f.size) && /^[0-9a-f]{64}$/.test(f.sha256 ?? ''),
    ) &&
    typeof tables === 'object' &&
    tables !== null &&
    Object.values(tables).every(isCount) &&
    (database === 'sqlite' || database === 'postgres')
  if (!good) throw new BackupError(`${MANIFEST} is damaged`)
  return value as Manifest
}

/**
 * Whether an entry may stand in a backup: the database, or a file inside one of the folders by a plain path. Nothing that could
 * lead outside of the folder it is unpacked into, on any system.
 */
export function isBackupPath(path: string): boolean {
  if (path === SQLITE_FILE || path === POSTGRES_FILE) return true
  const [folder, ...rest] = path.split('/')
  return (
    (FOLDERS as readonly string[]).includes(folder!) &&
    rest.length > 0 &&
    // oxlint-disable-next-line no-control-regex -- control characters have no place in a file's name
    rest.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\:\u0000-\u001f]/.test(part))
  )
}
