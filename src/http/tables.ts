/** The parts that exports of rows as tables have in common: columns, file types, and the time zone in titles. */

import { localTime } from '#lib/days.ts'
import type { Locale } from '#lib/localized.ts'
import { CSV_START, csvRow } from '#lib/spreadsheets/csv-writer.ts'
import type { Column, Sheet } from '#lib/spreadsheets/xlsx-writer.ts'

import type { ExportFile } from './exports.ts'

const TYPES = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
} as const
export type TableFormat = keyof typeof TYPES
export const TABLE_FORMATS = Object.keys(TYPES) as TableFormat[]
/** The media types of these formats, for endpoint records. */
export const TABLE_TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, text/csv'

export interface Title {
  readonly en: string
  readonly zh: string
  /** The title names the time zone, because cells of times have none. */
  readonly isTime?: true
}
/** `width` in characters. */
export type TitledColumn = Title & { readonly width: number }

/** `Created (Asia/Shanghai)`. `zone` as returned by `timeZone`. */
export function titleIn(locale: Locale, zone: string, { isTime, ...title }: Title): string {
  if (!isTime) return title[locale]
  const name = /^[+-]/.test(zone) ? `UTC${zone}` : zone
  return locale === 'zh' ? `${title.zh}（${name}）` : `${title.en} (${name})`
}

export const columnsIn = (columns: readonly TitledColumn[], locale: Locale, zone: string): Column[] =>
  columns.map((column) => {
    const title = titleIn(locale, zone, column)
    return { title, width: column.isTime ? Math.max(column.width, title.length + 2) : column.width }
  })

/** The day for the name of a file: `20260308`. */
export const dayStamp = (now: number, zone: string): string =>
  localTime(now, zone).toPlainDate().toString().replaceAll('-', '')

export async function tableFile(
  sheet: Sheet,
  format: TableFormat,
  now: number,
): Promise<Pick<ExportFile, 'pieces' | 'type'>> {
  if (format === 'csv') return { pieces: csvPieces(sheet), type: TYPES.csv }
  // It loads zlib, which the start of the server should not wait for.
  const { toXlsx } = await import('#lib/spreadsheets/xlsx-writer.ts')
  return { pieces: toXlsx(sheet, now), type: TYPES.xlsx }
}

async function* csvPieces({ columns = [], rows }: Sheet): AsyncGenerator<Uint8Array> {
  const utf8 = new TextEncoder()
  let text = CSV_START + csvRow(columns.map(({ title }) => title))
  for await (const row of rows) {
    text += csvRow(row)
    if (text.length < 65_536) continue
    yield utf8.encode(text)
    text = ''
  }
  if (text !== '') yield utf8.encode(text)
}
