/** Filters of lists by fields: `field.<id>`, `field.<id>.min` and `field.<id>.max` of a query. Pure. */

import type { FieldProblem } from '#http/errors.ts'

import { type Condition, filterOf, type GivenFilter, isProblem, matchesResult } from '../types/types.rules.ts'
import type { FieldSet } from './reading.rules.ts'
import { notAnId, tooManyFilters, unknownField } from './values.errors.ts'
import { type FieldRow, MAX_FILTERS } from './values.model.ts'

export interface FieldFilter {
  readonly field: FieldRow
  readonly condition: Condition
  /** The fields that the field needs: itself, and for COMPUTED those of its formula. */
  readonly needs: FieldSet
}

const PARAMETER = /^field\.(\d{1,15})(?:\.(min|max))?$/

export interface NamedFilter {
  readonly fieldId: number
  readonly given: GivenFilter
}

/** Filters by field, in the order of the query. Parameters without a value are absent. */
export function filtersIn(query: Readonly<Record<string, string>>): NamedFilter[] | FieldProblem {
  const filters = new Map<number, GivenFilter>()
  for (const [name, value] of Object.entries(query)) {
    if (!name.startsWith('field.') || value.trim() === '') continue
    const [, id, bound = 'equal'] = PARAMETER.exec(name) ?? []
    if (id === undefined) return { path: `query.${name}`, text: notAnId }
    filters.set(Number(id), { ...filters.get(Number(id)), [bound]: value })
    if (filters.size > MAX_FILTERS) return { path: `query.${name}`, text: tooManyFilters(MAX_FILTERS) }
  }
  return [...filters].map(([fieldId, given]) => ({ fieldId, given }))
}

/** `path`: of a parameter, for problems. */
export function filterIn(
  fields: FieldSet,
  { fieldId, given }: NamedFilter,
  path: (name: 'equal' | 'min' | 'max') => string,
): FieldFilter | FieldProblem {
  const field = fields.byId.get(fieldId)
  const names = (['equal', 'min', 'max'] as const).filter((name) => given[name])
  if (field === undefined) return { path: path(names[0]!), text: unknownField }
  for (const name of names) {
    const problem = filterOf(field, { [name]: given[name] })
    if (isProblem(problem)) return { path: path(name), text: problem }
  }
  const condition = filterOf(field, given)
  if (isProblem(condition)) return { path: path(names[0]!), text: condition }
  return { field, condition, needs: fields.neededBy(field) }
}

/** Whether rows have to be read to know whether they match, so that a list is searched in slices (db/search.ts). */
export const needsSearch = (filters: readonly FieldFilter[]): boolean =>
  filters.some(({ field, condition }) => field.type === 'COMPUTED' || condition.kind === 'contains')

export const computedFilters = (filters: readonly FieldFilter[]): FieldFilter[] =>
  filters.filter(({ field }) => field.type === 'COMPUTED')

/** Whether a value as JSON, with ids for references and files, meets the condition. */
export function meets(condition: Condition, value: unknown): boolean {
  if (condition.kind === 'contains')
    return value !== null && String(value).toLowerCase().includes(condition.text.toLowerCase())
  if (condition.kind === 'options')
    return (Array.isArray(value) ? value : [value]).some((key) => condition.keys.includes(key as string))
  return matchesResult(condition, value as Parameters<typeof matchesResult>[1])
}

type SortKey = string | number | null

/** By which values are sorted: texts by their first 100 characters without case, as stored ones by their keys. Null: without order. */
export const sortKey = (value: unknown): SortKey =>
  typeof value === 'string'
    ? value.slice(0, KEY_LENGTH).toLowerCase()
    : value === null || typeof value === 'object'
      ? null
      : Number(value)

const KEY_LENGTH = 100

/** Null comes last. */
export function compareKeys(a: SortKey, b: SortKey): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return a < b ? -1 : Number(a > b)
}
