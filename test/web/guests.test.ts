/** A guest registers in the browser, without an account and without scripts, and moves the registration into an account. */

import { expect, test } from 'bun:test'

import { SECOND } from '#platform/clock.ts'

import { useWorld } from '../accounts/helpers.ts'
import { confirmedGuest, newAddress, openToGuests, secretFor } from '../activities/guest-helpers.ts'
import { own } from '../activities/registering.ts'
import { inProcess, ok } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const world = useWorld()
const browser = useBrowser({
  get url() {
    return world.server.url
  },
})

test('a guest fills in the form, confirms by the link of the mail, changes an answer and cancels', async () => {
  const alice = await world.withEmail()
  const questions = [{ key: 'size', label: 'Size of the T-shirt', required: true }]
  const activity = await openToGuests(world.server, alice, { questions }, { name: 'Lake cleanup' })
  const page = await browser.page({ isPhone: true })
  await page.goto(`/s/activity/${activity.uuid}`)
  await page.getByRole('heading', { name: 'Register without an account' }).waitFor()
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, 'guest-form')
  const email = newAddress()
  await page.getByLabel('Your name').fill('Lin Mei')
  await page.getByLabel('Your e-mail address').first().fill(email)
  await page.getByLabel('Size of the T-shirt').fill('M')
  if (inProcess) world.server.clock.advance(3 * SECOND)
  else await Bun.sleep(2100)
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.getByRole('heading', { name: 'Check your mailbox' }).waitFor()
  await page.goto(`/s/registration/${await secretFor(world, email)}`)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('You have a place.').waitFor()
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, 'guest-page')
  await page.getByLabel('Size of the T-shirt').fill('L')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByLabel('Size of the T-shirt').waitFor()
  expect(await page.getByLabel('Size of the T-shirt').inputValue()).toBe('L')
  await page.getByRole('link', { name: 'Cancel my registration' }).click()
  await page.getByRole('button', { name: 'Yes, cancel it' }).click()
  await page.getByText('This registration was cancelled.').waitFor()
})

test('“Keep it in my account” asks to sign in, and then moves the registration', async () => {
  const alice = await world.withEmail()
  const bob = await world.withEmail()
  const activity = await openToGuests(world.server, alice, {}, { name: 'Lake cleanup' })
  const { secret } = await confirmedGuest(world, activity, { name: 'Lin Mei' })
  const page = await browser.page()
  await page.goto(`/s/registration/${secret}`)
  await page.getByRole('link', { name: 'Keep it in my account' }).click()
  await page.getByLabel('Username, e-mail or phone').fill(bob.username)
  await page.locator('input[type=password]').fill(bob.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Lake cleanup' }).waitFor()
  await page.getByText('Lin Mei').waitFor()
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, 'claim-guest')
  await page.getByRole('button', { name: 'Keep it in my account' }).click()
  await page.waitForURL(new RegExp(`/console/activities/${activity.id}`))
  expect(ok(await own(bob, activity)).data).toMatchObject({ status: 'CONFIRMED', source: 'GUEST' })
})
