/** Draws designed codes and reads them again, which takes up to half a second, on a thread of its own. */

import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import wasm from 'zxing-wasm/reader/zxing_reader.wasm' with { type: 'file' }

import type { WorkerReply, WorkerRequest } from '#db/engine/worker-host.ts'
import { type Condition, CONDITIONS, type Grey, SHIFTS, viewsOf } from '#lib/qr/design/conditions.ts'
import { designSymbol, type Look, sceneOf, sceneToSvg } from '#lib/qr/design/index.ts'
import { sceneToPdf } from '#lib/qr/design/pdf.ts'
import { pixelsToPng, pngDataUri } from '#lib/qr/design/png.ts'
import { type Pictures, rasterOf } from '#lib/qr/design/raster.ts'

declare const self: Worker

interface Subject {
  readonly content: string
  readonly look: Look
  readonly pictures: Pictures
}

export type DrawingTask =
  | (Subject & { readonly kind: 'check' })
  | (Subject & {
      readonly kind: 'draw'
      readonly format: 'png' | 'svg' | 'pdf'
      /** Pixels of the width. PDF has none. */
      readonly size: number
      readonly widthMm: number | undefined
      readonly frameless: boolean
      /** For those who cannot see the picture. */
      readonly title: string
    })

export type DrawingResult =
  /** The condition under which the picture could not be read; null if it could under all of them. */
  | { readonly kind: 'checked'; readonly unreadable: Condition | null }
  | { readonly kind: 'drawn'; readonly bytes: Uint8Array<ArrayBuffer> }

let reader: Promise<unknown> | undefined

const loadReader = (): Promise<unknown> =>
  (reader ??= Bun.file(wasm)
    .arrayBuffer()
    .then((wasmBinary) => prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })))

/** Ways to tell dark from light. Each of them misses some plain black codes that the other one reads. */
const BINARIZERS = ['LocalAverage', 'GlobalHistogram'] as const

async function isReadable({ width, height, values }: Grey, content: string): Promise<boolean> {
  const data = new Uint8ClampedArray(values.length * 4)
  for (let i = 0; i < values.length; i++) data.fill(values[i]!, i * 4, i * 4 + 3)
  // The parameter's type is the browser's ImageData; only width, height and data are read.
  const image = { width, height, data } as unknown as Parameters<typeof readBarcodes>[0]
  for (const binarizer of BINARIZERS) {
    const [found] = await readBarcodes(image, {
      binarizer,
      formats: ['QRCode'],
      maxNumberOfSymbols: 1,
      tryHarder: true,
      tryInvert: false,
      textMode: 'Plain',
    })
    if (found?.isValid === true && found.text === content) return true
  }
  return false
}

async function check({ content, look, pictures }: Subject): Promise<DrawingResult> {
  await loadReader()
  const symbol = designSymbol(content, look)
  const views = SHIFTS.map((shift) => viewsOf(symbol, look, pictures, shift))
  const isRead = async (condition: Condition): Promise<boolean> => {
    for (const view of views) if (await isReadable(view(condition), content)) return true
    return false
  }
  for (const condition of CONDITIONS) if (!(await isRead(condition))) return { kind: 'checked', unreadable: condition }
  return { kind: 'checked', unreadable: null }
}

const utf8 = new TextEncoder()

function draw(task: DrawingTask & { kind: 'draw' }): Uint8Array<ArrayBuffer> {
  const { content, look, pictures, format, size, widthMm, frameless, title } = task
  const symbol = designSymbol(content, look)
  if (format === 'pdf') return sceneToPdf(sceneOf(symbol, look, { frameless }), widthMm!, title, pictures)
  if (format === 'svg') {
    const [logo, strip] = [pngDataUri(pictures.logo), pngDataUri(pictures.strip)]
    return utf8.encode(sceneToSvg(sceneOf(symbol, look, { frameless }), { size, widthMm, title, logo, strip }))
  }
  const scene = sceneOf(symbol, look, { frameless, pixels: size })
  return pixelsToPng(rasterOf(scene, size / scene.width, pictures), widthMm)
}

const perform = async (task: DrawingTask): Promise<DrawingResult> =>
  task.kind === 'check' ? check(task) : { kind: 'drawn', bytes: draw(task) }

async function answer({ id, task }: WorkerRequest<DrawingTask>): Promise<WorkerReply<DrawingResult>> {
  try {
    return { id, result: await perform(task) }
  } catch (error) {
    return { id, error: { code: undefined, message: error instanceof Error ? error.message : String(error) } }
  }
}

self.addEventListener('message', ({ data }: MessageEvent<WorkerRequest<DrawingTask>>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
  void answer(data).then((reply) => self.postMessage(reply))
})
