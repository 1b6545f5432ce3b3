/** API keys in the web application: of a user, of an organization, and of all users. */

import { expect, test } from 'bun:test'

import { makeKey } from '../api-keys/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { barriers, useBrowser } from './browser.ts'

const { server, admin } = useServer({ people: [] })
const browser = useBrowser(server)

test('a key is made with chosen permissions, shown once, limited and ended', async () => {
  const person = await server.person()
  const page = await browser.signedIn(person, { isPhone: true })
  await page.goto('/console/account/security')
  await page.getByText('No API keys').waitFor()
  await page.getByRole('button', { name: 'New API key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Spreadsheet')
  await dialog.getByRole('group', { name: 'Assets' }).getByRole('checkbox', { name: 'View' }).check()
  await dialog.getByLabel('Only from these addresses').fill('127.0.0.0/8\n::1')
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Make the key' }).click()
  const key = (await page.locator('code').textContent())!
  expect(key).toMatch(/^tsk_[0-9A-Za-z]{40}$/)
  const use = () => server.request('GET', '/api/assets', { headers: { authorization: `Bearer ${key}` } })
  ok(await use())
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText(`${key.slice(0, 12)}…`).waitFor()
  expect(await page.content()).not.toContain(key)

  await page.getByRole('button', { name: 'Edit: Spreadsheet' }).click()
  await page.getByRole('dialog').getByLabel('Only from these addresses').fill('192.0.2.0/24')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('only from 192.0.2.0/24').waitFor()
  expect((await use()).status).toBe(401)
  const keep = page.getByRole('dialog').getByText('Keep the API keys')
  const changePassword = async () => {
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('dialog').getByLabel('New password').waitFor()
  }
  await changePassword()
  await keep.waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: 'End: Spreadsheet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await page.getByText('Ended', { exact: true }).waitFor()
  expect(ok(await person.get('/api/auth/api-keys')).data.items[0].revokedAt).toBeNumber()
  await changePassword()
  // The dialog asks for the keys again each time it is opened. Until they arrive, it shows the answer from before.
  await keep.waitFor({ state: 'detached' })
})

test('the settings of an organization show the keys of its members, and administrators of the server all keys', async () => {
  const [owner, member] = [await server.person(), await server.person()]
  const org = await createOrg(owner)
  await addMembers(owner, org, member)
  const key = await makeKey(server, member, { orgId: org.id, points: ['asset:read'], name: 'Loans of the week' })
  const page = await browser.signedIn(owner)
  await page.goto(`/console/orgs/${org.id}?tab=settings`)
  await page.getByText('Loans of the week').waitFor()
  await page.getByText('Made by').waitFor()
  await page.getByRole('button', { name: 'End: Loans of the week' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await page.getByText('Ended', { exact: true }).waitFor()
  expect((await key.get('/api/assets')).status).toBe(401)

  await makeKey(server, member, { name: 'Of a member' })
  const console_ = await browser.signedIn(admin)
  await console_.goto('/console/admin/api-keys')
  await console_.getByText('Of a member').first().waitFor()
  await console_.getByText('Loans of the week').first().waitFor()
})
