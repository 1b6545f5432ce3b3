import type { AppContext } from '#context'
import type { LinkRule } from '#db/schema/qr-links.ts'
import type { RuleDevice } from '#lib/link-rules.ts'

import { opensOf } from '../codes/codes.rules.ts'
import type { QrCodeRow } from '../codes/codes.store.ts'
import { shortUrlOf } from '../codes/codes.view.ts'
import type { LinkView } from './links.model.ts'
import type { Link } from './links.rules.ts'

export interface LinkParts {
  /** It has a slug. */
  readonly code: QrCodeRow & { readonly slug: string }
  readonly link: Link & { readonly earlierScans: number }
  /** All slugs of the code, oldest first. */
  readonly slugs: readonly string[]
  readonly warnsAlways: boolean
}

export const linkView = (ctx: AppContext, { code, link, slugs, warnsAlways }: LinkParts): LinkView => ({
  slug: code.slug,
  shortUrl: shortUrlOf(ctx, code.slug),
  aliases: slugs.filter((slug) => slug !== code.slug),
  opens: opensOf(code) ?? 'PAGE',
  target: code.content,
  forwardQuery: link.forwardQuery,
  warn: link.warn,
  warnsAlways,
  rules: link.rules.map(ruleView),
  fallbackUrl: link.fallbackUrl,
  expiresAt: link.expiresAt,
  maxScans: link.maxScans,
  scansLeft: link.scansLeft,
  hasPassword: link.passwordHash !== null,
  earlierScans: link.earlierScans,
  version: code.version,
})

const ruleView = (rule: LinkRule): LinkView['rules'][number] => ({
  target: rule.target,
  from: rule.from ?? null,
  to: rule.to ?? null,
  weekdays: rule.weekdays ?? null,
  hours: rule.hours ?? null,
  timeZone: rule.timeZone ?? null,
  devices: (rule.devices as RuleDevice[] | undefined) ?? null,
  languages: rule.languages ?? null,
  countries: rule.countries ?? null,
  firstScans: rule.firstScans ?? null,
})
