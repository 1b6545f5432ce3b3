/**
 * Reads a JSON list of objects as a sheet: the names of their properties are the header. Only lists that other link services write are
 * known: a list by itself, or at one of the paths in `LISTS`.
 */

import { MAX_CELL, type ReadLimits, type SheetCell, type SheetRow, UnreadableSheet } from './sheet.ts'

/** A text of this size takes about ten times as much memory when it is parsed. Bytes. */
const MAX_BYTES = 32 * 1024 * 1024
/** Where answers and exports have their list: those of Shlink, Bitly, and others. */
const LISTS = [['shortUrls', 'data'], ['links'], ['data'], ['items']] as const
/** Objects whose properties count as those of the item. */
const GROUPS: ReadonlySet<string> = new Set(['meta', 'visitsSummary'])

/** Whether a file that is neither a workbook nor empty may be JSON: no CSV begins so. */
export const looksLikeJson = (start: string): boolean => /^\uFEFF?\s*(?:\{\s*"|\[\s*(?:\{|\]))/.test(start)

/** @throws UnreadableSheet */
export async function readJson(file: Blob, limits: ReadLimits): Promise<SheetRow[]> {
  if (file.size > MAX_BYTES) throw new UnreadableSheet('too-large')
  let given: unknown
  try {
    given = JSON.parse((await file.text()).replace(/^\uFEFF/, ''))
  } catch {
    throw new UnreadableSheet('damaged', 'no JSON')
  }
  const items = listIn(given)
  if (items === undefined) throw new UnreadableSheet('unknown')
  if (items.length + 1 > limits.rows) throw new UnreadableSheet('too-many-rows')
  const columns = new Map<string, number>()
  const rows = items.map((item, i): SheetRow => {
    const cells: SheetCell[] = []
    for (const [name, value] of propertiesOf(item)) {
      let at = columns.get(name)
      if (at === undefined) {
        if (columns.size >= limits.columns) throw new UnreadableSheet('too-many-columns')
        columns.set(name, (at = columns.size))
      }
      while (cells.length < at) cells.push(null)
      cells[at] = cellOf(value)
    }
    return { number: i + 2, cells }
  })
  return [{ number: 1, cells: [...columns.keys()] }, ...rows]
}

function listIn(given: unknown): unknown[] | undefined {
  if (Array.isArray(given)) return given
  for (const path of LISTS) {
    let at = given
    for (const name of path) at = isObject(at) ? at[name] : undefined
    if (Array.isArray(at)) return at
  }
  return undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function* propertiesOf(item: unknown): Generator<[string, unknown]> {
  if (!isObject(item)) throw new UnreadableSheet('unknown')
  for (const [name, value] of Object.entries(item))
    if (!isObject(value) || !GROUPS.has(name)) yield [name, value]
    else for (const [inner, of] of Object.entries(value)) yield [inner === 'total' ? 'visits' : inner, of]
}

/** Lists of names become a text with bars, as tags have them in tables; other objects stay JSON. */
function cellOf(value: unknown): SheetCell {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value : textOfObject(value)
  if (text.length > MAX_CELL) throw new UnreadableSheet('too-large')
  return text === '' ? null : text
}

function textOfObject(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value)
  const names = value.map((one: unknown) => (isObject(one) && typeof one['name'] === 'string' ? one['name'] : one))
  return names.every((name) => typeof name === 'string') ? names.join('|') : JSON.stringify(value)
}
