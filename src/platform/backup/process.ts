/**
 * Backups that the server makes and verifies run in a process of this program: copying and checking a large database takes seconds in
 * which the server must answer. The process ends with the server and then removes what is unfinished.
 */

import { rmSync } from 'node:fs'
import { dirname } from 'node:path'

import type { Config } from '#config/config.ts'

import { ownCommand } from '../task-process.ts'
import type { BackupFacts } from './folder.ts'
import type { NewRestoreNote } from './restore-note.ts'

/** The argument with which the executable starts itself as such a process (src/main.ts). */
export const BACKUP_PROCESS = 'backup-process'

export type BackupPlace = Pick<
  Config,
  'dataDir' | 'databaseUrl' | 'databaseReadUrl' | 'sharedFiles' | 'backupDir' | 'publicUrl'
>

export interface BackupTask {
  /** RESTORE: unpacks a backup and prepares its database, as far as nothing of the data is changed. */
  readonly kind: 'CREATE' | 'VERIFY' | 'RESTORE'
  readonly place: BackupPlace
  /** Path of the file to write or to read. */
  readonly archive: string
  readonly gzip: boolean
  /** A folder for everything that is unfinished. It is created, and deleted at the end. RESTORE: it exists, and stays unless the task fails. */
  readonly work: string
  /** With RESTORE. */
  readonly restore?: { readonly keepSessions: boolean; readonly note: NewRestoreNote }
}

export type BackupReply =
  /** `files` and `rows`: of the manifest. */
  | {
      readonly kind: 'done'
      readonly files: number
      readonly rows: number
      /** After VERIFY. */
      readonly facts?: BackupFacts
      /** After RESTORE: of the backup (manifest.ts). */
      readonly id?: string
    }
  /** `exitCode` and `sentence`: as the command line would end (cli/exit-codes.ts). */
  | { readonly kind: 'failed'; readonly sentence: string; readonly exitCode: number; readonly stack?: string }
  /** The process was stopped or killed. */
  | { readonly kind: 'interrupted' }

export type BackupMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'total'; readonly bytes: number }
  | { readonly kind: 'read'; readonly bytes: number }
  | BackupReply

export interface RunningBackup {
  readonly reply: Promise<BackupReply>
  /** Bytes that were read and are to be read; `total` is undefined while the database is copied. */
  readonly progress: { readonly done: number; readonly total: number | undefined }
  /** Resolves when the process has ended, at the latest after `graceMs`. */
  stop(graceMs: number): Promise<void>
}

export function startBackupProcess(task: BackupTask): RunningBackup {
  const progress: { done: number; total: number | undefined } = { done: 0, total: undefined }
  const { promise, resolve } = Promise.withResolvers<BackupReply>()
  let isKept = false
  const tool = task.place.databaseUrl === '' ? null : Bun.which('pg_dump')
  const child = Bun.spawn(ownCommand(BACKUP_PROCESS, new URL('../../main.ts', import.meta.url)), {
    // The environment contains secrets of the configuration. The path is needed to find pg_dump.
    env: tool === null ? {} : { PATH: dirname(tool) },
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'json',
    ipc(message: BackupMessage) {
      if (message.kind === 'ready') child.send(task)
      else if (message.kind === 'total') progress.total = message.bytes
      else if (message.kind === 'read') progress.done = message.bytes
      else {
        isKept = task.kind === 'RESTORE' && message.kind === 'done'
        resolve(message)
      }
    },
    onExit() {
      // A process that was killed could not do this.
      if (!isKept) rmSync(task.work, { recursive: true, force: true })
      resolve({ kind: 'interrupted' })
    },
  })
  return {
    reply: promise,
    progress,
    async stop(graceMs) {
      // The process notices that the channel is closed, removes its files and ends.
      child.disconnect()
      const kill = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await child.exited
      clearTimeout(kill)
    },
  }
}

/** The part of the configuration that a process gets. */
export const backupPlaceOf = (config: BackupPlace): BackupPlace => {
  const { dataDir, databaseUrl, databaseReadUrl, sharedFiles, backupDir, publicUrl } = config
  return { dataDir, databaseUrl, databaseReadUrl, sharedFiles, backupDir, publicUrl }
}
