/** Reservations that expire, reminders of pick-ups, and people whose reservations have lost assets. */

import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import { sharedRuns } from '#lib/shared-runs.ts'

import { assetsLost, finish } from '../bookings.store.ts'
import * as ending from './ending.store.ts'
import { tellPerson } from './notices.service.ts'
import * as store from './reservations.store.ts'

/** Rows of one write. */
const PER_WRITE = 50

/** Runs `step` in writes until it finds fewer rows than it could. */
async function inWrites(ctx: AppContext, name: string, step: (tx: Tx, now: number) => Promise<number>): Promise<void> {
  for (;;) {
    const rows = await ctx.db.write(name, (tx) => step(tx, ctx.clock.now()))
    if (rows < PER_WRITE || ctx.lifecycle.draining) return
    await Bun.sleep(0)
  }
}

/** Ends requests that nobody decided and reservations that nobody picked up. Their assets have been free since then. */
export const expireReservations = (ctx: AppContext): Promise<void> =>
  inWrites(ctx, 'assets.expireReservations', async (tx, now) => {
    const rows = await ending.expiring(tx, now, PER_WRITE)
    for (const row of rows) {
      if (row.status === 'OUT') {
        await store.releaseWaiting(tx, row.id)
        await store.updateReservation(tx, row, { expiresAt: null })
        await finish(tx, [row.id])
        continue
      }
      await store.releaseItems(tx, [row.id])
      const after = await store.updateReservation(tx, row, { status: 'EXPIRED', expiresAt: null, announceAt: null })
      await tellPerson(ctx, tx, 'EXPIRED', after, (await store.itemsOf(tx, [row.id])).get(row.id) ?? [])
    }
    return rows.length
  })

export const announcePickUps = (ctx: AppContext): Promise<void> =>
  inWrites(ctx, 'assets.announcePickUps', async (tx, now) => {
    const rows = await ending.announced(tx, now, PER_WRITE)
    const items = await store.itemsOf(
      tx,
      rows.map(({ id }) => id),
    )
    for (const row of rows) {
      await ending.forgetAnnouncement(tx, row.id)
      // After a long stop, it may have begun.
      if (row.status === 'APPROVED' && row.startsAt > now)
        await tellPerson(ctx, tx, 'PICK_UP_TOMORROW', row, items.get(row.id) ?? [])
    }
    return rows.length
  })

/** Notifies people of assets that their reservations have lost. An open reservation then no longer shows them. */
const tellAll = (ctx: AppContext): Promise<void> =>
  inWrites(ctx, 'assets.tellOfLostAssets', async (tx) => {
    const lost = await ending.lostItems(tx, PER_WRITE)
    for (const [id, some] of Map.groupBy(lost, (item) => item.reservationId)) {
      const row = (await store.findReservation(tx, some[0]!.orgId, id))!
      await tellPerson(ctx, tx, row.status === 'CANCELLED' ? 'CANCELLED' : 'ASSET_LOST', row, some)
      const ids = some.map((item) => item.id)
      if (row.status === 'CANCELLED') await ending.clearLost(tx, ids)
      else await store.deleteItems(tx, ids)
    }
    return lost.length
  })

const telling = perContext((ctx) => ({
  run: sharedRuns(() => tellAll(ctx)),
  last: undefined as Promise<void> | undefined,
}))

export function tellOfLostAssets(ctx: AppContext): Promise<void> {
  const state = telling(ctx)
  return (state.last = state.run())
}

/** Notifies people soon after an asset was lost, and not only when the job runs. */
export function startTelling(ctx: AppContext): void {
  ctx.bus.on(assetsLost, () => {
    tellOfLostAssets(ctx).catch((error: unknown) =>
      ctx.log.warn('people could not be notified of lost assets', { error }),
    )
  })
}

export const stopTelling = async (ctx: AppContext): Promise<void> => telling(ctx).last?.catch(() => undefined)
