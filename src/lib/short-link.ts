/** Addresses of short links. */

export interface ShortLinks {
  /** Comes before the slug. */
  readonly start: string
  /** They also work in upper case, which takes fewer modules of a QR code. */
  readonly haveUpperCase: boolean
}

/** `shortUrl`: the address that was set for short links, or an empty text. On a domain of their own they are `https://go.example.org/menu`. */
export function shortLinks(publicUrl: string, shortUrl: string): ShortLinks {
  const base = shortUrl || publicUrl
  const { host, pathname } = new URL(base)
  const hasOwnDomain = host !== new URL(publicUrl).host
  return { start: hasOwnDomain ? `${base}/` : `${base}/q/`, haveUpperCase: pathname === '/' }
}

/** A short link as pictures hold it. Imported slugs may differ in case only, so those are not changed. */
export const inPicture = ({ start, haveUpperCase }: ShortLinks, slug: string): string =>
  haveUpperCase && !/[A-Z_]/.test(slug) ? (start + slug).toUpperCase() : start + slug
