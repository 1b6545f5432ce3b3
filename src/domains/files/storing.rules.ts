/** The names of stored files. Pure. */

const MAX_NAME_BYTES = 255

// oxlint-disable-next-line no-control-regex -- these characters are removed
const REMOVED = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

const utf8 = new TextEncoder()
const bytesOf = (text: string): number => utf8.encode(text).length

/** File extensions of media types; the first is the usual one. Others get the last part of the type. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'text/plain': ['txt', 'text', 'md', 'log', 'json', 'yaml', 'yml', 'ini', 'toml', 'srt', 'vcf', 'ics', 'csv'],
  'text/csv': ['csv', 'tsv', 'txt'],
  'audio/mpeg': ['mp3'],
  'audio/mp4': ['m4a', 'mp4'],
  'audio/webm': ['webm', 'weba'],
  'audio/ogg': ['ogg', 'oga', 'opus'],
  'video/mp4': ['mp4', 'm4v'],
  'video/quicktime': ['mov', 'qt'],
  'video/3gpp': ['3gp', '3g2'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'application/vnd.ms-word.document.macroenabled.12': ['docm'],
  'application/vnd.ms-excel.sheet.macroenabled.12': ['xlsm'],
  // Other programs read documents of other kinds by their extension. None of these runs by itself.
  'application/zip': ['zip', 'pptx', 'odt', 'ods', 'odp', 'epub'],
}

/** The last segment of the path that a client sent, as it can be stored. */
export function cleanName(given: string): string {
  const segments = given.toWellFormed().normalize('NFC').split(/[/\\]/)
  return (segments.findLast((part) => part.trim() !== '') ?? '').replace(REMOVED, '').trim()
}

/**
 * The name of a stored file: the last segment of the path that the client sent, without characters that hide or reorder others, with
 * an extension of the stored type, in at most 255 bytes of UTF-8.
 */
export function storedName(given: string, mime: string): string {
  const extensions = EXTENSIONS[mime] ?? [mime.replace(/^.*\//, '')]
  const clean = cleanName(given)
  const [end = '', letters = ''] = /(?<=.)\.([a-z0-9]{1,10})$/i.exec(clean) ?? []
  const extension = extensions.includes(letters.toLowerCase()) ? end : `.${extensions[0]}`
  const base = clean.slice(0, clean.length - end.length).replace(/[\s.]+$/, '')
  return (/^\.*$/.test(base) ? 'file' : shortened(base, MAX_NAME_BYTES - bytesOf(extension))) + extension
}

const IMAGE_NAME = /\.(jpe?g|jpe|jfif|png|gif|webp|hei[cf]|avif|bmp|tiff?|svg)$/i

/**
 * Whether a name promises an image that the bytes are not. Users would open such a file in the belief that it is harmless. One kind of
 * image under the name of another is common on phones, and is stored under the right one.
 */
export const isMislabelled = (given: string, mime: string): boolean =>
  IMAGE_NAME.test(cleanName(given)) && !mime.startsWith('image/')

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
