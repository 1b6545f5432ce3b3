/** Registers the service worker, which keeps the files of the application and shows notifications (worker.ts). */

import { currentLocale } from '../i18n/locale.ts'

/** The address of the start page has no slash at its end. */
const SCOPE = '/console'

/** Its files, 1 MB on the wire, come after those that the page needs now. */
const PAUSE = 3_000

/** Undefined without https, and in browsers that have none. */
export async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  if (!isSecureContext || !('serviceWorker' in navigator)) return undefined
  return await navigator.serviceWorker.register(`${SCOPE}/worker.js?locale=${currentLocale()}`, { scope: SCOPE })
}

/** Called when a signed-in user has the first page, and again after a change of the language. */
export function registerWorkerLater(): () => void {
  // A refusal, as in some private windows, costs only the work without a connection.
  const timer = setTimeout(() => void registerWorker().catch(() => undefined), PAUSE)
  return () => clearTimeout(timer)
}
