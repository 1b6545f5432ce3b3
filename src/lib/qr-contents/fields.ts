/** The form `NAME:value;NAME:value;;` of Wi-Fi codes, MECARD, BIZCARD and MATMSG, and the lines of vCard and iCalendar. */

/** Values by their names in upper case, in the order of the text. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** A backslash takes the meaning from the character after it. Undefined if nothing in the text has a name. */
export function fieldsOf(text: string): Fields | undefined {
  const fields = new Map<string, string[]>()
  for (const part of splitAt(text, ';')) {
    const colon = part.indexOf(':')
    if (colon <= 0) continue
    const name = part.slice(0, colon).trim().toUpperCase()
    fields.set(name, [...(fields.get(name) ?? []), unescaped(part.slice(colon + 1)).trim()])
  }
  return fields.size > 0 ? fields : undefined
}

export const lastOf = (fields: Fields, name: string): string => fields.get(name)?.at(-1) ?? ''
/** The values that are not empty. */
export const allOf = (fields: Fields, name: string): string[] =>
  (fields.get(name) ?? []).filter((value) => value !== '')

/** The parts between separators that no backslash precedes; their backslashes remain. */
export function splitAt(text: string, separator: ';' | ','): string[] {
  const parts: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === separator) {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}

/** `\n` is a line break only in vCard and iCalendar; elsewhere it is the letter. */
export const unescaped = (text: string, lineBreaks = false): string =>
  text.replace(/\\([^])/g, (_, character: string) => (lineBreaks && /n/i.test(character) ? '\n' : character))

/** A text as the value of a vCard or iCalendar property, on one line. */
export const escaped = (text: string): string =>
  text.replace(/[\\;,]/g, String.raw`\$&`).replace(/\r\n?|\n/g, String.raw`\n`)

/** A line of vCard or iCalendar: `item1.TEL;TYPE=home:+86 138` */
export interface Property {
  /** In upper case, without the group before the dot. */
  readonly name: string
  /** `TYPE=home` and so on, in any case. */
  readonly parameters: readonly string[]
  /** With its backslashes. */
  readonly value: string
}

const LINE = /^(?:[\w-]{1,40}\.)?([\w-]{1,40})((?:;(?:[^:"]|"[^"]*")*)?):([^]*)$/

/** The lines without the breaks that RFC 5545 §3.1 puts into long ones. */
export const linesOf = (text: string): string[] =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')

/** Undefined for a line of another form. */
export function propertyOf(line: string): Property | undefined {
  const [, name, parameters = '', value = ''] = LINE.exec(line) ?? []
  if (name === undefined) return undefined
  return {
    name: name.toUpperCase(),
    parameters: parameters.split(';').slice(1),
    value,
  }
}

/** Bytes of a line, without its break (RFC 5545 §3.1, RFC 6350 §3.2). */
const LINE_BYTES = 75

const utf8 = new TextEncoder()

/** Joins lines as files have them: long ones are folded, never inside a character. */
export function fold(lines: readonly string[]): string {
  let text = ''
  for (const line of lines) {
    let bytes = 0
    for (const character of line) {
      const size = utf8.encode(character).length
      if (bytes + size > LINE_BYTES) {
        text += '\r\n '
        bytes = 1
      }
      text += character
      bytes += size
    }
    text += '\r\n'
  }
  return text
}
