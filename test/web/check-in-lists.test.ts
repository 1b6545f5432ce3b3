/** Check-in lists in the web application: making them, choosing one at the gate with and without a connection, records and passes. */

import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { DAY } from '#platform/clock.ts'

import { issued, withPasses } from '../activities/pass-helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

const NO_NETWORK = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_CONNECTION_FAILED/

const verdictOf = (page: Page, text: string | RegExp) =>
  page.locator('[role=alert]:not([data-is-earlier])').first().filter({ hasText: text })

async function scan(page: Page, content: string): Promise<void> {
  await page
    .getByRole('alert')
    .first()
    .evaluate((element) => element.setAttribute('data-is-earlier', ''))
  await page.getByLabel('Link or text of the pass').fill(content)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
}

const createList = async (id: number, body: { name: string; [field: string]: unknown }) =>
  ok(await alice.call('checkInLists.create', { params: { id }, body })).data

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

test('lists are made, ordered, changed and deleted on the page of the activity', async () => {
  const { id } = await withPasses(alice, { name: 'Conference' })
  const page = await browser.signedIn(alice, { isPhone: true, isDark: true })
  await page.goto(`/console/activities/${id}?tab=lists`)
  await page.getByText('No lists yet').waitFor()
  for (const name of ['Lunch', 'Workshop']) {
    await page.getByRole('button', { name: 'New list' }).click()
    const dialog = page.getByRole('dialog', { name: 'New check-in list' })
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByLabel('Place').fill('Room 3')
    await dialog.getByLabel('Entries per pass on this list').fill('2')
    if (name === 'Lunch') await screenshot(page, 'check-in-list-dialog')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('list', { name: 'Check-in lists' }).getByText(name).waitFor()
    await dialog.waitFor({ state: 'detached' })
  }
  const names = async () =>
    ok(await alice.call('checkInLists.list', { params: { id } })).data.items.map(({ name }) => name)
  expect(await names()).toEqual(['Lunch', 'Workshop'])
  await page.getByRole('button', { name: 'Move Workshop up' }).click()
  await page.getByRole('button', { name: 'Move Workshop up', disabled: true }).waitFor()
  expect(await names()).toEqual(['Workshop', 'Lunch'])
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, 'check-in-lists')
  await page.getByRole('button', { name: 'Edit Lunch' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit “Lunch”' })
  await edit.getByLabel('Name').fill('Dinner')
  await edit.getByRole('switch', { name: 'Only after an entry at the entrance' }).click()
  await edit.getByRole('button', { name: 'Save' }).click()
  await edit.waitFor({ state: 'detached' })
  await page.getByText('after the entrance').waitFor()
  await page.getByRole('button', { name: 'Delete Workshop' }).click()
  await page
    .getByRole('dialog', { name: 'Delete the list “Workshop”?' })
    .getByRole('button', { name: 'Delete Workshop' })
    .click()
  await page.getByText('Workshop', { exact: true }).waitFor({ state: 'detached' })
  const { items } = ok(await alice.call('checkInLists.list', { params: { id } })).data
  expect(items.map(({ name, maxUses, place, requiresEntry }) => [name, maxUses, place, requiresEntry])).toEqual([
    ['Dinner', 2, 'Room 3', true],
  ])
})

test('a gate counts passes on the chosen list, and goes by its rules without a connection', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Festival' })
  const template = ok(await alice.call('passTemplates.create', { body: { name: 'Crew' } })).data
  const [ann, ben, eve] = await issued(alice, id, { holders: ['Ann', 'Ben', 'Eve'].map((name) => ({ name })) })
  const [dan] = await issued(alice, id, { holders: [{ name: 'Dan' }], templateId: template.id })
  await createList(id, { name: 'Lunch', maxUses: 2 })
  await createList(id, { name: 'Backstage', templateIds: [template.id] })
  await createList(id, { name: 'Breakfast', closesAt: server.clock.now() - DAY })
  const dinner = await createList(id, { name: 'Dinner' })
  const page = await browser.signedIn(alice, { isPhone: true })
  const prepared = page.waitForResponse(
    (response) => response.url().includes('/pass/revocations') && response.url().includes(`listId=${dinner.id}`),
  )
  await page.goto(`/console/activities/${id}/gate`)
  await page.getByText('If the connection is lost').waitFor()
  await choose(page, 'Check-in list', 'Lunch')
  await page.getByText('If the connection is lost').waitFor()
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await scan(page, ann!.qrContent!)
  await verdictOf(page, /Ann.*Lunch/).waitFor()
  await page.getByText('Admitted: 1').waitFor()
  await choose(page, 'Check-in list', 'Entrance')
  await page.getByText('Admitted: 0').waitFor()
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'AnnLet in').waitFor()
  await choose(page, 'Check-in list', 'Backstage')
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'Not on this list').waitFor()
  await choose(page, 'Check-in list', 'Breakfast')
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'This list is closed').waitFor()
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, 'gate-list')

  // Without a connection each list has the rules that this browser has read.
  await (await prepared).finished()
  await page.context().setOffline(true)
  await scan(page, ben!.qrContent!)
  await verdictOf(page, 'This list is closed').waitFor()
  await choose(page, 'Check-in list', 'Backstage')
  await scan(page, ben!.qrContent!)
  await verdictOf(page, 'Not on this list').waitFor()
  await scan(page, dan!.qrContent!)
  await verdictOf(page, 'Checked without a connection').waitFor()
  await choose(page, 'Check-in list', 'Lunch')
  // Ann has had one of two.
  for (const text of ['Checked without a connection', 'Already used']) {
    await scan(page, ann!.qrContent!)
    await verdictOf(page, text).waitFor()
  }
  for (const text of ['Checked without a connection', 'Checked without a connection', 'Already used']) {
    await scan(page, eve!.qrContent!)
    await verdictOf(page, text).waitFor()
  }
  // A list that this gate has not been on yet.
  await choose(page, 'Check-in list', 'Dinner')
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'Checked without a connection').waitFor()
  await page.getByText('5 scans are waiting to be sent').waitFor()
  await page.context().setOffline(false)
  await page.getByText('scans are waiting to be sent').waitFor({ state: 'detached' })
  const { items } = ok(await alice.call('checkInLists.list', { params: { id } })).data
  expect(items.map(({ name, admitted }) => `${name} ${admitted}`)).toEqual([
    'Lunch 4',
    'Backstage 1',
    'Breakfast 0',
    'Dinner 1',
  ])
  const passes = ok(await alice.call('passes.list', { params: { id } })).data.items
  expect(passes.map(({ holderName, usedCount }) => `${holderName} ${usedCount}`).toSorted()).toEqual([
    'Ann 1',
    'Ben 0',
    'Dan 0',
    'Eve 0',
  ])

  // The records name the list, and can be filtered by it.
  await page.goto(`/console/activities/${id}?tab=passes`)
  await page.getByRole('button', { name: 'Scans at the gate' }).click()
  const records = page.getByRole('list', { name: 'Scans at the gate' })
  await choose(page, 'Check-in list', 'Backstage')
  await records.getByText('Ben').waitFor({ state: 'detached' })
  await records.getByText('Eve').waitFor({ state: 'detached' })
  await records.getByRole('listitem').filter({ hasText: 'Dan' }).getByText('Backstage').waitFor()
  await screenshot(page, 'gate-records-of-list')
  await page.getByRole('button', { name: 'Passes', exact: true }).click()
  await page.getByRole('button', { name: /^Eve/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Eve' })
  await dialog.getByRole('list', { name: 'Check-in lists' }).getByText('Lunch · 2 entries · inside').waitFor()
  await screenshot(page, 'pass-lists')
})
