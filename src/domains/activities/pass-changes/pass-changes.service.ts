/** Changes of issued passes: one, or all that a filter selects. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { badRequest, type FieldProblem } from '#http/errors.ts'
import { noPermission } from '#http/permissions.ts'
import { invalidAll, itemChecker } from '#http/validate.ts'
import { pause } from '#lib/pause.ts'

import { noSuchPass, problem } from '../activities.errors.ts'
import { type ActivityRow, findActivity } from '../activities.store.ts'
import type { BatchResult } from '../batches/batches.model.ts'
import { type Counted, forecast, runBatch } from '../batches/batches.service.ts'
import { FieldValue } from '../pass-issues/pass-issues.model.ts'
import { expirePassesOf, liveUntil } from '../pass-issues/pass-issues.store.ts'
import { templatesById } from '../pass-templates/pass-templates.store.ts'
import type { PassView } from '../passes/passes.model.ts'
import { managedPass, tellHolder, toPassView } from '../passes/passes.service.ts'
import { findPass, type PassRow } from '../passes/passes.store.ts'
import { tellPeople } from '../personal-mails.service.ts'
import { findGuests } from '../registrations/guests.store.ts'
import { type Asking, manageActivity, refuseIfDisabled } from '../visibility/visibility.service.ts'
import type { ChangePasses, PassFilter, UpdatePass } from './pass-changes.model.ts'
import { changeOf, type PassChange, problemsOf } from './pass-changes.rules.ts'
import * as store from './pass-changes.store.ts'

const holderHasPass = problem(
  'would make the pass live, but its holder has another live pass for this activity',
  '会使该通行证生效，但持有人已有此活动的其他有效通行证',
)
const isRevoked = () => badRequest('A revoked pass cannot be changed', '已作废的通行证不能修改')
const valuesNeeded = problem('is required: name what to change', '不能为空：请指定要修改的内容')

/** Changes a pass of an activity that the caller manages. The holder is notified of other times. */
export async function updatePass(
  ctx: AppContext,
  passId: number,
  input: UpdatePass,
  asking: Asking,
): Promise<PassView> {
  const { activity } = await managedPass(ctx, passId, 'pass:issue', asking)
  const { orgId: _, ...values } = input
  const change = changeIn(values, 'body')
  const row = await ctx.db.write('passes.update', async (tx) => {
    const before = (await findPass(tx, passId))!
    if (before.revokedAt !== null) throw isRevoked()
    const now = ctx.clock.now()
    const current = (await findActivity(tx, activity.id))!
    const [decision] = await decide(tx, current, [before], { change, now, path: 'body', taken: new Set() })
    if (decision === undefined) return before
    if (Array.isArray(decision)) throw invalidAll(decision)
    const [after] = await write(tx, activity.id, [decision], now)
    if (decision.changesTimes) await tellHolder(ctx, tx, activity, after!, 'CHANGED')
    return after!
  })
  return toPassView(ctx, row, { showsContent: true })
}

const checkValues = itemChecker(FieldValue)

/** @throws AppError 400 with all problems */
function changeIn({ fields, ...rest }: Omit<UpdatePass, 'orgId'>, path: string): PassChange {
  const texts: Record<string, string> = {}
  const problems: FieldProblem[] = []
  for (const [key, given] of Object.entries(fields ?? {})) {
    const [checked] = checkValues([given], path)
    for (const { text } of checked!.problems) problems.push({ path: `${path}.fields.${key.slice(0, 50)}`, text })
    texts[key] = checked!.value ?? ''
  }
  const change = { ...rest, ...(fields !== undefined && { fields: texts }) }
  problems.push(...problemsOf(change, path))
  if (problems.length > 0) throw invalidAll(problems)
  return change
}

type Decision = (store.RowChange & { readonly changesTimes: boolean }) | FieldProblem[] | undefined

interface Decided {
  readonly change: PassChange
  readonly now: number
  /** Of the request. */
  readonly path: string
  /** Users whose live pass is known. The live passes of `rows` are added. */
  readonly taken: Set<number>
}

/** The changes of passes that are not revoked, in their order: undefined for those that have the values already. */
async function decide(
  db: Db | Tx,
  activity: ActivityRow,
  rows: readonly PassRow[],
  { change, now, path, taken }: Decided,
): Promise<Decision[]> {
  const { id, owner, endTime } = activity
  const templates =
    change.fields &&
    (await templatesById(
      db,
      owner,
      rows.flatMap(({ templateId }) => templateId ?? []),
    ))
  const changes = rows.map((row) => {
    const template = row.templateId === null ? undefined : templates?.get(row.templateId)
    return changeOf(row, change, { template, endTime, now, path })
  })
  const becoming: number[] = []
  for (const [i, { liveHolderId, validTo }] of rows.entries()) {
    const made = changes[i]
    const isChange = made !== undefined && 'set' in made
    const staysCurrent = isChange && made.changesValidity ? made.isCurrent : validTo === null || validTo >= now
    if (liveHolderId !== null && staysCurrent) taken.add(liveHolderId)
    if (isChange && made.becomesLiveOf !== null) becoming.push(made.becomesLiveOf)
  }
  const ends = becoming.length > 0 ? await liveUntil(db, id, becoming) : new Map<number, number | null>()
  return changes.map((made, i): Decision => {
    if (made === undefined) return undefined
    if (!('set' in made)) return [...made]
    const userId = made.becomesLiveOf
    if (userId === null) return { ...made, row: rows[i]! }
    const end = ends.get(userId)
    // A pass that follows and has expired gives way to one that is valid.
    const isFree = end === undefined || (made.isCurrent && end !== null && end < now)
    if (taken.has(userId) || !isFree) return [holderHasPass(path)]
    taken.add(userId)
    return { ...made, row: rows[i]! }
  })
}

async function write(tx: Tx, activityId: number, changes: readonly store.RowChange[], now: number): Promise<PassRow[]> {
  const becoming = changes.flatMap(({ becomesLiveOf }) => becomesLiveOf ?? [])
  if (becoming.length > 0) await expirePassesOf(tx, activityId, becoming, now)
  return store.changePasses(tx, changes, now)
}

/** Passes that are read at once when they are counted. */
const ROWS_PER_READ = 1000

/** Updates or revokes the passes that the filter selects, 5,000 at most. */
export async function changePasses(
  ctx: AppContext,
  activityId: number,
  input: ChangePasses,
  asking: Asking,
): Promise<BatchResult> {
  const { action, filter, dryRun, notify, requestId = null } = input
  await checkRights(ctx, activityId, action === 'UPDATE' ? 'pass:issue' : 'pass:revoke', asking)
  await requirePasses(ctx.db.read, activityId, filter.ids)
  const work = action === 'UPDATE' ? updating(ctx, input) : revoking(ctx, input)
  const { userId } = asking.viewer
  const pieces = (after: number) => piecesOf(ctx, userId, { activityId, filter, work, after })
  const count = async (): Promise<Counted> => {
    let matched = 0
    let toChange = 0
    for await (const { rows, needing } of pieces(0)) {
      matched += rows.length
      toChange += needing.length
    }
    return { matched, toChange }
  }
  if (dryRun) return forecast(await count())
  const values = { values: input.values ?? null, reason: input.reason ?? null }
  // Absent in requests of the version before, which may be repeated.
  const asked = { action, filter, ...values, ...(notify && { notify }) }
  return runBatch(
    ctx,
    { activityId, userId, requestId, asked },
    {
      count,
      async next(after, limit) {
        const ids: number[] = []
        for await (const { needing } of pieces(after)) {
          ids.push(...needing.map(({ id }) => id))
          if (ids.length >= limit) break
        }
        return ids.slice(0, limit)
      },
      async change(tx, ids) {
        const activity = await findActivity(tx, activityId)
        if (activity === undefined) return 0
        refuseIfDisabled(activity)
        const now = ctx.clock.now()
        const rows = await store.selectedPasses(tx, activityId, filter, now, { ids })
        return work.change(tx, activity, rows, now)
      },
    },
  )
}

interface Walk {
  readonly activityId: number
  readonly filter: PassFilter
  readonly work: Action
  readonly after: number
}

/** The selected passes after the id `after` in pieces, and those of them that need the change. */
async function* piecesOf(ctx: AppContext, userId: number, { activityId, filter, work, after }: Walk) {
  const taken = new Set<number>()
  for (let last: number | undefined = after; last !== undefined;) {
    const now = ctx.clock.now()
    const some: { after: number; limit: number } = { after: last, limit: ROWS_PER_READ }
    const rows: PassRow[] = await ctx.db.search(userId, (db) => store.selectedPasses(db, activityId, filter, now, some))
    const activity = await findActivity(ctx.db.read, activityId)
    if (activity === undefined) return
    yield { rows, needing: await work.needing(ctx.db.read, activity, rows, now, taken) }
    last = rows.length < ROWS_PER_READ ? undefined : rows.at(-1)!.id
    await pause()
  }
}

/** @throws AppError 403 or 404 */
async function checkRights(
  ctx: AppContext,
  activityId: number,
  point: 'pass:issue' | 'pass:revoke',
  asking: Asking,
): Promise<void> {
  const { userId, orgId } = asking.viewer
  if (orgId !== 0) await access.requirePoint(ctx, userId, orgId, point)
  else if (!(await access.can(ctx, userId, 'APP', 0, point))) throw noPermission
  refuseIfDisabled(await manageActivity(ctx, activityId, point, asking))
}

/** @throws AppError 400 if the activity does not have one of them */
async function requirePasses(db: Db, activityId: number, ids: readonly number[] = []): Promise<void> {
  if (ids.length === 0) return
  const known = await store.passesAmong(db, activityId, ids)
  const unknown = [...ids.entries()].filter(([, id]) => !known.has(id))
  if (unknown.length > 0) throw invalidAll(unknown.map(([i]) => noSuchPass(`body.filter.ids.${i}`)))
}

interface Action {
  needing(
    db: Db,
    activity: ActivityRow,
    rows: readonly PassRow[],
    now: number,
    taken: Set<number>,
  ): Promise<readonly PassRow[]>
  /** Returns the number of changed rows. */
  change(tx: Tx, activity: ActivityRow, rows: readonly PassRow[], now: number): Promise<number>
}

const notRevoked = (rows: readonly PassRow[]): PassRow[] => rows.filter(({ revokedAt }) => revokedAt === null)

const revoking = (ctx: AppContext, { reason, notify }: ChangePasses): Action => ({
  needing: async (_db, _activity, rows) => notRevoked(rows),
  async change(tx, activity, rows) {
    const changing = notRevoked(rows)
    const ids = changing.map(({ id }) => id)
    if (notify) await tellHolders(ctx, tx, activity, 'PASS_REVOKED', changing)
    return store.revokePasses(tx, ids, reason ?? '')
  },
})

/** Notifies the users and guests whose live passes these are. */
async function tellHolders(
  ctx: AppContext,
  tx: Tx,
  activity: ActivityRow,
  kind: 'PASS_CHANGED' | 'PASS_REVOKED',
  rows: readonly PassRow[],
): Promise<void> {
  const people = [...new Set(rows.flatMap(({ liveHolderId }) => liveHolderId ?? []))]
  const users = people.filter((person) => person > 0).map((userId) => ({ userId }))
  const guestIds = people.filter((person) => person < 0).map((person) => -person)
  const guests = guestIds.length === 0 ? [] : await findGuests(tx, guestIds)
  await tellPeople(ctx, tx, activity, kind, [...users, ...guests])
}

function updating(ctx: AppContext, { values, notify }: ChangePasses): Action {
  if (values == null || Object.keys(values).length === 0) throw invalidAll([valuesNeeded('body.values')])
  const change = changeIn(values, 'body.values')
  const changesOf = async (
    db: Db | Tx,
    activity: ActivityRow,
    rows: readonly PassRow[],
    now: number,
    taken: Set<number>,
  ) =>
    (await decide(db, activity, notRevoked(rows), { change, now, path: 'body.values', taken })).flatMap((decision) =>
      decision === undefined || Array.isArray(decision) ? [] : [decision],
    )
  return {
    needing: async (...given) => (await changesOf(...given)).map(({ row }) => row),
    async change(tx, activity, rows, now) {
      const changes = await changesOf(tx, activity, rows, now, new Set())
      const after = await write(tx, activity.id, changes, now)
      const isTold = new Set(changes.flatMap(({ row, changesTimes }) => (changesTimes ? [row.id] : [])))
      const told = after.filter(({ id }) => isTold.has(id))
      if (notify) await tellHolders(ctx, tx, activity, 'PASS_CHANGED', told)
      return after.length
    },
  }
}
