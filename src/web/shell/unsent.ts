/**
 * Things of the user that only this browser has: sends them, and warns before the page is closed or the session ends. Forms are not sent, but
 * the browser asks before they are closed or loaded again.
 */

import { isLeaving } from '../api/tokens.ts'
import { isUnsaved } from '../browser/unsaved.ts'
import type { Localized } from '../i18n/locale.ts'
import { areas } from './areas.ts'

const records = areas.flatMap(({ unsent }) => unsent ?? [])

const notices = (of = records): Localized[] => of.flatMap(({ notice }) => notice() ?? [])
const fleeting = records.filter(({ outlivesPage }) => outlivesPage !== true)

/** Called once. */
export function startUnsent(): void {
  for (const { start } of records) start()
  globalThis.addEventListener('beforeunload', (event) => {
    if (!isLeaving() && (notices(fleeting).length > 0 || isUnsaved())) event.preventDefault()
  })
}

/** Milliseconds. Users who sign out do not wait longer. */
const PATIENCE = 5_000

/** Tries to send everything, and answers with notices of the rest. */
export async function sendUnsent(): Promise<Localized[]> {
  if (notices().length > 0)
    await Promise.race([
      Promise.allSettled(records.map(({ send }) => send())),
      new Promise((resolve) => setTimeout(resolve, PATIENCE)),
    ])
  return notices()
}
