/** The screen of an activity that shows its check-in code, at a secret link. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { findBySecret, tooMany } from '#http/admission.ts'
import type { Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { MINUTE } from '#platform/clock.ts'
import { sha256 } from '#platform/ids.ts'
import { newLinkSecret } from '#platform/seal.ts'

import { isOver, noCheckIn } from '../activities.errors.ts'
import { type ActivityRow, findActivity, findCounters } from '../activities.store.ts'
import { rotatingCode } from '../check-ins/rotating.rules.ts'
import { checkInUrl } from '../links/links.view.ts'
import { canBeEdited, checkInPolicy, ROTATING_PARAMETER } from '../register/register.rules.ts'
import { type Asking, manageActivity, refuseIfDisabled } from '../visibility/visibility.service.ts'
import type { KioskLink, KioskState } from './kiosk.model.ts'
import * as store from './kiosk.store.ts'

/** Several screens may share a link. */
const REQUESTS_A_MINUTE = 60

/** The link that the activity has, or a new one. @throws AppError 400 if the activity is over or has no check-in */
export async function openKiosk(ctx: AppContext, id: number, asking: Asking): Promise<KioskLink> {
  const given = await change(ctx, 'openKiosk', id, asking, async (tx, row) => {
    if (!canBeEdited(row.status)) throw isOver()
    if (!row.hasCheckIn) throw noCheckIn()
    const stored = await store.findSecret(tx, id)
    // It cannot be read any longer if the key of the server was replaced.
    const present = stored === undefined ? undefined : ctx.seal.open(stored)
    if (present !== undefined) return present
    const { plain, columns } = newLinkSecret(ctx.seal)
    await store.saveKiosk(tx, id, columns)
    return plain
  })
  return { url: `${ctx.config.publicUrl}/s/kiosk/${given}` }
}

/** Ends the link. Nothing changes if there is none. */
export const endKiosk = (ctx: AppContext, id: number, asking: Asking): Promise<void> =>
  change(ctx, 'endKiosk', id, asking, (tx) => store.deleteKiosk(tx, id))

async function change<T>(
  ctx: AppContext,
  name: string,
  id: number,
  asking: Asking,
  write: (tx: Tx, row: ActivityRow) => Promise<T>,
): Promise<T> {
  await manageActivity(ctx, id, 'activity:update', asking)
  return ctx.db.write(`activities.${name}`, async (tx) => {
    const row = await findActivity(tx, id)
    if (row === undefined) throw notFound()
    refuseIfDisabled(row)
    return write(tx, row)
  })
}

/** The activity of a link. @throws AppError 404 if there is none, 429 after too many wrong links */
export async function findByLink(ctx: AppContext, given: string, caller: Caller): Promise<ActivityRow> {
  const row = await findBySecret(ctx, caller, async () => {
    const id = await store.findByHash(ctx.db.read, sha256(given))
    return id === undefined ? undefined : findActivity(ctx.db.read, id)
  })
  if (row === undefined) throw notFound()
  return row
}

/** The state that the screen shows. @throws AppError as `findByLink`, 429 for the 61st request of a minute */
export async function readKiosk(ctx: AppContext, given: string, caller: Caller): Promise<KioskState> {
  const row = await findByLink(ctx, given, caller)
  const wait = ctx.config.rateLimit ? ctx.limiter.take(`kiosk ${row.id}`, REQUESTS_A_MINUTE, MINUTE) : 0
  if (wait > 0) throw tooMany(wait)
  const { checkIns } = await findCounters(ctx.db.read, row.id)
  const now = ctx.clock.now()
  if (!isOpen(row, now)) return { content: null, validUntil: null, checkIns }
  const rotating = rotatingCode(ctx.seal, row, now)
  const url = checkInUrl(ctx, row)
  return {
    content: rotating === undefined ? url : `${url}?${ROTATING_PARAMETER}=${rotating.code}`,
    validUntil: rotating?.until ?? null,
    checkIns,
  }
}

function isOpen(row: ActivityRow, now: number): boolean {
  const { opensAt, closesAt } = checkInPolicy(row)
  return (
    row.hasCheckIn &&
    row.status === 'ACTIVE' &&
    row.orgStatus !== 'DISABLED' &&
    (opensAt === null || now >= opensAt) &&
    now <= closesAt
  )
}
