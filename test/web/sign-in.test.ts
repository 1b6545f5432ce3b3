/** Signing in to the web application, the session in the browser, and its end. */

import { afterAll, describe, expect, test } from 'bun:test'

import { HOUR } from '#platform/clock.ts'

import { createActivity } from '../activities/helpers.ts'
import { ok, startGateways, useServer } from '../harness/index.ts'
import { barriers, isTooWide, menuLink, screenshot, until, useBrowser } from './browser.ts'

const gateways = await startGateways()
const { server, alice, admin } = useServer({ people: ['alice'], config: gateways.config })
const browser = useBrowser(server)
afterAll(() => gateways.stop())

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

describe('a visitor of a public page', () => {
  /** An activity that takes place now, and the path of its check-in page, which its poster holds. */
  async function withPoster(fields: Parameters<typeof createActivity>[1] = {}) {
    const activity = await createActivity(alice, {
      status: 'ACTIVE',
      visibility: 'PUBLIC',
      startTime: Date.now() - HOUR,
      endTime: Date.now() + HOUR,
      hasCheckIn: true,
      checkInConfig: { shortCode: 'TULIP' },
      ...fields,
    })
    const codes = ok(await alice.call('activities.qrCodes', { params: { id: activity.id } })).data
    return { ...activity, poster: new URL(codes.find(({ type }) => type === 'CHECK_IN')!.publicUrl).pathname }
  }
  const checkedIn = async (id: number) =>
    ok(await alice.call('activities.checkInRecords', { params: { id } })).data.items.map(({ nickname }) => nickname)

  test('scans the poster of a check-in, creates an account, and is checked in by one tap, in Chinese', async () => {
    browser.allow(/status of 404/)
    const { id, poster, inviteCode } = await withPoster({ name: '春季游园会', visibility: 'INVITE_ONLY' })
    const page = await browser.page({ isPhone: true })
    await page.goto(`${poster}?code=${inviteCode}&lang=zh`)
    await screenshot(page, 'visitor-check-in')
    await page.getByRole('link', { name: '签到', exact: true }).click()
    await page.getByRole('link', { name: '注册账号' }).click()
    await page.getByLabel('用户名或邮箱').fill('xiaoyu')
    await page.getByLabel('密码').first().fill('seven paper boats')
    await page.getByLabel('昵称').fill('小雨')
    await page.getByRole('button', { name: '注册', exact: true }).click()
    await page.getByText('已扫描签到二维码').waitFor()
    await screenshot(page, 'visitor-one-tap')
    await page.getByRole('button', { name: '签到', exact: true }).click()
    await page.getByText(/你已于 .* 签到/).waitFor()
    expect(await checkedIn(id)).toEqual(['小雨'])
  })

  test('sets a forgotten password, signs in, and arrives at the activity to register', async () => {
    browser.allow(/status of 40[14]/)
    const person = await server.person()
    const email = `${person.username}@example.org`
    ok(await person.call('auth.emailBindCode', { body: { email } }))
    ok(await person.call('auth.emailBind', { body: { email, code: await gateways.codeFor(email) } }))
    await gateways.mailFor(email)
    const { id, uuid } = await withPoster({ registration: {}, startTime: Date.now() + HOUR / 2 })
    const page = await browser.page({ isPhone: true })
    await page.goto(`/s/activity/${uuid}`)
    await page.getByRole('link', { name: 'Register', exact: true }).click()
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('E-mail or phone of your account').fill(email)
    await page.getByRole('button', { name: 'Send code' }).click()
    await page
      .getByLabel('Code', { exact: false })
      .first()
      .fill(await gateways.codeFor(email))
    await page.getByLabel('New password').fill('seven paper boats')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Your password was changed.').waitFor()
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await page.getByLabel('Username, e-mail or phone').fill(email)
    await page.getByLabel('Password').last().fill('seven paper boats')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Register', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Register' }).click()
    await page.getByText('You are registered.').waitFor()
    const { items } = ok(await alice.call('registrations.list', { params: { id } })).data
    expect(items).toMatchObject([{ userId: person.id, status: 'CONFIRMED' }])
  })

  test('learns that an activity is only for members, and is never led to another server', async () => {
    browser.allow(/status of 404/)
    const page = await browser.page()
    await page.goto(`/s/activity/${crypto.randomUUID()}`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Username, e-mail or phone').fill(alice.username)
    await page.getByLabel('Password').last().fill(alice.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This activity is not there for you').waitFor()
    const stranger = await browser.page()
    await stranger.goto('/console//example.org/codes')
    await stranger.getByLabel('Username, e-mail or phone').fill(alice.username)
    await stranger.getByLabel('Password').last().fill(alice.password)
    await stranger.getByRole('button', { name: 'Sign in' }).click()
    await stranger.getByRole('button', { name: 'Profile' }).waitFor()
    expect(new URL(stranger.url()).origin).toBe(server.url)
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
    // Not the count of the overview, which asks for one row.
    await page.route('**/api/admin/login-records?sort=*', async (route) => {
      tokens.push(route.request().headers()['authorization'])
      if (tokens.length > 1) return await route.continue()
      await route.fulfill({
        status: 401,
        json: { code: 401, message: 'The session has expired', requestId: 'expired' },
      })
    })
    const renewed = page.waitForResponse('**/api/auth/refresh')
    await menuLink(page, 'Administration').click()
    await menuLink(page, 'Login records').click()
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
    // A refused request that was still under way would end the session without its reason.
    await page.waitForLoadState('networkidle')
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

  test('the chosen theme outlives the sign-out', async () => {
    browser.allow(/status of 401/)
    const page = await browser.signedIn(alice)
    await page.goto('/console/')
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const light = await background()
    await page.getByRole('button', { name: 'Toggle light/dark mode' }).click()
    await until(page, `getComputedStyle(document.body).backgroundColor !== '${light}'`)
    const dark = await background()
    await page.getByRole('button', { name: 'Profile' }).click()
    await page.getByText('Sign out').click()
    await page.getByLabel('Username, e-mail or phone').waitFor()
    expect(await background()).toBe(dark)
    await page.reload()
    await page.getByLabel('Username, e-mail or phone').waitFor()
    expect(await background()).toBe(dark)
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
