/** Whether the menu at the side is open. Remembered on wider screens; on phones, where it covers the page, it begins closed. */

import { useSyncExternalStore } from 'react'

import { stored } from '../browser/stored.ts'
import { useIsPhone } from '../ui/use-is-phone.ts'

/** The key is the one of earlier versions. */
const onDesktop = stored('RaStoretessera.sidebar.open', true)
let isOpenOnPhone = false
const listeners = new Set<() => void>()

function setOnPhone(isOpen: boolean): void {
  isOpenOnPhone = isOpen
  for (const listener of listeners) listener()
}

export function useSidebar(): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const isPhone = useIsPhone()
  const desktop = onDesktop.use()
  const phone = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => isOpenOnPhone,
  )
  return isPhone ? [phone, setOnPhone] : [desktop, onDesktop.set]
}
