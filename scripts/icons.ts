/**
 * Draws the icons of `src/http/page-files/` from the mark of the pages, with Chromium: `bun scripts/icons.ts`. Run it after a change of the
 * mark and commit the files.
 */

import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { chromium, type Page } from 'playwright-core'

import { MARK_SVG } from '#http/page-style.ts'

const folder = resolve(import.meta.dir, '../src/http/page-files')

/** `mark`: its side as a part of the icon's. `corner`: the radius as a part of the side; 0 if the system cuts the shape itself. */
interface Look {
  readonly mark: number
  readonly corner: number
}
/** For browsers, which show the file as it is. */
const PLAIN: Look = { mark: 0.66, corner: 0.22 }
/** For home screens that cut the icon: the mark is inside the circle of 80 % that is always visible. */
const MASKABLE: Look = { mark: 0.5, corner: 0 }

async function draw(page: Page, size: number, { mark, corner }: Look): Promise<Uint8Array> {
  const markSize = Math.round(size * mark)
  await page.setViewportSize({ width: size, height: size })
  await page.setContent(
    `<body style="margin:0;background:transparent"><div style="width:${size}px;height:${size}px;display:grid;` +
      `place-items:center;color:#fff;background:#0b6b57;border-radius:${size * corner}px">` +
      MARK_SVG.replace('<svg ', `<svg width="${markSize}" height="${markSize}" `) +
      '</div></body>',
  )
  return page.screenshot({ omitBackground: true, clip: { x: 0, y: 0, width: size, height: size } })
}

/** An ICO file of PNG pictures: a header of 6 bytes, 16 bytes for each picture, the pictures. */
function icoOf(pictures: readonly { readonly size: number; readonly png: Uint8Array }[]): Uint8Array {
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let offset = head.length
  for (const [i, { size, png }] of pictures.entries()) {
    const at = 6 + 16 * i
    head.writeUInt8(size, at)
    head.writeUInt8(size, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(png.length, at + 8)
    head.writeUInt32LE(offset, at + 12)
    offset += png.length
  }
  return Buffer.concat([head, ...pictures.map(({ png }) => png)])
}

const browser = await chromium.launch({
  executablePath: Bun.which('chromium') ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  const page = await browser.newPage()
  mkdirSync(folder, { recursive: true })
  const save = (name: string, bytes: Uint8Array) => Bun.write(join(folder, name), bytes)
  await save('icon-192.png', await draw(page, 192, PLAIN))
  await save('icon-512.png', await draw(page, 512, PLAIN))
  await save('icon-maskable.png', await draw(page, 512, MASKABLE))
  await save('apple-touch-icon.png', await draw(page, 180, { mark: 0.62, corner: 0 }))
  const small = []
  for (const size of [16, 32, 48]) small.push({ size, png: await draw(page, size, { mark: 0.82, corner: 0.2 }) })
  await save('favicon.ico', icoOf(small))
} finally {
  await browser.close()
}
