/** The list of participants and their sheets in the web application: addresses, news, check-in lists and passes. */

import { expect, test } from 'bun:test'

import { useWorld } from '../accounts/helpers.ts'
import { getActivity } from '../activities/helpers.ts'
import { list, openActivity } from '../activities/registering.ts'
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
  await refused.getByText('needs an e-mail address of your account that you have confirmed').waitFor()
  await screenshot(refused, 'contact-refused')
  await refused.getByRole('link', { name: 'My address' }).click()
  await refused.waitForURL(/\/account\/security/)
  await (await register(bob)).getByText('You are registered.').waitFor()
  expect((await list(alice, { id })).items.map(({ email }) => email)).toEqual([bob.email])
  await manager.goto(`/console/activities/${id}?tab=registrations`)
  await manager.getByText(bob.email).waitFor()
})
