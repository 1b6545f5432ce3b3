/** The limits of the fields of an operation, and the values that break them. */

import { LIMITS } from '../api/limits.gen.ts'
import type { OperationId } from '../api/types.ts'

export interface Limits {
  readonly required?: boolean
  /** Characters as people count them. */
  readonly length?: number
  readonly min?: number
  readonly max?: number
  readonly isWhole?: boolean
  readonly choices?: readonly string[]
}

const parsed = new Map<OperationId, Readonly<Record<string, Limits>>>()

/** By the path of the field: `checkInConfig.radiusMeters`. */
export function limitsOf(id: OperationId): Readonly<Record<string, Limits>> {
  let limits = parsed.get(id)
  if (limits === undefined) {
    limits = Object.fromEntries((LIMITS[id] ?? '').split(', ').map(parseField))
    parsed.set(id, limits)
  }
  return limits
}

/** `name! length=100`, as scripts/web-client.ts writes it. */
function parseField(text: string): [path: string, limits: Limits] {
  const [name = '', ...rest] = text.split(' ')
  const options = Object.fromEntries(
    rest.map((option) => {
      const [key = '', value = ''] = option.split('=')
      return [key, key === 'choices' ? value.split('|') : key === 'isWhole' ? true : Number(value)]
    }),
  ) as Limits
  const required = name.endsWith('!')
  return [required ? name.slice(0, -1) : name, { ...options, required }]
}

const characters = new Intl.Segmenter()

/** The kind of problem, and the limit that is broken. */
export type LimitProblem = 'number' | 'whole' | readonly [kind: 'long' | 'least' | 'most', limit: number]

export function problemWith(value: unknown, limits: Limits | undefined): LimitProblem | undefined {
  const { length = Infinity, min = -Infinity, max = Infinity, isWhole = false } = limits ?? {}
  // An emoji has several units but is one character.
  if (typeof value === 'string')
    return value.length > length && [...characters.segment(value.trim())].length > length ? ['long', length] : undefined
  if (typeof value !== 'number') return undefined
  if (Number.isNaN(value)) return 'number'
  if (isWhole && !Number.isInteger(value)) return 'whole'
  if (value < min) return ['least', min]
  return value > max ? ['most', max] : undefined
}
