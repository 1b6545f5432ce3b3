/** Whether the browser promises not to delete what the page keeps. Otherwise Chromium deletes it when the disk is full, Safari after seven days. */

import { useSyncExternalStore } from 'react'

let isPersistent: boolean | undefined
const listeners = new Set<() => void>()

/** Asks for the promise. Called when something begins that this browser will have the only copy of. Firefox asks the user. */
export function askForPersistence(): void {
  void (async () => {
    // Missing without https.
    isPersistent = (await navigator.storage?.persist?.().catch(() => false)) ?? false
    for (const listener of listeners) listener()
  })()
}

/** Undefined until it is known. */
export const usePersistence = (): boolean | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isPersistent,
  )
