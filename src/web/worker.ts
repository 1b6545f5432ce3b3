/**
 * The service worker. It keeps the files of the application (worker-files.ts), shows notifications that the server pushes (docs/push.md) and
 * opens their pages.
 *
 * Its address has the language as `?locale=`, since workers cannot read the storage in which the choice of the user is.
 */

import type { Locale } from './i18n/locale.ts'
import { things } from './i18n/things.ts'
import type { OpenPage } from './session/push.ts'
import { answerTo, deleteOldFiles, keepFiles } from './worker-files.ts'

/** The part of `ServiceWorkerGlobalScope` that is used here. The types of pages and of workers exclude each other. */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly Tab[]>
    openWindow(url: string): Promise<unknown>
    claim(): Promise<void>
  }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: LongEvent) => void): void
  addEventListener(
    type: 'fetch',
    listener: (event: { request: Request; respondWith(answer: Promise<Response>): void }) => void,
  ): void
  addEventListener(type: 'push', listener: (event: LongEvent & { data: { json(): unknown } | null }) => void): void
  addEventListener(
    type: 'notificationclick',
    listener: (event: LongEvent & { notification: Notification }) => void,
  ): void
}
interface LongEvent {
  waitUntil(work: Promise<unknown>): void
}
interface Tab {
  readonly url: string
  readonly focused: boolean
  focus(): Promise<unknown>
  postMessage(message: OpenPage): void
}

type Push =
  | { type: 'message'; conversationId: number; messageType: string; senderName: string; title: string; body: string }
  | { type: 'notification'; notificationId: number; title: string; body: string }

const worker = self as unknown as WorkerScope
const locale: Locale = new URL(location.href).searchParams.get('locale') === 'zh' ? 'zh' : 'en'

/** For messages without a text. */
const KINDS: Readonly<Record<string, string>> = {
  IMAGE: { en: 'Picture', zh: '图片' }[locale],
  VIDEO: { en: 'Video', zh: '视频' }[locale],
  LOCATION: { en: 'Place', zh: '位置' }[locale],
  FILE: things.file.one[locale],
  VOICE: things.voiceMessage.one[locale],
  CARD: things.contactCard.one[locale],
  QR_CODE: things.qrCode.one[locale],
  ACTIVITY: things.activity.one[locale],
}

// Pages of the version before load the new one when they miss a part (shell/PageError.tsx), so it need not wait until they are closed.
worker.addEventListener('install', (event) => event.waitUntil(keepFiles().then(() => worker.skipWaiting())))

worker.addEventListener('activate', (event) => event.waitUntil(deleteOldFiles().then(() => worker.clients.claim())))

worker.addEventListener('fetch', (event) => {
  const answer = answerTo(event.request)
  if (answer !== undefined) event.respondWith(answer)
})

worker.addEventListener('push', (event) => {
  if (event.data !== null) event.waitUntil(show(event.data.json() as Push))
})

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open((event.notification.data as { path: string }).path))
})

const openTabs = async (): Promise<readonly Tab[]> =>
  (await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })).filter(({ url }) =>
    `${new URL(url).pathname}/`.startsWith('/console/'),
  )

async function show(push: Push): Promise<void> {
  // A page that the user looks at shows it by itself.
  if ((await openTabs()).some(({ focused }) => focused)) return
  const isMessage = push.type === 'message'
  const text = isMessage ? push.body || `[${KINDS[push.messageType] ?? things.message.one[locale]}]` : push.body
  await worker.registration.showNotification(push.title, {
    body: isMessage && push.senderName !== push.title ? `${push.senderName}: ${text}` : text,
    // A newer message of a conversation takes the place of the one before.
    tag: isMessage ? `conversation-${push.conversationId}` : `notification-${push.notificationId}`,
    // Leads to the logo of the server, if it has one.
    icon: '/icons/icon-192.png',
    lang: locale === 'zh' ? 'zh-CN' : 'en',
    data: { path: isMessage ? `/chats/${push.conversationId}` : `/notifications/${push.notificationId}` },
  })
}

async function open(path: string): Promise<void> {
  const [tab] = await openTabs()
  if (tab === undefined) {
    await worker.clients.openWindow(`/console${path}`)
    return
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers post to pages of their own origin only
  tab.postMessage({ type: 'open', path })
  await tab.focus()
}
