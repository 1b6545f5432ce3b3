import { type AppContext, perContext } from '#context'
import { isAroundWrites } from '#db/around-writes.ts'
import { dialect } from '#db/dialect.ts'
import { GatheredWrites } from '#db/gathered-writes.ts'
import { isNoted } from '#db/notes.ts'
import { OwnerCounts, ownerExists } from '#db/owner-counts.ts'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page, readerFor } from '#db/paging.ts'
import { finishInSlices } from '#db/slices.ts'
import type { Db, HeavyReads, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { SyncRevival } from '#domains/contributions.ts'
import type { Job } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll, itemChecker } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { MINUTE } from '#platform/clock.ts'

import { categoryTree, deleteCleanUp, firstCleanUp, insertCleanUp } from '../categories/categories.store.ts'
import { countFree } from '../free-blanks.store.ts'
import { contentTargetProblem, targetRules } from '../targets.service.ts'
import { checkPicture, chooseDesign, chooseDesigns, requireDesign } from './chosen-designs.service.ts'
import { mayNotPublish, noSuchCategory, quotaReached } from './codes.errors.ts'
import {
  BatchItem,
  type ListQuery,
  type NewQrCode,
  type QrCodeView,
  type UpdateQrCode,
  type WrittenQrCode,
} from './codes.model.ts'
import {
  changeOf,
  type CodeChange,
  contentProblem,
  hasShortLink,
  isUnfiltered,
  type NewCode,
  newCode,
  opensOf,
} from './codes.rules.ts'
import * as store from './codes.store.ts'
import { pictureContent, styleView, toView, writtenView } from './codes.view.ts'
import { clearCategory, giveDesign } from './redrawing.store.ts'
import { linkChange, slugQuotaOf, takeSlug } from './slugs.service.ts'

export async function listCodes(ctx: AppContext, owner: Owner, query: ListQuery): Promise<Page<QrCodeView>> {
  return mapPage(await codesPage(ctx, owner, query), (row) => toView(ctx, row))
}

async function codesPage(ctx: AppContext, owner: Owner, query: ListQuery): Promise<Page<store.QrCodeRow>> {
  if (isUnfiltered(query)) return store.codesPage(ctx.db.read, owner, query)
  const categoryIds = await categoriesUnder(ctx, owner, query.categoryId)
  const { keyword } = query
  return keyword
    ? ctx.db.search(owner.userId, (db) => store.searchCodes(db, owner, { ...query, keyword }, categoryIds))
    : store.filteredPage(query.ids ? ctx.db.read : await codesReader(ctx, owner), owner, query, categoryIds)
}

/** Where to run queries that look at all codes of an owner. */
export const codesReader = async (ctx: AppContext, owner: Owner, reads: HeavyReads = ctx.db): Promise<Db> =>
  readerFor(reads, await store.countCodes(ctx.db.read, owner))

/** The categories that a filter selects: the category and its sub-categories. Another user's category selects nothing. */
export async function categoriesUnder(
  ctx: AppContext,
  owner: Owner,
  categoryId: number | null | undefined,
): Promise<store.CategoryIds> {
  if (categoryId == null) return undefined
  return categoryId === 0 ? null : categoryTree.branchIds(ctx.db.read, owner.userId, categoryId)
}

export async function getCode(ctx: AppContext, owner: Owner, id: number): Promise<QrCodeView> {
  const row = await store.findCode(ctx.db.read, owner, id)
  if (row === undefined) throw notFound()
  return toView(ctx, row)
}

export async function createCode(
  ctx: AppContext,
  owner: Owner,
  input: NewQrCode,
  locale: Locale,
): Promise<WrittenQrCode> {
  const { code, designId, quota, insert } = await prepareCode(ctx, owner, input, 'body')
  const row = hasShortLink(input)
    ? await ctx.db.write(
        'qrCodes.createLinked',
        (tx) => insert(tx),
        input.slug == null ? { rowsOf: ownerKey(owner) } : {},
      )
    : ((designId === null ? await createTogether(ctx, owner, code, quota) : undefined) ??
      (await ctx.db.write('qrCodes.createCode', (tx) => insert(tx), { rowsOf: ownerKey(owner) })))
  return writtenView(ctx, row, { isDynamic: input.isDynamic === true, locale })
}

/** A creation for which there was no room is tried once more: another process was perhaps adding to the codes of its owner. */
const TRIES = 2

interface Creation extends store.Personal {
  tries: number
}

/** Two queues: the statement of one runs while the other waits for the disk. Those of a user are in one, so that they never skip each other. */
const gathered = perContext((ctx) =>
  [0, 1].map(
    () =>
      new GatheredWrites(
        ctx.db,
        'qrCodes.createCodes',
        async (tx, list: readonly Creation[]) =>
          (await store.insertPersonal(tx, list)).map((value, i) =>
            value === undefined && ++list[i]!.tries < TRIES ? 'later' : { value },
          ),
        { isOneStatement: true },
      ),
  ),
)

/** Creates a code by the same statement as those of other users. Undefined if it takes a write of its own, which may refuse it. */
async function createTogether(
  ctx: AppContext,
  { userId, orgId }: Owner,
  code: NewCode,
  quota: number,
): Promise<store.QrCodeRow | undefined> {
  // On SQLite, writes that wait share a COMMIT anyway. Organizations may be dissolved and categories deleted meanwhile.
  const isPlain =
    dialect === 'postgres' &&
    orgId === 0 &&
    code.categoryId === null &&
    !isAroundWrites() &&
    !isNoted(ctx.db.read, { type: 'qr_code.created', owner: -userId })
  return isPlain ? gathered(ctx)[userId % 2]!.add({ userId, code, quota, tries: 0 }) : undefined
}

/** Checks a new code; `insert` inserts it in a write. `label`: the slug of a label of the owner, which becomes that of the code. `where` is the first part of the paths of bad fields. */
export async function prepareCode(
  ctx: AppContext,
  owner: Owner,
  input: NewQrCode & Pick<UpdateQrCode, 'pinned' | 'sortOrder'>,
  where: string,
) {
  const problem = contentProblem(input.content, input.style?.level, `${where}.content`)
  const wrong =
    problem ?? (hasShortLink(input) && contentTargetProblem(input.content, `${where}.content`, await targetRules(ctx)))
  if (wrong) throw invalidAll([wrong])
  const code = newCode(input, await publishing(ctx, owner, [input]))
  const designId = await chooseDesign(ctx, owner, { input, code, where })
  const quota = await quotaOf(ctx)
  const slugQuota = await slugQuotaOf(ctx)
  const insert = async (tx: Tx, revived?: SyncRevival, label?: string): Promise<store.QrCodeRow> => {
    await checkCategory(tx, owner, code.categoryId, where)
    await checkRoom(ctx, tx, owner, quota, 1)
    await requireDesign(tx, owner, designId, where)
    const row = await store.insertCode(tx, owner, code, revived)
    if (!hasShortLink(input)) return giveDesign(tx, row, designId)
    if (label !== undefined && input.slug == null)
      return giveDesign(tx, await store.insertSlug(tx, row, label), designId)
    const slug = await takeSlug(tx, owner, row, {
      slug: input.slug ?? undefined,
      quota: slugQuota,
      path: `${where}.slug`,
    })
    if (typeof slug !== 'string') throw invalidAll([slug])
    return giveDesign(tx, await store.insertSlug(tx, row, slug), designId)
  }
  return { code, designId, quota, insert }
}

/** Whether the owner's dynamic codes become public. @throws AppError 403 if one of `inputs` asks for it and the caller may not publish */
async function publishing(
  ctx: AppContext,
  owner: Owner,
  inputs: readonly (UpdateQrCode | undefined)[],
): Promise<boolean> {
  if (!inputs.some((input) => input?.isPublic || (input?.isDynamic && input.isPublic == null))) return false
  const may = await mayPublish(ctx, owner)
  if (!may && inputs.some((input) => input?.isPublic)) throw mayNotPublish()
  return may
}

const checkItems = itemChecker(BatchItem)

/** Creates all codes or none. The details of the error 400 list every bad item. */
export async function createCodes(
  ctx: AppContext,
  owner: Owner,
  items: readonly unknown[],
  locale: Locale,
): Promise<{ items: WrittenQrCode[]; count: number }> {
  const checked = checkItems(items, 'body.items')
  const publishes = await publishing(
    ctx,
    owner,
    checked.map(({ value }) => value),
  )
  const rules = await targetRules(ctx)
  const codes = checked.map(({ value, problems }, i) => {
    const path = `body.items.${i}.content`
    const problem = value && contentProblem(value.content, value.style?.level, path)
    if (problem) problems.push(problem)
    const wrong = value && hasShortLink(value) && contentTargetProblem(value.content, path, rules)
    if (wrong) problems.push(wrong)
    return value && newCode(value, publishes)
  })
  const designIds = await chooseAll(ctx, owner, checked, codes)
  const quota = await quotaOf(ctx)
  const slugQuota = await slugQuotaOf(ctx)
  const rows = await ctx.db.write('qrCodes.createBatch', async (tx) => {
    const isOwn = new Map<number, boolean>()
    for (const id of new Set(codes.map((code) => code?.categoryId)))
      if (id != null) isOwn.set(id, await isOwnCategory(tx, owner, id))
    const problems = checked.flatMap(({ problems: found }, i): FieldProblem[] =>
      isOwn.get(codes[i]?.categoryId ?? 0) === false ? [...found, noSuchCategory(`body.items.${i}.categoryId`)] : found,
    )
    if (problems.length > 0) throw invalidAll(problems)
    await checkRoom(ctx, tx, owner, quota, codes.length)
    for (const id of new Set(designIds)) await requireDesign(tx, owner, id, 'body.items')
    const inserted: store.QrCodeRow[] = []
    for (const code of codes) inserted.push(await store.insertCode(tx, owner, code!))
    const linked = await giveSlugs(tx, owner, inserted, checked, slugQuota)
    const given: store.QrCodeRow[] = []
    for (const [i, row] of linked.entries()) given.push(await giveDesign(tx, row, designIds[i]!))
    return given
  })
  const views = rows.map((row, i) =>
    writtenView(ctx, row, { isDynamic: checked[i]!.value!.isDynamic === true, locale }),
  )
  return { items: views, count: rows.length }
}

/** The ids of the designs of the codes of a batch. Adds problems to the items. */
async function chooseAll(
  ctx: AppContext,
  owner: Owner,
  checked: readonly { readonly value?: NewQrCode | undefined; readonly problems: FieldProblem[] }[],
  codes: readonly (NewCode | undefined)[],
): Promise<readonly (number | null)[]> {
  if (checked.some(({ problems }) => problems.length > 0)) return []
  const items = checked.map(({ value }, i) => ({ input: value!, code: codes[i]!, where: `body.items.${i}` }))
  const { designIds, problems } = await chooseDesigns(ctx, owner, items)
  checked[0]!.problems.push(...problems)
  return designIds
}

/** Gives slugs to the codes of a batch. */
async function giveSlugs(
  tx: Tx,
  owner: Owner,
  rows: readonly store.QrCodeRow[],
  items: readonly { readonly value?: NewQrCode | undefined }[],
  quota: number,
): Promise<store.QrCodeRow[]> {
  const problems: FieldProblem[] = []
  const given: store.QrCodeRow[] = []
  for (const [i, row] of rows.entries()) {
    const input = items[i]!.value!
    if (!hasShortLink(input)) {
      given.push(row)
      continue
    }
    const slug = await takeSlug(tx, owner, row, { slug: input.slug ?? undefined, quota, path: `body.items.${i}.slug` })
    if (typeof slug === 'string') given.push(await store.insertSlug(tx, row, slug))
    else problems.push(slug)
  }
  if (problems.length > 0) throw invalidAll(problems)
  return given
}

export async function updateCode(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: UpdateQrCode,
  locale: Locale,
): Promise<WrittenQrCode> {
  await checkPicture(ctx, owner, id, input)
  const { before, after } = await change(ctx, owner, id, await prepareChange(ctx, owner, input, 'body'))
  return writtenView(ctx, after, { before, isDynamic: input.isDynamic === true, locale })
}

/** Returns the function that decides, in a write, which values of a code change. `where` is the first part of the paths of bad fields. */
export async function prepareChange(
  ctx: AppContext,
  owner: Owner,
  input: UpdateQrCode,
  where: string,
): Promise<(tx: Tx, row: store.QrCodeRow) => Promise<CodeChange>> {
  const isPublishable = (input.isPublic || input.isDynamic) === true && (await mayPublish(ctx, owner))
  const slugQuota = await slugQuotaOf(ctx)
  const rules = await targetRules(ctx)
  return async (tx, row) => {
    const changed = changeOf(row, input, styleView(pictureContent(ctx, row), row.style))
    if (changed.isPublic && !row.isPublic && !isPublishable) throw mayNotPublish()
    const isSwitchedOn = input.isDynamic === true && !row.isDynamic
    if (isSwitchedOn && input.isPublic == null) changed.isPublic = row.isPublic || isPublishable
    Object.assign(changed, await linkChange(tx, owner, row, input, { quota: slugQuota, where, isNeeded: isSwitchedOn }))
    const problem = contentProblem(
      changed.content ?? row.content,
      (changed.style ?? row.style).level,
      input.content === undefined ? `${where}.style` : `${where}.content`,
    )
    // A content that was stored before there were short links stays.
    const after = { ...row, ...changed }
    const isChecked = after.content !== row.content || opensOf(row) === null || isSwitchedOn
    const wrong = isChecked && opensOf(after) !== null && contentTargetProblem(after.content, `${where}.content`, rules)
    for (const found of [problem, wrong]) if (found) throw invalidAll([found])
    await checkCategory(tx, owner, changed.categoryId, where)
    await requireDesign(tx, owner, changed.designId, where)
    return changed
  }
}

export const pinCode = async (ctx: AppContext, owner: Owner, id: number, pinned: boolean): Promise<QrCodeView> =>
  toView(ctx, (await change(ctx, owner, id, () => ({ pinned }))).after)

export const publishCode = async (ctx: AppContext, owner: Owner, id: number, isPublic: boolean): Promise<QrCodeView> =>
  toView(ctx, (await change(ctx, owner, id, () => ({ isPublic }))).after)

/** Moves a code to the trash (`trash/`). */
export async function deleteCode(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  await ctx.db.write('qrCodes.deleteCode', (tx) => moveToTrash(tx, owner, id))
}

/** @throws AppError 404 if the owner has no such code outside the trash */
export async function moveToTrash(tx: Tx, owner: Owner, id: number): Promise<store.QrCodeRow> {
  const row = await store.findCode(tx, owner, id)
  if (row === undefined) throw notFound()
  return store.updateCode(tx, owner, row, { deletedAt: tx.stamp })
}

/** Reads, decides and writes in one transaction, so that concurrent changes are not lost. */
async function change(
  ctx: AppContext,
  owner: Owner,
  id: number,
  decide: (tx: Tx, row: store.QrCodeRow) => CodeChange | Promise<CodeChange>,
): Promise<{ readonly before: store.QrCodeRow; readonly after: store.QrCodeRow }> {
  return ctx.db.write('qrCodes.updateCode', async (tx) => {
    const before = await store.findCode(tx, owner, id)
    if (before === undefined) throw notFound()
    return { before, after: await store.updateCode(tx, owner, before, await decide(tx, before)) }
  })
}

/** How many codes an owner may have; 0 means unlimited. To be read before a write, which awaits nothing but the database. */
export const quotaOf = (ctx: AppContext): number | Promise<number> => getSetting(ctx, 'quota.qrCodes')

/** Codes outside the trash, and labels that stand for nothing yet. */
const counts = perContext(
  () =>
    new OwnerCounts(
      store.listOf,
      async (tx, owner) => (await store.countLive(tx, owner)) + (await countFree(tx, owner)),
    ),
)

/** Notes that labels have become free, which no quota refuses. */
export async function countFreed(ctx: AppContext, tx: Tx, owner: OwnerKey): Promise<void> {
  await counts(ctx).add(tx, owner, 0, 0)
}

/**
 * Refuses to add `adding` codes if the owner would then have more than `quota`, or if the organization has been dissolved. Codes in the
 * trash do not count, so restoring is checked too.
 */
export async function checkRoom(ctx: AppContext, tx: Tx, owner: Owner, quota: number, adding: number): Promise<void> {
  const key = ownerKey(owner)
  if (!(await ownerExists(tx, key))) throw notFound()
  if (!(await counts(ctx).add(tx, key, adding, quota))) throw quotaReached(quota)
}

/** Categories are personal, so no category is right for a code of an organization. */
export async function isOwnCategory(tx: Tx, owner: Owner, categoryId: number): Promise<boolean> {
  return owner.orgId === 0 && (await categoryTree.find(tx, owner.userId, categoryId)) !== undefined
}

/** @throws AppError 400 */
export async function checkCategory(
  tx: Tx,
  owner: Owner,
  categoryId: number | null | undefined,
  where: string,
): Promise<void> {
  if (categoryId != null && !(await isOwnCategory(tx, owner, categoryId)))
    throw invalidAll([noSuchCategory(`${where}.categoryId`)])
}

/** Making a code public needs a permission of its own, in every request that does it. */
export const mayPublish = (ctx: AppContext, owner: Owner): MaybePromise<boolean> =>
  access.can(ctx, owner.userId, owner.orgId === 0 ? 'APP' : 'ORG', owner.orgId, 'qr_code:publish')

/** Codes that lose their category in one write, which takes some milliseconds. */
const CODES_PER_WRITE = 200

/**
 * Leaves the codes of a category that is deleted, also those in the trash, without one. Those that are too many for one write are left
 * to the job, and no longer show the category meanwhile.
 */
export async function emptyCategory(tx: Tx, userId: number, categoryId: number): Promise<void> {
  if ((await clearCategory(tx, userId, categoryId, CODES_PER_WRITE)) === CODES_PER_WRITE)
    await insertCleanUp(tx, { userId, categoryId })
}

/** Takes the remaining codes out of all deleted categories. */
const emptyCategories = (ctx: AppContext): Promise<void> =>
  finishInSlices(ctx, 'qrCodes.emptyCategory', {
    first: firstCleanUp,
    work: (tx, { userId, categoryId }, limit) => clearCategory(tx, userId, categoryId, limit),
    end: (tx, { categoryId }) => deleteCleanUp(tx, categoryId),
  })

export const emptyCategoriesJob: Job = { name: 'qrCodes.emptyCategories', every: MINUTE, run: emptyCategories }
