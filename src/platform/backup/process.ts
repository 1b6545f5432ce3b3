/**
 * Backups that the server makes and verifies run in a process of this program: copying and checking a large database takes seconds in
 * which the server must answer. The process ends with the server and then removes what is unfinished.
 */

import { rmSync } from 'node:fs'
import { dirname } from 'node:path'

import type { Config } from '#config/config.ts'

import { ownCommand } from '../task-process.ts'

/** The argument with which the executable starts itself as such a process (src/main.ts). */
export const BACKUP_PROCESS = 'backup-process'

export interface BackupTask {
  readonly kind: 'CREATE' | 'VERIFY'
  readonly place: Pick<Config, 'dataDir' | 'databaseUrl' | 'databaseReadUrl' | 'sharedFiles' | 'backupDir'>
  /** Path of the file to write or to read. */
  readonly archive: string
  readonly gzip: boolean
  /** A folder beside `archive` for everything that is unfinished. It is created, and deleted at the end. */
  readonly work: string
}

export type BackupReply =
  /** `files` and `rows`: of the manifest. */
  | { readonly kind: 'done'; readonly files: number; readonly rows: number }
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
      else resolve(message)
    },
    onExit() {
      // A process that was killed could not do this.
      rmSync(task.work, { recursive: true, force: true })
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
