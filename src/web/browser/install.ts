/**
 * Installing the web application on a phone or computer. Chromium reports that it is possible by an event, soon after the page was loaded; others
 * have an entry in their menus.
 */

import { useSyncExternalStore } from 'react'

interface InstallPrompt extends Event {
  prompt: () => Promise<void>
}

let prompt: InstallPrompt | undefined
const listeners = new Set<() => void>()
const set = (next: InstallPrompt | undefined): void => {
  prompt = next
  for (const listener of listeners) listener()
}

/** Listens for the event. Called once, before the page is drawn. */
export function startInstall(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    set(event as InstallPrompt)
  })
  window.addEventListener('appinstalled', () => set(undefined))
}

/** Shows the browser's question. Undefined if the browser has none. */
export function useInstall(): (() => void) | undefined {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => prompt,
  )
  return current && (() => void current.prompt().then(() => set(undefined)))
}

/** Whether the web application runs as an installed application. */
export const isInstalled = (): boolean => matchMedia('(display-mode: standalone)').matches
