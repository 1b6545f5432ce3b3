/**
 * Things of the user that only this browser has: sends them, and warns before the page is closed or the session ends. A form that is being
 * filled in is not sent, but the browser asks before it is closed or loaded again.
 */

import { isLeaving } from '../api/tokens.ts'
import type { Localized } from '../i18n/locale.ts'
import { areas } from './areas.ts'

const records = areas.flatMap(({ unsent }) => unsent ?? [])

const notices = (): Localized[] => records.flatMap(({ notice }) => notice() ?? [])

/** Forms that were edited after they were last submitted. */
const edited = new Set<Element>()

function watchForms(): void {
  document.addEventListener('input', ({ target }) => {
    const form = (target as Element).closest('form')
    // The pages of the sign-in are outside the layout.
    if (!form?.closest('#main-content, [role=dialog]')) return
    forgetClosed()
    edited.add(form)
  })
  document.addEventListener('submit', ({ target }) => void edited.delete(target as Element), true)
}

function forgetClosed(): void {
  for (const form of edited) if (!form.isConnected) edited.delete(form)
}

/** Called once. */
export function startUnsent(): void {
  for (const { start } of records) start()
  watchForms()
  globalThis.addEventListener('beforeunload', (event) => {
    if (isLeaving()) return
    forgetClosed()
    if (notices().length > 0 || edited.size > 0) event.preventDefault()
  })
}

/** Milliseconds. Users who sign out do not wait longer. */
const PATIENCE = 5_000

/** Tries to send everything, and answers with notices of the rest. */
export async function sendUnsent(): Promise<Localized[]> {
  if (notices().length > 0)
    await Promise.race([
      Promise.all(records.map(({ send }) => send())),
      new Promise((resolve) => setTimeout(resolve, PATIENCE)),
    ])
  return notices()
}
