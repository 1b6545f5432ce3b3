/**
 * Random designs: those that the server accepts are read by jsQR and ZBar, which it does not use; those that it refuses have a reason. Pictures that
 * both of them miss after blur or rotation must still be read by ZXing.
 * TEST_DESIGNS is the number of designs (500 before a release, which takes ten minutes), TEST_SEED the first number of the first series.
 */

import { expect, test } from 'bun:test'

import { type Canvas, createCanvas, ImageData, loadImage } from '@napi-rs/canvas'

import { checkDesign } from '#domains/qr-codes/drawing/drawing.service.ts'
import { designSymbol, PLAIN, sceneOf } from '#lib/qr/design/index.ts'
import { type Pixels, rasterOf } from '#lib/qr/design/raster.ts'

import { inProcess, useServer } from '../harness/index.ts'
import { codesIn } from '../lib/labels/labels.ts'
import { type Design, randomDesign, randomOf, readByJsQr, readByZbar } from '../lib/qr-designs.ts'

/** Designs of one series, which is one test. */
const SERIES = 25
const DESIGNS = Number(process.env['TEST_DESIGNS'] ?? SERIES)
const SEED = Number(process.env['TEST_SEED'] ?? 1)
const SEEDS = Array.from({ length: Math.ceil(DESIGNS / SERIES) }, (_, i) => SEED + i)
/** Pixels of a module, below which ZBar does not read all plain black codes of many modules. */
const LEAST_SCALE = 4
/** Of the accepted designs: those that both readers read. The rest is read by one of them. */
const BOTH = 0.85

const { server } = useServer()

function canvasOf({ width, height, rgba }: Pixels) {
  const canvas = createCanvas(width, height)
  canvas.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(rgba), width, height), 0, 0)
  return canvas
}

const pixelsOf = (canvas: Canvas): Pixels => {
  const { width, height } = canvas
  return { width, height, rgba: new Uint8Array(canvas.getContext('2d').getImageData(0, 0, width, height).data) }
}

const dotsOf = ({ width, height, rgba }: Pixels) => ({ width, height, data: new Uint8ClampedArray(rgba) })

/** Drawn by a canvas that is not ours. */
function redrawn(pixels: Pixels, { degrees = 0, blur = 0 }): Pixels {
  const side = Math.ceil(Math.hypot(pixels.width, pixels.height))
  const canvas = createCanvas(side, side)
  const context = canvas.getContext('2d')
  context.fillStyle = '#fff'
  context.fillRect(0, 0, side, side)
  if (blur > 0) context.filter = `blur(${blur}px)`
  context.translate(side / 2, side / 2)
  context.rotate((degrees / 180) * Math.PI)
  context.drawImage(canvasOf(pixels), -pixels.width / 2, -pixels.height / 2)
  return pixelsOf(canvas)
}

async function jpeg(pixels: Pixels, quality: number): Promise<Pixels> {
  const canvas = canvasOf(pixels)
  canvas.getContext('2d').drawImage(await loadImage(await canvas.encode('jpeg', quality)), 0, 0)
  return pixelsOf(canvas)
}

/** The reasons for which the server refuses a design, each with the field that is to blame. */
async function reasonsOf({ look, content, logo }: Design): Promise<string[]> {
  const { ok, problems } = await checkDesign(server.ctx, 0, look, content, { logo })
  expect(ok).toBe(problems.length === 0)
  for (const { text } of problems) expect([text.en, text.zh]).toEqual([expect.any(String), expect.any(String)])
  return problems.map(({ code, path, text }) => `${code} ${path}${code === 'UNREADABLE' ? ` ${text.en}` : ''}`)
}

async function picturesOf({ look, content, logo }: Design): Promise<Record<string, Pixels>> {
  const symbol = designSymbol(content, look)
  const modules = symbol.matrix.side + 2 * look.margin
  const exact = sceneOf(symbol, look, { pixels: Math.max(300, modules * LEAST_SCALE) })
  const at = (dotsPerInch: number) => {
    const scene = sceneOf(symbol, look)
    // Modules of half a millimetre, as on a label of 15 mm.
    return rasterOf(scene, (0.5 * dotsPerInch) / 25.4, { logo })
  }
  const print = at(300)
  return {
    '300 pixels': rasterOf(exact, Math.max(300, modules * LEAST_SCALE) / exact.width, { logo }),
    '203 dpi': at(203),
    '300 dpi': print,
    blurred: redrawn(print, { blur: 1.5 }),
    turned: redrawn(print, { degrees: 15 }),
    'JPEG 20 %': await jpeg(print, 20),
  }
}

/** A design that neither reader read, and whether they read a plain black code of the same symbol under that name. */
async function described(i: number, { look, content }: Design, name: string): Promise<string> {
  const { version, level } = designSymbol(content, look).matrix
  const plain = (await picturesOf({ look: { ...PLAIN, level }, content, logo: undefined }))[name]!
  const isRead = readByJsQr(plain) === content || (await readByZbar(plain)) === content
  const code = `${isRead ? 'unlike' : 'like'} a plain code`
  return `${code}: ${JSON.stringify({ i, bytes: Buffer.byteLength(content), version, look })}`
}

const refused = new Map<string, number>()
/** By the name of the picture: how many were read by which of the two readers. */
const read = new Map<string, { both: number; jsQrOnly: number; zbarOnly: number; none: number }>()
let accepted = 0

async function readAll(i: number, design: Design): Promise<void> {
  for (const [name, pixels] of Object.entries(await picturesOf(design))) {
    const texts = [readByJsQr(pixels), await readByZbar(pixels)]
    const [byJsQr, byZbar] = texts.map((text) => text === design.content)
    const counts = read.get(name) ?? { both: 0, jsQrOnly: 0, zbarOnly: 0, none: 0 }
    counts[byJsQr ? (byZbar ? 'both' : 'jsQrOnly') : byZbar ? 'zbarOnly' : 'none'] += 1
    read.set(name, counts)
    if (!byJsQr && !byZbar) {
      console.log(`  read by ZXing only: ${name}, ${await described(i, design, name)}`)
      expect(await codesIn(dotsOf(pixels))).toEqual([design.content])
    }
    // A wrong text would be worse than none.
    expect(texts.filter((text) => text !== undefined && text !== '' && text !== design.content)).toEqual([])
  }
}

test.if(inProcess).each(SEEDS)(
  'of random designs, the accepted ones are read by other readers, and the refused ones have a reason: series %d',
  async (seed) => {
    const random = randomOf(seed)
    for (let i = 0; i < SERIES; i++) {
      const design = randomDesign(random)
      const reasons = await reasonsOf(design)
      for (const reason of reasons) refused.set(reason, (refused.get(reason) ?? 0) + 1)
      if (reasons.length > 0) continue
      accepted += 1
      await readAll(i, design)
    }
    expect(read.get('300 pixels')!.none).toBe(0)
  },
)

test.if(inProcess)('of the accepted designs, most are read by both readers', () => {
  console.log(`  ${SEEDS.length * SERIES} designs, seed ${SEED}; accepted: ${accepted}`)
  console.log(`  reasons of the others: ${JSON.stringify(Object.fromEntries(refused))}`)
  for (const [name, counts] of read) console.log(`  ${name}: ${JSON.stringify(counts)}`)
  expect(read.get('300 pixels')!.both / accepted).toBeGreaterThanOrEqual(BOTH)
  expect(read.size).toBe(6)
  expect(refused.size).toBeGreaterThan(0)
})
