/** The organizer's page of an activity in the web application, which follows what happens at the gates. */

import { expect, test } from 'bun:test'

import { issued, withPasses } from '../activities/pass-helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

test('the numbers follow the entries, and an answer that has not changed is not sent again', async () => {
  const { id } = await withPasses(alice, { name: 'Festival', registration: { capacity: 50 } })
  const [ann, ben] = await issued(alice, id, { holders: ['Ann', 'Ben'].map((name) => ({ name })) })
  const list = ok(await alice.call('checkInLists.create', { params: { id }, body: { name: 'Lunch' } })).data
  ok(await alice.call('activityGates.create', { params: { id }, body: { name: 'Back door' } }))
  const redeem = async (passUuid: string, listId: number | null = null) =>
    ok(await alice.call('passes.verify', { params: { id }, body: { passUuid, redeem: true, listId } }))
  const page = await browser.signedIn(alice, { isPhone: true, isDark: true })
  const unchanged = page.waitForResponse(
    (response) => response.url().includes('/overview') && response.status() === 304,
  )
  await page.goto(`/console/activities/${id}`)
  const figure = (name: string) =>
    page
      .locator('dl > div')
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator('dd')
  await figure('Inside').filter({ hasText: /^0$/ }).waitFor()
  await page.getByRole('heading', { name: 'Entries of the last 60 minutes' }).waitFor()
  await page.getByText('None', { exact: true }).waitFor()
  const lists = page.getByRole('list', { name: 'Check-in lists' })
  await lists.getByText('0 admitted, 0 inside').waitFor()
  const gates = page.getByRole('list', { name: 'Gates' })
  await gates.getByText('Back door').waitFor()
  await gates.getByText('Offline').waitFor()
  await unchanged
  await redeem(ann!.uuid)
  await redeem(ann!.uuid, list.id)
  await redeem(ben!.uuid)
  // Without a reload.
  for (const name of ['Passes issued', 'Admitted', 'Inside']) await figure(name).filter({ hasText: /^2$/ }).waitFor()
  await lists.getByText('1 admitted, 1 inside').waitFor()
  await page.getByText(/^3; most in a minute/).waitFor()
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, 'activity-overview')
  await page.getByRole('link', { name: 'Show all' }).last().click()
  await page.getByRole('button', { name: 'New gate' }).waitFor()
})
