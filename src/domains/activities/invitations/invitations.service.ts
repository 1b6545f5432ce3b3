/** Personal invitations: managers of an activity make them, mail them, list them and revoke them. */

import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import { normalizeEmail } from '#domains/accounts/index.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { type AppError, badRequest, type FieldProblem, limited, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { DAY } from '#platform/clock.ts'
import { randomCode, sha256 } from '#platform/ids.ts'

import { isOver, problem } from '../activities.errors.ts'
import { type ActivityRow, findActivity } from '../activities.store.ts'
import { canBeEdited } from '../register/register.rules.ts'
import { PERSONAL_CODE_LENGTH, stateOf } from '../visibility/personal-codes.rules.ts'
import { findInvitation, type InvitationRow } from '../visibility/personal-codes.store.ts'
import { INVITE_CODE_ALPHABET } from '../visibility/visibility.rules.ts'
import { type Asking, manageActivity, refuseIfDisabled } from '../visibility/visibility.service.ts'
import {
  type InvitationList,
  type InvitationsQuery,
  type InvitationView,
  MAILS_TO_ADDRESS,
  MAX_OF_ACTIVITY,
  type NewInvitations,
} from './invitations.model.ts'
import * as store from './invitations.store.ts'
import { toView } from './invitations.view.ts'
import { allowanceOf, hasAddress, type MailAllowance, queueMails } from './mails.service.ts'

/** For this long, a repeated request gets the first result. */
const REPEATED_MS = 7 * DAY

const noEmail = problem('is not an e-mail address', '不是邮箱地址')
const emailTwice = problem('is the address of an earlier item', '与前面的邮箱重复')
const alreadyOpen = problem('has an open invitation already', '已有未使用的邀请')
const oneWay = problem('is required, unless you give count; not both', '与 count 必须且只能提供一个')
const passed = problem('must be in the future', '必须是将来的时间')
const otherBody = problem('was used for another request', '已用于另一个请求')
const forMembers = () => badRequest('RESTRICTED activities have no invitations', 'RESTRICTED 活动没有邀请')
const tooMany = () =>
  badRequest(
    `An activity has at most ${MAX_OF_ACTIVITY.toLocaleString('en')} invitations`,
    `每个活动最多 ${MAX_OF_ACTIVITY} 个邀请`,
  )
const used = () =>
  badRequest('This invitation was used: cancel the registration instead', '此邀请已被使用，请取消对应的报名')
const ended = () => badRequest('Only open invitations are mailed', '仅可发送未使用的邀请')
const noAddress = () => badRequest('This invitation has no e-mail address', '此邀请没有邮箱地址')
const optedOut = () => badRequest('The owner of this address wants no invitations', '该邮箱的所有者不接收邀请')
const suppressed = () =>
  badRequest('Mail servers have refused mails to this address too often', '邮件服务器多次拒收发往该邮箱的邮件')
const enough = () =>
  limited(
    `An address gets at most ${MAILS_TO_ADDRESS} invitations a day`,
    `每个邮箱每天最多收到 ${MAILS_TO_ADDRESS} 封邀请`,
    3600,
  )

interface Item {
  readonly email: string | null
  readonly name: string | null
  readonly language: InvitationRow['language']
}

interface Batch {
  readonly items: readonly Item[]
  readonly shared: Pick<InvitationRow, 'expiresAt' | 'overCapacity' | 'text'>
  /** Undefined if none are mailed. */
  readonly allowance: MailAllowance | undefined
  readonly createdBy: number
  readonly requestId: string | null
  readonly requestHash: string | null
}

/** All or none. @throws AppError 400, 429 if fewer mails are left today than it needs */
export async function createInvitations(
  ctx: AppContext,
  id: number,
  input: NewInvitations,
  asking: Asking,
): Promise<InvitationList> {
  const activity = await manageActivity(ctx, id, 'activity:update', asking)
  checkActivity(activity)
  const items = itemsOf(input)
  const { expiresAt = null, text, requestId = null } = input
  if (expiresAt !== null && expiresAt <= ctx.clock.now()) throw invalidAll([passed('body.expiresAt')])
  const shared = { expiresAt, overCapacity: input.overCapacity ?? false, text: text?.trim() ?? '' }
  const isMailed = input.send !== false && items.some(({ email }) => email !== null)
  const allowance = isMailed ? await allowanceOf(ctx, activity) : undefined
  const rows = await ctx.db.write('activities.createInvitations', (tx) =>
    insert(ctx, tx, id, {
      items,
      shared,
      allowance,
      createdBy: asking.viewer.userId,
      requestId,
      requestHash: requestId === null ? null : sha256(JSON.stringify([items, shared, isMailed])),
    }),
  )
  return { items: rows.map((row) => toView(ctx, activity, row)) }
}

function checkActivity(activity: ActivityRow): void {
  refuseIfDisabled(activity)
  if (!canBeEdited(activity.status)) throw isOver()
  if (activity.visibility === 'RESTRICTED') throw forMembers()
}

/** @throws AppError 400 */
function itemsOf({ items, count }: NewInvitations): Item[] {
  if ((items == null) === (count == null)) throw invalidAll([oneWay('body.items')])
  if (items == null) return Array.from({ length: count! }, () => ({ email: null, name: null, language: null }))
  const problems: FieldProblem[] = []
  const seen = new Set<string>()
  const checked = items.map(({ email: given, name = null, language = null }, i) => {
    const path = `body.items.${i}.email`
    const email = given == null ? null : (normalizeEmail(given) ?? '')
    if (email === '') problems.push(noEmail(path))
    else if (email !== null && seen.has(email)) problems.push(emailTwice(path))
    if (email !== null) seen.add(email)
    return { email, name, language }
  })
  if (problems.length > 0) throw invalidAll(problems)
  return checked
}

async function insert(ctx: AppContext, tx: Tx, id: number, batch: Batch): Promise<readonly InvitationRow[]> {
  const { items, shared, allowance, createdBy, requestId, requestHash } = batch
  const now = ctx.clock.now()
  const activity = await findOrFail(tx, id)
  checkActivity(activity)
  const earlier = requestId === null ? [] : await earlierOf(tx, id, createdBy, requestId, now)
  if (earlier.length > 0) {
    if (earlier[0]!.requestHash !== requestHash) throw invalidAll([otherBody('body.requestId')])
    return earlier
  }
  if ((await store.countInvitations(tx, id)) + items.length > MAX_OF_ACTIVITY) throw tooMany()
  const open = await store.openAmong(
    tx,
    id,
    items.flatMap(({ email }) => email ?? []),
    now,
  )
  const again = [...items.entries()].filter(([, { email }]) => email !== null && open.has(email))
  if (again.length > 0) throw invalidAll(again.map(([i]) => alreadyOpen(`body.items.${i}.email`)))
  const rows = await store.insertInvitations(
    tx,
    items.map((item) => ({
      ...item,
      ...shared,
      activityId: id,
      code: randomCode(INVITE_CODE_ALPHABET, PERSONAL_CODE_LENGTH),
      mailState: allowance !== undefined && item.email !== null ? ('QUEUED' as const) : null,
      createdBy,
      requestId,
      requestHash,
    })),
  )
  if (allowance === undefined) return rows
  const skipped = await queueMails(ctx, tx, activity, rows.filter(hasAddress), allowance)
  const shown: InvitationRow[] = []
  for (const row of rows) {
    const mailReason = skipped.get(row.id)
    shown.push(mailReason ? await store.updateInvitation(tx, row.id, { mailState: 'SKIPPED', mailReason }) : row)
  }
  return shown
}

/** The invitations of the first request with this id. After a week the id is free again. */
async function earlierOf(tx: Tx, id: number, createdBy: number, requestId: string, now: number) {
  const rows = await store.findByRequest(tx, id, createdBy, requestId)
  if (rows.length === 0 || rows[0]!.createdAt > now - REPEATED_MS) return rows
  for (const row of rows) await store.updateInvitation(tx, row.id, { requestId: null })
  return []
}

async function findOrFail(tx: Tx, id: number): Promise<ActivityRow> {
  const activity = await findActivity(tx, id)
  if (activity === undefined) throw notFound()
  return activity
}

export async function listInvitations(
  ctx: AppContext,
  id: number,
  query: InvitationsQuery,
  asking: Asking,
): Promise<Page<InvitationView>> {
  return pageOf(ctx, await manageActivity(ctx, id, 'activity:update', asking), query, asking.viewer.userId)
}

async function pageOf(
  ctx: AppContext,
  activity: ActivityRow,
  query: InvitationsQuery,
  userId: number,
): Promise<Page<InvitationView>> {
  const now = ctx.clock.now()
  const page = query.keyword
    ? await ctx.db.search(userId, (db) => store.invitationsPage(db, activity.id, query, now))
    : await store.invitationsPage(ctx.db.read, activity.id, query, now)
  return mapPage(page, (row) => toView(ctx, activity, row))
}

interface Named {
  readonly id: number
  readonly invitationId: number
}

async function findNamed(tx: Tx, { id, invitationId }: Named): Promise<InvitationRow> {
  const row = await findInvitation(tx, id, invitationId)
  if (row === undefined) throw notFound()
  return row
}

/** Mails an OPEN invitation, perhaps again. One whose mail waits stays as it is. @throws AppError 400, 429 */
export async function sendInvitation(ctx: AppContext, named: Named, asking: Asking): Promise<InvitationView> {
  const activity = await manageActivity(ctx, named.id, 'activity:update', asking)
  refuseIfDisabled(activity)
  const allowance = await allowanceOf(ctx, activity)
  const row = await ctx.db.write('activities.sendInvitation', async (tx) => {
    const found = await findNamed(tx, named)
    if (stateOf(found, ctx.clock.now()) !== 'OPEN') throw ended()
    if (!hasAddress(found)) throw noAddress()
    if (found.mailState === 'QUEUED') return found
    const skipped = await queueMails(ctx, tx, activity, [found], allowance)
    const reason = skipped.get(found.id)
    if (reason !== undefined) throw refusalOf(reason)
    return store.updateInvitation(tx, found.id, { mailState: 'QUEUED', mailReason: null })
  })
  return toView(ctx, activity, row)
}

function refusalOf(reason: NonNullable<InvitationRow['mailReason']>): AppError {
  if (reason === 'OPTED_OUT') return optedOut()
  return reason === 'SUPPRESSED' ? suppressed() : enough()
}

/** Its code is a wrong one from now on. A revoked one stays as it is. @throws AppError 400 if it was used */
export async function revokeInvitation(ctx: AppContext, named: Named, asking: Asking): Promise<void> {
  refuseIfDisabled(await manageActivity(ctx, named.id, 'activity:update', asking))
  await ctx.db.write('activities.revokeInvitation', (tx) => revoke(tx, named))
}

/** Whether it was not revoked before. */
async function revoke(tx: Tx, named: Named): Promise<boolean> {
  const row = await findNamed(tx, named)
  if (row.usedAt !== null) throw used()
  if (row.revokedAt !== null) return false
  await store.updateInvitation(tx, row.id, { revokedAt: tx.stamp })
  return true
}

/** Invitations of any activity, for administrators. */
export async function listAnyInvitations(
  ctx: AppContext,
  id: number,
  query: InvitationsQuery,
  userId: number,
): Promise<Page<InvitationView>> {
  const activity = await findActivity(ctx.db.read, id)
  if (activity === undefined) throw notFound()
  return pageOf(ctx, activity, query, userId)
}

/** The log has neither the code nor the address. */
export async function revokeAnyInvitation(actor: LoggedActor, named: Named): Promise<void> {
  await actor.write('activities.revokeAnyInvitation', async (tx) => {
    const activity = await findOrFail(tx, named.id)
    if (!(await revoke(tx, named))) return { result: undefined, logged: 'unchanged' }
    const before = { activityId: named.id, state: 'OPEN' }
    return { result: undefined, logged: { targetId: named.invitationId, targetName: activity.name, before } }
  })
}
