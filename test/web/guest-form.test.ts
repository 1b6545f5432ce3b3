/** The settings for guests in the form of an activity. */

import { afterAll, describe, expect, test } from 'bun:test'

import { getActivity } from '../activities/helpers.ts'
import { openActivity } from '../activities/registering.ts'
import { startGateways, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

describe('on a server with a mail server', async () => {
  const gateways = await startGateways()
  afterAll(gateways.stop)
  const { server, alice } = useServer({ people: ['alice'], config: gateways.config })
  const browser = useBrowser(server)

  test('guests are turned on, and a refusal is at its field', async () => {
    browser.allow(/status of 400/)
    const { id } = await openActivity(server, alice, {}, { name: 'Concert' })
    const page = await browser.signedIn(alice)
    await page.goto(`/console/activities/${id}/edit`)
    await page.getByLabel('Guests without an account').check()
    await page.getByLabel('Keep the data of guests for (days)').fill('400')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('[name="registration.guestRetentionDays"][aria-invalid=true]').waitFor()
    await page.getByLabel('Keep the data of guests for (days)').fill('7')
    expect(await barriers(page)).toEqual([])
    await screenshot(page, 'guest-form')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect((await getActivity(alice, id)).registration).toMatchObject({ guests: true, guestRetentionDays: 7 })
  })
})

describe('on a server without a mail server', () => {
  const { server, alice } = useServer({ people: ['alice'] })
  const browser = useBrowser(server)

  test('guests cannot be turned on, and the form says why', async () => {
    const { id } = await openActivity(server, alice, {}, { name: '音乐会' })
    const page = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN' })
    await page.goto(`/console/activities/${id}/edit`)
    await page.getByText('需要邮件服务，而服务器尚未配置。').waitFor()
    expect(await page.getByLabel('无账号来宾可报名').isDisabled()).toBe(true)
    expect(await barriers(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
  })
})
