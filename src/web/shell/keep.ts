/**
 * Once a day, reads what the pages that work without a connection show, so that also those open which were not opened before. The answers are
 * kept as those of all calls are (api/kept.ts).
 */

import { isAway } from '../api/connection.ts'
import { findAnswer, keepAnswer } from '../browser/database.ts'
import { serverTime } from '../browser/server-time.ts'
import { currentSession } from '../session/session.ts'
import { areas } from './areas.ts'

/** In place of an operation and its input: when it was done last for this user. Deleted with the kept answers. */
const ID = 'prepared'
const DAY = 24 * 3_600_000
/** Milliseconds. The page that is open comes first. */
const PAUSE = 3_000

/** Users pay for each byte, or have asked for few. */
const isMetered = (): boolean => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true

/** Begins when the service worker has kept the files, without which no page opens. Returns a function that calls it off. */
export function keepLater(userId: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOff = false
  const start = async (): Promise<void> => {
    // Undefined without https.
    if ((await navigator.serviceWorker?.ready) !== undefined && !isOff)
      timer = setTimeout(() => void keep(userId).catch(() => undefined), PAUSE)
  }
  void start()
  return () => {
    isOff = true
    clearTimeout(timer)
  }
}

/** @throws DOMException if the browser refuses its database: then nothing could be kept */
async function keep(userId: number): Promise<void> {
  if (isMetered() || isAway()) return
  const last = await findAnswer(userId, ID, '')
  if (last !== undefined && serverTime() - last.at < DAY) return
  for (const { keep } of areas) {
    if (currentSession()?.user.id !== userId) return
    // Users without the permission have no such page.
    await keep?.(userId).catch(() => undefined)
  }
  // If the connection was lost, all is read again at the next visit.
  if (!isAway()) await keepAnswer({ userId, id: ID, key: '', data: null, at: serverTime() })
}
