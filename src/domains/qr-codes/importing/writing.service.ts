/** The write of an import: all rows or none. */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import { ownerKey } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import { budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { rowsHaveErrors } from '#http/imports.ts'
import { MINUTE } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'

import { slugTaken } from '../codes/codes.errors.ts'
import { checkCategory, checkRoom, quotaOf } from '../codes/codes.service.ts'
import { codesByIds, insertSlug } from '../codes/codes.store.ts'
import { PLAIN } from '../links/links.rules.ts'
import { findDesign, insertPictures, newPictureKey } from '../looks/looks.store.ts'
import { newSlug, randomSlug } from '../slugs.store.ts'
import type { Checked, Created, LinkChange, Updated } from './checking.service.ts'
import * as errors from './importing.errors.ts'
import { SLUGS_FROM_FILES } from './importing.model.ts'
import { claimSlugs, insertCodes, type LinkRow, linksOf, setLinks, takenSlugs, updateCodes } from './importing.store.ts'

/** Rows of one statement. */
const GROUP = 100
/** 10,000 rows take a few seconds. */
const MAX_WRITE_MS = 2 * MINUTE

/** @throws AppError 429 if the quota does not allow `count` more codes */
export async function requireRoom(ctx: AppContext, owner: Owner, count: number): Promise<void> {
  if (count === 0) return
  const quota = await quotaOf(ctx)
  await ctx.db.write('qrCodes.importRoom', (tx) => checkRoom(ctx, tx, owner, quota, count))
}

/** @throws AppError 400 if something that the rows need has changed since they were checked; 429 if the quota or the budget of slugs does not allow them */
export async function writeRows(
  ctx: AppContext,
  owner: Owner,
  items: readonly Checked[],
  { keepSlugs, caller }: { readonly keepSlugs: boolean; readonly caller: Caller },
): Promise<void> {
  const created = items.filter((item) => item.action === 'CREATE')
  const updated = items.filter((item): item is Updated => item.action === 'UPDATE')
  if (created.length + updated.length === 0) return
  const quota = await quotaOf(ctx)
  const chosen = keepSlugs ? created.filter(({ slug }) => slug !== undefined).length : 0
  const uses = await usesOf(ctx, SLUGS_FROM_FILES, { actor: owner, caller }, chosen)
  await ctx.db.write(
    'qrCodes.import',
    async (tx) => {
      const refusal = await spend(tx, uses, ctx.clock.now())
      if (refusal !== undefined) throw budgetUsedUp(refusal)
      if (created.length > 0) {
        await checkRoom(ctx, tx, owner, quota, created.length)
        await checkCategory(tx, owner, created[0]!.code.categoryId, 'body')
      }
      for (const group of inGroups(created)) {
        await create(tx, owner, group, keepSlugs)
        await tx.pause()
      }
      for (const group of inGroups(updated)) {
        await update(tx, owner, group)
        await tx.pause()
      }
    },
    { maxMs: MAX_WRITE_MS },
  )
}

function* inGroups<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += GROUP) yield items.slice(at, at + GROUP)
}

async function create(tx: Tx, owner: Owner, items: readonly Created[], keepSlugs: boolean): Promise<void> {
  const taken = await takenSlugs(
    tx,
    items.flatMap(({ slug }) => slug ?? []),
  )
  if (taken.size > 0 && keepSlugs) refuseTaken(items, taken)
  const designId = items.find((item) => item.designId !== null)?.designId
  // Codes are plain if it was deleted since it was chosen.
  const design = designId == null ? undefined : await findDesign(tx, ownerKey(owner), designId)
  const rows = await insertCodes(
    tx,
    items.map(({ code, slug, createdAt, designId: wished }) => ({
      ...code,
      uuid: uuid(),
      userId: owner.userId,
      orgId: owner.orgId,
      slug: slug === undefined || taken.has(slug) ? randomSlug() : slug,
      createdAt: createdAt ?? tx.stamp,
      ...(design !== undefined && wished !== null
        ? { designId: design.id, pictureKey: newPictureKey() }
        : { designId: null, pictureKey: null }),
    })),
  )
  const lost = await claimSlugs(
    tx,
    owner,
    rows.map(({ id, slug }) => ({ qrCodeId: id, slug: slug! })),
  )
  for (const [i, row] of rows.entries()) {
    if (!lost.includes(row.slug!)) continue
    // Drawn by lot, and given already: as good as never.
    if (items[i]!.slug === row.slug && keepSlugs) refuseTaken(items, new Set(lost))
    rows[i] = await insertSlug(tx, row, await newSlug(tx, owner, row.id))
  }
  const pictures = rows.flatMap((row) =>
    row.pictureKey === null ? [] : [{ key: row.pictureKey, qrCodeId: row.id, source: row }],
  )
  if (design !== undefined && pictures.length > 0) await insertPictures(tx, design, pictures)
  const links = items.flatMap(({ link }, i) => (isEmpty(link) ? [] : [newLink(rows[i]!.id, link)]))
  await setLinks(tx, links)
}

function refuseTaken(items: readonly Created[], taken: ReadonlySet<string>): never {
  const rows = items.filter(({ slug }) => slug !== undefined && taken.has(slug))
  throw rowsHaveErrors(
    rows.length,
    rows.map(({ row }) => slugTaken(`rows.${row}.slug`)),
  )
}

async function update(tx: Tx, owner: Owner, items: readonly Updated[]): Promise<void> {
  const ids = items.map(({ id }) => id)
  const codes = new Map((await codesByIds(tx, owner, ids)).map((code) => [code.id, code]))
  const links = await linksOf(tx, ids)
  const changes = items.map(({ row, id, change, link }) => {
    const code = codes.get(id)
    if (code === undefined) throw rowsHaveErrors(1, [{ path: `rows.${row}`, text: errors.unknownCode }])
    return { row: code, change, isLinkChanged: !isEmpty(link) }
  })
  await updateCodes(tx, changes)
  const changed = items.filter(({ link }) => !isEmpty(link))
  await setLinks(
    tx,
    changed.map(({ id, link }) => {
      const present = links.get(id)
      return present === undefined ? newLink(id, link) : { ...present, ...link }
    }),
  )
}

const isEmpty = (link: LinkChange): boolean => Object.keys(link).length === 0

const newLink = (qrCodeId: number, change: LinkChange): LinkRow => ({
  ...PLAIN,
  rules: [],
  rulesLeft: [],
  earlierScans: 0,
  ...change,
  qrCodeId,
})
