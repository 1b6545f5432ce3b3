/** The manifest of a backup: its last entry, `manifest.json`. */

import { escapeControlCharacters } from '#lib/text.ts'

export const MANIFEST = 'manifest.json'
export const SQLITE_FILE = 'tessera.db'
export const POSTGRES_FILE = 'database.dump'
/** Missing if the server had its secret from the configuration. */
export const SIGNING_KEY = 'keys/signing.key'
/** The folders of the data directory that a backup contains. */
export const FOLDERS = ['files', 'apps', 'keys'] as const

export interface ManifestFile {
  readonly path: string
  readonly size: number
  /** Hex. */
  readonly sha256: string
}

export interface DatabaseFacts {
  readonly database: 'sqlite' | 'postgres'
  /** Number of rows of each table. */
  readonly tables: Readonly<Record<string, number>>
  /** The newest row of the operation log; left out if there is none. */
  readonly log?: { readonly id: number; readonly hash: string }
}

/** The server that a backup was made of. */
export interface Origin {
  /** Name of the machine. */
  readonly host: string
  readonly publicUrl: string
}

export interface Manifest extends DatabaseFacts {
  readonly format: 'tessera-backup'
  /** Version of the format. A reader refuses versions that it does not know. */
  readonly version: 1
  /** Version of the program that wrote the backup. */
  readonly tessera: string
  /** ISO 8601. */
  readonly createdAt: string
  /** Left out by earlier versions. */
  readonly origin?: Origin
  readonly files: readonly ManifestFile[]
}

/** Hash of the manifest, and therefore of all bytes that a restore of the backup brings. */
export const backupId = (manifest: Manifest): string =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify(manifest)).digest('hex')

/** The backup, or a restore that was interrupted, cannot be used. The message says why. */
export class BackupError extends Error {
  override name = 'BackupError'
  /** The exit code for unusable data. */
  readonly exitCode = 4
  /** `message` may contain names from the backup. They are shown with control characters escaped, because a terminal obeys some. */
  constructor(message: string) {
    super(escapeControlCharacters(message))
  }
}

/** The state of the data does not allow a backup now, or the backup does not fit this server. Nothing was changed. */
export class BackupRefusal extends Error {
  override name = 'BackupRefusal'
  constructor(
    message: string,
    /** An exit code: 2 if somebody has to change something, 3 if it is enough to wait. */
    readonly exitCode: 2 | 3,
  ) {
    super(message)
  }
}

const isHead = ({ id, hash }: Partial<NonNullable<DatabaseFacts['log']>>): boolean =>
  isCount(id) && /^[\w-]{43}$/.test(String(hash))

const isShort = (value: unknown): boolean => typeof value === 'string' && value.length <= 500

const isOrigin = (value: Partial<Origin> | null): boolean =>
  typeof value === 'object' && isShort(value?.host) && isShort(value?.publicUrl)

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
  if (isCount(value.version) && value.version !== 1)
    throw new BackupError(`its format version is ${value.version}: restore it with the newer Tessera that wrote it`)
  const { files, tables, database, log, origin } = value
  const good =
    Array.isArray(files) &&
    files.every(
      (f: Partial<ManifestFile> | null) =>
        typeof f?.path === 'string' && isCount(f.size) && /^[0-9a-f]{64}$/.test(f.sha256 ?? ''),
    ) &&
    typeof tables === 'object' &&
    tables !== null &&
    Object.values(tables).every(isCount) &&
    (database === 'sqlite' || database === 'postgres') &&
    value.version === 1 &&
    (log === undefined || (typeof log === 'object' && log !== null && isHead(log))) &&
    (origin === undefined || isOrigin(origin)) &&
    // They are printed.
    /^[\w.+-]{1,64}$/.test(String(value.tessera)) &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(String(value.createdAt))
  if (!good) throw new BackupError(`${MANIFEST} is damaged`)
  return value as Manifest
}

/**
 * Whether an entry may be in a backup: the database, or a file in one of the folders. No such path leads outside of the folder into
 * which the backup is unpacked, on any operating system.
 */
export function isBackupPath(path: string): boolean {
  if (path === SQLITE_FILE || path === POSTGRES_FILE) return true
  const [folder, ...rest] = path.split('/')
  return (
    (FOLDERS as readonly string[]).includes(folder!) &&
    rest.length > 0 &&
    // oxlint-disable-next-line no-control-regex -- control characters are refused
    rest.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\:\u0000-\u001f]/.test(part))
  )
}

/** @throws BackupError if the number of rows of a table differs */
export function compareRows(
  expected: Readonly<Record<string, number>>,
  counts: Readonly<Record<string, number>>,
  where: string,
): void {
  for (const name of new Set([...Object.keys(expected), ...Object.keys(counts)]))
    if (expected[name] !== counts[name])
      throw new BackupError(
        `${where} cannot be used: table ${name} has ${counts[name] ?? 'no'} rows instead of ${expected[name] ?? 'none'}.`,
      )
}
