/** Gates without a connection: the list of revoked passes that they take with them, and the redemptions that they upload later. */

import type { AppContext } from '#context'
import type { Direction } from '#db/schema/passes.ts'
import type { Tx } from '#db/store.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { DAY } from '#platform/clock.ts'

import { type ActivityRow, findActivity, IN_ORDER } from '../activities.store.ts'
import { signAll } from '../pass-keys/pass-keys.service.ts'
import { findPass } from '../passes/passes.store.ts'
import { type Asking, manageActivity, refuseIfDisabled } from '../visibility/visibility.service.ts'
import { judgeLater } from './gates.rules.ts'
import {
  claimOf,
  findClaimed,
  type Found,
  isSamePass,
  newUse,
  otherPassOfNonce,
  type ShownPass,
} from './gates.service.ts'
import * as uses from './gates.store.ts'
import {
  MAX_LISTED,
  type RedemptionItem,
  type RedemptionOutcome,
  type RedemptionResults,
  type Revocations,
} from './offline.model.ts'
import { changedSince, revokedSince } from './offline.store.ts'

const REVOKED_PREFIX = 'tessera revocations v1\n'
const CHANGED_PREFIX = 'tessera pass changes v1\n'

/** The passes of an activity that were revoked or changed after `since`, signed so that a gate can get the lists from anywhere. */
export async function listRevocations(
  ctx: AppContext,
  id: number,
  since: number,
  asking: Asking,
): Promise<Revocations> {
  await manageActivity(ctx, id, 'pass:verify', asking)
  // An empty write moves the settled stamp up to the present. It must be read before the rows.
  await ctx.db.write('gates.settleRevocations', async (tx) => tx.stamp)
  const settledStamp = await ctx.db.settledStamp()
  const revoked = await revokedSince(ctx.db.read, id, since, MAX_LISTED)
  const changes = await changedSince(ctx.db.read, id, since, MAX_LISTED)
  // Read last, so that it is as new as the changes.
  const row = await findActivity(ctx.db.read, id)
  if (row === undefined) throw notFound()
  // A full list leaves out passes that were revoked or changed after its last one.
  const lastOf = (list: readonly { readonly at: number }[]) => (list.length < MAX_LISTED ? Infinity : list.at(-1)!.at)
  const until = Math.min(settledStamp, lastOf(revoked.map(({ revokedAt: at }) => ({ at }))), lastOf(changes))
  const activity = { startTime: row.startTime, endTime: row.endTime, status: row.status }
  const changed = changes.map(({ uuid, validFrom, validTo, followsActivity }) => ({
    uuid,
    validFrom,
    validTo,
    followsActivity,
  }))
  const list = { activityId: id, since, until }
  const { keyId, signatures } = await signAll(ctx, [
    REVOKED_PREFIX + JSON.stringify({ ...list, revoked }),
    CHANGED_PREFIX + JSON.stringify({ ...list, activity, changed }),
  ])
  const [signature, changesSignature] = signatures as [string, string]
  return { since, until, revoked, activity, changed, keyId, signature, changesSignature }
}

/** Phones whose clocks are ahead still get their redemptions counted, as of now. */
const MAX_AHEAD_MS = DAY
/** Redemptions in one write. A longer one would delay the gates that are online. */
const CHUNK = 50

interface Upload {
  readonly item: RedemptionItem
  readonly found: Found
  readonly direction: Direction
}

/**
 * Counts the passes that a gate has let through without a connection, in the order of the upload. A nonce decides whether an item is new,
 * so a batch can be uploaded again after an interruption.
 */
export async function uploadRedemptions(
  ctx: AppContext,
  id: number,
  items: readonly RedemptionItem[],
  asking: Asking,
): Promise<RedemptionResults> {
  const activity = await manageActivity(ctx, id, 'pass:verify', asking)
  refuseIfDisabled(activity)
  refuseFuture(items, ctx.clock.now())
  const claims = items.map((item, i) => claimOf(item, `body.items.${i}`))
  const uploads: Upload[] = []
  for (const [i, item] of items.entries())
    uploads.push({ item, found: await findClaimed(ctx, id, claims[i]!), direction: item.direction ?? 'ENTRY' })
  await refuseForeignNonces(ctx, id, uploads)
  const outcomes: RedemptionOutcome[] = []
  for (let from = 0; from < uploads.length; from += CHUNK) {
    const chunk = uploads.slice(from, from + CHUNK)
    const by = { verifierUserId: asking.viewer.userId, now: ctx.clock.now() }
    outcomes.push(
      ...(await ctx.db.write('gates.uploadRedemptions', (tx) => redeemChunk(tx, activity, chunk, by), IN_ORDER)),
    )
  }
  return { items: outcomes }
}

function refuseFuture(items: readonly RedemptionItem[], now: number): void {
  const text = { en: 'must not be more than a day in the future', zh: '不能晚于当前时间一天以上' }
  const problems = items.flatMap(({ usedAt }, i) =>
    usedAt > now + MAX_AHEAD_MS ? [{ path: `body.items.${i}.usedAt`, text }] : [],
  )
  if (problems.length > 0) throw invalidAll(problems)
}

/** Nothing is counted if a nonce belongs to another pass, in this upload or an earlier one: the gate does not make its nonces properly. */
async function refuseForeignNonces(ctx: AppContext, id: number, uploads: readonly Upload[]): Promise<void> {
  const nonces = uploads.map(({ item }) => item.nonce)
  const known = new Map<string, ShownPass>()
  for (const row of await uses.findByNonces(ctx.db.read, id, nonces)) known.set(row.nonce!, row)
  const problems: FieldProblem[] = []
  for (const [i, { item, found, direction }] of uploads.entries()) {
    const { nonce } = item
    const use = newUse(id, found, { direction, nonce, verifierUserId: null }, 0, {
      reason: found.stranger ?? 'UNKNOWN',
    })
    const first = known.get(nonce)
    if (first === undefined) known.set(nonce, use)
    else if (!isSamePass(first, use))
      problems.push({
        path: `body.items.${i}.nonce`,
        text: { en: 'was used for another pass', zh: '已用于其他通行证' },
      })
  }
  if (problems.length > 0) throw invalidAll(problems)
}

interface Uploader {
  readonly verifierUserId: number
  readonly now: number
}

async function redeemChunk(
  tx: Tx,
  activity: ActivityRow,
  chunk: readonly Upload[],
  by: Uploader,
): Promise<RedemptionOutcome[]> {
  const outcomes: RedemptionOutcome[] = []
  let counted = 0
  for (const upload of chunk) {
    const { isCounted, ...outcome } = await redeemLater(tx, activity, upload, by)
    outcomes.push(outcome)
    if (isCounted) counted++
  }
  if (counted > 0) await uses.countUses(tx, activity.id, counted)
  return outcomes
}

async function redeemLater(
  tx: Tx,
  activity: ActivityRow,
  { item, found, direction }: Upload,
  { verifierUserId, now }: Uploader,
): Promise<RedemptionOutcome & { readonly isCounted: boolean }> {
  const { nonce } = item
  const usedAt = Math.min(item.usedAt, now)
  // Read in this write: earlier items may be about the same pass.
  const pass = found.pass && (await findPass(tx, found.pass.id))
  const neighbours = pass && (await uses.neighboursOf(tx, pass.id, usedAt))
  const verdict =
    pass === undefined
      ? { reason: found.stranger ?? ('UNKNOWN' as const) }
      : judgeLater(pass, activity, direction, usedAt, neighbours!)
  const reason = 'reason' in verdict ? verdict.reason : undefined
  const isDoubleUse = reason === 'USED' && direction === 'ENTRY'
  const use = newUse(activity.id, { ...found, pass }, { direction, nonce, verifierUserId }, now, verdict)
  const row = await uses.insertUse(tx, { ...use, usedAt, offline: true, isDoubleUse })
  if (row === undefined) {
    const first = (await uses.findByNonce(tx, activity.id, nonce))!
    if (!isSamePass(first, use)) throw otherPassOfNonce()
    const undone = first.undoneAt !== null
    return { nonce, result: 'DUPLICATE', reason: first.reason, undone, isCounted: false }
  }
  if ('reason' in verdict)
    return {
      nonce,
      result: isDoubleUse ? 'DOUBLE_USE' : 'REFUSED',
      reason: verdict.reason,
      undone: false,
      isCounted: false,
    }
  const { passage } = verdict
  const passed = await uses.passLater(tx, pass!.id, passage, usedAt, neighbours!.after === undefined)
  if (passed === undefined) throw new Error(`pass ${pass!.id} changed in the write that had read it`)
  return { nonce, result: 'ACCEPTED', reason: null, undone: false, isCounted: passage === 'USE' }
}
