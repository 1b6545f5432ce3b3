/** Files that are damaged, or made to take long or fill the memory. Each limit is a number of bytes, elements or rows. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { readSheet } from '#lib/spreadsheets/sheet-reader.ts'

import { LIMITS, read, refusal, repeated, sheetOf, workbook, zipped } from './workbooks.ts'

const fixture = (name: string) => Bun.file(join(import.meta.dir, '../../fixtures/spreadsheets', name))
const START = '<worksheet><sheetData>'
const END = '</sheetData></worksheet>'
/** A workbook whose sheet repeats `unit`. */
const filled = (unit: string, times: number) =>
  workbook({ 'xl/worksheets/sheet1.xml': repeated(START, unit, times, END) })
const row = (cells: string) => `<row>${cells}</row>`

describe('other files than workbooks', () => {
  test.each(['libreoffice.ods', 'libreoffice.xls'])('%s is refused by its content', async (name) => {
    expect(await refusal(fixture(name))).toBe(name.endsWith('.xls') ? 'old-excel' : 'other-workbook')
  })

  test.each([
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'unknown'],
    ['HTML under the name of a workbook', Buffer.from('<html><table><tr><td>a</td></tr></table></html>'), 'unknown'],
    ['an empty file', Buffer.alloc(0), 'damaged'],
    ['random bytes', Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919 + 13) % 251)), 'unknown'],
    ['an archive that is cut', Buffer.from('PK\u0003\u0004 and more'), 'damaged'],
  ])('%s is refused', async (_, bytes, reason) => expect(await refusal(new Blob([bytes]))).toBe(reason))

  test('other documents in an archive are refused, and binary workbooks by their own reason', async () => {
    expect(await refusal(await zipped({ 'a.txt': 'a' }))).toBe('other-workbook')
    expect(await refusal(await workbook({ 'xl/workbook.xml': '<document/>' }))).toBe('other-workbook')
    const binary = {
      '_rels/.rels':
        '<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>',
    }
    expect(await refusal(await workbook(binary))).toBe('binary-workbook')
  })
})

test('a workbook that is cut, or has a changed byte before its directory, is refused or read as it was', async () => {
  const whole = await fixture('openpyxl.xlsx').bytes()
  const rows = await read(new Blob([whole]))
  for (let length = 4; length < whole.length; length += 97)
    expect(await refusal(new Blob([whole.subarray(0, length)]))).toBe('damaged')
  const directory = Buffer.from(whole).indexOf('PK\u0001\u0002')
  for (let at = 0; at < directory; at += 31) {
    const changed = whole.slice()
    changed[at]! ^= 0x55
    const file = new Blob([changed])
    const reason = await refusal(file)
    // Times, pictures and other parts of no interest may change.
    if (reason === 'read') expect(await read(file)).toEqual(rows)
    else
      expect(['damaged', 'other-workbook', 'unknown', 'too-large', 'no-such-sheet', 'unknown-encoding']).toContain(
        reason,
      )
  }
})

describe('archives', () => {
  test('an entry that inflates to more than its directory says is refused', async () => {
    const bytes = await (await sheetOf(row('<c><v>1</v></c>').repeat(50))).bytes()
    const view = new DataView(bytes.buffer)
    const name = Buffer.from('xl/worksheets/sheet1.xml')
    const at = Buffer.from(bytes).lastIndexOf(name) - 46
    expect(view.getUint32(at, true)).toBe(0x02014b50)
    view.setUint32(at + 24, 100, true)
    expect(await refusal(new Blob([bytes]))).toBe('damaged')
  })

  test('an entry that occurs twice is refused, also with other letter case', async () => {
    const sheet = row('<c><v>1</v></c>')
    expect(await refusal(await sheetOf(sheet, { 'XL/Worksheets/Sheet1.xml': `${START}${END}` }))).toBe('damaged')
  })

  test('a bomb of one gigabyte is refused by its declared size', async () => {
    let taken = 0
    async function* bomb(): AsyncGenerator<Uint8Array> {
      const zeros = new Uint8Array(1024 * 1024)
      for (; taken < 1024; taken++) yield zeros
    }
    const file = await workbook({ 'xl/worksheets/sheet1.xml': bomb() })
    expect(file.size).toBeLessThan(2_000_000)
    expect(await refusal(file)).toBe('too-large')
  })

  test('10,001 entries are refused', async () => {
    const parts = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`p${i}`, new Uint8Array()]))
    expect(await refusal(await workbook(parts))).toBe('damaged')
  })
})

describe('sheets', () => {
  test('1,048,576 empty rows are skipped, and the row behind them has its number', async () => {
    const file = await workbook({
      'xl/worksheets/sheet1.xml': repeated(
        `${START}<row r="1"><c><v>1</v></c></row>`,
        '<row ht="15"/>',
        1_000_000,
        `<row r="1048576"><c><v>2</v></c></row>${END}`,
      ),
    })
    expect(await read(file)).toEqual([
      { number: 1, cells: [1] },
      { number: 1_048_576, cells: [2] },
    ])
  })

  test('rows beyond the last one of Excel, and rows out of order, are refused', async () => {
    expect(await refusal(await sheetOf('<row r="1048577"><c><v>1</v></c></row>'))).toBe('damaged')
    expect(await refusal(await sheetOf('<row r="2"/><row r="2"/>'))).toBe('damaged')
    expect(await refusal(await sheetOf('<row r="x"/>'))).toBe('damaged')
    expect(await refusal(await filled('<row/>', 1_048_577))).toBe('damaged')
  })

  test('more rows or columns with content than allowed are refused', async () => {
    const two = await sheetOf(row('<c><v>1</v></c><c><v>1</v></c>').repeat(2))
    expect(await refusal(two, undefined, { rows: 2, columns: 2 })).toBe('read')
    expect(await refusal(two, undefined, { rows: 1, columns: 2 })).toBe('too-many-rows')
    expect(await refusal(two, undefined, { rows: 2, columns: 1 })).toBe('too-many-columns')
    expect(await refusal(await sheetOf(row('<c r="GR1" s="1"/><c r="GS1"/>')))).toBe('read')
    expect(await refusal(await sheetOf(row('<c r="GS1"><v>1</v></c>')))).toBe('too-many-columns')
    expect(await refusal(await sheetOf(row('<c r="ZZZZ1"><v>1</v></c>')))).toBe('damaged')
  })

  test('a sheet of millions of empty cells or unknown elements is refused', async () => {
    expect(await refusal(await filled('<c/>', 10_100_000))).not.toBe('read')
    expect(await refusal(await filled('<x/>', 10_100_000))).toBe('too-large')
  })

  test('a text that one cell or all cells together make too large is refused', async () => {
    const cell = repeated(`${START}<row><c t="str"><v>`, 'a', 200_000, `</v></c></row>${END}`)
    expect(await refusal(await workbook({ 'xl/worksheets/sheet1.xml': cell }))).toBe('too-large')
    const strings = repeated('<sst>', `<si><t>${'a'.repeat(1000)}</t></si>`, 51_000, '</sst>')
    expect(await refusal(await sheetOf('', { 'xl/sharedStrings.xml': strings }))).toBe('too-large')
    const empty = repeated('<sst>', '<si/>', 4_010_000, '</sst>')
    expect(await refusal(await sheetOf('', { 'xl/sharedStrings.xml': empty }))).toBe('too-large')
  })
})

describe('XML', () => {
  test.each([
    ['a DTD', '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><worksheet/>'],
    ['an entity that XML does not define', `${START}<row><c t="str"><v>&lol;</v></c></row>${END}`],
    ['a reference to no character', `${START}<row><c t="str"><v>&#x110000;</v></c></row>${END}`],
    ['deep nesting', '<a>'.repeat(200)],
    ['elements that are not closed', `${START}<row><c><v>1</v></c></row>`],
    ['an element that was not opened', `${START}${END}</a>`.replace(END, '</sheetData></worksheet></a>')],
    ['an endless tag', `${START}<row ${'a="b" '.repeat(60_000)}/>${END}`],
    ['an attribute without a value', `${START}<row r/>${END}`],
    ['an unknown shared text', `${START}<row><c t="s"><v>0</v></c></row>${END}`],
    ['a text that is not UTF-8', Buffer.from(`${START}<row><c t="str"><v>\u00ff</v></c></row>${END}`, 'latin1')],
    ['no document', ''],
  ])('%s is refused', async (_, sheet) =>
    expect(await refusal(await workbook({ 'xl/worksheets/sheet1.xml': sheet }))).toBe('damaged'),
  )

  test('100,001 comments are refused', async () => {
    expect(await refusal(await filled('<!---->', 100_001))).toBe('damaged')
  })
})

test('external links, macros, pictures and formulas are not looked at', async () => {
  const file = await sheetOf(
    '<row><c><f>[1]Other!A1+WEBSERVICE("http://127.0.0.1:1/")</f><v>7</v></c><c t="str"><f>CMD|"/C calc"!A0</f><v>x</v></c></row>',
    {
      'xl/vbaProject.bin': Buffer.from('d0cf11e0', 'hex'),
      'xl/externalLinks/externalLink1.xml': '<!DOCTYPE x>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/>' +
        '<Relationship Id="r9" Type="x/externalLink" Target="externalLinks/externalLink1.xml"/>' +
        '<Relationship Id="r8" Type="x/sharedStrings" TargetMode="External" Target="http://127.0.0.1:1/strings.xml"/></Relationships>',
    },
  )
  expect(await read(file)).toEqual([{ number: 1, cells: [7, 'x'] }])
})

test('a reader that stops early leaves no work behind', async () => {
  const file = await filled(row('<c><v>1</v></c>'), 100_000)
  for await (const rows of readSheet(file, LIMITS)) {
    expect(rows.length).toBeGreaterThan(0)
    break
  }
})
