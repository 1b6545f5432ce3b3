/**
 * Notes of changes to rows of the product, for programs outside that want to know (webhooks). Stores make them, in the write, where the
 * row changes. Nearly always nobody wants to know: a note then costs a look at a map.
 */

import type { WriteTx } from './engine/write.ts'
import type { OwnerKey } from './owner-key.ts'
import type { EventType } from './schema/webhooks.ts'
import type { Db, Tx } from './store.ts'

type Fields = Readonly<Record<string, unknown>>

export interface Note {
  readonly type: EventType
  /** Whose the row is; undefined if it is of the server. */
  readonly owner?: OwnerKey | undefined
  /** In place of `owner`: the activity whose owner it is. */
  readonly activityId?: number
  readonly id: number
  /**
   * Facts about a row that is gone, or about a thing without a row of its own; a function is called at the end of the write. Without it the
   * row is read then.
   */
  readonly data?: Fields | (() => Promise<Fields>)
  /** The row as the write has just inserted it, so that it need not be read. Of no use if a later note is about the same row. */
  readonly row?: object | undefined
}

export interface NoteReader {
  /** Whether somebody may want to know. Called for each note, and cheap. */
  wants(note: Note): boolean
  /** The same for rows of any owner. */
  wantsAny(type: EventType): boolean
  /** Takes the notes of a write that are wanted, in their order, as its last part. */
  take(tx: Tx, notes: readonly Note[]): Promise<void>
}

const readers = new WeakMap<Db, NoteReader>()
const noted = new WeakMap<Tx, Note[]>()

/** `db`: the `read` of the store whose notes are read. */
export const readNotes = (db: Db, reader: NoteReader): void => void readers.set(db, reader)

/** Whether a note of this type about a row of this owner would be read: for writes that cannot take notes. */
export const isNoted = (db: Db, note: Omit<Note, 'id'>): boolean => readers.get(db)?.wants({ ...note, id: 0 }) ?? false

/** The same for rows of any owner. */
export const isNotedAnywhere = (db: Db, type: EventType): boolean => readers.get(db)?.wantsAny(type) ?? false

export function note(tx: Tx, given: Note): void {
  const reader = readers.get((tx as WriteTx).reader)
  if (reader === undefined || !reader.wants(given)) return
  const notes = noted.get(tx)
  if (notes !== undefined) {
    notes.push(given)
    return
  }
  const started = [given]
  noted.set(tx, started)
  tx.beforeCommit(() => reader.take(tx, started))
}
