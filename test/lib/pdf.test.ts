/** PDF files as pdf.js and a scanner read them. */

import { describe, expect, test } from 'bun:test'

import { glyphsOf } from '#lib/pdf/fonts.ts'
import { linesOf, MM, Page } from '#lib/pdf/page.ts'
import { pdfOf } from '#lib/pdf/writer.ts'
import { encodeQr } from '#lib/qr/index.ts'

import { codesOf, readPdf } from './pdf-files.ts'

const STYLE = { size: 10 }
const WIDTH = 200
const about = { title: 'Title', language: 'en', createdAt: Date.UTC(2026, 0, 1) }

async function fileOf(pages: readonly Page[], description = about): Promise<Uint8Array> {
  async function* contents() {
    for (const { content } of pages) yield content
  }
  return Buffer.concat(await Array.fromAsync(pdfOf(contents(), description)))
}

/** One page with these texts, of at most `most` lines each. */
async function shown(texts: readonly string[], most = 1, width = 2000): Promise<string[]> {
  const page = new Page()
  for (const [i, text] of texts.entries())
    page.lines(linesOf(text, STYLE, width, most), 20, 800 - i * 12 * (most + 1), STYLE)
  const { pages } = await readPdf(await fileOf([page]))
  return pages[0]!.split('\n').filter((line) => line !== '')
}

describe('Texts of a PDF', () => {
  test('are shown in Latin, Chinese, Korean, Japanese, Greek and Cyrillic letters', async () => {
    const texts = [
      'Zoë Brontë, 5 € – “José Núñez” Œuvre Ž ž Ÿ',
      '王小明（第一场）VIP 席、龍門',
      '김철수 ㄱ',
      'ひらがな カタカナ',
      'Αθήνα Ж'.normalize('NFD').replace('\u0301', ''),
      'Привет Ёё',
    ]
    expect(await shown(texts)).toEqual(texts)
  })

  test('keep every character that the Chinese and Korean fonts claim to have', async () => {
    const hexOf = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0')
    const characters = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code + 1))
    const claimed = characters.filter((character) => {
      const [glyph] = glyphsOf(character)
      return glyph !== undefined && glyph.font !== 'Latin' && glyph.hex === hexOf(character)
    })
    expect(claimed.length).toBeGreaterThan(38_000)
    const page = new Page()
    const small = { size: 1 }
    page.lines(linesOf(claimed.join(''), small, 400, 1000), 0, 800, small)
    const read = new Set((await readPdf(await fileOf([page]))).pages[0]!)
    // pdf.js reads wide spaces as spaces, and the katakana middle dot as the other one.
    expect(claimed.filter((character) => !read.has(character))).toEqual(['\u3000', '・'])
  })

  test('lose marks that no font has, and show a question mark for other scripts', async () => {
    expect(await shown(['Nguyễn Văn Đức', 'ő ł č İ ı', 'ไทย', 'אב', '😀👩‍👧', '\u{20bb7}野'])).toEqual([
      'Nguyên Van Duc',
      'o l c I i',
      '???',
      '??',
      '???',
      '?野',
    ])
  })

  test('cannot end a string, break a line or change the reading direction', async () => {
    const hostile = [
      ') Tj ET (x) \\) \\\\ <41> %',
      'a\u202eb\u2066c\u200bd',
      'one\r\ntwo\tthree\u2028four\u0000five',
      'endstream endobj',
    ]
    expect(await shown(hostile)).toEqual([
      ') Tj ET (x) \\) \\\\ <41> %',
      'abcd',
      'one two three four five',
      'endstream endobj',
    ])
  })

  test('are broken between words and ideographs, and cut with an ellipsis', async () => {
    const lines = await shown(['A long name of several words that does not fit'], 2, 100)
    expect(lines[0]).toBe('A long name of')
    expect(lines[1]).toEndWith('…')
    expect(await shown(['春季音乐会春季音乐会春季音乐会'], 3, 60)).toEqual(['春季音乐会春', '季音乐会春季', '音乐会'])
    const [unbroken] = await shown(['x'.repeat(300)], 1, 100)
    expect(unbroken).toMatch(/^x{17,18}…$/)
    expect(linesOf('', STYLE, WIDTH, 2)).toEqual([])
  })

  test('have at most the width and the number of lines that they may have, whatever their length', () => {
    const texts = ['x', ' ', '王', '김', 'ab ', 'x王', '\u0301', '😀', 'WW ii 王 '].map((text) => text.repeat(10_000))
    for (const text of texts)
      for (const width of [8, 50, 137])
        for (const most of [1, 3]) {
          const lines = linesOf(text, STYLE, width, most)
          expect(lines.length).toBeLessThanOrEqual(most)
          const widths = lines.map((line) => line.reduce((sum, glyph) => sum + glyph.width, 0))
          // Only a space at its end may be beyond the width, and a single character that is wider.
          for (const [i, used] of widths.entries())
            expect(used <= width * 100 + 278 || lines[i]!.length <= 2).toBe(true)
        }
  })
})

describe('PDF files', () => {
  test('have a title, and their pages in order', async () => {
    const pages = Array.from({ length: 30 }, (_, i) => {
      const page = new Page()
      page.lines(linesOf(`Page ${i + 1}`, STYLE, WIDTH, 1), 20, 20, STYLE)
      return page
    })
    const read = await readPdf(await fileOf(pages, { ...about, title: 'Pässe (通行证) \\' }))
    expect(read.title).toBe('Pässe (通行证) \\')
    expect(read.pages).toEqual(pages.map((_, i) => `Page ${i + 1}`))
  })

  test('have a table of the offsets of all objects', async () => {
    const bytes = await fileOf([new Page(), new Page()])
    const text = Buffer.from(bytes).toString('latin1')
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)![1])
    const [, size, entries] = /^xref\n0 (\d+)\n0{10} 65535 f \n((?:\d{10} 00000 n \n)+)trailer/.exec(text.slice(start))!
    const offsets = entries!.trim().split('\n').map(Number.parseFloat)
    expect(offsets).toHaveLength(Number(size) - 1)
    for (const [i, offset] of offsets.entries()) expect(text.slice(offset)).toStartWith(`${i + 1} 0 obj\n`)
  })

  test('contain QR codes that a scanner reads, in the size that they should have', async () => {
    const contents = ['HTTPS://EXAMPLE.ORG/' + 'A'.repeat(160), '内容'.repeat(30), 'short']
    const page = new Page()
    for (const [i, content] of contents.entries()) page.qr(encodeQr(content, 'L'), 100, 600 - 200 * i, 50 * MM)
    const codes = await codesOf(await (await readPdf(await fileOf([page]))).picture(1, 150))
    expect(codes.map(({ text }) => text)).toEqual(contents)
    const { side } = encodeQr(contents[0]!, 'L')
    expect((codes[0]!.width / 150) * 25.4).toBeCloseTo((50 * side) / (side + 8), 0)
  })
})
