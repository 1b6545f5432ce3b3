/** Spreadsheets are read in processes of their own. */

import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { toXlsx } from '#lib/spreadsheets/xlsx-writer.ts'
import { createSheets, rowsIn } from '#platform/spreadsheets/index.ts'

import { LIMITS, repeated, sheetOf, workbook } from '../lib/spreadsheets/workbooks.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-sheets-'))
const [input, output] = [join(folder, 'input'), join(folder, 'output')]
// The machine may be busy: only a reader that hangs takes this long.
const sheets = createSheets(10 * 60_000)
afterAll(async () => {
  await sheets.stop()
  rmSync(folder, { recursive: true, force: true })
})

const LARGE = 1000
async function writeWorkbook(): Promise<void> {
  const rows = Array.from({ length: LARGE }, (_, i) => [i, `名称 ${i}`, i % 2 === 0])
  await Bun.write(input, new Blob(await Array.fromAsync(toXlsx({ name: 'x', rows }, 0))))
}

test('a workbook is read by a process, in groups of rows', async () => {
  await writeWorkbook()
  expect((await sheets.read(input, output, { limits: LIMITS })).rows).toBe(LARGE)
  const groups = await Array.fromAsync(rowsIn(output))
  expect(groups.every((rows) => rows.length <= 50)).toBe(true)
  const rows = groups.flat()
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: LARGE }, (_, i) => i + 1))
  expect(rows[999]).toEqual({ number: 1000, cells: [999, '名称 999', false] })
})

test('several files are read at once', async () => {
  await writeWorkbook()
  const outputs = [1, 2, 3].map((i) => `${output}${i}`)
  const read = await Promise.all(outputs.map((path) => sheets.read(input, path, { limits: LIMITS })))
  expect(read.map(({ rows }) => rows)).toEqual([LARGE, LARGE, LARGE])
})

test('a refused file leaves no output, and its reason arrives', async () => {
  await Bun.write(input, await sheetOf('<row><c t="s"><v>0</v></c></row>'))
  const error = await sheets.read(input, output, { limits: LIMITS }).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'UnreadableSheet', reason: 'damaged' })
  expect(existsSync(output)).toBe(false)
})

test('a workbook whose few texts fill more cells than any table has characters is refused', async () => {
  const cells = '<c t="s"><v>0</v></c>'.repeat(100)
  await Bun.write(
    input,
    await workbook({
      'xl/sharedStrings.xml': `<sst><si><t>${'a'.repeat(32_000)}</t></si></sst>`,
      'xl/worksheets/sheet1.xml': repeated(
        '<worksheet><sheetData>',
        `<row>${cells}</row>`,
        1000,
        '</sheetData></worksheet>',
      ),
    }),
  )
  const error = await sheets.read(input, output, { limits: LIMITS }).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'UnreadableSheet', reason: 'too-large' })
})

test('a file that takes too long is refused, and the next one is read', async () => {
  await writeWorkbook()
  const hasty = createSheets(0)
  const error = await hasty.read(input, output, { limits: LIMITS }).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'UnreadableSheet', reason: 'too-large' })
  await hasty.stop()
  expect((await sheets.read(input, output, { limits: LIMITS })).rows).toBe(LARGE)
})

test('stopping rejects the files in progress', async () => {
  await writeWorkbook()
  const stopping = createSheets()
  const failed = stopping.read(input, output, { limits: LIMITS }).catch((caught: unknown) => caught)
  await stopping.stop()
  expect(String(await failed)).toContain('was stopped')
})
