/** The interface of the reader of spreadsheets, and the messages between the server and the process that reads. */

import type { ReadLimits, UnreadableReason } from '#lib/spreadsheets/sheet.ts'

export interface ReadRequest {
  readonly limits: ReadLimits
  /** Name or number from 1 of a sheet; the first one if absent. */
  readonly sheet?: string
  /** Also a JSON list of objects. */
  readonly acceptsJson?: boolean
}

export interface Sheets {
  /**
   * Reads the spreadsheet at `input` in a process of its own, and writes its rows to `output`, which `rowsIn` reads. Resolves with their
   * number. After an error `output` does not exist.
   * @throws UnreadableSheet, BlobError if the files cannot be read or written
   */
  read(input: string, output: string, request: ReadRequest): Promise<number>
  /** Ends the processes. Files in progress reject. */
  stop(): Promise<void>
}

export interface SheetTask extends ReadRequest {
  readonly input: string
  readonly output: string
}

export type SheetReply =
  | { readonly kind: 'read'; readonly rows: number }
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason }
  /** An error of the disk, or a mistake of ours. */
  | { readonly kind: 'failed'; readonly code: string | undefined; readonly message: string }

/** The argument with which the executable starts itself as such a process. */
export const SHEET_PROCESS = 'sheet-process'
