/** Short links: `/q/{slug}`. */

import type { AppContext } from '#context'
import { secondsOf, usesByAddress } from '#http/budget.ts'
import { webAddress } from '#lib/link-target.ts'
import { isRobot } from '#lib/robots.ts'
import { MINUTE } from '#platform/clock.ts'

import { type BlankRow, findBlank } from '../blanks/blanks.store.ts'
import { countLabelScan } from '../blanks/label-counter.ts'
import { pageOfLabel } from '../blanks/short-links.service.ts'
import { lead, type Led, type Visitor } from '../links/leading.service.ts'
import type { LinkInfo } from '../links/links.model.ts'
import { isHidden } from '../links/links.rules.ts'
import { codeOfLink, type Found, readCode } from './holders.service.ts'

export type Opened = { readonly code: Found; readonly led: Led } | { readonly label: string } | undefined

/** A scan of a short link. `label`: its slug is of no code, and perhaps that of a label. Undefined: it leads nowhere. */
export async function openShortLink(ctx: AppContext, slug: string, visitor: Visitor): Promise<Opened> {
  const known = codeOfLink(ctx, slug)
  const code = known instanceof Promise ? await known : known
  if (code === undefined) return undefined
  if ('label' in code) return code
  if (code.isLabel && isCounted(visitor)) countLabelScan(ctx, code.asked)
  return { code, led: await lead(ctx, code, visitor) }
}

/** A slug has 30^8 possible values, but custom ones are words. */
const WRONG_SLUGS = { key: '', limit: 20, windowMs: MINUTE }

/**
 * Counts a slug that leads nowhere. Returns 0, or the seconds to wait after too many of them from one address. Others are never counted or refused: many
 * people behind one address scan codes at once.
 */
export async function countWrongSlug(ctx: AppContext, ip: string): Promise<number> {
  if (!ctx.config.rateLimit) return 0
  // Several processes count in the database, which must not contain addresses of visitors.
  const uses = usesByAddress(WRONG_SLUGS, ip).map((use) => ({ ...use, key: ctx.seal.mac(`wrong slug ${use.key}`) }))
  const refusal = await ctx.exactLimiter.takeAll(uses)
  return refusal === undefined ? 0 : secondsOf(refusal)
}

/** Whether a scan of a label counts, wherever it leads. */
export const isCounted = ({ request }: Visitor): boolean => request.method === 'GET' && !isRobot(request.headers)

/** The public facts about a short link. `target`: HIDDEN if its owner does not show it, PAGE if it is not an address of the web. */
export interface Info {
  readonly code: Found
  readonly info: LinkInfo
  readonly target: { readonly url: string } | 'PAGE' | 'HIDDEN'
}

/** The public facts about a label that stands for no code. They do not name its thing, whose own page decides who sees it. */
export interface LabelInfo {
  readonly blank: BlankRow
  readonly info: LinkInfo
}

export async function infoOf(ctx: AppContext, slug: string): Promise<Info | LabelInfo | undefined> {
  const code = await readCode(ctx, slug)
  if (code === undefined) return undefined
  return 'label' in code ? infoOfLabel(ctx, code.label) : infoOfCode(ctx, code)
}

async function infoOfLabel(ctx: AppContext, slug: string): Promise<LabelInfo | undefined> {
  const blank = await findBlank(ctx.db.read, slug)
  if (blank === undefined) return undefined
  const { status, number: name } = blank
  if (status === 'BOUND' && (await pageOfLabel(ctx, blank)) === undefined) return undefined
  const opens = status === 'BOUND' ? 'PAGE' : null
  return { blank, info: { slug, name, opens, host: null, blank: status === 'FREE' } }
}

export function infoOfCode(ctx: AppContext, code: Found): Info {
  const address = code.opens === 'TARGET' ? webAddress(code.content) : undefined
  const url = address === undefined ? null : URL.parse(address)
  const target = isHidden(code, ctx.clock.now()) ? 'HIDDEN' : url === null ? 'PAGE' : { url: url.href }
  const { name, opens, asked: slug } = code
  const host = typeof target === 'string' ? null : url!.host
  return { code, target, info: { slug, name, opens, host, blank: false } }
}
