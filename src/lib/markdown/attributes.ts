/** What may stand in `href` and `src`. */

import { decodeHTMLStrict } from 'entities/decode'

const ESCAPABLE = /\\([!-/:-@[-`{-~])/g

/** Entities and backslash escapes resolved, as CommonMark does in destinations, titles and info strings. */
export function resolve(written: string): string {
  if (!/[\\&]/.test(written)) return written
  // An escaped ampersand begins no entity: the escapes are set aside as entities first.
  return decodeHTMLStrict(written.replace(ESCAPABLE, (_, c: string) => `&#${c.charCodeAt(0)};`))
}

/** Entities alone: `<http://…>` knows no backslashes. */
export const resolveEntities = (written: string): string =>
  written.includes('&') ? decodeHTMLStrict(written) : written

const CONTROL = /\p{Cc}/u
const SCHEME = /^[a-z][a-z\d+.-]*:/i
const WEB = /^https?:\/\/[^/\\]/i
/** Another host without a scheme. Browsers read a backslash as a slash. */
const OTHER_HOST = /^[\\/]{2}/

/**
 * The address if it is http, https or a relative path, else the empty string (spec §1). Whatever a browser might read differently
 * is refused: control characters, backslashes at the beginning, white space in front.
 */
export function safeAddress(address: string): string {
  const text = address.trim()
  if (CONTROL.test(text) || OTHER_HOST.test(text)) return ''
  if (SCHEME.test(text) && !WEB.test(text)) return ''
  return encode(text)
}

/** Percent-encodes everything but the characters of addresses; `%` stays, so that what was encoded is not encoded twice. */
const encode = (text: string): string =>
  text.toWellFormed().replace(/[^\w\-.!~*'();/?:@&=+$,#%]+/g, (chars) => encodeURIComponent(chars))
