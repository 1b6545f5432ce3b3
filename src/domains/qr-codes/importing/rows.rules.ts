/** The meaning of the cells of one row. Pure. */

import type { LinkRule } from '#db/schema/qr-links.ts'
import type { Localized } from '#lib/localized.ts'
import { dayIn, textOf } from '#lib/spreadsheets/cells.ts'
import type { RowProblem as SheetProblem } from '#lib/spreadsheets/problems.ts'
import type { SheetCell, SheetRow } from '#lib/spreadsheets/sheet.ts'
import { UUID_PATTERN } from '#lib/text.ts'

import type { Columns, Key } from './columns.rules.ts'
import * as errors from './importing.errors.ts'

/** As the interface limits names. Other services keep the titles of web pages, which can be longer. */
const MAX_NAME = 100
/** Numbers of this size are milliseconds since 1970, smaller ones seconds. */
const MILLISECONDS = 1e11

/** By what an existing code is found. */
export type Identity = { readonly slug: string } | { readonly uuid: string } | { readonly id: number }

/** A row that cannot be imported. */
export type RowProblem = SheetProblem<Key>

/** Absent values are those of absent columns and of empty cells that stay; null clears. */
export interface LinkRow {
  readonly row: number
  readonly identity: Identity | undefined
  readonly slug: string | undefined
  readonly code: {
    name?: string
    content?: string
    tags?: string[] | null
    remark?: string | null
    isPublic?: boolean
    opens?: 'TARGET' | 'PAGE'
  }
  readonly link: {
    rules?: LinkRule[]
    fallbackUrl?: string | null
    expiresAt?: number | null
    maxScans?: number | null
  }
  readonly createdAt: number | undefined
  readonly earlierScans: number | undefined
  readonly problems: readonly RowProblem[]
}

export interface ReadOptions {
  readonly clearEmpty: boolean
  /** Of times without a zone, in columns whose header names none. */
  readonly zone: string
}

/** `cells` are those of one row; the first cell of a key with a value counts. */
class Cells {
  readonly problems: RowProblem[] = []

  constructor(
    readonly row: SheetRow,
    readonly columns: Columns,
    readonly options: ReadOptions,
  ) {}

  has(key: Key): boolean {
    return this.columns.at.has(key)
  }

  /** The cell, and the zone of its column. */
  find(key: Key): { readonly cell: Exclude<SheetCell, null>; readonly zone: string } | undefined {
    for (const at of this.columns.at.get(key) ?? []) {
      const cell = this.row.cells[at] ?? null
      if (cell === null || (typeof cell === 'string' && cell.trim() === '')) continue
      if (typeof cell === 'object' && 'error' in cell) this.refuse(key, errors.cellError(cell.error))
      else return { cell, zone: this.columns.zones.get(at) ?? this.options.zone }
    }
    return undefined
  }

  text(key: Key): string | undefined {
    const found = this.find(key)
    return found && textOf(found.cell)
  }

  /** Undefined if the cell stays as it is, null if an empty cell clears. */
  value<T>(key: Key, read: (cell: Exclude<SheetCell, null>, zone: string) => T | undefined, wrong?: Localized) {
    const found = this.find(key)
    if (found === undefined) return this.options.clearEmpty && this.has(key) ? null : undefined
    const value = read(found.cell, found.zone)
    if (value === undefined && wrong !== undefined) this.refuse(key, wrong)
    return value
  }

  refuse(key: Key | null, text: Localized): void {
    this.problems.push({ row: this.row.number, key, text })
  }
}

export function readRow(row: SheetRow, columns: Columns, options: ReadOptions): LinkRow {
  const cells = new Cells(row, columns, options)
  const code: LinkRow['code'] = {}
  const name = cells.text('name')
  if (name !== undefined) code.name = columns.source === 'TESSERA' ? inLine(name) : shortName(name)
  const content = cells.text('target')
  if (content !== undefined) code.content = content
  const tags = cells.value('tags', tagsIn)
  if (tags !== undefined) code.tags = tags
  const remark = cells.value('remark', textOf)
  if (remark !== undefined) code.remark = remark
  const isPublic = cells.value('isPublic', booleanIn, errors.notBoolean)
  if (isPublic != null) code.isPublic = isPublic
  const opens = cells.value('opens', opensIn, errors.notOpens)
  if (opens != null) code.opens = opens
  return {
    row: row.number,
    identity: identityIn(cells),
    slug: slugIn(cells),
    code,
    link: linkIn(cells),
    createdAt: cells.value('createdAt', timeIn, errors.notATime) ?? undefined,
    earlierScans: cells.value('earlierScans', countIn, errors.notACount) ?? undefined,
    problems: cells.problems,
  }
}

function linkIn(cells: Cells): LinkRow['link'] {
  const link: LinkRow['link'] = {}
  const rules = rulesIn(cells)
  if (rules !== undefined) link.rules = rules
  const fallbackUrl = cells.value('fallbackUrl', textOf)
  if (fallbackUrl !== undefined) link.fallbackUrl = fallbackUrl
  const expiresAt = cells.value('expiresAt', timeIn, errors.notATime)
  if (expiresAt !== undefined) link.expiresAt = expiresAt
  const maxScans = cells.value('maxScans', countIn, errors.notACount)
  // Services write 0 where there is no limit.
  if (maxScans !== undefined) link.maxScans = maxScans === 0 ? null : maxScans
  return link
}

/** Of `rules`, or of the columns of Dub: it looks at the device before the country. */
function rulesIn(cells: Cells): LinkRule[] | undefined {
  const given = cells.value('rules', (cell) => jsonIn(cell, Array.isArray), errors.notRules)
  if (given !== undefined) return (given as LinkRule[] | null) ?? []
  const rules: LinkRule[] = []
  const [ios, android] = [cells.text('ios'), cells.text('android')]
  if (ios !== undefined) rules.push({ target: ios, devices: ['IOS'] })
  if (android !== undefined) rules.push({ target: android, devices: ['ANDROID'] })
  const geo = cells.value('geo', (cell) => jsonIn(cell, (value) => typeof value === 'object'), errors.notRules)
  for (const [country, target] of Object.entries(geo ?? {}))
    rules.push({ target: String(target), countries: [country.toUpperCase()] })
  return rules.length === 0 ? undefined : rules
}

function jsonIn(cell: SheetCell, isWanted: (value: unknown) => boolean): object | undefined {
  try {
    const value: unknown = JSON.parse(textOf(cell))
    return isWanted(value) ? ((value ?? {}) as object) : undefined
  } catch {
    return undefined
  }
}

function identityIn(cells: Cells): Identity | undefined {
  const slug = slugIn(cells)
  if (slug !== undefined) return { slug }
  for (const text of [cells.text('uuid'), lastPart(cells.text('publicUrl'))])
    if (text !== undefined && UUID.test(text)) return { uuid: text.toLowerCase() }
  // Other services have ids of their own.
  const id = Number(cells.text('id'))
  return ['TESSERA', 'CSV'].includes(cells.columns.source) && Number.isSafeInteger(id) && id > 0 ? { id } : undefined
}

const UUID = new RegExp(`^${UUID_PATTERN}$`, 'i')

const slugIn = (cells: Cells): string | undefined => cells.text('slug') ?? lastPart(cells.text('shortUrl'))

/** The last part of an address's path. Without patterns, which take minutes for a cell full of slashes. */
const lastPart = (address: string | undefined): string | undefined =>
  address
    ?.split(/[?#]/, 1)[0]!
    .split('/')
    .findLast((part) => part !== '')

const tagsIn = (cell: SheetCell): string[] => {
  const text = textOf(cell)
  return text
    .split(text.includes('|') ? '|' : ',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}

const YES = new Set(['true', '1', 'yes', '是'])
const NO = new Set(['false', '0', 'no', '否'])
function booleanIn(cell: SheetCell): boolean | undefined {
  const text = textOf(cell).toLowerCase()
  return YES.has(text) ? true : NO.has(text) ? false : undefined
}

function opensIn(cell: SheetCell): 'TARGET' | 'PAGE' | undefined {
  const text = textOf(cell).toUpperCase()
  return text === 'TARGET' || text === 'PAGE' ? text : undefined
}

function countIn(cell: SheetCell): number | undefined {
  const value = Number(textOf(cell).replaceAll(',', ''))
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Epoch milliseconds. Undefined for times before 1970 too, which no code has. */
function timeIn(cell: SheetCell, zone: string): number | undefined {
  const at = instantIn(cell, zone)
  return at !== undefined && at >= 0 ? at : undefined
}

function instantIn(cell: SheetCell, zone: string): number | undefined {
  if (typeof cell === 'number') return Math.round(cell < MILLISECONDS ? cell * 1000 : cell)
  const text = textOf(cell)
  try {
    return /[zZ]$|[+-]\d{2}:?\d{2}$/.test(text)
      ? Temporal.Instant.from(text.replace(' ', 'T')).epochMilliseconds
      : Temporal.PlainDateTime.from((dayIn(cell, 'YMD') ?? text).replace(' ', 'T')).toZonedDateTime(zone)
          .epochMilliseconds
  } catch {
    return undefined
  }
}

const inLine = (text: string): string => text.replace(/\s+/g, ' ')

/** Cut to the length of names, but not in the middle of a character. */
const shortName = (text: string): string =>
  inLine(text)
    .slice(0, MAX_NAME)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim()

/** The name of a code whose row has none: where it leads, without the scheme. */
export const nameFor = (content: string): string => shortName(content.replace(/^[a-z][a-z0-9+.-]*:(\/\/)?/i, ''))

/**
 * The values of a row that are not those that our own table shows of the code: a cell has no spaces at its ends, a name no two in a row, and a tag no
 * comma.
 */
export function withoutEchoes(
  given: LinkRow['code'],
  code: { readonly name: string; readonly content: string; readonly tags: readonly string[]; readonly remark: string },
): LinkRow['code'] {
  const shown: LinkRow['code'] = {
    name: inLine(code.name.trim()),
    content: code.content.trim(),
    tags: tagsIn(code.tags.join(', ')),
    remark: code.remark.trim(),
  }
  const isNew = ([key, value]: [string, unknown]) => !Bun.deepEquals(value, shown[key as keyof typeof shown])
  return Object.fromEntries(Object.entries(given).filter(isNew))
}
