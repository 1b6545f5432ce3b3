import type { Locale } from '#lib/localized.ts'
import { createdAtOf, type FoundBackup } from '#platform/backup/folder.ts'

import { INTERRUPTED } from './backups.errors.ts'
import type { BackupView } from './backups.model.ts'
import type { StoredTask } from './backups.store.ts'

/** `tasks`: those that ran while `found` was read. */
export function toView(found: FoundBackup, tasks: readonly StoredTask[], locale: Locale): BackupView {
  const { name, note, file, received } = found
  const own = tasks.find((task) => task.name === name)
  const isRunning = own?.kind === 'CREATE' && file === undefined
  const problem = note?.problem ?? INTERRUPTED
  const verification = note?.verification
  return {
    name,
    state: file !== undefined ? 'READY' : received !== undefined ? 'UPLOADING' : isRunning ? 'RUNNING' : 'FAILED',
    source: note?.source ?? (received === undefined ? 'COMMAND_LINE' : 'UPLOAD'),
    createdBy: note?.createdBy ?? null,
    createdAt: createdAtOf(found),
    finishedAt: note?.finishedAt ?? file?.modifiedAt ?? null,
    bytes: (file ?? received)?.size ?? null,
    files: note?.files ?? null,
    rows: note?.rows ?? null,
    problem: (file ?? received) !== undefined || isRunning ? null : problem[locale],
    verification: {
      state: own?.kind === 'VERIFY' ? 'RUNNING' : (verification?.state ?? 'NONE'),
      at: verification?.at ?? null,
      problem: verification?.problem?.[locale] ?? null,
    },
    progress: own?.progress ?? null,
  }
}
