/** The check-in list of a gate, which is the same when its page is opened again. */

import { useCallback, useEffect, useMemo, useState } from 'react'

import { storage } from '../../../browser/storage.ts'
import type { GateServer } from './gate-server.ts'
import { GateStore, type ListChoice } from './gate-store.ts'

/** A list to choose, or with the id null the entrance of the activity. */
export interface ListOption extends Omit<ListChoice, 'id'> {
  readonly id: number | null
}

export const ENTRANCE: ListOption = { id: null, name: '' }

/**
 * The chosen list, which is the same object as long as it means the same; undefined for the entrance.
 *
 * @param gate distinguishes gates of this browser
 * @param options the first one is chosen until the user chooses. Undefined as long as they are unknown: then it is the list of the last visit
 */
export function useListChoice(
  gate: string,
  options: readonly ListOption[] | undefined,
): readonly [list: ListChoice | undefined, choose: (id: number | null) => void] {
  const key = `tessera.gateList.${gate}`
  const [kept, setKept] = useState(() => (JSON.parse(storage.getItem(key) ?? 'null') ?? ENTRANCE) as ListOption)
  const known = options === undefined ? kept : (options.find(({ id }) => id === kept.id) ?? options[0] ?? ENTRANCE)
  // Lists are read again from time to time, with other counts.
  const text = JSON.stringify({ id: known.id, name: known.name, templateIds: known.templateIds ?? [] })
  const list = useMemo((): ListChoice | undefined => {
    const { id, ...rest } = JSON.parse(text) as ListOption
    return id === null ? undefined : { id, ...rest }
  }, [text])
  const choose = useCallback(
    (id: number | null) => {
      const { name = '', templateIds = [] } = options?.find((one) => one.id === id) ?? ENTRANCE
      storage.setItem(key, JSON.stringify({ id, name, templateIds }))
      setKept({ id, name, templateIds })
    },
    [key, options],
  )
  return [list, choose]
}

/** Lists whose rules are read in advance. */
const PREPARED = 20

/** Prepares the lists, so that another one can be chosen without a connection. That of the gate is kept fresh by the gate itself. */
export function usePreparedLists(server: GateServer, options: readonly ListOption[] | undefined): void {
  const text = JSON.stringify((options ?? []).map(({ id, name, templateIds }) => ({ id, name, templateIds })))
  useEffect(() => {
    let isGone = false
    const prepare = async () => {
      for (const { id, ...list } of (JSON.parse(text) as ListOption[]).slice(0, PREPARED))
        if (!isGone && id !== null) await new GateStore(server, { id, ...list }).prepare()
    }
    // Without a connection they stay as they are.
    void prepare().catch(() => undefined)
    return () => {
      isGone = true
    }
  }, [server, text])
}
