/** Copying and repeating activities in the web application. */

import { describe, expect, test } from 'bun:test'

import { DAY, HOUR } from '#platform/clock.ts'

import { createActivity, getActivity } from '../activities/helpers.ts'
import { useServer } from '../harness/index.ts'
import { until } from '../harness/until.ts'
import { barriers, screenshot, useBrowser } from './browser.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

describe('a manager', () => {
  test('copies an activity with the parts that are chosen', async () => {
    const startTime = Date.now() + DAY
    const source = await createActivity(alice, {
      name: 'Yoga',
      description: 'Bring a mat',
      startTime,
      endTime: startTime + HOUR,
      hasCheckIn: true,
    })
    const page = await browser.signedIn(alice)
    await page.goto(`/console/activities/${source.id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Copy' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Yoga for beginners')
    await dialog.getByLabel('Description').uncheck()
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('heading', { name: 'Yoga for beginners', level: 1 }).waitFor()
    const id = Number(new URL(page.url()).pathname.split('/').at(-1))
    const copy = await getActivity(alice, id)
    expect(copy).toMatchObject({ description: '', hasCheckIn: true, status: 'DRAFT' })
    expect(Math.abs(copy.startTime - (startTime + 7 * DAY))).toBeLessThanOrEqual(HOUR)
  })

  test('repeats an activity after a look at its dates, and sees the series', async () => {
    const startTime = Date.UTC(2027, 0, 31, 4, 15)
    const source = await createActivity(bob, {
      name: 'Choir',
      timeZone: 'Asia/Kathmandu',
      startTime,
      endTime: startTime + HOUR,
    })
    const page = await browser.signedIn(bob)
    await page.goto(`/console/activities/${source.id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Repeat' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add 4 activities' }).waitFor()
    await dialog.getByLabel('Repeat', { exact: true }).click()
    await page.getByRole('option', { name: 'By month' }).click()
    await dialog.getByLabel('How many').fill('3')
    await dialog.getByText('2027-02-31').waitFor()
    // In the zone of the activity, whatever that of the browser is.
    await dialog.getByText('10:00').first().waitFor()
    await dialog.getByText('Times are those of Asia/Kathmandu.').waitFor()
    expect(await barriers(page)).toEqual([])
    await screenshot(page, 'series')
    await dialog.getByRole('button', { name: 'Add 3 activities' }).click()
    await page.getByText('The activities are saved as drafts.').waitFor()
    await page.getByText('One series').waitFor()
    await until(async () => (await page.getByRole('link', { name: /Choir/ }).count()) === 3)
    await page.getByRole('link', { name: /Choir/ }).first().click()
    await page.getByText('Part of a series').waitFor()
    await page.getByRole('link', { name: 'See all of them' }).click()
    await page.getByText('One series').waitFor()
  })
})
