/** Lists that can become long. */

import { type ReactNode, useDeferredValue } from 'react'

/**
 * Styles of a row: the browser neither lays out nor paints rows outside the window. They stay in the page, so that they are found by the search
 * of the browser, by Tab and by screen readers.
 */
export const WINDOWED = {
  contentVisibility: 'auto',
  // Until it is seen, a row is taken to be as high as most are; afterwards the browser remembers.
  containIntrinsicSize: 'auto 84px',
} as const

/** More than a screen shows. */
const AT_ONCE = 12

export interface RowsInTimeProps<Row> {
  rows: readonly Row[]
  /** The rows were known when the page was opened: all come at once, since "back" leads to a place among them. */
  isBack: boolean
  children: (rows: readonly Row[]) => ReactNode
}

/** Draws the first rows at once and the others in the time that the page has left, so that a slow phone soon shows something. */
export function RowsInTime<Row>({ rows, isBack, children }: RowsInTimeProps<Row>): ReactNode {
  return children(useDeferredValue(rows, isBack ? rows : rows.slice(0, AT_ONCE)))
}
