/** SELECT, RADIO (one option), MULTI_SELECT and CHECKBOX (several). A removed option stays readable; it cannot be chosen again. */

import type { FieldConfig } from '#db/schema/meta.ts'

import {
  type Check,
  type Condition,
  flag,
  type GivenFilter,
  integer,
  isProblem,
  line,
  mustBeArray,
  mustBeString,
  noOrder,
  type Part,
  part,
  type Problem,
  type TypeRules,
} from './types.model.ts'

export const MAX_OPTIONS = 200
/** Of a text that is split into options. */
const MAX_PIECES = 1000

export interface Option {
  readonly value: string
  readonly label: string
  /** `#rrggbb` */
  readonly color?: string
  readonly disabled?: boolean
}

const optionsOf = (config: FieldConfig): readonly Option[] => (config['options'] ?? []) as readonly Option[]

const optionText = line(100)
const color: Check = (given) =>
  typeof given === 'string' && /^#[\da-f]{6}$/i.test(given)
    ? given.toLowerCase()
    : { en: 'must have colors of the form #rrggbb', zh: '颜色格式须为 #rrggbb' }

function option(given: unknown): Option | Problem {
  const source = (typeof given === 'object' && given !== null ? given : { value: given }) as Record<string, unknown>
  const value = optionText(source['value'])
  if (isProblem(value)) return inOption(value)
  if (value === '') return { en: 'has an option without a value', zh: '存在没有值的选项' }
  const label = optionText(source['label'] ?? value)
  if (isProblem(label)) return inOption(label)
  const [shade, disabled] = [source['color'] || undefined, source['disabled'] ?? undefined]
  const checkedColor = shade === undefined ? undefined : color(shade)
  if (isProblem(checkedColor)) return checkedColor
  const checkedFlag = disabled === undefined ? undefined : flag(disabled)
  if (isProblem(checkedFlag)) return inOption(checkedFlag)
  return {
    value: value as string,
    label: (label as string) || (value as string),
    ...(checkedColor !== undefined && { color: checkedColor as string }),
    ...(checkedFlag === true && { disabled: true }),
  }
}

const inOption = ({ en, zh }: Problem): Problem => ({ en: `has an option that ${en}`, zh: `选项${zh}` })

const options: Check = (given) => {
  if (!Array.isArray(given)) return mustBeArray
  if (given.length === 0) return { en: 'must not be empty', zh: '不能为空' }
  if (given.length > MAX_OPTIONS) return { en: `must have at most ${MAX_OPTIONS} items`, zh: `最多 ${MAX_OPTIONS} 项` }
  const checked: Option[] = []
  for (const item of given) {
    const result = option(item)
    if (isProblem(result)) return result
    checked.push(result)
  }
  if (new Set(checked.map(({ value }) => value)).size < checked.length)
    return { en: 'must not contain a value twice', zh: '选项的值不能重复' }
  return checked
}

const unknownOption = (value: string): Problem => ({
  en: `is not an option of the field: ${value.slice(0, 100)}`,
  zh: `不是该字段的选项：${value.slice(0, 100)}`,
})
const disabledOption = (value: string): Problem => ({
  en: `can no longer be chosen: ${value}`,
  zh: `该选项已停用：${value}`,
})

/** The problem of a chosen option. Options that the value has already may stay. */
function choiceProblem(config: FieldConfig, value: string, before: readonly Part[]): Problem | undefined {
  if (before.some(({ key }) => key === value)) return undefined
  const found = optionsOf(config).find((option) => option.value === value)
  if (found === undefined) return unknownOption(value)
  return found.disabled === true ? disabledOption(value) : undefined
}

/** In the order of the options; removed ones at the end. */
function inOrder(config: FieldConfig, values: readonly string[]): string[] {
  const places = new Map(optionsOf(config).map(({ value }, i) => [value, i]))
  return values.toSorted((a, b) => (places.get(a) ?? MAX_OPTIONS) - (places.get(b) ?? MAX_OPTIONS))
}

/** The option that a text in a spreadsheet means: its value, or else its label. Texts that mean none are returned unchanged. */
function optionValue(config: FieldConfig, text: string): string {
  const trimmed = text.trim()
  const all = optionsOf(config)
  const lower = trimmed.toLowerCase()
  const found =
    all.find(({ value }) => value === trimmed) ??
    all.find(({ label }) => label === trimmed) ??
    all.find(({ value, label }) => value.toLowerCase() === lower || label.toLowerCase() === lower)
  return found?.value ?? trimmed
}

/** The label, unless reading it would give another option. */
function optionLabel(config: FieldConfig, value: string): string {
  const label = optionsOf(config).find((option) => option.value === value)?.label ?? value
  return optionValue(config, label) === value ? label : value
}

/** UTF-16 units of a value or label, which have at most 100 characters as people see them. */
const MAX_UNITS = 800

/**
 * Splits a text at a separator into options. A value or label can contain the separator itself, so that the longest run of pieces that
 * is an option counts as one.
 */
function split(text: string, separator: string, known: ReadonlySet<string>): string[] {
  const pieces = text.split(separator, MAX_PIECES)
  const found: string[] = []
  for (let from = 0; from < pieces.length;) {
    let run = pieces[from]!
    let [best, next] = [run.trim(), from + 1]
    for (let to = from + 1; to < pieces.length && run.length <= MAX_UNITS; to++) {
      run += separator + pieces[to]
      if (known.has(run.trim())) [best, next] = [run.trim(), to + 1]
    }
    found.push(best)
    from = next
  }
  return found.filter((piece) => piece !== '')
}

function filter(config: FieldConfig, { equal = '', min, max }: GivenFilter): Condition | Problem {
  if (min || max) return noOrder
  const values = new Set(optionsOf(config).map(({ value }) => value))
  return { kind: 'options', keys: split(equal, ',', values) }
}

const ONE: TypeRules = {
  config: { options },
  requires: ['options'],
  stores: 'key',
  parse(config, value, before) {
    if (typeof value !== 'string') return mustBeString
    const problem = choiceProblem(config, value, before)
    return problem ?? [part({ key: value })]
  },
  value: (_, [stored]) => stored!.key,
  toText: (config, value) => optionLabel(config, value as string),
  fromText: (config, cell) => optionValue(config, String(cell)),
  filter,
  order: 'key',
  operand: (_, [stored]) => stored!.key,
  convertsFrom: ['SELECT', 'RADIO', 'TEXT', 'TEXTAREA', 'MULTI_SELECT', 'CHECKBOX'],
}

interface ManyConfig {
  readonly min?: number
  readonly max?: number
}

const SEPARATOR = '; '

const MANY: TypeRules = {
  config: { options, min: integer(0, MAX_OPTIONS), max: integer(1, MAX_OPTIONS) },
  requires: ['options'],
  stores: 'key',
  isList: true,
  ranges: [['min', 'max']],
  parse(config, value, before) {
    const { min, max } = config as ManyConfig
    if (!Array.isArray(value)) return mustBeArray
    if (value.length > 2 * MAX_OPTIONS) return tooMany(MAX_OPTIONS)
    if (!value.every((item) => typeof item === 'string'))
      return { en: 'must be an array of strings', zh: '必须是文本列表' }
    if (new Set(value).size < value.length) return { en: 'must not contain duplicates', zh: '不能有重复项' }
    for (const item of value) {
      const problem = choiceProblem(config, item, before)
      if (problem !== undefined) return problem
    }
    if (min !== undefined && value.length < min) return tooFew(min)
    if (max !== undefined && value.length > max) return tooMany(max)
    return inOrder(config, value).map((key) => part({ key }))
  },
  value: (config, parts) =>
    inOrder(
      config,
      parts.map(({ key }) => key!),
    ),
  toText(config, value) {
    const values = value as readonly string[]
    const candidates = [values.map((item) => optionLabel(config, item)), values].map((texts) => texts.join(SEPARATOR))
    return candidates.find((text) => sameItems(manyFrom(config, text), values)) ?? JSON.stringify(values)
  },
  fromText: (config, cell) => manyFrom(config, String(cell)),
  filter,
  operand: (config, parts) =>
    inOrder(
      config,
      parts.map(({ key }) => key!),
    ).join(SEPARATOR),
  convertsFrom: ['SELECT', 'RADIO', 'MULTI_SELECT', 'CHECKBOX'],
}

const tooFew = (min: number): Problem => ({ en: `must have at least ${min} items`, zh: `至少 ${min} 项` })
const tooMany = (max: number): Problem => ({ en: `must have at most ${max} items`, zh: `最多 ${max} 项` })
const sameItems = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i])

/**
 * Options joined by `;`. A JSON array is written, and read, where that would be ambiguous. The semicolon of Chinese keyboards also
 * separates, if the text means nothing otherwise.
 */
function manyFrom(config: FieldConfig, text: string): string[] {
  const known = new Set(optionsOf(config).flatMap(({ value, label }) => [value, label]))
  const read = (joined: string): string[] => split(joined, ';', known).map((piece) => optionValue(config, piece))
  const values = read(text)
  if (values.every((value) => known.has(value))) return values
  return jsonTexts(text) ?? (text.includes('；') ? read(text.replaceAll('；', ';')) : values)
}

function jsonTexts(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.map(String) : undefined
  } catch {
    return undefined
  }
}

export const OPTIONS = { SELECT: ONE, RADIO: ONE, MULTI_SELECT: MANY, CHECKBOX: MANY }
