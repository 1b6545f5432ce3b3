/** Public activities, for everyone to find. */

import { type AppContext, perContext } from '#context'
import { StorageError } from '#db/errors.ts'
import { orgOf } from '#db/owner-key.ts'
import { mapPage, type Page } from '#db/paging.ts'
import type { Actor } from '#http/endpoint.ts'

import { zoneOf } from '../activities.rules.ts'
import type { ActivityRow } from '../activities.store.ts'
import { coverUrlOf, ownerNameOf, regionOf } from '../register/register.view.ts'
import type { DiscoverQuery, PublicActivity } from './discovery.model.ts'
import * as store from './discovery.store.ts'

export async function discoverActivities(
  ctx: AppContext,
  actor: Actor,
  query: DiscoverQuery,
): Promise<Page<PublicActivity>> {
  const { items, ...page } = await pageOf(ctx, actor, query)
  // Those of deleted users leave the lists in small writes, with which the totals change.
  const shown = await store.withoutErased(ctx.db.read, items)
  return mapPage({ items: shown, ...page }, (row) => publicItem(ctx, row))
}

async function pageOf(ctx: AppContext, actor: Actor, query: DiscoverQuery): Promise<Page<ActivityRow>> {
  const { keyword, to } = query
  const now = ctx.clock.now()
  const hasLeft = await hasLeftPassed(ctx, now)
  // A period that has begun leaves out nothing that has not passed.
  const begin = Math.max(query.from ?? 0, now)
  const from = hasLeft || begin > now ? begin : undefined
  const filters = { ...query, from }
  if (keyword) return ctx.db.search(actor.userId, (db) => store.searchPublic(db, { ...filters, keyword }, query))
  const page = from === undefined && to === undefined ? store.regionPage(ctx.db.read, query, query) : undefined
  return page ?? store.filteredPage(ctx.db.readInWorker, filters, query)
}

/** Activities that one write takes out of discovery. */
const BATCH = 200

const removing = perContext((): { running: Promise<number> | undefined } => ({ running: undefined }))

/** Takes activities out of discovery whose end has passed: one batch, which all requests of the moment share. */
function removePassed(ctx: AppContext): Promise<number> {
  const state = removing(ctx)
  const write = () => ctx.db.write('activities.removePassed', (tx) => store.removePassed(tx, ctx.clock.now(), BATCH))
  return (state.running ??= write().finally(() => (state.running = undefined)))
}

/**
 * Takes activities out of discovery whose end has passed. Returns whether there are more of them, because more than one write can take
 * passed at once or because the storage accepts no writes; the query must then leave them out itself.
 */
async function hasLeftPassed(ctx: AppContext, now: number): Promise<boolean> {
  if (!(await store.somePassed(ctx.db.read, now))) return false
  try {
    await removePassed(ctx)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
  return store.somePassed(ctx.db.read, now)
}

/** For the job, so that after a quiet time the first request finds little to do. */
export async function removeAllPassed(ctx: AppContext): Promise<void> {
  while ((await removePassed(ctx)) === BATCH);
}

/** An activity for people who need not be signed in. The caller has checked that they may see it. */
export const publicItem = (ctx: AppContext, row: ActivityRow): PublicActivity => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  description: row.description,
  region: regionOf(row),
  location: row.location || null,
  startTime: row.startTime,
  endTime: row.endTime,
  timeZone: zoneOf(row),
  coverUrl: coverUrlOf(ctx, row),
  ownerType: orgOf(row.owner) === 0 ? 'PERSONAL' : 'ORGANIZATION',
  ownerName: ownerNameOf(row, false),
  hasCheckIn: row.hasCheckIn,
  hasPass: row.hasPass,
})
