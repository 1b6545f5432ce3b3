/** Small functions on text. */

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Makes `text` safe as element content and inside a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => ESCAPES[c]!)

/** Escapes `text` for a LIKE pattern whose escape character is the backslash. */
export const likeEscape = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** Converts plain text to HTML: blank lines separate paragraphs, line breaks are kept. */
export const textToHtml = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${escapeHtml(paragraph.trim()).replace(/\r?\n/g, '<br />\n')}</p>\n`)
    .join('')
