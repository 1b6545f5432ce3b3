/** Gives codes their slugs, in the write that creates or changes them. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Owner } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'

import { claimSlug, countCustomSlugs, countLabels, newSlug, slugsOf } from '../slugs.store.ts'
import { slugQuotaReached, slugTaken, tooManyAliases } from './codes.errors.ts'
import type { UpdateQrCode } from './codes.model.ts'
import { type CodeChange, opensOf, slugProblem } from './codes.rules.ts'
import type { QrCodeRow } from './codes.store.ts'

/** Earlier slugs of a code, without those of labels: a thing may have any number of these. */
const MAX_ALIASES = 10

/** How many slugs an owner may choose; 0 means unlimited. To be read before a write. */
export const slugQuotaOf = (ctx: AppContext): number | Promise<number> => getSetting(ctx, 'quota.slugs')

export interface SlugWish {
  /** As the request has it; undefined for a random one. */
  readonly slug: string | undefined
  readonly quota: number
  readonly path: string
}

/**
 * The slug that a code gets for the one that a request sends. Its own may have capital letters, if they were imported. Only A to Z become small letters: the
 * Kelvin sign would become a k, and is refused like all other signs.
 */
export const slugFor = (own: readonly string[], slug: string): string =>
  own.includes(slug) ? slug : slug.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Returns the slug that a code gets, or the problem of the one that was wished for. A slug that the code has or had needs no claim. */
export async function takeSlug(
  tx: Tx,
  owner: Owner,
  code: Pick<QrCodeRow, 'id' | 'slug'>,
  wish: SlugWish,
): Promise<string | FieldProblem> {
  const { slug, quota, path } = wish
  if (slug === undefined) return newSlug(tx, owner, code.id)
  const own = await slugsOf(tx, code.id)
  const given = slugFor(own, slug)
  if (own.includes(given)) return given
  const problem = slugProblem(given, path)
  if (problem !== undefined) return problem
  if (own.length > MAX_ALIASES && own.length - (await countLabels(tx, code.id)) > MAX_ALIASES)
    return tooManyAliases(path, MAX_ALIASES)
  if (quota > 0 && (await countCustomSlugs(tx, owner)) >= quota) throw slugQuotaReached(quota)
  return (await claimSlug(tx, owner, given, { qrCodeId: code.id, isCustom: true })) ? given : slugTaken(path)
}

/**
 * The change that a request makes to the short link of a code, which was read in this write. `isNeeded`: the code gets a slug if it has none. `where`: the
 * first part of the paths of bad fields.
 */
export async function linkChange(
  tx: Tx,
  owner: Owner,
  row: QrCodeRow,
  input: Pick<UpdateQrCode, 'isDynamic' | 'slug' | 'opens'>,
  { quota, where, isNeeded }: { readonly quota: number; readonly where: string; readonly isNeeded: boolean },
): Promise<Pick<CodeChange, 'slug' | 'opens'>> {
  const change: Pick<CodeChange, 'slug' | 'opens'> = {}
  const isDynamic = input.isDynamic === undefined ? row.isDynamic : input.isDynamic === true
  if (input.slug != null ? input.slug !== row.slug : isNeeded && row.slug === null) {
    const slug = await takeSlug(tx, owner, row, { slug: input.slug ?? undefined, quota, path: `${where}.slug` })
    if (typeof slug !== 'string') throw invalidAll([slug])
    change.slug = slug
  }
  if (!isDynamic && row.slug === null && change.slug === undefined) return change
  const before = opensOf(row)
  const isNew = before === null || (isDynamic && !row.isDynamic)
  const opens = input.opens ?? (isNew ? 'TARGET' : before)
  return opens === before ? change : { ...change, opens }
}
