/** Finds the first frame of an animated WebP (RFC 9649). Bun.Image decodes still ones only. */

const ANIMATION = 0x02
const ALPHA = 0x10

const fourCc = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))

/** The chunks between `start` and `end`, with their headers and padding. Ends at the first one that is cut. */
function* chunks(bytes: Uint8Array, start: number, end: number): Generator<{ type: string; whole: Uint8Array }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = start; at + 8 <= end;) {
    const size = view.getUint32(at + 4, true)
    const next = at + 8 + size + (size % 2)
    if (next > end) return
    yield { type: fourCc(bytes, at), whole: bytes.subarray(at, next) }
    at = next
  }
}

/** A still WebP of the first frame; `bytes` itself if it is not animated or has no frame. The size is that of the frame. */
export function firstFrame(bytes: Uint8Array): Uint8Array {
  if (fourCc(bytes, 12) !== 'VP8X' || (bytes[20]! & ANIMATION) === 0) return bytes
  for (const { type, whole } of chunks(bytes, 12, bytes.length)) {
    if (type !== 'ANMF' || whole.length < 24) continue
    const parts = [...chunks(whole, 24, whole.length)].filter((part) => /^(?:ALPH|VP8 |VP8L)$/.test(part.type))
    const header = new Uint8Array(12 + 18)
    const view = new DataView(header.buffer)
    const size = parts.reduce((sum, part) => sum + part.whole.length, header.length)
    header.set(Buffer.from('RIFF\0\0\0\0WEBPVP8X'))
    view.setUint32(4, size - 8, true)
    view.setUint32(16, 10, true)
    header[20] = parts.some((part) => part.type === 'ALPH' || part.type === 'VP8L') ? ALPHA : 0
    // Width and height, minus one, in three bytes each, as in ANMF.
    header.set(whole.subarray(14, 20), 24)
    return Buffer.concat([header, ...parts.map((part) => part.whole)])
  }
  return bytes
}
