/** Gates: checking and redeeming passes with a connection. */

import { type AppContext, perContext } from '#context'
import { spend } from '#db/counters.ts'
import { type Gathered, GatheredWrites } from '#db/gathered-writes.ts'
import type { Direction, RefusalReason } from '#db/schema/passes.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { noToken } from '#http/admission.ts'
import { type Budget, budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { type AppError, badRequest, notFound } from '#http/errors.ts'
import { noPermission } from '#http/permissions.ts'
import { invalid, invalidAll } from '#http/validate.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { noSuchList } from '../activities.errors.ts'
import { type ActivityRow, IN_ORDER } from '../activities.store.ts'
import { findList, type ListRow } from '../check-in-lists/check-in-lists.store.ts'
import { verifyToken } from '../pass-keys/pass-keys.service.ts'
import type { PublicPass } from '../passes/passes.model.ts'
import { toPassView } from '../passes/passes.service.ts'
import { findPassByUuid, type PassRow } from '../passes/passes.store.ts'
import { publicPass } from '../passes/passes.view.ts'
import { findNamed, manageActivity, manages, refuseIfDisabled } from '../visibility/visibility.service.ts'
import type { Verification, VerifyPass } from './gates.model.ts'
import {
  afterPassage,
  type Claim,
  claimedUuid,
  claimIn,
  judge,
  type OnList,
  type Passage,
  strangerReason,
  type Verdict,
} from './gates.rules.ts'
import * as store from './gates.store.ts'
import { type ListUses, listUsesOf } from './list-uses.store.ts'
import { toUseViews } from './uses.service.ts'

/** Each is a row, and anyone can cause them. Valid passes do not count, so a gate without sign-in is not stopped. */
export const refusedChecks: Budget = {
  name: 'refused passes',
  counts: { en: 'passes that are not valid', zh: '无效通行证' },
  per: 'address',
  limit: 60,
  windowMs: MINUTE,
  countedByRun: true,
}

/** Refused checks are kept for weeks, and the limit of an activity does not help against users who create many. */
export const refusedChecksOfDay: Budget = {
  ...refusedChecks,
  name: 'refused passes of a day',
  limit: 10_000,
  windowMs: DAY,
  durable: true,
}

/** Enough for 50 phones that share an account, with 20 passes a minute each. */
export const redemptions: Omit<Budget, 'cost'> = {
  name: 'redemptions',
  counts: { en: 'redeemed passes', zh: '核销的通行证' },
  per: 'user',
  limit: 60_000,
  windowMs: HOUR,
}

/** Who scans passes: a manager, a device of a gate without an account, or anyone. */
export type Checker = Pick<store.NewUse, 'verifierUserId' | 'gateId' | 'gateDeviceId'>
export const ANYONE: Checker = { verifierUserId: null, gateId: null, gateDeviceId: null }
export const managerOf = (userId: number): Checker => ({ ...ANYONE, verifierUserId: userId })

/** Reads one of both texts. @throws AppError 400 if there is none or if there are two */
export function claimOf({ content, passUuid }: Pick<VerifyPass, 'content' | 'passUuid'>, path: string): Claim {
  if (content != null && passUuid == null) return claimIn({ content })
  if (passUuid != null && content == null) return claimIn({ passUuid })
  throw invalid(
    `${path}.content`,
    'must be given, or else `passUuid`, but not both',
    '与 `passUuid` 必须且只能填写一个',
  )
}

/** The pass that a visitor shows, or the reason why the activity has no such pass. */
export interface Found {
  readonly claim: Claim
  readonly pass: PassRow | undefined
  readonly stranger: RefusalReason | undefined
}

const isGenuinePass = async (ctx: AppContext, claim: Claim): Promise<boolean> =>
  claim.kind === 'token' && (await verifyToken(ctx, claim.token))

/** The uuid of the pass to look for: none if its token is forged. */
const lookedFor = ({ claim, isGenuine }: { readonly claim: Claim; readonly isGenuine: boolean }): string | null =>
  claim.kind === 'token' && !isGenuine ? null : (claimedUuid(claim)?.toLowerCase() ?? null)

/** Checks the signature, and finds the pass. */
export async function findClaimed(ctx: AppContext, activityId: number, claim: Claim): Promise<Found> {
  const isGenuine = await isGenuinePass(ctx, claim)
  const uuid = lookedFor({ claim, isGenuine })
  const pass = uuid === null ? undefined : await findPassByUuid(ctx.db.read, uuid)
  const stranger = strangerReason(claim, isGenuine, pass, activityId)
  return { claim, pass: stranger === undefined ? pass : undefined, stranger }
}

/** Verifies a pass for anyone, and redeems it for users who may verify passes of the activity. */
export async function verifyPass(
  ctx: AppContext,
  caller: Caller,
  actor: Actor | undefined,
  activityId: number,
  input: VerifyPass,
): Promise<Verification> {
  const claim = claimOf(input, 'body')
  const direction = input.direction ?? 'ENTRY'
  const orgId = input.orgId ?? 0
  const listId = input.listId ?? null
  if (input.redeem === true) {
    await checkGate(ctx, caller, actor, activityId, orgId)
    const by = { direction, nonce: input.nonce ?? null, listId, checker: managerOf(actor!.userId) }
    return showRedeemed(ctx, await redeem(ctx, { activityId, claim, ...by }))
  }
  return check(ctx, caller, actor, { activityId, orgId, claim, direction, listId })
}

/** Whether the caller may verify passes of the activity. @throws AppError 401, 403 or 404 */
async function checkGate(
  ctx: AppContext,
  caller: Caller,
  actor: Actor | undefined,
  id: number,
  orgId: number,
): Promise<void> {
  if (actor === undefined) throw noToken
  const { userId } = actor
  if (orgId !== 0) await access.requirePoint(ctx, userId, orgId, 'pass:verify')
  else if (!(await access.can(ctx, userId, 'APP', 0, 'pass:verify'))) throw noPermission
  const activity = await manageActivity(ctx, id, 'pass:verify', { viewer: { userId, orgId }, caller })
  refuseIfDisabled(activity)
}

/** Whether a pass is valid, without counting a use. Only refused passes are recorded. */
async function check(
  ctx: AppContext,
  caller: Caller,
  actor: Actor | undefined,
  asked: { activityId: number; orgId: number; claim: Claim; direction: Direction; listId: number | null },
): Promise<Verification> {
  const { activityId, orgId, claim, direction, listId } = asked
  const activity = await findNamed(ctx.db.read, activityId, { userId: actor?.userId ?? 0, orgId })
  if (activity === undefined) throw notFound()
  const isManager = actor !== undefined && (await manages(ctx, actor.userId, activity, 'pass:verify'))
  const found = await findClaimed(ctx, activityId, claim)
  // Only managers and people with a pass know of a draft.
  if (activity.status === 'DRAFT' && found.pass === undefined && !isManager) throw notFound()
  const shown = { direction, listId }
  return isManager
    ? checkFound(ctx, activity, found, shown, {
        checker: managerOf(actor.userId),
        counted: redemptions,
        actor,
        caller,
      })
    : checkFound(ctx, activity, found, shown, {
        checker: ANYONE,
        counted: refusedChecks,
        countedOfDay: refusedChecksOfDay,
        actor,
        caller,
      })
}

interface Checking {
  readonly checker: Checker
  /** For refused passes. */
  readonly counted: Budget
  readonly countedOfDay?: Budget
  readonly actor: Actor | undefined
  readonly caller: Caller
}

/** The answer to a check that counts no use. */
type Checked = Omit<Verification, 'pass' | 'use'> & { readonly pass: PublicPass | null; readonly use: null }

/** Whether the pass that was found is valid now. A refused one is recorded. */
export async function checkFound(
  ctx: AppContext,
  activity: Pick<ActivityRow, 'id' | 'status' | 'endedAt'>,
  found: Found,
  { direction, listId }: Pick<Redemption, 'direction' | 'listId'>,
  { checker, counted, countedOfDay, ...by }: Checking,
): Promise<Checked> {
  const list = listId === null ? undefined : await existingList(ctx.db.read, activity.id, listId)
  const on = list && { list, uses: found.pass && (await listUsesOf(ctx.db.read, activity.id, found.pass.id, list.id)) }
  const now = ctx.clock.now()
  const reason = reasonNow(found, activity, direction, now, on)
  if (reason !== undefined) {
    const refusal = await ctx.exactLimiter.takeAll(await usesOf(ctx, counted, by))
    if (refusal) throw budgetUsedUp(refusal)
    const usesOfDay = countedOfDay === undefined ? [] : await usesOf(ctx, countedOfDay, by)
    const use = newUse(activity.id, found, { direction, nonce: null, listId, checker }, now, { reason })
    await ctx.db.write('gates.recordRefusal', async (tx) => {
      const tooMany = await spend(tx, usesOfDay, now)
      if (tooMany) throw budgetUsedUp(tooMany)
      await store.insertUse(tx, use)
      await store.countScans(tx, [use])
    })
  }
  return {
    valid: reason === undefined,
    reason: reason ?? null,
    pass: found.pass === undefined ? null : publicPass(found.pass, now),
    use: null,
    undone: false,
  }
}

export const unknownList = (path: string) => invalidAll([noSuchList(path)])

/** @throws AppError 400 if the activity has no such list */
async function existingList(db: Db, activityId: number, id: number): Promise<ListRow> {
  const list = await findList(db, activityId, id)
  if (list === undefined) throw unknownList('body.listId')
  return list
}

function reasonNow(
  { pass, stranger }: Found,
  activity: Pick<ActivityRow, 'status' | 'endedAt'>,
  direction: Direction,
  now: number,
  on: OnList | undefined,
): RefusalReason | undefined {
  if (pass === undefined) return stranger
  const verdict = judge(pass, activity, direction, now, on)
  return 'reason' in verdict ? verdict.reason : undefined
}

interface Redemption {
  readonly direction: Direction
  readonly nonce: string | null
  /** Null: the entrance of the activity. */
  readonly listId: number | null
  readonly checker: Checker
}

export const newUse = (
  activityId: number,
  { claim, pass }: Pick<Found, 'claim' | 'pass'>,
  { direction, nonce, listId, checker }: Redemption,
  now: number,
  verdict: Verdict,
): store.NewUse => ({
  activityId,
  passId: pass?.id ?? null,
  passUuid: pass?.uuid ?? claimedUuid(claim),
  result: 'reason' in verdict ? 'REFUSED' : 'ACCEPTED',
  reason: 'reason' in verdict ? verdict.reason : null,
  direction,
  nonce,
  offline: false,
  isDoubleUse: false,
  takesUse: 'passage' in verdict && verdict.passage === 'USE',
  listId,
  verifierUserId: checker.verifierUserId,
  gateId: checker.gateId,
  gateDeviceId: checker.gateDeviceId,
  usedAt: now,
  createdAt: now,
})

export const otherPassOfNonce = () =>
  badRequest(
    'This nonce was used for another pass: choose a new one for each scan',
    '该随机数已用于其他通行证，每次扫码请使用新的随机数',
  )
const otherListOfNonce = () =>
  badRequest(
    'This nonce was used on another check-in list: choose a new one for each scan',
    '该随机数已用于其他签到名单，每次扫码请使用新的随机数',
  )

/** Whether both are tries of the same pass. */
export const isSamePass = (one: ShownPass, other: ShownPass): boolean =>
  one.passId === other.passId && one.passUuid === other.passUuid

export type ShownPass = Pick<store.UseRow, 'passId' | 'passUuid' | 'listId'>

/** Why a nonce of the first use must not be that of the other one; undefined if both are tries of the same pass on the same list. */
export const misuseOfNonce = (first: ShownPass, other: ShownPass): AppError | undefined =>
  !isSamePass(first, other) ? otherPassOfNonce() : first.listId === other.listId ? undefined : otherListOfNonce()

interface Attempt extends Redemption {
  readonly activityId: number
  readonly claim: Claim
  readonly isGenuine: boolean
}

/** A use that was recorded, now or by an earlier try with the same nonce, and its pass. */
export interface Redeemed {
  readonly use: store.UseRow
  readonly pass: PassRow | undefined
}

/** Many gates of an activity redeem passes at the same time. */
const attempts = perContext(
  (ctx) =>
    new GatheredWrites<Attempt, Redeemed>(
      ctx.db,
      'gates.redeem',
      (tx, list) => redeemAll(tx, list, ctx.clock.now()),
      IN_ORDER,
    ),
)

/** Judges passes by the rows as they are in this write, and as the attempts before them have changed them. */
async function redeemAll(tx: Tx, list: readonly Attempt[], now: number): Promise<Gathered<Redeemed>[]> {
  const asked = list.map((attempt) => ({ ...attempt, passUuid: lookedFor(attempt) }))
  const facts = await store.findFacts(tx, asked)
  const uses: store.NewUse[] = []
  const byNonce = new Map<string, number>()
  const counts: store.Counts = { passes: new Map(), activities: new Map(), onLists: new Map(), lists: new Map() }
  /** The index of a use that is to be stored, or an outcome. */
  const decided = list.map((attempt, i): { at: number; pass: PassRow | undefined } | Gathered<Redeemed> => {
    const { activityId, claim, isGenuine, direction, nonce, listId } = attempt
    const { activity, first, ...found } = facts[i]!
    if (activity === null) return { error: notFound() }
    const claimed = found.pass === null ? undefined : (counts.passes.get(found.pass.id) ?? found.pass)
    const stranger = strangerReason(claim, isGenuine, claimed, activityId)
    const pass = stranger === undefined ? claimed : undefined
    const isOver = activity.deletedAt !== null
    const listUses = counts.onLists.get(`${pass?.id} ${listId}`) ?? found.listUses
    const verdict: Verdict =
      pass === undefined
        ? { reason: stranger ?? 'UNKNOWN' }
        : judge(
            pass,
            isOver ? { ...activity, status: 'ENDED' } : activity,
            direction,
            now,
            found.list === null ? undefined : { list: found.list, uses: listUses },
          )
    const use = newUse(activityId, { claim, pass }, attempt, now, verdict)
    const key = `${activityId} ${nonce}`
    const earlier = nonce === null ? undefined : byNonce.get(key)
    const before = first ?? (earlier === undefined ? undefined : uses[earlier])
    const misuse = before && misuseOfNonce(before, use)
    if (misuse !== undefined) return { error: misuse }
    if (first !== null) return { value: { use: first, pass } }
    if (earlier !== undefined) return { at: earlier, pass }
    if (listId !== null && found.list === null) return { error: unknownList('body.listId') }
    const at = uses.push(use) - 1
    if (nonce !== null) byNonce.set(key, at)
    if (pass === undefined || 'reason' in verdict) return { at, pass }
    if (listId !== null) {
      countOnList(counts, { activityId, passId: pass.id, listId, before: listUses }, verdict.passage, now)
      return { at, pass }
    }
    const after = { ...pass, ...afterPassage(pass, verdict.passage), lastUsedAt: now, updatedAt: tx.stamp }
    counts.passes.set(pass.id, after)
    if (verdict.passage === 'USE') counts.activities.set(activityId, (counts.activities.get(activityId) ?? 0) + 1)
    return { at, pass: after }
  })
  const ids = uses.length > 0 ? await store.storeUses(tx, uses, counts) : []
  return decided.map((outcome) =>
    typeof outcome === 'object' && 'at' in outcome
      ? { value: { use: { ...uses[outcome.at]!, ...store.NOT_UNDONE, id: ids[outcome.at]! }, pass: outcome.pass } }
      : outcome,
  )
}

interface OneOnList extends Pick<ListUses, 'activityId' | 'passId' | 'listId'> {
  readonly before: ListUses | null
}

/** Counts a passage on a list, instead of in the row of the pass. */
function countOnList(counts: store.Counts, { before, ...key }: OneOnList, passage: Passage, now: number): void {
  const { usedCount, isInside } = before ?? { usedCount: 0, isInside: false }
  const after = { ...key, ...afterPassage({ usedCount }, passage), lastUsedAt: now }
  counts.onLists.set(`${key.passId} ${key.listId}`, after)
  const { admitted, inside } = counts.lists.get(key.listId) ?? { admitted: 0, inside: 0 }
  counts.lists.set(key.listId, {
    admitted: admitted + after.usedCount - usedCount,
    inside: inside + Number(after.isInside) - Number(isInside),
  })
}

/** Records a use, or finds that of an earlier try with the same nonce. */
export const redeem = async (ctx: AppContext, attempt: Omit<Attempt, 'isGenuine'>): Promise<Redeemed> =>
  attempts(ctx).add({ ...attempt, isGenuine: await isGenuinePass(ctx, attempt.claim) })

async function showRedeemed(ctx: AppContext, { use, pass }: Redeemed): Promise<Verification> {
  const [shown] = await toUseViews(ctx, [use], new Map([[use.passId, pass?.holderName]]), true)
  return {
    valid: use.result === 'ACCEPTED',
    reason: use.reason,
    pass: pass === undefined ? null : await toPassView(ctx, pass, { showsContent: true }),
    use: shown!,
    undone: use.undoneAt !== null,
  }
}
