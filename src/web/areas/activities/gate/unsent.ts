/**
 * Scans of gates that the server has not got. They are in the database of the browser; this file is loaded with every page, and sends them
 * when their user is signed in, whichever page is open.
 */

import { onLogin } from '../../../api/tokens.ts'
import type { Localized } from '../../../i18n/locale.ts'
import { readUnsent } from './unsent-count.ts'

/** Milliseconds between two attempts. */
const PAUSE = 30_000

let userId: number | undefined
let timer: ReturnType<typeof setTimeout> | undefined

const unsent = (): number => (userId === undefined ? 0 : (readUnsent(userId) ?? 0))

/** Tries to send them now. Never rejects. */
export async function sendUnsent(): Promise<void> {
  clearTimeout(timer)
  const sender = userId
  if (sender === undefined || unsent() === 0) return
  await import('./gate-store.ts').then(({ sendAll }) => sendAll(sender)).catch(() => undefined)
  clearTimeout(timer)
  if (sender === userId && unsent() > 0) timer = setTimeout(() => void sendUnsent(), PAUSE)
}

/** Undefined if everything was sent. */
export function unsentNotice(): Localized | undefined {
  const n = unsent()
  if (n === 0) return undefined
  return {
    en: `${n === 1 ? '1 scan at a gate was' : `${n} scans at a gate were`} not sent yet. The next time you sign in with this browser, they are sent.`,
    zh: `${n} 条检票记录尚未上传，将在你下次用此浏览器登录时上传。`,
  }
}

export function startSending(): void {
  onLogin((login) => {
    const previous = userId
    userId = login?.user.id
    if (login !== undefined) {
      if (previous !== userId) void sendUnsent()
    } else if (previous !== undefined && readUnsent(previous) !== undefined)
      // Keys, uuids and contents of passes must not be left to the next user of the browser.
      void import('./gate-store.ts').then(({ clearGates }) => clearGates()).catch(() => undefined)
  })
  globalThis.addEventListener('online', () => void sendUnsent())
}
