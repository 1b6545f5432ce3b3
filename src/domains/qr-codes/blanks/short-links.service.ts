/** What short links of this server stand for. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import type { FindShortLinkTarget, LabelledThing } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import { ownAddresses } from '#http/addresses.ts'

import { codeOfSlug } from '../slugs.store.ts'
import { slugIn } from './blanks.rules.ts'
import { type BlankRow, findBlank } from './blanks.store.ts'

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

/** The path of the page that a scan of a label opens; undefined if the thing is gone. */
export async function pageOf(ctx: AppContext, kind: LabelledThing, id: number): Promise<string | undefined> {
  for (const pages of contributions(ctx, 'labelPages')) {
    const path = await pages[kind]?.(ctx.db.read, id)
    if (path !== undefined) return path
  }
  return undefined
}
