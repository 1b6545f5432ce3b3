/** The value of an asset as it falls. Pure, and exact: whole numbers only, rounded once at the end. */

import type { Depreciation } from '#db/schema/assets.ts'
import { addMonths, wholeMonths } from '#lib/days.ts'

/** Half up. */
const rounded = (numerator: bigint, denominator: bigint): bigint => (2n * numerator + denominator) / (2n * denominator)

/** The book value in hundredths after so many whole months. `price` in hundredths. */
export function bookValueOf(price: number, depreciation: Depreciation, months: number): bigint {
  const { method, residualPercent, yearlyPercent } = depreciation
  const [whole, residual] = [BigInt(price), BigInt(residualPercent)]
  if (method === 'STRAIGHT_LINE') {
    const life = BigInt(depreciation.months!)
    const gone = BigInt(Math.min(months, depreciation.months!))
    return rounded(whole * (100n * life - (100n - residual) * gone), 100n * life)
  }
  const yearly = BigInt(yearlyPercent!)
  const [years, rest] = [BigInt(Math.floor(months / 12)), BigInt(months % 12)]
  const numerator = whole * (100n - yearly) ** years * (1200n - yearly * rest)
  const denominator = 100n ** years * 1200n
  const isBelow = numerator * 100n < whole * residual * denominator
  return isBelow ? rounded(whole * residual, 100n) : rounded(numerator, denominator)
}

/** `199990n` as `1999.90`. */
export function amountText(amount: bigint): string {
  const digits = String(amount).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

export interface Valued {
  readonly elapsedMonths: number
  readonly price: number
  readonly bookValue: bigint
  /** The day on which a straight line ends. */
  readonly endsOn: string | null
}

interface Bought {
  readonly purchaseDate: string | null
  readonly purchasePrice: number | null
  /** The day on which it was scrapped, after which its value stays. */
  readonly scrappedOn: string | null
}

/** Undefined without a price, a date or a method. */
export function valueOf(
  { purchaseDate, purchasePrice, scrappedOn }: Bought,
  depreciation: Depreciation | undefined,
  asOf: string,
): Valued | undefined {
  if (purchaseDate === null || purchasePrice === null || depreciation === undefined) return undefined
  const until = scrappedOn !== null && scrappedOn < asOf ? scrappedOn : asOf
  const elapsedMonths = wholeMonths(purchaseDate, until)
  const bookValue = bookValueOf(purchasePrice, depreciation, elapsedMonths)
  const isLine = depreciation.method === 'STRAIGHT_LINE'
  return {
    elapsedMonths,
    price: purchasePrice,
    bookValue,
    endsOn: isLine ? addMonths(purchaseDate, depreciation.months!) : null,
  }
}
