/**
 * Runs data exports in the background, two at once in all processes of the server. The row of an export says which process has it, and until when that
 * counts as alive; after a crash or a stop it is begun again.
 */

import { isShared } from '#config/config.ts'
import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import { isUniqueViolation } from '#db/errors.ts'
import { inSlices } from '#db/slices.ts'
import { dropBytes, keepBytes, withStoredBytes } from '#domains/files/index.ts'
import { notify } from '#domains/notifications/index.ts'
import { uuid } from '#platform/ids.ts'

import { archive, type ArchiveJob } from './archive.service.ts'
import { AT_ONCE, KEPT_MS, LEASE_MS, LISTED_MS, MAX_ATTEMPTS, RENEW_MS } from './exports.model.ts'
import * as store from './exports.store.ts'

class Worker {
  readonly #running = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #claiming: Promise<void> | undefined
  #again = false

  constructor(readonly ctx: AppContext) {}

  /** Begins the exports that wait, as far as places are free. Resolves when it has begun them. */
  begin(): Promise<void> {
    this.#again = true
    return (this.#claiming ??= this.#claim().finally(() => (this.#claiming = undefined)))
  }

  /** Waits for those of this process, for tests and the job. */
  async idle(): Promise<void> {
    await this.#claiming
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the server stops'))
    await this.#claiming?.catch(() => undefined)
    await Promise.all(this.#running)
  }

  async #claim(): Promise<void> {
    while (this.#again && !this.#stop.signal.aborted && !this.ctx.lifecycle.draining) {
      this.#again = false
      if (this.#running.size >= AT_ONCE) return
      const row = await this.#next()
      if (row === undefined) return
      const running = this.#run(row)
        .catch((error: unknown) => this.ctx.log.error('the end of a data export could not be stored', { error }))
        .finally(() => {
          this.#running.delete(running)
          if (!this.#stop.signal.aborted) this.#beginLater()
        })
      this.#running.add(running)
      this.#again = true
    }
  }

  #beginLater(): void {
    this.begin().catch((error: unknown) => this.ctx.log.warn('data exports could not be begun', { error }))
  }

  async #next(): Promise<store.ExportRow | undefined> {
    const { db, clock } = this.ctx
    try {
      return await db.write('ownData.claimExport', async (tx) => {
        await store.freeAbandoned(tx, clock.now())
        return store.claimExport(tx, uuid(), clock.now())
      })
    } catch (error) {
      // Another process took the place.
      if (isUniqueViolation(error, 'data_exports_slot')) return undefined
      throw error
    }
  }

  async #run(row: store.ExportRow): Promise<void> {
    const { ctx } = this
    const abort = new AbortController()
    const signal = AbortSignal.any([abort.signal, this.#stop.signal])
    const subject = await store.findSubject(ctx.db.read, row.userId)
    const timer = setInterval(() => void this.#renew(row, job, abort), RENEW_MS)
    const job: ArchiveJob = { row, subject: subject!, progress: 0, signal }
    try {
      if (row.attempts > MAX_ATTEMPTS) throw new Error(`it was begun ${MAX_ATTEMPTS} times and did not end`)
      if (subject === undefined || subject.status === 'DELETED') throw new Error('the account is deleted')
      await this.#write(job)
    } catch (error) {
      await this.#failed(row, error, signal)
    } finally {
      clearInterval(timer)
    }
  }

  async #write(job: ArchiveJob): Promise<void> {
    const { ctx } = this
    const { row } = job
    const file = await ctx.staging.receive(archive(ctx, job), Number.MAX_SAFE_INTEGER)
    try {
      await withStoredBytes(ctx, [file], ([bytes]) =>
        ctx.db.write('ownData.endExport', async (tx) => {
          const blobId = await keepBytes(tx, bytes!)
          const end = { slot: null, progress: 100, bytes: bytes!.size, blobId, expiresAt: ctx.clock.now() + KEPT_MS }
          // The account was deleted meanwhile, or this process was thought to be dead.
          if (!(await store.updateRunning(tx, row, { state: 'READY', ...end }))) return dropBytes(ctx, tx, blobId)
          await notify(ctx, tx, {
            userIds: [row.createdBy],
            type: 'SYSTEM',
            ...READY,
            subject: `DATA_EXPORT ${row.id}`,
          })
        }),
      )
    } finally {
      await file.dispose()
    }
    ctx.log.info('data exported', { id: row.id, userId: row.userId, bytes: file.size })
  }

  /** One that a stop interrupts waits for the next start. */
  async #failed(row: store.ExportRow, error: unknown, signal: AbortSignal): Promise<void> {
    const stops = this.#stop.signal.aborted
    if (!signal.aborted) this.ctx.log.error('a data export failed', { id: row.id, userId: row.userId, error })
    await this.ctx.db.write('ownData.failExport', async (tx) => {
      const isOwn = await store.updateRunning(tx, row, { slot: null, state: stops ? 'QUEUED' : 'FAILED', progress: 0 })
      if (isOwn && !stops)
        await notify(this.ctx, tx, {
          userIds: [row.createdBy],
          type: 'SYSTEM',
          ...FAILED,
          subject: `DATA_EXPORT ${row.id}`,
        })
    })
  }

  async #renew(row: store.ExportRow, job: ArchiveJob, abort: AbortController): Promise<void> {
    const values = { leaseUntil: this.ctx.clock.now() + LEASE_MS, progress: job.progress }
    try {
      const isOwn = await this.ctx.db.write('ownData.renewExport', (tx) => store.updateRunning(tx, row, values))
      if (!isOwn) abort.abort(new Error('the export is no longer wanted'))
    } catch (error) {
      // The database may be back before the archive is complete.
      this.ctx.log.warn('the progress of a data export was not stored', { error })
    }
  }
}

const READY = {
  title: { en: 'Your data export is ready', zh: '你的数据导出已就绪' },
  body: { en: 'You can download it for 48 hours.', zh: '请在 48 小时内下载。' },
} as const
const FAILED = {
  title: { en: 'Your data export failed', zh: '你的数据导出失败' },
  body: { en: 'You can start it again.', zh: '你可以重新开始导出。' },
} as const

const worker = perContext((ctx) => new Worker(ctx))

/** Begins waiting exports in the background. */
export function beginExports(ctx: AppContext): void {
  outsideRequest(() => {
    worker(ctx)
      .begin()
      .catch((error: unknown) => ctx.log.warn('data exports could not be begun', { error }))
  })
}

export const stopExports = (ctx: AppContext): Promise<void> => worker(ctx).stop()

/** With one process on the database, exports that run at its start were those of a process that has ended. */
export async function resumeExports(ctx: AppContext): Promise<void> {
  if (!isShared(ctx.config))
    await ctx.db.write('ownData.resumeExports', (tx) => store.freeAbandoned(tx, ctx.clock.now(), true))
  beginExports(ctx)
}

/** Deletes the files of exports that have expired, and begins those of processes that have died. */
export async function keepExports(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  await inSlices(ctx, 'ownData.expireExports', async (tx, limit) => {
    const blobIds = await store.expireExports(tx, now, limit)
    for (const blobId of blobIds) await dropBytes(ctx, tx, blobId)
    return blobIds.length
  })
  await ctx.db.write('ownData.deleteOldExports', (tx) => store.deleteOldExports(tx, now - LISTED_MS))
  await worker(ctx).begin()
}
