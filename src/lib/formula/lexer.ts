/** Splits a formula into tokens. */

import type { Localized } from '../localized.ts'

/** Why a formula is refused. */
export class FormulaError extends Error {
  override name = 'FormulaError'
  constructor(
    /** Continues a sentence that begins with the formula. */
    readonly text: Localized,
    /** Where in the formula, in UTF-16 units from 0. */
    readonly position: number,
  ) {
    super(text.en)
  }
}

/** `word` is the name of a function, or `and`, `or`, `not`, `true`, `false`, in lower case. */
export type Token = {
  readonly position: number
} & (
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text' | 'key' | 'word' | 'sign'; readonly value: string }
  | { readonly kind: 'end'; readonly value: '' }
)

const SPACE = /\s*/y
const NUMBER = /\d{1,300}(?:\.\d{1,300})?/y
const KEY = /\{\s*([a-z][A-Za-z0-9]{0,39})\s*\}/y
const TEXT = /"((?:[^"\\]|\\["\\nt])*)"/y
const WORD = /[A-Za-z]+/y
const SIGN = /!=|<=|>=|[-+*/()=<>,]/y
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t' }

/** @throws FormulaError */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let position = 0
  const take = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = position
    return form.exec(source)
  }
  for (;;) {
    position += take(SPACE)![0].length
    if (position === source.length) return [...tokens, { kind: 'end', value: '', position }]
    const { token, length } = read(take, source, position)
    tokens.push({ ...token, position } as Token)
    position += length
  }
}

function read(take: (form: RegExp) => RegExpExecArray | null, source: string, position: number) {
  let match: RegExpExecArray | null
  if ((match = take(NUMBER)))
    return { token: { kind: 'number', value: Number(match[0]) }, length: match[0].length } as const
  if ((match = take(KEY))) return { token: { kind: 'key', value: match[1]! }, length: match[0].length } as const
  if ((match = take(TEXT))) {
    const value = match[1]!.replace(/\\(.)/g, (_, c: string) => ESCAPED[c] ?? c)
    return { token: { kind: 'text', value }, length: match[0].length } as const
  }
  if ((match = take(WORD)))
    return { token: { kind: 'word', value: match[0].toLowerCase() }, length: match[0].length } as const
  if ((match = take(SIGN))) return { token: { kind: 'sign', value: match[0] }, length: match[0].length } as const
  throw new FormulaError(unreadable(source.slice(position)), position)
}

function unreadable(rest: string): Localized {
  if (rest.startsWith('"'))
    return {
      en: 'contains a text whose end is missing, or an escape other than \\" \\\\ \\n \\t',
      zh: '包含未结束的文本，或 \\" \\\\ \\n \\t 以外的转义',
    }
  if (rest.startsWith('{'))
    return { en: 'contains a malformed key: write {key}', zh: '字段标识格式不正确，应写作 {key}' }
  const [character = ''] = rest
  return { en: `contains an unexpected character: ${character}`, zh: `包含意外的字符：${character}` }
}
