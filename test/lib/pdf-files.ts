/** Reads PDF files without any code of src/lib/pdf: texts and pictures by pdf.js, codes in the pictures by ZXing. */

import { dirname } from 'node:path'

import { createCanvas, DOMMatrix, ImageData, Path2D } from '@napi-rs/canvas'
import { getDocument } from 'pdfjs-dist'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

// pdf.js expects them from a browser. Its build for Node would bring them, but also replaces functions that our server uses.
Object.assign(globalThis, { DOMMatrix, ImageData, Path2D })

const folder = dirname(Bun.resolveSync('pdfjs-dist/package.json', import.meta.dir))

export interface PdfFile {
  readonly title: string
  /** The texts of each page; parts of a line in several fonts are joined. */
  readonly pages: readonly string[]
  /** PNG of a page, the first is 1, or of its upper left corner with these millimetres: an empty sheet takes a second to read. */
  picture(
    page: number,
    dotsPerInch: number,
    corner?: { readonly width: number; readonly height: number },
  ): Promise<Uint8Array>
}

/** @throws Error if pdf.js has to repair the file, or does not know a font */
export async function readPdf(bytes: Uint8Array): Promise<PdfFile> {
  const document = await getDocument({
    data: new Uint8Array(bytes),
    cMapUrl: `${folder}/cmaps/`,
    standardFontDataUrl: `${folder}/standard_fonts/`,
    stopAtErrors: true,
    verbosity: 0,
  }).promise
  const { info } = await document.getMetadata()
  const pages: string[] = []
  for (let n = 1; n <= document.numPages; n++) {
    const { items } = await (await document.getPage(n)).getTextContent()
    pages.push(items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''))
  }
  return {
    title: (info as { Title?: string }).Title ?? '',
    pages,
    async picture(n, dotsPerInch, corner = { width: Infinity, height: Infinity }) {
      const page = await document.getPage(n)
      const viewport = page.getViewport({ scale: dotsPerInch / 72 })
      const dots = (whole: number, millimetres: number) =>
        Math.ceil(Math.min(whole, (millimetres / 25.4) * dotsPerInch))
      const canvas = createCanvas(dots(viewport.width, corner.width), dots(viewport.height, corner.height))
      await page.render({ canvas: canvas as never, viewport }).promise
      return canvas.toBuffer('image/png')
    },
  }
}

export interface Code {
  readonly text: string
  /** Between the centres of its corners, in pixels. */
  readonly width: number
}

const wasm = Bun.file(Bun.resolveSync('zxing-wasm/reader/zxing_reader.wasm', import.meta.dir))

/** All QR codes of a picture, from top to bottom, and from left to right. */
export async function codesOf(png: Uint8Array): Promise<Code[]> {
  await prepareZXingModule({ overrides: { wasmBinary: await wasm.arrayBuffer() }, fireImmediately: true })
  const found = await readBarcodes(png, { formats: ['QRCode'], tryHarder: true, maxNumberOfSymbols: 20 })
  return found
    .filter(({ isValid }) => isValid)
    .map(({ text, position: { topLeft, topRight } }) => ({ text, topLeft, width: topRight.x - topLeft.x }))
    .toSorted((a, b) => Math.round((a.topLeft.y - b.topLeft.y) / 50) || a.topLeft.x - b.topLeft.x)
    .map(({ text, width }) => ({ text, width }))
}
