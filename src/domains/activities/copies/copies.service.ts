/** Copies of activities, one at a time or as a series. */

import type { AppContext } from '#context'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { copyFile, findFile, mayRead, type StorageQuota, storageQuota } from '#domains/files/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { uuid } from '#platform/ids.ts'

import * as errors from '../activities.errors.ts'
import { type ActivityRow, findActivity } from '../activities.store.ts'
import { allLists, insertLists, type ListValues } from '../check-in-lists/check-in-lists.store.ts'
import { copyTemplate } from '../pass-templates/pass-templates.service.ts'
import { type ActivityView, CREATION_BUDGET } from '../register/register.model.ts'
import { zoneOf } from '../register/register.rules.ts'
import { addCopies } from '../register/register.service.ts'
import { setNewCover } from '../register/register.store.ts'
import { toView } from '../register/register.view.ts'
import {
  type Asking,
  manageActivity,
  MANAGER_POINT,
  manages,
  refuseIfDisabled,
} from '../visibility/visibility.service.ts'
import {
  ALL_PARTS,
  type CopiedPart,
  type CopyActivity,
  type CreateSeries,
  MAX_SERIES,
  type Repetition,
  type SeriesView,
} from './copies.model.ts'
import { copyOf, mover, seriesDates } from './copies.rules.ts'

/** Everything that a write needs to know besides the activity itself. */
interface Plan {
  readonly owner: Owner
  readonly name: string | undefined
  readonly starts: readonly number[]
  readonly parts: ReadonlySet<CopiedPart>
  readonly seriesId: string | null
  readonly readsCover: boolean
  readonly readsTemplate: boolean
  readonly quota: number
  readonly storage: StorageQuota
}

/** Adds a DRAFT like an activity that the caller manages. @throws AppError 400, 403, 404, 429 */
export async function copyActivity(
  ctx: AppContext,
  id: number,
  input: CopyActivity,
  asking: Asking,
): Promise<ActivityView> {
  const { userId, orgId: named } = asking.viewer
  // The organization in the body gets the copy. It need not be that of the activity, which the query can name.
  const viewer = input.orgId == null ? asking.viewer : { userId, orgId: 0 }
  const source = await findSource(ctx, id, { ...asking, viewer })
  const orgId = input.orgId === undefined ? orgOf(source.owner) : (input.orgId ?? 0)
  const plan = await planFor(ctx, source, { userId, orgId }, named)
  const parts = input.include === undefined ? ALL_PARTS : new Set(input.include)
  const [copy] = await write(ctx, 'copy', id, {
    ...plan,
    name: input.name ?? undefined,
    starts: [input.startTime],
    parts,
    seriesId: null,
  })
  return viewOf(ctx, copy!, userId)
}

/** Adds the activities of a series after one that the caller manages, all or none. @throws AppError 400, 403, 404, 429 */
export async function createSeries(
  ctx: AppContext,
  id: number,
  input: CreateSeries,
  asking: Asking,
): Promise<SeriesView> {
  const source = await findSource(ctx, id, asking)
  const { viewer, caller } = asking
  const { starts, skipped } = datesOf(source, input)
  if (input.dryRun === true) return { seriesId: null, starts: [...starts], items: [], skipped: [...skipped] }
  const plan = await planFor(ctx, source, { userId: viewer.userId, orgId: orgOf(source.owner) }, viewer.orgId)
  const uses = await usesOf(ctx, CREATION_BUDGET, { actor: viewer, caller }, starts.length)
  const refusal = await ctx.exactLimiter.takeAll(uses)
  if (refusal) throw budgetUsedUp(refusal)
  const copies = await write(ctx, 'createSeries', id, {
    ...plan,
    name: undefined,
    starts,
    parts: ALL_PARTS,
    seriesId: uuid(),
  })
  const items = await Promise.all(copies.map((copy) => viewOf(ctx, copy, viewer.userId)))
  return { seriesId: copies[0]!.seriesId, starts: [...starts], items, skipped: [...skipped] }
}

async function findSource(ctx: AppContext, id: number, asking: Asking): Promise<ActivityRow> {
  const row = await manageActivity(ctx, id, 'activity:create', asking)
  refuseIfDisabled(row)
  return row
}

/** @throws AppError 400 */
function datesOf(row: ActivityRow, input: CreateSeries): ReturnType<typeof seriesDates> {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)) as Repetition
  const { every, count, until, weekdays, dates, interval } = given
  const problems: FieldProblem[] = []
  if ((every === undefined) === (dates === undefined)) problems.push(errors.repeatOneWay('body.every'))
  if (every !== undefined && (count === undefined) === (until === undefined))
    problems.push(errors.endOneWay('body.count'))
  if (weekdays !== undefined && every !== undefined && every !== 'WEEK')
    problems.push(errors.weekdaysOfWeeks('body.weekdays'))
  if (dates !== undefined)
    for (const [name, value] of Object.entries({ interval, count, until, weekdays }))
      if (value !== undefined) problems.push(errors.notWithDates(`body.${name}`))
  if (problems.length > 0) throw invalidAll(problems)
  if (dates !== undefined) return { starts: dates.toSorted((a, b) => a - b), skipped: [] }
  const found = seriesDates(row.startTime, zoneOf(row), given)
  if (found.starts.length > MAX_SERIES) throw invalidAll([errors.tooManyDates(MAX_SERIES)('body.until')])
  if (found.starts.length === 0 || (count !== undefined && found.starts.length < count))
    throw invalidAll([errors.noDates(count === undefined ? 'body.until' : 'body.count')])
  return found
}

/** `checked`: the organization in which the server has checked the permission. @throws AppError 403 */
async function planFor(
  ctx: AppContext,
  source: ActivityRow,
  owner: Owner,
  checked: number,
): Promise<Pick<Plan, 'owner' | 'readsCover' | 'readsTemplate' | 'quota' | 'storage'>> {
  const { userId, orgId } = owner
  if (orgId !== 0 && orgId !== checked) await access.requirePoint(ctx, userId, orgId, 'activity:create')
  const from = orgOf(source.owner)
  const staysWithOwner = source.owner === ownerKey(owner)
  const cover = { entityType: 'ACTIVITY', entityId: source.id, uploaderId: 0 } as const
  return {
    owner,
    readsCover: staysWithOwner || (await mayRead(ctx, userId, cover)),
    readsTemplate: from === 0 || (await access.can(ctx, userId, 'ORG', from, 'pass:read')),
    quota: await getSetting(ctx, 'quota.activities'),
    storage: await storageQuota(ctx),
  }
}

const write = (ctx: AppContext, name: string, id: number, plan: Plan): Promise<ActivityRow[]> =>
  ctx.db.write(`activities.${name}`, async (tx) => {
    const row = await findActivity(tx, id)
    if (row === undefined) throw notFound()
    refuseIfDisabled(row)
    const { owner, parts } = plan
    // An activity of an organization for its members cannot stay so with a user.
    const visibility = row.visibility === 'RESTRICTED' && owner.orgId === 0 ? 'INVITE_ONLY' : row.visibility
    const templates = new Map<number, number | null>()
    const passTemplateId = parts.has('PASS_CONFIG')
      ? await templateFor(tx, row, row.passTemplateId, plan, templates)
      : null
    const copies = plan.starts.map((startTime) => {
      const fields = copyOf(row, { startTime, name: plan.name ?? row.name, parts })
      if (fields === undefined) throw invalidAll([errors.outOfRange('body.startTime')])
      // Another owner has not proved the address.
      const contactEmail = row.owner === ownerKey(owner) ? row.contactEmail : null
      return { ...fields, visibility, passTemplateId, contactEmail }
    })
    const added = await addCopies(ctx, tx, owner, copies, plan)
    if (parts.has('LISTS')) await copyLists(tx, row, added, plan, templates)
    return plan.readsCover && parts.has('COVER') ? withCovers(tx, row, added, plan) : added
  })

/** The template of the new owner for one of the activity; null if there is none. `copied`: those that this write has copied. */
async function templateFor(
  tx: Tx,
  row: ActivityRow,
  id: number | null,
  { owner, readsTemplate }: Plan,
  copied: Map<number, number | null>,
): Promise<number | null> {
  if (id === null || row.owner === ownerKey(owner)) return id
  if (!copied.has(id)) copied.set(id, readsTemplate ? await copyTemplate(tx, row.owner, id, owner) : null)
  return copied.get(id)!
}

/** A list for some templates, of which the new owner gets none, is left out: without them it would admit everyone. */
async function copyLists(
  tx: Tx,
  row: ActivityRow,
  added: readonly ActivityRow[],
  plan: Plan,
  copied: Map<number, number | null>,
): Promise<void> {
  const lists: ListValues[] = []
  for (const list of await allLists(tx, row.id)) {
    const { name, kind, place, opensAt, closesAt, maxUses, requiresEntry } = list
    const templateIds: number[] = []
    for (const id of list.templateIds) {
      const template = await templateFor(tx, row, id, plan, copied)
      if (template !== null) templateIds.push(template)
    }
    if (list.templateIds.length === 0 || templateIds.length > 0)
      lists.push({ name, kind, place, opensAt, closesAt, maxUses, requiresEntry, templateIds })
  }
  if (lists.length === 0) return
  for (const { id, startTime } of added) {
    const move = mover(row.startTime, startTime, zoneOf(row))
    const moved = (at: number | null): number | null => {
      const to = at === null ? null : move(at)
      if (to === undefined) throw invalidAll([errors.outOfRange('body.startTime')])
      return to
    }
    const values = lists.map((list) => ({ ...list, opensAt: moved(list.opensAt), closesAt: moved(list.closesAt) }))
    await insertLists(tx, id, values, 0)
  }
}

/** Each copy has a file of its own, which counts in the storage of the owner; the bytes are stored once. */
async function withCovers(
  tx: Tx,
  { coverFileId }: ActivityRow,
  added: readonly ActivityRow[],
  { owner, storage }: Plan,
): Promise<ActivityRow[]> {
  const file = coverFileId === null ? undefined : await findFile(tx, coverFileId)
  if (file === undefined) return [...added]
  const covered: ActivityRow[] = []
  for (const { id } of added) {
    await setNewCover(tx, id, await copyFile(tx, file, owner, { entityType: 'ACTIVITY', entityId: id }, storage))
    covered.push((await findActivity(tx, id))!)
  }
  return covered
}

const viewOf = async (ctx: AppContext, row: ActivityRow, userId: number): Promise<ActivityView> =>
  toView(ctx, row, { isManager: await manages(ctx, userId, row, MANAGER_POINT), isMember: true })
