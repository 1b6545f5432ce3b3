/**
 * The identity of an installation: a random id that the first start writes into the database and into the folder or bucket of files. Where
 * they differ, the files belong to the rows of another database, and no clean-up may delete them.
 */

/** Key of the row in `server_state`, with an `Installation` as JSON. A restore deletes it, because the restored database is a copy. */
export const INSTALLATION = 'installation'

export interface Installation {
  readonly id: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** The store of files had no id, and files that this database does not know: they are somebody else's until `tessera files adopt`. */
  readonly isFilesForeign: boolean
}
