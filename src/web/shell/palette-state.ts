/** Whether the command palette is open. */

import { useSyncExternalStore } from 'react'

let isOpen = false
let opener: Element | null = null
const listeners = new Set<() => void>()

function set(next: boolean): void {
  isOpen = next
  for (const listener of listeners) listener()
}

export function openPalette(): void {
  if (isOpen) return
  opener = document.activeElement
  set(true)
}

export const closePalette = (): void => set(false)

export const togglePalette = (): void => (isOpen ? closePalette() : openPalette())

/** The element that had the focus when the palette was opened. */
export const paletteOpener = (): Element | null => opener

export const usePaletteIsOpen = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => isOpen,
  )

/** The key with which it opens, as people read it. */
export const PALETTE_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'
export const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (PALETTE_KEY === '⌘ K' ? metaKey : ctrlKey) && !altKey && !shiftKey
