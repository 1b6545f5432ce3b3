/** Messages and notices to the participants of an activity in the web application. */

import { afterAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'

import type { Page } from 'playwright-core'

import { DAY, HOUR } from '#platform/clock.ts'

import { getActivity } from '../activities/helpers.ts'
import { openActivity, register } from '../activities/registering.ts'
import { ok, startGateways, until, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

/** Not imported: the types of browsers are unknown here. */
const { isNoticed } = (await import(
  resolve(import.meta.dir, '../../src/web/areas/activities/messages/notice-rules.ts')
)) as { isNoticed: (before: object, after: object, now: number) => boolean }

const gateways = await startGateways()
afterAll(gateways.stop)
const { server, admin, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'], config: gateways.config })
const browser = useBrowser(server)

/** An activity of alice for which bob and carol have registered; only one of them has a place if there is one. */
async function withTwo(name: string, capacity: number | null = null) {
  const activity = await openActivity(
    server,
    alice,
    { capacity, waitlist: true },
    { name, hasPass: true, location: 'Hall A' },
  )
  for (const person of [bob, carol]) ok(await register(person, activity))
  return activity
}

const messagesOf = async (id: number) =>
  ok(await alice.call('activityMessages.list', { params: { id } })).data.items.map(
    ({ kind, subject, body, state }) => ({
      kind,
      subject,
      body,
      state,
    }),
  )

/** The moment as an input of the type `datetime-local` takes it, in the zone of the browser. */
const local = (page: Page, time: number) =>
  page.evaluate<string>(`new Date(${time} - new Date(${time}).getTimezoneOffset() * 60000).toISOString().slice(0, 16)`)

const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()

describe('a change of a published activity', () => {
  test('asks whether to notify its participants, and sends the words that were added', async () => {
    const { id } = await withTwo('Harvest')
    const page = await browser.signedIn(alice)
    await page.goto(`/console/activities/${id}/edit`)
    await page.getByLabel('Place', { exact: true }).fill('Hall B')
    await save(page)
    const dialog = page.getByRole('dialog', { name: 'Tell 2 participants?' })
    await dialog.getByLabel('Your words (optional)').fill('Hall A has a leak.')
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Harvest' }).waitFor()
    await page.getByRole('tab', { name: 'Messages' }).click()
    await page.getByRole('link', { name: /New place/ }).click()
    await page.getByText('Hall A → Hall B').waitFor()
    await page.getByText('Hall A has a leak.').waitFor()
    // It waits for further changes, so it can still be stopped.
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('It is deleted and will not be sent.').waitFor()
    expect((await getActivity(alice, id)).location).toBe('Hall B')
  })

  test('notifies nobody if the organizer turns the notice off', async () => {
    const { id } = await withTwo('Sowing')
    const page = await browser.signedIn(alice, { isPhone: true })
    await page.goto(`/console/activities/${id}/edit`)
    await page.getByLabel('Place', { exact: true }).fill('Hall B')
    await save(page)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Send a notice').uncheck()
    expect(await dialog.getByLabel('Your words (optional)').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sowing' }).waitFor()
    expect(await messagesOf(id)).toEqual([])
  })

  test('asks nothing if there is nobody to notify, or nothing to notify them of', async () => {
    const named = await withTwo('Pruning')
    const alone = await openActivity(server, alice, {}, { name: 'Weeding', location: 'Hall A' })
    const page = await browser.signedIn(alice)
    for (const [id, field] of [
      [named.id, 'name'],
      [alone.id, 'location'],
    ] as const) {
      // Before the participants are counted, there might be some.
      const counted = page.waitForResponse(/\/messages$/)
      await page.goto(`/console/activities/${id}/edit`)
      await (await counted).finished()
      await page.locator(`[name=${field}]`).fill('Composting')
      await save(page)
      await page.getByText('Saved.').waitFor()
      await page.getByRole('tab', { name: 'Overview' }).waitFor()
    }
    expect(await messagesOf(named.id)).toEqual([])
  })

  const before = {
    startTime: 10 * HOUR,
    endTime: 12 * HOUR,
    location: 'Hall A',
    latitude: 48,
    longitude: 8,
    region: { province: 'Bern', city: null, district: null },
  }
  const after = { ...before, 'region.province': 'Bern', 'region.city': '', 'region.district': '' }
  const cases: [change: string, part: object, now: number, isTold: boolean][] = [
    ['nothing', {}, 0, false],
    ['an earlier start', { startTime: 9 * HOUR }, 0, true],
    ['a later end', { endTime: 13 * HOUR }, 0, true],
    ['an end that has passed before and after', { endTime: 11 * HOUR }, 12 * HOUR, false],
    ['an end that is still to come', { endTime: 14 * HOUR }, 13 * HOUR, true],
    ['another place', { location: 'Hall B' }, 0, true],
    ['a space after the place', { location: 'Hall A ' }, 0, false],
    ['another city', { 'region.city': 'Thun' }, 0, true],
    // 0.001 degrees of latitude are 111 m.
    ['a position 111 m away', { latitude: 48.001 }, 0, true],
    ['a position 89 m away', { latitude: 48.0008 }, 0, false],
    ['no longer a position', { latitude: null, longitude: null }, 0, false],
  ]
  for (const [change, part, now, isTold] of cases)
    test(`${change} ${isTold ? 'is a reason for a notice' : 'is no reason for a notice'}`, () => {
      expect(isNoticed(before, { ...after, ...part }, now)).toBe(isTold)
    })
})

test('cancelling an activity asks whether to notify its participants', async () => {
  const { id } = await withTwo('Bonfire')
  const page = await browser.signedIn(alice)
  await page.goto(`/console/activities/${id}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Cancel activity' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel this activity?' })
  expect(await dialog.getByLabel('Tell 2 participants').isChecked()).toBe(true)
  await dialog.getByLabel('Your words (optional)').fill('Storm warning.')
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel activity' }).click()
  await page.getByText('This activity is cancelled.').waitFor()
  expect(await messagesOf(id)).toMatchObject([{ kind: 'CANCELLED', body: 'Storm warning.' }])
})

describe('a message', () => {
  test('goes to the people whom the chips choose, and its page names each of them', async () => {
    const { id } = await withTwo('Tasting', 1)
    const page = await browser.signedIn(alice)
    await page.goto(`/console/activities/${id}?tab=messages`)
    await page.getByText('No messages yet').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: 'New message' }).click()
    await page.getByRole('radio', { name: 'Everyone 2' }).waitFor()
    await page.getByRole('radio', { name: 'With a pass 0', exact: true }).waitFor()
    await page.getByRole('radio', { name: 'Registered 1' }).check()
    await page.getByRole('radio', { name: 'Without a pass 1', exact: true }).waitFor()
    await page.getByText('1 person has no confirmed e-mail address and gets it only in the app.').waitFor()
    await page.getByLabel('Subject').fill('Things to bring')
    await page.getByRole('textbox', { name: 'Text (Markdown)' }).fill('Please bring **gloves**.')
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('[Tasting] Things to bring').waitFor()
    await preview.locator('strong', { hasText: 'gloves' }).waitFor()
    await preview.getByRole('button', { name: '中文' }).click()
    await preview.getByRole('link', { name: '查看我的报名' }).waitFor()
    await preview.getByRole('button', { name: 'Send me a test mail' }).waitFor()
    expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
      barriers: [],
      isTooWide: false,
    })
    await screenshot(page, 'message-form')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Send it to 1 person?' })
    await dialog.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { level: 1, name: 'Things to bring' }).waitFor()
    await page.locator('strong', { hasText: 'gloves' }).waitFor()
    const rows = page.getByRole('list', { name: 'Recipients' }).getByRole('listitem')
    const { nickname } = ok(await bob.call('profile.get')).data
    await rows.filter({ hasText: nickname }).filter({ hasText: 'In the app' }).waitFor()
    await page.getByText('Registered', { exact: true }).waitFor()
    await until(async () => (await messagesOf(id)).every(({ state }) => state === 'DONE'))
    expect(await messagesOf(id)).toMatchObject([{ kind: 'MESSAGE', subject: 'Things to bring', state: 'DONE' }])

    const reader = await browser.signedIn(bob, { isPhone: true })
    await reader.goto('/console/notifications')
    await reader.getByRole('link', { name: /Things to bring/ }).click()
    await reader.getByRole('button', { name: 'Go there' }).click()
    await reader.getByRole('heading', { level: 1, name: 'Tasting' }).waitFor()
  })

  test('waits for its time, until which it can be deleted', async () => {
    const { id } = await withTwo('Regatta')
    const page = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN' })
    await page.goto(`/console/activities/${id}/messages/new`)
    await page.locator('[name=subject]').fill('明天见')
    await page.getByRole('textbox', { name: '正文' }).fill('请带手套。')
    await page.getByRole('button', { name: '定时发送' }).click()
    await page.getByLabel('时间', { exact: false }).fill(await local(page, Date.now() + DAY))
    await page.getByRole('button', { name: '定时', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: '定时' }).click()
    await page.getByRole('heading', { level: 1, name: '明天见' }).waitFor()
    expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
      barriers: [],
      isTooWide: false,
    })
    expect(await messagesOf(id)).toMatchObject([{ subject: '明天见', state: 'SCHEDULED' }])
    await page.getByRole('button', { name: '删除' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '删除' }).click()
    await page.getByText('已删除，不会发送。').waitFor()
    expect((await messagesOf(id)).filter(({ state }) => state === 'SCHEDULED')).toEqual([])
  })

  test('is not sent to nobody, and a form with a text is not lost by a click', async () => {
    const { id } = await openActivity(server, alice, {}, { name: 'Quiet day' })
    const page = await browser.signedIn(alice)
    await page.goto(`/console/activities/${id}/messages/new`)
    await page.getByText('Nobody matches. Choose other recipients.').waitFor()
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Subject').fill('Hello')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    expect(await page.getByLabel('Subject').inputValue()).toBe('Hello')
  })
})

test('an administrator changes the place of an activity, is asked, and stops the notice', async () => {
  const { id } = await withTwo('Orchard')
  const page = await browser.signedIn(admin)
  await page.goto(`/console/admin/activities/${id}`)
  await page.locator('[name=location]').fill('Hall B')
  await save(page)
  // Administrators cannot count the participants of others.
  await page.getByRole('dialog', { name: 'Tell the participants?' }).getByRole('button', { name: 'Save' }).click()
  await page.getByText('Messages to participants').waitFor()
  expect(await messagesOf(id)).toMatchObject([{ kind: 'PLACE', state: 'SCHEDULED' }])
  await page.getByRole('button', { name: /^Delete: New place/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('The message is deleted and will not be sent.').waitFor()
  expect((await messagesOf(id)).filter(({ state }) => state === 'SCHEDULED')).toEqual([])
})
