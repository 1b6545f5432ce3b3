/**
 * A restore that an administrator has started leaves this note in the database that comes in. After the swap, the server reads it to add the restore
 * to the operation log, also if it was killed meanwhile.
 */

/** Key of the row in `server_state`, with a `RestoreNote` as JSON. It stays, to tell a restore that was completed from one that was not. */
export const RESTORE_NOTE = 'restore.note'

/** The newest row of an operation log. */
interface LogHead {
  readonly id: number
  readonly hash: string
}

export interface NewRestoreNote {
  /** That of the list of restores. */
  readonly id: string
  readonly kind: 'RESTORE' | 'UNDO'
  /** The backup, or the restore that is taken back. */
  readonly name: string
  /** Of the data that is replaced. Id 0: the user of the setup link. */
  readonly by: { readonly id: number; readonly name: string }
  readonly ip: string
  readonly requestId: string
  /** Of the data that is replaced; null if it has no rows. */
  readonly logBefore: LogHead | null
}

export interface RestoreNote extends NewRestoreNote {
  readonly logAfter: LogHead | null
  /** Whether the operation log has its row and the administrators their notification. */
  readonly isLogged: boolean
}
