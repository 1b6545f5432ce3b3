/** The name and look of the server, from its server values. */

import type { ServerValues } from '#domains/settings/index.ts'
import type { FieldProblem } from '#http/errors.ts'
import { NO_CONTACT, PRODUCT, type SiteContact, type SiteLook } from '#http/site.ts'
import { clearer, readableOn } from '#lib/colors.ts'

import { type IdentityChange, SHORT_NAME_MAX } from './identity.model.ts'

type Identity = NonNullable<ServerValues['identity']>

/** The grounds of text in the style sheets of pages and of the web application. */
const LIGHT = ['#ffffff', '#f4f5f2']
const DARK = ['#181f1c', '#101513']
/** Of text on a button: every colour has a contrast of 4.58 with one of them. */
const [BLACK, WHITE] = ['#000000', '#ffffff']

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

const beginning = (name: string): string =>
  [...graphemes.segment(name)]
    .slice(0, SHORT_NAME_MAX)
    .map(({ segment }) => segment)
    .join('')
    .trim()

export function lookOf({ identity = {}, language = 'en', logo }: ServerValues): SiteLook {
  const { name = PRODUCT, shortName = beginning(name), description = '', primary, primaryDark } = identity
  const { light, dark } = effectiveColors(primary ?? null, primaryDark ?? null)
  return {
    name,
    shortName,
    locale: language,
    description,
    ...((light !== null || dark !== null) && { accent: accentOf(light, dark) }),
    ...(logo !== undefined && { iconKey: logo.key }),
    contact: contactOf(identity),
  }
}

/** Those of the style sheets. */
const DEFAULT_ACCENT = { light: '#0b6b57', dark: '#5fcdb0' }

function accentOf(light: string | null, dark: string | null): NonNullable<SiteLook['accent']> {
  const shown = { light: light ?? DEFAULT_ACCENT.light, dark: dark ?? DEFAULT_ACCENT.dark }
  return { ...shown, onLight: clearer(BLACK, WHITE, shown.light), onDark: clearer(BLACK, WHITE, shown.dark) }
}

export const effectiveColors = (primary: string | null, primaryDark: string | null) => ({
  light: primary && readableOn(primary, LIGHT),
  dark: primaryDark && readableOn(primaryDark, DARK),
})

export const contactOf = (identity: Identity): SiteContact =>
  Object.fromEntries(
    Object.entries(NO_CONTACT).map(([field, none]) => [field, identity[field as 'email'] ?? none]),
  ) as never

/** The stored value after a change; undefined if nothing is left of it. */
export function changed(before: Identity, change: IdentityChange): Identity | undefined {
  const { colors, contact, ...texts } = change
  if (Object.keys(change).length === 0) return undefined
  const isEmpty = (part: object | undefined): boolean => part !== undefined && Object.keys(part).length === 0
  const none = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, null]))
  const all = {
    ...before,
    ...texts,
    ...(isEmpty(colors) ? none('primary', 'primaryDark') : colors),
    ...(isEmpty(contact) ? none(...Object.keys(NO_CONTACT)) : contact),
  }
  const kept = Object.entries(all).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as Identity)
}

const ADDRESSES = ['url', 'imprintUrl', 'privacyUrl'] as const
const EMAIL = /^[^\s@<>"',;]+@[^\s@<>"',;]+$/

export function problemsOf({ contact = {} }: IdentityChange): FieldProblem[] {
  const problems: FieldProblem[] = []
  for (const field of ADDRESSES) {
    const value = contact[field]
    if (value && !(/^https?:\/\//i.test(value) && URL.canParse(value)))
      problems.push({
        path: `body.contact.${field}`,
        text: {
          en: 'must be an address that begins with https:// or http://',
          zh: '须为以 https:// 或 http:// 开头的网址',
        },
      })
  }
  if (contact.email && !EMAIL.test(contact.email))
    problems.push({ path: 'body.contact.email', text: { en: 'must be an e-mail address', zh: '须为邮箱地址' } })
  return problems
}
