/**
 * Random designs: those that the server accepts are read by jsQR and ZBar, which it does not use; those that it refuses have a reason.
 * TEST_DESIGNS is the number of designs (500 before a release, which takes ten minutes), TEST_SEED the first number of their series.
 */

import { afterAll, expect, test } from 'bun:test'

import { type Canvas, createCanvas, ImageData, loadImage } from '@napi-rs/canvas'

import { WorkerHost, workerUrl } from '#db/engine/worker-host.ts'
import type { DrawingResult, DrawingTask } from '#domains/qr-codes/drawing/drawing.worker.ts'
import { designSymbol, lookProblems, sceneOf, symbolProblems } from '#lib/qr/design/index.ts'
import { type Pixels, rasterOf } from '#lib/qr/design/raster.ts'
import { QrTooLong } from '#lib/qr/index.ts'

import { inProcess } from '../harness/index.ts'
import { type Design, randomDesign, randomOf, readByJsQr, readByZbar } from '../lib/qr-designs.ts'

const DESIGNS = Number(process.env['TEST_DESIGNS'] ?? 24)
const SEED = Number(process.env['TEST_SEED'] ?? 1)
/** Pixels of a module, below which ZBar does not read all plain black codes of many modules. */
const LEAST_SCALE = 4
/** Of the accepted designs: those that both readers read. The rest is read by one of them. */
const BOTH = 0.85

const host = new WorkerHost<DrawingTask, DrawingResult>(workerUrl('domains/qr-codes/drawing/drawing.worker.ts'))
afterAll(() => host.stop())

function canvasOf({ width, height, rgba }: Pixels) {
  const canvas = createCanvas(width, height)
  canvas.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(rgba), width, height), 0, 0)
  return canvas
}

const pixelsOf = (canvas: Canvas): Pixels => {
  const { width, height } = canvas
  return { width, height, rgba: new Uint8Array(canvas.getContext('2d').getImageData(0, 0, width, height).data) }
}

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

/** The reasons for which the server refuses a design. */
async function reasonsOf(design: Design): Promise<string[]> {
  try {
    const found = [...lookProblems(design.look), ...symbolProblems(designSymbol(design.content, design.look))]
    if (found.length > 0) return found.map(({ code }) => code)
  } catch (error) {
    if (error instanceof QrTooLong) return ['LEVEL']
    throw error
  }
  const { look, content, logo } = design
  const result = await host.run({ kind: 'check', look, content, pictures: { logo } })
  if (result.kind !== 'checked') throw new Error('the thread answered something else')
  return result.unreadable === null ? [] : [`UNREADABLE ${result.unreadable}`]
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

test.if(inProcess)(
  `of ${DESIGNS} random designs, the accepted ones are read by other readers, and the refused ones have a reason`,
  async () => {
    const random = randomOf(SEED)
    const refused = new Map<string, number>()
    const read = new Map<string, { both: number; one: number; none: string[] }>()
    for (let i = 0; i < DESIGNS; i++) {
      const design = randomDesign(random)
      const reasons = await reasonsOf(design)
      for (const reason of reasons) refused.set(reason, (refused.get(reason) ?? 0) + 1)
      if (reasons.length > 0) continue
      for (const [name, pixels] of Object.entries(await picturesOf(design))) {
        const texts = [readByJsQr(pixels), await readByZbar(pixels)]
        const right = texts.filter((text) => text === design.content).length
        const counts = read.get(name) ?? { both: 0, one: 0, none: [] }
        if (right === 0)
          counts.none.push(JSON.stringify({ i, bytes: Buffer.byteLength(design.content), look: design.look }))
        else counts[right === 2 ? 'both' : 'one'] += 1
        read.set(name, counts)
        // A wrong text would be worse than none.
        expect(texts.filter((text) => text !== undefined && text !== '' && text !== design.content)).toEqual([])
      }
    }
    console.log(`  seed ${SEED}; refused: ${JSON.stringify(Object.fromEntries(refused))}`)
    for (const [name, { both, one, none }] of read)
      console.log(`  ${name}: both ${both}, one ${one}, none ${none.length}`)
    const exact = read.get('300 pixels')!
    expect(exact.none).toEqual([])
    expect(exact.both / (exact.both + exact.one)).toBeGreaterThanOrEqual(BOTH)
    expect(read.size).toBe(6)
    expect(refused.size).toBeGreaterThan(0)
  },
)
