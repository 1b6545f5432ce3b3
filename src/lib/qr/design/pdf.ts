/** Writes a scene as a PDF of one page that is exactly as large as the scene (ISO 32000-1). Loads zlib, so it is imported on first use. */

import { deflateSync } from 'node:zlib'

import type { Path } from './outline.ts'
import type { Pictures, Pixels } from './raster.ts'
import type { Paint, Place, Scene } from './scene.ts'

/** Points in a millimetre. */
const MM = 72 / 25.4

/** `title`: a description for those who cannot see the picture. The same input produces the same bytes. */
export function sceneToPdf(
  scene: Scene,
  widthMm: number,
  title: string,
  pictures: Pictures = {},
): Uint8Array<ArrayBuffer> {
  const file = new PdfObjects()
  const [width, height] = [widthMm * MM, (widthMm * MM * scene.height) / scene.width]
  const catalog = file.reserve()
  const [pages, page, structure, figure] = [file.reserve(), file.reserve(), file.reserve(), file.reserve()]
  const drawn = sceneOperators(scene, width / scene.width, height, shownIn(pictures))
  const { operators } = drawn
  const shadings = drawn.shadings.map((shading, i) => `/S${i} ${file.add(shading)} 0 R`)
  const images = [pictures.logo, pictures.strip].map((pixels, i) => pixels && `/I${i} ${imageObject(file, pixels)} 0 R`)
  const resources = `/Shading<<${shadings.join('')}>>/XObject<<${images.join('')}>>`
  const content = file.stream('', `/Figure<</MCID 0>>BDC\n${operators}\nEMC`)
  const text = textHex(title)
  file.set(catalog, `<</Type/Catalog/Pages ${pages} 0 R/MarkInfo<</Marked true>>/StructTreeRoot ${structure} 0 R>>`)
  file.set(pages, `<</Type/Pages/Count 1/Kids[${page} 0 R]>>`)
  file.set(
    page,
    `<</Type/Page/Parent ${pages} 0 R/MediaBox[0 0 ${n(width)} ${n(height)}]/Resources<<${resources}>>/Contents ${content} 0 R/StructParents 0>>`,
  )
  file.set(structure, `<</Type/StructTreeRoot/K ${figure} 0 R/ParentTree<</Nums[0[${figure} 0 R]]>>>>`)
  file.set(figure, `<</Type/StructElem/S/Figure/P ${structure} 0 R/Pg ${page} 0 R/K 0/Alt<${text}>>>`)
  return file.finish(catalog, file.add(`<</Title<${text}>/Producer(Tessera)>>`))
}

/** Objects of a PDF file, by their ids from 1. */
class PdfObjects {
  readonly #bodies: Buffer[] = []

  reserve(): number {
    return this.#bodies.push(Buffer.alloc(0))
  }

  set(id: number, body: string | Buffer): void {
    this.#bodies[id - 1] = typeof body === 'string' ? Buffer.from(body, 'latin1') : body
  }

  add(body: string | Buffer): number {
    const id = this.reserve()
    this.set(id, body)
    return id
  }

  /** `entries`: of its dictionary. */
  stream(entries: string, data: string | Uint8Array): number {
    return this.add(streamBody(entries, data))
  }

  finish(catalog: number, info: number): Uint8Array<ArrayBuffer> {
    // Four bytes above 127 tell programs that the file is binary.
    const parts = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
    let length = parts[0]!.length
    let table = ''
    for (const [i, body] of this.#bodies.entries()) {
      table += `${String(length).padStart(10, '0')} 00000 n \n`
      const object = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')])
      length += object.length
      parts.push(object)
    }
    const size = this.#bodies.length + 1
    const trailer = `<</Size ${size}/Root ${catalog} 0 R/Info ${info} 0 R>>`
    parts.push(
      Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n${trailer}\nstartxref\n${length}\n%%EOF\n`),
    )
    return new Uint8Array(Buffer.concat(parts))
  }
}

/** A compressed stream. `entries`: of its dictionary. */
export function streamBody(entries: string, data: string | Uint8Array): Buffer {
  const packed = deflateSync(typeof data === 'string' ? Buffer.from(data, 'latin1') : data)
  const head = `<<${entries}/Length ${packed.length}/Filter/FlateDecode>>stream\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), packed, Buffer.from('\nendstream')])
}

/** Which pictures of a scene there are. */
type Shown = Readonly<Record<keyof Pictures, boolean>>

export const shownIn = ({ logo, strip }: Pictures): Shown => ({ logo: logo !== undefined, strip: strip !== undefined })

/**
 * The operators that draw a scene, and the dictionaries of the shadings that they name: `/S0` and so on. They name the logo `/I0` and the strip `/I1`.
 * `unit`: points of a module. `top`: of the upper edge of the scene, which begins at the left edge of the page.
 */
export function sceneOperators(scene: Scene, unit: number, top: number, shown: Shown) {
  const shadings: string[] = []
  // From here on, lengths are modules, and y grows downwards.
  const operators = [
    `${n(unit)} 0 0 ${n(-unit)} 0 ${n(top)} cm`,
    `${rgb(scene.bg)} rg 0 0 ${n(scene.width)} ${n(scene.height)} re f`,
  ]
  for (const { paint, path } of scene.shapes) {
    if (paint.kind === 'plain') operators.push(`${rgb(paint.color)} rg ${pathOperators(path)} f`)
    else {
      shadings.push(shading(paint))
      operators.push(`q ${pathOperators(path)} W n /S${shadings.length - 1} sh Q`)
    }
  }
  const image = (place: Place | null, isShown: boolean, name: string): void => {
    if (place === null || !isShown) return
    // The square of an image has its first row at the top, where y is 1.
    operators.push(
      `q ${n(place.width)} 0 0 ${n(-place.height)} ${n(place.x)} ${n(place.y + place.height)} cm /${name} Do Q`,
    )
  }
  image(scene.logo, shown.logo, 'I0')
  image(scene.strip, shown.strip, 'I1')
  return { operators: operators.join('\n'), shadings }
}

const n = (value: number): string => String(Math.round(value * 10_000) / 10_000)

const rgb = (hex: string): string =>
  [0, 2, 4].map((at) => n(Number.parseInt(hex.slice(at, at + 2), 16) / 255)).join(' ')

const LETTERS = { M: 'm', L: 'l', C: 'c', Z: 'h' } as const

const pathOperators = (path: Path): string =>
  path.map(([letter, ...numbers]) => [...(numbers as number[]).map(n), LETTERS[letter]].join(' ')).join('\n')

function shading(paint: Exclude<Paint, { kind: 'plain' }>): string {
  const colors = `/Function<</FunctionType 2/Domain[0 1]/C0[${rgb(paint.color)}]/C1[${rgb(paint.to)}]/N 1>>`
  const [type, coords] =
    paint.kind === 'LINEAR'
      ? [2, [paint.x1, paint.y1, paint.x2, paint.y2]]
      : [3, [paint.x, paint.y, 0, paint.x, paint.y, paint.radius]]
  return `<</ShadingType ${type}/ColorSpace/DeviceRGB/Coords[${coords.map(n).join(' ')}]${colors}/Extend[true true]>>`
}

/** Adds a picture to the streams of a file. Returns its id. */
export function imageObject(file: Pick<PdfObjects, 'stream'>, { width, height, rgba }: Pixels): number {
  const [color, alpha] = [new Uint8Array(width * height * 3), new Uint8Array(width * height)]
  for (let i = 0; i < alpha.length; i++) {
    color.set(rgba.subarray(i * 4, i * 4 + 3), i * 3)
    alpha[i] = rgba[i * 4 + 3]!
  }
  const size = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8`
  const mask = alpha.every((opacity) => opacity === 255)
    ? ''
    : `/SMask ${file.stream(`${size}/ColorSpace/DeviceGray`, alpha)} 0 R`
  return file.stream(`${size}/ColorSpace/DeviceRGB${mask}`, color)
}

/** UTF-16 with its mark. */
const textHex = (text: string): string => Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('hex')
