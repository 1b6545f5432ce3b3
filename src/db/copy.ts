/** Copies of a SQLite database, and what backups of both databases leave out. */

import { Database } from 'bun:sqlite'

/** Tables whose rows are in no backup: they would tell the visitors of a day apart after it is over. */
export const NOT_BACKED_UP = ['qr_scan_salts', 'qr_scan_visitors'] as const

/** Writes a consistent, compact copy to `target`, which must not exist, without the rows of `NOT_BACKED_UP`. Others may be writing meanwhile. */
export function copyDatabase(db: Database, target: string): void {
  db.run('VACUUM INTO ?', [target])
  const copy = new Database(target, { create: false, readwrite: true })
  try {
    // Otherwise the content of deleted rows would stay in the file.
    copy.run('PRAGMA secure_delete = ON')
    for (const name of NOT_BACKED_UP)
      if (copy.query('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== null) copy.run(`DELETE FROM "${name}"`)
  } finally {
    copy.close()
  }
}
