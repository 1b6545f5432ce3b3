/**
 * Reads codes and barcodes from pictures: with the browser's BarcodeDetector, or with ZXing as WebAssembly where it is missing or finds
 * nothing in a picture. ZXing (950 KB) is loaded when it is needed.
 */

import type * as Zxing from 'zxing-wasm/reader'

/** Of a camera image, what is given to ZXing: more pixels take longer and are not read better. */
const LARGEST_FRAME = 1024
/** Pictures of phones have 12 megapixels; small codes in them need more than a camera image. */
const LARGEST_PICTURE = 2400

/** BarcodeDetector of the Shape Detection API, which TypeScript does not know. */
interface Detector {
  detect(source: CanvasImageSource): Promise<{ rawValue: string }[]>
}
interface DetectorClass {
  new (options: { formats: string[] }): Detector
  getSupportedFormats(): Promise<string[]>
}

let detector: Promise<Detector | undefined> | undefined
let zxing: Promise<typeof Zxing> | undefined

/** The browser's own detector, if it reads QR codes. Chromium on Linux has the class, but no formats. */
function browserDetector(): Promise<Detector | undefined> {
  detector ??= (async () => {
    const Class = (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector
    const formats = (await Class?.getSupportedFormats().catch(() => [])) ?? []
    return Class !== undefined && formats.includes('qr_code') ? new Class({ formats }) : undefined
  })()
  return detector
}

/** ZXing could not be loaded: there is no connection, or the server has another version of it. */
export class ReaderMissing extends Error {}

/** @throws ReaderMissing */
function loadZxing(): Promise<typeof Zxing> {
  zxing ??= (async () => {
    const [module, { default: wasm }] = await Promise.all([
      import('zxing-wasm/reader'),
      import('zxing-wasm/reader/zxing_reader.wasm'),
    ])
    await module.prepareZXingModule({ overrides: { locateFile: () => wasm }, fireImmediately: true })
    return module
  })().catch((error: unknown) => {
    throw new ReaderMissing('The code reader could not be loaded', { cause: error })
  })
  // After a lost connection, the next attempt loads it again.
  zxing.catch(() => (zxing = undefined))
  return zxing
}

/** Loads what reading needs, so that the first code is found quickly, also without a connection. @throws ReaderMissing */
export async function prepareReader(): Promise<void> {
  if ((await browserDetector()) === undefined) await loadZxing()
}

/** The texts of the codes in the current image of a camera. Empty if there is none. */
export async function readFrame(video: HTMLVideoElement): Promise<string[]> {
  if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || video.videoWidth === 0) return []
  const own = await browserDetector()
  if (own !== undefined) return (await own.detect(video)).map(({ rawValue }) => rawValue).filter(isText)
  return await readWithZxing(pixelsOf(video, video.videoWidth, video.videoHeight, LARGEST_FRAME), false)
}

/**
 * The texts of the codes in a picture file.
 *
 * @throws ReaderMissing
 * @throws DOMException if the file is no picture that the browser can show
 */
export async function readPicture(file: Blob): Promise<string[]> {
  const picture = await createImageBitmap(file)
  try {
    const own = await browserDetector()
    const found = (await own?.detect(picture).catch(() => []))?.map(({ rawValue }) => rawValue).filter(isText) ?? []
    if (found.length > 0) return [...new Set(found)]
    return await readWithZxing(pixelsOf(picture, picture.width, picture.height, LARGEST_PICTURE), true)
  } finally {
    picture.close()
  }
}

async function readWithZxing(pixels: ImageData, tryHarder: boolean): Promise<string[]> {
  const { readBarcodes } = await loadZxing()
  const found = await readBarcodes(pixels, { tryHarder, maxNumberOfSymbols: tryHarder ? 20 : 1, textMode: 'Plain' })
  return [...new Set(found.filter(({ isValid }) => isValid).map(({ text }) => text))].filter(isText)
}

const isText = (text: string): boolean => text !== ''

let canvas: HTMLCanvasElement | undefined

function pixelsOf(source: CanvasImageSource, width: number, height: number, largest: number): ImageData {
  const scale = Math.min(1, largest / Math.max(width, height))
  canvas ??= document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  // Transparent pictures are read as on paper.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(source, 0, 0, canvas.width, canvas.height)
  return context.getImageData(0, 0, canvas.width, canvas.height)
}
