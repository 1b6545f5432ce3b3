/** Labels and their batches: making, listing and finding them. */

import type { AppContext } from '#context'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page, readerFor } from '#db/paging.ts'
import type { Db } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { guess, type GuessLimit } from '#http/budget.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { MINUTE } from '#platform/clock.ts'

import { requireDesign } from '../codes/chosen-designs.service.ts'
import { checkRoom, quotaOf } from '../codes/codes.service.ts'
import { labelSamples } from '../designs/designs.service.ts'
import { findUnreadable } from '../looks/looks.service.ts'
import { findDesign } from '../looks/looks.store.ts'
import { newSlugs } from '../slugs.store.ts'
import { numbersTaken, tooManyWrongSlugs } from './blanks.errors.ts'
import type { BatchesQuery, BatchView, BlanksQuery, BlankView, CreateBlanks } from './blanks.model.ts'
import * as store from './blanks.store.ts'
import { toBatchView, toViews } from './blanks.view.ts'

const DIGITS = 5
/** Labels that one statement inserts: some milliseconds, after which requests that only read run. */
const LABELS_AT_ONCE = 500

/** Makes all labels of a batch or none. */
export async function createBatch(ctx: AppContext, owner: Owner, input: CreateBlanks): Promise<BatchView> {
  const { count, name } = input
  const requestId = input.requestId ?? null
  const key = ownerKey(owner)
  const quota = await quotaOf(ctx)
  const made = requestId === null ? undefined : await store.batchOfRequest(ctx.db.read, key, requestId)
  if (made !== undefined) return toBatchView(made)
  if (input.designId != null) await checkDesign(ctx, owner, input.designId)
  const row = await ctx.db.write('qrCodes.createBlanks', async (tx) => {
    const before = requestId === null ? undefined : await store.batchOfRequest(tx, key, requestId)
    if (before !== undefined) return before
    await requireDesign(tx, owner, input.designId, 'body')
    await checkRoom(ctx, tx, owner, quota, count)
    const values = {
      owner: key,
      userId: owner.userId,
      name,
      prefix: input.prefix ?? '',
      digits: input.digits ?? DIGITS,
      designId: input.designId ?? null,
      requestId,
    }
    const batch = await store.insertBatch(tx, values, count)
    for (let from = 0; from < count; from += LABELS_AT_ONCE) {
      const slugs = await newSlugs(tx, owner, Math.min(LABELS_AT_ONCE, count - from))
      const labels = slugs.map((slug, i) => labelOf(batch, slug, batch.first + from + i))
      if ((await store.insertBlanks(tx, labels)) < labels.length) throw numbersTaken()
      await tx.pause()
    }
    return batch
  })
  return toBatchView(row)
}

/** Labels can be read with their design. One that does not exist is refused by the write. @throws AppError 400 */
async function checkDesign(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  const design = await findDesign(ctx.db.read, ownerKey(owner), id)
  if (design === undefined) return
  const [found] = await findUnreadable(ctx, owner.userId, design.look, labelSamples(ctx), 'body')
  if (found) throw invalidAll([{ ...found.problem, path: 'body.designId' }])
}

const labelOf = ({ id, owner, prefix, digits }: store.BatchRow, slug: string, nth: number) => ({
  slug,
  nth,
  number: prefix + String(nth).padStart(digits, '0'),
  batchId: id,
  owner,
})

export const listBatches = async (ctx: AppContext, owner: Owner, query: BatchesQuery): Promise<Page<BatchView>> =>
  mapPage(await store.batchesPage(ctx.db.read, ownerKey(owner), query), toBatchView)

export async function listBlanks(ctx: AppContext, owner: Owner, query: BlanksQuery): Promise<Page<BlankView>> {
  const key = ownerKey(owner)
  const find = (db: Db) => store.blanksPage(db, key, query)
  const page = query.keyword
    ? await ctx.db.search(owner.userId, find)
    : await find(readerFor(ctx.db, await store.countBlanks(ctx.db.read, key)))
  return { ...page, items: await toViews(ctx, ctx.db.read, owner.userId, page.items) }
}

/** A slug has 30^8 possible values, but every guess that is right would show a number and an owner's thing. */
const WRONG_SLUGS: GuessLimit = { name: 'label', wrong: 20, windowMs: MINUTE }

/** @throws AppError 404 if there is no such label, or if the user may not read its owner's codes */
export async function findVisible(
  ctx: AppContext,
  userId: number,
  slug: string,
  { ip }: Pick<Caller, 'ip'>,
): Promise<store.BlankRow> {
  const row = await guess(ctx, WRONG_SLUGS, ip, tooManyWrongSlugs, async () => {
    const found = await store.findBlank(ctx.db.read, slug.toLowerCase())
    return found !== undefined && (await mayUse(ctx, userId, found.owner, 'qr_code:read')) ? found : undefined
  })
  if (row === undefined) throw notFound()
  return row
}

/** Whether the user holds the point for things of this owner. */
export async function mayUse(ctx: AppContext, userId: number, owner: OwnerKey, point: string): Promise<boolean> {
  if (orgOf(owner) !== 0) return access.can(ctx, userId, 'ORG', orgOf(owner), point)
  return owner === -userId && (await access.can(ctx, userId, 'APP', 0, point))
}

export async function getBlank(ctx: AppContext, userId: number, slug: string, caller: Caller): Promise<BlankView> {
  return viewOf(ctx, userId, await findVisible(ctx, userId, slug, caller))
}

export const viewOf = async (ctx: AppContext, userId: number, row: store.BlankRow): Promise<BlankView> =>
  (await toViews(ctx, ctx.db.read, userId, [row]))[0]!
