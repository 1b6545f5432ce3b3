/** The same day everywhere: server in UTC, organizer in Shanghai, visitor in New York. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'
import type { Browser } from 'playwright-core'

import type { ActivityView } from '#domains/activities/register/register.model.ts'
import { HOUR } from '#platform/clock.ts'

import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { ok, useServer } from '../harness/index.ts'
import { readPdf } from '../lib/pdf-files.ts'
import { createActivity } from './helpers.ts'
import { issued } from './pass-helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const get = async (path: string, locale = 'en'): Promise<string> => {
  const { status, text } = await server.request('GET', path, {
    headers: { accept: 'text/html', 'accept-language': locale },
  })
  expect(status).toBe(200)
  // Spaces as people type them.
  return text.replaceAll(/[\u202f\u2009]/g, ' ')
}
const pathOf = ({ uuid }: Pick<ActivityView, 'uuid'>) => `/s/activity/${uuid}`

/** From 23:30 to 01:30 in the zone, which is another day in UTC. */
const event = async (timeZone: string, startTime: number, endTime = startTime + 2 * HOUR) => {
  const activity = await createActivity(alice, {
    name: 'Night walk',
    visibility: 'PUBLIC',
    status: 'ACTIVE',
    hasPass: true,
    hasCheckIn: true,
    timeZone,
    startTime,
    endTime,
  })
  const [pass] = await issued(alice, activity.id, { holderName: 'Lin Mei', validFrom: startTime, validTo: endTime })
  return { activity, pass: new URL(pass!.publicUrl).pathname }
}

/** 07:30 to 09:30 on 29 November in Shanghai; in UTC and New York it is still the day before. */
const MORNING = Date.UTC(2030, 10, 28, 23, 30)

test('page, pass, check-in, PDF, table and calendar file name the day of the activity, whatever the zone of the server', async () => {
  const { activity, pass } = await event('Asia/Shanghai', MORNING)
  const { data: codes } = ok(await alice.call('activities.qrCodes', { params: { id: activity.id } }))
  const checkIn = new URL(codes.find(({ type }) => type === 'CHECK_IN')!.publicUrl).pathname
  for (const path of [pathOf(activity), pass]) {
    const page = await get(path)
    expect(page).toContain('Friday, November 29, 2030, 7:30 – 9:30 AM')
    expect(page).toContain('China Standard Time, UTC+8')
    expect(await get(path, 'zh')).toContain('2030年11月29日星期五 07:30–09:30')
    // The visitor's choice still wins.
    const chosen = await get(`${path}?tz=America/New_York`)
    expect(chosen).toContain('Thursday, November 28, 2030, 6:30 – 8:30 PM')
    expect(chosen).toContain('Eastern Standard Time, UTC-5')
    // Another one is that of the activity.
    expect(await get(`${path}?tz=Mars/Olympus`)).toContain('China Standard Time')
  }
  expect(await get(checkIn)).toContain('Friday, November 29, 2030 at 9:30 AM')

  const passes = (query: object) =>
    alice.send('GET', `/api/activities/${activity.id}/pass/passes`, { query: { status: 'ISSUED', ...query } })
  const { pages } = await readPdf((await passes({ format: 'pdf' })).bytes)
  expect(pages[0]).toContain('Valid from 2030-11-29 07:30')
  expect(pages[0]).toContain('China Standard Time, UTC+8')
  const csv = (await passes({ format: 'csv' })).text
  expect(csv).toContain('Valid from (Asia/Shanghai)')
  expect(csv).toContain('2030-11-29 07:30')
  expect((await passes({ format: 'csv', tz: 'UTC' })).text).toContain('2030-11-28 23:30')

  const file = await server.request('GET', `${pathOf(activity)}/calendar.ics`)
  expect(file.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
  expect(file.text).toContain('DTSTART:20301128T233000Z')
})

test('the workbook of check-ins is in the zone of the activity, which its titles name', async () => {
  const { activity } = await event('Asia/Kathmandu', server.clock.now() - HOUR)
  ok(await alice.call('activities.checkIn', { params: { id: activity.id }, body: {} }))
  const titles = async (query: object): Promise<unknown> => {
    const path = `/api/activities/${activity.id}/check-in/records`
    const { bytes } = await alice.send('GET', path, { query: { format: 'xlsx', ...query } })
    const book = XLSX.read(bytes)
    return XLSX.utils.sheet_to_json(book.Sheets[book.SheetNames[0]!]!, { header: 1 })[0]
  }
  expect(await titles({})).toContain('Time (Asia/Kathmandu)')
  expect(await titles({ tz: 'UTC' })).toContain('Time (UTC)')
})

test('an event across midnight names both days, and one across a change of the clocks both offsets', async () => {
  const { activity } = await event('Asia/Shanghai', Date.UTC(2030, 10, 28, 15, 30))
  expect(await get(pathOf(activity))).toMatch(
    /Thursday, November 28, 2030 at 11:30 PM – Friday, November 29, 2030 at 1:30 AM/,
  )
  // On 3 November 2030 clocks in New York go back from 2:00 to 1:00.
  const night = await event('America/New_York', Date.UTC(2030, 10, 3, 3, 30), Date.UTC(2030, 10, 3, 8, 30))
  for (const path of [pathOf(night.activity), night.pass]) {
    const page = await get(path)
    expect(page).toMatch(/Saturday, November 2, 2030 at 11:30 PM – Sunday, November 3, 2030 at 3:30 AM/)
    expect(page).toContain('Eastern Daylight Time, UTC-4 / Eastern Standard Time, UTC-5')
  }
})

test('zones with quarters of an hour and beyond the date line are named too', async () => {
  const kathmandu = await event('Asia/Kathmandu', Date.UTC(2030, 10, 28, 18, 15))
  expect(await get(pathOf(kathmandu.activity))).toContain('Friday, November 29, 2030, 12:00 – 2:00 AM')
  expect(await get(pathOf(kathmandu.activity))).toContain('Nepal Time, UTC+5:45')
  const apia = await event('Pacific/Apia', Date.UTC(2030, 10, 28, 11))
  expect(await get(pathOf(apia.activity))).toContain('Friday, November 29, 2030, 12:00 – 2:00 AM')
  expect(await get(apia.pass)).toContain('UTC+13')
})

test('a change of the zone alone moves no moment', async () => {
  const { activity } = await event('Asia/Shanghai', MORNING)
  const { data } = ok(
    await alice.call('activities.update', { params: { id: activity.id }, body: { timeZone: 'Asia/Tokyo' } }),
  )
  expect(data).toMatchObject({ startTime: activity.startTime, endTime: activity.endTime, timeZone: 'Asia/Tokyo' })
  expect(await get(pathOf(activity))).toContain('Friday, November 29, 2030, 8:30 – 10:30 AM')
})

describe.if(hasChromium)('the time of the visitor', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  /** The lines below the times of the page, as a visitor in this zone sees them. */
  async function linesFor(
    path: string,
    timezoneId: string,
    locale = 'en',
    javaScriptEnabled = true,
  ): Promise<string[]> {
    const context = await browser.newContext({ timezoneId, locale, javaScriptEnabled })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(server.url + path, { waitUntil: 'load' })
    const lines = await page.locator('[data-zone] .hint').allTextContents()
    expect(problems).toEqual([])
    await context.close()
    return lines.map((line) => line.trim().replaceAll(/[\u202f\u2009]/g, ' '))
  }

  test('is added where clocks differ at that moment, with the day if it is another one', async () => {
    const { activity, pass } = await event('Asia/Shanghai', MORNING)
    const zone = 'Times are in China Standard Time, UTC+8.'
    for (const path of [pathOf(activity), pass]) {
      expect(await linesFor(path, 'America/New_York')).toEqual([
        zone,
        'Thursday, November 28, 2030, 6:30 – 8:30 PM in your time (New York)',
      ])
      expect(await linesFor(path, 'Asia/Tokyo')).toEqual([zone, '8:30 – 10:30 AM in your time (Tokyo)'])
      // The same clock in another city.
      expect(await linesFor(path, 'Asia/Singapore')).toEqual([zone])
      expect(await linesFor(path, 'America/New_York', 'en', false)).toEqual([zone])
    }
    expect(await linesFor(pathOf(activity), 'America/New_York', 'zh-CN')).toEqual([
      '以上为中国标准时间，UTC+8。',
      '你的当地时间：2030年11月28日星期四 18:30–20:30（北美东部时间）',
    ])
  })

  test('is that of the day of the event: London has the clock of Lisbon all year, and of Reykjavík in winter', async () => {
    const winter = await event('Atlantic/Reykjavik', MORNING)
    expect(await linesFor(pathOf(winter.activity), 'Europe/London')).toHaveLength(1)
    const summer = await event('Atlantic/Reykjavik', Date.UTC(2030, 6, 1, 12))
    expect(await linesFor(pathOf(summer.activity), 'Europe/London')).toEqual([
      'Times are in Greenwich Mean Time, UTC+0.',
      '1:00 – 3:00 PM in your time (London)',
    ])
  })
})
