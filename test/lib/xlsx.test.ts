/** SheetJS reads the workbooks. */

import { expect, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'
import { unzipSync } from 'fflate'

import { type Cell, SheetTooLarge, toXlsx } from '#lib/xlsx.ts'

const AT = Date.UTC(2024, 10, 20)

async function write(
  rows: Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>,
  name = 'QR codes',
): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(toXlsx(rows, name, AT)))
}

interface ReadCell {
  type: string | undefined
  value: unknown
  formula: string | undefined
}

function read(file: Uint8Array): { name: string; rows: (ReadCell | undefined)[][] } {
  const book = XLSX.read(file, { type: 'buffer', dense: true })
  const name = book.SheetNames[0]!
  const cells = (book.Sheets[name] as unknown as { '!data': (XLSX.CellObject | undefined)[][] })['!data']
  return {
    name,
    rows: cells.map((row) => row.map((cell) => cell && { type: cell.t, value: cell.v, formula: cell.f })),
  }
}
const textCell = (value: string): ReadCell => ({ type: 's', value, formula: undefined })

test('texts and numbers are read back unchanged', async () => {
  const texts = [
    'plain',
    '名称',
    '😀👍🏽',
    ' pad ',
    'two\nlines',
    'tab\there',
    '<b>&"\'</b>',
    'a\u0001b',
    '_x0041_',
    'x_',
    '007',
    'x'.repeat(32_767),
  ]
  const { rows } = read(await write([texts, [1.5, -3, 0, null, '', 'end']]))
  expect(rows[0]).toEqual(texts.map(textCell))
  expect(rows[1]?.map((cell) => cell?.value)).toEqual([1.5, -3, 0, undefined, undefined, 'end'])
  expect(rows[1]?.[0]?.type).toBe('n')
})

test('texts that look like formulas or numbers stay texts', async () => {
  const texts = [
    '=1+1',
    '=HYPERLINK("http://evil","x")',
    '+8613800138000',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '1e5',
    '2024-11-20',
    'TRUE',
  ]
  const file = await write([texts])
  expect(read(file).rows[0]).toEqual(texts.map(textCell))
  const xml = new TextDecoder().decode(unzipSync(file)['xl/worksheets/sheet1.xml'])
  expect(xml).not.toContain('<f')
  // Style 1 has the number format "text", so the cell stays a text when a user edits it.
  expect(xml.match(/<c [^>]*s="1"/g)?.length).toBe(texts.length)
})

test('carriage returns are kept, although XML alone would lose them', async () => {
  const xml = new TextDecoder().decode(unzipSync(await write([['a\r\nb']]))['xl/worksheets/sheet1.xml'])
  expect(xml).toContain('>a_x000D_\nb<')
})

test('a lone surrogate is replaced and the file stays readable', async () => {
  expect(read(await write([['a\ud83db', 'next']])).rows[0]).toEqual([textCell('a\ufffdb'), textCell('next')])
})

test('cells beyond column Z are in their columns', async () => {
  const row = Array.from({ length: 800 }, (_, i) => `c${i}`)
  expect(read(await write([row])).rows[0]).toEqual(row.map(textCell))
})

test('rows can come from an async generator', async () => {
  async function* rows(): AsyncGenerator<Cell[]> {
    for (let i = 0; i < 3; i++) yield [`row ${i}`]
  }
  expect(read(await write(rows())).rows.flat()).toEqual(['row 0', 'row 1', 'row 2'].map(textCell))
})

test.each([
  ['二维码', '二维码'],
  ['a/b:c[1]*?\\', 'a b c 1'],
  ["'quoted'", 'quoted'],
  ['x'.repeat(40), 'x'.repeat(31)],
  ['<&>', '<&>'],
  ['', 'Sheet1'],
  ['[]', 'Sheet1'],
])('a sheet called %j gets the name %j', async (name, shown) =>
  expect(read(await write([['a']], name)).name).toBe(shown),
)

test('data that exceeds the limits of a sheet is refused', async () => {
  expect(write([['x'.repeat(32_768)]])).rejects.toThrow(SheetTooLarge)
  expect(write([Array.from({ length: 16_385 }, () => 'x')])).rejects.toThrow(SheetTooLarge)
  function* rows(): Generator<Cell[]> {
    for (let i = 0; i <= 1_048_576; i++) yield []
  }
  expect(write(rows())).rejects.toThrow(SheetTooLarge)
})

test('the same rows produce the same bytes', async () => {
  expect(await write([['a', 1]])).toEqual(await write([['a', 1]]))
})
