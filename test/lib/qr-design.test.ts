/** Drawings of designed codes: shapes, logos, the rest of the error correction, and files that show the same. */

import { describe, expect, test } from 'bun:test'

import { CONDITIONS, greyOf, SHIFTS, viewsOf } from '#lib/qr/design/conditions.ts'
import {
  designSymbol,
  designToSvg,
  EYES,
  type Look,
  lookProblems,
  moduleMm,
  MODULES,
  PLAIN,
  sceneOf,
  sceneToSvg,
  symbolProblems,
} from '#lib/qr/design/index.ts'
import { sceneToPdf } from '#lib/qr/design/pdf.ts'
import { pixelsToPng } from '#lib/qr/design/png.ts'
import { type Pixels, rasterOf } from '#lib/qr/design/raster.ts'
import { encodeQr, QrTooLong } from '#lib/qr/encode.ts'
import { frameOf } from '#lib/qr/symbol.ts'

import { readPdf } from './pdf-files.ts'
import { readByJsQr, readByZbar } from './qr-designs.ts'
import { chunksOf } from './qr-pictures.ts'

const CONTENT = 'https://example.com/menu?table=17'
const look = (change: Partial<Look>): Look => ({ ...PLAIN, ...change })
const logo = (size: number, plate: 'NONE' | 'SQUARE' | 'CIRCLE' = 'SQUARE', aspect = 1) => ({ size, plate, aspect })

const solid = (width: number, height: number, color: readonly number[]): Pixels => {
  const rgba = new Uint8Array(width * height * 4)
  for (let at = 0; at < rgba.length; at += 4) rgba.set(color, at)
  return { width, height, rgba }
}

const pixel = ({ width, rgba }: Pixels, x: number, y: number): string =>
  rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 3).toHex()

describe('a picture of modules', () => {
  test.each(MODULES)('has the colour of each module in its middle, as %s', (modules) => {
    for (const eyes of EYES) {
      const symbol = designSymbol(CONTENT, look({ modules, eyes }))
      const { side } = symbol.matrix
      const picture = rasterOf(sceneOf(symbol, look({ modules, eyes })), 9)
      for (let row = 0; row < side; row++)
        for (let column = 0; column < side; column++) {
          // Corners of round eyes are light, as intended.
          const isEye = (row < 7 || row >= side - 7) && (column < 7 || column >= side - 7)
          if (isEye && eyes !== 'SQUARE') continue
          const expected = symbol.matrix.modules[row * side + column] === 1 ? '000000' : 'ffffff'
          expect(pixel(picture, (column + 4) * 9 + 4, (row + 4) * 9 + 4)).toBe(expected)
        }
    }
  })

  test('has no gaps between square modules at any scale', () => {
    const symbol = designSymbol(CONTENT, PLAIN)
    const { side, modules } = symbol.matrix
    for (const scale of [2.3, 3.7, 8.1]) {
      const picture = rasterOf(sceneOf(symbol, PLAIN), scale)
      for (let row = 0; row < side; row++)
        for (let column = 0; column + 1 < side; column++) {
          if (modules[row * side + column] === 0 || modules[row * side + column + 1] === 0) continue
          // The pixel on the border of two dark modules.
          const x = Math.floor((column + 5) * scale)
          expect(pixel(picture, x, Math.floor((row + 4.5) * scale))).toBe('000000')
        }
    }
  })

  test('has pixels of whole modules if its size is given in pixels', () => {
    const symbol = designSymbol(CONTENT, PLAIN)
    const scene = sceneOf(symbol, PLAIN, { pixels: 300 })
    const picture = rasterOf(scene, 300 / scene.width)
    expect([picture.width, picture.height]).toEqual([300, 300])
    expect(new Set(greyOf(picture).values)).toEqual(new Set([0, 255]))
  })

  test('reaches both colours of a gradient, and has the eyes in their own colour', () => {
    const colored = look({ fg: '550000', gradient: { type: 'LINEAR', to: '000055', angle: 0 }, eyeColor: '005500' })
    const symbol = designSymbol(CONTENT, colored)
    const picture = rasterOf(sceneOf(symbol, colored), 8)
    const { side, modules } = symbol.matrix
    const darkest = (column: number) => {
      const row = [...Array(side).keys()].find((y) => y > 7 && y < side - 8 && modules[y * side + column] === 1)!
      return pixel(picture, (column + 4) * 8 + 4, (row + 4) * 8 + 4)
    }
    expect(darkest(0)).toMatch(/^5[345]00(00|01|02)$/)
    expect(darkest(side - 1)).toMatch(/^0[012]00(53|54|55)$/)
    expect(pixel(picture, 4 * 8 + 4, 4 * 8 + 4)).toBe('005500')
  })
})

describe('a logo', () => {
  test('clears whole modules and never those of function patterns, in all versions', () => {
    for (let version = 1; version <= 40; version++) {
      const content = 'A'.repeat([...Array(1900).keys()].find((n) => versionOf(n) === version)!)
      for (const plate of ['NONE', 'SQUARE', 'CIRCLE'] as const) {
        const { matrix, cleared, logo: box } = designSymbol(content, look({ logo: logo(25, plate) }))
        expect(matrix.version).toBe(version)
        const { side, stride, rowPath } = frameOf(version)
        const carries = new Set(
          [...rowPath].map((p) => Math.floor((p >>> 5) / stride) * side + ((p >>> 5) % stride) * 32 + (p & 31)),
        )
        const touched = [...cleared.keys()].filter((i) => cleared[i] === 1 && !carries.has(i))
        // The 25 modules of the alignment pattern in the middle.
        expect([0, 25]).toContain(touched.length)
        if (touched.length > 0) expect(version).toBeGreaterThanOrEqual(7)
        expect(box!.width).toBeGreaterThanOrEqual(2)
        expect(Math.abs(box!.x + box!.width / 2 - side / 2)).toBeLessThan(0.001)
      }
    }
  })

  test('keeps its aspect, and is as wide as asked for', () => {
    const { matrix, logo: box } = designSymbol(CONTENT, look({ logo: logo(20, 'NONE', 2) }))
    expect(box!.width / box!.height).toBeCloseTo(2)
    expect(box!.width).toBeCloseTo(matrix.side * 0.2)
  })

  test('leaves the share of the error correction that is counted', async () => {
    const design = look({ logo: logo(25) })
    const symbol = designSymbol('a'.repeat(26), design)
    expect([symbol.matrix.version, symbol.matrix.level]).toEqual([4, 'H'])
    // Blocks of version 4-H have 16 codewords of parity, which correct 8 errors. The worst block has lost 5.
    expect(symbol.spare).toBe(Math.floor((3 / 8) * 100))
    expect(designSymbol(CONTENT, PLAIN).spare).toBe(100)
    // A logo of the wrong colour everywhere costs no more than was counted.
    const { side, modules } = symbol.matrix
    const wrong = modules.map((module, i) => (symbol.cleared[i] === 1 ? 1 - module : module))
    const bare = {
      ...symbol,
      matrix: { ...symbol.matrix, modules: wrong },
      cleared: new Uint8Array(side * side),
      logo: null,
    }
    const picture = rasterOf(sceneOf(bare, PLAIN), 6)
    expect(readByJsQr(picture)).toBe('a'.repeat(26))
    expect(await readByZbar(picture)).toBe('a'.repeat(26))
  })

  test('is drawn in its place, and its transparent parts show the ground', () => {
    const design = look({ logo: logo(20) })
    const scene = sceneOf(designSymbol(CONTENT, design), design)
    const middle = Math.floor((scene.width * 8) / 2)
    const with_ = (color: readonly number[]) =>
      pixel(rasterOf(scene, 8, { logo: solid(10, 10, color) }), middle, middle)
    expect(with_([200, 10, 20, 255])).toBe('c80a14')
    expect(with_([200, 10, 20, 0])).toBe('ffffff')
  })
})

const versionOf = (length: number): number => {
  try {
    return encodeQr('A'.repeat(length), 'H').version
  } catch (error) {
    if (error instanceof QrTooLong) return 41
    throw error
  }
}

describe('the files', () => {
  const design = look({
    fg: '123456',
    modules: 'ROUNDED',
    eyes: 'CIRCLE',
    gradient: { type: 'RADIAL', to: '004400', angle: 0 },
    logo: logo(20, 'CIRCLE'),
    frame: { position: 'ABOVE', text: 'Scan <me> & "smile"', color: '660000', strip: { width: 400, height: 80 } },
  })
  const symbol = designSymbol(CONTENT, design)
  const scene = sceneOf(symbol, design)
  const pictures = { logo: solid(8, 8, [200, 0, 0, 255]), strip: solid(40, 8, [255, 255, 255, 255]) }

  test('are the same bytes for the same input', () => {
    const make = () => {
      const again = sceneOf(designSymbol(CONTENT, design), design)
      const png = pixelsToPng(rasterOf(again, 4, pictures), 40)
      return [sceneToSvg(again, { size: 300, title: 'x' }), png.toHex(), sceneToPdf(again, 40, 'x', pictures).toHex()]
    }
    expect(make()).toEqual(make())
  })

  test('are read by jsQR and ZBar, from the PNG and from a page of the PDF', async () => {
    const { createCanvas, loadImage } = await import('@napi-rs/canvas')
    const pixelsOf = async (png: Uint8Array): Promise<Pixels> => {
      const image = await loadImage(Buffer.from(png))
      const context = createCanvas(image.width, image.height).getContext('2d')
      context.drawImage(image, 0, 0)
      const { width, height, data } = context.getImageData(0, 0, image.width, image.height)
      return { width, height, rgba: new Uint8Array(data) }
    }
    const png = pixelsToPng(rasterOf(scene, 6, pictures))
    const pdf = await (await readPdf(sceneToPdf(scene, 40, 'x', pictures))).picture(1, 200)
    for (const file of [png, pdf]) {
      const pixels = await pixelsOf(file)
      expect(readByJsQr(pixels)).toBe(CONTENT)
      expect(await readByZbar(pixels)).toBe(CONTENT)
    }
    const drawn = rasterOf(scene, (200 / 25.4) * (40 / scene.width), pictures)
    const page = await pixelsOf(pdf)
    expect(Math.abs(page.width - drawn.width)).toBeLessThanOrEqual(1)
    expect(Math.abs(page.height - drawn.height)).toBeLessThanOrEqual(1)
  })

  test('a PNG has its resolution, and a PDF a page of exactly its width', async () => {
    const png = pixelsToPng(rasterOf(scene, 4), 50)
    const pHYs = chunksOf(png).find(({ type }) => type === 'pHYs')!.data
    const perMetre = new DataView(pHYs.buffer, pHYs.byteOffset).getUint32(0)
    expect(perMetre).toBe(Math.round(Math.round(scene.width * 4) / 0.05))
    const pdf = Buffer.from(sceneToPdf(scene, 37.5, 'x')).toString('latin1')
    const [, width, height] = /MediaBox\[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf)!
    expect((Number(width) / 72) * 25.4).toBeCloseTo(37.5, 2)
    expect((Number(height) / 72) * 25.4).toBeCloseTo((37.5 * scene.height) / scene.width, 2)
  })

  test('an SVG says its width in millimetres and what it is, with all characters escaped', () => {
    const svg = sceneToSvg(scene, {
      size: 300,
      widthMm: 42.5,
      title: design.frame!.text,
      logo: 'data:image/png;base64,AA==',
    })
    expect(svg).toContain('width="42.5mm"')
    expect(svg).toContain('<title>Scan &lt;me&gt; &amp; &quot;smile&quot;</title>')
    expect(svg).toContain('href="data:image/png;base64,AA=="')
    expect(svg.match(/<image /g)).toHaveLength(1)
    expect(designToSvg(CONTENT, design, { size: 300, title: 'x', frameless: true })).not.toContain('#660000')
  })

  test('without the frame are squares', () => {
    const bare = sceneOf(symbol, design, { frameless: true })
    expect(bare.height).toBe(bare.width)
    expect(scene.height).toBeGreaterThan(scene.width)
    expect(bare.strip).toBeNull()
  })
})

describe('problems', () => {
  test.each<[string, Partial<Look>, string[]]>([
    ['black on white', {}, []],
    ['a pale colour', { fg: '999999' }, ['CONTRAST fg']],
    ['a light colour on a dark one', { fg: 'ffffff', bg: '000000' }, ['INVERTED fg']],
    ['a pale end of the gradient', { gradient: { type: 'LINEAR', to: 'aaaaaa', angle: 0 } }, ['CONTRAST gradient.to']],
    ['pale eyes', { eyeColor: 'bbbbbb' }, ['CONTRAST eyeColor']],
    ['a narrow margin', { margin: 1 }, ['QUIET_ZONE margin']],
    ['level M with a logo', { level: 'M', logo: logo(15) }, ['LEVEL level']],
    ['level Q with a logo', { level: 'Q', logo: logo(15) }, []],
  ])('of %s are named', (_name, change, expected) => {
    expect(lookProblems(look(change)).map(({ code, path }) => `${code} ${path}`)).toEqual(expected)
  })

  test('of a logo that is too large for the content are named', () => {
    const large = designSymbol('a'.repeat(20), look({ level: 'Q', logo: logo(25) }))
    expect(large.spare).toBeLessThan(25)
    expect(symbolProblems(large)).toEqual([{ code: 'LOGO_TOO_LARGE', path: 'logo.size' }])
    expect(symbolProblems(designSymbol(CONTENT, look({ logo: logo(15) })))).toEqual([])
  })

  test('a module is the width divided by all modules with the margin', () => {
    expect(moduleMm(29, 4, 37)).toBe(1)
  })
})

test('the conditions show the same code in seven ways at three places on the pixels, the same each time', () => {
  const symbol = designSymbol(CONTENT, PLAIN)
  const twice = [1, 2].map(() =>
    SHIFTS.flatMap((shift) => {
      const view = viewsOf(symbol, PLAIN, {}, shift)
      return CONDITIONS.map((condition) => Bun.hash(view(condition).values))
    }),
  )
  expect(new Set(twice[0])).toHaveProperty('size', 7 * 3)
  expect(twice[0]).toEqual(twice[1]!)
})
