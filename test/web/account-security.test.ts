/** Security of the account in the web application: addresses, password, linked accounts, and conflicts of offline devices. */

import { afterAll, expect, test } from 'bun:test'

import { ok, startGateways, useServer } from '../harness/index.ts'
import { barriers, screenshot, useBrowser } from './browser.ts'

const gateways = await startGateways()
const { server, admin } = useServer({
  people: [],
  config: gateways.config,
  settings: { 'security.requireTotp': true },
})
const browser = useBrowser(server)
afterAll(() => gateways.stop())

test('an e-mail address is added with the code of a mail, and removed', async () => {
  browser.allow(/status of 400/)
  const person = await server.person()
  const address = `${person.username}@example.org`
  const page = await browser.signedIn(person, { isPhone: true })
  await page.goto('/console/account/security')
  await page.getByRole('button', { name: 'Add: E-mail' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail', { exact: false }).first().fill(address)
  await dialog.getByRole('button', { name: 'Send code' }).click()
  const code = await gateways.codeFor(address)
  await dialog.getByLabel('Code').fill(code === '000000' ? '000001' : '000000')
  await dialog.locator('button[type=submit]').click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Code').fill(code)
  await dialog.locator('button[type=submit]').click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText(address).waitFor()
  expect(ok(await person.call('profile.get')).data.email).toBe(address)
  await page.getByRole('button', { name: 'Remove: E-mail' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText(address).waitFor({ state: 'hidden' })
  expect(ok(await person.call('profile.get')).data.email).toBeNull()
})

test('a changed password ends the sessions of all devices, and only the new one signs in', async () => {
  browser.allow(/status of 40[01]|WebSocket/)
  const person = await server.person()
  const page = await browser.signedIn(person)
  await page.goto('/console/account/security')
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Current password').fill(person.password)
  await dialog.getByLabel('New password').fill('seven yellow roofs')
  await dialog.locator('button[type=submit]').click()
  await page.getByText('Your password was changed. Sign in with the new one.').waitFor()
  expect((await person.get('/api/auth/userinfo')).status).toBe(401)
  await page.getByLabel('Username, e-mail or phone').fill(person.username)
  await page.getByLabel('Password').last().fill(person.password)
  await page.keyboard.press('Enter')
  await page.getByText('Wrong username or password').waitFor()
  await page.getByLabel('Password').last().fill('seven yellow roofs')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Profile' }).waitFor()
})

test('a user links an account, and changes to it when it has agreed', async () => {
  const [ada, ben] = [await server.person(), await server.person()]
  const name = ok(await ben.call('profile.get')).data.nickname
  const page = await browser.signedIn(ada)
  await page.goto('/console/account/links')
  await page.getByRole('button', { name: 'Link an account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Link an account' })
  await dialog.getByLabel('Number of the other account').fill(String(ben.id))
  await dialog.getByLabel('Password of the other account').fill(ben.password)
  await dialog.getByRole('button', { name: 'Link', exact: true }).click()
  await page.getByText('Account linked').waitFor()

  const other = await browser.signedIn(ben, { isPhone: true, locale: 'zh-CN' })
  await other.goto('/console/account/links')
  const agree = other.getByRole('button', { name: '同意' })
  await other.getByRole('button', { name: /^取消关联/ }).waitFor()
  if (await agree.isVisible()) {
    await agree.click()
    await other.getByRole('dialog').getByRole('button', { name: '同意' }).click()
    await other.getByText('已同意').waitFor()
    await page.reload()
  }
  await page.getByRole('button', { name: 'Switch to it' }).click()
  await page.getByRole('heading', { name: `Hello, ${name}` }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: `Hello, ${name}` }).waitFor()
})

test('a conflict shows only the properties that the device sent, and is resolved both ways', async () => {
  const person = await server.person()
  const push = async (localId: string, baseVersion: number, updatedAt: number, data: object) =>
    ok(
      await person.call('sync.push', {
        body: { records: [{ entity: 'category', localId, baseVersion, updatedAt, data }] },
      }),
    )
  for (const localId of ['a', 'b']) {
    await push(localId, 0, server.clock.now(), { name: `Folder ${localId}` })
    await push(localId, 1, server.clock.now(), { name: `Renamed ${localId}` })
    await push(localId, 1, 0, { name: `Old ${localId}` })
  }
  const page = await browser.signedIn(person, { isPhone: true, isDark: true })
  await page.goto('/console/account/storage')
  await page.getByText('Renamed b').first().waitFor()
  await screenshot(page, 'conflicts')
  expect(await barriers(page)).toEqual([])
  expect(await page.getByText('1970').count()).toBe(0)
  expect(await page.getByText('Colour').count()).toBe(0)
  await page.getByRole('button', { name: 'Keep the server’s' }).first().click()
  await page.getByText('Conflict resolved').waitFor()
  await page.getByRole('button', { name: 'Take the device’s' }).click()
  await page.getByRole('heading', { name: 'Conflicts' }).waitFor({ state: 'hidden' })
  expect(ok(await person.call('sync.conflicts', { query: { status: 'OPEN' } })).data.total).toBe(0)
})

test('an administrator without the second factor that the server requires is led to the page that sets it up', async () => {
  browser.allow(/status of 403/)
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/users')
  await page.getByText('Administrators need two-factor sign-in here').first().waitFor()
  await page.getByRole('link', { name: 'Set it up' }).first().click()
  await page.getByRole('heading', { name: 'Two-factor sign-in' }).waitFor()
})
