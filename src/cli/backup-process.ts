/** The process in which the server makes and verifies backups (platform/backup/process.ts). */

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { useDatabase } from '#config/database-url.ts'
import { backupId, type Manifest, SQLITE_FILE } from '#platform/backup/manifest.ts'
import type { BackupMessage, BackupReply, BackupTask } from '#platform/backup/process.ts'
import { systemClock } from '#platform/clock.ts'

import { explain } from './exit-codes.ts'

/** Progress is sent at most so often, in milliseconds. */
const REPORT_EVERY_MS = 200

export function runBackupProcess(): void {
  // The server decides when this process ends. A signal to the whole group must not end it before the server has answered.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  const stop = new AbortController()
  let running: Promise<void> = Promise.resolve()
  process.on('disconnect', () => {
    stop.abort()
    void running.finally(() => process.exit(0))
  })
  process.on('message', (task: BackupTask) => {
    running = answer(task, stop.signal)
  })
  try {
    // If the memory is exhausted, the kernel ends this process and not the server.
    writeFileSync('/proc/self/oom_score_adj', '900')
  } catch {
    // Only Linux has it.
  }
  send({ kind: 'ready' })
}

function send(message: BackupMessage): void {
  if (process.connected) process.send!(message)
}

async function answer(task: BackupTask, signal: AbortSignal): Promise<void> {
  let reply: BackupReply
  try {
    reply = await run(task, signal)
  } catch (error) {
    const { sentence, exitCode, unexpected } = explain(error, 'The folder of backups')
    const { stack } = error as Error
    reply = { kind: 'failed', sentence, exitCode, ...(unexpected && stack !== undefined && { stack }) }
  }
  send(reply)
  // A connection that a failed task has left would keep the process alive. The message must have been sent before.
  setTimeout(() => process.exit(0), REPORT_EVERY_MS)
}

async function run(task: BackupTask, signal: AbortSignal): Promise<BackupReply> {
  const { kind, place, archive, gzip, work } = task
  useDatabase(place.databaseUrl)
  const { createBackup, inspectBackup, unpackBackup } = await import('#db/backup.ts')
  let done = 0
  let reportedAt = 0
  const progress = {
    onTotal: (bytes: number) => send({ kind: 'total', bytes }),
    onBytes(count: number) {
      done += count
      const now = systemClock.now()
      if (now - reportedAt < REPORT_EVERY_MS) return
      reportedAt = now
      send({ kind: 'read', bytes: done })
    },
  }
  let isPrepared = false
  signal.addEventListener('abort', () => {
    // A prepared restore belongs to the server, which may have decided to use it: its next start needs it, or deletes it.
    if (kind === 'CREATE' || isPrepared) return
    // Checking cannot be interrupted otherwise.
    rmSync(work, { recursive: true, force: true })
    process.exit(0)
  })
  if (kind === 'VERIFY') {
    const { factsOf } = await import('./backup-facts.ts')
    return inspectBackup(place, archive, progress, work, async (manifest) => ({
      ...doneWith(manifest),
      facts: await factsOf(manifest, work),
    }))
  }
  if (kind === 'RESTORE') {
    const manifest = await unpackBackup(place, archive, work, progress)
    const { finishRestoreSqlite } = await import('#db/maintenance.ts')
    finishRestoreSqlite(join(work, SQLITE_FILE), task.restore!.keepSessions, task.restore!.note)
    isPrepared = true
    return { ...doneWith(manifest), id: backupId(manifest) }
  }
  return doneWith((await createBackup({ place, output: archive, gzip, signal, work, ...progress })).manifest)
}

const doneWith = ({ files, tables }: Manifest) => ({
  kind: 'done' as const,
  files: files.length,
  rows: Object.values(tables).reduce((sum, n) => sum + n, 0),
})
