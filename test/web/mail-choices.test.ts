/** Which mails about activities and assets users get, in the web application. */

import { afterAll, expect, test } from 'bun:test'

import { ok, startGateways, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const gateways = await startGateways()
afterAll(gateways.stop)
const { server, bob } = useServer({ people: ['bob'], config: gateways.config })
const browser = useBrowser(server)

test('a user chooses which mails about activities they get', async () => {
  const page = await browser.signedIn(bob, { isPhone: true, isDark: true })
  await page.goto('/console/notifications')
  await page.getByRole('combobox', { name: 'You get' }).click()
  await page.getByRole('option', { name: 'Only important ones' }).click()
  await page.getByText('Your choice is saved.').waitFor()
  await page.getByText('Your registration and pass, another time or place', { exact: false }).waitFor()
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, 'mail-choices')
  expect(ok(await bob.call('notifications.preferences')).data.emailActivities).toBe('IMPORTANT')
})

test('a user chooses when they get mails about assets', async () => {
  const page = await browser.signedIn(bob, { isPhone: true })
  await page.goto('/console/notifications')
  await page.getByRole('combobox', { name: 'Time of the daily mail' }).click()
  await page.getByRole('option').nth(18).click()
  await page.getByText('Your choice is saved.').waitFor()
  const { timeZone, ...chosen } = ok(await bob.call('notifications.preferences')).data
  expect(chosen).toMatchObject({ emailAssets: 'DAILY', digestHour: 18 })
  await page.getByText(`By the clocks in ${timeZone}.`).waitFor()
  await page.getByRole('combobox', { name: 'How often' }).click()
  await page.getByRole('option', { name: 'At once' }).click()
  await page.getByText('Each notification as soon as it comes', { exact: false }).waitFor()
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, 'asset-mail-choices')
  await page.getByRole('combobox', { name: 'How often' }).click()
  await page.getByRole('option', { name: 'Never' }).click()
  await page.getByText('Not even when a loan is overdue.').waitFor()
  expect(await page.getByRole('combobox', { name: 'Time of the daily mail' }).count()).toBe(0)
  expect(ok(await bob.call('notifications.preferences')).data).toMatchObject({ emailAssets: 'NONE', digestHour: 18 })
})

test('an administrator turns mails about assets on', async () => {
  const page = await browser.signedIn(await server.admin())
  await page.goto('/console/admin/settings?keyword=mail.assetReminders')
  await page.getByText('Mails about assets').first().waitFor()
  await page.getByText('a digest a day of everything that is due', { exact: false }).first().waitFor()
})
