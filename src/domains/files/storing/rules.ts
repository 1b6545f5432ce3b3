/** The names of stored files. Pure. */

const MAX_NAME_BYTES = 255

// oxlint-disable-next-line no-control-regex -- these characters are removed
const REMOVED = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

const utf8 = new TextEncoder()
const bytesOf = (text: string): number => utf8.encode(text).length

/**
 * The name of a stored file: the last segment of the path that the client sent, without characters that hide or reorder others, with
 * one of `extensions` (without the dot; the first is the usual one), in at most 255 bytes of UTF-8.
 */
export function storedName(given: string, extensions: readonly string[]): string {
  const segment =
    given
      .toWellFormed()
      .normalize('NFC')
      .split(/[/\\]/)
      .findLast((part) => part.trim() !== '') ?? ''
  const clean = segment.replace(REMOVED, '').trim()
  const dot = clean.lastIndexOf('.')
  const hasExtension = dot > 0 && dot > clean.length - 12 && !/\s/.test(clean.slice(dot))
  const end = clean.slice(dot + 1)
  const fits = hasExtension && extensions.includes(end.toLowerCase())
  const extension = `.${fits ? end : extensions[0]}`
  const base = (hasExtension ? clean.slice(0, dot) : clean).replace(/[\s.]+$/, '')
  return (/^\.*$/.test(base) ? 'file' : shortened(base, MAX_NAME_BYTES - bytesOf(extension))) + extension
}

/** Cut between characters as people see them. */
function shortened(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text
  let kept = ''
  let size = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    size += bytesOf(segment)
    if (size > maxBytes) break
    kept += segment
  }
  return kept === '' ? 'file' : kept
}
