/** Decisions about fields. */

import type { FieldType } from '#db/schema/meta.ts'
import { HOUR } from '#platform/clock.ts'

import type { CreateField } from './fields.model.ts'

/** Types whose values can have several rows. */
export const hasSeveralParts = (type: FieldType): boolean =>
  ['MULTI_SELECT', 'CHECKBOX', 'ATTACHMENT', 'PHOTO'].includes(type)

/**
 * Whether the fields that a formula names lead back to the field itself. `uses`: the fields that each other formula names.
 */
export function makesCycle(
  fieldId: number,
  named: readonly number[],
  uses: ReadonlyMap<number, readonly number[]>,
): boolean {
  const seen = new Set<number>()
  const open = [...named]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === fieldId) return true
    if (seen.has(id)) continue
    seen.add(id)
    open.push(...(uses.get(id) ?? []))
  }
  return false
}

/**
 * Deleted fields stay as rows with their configuration, so the limits of fields alone do not bound them: a long configuration counts
 * as several fields, and a user can add 10 MB in an hour.
 */
export const CREATE_BUDGET = {
  name: 'metadata fields',
  counts: { en: 'new fields', zh: '新字段' },
  per: 'user',
  limit: 1000,
  windowMs: HOUR,
  cost: ({ body: { config } }: { readonly body: Pick<CreateField, 'config'> }) =>
    1 + Math.floor(JSON.stringify(config ?? {}).length / CHARACTERS_PER_FIELD),
} as const
const CHARACTERS_PER_FIELD = 10_000

/** A change of type compares all values of the field. */
export const UPDATE_BUDGET = {
  name: 'metadata field changes',
  counts: { en: 'changes of fields', zh: '字段修改次数' },
  per: 'user',
  limit: 1000,
  windowMs: HOUR,
} as const
