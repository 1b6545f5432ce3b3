/** Things of the user that only this browser has: sends them, and warns before the page is left or the session ends. */

import type { Localized } from '../i18n/locale.ts'
import { areas } from './areas.ts'

const records = areas.flatMap(({ unsent }) => unsent ?? [])

const notices = (): Localized[] => records.flatMap(({ notice }) => notice() ?? [])

/** Called once. */
export function startUnsent(): void {
  for (const { start } of records) start()
  globalThis.addEventListener('beforeunload', (event) => {
    if (notices().length > 0) event.preventDefault()
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
