/**
 * Formulas over named values, such as `round({price} * 0.9, 2)`: numbers, texts in quotes, `{key}`, + - * / ( ), = != < <= > >=, and, or,
 * not, if(c, a, b), min, max, round(x, n), days(from, to). A formula becomes a tree of closures; no text is ever run as code. A formula
 * cannot loop, so that its length bounds the steps.
 */

import { significant } from '../decimal.ts'
import type { Localized } from '../localized.ts'
import { FormulaError, type Token, tokensOf } from './lexer.ts'
import { BINARY, Day, dayAt, FUNCTIONS, type Operand as Value } from './values.ts'

export { FormulaError }

/** Null: missing. */
export type Operand = number | string | boolean | Temporal.PlainDate | null

export const MAX_FORMULA = 1000
/** Parentheses, calls and signs inside each other. */
const MAX_DEPTH = 50

type Read = (key: string) => Value
type Node = (read: Read) => Value

export interface Formula {
  /** The keys it names, each once. */
  readonly keys: readonly string[]
  readonly root: Node
}

export function parseFormula(source: string): Formula | FormulaError {
  try {
    if (source.length > MAX_FORMULA) throw new FormulaError(tooLong, MAX_FORMULA)
    return new Parser(tokensOf(source)).formula()
  } catch (error) {
    if (error instanceof FormulaError) return error
    throw error
  }
}

/** `read` is called at most once for each key. Null if an operand is missing, a divisor is 0, or the types do not fit. */
export function evaluate(formula: Formula, read: (key: string) => Operand): Operand {
  const known = new Map<string, Value>()
  const result = formula.root((key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = valueOf(read(key))))
    return value
  })
  if (result instanceof Day) return Temporal.PlainDate.from(String(result))
  return typeof result === 'number' ? significant(result) : result
}

const MS_PER_DAY = 86_400_000

/** Dates outside the years 1 to 9999 are missing. */
function valueOf(operand: Operand): Value {
  if (!(operand instanceof Temporal.PlainDate)) return operand
  const { year, month, day } = operand
  // Date.UTC takes the years 0 to 99 for those of the 20th century.
  return dayAt(new Date(0).setUTCFullYear(year, month - 1, day) / MS_PER_DAY)
}

const tooLong: Localized = { en: `must have at most ${MAX_FORMULA} characters`, zh: `最多 ${MAX_FORMULA} 个字符` }
const tooDeep: Localized = { en: 'is nested too deeply', zh: '嵌套层数过多' }
const chained: Localized = {
  en: 'compares more than two values at once: join comparisons by “and”',
  zh: '不能连续比较：请用 and 连接',
}
const expected = (sign: string, token: Token): Localized => ({
  en: `needs ${sign} ${where(token).en}`,
  zh: `${where(token).zh}缺少 ${sign}`,
})
const unexpected = (token: Token): Localized =>
  token.kind === 'end'
    ? { en: 'is not complete', zh: '不完整' }
    : {
        en: `has an unexpected “${token.value}” at character ${token.position + 1}`,
        zh: `第 ${token.position + 1} 个字符处的“${token.value}”不应出现`,
      }
const unknownFunction = (name: string): Localized => ({
  en: `contains an unknown function: ${name}`,
  zh: `包含未知的函数：${name}`,
})
const wrongCount = (name: string, [least, most]: readonly [number, number]): Localized => ({
  en: `gives ${name} a wrong number of arguments: it takes ${least === most ? least : `${least} to ${most}`}`,
  zh: `${name} 的参数个数不正确，应为 ${least === most ? least : `${least} 至 ${most}`} 个`,
})
const where = (token: Token): Localized =>
  token.kind === 'end'
    ? { en: 'at the end', zh: '末尾' }
    : { en: `at character ${token.position + 1}`, zh: `第 ${token.position + 1} 个字符处` }

const COMPARISONS = ['=', '!=', '<', '<=', '>', '>=']

/** Recursive descent, one method for each level of precedence, from the weakest. Each returns the closure that evaluates its part. */
class Parser {
  readonly #tokens: readonly Token[]
  readonly #keys = new Set<string>()
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  formula(): Formula {
    const root = this.#or()
    if (this.#token.kind !== 'end') throw this.#error(unexpected)
    return { keys: [...this.#keys], root }
  }

  get #token(): Token {
    return this.#tokens[this.#at]!
  }

  #error(text: (token: Token) => Localized): FormulaError {
    return new FormulaError(text(this.#token), this.#token.position)
  }

  /** The next token if it is one of these signs or words. */
  #take(kind: 'sign' | 'word', values: readonly string[]): string | undefined {
    const { kind: found, value } = this.#token
    if (found !== kind || !values.includes(value as string)) return undefined
    this.#at++
    return value as string
  }

  #require(sign: string): void {
    if (this.#take('sign', [sign]) === undefined) throw this.#error((token) => expected(sign, token))
  }

  /** Bounds the recursion. */
  #nested(parse: () => Node): Node {
    if (++this.#depth > MAX_DEPTH) throw this.#error(() => tooDeep)
    const node = parse()
    this.#depth--
    return node
  }

  #or(): Node {
    let left = this.#and()
    while (this.#take('word', ['or'])) left = either(left, this.#and(), true)
    return left
  }

  #and(): Node {
    let left = this.#not()
    while (this.#take('word', ['and'])) left = either(left, this.#not(), false)
    return left
  }

  #not(): Node {
    if (!this.#take('word', ['not'])) return this.#comparison()
    const operand = this.#nested(() => this.#not())
    return (read) => {
      const value = operand(read)
      return typeof value === 'boolean' ? !value : null
    }
  }

  #comparison(): Node {
    const left = this.#sum()
    const sign = this.#take('sign', COMPARISONS)
    if (sign === undefined) return left
    const node = binary(sign, left, this.#sum())
    if (this.#take('sign', COMPARISONS) !== undefined) throw this.#error(() => chained)
    return node
  }

  #sum(): Node {
    let left = this.#product()
    for (let sign; (sign = this.#take('sign', ['+', '-'])) !== undefined;) left = binary(sign, left, this.#product())
    return left
  }

  #product(): Node {
    let left = this.#signed()
    for (let sign; (sign = this.#take('sign', ['*', '/'])) !== undefined;) left = binary(sign, left, this.#signed())
    return left
  }

  #signed(): Node {
    const sign = this.#take('sign', ['-', '+'])
    if (sign === undefined) return this.#operand()
    const operand = this.#nested(() => this.#signed())
    return (read) => {
      const value = operand(read)
      return typeof value === 'number' ? (sign === '-' ? 0 - value : value) : null
    }
  }

  #operand(): Node {
    const token = this.#token
    this.#at++
    switch (token.kind) {
      case 'number':
      case 'text': {
        const { value } = token
        return () => value
      }
      case 'key':
        this.#keys.add(token.value)
        return (read) => read(token.value)
      case 'word':
        if (token.value === 'true' || token.value === 'false') return () => token.value === 'true'
        return this.#call(token)
      case 'sign':
        if (token.value === '(') return this.#group()
    }
    this.#at--
    throw this.#error(unexpected)
  }

  #group(): Node {
    const node = this.#nested(() => this.#or())
    this.#require(')')
    return node
  }

  #call({ value: name, position }: Token & { kind: 'word' | 'text' | 'key' | 'sign' }): Node {
    const called = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
    const takes = name === 'if' ? ([3, 3] as const) : called?.takes
    if (takes === undefined) throw new FormulaError(unknownFunction(name), position)
    this.#require('(')
    const operands: Node[] = []
    if (!this.#take('sign', [')'])) {
      do operands.push(this.#nested(() => this.#or()))
      while (this.#take('sign', [',']))
      this.#require(')')
    }
    if (operands.length < takes[0] || operands.length > takes[1])
      throw new FormulaError(wrongCount(name, takes), position)
    if (called === undefined) return choice(operands[0]!, operands[1]!, operands[2]!)
    return (read) => {
      const values: NonNullable<Value>[] = []
      for (const operand of operands) {
        const value = operand(read)
        if (value === null) return null
        values.push(value)
      }
      return called.call(...values)
    }
  }
}

function binary(sign: string, left: Node, right: Node): Node {
  const calculate = BINARY[sign]!
  return (read) => {
    const [a, b] = [left(read), right(read)]
    return a === null || b === null ? null : calculate(a, b)
  }
}

/** `or` if `decisive` is true, `and` if it is false: that value of one side decides, even if the other side is null. */
const either =
  (left: Node, right: Node, decisive: boolean): Node =>
  (read) => {
    const a = left(read)
    if (a === decisive) return decisive
    const b = right(read)
    if (b === decisive) return decisive
    return typeof a === 'boolean' && typeof b === 'boolean' ? !decisive : null
  }

/** Only the chosen branch is evaluated. */
const choice =
  (condition: Node, yes: Node, no: Node): Node =>
  (read) => {
    const chosen = condition(read)
    return typeof chosen === 'boolean' ? (chosen ? yes(read) : no(read)) : null
  }
