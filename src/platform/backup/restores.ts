/** The list of the restores that administrators have started, in the data directory: rows of a database would be replaced with it. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Localized } from '#lib/localized.ts'

import { writeDurably } from '../files.ts'
import type { NewRestoreNote } from './restore-note.ts'

export const LISTED_RESTORES = 20

export interface RestoreRecord extends Pick<NewRestoreNote, 'id' | 'kind' | 'name' | 'by'> {
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** A server that is killed leaves RUNNING; the next start decides. */
  readonly state: 'RUNNING' | 'DONE' | 'FAILED'
  /** Why nothing was replaced. */
  readonly problem: Localized | null
  /** Of a restore by the setup link: the hash of its token, for the page that is shown afterwards, and what the page says. */
  readonly setup?: {
    readonly hash: string
    readonly administrators: readonly string[]
    readonly publicUrl: string | null
  }
}

/** The work of a server that has closed its database. */
export interface RestorePlan {
  readonly note: NewRestoreNote
  readonly keepSessions: boolean
  /** Path of the backup; undefined if the restore `note.name` is taken back. */
  readonly archive: string | undefined
}

const fileOf = (dataDir: string): string => join(dataDir, 'restores.json')

/** The newest first. */
export function readRestores(dataDir: string): RestoreRecord[] {
  try {
    const records = JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as unknown
    return Array.isArray(records) ? (records as RestoreRecord[]) : []
  } catch (error) {
    // A damaged list must not keep anyone from their data.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const write = (dataDir: string, records: readonly RestoreRecord[]): Promise<void> =>
  writeDurably(fileOf(dataDir), `${JSON.stringify(records, null, 1)}\n`, 0o600)

export const addRestore = (dataDir: string, record: RestoreRecord): Promise<void> =>
  write(dataDir, [record, ...readRestores(dataDir)].slice(0, LISTED_RESTORES))

export const endRestore = (dataDir: string, id: string, end: Pick<RestoreRecord, 'state' | 'problem'>): Promise<void> =>
  write(
    dataDir,
    readRestores(dataDir).map((one) => (one.id === id ? { ...one, ...end } : one)),
  )
