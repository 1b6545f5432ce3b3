/** The parts of a file whose rows have been read: its beginning, and the rows below its header. */

import { textOf } from '#lib/spreadsheets/cells.ts'
import { HEAD_ROWS, type Header } from '#lib/spreadsheets/header.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'
import { rowsIn } from '#platform/spreadsheets/index.ts'

/** Rows that are checked between two pauses, in some milliseconds. */
const GROUP = 25
/** The beginning of the file in an answer. */
const FIRST = { rows: 12, columns: 40, characters: 60 }

/** The rows in which the header is. */
export async function headOf(rowsPath: string): Promise<SheetRow[]> {
  const head: SheetRow[] = []
  for await (const rows of rowsIn(rowsPath)) {
    head.push(...rows.filter(({ number }) => number <= HEAD_ROWS || head.length === 0))
    if (rows.at(-1)!.number > HEAD_ROWS) break
  }
  return head.slice(0, HEAD_ROWS)
}

export const lastRow = ({ row, rows }: Header): number => row + rows - 1

/** In groups. */
export async function* rowsBelow(rowsPath: string, header: Header): AsyncGenerator<SheetRow[]> {
  for await (const rows of rowsIn(rowsPath)) {
    const below = rows.filter(({ number }) => number > lastRow(header))
    for (let at = 0; at < below.length; at += GROUP) yield below.slice(at, at + GROUP)
  }
}

/** Of rows that an import keeps in memory from its check to its write. Those of longer files are prepared again. */
export const MAX_KEPT_CHARACTERS = 40_000_000

export const charactersIn = (rows: readonly SheetRow[]): number =>
  rows.reduce(
    (sum, { cells }) => cells.reduce<number>((n, cell) => n + (typeof cell === 'string' ? cell.length : 0), sum),
    0,
  )

export function firstRows(head: readonly SheetRow[]): string[][] {
  const shown = head.filter(({ number }) => number <= FIRST.rows)
  const rows = Array.from({ length: shown.at(-1)?.number ?? 0 }, (): string[] => [])
  for (const { number, cells } of shown)
    rows[number - 1] = cells.slice(0, FIRST.columns).map((cell) => textOf(cell).slice(0, FIRST.characters))
  return rows
}
