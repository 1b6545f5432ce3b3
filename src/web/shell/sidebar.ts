/**
 * Whether the menu at the side is open. Remembered on wide windows; on narrow ones, also by zoom, where it would take a third of the width or
 * cover the page, it begins closed.
 */

import { useSyncExternalStore } from 'react'

import { stored } from '../browser/stored.ts'
import { useIsNarrow } from '../ui/use-is-phone.ts'

/** The key is the one of earlier versions. */
const onWide = stored('RaStoretessera.sidebar.open', true)
let isOpenOnNarrow = false
const listeners = new Set<() => void>()

function setOnNarrow(isOpen: boolean): void {
  isOpenOnNarrow = isOpen
  for (const listener of listeners) listener()
}

export function useSidebar(): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const isNarrow = useIsNarrow()
  const wide = onWide.use()
  const narrow = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => isOpenOnNarrow,
  )
  return isNarrow ? [narrow, setOnNarrow] : [wide, onWide.set]
}
