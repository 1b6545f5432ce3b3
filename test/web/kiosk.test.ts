/** The screen that shows the check-in code, and codes that rotate, in the web application. */

import { describe, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { SECOND } from '#platform/clock.ts'

import { checkIn, openActivity } from '../activities/check-in-helpers.ts'
import { getActivity } from '../activities/helpers.ts'
import { hasFirefox } from '../harness/firefox.ts'
import { inProcess, ok, type Person, type TestServer, useServer } from '../harness/index.ts'
import { until } from '../harness/until.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const SECONDS = 300

const kioskOf = async (person: Person, { id }: { id: number }): Promise<string> =>
  new URL(ok(await person.call('activities.openKiosk', { params: { id } })).data.url).pathname
const contentOf = async ({ url }: TestServer, path: string): Promise<string> =>
  ((await (await fetch(`${url}/public/kiosk/${path.split('/').at(-1)}`)).json()) as { data: { content: string } }).data
    .content
/** Moves the clock to the beginning of a step. */
const nextStep = ({ clock }: TestServer) => clock.advance(SECONDS * SECOND - (clock.now() % (SECONDS * SECOND)))

/** The content of the QR code that the page shows. */
const shownOn = async (page: Page): Promise<string | null> => {
  const src = await page.locator('#kiosk-code img').getAttribute('src')
  return new URL(src!, 'http://x').searchParams.get('content')
}

for (const isFirefox of hasFirefox ? [false, true] : [false])
  describe(`the page of a kiosk in ${isFirefox ? 'Firefox' : 'Chromium'}`, () => {
    const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
    const browser = useBrowser(server, { isFirefox })

    test('shows the code, the name and the check-ins, and follows them', async () => {
      const activity = await openActivity(server, alice, {
        name: 'Lake cleanup',
        checkInConfig: { rotatingSeconds: SECONDS, maxPerUser: 0 },
      })
      const path = await kioskOf(alice, activity)
      nextStep(server)
      const page = await browser.page()
      await page.goto(path)
      await page.getByRole('heading', { name: 'Lake cleanup' }).waitFor()
      await page.getByText('Scan this code').waitFor()
      await page.getByText('Checked in: 0').waitFor()
      expect(await page.locator('#kiosk-clock').textContent()).toMatch(/^\d\d:\d\d$/)
      const first = await contentOf(server, path)
      expect(await shownOn(page)).toBe(first)
      expect(await isTooWide(page)).toBe(false)
      expect(await barriers(page)).toEqual([])
      if (!isFirefox) await screenshot(page, 'kiosk')
      ok(await checkIn(bob, activity, { code: first }))
      await page.getByText('Checked in: 1').waitFor()
      server.clock.advance(SECONDS * SECOND)
      const second = await contentOf(server, path)
      await until(async () => (await shownOn(page)) === second)
      ok(await alice.call('activities.setStatus', { params: { id: activity.id }, body: { status: 'ENDED' } }))
      await page.getByText('Check-in is not open now.').waitFor()
      expect(await page.locator('#kiosk-code img').count()).toBe(0)
    })

    test('hides the code when the link is ended', async () => {
      browser.allow(/status of 404|404/)
      const activity = await openActivity(server, alice)
      const page = await browser.page({ locale: 'zh-CN', isPhone: !isFirefox })
      await page.goto(await kioskOf(alice, activity))
      await page.getByText('用手机相机或应用扫描此码。').waitFor()
      ok(await alice.call('activities.endKiosk', { params: { id: activity.id } }))
      await page.getByText('此链接已失效').waitFor()
      expect(await page.locator('#kiosk-code img').count()).toBe(0)
    })

    // Firefox cannot be asked for the text of a page without scripts.
    test.if(!isFirefox)('says without scripts that it needs them', async () => {
      const activity = await openActivity(server, alice)
      const page = await browser.page({ hasScripts: false })
      await page.goto(await kioskOf(alice, activity))
      await page.getByText('This page needs JavaScript').waitFor()
    })
  })

describe('a manager', () => {
  const { server, alice } = useServer({ people: ['alice'] })
  const browser = useBrowser(server)

  test('lets the code rotate, and opens, copies and ends the link of the screen', async () => {
    const activity = await openActivity(server, alice, { registration: {} })
    const page = await browser.signedIn(alice, { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`/console/activities/${activity.id}/edit`)
    await page.getByLabel('The code on the screen changes').check()
    await page.getByLabel('Changes every (seconds)').fill('60')
    await page.getByLabel('Only people with a confirmed registration check in').check()
    expect(await page.getByLabel('Short code').count()).toBe(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('show it on a screen at the entrance').waitFor()
    expect((await getActivity(alice, activity.id)).checkInConfig).toMatchObject({
      rotatingSeconds: 60,
      registeredOnly: true,
    })
    await page.getByRole('button', { name: 'Screen', exact: true }).click()
    await page.getByText('The code changes every 60 seconds.').waitFor()
    const url = await page.getByLabel('Link', { exact: true }).inputValue()
    expect(url).toContain('/s/kiosk/')
    expect(await barriers(page)).toEqual([])
    expect(await page.getByRole('link', { name: 'Open the screen' }).getAttribute('href')).toBe(url)
    const path = new URL(url).pathname
    const screen = await browser.page()
    await screen.goto(path)
    await screen.getByText('Scan this code').waitFor()
    await screen.close()
    await page.getByRole('button', { name: 'End the link' }).click()
    await page.getByRole('dialog').last().getByRole('button', { name: 'End the link' }).click()
    await page.getByText('The link has ended.').waitFor()
    expect((await fetch(server.url + path)).status).toBe(404)
  })
})

describe('a participant', () => {
  const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
  const browser = useBrowser(server)

  test.if(inProcess)('checks in by the code of the screen, and sees when it has expired', async () => {
    browser.allow(/status of 400/)
    const activity = await openActivity(server, alice, { checkInConfig: { rotatingSeconds: SECONDS } })
    const path = await kioskOf(alice, activity)
    nextStep(server)
    const old = new URL(await contentOf(server, path))
    server.clock.advance(2 * SECONDS * SECOND)
    const page = await browser.signedIn(bob, { isPhone: true })
    // The camera of the phone opens the page of the link.
    await page.goto(old.pathname + old.search)
    await page.getByRole('link', { name: 'Check in' }).click()
    await page.getByText('One tap is left.').waitFor()
    await page.getByRole('button', { name: 'Check in', exact: true }).click()
    await page.getByText('This code has expired. Scan the screen again').waitFor()
    await page.getByRole('button', { name: 'Scan the check-in code' }).waitFor()
    await screenshot(page, 'expired-code')
    const present = new URL(await contentOf(server, path))
    await page.goto(present.pathname + present.search)
    await page.getByRole('link', { name: 'Check in' }).click()
    await page.getByRole('button', { name: 'Check in', exact: true }).click()
    await page.getByText('You are checked in.').waitFor()
  })

  test('is asked to scan the screen if the code rotates', async () => {
    const activity = await openActivity(server, alice, { checkInConfig: { rotatingSeconds: SECONDS } })
    const page = await browser.signedIn(bob)
    await page.goto(`/console/activities/${activity.id}`)
    await page.getByText('Scan the code on the screen at the entrance.').waitFor()
    expect(await page.getByLabel('Short code').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Check in', exact: true }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Scan the check-in code' }).count()).toBe(1)
  })
})
