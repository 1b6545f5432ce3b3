/** Which templates are in force for an entity, and their fields. */

import { HOUR } from '#platform/clock.ts'

/** ENTITY: bound to the entity itself; CATEGORY: bound to its category; DEFAULT: the default template, because there is no other. */
export const SOURCES = ['ENTITY', 'CATEGORY', 'DEFAULT'] as const
export type Source = (typeof SOURCES)[number]

/** Templates in force, the default ones first. */
export function inOrder<T extends { readonly id: number; readonly isDefault: boolean }>(
  bound: readonly T[],
  ofCategory: readonly T[],
  fallback: T | undefined,
): { template: T; source: Source }[] {
  const boundIds = new Set(bound.map(({ id }) => id))
  const all = [
    ...bound.map((template) => ({ template, source: 'ENTITY' as const, isFirst: template.isDefault })),
    // The first one is the default of the category.
    ...ofCategory.map((template, i) => ({ template, source: 'CATEGORY' as const, isFirst: i === 0 })),
  ]
    .filter(({ template, source }) => source === 'ENTITY' || !boundIds.has(template.id))
    .toSorted((a, b) => Number(b.isFirst) - Number(a.isFirst))
    .map(({ template, source }) => ({ template, source }))
  return all.length === 0 && fallback !== undefined ? [{ template: fallback, source: 'DEFAULT' }] : all
}

export interface FieldInForce {
  readonly fieldId: number
  /** The first template in force that has the field. */
  readonly templateId: number
  readonly group: string
  /** From 0, over all templates in force. */
  readonly order: number
  /** Whether any of the templates requires it. */
  readonly required: boolean
}

/** The fields of templates in force. A field of several templates counts once. */
export function mergeFields(
  templates: readonly {
    readonly templateId: number
    readonly fields: readonly { readonly fieldId: number; readonly group: string; readonly required: boolean }[]
  }[],
): FieldInForce[] {
  const merged = new Map<number, FieldInForce>()
  for (const { templateId, fields } of templates)
    for (const { fieldId, group, required } of fields) {
      const known = merged.get(fieldId)
      if (known === undefined) merged.set(fieldId, { fieldId, templateId, group, order: merged.size, required })
      else if (required) merged.set(fieldId, { ...known, required })
    }
  return [...merged.values()]
}

/** Deleted templates stay as rows, so the limit of templates alone does not bound them. */
export const CREATE_BUDGET = {
  name: 'metadata templates',
  counts: { en: 'new templates', zh: '新模板' },
  per: 'user',
  limit: 500,
  windowMs: HOUR,
} as const
