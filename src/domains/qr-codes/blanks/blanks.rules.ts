/** Recognizes short links of this server in texts. */

import { ownLink } from '#lib/own-link.ts'

const PATH = /^\/q\/([\w-]{1,100})\/?$/i
/** On a domain that is for short links only. */
const SHORT_PATH = /^\/([\w-]{1,100})\/?$/

export interface Addresses {
  /** The starts of this server's links. */
  readonly own: readonly string[]
  readonly publicUrl: string
  /** The start of short links, if one was set; otherwise empty. */
  readonly shortUrl: string
}

/** The end of a short link, as it is written; undefined for other texts. Links are recognized in any case. */
export function slugIn(text: string, { own, publicUrl, shortUrl }: Addresses): string | undefined {
  const addresses = shortUrl === '' ? own : [...own, shortUrl]
  const path = ownLink(text, addresses)?.path
  const slug = path && PATH.exec(path)?.[1]
  if (slug || shortUrl === '' || new URL(shortUrl).host === new URL(publicUrl).host) return slug || undefined
  const short = ownLink(text, [shortUrl])?.path
  return short && SHORT_PATH.exec(short)?.[1]
}
