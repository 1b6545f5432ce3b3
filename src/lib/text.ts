/** Small functions on text. */

/** Source of a regular expression for UUIDs in lower case. */
export const UUID_PATTERN = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

// oxlint-disable-next-line no-control-regex -- control characters are replaced
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g

/** Replaces control characters and line separators, which break a line or hide text on a terminal. */
export const replaceControlCharacters = (text: string, replace: (character: string) => string): string =>
  text.replace(CONTROL, replace)

/** Makes text from outside safe for a log line or a terminal, which obeys some control characters. */
export const escapeControlCharacters = (text: string): string =>
  replaceControlCharacters(text, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Controls of the direction of text, and characters without width. */
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/
/** Joins emoji into one, as in a family. */
const JOINER = /(?<=\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)\u200d(?=\p{Extended_Pictographic})/gu

/** Whether the text contains characters that can make it look like another text. A zero-width joiner between emoji is none. */
export const hasHiddenCharacters = (text: string): boolean =>
  INVISIBLE.test(text) && INVISIBLE.test(text.replace(JOINER, ''))

let segmenter: Intl.Segmenter | undefined

/** Whether the text has more than `max` characters as people see them: grapheme clusters, of which an emoji of several code points is one. */
function hasMoreThan(text: string, max: number): boolean {
  // No cluster is shorter than one unit.
  if (text.length <= max) return false
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  let characters = 0
  for (const _ of segmenter.segment(text)) if (++characters > max) return true
  return false
}

/** Whether the text has fewer than `min` characters as people see them. */
export const isShorterThan = (text: string, min: number): boolean => min > 0 && !hasMoreThan(text, min - 1)

/**
 * Whether the text has more than `max` characters as people see them, or, because any number of combining marks can follow a letter, not
 * more characters but more than `max` × `unitsEach` UTF-16 units.
 */
export function excessOf(text: string, max: number, unitsEach: number): 'characters' | 'units' | undefined {
  const maxUnits = max * unitsEach
  // No more of a text of any length is looked at than it may have.
  if (hasMoreThan(text.slice(0, maxUnits + 1), max)) return 'characters'
  return text.length > maxUnits ? 'units' : undefined
}

export const isLongerThan = (text: string, max: number, unitsEach: number): boolean =>
  excessOf(text, max, unitsEach) !== undefined

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Makes `text` safe as element content and inside a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => ESCAPES[c]!)

/** Converts plain text to HTML: blank lines separate paragraphs, line breaks are kept. */
export const textToHtml = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${escapeHtml(paragraph.trim()).replace(/\r?\n/g, '<br />\n')}</p>\n`)
    .join('')

/** Characters of a name that another person chose. */
const NAME_SHOWN = 60
// oxlint-disable-next-line no-control-regex -- removes control characters
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** A text on one line, without characters that hide or reverse others: for headers of mails and calendars. */
export const onOneLine = (text: string): string => text.toWellFormed().replace(HIDDEN, ' ').replace(/\s+/g, ' ').trim()

/**
 * Makes a name harmless that another person may have chosen, such as the name of an attacker's device: short, on one line, and
 * without an address that mail programs and apps would turn into a link.
 */
export const plainName = (name: string): string =>
  name
    .replace(HIDDEN, ' ')
    .slice(0, NAME_SHOWN)
    .toWellFormed()
    .replace(/:\/\//g, ' ')
    // An invisible word joiner after each dot, so that mail programs do not recognize a host name.
    .replace(/\.(?=\p{L})/gu, '.\u2060')

/** An e-mail address that only its owner recognizes. */
export const shortenAddress = (address: string): string =>
  `${address.slice(0, 1)}***${address.slice(address.lastIndexOf('@'))}`

/** Before a letter or digit they make addresses of pages and of mail. */
const IN_ADDRESSES = /[.\u3002\uff0e\uff61@](?=[\p{L}\p{N}])/gu

/** Words of a user for a mail, without anything that mail programs would turn into a link, and without hidden characters. */
export const withoutLinks = (text: string): string =>
  text
    .split('\n')
    .map(onOneLine)
    .join('\n')
    .replace(/:\/\//g, ' ')
    // An invisible word joiner.
    .replace(IN_ADDRESSES, '$&\u2060')
