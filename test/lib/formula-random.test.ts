/** Random formulas, compared with an evaluator that computes with exact fractions, and random texts. */

import { expect, test } from 'bun:test'

import { evaluate, FormulaError, MAX_FORMULA, type Operand, parseFormula } from '#lib/formula/index.ts'

const random = (n: number): number => Math.floor(Math.random() * n)
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!

/** A fraction; `text`, true and false as they are; null is missing. */
interface Fraction {
  readonly top: bigint
  readonly bottom: bigint
}
type Exact = Fraction | string | boolean | null

/** A tree, so that the text and the exact value do not depend on the parser. */
type Tree =
  | { readonly op: 'number'; readonly hundredths: number }
  | { readonly op: 'text' | 'key'; readonly name: string }
  | { readonly op: string; readonly of: readonly Tree[] }

const KEYS: Readonly<Record<string, Exact>> = {
  a: { top: 5n, bottom: 2n },
  b: { top: -3n, bottom: 1n },
  zero: { top: 0n, bottom: 1n },
  t: 'text',
  yes: true,
  no: false,
  none: null,
}

const NUMERIC = ['+', '-', '*', '/', 'min', 'max', 'neg', 'if']
const LOGIC = ['=', '!=', '<', '<=', '>', '>=', 'and', 'or', 'not']

function tree(depth: number, kind: 'number' | 'logic' | 'text'): Tree {
  if (Math.random() < 0.03) return { op: 'key', name: pick(Object.keys(KEYS)) }
  if (kind === 'text') {
    if (depth === 0 || Math.random() < 0.4)
      return pick<Tree>([
        { op: 'text', name: pick(['', 'x', 'a"b', '\\', 'é\n']) },
        { op: 'key', name: 't' },
      ])
    return { op: '+', of: [tree(depth - 1, 'text'), tree(depth - 1, 'text')] }
  }
  if (kind === 'logic') {
    if (depth === 0) return { op: 'key', name: pick(['yes', 'no', 'none']) }
    const op = pick(LOGIC)
    if (op === 'not') return { op, of: [tree(depth - 1, 'logic')] }
    const side = op === 'and' || op === 'or' ? 'logic' : pick(['number', 'number', 'text'] as const)
    return { op, of: [tree(depth - 1, side), tree(depth - 1, side)] }
  }
  if (depth === 0 || Math.random() < 0.2)
    return Math.random() < 0.3
      ? { op: 'key', name: pick(['a', 'b', 'zero']) }
      : { op: 'number', hundredths: random(2000) }
  const op = pick(NUMERIC)
  if (op === 'neg') return { op, of: [tree(depth - 1, 'number')] }
  if (op === 'if') return { op, of: [tree(depth - 1, 'logic'), tree(depth - 1, 'number'), tree(depth - 1, 'number')] }
  return { op, of: [tree(depth - 1, 'number'), tree(depth - 1, 'number')] }
}

/** How strongly an operator binds, from the weakest. */
const LEVELS = [['or'], ['and'], ['not'], ['=', '!=', '<', '<=', '>', '>='], ['+', '-'], ['*', '/'], ['neg']]
const levelOf = (op: string): number => {
  const level = LEVELS.findIndex((ops) => ops.includes(op))
  return level < 0 ? LEVELS.length : level
}

/** The formula with as few parentheses as possible, and random white space. */
function written(node: Tree): string {
  const space = pick(['', ' ', '\n'])
  if (node.op === 'number' && 'hundredths' in node) return (node.hundredths / 100).toFixed(pick([2, 2, 3]))
  if (node.op === 'text' && 'name' in node) return `"${node.name.replace(/["\\]/g, '\\$&')}"`
  if (node.op === 'key' && 'name' in node) return `{${space}${node.name}}`
  if (!('of' in node)) throw new Error(node.op)
  const level = levelOf(node.op)
  const inner = (part: Tree, least: number): string => (levelOf(part.op) < least ? `(${written(part)})` : written(part))
  const [first, second] = node.of
  if (node.op === 'not') return `not ${inner(first!, level)}`
  if (node.op === 'neg') return `-${space}${inner(first!, level)}`
  if (level === LEVELS.length) return `${node.op}(${node.of.map(written).join(`,${space}`)})`
  // Comparisons do not follow each other, and the right operand of the others binds more strongly.
  const isComparison = level === 3
  return `${inner(first!, isComparison ? level + 1 : level)} ${node.op} ${space}${inner(second!, level + 1)}`
}

const fraction = (top: bigint, bottom: bigint): Exact =>
  bottom === 0n ? null : bottom < 0n ? { top: -top, bottom: -bottom } : { top, bottom }
const isFraction = (value: Exact): value is Fraction => typeof value === 'object' && value !== null

/** The greatest number that appears, and whether two unequal numbers were compared that differ by less than doubles can tell. */
interface Doubts {
  greatest: number
  isClose: boolean
}

const numberOf = ({ top, bottom }: Fraction): number => {
  const scaled = (top * 10n ** 30n) / bottom
  return Number(scaled) / 1e30
}

function exact(node: Tree, doubts: Doubts): Exact {
  const value = exactValue(node, doubts)
  if (isFraction(value)) doubts.greatest = Math.max(doubts.greatest, Math.abs(numberOf(value)))
  return value
}

function exactValue(node: Tree, doubts: Doubts): Exact {
  if ('hundredths' in node) return fraction(BigInt(node.hundredths), 100n)
  if ('name' in node) return node.op === 'text' ? node.name : KEYS[node.name]!
  const [first, ...rest] = node.of
  const a = exact(first!, doubts)
  if (node.op === 'if') return typeof a === 'boolean' ? exact(rest[a ? 0 : 1]!, doubts) : null
  if (node.op === 'not') return typeof a === 'boolean' ? !a : null
  if (node.op === 'neg') return isFraction(a) ? fraction(-a.top, a.bottom) : null
  const b = exact(rest[0]!, doubts)
  if (node.op === 'and') return a === false || b === false ? false : a === true && b === true ? true : null
  if (node.op === 'or') return a === true || b === true ? true : a === false && b === false ? false : null
  if (a === null || b === null) return null
  if (node.op === '+' && (typeof a === 'string' || typeof b === 'string')) {
    const text = (value: NonNullable<Exact>): string => (isFraction(value) ? String(numberOf(value)) : String(value))
    return text(a) + text(b)
  }
  if (levelOf(node.op) === 3) return compared(node.op, a, b, doubts)
  if (!isFraction(a) || !isFraction(b)) return null
  switch (node.op) {
    case '+':
      return fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)
    case '-':
      return fraction(a.top * b.bottom - b.top * a.bottom, a.bottom * b.bottom)
    case '*':
      return fraction(a.top * b.top, a.bottom * b.bottom)
    case '/':
      if (b.top !== 0n && Math.abs(numberOf(b)) < 1e-6) doubts.isClose = true
      return fraction(a.top * b.bottom, a.bottom * b.top)
    default: {
      const isLess = a.top * b.bottom < b.top * a.bottom
      return isLess === (node.op === 'min') ? a : b
    }
  }
}

function compared(op: string, a: NonNullable<Exact>, b: NonNullable<Exact>, doubts: Doubts): Exact {
  if (typeof a !== typeof b) return null
  let order: number
  if (isFraction(a) && isFraction(b)) {
    const difference = a.top * b.bottom - b.top * a.bottom
    order = difference < 0n ? -1 : difference > 0n ? 1 : 0
    const distance = Math.abs(numberOf({ top: difference, bottom: a.bottom * b.bottom }))
    if (distance < 1e-6) doubts.isClose ||= a.bottom !== 1n && (distance > 0 || a.bottom.toString().length > 6)
  } else order = a < b ? -1 : a > b ? 1 : 0
  return { '=': order === 0, '!=': order !== 0, '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[
    op
  ]!
}

const OPERANDS: Readonly<Record<string, Operand>> = Object.fromEntries(
  Object.entries(KEYS).map(([key, value]): [string, Operand] => [
    key,
    // `numberOf` is not exact: -3 could differ in its last digit, and a division by `b + 3` would have a result.
    isFraction(value) ? Number(value.top) / Number(value.bottom) : value,
  ]),
)

test('random formulas give the result of exact fractions', () => {
  const counts = { number: 0, boolean: 0, string: 0, null: 0 }
  for (let i = 0; i < 20_000; i++) {
    const node = tree(1 + random(4), pick(['number', 'number', 'logic', 'text'] as const))
    const source = written(node)
    if (source.length > MAX_FORMULA) continue
    const formula = parseFormula(source)
    if (formula instanceof FormulaError) throw new Error(`${source}: ${formula.message} at ${formula.position}`)
    const doubts: Doubts = { greatest: 1, isClose: false }
    const expected = exact(node, doubts)
    if (doubts.isClose) continue
    const result = evaluate(formula, (key) => OPERANDS[key] ?? null)
    if (isFraction(expected)) {
      const difference = Math.abs(Number(result) - numberOf(expected))
      if (typeof result !== 'number' || difference > 1e-9 * doubts.greatest)
        expect({ source, result }).toEqual({ source, result: numberOf(expected) })
      counts.number++
    } else {
      // A number in a text may differ in its last digits.
      const isText = typeof expected === 'string' && /\d/.test(expected)
      if (!isText) expect([source, result]).toEqual([source, expected])
      counts[expected === null ? 'null' : (typeof expected as 'string')]++
    }
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(500)
})

test('sums and products of prices are exact', () => {
  for (let i = 0; i < 20_000; i++) {
    const hundredths = Array.from({ length: 2 + random(8) }, () => random(1_000_000))
    const count = random(1000)
    const sum = parseFormula(`(${hundredths.map((price) => (price / 100).toFixed(2)).join(' + ')}) * ${count}`)
    if (sum instanceof FormulaError) throw sum
    const expected = hundredths.reduce((total, price) => total + price, 0) * count
    expect(evaluate(sum, () => null)).toBe(Number(`${expected}e-2`))
  }
})

const PIECES = [
  '{a}',
  '{',
  '}',
  '"',
  '"x"',
  '\\',
  '(',
  ')',
  ',',
  '1',
  '0.5',
  '.',
  '+',
  '-',
  '*',
  '/',
  '=',
  '!=',
  '<',
  '!',
  'if(',
  'min(',
  'round(',
  'days(',
  'and',
  'or',
  'not',
  'true',
  'x',
  ' ',
  '😀',
  '\ud800',
  '\0',
]

test('no text makes the parser throw or the evaluation fail', () => {
  let valid = 0
  for (let i = 0; i < 100_000; i++) {
    const source = Array.from({ length: random(12) }, () => pick(PIECES)).join('')
    const formula = parseFormula(source)
    if (formula instanceof FormulaError) {
      expect(formula.position).toBeLessThanOrEqual(source.length)
      continue
    }
    valid++
    for (const operand of [
      null,
      0,
      -1e300,
      'x',
      true,
      Temporal.PlainDate.from('9999-12-31'),
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ]) {
      const result = evaluate(formula, () => operand)
      if (typeof result === 'number' && Number.isFinite(operand as number)) expect(Number.isFinite(result)).toBe(true)
    }
  }
  expect(valid).toBeGreaterThan(1000)
})
