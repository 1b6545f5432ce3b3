import { describe, expect, test } from 'bun:test'

import type { Order } from '#lib/labels/files.ts'
import { BUILT_IN, isOnPaper, type Media, placeOnSheet } from '#lib/labels/media.ts'
import { SYMBOLOGIES } from '#lib/labels/profile.ts'

import { readPdf } from '../pdf-files.ts'
import { bytesOf, codesIn, LINK, orderOf, pngOfSvg, profileOf, refusalOf, zplLabels } from './labels.ts'

const TEXTS = ['Laptop of the library', 'A-2026-00042', 'Lenovo', 'X1 Carbon', 'PF-3K9Q2', '图书馆']
const logo = {
  width: 40,
  height: 20,
  rgba: new Uint8Array(40 * 20 * 4).fill(120).map((v, i) => (i % 4 === 3 ? 255 : v)),
}

/** The contents of each kind of code, and how the labels look: six texts with a picture, and none. */
const CODES = SYMBOLOGIES.flatMap((symbology) =>
  (symbology === 'CODE_128' ? ['A-2026-00042'] : [LINK, 'A-2026-00042', '资产-1']).map((content) => ({
    symbology,
    content,
  })),
)
const LOOKS = [
  { texts: [], logo: undefined, more: { placement: 'ONLY', scaleX: 0.95, scaleY: 0.95 } },
  { texts: TEXTS, logo, more: { placement: 'LEFT', border: true } },
  { texts: TEXTS, logo: undefined, more: { placement: 'TOP', rotate: 90 } },
] as const

const isWhole = process.env['TEST_ALL_LABELS'] === '1'
/** Each kind of code with one look, and links in QR codes with all of them. TEST_ALL_LABELS=1 tries all with all, which takes many minutes. */
const EACH = CODES.flatMap((code, i) =>
  LOOKS.filter((_, look) => i === 0 || look === i % LOOKS.length || isWhole).map((look) => ({ ...code, ...look })),
)
/** Labels of this area, in square millimetres, take seconds to decode, and their codes are large: one look is enough. */
const LARGE = 8000
const looksOn = ({ width, height }: { width: number; height: number }) =>
  isWhole || width * height < LARGE ? EACH : EACH.slice(1, 2)

/** Where the first label of a sheet is, with some paper around it. The length of an endless tape is that of the contents. */
function cornerOf(media: Media): { width: number; height: number } | undefined {
  if (media.type !== 'SHEET') return undefined
  const { x, y } = placeOnSheet(media, 0)
  return { width: x + media.width + 2, height: y + media.height + 2 }
}

async function pictures(order: Order, bytes: Uint8Array): Promise<(Uint8Array | Parameters<typeof codesIn>[0])[]> {
  if (order.format === 'PNG') return [bytes]
  if (order.format === 'ZPL') return zplLabels(new TextDecoder().decode(bytes))
  if (order.format === 'SVG') return [await pngOfSvg(bytes, 300)]
  const file = await readPdf(bytes)
  const corner = cornerOf(order.profile.media)
  return [await file.picture(1, 203, corner), await file.picture(1, 300, corner)]
}

describe.each(BUILT_IN)('$key', (media) => {
  const { key: _, name: _name, ...given } = media

  test.each(['PDF', 'SVG', 'PNG', 'ZPL'] as const)(
    'has a readable code on each label that is not refused, as %s',
    async (format) => {
      let drawn = 0
      for (const { symbology, content, texts, logo, more } of looksOn(media))
        for (const dpi of format === 'PNG' || format === 'ZPL' ? ([203, 300] as const) : ([203] as const)) {
          const order = orderOf(profileOf(given, { symbology, ...more }), { format, dpi, logo })
          const label = { content, texts }
          const refusal = await refusalOf(order, label)
          if (refusal !== undefined) {
            expect(refusal.needs).toBeDefined()
            continue
          }
          drawn++
          for (const picture of await pictures(order, await bytesOf(order, [label])))
            expect({ symbology, content, more, dpi, codes: await codesIn(picture) }).toEqual({
              symbology,
              content,
              more,
              dpi,
              codes: [content],
            })
        }
      expect(drawn).toBeGreaterThan(0)
    },
  )

  test('is as large as its sheet allows', () => {
    expect(media.type !== 'SHEET' || isOnPaper(media)).toBe(true)
  })
})
