/** Which mails about activities users get, in the web application. */

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
