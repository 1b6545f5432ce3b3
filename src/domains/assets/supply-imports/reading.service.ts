/** Reads rows of a list of supplies: what each of them would change. */

import { ownerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { itemChecker } from '#http/validate.ts'
import type { Localized } from '#lib/localized.ts'
import { textOf } from '#lib/spreadsheets/cells.ts'
import type { RowProblem } from '#lib/spreadsheets/problems.ts'
import { NO_RESULT, type SheetCell, type SheetRow } from '#lib/spreadsheets/sheet.ts'

import { Missing, NEW } from '../importing/creating.service.ts'
import { cellError, formulaEmpty, sumRow, supplyNameNeeded } from '../importing/importing.errors.ts'
import type { Names } from '../importing/names.service.ts'
import { Unmatched } from '../importing/unmatched.rules.ts'
import { amountIn, type Decimal, mapKey, type WordMap } from '../importing/values.rules.ts'
import { numberKey } from '../numbers.rules.ts'
import { noLocations, noSuchCategory, noSuchLocation } from '../register/register.errors.ts'
import { pathKey } from '../sheets.rules.ts'
import { hasMovements, placesOf } from '../supplies/movements.store.ts'
import { suppliesByNumbers } from '../supplies/numbers.store.ts'
import type { SupplyColumn } from '../supplies/sheets.rules.ts'
import { kindIsUsed } from '../supplies/supplies.errors.ts'
import { UpdateSupply } from '../supplies/supplies.model.ts'
import { changeOf, differences, NO_PLACE, type SupplyChange } from '../supplies/supplies.rules.ts'
import type { SupplyRow } from '../supplies/supplies.store.ts'
import { type FileColumn, isSumWord, kindIn, quantityIn } from './supply-imports.rules.ts'
import { type Version, versionsByNumbers } from './supply-imports.store.ts'

const text = (en: string, zh: string): Localized => ({ en, zh })
const notAQuantity = text('must be a whole number from 0 to 1000000000', '须为 0 到 1000000000 之间的整数')
const notAKind = text('must be consumable or pool', '须为“消耗品”或“借用品”')
const ambiguous = text('is the path of several things', '对应多个对象')
const isKnown = text('is the number of an existing supply', '物料编号已存在')
const isUnknown = text('is not the number of a supply', '没有此编号的物料')
const numberNeeded = text('is required to update a supply', '更新物料时不能为空')
const repeats = (row: number) => text(`repeats the place of row ${row}`, `与第 ${row} 行的位置重复`)

export interface RowOptions {
  readonly mode: 'UPSERT' | 'CREATE' | 'UPDATE'
  readonly clearEmpty: boolean
  readonly decimal: Decimal
  readonly roundPrices: boolean
  readonly emptyFormulas: boolean
  readonly categoryId: number | null
  /** Of new supplies whose row names none. */
  readonly unit: string
  readonly categoryMap: WordMap<number>
  readonly locationMap: WordMap<number>
  readonly createCategories: boolean
  readonly createLocations: boolean
}

export interface PreparedRow {
  readonly row: SheetRow
  readonly action: 'CREATE' | 'UPDATE' | 'UNCHANGED'
  readonly existing: SupplyRow | undefined
  /** The row above that is of the same supply; this one adds a place to it. */
  readonly first: number | undefined
  readonly change: SupplyChange
  readonly count: { readonly locationId: number | null; readonly quantity: number } | undefined
  /** The paths of things that the import is going to create. */
  readonly newCategory: string | undefined
  readonly newLocation: string | undefined
}

/** Of a query. */
const NUMBERS_AT_ONCE = 1000

const check = itemChecker(UpdateSupply)
const TEXTS = ['name', 'unit', 'supplier', 'remark'] as const

/** Of one check or one write. */
export class RowReader {
  readonly unmatched = new Unmatched()
  readonly missing: Missing
  /** The row that first names each number. */
  readonly #firsts = new Map<string, number>()
  readonly #places = new Map<string, number>()
  /** The supplies with the numbers of the file, and how many of them are where: a write compares them. */
  readonly #known = new Map<string, Version | undefined>()
  readonly #stocks = new Map<string, number>()
  #notes: { problems: RowProblem[]; warnings: RowProblem[] } = { problems: [], warnings: [] }

  constructor(
    readonly db: Db | Tx,
    readonly owner: Owner,
    readonly columns: readonly FileColumn[],
    readonly names: Names,
    readonly options: RowOptions,
  ) {
    this.missing = new Missing(names)
  }

  async prepare(given: readonly SheetRow[]) {
    this.#notes = { problems: [], warnings: [] }
    const rows = given.filter((row) => !this.#isSum(row))
    const keys = rows.map((row) => numberKey(this.#textIn(row, 'supplyNo'))).filter((key) => key !== '')
    const existing = await suppliesByNumbers(this.db, ownerKey(this.owner), [...new Set(keys)])
    const ids = [...existing.values()].map(({ id }) => id)
    const stocks = await this.#stocksOf(this.db, ids)
    for (const key of keys) this.#known.set(key, existing.get(key))
    for (const [place, quantity] of stocks) this.#stocks.set(place, quantity)
    const items: PreparedRow[] = []
    for (const row of rows) {
      const before = this.#notes.problems.length
      const item = await this.#read(row, existing, stocks)
      if (this.#notes.problems.length === before) items.push(item)
    }
    return { items, ...this.#notes }
  }

  async #stocksOf(db: Db | Tx, ids: readonly number[]): Promise<Map<string, number>> {
    const places = await placesOf(db, ids)
    return new Map(places.map(({ supplyId, locationId, quantity }) => [`${supplyId} ${locationId}`, quantity]))
  }

  /** The numbers in the file, as they are compared. */
  get numbers(): ReadonlySet<string> {
    return new Set(this.#firsts.keys())
  }

  /** Whether all that the prepared rows depend on is in the write as it was when they were prepared. */
  async areCurrent(tx: Tx): Promise<boolean> {
    if (!(await this.names.areCurrent(tx))) return false
    const known = [...this.#known]
    for (let at = 0; at < known.length; at += NUMBERS_AT_ONCE) {
      const some = known.slice(at, at + NUMBERS_AT_ONCE)
      const keys = some.map(([key]) => key)
      const now = await versionsByNumbers(tx, ownerKey(this.owner), keys)
      if (some.some(([key, one]) => now.get(key)?.id !== one?.id || now.get(key)?.version !== one?.version))
        return false
    }
    const ids = known.flatMap(([, one]) => one?.id ?? [])
    const stocks = await this.#stocksOf(tx, ids)
    return stocks.size === this.#stocks.size && [...stocks].every(([place, n]) => this.#stocks.get(place) === n)
  }

  async #read(
    row: SheetRow,
    known: ReadonlyMap<string, SupplyRow>,
    stocks: ReadonlyMap<string, number>,
  ): Promise<PreparedRow> {
    const key = numberKey(this.#textIn(row, 'supplyNo'))
    const existing = key === '' ? undefined : known.get(key)
    const first = key === '' ? undefined : this.#firsts.get(key)
    if (key !== '' && first === undefined) this.#firsts.set(key, row.number)
    this.#checkMode(row, key, existing)
    const change = first === undefined ? await this.#changeOf(row, existing) : {}
    const count = this.#countOf(row, key || `row ${row.number}`)
    const place = `${existing?.id} ${count?.locationId ?? NO_PLACE}`
    const isCounted = count !== undefined && count.quantity !== (existing === undefined ? 0 : (stocks.get(place) ?? 0))
    const isChanged = isCounted || (existing !== undefined && Object.keys(differences(existing, change)).length > 0)
    const isNew = existing === undefined && first === undefined
    return {
      row,
      action: isNew ? 'CREATE' : isChanged ? 'UPDATE' : 'UNCHANGED',
      existing,
      first,
      change,
      count: isCounted ? count : undefined,
      newCategory: change.categoryId === NEW ? this.#textIn(row, 'category') : undefined,
      newLocation: isCounted && count.locationId === NEW ? this.#textIn(row, 'location') : undefined,
    }
  }

  #checkMode(row: SheetRow, key: string, existing: SupplyRow | undefined): void {
    const { mode } = this.options
    if (mode === 'CREATE' && existing !== undefined) this.#problem(row, 'supplyNo', isKnown)
    if (mode === 'UPDATE' && existing === undefined)
      this.#problem(row, 'supplyNo', key === '' ? numberNeeded : isUnknown)
  }

  async #changeOf(row: SheetRow, existing: SupplyRow | undefined): Promise<SupplyChange> {
    const { options } = this
    const input: Record<string, unknown> = {}
    for (const key of TEXTS) if (this.#isGiven(row, key, existing)) input[key] = this.#textIn(row, key)
    // Neither the name nor the number of a supply is ever cleared.
    if (input['name'] === '') delete input['name']
    if (existing === undefined) input['supplyNo'] = this.#textIn(row, 'supplyNo')
    if (this.#isGiven(row, 'price', existing)) {
      const cell = this.#cellOf(row, 'price')
      input['price'] = cell === null ? null : amountIn(cell, options.decimal, options.roundPrices)
    }
    if (this.#isGiven(row, 'minimum', existing)) input['minimum'] = this.#quantity(row, 'minimum') ?? null
    const kind = this.#textIn(row, 'kind')
    if (kind !== '') {
      const meant = kindIn(kind)
      if (meant === undefined) this.#problem(row, 'kind', notAKind)
      else input['kind'] = meant
      if (existing !== undefined && meant !== undefined && meant !== existing.kind)
        if (await hasMovements(this.db, existing.id)) this.#problem(row, 'kind', kindIsUsed('').text)
    }
    if (existing === undefined && input['name'] === undefined) this.#problem(row, 'name', supplyNameNeeded)
    const path = `rows.${row.number}`
    const { value, problems } = check([input], 'rows')[0]!
    const found: FieldProblem[] = [...problems]
    const change = value === undefined ? {} : changeOf(value, options.unit, found, path)
    for (const problem of found) this.#problem(row, problem.path.split('.')[2] ?? null, problem.text)
    const categoryId = this.#thing(row, 'category', existing?.categoryId ?? null)
    if (categoryId !== undefined) change.categoryId = categoryId
    else if (existing === undefined) change.categoryId = options.categoryId
    else if (this.#isGiven(row, 'category', existing)) change.categoryId = null
    return change
  }

  #countOf(row: SheetRow, key: string): PreparedRow['count'] {
    const quantity = this.#quantity(row, 'stock')
    const problems = this.#notes.problems.length
    const locationId = this.#thing(row, 'location', null, (quantity ?? 0) > 0) ?? null
    if (quantity === undefined || this.#notes.problems.length > problems) return undefined
    // Places that are to be created are told apart by their paths.
    const place = `${key} ${locationId === NEW ? pathKey(this.#textIn(row, 'location')) : (locationId ?? NO_PLACE)}`
    const before = this.#places.get(place)
    if (before !== undefined) this.#problem(row, 'location', repeats(before))
    this.#places.set(place, row.number)
    return { locationId, quantity }
  }

  #quantity(row: SheetRow, key: SupplyColumn): number | undefined {
    const cell = this.#cellOf(row, key)
    if (cell === null) return undefined
    const quantity = quantityIn(cell, this.options.decimal)
    if (quantity === undefined) this.#problem(row, key, notAQuantity)
    return quantity
  }

  /** The id of the category or location that a cell names, NEW for one that is to be created, if it is needed; undefined for an empty cell. */
  #thing(
    row: SheetRow,
    key: 'category' | 'location',
    current: number | null,
    isNeeded = true,
  ): number | null | undefined {
    const given = this.#textIn(row, key)
    if (given === '') return undefined
    const map = key === 'category' ? this.options.categoryMap : this.options.locationMap
    const mapped = map.get(mapKey(given))
    if (mapped !== undefined) return mapped
    const found = (key === 'category' ? this.names.categories : this.names.locations).find(given, current)
    if (typeof found === 'number') return found
    const isPersonal = key === 'location' && this.owner.orgId === 0
    if (found === undefined && !isPersonal && this.#mayCreate(key)) {
      if (!isNeeded) return NEW
      const problem = key === 'category' ? this.missing.newCategory(given) : this.missing.newLocation(given)
      if (problem === undefined) return NEW
      this.#problem(row, key, problem)
      return null
    }
    const unknown = key === 'category' ? noSuchCategory : isPersonal ? noLocations : noSuchLocation
    this.#problem(row, key, found === 'ambiguous' ? ambiguous : unknown('').text)
    if (found === undefined && !isPersonal) this.unmatched.take(key, given)
    return null
  }

  #mayCreate(key: 'category' | 'location'): boolean {
    return key === 'category' ? this.options.createCategories : this.options.createLocations
  }

  /** Whether the cell decides the value: it is filled, or empty cells clear. */
  #isGiven(row: SheetRow, key: SupplyColumn, existing: SupplyRow | undefined): boolean {
    if (!this.columns.some((column) => column.key === key)) return false
    return this.#cellOf(row, key) !== null || (existing !== undefined && this.options.clearEmpty)
  }

  #textIn(row: SheetRow, key: SupplyColumn): string {
    return textOf(this.#cellOf(row, key)).trim()
  }

  /** Null for an empty cell, and for one with an error, which is noted once. */
  #cellOf(row: SheetRow, key: SupplyColumn): SheetCell {
    const at = this.columns.findIndex((column) => column.key === key)
    const cell = at < 0 ? null : (row.cells[at] ?? null)
    if (cell === null || (typeof cell === 'string' && cell.trim() === '')) return null
    if (typeof cell !== 'object' || !('error' in cell)) return cell
    const isEmpty = cell.error === NO_RESULT && this.options.emptyFormulas
    const list = isEmpty ? this.#notes.warnings : this.#notes.problems
    if (!list.some((note) => note.row === row.number && note.key === key))
      list.push({ row: row.number, key, text: isEmpty ? formulaEmpty : cellError(cell.error) })
    return null
  }

  #isSum(row: SheetRow): boolean {
    const first = row.cells.find((cell) => cell !== null && textOf(cell).trim() !== '') ?? null
    if (typeof first !== 'string' || !isSumWord(first)) return false
    if (!['', first.trim()].includes(this.#textIn(row, 'supplyNo'))) return false
    this.#notes.warnings.push({ row: row.number, key: null, text: sumRow })
    return true
  }

  #problem(row: SheetRow, key: string | null, problem: Localized): void {
    this.#notes.problems.push({ row: row.number, key, text: problem })
  }
}
