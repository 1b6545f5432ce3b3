/**
 * The selected rows of a list: chosen one by one, all that are shown, or all of its search and filters, which are read page by page.
 * A selection names rows: one that is created later is not part of it.
 */

import { useEffect, useRef, useState } from 'react'

import { type PagedId, readRows } from '../../api/pages.ts'
import { notify } from '../../browser/notices.ts'
import { useOwner } from '../../session/session.ts'
import type { Progress } from '../bulk/use-bulk.ts'

export type Key = string | number

/** The limit of `ids` in lists, exports and the deletion of files. A session may send more than twice as many requests in a minute. */
export const MOST_SELECTED = 500

export interface Selection<Row> {
  /** Rows that are not shown may be selected too. */
  readonly rows: ReadonlyMap<Key, Row>
  readonly isAllShown: boolean
  // Methods, so that a selection of one kind of rows can be passed as one of unknown rows.
  set(this: void, rows: readonly Row[]): void
  toggle(this: void, row: Row, isSelected: boolean): void
  readonly toggleShown: (areSelected: boolean) => void
  /** All rows of the list as it is searched and filtered, while others than these are selected. */
  readonly total: number | undefined
  /** Selects these, or the first `MOST_SELECTED` of them. */
  readonly selectAll: () => void
  /** While they are read. */
  readonly reading: Progress | undefined
  readonly stop: () => void
}

export interface SelectionOptions<Row> {
  operation: PagedId
  query: object
  shown: readonly Row[] | undefined
  total: number
  keyOf: (row: Row) => Key
}

export function useSelection<Row>({
  operation,
  query,
  shown = [],
  total,
  keyOf,
}: SelectionOptions<Row>): Selection<Row> {
  const [rows, setRows] = useState<ReadonlyMap<Key, Row>>(new Map())
  /** The list of which all rows were selected, and how many there were. */
  const [all, setAll] = useState<{ list: string; count: number }>()
  const [reading, setReading] = useState<Progress>()
  const owner = useOwner()?.id
  const [shownOwner, setShownOwner] = useState(owner)
  if (owner !== shownOwner) {
    setShownOwner(owner)
    setRows(new Map())
  }
  const run = useRef<AbortController>(undefined)
  const list = JSON.stringify(query)
  useEffect(() => () => run.current?.abort(), [list])

  const change = (next: ReadonlyMap<Key, Row>) => {
    run.current?.abort()
    setRows(next)
    if (next.size < rows.size) setAll(undefined)
  }
  const mapOf = (some: readonly Row[]) => new Map(some.map((row) => [keyOf(row), row]))
  const selectAll = async () => {
    const controller = new AbortController()
    run.current = controller
    const onRead = (done: number, of: number) => setReading({ done, all: of })
    onRead(0, Math.min(total, MOST_SELECTED))
    const options = { most: MOST_SELECTED, signal: controller.signal, onRead, isFresh: true }
    try {
      const read = mapOf(await readRows<Row>(operation, { query }, options))
      setRows(read)
      setAll({ list, count: read.size })
    } catch (error) {
      if (!controller.signal.aborted) notify((error as Error).message, 'error')
    }
    setReading(undefined)
  }
  const isAllShown = shown.length > 0 && shown.every((row) => rows.has(keyOf(row)))
  const isAll = all?.list === list && all.count >= Math.min(total, MOST_SELECTED)
  const fresh = mapOf(shown)
  const without = (some: readonly Row[]) => {
    const keys = new Set(some.map(keyOf))
    return [...rows.values()].filter((row) => !keys.has(keyOf(row)))
  }
  const toggle = (some: readonly Row[], areSelected: boolean) =>
    change(mapOf(areSelected ? [...without(some), ...some] : without(some)))
  return {
    // As they are now: another action may have changed them.
    rows: new Map([...rows].map(([key, row]) => [key, fresh.get(key) ?? row])),
    isAllShown,
    set: (next) => change(mapOf(next)),
    toggle: (row, isSelected) => toggle([row], isSelected),
    toggleShown: (areSelected) => toggle(shown, areSelected),
    total: isAllShown && shown.length < total && !isAll ? total : undefined,
    selectAll: () => void selectAll(),
    reading,
    stop: () => run.current?.abort(),
  }
}
