/** Checks, decodes and encodes one image, inside the process for images. */

import { pngProfile, withoutBadProfile, withProfile } from './color-profile.ts'
import { captureOf, orientationOf } from './exif.ts'
import { heicDimensions, heicProfile } from './heic.ts'
import { isCompleteJpeg } from './jpeg.ts'
import { PNG_LEVEL, recompressed } from './png.ts'
import { type ImageFacts, type ImageTask, MAX_PIXELS, type Processed, UnusableImage, type WrittenFile } from './port.ts'
import { firstFrame } from './webp.ts'

/** The whole file is in memory while it is decoded. */
const MAX_BYTES = 256 * 1024 * 1024
/** Photos are kept as evidence: at 90 the loss is not visible. */
const QUALITY = 90
const THUMBNAIL = { pixels: 400, quality: 80 }

const FORMATS: Readonly<Record<string, { readonly decoded: string; readonly stored: ImageFacts['mime'] }>> = {
  'image/jpeg': { decoded: 'jpeg', stored: 'image/jpeg' },
  'image/png': { decoded: 'png', stored: 'image/png' },
  'image/webp': { decoded: 'webp', stored: 'image/webp' },
  'image/gif': { decoded: 'gif', stored: 'image/png' },
  'image/heic': { decoded: 'heic', stored: 'image/jpeg' },
  'image/heif': { decoded: 'heic', stored: 'image/jpeg' },
}

/** The size of the image at `input` in pixels, from its headers. @throws UnusableImage */
export async function inspect(input: string, mime: string): Promise<{ width: number; height: number }> {
  const format = FORMATS[mime]
  const file = Bun.file(input)
  if (format === undefined) throw new UnusableImage('undecodable')
  if (file.size > MAX_BYTES) throw new UnusableImage('too-many-pixels')
  const bytes = await file.bytes()
  const { decoded } = format
  const found =
    decoded === 'heic' ? await heicDimensions(bytes) : await decoding(open(still(bytes, decoded)).metadata())
  if (found.format !== decoded) throw new UnusableImage('undecodable')
  const { width, height } = found
  if (width * height > MAX_PIXELS) throw new UnusableImage('too-many-pixels')
  if (decoded === 'jpeg' && !isCompleteJpeg(bytes)) throw new UnusableImage('undecodable')
  return { width, height }
}

/** Writes the image and its thumbnail. `inspect` must have accepted it. @throws UnusableImage */
export async function convert({
  input,
  mime,
  pixels,
  output,
  thumbnailOutput,
}: ImageTask & { kind: 'convert' }): Promise<Processed> {
  const bytes = await Bun.file(input).bytes()
  const capture = captureOf(bytes)
  const { decoded, stored } = FORMATS[mime]!
  const [image, thumbnail] =
    pixels === undefined ? await convertOther(bytes, decoded, stored) : await convertHeic(bytes, pixels)
  return {
    ...(await write(image, output)),
    image: { mime: stored, width: image.width, height: image.height },
    thumbnail: { ...(await write(thumbnail, thumbnailOutput)), width: thumbnail.width, height: thumbnail.height },
    capture,
  }
}

export interface Encoded {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

async function convertHeic(bytes: Uint8Array, pixels: string): Promise<[Encoded, Encoded]> {
  const image = await encode(encoder(open(pixels), 'image/jpeg'))
  const profiled = withProfile(image.bytes, heicProfile(bytes))
  return [{ ...image, bytes: profiled }, await encode(thumbnailer(open(profiled)))]
}

async function convertOther(
  bytes: Uint8Array,
  format: string,
  stored: ImageFacts['mime'],
): Promise<[Encoded, Encoded]> {
  const orientation = turnOf(bytes, format)
  const source = still(bytes, format)
  if (format === 'png' && orientation === 1) {
    // Decodes all pixels, so a damaged file is refused here.
    const thumbnail = await encode(thumbnailer(open(source)))
    const image = await recompressed(source, pngProfile(source))
    return [image ?? (await encode(encoder(open(source), stored))), thumbnail]
  }
  const image = encode(encoder(open(source, orientation), stored))
  // A JPEG is decoded at an eighth of its size for the thumbnail. The others need all pixels again, so they wait.
  if (format !== 'jpeg') await image
  return Promise.all([image, encode(thumbnailer(open(source, orientation)))])
}

/** The orientation that is left to be applied: Bun.Image applies that of JPEG. */
const turnOf = (bytes: Uint8Array, format: string): number => (format === 'jpeg' ? 1 : orientationOf(bytes))

/** For other types than HEIC. */
export function openUpright(bytes: Uint8Array, mime: string): Bun.Image {
  const { decoded } = FORMATS[mime]!
  return open(still(bytes, decoded), turnOf(bytes, decoded))
}

/** Without a colour profile that is not plausible, and without the animation of a WebP. */
function still(bytes: Uint8Array, format: string): Uint8Array {
  if (format === 'gif') return bytes
  const checked = withoutBadProfile(bytes, format)
  return format === 'webp' ? firstFrame(checked) : checked
}

/** The operations that undo an EXIF orientation. Bun.Image rotates before it mirrors, in any order of the calls. */
const UPRIGHT: Readonly<Record<number, (image: Bun.Image) => Bun.Image>> = {
  2: (image) => image.flop(),
  3: (image) => image.rotate(180),
  4: (image) => image.flip(),
  5: (image) => image.rotate(90).flop(),
  6: (image) => image.rotate(90),
  7: (image) => image.rotate(90).flip(),
  8: (image) => image.rotate(270),
}

/** The source is bytes or a path. */
function open(source: Uint8Array | string, orientation = 1): Bun.Image {
  const image = new Bun.Image(source, { maxPixels: MAX_PIXELS })
  return UPRIGHT[orientation]?.(image) ?? image
}

function encoder(image: Bun.Image, mime: ImageFacts['mime']): Bun.Image {
  if (mime === 'image/jpeg') return image.jpeg({ quality: QUALITY })
  return mime === 'image/png' ? image.png({ compressionLevel: PNG_LEVEL }) : image.webp({ quality: QUALITY })
}

const thumbnailer = (image: Bun.Image): Bun.Image =>
  image
    .resize(THUMBNAIL.pixels, THUMBNAIL.pixels, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: THUMBNAIL.quality })

export async function encode(image: Bun.Image): Promise<Encoded> {
  const bytes = await decoding(image.bytes())
  return { bytes, width: image.width, height: image.height }
}

export async function write({ bytes }: Pick<Encoded, 'bytes'>, path: string): Promise<WrittenFile> {
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  await Bun.write(path, bytes)
  return { path, size: bytes.length, sha256 }
}

/** Turns the errors of Bun.Image into UnusableImage. */
async function decoding<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ERR_IMAGE_TOO_MANY_PIXELS') throw new UnusableImage('too-many-pixels')
    if (typeof code === 'string' && code.startsWith('ERR_IMAGE_')) throw new UnusableImage('undecodable')
    throw error
  }
}
