/** Gates without a connection: the list of revoked passes that they take with them, and the redemptions that they upload later. */

import type { AppContext } from '#context'
import type { Direction } from '#db/schema/passes.ts'
import type { Tx } from '#db/store.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { DAY } from '#platform/clock.ts'

import { noSuchList, problem } from '../activities.errors.ts'
import { type ActivityRow, findActivity, IN_ORDER } from '../activities.store.ts'
import { countOnList, findList, type ListRow, listsById } from '../check-in-lists/check-in-lists.store.ts'
import { signAll } from '../pass-keys/pass-keys.service.ts'
import { findPass } from '../passes/passes.store.ts'
import { type Asking, manageActivity, refuseIfDisabled } from '../visibility/visibility.service.ts'
import { afterPassage, judgeLater, type Passage } from './gates.rules.ts'
import {
  ANYONE,
  type Checker,
  claimOf,
  findClaimed,
  type Found,
  isSamePass,
  managerOf,
  misuseOfNonce,
  newUse,
  type ShownPass,
} from './gates.service.ts'
import * as uses from './gates.store.ts'
import { type ListUses, listUsesOf, saveListUses } from './list-uses.store.ts'
import {
  MAX_ADMITTED,
  MAX_LISTED,
  type RedemptionItem,
  type RedemptionOutcome,
  type RedemptionResults,
  type Revocations,
} from './offline.model.ts'
import { changedSince, issuedSince, revokedSince } from './offline.store.ts'

const REVOKED_PREFIX = 'tessera revocations v1\n'
const CHANGED_PREFIX = 'tessera pass changes v1\n'

/** The passes of an activity that were revoked or changed after `since`, signed so that a gate can get the lists from anywhere. */
export async function listRevocations(ctx: AppContext, id: number, query: Since, asking: Asking): Promise<Revocations> {
  await manageActivity(ctx, id, 'pass:verify', asking)
  return revocationsOf(ctx, id, query)
}

export interface Since {
  readonly since?: number | undefined
  readonly listId?: number | undefined
}

/** The same without a check of the caller. */
export async function revocationsOf(ctx: AppContext, id: number, { since = 0, listId }: Since): Promise<Revocations> {
  // An empty write moves the settled stamp up to the present. It must be read before the rows.
  await ctx.db.write('gates.settleRevocations', async (tx) => tx.stamp)
  const settledStamp = await ctx.db.settledStamp()
  const revoked = await revokedSince(ctx.db.read, id, since, MAX_LISTED)
  const changes = await changedSince(ctx.db.read, id, since, MAX_LISTED)
  const restricted = listId === undefined ? undefined : await restrictionOf(ctx, id, listId, since)
  // Read last, so that it is as new as the changes.
  const row = await findActivity(ctx.db.read, id)
  if (row === undefined) throw notFound()
  // A full list leaves out passes that were revoked or changed after its last one.
  const lastOf = (list: readonly { readonly at: number }[]) => (list.length < MAX_LISTED ? Infinity : list.at(-1)!.at)
  const until = Math.min(
    settledStamp,
    lastOf(revoked.map(({ revokedAt: at }) => ({ at }))),
    lastOf(changes),
    restricted?.until ?? Infinity,
  )
  const activity = { startTime: row.startTime, endTime: row.endTime, status: row.status }
  const changed = changes.map(({ uuid, validFrom, validTo, followsActivity }) => ({
    uuid,
    validFrom,
    validTo,
    followsActivity,
  }))
  const signed = { activityId: id, since, until }
  const ofList = restricted && { list: restricted.list }
  const { keyId, signatures } = await signAll(ctx, [
    REVOKED_PREFIX + JSON.stringify({ ...signed, revoked }),
    CHANGED_PREFIX + JSON.stringify({ ...signed, activity, changed, ...ofList }),
  ])
  const [signature, changesSignature] = signatures as [string, string]
  return { since, until, revoked, activity, changed, keyId, signature, changesSignature, ...ofList }
}

/** The rules of a list for a gate without a connection, with every pass that was issued up to `until`. */
async function restrictionOf(ctx: AppContext, activityId: number, listId: number, since: number) {
  const row = await findList(ctx.db.read, activityId, listId)
  if (row === undefined) throw invalidAll([noSuchList('query.listId')])
  const { id, opensAt, closesAt, maxUses, requiresEntry, templateIds } = row
  const admitted =
    templateIds.length === 0 ? null : await issuedSince(ctx.db.read, activityId, templateIds, since, MAX_ADMITTED)
  const admittedUuids = admitted && admitted.map(({ uuid }) => uuid)
  const until = admitted === null || admitted.length < MAX_ADMITTED ? Infinity : admitted.at(-1)!.at
  return { list: { id, opensAt, closesAt, maxUses, requiresEntry, admittedUuids }, until }
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
  return upload(ctx, activity, items, { checker: managerOf(asking.viewer.userId) })
}

/** A scan of a gate without a connection. */
export interface Scan {
  readonly direction: Direction
  /** Null: the entrance of the activity. */
  readonly listId: number | null
  readonly usedAt: number
}

interface Uploader {
  readonly checker: Checker
  /** Whether the gate was not for this item: then it lets nobody in, and reports no double use. */
  isRefused?(scan: Scan): boolean
}
type UploadedActivity = Pick<ActivityRow, 'id' | 'status' | 'endedAt'>

/** The same without a check of the caller. */
export async function upload(
  ctx: AppContext,
  activity: UploadedActivity,
  items: readonly RedemptionItem[],
  uploader: Uploader,
): Promise<RedemptionResults> {
  const { id } = activity
  refuseFuture(items, ctx.clock.now())
  const claims = items.map((item, i) => claimOf(item, `body.items.${i}`))
  const uploads: Upload[] = []
  for (const [i, item] of items.entries())
    uploads.push({ item, found: await findClaimed(ctx, id, claims[i]!), direction: item.direction ?? 'ENTRY' })
  await refuseUnknownLists(ctx, id, items)
  await refuseForeignNonces(ctx, id, uploads)
  const outcomes: RedemptionOutcome[] = []
  for (let from = 0; from < uploads.length; from += CHUNK) {
    const chunk = uploads.slice(from, from + CHUNK)
    const by = { ...uploader, now: ctx.clock.now() }
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

/** Lists that were deleted meanwhile still count: the visitors are in. */
async function refuseUnknownLists(ctx: AppContext, id: number, items: readonly RedemptionItem[]): Promise<void> {
  const lists = await listsById(ctx.db.read, id, listIdsOf(items))
  const problems = items.flatMap(({ listId }, i) =>
    listId == null || lists.has(listId) ? [] : [noSuchList(`body.items.${i}.listId`)],
  )
  if (problems.length > 0) throw invalidAll(problems)
}

const listIdsOf = (items: readonly RedemptionItem[]): number[] => items.flatMap(({ listId }) => listId ?? [])

/** Nothing is counted if a nonce belongs to another pass or another list, in this upload or an earlier one: the gate does not make its nonces properly. */
async function refuseForeignNonces(ctx: AppContext, id: number, uploads: readonly Upload[]): Promise<void> {
  const nonces = uploads.map(({ item }) => item.nonce)
  const known = new Map<string, ShownPass>()
  for (const row of await uses.findByNonces(ctx.db.read, id, nonces)) known.set(row.nonce!, row)
  const problems: FieldProblem[] = []
  for (const [i, { item, found, direction }] of uploads.entries()) {
    const { nonce, listId = null } = item
    const use = newUse(id, found, { direction, nonce, listId, checker: ANYONE }, 0, {
      reason: found.stranger ?? 'UNKNOWN',
    })
    const first = known.get(nonce)
    if (first === undefined) known.set(nonce, use)
    else if (!isSamePass(first, use)) problems.push(nonceOfOtherPass(`body.items.${i}.nonce`))
    else if (first.listId !== listId) problems.push(nonceOfOtherList(`body.items.${i}.nonce`))
  }
  if (problems.length > 0) throw invalidAll(problems)
}

const nonceOfOtherPass = problem('was used for another pass', '已用于其他通行证')
const nonceOfOtherList = problem('was used on another check-in list', '已用于其他签到名单')

type UploaderNow = Uploader & { readonly now: number }

async function redeemChunk(
  tx: Tx,
  activity: UploadedActivity,
  chunk: readonly Upload[],
  by: UploaderNow,
): Promise<RedemptionOutcome[]> {
  const outcomes: RedemptionOutcome[] = []
  const lists = await listsById(tx, activity.id, listIdsOf(chunk.map(({ item }) => item)))
  const rows: uses.UseRow[] = []
  let counted = 0
  for (const upload of chunk) {
    const { isCounted, row, ...outcome } = await redeemLater(tx, { activity, lists }, upload, by)
    outcomes.push(outcome)
    if (row !== undefined) rows.push(row)
    if (isCounted) counted++
  }
  if (counted > 0) await uses.countUses(tx, activity.id, counted)
  await uses.countScans(tx, rows)
  return outcomes
}

async function redeemLater(
  tx: Tx,
  { activity, lists }: { readonly activity: UploadedActivity; readonly lists: ReadonlyMap<number, ListRow> },
  { item, found, direction }: Upload,
  { checker, isRefused, now }: UploaderNow,
): Promise<RedemptionOutcome & { readonly isCounted: boolean; readonly row?: uses.UseRow }> {
  const { nonce, listId = null } = item
  const usedAt = Math.min(item.usedAt, now)
  // Read in this write: earlier items may be about the same pass.
  const pass = found.pass && (await findPass(tx, found.pass.id))
  const neighbours = pass && (await uses.neighboursOf(tx, pass.id, listId, usedAt))
  const list = listId === null ? undefined : lists.get(listId)!
  const before = (list && pass && (await listUsesOf(tx, activity.id, pass.id, list.id))) ?? null
  const judged =
    pass === undefined
      ? { reason: found.stranger ?? ('UNKNOWN' as const) }
      : judgeLater(pass, activity, direction, usedAt, neighbours!, list && { list, uses: before })
  const isSecondEntry = 'reason' in judged && judged.reason === 'USED' && direction === 'ENTRY'
  // A gate that was not for the item does not report a double use either.
  const isForbidden = ('passage' in judged || isSecondEntry) && isRefused?.({ direction, listId, usedAt }) === true
  const verdict = isForbidden ? { reason: 'GATE_NOT_ALLOWED' as const } : judged
  const isDoubleUse = isSecondEntry && !isForbidden
  const use = newUse(activity.id, { ...found, pass }, { direction, nonce, listId, checker }, now, verdict)
  const row = await uses.insertUse(tx, { ...use, usedAt, offline: true, isDoubleUse })
  if (row === undefined) {
    const first = (await uses.findByNonce(tx, activity.id, nonce))!
    const misuse = misuseOfNonce(first, use)
    if (misuse !== undefined) throw misuse
    const undone = first.undoneAt !== null
    return { nonce, result: 'DUPLICATE', reason: first.reason, undone, isCounted: false }
  }
  if ('reason' in verdict)
    return {
      row,
      nonce,
      result: isDoubleUse ? 'DOUBLE_USE' : 'REFUSED',
      reason: verdict.reason,
      undone: false,
      isCounted: false,
    }
  const { passage } = verdict
  const isLast = neighbours!.after === undefined
  if (list !== undefined) {
    await countLater(tx, { list, passId: pass!.id, before }, passage, usedAt, isLast)
    return { row, nonce, result: 'ACCEPTED', reason: null, undone: false, isCounted: false }
  }
  const passed = await uses.passLater(tx, pass!.id, passage, usedAt, isLast)
  if (passed === undefined) throw new Error(`pass ${pass!.id} changed in the write that had read it`)
  return { row, nonce, result: 'ACCEPTED', reason: null, undone: false, isCounted: passage === 'USE' }
}

interface OneOnList {
  readonly list: ListRow
  readonly passId: number
  readonly before: ListUses | null
}

/** Counts an earlier passage on a list. `isLast`: no accepted use of the pass on it is later. */
async function countLater(
  tx: Tx,
  { list, passId, before }: OneOnList,
  passage: Passage,
  usedAt: number,
  isLast: boolean,
): Promise<void> {
  const { usedCount, isInside, lastUsedAt } = before ?? { usedCount: 0, isInside: false, lastUsedAt: null }
  const after = afterPassage({ usedCount }, passage)
  await saveListUses(tx, {
    activityId: list.activityId,
    passId,
    listId: list.id,
    ...after,
    ...(!isLast && { isInside }),
    lastUsedAt: isLast ? usedAt : lastUsedAt,
  })
  const inside = isLast ? Number(after.isInside) - Number(isInside) : 0
  await countOnList(tx, list.id, after.usedCount - usedCount, inside)
}
