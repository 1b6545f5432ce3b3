/** Facts about the columns of a file that only all of its rows show. Pure. */

import { type DateOrder, textOf } from '#lib/spreadsheets/cells.ts'
import type { SheetRow } from '#lib/spreadsheets/sheet.ts'

import type { FileColumn } from './importing.rules.ts'
import { DateOrders, type Decimal, decimalIn } from './values.rules.ts'

const SAMPLES = 3
const MAX_SAMPLE = 60

export class Survey {
  readonly samples: readonly string[][]
  readonly #numbers: number[] = []
  readonly #days = new Map<number, DateOrders>()
  readonly #decimals = new Set<Decimal>()

  constructor(columns: readonly FileColumn[]) {
    this.samples = columns.map(() => [])
    for (const [at, { column }] of columns.entries()) {
      const type = column?.field?.type
      if (column?.key === 'purchasePrice' || type === 'NUMBER') this.#numbers.push(at)
      else if (
        column?.key === 'purchaseDate' ||
        column?.key === 'warrantyExpiry' ||
        type === 'DATE' ||
        type === 'DATETIME'
      )
        this.#days.set(at, new DateOrders())
    }
  }

  take(rows: readonly SheetRow[]): void {
    for (const { cells } of rows) {
      for (const [at, samples] of this.samples.entries())
        if (samples.length < SAMPLES) {
          const text = textOf(cells[at] ?? null)
          if (text !== '') samples.push(text.slice(0, MAX_SAMPLE))
        }
      for (const at of this.#numbers) {
        const cell = cells[at]
        const proved = typeof cell === 'string' ? decimalIn(cell) : undefined
        if (proved !== undefined) this.#decimals.add(proved)
      }
      for (const [at, orders] of this.#days) orders.take(cells[at] ?? null)
    }
  }

  /** Texts that contradict each other, or prove nothing, have points. */
  get decimal(): Decimal {
    return this.#decimals.has('COMMA') && this.#decimals.size === 1 ? 'COMMA' : 'POINT'
  }

  /** The order of each column of days. */
  orders(given: DateOrder | 'AUTO'): Map<number, DateOrder | 'UNKNOWN'> {
    const found = (orders: DateOrders) => orders.proved ?? (orders.areAmbiguous ? 'UNKNOWN' : 'YMD')
    return new Map([...this.#days].map(([at, orders]) => [at, given === 'AUTO' ? found(orders) : given]))
  }

  areAmbiguous(at: number): boolean {
    return this.#days.get(at)?.areAmbiguous ?? false
  }
}
