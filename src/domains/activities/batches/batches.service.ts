/** Changes of many rows of an activity: at most 5,000 in one request, in short writes, one request of an activity at a time. */

import { createHash } from 'node:crypto'

import type { AppContext } from '#context'
import { isUniqueViolation } from '#db/errors.ts'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { badRequest, limited } from '#http/errors.ts'
import { DAY, HOUR } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'

import { type BatchResult, MAX_CHANGED } from './batches.model.ts'
import * as store from './batches.store.ts'

/** Rows that one write changes: 200 took longer than a write may on a busy PostgreSQL, so that no repetition ever finished. */
const ROWS_PER_WRITE = 50
/** Counting takes the longest, a second or two for 100,000 rows. After a crash, a repeat waits this long. */
const LEASE_MS = 30_000
const KEPT_MS = 7 * DAY

interface Batch {
  readonly activityId: number
  readonly userId: number
  readonly requestId: string | null
  /** The request apart from its id. A repeat must have the same. */
  readonly asked: object
}

export interface Counted {
  readonly matched: number
  /** Rows that the request would change if it had no limit. */
  readonly toChange: number
}

/** The change of the rows. Their ids ascend. */
interface Work {
  count(): Promise<Counted>
  /** The ids of the next rows to change, of which the first is greater than `after`; at most `limit`. */
  next(after: number, limit: number): Promise<readonly number[]>
  /** Changes those of the rows that still need it. Returns their number. */
  change(tx: Tx, ids: readonly number[]): Promise<number>
}

/** The answer of a dry run. */
export const forecast = ({ matched, toChange }: Counted): BatchResult => {
  const changed = Math.min(toChange, MAX_CHANGED)
  return { matched, changed, unchanged: matched - toChange, remaining: toChange - changed }
}

/**
 * Does the work, or what an interrupted request with the same id has left of it.
 *
 * @throws AppError 429 while another request changes rows of the activity, 400 if the id belongs to another request
 */
export async function runBatch(ctx: AppContext, batch: Batch, work: Work): Promise<BatchResult> {
  const lease = uuid()
  let row = await ctx.db
    .write('activities.openBatch', (tx) => open(tx, batch, lease, ctx.clock.now()))
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'activity_batches_running') ? anotherRuns(LEASE_MS) : error
    })
  if (row.finishedAt !== null) return resultOf(row)
  const step = async (name: string, change: (tx: Tx) => Promise<Partial<store.BatchRow>>): Promise<store.BatchRow> => {
    const { id, lease: mine } = row
    return ctx.db.write(name, async (tx) => {
      const done = await change(tx)
      const leaseUntil = ctx.clock.now() + LEASE_MS
      const after = await store.updateBatch(tx, id, mine, { leaseUntil, ...done })
      if (after === undefined) throw anotherRuns(LEASE_MS)
      return after
    })
  }
  try {
    if (row.matched === null) {
      const { matched, toChange } = await work.count()
      row = await step('activities.planBatch', async () => ({ matched, unchanged: matched - toChange }))
    }
    for (;;) {
      const { changed, unchanged, after } = row
      const left = Math.min(MAX_CHANGED, row.matched! - unchanged) - changed
      const ids = left > 0 ? await work.next(after, Math.min(left, ROWS_PER_WRITE)) : []
      if (ids.length === 0) break
      row = await step('activities.changeBatch', async (tx) => {
        const n = await work.change(tx, ids)
        return { changed: changed + n, unchanged: unchanged + ids.length - n, after: ids.at(-1)! }
      })
    }
    row = await step('activities.closeBatch', async () => ({ lease: null, finishedAt: ctx.clock.now() }))
  } catch (error) {
    const { id, lease: mine } = row
    await ctx.db.write('activities.leaveBatch', (tx) => store.updateBatch(tx, id, mine, { lease: null }))
    throw error
  }
  const { id, requestId } = row
  if (requestId === null) await ctx.db.write('activities.forgetBatch', (tx) => store.deleteBatch(tx, id))
  return resultOf(row)
}

const resultOf = ({ matched, changed, unchanged }: store.BatchRow): BatchResult => ({
  matched: matched!,
  changed,
  unchanged,
  remaining: matched! - unchanged - changed,
})

const anotherRuns = (ms: number) =>
  limited(
    'Another request is changing many rows of this activity, try again later',
    '该活动正在执行另一项批量操作，请稍后再试',
    Math.max(Math.ceil(ms / 1000), 1),
  )

const fingerprintOf = (asked: object): string => createHash('sha256').update(JSON.stringify(asked)).digest('base64url')

/**
 * The ids of the registrations that `add` adds, or that the same request has added before.
 * @throws AppError 400 if the id belongs to another request
 */
export async function addOnce(
  ctx: AppContext,
  tx: Tx,
  { activityId, userId, requestId, asked }: Batch,
  add: () => Promise<readonly number[]>,
): Promise<readonly number[]> {
  if (requestId === null) return add()
  const fingerprint = fingerprintOf(asked)
  const earlier = await store.findBatch(tx, activityId, userId, requestId)
  if (earlier !== undefined && (earlier.fingerprint !== fingerprint || earlier.ids === null))
    throw badRequest('This requestId belongs to another request', '该 requestId 已用于其他请求')
  if (earlier?.ids != null) return earlier.ids
  const ids = await add()
  const isFirst = await store.insertAddition(tx, { activityId, userId, requestId, fingerprint }, ids, ctx.clock.now())
  if (!isFirst) throw anotherRuns(1000)
  return ids
}

async function open(
  tx: Tx,
  { activityId, userId, requestId, asked }: Batch,
  lease: string,
  now: number,
): Promise<store.BatchRow> {
  const fingerprint = fingerprintOf(asked)
  const earlier = requestId === null ? undefined : await store.findBatch(tx, activityId, userId, requestId)
  if (earlier !== undefined && earlier.fingerprint !== fingerprint)
    throw badRequest('This requestId belongs to another request', '该 requestId 已用于其他请求')
  if (earlier !== undefined && earlier.finishedAt !== null) return earlier
  const until = await store.leasedUntil(tx, activityId, now)
  if (until !== undefined) throw anotherRuns(until - now)
  const leaseUntil = now + LEASE_MS
  const row =
    earlier === undefined
      ? await store.insertBatch(tx, { activityId, userId, requestId, fingerprint, lease, leaseUntil }, now)
      : await store.updateBatch(tx, earlier.id, null, { lease, leaseUntil })
  if (row === undefined) throw anotherRuns(LEASE_MS)
  return row
}

const deleteOldBatches = (ctx: AppContext): Promise<void> =>
  inSlices(ctx, 'activities.deleteOldBatches', (tx, limit) => store.deleteOld(tx, ctx.clock.now() - KEPT_MS, limit))

export const oldBatchesJob: Job = { name: 'activities.deleteOldBatches', every: HOUR, run: deleteOldBatches }
