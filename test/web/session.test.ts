/** The session of the web application in unusual moments: it expires, another user takes over the browser, and storage is refused. */

import { describe, expect, test } from 'bun:test'

import type { BrowserContext, Page } from 'playwright-core'

import { ok, type Person, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { menuLink, until, useBrowser } from './browser.ts'

const { server } = useServer({ people: [] })
const browser = useBrowser(server)

const profileButton = (page: Page) => page.getByRole('button', { name: 'Profile' })
const codesOf = async (person: Person) => ok(await person.call('qrCodes.list', { query: {} })).data.items

/** Answers the next request like a server for which the access token has expired. */
const expire = (page: Page, url: string): Promise<unknown> =>
  page.route(url, (route) => route.fulfill({ status: 401, json: { code: 401, message: 'Expired', requestId: 'e' } }), {
    times: 1,
  })

/** Replaces the cookies of all tabs by those of another user, as the sign-in in another tab does. */
async function takeOver(context: BrowserContext, person: Person): Promise<void> {
  const answer = await context.request.post('/api/auth/login', {
    headers: { 'x-refresh-token': 'cookie' },
    data: { account: person.username, password: person.password },
  })
  expect(answer.status()).toBe(200)
}

async function fillCode(page: Page): Promise<void> {
  await page.goto('/console/codes/new')
  await page.getByLabel('Name', { exact: true }).fill('Door of the library')
  await page.getByLabel('Web address').fill('https://example.org/library')
}

/** Unlike a new code, a changed one is not kept for later if the server cannot be reached. */
async function changeCode(page: Page, person: Person): Promise<void> {
  const { id } = ok(
    await person.call('qrCodes.create', { body: { name: 'Door', content: 'https://example.org' } }),
  ).data
  await page.goto(`/console/codes/${id}/edit`)
  await page.getByLabel('Name', { exact: true }).fill('Door of the library')
}

/** A busy machine takes longer than the 4 s after which a page takes the server for lost, and the 3 s after which it does without its database. */
const WITHOUT_PATIENCE = `const later = globalThis.setTimeout
  globalThis.setTimeout = (work, ms, ...more) => ([3000, 4000].includes(ms) ? 0 : later(work, ms, ...more))`

/** Whether the browser has kept the answers of which the frame is drawn. */
const IS_KEPT = `new Promise((resolve) => {
  const opened = indexedDB.open('tessera')
  opened.onsuccess = () => {
    const keys = opened.result.transaction('answers').objectStore('answers').getAllKeys()
    keys.onsuccess = () => {
      opened.result.close()
      const ids = keys.result.map(([, id]) => id)
      resolve(['profile.get', 'access.myPermissions', 'orgs.list'].every((id) => ids.includes(id)))
    }
  }
})`

/** Opens a page that the user had open before, and holds back all answers of the interface until the function that it returns is called. */
async function openAgain(page: Page, path: string): Promise<() => Promise<void>> {
  await page.addInitScript(WITHOUT_PATIENCE)
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await until(page, IS_KEPT)
  const held: (() => Promise<void>)[] = []
  await page.route('**/api/**', (route) => void held.push(() => route.fallback().catch(() => {})))
  await page.goto(path)
  return async () => {
    await page.unroute('**/api/**')
    for (const release of held) await release()
  }
}

/** Adds up the layout shift of the page in `shift`, from its start on. */
const OBSERVE_SHIFT = `globalThis.shift = 0
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shift += value }).observe({ type: 'layout-shift', buffered: true })`

describe('a page that is opened again', () => {
  for (const isPhone of [false, true])
    test(`draws frame and menu before the server answers, and moves nothing afterwards, ${isPhone ? 'on a phone' : 'on a desktop'}`, async () => {
      const person = await server.person()
      await person.call('qrCodes.create', { body: { name: 'Front door', content: 'https://example.org' } })
      const page = await browser.signedIn(person, { isPhone })
      await page.addInitScript(OBSERVE_SHIFT)
      const release = await openAgain(page, '/console/codes')
      await page.getByRole('navigation').getByText('Activities').first().waitFor()
      await page.getByRole('progressbar', { name: 'Loading' }).first().waitFor()
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await release()
      await page.getByRole('link', { name: 'Front door' }).waitFor()
      await page.waitForLoadState('networkidle')
      expect(asked.filter((path) => path === '/api/auth/userinfo')).toEqual(['/api/auth/userinfo'])
      expect(await page.evaluate<number>('shift')).toBeLessThanOrEqual(0.01)
      // Rows outside the window cost nothing (ui/windowed.ts).
      expect(
        await page.evaluate("getComputedStyle(document.querySelector('main li:has(input)')).contentVisibility"),
      ).toBe('auto')
    })

  test('corrects the menu if a permission was taken away meanwhile', async () => {
    const page = await browser.signedIn(await server.person())
    const release = await openAgain(page, '/console/notifications')
    const entry = page.getByRole('navigation').getByText('QR codes', { exact: true })
    await entry.waitFor()
    await page.route('**/api/rbac/my-permissions', async (route) => {
      const answer = await route.fetch()
      const body = await answer.json()
      body.data.app = body.data.app.filter((point: string) => !point.startsWith('qr'))
      await route.fulfill({ response: answer, json: body })
    })
    await release()
    await entry.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Notifications' }).waitFor()
  })

  test('shows the sign-in if the session has ended meanwhile', async () => {
    browser.allow(/status of 401/)
    const page = await browser.signedIn(await server.person())
    const release = await openAgain(page, '/console/codes')
    await page.getByRole('navigation').getByText('Activities').waitFor()
    await page.context().clearCookies()
    await page.goto('/console/codes')
    await release()
    await page.waitForURL('**/console/login')
    // The mark goes last, when the data are deleted.
    // Not waitForFunction: it evaluates its text again in the page, which the policy of the page forbids.
    await until(page, "localStorage.getItem('tessera.kept') === null")
  })

  test('shows nothing of a user who has signed out, also before the server answers', async () => {
    const [ada, ben] = [await server.person(), await server.person()]
    const page = await browser.signedIn(ada)
    await page.goto('/console/')
    await page.waitForLoadState('networkidle')
    await profileButton(page).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/console/login')
    await page.route('**/api/**', () => {})
    await page.goto('/console/codes')
    await page.getByLabel('Username, e-mail or phone').waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    await page.unroute('**/api/**')
    await page.getByLabel('Username, e-mail or phone').fill(ben.username)
    await page.locator('input[type=password]').fill(ben.password)
    await page.keyboard.press('Enter')
    await profileButton(page).waitFor()
    const names = await Promise.all([ada, ben].map(async (one) => ok(await one.call('profile.get')).data.nickname))
    expect(await page.getByText(names[0]!).count()).toBe(0)
  })

  test('shows the user whose session the browser has by now', async () => {
    const [ada, ben] = [await server.person(), await server.person()]
    await ada.call('qrCodes.create', { body: { name: 'Only of Ada', content: 'https://example.org' } })
    const page = await browser.signedIn(ada)
    await page.goto('/console/codes')
    await page.getByRole('link', { name: 'Only of Ada' }).waitFor()
    await page.waitForLoadState('networkidle')
    await takeOver(page.context(), ben)
    await page.goto('/console/codes')
    await page.getByText('No codes yet').waitFor()
    expect(await page.getByText('Only of Ada').count()).toBe(0)
    expect(await page.evaluate("localStorage.getItem('tessera.kept')")).toBe(String(ben.id))
  })
})

describe('the session in the browser', () => {
  test('a request of one user is not repeated as another who has signed in in a second tab', async () => {
    browser.allow(/status of 401/)
    const [ada, ben] = [await server.person(), await server.person()]
    const page = await browser.signedIn(ada)
    await fillCode(page)
    await takeOver(page.context(), ben)
    await expire(page, '**/api/qr-codes')
    await page.locator('form button[type=submit]').click()
    await page.waitForURL('**/console/')
    await page.getByRole('heading', { name: new RegExp(ok(await ben.call('profile.get')).data.nickname) }).waitFor()
    expect(await codesOf(ada)).toEqual([])
    expect(await codesOf(ben)).toEqual([])
  })

  test('a form that is open when the session expires keeps its texts, and is saved after the password was typed', async () => {
    browser.allow(/status of 401|WebSocket/)
    const person = await server.person()
    const page = await browser.signedIn(person, { isPhone: true })
    await fillCode(page)
    await page.context().clearCookies()
    await expire(page, '**/api/qr-codes')
    await page.locator('form button[type=submit]').click()
    const question = page.getByRole('dialog', { name: 'Your session has expired' })
    await question.getByLabel('Password').fill('not the password')
    await question.getByRole('button', { name: 'Sign in' }).click()
    await question.getByRole('alert').waitFor()
    await question.getByLabel('Password').fill(person.password)
    await question.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Door of the library' }).waitFor()
    expect((await codesOf(person)).map(({ name }) => name)).toEqual(['Door of the library'])
  })

  test('a page that is opened while the server does not answer shows its content as soon as it does', async () => {
    browser.allow(/status of 503/)
    const page = await browser.signedIn(await server.person(), { locale: 'zh-CN', isPhone: true })
    const busy = { status: 503, headers: { 'retry-after': '0.01' } }
    await page.route('**/api/auth/refresh', (route) => route.fulfill(busy))
    await page.goto('/console/codes')
    await page.getByText('无法连接服务器，连接恢复后会自动继续。').waitFor()
    await page.unroute('**/api/auth/refresh')
    await page.evaluate("dispatchEvent(new Event('online'))")
    await page.getByRole('heading', { name: '二维码', level: 1 }).waitFor()
  })

  test('a phone without a connection says so when it searches and saves, and goes on when it has one again', async () => {
    browser.allow(/ERR_INTERNET_DISCONNECTED/)
    const person = await server.person()
    const page = await browser.signedIn(person, { isPhone: true })
    await changeCode(page, person)
    await page.context().setOffline(true)
    await page.locator('form button[type=submit]').click()
    await page.getByText('The server cannot be reached.').first().waitFor()
    await page.context().setOffline(false)
    await page.locator('form button[type=submit]').click()
    await page.getByRole('heading', { name: 'Door of the library' }).waitFor()

    await page.goto('/console/codes')
    await page.getByText('Door of the library').first().waitFor()
    await page.context().setOffline(true)
    await page.getByRole('searchbox').fill('library')
    await page.getByText('The server cannot be reached.').first().waitFor()
    await page.context().setOffline(false)
    await page.getByText('Door of the library').first().waitFor()
  })

  test('a session whose renewal the server cannot answer goes on, and so does its form', async () => {
    browser.allow(/status of (401|503)/)
    const person = await server.person()
    const page = await browser.signedIn(person)
    await changeCode(page, person)
    await expire(page, '**/api/qr-codes/*')
    const busy = { status: 503, headers: { 'retry-after': '0.01' } }
    await page.route('**/api/auth/refresh', (route) => route.fulfill(busy))
    await page.locator('form button[type=submit]').click()
    await page.getByText('The server cannot be reached.').first().waitFor()
    await page.locator('form button[type=submit]').click()
    await page.getByRole('heading', { name: 'Door of the library' }).waitFor()
  })

  test('two tabs that renew their tokens at the same time both stay signed in', async () => {
    browser.allow(/status of 401/)
    const person = await server.person()
    const first = await browser.signedIn(person)
    const second = await first.context().newPage()
    for (const page of [first, second]) {
      await page.goto('/console/')
      await profileButton(page).waitFor()
    }
    for (const page of [first, second]) await expire(page, '**/api/contacts?*')
    await Promise.all([first, second].map((page) => menuLink(page, 'Contacts').click()))
    for (const page of [first, second]) await page.getByText('No contacts yet').waitFor()
    await first.reload()
    await profileButton(first).waitFor()
  })

  test('the next user of a tab does not land on the last page of the user before', async () => {
    browser.allow(/status of 401/)
    const [ada, ben] = [await server.person(), await server.person()]
    const page = await browser.signedIn(ada)
    await page.goto('/console/contacts/add?q=Secret')
    await profileButton(page).click()
    await page.getByText('Sign out').click()
    await page.getByText('You have signed out.').waitFor()
    await page.getByLabel('Username, e-mail or phone').fill(ben.username)
    await page.getByLabel('Password').last().fill(ben.password)
    await page.keyboard.press('Enter')
    await profileButton(page).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/?$/)
  })

  test('a browser that refuses storage can sign in, choose a language and work', async () => {
    // Of the renewal before the sign-in.
    browser.allow(/status of 401/)
    const person = await server.person()
    const page = await browser.page()
    await page.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { configurable: true, get() { throw new DOMException('denied', 'SecurityError') } })`)
    await page.goto('/console/login')
    await page.getByLabel('Username, e-mail or phone').fill(person.username)
    await page.getByLabel('Password').last().fill(person.password)
    await page.keyboard.press('Enter')
    await profileButton(page).waitFor()
    await page.getByRole('button', { name: '切换到中文' }).click()
    await menuLink(page, '二维码').click()
    await page.getByRole('heading', { name: '二维码', level: 1 }).waitFor()
    // The language is forgotten, and the cookie is still there.
    await page.reload()
    await page.getByRole('heading', { name: 'QR codes', level: 1 }).waitFor()
  })

  test('a browser asks the server for a session only if it may have one', async () => {
    browser.allow(/status of 401/)
    const renewals: string[] = []
    const visit = async (refused: readonly string[]) => {
      const page = await browser.page()
      await page.addInitScript(`for (const name of ${JSON.stringify(refused)})
        Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError') } })`)
      page.on('request', (request) => request.url().endsWith('/api/auth/refresh') && renewals.push(request.url()))
      await page.goto('/console/codes')
      await page.getByLabel('Username, e-mail or phone').fill('somebody')
    }
    await visit([])
    expect(renewals).toHaveLength(0)
    await visit(['localStorage'])
    expect(renewals).toHaveLength(1)
  })
})

const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })
const pathOf = (page: Page) => new URL(page.url()).pathname.replace('/console', '')

async function discard(page: Page, path: string): Promise<void> {
  await question(page).getByRole('button', { name: 'Discard' }).click()
  await page.waitForURL(`**/console${path}`)
  await question(page).waitFor({ state: 'hidden' })
}

/** Keeps the form. The field that was filled in last has the focus again. */
async function keep(page: Page, path = '/codes/new'): Promise<void> {
  await question(page).getByRole('button', { name: 'Keep editing' }).click()
  await page.locator('input[name=name]:focus').waitFor()
  expect(await page.locator('input[name=name]').inputValue()).toBe('Library')
  await question(page).waitFor({ state: 'hidden' })
  expect(pathOf(page)).toBe(path)
}

/** By links, so that the browser goes back to the pages before without loading anything. */
async function openCodes(page: Page): Promise<void> {
  await page.goto('/console/contacts')
  await page.getByRole('navigation').getByRole('link', { name: 'Codes' }).click()
}

async function beginCode(page: Page): Promise<void> {
  await openCodes(page)
  await page.getByRole('link', { name: 'New code' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Library')
}

describe('a form with changes that were not saved', () => {
  test('is left by links, shortcuts, tabs, the search of everything, another workspace and the sign-out only after a question', async () => {
    const person = await server.person()
    const { id } = await createOrg(person, { name: 'Museum' })
    const page = await browser.signedIn(person)
    await beginCode(page)
    await menuLink(page, 'Codes').click()
    await keep(page)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await keep(page)
    await page.getByRole('heading', { level: 1 }).click()
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.type('ga')
    await keep(page)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('Contacts')
    await page.getByRole('option', { name: 'Contacts' }).first().click()
    await question(page).waitFor()
    // As everywhere, Escape changes nothing.
    await page.keyboard.press('Escape')
    await page.locator('input[name=name]:focus').waitFor()
    await profileButton(page).click()
    await page.getByText('Sign out').click()
    await keep(page)
    await page.getByRole('button', { name: 'Choose whose things are shown' }).click()
    await page.getByRole('menuitem', { name: 'Museum' }).click()
    await keep(page)
    expect(await page.evaluate((key) => localStorage.getItem(key), `tessera.workspace.${person.id}`)).toBeNull()

    await page.getByRole('button', { name: 'Choose whose things are shown' }).click()
    await page.getByRole('menuitem', { name: 'Museum' }).click()
    await discard(page, '/codes')
    await page.getByRole('button', { name: 'Museum. Choose' }).waitFor()

    await page.goto(`/console/orgs/${id}?tab=settings`)
    await page.locator('input[name=name]').fill('Library')
    await page.getByRole('tab', { name: 'Members' }).click()
    await keep(page, `/orgs/${id}`)
    await page.getByRole('tab', { name: 'Members' }).click()
    await discard(page, `/orgs/${id}?tab=members`)
    await menuLink(page, 'Codes').click()
    await page.getByRole('link', { name: 'New code' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Library')
    await profileButton(page).click()
    await page.getByText('Sign out').click()
    await discard(page, '/login')
    // Neither do the pages of the sign-in ask, nor does the browser.
    await page.getByLabel('Password').last().fill('half')
    await page.getByRole('link', { name: 'Forgot' }).click()
    await page.waitForURL('**/console/forgot')
  })

  for (const isPhone of [false, true])
    test(`is left by the buttons of the browser only after a question, ${isPhone ? 'on a phone' : 'on a desktop'}`, async () => {
      const page = await browser.signedIn(await server.person(), { isPhone })
      await beginCode(page)
      const steps = await page.evaluate('history.length')
      await page.goBack()
      await keep(page)
      // While the question is open, and faster than it opens.
      await page.goBack()
      await question(page).waitFor()
      await page.goBack()
      await keep(page)
      await page.evaluate('history.back(), history.back()')
      await keep(page)
      expect(await page.evaluate('history.length')).toBe(steps)

      await page.goBack()
      await discard(page, '/codes')
      await page.goBack()
      await page.waitForURL('**/console/contacts')
      await page.goForward()
      await page.goForward()
      // The texts are gone, so that nothing is asked.
      await page.locator('input[name=name]').waitFor()
      expect(await page.locator('input[name=name]').inputValue()).toBe('')
      await page.goBack()
      await page.waitForURL('**/console/codes')

      await page.getByRole('link', { name: 'New code' }).first().click()
      await page.getByRole('link', { name: 'Cancel' }).click()
      await page.goBack()
      await page.getByLabel('Name', { exact: true }).fill('Library')
      await page.goForward()
      await keep(page)
      await page.goForward()
      await discard(page, '/codes')
    })

  test('stays in its dialog, which asks before Escape, "Cancel" and a click beside it close it', async () => {
    const page = await browser.signedIn(await server.person())
    await openCodes(page)
    const open = page.getByRole('button', { name: 'New folder' }).first()
    const dialog = page.getByRole('dialog', { name: 'New folder' })
    const name = dialog.locator('input[name=name]')
    await open.click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await open.click()
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(5, 300),
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
      () => page.goBack(),
    ]) {
      await name.fill('Branches')
      await close()
      await question(page).getByRole('button', { name: 'Keep editing' }).click()
      await page.locator('input[name=name]:focus').waitFor()
      expect(await name.inputValue()).toBe('Branches')
      await question(page).waitFor({ state: 'hidden' })
    }
    await page.keyboard.press('Escape')
    await discard(page, '/codes')
    await dialog.waitFor({ state: 'hidden' })
    await open.click()
    await name.fill('Branches')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await menuLink(page, 'Contacts').click()
    await page.waitForURL('**/console/contacts')
  })

  test('is closed by the browser only after a question, and without one once it is saved or as it was', async () => {
    const page = await browser.signedIn(await server.person())
    await fillCode(page)
    // Browsers ask only on pages that were clicked.
    await page.getByLabel('Name', { exact: true }).click()
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await page.locator('form button[type=submit]').click()
    await page.getByRole('heading', { name: 'Door of the library' }).waitFor()
    await page.getByRole('link', { name: 'Edit' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Window')
    await page.getByLabel('Name', { exact: true }).fill('Door of the library')
    await menuLink(page, 'Codes').click()
    // A search is no form.
    await page.getByRole('searchbox').fill('Door')
    await page.getByRole('link', { name: 'Door of the library' }).first().click()
    await page.getByRole('heading', { name: 'Door of the library', level: 1 }).waitFor()
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
  })
})
