/**
 * Patterns that users write, in the syntax of RE2: matching takes at most (instructions × characters) steps, where the engines of
 * JavaScript can take years. Three things still need a bound, because patterns are compiled and matched on the thread that serves
 * everyone: `a{1000}` has 1,000 instructions and nested repetitions multiply, which is computed before re2js compiles; a class that
 * ignores case visits every character of its ranges; and each compiled pattern keeps tables.
 */

import { LRUCache } from 'lru-cache'
import type * as Re2 from 're2js'

import type { Localized } from './localized.ts'

export const MAX_PATTERN = 500
/** Of a compiled pattern. A text of 1,000 characters takes at most 2.5 million steps, about 40 ms (measured on one core of 2 GHz). */
export const MAX_INSTRUCTIONS = 2500
const MAX_STEPS = 2_500_000
/** Each visits up to 125,000 characters, about 2 ms. */
const MAX_FOLDED_RANGES = 10
/** For tables of states. With re2js's 8 MB, hostile patterns take three times as long, since they fill the tables and throw them away. */
const STATES_BYTES = 256 * 1024
/** Of all compiled patterns that are kept, with those of STATES_BYTES: about 100 usual patterns, or 20 of the largest ones (60 MB). */
const KEPT_INSTRUCTIONS = 60_000
const TABLE_INSTRUCTIONS = 500

const kept = new LRUCache<string, Re2.RE2JS>({
  maxSize: KEPT_INSTRUCTIONS,
  sizeCalculation: (compiled) => compiled.programSize() + TABLE_INSTRUCTIONS,
})

/** Why the pattern is refused, or undefined. Continues a sentence that begins with the pattern. */
export function patternProblem(source: string): Localized | undefined {
  const compiled = compilePattern(source)
  return 'en' in compiled ? compiled : undefined
}

/** Whether the pattern matches the whole text. `undefined`: the text is too long for this pattern, or the pattern is refused. */
export function matchesPattern(source: string, text: string): boolean | undefined {
  const compiled = compilePattern(source)
  if ('en' in compiled || patternSteps(source, text) > MAX_STEPS) return undefined
  return compiled.testExact(text)
}

/** The most steps that matching the text can take: instructions × UTF-16 units. 0 for a pattern that is refused. */
export function patternSteps(source: string, text: string): number {
  const compiled = compilePattern(source)
  return 'en' in compiled ? 0 : compiled.programSize() * text.length
}

/** re2js has 260 KB and is loaded with the first pattern. */
function engine(): typeof Re2 {
  return require('re2js') as typeof Re2
}

/** Compiles the pattern, or explains why it is refused. Recently used patterns are kept. */
export function compilePattern(source: string): Re2.RE2JS | Localized {
  const known = kept.get(source)
  if (known !== undefined) return known
  if (source.length > MAX_PATTERN)
    return { en: `must have at most ${MAX_PATTERN} characters`, zh: `最多 ${MAX_PATTERN} 个字符` }
  const unsupported = unsupportedProblem(source)
  if (unsupported !== undefined) return unsupported
  const { instructions, foldedRanges } = sizeBound(source)
  if (instructions > MAX_INSTRUCTIONS || foldedRanges > MAX_FOLDED_RANGES) return tooLarge
  const { RE2JS, RE2JSException } = engine()
  try {
    const compiled = RE2JS.compile(source)
    const states = compiled.re2().dfa
    states.stateBudget = states.memBudget = STATES_BYTES
    kept.set(source, compiled)
    return compiled
  } catch (error) {
    if (error instanceof RE2JSException) return malformed(error.message)
    throw error
  }
}

const tooLarge: Localized = {
  en: 'is too large: use fewer or smaller repetitions, and fewer ranges if it ignores case',
  zh: '过大：请减少重复次数；忽略大小写时请减少字符范围',
}
const malformed = (message: string): Localized => {
  const reason = message.replace(/^error parsing regexp: /, '')
  return { en: `is not a pattern in RE2 syntax: ${reason}`, zh: `不是有效的 RE2 表达式：${reason}` }
}

/**
 * A class `[…]`, an escape with its braces, or literal text `\Q…\E` is one token, so that nothing in it is taken for a group or a
 * repetition. The first `]` of a class is a character, and so is a `[` that does not begin `[:alpha:]`.
 */
const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\[pP](?:\{[^}]*\}|[^])|\\x\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\(\?<?[=!]|\(\?P=|\(\?P?<[^>]*>|\(\?[a-zA-Z-]*[:)]|\{\d+(?:,\d*)?\}|[^]/gu

const tokens = (source: string): string[] => source.match(TOKEN) ?? []

const LOOK_AROUND = /^\(\?<?[=!]/
const BACK_REFERENCE = /^(?:\\[1-9k]|\(\?P=)/

/** re2js reports look-around and back references as wrong syntax, which does not help people who know them from other engines. */
function unsupportedProblem(source: string): Localized | undefined {
  for (const token of tokens(source)) {
    if (LOOK_AROUND.test(token))
      return { en: 'must not contain look-around: (?= (?! (?<= (?<!', zh: '不能包含环视：(?= (?! (?<= (?<!' }
    if (BACK_REFERENCE.test(token)) return { en: 'must not contain back references', zh: '不能包含反向引用' }
  }
  return undefined
}

/** An open group, or the whole pattern. */
interface Group {
  /** Instructions of finished items. */
  total: number
  /** Instructions of the last item, which a repetition repeats. */
  last: number
  /** Whether the present alternative has no item yet: an empty one has an instruction too. */
  isEmpty: boolean
  readonly captures: boolean
}

const newGroup = (captures: boolean): Group => ({ total: 0, last: 0, isEmpty: true, captures })
/** The first and the last instruction of every program. */
const FRAME = 2

const IGNORES_CASE = /\(\?[a-zA-Z]*i/
/** The end of a range of a class, beyond ASCII. */
const WIDE_END = /-(?:[^\0-\x7f]|\\x)/gu

/**
 * At least as many instructions as the compiled pattern has, from its structure alone: characters, groups and repetitions. Texts that
 * are not patterns get any number, and re2js refuses them. `foldedRanges`: long ranges in a pattern that ignores case.
 */
export function sizeBound(source: string): { readonly instructions: number; readonly foldedRanges: number } {
  const groups = [newGroup(false)]
  let group = groups[0]!
  let foldedRanges = 0
  const foldsCase = IGNORES_CASE.test(source)
  for (const token of tokens(source)) {
    if (foldsCase && token.startsWith('[')) foldedRanges += token.match(WIDE_END)?.length ?? 0
    const repeated = repetition(group.last, token)
    if (repeated !== undefined) group.last = repeated
    else if (token === '|') {
      add(group, group.isEmpty ? 2 : 1)
      group.isEmpty = true
    } else if (token === ')') {
      if (groups.length === 1) continue
      const size = sizeOf(groups.pop()!)
      group = groups.at(-1)!
      add(group, size)
    } else if (token === '(' || /^\(\?.*[:>]$/u.test(token)) groups.push((group = newGroup(!token.endsWith(':'))))
    // `(?i)` is no instruction.
    else if (!token.startsWith('(?')) for (const _ of token.startsWith('\\Q') ? token : 'x') add(group, 1)
  }
  return { instructions: groups.reduce((sum, open) => sum + sizeOf(open), FRAME), foldedRanges }
}

function add(group: Group, instructions: number): void {
  group.total += group.last
  group.last = instructions
  group.isEmpty = false
}

const sizeOf = ({ total, last, isEmpty, captures }: Group): number =>
  total + last + (isEmpty ? 1 : 0) + (captures ? 2 : 0)

const REPETITION = /^\{(\d+)(,?)(\d*)\}$/

/** The size of a repeated item, or undefined if the token is not a repetition. */
function repetition(size: number, token: string): number | undefined {
  if (token === '?' || token === '+') return size + 1
  if (token === '*') return size + 2
  const [, least = '', comma = '', most = ''] = REPETITION.exec(token) ?? []
  if (least === '') return undefined
  const [min, max] = [Number(least), Number(most || least)]
  // `x{3,}` is xxx+. Optional copies, as in `x{2,5}`, have a branch each.
  return size * Math.max(1, max) + (comma === '' ? 0 : most === '' ? 2 : Math.max(0, max - min)) + (max === 0 ? 1 : 0)
}
