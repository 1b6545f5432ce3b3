/** Finds the codes and labels to which short links of this server lead. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import type { FindShortLinkTarget } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import { ownAddresses } from '#http/addresses.ts'
import { ownLink } from '#lib/own-link.ts'

import { codeOfSlug } from '../slugs.store.ts'
import { type BlankRow, findBlank } from './blanks.store.ts'

const PATH = /^\/q\/([\w-]{1,100})\/?$/i
/** On a domain that is for short links only. */
const SHORT_PATH = /^\/([\w-]{1,100})\/?$/

interface Addresses {
  /** The starts of this server's links. */
  readonly own: readonly string[]
  readonly publicUrl: string
  /** The start of short links, if one was set; otherwise empty. */
  readonly shortUrl: string
}

/** The end of a short link, as it is written; undefined for other texts. Links are recognized in any case. */
function slugIn(text: string, { own, publicUrl, shortUrl }: Addresses): string | undefined {
  const addresses = shortUrl === '' ? own : [...own, shortUrl]
  const path = ownLink(text, addresses)?.path
  const slug = path && PATH.exec(path)?.[1]
  if (slug || shortUrl === '' || new URL(shortUrl).host === new URL(publicUrl).host) return slug || undefined
  const short = ownLink(text, [shortUrl])?.path
  return short && SHORT_PATH.exec(short)?.[1]
}

export interface ShortLinkTarget {
  readonly qrCodeId?: number
  readonly blank?: BlankRow
}

/** The code or label to which a short link belongs, as it is or in lower case. Undefined for other texts. */
export async function findShortLink(ctx: AppContext, db: Db | Tx, text: string): Promise<ShortLinkTarget | undefined> {
  const { publicUrl, shortUrl } = ctx.config
  const slug = slugIn(text, { own: ownAddresses(ctx), publicUrl, shortUrl })
  if (slug === undefined) return undefined
  const lower = slug.toLowerCase()
  const qrCodeId = (await codeOfSlug(db, slug)) ?? (slug === lower ? undefined : await codeOfSlug(db, lower))
  if (qrCodeId !== undefined) return { qrCodeId }
  const blank = await findBlank(db, lower)
  return blank && { blank }
}

export const shortLinkTarget: FindShortLinkTarget = async (ctx, db, text) => {
  const target = await findShortLink(ctx, db, text)
  if (target?.qrCodeId !== undefined) return { kind: 'QR_CODE', id: target.qrCodeId }
  const { kind, targetId } = target?.blank ?? { kind: null, targetId: null }
  return kind === null || targetId === null ? undefined : { kind, id: targetId }
}

/** The path of the page that a scan of a label opens; undefined for labels of codes, and if the thing is gone. */
export async function pageOfLabel(ctx: AppContext, { kind, targetId }: BlankRow): Promise<string | undefined> {
  if (kind === null || kind === 'QR_CODE') return undefined
  for (const pages of contributions(ctx, 'labelPages')) {
    const path = await pages[kind]?.(ctx.db.read, targetId!)
    if (path !== undefined) return path
  }
  return undefined
}
