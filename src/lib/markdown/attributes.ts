/** Values of `href` and `src` that are safe in a page. */

import { decodeHTMLStrict } from 'entities/decode'

const ESCAPABLE = /\\([!-/:-@[-`{-~])/g

/** Resolves entities and backslash escapes, as CommonMark does in destinations, titles and info strings. */
export function resolve(written: string): string {
  if (!/[\\&]/.test(written)) return written
  // An escaped ampersand must not begin an entity, so escapes are written as entities first.
  return decodeHTMLStrict(written.replace(ESCAPABLE, (_, c: string) => `&#${c.charCodeAt(0)};`))
}

/** Resolves entities only: in `<http://…>` a backslash is an ordinary character. */
export const resolveEntities = (written: string): string =>
  written.includes('&') ? decodeHTMLStrict(written) : written

const CONTROL = /\p{Cc}/u
const SCHEME = /^[a-z][a-z\d+.-]*:/i
const WEB = /^https?:\/\/[^/\\]/i
/** An address of another host without a scheme. Browsers treat a backslash as a slash. */
const OTHER_HOST = /^[\\/]{2}/

/**
 * Returns the address if it is http, https or a relative path, otherwise the empty string (spec §1). Also refuses texts that a
 * browser may interpret differently: control characters and leading backslashes.
 */
export function safeAddress(address: string): string {
  const text = address.trim()
  if (CONTROL.test(text) || OTHER_HOST.test(text)) return ''
  if (SCHEME.test(text) && !WEB.test(text)) return ''
  return encode(text)
}

/** Percent-encodes all characters that addresses do not allow. `%` is kept, so that nothing is encoded twice. */
const encode = (text: string): string =>
  text.toWellFormed().replace(/[^\w\-.!~*'();/?:@&=+$,#%]+/g, (chars) => encodeURIComponent(chars))
