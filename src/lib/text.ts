/** Helpers for texts. */

/** Half of a surrogate pair has no UTF-8 form: databases and files refuse it or change it. */
export const hasLoneSurrogate = (text: string): boolean => !text.isWellFormed()

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
// oxlint-disable-next-line no-control-regex -- tab, LF and CR are none of them
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

/** C0 and C1 control characters and Unicode's line and paragraph separators; tab, LF, CR and the separators pass with `allowNewlines`. */
export const hasControl = (text: string, allowNewlines = false): boolean =>
  (allowNewlines ? CONTROL_BUT_LINES : CONTROL).test(text)

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Safe as element content and inside a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => ESCAPES[c]!)

/** `text` as it stands inside a LIKE pattern whose escape character is the backslash. */
export const likeEscape = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
