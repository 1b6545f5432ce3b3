/** Finds the header of a sheet: title rows may be above it, and it may have two rows, of which the first names groups. Pure. */

import { dayIn, textOf } from './cells.ts'
import type { Merge, SheetCell, SheetRow } from './sheet.ts'

/** Rows in which a header is looked for, and those that are read to decide. */
const SEARCHED_ROWS = 30
export const HEAD_ROWS = 130
/** Characters of a heading that count. */
export const MAX_HEADING = 200

/** The heading of a column. `title` is `Group / Sub` if it has two rows. */
export interface Heading {
  readonly title: string
  readonly group: string
  readonly sub: string
}

export interface Header {
  /** As the spreadsheet counts. */
  readonly row: number
  readonly rows: 1 | 2
  readonly headings: readonly Heading[]
}

export interface GivenHeader {
  readonly row?: number | undefined
  readonly rows?: 1 | 2 | undefined
}

/** A row at the beginning of the sheet, with the merged cells of which it is the only row. */
interface HeadRow {
  readonly number: number
  readonly texts: readonly string[]
  readonly hasValues: boolean
  /** By the position of a cell, that of the one that it is merged with. */
  readonly merged: ReadonlyMap<number, number>
}

type IsKnown = (heading: string) => boolean

/** Undefined if there is no such row. */
export function findHeader(
  rows: readonly SheetRow[],
  merges: readonly Merge[],
  isKnown: IsKnown,
  given: GivenHeader = {},
): Header | undefined {
  const head = rows.map((row) => headRow(row, merges))
  const at =
    given.row === undefined ? searched(head, isKnown, given) : head.findIndex(({ number }) => number === given.row)
  return at < 0 ? undefined : headerAt(head, at, isKnown, given)
}

function headRow({ number, cells }: SheetRow, merges: readonly Merge[]): HeadRow {
  const merged = new Map<number, number>()
  for (const [top, left, bottom, right] of merges)
    if (top === number && bottom === number)
      for (let column = left; column < right && column < left + HEAD_COLUMNS; column++) merged.set(column, left - 1)
  const texts = cells.map((cell) => textOf(cell).slice(0, MAX_HEADING))
  return { number, texts, hasValues: cells.some(isValue), merged }
}

/** More columns than a sheet may have here. */
const HEAD_COLUMNS = 1000
/** Longer texts are neither numbers nor days. */
const MAX_VALUE = 40

function isValue(cell: SheetCell): boolean {
  if (typeof cell !== 'string') return cell !== null && !(typeof cell === 'object' && 'error' in cell)
  const text = cell.trim()
  if (text === '' || text.length > MAX_VALUE) return false
  return /^[-+¥￥$€£]?\s*\d[\d.,'\s]*[%€]?$/.test(text) || dayIn(text, 'DMY') !== undefined
}

function searched(head: readonly HeadRow[], isKnown: IsKnown, given: GivenHeader): number {
  const found = head.findIndex((row, at) => {
    if (row.number > SEARCHED_ROWS || row.hasValues) return false
    const { headings } = headerAt(head, at, isKnown, given)
    return (
      areKnown(row.texts.filter((text) => text !== '').map(isKnown)) ||
      areKnown(headings.filter(({ title }) => title !== '').map((one) => namesOf(one).some(isKnown)))
    )
  })
  if (found >= 0) return found
  const [first] = head
  if (first === undefined) return -1
  const [only, ...more] = first.texts.filter((text) => text !== '')
  if (more.length > 0 || (first.merged.size === 0 && isKnown(only ?? ''))) return 0
  const most = head.findIndex((row, at) => row.number <= SEARCHED_ROWS && isWide(row, head.slice(at + 1)))
  return Math.max(0, most)
}

const areKnown = (known: readonly boolean[]): boolean => {
  const count = known.filter(Boolean).length
  return count >= 2 && count * 2 >= known.length
}

/** The texts by which a heading is matched, in their order. */
export const namesOf = ({ title, sub, group }: Heading): readonly string[] =>
  [title, sub, group].filter((name) => name !== '')

const widthOf = ({ texts, merged }: HeadRow): number =>
  texts.filter((text, at) => text !== '' && !merged.has(at)).length + merged.size

/** Whether it has at least as many filled cells as most rows below it. */
function isWide(row: HeadRow, below: readonly HeadRow[]): boolean {
  const width = widthOf(row)
  return below.filter((other) => widthOf(other) <= width).length * 2 > below.length
}

function headerAt(head: readonly HeadRow[], at: number, isKnown: IsKnown, { rows }: GivenHeader): Header {
  const top = head[at]!
  const next = head[at + 1]?.number === top.number + 1 ? head[at + 1] : undefined
  const isTwo = rows === undefined ? next !== undefined && hasSubs(top, next, isKnown) : rows === 2
  if (!isTwo) return { row: top.number, rows: 1, headings: top.texts.map((title) => ({ title, group: '', sub: '' })) }
  const subs = next?.texts ?? []
  let left = ''
  const headings = Array.from({ length: Math.max(top.texts.length, subs.length) }, (_, i): Heading => {
    const own = top.texts[i] ?? ''
    const sub = subs[i] ?? ''
    if (own !== '') left = own
    // CSV does not say how far a group reaches.
    const group = top.merged.size === 0 && sub !== '' ? left : (top.texts[top.merged.get(i) ?? i] ?? '')
    if (group === '' || sub === '' || group === sub) return { title: group || sub, group: '', sub: '' }
    return { title: `${group} / ${sub}`.slice(0, MAX_HEADING), group, sub }
  })
  return { row: top.number, rows: 2, headings }
}

/** Whether the next row names columns below the groups of this one, which are merged cells, or in CSV cells before empty ones. */
function hasSubs(top: HeadRow, next: HeadRow, isKnown: IsKnown): boolean {
  if (next.hasValues) return false
  if (top.merged.size > 0) return [...top.merged.keys()].some((column) => (next.texts[column] ?? '') !== '')
  const columns = Array.from({ length: Math.max(top.texts.length, next.texts.length) }, (_, i) => ({
    above: (top.texts[i] ?? '') !== '',
    below: (next.texts[i] ?? '') !== '',
  }))
  return (
    columns[0]!.above &&
    columns.every(({ above, below }) => above || below) &&
    columns.some(({ above }) => !above) &&
    columns.some(({ below }) => !below) &&
    areKnown(next.texts.filter((text) => text !== '').map(isKnown))
  )
}
