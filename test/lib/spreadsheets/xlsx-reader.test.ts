/** SheetJS decides how the workbooks of other programs have to be read. */

import { expect, test } from 'bun:test'
import { join } from 'node:path'

import * as XLSX from '@e965/xlsx'

import type { SheetCell } from '#lib/spreadsheets/sheet.ts'
import { type Cell, toXlsx } from '#lib/spreadsheets/xlsx-writer.ts'

import { judged, read, refusal, sheetOf, workbook } from './workbooks.ts'

const fixture = (name: string) => Bun.file(join(import.meta.dir, '../../fixtures/spreadsheets', name))
const cellsOf = async (file: Blob, sheet?: string) => (await read(file, sheet)).map(({ cells }) => cells)
const SST = (texts: string) => ({ 'xl/sharedStrings.xml': `<sst>${texts}</sst>` })
const STYLES = (...codes: string[]) => ({
  'xl/styles.xml':
    `<styleSheet><numFmts>${codes.map((code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${code}"/>`).join('')}</numFmts>` +
    `<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${codes.map((_, i) => `<xf numFmtId="${164 + i}"/>`).join('')}</cellXfs></styleSheet>`,
})

test.each([
  'openpyxl.xlsx',
  'openpyxl-1904.xlsx',
  'openpyxl-write-only.xlsx',
  'xlsxwriter.xlsx',
  'xlsxwriter-constant-memory.xlsx',
  'xlsxwriter-1904.xlsx',
  'libreoffice.xlsx',
  'libreoffice-1904.xlsx',
])('%s is read as SheetJS reads it', async (name) => {
  const rows = await read(fixture(name))
  expect(rows.length).toBeGreaterThan(9)
  expect(rows).toEqual(await judged(fixture(name)))
})

test('the table of openpyxl.xlsx has the values that were written', async () => {
  const rows = new Map((await read(fixture('openpyxl.xlsx'))).map(({ number, cells }) => [number, cells]))
  expect(rows.get(2)).toEqual(['笔记本电脑 😀', 12345, { date: '2024-02-29' }, true])
  expect(rows.get(3)).toEqual([' spaces  kept ', -0.125, { date: '2026-03-08 17:30:05' }, false])
  expect(rows.get(4)?.slice(0, 3)).toEqual(['two\nlines & <tags> "q"', 1e-7, { date: '07:05:09' }])
  expect(rows.get(5)?.slice(2)).toEqual([{ date: '1900-03-01' }, { error: '#N/A' }])
  expect(rows.get(6)?.slice(0, 3)).toEqual(['rich bold text', '00042', { date: '2023-03-15 12:00:00' }])
  expect(rows.get(9)).toHaveLength(28)
  expect(rows.get(12)).toEqual([null, '007', 1234.5])
  expect([...rows.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 9, 12, 14])
})

test('sheets are chosen by name without case or by number, and the first visible one is the default', async () => {
  const file = fixture('openpyxl.xlsx')
  expect((await cellsOf(file, '第二 SHEET'))[0]).toEqual(['second'])
  expect((await cellsOf(file, '2'))[0]).toEqual(['second'])
  expect(await cellsOf(file, 'Hidden')).toEqual([['secret']])
  expect(await refusal(file, 'Missing')).toBe('no-such-sheet')
  expect(await refusal(file, '4')).toBe('no-such-sheet')
  const parts = {
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><sheets><sheet name="A" state="hidden" r:id="r1"/><sheet name="7" r:id="r4"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="a.xml"/><Relationship Id="r4" Type="x/worksheet" Target="/xl/b.xml"/></Relationships>',
    'xl/a.xml': '<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>',
    'xl/b.xml': '<worksheet><sheetData><row><c><v>2</v></c></row></sheetData></worksheet>',
  }
  expect(await cellsOf(await workbook(parts))).toEqual([[2]])
  expect(await cellsOf(await workbook(parts), '1')).toEqual([[1]])
  expect(await cellsOf(await workbook(parts), '7')).toEqual([[2]])
})

test('a sheet of Excel is read: shared strings with phonetic runs, formulas, errors and reserved characters', async () => {
  const file = await sheetOf(
    '<row r="1" spans="1:5" x14ac:dyDescent="0.25"><c r="A1" s="0" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>' +
      '<row r="3"><c r="B3"><f>SUM(A1:A2)</f><v>3.5</v></c><c r="C3" t="str"><f t="shared" ref="C3:C9" si="0">"a"&amp;"b"</f><v>ab</v></c>' +
      '<c r="D3" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="E3" t="b"><v>1</v></c><c r="F3" s="1"/></row>',
    SST(
      '<si><t>名称</t><phoneticPr fontId="1"/><rPh sb="0" eb="2"><t>míngchēng</t></rPh></si>' +
        '<si><r><rPr><b/></rPr><t xml:space="preserve">one </t></r><r><t>_x000D_two&#10;&lt;3</t></r></si>',
    ),
  )
  const rows = await read(file)
  expect(rows).toEqual([
    { number: 1, cells: ['名称', 'one \rtwo\n<3'] },
    { number: 3, cells: [null, 3.5, 'ab', { error: '#DIV/0!' }, true] },
  ])
})

test('a sheet of WPS is read: prefixes, single quotes, comments, CDATA and an absolute path', async () => {
  const file = await workbook({
    'xl/_rels/workbook.xml.rels':
      "<Relationships><Relationship Target='/xl/worksheets/Sheet1.xml' Type='x/worksheet' Id='r1'/></Relationships>",
    'xl/worksheets/sheet1.xml':
      "<?xml version='1.0'?><x:worksheet xmlns:x='m'><!-- a > b --><x:sheetData><x:row r='2'><x:c r='B2' t='inlineStr'>" +
      "<x:is><x:t><![CDATA[<a> & ]]>b</x:t></x:is></x:c><x:c r='C2' t='inlineStr'><x:is><x:t/></x:is></x:c></x:row></x:sheetData></x:worksheet>",
  })
  expect(await read(file)).toEqual([{ number: 2, cells: [null, '<a> & b'] }])
})

test('a sheet of Google Sheets is read: rows and cells without numbers, and rows that only have a height', async () => {
  const file = await sheetOf(
    '<row ht="15.75" customHeight="1"><c t="inlineStr"><is><t>a</t></is></c><c/><c><v>2</v></c></row><row/><row><c t="s"><v>0</v></c></row>',
    SST('<si><t>end</t></si>'),
  )
  expect(await read(file)).toEqual([
    { number: 1, cells: ['a', null, 2] },
    { number: 3, cells: ['end'] },
  ])
})

test('a strict workbook in UTF-16 is read, with dates as ISO texts', async () => {
  const strict = 'http://purl.oclc.org/ooxml/officeDocument/relationships'
  const xml =
    '\uFEFF<?xml version="1.0" encoding="UTF-16"?><worksheet xmlns="http://purl.oclc.org/ooxml/spreadsheetml/main"><sheetData><row r="1">' +
    '<c t="d"><v>2024-02-29T00:00:00.000Z</v></c><c t="d"><v>2024-02-29T17:30:05.5</v></c><c t="d"><v>2024-02-29</v></c><c t="inlineStr"><is><t>名</t></is></c></row></sheetData></worksheet>'
  const file = await workbook({
    '_rels/.rels': `<Relationships><Relationship Id="r1" Type="${strict}/officeDocument" Target="/xl/workbook.xml"/></Relationships>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="r1" Type="${strict}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': Buffer.from(xml, 'utf16le'),
  })
  const day = { date: '2024-02-29' }
  expect(await cellsOf(file)).toEqual([[day, { date: '2024-02-29 17:30:05' }, day, '名']])
})

test('numbers with a date format are dates in both date systems, and others stay numbers', async () => {
  const formats = STYLES(
    'yyyy\\-mm\\-dd',
    '&quot;day&quot; 0.0',
    '[$-804]aaaa;@',
    'h:mm AM/PM',
    '[h]:mm',
    '0000',
    '[Red]#,##0',
    'm/d;@',
  )
  const row = (value: number) => [1, 2, 4, 5, 6, 7, 8].map((s) => `<c s="${s}"><v>${value}</v></c>`).join('')
  const data = `<row>${row(45351)}</row><row>${row(45351.75)}</row><row>${row(0.5)}</row><row>${row(60)}</row><row>${row(-1)}</row>`
  const file = await sheetOf(data, formats)
  const d = (date: string): SheetCell => ({ date })
  expect(await cellsOf(file)).toEqual([
    [d('2024-02-29'), 45351, d('2024-02-29'), 45351, 45351 + '', 45351, d('2024-02-29')],
    [
      d('2024-02-29 18:00:00'),
      45351.75,
      d('2024-02-29 18:00:00'),
      45351.75,
      45351.75,
      45351.75,
      d('2024-02-29 18:00:00'),
    ],
    [d('12:00:00'), 0.5, d('12:00:00'), 0.5, 0.5, 0.5, d('12:00:00')],
    [d('1900-02-29'), 60, d('1900-02-29'), 60, '0060', 60, d('1900-02-29')],
    [-1, -1, -1, -1, -1, -1, -1],
  ] as SheetCell[][])
  const since1904 = await sheetOf(`<row><c s="1"><v>43889</v></c><c s="1"><v>0</v></c></row>`, {
    ...formats,
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><workbookPr date1904="true"/><sheets><sheet name="A" r:id="r1"/></sheets></workbook>',
  })
  expect(await cellsOf(since1904)).toEqual([[d('2024-02-29'), d('1904-01-01')]])
})

/** A small generator with a fixed sequence, so that a failure can be repeated. */
function* numbers(seed: number): Generator<number> {
  for (let x = seed; ;) {
    x = (x * 1_103_515_245 + 12_345) % 2_147_483_648
    yield x / 2_147_483_648
  }
}

test('300 random workbooks of SheetJS are read as SheetJS reads them', async () => {
  const random = numbers(7)
  const next = (below: number): number => Math.floor(random.next().value! * below)
  const TEXTS = [
    '名称',
    '😀',
    ' a ',
    'a\nb',
    '<&>"\'',
    '_x0041_',
    '007',
    '=1',
    'x'.repeat(300),
    'é',
    '\t',
    '1e5',
    '#N/A',
  ]
  const cell = (): XLSX.CellObject | undefined => {
    switch (next(7)) {
      case 0:
        return undefined
      case 1:
        return { t: 's', v: TEXTS[next(TEXTS.length)]! + next(50) }
      case 2:
        return { t: 'n', v: next(2) ? next(1e6) : (random.next().value! - 0.5) * 10 ** next(20) }
      case 3:
        return { t: 'b', v: next(2) === 1 }
      case 4:
        return {
          t: 'n',
          v: next(60_000) + (next(2) ? next(86_400) / 86_400 : 0),
          z: ['yyyy-mm-dd', 'm/d/yy h:mm', 'd mmm'][next(3)]!,
        }
      case 5:
        return { t: 'n', v: next(1000), z: ['0000', '0.00%', '#,##0', '@'][next(4)]! }
      default:
        return { t: 'e', v: 0x2a }
    }
  }
  for (let i = 0; i < 300; i++) {
    const sheet: XLSX.WorkSheet = { '!ref': 'A1:H12' }
    for (let r = 0; r < 12; r++)
      for (let c = 0; c < 8; c++) {
        const made = cell()
        if (made !== undefined) sheet[XLSX.utils.encode_cell({ r, c })] = made
      }
    const book = XLSX.utils.book_new()
    XLSX.utils.book_append_sheet(book, sheet, 'S')
    if (next(3) === 0) book.Workbook = { WBProps: { date1904: true } }
    const bytes = XLSX.write(book, {
      type: 'buffer',
      bookType: 'xlsx',
      bookSST: next(2) === 1,
      compression: next(2) === 1,
    }) as Uint8Array
    const file = new Blob([new Uint8Array(bytes)])
    expect(await read(file)).toEqual(await judged(file))
  }
})

test('workbooks of our own writer are read back unchanged', async () => {
  const rows: Cell[][] = [
    ['plain', '名称 😀', ' pad ', 'two\r\nlines', 'a\u0001b', '_x0041_', '=1+1', "'=1", '007', '<&>"'],
    [1.5, -3, 0, 1e21, 5e-324, true, false, null, '', 'end'],
    [Temporal.PlainDateTime.from('2026-03-08T17:30:05'), Temporal.PlainDateTime.from('1999-12-31T00:00:00')],
  ]
  const file = new Blob(await Array.fromAsync(toXlsx({ name: 'x', rows }, 0)))
  expect(await cellsOf(file)).toEqual([
    rows[0]!,
    [1.5, -3, 0, 1e21, 5e-324, true, false, null, null, 'end'],
    [{ date: '2026-03-08 17:30:05' }, { date: '1999-12-31' }],
  ] as SheetCell[][])
})
