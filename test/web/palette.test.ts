/** The command palette, and the clicks that the most frequent jobs take. */

import { expect, test } from 'bun:test'

import type { Locator, Page } from 'playwright-core'

import { ok, type Person, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, settled, useBrowser } from './browser.ts'
import { makeContacts } from './contact-requests.ts'

const { server, admin, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })
const browser = useBrowser(server)

const field = (page: Page) => page.getByRole('combobox', { name: /Search everything|搜索全部/ })
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor()
/** The entry that Enter opens. */
const active = (page: Page) => page.locator('[role=option][aria-selected=true]')
const closed = (page: Page) => page.getByRole('listbox', { name: /Results|结果/ }).waitFor({ state: 'detached' })

async function openStart(person: Person, options: Parameters<typeof browser.signedIn>[1] = {}): Promise<Page> {
  const page = await browser.signedIn(person, options)
  await page.goto('/console/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await field(page).waitFor()
}

test('the keyboard alone opens the palette from a page and from a field, moves, opens, and gets its place back', async () => {
  ok(await alice.call('qrCodes.create', { body: { name: 'Lunch menu', content: 'https://example.org/lunch' } }))
  ok(await alice.call('assets.create', { body: { name: 'Lunch table', assetNo: 'T-0042' } }))
  const page = await openStart(alice)
  await page.goto('/console/codes')
  await page.getByRole('link', { name: 'Lunch menu' }).waitFor()
  // `f` is the search of the page, in which Ctrl K works as well.
  await page.keyboard.press('f')
  await page.locator('input[type=search]:focus').waitFor()
  await page.keyboard.type('/')
  await openPalette(page)
  await page.keyboard.press('Escape')
  await closed(page)
  await page.locator('input[type=search]:focus').waitFor()
  expect(await page.locator('input[type=search]').inputValue()).toBe('/')
  await page.locator('input[type=search]').fill('')

  await page.goto('/console/codes/trash')
  await heading(page, 'Trash')
  await page.keyboard.press('/')
  await field(page).waitFor()
  expect(await field(page).inputValue()).toBe('')
  const entries = page.getByRole('option')
  const first = await entries.first().textContent()
  expect(await active(page).textContent()).toBe(first)
  await page.keyboard.press('End')
  expect(await active(page).textContent()).toBe(await entries.last().textContent())
  await page.keyboard.press('ArrowDown')
  expect(await active(page).textContent()).toBe(first)
  expect(await field(page).getAttribute('aria-activedescendant')).toBe(await active(page).getAttribute('id'))

  await page.keyboard.type('lunch')
  await option(page, /Lunch menu/).waitFor()
  await option(page, /Lunch table/).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Home')
  const [tab] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Control+Enter')])
  await heading(tab, 'Lunch menu')
  await tab.close()
  await page.keyboard.press('Enter')
  await heading(page, 'Lunch menu')
  await closed(page)
  await page.locator('h1:focus').waitFor()

  // The number of an asset, and the target of a code, are the best match; Enter waits for the answer.
  for (const [text, name] of [
    ['t-0042', 'Lunch table'],
    ['example.org/lunch', 'Lunch menu'],
  ] as const) {
    await openPalette(page)
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
    await heading(page, name)
    await closed(page)
  }
  await openPalette(page)
  await page.keyboard.type(`${server.url}/console/codes/trash`)
  await page.keyboard.press('Enter')
  await heading(page, 'Trash')
  // An address of this server leads nowhere else, also if its path could name another one.
  await openPalette(page)
  await page.keyboard.type(`${server.url}//example.org/console`)
  await option(page, /^\/example.org/).waitFor()
})

test('an answer that comes late does not replace that of a newer text, and each list is asked once for a text', async () => {
  for (const name of ['Rose', 'Rosemary'])
    ok(await bob.call('qrCodes.create', { body: { name, content: `https://example.org/${name}` } }))
  const page = await openStart(bob)
  let release = () => {}
  const asked: string[] = []
  let late = 0
  const isLate = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/api\/.*keyword=/, async (route) => {
    const url = new URL(route.request().url())
    asked.push(`${url.pathname} ${url.searchParams.get('keyword')}`)
    if (url.searchParams.get('keyword') !== 'rose') return await route.continue()
    const response = await route.fetch()
    await isLate
    // The page may have aborted it meanwhile.
    await route.fulfill({ response }).catch(() => {})
    late++
  })
  await openPalette(page)
  await page.keyboard.type('rose')
  while (!asked.some((request) => request.endsWith(' rose'))) await Bun.sleep(20)
  await page.keyboard.type('mary')
  await option(page, /Rosemary/).waitFor()
  await page.getByText('1 result', { exact: true }).waitFor()
  release()
  while (late < asked.filter((request) => request.endsWith(' rose')).length) await Bun.sleep(20)
  await settled(page)
  expect(await page.getByRole('option').allTextContents()).toEqual([expect.stringMatching(/^Rosemary/)])
  const last = asked.filter((request) => request.endsWith(' rosemary'))
  expect(last.length).toBeGreaterThan(2)
  expect(new Set(last).size).toBe(last.length)
})

test('plain users find nothing of administrators, and nobody finds what another account has opened', async () => {
  ok(await carol.call('qrCodes.create', { body: { name: 'Secret garden', content: 'https://example.org/garden' } }))
  const page = await openStart(carol)
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  await openPalette(page)
  await screenshot(page, 'palette')
  await page.keyboard.type('settings')
  await page.getByText('Nothing found.').first().waitFor()
  await field(page).fill('secret')
  await option(page, /Secret garden/).waitFor()
  await page.keyboard.press('Enter')
  await heading(page, 'Secret garden')
  expect(requests.filter((path) => path.startsWith('/api/admin/'))).toEqual([])
  await openPalette(page)
  await option(page, /Secret garden.*QR code/).waitFor()
  await page.keyboard.type('sign out')
  await page.keyboard.press('Enter')
  await page.getByLabel('Username, e-mail or phone').fill(admin.username)
  await page.getByLabel('Password', { exact: false }).first().fill(admin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await heading(page, /^Hello/)
  await openPalette(page)
  await option(page, 'Overview').first().waitFor()
  expect(await option(page, /Secret garden/).count()).toBe(0)

  // Administrators find users, and settings by title and key.
  await page.keyboard.type(carol.username)
  await option(page, new RegExp(carol.username)).first().waitFor()
  await field(page).fill('security.requireTotp')
  await option(page, /security\.requireTotp/).click()
  await page.waitForURL(/\/console\/admin\/settings\?keyword=security\.requireTotp/)
  await heading(page, 'Settings')
  expect(await page.getByLabel('Search settings').inputValue()).toBe('security.requireTotp')
})

test('on a phone in Chinese the palette fills the screen, works by touch, and has no barriers; without a connection it says what still works', async () => {
  const person = await server.person()
  ok(await person.call('qrCodes.create', { body: { name: '春季菜单', content: 'https://example.org/spring' } }))
  const page = await openStart(person, { isPhone: true, locale: 'zh-CN', isDark: true })
  const button = page.getByRole('button', { name: '搜索全部' })
  expect(await button.boundingBox()).toMatchObject({ width: 44, height: 44 })
  expect(await isTooWide(page)).toBe(false)
  await button.tap()
  await field(page).waitFor()
  expect(await page.getByRole('dialog', { name: '搜索全部' }).boundingBox()).toMatchObject({ width: 390, height: 844 })
  await option(page, '新建二维码').first().waitFor()
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'palette-phone')
  // One Chinese character is enough. Pages and actions are found in both languages.
  await field(page).fill('春')
  await option(page, /春季菜单/).tap()
  await heading(page, '春季菜单')
  await button.tap()
  await field(page).fill('trash')
  await option(page, '二维码回收站').tap()
  await heading(page, '回收站')

  browser.allow(/ERR_INTERNET_DISCONNECTED/)
  await page.context().setOffline(true)
  await button.tap()
  await option(page, /春季菜单.*二维码/).waitFor()
  await field(page).fill('春季')
  await page.getByText('无法连接服务器。仍可查找页面').waitFor()
  await option(page, /春季菜单/).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.context().setOffline(false)
  await field(page).fill('深色')
  await page.getByRole('button', { name: '关闭' }).tap()
  await closed(page)
})

/** Counts clicks, and the keys that choose instead of one. */
function counted(page: Page) {
  let clicks = 0
  return {
    click: async (target: Locator) => {
      await target.click()
      clicks++
    },
    enter: async () => {
      await page.keyboard.press('Enter')
      clicks++
    },
    count: () => clicks,
  }
}

test('a code takes 2 clicks and its target 3, an asset with its label 4 and a message 1, besides typing and saving by Enter', async () => {
  const person = await server.person()
  await makeContacts(person, bob)
  const page = await openStart(person)

  const code = counted(page)
  await code.click(page.getByRole('navigation', { name: 'Menu' }).getByText('QR codes', { exact: true }))
  await page.getByText('No codes yet').waitFor()
  await code.click(page.getByRole('link', { name: 'New code' }))
  await page.locator('input:focus').waitFor()
  await page.keyboard.type('example.org/old')
  await page.keyboard.press('Enter')
  await heading(page, 'example.org')
  expect(code.count()).toBe(2)
  // The next one takes one more.
  await page.getByRole('link', { name: 'Create another' }).click()
  await heading(page, 'New code')

  const target = counted(page)
  await target.click(page.getByRole('button', { name: /^Search everything/ }))
  await page.keyboard.type('example.org/old')
  await target.click(
    option(page, /example\.org/)
      .first()
      .getByText('Change target'),
  )
  await page.getByRole('dialog').getByText('print them again').waitFor()
  await page.getByLabel('Web address').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('example.org/new')
  await target.enter()
  await page.getByText('Target changed.').waitFor()
  expect(target.count()).toBe(3)
  const [changed] = ok(await person.call('qrCodes.list')).data.items
  expect(changed).toMatchObject({ name: 'example.org', content: 'https://example.org/new' })

  // At the keyboard it is Shift Enter.
  await openPalette(page)
  await page.keyboard.type('example.org/new')
  await option(page, /example\.org/)
    .first()
    .waitFor()
  await page.keyboard.press('Shift+Enter')
  await page.getByRole('dialog', { name: 'Change the target of “example.org”' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  const asset = counted(page)
  await asset.click(page.getByRole('navigation', { name: 'Menu' }).getByText('Assets', { exact: true }))
  await asset.click(page.getByRole('link', { name: 'Add asset' }).first())
  await page.locator('[name=name]:focus').waitFor()
  await page.keyboard.type('Ladder')
  await asset.click(page.getByRole('button', { name: 'Register', exact: true }))
  await heading(page, 'Ladder')
  await asset.click(page.getByRole('link', { name: 'Print label' }))
  await page.getByText('1 label, 1 page').waitFor()
  expect(asset.count()).toBe(4)
  // Of several in a row, the labels are offered together: in the form, and after the last one.
  await page.goto('/console/assets/new')
  await page.locator('[name=name]:focus').waitFor()
  await page.keyboard.type('Rake')
  await page.getByRole('button', { name: 'Register and add another' }).click()
  await page.getByRole('link', { name: 'Print label' }).waitFor()
  await page.locator('[name=name]:focus').waitFor()
  await page.keyboard.type('Spade')
  await page.keyboard.press('Enter')
  await heading(page, 'Spade')
  await page.getByRole('link', { name: 'Print 2 labels' }).click()
  await page.getByText('2 labels, 2 pages').waitFor()

  const message = counted(page)
  await openPalette(page)
  const { nickname } = ok(await bob.call('profile.get')).data
  await page.keyboard.type(nickname)
  await option(page, nickname).first().waitFor()
  await message.enter()
  await page.waitForURL(/\/console\/chats\/(with\/)?\d+/)
  await page.getByLabel('Message', { exact: true }).waitFor()
  expect(message.count()).toBe(1)
})
