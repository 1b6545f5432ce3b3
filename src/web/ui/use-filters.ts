/** The filters above a list. Those of a table for administrators are in its address (`ui/table/`). */

import { useState } from 'react'

type Chosen<Value> = Exclude<Value, '' | false | null | undefined>

export interface Filters<Values extends object> {
  readonly filters: Values
  readonly set: (part: Partial<Values>) => void
  /** Those that are set: without empty texts, choices that were not made, and switches that are off. */
  readonly query: { readonly [Name in keyof Values]?: Chosen<Values[Name]> }
}

export function useFilters<Values extends object>(initial: Values): Filters<Values> {
  const [filters, setFilters] = useState(initial)
  const isSet = (value: unknown) => value !== '' && value !== false && value !== null && value !== undefined
  return {
    filters,
    set: (part) => setFilters((now) => ({ ...now, ...part })),
    query: Object.fromEntries(Object.entries(filters).filter(([, value]) => isSet(value))) as Filters<Values>['query'],
  }
}
