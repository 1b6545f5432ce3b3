/** Webhooks in the web application: making one, its secret, its log, and sending again. */

import { afterAll, beforeAll, expect, test } from 'bun:test'

import { ok, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { startReceiver, verify } from '../webhooks/receiver.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const receiver = startReceiver()
const { server, admin } = useServer({ config: { privateTargets: [receiver.origin] } })
const browser = useBrowser(server)
afterAll(() => receiver.stop())
let orgId: number
beforeAll(async () => {
  orgId = (await createOrg(admin, { name: 'Green Lake School' })).id
})

test('a webhook of an organization is made, tried, and its deliveries are looked at and sent again', async () => {
  browser.allow(/status of 400/)
  const url = receiver.newUrl()
  let isDown = true
  receiver.answer(url, () => new Response('try later', { status: isDown ? 503 : 200 }))
  const page = await browser.signedIn(admin)
  await page.goto(`/console/orgs/${orgId}?tab=settings`)
  await page.getByRole('button', { name: 'New webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Our ERP')
  await dialog.getByLabel('Address').fill('https://127.0.0.1/')
  await dialog.getByRole('button', { name: 'Make the webhook' }).click()
  await dialog.getByText('must be an https address on the public internet').waitFor()
  await dialog.getByLabel('Address').fill(url)
  await dialog.getByText('Example: qr_code.created').waitFor()
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'webhook-form')
  await dialog.getByRole('button', { name: 'Make the webhook' }).click()
  const secret = await dialog.getByText(/^whsec_/).innerText()
  await screenshot(page, 'webhook-secret')
  await dialog.getByRole('button', { name: 'I have copied it' }).click()

  await page.getByRole('button', { name: 'Send a test: Our ERP' }).click()
  const [first] = await receiver.next(url)
  expect(verify(secret, first!)).toMatchObject({ type: 'webhook.test' })
  await page.getByText('Failing').waitFor()
  isDown = false
  await page.getByRole('button', { name: 'Log: Our ERP' }).click()
  await dialog.getByRole('button', { name: 'Show webhook.test, 1' }).click()
  await dialog.getByText('HTTP 503').first().waitFor()
  await dialog.getByText(/503/).first().waitFor()
  await screenshot(page, 'webhook-log')
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Send again' }).click()
  const [, second] = await receiver.next(url, 2)
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
  await dialog.getByText('Delivered').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Working').waitFor()
})

test('the pages of a user and of the server fit a phone in Chinese', async () => {
  const body = { name: '监控', url: receiver.newUrl(), events: ['user.*', 'backup.failed', 'asset.checked_out'] }
  ok(await admin.call('webhooks.createOfServer', { body }))
  const phone = await browser.signedIn(admin, { isPhone: true, locale: 'zh-CN' })
  await phone.goto('/console/admin/webhooks')
  await phone.getByText('监控').waitFor()
  expect(await isTooWide(phone)).toBe(false)
  expect(await barriers(phone)).toEqual([])
  await screenshot(phone, 'webhooks-server-zh')
  await phone.goto('/console/account/webhooks')
  await phone.getByText('没有 Webhook').waitFor()
  expect(await isTooWide(phone)).toBe(false)
  await screenshot(phone, 'webhooks-own-zh')
})
