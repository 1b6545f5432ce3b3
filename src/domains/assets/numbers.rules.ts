/** Asset numbers: how they are compared, and how they are made from the pattern of the setting `assets.numberPattern`. Pure. */

/** Two numbers with the same key are the same number. */
export const numberKey = (assetNo: string): string => assetNo.normalize('NFC').toLowerCase()

/** The number with this place in the sequence. */
export type FormatNumber = (sequence: number) => string

/** `pattern` as the schema of the setting accepts it. */
export function formatter(pattern: string, today: Temporal.PlainDate): FormatNumber {
  const dated = pattern
    .replaceAll('{yyyy}', String(today.year).padStart(4, '0'))
    .replaceAll('{mm}', String(today.month).padStart(2, '0'))
    .replaceAll('{dd}', String(today.day).padStart(2, '0'))
  const [, before, digits, after] = /^(.*)\{seq(?::(\d+))?\}(.*)$/.exec(dated)!
  return (sequence) => `${before}${String(sequence).padStart(Number(digits ?? 1), '0')}${after}`.trim()
}

/** Numbers that are looked up together, and steps of this many until the steps double. */
const STEP = 100
const STEADY_STEPS = 20
const MAX_STEPS = 59

/**
 * The sequences to try, a range at a time, from `next` on. First only as many as are wanted: nearly always they are free. Where many numbers in a
 * row are taken, for example because they were imported, the ranges lie further and further apart, so that few steps lead past any number of them.
 */
export function* ranges(next: number, wanted: number): Generator<{ readonly from: number; readonly count: number }> {
  yield { from: next, count: wanted }
  let from = next + wanted
  for (let step = 0; step < MAX_STEPS && from < Number.MAX_SAFE_INTEGER / 4; step++) {
    const count = Math.max(STEP, wanted)
    yield { from, count }
    from = step < STEADY_STEPS ? from + count : from * 2
  }
}
