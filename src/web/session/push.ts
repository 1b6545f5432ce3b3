/**
 * Web Push to this browser (docs/push.md). The subscription belongs to one user and one session: it ends when the user signs out, and it is
 * renewed whenever the page is opened.
 */

import { call } from '../api/client.ts'
import { storage } from '../browser/storage.ts'
import { timeZone } from '../i18n/format.ts'
import { registerWorker } from './service-worker.ts'

/** Minutes after midnight, in the time zone of this device. */
export interface QuietHours {
  readonly quietFrom: number | null
  readonly quietTo: number | null
}

/** The subscription of this browser, kept until the user signs out. */
interface Mark extends QuietHours {
  readonly userId: number
  /** The server's key. The browser accepts only messages that are signed with it. */
  readonly publicKey: string
}
const MARK = 'tessera.push'

function readMark(): Mark | undefined {
  try {
    return JSON.parse(storage.getItem(MARK) ?? '') as Mark
  } catch {
    return undefined
  }
}

/** Sent by the worker to a page that is open already, after a click on a notification. */
export interface OpenPage {
  readonly type: 'open'
  /** Path below `/console`. */
  readonly path: string
}

/** Why this browser cannot get notifications. */
export type Obstacle = 'http' | 'notInstalled' | 'noPush' | 'refused'

export function obstacle(): Obstacle | undefined {
  if (!isSecureContext) return 'http'
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    // On iPhones and iPads only pages on the home screen can.
    return /iPhone|iPad/.test(navigator.userAgent) ? 'notInstalled' : 'noPush'
  return Notification.permission === 'denied' ? 'refused' : undefined
}

/**
 * Asks for the permission, subscribes, and registers the subscription. Repeated, it changes the quiet hours. False if the user did not
 * permit it.
 *
 * @throws ApiError
 * @throws DOMException if the push service of the browser cannot be reached
 */
export async function turnOnPush(userId: number, { quietFrom, quietTo }: QuietHours): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  await registerWorker()
  const { pushManager } = await navigator.serviceWorker.ready
  const { publicKey } = await call('push.key')
  const before = await pushManager.getSubscription()
  // The server's secret has changed. The browser refuses a second key while the first one is in use.
  if (before !== null && readMark()?.publicKey !== publicKey) await before.unsubscribe()
  const { endpoint, keys } = (
    await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  ).toJSON() as { endpoint: string; keys: { p256dh: string; auth: string } }
  await call('push.subscribe', { body: { endpoint, keys, quietFrom, quietTo, timeZone: timeZone() } })
  storage.setItem(MARK, JSON.stringify({ userId, publicKey, quietFrom, quietTo } satisfies Mark))
  return true
}

/** Ends the subscription in the browser; the server then learns from the push service that it is gone, or by `push.unsubscribe`. */
export async function turnOffPush(): Promise<void> {
  if (readMark() === undefined) return
  storage.removeItem(MARK)
  const registration = await navigator.serviceWorker?.getRegistration('/console/')
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
}

/** Repeats the subscription for this session and language. Ends that of another user, whose session ended without a sign-out. */
export async function renewPush(userId: number): Promise<void> {
  const mark = readMark()
  if (mark === undefined || !isSecureContext || !('serviceWorker' in navigator)) return
  if (mark.userId !== userId) await turnOffPush()
  else if (obstacle() === undefined && Notification.permission === 'granted') await turnOnPush(userId, mark)
}
