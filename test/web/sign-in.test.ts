/** Signing in to the web console, the session in the browser, and its end. */

import { describe, expect, test } from 'bun:test'

import { ok, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, alice, admin } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

describe('signing in', () => {
  test('a user signs in with the keyboard, reloads the page and stays signed in', async () => {
    const page = await browser.page()
    let navigations = 0
    page.on('framenavigated', () => navigations++)
    await page.goto('/console/')
    await page.getByLabel('Username, e-mail or phone').waitFor()
    await page.keyboard.type(alice.username)
    await page.keyboard.press('Tab')
    await page.keyboard.type(alice.password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Profile' }).waitFor()
    // A redirection that starts over and over again ended by itself after seconds.
    expect(navigations).toBeLessThan(10)
    await page.reload()
    await page.getByRole('button', { name: 'Profile' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/')
  })

  test('a wrong password is explained, with the id of the request, and the form keeps the account', async () => {
    browser.allow(/status of 401/)
    const page = await browser.page({ isPhone: true, locale: 'zh-CN' })
    await page.goto('/console/login')
    await page.getByLabel('用户名、邮箱或手机号').fill(alice.username)
    await page.getByLabel('密码').last().fill('not the password')
    await page.getByRole('button', { name: '登录' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toMatch(/请求编号 \S+/)
    expect(await page.getByLabel('用户名、邮箱或手机号').inputValue()).toBe(alice.username)
    await screenshot(page, 'sign-in-refused')
  })

  test('a refused registration says the reason at the field, which gets the focus, and keeps what was typed', async () => {
    browser.allow(/status of 400/)
    const page = await browser.page({ isPhone: true, locale: 'zh-CN' })
    await page.goto('/console/register')
    const account = page.getByLabel('用户名或邮箱')
    const password = page.getByLabel('密码')
    await account.fill('9limei')
    await password.fill('password')
    await page.getByLabel('昵称').fill('李梅')
    await page.getByRole('button', { name: '注册' }).click()
    await page.getByText('须为 3 到 32 位字母').waitFor()
    expect(await page.evaluate('document.activeElement.autocomplete')).toBe('username')
    await account.fill('limei')
    await page.getByRole('button', { name: '注册' }).click()
    await page.getByText('过于常见，容易被猜到').waitFor()
    expect(await page.evaluate('document.activeElement.autocomplete')).toBe('new-password')
    expect([await account.inputValue(), await page.getByRole('alert').count()]).toEqual(['limei', 0])
  })

  for (const isDark of [false, true])
    test(`sign-in, registration and forgotten password have no barriers, ${isDark ? 'dark' : 'light'}`, async () => {
      const page = await browser.page({ isPhone: true, isDark })
      for (const path of ['login', 'register', 'forgot']) {
        await page.goto(`/console/${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        expect({ path, barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
          path,
          barriers: [],
          isTooWide: false,
        })
        await screenshot(page, `${path}-${isDark ? 'dark' : 'light'}`)
      }
    })
})

describe('the session in the browser', () => {
  test('scripts can read neither the refresh token nor the device id', async () => {
    const page = await browser.signedIn(alice)
    await page.goto('/console/')
    await page.getByRole('button', { name: 'Profile' }).waitFor()
    const cookies = await page.context().cookies()
    const secrets = cookies.map(({ value }) => value)
    expect(secrets.length).toBeGreaterThan(1)
    const readable = await page.evaluate<string>(
      'document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })',
    )
    for (const secret of secrets) expect(readable).not.toContain(secret)
    expect(readable).not.toContain('eyJ')
  })

  test('a request that is refused because the access token has expired is sent again with a new one', async () => {
    browser.allow(/status of 401/)
    const page = await browser.signedIn(admin)
    await page.goto('/console/')
    await page.getByRole('button', { name: 'Profile' }).waitFor()
    const tokens: (string | undefined)[] = []
    await page.route('**/api/admin/login-records*', async (route) => {
      tokens.push(route.request().headers()['authorization'])
      if (tokens.length > 1) return await route.continue()
      await route.fulfill({
        status: 401,
        json: { code: 401, message: 'The session has expired', requestId: 'expired' },
      })
    })
    const renewed = page.waitForResponse('**/api/auth/refresh')
    await page.getByRole('menuitem', { name: 'Administration' }).click()
    await page.getByRole('menuitem', { name: 'Login records' }).click()
    expect((await renewed).status()).toBe(200)
    await page.getByRole('table').waitFor()
    expect(tokens).toHaveLength(2)
    expect(tokens[1]).not.toBe(tokens[0])
  })

  test('an administrator ends the session: the page shows the sign-in and the reason at once', async () => {
    browser.allow(/status of 401/)
    const bob = await server.person('bob')
    const page = await browser.signedIn(bob)
    const connected = page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'))
    await page.goto('/console/')
    await connected
    ok(await admin.patch(`/api/admin/users/${bob.id}/status`, { status: 'DISABLED' }))
    await page.getByText('Your account was disabled').waitFor()
  })

  test('a session that is signed out of without a connection ends as soon as the server answers', async () => {
    browser.allow(/ERR_INTERNET_DISCONNECTED|status of 401/)
    const page = await browser.signedIn(alice)
    await page.goto('/console/account')
    await page.getByRole('button', { name: 'Profile' }).click()
    await page.context().setOffline(true)
    await page.getByText('Sign out').click()
    await page.getByText('The server cannot be reached, so your session has not ended there yet.').waitFor()
    const ended = page.waitForResponse('**/api/auth/logout')
    await page.context().setOffline(false)
    expect((await ended).status()).toBe(200)
    await page.getByText('You have signed out.').waitFor()
    const refresh = await page.context().request.post('/api/auth/refresh', { headers: { 'x-refresh-token': 'cookie' } })
    expect(refresh.status()).toBe(401)
  })

  test('signing out in one tab ends the other', async () => {
    browser.allow(/status of 401/)
    const first = await browser.signedIn(alice)
    await first.goto('/console/')
    await first.getByRole('button', { name: 'Profile' }).waitFor()
    const second = await first.context().newPage()
    await second.goto('/console/')
    await second.getByRole('button', { name: 'Profile' }).waitFor()
    await second.getByRole('button', { name: 'Profile' }).click()
    await second.getByText('Sign out').click()
    await second.getByLabel('Username, e-mail or phone').waitFor()
    await first.getByLabel('Username, e-mail or phone').waitFor()
  })
})

test('a page of which a part cannot be loaded waits for the server and then opens', async () => {
  browser.allow(/ERR_FAILED|dynamically imported module/)
  const page = await browser.signedIn(admin)
  await page.goto('/console/')
  await page.getByRole('button', { name: 'Profile' }).waitFor()
  await page.route(/\/console\/([^/]+\.js)?$/, (route) => route.abort())
  await page.evaluate(
    "history.pushState(null, '', '/console/admin/login-records'); dispatchEvent(new PopStateEvent('popstate'))",
  )
  await page.getByText('This page opens as soon as the server answers.').waitFor()
  await page.unroute(/\/console\/([^/]+\.js)?$/)
  await page.getByRole('table').waitFor()
})

test('a page that is older than the server loads the new version when a part of it is gone', async () => {
  browser.allow(/status of 404|dynamically imported module/)
  const page = await browser.signedIn(admin)
  await page.goto('/console/')
  await page.getByRole('button', { name: 'Profile' }).waitFor()
  await page.route(/\/console\/[^/]+\.js$/, (route) => route.fulfill({ status: 404 }), { times: 1 })
  await page.evaluate(
    "history.pushState(null, '', '/console/admin/login-records'); dispatchEvent(new PopStateEvent('popstate'))",
  )
  await page.getByRole('table').waitFor()
})
