/** Helpers for texts. */

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Safe as element content and inside a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => ESCAPES[c]!)

/** `text` as it stands inside a LIKE pattern whose escape character is the backslash. */
export const likeEscape = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** Plain text as HTML: a blank line begins a paragraph, a line break stays one. */
export const textToHtml = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${escapeHtml(paragraph.trim()).replace(/\r?\n/g, '<br />\n')}</p>\n`)
    .join('')
