/**
 * Makes and verifies backups in a process of their own (platform/backup/process.ts), one at a time for all processes of the server. The
 * running task is a row that this process renews; if the process is killed, the row becomes free by time.
 */

import { join } from 'node:path'

import { type AppContext, perContext } from '#context'
import { note } from '#db/notes.ts'
import type { Tx } from '#db/store.ts'
import { platformBindings, SYSTEM_ADMIN } from '#domains/access/index.ts'
import { notify } from '#domains/notifications/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Localized } from '#lib/localized.ts'
import {
  backupFolder,
  type BackupNote,
  createdAtOf,
  deleteBackup,
  findBackup,
  listBackups,
  workFolder,
  writeNote,
} from '#platform/backup/folder.ts'
import {
  type BackupPlace,
  backupPlaceOf,
  type BackupReply,
  type RunningBackup,
  startBackupProcess,
} from '#platform/backup/process.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'

import { damaged, INTERRUPTED, notMade, notVerified, TOOL_MISSING, VERIFICATION_INTERRUPTED } from './backups.errors.ts'
import { toDelete } from './backups.rules.ts'
import { claimTask, endTask, saveLastDue, type StoredTask, updateTask } from './backups.store.ts'

/** How long a task counts as running after the last renewal. */
const LEASE_MS = MINUTE
/** How often progress is stored, if there is any. */
const BEAT_MS = SECOND
/** How often the row is renewed without progress. */
const RENEW_MS = 15 * SECOND
/** How long a stopping server waits for the process of a backup. */
const STOP_MS = 2 * SECOND

export interface Job {
  readonly name: string
  readonly source: 'USER' | 'SCHEDULE'
  readonly createdBy: BackupNote['createdBy']
  /** The due time of the schedule that this backup is for. */
  readonly due?: number
}

/** PostgreSQL is copied by `pg_dump`, which is a program of its own. */
export const isToolMissing = ({ config }: AppContext): boolean =>
  config.databaseUrl !== '' && Bun.which('pg_dump') === null

class Worker {
  #running: Promise<void> | undefined
  #child: RunningBackup | undefined
  #task: StoredTask | undefined
  #stopping = false
  /** Of the backup that was made last; undefined after a verification alone, or if the server stops. */
  #outcome: { readonly type: 'backup.finished' | 'backup.failed'; readonly at: number } | undefined
  #place: BackupPlace

  constructor(readonly ctx: AppContext) {
    this.#place = backupPlaceOf(ctx.config)
  }

  /** Inside a write: whether the caller may start the task. Nothing else may run until then. */
  claim(tx: Tx, task: StoredTask): Promise<boolean> {
    return claimTask(tx, task, this.ctx.clock.now())
  }

  newTask(kind: StoredTask['kind'], name: string, id: string): StoredTask {
    return { id, kind, name, progress: 0, until: this.ctx.clock.now() + LEASE_MS }
  }

  /** Starts a claimed task in the folder of `place`, even if another one is chosen meanwhile. Resolves when the list shows it. */
  async start(task: StoredTask, job: Job | undefined, place: BackupPlace): Promise<void> {
    this.#task = task
    this.#place = place
    const startedAt = this.ctx.clock.now()
    if (job !== undefined) await writeNote(this.#folder, task.name, unfinished(job, startedAt))
    this.#running = this.#run(task, job, startedAt)
      .catch((error: unknown) => this.ctx.log.error('backup task failed', { name: task.name, error }))
      .finally(() => this.#end(job))
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#child?.stop(STOP_MS)
    await this.#running
  }

  get #folder(): string {
    return backupFolder(this.#place)
  }

  async #run({ name }: StoredTask, job: Job | undefined, startedAt: number): Promise<void> {
    this.#outcome = undefined
    if (job === undefined) return void (await this.#verify(name))
    const made = await this.#create(name, job, startedAt)
    if (!this.#stopping) this.#outcome = { type: made ? 'backup.finished' : 'backup.failed', at: startedAt }
    if (!made || job.source !== 'SCHEDULE') return
    const verifying = { ...this.#task!, kind: 'VERIFY', progress: 0 } as const
    await this.#update(verifying)
    if (await this.#verify(name)) await this.#deleteOld(name)
    else if (!this.#stopping)
      await this.#tell({ en: `The backup ${name} could not be verified.`, zh: `备份 ${name} 未通过校验。` })
  }

  async #create(name: string, job: Job, startedAt: number): Promise<boolean> {
    const hasNoTool = isToolMissing(this.ctx)
    const reply: BackupReply = hasNoTool
      ? { kind: 'failed', sentence: TOOL_MISSING.en, exitCode: 5 }
      : await this.#work('CREATE', name)
    const note = { ...unfinished(job, startedAt), finishedAt: this.ctx.clock.now() }
    if (reply.kind === 'done') {
      const { files, rows } = reply
      await writeNote(this.#folder, name, { ...note, state: 'READY', files, rows })
      this.ctx.log.info('backup made', { name, files, rows })
      return true
    }
    const problem = hasNoTool ? TOOL_MISSING : reply.kind === 'failed' ? notMade(reply.sentence) : INTERRUPTED
    await writeNote(this.#folder, name, { ...note, state: 'FAILED', problem })
    this.#logFailure('backup failed', name, reply)
    if (!this.#stopping) await this.#tell(problem)
    return false
  }

  async #verify(name: string): Promise<boolean> {
    const reply = await this.#work('VERIFY', name)
    const found = findBackup(this.#folder, name)
    if (found?.file === undefined) return false
    const counts =
      reply.kind === 'done' ? { files: reply.files, rows: reply.rows, ...(reply.facts && { facts: reply.facts }) } : {}
    await writeNote(this.#folder, name, {
      ...(found.note ?? {
        ...unfinished({ source: 'COMMAND_LINE', createdBy: null }, createdAtOf(found)),
        finishedAt: found.file.modifiedAt,
      }),
      // A killed server may have left a complete file with a note that says RUNNING.
      state: 'READY',
      ...counts,
      verification: { ...verdictOf(reply), at: this.ctx.clock.now() },
    })
    if (reply.kind !== 'done') this.#logFailure('backup not verified', name, reply)
    return reply.kind === 'done'
  }

  async #work(kind: 'CREATE' | 'VERIFY', name: string): Promise<BackupReply> {
    if (this.#stopping) return { kind: 'interrupted' }
    const place = this.#place
    const archive = join(this.#folder, name)
    const child = startBackupProcess({ kind, place, archive, gzip: name.endsWith('.gz'), work: workFolder(place) })
    this.#child = child
    let beat: Promise<void> | undefined
    const timer = setInterval(() => {
      beat ??= this.#beat(child).finally(() => (beat = undefined))
    }, BEAT_MS)
    try {
      return await child.reply
    } finally {
      clearInterval(timer)
      await beat
      this.#child = undefined
    }
  }

  /** Stores the progress. Ends the process if its task is no longer the running one. */
  async #beat({ progress: { done, total }, stop }: RunningBackup): Promise<void> {
    const task = this.#task!
    const progress = total === undefined ? 0 : total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100))
    const isFresh = task.until > this.ctx.clock.now() + LEASE_MS - RENEW_MS
    if (progress === task.progress && isFresh) return
    try {
      if (!(await this.#update({ ...task, progress }))) await stop(STOP_MS)
    } catch (error) {
      // The database may be back before the task ends.
      this.ctx.log.warn('progress of a backup was not stored', { error })
    }
  }

  async #update(next: StoredTask): Promise<boolean> {
    const after = { ...next, until: this.ctx.clock.now() + LEASE_MS }
    const isOwn = await this.ctx.db.write('backups.progress', (tx) => updateTask(tx, this.#task!, after))
    if (isOwn) this.#task = after
    return isOwn
  }

  /** A backup of the schedule that the stop of the server interrupts is made again after the start. */
  async #end(job: Job | undefined): Promise<void> {
    const task = this.#task!
    const due = this.#stopping ? undefined : job?.due
    this.#running = undefined
    try {
      await this.ctx.db.write('backups.end', async (tx) => {
        if (due !== undefined) await saveLastDue(tx, due)
        await endTask(tx, task)
        if (this.#outcome !== undefined) noteBackup(tx, this.#outcome, task.name)
      })
    } catch (error) {
      this.ctx.log.error('the end of a backup was not stored', { name: task.name, error })
    }
  }

  /** Only after a new backup has been verified, whose name is `made`. */
  async #deleteOld(made: string): Promise<void> {
    const keep = await getSetting(this.ctx, 'backup.keep')
    for (const name of toDelete(await listBackups(this.#folder), keep, made)) {
      deleteBackup(this.#folder, name)
      this.ctx.log.info('old backup deleted', { name })
    }
  }

  async #tell(body: Localized): Promise<void> {
    const title = { en: 'The backup failed', zh: '备份失败' }
    await this.ctx.db.write('backups.notify', async (tx) => {
      const administrators = (await platformBindings(tx)).filter(({ code }) => code === SYSTEM_ADMIN)
      const userIds = administrators.map(({ userId }) => userId)
      await notify(this.ctx, tx, { userIds, type: 'SYSTEM', title, body, subject: 'BACKUP' })
    })
  }

  #logFailure(message: string, name: string, reply: BackupReply): void {
    if (this.#stopping) return
    const { sentence, stack } = reply.kind === 'failed' ? reply : {}
    this.ctx.log.error(message, { name, reason: sentence ?? 'the process was killed', stack })
  }
}

/** Backups have no ids: that of the event is the time of the start. */
const noteBackup = (
  tx: Tx,
  { type, at }: { readonly type: 'backup.finished' | 'backup.failed'; readonly at: number },
  name: string,
) => note(tx, { type, id: at, data: { id: at, name } })

export const unfinished = (
  { source, createdBy }: Pick<BackupNote, 'source' | 'createdBy'>,
  startedAt: number,
): BackupNote => ({
  state: 'RUNNING',
  source,
  createdBy,
  startedAt,
  finishedAt: null,
  files: null,
  rows: null,
  problem: null,
  verification: null,
})

function verdictOf(reply: BackupReply): Omit<NonNullable<BackupNote['verification']>, 'at'> {
  if (reply.kind === 'done') return { state: 'GOOD', problem: null }
  if (reply.kind === 'interrupted') return { state: 'FAILED', problem: VERIFICATION_INTERRUPTED }
  const { sentence, exitCode } = reply
  // The exit code for unusable data (cli/exit-codes.ts).
  return exitCode === 4
    ? { state: 'DAMAGED', problem: damaged(sentence) }
    : { state: 'FAILED', problem: notVerified(sentence) }
}

export const worker = perContext((ctx) => new Worker(ctx))
