/** Personal invitations to an activity in the web application. */

import { afterAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'

import { invitations, withCode } from '../activities/inviting.ts'
import { openActivity, stateOf } from '../activities/registering.ts'
import { ok, startGateways, until, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

/** Not imported: the types of browsers are unknown here. */
const { peopleOf } = (await import(
  resolve(import.meta.dir, '../../src/web/areas/activities/invitations/people.ts')
)) as { peopleOf: (lines: string) => { email: string | null; name: string | null }[] }

const gateways = await startGateways()
afterAll(gateways.stop)
const { server, alice, bob } = useServer({ people: ['alice', 'bob'], config: gateways.config })
const browser = useBrowser(server)

const accessible = { barriers: [], isTooWide: false }

async function ofOrganization(name: string, registration: Parameters<typeof openActivity>[2] = { capacity: 50 }) {
  const org = await createOrg(alice, { name: 'Green Lake Club' })
  return openActivity(server, alice, registration, { name, orgId: org.id, visibility: 'INVITE_ONLY', language: 'en' })
}

describe('a manager', () => {
  test('invites people by pasted addresses, who get mails, and sees what became of them', async () => {
    browser.allow(/status of 400/)
    const activity = await ofOrganization('Lake cleanup')
    const page = await browser.signedIn(alice)
    await page.goto(`/console/activities/${activity.id}?tab=invitations`)
    await page.getByText('No invitations yet').waitFor()
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite people' })
    const lines = dialog.getByLabel('Addresses or names')
    await lines.fill('Lin Mei <lin@example.org>\nnobody@\nAnn\nben@example.org')
    await dialog.getByLabel('Your words').fill('We would be glad to see you.')
    expect(await barriers(page)).toEqual([])
    await screenshot(page, 'invitations-invite')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog.getByText('nobody@: ', { exact: false }).waitFor()
    await lines.fill('Lin Mei <lin@example.org>\nAnn\nben@example.org')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    const made = page.getByRole('dialog', { name: '3 invitations are made' })
    await made.getByText('Mails on their way: 2.', { exact: false }).waitFor()
    await screenshot(page, 'invitations-made')
    await made.getByRole('button', { name: 'Close' }).click()
    await until(() => gateways.mails.some((mail) => mail.to === 'lin@example.org'), 'the invitation arrived')
    await page.getByText('Mailed', { exact: false }).first().waitFor()
    expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual(accessible)
    await screenshot(page, 'invitations')
    const items = await invitations(alice, activity)
    expect(items.map(({ name, email }) => [name, email])).toEqual([
      [null, 'ben@example.org'],
      ['Ann', null],
      ['Lin Mei', 'lin@example.org'],
    ])
  })

  test('makes links to pass on, shows one as a code, and revokes it, on a phone', async () => {
    const activity = await ofOrganization('Herbstfest')
    const page = await browser.signedIn(alice, { isPhone: true, isDark: true })
    await page.goto(`/console/activities/${activity.id}?tab=invitations`)
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('A number of links to pass on').check()
    await page.getByRole('textbox', { name: 'Number of links' }).fill('3')
    await page.getByLabel('Give a place even if all are taken').check()
    await screenshot(page, 'invitations-links-phone')
    await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByRole('dialog', { name: '3 invitations are made' }).getByRole('button', { name: 'Close' }).click()
    const [newest] = await invitations(alice, activity)
    expect(newest).toMatchObject({ overCapacity: true, state: 'OPEN' })
    await page.getByRole('button', { name: new RegExp(`^Without a name.*${newest!.code}`, 's') }).click()
    const dialog = page.getByRole('dialog', { name: 'Without a name' })
    await dialog.getByRole('img', { name: 'QR code of the invitation' }).waitFor()
    expect(await dialog.getByLabel('Link').inputValue()).toBe(newest!.url)
    expect(await barriers(page)).toEqual([])
    await screenshot(page, 'invitation-phone')
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog', { name: 'Revoke this invitation?' }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('The invitation is revoked.').waitFor()
    expect((await invitations(alice, activity, { state: 'REVOKED' })).map(({ id }) => id)).toEqual([newest!.id])
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Used' }).click()
    await page.getByText('Nothing found').waitFor()
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Open' }).click()
    await page.getByRole('list', { name: 'Invitations' }).waitFor()
    expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual(accessible)
    await screenshot(page, 'invitations-phone')
  })

  test('sees it in Chinese', async () => {
    const activity = await ofOrganization('湖边清洁')
    await withCode(alice, activity, { overCapacity: true })
    const page = await browser.signedIn(alice, { locale: 'zh-CN' })
    await page.goto(`/console/activities/${activity.id}?tab=invitations`)
    await page.getByRole('list', { name: '邀请' }).waitFor()
    await screenshot(page, 'invitations-zh')
    await page.getByRole('button', { name: '邀请', exact: true }).click()
    await page.getByRole('dialog', { name: '邀请' }).getByText('按邮箱或姓名邀请').waitFor()
    await screenshot(page, 'invitations-invite-zh')
  })

  test('demands personal invitations in the form of the activity', async () => {
    const activity = await ofOrganization('Board meeting')
    const page = await browser.signedIn(alice)
    await page.goto(`/console/activities/${activity.id}/edit`)
    await page.getByLabel('Only people with a personal invitation register').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(`**/activities/${activity.id}`)
    const after = ok(await alice.call('activities.get', { params: { id: activity.id } })).data
    expect(after.registration).toMatchObject({ personalOnly: true, capacity: 50 })
  })
})

test('a person registers with the link of an invitation, and cannot with the common code', async () => {
  browser.allow(/status of 400/)
  const activity = await ofOrganization('Reading', { personalOnly: true })
  const { code } = await withCode(alice, activity)
  const page = await browser.signedIn(bob, { isPhone: true })
  await page.goto(`/console/s/activity/${activity.uuid}?code=${activity.inviteCode}`)
  await page.getByRole('button', { name: 'Register' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Register' }).click()
  await dialog.getByText('Registering for this activity needs a personal invitation').waitFor()
  await screenshot(page, 'invitations-register')
  await dialog.getByLabel('Code of your invitation').fill(code.toLowerCase())
  await dialog.getByRole('button', { name: 'Register' }).click()
  await page.getByText('You are registered.').waitFor()
  expect(await stateOf(bob, activity)).toBe('CONFIRMED null')
})

test('people are found in what managers paste', () => {
  const found = (lines: string) => peopleOf(lines).map(({ name, email }) => `${name ?? ''}|${email ?? ''}`)
  expect(found('a@example.org\n\n  \nAnn Li')).toEqual(['|a@example.org', 'Ann Li|'])
  expect(found('Lin Mei <lin@example.org>')).toEqual(['Lin Mei|lin@example.org'])
  expect(found('"Mei, Lin" <lin@example.org>')).toEqual(['Mei Lin|lin@example.org'])
  expect(found('Lin Mei; lin@example.org')).toEqual(['Lin Mei|lin@example.org'])
  expect(found('lin@example.org\tLin Mei')).toEqual(['Lin Mei|lin@example.org'])
  expect(found('a@example.org, b@example.org; Ann <c@example.org>')).toEqual([
    '|a@example.org',
    '|b@example.org',
    'Ann|c@example.org',
  ])
  expect(found('nobody@')).toEqual(['|nobody@'])
  expect(peopleOf('')).toEqual([])
})
