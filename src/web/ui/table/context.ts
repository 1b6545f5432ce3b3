/** The state of a table for its parts: its buttons, its drawer, and the actions for selected rows. */

import { createContext, useContext } from 'react'

import type { OperationId } from '../../api/types.ts'

export type Key = string | number

export interface TableContextValue {
  readonly operation: OperationId
  /** Of the page that is shown; undefined before the first answer. */
  // oxlint-disable-next-line typescript/no-explicit-any -- useTable gives it the type of the rows
  readonly rows: readonly any[] | undefined
  /** Of all pages. */
  readonly total: number
  // oxlint-disable-next-line typescript/no-explicit-any -- useTable gives it the type of the rows
  readonly keyOf: (row: any) => Key
  /** The filters and the order, as the operation takes them. */
  readonly query: Readonly<Record<string, string | number>>
  /** Rows of other pages may be selected too. */
  readonly selected: ReadonlySet<Key>
  readonly select: (keys: Iterable<Key>) => void
}

interface Typed<Row> extends TableContextValue {
  readonly rows: readonly Row[] | undefined
  readonly keyOf: (row: Row) => Key
}

export const TableContext = createContext<TableContextValue | undefined>(undefined)

/** The table around the component. */
export function useTable<Row>(): Typed<Row> {
  const table = useContext(TableContext)
  if (table === undefined) throw new Error('This component belongs in a table')
  return table
}
