/** The session of the web application in unusual moments: it expires, another user takes over the browser, and storage is refused. */

import { describe, expect, test } from 'bun:test'

import type { BrowserContext, Page } from 'playwright-core'

import { ok, type Person, useServer } from '../harness/index.ts'
import { menuLink, useBrowser } from './browser.ts'

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

  test('the browser asks before a form that was filled in is closed, until it is saved', async () => {
    const page = await browser.signedIn(await server.person())
    await fillCode(page)
    // Browsers ask only on pages that were clicked.
    await page.getByLabel('Name', { exact: true }).click()
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    const question = await asked
    expect(question.type()).toBe('beforeunload')
    await question.dismiss()
    await page.locator('form button[type=submit]').click()
    await page.getByRole('heading', { name: 'Door of the library' }).waitFor()
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
  })

  test('a phone without a connection says so when it searches and saves, and goes on when it has one again', async () => {
    browser.allow(/ERR_INTERNET_DISCONNECTED/)
    const page = await browser.signedIn(await server.person(), { isPhone: true })
    await fillCode(page)
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
    await fillCode(page)
    await expire(page, '**/api/qr-codes')
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
  })
})
