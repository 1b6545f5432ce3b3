/** Binds, releases and voids labels. The first binding wins. */

import type { AppContext } from '#context'
import { note } from '#db/notes.ts'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { BlankKind } from '#db/schema/qr-blanks.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { noPermission } from '#http/permissions.ts'

import { withoutCheck } from '../codes/chosen-designs.service.ts'
import type { CodeChange } from '../codes/codes.rules.ts'
import { countFreed, prepareCode } from '../codes/codes.service.ts'
import { findAnyCode, findCode, type QrCodeRow, updateCode } from '../codes/codes.store.ts'
import { leadSlug, slugsOf } from '../slugs.store.ts'
import { alreadyBound, createsCodesOnly, isVoid, noSuchThing, oneOfBoth } from './blanks.errors.ts'
import type { BindBlank, BlankView } from './blanks.model.ts'
import { findVisible, mayUse, viewOf } from './blanks.service.ts'
import * as store from './blanks.store.ts'
import { sourceOf, toViews } from './blanks.view.ts'

const POINTS = {
  QR_CODE: 'qr_code:update',
  ASSET: 'asset:update',
  LOCATION: 'location:update',
  ACTIVITY: 'activity:update',
} as const satisfies Record<BlankKind, string>

/** The label, if the user may change labels of its owner, who is the organization that the request names if it names one. */
async function findForChange(ctx: AppContext, viewer: Owner, slug: string, caller: Caller): Promise<store.BlankRow> {
  const row = await findVisible(ctx, viewer.userId, slug, caller)
  if (viewer.orgId !== 0 && row.owner !== viewer.orgId) throw notFound()
  await requireFor(ctx, viewer.userId, row.owner, POINTS.QR_CODE)
  return row
}

async function requireFor(ctx: AppContext, userId: number, owner: OwnerKey, point: string): Promise<void> {
  if (await mayUse(ctx, userId, owner, point)) return
  throw orgOf(owner) === 0 ? noPermission : await access.refusalIn(ctx, userId, orgOf(owner), point)
}

/** Whether the user may bind this label. */
export const mayBind = (ctx: AppContext, userId: number, { owner }: store.BlankRow): Promise<boolean> =>
  mayUse(ctx, userId, owner, POINTS.QR_CODE)

export async function bindBlank(
  ctx: AppContext,
  viewer: Owner,
  slug: string,
  input: BindBlank,
  caller: Caller,
): Promise<BlankView> {
  const { userId } = viewer
  const found = await findForChange(ctx, viewer, slug, caller)
  const owner: Owner = { userId, orgId: orgOf(found.owner) }
  const thing = await prepareThing(ctx, owner, found.owner, input)
  const { row, isBound } = await ctx.db.write('qrCodes.bindBlank', async (tx) => {
    const before = (await store.findBlank(tx, found.slug))!
    if (before.status === 'VOID') throw isVoid()
    if (before.status === 'BOUND') {
      const isSame = before.kind === input.kind && before.targetId === input.id
      return { row: before, isBound: isSame }
    }
    const { kind } = input
    const boundTo = { kind, targetId: 0, boundBy: userId, boundAt: tx.stamp }
    // Before a new code is inserted, which takes the place of the label in the quota.
    await store.changeStatus(tx, before, 'BOUND', boundTo)
    const targetId = await thing(tx, before)
    const bound = await store.setTarget(tx, before, targetId)
    const read = async () => (await toViews(ctx, tx, userId, [bound]))[0]!
    note(tx, { type: 'blank.bound', owner: bound.owner, id: targetId, data: read })
    return { row: bound, isBound: true }
  })
  const view = await viewOf(ctx, userId, row)
  if (!isBound) throw alreadyBound(view)
  return view
}

/** Checks the thing. The returned function finds or creates it in a write, and returns its id. */
async function prepareThing(
  ctx: AppContext,
  owner: Owner,
  key: OwnerKey,
  { kind, id, create }: BindBlank,
): Promise<(tx: Tx, blank: store.BlankRow) => Promise<number>> {
  if ((id == null) === (create == null)) throw oneOfBoth()
  if (kind !== 'QR_CODE') {
    if (create != null) throw createsCodesOnly()
    const source = sourceOf(ctx, kind)
    if (!(await source.titles(ctx.db.read, key, [id!])).has(id!)) throw noSuchThing()
    await requireFor(ctx, owner.userId, key, POINTS[kind])
    return async (tx) => {
      if (!(await source.titles(tx, key, [id!])).has(id!)) throw noSuchThing()
      return id!
    }
  }
  if (create != null) {
    await requireFor(ctx, owner.userId, key, 'qr_code:create')
    const { insert } = await prepareCode(ctx, owner, { ...create, isDynamic: create.isDynamic ?? true }, 'body.create')
    return async (tx, { slug }) => leadToCode(ctx, tx, owner, await insert(tx, undefined, slug), slug)
  }
  return async (tx, { slug }) => {
    const code = await findCode(tx, owner, id!)
    if (code === undefined) throw noSuchThing()
    return leadToCode(ctx, tx, owner, code, slug)
  }
}

/**
 * The first label of a code becomes its slug, if it has none. Codes that opened the share page go on doing so. A design that the picture of a
 * changeable code may not be readable with does not keep anyone from binding: the code becomes plain.
 */
async function leadToCode(ctx: AppContext, tx: Tx, owner: Owner, code: QrCodeRow, slug: string): Promise<number> {
  await leadSlug(tx, slug, code.id)
  if (code.slug !== null) return code.id
  const change: CodeChange = { slug, opens: code.isDynamic ? code.opens : (code.opens ?? 'TARGET') }
  await updateCode(tx, owner, code, await withoutCheck(ctx, tx, code, change))
  return code.id
}

export const releaseBlank = (ctx: AppContext, viewer: Owner, slug: string, caller: Caller): Promise<BlankView> =>
  end(ctx, viewer, slug, caller, 'FREE')

/** Cannot be undone: the page of the label says that it is no longer used. */
export const voidBlank = (ctx: AppContext, viewer: Owner, slug: string, caller: Caller): Promise<BlankView> =>
  end(ctx, viewer, slug, caller, 'VOID')

async function end(ctx: AppContext, viewer: Owner, slug: string, caller: Caller, status: 'FREE' | 'VOID') {
  const found = await findForChange(ctx, viewer, slug, caller)
  const row = await ctx.db.write('qrCodes.endBlank', async (tx) => {
    const before = (await store.findBlank(tx, found.slug))!
    if (before.status === status) return before
    if (before.status === 'VOID') throw isVoid()
    if (before.kind === 'QR_CODE') await leaveCode(ctx, tx, viewer.userId, before)
    if (status === 'FREE') await countFreed(ctx, tx, before.owner)
    return (await store.changeStatus(tx, before, status))!
  })
  return viewOf(ctx, viewer.userId, row)
}

/** The code whose slug the label was gets its last other one, or has none again. */
async function leaveCode(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  { slug, targetId, owner }: store.BlankRow,
): Promise<void> {
  await leadSlug(tx, slug, null)
  const code = await findAnyCode(tx, { userId, orgId: orgOf(owner) }, targetId!)
  if (code?.slug !== slug) return
  const other = (await slugsOf(tx, code.id)).at(-1) ?? null
  const opens = other === null && !code.isDynamic ? null : code.opens
  const change = await withoutCheck(ctx, tx, code, { slug: other, opens })
  await updateCode(tx, { userId: code.userId, orgId: code.orgId }, code, change)
}

/** Frees the labels of things that are deleted. */
export async function freeBlanksOf(ctx: AppContext, tx: Tx, kind: BlankKind, ids: readonly number[]): Promise<void> {
  for (const { owner, slug } of await store.freeBlanksOf(tx, kind, ids)) {
    await countFreed(ctx, tx, owner)
    if (kind === 'QR_CODE') await leadSlug(tx, slug, null)
  }
}
