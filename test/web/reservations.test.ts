/** Reservations in the web application: members borrow, keepers approve, hand out and take back by scanning, also without a connection. */

import { describe, expect, test } from 'bun:test'

import type { Locator, Page } from 'playwright-core'

import { HOUR } from '#platform/clock.ts'

import { createAsset, getAsset } from '../assets/helpers.ts'
import { createCategory } from '../assets/places.ts'
import { hasFirefox } from '../harness/firefox.ts'
import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { barriers, isTooWide, type PageOptions, screenshot, type TestBrowser, useBrowser } from './browser.ts'
import { withCamera } from './camera.ts'
import { choose, openAs } from './workspace.ts'

const { server, alice, bob, mallory: carol } = useServer({ people: ['alice', 'bob', 'mallory'] })
const browser = useBrowser(server)

type Approval = 'NONE' | 'KEEPER'

/** An organization of Alice with Bob as a member, and tablets that members may reserve. */
async function school(approval: Approval = 'KEEPER', names: readonly string[] = ['Tablet 1', 'Tablet 2']) {
  const org = await createOrg(alice)
  await addMembers(alice, org, bob, carol)
  const booking = { bookable: true, approval }
  const { id: categoryId } = await createCategory(alice, 'Tablets', { orgId: org.id, booking })
  const assets = []
  for (const name of names) assets.push(await createAsset(alice, { name, categoryId, orgId: org.id }))
  return { orgId: org.id, categoryId, assets }
}

const keeper = (orgId: number, options: PageOptions = {}) => openAs(browser, alice, orgId, options)
const member = (orgId: number, options: PageOptions = {}) => openAs(browser, bob, orgId, options)

const reserve = async (person: Person, orgId: number, assetId: number, fields: object = {}) => {
  const from = Date.now() + 60_000
  const body = { orgId, items: [{ assetId }], from, to: from + 2 * HOUR, ...fields }
  return ok(await person.call('assetReservations.create', { body })).data
}

const stateOf = async (orgId: number, id: number) => {
  const { status, items } = ok(await alice.call('assetReservations.get', { params: { id }, query: { orgId } })).data
  return `${status}: ${items.map(({ name, state }) => `${name} ${state}`).join(', ')}`
}

const dialogButton = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

/** A bad result over the whole screen, which stays until it is closed. */
const result = (page: Page): Locator =>
  page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Next' }) })

/** A result in the list that stays: a good one fills the screen for a moment only. */
const scanned = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole('list', { name: 'Last scans' }).getByRole('listitem').filter({ hasText: text }).first().waitFor()

async function scan(page: Page, code: string): Promise<void> {
  await page.getByLabel('Asset number, serial number or address').fill(code)
  await page.getByRole('button', { name: 'Enter', exact: true }).click()
}

/** The row of a list with this heading. */
const rowIn = (page: Page, heading: RegExp, text: string): Locator =>
  page.getByRole('list', { name: heading }).getByRole('listitem').filter({ hasText: text })

test('a member borrows by number, and a keeper approves, hands out by scanning and takes back', async () => {
  const { orgId, assets } = await school()
  const bobsPage = await member(orgId)
  await bobsPage.goto('/console/reservations')
  await bobsPage.getByText('You have reserved nothing').waitFor()
  expect(await bobsPage.getByRole('link', { name: 'Today' }).count()).toBe(0)
  await bobsPage.getByRole('link', { name: 'Borrow' }).first().click()
  await bobsPage.getByText('2 free').waitFor()
  expect(await bobsPage.getByRole('button', { name: 'Reserve', exact: true }).isDisabled()).toBe(true)
  await bobsPage.getByLabel('How many of Tablets').fill('2')
  await bobsPage.getByRole('button', { name: 'Add Tablets' }).click()
  await bobsPage.getByRole('list', { name: 'Your reservation' }).getByText('2 × Tablets').waitFor()
  await bobsPage.getByLabel('Purpose').fill('Physics, class 9b')
  // Only keepers reserve for others.
  expect(await bobsPage.getByRole('button', { name: 'Someone else' }).count()).toBe(0)
  expect(await barriers(bobsPage)).toEqual([])
  await screenshot(bobsPage, 'borrow')
  await bobsPage.getByRole('button', { name: 'Reserve', exact: true }).click()
  await bobsPage.getByText('A keeper has to approve it').waitFor()
  const id = Number(bobsPage.url().split('/').at(-1))
  expect(await stateOf(orgId, id)).toBe('REQUESTED: Tablet 1 WAITING, Tablet 2 WAITING')

  const page = await keeper(orgId)
  await page.goto('/console/reservations/today')
  await rowIn(page, /To decide/, 'Physics, class 9b')
    .getByRole('button', { name: 'Approve' })
    .click()
  await dialogButton(page, 'Approve').click()
  await closed(page)
  await rowIn(page, /To hand out/, 'Physics').waitFor()
  await screenshot(page, 'today')
  await scan(page, assets[0]!.publicUrl)
  await scanned(page, /^Tablet 1.*1 thing is still to be handed out/)
  await scan(page, assets[1]!.assetNo.toLowerCase())
  await scanned(page, /^Tablet 2.*Everything was handed out/)
  expect(await stateOf(orgId, id)).toBe('OUT: Tablet 1 OUT, Tablet 2 OUT')
  expect(ok(await getAsset(alice, assets[0]!.id)).data.loan).toMatchObject({ userId: bob.id })

  await rowIn(page, /To take back|Due later/, 'Physics').waitFor()
  await scan(page, assets[1]!.assetNo)
  await scanned(page, /^Tablet 2.*1 thing is still out/)
  await rowIn(page, /To take back|Due later/, 'Physics')
    .getByRole('button', { name: 'Take back' })
    .click()
  await choose(page, 'Condition', 'Damaged')
  await dialogButton(page, 'Take back').click()
  await closed(page)
  await page.getByText('Nothing to do today').waitFor()
  expect(await stateOf(orgId, id)).toBe('RETURNED: Tablet 1 RETURNED, Tablet 2 RETURNED')
  await bobsPage.reload()
  await bobsPage.getByText('Returned', { exact: true }).first().waitFor()
})

test('an asset that is taken in that time is refused with the busy times, in words', async () => {
  const { orgId, assets } = await school('NONE')
  await reserve(carol, orgId, assets[0]!.id, { purpose: 'Secret meeting' })
  const page = await member(orgId)
  await page.goto(`/console/assets/${assets[0]!.id}`)
  const busy = page.getByRole('list', { name: 'Reservations' })
  await busy.getByText('Reserved · Busy').waitFor()
  await page.getByRole('button', { name: 'Reserve', exact: true }).click()
  browser.allow(/status of 400/)
  await dialogButton(page, 'Reserve').click()
  await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'Tablet 1 is not free' }).waitFor()
  await screenshot(page, 'reserve-busy')
  expect(await page.getByText('Secret meeting').count()).toBe(0)

  // A day later it is free.
  const tomorrow = (field: string) => page.getByRole('dialog').getByLabel(field)
  for (const field of ['Until', 'From']) {
    const value = await tomorrow(field).inputValue()
    const next = new Date(Date.parse(`${value}Z`) + 24 * HOUR).toISOString().slice(0, 16)
    await tomorrow(field).fill(next)
  }
  await dialogButton(page, 'Reserve').click()
  await page.getByRole('heading', { name: 'Your reservation' }).waitFor()
  await page.getByText('Approved', { exact: true }).waitFor()
})

test('a member changes the time and cancels, and a rejection shows its reason', async () => {
  const { orgId, assets } = await school()
  const { id } = await reserve(bob, orgId, assets[0]!.id)
  const { id: second } = await reserve(bob, orgId, assets[1]!.id)
  const page = await member(orgId)
  await page.goto(`/console/reservations/${id}`)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByLabel('Purpose').fill('Chemistry')
  await screenshot(page, 'reservation-change')
  await dialogButton(page, 'Save').click()
  await closed(page)
  await page.getByText('Chemistry').waitFor()
  await page.getByRole('button', { name: 'Cancel reservation' }).click()
  await page.getByLabel('Reason').fill('No lesson')
  await dialogButton(page, 'Cancel reservation').click()
  await page.getByText('Cancelled', { exact: true }).waitFor()
  expect(await stateOf(orgId, id)).toStartWith('CANCELLED')

  const keepersPage = await keeper(orgId)
  await keepersPage.goto(`/console/reservations/${second}`)
  await keepersPage.getByRole('button', { name: 'Reject' }).click()
  await keepersPage.getByLabel('Reason').fill('Needed for the exams')
  await dialogButton(keepersPage, 'Reject').click()
  await closed(keepersPage)
  await page.goto(`/console/reservations/${second}`)
  await page.getByText('Needed for the exams').waitFor()
  await page.getByText('Rejected', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Change', exact: true }).count()).toBe(0)
})

test('things are taken out of a reservation, and an asset that is reserved is lent or deleted only on purpose', async () => {
  browser.allow(/status of 400/)
  const { orgId, assets } = await school('NONE')
  const [first, second] = assets.map(({ id }) => id) as [number, number]
  const { id } = await reserve(bob, orgId, first, { items: [{ assetId: first }, { assetId: second }] })
  const page = await member(orgId)
  await page.goto(`/console/reservations/${id}`)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page
    .getByRole('dialog')
    .getByLabel(/^Tablet 2/)
    .uncheck()
  await dialogButton(page, 'Save').click()
  await closed(page)
  expect(await stateOf(orgId, id)).toBe('APPROVED: Tablet 1 WAITING')

  const keepersPage = await keeper(orgId)
  await keepersPage.goto(`/console/assets/${first}`)
  await keepersPage.getByRole('button', { name: 'Lend' }).click()
  await keepersPage.getByRole('button', { name: 'Someone else' }).click()
  await keepersPage.getByLabel('Name of the borrower').fill('Ms Chen')
  await dialogButton(keepersPage, 'Lend').click()
  await keepersPage.getByLabel('Lend it although somebody else has reserved it').waitFor()
  await screenshot(keepersPage, 'lend-reserved')
  await keepersPage.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await keepersPage.getByRole('button', { name: 'Discard' }).click()
  await closed(keepersPage)
  await keepersPage.getByRole('button', { name: 'More actions' }).click()
  await keepersPage.getByRole('menuitem', { name: 'Delete' }).click()
  await dialogButton(keepersPage, 'Delete').click()
  await keepersPage.getByLabel('Its reservations end, and their people are notified').check()
  await dialogButton(keepersPage, 'Delete').click()
  await keepersPage.waitForURL('**/console/assets')
  expect(await stateOf(orgId, id)).not.toContain('APPROVED')
})

test('another free asset of the category is handed out instead, and one that is not part is refused', async () => {
  const { orgId, categoryId, assets } = await school('NONE', ['Tablet 1', 'Tablet 2', 'Tablet 3'])
  const drill = await createAsset(alice, { name: 'Drill', orgId })
  const from = Date.now() + 60_000
  const { id } = ok(
    await bob.call('assetReservations.create', {
      body: { orgId, items: [{ categoryId, quantity: 1 }], from, to: from + HOUR },
    }),
  ).data
  const page = await keeper(orgId, { isPhone: true })
  const camera = await withCamera(page)
  await page.goto('/console/reservations/today')
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await camera.show(drill.publicUrl)
  await result(page).filter({ hasText: 'It is in no reservation of today' }).waitFor()
  await screenshot(page, 'today-nobody-phone')
  await result(page).getByRole('button', { name: 'Next' }).click()
  await rowIn(page, /To hand out/, 'Tablet 1')
    .getByRole('button', { name: 'Scan for this' })
    .click()
  await scan(page, drill.assetNo)
  await result(page).filter({ hasText: 'Not part of this reservation' }).waitFor()
  await result(page).getByRole('button', { name: 'Next' }).click()
  await camera.show(assets[2]!.publicUrl)
  await scanned(page, /^Tablet 3.*Handed out instead of another one/)
  await screenshot(page, 'today-exchanged-phone')
  expect(await stateOf(orgId, id)).toBe('OUT: Tablet 3 OUT')
})

test('scans without a connection wait, and are judged by the server when they are sent', async () => {
  browser.allow(/ERR_INTERNET_DISCONNECTED|ERR_FAILED|status of 400/)
  const { orgId, assets } = await school('NONE')
  const first = await reserve(bob, orgId, assets[0]!.id)
  const second = await reserve(carol, orgId, assets[1]!.id)
  const page = await keeper(orgId, { isPhone: true })
  await page.goto('/console/reservations/today')
  // The labels are known before the connection is lost.
  await page.getByRole('list', { name: /To hand out/ }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.context().setOffline(true)
  await scan(page, assets[0]!.publicUrl)
  await scanned(page, /^Waiting for a connection · Tablet 1/)
  await screenshot(page, 'today-waits-phone')
  await scan(page, assets[1]!.assetNo)
  await page.getByText('2 scans are waiting to be sent').waitFor()
  // Meanwhile somebody else cancels the second one.
  ok(await alice.call('assetReservations.cancel', { params: { id: second.id }, query: { orgId }, body: {} }))
  await page.context().setOffline(false)
  await page.getByText('1 earlier scan was not accepted:').waitFor()
  expect(await stateOf(orgId, first.id)).toBe('OUT: Tablet 1 OUT')
  expect(await stateOf(orgId, second.id)).toStartWith('CANCELLED')
  expect(ok(await getAsset(alice, assets[1]!.id)).data.loan).toBeNull()
  await screenshot(page, 'today-refused-phone')
  await page.getByRole('button', { name: /^Discard Tablet 2/ }).click()
  await page.getByText('1 earlier scan was not accepted:').waitFor({ state: 'detached' })
})

test('a keeper reserves for a person without an account, and hands out what is ticked', async () => {
  const { orgId, assets } = await school('NONE')
  const page = await keeper(orgId)
  await page.goto('/console/reservations/borrow')
  for (const name of [/^Tablet 1/, /^Tablet 2/]) await page.getByRole('checkbox', { name }).check()
  await page.getByRole('button', { name: 'Someone else' }).click()
  await page.getByLabel('Name of the borrower').fill('Ms Chen')
  await page.getByRole('button', { name: 'Reserve', exact: true }).click()
  await page.getByRole('heading', { name: 'Reservation of Ms Chen' }).waitFor()
  const id = Number(page.url().split('/').at(-1))
  await page.getByRole('button', { name: 'Hand out' }).click()
  await page
    .getByRole('dialog')
    .getByLabel(/Tablet 2/)
    .uncheck()
  await dialogButton(page, 'Hand out').click()
  await closed(page)
  expect(await stateOf(orgId, id)).toBe('OUT: Tablet 1 OUT, Tablet 2 WAITING')
  expect(ok(await getAsset(alice, assets[0]!.id)).data.loan).toMatchObject({ personName: 'Ms Chen' })
  await page.getByRole('button', { name: 'Extend' }).click()
  const until = page.getByRole('dialog').getByLabel('Until')
  const later = new Date(Date.parse(`${await until.inputValue()}Z`) + 24 * HOUR).toISOString().slice(0, 16)
  await until.fill(later)
  await dialogButton(page, 'Save').click()
  await closed(page)
  const { to } = ok(await alice.call('assetReservations.get', { params: { id }, query: { orgId } })).data
  expect(ok(await getAsset(alice, assets[0]!.id)).data.loan!.dueAt).toBe(to)
})

test('a number of chairs is reserved, handed out and taken back with them', async () => {
  const { orgId } = await school('NONE')
  const chairs = { orgId, name: 'Chair', kind: 'POOL' } as const
  const { id: supplyId } = ok(await alice.call('supplies.create', { body: chairs })).data
  const movement = { params: { id: supplyId }, query: { orgId }, body: { type: 'IN', quantity: 40 } } as const
  ok(await alice.call('supplies.move', movement))
  const bobsPage = await member(orgId)
  await bobsPage.goto('/console/reservations/borrow')
  await bobsPage.getByText('40 pcs in all').waitFor()
  await bobsPage.getByLabel('How many of Chair').fill('50')
  await bobsPage.getByRole('button', { name: 'Add Chair' }).click()
  browser.allow(/status of 400/)
  await bobsPage.getByRole('button', { name: 'Reserve', exact: true }).click()
  await bobsPage.getByText('50 × Chair is more than there are: 40 are free').waitFor()
  await bobsPage.getByLabel('How many of Chair').fill('30')
  await bobsPage.getByRole('button', { name: 'Add Chair' }).click()
  await bobsPage.getByRole('button', { name: 'Reserve', exact: true }).click()
  await bobsPage.getByRole('heading', { name: 'Your reservation' }).waitFor()
  await bobsPage.getByText('30 × Chair').waitFor()

  const page = await keeper(orgId)
  await page.goto('/console/reservations/calendar')
  await page.getByRole('link', { name: /^Chair/ }).waitFor()
  await page.goto('/console/reservations/today')
  // Without a category that says otherwise, a keeper decides.
  await rowIn(page, /To decide/, '30 × Chair')
    .getByRole('button', { name: 'Approve' })
    .click()
  await dialogButton(page, 'Approve').click()
  await closed(page)
  await rowIn(page, /To hand out/, '30 × Chair')
    .getByRole('button', { name: 'Hand out' })
    .click()
  await dialogButton(page, 'Hand out').click()
  await closed(page)
  const lent = async () =>
    ok(await alice.call('supplies.get', { params: { id: supplyId }, query: { orgId } })).data.lent
  expect(await lent()).toBe(30)
  await rowIn(page, /To take back|Due later/, '30 × Chair')
    .getByRole('button', { name: 'Take back' })
    .click()
  await dialogButton(page, 'Take back').click()
  await closed(page)
  expect(await lent()).toBe(0)
})

describe('the calendar', () => {
  test('shows weeks and months by asset, in the zone of the organization', async () => {
    const { orgId, assets } = await school('NONE')
    ok(await alice.call('orgs.update', { params: { id: orgId }, body: { timeZone: 'Asia/Shanghai' } }))
    await reserve(bob, orgId, assets[0]!.id)
    const page = await keeper(orgId, { zone: 'Europe/Berlin' })
    await page.goto('/console/reservations/calendar')
    const row = page.getByRole('list', { name: /^Tablet 1/ })
    await row.getByRole('link', { name: /^Reservation: .*\(UTC\+8\)/ }).waitFor()
    expect(await barriers(page)).toEqual([])
    await screenshot(page, 'reservations-week')
    await page.getByRole('button', { name: 'Month' }).click()
    await row.getByRole('link', { name: /^Reservation: / }).waitFor()
    await screenshot(page, 'reservations-month')
    // A month later nothing is reserved, but with a category all of its assets are shown.
    await page.getByRole('button', { name: 'Later' }).click()
    await page.getByRole('button', { name: 'Later' }).click()
    await page.getByText('Nothing is reserved in this time').waitFor()
    await choose(page, 'Category', 'Tablets')
    await page.getByRole('link', { name: /^Tablet 2/ }).waitFor()
    await page.getByRole('button', { name: 'Today', exact: true }).click()
    await row.getByRole('link', { name: /^Reservation: / }).click()
    await page.getByRole('heading', { name: /^Reservation of/ }).waitFor()
  })

  test('is a list on a phone, where members do not see the names of others, in Chinese', async () => {
    const { orgId, assets } = await school('NONE')
    await reserve(carol, orgId, assets[0]!.id)
    const page = await member(orgId, { isPhone: true, locale: 'zh-CN' })
    await page.goto('/console/reservations/calendar')
    await page.getByText('预约：已占用').waitFor()
    expect(await isTooWide(page)).toBe(false)
    await screenshot(page, 'reservations-list-phone')
    for (const path of ['/reservations', '/reservations/borrow', `/assets/${assets[0]!.id}`]) {
      await page.goto(`/console${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await isTooWide(page)).toBe(false)
    }
  })
})

test('the forms of a category and of an asset say what members may reserve', async () => {
  const { orgId, categoryId, assets } = await school('NONE')
  const page = await keeper(orgId)
  await page.goto('/console/assets/categories')
  await page.getByRole('button', { name: 'Actions for Tablets' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await choose(page, 'Approval', 'A keeper approves each reservation')
  await page.getByLabel('Longest in days').fill('7')
  await screenshot(page, 'category-booking')
  await dialogButton(page, 'Save').click()
  await closed(page)
  const tree = ok(await alice.call('assetCategories.tree', { query: { orgId } })).data
  expect(tree.find(({ id }) => id === categoryId)!.booking).toMatchObject({
    bookable: true,
    approval: 'KEEPER',
    maxDays: 7,
    aheadDays: 90,
  })
  await page.goto(`/console/assets/${assets[0]!.id}/edit`)
  await choose(page, 'Can be reserved', 'No')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Tablet 1', exact: true }).waitFor()
  expect(ok(await getAsset(alice, assets[0]!.id)).data.bookable).toBe(false)
  const bobsPage = await member(orgId)
  await bobsPage.goto(`/console/assets/${assets[0]!.id}`)
  await bobsPage.getByRole('heading', { name: 'Tablet 1' }).waitFor()
  await bobsPage.waitForLoadState('networkidle')
  expect(await bobsPage.getByRole('button', { name: 'Reserve', exact: true }).count()).toBe(0)
})

if (!hasFirefox)
  console.warn('Firefox is not installed, so reservations are not tested in it: apt-get install firefox-esr')

describe.if(hasFirefox)('in Firefox', () => {
  const firefox: TestBrowser = useBrowser(server, { isFirefox: true })

  test('a member borrows an asset', async () => {
    const { orgId } = await school('NONE')
    const page = await openAs(firefox, bob, orgId)
    await page.goto('/console/reservations/borrow')
    await page.getByRole('checkbox', { name: /^Tablet 2/ }).check()
    // Key by key: React does not notice `fill`, which assigns the value by a script in Firefox.
    await page.getByLabel('Purpose').pressSequentially('Biology')
    await page.getByRole('button', { name: 'Reserve', exact: true }).click()
    await page.getByRole('heading', { name: 'Your reservation' }).waitFor()
    await page.getByText('Biology').waitFor()
  })
})
