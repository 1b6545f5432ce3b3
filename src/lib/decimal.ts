/**
 * Decimal numbers of at most 15 significant digits. So many digits survive the way into a double and back unchanged, so that a number
 * is shown as it was written.
 */

const SIGNIFICANT_DIGITS = 15
/** Powers of ten between which doubles keep 15 digits. */
const MAX_MAGNITUDE = 300
const DECIMAL = /^[+-]?(\d{1,400})(?:\.(\d{1,400}))?(?:e([+-]?\d{1,4}))?$/i

export interface Decimal {
  readonly value: number
  /** Digits after the decimal point, without zeros at the end. */
  readonly decimals: number
}

/** A decimal number as people write it: `-12.50`, `1e6`. `malformed` if it is not a number, `imprecise` if a double does not hold it. */
export function parseDecimal(text: string): Decimal | 'malformed' | 'imprecise' {
  const match = DECIMAL.exec(text)
  if (match === null) return 'malformed'
  const [, whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return { value: 0, decimals: 0 }
  /** The power of ten of the last significant digit. */
  const lowest = Number(exponent) - fraction.length + digits.length - significant.length
  if (significant.length > SIGNIFICANT_DIGITS || Math.abs(lowest) > MAX_MAGNITUDE) return 'imprecise'
  const value = Number(text)
  return Number.isFinite(value) ? { value, decimals: Math.max(0, -lowest) } : 'imprecise'
}

/** The nearest number of 15 significant digits, which removes the noise of binary fractions: 0.1 + 0.2 becomes 0.3. */
export function significant(value: number): number {
  // Most numbers have fewer digits, which is four times as fast to see. A decimal point is one character more.
  const isShort = Number.isInteger(value) ? Math.abs(value) < 1e15 : String(value).length <= SIGNIFICANT_DIGITS + 1
  return (isShort ? value : Number(value.toPrecision(SIGNIFICANT_DIGITS))) + 0
}

/**
 * Rounds the decimal number that is shown, half away from zero: 1.005 to two places is 1.01, although the double is below 1.005. A
 * negative number of places rounds to tens, hundreds and so on.
 */
export function roundTo(value: number, places: number): number {
  const rounded = shift(Math.round(shift(Math.abs(value), places)), -places)
  if (!Number.isFinite(rounded)) return value
  return value < 0 ? 0 - rounded : rounded
}

/** Moves the decimal point of the number that is shown to the right. */
function shift(value: number, places: number): number {
  const [mantissa, exponent = 0] = String(value).split('e')
  return Number(`${mantissa}e${Number(exponent) + places}`)
}
