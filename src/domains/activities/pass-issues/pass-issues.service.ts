/** Issues passes: all of a request or none. */

import { type AppContext, perContext } from '#context'
import { spend } from '#db/counters.ts'
import { ownerKey } from '#db/owner-key.ts'
import { personOf } from '#db/schema/activities.ts'
import type { PassField } from '#db/schema/passes.ts'
import type { Tx } from '#db/store.ts'
import { budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, type FieldProblem, limited, notFound } from '#http/errors.ts'
import { type CheckedItem, invalid, invalidAll, itemChecker } from '#http/validate.ts'
import { pause } from '#lib/pause.ts'
import { uuid } from '#platform/ids.ts'

import { noSuchRegistration, problem } from '../activities.errors.ts'
import { type ActivityRow, findActivity, findCounters } from '../activities.store.ts'
import { MAX_TOKEN_TIME } from '../pass-keys/pass-keys.rules.ts'
import { currentKey } from '../pass-keys/pass-keys.service.ts'
import { findTemplate, type TemplateRow } from '../pass-templates/pass-templates.store.ts'
import { toPassView } from '../passes/passes.service.ts'
import type { PassRow } from '../passes/passes.store.ts'
import { type Person, tellPeople } from '../personal-mails.service.ts'
import { confirmedGuests } from '../registrations/guests.store.ts'
import { registeredUsers } from '../registrations/registrations.store.ts'
import { findByIds } from '../registrations/waiting.store.ts'
import { type Asking, manageActivity, refuseIfDisabled } from '../visibility/visibility.service.ts'
import {
  FieldValue,
  Holder,
  type IssueByTemplate,
  ISSUED_PASSES,
  type IssuedPasses,
  type IssuePasses,
  MAX_HOLDERS,
  PASSES_FOR_STRANGERS,
  REPEATED_PASSES,
} from './pass-issues.model.ts'
import { fieldsOf, valuesOf } from './pass-issues.rules.ts'
import * as store from './pass-issues.store.ts'

/** Users that a query looks for at once. */
const USERS_PER_QUERY = 500
/** Passes that a statement inserts, which takes some milliseconds. */
export const PASSES_PER_STATEMENT = 50
/** Users that are notified between two pauses. */
const USERS_PER_NOTICE = 50

const noSuchUser = problem('must be the id of an active user', '须为有效用户的编号')
const twice = problem('must not be the same user twice', '同一用户不能重复')
const hasPass = problem('has a live pass for this activity already', '该用户已持有此活动的有效通行证')
const onlyRegistered = problem('is for toRegistered only', '仅用于 toRegistered')
const oneOf = problem('must contain either userId or name', '须提供 userId 或 name 之一')

/** Issues passes of an activity that the caller manages. */
export async function issuePasses(
  ctx: AppContext,
  activityId: number,
  input: IssuePasses,
  asking: Asking,
): Promise<IssuedPasses> {
  const activity = await manageActivity(ctx, activityId, 'pass:issue', asking)
  return issue(ctx, activity, input, asking)
}

/** The same for a template that the caller's `owner` has. @throws AppError 404 if the activity has another owner */
export async function issueByTemplate(
  ctx: AppContext,
  templateId: number,
  { activityId, ...input }: IssueByTemplate,
  asking: Asking,
): Promise<IssuedPasses> {
  const owner: Owner = asking.viewer
  if ((await findTemplate(ctx.db.read, ownerKey(owner), templateId)) === undefined) throw notFound()
  const activity = await manageActivity(ctx, activityId, 'pass:issue', asking)
  if (activity.owner !== ownerKey(owner)) throw notFound()
  return issue(ctx, activity, { ...input, templateId }, asking)
}

async function issue(
  ctx: AppContext,
  activity: ActivityRow,
  input: IssuePasses,
  asking: Asking,
): Promise<IssuedPasses> {
  refuseIfDisabled(activity)
  const { userId } = asking.viewer
  const requestId = input.requestId ?? null
  if (requestId !== null) {
    const earlier = await store.findIssue(ctx.db.read, activity.id, userId, requestId)
    if (earlier !== undefined) return issuedBefore(ctx, earlier, asking)
  }
  const most = input.toRegistered
    ? (input.registrationIds?.length ?? Math.min((await findCounters(ctx.db.read, activity.id)).confirmed, MAX_HOLDERS))
    : (input.holders?.length ?? 1)
  const issued = await inTurn(ctx, userId, most, () => issueNow(ctx, activity, input, asking))
  return typeof issued === 'number' ? issuedBefore(ctx, issued, asking) : issued
}

/** The passes of an earlier request. */
async function issuedBefore(ctx: AppContext, issueId: number, { viewer, caller }: Asking): Promise<IssuedPasses> {
  const count = await store.countOfIssue(ctx.db.read, issueId)
  const refusal = await ctx.exactLimiter.takeAll(await usesOf(ctx, REPEATED_PASSES, { actor: viewer, caller }, count))
  if (refusal) throw budgetUsedUp(refusal)
  return inTurn(ctx, viewer.userId, count, async () => answer(ctx, await passesOfIssue(ctx, issueId)))
}

/** The end of the last large request, and how many each user has that wait or run. */
const turns = perContext(() => ({ ended: Promise.resolve() as Promise<unknown>, ofUser: new Map<number, number>() }))

/** Each holds its body in memory, and those of one user must not keep the others waiting for long. */
const MAX_WAITING = 4
/** A large request takes some seconds on a busy machine. */
const RETRY_SECONDS = 5

/**
 * Large batches run one after another, because each takes about a second and 50 MB. @throws AppError 429 if the user has too many of them
 */
async function inTurn<T>(ctx: AppContext, userId: number, passes: number, run: () => Promise<T>): Promise<T> {
  if (passes <= SMALL) return run()
  const queue = turns(ctx)
  const waiting = queue.ofUser.get(userId) ?? 0
  if (waiting >= MAX_WAITING)
    throw limited(
      'Your last large requests are still running, try again later',
      '你之前的大批量请求尚未完成，请稍后再试',
      RETRY_SECONDS,
    )
  queue.ofUser.set(userId, waiting + 1)
  const turn = queue.ended.then(run)
  queue.ended = turn.catch(() => undefined)
  try {
    return await turn
  } finally {
    const left = queue.ofUser.get(userId)! - 1
    if (left === 0) queue.ofUser.delete(userId)
    else queue.ofUser.set(userId, left)
  }
}

/** Returns the id of an equal request if it came at the same time and has issued the passes. */
async function issueNow(
  ctx: AppContext,
  activity: ActivityRow,
  input: IssuePasses,
  asking: Asking,
): Promise<IssuedPasses | number> {
  const { userId } = asking.viewer
  const requestId = input.requestId ?? null
  const named = holdersOf(input)
  const holders = named ?? (await registeredHolders(ctx, activity.id, input))
  // Users who have registered are no strangers.
  if (named !== undefined) await countStrangers(ctx, activity, holders, asking)
  const uses = await usesOf(ctx, ISSUED_PASSES, { actor: { userId }, caller: asking.caller }, holders.length)
  const key = await currentKey(ctx)
  const issued = await ctx.db.write(
    'passes.issue',
    async (tx) => {
      const issueId = await store.insertIssue(tx, activity.id, userId, requestId)
      if (issueId === undefined) return (await store.findIssue(tx, activity.id, userId, requestId!))!
      const now = ctx.clock.now()
      // Others may have got a pass or cancelled since they were read.
      const current = named ?? (await stillRegistered(tx, activity.id, holders, now))
      const spent = current.length === 0 ? [] : uses.map((use) => ({ ...use, cost: current.length }))
      const refusal = await spend(tx, spent, now)
      if (refusal !== undefined) throw budgetUsedUp(refusal)
      const row = await findActivity(tx, activity.id)
      if (row === undefined) throw notFound()
      return insert(ctx, tx, { activity: row, input, holders: current, issueId, keyId: key.id })
    },
    holders.length > SMALL ? { maxMs: MAX_MS } : {},
  )
  return typeof issued === 'number' ? issued : answer(ctx, issued)
}

/** So many passes are few: they can share a COMMIT with other writes, and wait for no other request. */
const SMALL = 100
/** 5,000 passes take a second or two; a busy machine may need longer. */
const MAX_MS = 60_000

interface Recipient {
  readonly path: string
  readonly userId: number | null
  readonly name: string
  readonly values: Readonly<Record<string, string>>
  readonly problems: FieldProblem[]
  /** Somebody who has registered without an account. */
  readonly guest?: store.GuestHolder
}

const checkHolders = itemChecker(Holder)
const checkValues = itemChecker(FieldValue)

/** Undefined for those who have registered. @throws AppError 400 unless there is exactly one way to name the holders */
function holdersOf(input: IssuePasses): Recipient[] | undefined {
  const { holders, userId = null, holderName = null, toRegistered, fields } = input
  const ways = [holders ?? null, userId, holderName, toRegistered || null].filter((way) => way !== null)
  if (ways.length !== 1)
    throw invalid(
      'body.holders',
      'is required, or userId, or holderName, or toRegistered: exactly one of them',
      '须提供 holders、userId、holderName 或 toRegistered 之一',
    )
  if (toRegistered) return undefined
  if (input.registrationIds != null) throw invalidAll([onlyRegistered('body.registrationIds')])
  const shared = fields ?? {}
  if (holders)
    return checkHolders(holders, 'body.holders').map((item, i) => recipientOf(item, `body.holders.${i}`, shared))
  return [recipientOf({ value: { userId, name: holderName }, problems: [] }, 'body', shared)]
}

/** Users with a place and without a live pass, in the order of their ids, and at most as many as one request may name. */
async function registeredHolders(
  ctx: AppContext,
  activityId: number,
  { fields, registrationIds }: IssuePasses,
): Promise<Recipient[]> {
  const { values, problems } = recipientOf({ value: { name: 'everyone', fields }, problems: [] }, 'body', {})
  if (problems.length > 0) throw invalidAll(problems)
  if (registrationIds != null) return holdersAmong(ctx, activityId, registrationIds, values)
  const holders: Recipient[] = []
  for (let after = 0; holders.length < MAX_HOLDERS;) {
    const ids = await registeredUsers(ctx.db.read, activityId, after, USERS_PER_QUERY)
    const waiting = await store.registeredWithoutPass(ctx.db.read, activityId, ids, ctx.clock.now())
    for (const userId of ids.filter((id) => waiting.has(id)))
      holders.push({ path: 'body', userId, name: '', values, problems: [] })
    if (ids.length < USERS_PER_QUERY) break
    after = ids.at(-1)!
    await pause()
  }
  for (let after = 0; holders.length < MAX_HOLDERS;) {
    const ids = await confirmedGuests(ctx.db.read, activityId, after, USERS_PER_QUERY)
    const guests = await store.guestsWithoutPass(ctx.db.read, activityId, ids, ctx.clock.now())
    for (const guest of guests.values())
      holders.push({ path: 'body', userId: null, name: guest.name, values, problems: [], guest })
    if (ids.length < USERS_PER_QUERY) break
    after = ids.at(-1)!
    await pause()
  }
  return holders.slice(0, MAX_HOLDERS)
}

/** The same for these registrations. @throws AppError 400 if the activity does not have one of them */
async function holdersAmong(
  ctx: AppContext,
  activityId: number,
  ids: readonly number[],
  values: Recipient['values'],
): Promise<Recipient[]> {
  const { read } = ctx.db
  const rows = await findByIds(read, activityId, ids)
  const known = new Set(rows.map(({ id }) => id))
  const unknown = [...ids.entries()].filter(([, id]) => !known.has(id))
  if (unknown.length > 0) throw invalidAll(unknown.map(([i]) => noSuchRegistration(`body.registrationIds.${i}`)))
  const now = ctx.clock.now()
  const userIds = rows.flatMap(({ userId }) => userId ?? [])
  const users = await store.registeredWithoutPass(read, activityId, userIds, now)
  const guestIds = rows.flatMap(({ id, userId }) => (userId === null ? [id] : []))
  const guests = await store.guestsWithoutPass(read, activityId, guestIds, now)
  const shared = { path: 'body', values, problems: [] }
  return [
    ...[...users].map((userId) => ({ ...shared, userId, name: '' })),
    ...[...guests.values()].map((guest) => ({ ...shared, userId: null, name: guest.name, guest })),
  ]
}

async function stillRegistered(
  tx: Tx,
  activityId: number,
  holders: readonly Recipient[],
  now: number,
): Promise<Recipient[]> {
  const current: Recipient[] = []
  for (const some of chunksOf(holders, USERS_PER_QUERY)) {
    const waiting = await store.registeredWithoutPass(tx, activityId, userIdsOf(some), now)
    const guestIds = some.flatMap(({ guest }) => guest?.id ?? [])
    const guests = await store.guestsWithoutPass(tx, activityId, guestIds, now)
    // Their expired passes may not have been ended yet.
    await store.expirePassesOf(
      tx,
      activityId,
      guestIds.map((id) => -id),
      now,
    )
    for (const holder of some)
      if (holder.guest === undefined ? waiting.has(holder.userId!) : guests.has(holder.guest.id)) current.push(holder)
    await tx.pause()
  }
  return current
}

function recipientOf({ value, problems }: CheckedItem<Holder>, path: string, shared: object): Recipient {
  if (value === undefined) return { path, userId: null, name: '', values: {}, problems }
  const { userId = null, name = null, fields } = value
  if ((userId === null) === (name === null)) problems.push(oneOf(path))
  const values: Record<string, string> = {}
  for (const [key, given] of Object.entries({ ...shared, ...fields })) {
    const [checked] = checkValues([given], path)
    for (const { text } of checked!.problems) problems.push({ path: `${path}.fields.${key.slice(0, 50)}`, text })
    values[key] = checked!.value ?? ''
  }
  return { path, userId, name: name ?? '', values, problems }
}

const userIdsOf = (holders: readonly Recipient[]): number[] => [
  ...new Set(holders.flatMap(({ userId }) => (userId === null ? [] : [userId]))),
]

export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

/** Counted in a write of its own, so that refused requests count too: they also tell which users exist. */
async function countStrangers(
  ctx: AppContext,
  activity: ActivityRow,
  holders: readonly Recipient[],
  { viewer, caller }: Asking,
): Promise<void> {
  let strangers = 0
  for (const ids of chunksOf(userIdsOf(holders), USERS_PER_QUERY)) {
    const known = await store.participants(ctx.db.read, activity, ids)
    strangers += ids.filter((id) => id !== viewer.userId && !known.has(id)).length
  }
  const uses = await usesOf(ctx, PASSES_FOR_STRANGERS, { actor: viewer, caller }, strangers)
  if (uses.length === 0) return
  const refusal = await ctx.db.write('passes.countStrangers', (tx) => spend(tx, uses, ctx.clock.now()))
  if (refusal !== undefined) throw budgetUsedUp(refusal)
}

interface Batch {
  readonly activity: ActivityRow
  readonly input: IssuePasses
  readonly holders: readonly Recipient[]
  readonly issueId: number
  readonly keyId: number
}

async function insert(ctx: AppContext, tx: Tx, batch: Batch): Promise<PassRow[]> {
  const { activity, input, holders, issueId, keyId } = batch
  if (!activity.hasPass) throw badRequest('The activity has no passes', '该活动未启用通行证')
  if (activity.status === 'ENDED' || activity.status === 'CANCELLED')
    throw badRequest('The activity has ended or was cancelled', '活动已结束或已取消')
  const template = await templateOf(tx, activity, input)
  const now = ctx.clock.now()
  const values = valuesOf(input, template, activity, now)
  const end = values.validTo ?? activity.endTime
  if (values.validFrom !== null && (end < values.validFrom || values.validFrom > MAX_TOKEN_TIME))
    throw invalid('body.validTo', 'must not be before validFrom', '不能早于 validFrom')

  // Holders who have registered share their values, of which a problem is reported once.
  const known = new Map<Recipient['values'], PassField[]>()
  const fields: PassField[][] = holders.map(({ values: given, path, problems }) => {
    const made = known.get(given) ?? fieldsOf(given, template, `${path}.fields`, problems)
    known.set(given, made)
    return made
  })
  const names = await checkUsers(tx, activity.id, holders, now)
  const problems = holders.flatMap((holder) => holder.problems)
  if (problems.length > 0) throw invalidAll(problems)

  // One that follows the activity lives again when the end is moved.
  const isOver = !values.followsActivity && end < now
  const rows: PassRow[] = []
  for (const some of chunksOf([...holders.entries()], PASSES_PER_STATEMENT)) {
    const inserted = await store.insertPasses(
      tx,
      some.map(([i, { userId, name, guest }]) => ({
        uuid: uuid(),
        activityId: activity.id,
        issueId,
        templateId: template?.id ?? null,
        color: template?.color ?? '',
        holderUserId: userId,
        registrationId: guest?.id ?? null,
        liveHolderId: isOver ? null : (userId ?? (guest === undefined ? null : personOf({ userId, id: guest.id }))),
        holderName: userId === null ? name : names.get(userId)!,
        fields: fields[i]!,
        keyId,
        ...values,
      })),
    )
    for (const row of inserted) rows.push(row)
    await tx.pause()
  }
  await store.countPasses(tx, activity.id, rows.length)
  await notifyHolders(ctx, tx, activity, [
    ...[...names.keys()].map((userId) => ({ userId })),
    ...holders.flatMap(({ guest }) => (guest === undefined ? [] : [{ ...guest, userId: null }])),
  ])
  return rows
}

export async function templateOf(
  tx: Tx,
  activity: ActivityRow,
  { templateId }: Pick<IssuePasses, 'templateId'>,
): Promise<TemplateRow | undefined> {
  if (templateId != null) {
    const template = await findTemplate(tx, activity.owner, templateId)
    if (template === undefined) throw notFound()
    return template
  }
  return activity.passTemplateId === null ? undefined : findTemplate(tx, activity.owner, activity.passTemplateId)
}

/** The nicknames of the holders with accounts. Adds problems to holders who cannot get a pass. */
async function checkUsers(
  tx: Tx,
  activityId: number,
  holders: readonly Recipient[],
  now: number,
): Promise<Map<number, string>> {
  const names = new Map<number, string>()
  const taken = new Set<number>()
  for (const ids of chunksOf(userIdsOf(holders), USERS_PER_QUERY)) {
    for (const [id, name] of await store.activeUsers(tx, ids)) names.set(id, name)
    await store.expirePassesOf(tx, activityId, ids, now)
    for (const id of await store.liveHolders(tx, activityId, ids)) taken.add(id)
    await tx.pause()
  }
  const seen = new Set<number>()
  for (const { userId, path, problems } of holders) {
    if (userId === null) continue
    const at = `${path}.userId`
    if (!names.has(userId)) problems.push(noSuchUser(at))
    else if (seen.has(userId)) problems.push(twice(at))
    else if (taken.has(userId)) problems.push(hasPass(at))
    seen.add(userId)
  }
  return names
}

export async function notifyHolders(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  people: readonly Person[],
): Promise<void> {
  for (const some of chunksOf(people, USERS_PER_NOTICE)) {
    await tellPeople(ctx, tx, activity, 'PASS', some)
    await tx.pause()
  }
}

/** Rows read or signed between two pauses. */
const ROWS_PER_TURN = 50

async function passesOfIssue(ctx: AppContext, issueId: number): Promise<PassRow[]> {
  const rows: PassRow[] = []
  for (;;) {
    const some = await store.passesOfIssue(ctx.db.read, issueId, rows.at(-1)?.id ?? 0, ROWS_PER_TURN * 4)
    for (const row of some) rows.push(row)
    if (some.length < ROWS_PER_TURN * 4) return rows
    await pause()
  }
}

async function answer(ctx: AppContext, rows: readonly PassRow[]): Promise<IssuedPasses> {
  const items: IssuedPasses['items'] = []
  for (const some of chunksOf(rows, ROWS_PER_TURN)) {
    for (const row of some) items.push(await toPassView(ctx, row, { showsContent: true }))
    if (items.length < rows.length) await pause()
  }
  return { items }
}
