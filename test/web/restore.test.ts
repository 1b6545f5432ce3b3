/** An administrator uploads a backup, restores it and undoes the restore in the browser. The server runs in a process of its own. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'

import { ok, send } from '../harness/client.ts'
import { Installation, onPostgres } from '../ops/cli.ts'
import { isTooWide, screenshot, useBrowser } from './browser.ts'

const PASSWORD = 'correct horse battery'
const ADMIN = { TESSERA_ADMIN_USERNAME: 'root', TESSERA_ADMIN_PASSWORD: PASSWORD }
const DEVICE = { 'x-device-id': 'device-of-root-long-enough' }

const place = { url: '' }
let installation: Installation
beforeAll(async () => {
  installation = await Installation.make()
  place.url = (await installation.serve([], { env: ADMIN })).url
})
afterAll(() => installation.dispose())

const browser = useBrowser({
  get url() {
    return place.url
  },
})
const root = { username: 'root', password: PASSWORD } as never

const register = async (username: string) =>
  ok(await send(place.url, 'POST', '/api/auth/register', { headers: DEVICE, body: { username, password: PASSWORD } }))
const exists = async (account: string): Promise<boolean> =>
  (await send(place.url, 'POST', '/api/auth/login', { headers: DEVICE, body: { account, password: PASSWORD } }))
    .status === 200

test.if(!onPostgres)('an administrator uploads a backup, restores it, and undoes the restore on a phone', async () => {
  const copy = join(installation.home, 'moved.tar.zst')
  expect((await installation.run(['backup', copy])).code).toBe(0)
  await register('ben')
  const page = await browser.signedIn(root)
  // The server stops while the page asks it, and the sessions end.
  browser.allow(/status of (?:401|404|503)|ERR_CONNECTION|WebSocket|Failed to load/)
  await page.goto('/console/admin/backups')
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload a backup' }).click()
  await (await chooser).setFiles(copy)
  await page.getByRole('button', { name: 'Restore moved.tar.zst' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('row', { name: 'Users 2 1' }).waitFor()
  await screenshot(page, 'restore-preview')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('Replace all data now?').waitFor()
  await dialog.getByRole('textbox').fill('moved.tar.zst')
  await dialog.getByRole('button', { name: 'Replace all data' }).click()
  await page.waitForURL(/\/console\/login/)
  expect(await exists('ben')).toBe(false)

  const phone = await browser.signedIn(root, { isPhone: true, locale: 'zh-CN' })
  await phone.goto('/console/admin/backups')
  await phone.getByText('备份 moved.tar.zst').waitFor()
  expect(await isTooWide(phone)).toBe(false)
  await screenshot(phone, 'restores-phone')
  await phone.getByRole('button', { name: /^撤销/ }).click()
  await phone.getByRole('dialog').getByRole('button', { name: '替换所有数据' }).click()
  await phone.waitForURL(/\/console\/login/)
  expect(await exists('ben')).toBe(true)
})
