/** Time zones and texts of activities in the web application: browser in New York, activity in Shanghai. */

import { describe, expect, test } from 'bun:test'

import { HOUR } from '#platform/clock.ts'

import { momentOf, offsetAt, wallTime } from '../../src/web/i18n/clocks.ts'
import { createActivity, getActivity } from '../activities/helpers.ts'
import { issued, withPasses } from '../activities/pass-helpers.ts'
import { useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

describe('times in a zone', () => {
  test('an input shows the clocks of the zone, and is read on them', () => {
    for (const zone of [
      'UTC',
      'Asia/Shanghai',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'America/New_York',
      'Australia/Lord_Howe',
    ])
      for (let time = Date.UTC(2026, 0, 1); time < Date.UTC(2027, 0, 1); time += 7 * HOUR + 60_000) {
        const { epochMilliseconds } = Temporal.PlainDateTime.from(wallTime(time, zone)).toZonedDateTime(zone)
        expect(momentOf(wallTime(time, zone), zone)).toBe(epochMilliseconds)
      }
    expect(wallTime(Date.UTC(2026, 10, 28, 18, 15), 'Asia/Kathmandu')).toBe('2026-11-29T00:00')
  })

  test('of an hour that comes twice the first is meant, and one that is left out is later', () => {
    const zone = 'America/New_York'
    expect(momentOf('2026-11-01T01:30', zone)).toBe(Date.UTC(2026, 10, 1, 5, 30))
    expect(momentOf('2026-03-08T02:30', zone)).toBe(Date.UTC(2026, 2, 8, 7, 30))
    expect(offsetAt(Date.UTC(2026, 2, 8, 7), zone)).toBe(-4 * HOUR)
    expect(momentOf('no time', zone)).toBeNaN()
  })
})

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)
const NEW_YORK = { zone: 'America/New_York' }

/** 07:30 to 09:30 on 29 November in Shanghai; the day before in New York. */
const START = Date.UTC(2030, 10, 28, 23, 30)
const times = { startTime: START, endTime: START + 2 * HOUR, timeZone: 'Asia/Shanghai' }

test('a new activity has the zone of the browser, and its times are on those clocks', async () => {
  const page = await browser.signedIn(alice, NEW_YORK)
  await page.goto('/console/activities/new')
  await page.getByLabel('Name').fill('Lake cleanup')
  expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('America/New York')
  await page.getByText(/^Eastern (Daylight|Standard) Time, UTC-[45]$/).waitFor()
  await page.getByLabel('Start *').fill('2030-11-28T18:30')
  await page.getByLabel('End *').fill('2030-11-28T20:30')
  await page.getByRole('button', { name: 'Create draft' }).click()
  await page.getByRole('heading', { name: 'Lake cleanup', level: 1 }).waitFor()
  const id = Number(new URL(page.url()).pathname.split('/').at(-1))
  expect(await getActivity(alice, id)).toMatchObject({ ...times, timeZone: 'America/New_York' })
})

for (const isPhone of [false, true])
  test(`a change of the zone asks whether the clock or the moment stays, on a ${isPhone ? 'phone' : 'desktop'}`, async () => {
    const registration = { closesAt: START - HOUR }
    const { id } = await createActivity(alice, { ...times, registration })
    const page = await browser.signedIn(alice, { ...NEW_YORK, isPhone })
    const choose = async (typed: string, option: string) => {
      await page.goto(`/console/activities/${id}/edit`)
      await page.getByRole('combobox', { name: 'Time zone' }).click()
      await page.getByRole('combobox', { name: 'Time zone' }).fill(typed)
      if (typed === 'UTC+9') await screenshot(page, `zone-picker-${isPhone ? 'phone' : 'desktop'}`)
      await page.getByRole('option', { name: option }).click()
    }
    const save = async () => {
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved.').first().waitFor()
      await page.waitForURL(/activities\/\d+$/)
      return getActivity(alice, id)
    }
    await page.goto(`/console/activities/${id}/edit`)
    expect(await page.getByLabel('Start *').inputValue()).toBe('2030-11-29T07:30')
    expect(await isTooWide(page)).toBe(false)

    await choose('UTC+9', 'Asia/Tokyo')
    await page.getByRole('dialog').waitFor()
    expect(await barriers(page)).toEqual([])
    await screenshot(page, `zone-question-${isPhone ? 'phone' : 'desktop'}`)
    await page.getByRole('button', { name: 'The clock: Fri 07:30, now in Tokyo' }).click()
    expect(await page.getByLabel('Start *').inputValue()).toBe('2030-11-29T07:30')
    expect(await save()).toMatchObject({
      timeZone: 'Asia/Tokyo',
      startTime: START - HOUR,
      endTime: START + HOUR,
      registration: { closesAt: START - 2 * HOUR },
    })

    await choose('shanghai', 'Asia/Shanghai')
    await page.getByRole('button', { name: 'The moment: then it is Fri 06:30 in Shanghai' }).click()
    expect(await page.getByLabel('Start *').inputValue()).toBe('2030-11-29T06:30')
    expect(await save()).toMatchObject({ timeZone: 'Asia/Shanghai', startTime: START - HOUR, endTime: START + HOUR })

    // The same clocks: there is nothing to ask.
    await choose('singapore', 'Asia/Singapore')
    expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Asia/Singapore')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

test('lists, details and passes name the times of the activity, and those of the browser where they differ', async () => {
  const { id } = await withPasses(alice, { ...times, name: 'Night walk', visibility: 'PUBLIC' })
  await issued(alice, id, { holderName: 'Lin Mei', validFrom: START })
  const page = await browser.signedIn(bob, NEW_YORK)
  const when = 'Fri, 29 Nov 2030, 07:30–09:30'
  await page.goto('/console/activities?view=discover')
  await page.getByText(`${when} (UTC+8)`).waitFor()
  await page.goto(`/console/activities/${id}`)
  await page.getByText(when, { exact: true }).waitFor()
  await page.getByText('China Standard Time, UTC+8').waitFor()
  await page.getByText('Thu, 28 Nov 2030, 18:30–20:30 in your time (New York)').waitFor()
  expect(await barriers(page)).toEqual([])
  const own = await browser.signedIn(alice, NEW_YORK)
  await own.goto(`/console/activities/${id}?tab=passes`)
  await own.getByText('Lin Mei').click()
  await own.getByText('valid from 29 Nov 2030, 07:30 (UTC+8)').waitFor()
  const there = await browser.signedIn(bob, { zone: 'Asia/Shanghai' })
  await there.goto(`/console/activities/${id}`)
  await there.getByText(when, { exact: true }).waitFor()
  expect(await there.getByText('in your time').count()).toBe(0)
})

for (const isPhone of [false, true])
  test(`a text in Markdown has a preview and is shown with its format, on a ${isPhone ? 'phone' : 'desktop'}`, async () => {
    const { id } = await createActivity(alice, { ...times, description: 'Bring **gloves**.' })
    const page = await browser.signedIn(alice, { isPhone })
    await page.goto(`/console/activities/${id}/edit`)
    await page.getByRole('button', { name: 'With format (Markdown)' }).click()
    await page
      .getByRole('textbox', { name: 'Description' })
      .fill('Bring **boots**.\n\n![far](https://example.org/a.png)')
    if (isPhone) await page.getByRole('tab', { name: 'Preview' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.locator('strong', { hasText: 'boots' }).waitFor()
    expect(await preview.locator('img').count()).toBe(0)
    expect(await barriers(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
    await screenshot(page, `description-${isPhone ? 'phone' : 'desktop'}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('strong', { hasText: 'boots' }).waitFor()
    expect(await getActivity(alice, id)).toMatchObject({ descriptionFormat: 'MARKDOWN' })
  })

test('a plain text that is too long is refused at its field', async () => {
  browser.allow(/status of 400/)
  const { id } = await createActivity(alice, { ...times, description: 'a'.repeat(3000), descriptionFormat: 'MARKDOWN' })
  const page = await browser.signedIn(alice)
  await page.goto(`/console/activities/${id}/edit`)
  await page.getByRole('button', { name: 'Plain text' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('[name=description][aria-invalid=true]').waitFor()
  await page.getByText(/2,?000/).waitFor()
})
