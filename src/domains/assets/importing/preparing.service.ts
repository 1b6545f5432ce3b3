/** Turns rows of a spreadsheet into new and changed assets, with a bounded number of queries for each group of rows. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import type { RefTarget } from '#domains/contributions.ts'
import {
  checkValues,
  type EntityValues,
  type FieldSet,
  fromText,
  readValues,
  type ValueInput,
  type ValuePlan,
} from '#domains/metadata/index.ts'
import type { Owner } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { textProblem } from '#http/normalize.ts'
import { itemChecker } from '#http/validate.ts'
import type { Localized } from '#lib/localized.ts'
import { type DateOrder, dayIn, textOf, wordKey } from '#lib/spreadsheets/cells.ts'
import { htmlText } from '#lib/spreadsheets/html-cells.ts'
import { NO_RESULT, type SheetCell, type SheetRow } from '#lib/spreadsheets/sheet.ts'

import { MAX_DEPTH } from '../categories/categories.model.ts'
import { entitiesOf } from '../entities.service.ts'
import { numberKey } from '../numbers.rules.ts'
import { UpdateAsset } from '../register/register.model.ts'
import { type AssetChange, changeOf, differences, EMPTY, positionProblem } from '../register/register.rules.ts'
import { type AssetRow, assetsByNumbers } from '../register/register.store.ts'
import { type FieldColumn, type FixedKey, isReadOnly, statusOf } from '../sheets.rules.ts'
import * as errors from './importing.errors.ts'
import { amountIn, type FileColumn } from './importing.rules.ts'
import type { Names } from './names.service.ts'

export interface RowOptions {
  readonly mode: 'UPSERT' | 'CREATE' | 'UPDATE'
  readonly clearEmpty: boolean
  readonly dateOrder: DateOrder
  readonly categoryId: number | null
  /** Of times whose header names none. */
  readonly zone: string
  /** Formulas without a stored result count as empty. */
  readonly emptyFormulas: boolean
}

/** A problem or a warning of a cell, or of the whole row if `key` is null. */
export interface RowProblem {
  readonly row: number
  readonly key: string | null
  readonly text: Localized
}

/** A row without problems. */
export interface PreparedRow {
  readonly row: SheetRow
  readonly action: 'CREATE' | 'UPDATE' | 'UNCHANGED'
  readonly existing: AssetRow | undefined
  readonly change: AssetChange
  readonly plan: ValuePlan
  /** Of the row, for problems. */
  readonly path: string
}

interface CellPlace {
  readonly key: string
  /** The value of the asset that the row changes. */
  readonly present: unknown
  /** Whether values may have line breaks. */
  readonly hasLines: boolean
}

interface PreparedRows {
  readonly items: PreparedRow[]
  readonly problems: RowProblem[]
  readonly warnings: readonly RowProblem[]
}

const SUM_WORDS: ReadonlySet<string> = new Set(['total', 'sum', 'subtotal', '合计', '总计', '共计', '小计'])
const MAX_SUM_WORD = 40

/** Stands for a category that the import is going to create. */
export const NEW_CATEGORY = -1

const checkItems = itemChecker(UpdateAsset)

/** The names under which the service of assets reports problems, where they differ from the keys of columns. */
const KEYS: Readonly<Record<string, FixedKey>> = {
  categoryId: 'category',
  locationId: 'location',
  custodianId: 'custodian',
}

interface Draft {
  readonly row: SheetRow
  readonly path: string
  readonly existing: AssetRow | undefined
  /** The fixed columns, as the body of a request has them. */
  readonly input: Record<string, unknown>
  readonly values: (ValueInput & { readonly column: FieldColumn })[]
}

/** Reads the rows of one file, group after group. */
export class RowReader {
  /** Rows by their numbers, to find numbers that occur twice. */
  readonly #rowsByNumber = new Map<string, number>()
  /** The paths of categories that have to be created. */
  readonly missingCategories = new Set<string>()
  readonly #fixed: { readonly key: FixedKey; readonly at: number }[] = []
  readonly #fields: { readonly column: FieldColumn; readonly at: number; readonly zone: string }[] = []
  #problems: RowProblem[] = []
  #warnings: RowProblem[] = []

  /** `createsCategories`: unknown categories are no problem. */
  constructor(
    readonly ctx: AppContext,
    readonly db: Db | Tx,
    readonly owner: Owner,
    columns: readonly FileColumn[],
    readonly fields: FieldSet,
    readonly names: Names,
    readonly options: RowOptions,
    readonly createsCategories: boolean,
  ) {
    for (const [at, { column, zone = options.zone }] of columns.entries()) {
      if (column === undefined || isReadOnly(column)) continue
      if (column.field === undefined) this.#fixed.push({ key: column.key, at })
      else this.#fields.push({ column, at, zone })
    }
  }

  /** The number of the asset that a row names; empty if it names none. */
  numberIn(row: SheetRow): string {
    const column = this.#fixed.find(({ key }) => key === 'assetNo')
    const cell = column === undefined ? null : cellAt(row, column.at)
    return typeof cell === 'object' && cell !== null && 'error' in cell ? '' : textOf(cell)
  }

  async prepare(given: readonly SheetRow[]): Promise<PreparedRows> {
    this.#problems = []
    this.#warnings = []
    const rows = given.filter((row) => !this.#isSum(row))
    const existing = await this.#existingOf(rows)
    await this.#lookNames(rows, [...existing.values()])
    const values = await this.#valuesOf([...existing.values()])
    const drafts = rows.map((row) => this.#draft(row, existing, values))
    const changes = this.#changesOf(drafts)
    const plans = await this.#plansOf(drafts, values)
    const failed = new Set(this.#problems.map(({ row }) => row))
    const items = drafts.flatMap((draft, i): PreparedRow[] => {
      const plan = plans[i]
      if (failed.has(draft.row.number) || plan === undefined) return []
      const change = changes[i]!
      const isChanged = plan.changes || Object.keys(differences(draft.existing ?? NOTHING, change)).length > 0
      const action = draft.existing === undefined ? 'CREATE' : isChanged ? 'UPDATE' : 'UNCHANGED'
      return [{ row: draft.row, action, existing: draft.existing, change, plan, path: draft.path }]
    })
    return { items, problems: this.#problems.toSorted((a, b) => a.row - b.row), warnings: this.#warnings }
  }

  /** A row of sums at the end of a list, or of a part of it. */
  #isSum(row: SheetRow): boolean {
    const first = row.cells.find((cell) => !this.#isEmpty(cell)) ?? null
    if (typeof first !== 'string' || first.length > MAX_SUM_WORD || !SUM_WORDS.has(wordKey(first))) return false
    // The column of numbers can be the first one.
    if (!['', first.trim()].includes(this.numberIn(row))) return false
    this.#warnings.push({ row: row.number, key: null, text: errors.sumRow })
    return true
  }

  #refuse(row: SheetRow, key: string | null, text: Localized): void {
    this.#problems.push({ row: row.number, key, text })
  }

  async #existingOf(rows: readonly SheetRow[]): Promise<Map<string, AssetRow>> {
    const keys = [...new Set(rows.map((row) => this.numberIn(row)).filter((text) => text !== ''))].map(numberKey)
    if (keys.length === 0) return new Map()
    const found = await assetsByNumbers(this.db, ownerKey(this.owner), keys)
    return new Map(found.map((row) => [row.assetNoKey, row]))
  }

  /** Looks up all users and targets of references that the rows name. */
  async #lookNames(rows: readonly SheetRow[], existing: readonly AssetRow[]): Promise<void> {
    const textsAt = (at: number) => rows.map((row) => textOf(cellAt(row, at))).filter((text) => text !== '')
    for (const { key, at } of this.#fixed) {
      if (key !== 'custodian') continue
      await this.names.refs('USER').look(textsAt(at))
      await this.names.lookPeople(existing.map(({ custodianId }) => custodianId))
    }
    for (const { column, at } of this.#fields)
      if (column.field.type === 'REF') await this.names.refs(targetOf(column)).look(textsAt(at))
  }

  async #valuesOf(existing: readonly AssetRow[]): Promise<Map<number, EntityValues>> {
    if (this.#fields.length === 0 || existing.length === 0) return new Map()
    const entities = await entitiesOf(this.db, existing)
    const values = await readValues(this.db, 'asset', this.fields, entities)
    return new Map(values.map((of) => [of.entity.id, of]))
  }

  #draft(row: SheetRow, byNumber: ReadonlyMap<string, AssetRow>, values: ReadonlyMap<number, EntityValues>): Draft {
    const existing = byNumber.get(numberKey(this.numberIn(row)))
    this.#checkNumber(row, existing)
    const draft: Draft = { row, path: `rows.${row.number}`, existing, input: {}, values: [] }
    for (const { key, at } of this.#fixed) {
      const present = existing?.[key as keyof AssetRow]
      const cell = this.#cellIn(row, at, { key, present, hasLines: key === 'remark' })
      this.#readFixed(draft, key, cell)
    }
    const current = existing && values.get(existing.id)
    for (const { column, at, zone } of this.#fields) {
      const { key, field } = column
      const given = { key, present: current?.get(field), hasLines: field.type === 'TEXTAREA' }
      this.#readField(draft, column, this.#cellIn(row, at, given), { current, zone })
    }
    if (existing === undefined && draft.input['categoryId'] === undefined && this.options.categoryId !== null)
      draft.input['categoryId'] = this.options.categoryId
    if (existing === undefined && draft.input['name'] === undefined) {
      const hasColumn = this.#fixed.some(({ key }) => key === 'name')
      this.#refuse(row, 'name', hasColumn ? errors.nameNeeded : errors.nameColumnNeeded)
    }
    return draft
  }

  /** The cell as it is read. A cell that shows the present value, as in our own export, stays as it is. */
  #cellIn(row: SheetRow, at: number, { key, present, hasLines }: CellPlace): SheetCell {
    const raw = row.cells[at] ?? null
    if (typeof raw === 'string') {
      const text = raw.trim() === present ? undefined : htmlText(raw)
      return text === undefined ? raw : hasLines ? text : text.replaceAll('\n', ' ')
    }
    if (typeof raw !== 'object' || raw === null || !('error' in raw)) return raw
    if (raw.error !== NO_RESULT || !this.options.emptyFormulas) return raw
    this.#warnings.push({ row: row.number, key, text: errors.formulaEmpty })
    return null
  }

  #checkNumber(row: SheetRow, existing: AssetRow | undefined): void {
    const key = numberKey(this.numberIn(row))
    if (key !== '') {
      const first = this.#rowsByNumber.get(key)
      if (first === undefined) this.#rowsByNumber.set(key, row.number)
      else this.#refuse(row, 'assetNo', errors.repeatedNumber(first))
    }
    if (this.options.mode === 'CREATE' && existing !== undefined) this.#refuse(row, 'assetNo', errors.numberKnown)
    if (this.options.mode === 'UPDATE' && existing === undefined) this.#refuse(row, 'assetNo', errors.numberUnknown)
  }

  /** Whether the cell leaves the present value, or clears it. */
  #isEmpty(cell: SheetCell): boolean {
    return cell === null || (typeof cell === 'string' && cell.trim() === '')
  }

  #readFixed(draft: Draft, key: FixedKey, cell: SheetCell): void {
    const { row, input, existing } = draft
    if (this.#isEmpty(cell)) {
      // These are never empty.
      const clears = this.options.clearEmpty && existing !== undefined && !['name', 'assetNo', 'status'].includes(key)
      // Exports leave the cell empty for users who do not see the category.
      if (key === 'category' && !this.names.categories.paths.has(existing?.categoryId ?? 0)) return
      if (clears) input[bodyName(key)] = null
      return
    }
    if (typeof cell === 'object' && cell !== null && 'error' in cell)
      return this.#refuse(row, key, errors.cellError(cell.error))
    const text = textOf(cell)
    switch (key) {
      case 'category': {
        const id = this.#category(row, text, existing?.categoryId ?? null)
        if (id !== undefined) input['categoryId'] = id
        return
      }
      case 'location': {
        const id = this.names.locations.find(text, existing?.locationId ?? null)
        if (id === 'ambiguous') this.#refuse(row, key, errors.ambiguousPath)
        else if (id === undefined)
          this.#refuse(row, key, this.owner.orgId === 0 ? errors.noLocations : errors.unknownLocation)
        else input['locationId'] = id
        return
      }
      case 'custodian': {
        const id = this.names.findPerson(text, existing?.custodianId ?? null)
        if (id === undefined) this.#refuse(row, key, errors.unknownPerson)
        else input['custodianId'] = id
        return
      }
      case 'status': {
        const status = statusOf(text)
        if (status === undefined) return this.#refuse(row, key, errors.notAStatus)
        if (existing !== undefined && status !== existing.status && [status, existing.status].includes('SCRAPPED'))
          return this.#refuse(row, key, errors.cannotChangeScrapped)
        input['status'] = status
        return
      }
      case 'purchaseDate':
      case 'warrantyExpiry': {
        const day = dayIn(cell, this.options.dateOrder)
        if (day === undefined) this.#refuse(row, key, errors.notADayOrAmbiguous)
        else input[key] = day.slice(0, 10)
        return
      }
      case 'purchasePrice':
        input[key] = amountIn(cell)
        return
      case 'latitude':
      case 'longitude':
        input[key] = Number.isNaN(Number(text)) ? text : Number(text)
        return
      case 'assetNo':
        // It has named the asset already, and may be written in another case.
        if (existing === undefined) input[key] = text
        return
      default:
        input[key] = text
    }
  }

  #category(row: SheetRow, path: string, current: number | null): number | undefined {
    const id = this.names.categories.find(path, current)
    if (typeof id === 'number') return id
    if (id === 'ambiguous') this.#refuse(row, 'category', errors.ambiguousPath)
    else if (!this.createsCategories) this.#refuse(row, 'category', errors.unknownCategory)
    else if (!isCategoryPath(path)) this.#refuse(row, 'category', errors.badCategoryPath)
    else {
      this.missingCategories.add(path)
      return NEW_CATEGORY
    }
    return undefined
  }

  #readField(
    draft: Draft,
    column: FieldColumn,
    cell: SheetCell,
    { current, zone }: { readonly current: EntityValues | undefined; readonly zone: string },
  ): void {
    const { row, values, existing } = draft
    const { field } = column
    if (this.#isEmpty(cell)) {
      if (this.options.clearEmpty && existing !== undefined) values.push({ fieldId: field.id, value: null, column })
      return
    }
    if (typeof cell === 'object' && cell !== null && 'error' in cell)
      return this.#refuse(row, column.key, errors.cellError(cell.error))
    const present = current?.get(field) ?? null
    if (field.type === 'REF') {
      const id = this.names.refs(targetOf(column)).find(textOf(cell))
      if (id === undefined) this.#refuse(row, column.key, errors.unknownRef)
      else values.push({ fieldId: field.id, value: id, column })
      return
    }
    const text = textOf(cell)
    // Texts that begin with the year can have milliseconds or a zone.
    const isOtherDay = (field.type === 'DATE' || field.type === 'DATETIME') && !/^\d{4}\D/.test(text)
    const given = isOtherDay ? (dayIn(cell, this.options.dateOrder) ?? text) : typeof cell === 'object' ? text : cell!
    values.push({ fieldId: field.id, value: fromText(field, given, zone, present), column })
  }

  /** The changes of the fixed columns, by the rules of requests. */
  #changesOf(drafts: readonly Draft[]): AssetChange[] {
    const checked = checkItems(
      drafts.map(({ input }) => ({ ...input, ...(input['categoryId'] === NEW_CATEGORY && { categoryId: null }) })),
      'rows',
    )
    return drafts.map(({ row, path, input, existing }, i) => {
      const { problems } = checked[i]!
      const found: FieldProblem[] = [...problems]
      // The rules of the other columns are checked too, so that all errors of a row are reported together.
      const value = checked[i]!.value ?? checkItems([without(input, problems)], 'rows')[0]!.value
      const change = value === undefined ? {} : changeOf(value, found, path)
      if (input['categoryId'] === NEW_CATEGORY) change.categoryId = NEW_CATEGORY
      found.push(...positionProblem({ ...(existing ?? EMPTY), ...change }, path))
      for (const problem of found) this.#refuse(row, keyIn(problem.path), problem.text)
      return change
    })
  }

  /** Problems of values are at `<path>.values.<i>.value`. */
  async #plansOf(
    drafts: readonly Draft[],
    values: ReadonlyMap<number, EntityValues>,
  ): Promise<readonly (ValuePlan | undefined)[]> {
    const { plans, problems } = await checkValues(
      this.ctx,
      this.db,
      this.owner,
      'asset',
      drafts.map(({ existing, values: given, path }) => ({
        entity: existing && values.get(existing.id)?.entity,
        values: given.map(({ fieldId, value }) => ({ fieldId: fieldId!, value })),
        path: `${path}.values`,
      })),
    )
    const byRow = new Map(drafts.map((draft) => [draft.row.number, draft]))
    for (const { path, text } of problems) {
      const [, number, , index] = path.split('.')
      const draft = byRow.get(Number(number))!
      this.#refuse(draft.row, index === undefined ? null : draft.values[Number(index)]!.column.key, text)
    }
    return plans
  }
}

const NOTHING = {} as AssetRow

const MAX_CATEGORY_NAME = 100

function isCategoryPath(path: string): boolean {
  const names = path.split('/').map((name) => name.trim())
  return (
    names.length <= MAX_DEPTH &&
    names.every((name) => name !== '' && textProblem(name, 'line', MAX_CATEGORY_NAME) === undefined)
  )
}

/** The body without the fields of problems at `rows.<i>.<name>`. */
function without(input: Readonly<Record<string, unknown>>, problems: readonly FieldProblem[]): Record<string, unknown> {
  const names = new Set(problems.map(({ path }) => path.split('.')[2]))
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)))
}

const targetOf = ({ field }: FieldColumn): RefTarget => field.config['target'] as RefTarget

const bodyName = (key: FixedKey): string =>
  key === 'category' || key === 'location' || key === 'custodian' ? `${key}Id` : key

/** The column of `rows.<n>.<name>`. */
export const keyIn = (path: string): string | null => {
  const [, , name] = path.split('.')
  return name === undefined ? null : (KEYS[name] ?? name)
}

/** The cell as it is read: HTML as its text. */
function cellAt({ cells }: SheetRow, at: number): SheetCell {
  const cell = cells[at] ?? null
  return typeof cell === 'string' ? (htmlText(cell) ?? cell) : cell
}
