/** Pages that were opened by plain http: one line says where https is set up, instead of the camera, the position or notifications. */

import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

/** Browsers treat pages of this computer as secure. */
const makeInsecure = (page: Page) =>
  page.addInitScript("Object.defineProperty(globalThis, 'isSecureContext', { value: false })")
const line = (page: Page, text: string) => page.getByRole('note').filter({ hasText: text })

test('users are led to their administrator, on one line at the camera, the position and notifications', async () => {
  for (const [locale, texts] of [
    ['en', ['The camera needs https: ask your administrator.', 'Notifications need https: ask your administrator.']],
    ['zh-CN', ['使用摄像头需要 https：请联系管理员。', '通知需要 https：请联系管理员。']],
  ] as const) {
    const page = await browser.signedIn(alice, { isPhone: true, locale })
    await makeInsecure(page)
    await page.goto('/console/scan')
    await line(page, texts[0]).waitFor()
    expect(await barriers(page)).toEqual([])
    await screenshot(page, `needs-https-${locale}`)
    await page.goto('/console/notifications')
    await line(page, texts[1]).waitFor()
    expect([await isTooWide(page), await barriers(page)]).toEqual([false, []])
    expect(await page.getByRole('switch').first().isDisabled()).toBe(true)
  }
  const org = await createOrg(alice, { name: 'Places' })
  const page = await browser.signedIn(alice)
  await makeInsecure(page)
  await page.goto(`/console/orgs/${org.id}?tab=locations`)
  await page.getByRole('button', { name: 'Add location' }).click()
  await line(page, 'The position needs https: ask your administrator.').waitFor()
})

test('administrators get the link to the page of the address, and everybody the one to https or to trust where there is one', async () => {
  const page = await browser.signedIn(admin)
  await makeInsecure(page)
  const href = async (name: string) => {
    await page.goto('/console/scan')
    return line(page, 'The camera needs https').getByRole('link', { name }).getAttribute('href')
  }
  expect(await href('set it up')).toBe('/console/admin/address')
  let values: object = { publicUrl: 'https://qr.example.org' }
  await page.route('**/api/server', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { data: object }
    await route.fulfill({ response, json: { ...body, data: { ...body.data, ...values } } })
  })
  expect(await href('open the https address')).toBe('https://qr.example.org/console/scan')
  values = { publicUrl: 'https://192.168.1.20:8443', trustUrl: 'http://192.168.1.20:8080/trust' }
  expect(await href('set it up')).toBe('http://192.168.1.20:8080/trust')
})
