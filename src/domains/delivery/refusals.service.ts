/** Addresses that mail servers refuse: mails of organizers to them stop for a while. Codes and notices about accounts are always tried. */

import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { HOUR } from '#platform/clock.ts'

import { REFUSALS_TO_SUPPRESS, SUPPRESSED_MS } from './delivery.model.ts'
import { addRefusal, deleteOldRefusals, deleteRefusals, refusedAmong } from './refusals.store.ts'

/** A keyed hash that stands for an e-mail address in rows which outlive the account or the guest. */
export const addressHash = (ctx: AppContext, address: string): string =>
  ctx.seal.mac(JSON.stringify(['mail address', address.toLowerCase()]))

/** In the write that records that a mail server has finally refused (5xx) a mail of an organizer. */
export const recordRefusal = (ctx: AppContext, tx: Tx, address: string): Promise<void> =>
  addRefusal(tx, addressHash(ctx, address), tx.stamp - SUPPRESSED_MS)

/** In the write that records that a mail was accepted. */
export const recordAccepted = (ctx: AppContext, tx: Tx, address: string): Promise<void> =>
  deleteRefusals(tx, addressHash(ctx, address))

/** In the write in which the user of an address has proved again that it is theirs: a mail has arrived there. */
export const endSuppression = recordAccepted

/** The hashes among `hashes` (`addressHash`) whose addresses get no mails of organizers. */
export const suppressedAmong = (ctx: AppContext, db: Db | Tx, hashes: readonly string[]): Promise<Set<string>> =>
  refusedAmong(db, hashes, REFUSALS_TO_SUPPRESS, ctx.clock.now() - SUPPRESSED_MS)

export const refusalsJob: Job = {
  name: 'delivery.deleteOldRefusals',
  every: 6 * HOUR,
  run: (ctx) =>
    inSlices(ctx, 'delivery.deleteOldRefusals', (tx, limit) =>
      deleteOldRefusals(tx, ctx.clock.now() - SUPPRESSED_MS, limit),
    ),
}
