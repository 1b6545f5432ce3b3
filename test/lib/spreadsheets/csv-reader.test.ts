import { expect, test } from 'bun:test'

import { CsvParser } from '#lib/spreadsheets/csv-reader.ts'
import { CSV_START, csvRow } from '#lib/spreadsheets/csv-writer.ts'
import { decoderFor, encodingOf } from '#lib/spreadsheets/encodings.ts'
import type { Encoding } from '#lib/spreadsheets/sheet.ts'

import { LIMITS, read, refusal } from './workbooks.ts'

const cellsOf = async (bytes: Uint8Array | string) => (await read(new Blob([bytes]))).map(({ cells }) => cells)
const TABLE = '名称,型号\r\n"笔记本, 电脑",X1\r\n'
const ROWS = [
  ['名称', '型号'],
  ['笔记本, 电脑', 'X1'],
]
/** In GBK, which TextEncoder cannot write. */
const GBK = Buffer.from(
  'c3fbb3c6 2c d0cdbac5 0d0a 22 b1cabcc7b1be 2c 20 b5e7c4d4 22 2c 5831 0d0a'.replaceAll(' ', ''),
  'hex',
)
const big = (text: string) => Buffer.from(text, 'utf16le').swap16()

test.each([
  ['UTF-8', Buffer.from(TABLE)],
  ['UTF-8 with a byte order mark', Buffer.from('\uFEFF' + TABLE)],
  ['UTF-16 LE with a byte order mark', Buffer.from('\uFEFF' + TABLE, 'utf16le')],
  ['UTF-16 BE with a byte order mark', big('\uFEFF' + TABLE)],
  ['UTF-16 LE without one', Buffer.from(TABLE, 'utf16le')],
  ['UTF-16 BE without one', big(TABLE)],
  ['GBK', GBK],
])('%s is found by content', async (_, bytes) => expect(await cellsOf(bytes)).toEqual(ROWS))

test('four-byte characters of GB 18030 are read', async () => {
  const bytes = Buffer.concat([GBK, Buffer.from('b1ca95328236', 'hex')])
  expect((await cellsOf(bytes))[2]).toEqual([new TextDecoder('gb18030').decode(bytes.subarray(-6))])
})

test('Western texts are read as Windows-1252 and not as rare Chinese characters, unless it lacks their bytes', async () => {
  const bytes = Buffer.from('Bezeichnung;Größe\r\nKühlschrank;groß\r\nTür;schön\r\n', 'latin1')
  expect(await cellsOf(bytes)).toEqual([
    ['Bezeichnung', 'Größe'],
    ['Kühlschrank', 'groß'],
    ['Tür', 'schön'],
  ])
  // It has no character for 0x81, and other encodings have symbols inside these words.
  expect(await refusal(new Blob([Buffer.concat([bytes, Buffer.from([0x81])])]))).toBe('unknown-encoding')
})

/** The bytes of a text in an encoding with one byte for each character, which TextEncoder cannot write. */
function bytesIn(encoding: Encoding, text: string): Uint8Array<ArrayBuffer> {
  const decoder = decoderFor(encoding)
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
  return Uint8Array.from(text, (char) => bytes.get(char)!)
}

test.each<[Encoding, string, Encoding | null]>([
  ['macintosh', 'Name;Nr\nSchülerpult größe;1\n', null],
  ['macintosh', 'Name;Nr\nBüro;1\n', null],
  ['macintosh', 'Name\nTÜR\n', null],
  ['macintosh', 'Nom;Prix\nÉlève à l’école ça;1 849,78 €\n', null],
  ['macintosh', 'Nome\nação à mão\n', null],
  // Its letters can be the first bytes of Japanese and Chinese characters.
  ['macintosh', 'Nombre\nSillón niño\n', 'shift_jis'],
  ['macintosh', 'Name\nStraße\n', 'big5'],
  ['windows-1252', 'Nom;Prix\nCafé à l’école – très;1 849,78 €\n', null],
  ['windows-1252', 'Name;Preis\nRaum „A“;5 µm 20 °C 3×4 m² 7 €\n', null],
  ['windows-1252', 'Name\nMÜLLER STRAßE ÉCOLE\n', null],
  ['windows-1252', 'Navn\nskærm rød stå\n', null],
  ['windows-1252', 'Name\nTomáš\n', null],
  ['windows-1252', 'Name\nMšbel\n', 'macintosh'],
  ['windows-1250', 'Názov\nŤava stôl žiť ďalší\n', null],
  ['windows-1251', 'Име\nЂорђе њива Џип\n', null],
])('%s is found for %j', async (encoding, text, other) => {
  const file = new Blob([bytesIn(encoding, text)])
  expect(await encodingOf(file)).toEqual({ used: encoding, certain: other === null, other })
  expect((await read(file)).map(({ cells }) => cells.join(';'))).toEqual(text.trim().split('\n'))
})

test.each([
  [',', 'Name,Price\na,"1,5"\n'],
  [';', 'Name;Price\na;1,5\n'],
  ['\t', 'Name\tPrice\na\t1,5\n'],
  ['; named by sep=', 'sep=;\r\nName;Price\r\na;1,5\r\n'],
])('the separator %j is found by content', async (_, text) =>
  expect(await cellsOf(text)).toEqual([
    ['Name', 'Price'],
    ['a', '1,5'],
  ]),
)

test('the separator is found below a title', async () => {
  expect(await cellsOf('Register\nName;Price\na;1,5\nb;2,5\n')).toEqual([
    ['Register'],
    ['Name', 'Price'],
    ['a', '1,5'],
    ['b', '2,5'],
  ])
  expect(await cellsOf('Register,,\nName,No,Price\na,1,5\n')).toEqual([
    ['Register'],
    ['Name', 'No', 'Price'],
    ['a', '1', '5'],
  ])
})

test.each<[string, string, (string | null)[][]]>([
  [
    'quotes, doubled quotes and line breaks',
    'a,b\n"x ""y""","1\r\n2"\n',
    [
      ['a', 'b'],
      ['x "y"', '1\r\n2'],
    ],
  ],
  [
    'quotes inside a cell',
    'a,b\n5" disk,"x"y\n',
    [
      ['a', 'b'],
      ['5" disk', 'xy'],
    ],
  ],
  [
    'line ends of all systems, and a last row without one',
    'a,b\r1,2\n3,4\r\n5,6',
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ],
  ],
  [
    'empty cells, also at the end',
    'a,b,c\n,2,\n,,3\n""\n',
    [
      ['a', 'b', 'c'],
      [null, '2'],
      [null, null, '3'],
    ],
  ],
  ['one column', 'Name\na\n"b;c"\n', [['Name'], ['a'], ['b;c']]],
])('%s are read', async (_, text, rows) => expect(await cellsOf(text)).toEqual(rows))

test('rows have the numbers that a spreadsheet program shows', async () => {
  const rows = await read(new Blob(['a,b\n\n"1\n2",3\n,,\n4,5']))
  expect(rows.map(({ number }) => number)).toEqual([1, 3, 5])
})

test('the apostrophe that protects a formula is taken off, and what we write is read back unchanged', async () => {
  expect((await cellsOf("a,b,c\n'=1+1,'+86,it's\n"))[1]).toEqual(['=1+1', '+86', "it's"])
  const texts = [
    '=1',
    '+1',
    '-1',
    '@a',
    '\t=1',
    '\r1',
    "'=1",
    "''=1",
    '＝1',
    "'＋1",
    '－1',
    '＠a',
    "'a",
    "'",
    '"',
    'a,b;c\td',
    ' a ',
    'two\r\nlines',
    '名称',
    '-',
  ]
  expect(await cellsOf(CSV_START + csvRow(texts))).toEqual([texts])
  for (const sign of '=+-@＝＋－＠') expect(csvRow([`${sign}1`])).toBe(`'${sign}1\r\n`)
})

test('the pieces in which a text arrives do not change its rows', () => {
  const text = 'a,"b ""c""",d\r\n\r\n"1\r\n2",,"\n"\rx"y,z\n"",\'=1,\n'
  const whole = parsed([text])
  expect(whole).toHaveLength(4)
  for (let i = 1; i < text.length; i++) expect(parsed([text.slice(0, i), text.slice(i)])).toEqual(whole)
  expect(parsed([...text])).toEqual(whole)
})
function parsed(pieces: string[]) {
  const parser = new CsvParser(',', LIMITS)
  return [...pieces.flatMap((piece) => parser.write(piece)), ...parser.end()]
}

test('too many rows or columns, a quote without end and a huge cell are refused', async () => {
  const limits = { rows: 2, columns: 2 }
  expect(await refusal(new Blob(['a,b\n\n1,2\n']), undefined, limits)).toBe('read')
  expect(await refusal(new Blob(['a,b\n1,2\n3,4\n']), undefined, limits)).toBe('too-many-rows')
  expect(await refusal(new Blob(['a,b,c\n']), undefined, limits)).toBe('too-many-columns')
  expect(await refusal(new Blob(['a,b,,,\n']), undefined, limits)).toBe('read')
  expect(await refusal(new Blob(['a,b\n"1,2\n3,4\n']))).toBe('damaged')
  expect(await refusal(new Blob([`a,b\n"${'x\n'.repeat(60_000)}"`]))).toBe('too-large')
})
