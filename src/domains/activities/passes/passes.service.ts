/** Passes: views, lists, revocation and expiry. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Page } from '#db/paging.ts'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import { refusalIn } from '#domains/access/index.ts'
import type { Job } from '#domains/domain.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { DualPoint } from '#permission-points'
import { MINUTE } from '#platform/clock.ts'

import type { ActivityRow } from '../activities.store.ts'
import { contentOf } from '../pass-keys/pass-keys.service.ts'
import { noticeOf } from '../personal-mails.service.ts'
import { type Asking, findNamed, manages, refuseIfDisabled, see } from '../visibility/visibility.service.ts'
import type { PassesQuery, PassView, PassWithLists } from './passes.model.ts'
import * as store from './passes.store.ts'
import { viewOf } from './passes.view.ts'

/** `showsContent`: the caller manages the activity or holds the pass. */
export const toPassView = async (
  ctx: AppContext,
  row: store.PassRow,
  { showsContent }: { readonly showsContent: boolean },
): Promise<PassView> => viewOf(ctx, row, showsContent ? await contentOf(ctx, row) : null)

/** The passes of the activity that the caller may see: all for managers, the own ones for everyone else. */
export interface VisiblePasses {
  readonly activity: ActivityRow
  readonly isManager: boolean
  readonly list: store.PassList
}

/** @throws AppError 404 or 403 if the caller neither holds a pass of the activity nor may see it */
export async function visiblePasses(
  ctx: AppContext,
  activityId: number,
  asking: Asking,
  userId?: number,
): Promise<VisiblePasses> {
  const { viewer } = asking
  const activity = await findNamed(ctx.db.read, activityId, viewer)
  if (activity === undefined) throw notFound()
  if (await manages(ctx, viewer.userId, activity, 'pass:read'))
    return { activity, isManager: true, list: { activityId, userId } }
  const own = { activityId, userId: viewer.userId }
  const { total } = await store.passesPage(ctx.db.read, own, { page: 1, size: 1 })
  // Holders need no invite code: they have been invited with their passes.
  if (total === 0) await see(ctx, activity, asking)
  return { activity, isManager: false, list: own }
}

export async function listPasses(
  ctx: AppContext,
  activityId: number,
  query: PassesQuery,
  asking: Asking,
): Promise<Page<PassView>> {
  const { list, isManager } = await visiblePasses(ctx, activityId, asking, query.userId)
  const isOfOther = !isManager && query.userId !== undefined && query.userId !== list.userId
  if (isOfOther) return { items: [], total: 0, page: query.page, size: query.size }
  const { userId } = asking.viewer
  const page =
    query.status === undefined && !query.keyword
      ? await store.passesPage(ctx.db.read, list, query)
      : await ctx.db.search(userId, (db) => store.searchPasses(db, list, query, ctx.clock.now(), query))
  const items: PassView[] = []
  for (const row of page.items) items.push(await toPassView(ctx, row, { showsContent: true }))
  return { ...page, items }
}

/** One pass, for managers and the holder. @throws AppError 404 */
export async function getPass(ctx: AppContext, passId: number, { viewer }: Asking): Promise<PassWithLists> {
  const { pass, activity } = await findPassNamed(ctx, passId, viewer)
  if (pass.holderUserId !== viewer.userId && !(await manages(ctx, viewer.userId, activity, 'pass:read')))
    throw notFound()
  const lists = await store.listsOfPass(ctx.db.read, pass)
  return {
    ...(await toPassView(ctx, pass, { showsContent: true })),
    lists: lists.map(({ listId, name, used, inside, lastUsedAt }) => ({
      listId,
      name,
      used: used ?? 0,
      inside: inside ?? false,
      lastUsedAt,
    })),
  }
}

async function findPassNamed(ctx: AppContext, passId: number, viewer: Owner) {
  const pass = await store.findPass(ctx.db.read, passId)
  if (pass === undefined) throw notFound()
  const activity = await findNamed(ctx.db.read, pass.activityId, viewer)
  if (activity === undefined) throw notFound()
  return { pass, activity }
}

/**
 * A pass that the caller may change, and its activity.
 * @throws AppError 403 if the caller only holds it, or if the organization is disabled; 404 if they may not know of it
 */
export async function managedPass(ctx: AppContext, passId: number, point: DualPoint, { viewer }: Asking) {
  const found = await findPassNamed(ctx, passId, viewer)
  const { pass, activity } = found
  if (!(await manages(ctx, viewer.userId, activity, point)))
    throw pass.holderUserId === viewer.userId
      ? await refusalIn(ctx, viewer.userId, orgOf(activity.owner), point)
      : notFound()
  refuseIfDisabled(activity)
  return found
}

/** Notifies the holder, if it is a user, of a change of one pass. */
export async function tellHolder(
  ctx: AppContext,
  tx: Tx,
  { id, name, owner }: Pick<ActivityRow, 'id' | 'name' | 'owner'>,
  pass: store.PassRow,
  news: 'CHANGED' | 'REVOKED',
): Promise<void> {
  if (pass.holderUserId === null) return
  await notify(ctx, tx, {
    userIds: [pass.holderUserId],
    type: 'SYSTEM',
    ...noticeOf(`PASS_${news}`, name),
    data: { activityId: id, orgId: orgOf(owner) || null },
    subject: `PASS_${news} ${pass.id}`,
  })
}

/** Final and at once. Revoking again changes nothing. */
export async function revokePass(
  ctx: AppContext,
  passId: number,
  reason: string | null | undefined,
  asking: Asking,
): Promise<PassView> {
  const { activity } = await managedPass(ctx, passId, 'pass:revoke', asking)
  const row = await ctx.db.write('passes.revoke', async (tx) => {
    const revoked = await store.revokePass(tx, passId, reason ?? '')
    if (revoked === undefined) return (await store.findPass(tx, passId))!
    await tellHolder(ctx, tx, activity, revoked, 'REVOKED')
    return revoked
  })
  return toPassView(ctx, row, { showsContent: true })
}

/** Frees the holders of expired passes for new ones. Reading a pass finds it EXPIRED without this. */
const expirePasses = (ctx: AppContext): Promise<void> =>
  inSlices(ctx, 'passes.expire', (tx, limit) => store.expirePasses(tx, ctx.clock.now(), limit))

export const expiryJob: Job = { name: 'passes.expire', every: MINUTE, run: expirePasses }
