/** The list of participants and their sheets in the web application: addresses, news, check-in lists and passes. */

import { expect, test } from 'bun:test'

import { newEmail, useWorld } from '../accounts/helpers.ts'
import { nonce, redeemed } from '../activities/gate-helpers.ts'
import { confirmedGuest, openToGuests } from '../activities/guest-helpers.ts'
import { getActivity } from '../activities/helpers.ts'
import { invitationNow, invited } from '../activities/inviting.ts'
import { issued } from '../activities/pass-helpers.ts'
import { list, openActivity, register } from '../activities/registering.ts'
import { ok, until } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const world = useWorld()
const browser = useBrowser({
  get url() {
    return world.server.url
  },
})

test('a manager asks for addresses, and who registers reads it before and is refused without one', async () => {
  browser.allow(/status of 400/)
  const alice = await world.withEmail()
  const bob = await world.withEmail()
  const { id } = await openActivity(world.server, alice, {}, { name: 'Harvest' })
  const manager = await browser.signedIn(alice)
  await manager.goto(`/console/activities/${id}/edit`)
  await manager.getByLabel('Show e-mail addresses to managers').check()
  await screenshot(manager, 'contact-setting')
  await manager.getByRole('button', { name: 'Save' }).click()
  await manager.getByRole('heading', { name: 'Harvest', level: 1 }).waitFor()
  expect((await getActivity(alice, id)).registration?.contact).toBe('EMAIL')

  const register = async (person: typeof bob | Awaited<ReturnType<typeof world.server.person>>) => {
    const page = await browser.signedIn(person, { isPhone: true })
    await page.goto(`/console/activities/${id}`)
    await page.getByRole('button', { name: 'Register', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The managers of the activity will see').waitFor()
    expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
      barriers: [],
      isTooWide: false,
    })
    await screenshot(page, 'contact-dialog')
    await dialog.getByRole('button', { name: 'Register' }).click()
    return page
  }
  const refused = await register(await world.server.person())
  await refused.getByText('Confirm an e-mail address of your account first').waitFor()
  await screenshot(refused, 'contact-refused')
  await refused.getByRole('link', { name: 'My address' }).click()
  await refused.waitForURL(/\/account\/security/)
  await (await register(bob)).getByText('You are registered.').waitFor()
  expect((await list(alice, { id })).items.map(({ email }) => email)).toEqual([bob.email])
  await manager.goto(`/console/activities/${id}?tab=registrations`)
  await manager.getByText(bob.email).waitFor()
})

test('a manager finds who was not at lunch, and issues a pass from the sheet of a guest', async () => {
  const alice = await world.withEmail()
  const bob = await world.withEmail()
  const activity = await openToGuests(world.server, alice, {}, { name: 'Harvest', hasPass: true })
  const params = { id: activity.id }
  const lunch = ok(await alice.call('checkInLists.create', { params, body: { name: 'Lunch' } })).data
  ok(await register(bob, activity))
  const [pass] = await issued(alice, activity.id, { toRegistered: true })
  await redeemed(alice, activity.id, { content: pass!.qrContent!, nonce: nonce(), listId: lunch.id })
  await confirmedGuest(world, activity, { name: 'Lin Mei' })
  const { nickname } = ok(await bob.call('profile.get')).data
  const page = await browser.signedIn(alice, { isPhone: true })
  await page.goto(`/console/activities/${activity.id}?tab=registrations`)
  await page.getByLabel('Check-in list').click()
  await page.getByRole('option', { name: 'Lunch: admitted' }).click()
  await page.getByText('1 person', { exact: true }).waitFor()
  await page.getByText(nickname).waitFor()
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, 'participants-list')
  await page.getByLabel('Check-in list').click()
  await page.getByRole('option', { name: 'Lunch: not admitted' }).click()
  await page.getByRole('link', { name: /Lin Mei/ }).click()
  const sheet = page.getByRole('dialog', { name: 'Lin Mei' })
  await sheet.getByText('No pass yet.').waitFor()
  await sheet.getByRole('button', { name: 'Issue a pass' }).click()
  await page.getByText('The pass is issued.').waitFor()
  await sheet.getByRole('button', { name: 'Open pass and entries' }).waitFor()
  expect(await sheet.getByRole('button', { name: 'Issue a pass' }).count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'person-pass')
  const { items } = await list(alice, activity, { guest: true })
  expect(items.map((one) => one.pass?.status)).toEqual(['ISSUED'])
})

test('a manager reads what became of the invitation of a participant', async () => {
  const alice = await world.withEmail()
  const org = await createOrg(alice, { name: 'Green Lake Club' })
  const activity = await openActivity(world.server, alice, {}, { orgId: org.id, name: 'Harvest' })
  const [invitation] = await invited(alice, activity, { items: [{ email: newEmail() }] })
  await until(async () => (await invitationNow(alice, activity, invitation!)).mail?.state === 'SENT')
  const bob = await world.server.person()
  ok(await register(bob, activity, { code: invitation!.code }))
  const { id } = (await list(alice, activity)).items[0]!
  const page = await browser.signedIn(alice, { locale: 'zh-CN' })
  await page.goto(`/console/activities/${activity.id}?tab=registrations&person=${id}`)
  await page.getByRole('dialog').getByText(/^邀请/).waitFor()
  await screenshot(page, 'person-invitation')
})

test('a batch of passes asks whether to tell the holders', async () => {
  const alice = await world.withEmail()
  const bob = await world.withEmail()
  const activity = await openActivity(world.server, alice, {}, { name: 'Harvest', hasPass: true })
  ok(await register(bob, activity))
  await issued(alice, activity.id, { toRegistered: true })
  const page = await browser.signedIn(alice)
  await page.goto(`/console/activities/${activity.id}?tab=passes`)
  await page.getByRole('button', { name: 'Change many' }).click()
  const form = page.getByRole('dialog', { name: 'Change many passes' })
  await form.getByLabel('Revoke').check()
  await form.getByLabel('Tell the holders').check()
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'pass-batch')
  await form.getByRole('button', { name: 'Count' }).click()
  const question = page.getByRole('dialog', { name: 'Revoke 1 passes?' })
  await question.getByText('The holders of live passes are notified.').waitFor()
  await question.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('1 passes changed.').waitFor()
  const { items } = ok(await bob.call('notifications.list', { query: { size: 100 } })).data
  expect(items.map(({ title }) => title)).toContain('Your pass for Harvest was revoked')
})
