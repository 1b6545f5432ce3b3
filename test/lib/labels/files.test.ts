import { describe, expect, test } from 'bun:test'

import { loadBitmapFont } from '#lib/labels/bitmap-font.ts'
import { BUILT_IN, PAPERS } from '#lib/labels/media.ts'

import { readPdf } from '../pdf-files.ts'
import { chunksOf } from '../qr-pictures.ts'
import { bytesOf, LINK, orderOf, profileOf, zplLabels } from './labels.ts'

const label = { content: LINK, texts: ['Laptop', 'A-1'] }
const MM = 72 / 25.4

/** The sizes of the pages in millimetres. */
const boxes = (pdf: Uint8Array) =>
  [
    ...Buffer.from(pdf)
      .toString('latin1')
      .matchAll(/MediaBox\[0 0 ([\d.]+) ([\d.]+)\]/g),
  ].map(([, w, h]) => [Number(w) / MM, Number(h) / MM])

describe('sizes', () => {
  test.each(BUILT_IN.filter(({ type, height }) => type !== 'TAPE' && height > 13))(
    'a page of $key is as large as its medium',
    async (media) => {
      const order = orderOf(profileOf(media, { symbology: 'DATA_MATRIX', scaleX: 0.95, offsetX: 1 }), { copies: 2 })
      const pages = boxes(await bytesOf(order, [{ ...label, content: 'A-1' }]))
      const [width, height] = media.type === 'SHEET' ? PAPERS[media.paper!] : [media.width, media.height]
      expect(pages).toHaveLength(media.type === 'SHEET' && media.columns! * media.rows! > 1 ? 1 : 2)
      for (const [w, h] of pages) {
        expect(Math.abs(w! - width)).toBeLessThan(0.1)
        expect(Math.abs(h! - height)).toBeLessThan(0.1)
      }
    },
  )

  test('a label of a tape is as long as its contents, within the limits', async () => {
    const media = { type: 'TAPE', width: 24, height: 24, minLength: 30, maxLength: 120 } as const
    const lengths: number[] = []
    for (const text of ['A', 'A name that is longer than others', 'x'.repeat(200)]) {
      const [[length, width] = []] = boxes(
        await bytesOf(orderOf(profileOf(media)), [{ content: 'A-1', texts: [text] }]),
      )
      expect(width).toBeCloseTo(24, 1)
      lengths.push(Math.round(length!))
    }
    expect(lengths[0]).toBeLessThan(lengths[1]!)
    expect(lengths[1]).toBeLessThan(lengths[2]!)
    expect(lengths[2]).toBe(120)
  })

  test('a frame is at the edges of each label of a sheet, after offset and scale', async () => {
    const media = BUILT_IN.find(({ key }) => key === 'avery-l7160')!
    const profile = profileOf(media, { border: true, offsetX: 2, offsetY: -3, scaleX: 1.01, scaleY: 0.99 })
    const pdf = await bytesOf(orderOf(profile, { skip: 4 }), [label])
    const { createCanvas, loadImage } = await import('@napi-rs/canvas')
    const image = await loadImage(Buffer.from(await (await readPdf(pdf)).picture(1, 508)))
    const canvas = createCanvas(image.width, image.height)
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    const { data, width } = context.getImageData(0, 0, image.width, image.height)
    const isDark = (x: number, y: number) => data[(Math.round(y * 20) * width + Math.round(x * 20)) * 4]! < 128
    // The fifth label: the second of the second row.
    const left = (7.2 + 66) * 1.01 + 2
    const top = (15.1 + 38.1) * 0.99 - 3
    const right = left + 63.5 * 1.01
    const bottom = top + 38.1 * 0.99
    const [x, y] = [(left + right) / 2, (top + bottom) / 2]
    for (const [inX, inY, outX, outY] of [
      [left + 0.12, y, left - 0.1, y],
      [right - 0.12, y, right + 0.1, y],
      [x, top + 0.12, x, top - 0.1],
      [x, bottom - 0.12, x, bottom + 0.1],
    ] as const)
      expect([isDark(inX, inY), isDark(outX, outY)]).toEqual([true, false])
  })

  test.each([203, 300, 600] as const)('a PNG of %d dpi has the pixels of its medium, and says so', async (dpi) => {
    const media = { type: 'ROLL', width: 57.3, height: 32.1 } as const
    const chunks = chunksOf(await bytesOf(orderOf(profileOf(media), { format: 'PNG', dpi }), [label]))
    const [header, resolution] = chunks.map(({ data }) => new DataView(data.buffer, data.byteOffset))
    expect(chunks.map(({ type }) => type)).toEqual(['IHDR', 'pHYs', 'IDAT', 'IEND'])
    expect(header!.getUint32(0)).toBe(Math.round((57.3 / 25.4) * dpi))
    expect(header!.getUint32(4)).toBe(Math.round((32.1 / 25.4) * dpi))
    expect(header!.getUint8(8)).toBe(1)
    expect(resolution!.getUint32(0)).toBe(Math.round(dpi / 0.0254))
    expect(resolution!.getUint8(8)).toBe(1)
  })
})

describe('texts of bitmaps', () => {
  test('the font has Latin, Greek, Cyrillic and Chinese characters, and no script that it would draw wrongly', async () => {
    const { glyphOf } = await loadBitmapFont()
    for (const character of 'Aé‰Ωжñ资产编号图书馆，。「」あ한€→') expect(glyphOf(character), character).toBeDefined()
    for (const character of ['م', 'ไ', '😀', '\u202e', '\u0000']) expect(glyphOf(character), character).toBeUndefined()
    const decoder = new TextDecoder('gb2312')
    for (let row = 0xb0; row <= 0xf7; row++)
      for (let cell = 0xa1; cell <= 0xfe; cell++) {
        const character = decoder.decode(new Uint8Array([row, cell]))
        if (/^\p{sc=Han}$/u.test(character)) expect(glyphOf(character), character).toBeDefined()
      }
  })

  test('a character that the font lacks is a square, and ZPL consists of digits and our own commands', async () => {
    const media = { type: 'ROLL', width: 60, height: 30 } as const
    const draw = async (text: string) =>
      new TextDecoder().decode(
        await bytesOf(orderOf(profileOf(media), { format: 'ZPL', copies: 3 }), [{ ...label, texts: [text] }]),
      )
    const hostile = await draw('^XZ~DG😀')
    expect(hostile).toBe(await draw('^XZ~DG□'))
    expect(hostile).not.toBe(await draw('^XZ~DG'))
    expect(zplLabels(hostile)).toMatchObject([{ copies: 3, width: 480, height: 240 }])
  })
})
