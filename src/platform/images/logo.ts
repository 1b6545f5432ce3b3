/** Draws the pictures of a logo, in which all of it is visible. Runs inside the process for images. */

import { inflateSync } from 'node:zlib'

import { bmpHeader } from './heic.ts'
import { encode, openUpright, write } from './pipeline.ts'
import { partsOf } from './png.ts'
import { type ImageTask, LOGO_PICTURES, type LogoPicture, type Size, type WrittenFile } from './port.ts'

interface Look {
  /** Pixels. */
  readonly side: number
  /** On each side of the logo, as a part of the icon's side. */
  readonly margin: number
  /** Whether the ground has a colour: iPhones show black where an icon is transparent, and phones cut it. */
  readonly isPlain: boolean
}

const ICONS: Readonly<Record<Exclude<LogoPicture, 'logo'>, Look>> = {
  '32': { side: 32, margin: 0, isPlain: false },
  '180': { side: 180, margin: 0.1, isPlain: true },
  '192': { side: 192, margin: 0, isPlain: false },
  '512': { side: 512, margin: 0, isPlain: false },
  maskable: { side: 512, margin: 0.2, isPlain: true },
}
const LARGEST = 512
/** They are encoded once and loaded by every visitor. */
const PNG = { compressionLevel: 9 }

/** `inspect` must have accepted the image. @throws UnusableImage */
export async function drawLogo({ input, mime, outputs }: ImageTask & { kind: 'logo' }): Promise<WrittenFile[]> {
  const source = openUpright(await Bun.file(input).bytes(), mime)
  const logo = await encode(source.resize(LARGEST, LARGEST, { fit: 'inside', withoutEnlargement: true }).png(PNG))
  const ground = groundFor((await pixelsOf(new Bun.Image(logo.bytes))).rgba)
  const files: WrittenFile[] = []
  for (const [nth, name] of LOGO_PICTURES.entries())
    files.push(await write(name === 'logo' ? logo : await draw(logo.bytes, ICONS[name], ground), outputs[nth]!))
  return files
}

/** `inspect` must have accepted the image. @throws UnusableImage */
export async function readPixels({ input, mime, output, within }: ImageTask & { kind: 'pixels' }): Promise<Size> {
  const source = openUpright(await Bun.file(input).bytes(), mime)
  const options = { fit: 'inside', withoutEnlargement: true } as const
  const { width, height, rgba } = await pixelsOf(source.resize(within.width, within.height, options))
  await Bun.write(output, rgba)
  return { width, height }
}

type Color = readonly [red: number, green: number, blue: number]

interface Pixels {
  readonly width: number
  readonly height: number
  /** Four bytes for each pixel, row by row. */
  readonly rgba: Uint8Array
}

/** Without compression, Bun.Image writes rows of RGBA without a filter. */
async function pixelsOf(image: Bun.Image): Promise<Pixels> {
  const { bytes, width, height } = await encode(image.png({ compressionLevel: 0 }))
  const rows = inflateSync(Buffer.concat(partsOf(bytes)!.IDAT))
  const stride = 1 + width * 4
  if (rows.length !== stride * height) throw new Error('Bun.Image wrote the pixels of a PNG in another form than RGBA')
  const rgba = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++) rgba.set(rows.subarray(y * stride + 1, (y + 1) * stride), y * width * 4)
  return { width, height, rgba }
}

const [WHITE, DARK]: readonly Color[] = [
  [255, 255, 255],
  [16, 21, 19],
]
/** Of 255. A logo that is lighter can hardly be seen on white. */
const LIGHT = 200

/** The colour of the corner if the logo has a ground of its own; otherwise white, or dark for light logos. */
function groundFor(rgba: Uint8Array): Color {
  const [red, green, blue, alpha] = rgba as unknown as [number, number, number, number]
  if (alpha === 255) return [red, green, blue]
  let [light, weight] = [0, 0]
  for (let at = 0; at < rgba.length; at += 4) {
    const opacity = rgba[at + 3]!
    light += opacity * (0.2126 * rgba[at]! + 0.7152 * rgba[at + 1]! + 0.0722 * rgba[at + 2]!)
    weight += opacity
  }
  return light > LIGHT * weight ? DARK! : WHITE!
}

async function draw(logo: Uint8Array, { side, margin, isPlain }: Look, ground: Color) {
  const room = Math.round(side * (1 - 2 * margin))
  const { width, height, rgba } = await pixelsOf(new Bun.Image(logo).resize(room, room, { fit: 'inside' }))
  const canvas = new Uint8Array(side * side * 4)
  if (isPlain) for (let at = 0; at < canvas.length; at += 4) canvas.set([...ground, 255], at)
  const [left, top] = [Math.floor((side - width) / 2), Math.floor((side - height) / 2)]
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4
      const to = ((top + y) * side + left + x) * 4
      if (!isPlain) {
        canvas.set(rgba.subarray(from, from + 4), to)
        continue
      }
      const opacity = rgba[from + 3]! / 255
      for (let i = 0; i < 3; i++) canvas[to + i] = Math.round(rgba[from + i]! * opacity + ground[i]! * (1 - opacity))
    }
  return encode(new Bun.Image(Buffer.concat([bmpHeader(side, side), canvas])).png(PNG))
}
