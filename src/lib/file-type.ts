/**
 * Decides the media type of a file from its bytes; its name and the sender's claim can be wrong on purpose. HTML, SVG and other markup
 * have no type here, because a browser could run them.
 */

import { hasSoundOnly } from './audio/mp4.ts'
import { oggOpusMs } from './audio/ogg.ts'
import { webmOpusMs } from './audio/webm.ts'

/** Every type that is detected, except HEIC. */
export const MEDIA_TYPES = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'application/pdf',
  'application/zip',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.ms-word.document.macroenabled.12',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.ms-excel.sheet.macroenabled.12',
  'text/plain',
  'text/csv',
  'audio/mpeg',
  'audio/mp4',
  'audio/webm',
  'audio/ogg',
  'video/mp4',
  'video/quicktime',
  'video/3gpp',
] as const
export type MediaType = (typeof MEDIA_TYPES)[number] | 'image/heic'

const HEAD = 4096
/** The end of central directory of a ZIP archive, with the longest comment. */
const ZIP_TAIL = 22 + 0xffff
/** Entries of larger directories are not looked at: then the archive is only a ZIP. */
const ZIP_DIRECTORY = 1024 * 1024

/** One character for each byte. (A TextDecoder for latin1 decodes Windows-1252.) */
const characters = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

export interface Media {
  readonly type: MediaType
  /** Milliseconds, of recordings of browsers in WebM and Ogg; null for all other types. */
  readonly durationMs: number | null
}

/** Undefined if the type is unknown, the file is empty, or it is markup. Texts and recordings in Opus are read whole, other files in parts. */
export async function mediaOf(file: Blob): Promise<Media | undefined> {
  const start = characters(await file.slice(0, 4).bytes())
  if (start === '\u001a\u0045\u00df\u00a3') return recording('audio/webm', await webmOpusMs(file))
  if (start === 'OggS') return recording('audio/ogg', await oggOpusMs(file))
  const type = await otherType(file)
  return type && { type, durationMs: null }
}

const recording = (type: MediaType, durationMs: number | undefined): Media | undefined =>
  durationMs === undefined ? undefined : { type, durationMs }

/** As `mediaOf`. */
export const mediaTypeOf = async (file: Blob): Promise<MediaType | undefined> => (await mediaOf(file))?.type

async function otherType(file: Blob): Promise<MediaType | undefined> {
  const head = await file.slice(0, HEAD).bytes()
  const start = characters(head.subarray(0, 16))
  if (start.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg'
  if (start.startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  if (/^RIFF[^]{4}WEBP/.test(start)) return 'image/webp'
  if (start.startsWith('%PDF-')) return 'application/pdf'
  if (/^[^]{4}ftyp/.test(start)) {
    const type = isoMediaType(head)
    // The voice recorders of Safari and Android use brands of videos.
    return type === 'video/mp4' && (await hasSoundOnly(file)) ? 'audio/mp4' : type
  }
  if (start.startsWith('PK\u0003\u0004') || start.startsWith('PK\u0005\u0006')) return zipType(file)
  if (isMp3(head)) return 'audio/mpeg'
  return (await isText(file)) ? textType(head) : undefined
}

/** Brands of ISO base media files: https://mp4ra.org/registered-types/brands. The first match counts. */
const BRANDS: readonly (readonly [brands: RegExp, type: MediaType])[] = [
  [/^avi[fs]$/, 'image/avif'],
  [/^(?:hei[cxms]|hev[cxms])$/, 'image/heic'],
  [/^M4[ABP] $/, 'audio/mp4'],
  [/^qt {2}$/, 'video/quicktime'],
  [/^(?:isom|iso[2-9a-c]|mp4[12]|mp71|avc1|hvc1|M4V[ HP]|MSNV|dash|NDS[CHMPSX])$/, 'video/mp4'],
  [/^3g[2gp]/, 'video/3gpp'],
]

/** Decides by the major brand. Those of HEIF say only the structure, and the compatible brands say the codec. */
function isoMediaType(head: Uint8Array): MediaType | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const end = Math.min(view.getUint32(0), head.length)
  const brands: string[] = []
  for (let at = 8; at + 4 <= end; at += at === 8 ? 8 : 4) brands.push(characters(head.subarray(at, at + 4)))
  const [major = '', ...compatible] = brands
  for (const brand of /^(?:mif1|msf1)$/.test(major) ? compatible : [major])
    for (const [known, type] of BRANDS) if (known.test(brand)) return type
  return undefined
}

/** Office documents by the parts they contain. Undefined if the archive has no directory, for example because its end is missing. */
async function zipType(file: Blob): Promise<MediaType | undefined> {
  const tail = await file.slice(Math.max(0, file.size - ZIP_TAIL)).bytes()
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength)
  let end = tail.length - 22
  while (end >= 0 && view.getUint32(end) !== 0x504b0506) end -= 1
  if (end < 0) return undefined
  const [size, offset] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)]
  const names = size > ZIP_DIRECTORY ? [] : entryNames(await file.slice(offset, offset + size).bytes())
  if (!names.includes('[Content_Types].xml')) return 'application/zip'
  const has = (form: RegExp): boolean => names.some((name) => form.test(name))
  const macros = has(/(?:^|\/)vbaProject\.bin$/i)
  if (has(/^word\//))
    return macros
      ? 'application/vnd.ms-word.document.macroenabled.12'
      : 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  if (has(/^xl\//))
    return macros
      ? 'application/vnd.ms-excel.sheet.macroenabled.12'
      : 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  return 'application/zip'
}

function entryNames(directory: Uint8Array): string[] {
  const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength)
  const names: string[] = []
  let at = 0
  while (at + 46 <= directory.length && view.getUint32(at) === 0x504b0102) {
    const nameLength = view.getUint16(at + 28, true)
    names.push(characters(directory.subarray(at + 46, at + 46 + nameLength)))
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return names
}

/** Kilobits per second of layer III, by the index in the frame's header: for MPEG 1, and for MPEG 2 and 2.5. */
const KBPS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0]
const KBPS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0]
const HERTZ = [44_100, 48_000, 32_000]

/** An ID3v2 tag, or two frames in sequence: the eleven bits that begin a frame also occur elsewhere. */
function isMp3(head: Uint8Array): boolean {
  if (characters(head.subarray(0, 3)) === 'ID3')
    return head.length > 10 && head[3]! >= 2 && head[3]! <= 4 && head.subarray(6, 10).every((byte) => byte < 0x80)
  const length = frameLength(head, 0)
  return length > 0 && frameLength(head, length) > 0
}

/** Bytes of the MPEG audio frame of layer III at `at`; 0 if there is none. */
function frameLength(bytes: Uint8Array, at: number): number {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3)
  const version = (second >> 3) & 3
  if (first !== 0xff || (second & 0xe6) !== 0xe2 || version === 1) return 0
  const kbps = (version === 3 ? KBPS_1 : KBPS_2)[third >> 4]!
  const hertz = (HERTZ[(third >> 2) & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4)
  if (kbps === 0 || hertz === 0) return 0
  return Math.floor(((version === 3 ? 144 : 72) * kbps * 1000) / hertz) + ((third >> 1) & 1)
}

// oxlint-disable-next-line no-control-regex -- these characters do not occur in texts
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]/
/** The start of HTML, XML, a comment or a processing instruction, for browsers and their sniffing. */
const MARKUP = /^<[a-z!?/]/i

/** UTF-8 without control characters that does not begin with markup. */
async function isText(file: Blob): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let start = ''
  try {
    for await (const chunk of file.stream()) {
      const text = decoder.decode(chunk, { stream: true })
      if (CONTROL.test(text)) return false
      if (start.length < 2) start = (start + text).trimStart().slice(0, 2)
      if (MARKUP.test(start)) return false
    }
    decoder.decode()
  } catch {
    return false
  }
  return file.size > 0
}

/** Lines that decide whether a text is a table. */
const LINES = 20

/** A text is CSV if its first lines have the same number of fields, at least two. */
function textType(head: Uint8Array): 'text/csv' | 'text/plain' {
  const text = new TextDecoder().decode(head)
  for (const separator of [',', ';', '\t']) {
    const counts = fieldCounts(text, separator, head.length === HEAD)
    if (counts.length > 1 && counts[0]! > 1 && counts.every((count) => count === counts[0])) return 'text/csv'
  }
  return 'text/plain'
}

/** Fields of each of the first lines. Separators and line breaks inside quotes do not count. An incomplete last line is left out. */
function fieldCounts(text: string, separator: string, cut: boolean): number[] {
  const counts: number[] = []
  let [fields, quoted, empty] = [1, false, true]
  for (const character of text) {
    if (character === '"') quoted = !quoted
    if (!quoted && character === separator) fields += 1
    if (!quoted && character === '\n') {
      if (!empty) counts.push(fields)
      if (counts.length === LINES) return counts
      ;[fields, empty] = [1, true]
    } else if (character !== '\r') empty = false
  }
  if (!cut && !empty && !quoted) counts.push(fields)
  return counts
}
