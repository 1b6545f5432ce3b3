/** The state of a table for its parts: its buttons, its drawer, and the actions for selected rows. */

import { createContext, useContext } from 'react'

import type { PagedId } from '../../api/pages.ts'
import type { Key, Selection } from './selection.ts'

export type { Key } from './selection.ts'

export interface TableState<Row> {
  readonly operation: PagedId
  /** Of the page that is shown; undefined before the first answer. */
  readonly rows: readonly Row[] | undefined
  /** Of all pages. */
  readonly total: number
  // A method, so that the table of one kind of rows can be passed as one of unknown rows.
  keyOf(this: void, row: Row): Key
  /** The filters and the order, as the operation takes them. */
  readonly query: Readonly<Record<string, string | number>>
  readonly selection: Selection<Row>
}

export const TableContext = createContext<TableState<unknown> | undefined>(undefined)

/** The table around the component. `Row` must be the type of its rows: a context cannot know it. */
export function useTable<Row>(): TableState<Row> {
  const table = useContext(TableContext)
  if (table === undefined) throw new Error('This component belongs in a table')
  return table as TableState<Row>
}
