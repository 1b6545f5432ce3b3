/** Check-in lists of activities, such as workshops and meals. */

import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import { badRequest, type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'

import { isOver, noSuchList, noSuchTemplate, problem } from '../activities.errors.ts'
import { type ActivityRow, findActivity, IN_ORDER } from '../activities.store.ts'
import { templatesById } from '../pass-templates/pass-templates.store.ts'
import { canBeEdited } from '../register/register.rules.ts'
import { type Asking, manageActivity, refuseIfDisabled } from '../visibility/visibility.service.ts'
import { type CreateList, type ListsQuery, type ListView, MAX_LISTS, type UpdateList } from './check-in-lists.model.ts'
import * as store from './check-in-lists.store.ts'

/** Deleted lists are kept for their records. */
const MAX_WITH_DELETED = 1000
const tooManyLists = () =>
  badRequest(
    `An activity can have at most ${MAX_LISTS} check-in lists, and ${MAX_WITH_DELETED} with those that were deleted`,
    `一个活动最多有 ${MAX_LISTS} 个签到名单（含已删除的最多 ${MAX_WITH_DELETED} 个）`,
  )
const isOfGate = (name: string) =>
  badRequest(
    `The gate "${name}" is for this check-in list only: change or end it first`,
    `检票口“${name}”仅用于此签到名单，请先修改或停用该检票口`,
  )
const closesTooEarly = problem('must not be before opensAt', '不能早于 opensAt')

export async function listLists(
  ctx: AppContext,
  id: number,
  query: ListsQuery,
  asking: Asking,
): Promise<Page<ListView>> {
  await manageActivity(ctx, id, 'pass:verify', asking)
  return mapPage(await store.listsPage(ctx.db.read, id, query), toView)
}

const NEW_LIST: Omit<store.ListValues, 'name'> = {
  kind: 'OTHER',
  place: '',
  opensAt: null,
  closesAt: null,
  maxUses: 1,
  templateIds: [],
  requiresEntry: false,
}

/** @throws AppError 400 for the 101st list of the activity */
export const createList = (ctx: AppContext, id: number, input: CreateList, asking: Asking): Promise<ListView> =>
  change(ctx, 'createList', id, asking, async (tx, activity) => {
    const values = { ...NEW_LIST, name: input.name, ...changeOf(input) }
    await check(tx, activity, values, [])
    const { live, all, last } = await store.countLists(tx, id)
    if (live >= MAX_LISTS || all >= MAX_WITH_DELETED) throw tooManyLists()
    const [row] = await store.insertLists(tx, id, [values], last)
    return toView(row!)
  })

export const updateList = (
  ctx: AppContext,
  { id, listId }: { readonly id: number; readonly listId: number },
  input: UpdateList,
  asking: Asking,
): Promise<ListView> =>
  change(ctx, 'updateList', id, asking, async (tx, activity) => {
    const before = await store.findList(tx, id, listId)
    if (before === undefined) throw notFound()
    const values = { ...(input.name !== undefined && { name: input.name }), ...changeOf(input) }
    if (Object.keys(values).length === 0) return toView(before)
    await check(tx, activity, { ...before, ...values }, before.templateIds)
    return toView(await store.updateList(tx, id, listId, values))
  })

/** @throws AppError 400 if a filter names a list that the activity does not have */
export async function requireList(db: Db, id: number, listId: number | undefined, path: string): Promise<void> {
  if (listId !== undefined && (await store.findList(db, id, listId)) === undefined) throw invalidAll([noSuchList(path)])
}

/** The uses of its passes stay, with its name. */
export const deleteList = (
  ctx: AppContext,
  { id, listId }: { readonly id: number; readonly listId: number },
  asking: Asking,
): Promise<void> =>
  change(ctx, 'deleteList', id, asking, async (tx) => {
    if (!(await store.deleteList(tx, id, listId))) throw notFound()
    const gate = await store.gateWithoutList(tx, id, ctx.clock.now())
    if (gate !== undefined) throw isOfGate(gate)
  })

/** The lists that are named come first, in this order; the others follow in the order that they have. */
export const reorderLists = (
  ctx: AppContext,
  id: number,
  ids: readonly number[],
  asking: Asking,
): Promise<{ count: number }> =>
  change(ctx, 'reorderLists', id, asking, async (tx) => {
    const lists = await store.allLists(tx, id)
    const rest = new Map(lists.map((list) => [list.id, list]))
    const problems: FieldProblem[] = []
    const named = ids.flatMap((listId, i) => {
      const list = rest.get(listId)
      if (list === undefined) problems.push(noSuchList(`body.ids.${i}`))
      rest.delete(listId)
      return list ?? []
    })
    if (problems.length > 0) throw invalidAll(problems)
    for (const [i, list] of [...named, ...rest.values()].entries())
      if (list.sortOrder !== i + 1) await store.updateList(tx, id, list.id, { sortOrder: i + 1 })
    return { count: named.length }
  })

/** In the order of redemptions: one that is judged by a list sees the whole change or nothing of it. */
async function change<T>(
  ctx: AppContext,
  name: string,
  id: number,
  asking: Asking,
  write: (tx: Tx, activity: ActivityRow) => Promise<T>,
): Promise<T> {
  await manageActivity(ctx, id, 'activity:update', asking)
  return ctx.db.write(
    `activities.${name}`,
    async (tx) => {
      const activity = await findActivity(tx, id)
      if (activity === undefined) throw notFound()
      refuseIfDisabled(activity)
      if (!canBeEdited(activity.status)) throw isOver()
      return write(tx, activity)
    },
    IN_ORDER,
  )
}

/** The optional values that are given; null sets the default. */
function changeOf(input: UpdateList): Partial<store.ListValues> {
  const keys = Object.keys(NEW_LIST) as (keyof typeof NEW_LIST)[]
  const given = keys.filter((key) => input[key] !== undefined)
  return Object.fromEntries(given.map((key) => [key, input[key] ?? NEW_LIST[key]]))
}

/** `kept`: templates that the list names already, which may be deleted since. @throws AppError 400 */
async function check(
  tx: Tx,
  { owner }: ActivityRow,
  { opensAt, closesAt, templateIds }: store.ListValues,
  kept: readonly number[],
): Promise<void> {
  const problems: FieldProblem[] = []
  if (opensAt !== null && closesAt !== null && closesAt < opensAt) problems.push(closesTooEarly('body.closesAt'))
  const known = await templatesById(tx, owner, templateIds)
  for (const [i, templateId] of templateIds.entries())
    if (!known.has(templateId) && !kept.includes(templateId)) problems.push(noSuchTemplate(`body.templateIds.${i}`))
  if (problems.length > 0) throw invalidAll(problems)
}

export const toView = (row: store.ListRow): ListView => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  place: row.place || null,
  opensAt: row.opensAt,
  closesAt: row.closesAt,
  maxUses: row.maxUses,
  templateIds: [...row.templateIds],
  requiresEntry: row.requiresEntry,
  admitted: row.admitted,
  inside: row.inside,
  createdAt: row.createdAt,
})
