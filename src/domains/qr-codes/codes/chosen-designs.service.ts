/** The designs that requests choose for codes. A code gets a design only if its picture can be read with it. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { codewordsOf } from '#lib/qr/codewords.ts'
import { symbolProblems } from '#lib/qr/design/index.ts'
import { MAX_VERSION } from '#lib/qr/spec.ts'

import { noSuchDesign, unfitFor } from '../looks/looks.errors.ts'
import { levelOf } from '../looks/looks.rules.ts'
import { drawnSymbol, findUnreadable } from '../looks/looks.service.ts'
import { findAnyDesign, findDefaultDesign, findDesign } from '../looks/looks.store.ts'
import { slugsOf } from '../slugs.store.ts'
import type { NewQrCode, UpdateQrCode } from './codes.model.ts'
import { changeOf, type CodeChange, type NewCode } from './codes.rules.ts'
import { findCode, type QrCodeRow } from './codes.store.ts'
import { pictureContent, styleView } from './codes.view.ts'
import { slugFor } from './slugs.service.ts'

/** A new code has no slug and no uuid yet: others of the same length stand in for them. */
const STAND_INS = { slug: '23456789', uuid: '00000000-0000-4000-8000-000000000000' }

export interface NewItem {
  readonly input: NewQrCode
  readonly code: NewCode
  /** First part of the paths of its fields. */
  readonly where: string
}

export interface Chosen {
  /** Of each item: the id of its design, or null. */
  readonly designIds: readonly (number | null)[]
  readonly problems: readonly FieldProblem[]
}

/**
 * The designs of new codes: those that they name, or else the default of the organization, which codes that cannot be read with it do
 * not get.
 */
export async function chooseDesigns(ctx: AppContext, owner: Owner, items: readonly NewItem[]): Promise<Chosen> {
  const db = ctx.db.read
  const key = ownerKey(owner)
  const designIds: (number | null)[] = items.map(() => null)
  const problems: FieldProblem[] = []
  const isOpen = owner.orgId !== 0 && items.some(({ input }) => input.designId === undefined)
  const standard = isOpen ? await findDefaultDesign(db, key) : undefined
  const chosen = Map.groupBy(items.keys(), (i) => {
    const { designId } = items[i]!.input
    return designId === undefined ? standard?.id : (designId ?? undefined)
  })
  for (const [id, places] of chosen) {
    if (id === undefined) continue
    const design = await findDesign(db, key, id)
    const isNamed = (i: number) => items[i]!.input.designId !== undefined
    if (design === undefined) {
      problems.push(...places.filter(isNamed).map((i) => noSuchDesign(`${items[i]!.where}.designId`)))
      continue
    }
    for (const i of places) designIds[i] = id
    const samples = places.map((i) => ({ content: contentOf(ctx, items[i]!), of: i }))
    for (const { problem, codes } of await findUnreadable(ctx, owner.userId, design.look, samples, 'body')) {
      problems.push(...codes.filter(isNamed).map((i) => ({ ...problem, path: `${items[i]!.where}.designId` })))
      for (const i of codes) designIds[i] = null
    }
  }
  return { designIds, problems }
}

const contentOf = (ctx: AppContext, { input, code }: NewItem): string =>
  pictureContent(ctx, {
    ...STAND_INS,
    ...('slug' in input && typeof input.slug === 'string' && { slug: input.slug }),
    ...code,
  })

/** The same for one code. @throws AppError 400 */
export async function chooseDesign(ctx: AppContext, owner: Owner, item: NewItem): Promise<number | null> {
  const { designIds, problems } = await chooseDesigns(ctx, owner, [item])
  if (problems.length > 0) throw invalidAll(problems)
  return designIds[0]!
}

/** To be called in the write that gives a code a design: it may have been deleted since it was chosen. @throws AppError 400 */
export async function requireDesign(tx: Tx, owner: Owner, designId: number | null | undefined, where: string) {
  if (designId != null && (await findDesign(tx, ownerKey(owner), designId)) === undefined)
    throw invalidAll([noSuchDesign(`${where}.designId`)])
}

/** Reads the picture that a code would have after a change, if it has a design. @throws AppError 400 if it cannot be read */
export async function checkPicture(ctx: AppContext, owner: Owner, id: number, input: UpdateQrCode): Promise<void> {
  const { content, designId, isDynamic, slug } = input
  if ([content, designId, isDynamic, slug].every((value) => value === undefined)) return
  const row = await findCode(ctx.db.read, owner, id)
  // The write answers 404.
  if (row === undefined) return
  const isSwitchedOn = input.isDynamic === true && !row.isDynamic
  await checkChange(ctx, owner, row, input, { givesSlug: isSwitchedOn, path: isSwitchedOn ? 'isDynamic' : 'content' })
}

/** The same for a change of its short link, which gives a slug to a code without one. @throws AppError 400 */
export async function checkLinkPicture(ctx: AppContext, owner: Owner, id: number, slug: string | null | undefined) {
  const row = await findCode(ctx.db.read, owner, id)
  if (row !== undefined) await checkChange(ctx, owner, row, { slug }, { givesSlug: true, path: 'slug' })
}

/** `path`: the field to blame if neither the design nor the slug is new. */
async function checkChange(
  ctx: AppContext,
  owner: Owner,
  row: QrCodeRow,
  input: UpdateQrCode,
  { givesSlug, path }: { readonly givesSlug: boolean; readonly path: string },
): Promise<void> {
  const designId = input.designId === undefined ? row.designId : input.designId
  const design = designId === null ? undefined : await findDesign(ctx.db.read, ownerKey(owner), designId)
  if (design === undefined) return
  const before = pictureContent(ctx, row)
  const slug = input.slug == null ? row.slug : slugFor(await slugsOf(ctx.db.read, row.id), input.slug)
  const after = { ...row, ...changeOf(row, input, styleView(before, row.style)) }
  const content = pictureContent(ctx, { ...after, slug: slug ?? (givesSlug ? STAND_INS.slug : null) })
  if (designId === row.designId && content === before) return
  const [found] = await findUnreadable(ctx, owner.userId, design.look, [{ content, of: row.id }], 'body')
  if (found === undefined) return
  if (designId !== row.designId) throw invalidAll([{ ...found.problem, path: 'body.designId' }])
  throw invalidAll([unfitFor(found.problem, slug === row.slug ? `body.${path}` : 'body.slug')])
}

/**
 * The change of a code that nobody reads before it is written: by a device or a label. The code loses its design if its symbol
 * becomes larger, or if the logo takes too much of it, because then nobody knows whether it can be read.
 */
export async function withoutCheck(ctx: AppContext, tx: Tx, row: QrCodeRow, change: CodeChange): Promise<CodeChange> {
  const design = row.designId === null ? undefined : await findAnyDesign(tx, row.designId)
  const [before, after] = [pictureContent(ctx, row), pictureContent(ctx, { ...row, ...change })]
  if (design === undefined || before === after) return change
  const { look } = design
  const [from, to] = [before, after].map((content) => codewordsOf(content, levelOf(look))?.version ?? MAX_VERSION + 1)
  const hasRoom =
    look.logo === null || (to! <= MAX_VERSION && symbolProblems(await drawnSymbol(tx, look, after)).length === 0)
  return to! <= from! && hasRoom ? change : { ...change, designId: null }
}
