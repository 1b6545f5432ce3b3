/**
 * Stored bytes on the command line: compares the rows about them with each other and lists them, for `doctor --files`, and says to which
 * installation they belong. The schema must be up to date.
 */

import { INSTALLATION, type Installation } from './installation.ts'
import { type Place, type Query, type ReadPlace, withDatabase, withHeavyReads } from './maintenance.ts'

export interface StoredBlob {
  readonly id: number
  readonly key: string
  /** Hex. */
  readonly sha256: string
  /** Bytes. */
  readonly size: number
  /** References as they were counted by the writes. */
  readonly refs: number
  /** Rows that refer to it. */
  readonly uses: number
}

const ABOUT_FILE = "type || ', ' || coalesce(entity_type || ' ' || entity_id, 'belongs to nothing')"

/** Columns that refer to blobs, with the names of their rows in messages, and what messages say about a row (SQL). */
const USES = [
  { name: 'file', table: 'files', column: 'blob_id', about: ABOUT_FILE },
  { name: 'thumbnail of file', table: 'files', column: 'thumbnail_blob_id', about: ABOUT_FILE },
  { name: 'app package', table: 'app_packages', column: 'blob_id', about: 'file_name' },
  { name: 'data export', table: 'data_exports', column: 'blob_id', about: 'id' },
  { name: 'picture of the logo', table: 'server_pictures', column: 'blob_id', about: 'name' },
] as const

const COUNT_USES = USES.map(
  ({ table, column }) => `(SELECT count(*) FROM ${table} WHERE ${table}.${column} = blobs.id)`,
).join(' + ')

interface Usage {
  readonly bytes: number
  readonly files: number
}

export interface BlobRows {
  /** Bytes of all blobs. */
  totalSize(): Promise<number>
  /** The blobs whose hash begins with `prefix`, hex digits of which the last one is not f. */
  withPrefix(prefix: string): Promise<StoredBlob[]>
  /** Now. */
  exists(blob: StoredBlob): Promise<boolean>
  /** At most 20 rows of each kind that refer to the blob: `file 12 (album, PHOTO 7)`. */
  usesOf(id: number): Promise<string[]>
  /** Owners whose recorded storage differs from the sum of their files and uploads under way. */
  wrongUsage(): Promise<{ userId: number; orgId: number; recorded: Usage; actual: Usage }[]>
}

export const withBlobRows = <T>(place: ReadPlace, work: (rows: BlobRows) => Promise<T>): Promise<T> =>
  withHeavyReads(place, (query, primary) => work(rowsOf(query, primary)))

function rowsOf(query: Query, primary: Query): BlobRows {
  return {
    async totalSize() {
      const [row] = await query('SELECT sum(size) AS size FROM blobs')
      return Number(row!['size'] ?? 0)
    },
    async withPrefix(prefix) {
      const rows = await query(
        `SELECT id, key, sha256, size, refs, ${COUNT_USES} AS uses FROM blobs WHERE sha256 >= '${prefix}' AND sha256 < '${prefix}g' ORDER BY sha256`,
      )
      return rows.map((row) => ({
        id: Number(row['id']),
        key: String(row['key']),
        sha256: String(row['sha256']),
        size: Number(row['size']),
        refs: Number(row['refs']),
        uses: Number(row['uses']),
      }))
    },
    async exists({ id }) {
      return (await primary(`SELECT id FROM blobs WHERE id = ${id}`)).length > 0
    },
    async usesOf(id) {
      const uses: string[] = []
      for (const { name, table, column, about } of USES) {
        const select = `SELECT id, ${about} AS about FROM ${table} WHERE ${column} = ${id} ORDER BY id LIMIT 20`
        for (const row of await query(select)) uses.push(`${name} ${String(row['id'])} (${String(row['about'])})`)
      }
      return uses
    },
    async wrongUsage() {
      const rows = await query(`
        SELECT user_id AS "userId", org_id AS "orgId", sum(recorded) AS recorded, sum(actual) AS actual,
          sum(recorded_files) AS "recordedFiles", sum(actual_files) AS "actualFiles" FROM (
          SELECT user_id, org_id, bytes AS recorded, files AS recorded_files, 0 AS actual, 0 AS actual_files FROM storage_usage
          UNION ALL SELECT CASE WHEN org_id = 0 THEN uploader_id ELSE 0 END, org_id, 0, 0, size, 1 FROM files
          UNION ALL SELECT CASE WHEN org_id = 0 THEN user_id ELSE 0 END, org_id, 0, 0, size, 1 FROM file_uploads WHERE file_id IS NULL AND size > 0
        ) AS entries GROUP BY user_id, org_id
        HAVING sum(recorded) <> sum(actual) OR sum(recorded_files) <> sum(actual_files) ORDER BY 1, 2 LIMIT 50`)
      return rows.map((row) => ({
        userId: Number(row['userId']),
        orgId: Number(row['orgId']),
        recorded: { bytes: Number(row['recorded']), files: Number(row['recordedFiles']) },
        actual: { bytes: Number(row['actual']), files: Number(row['actualFiles']) },
      }))
    },
  }
}

const READ_INSTALLATION = `SELECT value FROM server_state WHERE key = '${INSTALLATION}'`

/** Undefined before the first start of a server on this database. */
export const readInstallation = (place: Place): Promise<Installation | undefined> =>
  withDatabase(place, async (query) => {
    const [row] = await query(READ_INSTALLATION)
    return row && (JSON.parse(String(row['value'])) as Installation)
  })

/** The files are those of this database from now on. */
export const saveAdoption = (place: Place, installation: Installation): Promise<void> =>
  withDatabase(place, async (query) => {
    const value = JSON.stringify({ ...installation, isFilesForeign: false })
    await query(`UPDATE server_state SET value = $1 WHERE key = '${INSTALLATION}'`, [value])
  })
