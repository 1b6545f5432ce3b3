/** The name and look of this server, for pages, mails and the manifest. The domain `server` sets it; until then it is the product's. */

import { createHash } from 'node:crypto'

import { type AppContext, perContext } from '#context'
import { type Html, rawHtml } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'

import { STYLE } from './page-style.ts'

export interface SiteContact {
  readonly operator: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly url: string | null
  readonly imprintUrl: string | null
  readonly privacyUrl: string | null
}

export interface SiteLook {
  readonly name: string
  /** Of people whose browser asks for neither language. */
  readonly locale: Locale
  readonly shortName: string
  /** Empty: the product's own. */
  readonly description: string
  /** For text on light and on dark grounds, and of text on them: `#rrggbb`. Undefined: the colours of the style sheet. */
  readonly accent?: { readonly light: string; readonly dark: string; readonly onLight: string; readonly onDark: string }
  /** Part of the addresses of the pictures of its logo (`iconPath`); undefined: it has the product's mark. */
  readonly iconKey?: string
  readonly contact: SiteContact
}

export interface Site extends SiteLook {
  readonly style: Html
  /** `'sha256-…'`, for the policy of pages. */
  readonly styleHash: string
}

export const PRODUCT = 'Tessera'

export const NO_CONTACT: SiteContact = {
  operator: null,
  email: null,
  phone: null,
  url: null,
  imprintUrl: null,
  privacyUrl: null,
}

/** The contact in the foot of public pages; undefined without an operator and a legal notice. */
export const footOf = ({ contact }: SiteLook): SiteContact | undefined =>
  contact.operator === null && contact.imprintUrl === null ? undefined : contact

function siteWith(look: SiteLook): Site {
  const { accent } = look
  const colors =
    accent === undefined
      ? ''
      : `\n@media screen{:root{--accent:${accent.light};--on-accent:${accent.onLight}}}\n@media screen and (prefers-color-scheme:dark){:root{--accent:${accent.dark};--on-accent:${accent.onDark}}}`
  const style = STYLE + colors
  return {
    ...look,
    // A single value: the formatter must not indent it, because the hash covers every character.
    style: rawHtml(`<style>${style}</style>`),
    styleHash: `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  }
}

const DEFAULT = siteWith({ name: PRODUCT, shortName: PRODUCT, locale: 'en', description: '', contact: NO_CONTACT })

const holder = perContext(() => ({ site: DEFAULT }))

/** The product's without a context. */
export const siteOf = (ctx: AppContext | undefined): Site => (ctx === undefined ? DEFAULT : holder(ctx).site)

export function setSite(ctx: AppContext, look: SiteLook): void {
  holder(ctx).site = siteWith(look)
}
