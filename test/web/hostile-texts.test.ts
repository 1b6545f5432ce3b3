/** Texts of other people that look like markup, hide their direction or have no spaces: pages show them as text and keep their width. */

import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { send } from '../chat/helpers.ts'
import { befriend } from '../contacts/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, admin, alice, mallory } = useServer({ people: ['alice', 'mallory'] })
const browser = useBrowser(server)

const MARKUP = '<img src=x onerror=hacked()><script>hacked()</script>'
const BIDI = '\u202Egnp.exe\u202C'
const FAMILY = '👩‍👩‍👧‍👦'
const WIDE = 'W'.repeat(600)
/** Of one line, as names are. */
const NAME = `<img src=x onerror=hacked()>${'M'.repeat(60)}`
const LONG = `${MARKUP} ${BIDI} ${FAMILY} ${WIDE}\njavascript:hacked() [link](javascript:hacked())`

/** All addresses of links that a click would run as a script. */
const scripts = (page: Page) =>
  page.evaluate<string[]>(
    "[...document.querySelectorAll('a')].map((a) => a.href).filter((href) => /^(javascript|data|vbscript):/i.test(href))",
  )

/** Texts that leave the window on the right, where nobody can read them. Those that end with an ellipsis or can be scrolled are left out. */
const cut = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('#main-content *')]
    .filter((element) => [...element.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE))
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .filter((element) => {
      for (let one = element; one !== null; one = one.parentElement) {
        const { textOverflow, overflowX, position } = getComputedStyle(one)
        if (textOverflow === 'ellipsis' || overflowX === 'auto' || overflowX === 'scroll' || position === 'absolute') return false
      }
      return true
    })
    .map((element) => element.textContent.slice(0, 60))`)

test('hostile texts are shown as they are and fit a phone', async () => {
  const { id: codeId } = ok(
    await alice.call('qrCodes.create', {
      body: {
        name: NAME,
        content: `javascript:hacked()//${WIDE}`,
        remark: LONG,
        tags: ['<b>bold</b>', 'M'.repeat(30)],
      },
    }),
  ).data
  const startTime = server.clock.now()
  const { id: activityId } = ok(
    await alice.call('activities.create', {
      body: { name: NAME, description: LONG, location: 'M'.repeat(200), startTime, endTime: startTime + 3_600_000 },
    }),
  ).data
  const { id: assetId } = ok(
    await alice.call('assets.create', {
      body: { name: NAME, assetNo: 'M'.repeat(64), brand: 'M'.repeat(100), remark: LONG, supplier: NAME },
    }),
  ).data
  const org = await createOrg(alice, { name: NAME, description: LONG })
  ok(await alice.call('scanRecords.create', { body: { content: `javascript:hacked()//${WIDE}`, title: NAME } }))
  ok(await mallory.call('profile.update', { body: { nickname: 'M'.repeat(50), signature: 'M'.repeat(100) } }))
  await befriend(alice, mallory)
  const { messages } = ok(await send(mallory, { toUserId: alice.id, type: 'TEXT', content: { text: LONG } })).data
  ok(
    await admin.call('notifications.send', {
      body: {
        userIds: [alice.id],
        title: NAME,
        body: `${LONG}\n\n[outside](https://example.org/) ![p](https://example.org/p.png)`,
      },
    }),
  )
  const contacts = ok(await alice.call('contacts.list', { query: {} })).data.items
  const { items } = ok(await alice.call('notifications.list', { query: { size: 1 } })).data

  const page = await browser.signedIn(alice, { isPhone: true, isDark: true, locale: 'zh-CN' })
  for (const path of [
    '/',
    '/codes',
    `/codes/${codeId}`,
    '/activities',
    `/activities/${activityId}`,
    '/assets',
    `/assets/${assetId}`,
    `/orgs/${org.id}`,
    '/scan/history',
    '/chats',
    `/chats/${messages[0]!.conversationId}`,
    '/contacts',
    `/contacts/${contacts[0]!.id}`,
    '/notifications',
    `/notifications/${items[0]!.id}`,
  ]) {
    await page.goto(`/console${path}`)
    await page
      .locator('#main-content')
      .getByText(/[MW]{20}/)
      .filter({ visible: true })
      .first()
      .waitFor()
    const found = { path, isTooWide: await isTooWide(page), cut: await cut(page), scripts: await scripts(page) }
    expect(found).toEqual({ path, isTooWide: false, cut: [], scripts: [] })
    await screenshot(page, `hostile${path.replaceAll(/\W+/g, '-')}`)
  }
  // Another page must not take the place of the web application, in which something may have been typed.
  const outside = page.getByRole('link', { name: 'outside' })
  expect([await outside.getAttribute('target'), await outside.getAttribute('rel')]).toEqual([
    '_blank',
    'noopener noreferrer',
  ])
})
