/** Contacts in the web application, with two people: card, request, notes, block, privacy. */

import { beforeAll, expect, test } from 'bun:test'

import { befriend, codeOf, listed } from '../contacts/helpers.ts'
import { ok, type Person, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })
const browser = useBrowser(server)

beforeAll(async () => {
  const names: [Person, string][] = [
    [alice, 'Alice Marsh'],
    [bob, 'Bob Stone'],
    [carol, 'Carol Reed'],
  ]
  for (const [person, nickname] of names) ok(await person.call('profile.update', { body: { nickname } }))
})

test('a person shows the card, another one asks by its code, and both become contacts without a reload', async () => {
  const dora = await server.person('dora')
  ok(await dora.call('profile.update', { body: { nickname: 'Dora Lind' } }))
  const erik = await server.person('erik')
  ok(await erik.call('profile.update', { body: { nickname: 'Erik Holm' } }))
  const receiver = await browser.signedIn(dora, { isPhone: true, locale: 'zh-CN' })
  await receiver.goto('/console/contacts')
  await receiver.getByText('还没有联系人').waitFor()
  await receiver.getByRole('tab', { name: '我的名片' }).click()
  await receiver.getByRole('img', { name: '我的名片二维码' }).waitFor()
  await receiver.getByRole('button', { name: '全屏显示' }).click()
  const dialog = receiver.getByRole('dialog')
  await dialog.getByText('Dora Lind').waitFor()
  const code = await dialog.getByText(/^([0-9A-Z]{4} ?){4}$/).innerText()
  await screenshot(receiver, 'contacts-card-full')
  await dialog.getByRole('button', { name: '关闭' }).click()

  const sender = await browser.signedIn(erik)
  await sender.goto('/console/contacts/add')
  await sender.getByLabel('Code, e-mail address or phone number').fill(code)
  await sender.getByRole('button', { name: 'Find' }).click()
  await sender.getByRole('button', { name: 'Add Dora Lind' }).click()
  await sender.getByLabel('Message').fill('We met at the market.')
  await sender.getByLabel('My name for this person').fill('Dora (market)')
  await sender.getByRole('button', { name: 'Send request' }).click()
  await sender.getByText('You have asked already').waitFor()
  expect([await barriers(sender), await isTooWide(sender)]).toEqual([[], false])

  await receiver.getByRole('tab', { name: '申请（1）' }).click()
  await receiver.getByText('We met at the market.').waitFor()
  expect([await barriers(receiver), await isTooWide(receiver)]).toEqual([[], false])
  await receiver.getByRole('button', { name: '同意“Erik Holm”' }).click()
  await receiver.getByText('你们已成为联系人。').waitFor()

  await sender.goto('/console/contacts')
  await sender.getByRole('link', { name: 'Dora (market)', exact: true }).waitFor()
  expect((await listed(dora)).items).toMatchObject([{ userId: erik.id, twoWay: true }])
})

test('notes, tags, block and deletion of a contact, and a search that finds nothing', async () => {
  await befriend(alice, bob)
  const page = await browser.signedIn(alice, { isPhone: true })
  await page.goto('/console/contacts')
  await page.getByRole('link', { name: 'Bob Stone', exact: true }).click()
  await page.getByLabel('My name for this person').fill('Bobby')
  await page.getByLabel('Tags').fill('rowing')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your notes are saved.').waitFor()
  await page.getByRole('heading', { level: 1, name: 'Bobby' }).waitFor()
  expect((await listed(alice)).items).toMatchObject([{ remark: 'Bobby', tags: ['rowing'] }])

  await page.getByRole('button', { name: 'Block' }).click()
  await page.getByText('Neither of you can write to the other.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click()
  await page.getByText('You have blocked this person.').waitFor()
  expect((await listed(alice, { blocked: true })).items).toMatchObject([{ userId: bob.id, blocked: true }])
  await page.getByRole('button', { name: 'Unblock' }).click()
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('Zebra')
  await page.getByText('No contact has this name or tag.').waitFor()
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('')

  await page.getByRole('link', { name: 'Bobby', exact: true }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No contacts yet').waitFor()
  expect((await listed(alice)).items).toEqual([])
})

test('a request is declined and its sender blocked, privacy is saved at once, and an unknown code is explained', async () => {
  browser.allow(/status of 404/)
  ok(await carol.call('contacts.request', { body: { code: await codeOf(alice), message: 'Buy my rugs' } }))
  const page = await browser.signedIn(alice)
  await page.goto('/console/contacts?tab=requests')
  await page.getByRole('button', { name: 'Decline Carol Reed' }).click()
  await page.getByRole('button', { name: 'Decline and block' }).click()
  await page.getByText('The request is declined.').waitFor()
  expect((await listed(alice, { blocked: true })).items).toMatchObject([{ userId: carol.id }])

  await page.getByRole('tab', { name: 'Privacy' }).click()
  await page.getByRole('combobox', { name: 'Contact requests' }).click()
  await page.getByRole('option', { name: 'People with my card' }).click()
  await page.getByText('Your settings are saved.').waitFor()
  const saved = page.waitForResponse(
    (response) => response.request().method() === 'PUT' && response.url().endsWith('/api/contacts/settings'),
  )
  await page.getByRole('switch', { name: 'Read receipts' }).click()
  await saved
  expect(ok(await alice.call('contacts.privacy')).data).toMatchObject({
    whoMayRequest: 'CARD_ONLY',
    readReceipts: false,
    findableByEmail: true,
  })

  await page.goto('/console/contacts/add?code=ZZZZZZZZZZZZZZZZ')
  await page.getByText('No card has this code.').waitFor()
})
