/** Designs: how the pictures of codes look. */

import type { AppContext } from '#context'
import { ownerExists } from '#db/owner-counts.ts'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import type { Page, PageInput } from '#db/paging.ts'
import { finishInSlices, inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { Job } from '#domains/domain.ts'
import type { LostFiles } from '#domains/events.ts'
import { attachFile, releaseFile } from '#domains/files/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { pictureContent, shortUrlInPicture } from '../codes/codes.view.ts'
import { makePlain, redrawCodes } from '../codes/redrawing.store.ts'
import { designInUse, tooManyDesigns } from '../looks/looks.errors.ts'
import { filesOf, lookOf, PLAIN, withoutFiles } from '../looks/looks.rules.ts'
import { checkFiles, requireReadable, type Sample } from '../looks/looks.service.ts'
import * as store from '../looks/looks.store.ts'
import { type CreateDesign, type DesignView, MAX_DESIGNS, type UpdateDesign } from './designs.model.ts'
import { toView, toViews } from './designs.view.ts'

export async function listDesigns(ctx: AppContext, owner: Owner, query: PageInput): Promise<Page<DesignView>> {
  const page = await store.designsPage(ctx.db.read, ownerKey(owner), query)
  return { ...page, items: await toViews(ctx, ctx.db.read, page.items) }
}

export async function getDesign(ctx: AppContext, owner: Owner, id: number): Promise<DesignView> {
  const row = await store.findDesign(ctx.db.read, ownerKey(owner), id)
  if (row === undefined) throw notFound()
  return toView(ctx, ctx.db.read, row)
}

export async function createDesign(ctx: AppContext, owner: Owner, input: CreateDesign): Promise<DesignView> {
  const key = ownerKey(owner)
  const look = lookOf(PLAIN, input)
  await checkFiles(ctx, owner, look)
  await requireReadable(ctx, owner.userId, look, [sampleOf(ctx)], 'body')
  return ctx.db.write('qrCodes.createDesign', async (tx) => {
    if (!(await ownerExists(tx, key))) throw notFound()
    if ((await store.countDesigns(tx, key)) >= MAX_DESIGNS) throw tooManyDesigns(MAX_DESIGNS)
    const values = { name: input.name, look, isDefault: input.isDefault ?? false }
    const row = await store.insertDesign(tx, key, values)
    await changeFiles(ctx, tx, owner, row, [])
    return toView(ctx, tx, row)
  })
}

/** A design that no code has is tried with the link that a changeable code would have. */
const sampleOf = (ctx: AppContext): Sample<string> => ({ content: shortUrlInPicture(ctx, '23456789'), of: '' })

/** Attaches the pictures of the row, and deletes those of `before` that it no longer has. */
async function changeFiles(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  { id, look }: store.DesignRow,
  before: readonly number[],
): Promise<void> {
  const { logo, frame } = look
  const parts = [
    [logo?.fileId, 'body.logo.fileId'],
    [frame?.textFileId, 'body.frame.textFileId'],
  ] as const
  for (const [fileId, path] of parts)
    if (fileId != null && !before.includes(fileId))
      await attachFile(tx, owner, fileId, { type: 'qr_code', entityType: 'QR_DESIGN', entityId: id, path })
  const after = filesOf(look)
  for (const fileId of before) if (!after.includes(fileId)) await releaseFile(ctx, tx, fileId)
}

export async function updateDesign(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: UpdateDesign,
): Promise<DesignView> {
  for (;;) {
    const before = await store.findDesign(ctx.db.read, ownerKey(owner), id)
    if (before === undefined) throw notFound()
    const look = lookOf(before.look, input)
    const isRedrawn = !Bun.deepEquals(look, before.look)
    if (isRedrawn) {
      await checkFiles(ctx, owner, look, before)
      await requireReadable(ctx, owner.userId, look, await samplesOf(ctx, before), 'body')
    }
    const { name, isDefault } = input
    const values = { look, ...(name !== undefined && { name }), ...(isDefault !== undefined && { isDefault }) }
    const view = await ctx.db.write('qrCodes.updateDesign', async (tx) => {
      const row = await store.findDesign(tx, ownerKey(owner), id)
      if (row === undefined) throw notFound()
      // Another request has changed the design since it was checked.
      if (row.lookVersion !== before.lookVersion) return undefined
      const after = await store.updateDesign(tx, row, values)
      await changeFiles(ctx, tx, owner, after, filesOf(row.look))
      return toView(ctx, tx, after)
    })
    if (view === undefined) continue
    if (isRedrawn) await inSlices(ctx, 'qrCodes.redrawCodes', (tx, limit) => redraw(tx, id, limit))
    return view
  }
}

async function redraw(tx: Tx, id: number, limit: number): Promise<number> {
  const design = await store.findAnyDesign(tx, id)
  return design === undefined ? 0 : redrawCodes(tx, design, limit)
}

/** Codes that are read at once. */
const CODES_PER_READ = 1000

/** Contents of labels. Digits alone could take fewer modules. */
export const labelSamples = (ctx: AppContext): Sample<string>[] =>
  ['23456789', 'abcdefgh'].map((slug) => ({ content: shortUrlInPicture(ctx, slug), of: '' }))

/** The contents of the pictures of all codes and labels of a design, each with the name of its code. */
async function samplesOf(ctx: AppContext, design: store.DesignRow): Promise<Sample<string>[]> {
  const samples = (await store.isOfLabels(ctx.db.read, design)) ? labelSamples(ctx) : []
  let after = 0
  for (;;) {
    const codes = await store.codesWith(ctx.db.readInWorker, design.id, { after, limit: CODES_PER_READ })
    samples.push(...codes.map((code) => ({ content: pictureContent(ctx, code), of: code.name })))
    if (codes.length < CODES_PER_READ) return samples.length === 0 ? [sampleOf(ctx)] : samples
    after = codes.at(-1)!.id
  }
}

export async function deleteDesign(ctx: AppContext, owner: Owner, id: number, force: boolean): Promise<void> {
  const key = ownerKey(owner)
  let isDeleted = false
  await inSlices(ctx, 'qrCodes.deleteDesign', async (tx, limit) => {
    const row = await store.findDesign(tx, key, id)
    if (row === undefined) throw notFound()
    const codes = (await store.codeCounts(tx, [id])).get(id) ?? 0
    if (codes > 0 && !force) throw designInUse(codes)
    const plain = await makePlain(tx, id, limit)
    if (plain < limit) await remove(ctx, tx, row)
    tx.afterCommit(() => (isDeleted = plain < limit))
    return plain
  })
  if (!isDeleted) throw badRequest('The server is stopping: try again', '服务器正在停止，请重试')
}

async function remove(ctx: AppContext, tx: Tx, row: store.DesignRow): Promise<void> {
  await store.deleteDesign(tx, row)
  for (const fileId of filesOf(row.look)) await releaseFile(ctx, tx, fileId)
}

/** Deletes the designs of a user or an organization that ends. Codes that are left with one are shown as plain ones. */
export async function deleteDesignsOf(ctx: AppContext, tx: Tx, owner: OwnerKey): Promise<void> {
  for (const { look } of await store.deleteDesignsOf(tx, owner))
    for (const fileId of filesOf(look)) await releaseFile(ctx, tx, fileId)
}

/** Whether the user may see the design, and so its pictures. */
export async function mayRead(ctx: AppContext, userId: number, id: number): Promise<boolean> {
  const owner = (await store.findAnyDesign(ctx.db.read, id))?.owner
  if (owner === undefined) return false
  return owner < 0 ? -owner === userId : access.can(ctx, userId, 'ORG', owner, 'qr_code:read')
}

/** An administrator has deleted pictures of designs. The job gives the codes new pictures. */
export async function loseFiles(tx: Tx, { fileIds, entityIds }: LostFiles): Promise<void> {
  for (const row of await store.designsWithIds(tx, entityIds))
    await store.updateDesign(tx, row, { look: withoutFiles(row.look, fileIds) })
}

/** How long the address of a picture works after it was replaced. */
const REPLACED_MS = 30 * DAY
export const replacedSince = (now: number): number => now - REPLACED_MS

export const designJobs: readonly Job[] = [
  {
    name: 'qrCodes.redrawCodes',
    every: MINUTE,
    run: (ctx) =>
      finishInSlices(ctx, 'qrCodes.redrawCodes', {
        first: store.firstOutdated,
        work: (tx, { id }, limit) => redraw(tx, id, limit),
        end: async () => {},
      }),
  },
  {
    name: 'qrCodes.deletePictures',
    every: HOUR,
    run: (ctx) =>
      inSlices(ctx, 'qrCodes.deletePictures', (tx, limit) =>
        store.deleteReplaced(tx, replacedSince(ctx.clock.now()), limit),
      ),
  },
]
