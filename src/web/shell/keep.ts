/**
 * Once a day, reads what the pages that work without a connection show, so that also those open which were not opened before. The answers are
 * kept as those of all calls are (api/kept.ts).
 */

import { isAway } from '../api/connection.ts'
import { onLogin } from '../api/tokens.ts'
import { storage } from '../browser/storage.ts'
import { currentSession } from '../session/session.ts'
import { areas } from './areas.ts'

/** When it was done last. */
const MARK = 'tessera.prepared'
const DAY = 24 * 3_600_000
/** Milliseconds. The page that is open comes first. */
const PAUSE = 3_000

// The kept answers are deleted then.
onLogin((login) => {
  if (login === undefined) storage.removeItem(MARK)
})

/** Users pay for each byte, or have asked for few. */
const isMetered = (): boolean => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true

/** Begins when the service worker has kept the files, without which no page opens. Returns a function that calls it off. */
export function keepLater(userId: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOff = false
  const start = async (): Promise<void> => {
    // Undefined without https.
    if ((await navigator.serviceWorker?.ready) !== undefined && !isOff)
      timer = setTimeout(() => void keep(userId), PAUSE)
  }
  void start()
  return () => {
    isOff = true
    clearTimeout(timer)
  }
}

async function keep(userId: number): Promise<void> {
  if (isMetered() || isAway() || Date.now() - Number(storage.getItem(MARK)) < DAY) return
  storage.setItem(MARK, String(Date.now()))
  for (const { keep } of areas) {
    if (currentSession()?.user.id !== userId) return
    // Users without the permission have no such page.
    await keep?.(userId).catch(() => undefined)
  }
}
