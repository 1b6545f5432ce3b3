/** Turns the cells of a row into the input of an asset, with the problems and warnings of each cell. */

import type { AssetStatus } from '#db/schema/assets.ts'
import type { RefTarget } from '#domains/contributions.ts'
import { type EntityValues, fromText, type ValueInput } from '#domains/metadata/index.ts'
import type { Owner } from '#http/endpoint.ts'
import type { Localized } from '#lib/localized.ts'
import { type DateOrder, textOf } from '#lib/spreadsheets/cells.ts'
import type { RowProblem } from '#lib/spreadsheets/problems.ts'
import { NO_RESULT, type SheetCell, type SheetRow } from '#lib/spreadsheets/sheet.ts'

import type { AssetRow } from '../register/register.store.ts'
import { type FieldColumn, type FixedKey, isReadOnly } from '../sheets.rules.ts'
import { Missing, NEW } from './creating.service.ts'
import { foreignText, isNoCategory } from './foreign.rules.ts'
import * as errors from './importing.errors.ts'
import type { FileColumn, OptionKey } from './importing.rules.ts'
import type { Names } from './names.service.ts'
import { Unmatched } from './unmatched.rules.ts'
import {
  amountIn,
  dayOf,
  type Decimal,
  mapKey,
  monthsIn,
  numberIn,
  piecesIn,
  statusIn,
  warrantyEnd,
  type WordMap,
} from './values.rules.ts'

export interface RowOptions {
  readonly mode: 'UPSERT' | 'CREATE' | 'UPDATE'
  readonly clearEmpty: boolean
  /** By the position of columns of days; the order of others. */
  readonly dateOrders: ReadonlyMap<number, DateOrder | 'UNKNOWN'>
  readonly dateOrder: DateOrder
  readonly decimal: Decimal
  readonly maps: WordMaps
  readonly unknownCustodian: 'ERROR' | 'EMPTY' | 'REMARK'
  readonly matchSerial: boolean
  /** A row without a name takes its model, its category or its number. */
  readonly namesFromModel: boolean
  readonly roundPrices: boolean
  readonly categoryId: number | null
  /** Of times whose header names none. */
  readonly zone: string
  /** Formulas without a stored result count as empty. */
  readonly emptyFormulas: boolean
  readonly createCategories: boolean
  readonly createLocations: boolean
  /** A row becomes as many assets as its quantity says. */
  readonly splitQuantity: boolean
}

/** The meanings of words that the user has chosen; the ids of the last three. */
export interface WordMaps {
  readonly status: WordMap<AssetStatus>
  readonly custodian: WordMap<number>
  readonly category: WordMap<number>
  readonly location: WordMap<number>
}

interface CellPlace {
  readonly key: string
  /** The value of the asset that the row changes. */
  readonly present: unknown
  /** Whether values may have line breaks. */
  readonly hasLines: boolean
}

/** Assets that one file can create. */
const MAX_ASSETS = 100_000

export interface Draft {
  readonly row: SheetRow
  readonly path: string
  readonly existing: AssetRow | undefined
  /** The fixed columns, as the body of a request has them. */
  readonly input: Record<string, unknown>
  readonly values: (ValueInput & { readonly column: FieldColumn })[]
  /** Of the warranty, from the purchase. */
  months?: number
  /** The name of an unknown custodian, for the remark. */
  custodian?: string
  /** Assets that the row becomes. */
  pieces: number
  /** The paths of things that the import is going to create. */
  readonly newPaths: NewPaths
}

export interface NewPaths {
  category?: string
  location?: string
}

interface FixedPlace {
  readonly key: FixedKey | OptionKey
  readonly at: number
}

/** Reads the rows of one file. */
export class CellReader {
  readonly missing: Missing
  #created = 0
  readonly unmatched = new Unmatched()
  readonly fixed: readonly FixedPlace[]
  readonly fields: readonly { readonly column: FieldColumn; readonly at: number; readonly zone: string }[]
  /** Of the rows since the last `start`. */
  problems: RowProblem[] = []
  warnings: RowProblem[] = []

  constructor(
    readonly owner: Owner,
    columns: readonly FileColumn[],
    readonly names: Names,
    readonly options: RowOptions,
  ) {
    const places = columns.flatMap(({ column, zone = options.zone }, at) =>
      column === undefined || isReadOnly(column) ? [] : [{ column, at, zone }],
    )
    this.missing = new Missing(names)
    this.fixed = places.flatMap(({ column, at }) => (column.field === undefined ? [{ key: column.key, at }] : []))
    this.fields = places.flatMap(({ column, ...place }) => (column.field === undefined ? [] : [{ column, ...place }]))
  }

  start(): void {
    this.problems = []
    this.warnings = []
  }

  refuse(row: SheetRow, key: string | null, text: Localized): void {
    this.problems.push({ row: row.number, key, text })
  }

  warn(row: SheetRow, key: string | null, text: Localized): void {
    this.warnings.push({ row: row.number, key, text })
  }

  /** The text in the column of a key; empty without one, and for errors. */
  textIn(row: SheetRow, key: FixedKey): string {
    const column = this.fixed.find((one) => one.key === key)
    const cell = column === undefined ? null : cellAt(row, column.at, key)
    return typeof cell === 'object' && cell !== null && 'error' in cell ? '' : textOf(cell)
  }

  draft(row: SheetRow, existing: AssetRow | undefined, values: ReadonlyMap<number, EntityValues>): Draft {
    const draft: Draft = { row, path: `rows.${row.number}`, existing, input: {}, values: [], pieces: 1, newPaths: {} }
    for (const { key, at } of this.fixed) {
      const present = existing?.[key as keyof AssetRow]
      const cell = this.#cellIn(row, at, { key, present, hasLines: key === 'remark' })
      this.#readFixed(draft, { key, at }, cell)
    }
    if (draft.months !== undefined) this.#endWarranty(draft, draft.months)
    if (draft.custodian !== undefined) this.#noteCustodian(draft, draft.custodian)
    const current = existing && values.get(existing.id)
    for (const { column, at, zone } of this.fields) {
      const { key, field } = column
      const given = { key, present: current?.get(field), hasLines: field.type === 'TEXTAREA' }
      this.#readField(draft, { column, at }, this.#cellIn(row, at, given), { current, zone })
    }
    if (existing === undefined && draft.input['categoryId'] === undefined && this.options.categoryId !== null)
      draft.input['categoryId'] = this.options.categoryId
    if (existing === undefined && draft.input['name'] === undefined && this.options.namesFromModel)
      draft.input['name'] = this.#otherName(row)
    if (existing === undefined && draft.input['name'] === undefined) {
      const hasColumn = this.fixed.some(({ key }) => key === 'name')
      this.refuse(row, 'name', hasColumn ? errors.nameNeeded : errors.nameColumnNeeded)
    }
    this.#countPieces(draft)
    return draft
  }

  #otherName(row: SheetRow): string | undefined {
    const category = this.textIn(row, 'category').split('/').at(-1)!.trim()
    return [this.textIn(row, 'model'), category, this.textIn(row, 'assetNo')].find((text) => text !== '')
  }

  #countPieces({ row, pieces, existing, input }: Draft): void {
    if (pieces > 1 && existing !== undefined) return this.warn(row, 'quantity', errors.quantityOfKnown)
    if (pieces > 1 && !this.options.splitQuantity) return this.warn(row, 'quantity', errors.isOneAsset)
    if (existing !== undefined) return
    this.#created += pieces
    if (pieces > 1 && this.#created > MAX_ASSETS) this.refuse(row, 'quantity', errors.tooManyPieces(MAX_ASSETS))
    if (pieces > 1 && (input['serialNo'] ?? '') !== '') this.warn(row, 'serialNo', errors.pieceWithoutSerial)
  }

  #endWarranty(draft: Draft, months: number): void {
    const { row, input, existing } = draft
    if (input['warrantyExpiry'] != null) return
    const purchased = input['purchaseDate'] ?? existing?.purchaseDate
    const end = typeof purchased === 'string' ? warrantyEnd(purchased, months) : undefined
    if (end === undefined) this.warn(row, null, errors.monthsWithoutPurchase(months))
    else input['warrantyExpiry'] = end
  }

  /** Keeps the name of an unknown custodian as the last line of the remark. */
  #noteCustodian({ input, existing }: Draft, name: string): void {
    const line = `Custodian: ${name}`
    const remark = String(input['remark'] ?? existing?.remark ?? '')
    if (!remark.split('\n').includes(line)) input['remark'] = remark === '' ? line : `${remark}\n${line}`
  }

  /** The cell as it is read. A cell that shows the present value, as in our own export, stays as it is. */
  #cellIn(row: SheetRow, at: number, { key, present, hasLines }: CellPlace): SheetCell {
    const raw = row.cells[at] ?? null
    if (typeof raw === 'string') {
      const text = raw.trim() === present ? undefined : foreignText(raw, key)
      return text === undefined ? raw : hasLines ? text : text.replaceAll('\n', ' ')
    }
    if (typeof raw !== 'object' || raw === null || !('error' in raw)) return raw
    if (raw.error !== NO_RESULT || !this.options.emptyFormulas) return raw
    this.warn(row, key, errors.formulaEmpty)
    return null
  }

  /** Whether the cell leaves the present value, or clears it. */
  isEmpty(cell: SheetCell): boolean {
    return cell === null || (typeof cell === 'string' && cell.trim() === '')
  }

  #readFixed(draft: Draft, { key, at }: { key: FixedKey | OptionKey; at: number }, given: SheetCell): void {
    const { row, input, existing } = draft
    const cell = this.#isMappedToNothing(key, given) ? null : given
    if (this.isEmpty(cell)) {
      if (key === 'warrantyMonths' || key === 'quantity') return
      // These are never empty.
      const clears = this.options.clearEmpty && existing !== undefined && !['name', 'assetNo', 'status'].includes(key)
      // Exports leave the cell empty for users who do not see the category.
      if (key === 'category' && !this.names.categories.paths.has(existing?.categoryId ?? 0)) return
      if (clears) input[bodyName(key)] = null
      return
    }
    if (typeof cell === 'object' && cell !== null && 'error' in cell)
      return this.refuse(row, key, errors.cellError(cell.error))
    const text = textOf(cell)
    switch (key) {
      case 'quantity': {
        const pieces = piecesIn(cell, this.options.decimal)
        if (pieces !== undefined) draft.pieces = pieces
        else if (this.options.splitQuantity) this.refuse(row, key, errors.notPieces)
        return
      }
      case 'category': {
        const id =
          this.options.maps.category.get(mapKey(text)) ?? this.#category(row, text, existing?.categoryId ?? null)
        if (id !== undefined) input['categoryId'] = id
        if (id === NEW) draft.newPaths.category = text
        return
      }
      case 'location':
        return this.#readLocation(draft, text)
      case 'custodian':
        return this.#readCustodian(draft, text)
      case 'status': {
        const status = this.options.maps.status.get(mapKey(text)) ?? statusIn(text)
        if (status === undefined) return this.#refuseWord(row, key, text, errors.notAStatus)
        if (existing !== undefined && status !== existing.status && [status, existing.status].includes('SCRAPPED'))
          return this.refuse(row, key, errors.cannotChangeScrapped)
        input['status'] = status
        return
      }
      case 'warrantyMonths':
      case 'purchaseDate':
      case 'warrantyExpiry': {
        const months = key === 'purchaseDate' ? undefined : monthsIn(cell)
        if (months !== undefined) return void (draft.months = months)
        if (key === 'warrantyMonths') return this.refuse(row, key, errors.notMonths)
        const order = this.options.dateOrders.get(at) ?? this.options.dateOrder
        const day = dayOf(cell, order)
        if (day === undefined)
          this.refuse(row, key, order === 'UNKNOWN' ? errors.orderUnknown : errors.notADayOrAmbiguous)
        else input[key] = day.slice(0, 10)
        return
      }
      case 'purchasePrice':
        input[key] = amountIn(cell, this.options.decimal, this.options.roundPrices)
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

  #isMappedToNothing(key: string, cell: SheetCell): boolean {
    const map = this.options.maps[key as keyof WordMaps] as WordMap<unknown> | undefined
    return map !== undefined && map.size > 0 && map.get(mapKey(textOf(cell))) === null
  }

  #refuseWord(row: SheetRow, key: keyof WordMaps, text: string, problem: Localized): void {
    this.unmatched.take(key, text)
    this.refuse(row, key, problem)
  }

  #readLocation({ row, input, existing, newPaths }: Draft, text: string): void {
    const mapped = this.options.maps.location.get(mapKey(text))
    const id = mapped ?? this.names.locations.find(text, existing?.locationId ?? null)
    if (id === 'ambiguous') this.refuse(row, 'location', errors.ambiguousPath)
    else if (id !== undefined) input['locationId'] = id
    else if (this.owner.orgId === 0) this.refuse(row, 'location', errors.noLocations)
    else if (!this.options.createLocations) this.#refuseWord(row, 'location', text, errors.unknownLocation)
    else {
      const problem = this.missing.newLocation(text)
      if (problem === undefined) {
        input['locationId'] = NEW
        newPaths.location = text
      } else this.refuse(row, 'location', problem)
    }
  }

  #readCustodian(draft: Draft, text: string): void {
    const { row, input, existing } = draft
    const mapped = this.options.maps.custodian.get(mapKey(text))
    const id = mapped ?? this.names.findPerson(text, existing?.custodianId ?? null)
    if (id !== undefined) return void (input['custodianId'] = id)
    const { unknownCustodian } = this.options
    if (unknownCustodian === 'ERROR') return this.#refuseWord(row, 'custodian', text, errors.unknownPerson)
    this.unmatched.take('custodian', text)
    this.warn(row, 'custodian', unknownCustodian === 'EMPTY' ? errors.custodianEmpty : errors.custodianInRemark)
    if (unknownCustodian === 'REMARK') draft.custodian = text
  }

  #category(row: SheetRow, path: string, current: number | null): number | undefined {
    const id = this.names.categories.find(path, current)
    if (typeof id === 'number') return id
    if (id === undefined && isNoCategory(path)) return undefined
    if (id === 'ambiguous') this.refuse(row, 'category', errors.ambiguousPath)
    else if (!this.options.createCategories) this.#refuseWord(row, 'category', path, errors.unknownCategory)
    else {
      const problem = this.missing.newCategory(path)
      if (problem === undefined) return NEW
      this.refuse(row, 'category', problem)
    }
    return undefined
  }

  #readField(
    draft: Draft,
    { column, at }: { readonly column: FieldColumn; readonly at: number },
    cell: SheetCell,
    { current, zone }: { readonly current: EntityValues | undefined; readonly zone: string },
  ): void {
    const { row, values, existing } = draft
    const { field } = column
    if (this.isEmpty(cell)) {
      if (this.options.clearEmpty && existing !== undefined) values.push({ fieldId: field.id, value: null, column })
      return
    }
    if (typeof cell === 'object' && cell !== null && 'error' in cell)
      return this.refuse(row, column.key, errors.cellError(cell.error))
    const present = current?.get(field) ?? null
    if (field.type === 'REF') {
      const id = this.names.refs(targetOf(column)).find(textOf(cell))
      if (id === undefined) this.refuse(row, column.key, errors.unknownRef)
      else values.push({ fieldId: field.id, value: id, column })
      return
    }
    const text = textOf(cell)
    const isDay = field.type === 'DATE' || field.type === 'DATETIME'
    const order = this.options.dateOrders.get(at) ?? this.options.dateOrder
    // Texts that begin with the year can have milliseconds or a zone.
    const day = isDay && !/^\d{4}\D/.test(text) ? dayOf(cell, order) : undefined
    if (isDay && day === undefined && order === 'UNKNOWN' && !/^\d{4}\D/.test(text))
      return this.refuse(row, column.key, errors.orderUnknown)
    const number =
      field.type === 'NUMBER' && typeof cell === 'string' ? numberIn(text, this.options.decimal) : undefined
    const given = day ?? number ?? (typeof cell === 'object' || isDay ? text : cell!)
    values.push({ fieldId: field.id, value: fromText(field, given, zone, present), column })
  }
}

export const targetOf = ({ field }: FieldColumn): RefTarget => field.config['target'] as RefTarget

const bodyName = (key: FixedKey): string =>
  key === 'category' || key === 'location' || key === 'custodian' ? `${key}Id` : key

/** The cell of a column as it is read: HTML as its text, and things as their names. */
export function cellAt({ cells }: SheetRow, at: number, key?: string): SheetCell {
  const cell = cells[at] ?? null
  return typeof cell === 'string' ? (foreignText(cell, key) ?? cell) : cell
}
