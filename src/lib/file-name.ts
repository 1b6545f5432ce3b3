/** File names for downloads and archives that are valid on Windows, macOS and Linux. */

/** Most file systems allow 255 bytes; the rest is for a number and an extension. */
const MAX_BYTES = 200

/** Path separators, drives, wildcards, and invisible characters that change the reading direction and so hide the extension. */
// oxlint-disable-next-line no-control-regex -- these characters are replaced
const UNSAFE = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Device names of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:\.|$)/i

const utf8 = new TextEncoder()

/** Programs take such a name for an option (`-`), and spreadsheets take it for a formula where a table lists the files. */
const AMBIGUOUS_START = /^[-=+@]/

/**
 * Replaces unsafe characters of `name` by `_` and cuts it to `maxBytes` of UTF-8 between characters; other Unicode is kept.
 * Returns `fallback` if nothing is left. Two names may become equal: see `uniqueFileNames`.
 */
export function safeFileName(name: string, fallback = 'unnamed', maxBytes = MAX_BYTES): string {
  const clean = name
    .normalize('NFC')
    .toWellFormed()
    .replace(UNSAFE, '_')
    .trim()
    .replace(/^\.+/, '_')
    .replace(AMBIGUOUS_START, '_$&')
  // Windows drops trailing dots and spaces, so they are removed after cutting.
  const cut = cutBytes(clean, maxBytes).replace(/[\s.]+$/, '')
  if (cut === '' || /^_+$/.test(cut)) return fallback
  return RESERVED.test(cut) ? cutBytes(`_${cut}`, maxBytes) : cut
}

function cutBytes(text: string, max: number): string {
  const { read } = utf8.encodeInto(text, new Uint8Array(max))
  return text.slice(0, read)
}

/**
 * Names the files of one archive: each call returns a safe name with `extension` that differs from all earlier ones even if case
 * is ignored: `Menu.png`, `menu (2).png`.
 */
export function uniqueFileNames(extension: string): (name: string) => string {
  const next = new Map<string, number>()
  return (name) => {
    const base = safeFileName(name)
    let candidate = base
    while (next.has(key(candidate))) {
      const n = next.get(key(base))!
      next.set(key(base), n + 1)
      candidate = `${base} (${n})`
    }
    next.set(key(candidate), 2)
    return candidate + extension
  }
}

/** Equal for names that a file system which ignores case treats as the same. */
const key = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase()
