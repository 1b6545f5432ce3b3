/** SheetJS reads the workbooks. */

import { expect, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'
import { unzipSync } from 'fflate'

import { type Cell, SheetTooLarge, toXlsx } from '#lib/spreadsheets/xlsx-writer.ts'

const AT = Date.UTC(2024, 10, 20)

async function write(
  rows: Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>,
  name = 'QR codes',
): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(toXlsx({ name, rows }, AT)))
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

test('booleans and times are cells of their own kinds, and titles are bold', async () => {
  const sheet = {
    name: 'x',
    columns: [
      { title: '名称', width: 30 },
      { title: '=1+1', width: 12.5 },
    ],
    rows: [[true, Temporal.PlainDateTime.from('2026-03-08T17:30:05')], [false]],
  }
  const file = Buffer.concat(await Array.fromAsync(toXlsx(sheet, AT)))
  const book = XLSX.read(file, {
    type: 'buffer',
    dense: true,
    cellDates: true,
    cellNF: true,
    cellStyles: true,
    UTC: true,
  })
  const data = (book.Sheets['x'] as unknown as { '!data': XLSX.CellObject[][] })['!data']
  expect(data.map((row) => row.map((cell) => [cell.t, cell.t === 'd' ? cell.w : cell.v]))).toEqual([
    [
      ['s', '名称'],
      ['s', '=1+1'],
    ],
    [
      ['b', true],
      ['d', '2026-03-08 17:30:05'],
    ],
    [['b', false]],
  ])
  expect(book.Sheets['x']!['!cols']?.map((col) => Number(col.width))).toEqual([30, 12.5])
  const parts = unzipSync(file)
  const styles = new TextDecoder().decode(parts['xl/styles.xml'])
  const xml = new TextDecoder().decode(parts['xl/worksheets/sheet1.xml'])
  const styleOf = (place: string) => Number(new RegExp(`<c r="${place}"[^>]* s="(\\d)"`).exec(xml)![1])
  const formats = [.../<cellXfs.*<\/cellXfs>/.exec(styles)![0].matchAll(/<xf [^>]*>/g)].map(([format]) => format)
  const fonts = [...styles.matchAll(/<font>.*?<\/font>/g)].map(([font]) => font)
  const fontOf = (place: string) => fonts[Number(/fontId="(\d)"/.exec(formats[styleOf(place)]!)![1])]
  expect(fontOf('A1')).toContain('<b/>')
  expect(fontOf('B2')).not.toContain('<b/>')
})

test('rows are requested while the workbook is sent, so a long sheet is never in memory as a whole', async () => {
  let asked = 0
  function* rows(): Generator<Cell[]> {
    // Random texts, because others would all fit into the first compressed piece.
    while (asked < 20_000) yield [asked++, crypto.getRandomValues(new Uint8Array(100)).toHex()]
  }
  let before = 0
  let largest = 0
  for await (const piece of toXlsx({ name: 'x', rows: rows() }, AT)) {
    largest = Math.max(largest, piece.length, asked - before)
    before = asked
  }
  expect(asked).toBe(20_000)
  expect(largest).toBeLessThan(70_000)
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

test('days are cells with a date format, and those before March 1900 are texts', async () => {
  const days = ['2024-02-29', '1900-03-01', '1900-02-28', '1850-01-01', '9999-12-31'].map((day) =>
    Temporal.PlainDate.from(day),
  )
  const book = XLSX.read(await write([days]), { type: 'buffer', dense: true, cellText: true })
  const [cells] = (book.Sheets['QR codes'] as unknown as { '!data': XLSX.CellObject[][] })['!data']
  expect(cells!.map(({ t, w }) => [t, w])).toEqual([
    ['n', '2024-02-29'],
    ['n', '1900-03-01'],
    ['s', '1900-02-28'],
    ['s', '1850-01-01'],
    ['n', '9999-12-31'],
  ])
})

test('the choices of columns are lists on a hidden sheet, which the cells below the titles offer', async () => {
  const choices = (values: string[], only: boolean) => ({ choices: { values, only } })
  const columns = [
    { title: 'Name', width: 20, format: 'text' as const },
    { title: 'Status', width: 12, ...choices(['在用', 'Idle, "a"'], true) },
    { title: 'Empty', width: 12, ...choices([], true) },
    { title: 'Tags', width: 12, ...choices(['x', 'y', 'z'], false) },
  ]
  const file = Buffer.concat(await Array.fromAsync(toXlsx({ name: 'Assets', columns, rows: [['a']] }, AT)))
  const book = XLSX.read(file, { type: 'buffer', dense: true, bookSheets: false })
  expect(book.SheetNames).toEqual(['Assets', 'Lists'])
  expect(book.Workbook?.Sheets?.map(({ Hidden }) => Hidden)).toEqual([0, 1])
  expect(XLSX.utils.sheet_to_json(book.Sheets['Lists']!, { header: 1 })).toEqual([
    ['在用', 'x'],
    ['Idle, "a"', 'y'],
    [undefined, 'z'],
  ])
  const parts = unzipSync(file)
  const xml = new TextDecoder().decode(parts['xl/worksheets/sheet1.xml'])
  expect(
    [...xml.matchAll(/showErrorMessage="(\d)" sqref="([^"]*)"><formula1>([^<]*)</g)].map((found) => found.slice(1)),
  ).toEqual([
    ['1', 'B2:B1048576', 'Lists!$A$1:$A$2'],
    ['0', 'D2:D1048576', 'Lists!$B$1:$B$3'],
  ])
  expect(xml).toContain('<col min="1" max="1" width="20" style="1" customWidth="1"/>')
})
