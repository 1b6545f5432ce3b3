/** Checks, decodes and encodes one image, inside the process for images. */

import { captureOf, orientationOf } from './exif.ts'
import { heicDimensions, heicPixels } from './heic.ts'
import { isCompleteJpeg } from './jpeg.ts'
import { type ImageFacts, type ImageTask, MAX_PIXELS, type Processed, UnusableImage, type WrittenFile } from './port.ts'
import { firstFrame } from './webp.ts'

/** The whole file is in memory while it is decoded. */
const MAX_BYTES = 256 * 1024 * 1024
/** Photos are kept as evidence: at 90 the loss is not visible. */
const QUALITY = 90
/** Level 6 takes twice as long as 4 and makes the file 4 % smaller (measured with 12 megapixels of noise). */
const PNG_LEVEL = 4
const THUMBNAIL = { pixels: 400, quality: 80 }

const FORMATS: Readonly<Record<string, { readonly decoded: string; readonly stored: ImageFacts['mime'] }>> = {
  'image/jpeg': { decoded: 'jpeg', stored: 'image/jpeg' },
  'image/png': { decoded: 'png', stored: 'image/png' },
  'image/webp': { decoded: 'webp', stored: 'image/webp' },
  'image/gif': { decoded: 'gif', stored: 'image/png' },
  'image/heic': { decoded: 'heic', stored: 'image/jpeg' },
  'image/heif': { decoded: 'heic', stored: 'image/jpeg' },
}

/** Number of pixels of the image at `input`, from its headers. @throws UnusableImage */
export async function inspect(input: string, mime: string): Promise<number> {
  const format = FORMATS[mime]
  const file = Bun.file(input)
  if (format === undefined) throw new UnusableImage('undecodable')
  if (file.size > MAX_BYTES) throw new UnusableImage('too-many-pixels')
  const bytes = await file.bytes()
  const found = format.decoded === 'heic' ? await heicDimensions(bytes) : await metadata(bytes)
  if (found.format !== format.decoded) throw new UnusableImage('undecodable')
  const pixels = found.width * found.height
  if (pixels > MAX_PIXELS) throw new UnusableImage('too-many-pixels')
  if (format.decoded === 'jpeg' && !isCompleteJpeg(bytes)) throw new UnusableImage('undecodable')
  return pixels
}

const metadata = (bytes: Uint8Array): Promise<Bun.Image.Metadata> => decoding(open(firstFrame(bytes)).metadata())

/** Writes the image and its thumbnail. `inspect` must have accepted it. @throws UnusableImage */
export async function convert(task: ImageTask & { kind: 'convert' }): Promise<Processed> {
  const bytes = await Bun.file(task.input).bytes()
  const capture = captureOf(bytes)
  const { decoded, stored } = FORMATS[task.mime]!
  // libheif applies the orientation of HEIC, and Bun.Image that of JPEG.
  const orientation = decoded === 'png' || decoded === 'webp' ? orientationOf(bytes) : 1
  if (decoded === 'jpeg') {
    // Its thumbnail is decoded at an eighth of the size, so both together need little more memory.
    const full = write(encoded(open(bytes), stored), task.output)
    const [written, thumbnail] = await Promise.all([full, write(thumbnailOf(open(bytes)), task.thumbnailOutput)])
    return processed(written, thumbnail, stored, capture)
  }
  const source = decoded === 'heic' ? await heicPixels(bytes) : firstFrame(bytes)
  const written = await write(encoded(open(source, orientation), stored), task.output)
  const thumbnail = await write(thumbnailOf(open(source, orientation)), task.thumbnailOutput)
  return processed(written, thumbnail, stored, capture)
}

interface WrittenImage extends WrittenFile {
  readonly width: number
  readonly height: number
}

const processed = (
  { width, height, ...file }: WrittenImage,
  thumbnail: WrittenImage,
  mime: ImageFacts['mime'],
  capture: Processed['capture'],
): Processed => ({ ...file, image: { mime, width, height }, thumbnail, capture })

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

function open(source: Uint8Array, orientation = 1): Bun.Image {
  const image = new Bun.Image(source, { maxPixels: MAX_PIXELS })
  return UPRIGHT[orientation]?.(image) ?? image
}

function encoded(image: Bun.Image, mime: ImageFacts['mime']): Bun.Image {
  if (mime === 'image/jpeg') return image.jpeg({ quality: QUALITY })
  return mime === 'image/png' ? image.png({ compressionLevel: PNG_LEVEL }) : image.webp({ quality: QUALITY })
}

const thumbnailOf = (image: Bun.Image): Bun.Image =>
  image
    .resize(THUMBNAIL.pixels, THUMBNAIL.pixels, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: THUMBNAIL.quality })

async function write(image: Bun.Image, path: string): Promise<WrittenImage> {
  const bytes = await decoding(image.bytes())
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  await Bun.write(path, bytes)
  return { path, size: bytes.length, sha256, width: image.width, height: image.height }
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
