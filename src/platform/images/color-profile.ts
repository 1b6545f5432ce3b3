/**
 * Keeps plausible ICC profiles, without which the colours of phones look dull, and removes others. Bun.Image copies the profile into
 * the stored image, so garbage, or a few KB that inflate to 50 MB, would reach everyone who views it.
 */

import { inflateSync } from 'node:zlib'

/** Profiles of cameras and screens have 0.5 to 600 KB. */
const MAX_PROFILE = 1024 * 1024
const HEADER = 128
const ICC_SEGMENT = 'ICC_PROFILE\0'

/** The header of a profile has its length at 0 and the signature `acsp` at 36 (ICC.1:2022, 7.2). */
function isPlausible(profile: Uint8Array): boolean {
  if (profile.length < HEADER || profile.length > MAX_PROFILE) return false
  const view = new DataView(profile.buffer, profile.byteOffset, profile.byteLength)
  return view.getUint32(0) === profile.length && view.getUint32(36) === 0x61637370
}

/** The image without its profile, if that is not plausible; otherwise the same bytes. Only for JPEG, PNG and WebP. */
export function withoutBadProfile(bytes: Uint8Array, format: string): Uint8Array {
  const parts = format === 'jpeg' ? jpegProfile(bytes) : format === 'png' ? pngProfiles(bytes) : webpProfile(bytes)
  if (parts.length === 0) return bytes
  const profile = Buffer.concat(parts.map(({ data }) => data()))
  if (isPlausible(profile)) return bytes
  return format === 'webp' ? renamed(bytes, parts) : without(bytes, parts)
}

/** Longer ones would need several segments. Profiles of phones have about 550 bytes. */
const MAX_SEGMENT = 65_000

/** The JPEG with the profile, if that is plausible. */
export function withProfile(jpeg: Uint8Array, profile: Uint8Array): Uint8Array {
  if (!isPlausible(profile) || profile.length > MAX_SEGMENT) return jpeg
  const segment = Buffer.alloc(4 + ICC_SEGMENT.length + 2)
  segment.writeUInt16BE(0xffe2)
  segment.writeUInt16BE(segment.length - 2 + profile.length, 2)
  segment.write(ICC_SEGMENT, 4, 'latin1')
  segment.set([1, 1], segment.length - 2)
  // Behind the first segment, which says that the file is JFIF.
  const at = 4 + (jpeg[4]! << 8) + jpeg[5]!
  return Buffer.concat([jpeg.subarray(0, at), segment, profile, jpeg.subarray(at)])
}

/** A part of the file with a part of the profile. */
interface Part {
  readonly start: number
  readonly end: number
  /** Empty if it is damaged. */
  data(): Uint8Array
}

function without(bytes: Uint8Array, parts: readonly Part[]): Uint8Array {
  const kept: Uint8Array[] = []
  let at = 0
  for (const { start, end } of parts) {
    kept.push(bytes.subarray(at, start))
    at = end
  }
  return Buffer.concat([...kept, bytes.subarray(at)])
}

/** Gives the chunks of a WebP an unknown name and clears the flag of the profile. All lengths stay valid. */
function renamed(bytes: Uint8Array, parts: readonly Part[]): Uint8Array {
  const changed = bytes.slice()
  for (const { start } of parts) changed.fill(0x58, start, start + 4)
  if (isAt(bytes, 12, 'VP8X')) changed[20]! &= ~0x20
  return changed
}

const isAt = (bytes: Uint8Array, at: number, text: string): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(text.length, bytes.length - at)).toString('latin1') === text

/** Every APP2 segment before the first scan that begins with `ICC_PROFILE`. Behind the text are its number and their count. */
function jpegProfile(bytes: Uint8Array): Part[] {
  const parts: Part[] = []
  for (let at = bytes.indexOf(0xff, 2); at >= 0 && at + 4 < bytes.length; at = bytes.indexOf(0xff, at)) {
    const marker = bytes[at + 1]!
    if (marker === 0xda) break
    if (marker === 0xff || marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd9)) {
      at += marker === 0xff ? 1 : 2
      continue
    }
    const end = at + 2 + (bytes[at + 2]! << 8) + bytes[at + 3]!
    if (marker === 0xe2 && end <= bytes.length && isAt(bytes, at + 4, ICC_SEGMENT)) {
      const data = bytes.subarray(at + 4 + ICC_SEGMENT.length + 2, end)
      parts.push({ start: at, end, data: () => data })
    }
    at = end
  }
  return parts
}

/** The chunk iCCP: a name, NUL, the method of compression, and a zlib stream. */
function pngProfiles(bytes: Uint8Array): Part[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts: Part[] = []
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 12 + view.getUint32(at)
    if (end > bytes.length || isAt(bytes, at + 4, 'IDAT')) break
    if (isAt(bytes, at + 4, 'iCCP')) {
      const chunk = bytes.subarray(at + 8, end - 4)
      parts.push({ start: at, end, data: () => inflated(chunk.subarray(chunk.indexOf(0) + 2)) })
    }
    at = end
  }
  return parts
}

/** The profile of a PNG. */
export const pngProfile = (bytes: Uint8Array): Uint8Array | undefined => pngProfiles(bytes)[0]?.data()

function inflated(data: Uint8Array): Uint8Array {
  try {
    return inflateSync(data, { maxOutputLength: MAX_PROFILE })
  } catch {
    return new Uint8Array()
  }
}

function webpProfile(bytes: Uint8Array): Part[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts: Part[] = []
  for (let at = 12; at + 8 <= bytes.length;) {
    const size = view.getUint32(at + 4, true)
    const end = at + 8 + size + (size % 2)
    if (end > bytes.length) break
    if (isAt(bytes, at, 'ICCP')) {
      const data = bytes.subarray(at + 8, at + 8 + size)
      parts.push({ start: at, end, data: () => data })
    }
    at = end
  }
  return parts
}
