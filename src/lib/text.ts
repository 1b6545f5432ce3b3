/** Helpers for texts. */

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Safe as element content and inside a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => ESCAPES[c]!)

/** `text` as it stands inside a LIKE pattern whose escape character is the backslash. */
export const likeEscape = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
