/** Restores a backup, or takes a restore back, for a server that has closed its database and opens it again afterwards. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'

import type { Config } from '#config/config.ts'
import type { RestoreListener } from '#http/while-restoring.ts'
import type { Localized } from '#lib/localized.ts'
import { SQLITE_FILE } from '#platform/backup/manifest.ts'
import { backupPlaceOf, type BackupReply, startBackupProcess } from '#platform/backup/process.ts'
import { endRestore, type RestorePlan } from '#platform/backup/restores.ts'
import { freeStamp, makeStaging, oldDataOf, restorePending, stagingOf, swapIn } from '#platform/backup/swap.ts'
import { SECOND, systemClock } from '#platform/clock.ts'
import type { DirectoryLock } from '#platform/lock.ts'
import type { Log } from '#platform/log.ts'

import { EXIT, explain, Refusal } from './exit-codes.ts'

/** How long a stopping server waits for the process that reads the backup. */
const STOP_MS = 2 * SECOND

export interface ClosedServer {
  readonly config: Config
  readonly lock: DirectoryLock
  readonly log: Log
  readonly listener: RestoreListener
  /** Resolves when the program was asked to stop: then nothing is replaced, unless it was decided. */
  readonly stopAsked: Promise<unknown>
}

const notReplaced = (reason: string): Localized => ({
  en: `The data was not replaced: ${reason}`,
  zh: `数据未被替换：${reason}`,
})

/**
 * Resolves with whether the data was replaced. After an error the old data is unchanged, and the list of restores says why.
 * @throws if the restore was decided and could not be completed: the next start does that
 */
export async function restoreWhileClosed(plan: RestorePlan, server: ClosedServer): Promise<boolean> {
  const { config, log } = server
  const { id, kind, name } = plan.note
  try {
    await (plan.archive === undefined ? takeBack(plan, server) : bringIn(plan, plan.archive, server))
    log.warn('the data was replaced', { id, kind, name })
    return true
  } catch (error) {
    if (restorePending(config.dataDir)) throw error
    const { sentence, unexpected } = explain(error, `The data directory ${config.dataDir}`)
    log.error('the data was not replaced', { id, kind, name, reason: sentence, ...(unexpected && { error }) })
    await endRestore(config.dataDir, id, { state: 'FAILED', problem: notReplaced(sentence) })
    return false
  } finally {
    server.listener.step = 'STARTING'
  }
}

async function bringIn(plan: RestorePlan, archive: string, server: ClosedServer): Promise<void> {
  const { config, lock, listener, stopAsked } = server
  const { dataDir } = config
  const { note, keepSessions } = plan
  const work = await makeStaging(dataDir, note.id)
  try {
    const place = backupPlaceOf(config)
    const child = startBackupProcess({
      kind: 'RESTORE',
      place,
      archive,
      gzip: false,
      work,
      restore: { note, keepSessions },
    })
    void stopAsked.then(() => child.stop(STOP_MS))
    const { id } = finished(await child.reply)
    listener.step = 'REPLACING'
    lock.forgetDatabase()
    await swapIn(dataDir, { stamp: note.id, backup: { id: id!, keepsSessions: keepSessions } })
  } finally {
    if (!restorePending(dataDir)) rmSync(stagingOf(dataDir, note.id), { recursive: true, force: true })
  }
}

function finished(reply: BackupReply): Extract<BackupReply, { kind: 'done' }> {
  if (reply.kind === 'failed') throw new Refusal(reply.sentence, reply.exitCode as Refusal['exitCode'])
  if (reply.kind === 'interrupted')
    throw new Refusal('The server was stopped, or ended the check of the backup for lack of memory.', EXIT.failure)
  return reply
}

async function takeBack({ note, keepSessions }: RestorePlan, server: ClosedServer): Promise<void> {
  const { config, lock, listener } = server
  listener.step = 'REPLACING'
  const kept = oldDataOf(config.dataDir, { stamp: note.name })
  if (kept === undefined) throw new Refusal('The replaced data is no longer there.', EXIT.data)
  const { finishUndoSqlite } = await import('#db/maintenance.ts')
  finishUndoSqlite(join(kept, SQLITE_FILE), keepSessions, note)
  lock.forgetDatabase()
  await swapIn(config.dataDir, { stamp: note.id, undoes: note.name })
}

/** Brings the replaced data back, because the server cannot start with the data that has replaced it. */
export async function goBack(
  { note }: RestorePlan,
  error: unknown,
  server: Pick<ClosedServer, 'config' | 'lock' | 'log'>,
) {
  const { config, lock, log } = server
  const { dataDir } = config
  const { sentence } = explain(error, `The data directory ${dataDir}`)
  log.error('the server cannot start with the new data: the old data comes back', { id: note.id, error })
  const stamp = await freeStamp(dataDir, systemClock.now())
  lock.forgetDatabase()
  await swapIn(dataDir, { stamp, undoes: note.id })
  await endRestore(dataDir, note.id, { state: 'FAILED', problem: notReplaced(sentence) })
  rmSync(oldDataOf(dataDir, { stamp })!, { recursive: true, force: true })
}
