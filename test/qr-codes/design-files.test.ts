/** The files of a picture, as a browser, a viewer of PDF and a printer show them. They must show the same symbol. */

import { expect, test } from 'bun:test'

import { createCanvas, loadImage } from '@napi-rs/canvas'

import { greyOf } from '#lib/qr/design/conditions.ts'
import { pixelsToPng } from '#lib/qr/design/png.ts'
import type { Pixels } from '#lib/qr/design/raster.ts'

import { uploaded } from '../files/helpers.ts'
import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { ok, useServer } from '../harness/index.ts'
import { readPdf } from '../lib/pdf-files.ts'
import { readByJsQr, readByZbar } from '../lib/qr-designs.ts'
import { createCode } from './helpers.ts'

const { alice } = useServer({ people: ['alice'] })

/** Of a label printer, and of an office printer. */
const DPI = [203, 300] as const

const file = async (id: number, query: object): Promise<Uint8Array> => {
  const answer = await alice.send('GET', `/api/qr-codes/${id}/picture?${new URLSearchParams({ ...query })}`)
  expect(answer.status).toBe(200)
  return answer.bytes
}

async function pixelsOf(png: Uint8Array): Promise<Pixels> {
  const image = await loadImage(Buffer.from(png))
  const context = createCanvas(image.width, image.height).getContext('2d')
  context.drawImage(image, 0, 0)
  const { width, height, data } = context.getImageData(0, 0, image.width, image.height)
  return { width, height, rgba: new Uint8Array(data) }
}

/** An SVG as Chromium shows it, with that many dots in an inch of its own width. */
async function shown(svg: Uint8Array, dotsPerInch: number): Promise<Pixels> {
  const browser = await launchChromium()
  try {
    // CSS has 96 pixels in an inch.
    const page = await browser.newPage({ deviceScaleFactor: dotsPerInch / 96, viewport: { width: 500, height: 500 } })
    const address = `data:image/svg+xml;base64,${svg.toBase64()}`
    await page.setContent(`<body style="margin:0"><img style="display:block" src="${address}">`)
    return await pixelsOf(await page.locator('img').screenshot())
  } finally {
    await browser.close()
  }
}

/** A line for each row of modules: # is dark. The code fills `dots` with its margin, and is at the top. */
function modulesIn(picture: Pixels, dots: number, modules: number, margin: number): string[] {
  const { width, values } = greyOf(picture)
  const unit = dots / (modules + 2 * margin)
  const middle = (i: number) => Math.floor((margin + i + 0.5) * unit)
  const isDark = (row: number, column: number) => values[middle(row) * width + middle(column)]! < 128
  const all = [...Array(modules).keys()]
  return all.map((row) => all.map((column) => (isDark(row, column) ? '#' : '.')).join(''))
}

async function logoFile(): Promise<number> {
  const rgba = new Uint8Array(64 * 64 * 4)
  for (let at = 0; at < rgba.length; at += 4) rgba.set([180, 20, 40, 255], at)
  const bytes = pixelsToPng({ width: 64, height: 64, rgba })
  return (await uploaded(alice, bytes, { type: 'qr_code', name: 'logo.png' })).id
}

const BUSY = {
  fg: '123456',
  margin: 3,
  modules: 'ROUNDED',
  // Circles would end in the middle of modules.
  eyes: 'ROUNDED',
  gradient: { type: 'RADIAL', to: '004400', angle: 0 },
  frame: { position: 'BELOW', text: 'Scan', color: '660000' },
} as const

test.if(hasChromium).each([
  ['a small code on a label of 15 mm', 15, { modules: 'DOTS', margin: 4 }, false],
  ['a code with all that a design can have, 40 mm wide', 40, BUSY, true],
] as const)(
  'PNG, SVG and PDF of %s show the same symbol, and are read at 203 and 300 dpi',
  async (_, widthMm, look, hasLogo) => {
    const logo = hasLogo ? { fileId: await logoFile(), size: 18, plate: 'CIRCLE' as const } : null
    const design = ok(await alice.call('qrCodeDesigns.create', { body: { name: `${widthMm} mm`, ...look, logo } })).data
    const content = 'https://example.com/menu'
    const { id } = await createCode(alice, { content, designId: design.id })
    const { symbol } = ok(await alice.call('qrCodeDesigns.check', { body: { designId: design.id, qrCodeId: id } })).data
    const across = symbol!.modules + 2 * look.margin

    const exact = modulesIn(
      await pixelsOf(await file(id, { size: across * 10 })),
      across * 10,
      symbol!.modules,
      look.margin,
    )
    const svg = await file(id, { format: 'svg', widthMm })
    const pdf = await readPdf(await file(id, { format: 'pdf', widthMm }))
    for (const dpi of DPI) {
      const dots = (widthMm / 25.4) * dpi
      const seen = {
        png: await pixelsOf(await file(id, { size: Math.round(dots), widthMm })),
        svg: await shown(svg, dpi),
        pdf: await pixelsOf(await pdf.picture(1, dpi)),
      }
      for (const [format, pixels] of Object.entries(seen)) {
        const texts = { jsQr: readByJsQr(pixels), zbar: await readByZbar(pixels) }
        expect([format, dpi, texts]).toEqual([format, dpi, { jsQr: content, zbar: content }])
        // Both programs round up to their own whole pixels.
        expect(Math.abs(pixels.width - dots)).toBeLessThanOrEqual(3)
        expect(pixels.height > pixels.width + 2).toBe('frame' in look)
      }
      for (const format of ['svg', 'pdf'] as const)
        expect(modulesIn(seen[format], dots, symbol!.modules, look.margin)).toEqual(exact)
    }
  },
)
