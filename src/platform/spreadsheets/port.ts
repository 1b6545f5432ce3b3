/** The interface of the reader of spreadsheets, and the messages between the server and the process that reads. */

import type { SheetChoice } from '#lib/spreadsheets/sheet-reader.ts'
import type { ReadLimits, SheetFacts, UnreadableReason } from '#lib/spreadsheets/sheet.ts'

export interface ReadRequest extends SheetChoice {
  readonly limits: ReadLimits
}

export interface ReadSheet extends SheetFacts {
  /** Rows with content. */
  readonly rows: number
}

export interface Sheets {
  /**
   * Reads the spreadsheet at `input` in a process of its own, and writes its rows to `output`, which `rowsIn` reads. Resolves with their
   * number and what else the file says. After an error `output` does not exist.
   * @throws UnreadableSheet, BlobError if the files cannot be read or written
   */
  read(input: string, output: string, request: ReadRequest): Promise<ReadSheet>
  /** Ends the processes. Files in progress reject. */
  stop(): Promise<void>
}

export interface SheetTask extends ReadRequest {
  readonly input: string
  readonly output: string
}

export type SheetReply =
  | { readonly kind: 'read'; readonly sheet: ReadSheet }
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason }
  /** An error of the disk, or a mistake of ours. */
  | { readonly kind: 'failed'; readonly code: string | undefined; readonly message: string }

/** The argument with which the executable starts itself as such a process. */
export const SHEET_PROCESS = 'sheet-process'
