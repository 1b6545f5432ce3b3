/** Names of files that every system can hold: Windows, macOS and Linux, unpacked from an archive or downloaded. */

/** Most file systems hold 255 bytes; the rest is for a number and an extension. */
const MOST_BYTES = 200

/** No path, no drive, no wildcard, nothing invisible that turns the reading direction (and so hides the extension). */
// oxlint-disable-next-line no-control-regex -- these are what is replaced
const UNSAFE = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Devices of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:\.|$)/i

const utf8 = new TextEncoder()

/**
 * `name` with unsafe characters as `_`, cut to `mostBytes` of UTF-8 between characters; other Unicode is kept. `fallback` when
 * nothing is left. Two names may come out the same: see `uniqueFileNames`.
 */
export function safeFileName(name: string, fallback = 'unnamed', mostBytes = MOST_BYTES): string {
  const clean = name.normalize('NFC').toWellFormed().replace(UNSAFE, '_').trim().replace(/^\.+/, '_')
  // Windows drops dots and blanks at the end; so they go after cutting.
  const cut = cutBytes(clean, mostBytes).replace(/[\s.]+$/, '')
  if (cut === '' || /^_+$/.test(cut)) return fallback
  return RESERVED.test(cut) ? cutBytes(`_${cut}`, mostBytes) : cut
}

function cutBytes(text: string, most: number): string {
  const { read } = utf8.encodeInto(text, new Uint8Array(most))
  return text.slice(0, read)
}

/**
 * Names for the files of one archive: each call gives a safe name with `extension` that no call before gave, whatever the case
 * of its letters: `Menu.png`, `menu (2).png`.
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

/** What file systems that ignore case compare. */
const key = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase()
