/** Deletes rows of the operation log that are too old (`log.retentionDays`), and writes the head to the server's log once a day. */

import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import { DAY } from '#platform/clock.ts'

import { FIRST_HASH, hashOf, signaturesOf } from './operation-log.rules.ts'
import { IN_ORDER, logWitness } from './operation-log.service.ts'
import { newestCheckpoint } from './operation-log.store.ts'
import * as store from './retention.store.ts'

/**
 * Deletes the oldest rows that were written before `before`, with a checkpoint in the same write: between two steps the log is whole. The newest
 * row is kept. At most `limit`; returns how many it deleted.
 * @throws Error if the rows were changed, whose deletion would remove the evidence
 */
async function deleteOldest(ctx: AppContext, tx: Tx, before: number, limit: number): Promise<number> {
  const last = await newestCheckpoint(tx)
  const rows = await store.oldestRows(tx, limit + 1)
  let previousHash = last?.hash ?? FIRST_HASH
  for (const row of rows) {
    if (row.id <= (last?.rowId ?? 0) || row.previousHash !== previousHash || hashOf(row) !== row.hash)
      throw new Error(`row ${row.id} of the operation log was changed: no rows are deleted`)
    previousHash = row.hash
  }
  // The last row that was read stays: it proves that those before it are the ones that were written.
  const old = rows.slice(0, -1)
  const count = old.findIndex(({ createdAt }) => createdAt >= before)
  const deleted = count === -1 ? old : old.slice(0, count)
  if (deleted.length === 0) return 0
  const { id: rowId, hash } = deleted.at(-1)!
  const checkpoint = {
    id: (last?.id ?? 0) + 1,
    rowId,
    hash,
    rowCount: (last?.rowCount ?? 0) + deleted.length,
    createdAt: tx.stamp,
  }
  await store.insertCheckpoint(tx, { ...checkpoint, signature: signaturesOf(ctx.seal).checkpoint(checkpoint) })
  await store.deleteUpTo(tx, rowId)
  tx.afterCommit(() =>
    ctx.log.info('operation log shortened', { rows: deleted.length, checkpoint: `${rowId}:${hash}` }),
  )
  return deleted.length
}

async function retain(ctx: AppContext): Promise<void> {
  await logWitness(ctx)
  const days = await getSetting(ctx, 'log.retentionDays')
  if (days === 0) return
  const before = ctx.clock.now() - days * DAY
  await inSlices(ctx, 'operationLog.retention', (tx, limit) => deleteOldest(ctx, tx, before, limit), IN_ORDER)
}

export const retentionJob: Job = { name: 'operationLog.retention', every: DAY, run: retain }
