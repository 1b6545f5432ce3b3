/** Looks into MP4 files (ISO 14496-12) for their tracks: the brand of a file does not say whether it has a picture. */

/** Boxes at the top of a file that are looked at. The one with the tracks is among the first, or behind the sound. */
const MAX_BOXES = 64
/** Bytes of the box with the tracks that are read: of an hour of sound it has some hundred kilobytes. */
const MAX_MOOV = 2 * 1024 * 1024
/** Boxes of it that are looked at. */
const MAX_INNER = 1000

/** Whether the file has tracks of sound and none of video. False if that cannot be seen, for example because the end is missing. */
export async function hasSoundOnly(file: Blob): Promise<boolean> {
  const moov = await findMoov(file)
  if (moov === undefined) return false
  const handlers = childrenOf(moov, 'trak').flatMap((trak) =>
    childrenOf(trak, 'mdia').flatMap((mdia) =>
      childrenOf(mdia, 'hdlr').map((hdlr) => Buffer.from(hdlr.subarray(8, 12)).toString('latin1')),
    ),
  )
  return handlers.includes('soun') && !handlers.includes('vide')
}

interface Header {
  readonly type: string
  /** Of the box. */
  readonly size: number
  readonly headerSize: number
}

/** Of a box that reaches to the end if its size is 0. Undefined if there is none. */
function headerOf(bytes: Uint8Array, rest: number): Header | undefined {
  if (bytes.length < 8) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const type = Buffer.from(bytes.subarray(4, 8)).toString('latin1')
  const short = view.getUint32(0)
  if (short === 0) return { type, size: rest, headerSize: 8 }
  if (short !== 1) return short < 8 || short > rest ? undefined : { type, size: short, headerSize: 8 }
  if (bytes.length < 16) return undefined
  const long = Number(view.getBigUint64(8))
  return long < 16 || long > rest ? undefined : { type, size: long, headerSize: 16 }
}

async function findMoov(file: Blob): Promise<Uint8Array | undefined> {
  for (let at = 0, boxes = 0; at < file.size && boxes < MAX_BOXES; boxes++) {
    const header = headerOf(await file.slice(at, at + 16).bytes(), file.size - at)
    if (header === undefined) return undefined
    if (header.type === 'moov')
      return header.size > MAX_MOOV ? undefined : file.slice(at + header.headerSize, at + header.size).bytes()
    at += header.size
  }
  return undefined
}

function childrenOf(bytes: Uint8Array, wanted: string): Uint8Array[] {
  const found: Uint8Array[] = []
  for (let at = 0, boxes = 0; at < bytes.length && boxes < MAX_INNER; boxes++) {
    const header = headerOf(bytes.subarray(at, at + 16), bytes.length - at)
    if (header === undefined) break
    if (header.type === wanted) found.push(bytes.subarray(at + header.headerSize, at + header.size))
    at += header.size
  }
  return found
}
