/** Labels for tests: profiles of all media, and readers of files of labels that use no code of src/lib. */

import { createCanvas, loadImage } from '@napi-rs/canvas'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

import { labelFile, metricsOf, type Order } from '#lib/labels/files.ts'
import { LabelTooSmall, layoutLabel } from '#lib/labels/layout.ts'
import type { Media } from '#lib/labels/media.ts'
import type { LabelContents, LabelProfile } from '#lib/labels/profile.ts'

export const LINK = 'https://assets.school.example/s/asset/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'

export const profileOf = (media: Media, more: Partial<LabelProfile> = {}): LabelProfile => ({
  media,
  symbology: 'QR',
  level: 'M',
  placement: 'LEFT',
  border: false,
  rotate: 0,
  offsetX: 0,
  offsetY: 0,
  scaleX: 1,
  scaleY: 1,
  ...more,
})

export const orderOf = (profile: LabelProfile, more: Partial<Order> = {}): Order => ({
  profile,
  format: 'PDF',
  dpi: 203,
  copies: 1,
  skip: 0,
  title: 'Labels',
  language: 'en',
  logo: undefined,
  ...more,
})

/** The whole file. */
export async function bytesOf(order: Order, labels: readonly LabelContents[]): Promise<Uint8Array> {
  async function* all() {
    for (const [i, label] of labels.entries()) yield { name: `label ${i + 1}`, ...label }
  }
  const { pieces } = await labelFile(order, all(), labels.length * order.copies === 1)
  return Buffer.concat(await Array.fromAsync(pieces))
}

/** Undefined if the label is not refused. */
export async function refusalOf(order: Order, label: LabelContents): Promise<LabelTooSmall | undefined> {
  try {
    layoutLabel(order.profile, label, order.logo, await metricsOf(order), {
      x: order.profile.scaleX,
      y: order.profile.scaleY,
    })
  } catch (error) {
    if (error instanceof LabelTooSmall) return error
    throw error
  }
}

const wasm = Bun.file(Bun.resolveSync('zxing-wasm/reader/zxing_reader.wasm', import.meta.dir))
let ready: Promise<unknown> | undefined

export interface Dots {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
}

/** The texts of all codes in a picture. */
export async function codesIn(picture: Uint8Array | Dots): Promise<string[]> {
  ready ??= wasm
    .arrayBuffer()
    .then((wasmBinary) => prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true }))
  await ready
  const found = await readBarcodes(picture as Parameters<typeof readBarcodes>[0], {
    formats: ['QRCode', 'DataMatrix', 'Code128'],
    tryHarder: true,
    maxNumberOfSymbols: 255,
    textMode: 'Plain',
  })
  return found.filter(({ isValid }) => isValid).map(({ text }) => text)
}

/** The labels of a ZPL file, from the bits of their ^GFA. @throws Error for anything that we do not write */
export function zplLabels(zpl: string): (Dots & { readonly copies: number })[] {
  const pattern =
    /\^XA\n\^PW(\d+)\n\^LL(\d+)\n\^LH0,0\n\^FO0,0\^GFA,(\d+),(\d+),(\d+),([\dA-F]+)\^FS\n\^PQ(\d+)\n\^XZ\n/gy
  const labels: (Dots & { readonly copies: number })[] = []
  let end = 0
  for (const [all, pw, ll, bytes, same, line, hex, copies] of zpl.matchAll(pattern)) {
    const [width, height, stride] = [Number(pw), Number(ll), Number(line)]
    const bits = Buffer.from(hex!, 'hex')
    if (bytes !== same || bits.length !== Number(bytes) || bits.length !== stride * height)
      throw new Error('wrong sizes')
    const data = new Uint8ClampedArray(width * height * 4).fill(255)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        if ((bits[y * stride + (x >> 3)]! >> (7 - (x & 7))) & 1)
          data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3)
    labels.push({ width, height, data, copies: Number(copies) })
    end += all.length
  }
  if (end !== zpl.length) throw new Error('something else than labels')
  return labels
}

/** PNG of an SVG, at its size in millimetres. */
export async function pngOfSvg(svg: Uint8Array, dpi: number): Promise<Uint8Array> {
  const [, width, height] = /width="([\d.]+)mm" height="([\d.]+)mm"/.exec(new TextDecoder().decode(svg))!
  const [w, h] = [width, height].map((mm) => Math.round((Number(mm) / 25.4) * dpi)) as [number, number]
  const image = await loadImage(Buffer.from(svg))
  const canvas = createCanvas(w, h)
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0, w, h)
  return canvas.toBuffer('image/png')
}
