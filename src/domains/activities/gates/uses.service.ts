/** The records of gates: uses of passes, and refused passes. */

import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { findList, shownLists } from '../check-in-lists/check-in-lists.store.ts'
import { visiblePasses } from '../passes/passes.service.ts'
import { findPass, holderNames } from '../passes/passes.store.ts'
import { type Asking, findNamed, manages } from '../visibility/visibility.service.ts'
import type { PassUseView, UsesQuery } from './gates.model.ts'
import * as store from './gates.store.ts'

/** The uses of an activity: all for managers, and for others those of their own passes. Newest first. */
export async function listUses(
  ctx: AppContext,
  id: number,
  query: UsesQuery,
  asking: Asking,
): Promise<Page<PassUseView>> {
  const { isManager } = await visiblePasses(ctx, id, asking)
  if (isManager) return showUses(ctx, await managersPage(ctx, asking.viewer, id, query), true)
  const { userId } = asking.viewer
  return showUses(ctx, await ctx.db.search(userId, (db) => store.pageOfHolder(db, id, userId, query)), false)
}

/**
 * `holders`: the names of the holders, by the ids of their passes. `isManager`: the caller manages the activity, or is a gate that hides the rest.
 * `known`: the gates in the rows.
 */
export async function toUseViews(
  ctx: AppContext,
  rows: readonly store.UseRow[],
  holders: ReadonlyMap<number | null, string | undefined>,
  isManager: boolean,
  known?: store.NamedGates,
): Promise<PassUseView[]> {
  const undoers = isManager ? rows.flatMap(({ undoneByUserId }) => undoneByUserId ?? []) : []
  const names = await store.nicknames(ctx.db.read, undoers)
  const gates = known ?? (await store.gatesOf(ctx.db.read, isManager ? rows : []))
  const lists = await shownLists(
    ctx.db.read,
    rows.flatMap(({ listId }) => listId ?? []),
  )
  return rows.map((row) => ({
    id: row.id,
    passId: row.passId,
    passUuid: row.passUuid,
    holderName: holders.get(row.passId) ?? '',
    result: row.result,
    reason: row.reason,
    direction: row.direction,
    list: row.listId === null ? null : (lists.get(row.listId) ?? { id: null, name: '' }),
    nonce: row.nonce,
    offline: row.offline,
    isDoubleUse: row.isDoubleUse,
    // 0 is a gate.
    verifierUserId: isManager ? row.verifierUserId || null : null,
    gate: gates.devices.get(row.gateDeviceId) ?? null,
    usedAt: row.usedAt,
    undoneAt: row.undoneAt,
    undoneBy: isManager ? undoneBy(row) : null,
    undoReason: row.undoReason || null,
    createdAt: row.createdAt,
  }))

  function undoneBy({ undoneByUserId, undoneByGateId }: store.UseRow): PassUseView['undoneBy'] {
    if (undoneByUserId !== null) return { userId: undoneByUserId, name: names.get(undoneByUserId) ?? '' }
    return undoneByGateId === null ? null : { gateId: undoneByGateId, name: gates.names.get(undoneByGateId) ?? '' }
  }
}

async function showUses(ctx: AppContext, page: Page<store.UseRow>, isManager: boolean): Promise<Page<PassUseView>> {
  const passIds = page.items.flatMap(({ passId }) => passId ?? [])
  const holders = await holderNames(ctx.db.read, [...new Set(passIds)])
  return { ...page, items: await toUseViews(ctx, page.items, holders, isManager) }
}

async function managersPage(
  ctx: AppContext,
  viewer: Owner,
  activityId: number,
  query: UsesQuery,
): Promise<Page<store.UseRow>> {
  const { passId, listId } = query
  const nothing = { items: [], total: 0, page: query.page, size: query.size }
  if (passId !== undefined) {
    const pass = await findPass(ctx.db.read, passId)
    return pass?.activityId === activityId ? pageOfUses(ctx, viewer, { passId }, query) : nothing
  }
  if (listId === undefined) return pageOfUses(ctx, viewer, { activityId }, query)
  const list = await findList(ctx.db.read, activityId, listId)
  return list === undefined ? nothing : pageOfUses(ctx, viewer, { listId }, query)
}

async function pageOfUses(
  ctx: AppContext,
  { userId }: Owner,
  uses: store.Uses,
  query: UsesQuery,
): Promise<Page<store.UseRow>> {
  const { result, isDoubleUse, listId, from, to } = query
  const isUnfiltered = [result, isDoubleUse, listId, from, to].every((filter) => filter === undefined)
  if (isUnfiltered && !('listId' in uses)) return store.usesPage(ctx.db.read, uses, query)
  return ctx.db.search(userId, (db) => store.searchUses(db, uses, query))
}

/** The uses of one pass, for managers and the holder. Newest first. */
export async function listUsesOfPass(
  ctx: AppContext,
  viewer: Owner,
  passId: number,
  query: UsesQuery,
): Promise<Page<PassUseView>> {
  const pass = await findPass(ctx.db.read, passId)
  const activity = pass && (await findNamed(ctx.db.read, pass.activityId, viewer))
  if (activity === undefined) throw notFound()
  const isManager = await manages(ctx, viewer.userId, activity, 'pass:read')
  if (!isManager && pass!.holderUserId !== viewer.userId) throw notFound()
  return showUses(ctx, await pageOfUses(ctx, viewer, { passId }, query), isManager)
}
