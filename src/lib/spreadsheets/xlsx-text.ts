/** Characters that XML cannot contain, as workbooks write them. */

/** ECMA-376 part 1, §22.9.2.19: characters that XML cannot contain are written as _xHHHH_, as is an underscore that begins such a text. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/_(?=x[\da-fA-F]{4}_)/g, '_x005F_')
    .replace(SPECIAL, (c) => NAMED[c] ?? `_x${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
}
// oxlint-disable-next-line no-control-regex -- these characters are replaced
const SPECIAL = /[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g
const NAMED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** The text that such a cell shows. */
export const unescapeCharacters = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text
