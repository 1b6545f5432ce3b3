/**
 * Web Push in Chromium. Only `PushManager` is replaced, which needs a push service on the internet: the worker, its notifications and the
 * subscription on the server are the real ones.
 */

import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { ok, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, until, useBrowser } from './browser.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server, { isWhole: true })

/** Subscribing succeeds with an address of our own; the subscription outlives reloads as in a browser. As text, since tests have no types of pages. */
const PUSH_MANAGER = `{
  const KEY = 'test.subscription'
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  }
  const subscription = {
    toJSON: () => ({ endpoint: 'https://push.example.net/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV', keys }),
    unsubscribe: async () => localStorage.removeItem(KEY),
  }
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    localStorage.setItem(KEY, applicationServerKey)
    return subscription
  }
  PushManager.prototype.getSubscription = async () => (localStorage.getItem(KEY) === null ? null : subscription)
}`

const IS_UNSUBSCRIBED = "localStorage.getItem('test.subscription') === null"

/** The titles, texts and tags of the notifications on the device. */
const SHOWN = `(async () => {
  const registration = await navigator.serviceWorker.getRegistration('/console/')
  return (await registration.getNotifications()).map(({ title, body, tag }) => ({ title, body, tag }))
})()`

/** Makes the worker count in `looked` how often it has looked for open pages, and in `displayed` how many notifications it has shown. */
const COUNT = `(() => {
  const matchAll = clients.matchAll.bind(clients)
  self.looked = 0
  clients.matchAll = async (options) => {
    const found = await matchAll(options)
    self.looked++
    return found
  }
  const show = registration.showNotification.bind(registration)
  self.displayed = 0
  registration.showNotification = async (...given) => {
    await show(...given)
    self.displayed++
  }
})()`

/** Gives the worker a push as if the push service had sent it. */
async function startWorker(page: Page): Promise<(push: object) => Promise<unknown>> {
  const cdp = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations
      if (first !== undefined) resolve(first.registrationId)
    }),
  )
  await cdp.send('ServiceWorker.enable')
  const registrationId = await registered
  return (push) =>
    cdp.send('ServiceWorker.deliverPushMessage', { origin: server.url, registrationId, data: JSON.stringify(push) })
}

test('notifications of a device are turned on with quiet hours, shown while nobody looks, and end with the sign-out', async () => {
  const page = await browser.signedIn(alice, { isPhone: true, permissions: ['notifications'] })
  await page.addInitScript(PUSH_MANAGER)
  await page.goto('/console/notifications')
  await page.getByRole('switch', { name: 'Notifications on this device' }).click()
  await page.getByText('This device shows notifications.').waitFor()
  await page.getByRole('switch', { name: 'Quiet hours' }).click()
  await page.getByText('Quiet hours saved.').first().waitFor()
  await page.getByLabel('From').fill('21:30')
  await page.getByLabel('To', { exact: true }).focus()
  await until(page, "localStorage.getItem('tessera.push').includes('1290')")
  const [stored] = ok(await alice.call('push.list')).data.items
  expect([stored?.host, stored?.quietFrom, stored?.quietTo, stored?.locale]).toEqual([
    'push.example.net',
    1290,
    420,
    'en',
  ])
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, 'push-phone')

  const push = await startWorker(page)
  const message = { type: 'message', conversationId: 7, messageId: 9, messageType: 'IMAGE', senderId: 2 }
  // The user looks at the web application, which shows the message itself.
  const [worker] = page.context().serviceWorkers()
  await worker!.evaluate(COUNT)
  await push({ ...message, conversationId: 8, senderName: 'Bob', title: 'Bob', body: 'seen anyway' })
  await until(worker!, 'looked === 1')
  // The address of the start page has no slash at its end.
  await page.goto('/console')
  await page.getByText('Hello').waitFor()
  await push({ ...message, conversationId: 8, senderName: 'Bob', title: 'Bob', body: 'seen on the start page' })
  await until(worker!, 'looked === 2')
  await page.goto('/favicon.svg')
  await push({ ...message, senderName: 'Bob', title: 'Rowing', body: '' })
  await push({
    type: 'notification',
    notificationId: 3,
    notificationType: 'ORG_INVITE',
    title: 'Invitation',
    body: 'Boat house',
  })
  // Chromium forgets a notification that it has not displayed yet when it is asked for the displayed ones.
  await until(worker!, 'displayed === 2')
  expect(await page.evaluate(SHOWN)).toEqual([
    { title: 'Rowing', body: 'Bob: [Picture]', tag: 'conversation-7' },
    { title: 'Invitation', body: 'Boat house', tag: 'notification-3' },
  ])

  await page.goto('/console/account')
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await worker!.evaluate(`(async () => {
    const [notification] = await registration.getNotifications({ tag: 'notification-3' })
    self.dispatchEvent(new NotificationEvent('notificationclick', { notification }))
  })()`)
  await page.waitForURL('**/console/notifications/3')

  // A request that is still under way when the user signs out is refused with 401.
  browser.allow(/40[14]|NotAllowed|focus/)
  await page.getByRole('button', { name: 'Profile' }).click()
  await page.getByText('Sign out').click()
  await page.getByLabel('Username, e-mail or phone').waitFor()
  await until(page, IS_UNSUBSCRIBED)
  expect(ok(await alice.call('push.list')).data.items).toEqual([])
})

test('the subscription is not passed on to another user, and a page without https says why there are none', async () => {
  const page = await browser.signedIn(bob, { permissions: ['notifications'], locale: 'zh-CN', isDark: true })
  await page.addInitScript(PUSH_MANAGER)
  // Another user's session ended in this browser without a sign-out.
  await page.evaluate(`(async () => {
    await navigator.serviceWorker.register('/console/worker.js', { scope: '/console/' })
    localStorage.setItem('test.subscription', 'key')
    localStorage.setItem('tessera.push', '{"userId":${alice.id},"publicKey":"key","quietFrom":null,"quietTo":null}')
  })()`)
  await page.goto('/console/notifications')
  await until(page, IS_UNSUBSCRIBED)
  expect(ok(await bob.call('push.list')).data.items).toEqual([])
  await page.getByRole('switch', { name: '在此设备上通知' }).click()
  await page.getByText('此设备已开启通知。').waitFor()
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'push-desk')
  await page.getByRole('switch', { name: '在此设备上通知' }).click()
  await page.getByText('此设备已关闭通知。').waitFor()
  expect(ok(await bob.call('push.list')).data.items).toEqual([])

  await page.addInitScript("Object.defineProperty(window, 'isSecureContext', { value: false })")
  await page.reload()
  await page.getByText('通知需要 https').waitFor()
  expect(await page.getByRole('switch', { name: '在此设备上通知' }).isDisabled()).toBe(true)
})
