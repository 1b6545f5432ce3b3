/** Gates without an account: managers create them and hand over their links. */

import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { badRequest, limited, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { newLinkSecret } from '#platform/seal.ts'

import { isOver, noSuchList, problem } from '../activities.errors.ts'
import { type ActivityRow, findActivity } from '../activities.store.ts'
import { allLists } from '../check-in-lists/check-in-lists.store.ts'
import { canBeEdited } from '../register/register.rules.ts'
import {
  type Asking,
  manageActivity,
  MANAGER_POINT,
  manages,
  refuseIfDisabled,
} from '../visibility/visibility.service.ts'
import { DEFAULT_DEVICES, type GatesQuery, type GateView, type NewGate, type UpdateGate } from './gate-links.model.ts'
import { expiryOf, MAX_LIVE_GATES } from './gate-links.rules.ts'
import * as store from './gate-links.store.ts'
import { toViews } from './gate-links.view.ts'

/** Waiting does not help, but an hour keeps clients from trying again at once. */
const tooManyGates = () =>
  limited(
    `This activity has ${MAX_LIVE_GATES} gates already: end one first`,
    `该活动已有 ${MAX_LIVE_GATES} 个检票口，请先停用一个`,
    3600,
  )
const hasEnded = () => badRequest('This gate has ended: create a new one', '该检票口已停用，请新建一个')
const endsInPast = problem('must be in the future', '必须晚于当前时间')
const endsWithActivity = problem(
  'is required, because the activity ended more than 12 hours ago',
  '不能为空：活动已结束超过 12 小时',
)

type Settings = Pick<
  store.GateRow,
  'name' | 'listIds' | 'showNames' | 'canUndo' | 'canSearch' | 'direction' | 'maxDevices' | 'expiresAt'
>

/** Absent fields are those of `before`, and null gives the default. */
function settingsOf(input: UpdateGate, before: Settings): Settings {
  const chosen = <T>(value: T | null | undefined, kept: T, initial: T): T =>
    value === undefined ? kept : (value ?? initial)
  const showNames = chosen(input.showNames, before.showNames, true)
  return {
    name: input.name ?? before.name,
    listIds: chosen(input.listIds, before.listIds, null),
    showNames,
    canUndo: chosen(input.canUndo, before.canUndo, true),
    canSearch: showNames && chosen(input.canSearch, before.canSearch, true),
    direction: chosen(input.direction, before.direction, 'BOTH'),
    maxDevices: chosen(input.maxDevices, before.maxDevices, DEFAULT_DEVICES),
    expiresAt: chosen(input.expiresAt, before.expiresAt, null),
  }
}

const NEW_GATE: Settings = {
  name: '',
  listIds: null,
  showNames: true,
  canUndo: true,
  canSearch: true,
  direction: 'BOTH',
  maxDevices: DEFAULT_DEVICES,
  expiresAt: null,
}

/** @throws AppError 400 if a gate with these settings would have expired already */
function refusePast(settings: Settings, activity: ActivityRow, now: number): void {
  if (expiryOf(settings, activity) > now) return
  throw invalidAll([(settings.expiresAt === null ? endsWithActivity : endsInPast)('body.expiresAt')])
}

/** @throws AppError 429 if the activity has as many live gates as it may */
async function checkRoom(tx: Tx, activity: ActivityRow, now: number): Promise<void> {
  const live = await store.countLive(tx, activity.id, expiryOf({ expiresAt: null }, activity), now)
  if (live >= MAX_LIVE_GATES) throw tooManyGates()
}

/** `kept`: lists that the gate names already, which may be deleted since. @throws AppError 400 */
async function checkLists(tx: Tx, id: number, { listIds }: Settings, kept: readonly (number | null)[]): Promise<void> {
  if (listIds === null) return
  const known = new Set((await allLists(tx, id)).map((list) => list.id))
  const problems = listIds.flatMap((listId, i) =>
    listId === null || known.has(listId) || kept.includes(listId) ? [] : [noSuchList(`body.listIds.${i}`)],
  )
  if (problems.length > 0) throw invalidAll(problems)
}

export const createGate = (ctx: AppContext, id: number, input: NewGate, asking: Asking): Promise<GateView> =>
  change(ctx, 'create', id, asking, async (tx, activity) => {
    if (!canBeEdited(activity.status)) throw isOver()
    const settings = settingsOf(input, NEW_GATE)
    refusePast(settings, activity, ctx.clock.now())
    await checkRoom(tx, activity, ctx.clock.now())
    await checkLists(tx, id, settings, [])
    return store.insertGate(tx, {
      ...settings,
      ...newLinkSecret(ctx.seal).columns,
      activityId: id,
      createdBy: asking.viewer.userId,
    })
  })

interface Named {
  readonly id: number
  readonly gateId: number
}

/** Devices of the gate have the new settings with their next request. @throws AppError 400 if it has ended */
export const updateGate = (
  ctx: AppContext,
  { id, gateId }: Named,
  input: UpdateGate,
  asking: Asking,
): Promise<GateView> =>
  change(ctx, 'update', id, asking, async (tx, activity) => {
    const row = await findOpen(tx, activity, gateId)
    const settings = settingsOf(input, row)
    const now = ctx.clock.now()
    if (settings.expiresAt !== row.expiresAt) refusePast(settings, activity, now)
    const isExpired = expiryOf(row, activity) <= now
    if (isExpired && expiryOf(settings, activity) > now) await checkRoom(tx, activity, now)
    await checkLists(tx, id, settings, row.listIds ?? [])
    return store.updateGate(tx, gateId, settings)
  })

/** A new link in place of the old one, whose devices end. @throws AppError 400 if it has ended */
export const renewGate = (ctx: AppContext, { id, gateId }: Named, asking: Asking): Promise<GateView> =>
  change(ctx, 'renew', id, asking, async (tx, activity) => {
    await findOpen(tx, activity, gateId)
    await store.endDevices(tx, gateId, ctx.clock.now())
    return store.updateGate(tx, gateId, { ...newLinkSecret(ctx.seal).columns, deviceCount: 0 })
  })

/** Ends the gate and its devices. One that was ended before stays as it is. */
export async function revokeGate(ctx: AppContext, { id, gateId }: Named, asking: Asking): Promise<void> {
  await change(ctx, 'revoke', id, asking, async (tx) => (await end(ctx, tx, id, gateId)).row)
}

async function end(
  ctx: AppContext,
  tx: Tx,
  id: number,
  gateId: number,
): Promise<{ readonly row: store.GateRow; readonly isNew: boolean }> {
  const row = await store.findGate(tx, id, gateId)
  if (row === undefined) throw notFound()
  if (row.revokedAt !== null) return { row, isNew: false }
  return { row: await store.updateGate(tx, gateId, { revokedAt: ctx.clock.now() }), isNew: true }
}

async function findOpen(tx: Tx, activity: ActivityRow, gateId: number): Promise<store.GateRow> {
  const row = await store.findGate(tx, activity.id, gateId)
  if (row === undefined) throw notFound()
  if (!canBeEdited(activity.status)) throw isOver()
  if (row.revokedAt !== null) throw hasEnded()
  return row
}

async function change(
  ctx: AppContext,
  name: string,
  id: number,
  asking: Asking,
  write: (tx: Tx, activity: ActivityRow) => Promise<store.GateRow>,
): Promise<GateView> {
  await manageActivity(ctx, id, MANAGER_POINT, asking)
  const { row, activity } = await ctx.db.write(`gates.${name}`, async (tx) => {
    const activity = await findActivity(tx, id)
    if (activity === undefined) throw notFound()
    refuseIfDisabled(activity)
    return { row: await write(tx, activity), activity }
  })
  const [view] = await toViews(ctx, ctx.db.read, [row], activity, true)
  return view!
}

/** Those who may only verify passes do not see the links. */
export async function listGates(
  ctx: AppContext,
  id: number,
  query: GatesQuery,
  asking: Asking,
): Promise<Page<GateView>> {
  const activity = await manageActivity(ctx, id, 'pass:verify', asking)
  return gatesOf(ctx, activity, query, await manages(ctx, asking.viewer.userId, activity, MANAGER_POINT))
}

async function gatesOf(
  ctx: AppContext,
  activity: ActivityRow,
  query: GatesQuery,
  showsLink: boolean,
): Promise<Page<GateView>> {
  const { items, ...page } = await store.gatesPage(ctx.db.read, activity.id, query)
  return { ...page, items: await toViews(ctx, ctx.db.read, items, activity, showsLink) }
}

/** Gates of any activity, for administrators. They do not see the links. */
export async function listAnyGates(ctx: AppContext, id: number, query: GatesQuery): Promise<Page<GateView>> {
  const activity = await findActivity(ctx.db.read, id)
  if (activity === undefined) throw notFound()
  return gatesOf(ctx, activity, query, false)
}

export async function revokeAnyGate(ctx: AppContext, actor: LoggedActor, { id, gateId }: Named): Promise<void> {
  await actor.write('gates.revokeAny', async (tx) => {
    if ((await findActivity(tx, id)) === undefined) throw notFound()
    const { row, isNew } = await end(ctx, tx, id, gateId)
    if (!isNew) return { result: undefined, logged: 'unchanged' }
    const fields = { activityId: id, isRevoked: false }
    const after = { activityId: id, isRevoked: true }
    return { result: undefined, logged: { targetId: gateId, targetName: row.name, before: fields, after } }
  })
}
