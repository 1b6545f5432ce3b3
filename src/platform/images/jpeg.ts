/** Walks through the markers of a JPEG file (ITU-T T.81, annex B). */

/**
 * Each scan of a progressive JPEG passes over the whole image, so a small file with thousands of scans takes hours to decode.
 * Encoders make about ten.
 */
const MAX_SCANS = 100

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda

/**
 * False if the end is missing, as in an interrupted upload, whose lost part libjpeg would fill with grey, or if there are too many
 * scans. Bytes after the end are ignored: many cameras append a video or a second image.
 */
export function isCompleteJpeg(bytes: Uint8Array): boolean {
  let scans = 0
  let at = bytes.indexOf(0xff, 2)
  while (at >= 0 && at + 1 < bytes.length) {
    const marker = bytes[at + 1]!
    if (marker === EOI) return scans > 0
    if (marker === 0xff) at += 1
    else if (marker <= 0x01 || (marker >= 0xd0 && marker <= SOI)) at += 2
    else {
      if (marker === SOS && ++scans > MAX_SCANS) return false
      at += 2 + (bytes[at + 2]! << 8) + bytes[at + 3]!
    }
    at = bytes.indexOf(0xff, at)
  }
  return false
}
