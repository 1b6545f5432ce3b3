/** Turns rows of a spreadsheet into new and changed assets, with a bounded number of queries for each group of rows. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import { checkValues, type EntityValues, type FieldSet, readValues, type ValuePlan } from '#domains/metadata/index.ts'
import type { Owner } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { itemChecker } from '#http/validate.ts'
import { textOf, wordKey } from '#lib/spreadsheets/cells.ts'
import type { RowProblem } from '#lib/spreadsheets/problems.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'

import { entitiesOf } from '../entities.service.ts'
import { numberKey } from '../numbers.rules.ts'
import { UpdateAsset } from '../register/register.model.ts'
import { type AssetChange, changeOf, differences, EMPTY, positionProblem } from '../register/register.rules.ts'
import { type AssetRow, assetsByNumbers } from '../register/register.store.ts'
import type { FixedKey } from '../sheets.rules.ts'
import { cellAt, type CellReader, type Draft, type NewPaths, targetOf } from './cells.service.ts'
import { NEW } from './creating.service.ts'
import { peopleIn } from './foreign.rules.ts'
import * as errors from './importing.errors.ts'
import { Serials } from './names.service.ts'

/** A row without problems, as an import writes it. */
export interface ImportedRow {
  /** The number of the asset, as numbers are compared; empty for a row that names none. */
  readonly numberKey: string
  readonly action: 'CREATE' | 'UPDATE' | 'UNCHANGED'
  readonly existing: AssetRow | undefined
  readonly change: AssetChange
  /** Assets that a new row becomes; 1 for others. */
  readonly pieces: number
  readonly plan: ValuePlan
  /** The present values of the fields that the row gives. */
  readonly valuesBefore: readonly { readonly fieldId: number; readonly value: unknown }[]
  /** The paths of things that the import is going to create. */
  readonly newPaths: NewPaths
  /** Of the row, for problems. */
  readonly path: string
}

/** A row without problems. */
export interface PreparedRow {
  readonly row: SheetRow
  readonly imported: ImportedRow
  /** The values of fields that the row gives, by the keys of their columns. */
  readonly values: ReadonlyMap<string, unknown>
}

interface PreparedRows {
  readonly items: PreparedRow[]
  readonly problems: RowProblem[]
  readonly warnings: readonly RowProblem[]
}

const SUM_WORDS: ReadonlySet<string> = new Set(['total', 'sum', 'subtotal', '合计', '总计', '共计', '小计'])
const MAX_SUM_WORD = 40

const checkItems = itemChecker(UpdateAsset)

/** The names under which the service of assets reports problems, where they differ from the keys of columns. */
const KEYS: Readonly<Record<string, FixedKey>> = {
  categoryId: 'category',
  locationId: 'location',
  custodianId: 'custodian',
}

/** Reads the rows of one file, group after group. */
export class RowReader {
  /** Rows by their numbers, to find numbers that occur twice. */
  readonly #rowsByNumber = new Map<string, number>()
  readonly #serials: Serials

  constructor(
    readonly ctx: AppContext,
    readonly db: Db | Tx,
    readonly owner: Owner,
    readonly fields: FieldSet,
    readonly cells: CellReader,
  ) {
    this.#serials = new Serials(db, ownerKey(owner))
  }

  /** The number of the asset that a row names; empty if it names none. */
  numberIn(row: SheetRow): string {
    return this.cells.textIn(row, 'assetNo')
  }

  async prepare(given: readonly SheetRow[]): Promise<PreparedRows> {
    this.cells.start()
    const rows = given.filter((row) => !this.#isSum(row))
    const numbered = await this.#existingOf(rows)
    const existing = new Map(
      rows.flatMap((row) => {
        const number = this.numberIn(row)
        const bySerial = this.#bySerial(row, number === '')
        const found = number === '' ? bySerial : numbered.get(numberKey(number))
        return found === undefined ? [] : [[row.number, found] as const]
      }),
    )
    await this.#lookNames(rows, [...existing.values()])
    const values = await this.#valuesOf([...existing.values()])
    const drafts = rows.map((row) => {
      this.#checkNumber(row, existing.get(row.number))
      return this.cells.draft(row, existing.get(row.number), values)
    })
    const changes = this.#changesOf(drafts)
    const plans = await this.#plansOf(drafts, values)
    const failed = new Set(this.cells.problems.map(({ row }) => row))
    const items = drafts.flatMap((draft, i): PreparedRow[] => {
      const plan = plans[i]
      if (failed.has(draft.row.number) || plan === undefined) return []
      const change = changes[i]!
      const isChanged = plan.changes || Object.keys(differences(draft.existing ?? NOTHING, change)).length > 0
      const action = draft.existing === undefined ? 'CREATE' : isChanged ? 'UPDATE' : 'UNCHANGED'
      const current = draft.existing && values.get(draft.existing.id)
      const valuesBefore =
        current === undefined
          ? []
          : draft.values.map(({ column: { field } }) => ({ fieldId: field.id, value: current.get(field) ?? null }))
      const given = new Map(draft.values.map(({ column, value }) => [column.key, value]))
      const imported: ImportedRow = {
        numberKey: numberKey(this.numberIn(draft.row)),
        action,
        existing: draft.existing,
        change,
        pieces: action === 'CREATE' && this.cells.options.splitQuantity ? draft.pieces : 1,
        plan,
        valuesBefore,
        newPaths: draft.newPaths,
        path: draft.path,
      }
      return [{ row: draft.row, imported, values: given }]
    })
    return { items, problems: this.cells.problems.toSorted((a, b) => a.row - b.row), warnings: this.cells.warnings }
  }

  /** A row of sums at the end of a list, or of a part of it. */
  #isSum(row: SheetRow): boolean {
    const first = row.cells.find((cell) => !this.cells.isEmpty(cell)) ?? null
    if (typeof first !== 'string' || first.length > MAX_SUM_WORD || !SUM_WORDS.has(wordKey(first))) return false
    // The column of numbers can be the first one.
    if (!['', first.trim()].includes(this.numberIn(row))) return false
    this.cells.warn(row, null, errors.sumRow)
    return true
  }

  async #existingOf(rows: readonly SheetRow[]): Promise<Map<string, AssetRow>> {
    await this.#serials.look(rows.filter((row) => this.numberIn(row) === '').map((row) => this.#serialIn(row)))
    const keys = [...new Set(rows.map((row) => this.numberIn(row)).filter((text) => text !== ''))].map(numberKey)
    if (keys.length === 0) return new Map()
    const found = await assetsByNumbers(this.db, ownerKey(this.owner), keys)
    return new Map(found.map((row) => [row.assetNoKey, row]))
  }

  #serialIn(row: SheetRow): string {
    return this.cells.textIn(row, 'serialNo')
  }

  /** Notes the serial number of a row, and finds the asset that a row without a number means. */
  #bySerial(row: SheetRow, isWithoutNumber: boolean): AssetRow | undefined {
    const serial = this.#serialIn(row)
    const { found, first } = this.#serials.find(serial, row.number)
    if (!isWithoutNumber || (found === undefined && first === undefined)) return undefined
    const { matchSerial, mode } = this.cells.options
    const text = first === undefined ? errors.serialKnown : errors.repeatedSerial(first)
    if (matchSerial && mode !== 'CREATE' && first === undefined && typeof found === 'object') return found
    if (matchSerial && (mode === 'CREATE' || (first !== undefined && found !== 'several')))
      this.cells.refuse(row, 'serialNo', text)
    else this.cells.warn(row, 'serialNo', text)
    return undefined
  }

  /** Looks up all users and targets of references that the rows name. */
  async #lookNames(rows: readonly SheetRow[], existing: readonly AssetRow[]): Promise<void> {
    const textsAt = (at: number, key?: string) =>
      rows.map((row) => textOf(cellAt(row, at, key))).filter((text) => text !== '')
    for (const { key, at } of this.cells.fixed) {
      if (key !== 'custodian') continue
      await this.cells.names.refs('USER').look(textsAt(at, key).flatMap(peopleIn))
      await this.cells.names.lookPeople(existing.map(({ custodianId }) => custodianId))
    }
    for (const { column, at } of this.cells.fields)
      if (column.field.type === 'REF') await this.cells.names.refs(targetOf(column)).look(textsAt(at))
  }

  async #valuesOf(existing: readonly AssetRow[]): Promise<Map<number, EntityValues>> {
    if (this.cells.fields.length === 0 || existing.length === 0) return new Map()
    const entities = await entitiesOf(this.db, existing)
    const values = await readValues(this.db, 'asset', this.fields, entities)
    return new Map(values.map((of) => [of.entity.id, of]))
  }
  #checkNumber(row: SheetRow, existing: AssetRow | undefined): void {
    const key = numberKey(this.numberIn(row))
    if (key !== '') {
      const first = this.#rowsByNumber.get(key)
      if (first === undefined) this.#rowsByNumber.set(key, row.number)
      else this.cells.refuse(row, 'assetNo', errors.repeatedNumber(first))
    }
    if (this.cells.options.mode === 'CREATE' && existing !== undefined)
      this.cells.refuse(row, 'assetNo', errors.numberKnown)
    if (this.cells.options.mode === 'UPDATE' && existing === undefined)
      this.cells.refuse(row, 'assetNo', errors.numberUnknown)
  }

  /** The changes of the fixed columns, by the rules of requests. */
  #changesOf(drafts: readonly Draft[]): AssetChange[] {
    const checked = checkItems(
      drafts.map(({ input }) => ({
        ...input,
        ...(input['categoryId'] === NEW && { categoryId: null }),
        ...(input['locationId'] === NEW && { locationId: null }),
      })),
      'rows',
    )
    return drafts.map(({ row, path, input, existing }, i) => {
      const { problems } = checked[i]!
      const found: FieldProblem[] = [...problems]
      // The rules of the other columns are checked too, so that all errors of a row are reported together.
      const value = checked[i]!.value ?? checkItems([without(input, problems)], 'rows')[0]!.value
      const change = value === undefined ? {} : changeOf(value, found, path)
      for (const name of ['categoryId', 'locationId'] as const) if (input[name] === NEW) change[name] = NEW
      found.push(...positionProblem({ ...(existing ?? EMPTY), ...change }, path))
      for (const problem of found) this.cells.refuse(row, keyIn(problem.path), problem.text)
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
      this.cells.refuse(draft.row, index === undefined ? null : draft.values[Number(index)]!.column.key, text)
    }
    return plans
  }
}

const NOTHING = {} as AssetRow

/** The body without the fields of problems at `rows.<i>.<name>`. */
function without(input: Readonly<Record<string, unknown>>, problems: readonly FieldProblem[]): Record<string, unknown> {
  const names = new Set(problems.map(({ path }) => path.split('.')[2]))
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)))
}

/** The column of `rows.<n>.<name>`. */
export const keyIn = (path: string): string | null => {
  const [, , name] = path.split('.')
  return name === undefined ? null : (KEYS[name] ?? name)
}
