/** The values of new passes. Pure. */

import type { PassConfig } from '#db/schema/activities.ts'
import type { PassField, passTemplates } from '#db/schema/passes.ts'
import type { FieldProblem } from '#http/errors.ts'
import { DAY } from '#platform/clock.ts'

import { problem } from '../activities.errors.ts'
import { MAX_FIELDS } from './pass-issues.model.ts'

type Template = Pick<
  typeof passTemplates.$inferSelect,
  'color' | 'fields' | 'validFrom' | 'validTo' | 'validDays' | 'maxUses'
>

interface Given {
  readonly validFrom?: number | null
  readonly validTo?: number | null
  readonly maxUses?: number | null
}

export interface PassValues {
  readonly validFrom: number | null
  /** Null: it follows the activity. */
  readonly validTo: number | null
  readonly followsActivity: boolean
  /** 0 = unlimited. */
  readonly maxUses: number
}

/** The first that says something decides: the request, the template, the activity. */
export function valuesOf(
  given: Given,
  template: Template | undefined,
  { passConfig }: { readonly passConfig: PassConfig },
  now: number,
): PassValues {
  const validFrom = given.validFrom ?? template?.validFrom ?? passConfig.validFrom
  const afterDays = template?.validDays == null ? null : (validFrom ?? now) + template.validDays * DAY
  const validTo = given.validTo ?? template?.validTo ?? afterDays ?? passConfig.validTo
  return {
    validFrom,
    validTo,
    followsActivity: validTo === null,
    maxUses: given.maxUses ?? template?.maxUses ?? passConfig.maxUses ?? 1,
  }
}

export const MAX_LABEL = 50

export const unknownField = problem('is not a field of the template', '不是模板中的字段')
export const tooManyFields = problem(`must have at most ${MAX_FIELDS} fields`, `最多 ${MAX_FIELDS} 个字段`)
export const badLabel = problem(
  `must be a label of at most ${MAX_LABEL} visible characters`,
  `须为不超过 ${MAX_LABEL} 个可见字符的标签`,
)

/**
 * The fields of a pass, in the order of the template; without a template the keys are the labels. Empty values are left out. `problems`
 * collects keys that are refused.
 */
export function fieldsOf(
  values: Readonly<Record<string, string>>,
  template: Pick<Template, 'fields'> | undefined,
  path: string,
  problems: FieldProblem[],
): PassField[] {
  const keys = Object.keys(values)
  if (template !== undefined) {
    const known = new Set(template.fields.map(({ key }) => key))
    for (const key of keys) if (!known.has(key)) problems.push(unknownField(`${path}.${key.slice(0, MAX_LABEL)}`))
    return template.fields.flatMap(({ key, label }) => {
      const value = Object.hasOwn(values, key) ? values[key]! : ''
      return value === '' ? [] : [{ key, label, value }]
    })
  }
  if (keys.length > MAX_FIELDS) {
    problems.push(tooManyFields(path))
    return []
  }
  return keys.flatMap((key) => {
    const value = values[key]!
    if (!isLabel(key)) problems.push(badLabel(`${path}.${key.slice(0, MAX_LABEL)}`))
    return value === '' ? [] : [{ key, label: key, value }]
  })
}

export const isLabel = (key: string): boolean =>
  key.length <= MAX_LABEL && key.trim() === key && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(key)
