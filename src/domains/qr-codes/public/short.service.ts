/** Short links: `/q/{slug}`. */

import type { AppContext } from '#context'
import { webAddress } from '#lib/link-target.ts'
import { isRobot } from '#lib/robots.ts'

import { countLabelScan } from '../blanks/label-counter.ts'
import { opensOf } from '../codes/codes.rules.ts'
import { type Lead, lead, type Led, type Visitor } from '../links/leading.service.ts'
import type { LinkInfo } from '../links/links.model.ts'
import { isHidden } from '../links/links.rules.ts'
import { findLead, linkIn } from '../links/links.store.ts'
import { trustOf } from '../links/trust.service.ts'

/** Of imported ones; others are shorter. */
const SLUG = /^[\w-]{1,100}$/

export interface Found extends Lead {
  readonly uuid: string
  readonly name: string
  readonly createdAt: number
  /** In the spelling of the row, also of an earlier slug. */
  readonly asked: string
  /** Whether the slug is that of a label. */
  readonly isLabel: boolean
}

/** The public code of a slug. `LABEL`: the slug is of no code. Undefined for unknown slugs and for codes that are private or deleted. */
async function findCodeOf(ctx: AppContext, slug: string): Promise<Found | { readonly label: string } | undefined> {
  if (!SLUG.test(slug)) return undefined
  const row = await findLead(ctx.db.read, slug, (await trustOf(ctx)) === 'PROOF')
  if (row === undefined) return undefined
  if (row.holder === null) return { label: row.asked }
  if (row.id === null) return undefined
  return {
    asked: row.asked,
    isLabel: row.label !== null,
    id: row.id,
    uuid: row.uuid!,
    name: row.name!,
    content: row.content!,
    blockedAt: row.blockedAt,
    createdAt: row.createdAt!,
    opens: opensOf({ isDynamic: row.isDynamic!, slug: row.slug, opens: row.opens }),
    isProved: row.isProved === 1,
    link: linkIn(row),
  }
}

export type Opened = { readonly code: Found; readonly led: Led } | { readonly label: string } | undefined

/** A scan of a short link. `label`: its slug is of no code, and perhaps that of a label. Undefined: it leads nowhere. */
export async function openShortLink(ctx: AppContext, slug: string, visitor: Visitor): Promise<Opened> {
  const code = await findCodeOf(ctx, slug)
  if (code === undefined) return undefined
  if ('label' in code) return code
  if (code.isLabel && isCounted(visitor)) countLabelScan(ctx, code.asked)
  return { code, led: await lead(ctx, code, visitor) }
}

/** Whether a scan of a label counts, wherever it leads. */
export const isCounted = ({ request }: Visitor): boolean => request.method === 'GET' && !isRobot(request.headers)

/** The public facts about a short link. `target`: HIDDEN if its owner does not show it, PAGE if it is not an address of the web. */
export interface Info {
  readonly code: Found
  readonly info: LinkInfo
  readonly target: { readonly url: string } | 'PAGE' | 'HIDDEN'
}

export async function infoOf(ctx: AppContext, slug: string): Promise<Info | undefined> {
  const code = await findCodeOf(ctx, slug)
  return code === undefined || 'label' in code ? undefined : infoOfCode(ctx, code)
}

export function infoOfCode(ctx: AppContext, code: Found): Info {
  const address = code.opens === 'TARGET' ? webAddress(code.content) : undefined
  const url = address === undefined ? null : URL.parse(address)
  const target = isHidden(code, ctx.clock.now()) ? 'HIDDEN' : url === null ? 'PAGE' : { url: url.href }
  const { name, opens, asked: slug } = code
  const host = typeof target === 'string' ? null : url!.host
  return { code, target, info: { slug, name, opens, host, blank: false } }
}
