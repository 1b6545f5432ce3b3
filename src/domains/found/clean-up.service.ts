/** Deletes old rows, and rows of things and owners that were deleted. */

import { type AppContext, perContext } from '#context'
import type { OwnerKey } from '#db/owner-key.ts'
import type { FoundKind } from '#db/schema/found.ts'
import { finishInSlices, inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { HOUR, MINUTE } from '#platform/clock.ts'

import { deleteCards, deleteCardsOf, giveCard } from './cards/cards.store.ts'
import * as store from './clean-up.store.ts'
import { POSITION_MS, REPORT_MS } from './reports/reports.model.ts'
import {
  clearPositions,
  deleteReports,
  endedBefore,
  giveReports,
  ofOwnerKey,
  ofThings,
} from './reports/reports.store.ts'

/** Reports that the write that deletes things also deletes: some milliseconds on SQLite. */
const REPORTS_PER_WRITE = 200

/** In the write that deletes the things: deletes their cards and the first reports, and leaves further ones to the job. */
export async function deleteOfThings(ctx: AppContext, tx: Tx, kind: FoundKind, ids: readonly number[]): Promise<void> {
  await deleteCards(tx, kind, ids)
  if ((await deleteReports(tx, ofThings(kind, ids), REPORTS_PER_WRITE)) < REPORTS_PER_WRITE) return
  await store.insertCleanUps(tx, kind, ids)
  tx.afterCommit(() => {
    cleanUp(ctx).catch((error: unknown) => ctx.log.warn('reports of deleted things could not be deleted', { error }))
  })
}

/** Deletes cards and reports of a user or organization that was deleted: the codes of a deleted user stay public. */
export async function removeFound(_ctx: AppContext, tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  const cards = await deleteCardsOf(tx, owner, limit)
  return cards === limit ? limit : cards + (await deleteReports(tx, ofOwnerKey(owner), limit - cards))
}

/** Card and reports follow a thing to its new owner. */
export async function giveFound(tx: Tx, kind: FoundKind, id: number, owner: OwnerKey): Promise<void> {
  await giveCard(tx, kind, id, owner)
  await giveReports(tx, kind, id, owner)
}

const running = perContext((): { run?: Promise<void> | undefined } => ({}))

/** Runs once at a time. */
function cleanUp(ctx: AppContext): Promise<void> {
  const state = running(ctx)
  return (state.run ??= finishInSlices(ctx, 'found.cleanUp', {
    first: store.firstCleanUp,
    work: (tx, { kind, targetId }, limit) => deleteReports(tx, ofThings(kind, [targetId]), limit),
    end: store.deleteCleanUp,
  }).finally(() => (state.run = undefined)))
}

export const stopCleaningUp = async (ctx: AppContext): Promise<void> => running(ctx).run?.catch(() => undefined)

async function deleteOld(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  await inSlices(ctx, 'found.clearPositions', (tx, limit) => clearPositions(tx, now - POSITION_MS, limit))
  await inSlices(ctx, 'found.deleteOld', (tx, limit) => deleteReports(tx, endedBefore(now - REPORT_MS), limit))
}

export const jobs: Job[] = [
  { name: 'found.cleanUp', every: MINUTE, run: cleanUp },
  { name: 'found.deleteOld', every: HOUR, run: deleteOld },
]
