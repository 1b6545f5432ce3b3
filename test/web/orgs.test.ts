/** Organizations in the web application: founding, joining, members, locations, shared copies and the end. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, getOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { barriers, isTooWide, screenshot, until, useBrowser } from './browser.ts'

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

const membersOf = async (person: Person, org: { id: number }) =>
  ok(await person.call('orgs.members', { params: { orgId: org.id } })).data.items
const choose = async (page: Page, field: string, option: string) => {
  await page.getByRole('combobox', { name: field }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const entry = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })

describe('founding and joining', () => {
  test('a user creates the first organization on a phone and works in it', async () => {
    const dora = await server.person('dora')
    const page = await browser.signedIn(dora, { isPhone: true })
    await page.goto('/console/orgs')
    await page.getByText('You belong to no organization yet').waitFor()
    await page.getByRole('link', { name: 'Create organization' }).click()
    await page.getByLabel('Name').fill('Willow Street Library')
    await page.getByLabel('Description').fill('Books and tools')
    await choose(page, 'Joining', 'Anyone may join')
    await button(page, 'Create organization').click()
    await page.getByRole('heading', { level: 1, name: 'Willow Street Library' }).waitFor()
    await button(page, 'Work here').click()
    await page.getByText('Current workspace').waitFor()
    await page.getByRole('button', { name: /^Willow Street Library\. Choose/ }).waitFor()
    const [org] = ok(await dora.call('orgs.list')).data.items
    expect(org).toMatchObject({ name: 'Willow Street Library', description: 'Books and tools', joinPolicy: 'FREE' })
  })

  test('a stranger with a link to join sees who invites, and the new account asks by itself, once', async () => {
    const org = await createOrg(alice, { name: 'Garden club' })
    const page = await browser.page({ isPhone: true })
    await page.goto(`/console/join?code=${org.code}`)
    await page.getByRole('heading', { name: 'Garden club invites you' }).waitFor()
    await page.getByText('1 member').waitFor()
    expect([await barriers(page), await isTooWide(page)]).toEqual([[], false])
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByRole('heading', { name: 'Garden club invites you' }).waitFor()
    await page.getByLabel('Username or e-mail').fill('petunia')
    await page.getByLabel('Password').last().fill('tulips and roses 7')
    await button(page, 'Create account').click()
    await page.getByText('Your request was sent.').waitFor()
    await page.getByText(/^You asked to join/).waitFor()
    const asking = async () => ok(await alice.call('orgs.pending', { params: { id: org.id } })).data.items.length
    expect(await asking()).toBe(1)
    await page.getByRole('button', { name: /^Withdraw/ }).click()
    await page.reload()
    await button(page, 'Ask to join Garden club').waitFor()
    expect(await asking()).toBe(0)
  })

  test('the link of a poster leads through the sign-in to the request, which the owner approves', async () => {
    const org = await createOrg(alice, { name: 'Harbour Rowers' })
    const page = await browser.page({ isPhone: true })
    await page.goto(`/console/join?code=${org.code}`)
    await page.getByLabel('Username, e-mail or phone').fill(bob.username)
    await page.getByLabel('Password').last().fill(bob.password)
    await button(page, 'Sign in').click()
    await button(page, 'Ask to join Harbour Rowers').click()
    await page.getByLabel('Message').fill('I row on Sundays.')
    await button(page, 'Send request').click()
    await page.getByText(/^You asked to join/).waitFor()

    const owner = await browser.signedIn(alice)
    await owner.goto(`/console/orgs/${org.id}?tab=joining`)
    await owner.getByText('I row on Sundays.').waitFor()
    await button(owner, 'Approve Bob Stone').click()
    await owner.getByText('No pending requests.').waitFor()
    expect((await membersOf(alice, org)).map(({ userId }) => userId)).toContain(bob.id)
    // The page of the new member is still open, and follows by itself.
    await page.getByRole('link', { name: 'Open Harbour Rowers' }).click()
    await page.getByRole('tab', { name: 'Members' }).waitFor()
  })

  test('a code that no organization has is explained, and a typed one opens the organization', async () => {
    browser.allow(/status of 404/)
    const org = await createOrg(alice, { name: 'Chess Club', joinPolicy: 'FREE' })
    const page = await browser.signedIn(carol)
    await page.goto('/console/join?code=ZZZZZZZZ')
    await page.getByText('No public organization has this code.').waitFor()
    await page.getByLabel('Organization code').fill(`org-join:${org.code}`)
    await button(page, 'Continue').click()
    await button(page, 'Join Chess Club').click()
    await page.getByRole('heading', { level: 1, name: 'Chess Club' }).waitFor()
    expect((await getOrg(carol, org)).roleName).not.toBe('')
  })

  test('a user is invited by name, and accepts in Chinese', async () => {
    const org = await createOrg(alice, { name: 'Garden Society', joinPolicy: 'INVITE' })
    const owner = await browser.signedIn(alice)
    await owner.goto(`/console/orgs/${org.id}?tab=joining`)
    await button(owner, 'Invite').click()
    const people = owner.getByRole('combobox', { name: 'People' })
    await people.fill('Carol')
    await owner.getByRole('option', { name: 'Carol Reed' }).click()
    await people.fill('nobody@example.org')
    await button(owner, 'Send').click()
    await owner.getByText('No user has confirmed this address or number').waitFor()
    await owner
      .getByText(/Invited$/)
      .first()
      .waitFor()

    const page = await browser.signedIn(carol, { isPhone: true, locale: 'zh-CN' })
    await page.goto('/console/orgs')
    await page.getByText(/7天后过期/).waitFor()
    await button(page, '接受加入Garden Society的邀请').click()
    await page.getByRole('link', { name: /Garden Society/ }).waitFor()
    await screenshot(page, 'orgs-zh')
    expect((await membersOf(alice, org)).map(({ userId }) => userId)).toContain(carol.id)
  })
})

describe('in an organization', () => {
  test('the owner finds a member, changes the role and removes the member', async () => {
    const org = await createOrg(alice, { name: 'Members' })
    await addMembers(alice, org, bob, carol)
    const page = await browser.signedIn(alice, { isPhone: true })
    await page.goto(`/console/orgs/${org.id}?tab=members`)
    await page.getByText('Carol Reed').waitFor()
    await page.getByRole('searchbox', { name: 'Search members' }).fill('Bob')
    await page.getByText('Carol Reed').waitFor({ state: 'detached' })
    await button(page, 'Actions for Bob Stone').click()
    await entry(page, 'Change the role').click()
    await choose(page, 'Role', 'Administrator')
    await button(page, 'Save').click()
    await page.getByText(/^Administrator, since/).waitFor()
    expect((await membersOf(alice, org)).find(({ userId }) => userId === bob.id)?.roleCode).toBe('ADMIN')

    await button(page, 'Actions for Bob Stone').click()
    await entry(page, 'Remove').click()
    await page.getByText('They lose access to everything').waitFor()
    await button(page, 'Remove').click()
    await page.getByText('No member has this name.').waitFor()
    expect((await membersOf(alice, org)).map(({ userId }) => userId)).not.toContain(bob.id)
  })

  test('an ordinary member sees neither requests nor the data form', async () => {
    const org = await createOrg(alice, { name: 'Readers' })
    await addMembers(alice, org, bob)
    const page = await browser.signedIn(bob)
    await page.goto(`/console/orgs/${org.id}?tab=settings`)
    await button(page, 'Leave').waitFor()
    expect(await page.getByLabel('Description').count()).toBe(0)
    expect(await button(page, 'Dissolve').count()).toBe(0)
    expect(await page.getByRole('tab', { name: /^Joining/ }).count()).toBe(0)
  })

  test('locations are created with the position of the device, placed inside others, moved and deleted', async () => {
    const org = await createOrg(alice, { name: 'Places' })
    const page = await browser.signedIn(alice, { isPhone: true, permissions: ['geolocation'] })
    await page.context().setGeolocation({ latitude: 52.5186, longitude: 13.3763 })
    await page.goto(`/console/orgs/${org.id}?tab=locations`)
    await button(page, 'Add location').click()
    await page.getByLabel('Name').fill('Main house')
    await button(page, 'Use my position').click()
    await until(page, "document.querySelector('input[inputmode=decimal]').value === '52.5186'")
    await button(page, 'Save').click()
    const map = page.getByRole('link', { name: '52.51860, 13.37630' })
    expect(await map.getAttribute('href')).toStartWith('https://www.openstreetmap.org/?mlat=52.5186&mlon=13.3763')

    await button(page, 'Actions for Main house').click()
    await entry(page, 'Add a location inside').click()
    await page.getByLabel('Name').fill('Shelf')
    await button(page, 'Save').click()
    await button(page, 'Actions for Shelf').waitFor()
    const tree = async () => ok(await alice.call('locations.tree', { params: { orgId: org.id } })).data
    expect((await tree()).map(({ name, children }) => [name, children.map((child) => child.name)])).toEqual([
      ['Main house', ['Shelf']],
    ])

    // The server refuses to delete a location that contains others, and the dialog says so.
    browser.allow(/status of 400/)
    await button(page, 'Actions for Main house').click()
    await entry(page, 'Delete').click()
    await button(page, 'Delete').click()
    await page.getByRole('alert').waitFor()
    await button(page, 'Cancel').click()

    await button(page, 'Actions for Shelf').click()
    await entry(page, 'Edit or move').click()
    await page.getByRole('combobox', { name: 'Inside' }).fill('')
    await page.keyboard.press('Tab')
    await button(page, 'Save').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await button(page, 'Actions for Shelf').click()
    await entry(page, 'Move up').click()
    await page.getByRole('listitem').first().getByText('Shelf').waitFor()
    expect((await tree()).map(({ name }) => name)).toEqual(['Shelf', 'Main house'])

    await button(page, 'Actions for Shelf').click()
    await entry(page, 'Delete').click()
    await button(page, 'Delete').click()
    // While the dialog is open, the page behind it is hidden from `getByRole`, so that its buttons seem to be gone.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await button(page, 'Actions for Shelf').waitFor({ state: 'detached' })
    expect((await tree()).map(({ name }) => name)).toEqual(['Main house'])
  })

  test('an organization with a shared copy cannot be dissolved until the copy is deleted, and ownership is transferred', async () => {
    const org = await createOrg(alice, { name: 'Tool Library' })
    await addMembers(alice, org, bob)
    await createCode(alice, { name: 'Opening hours' })
    const page = await browser.signedIn(alice)
    await page.goto(`/console/orgs/${org.id}?tab=shares`)
    await button(page, 'Share a copy').click()
    await page.getByRole('combobox', { name: 'My code' }).click()
    await page.getByRole('option', { name: 'Opening hours' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Share a copy' }).click()
    await button(page, 'Delete Opening hours').waitFor()

    await page.getByRole('tab', { name: 'Settings' }).click()
    await button(page, 'Dissolve').click()
    await page.getByText('The organization still owns things.').waitFor()
    await page.getByText('QR codes: 1').waitFor()
    await button(page, 'Close').click()
    await page.getByRole('tab', { name: 'Shared copies' }).click()
    await button(page, 'Delete Opening hours').click()
    await button(page, 'Delete').click()
    await page.getByText('Nothing shared yet').waitFor()

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Description').fill('Drills and ladders')
    await button(page, 'Save').click()
    await page.getByText('The organization is saved.').waitFor()
    await button(page, 'Transfer ownership').click()
    await choose(page, 'New owner', 'Bob Stone (Member)')
    await button(page, 'Send offer').click()
    await page.getByText(/^Offered to Bob Stone until/).waitFor()

    const candidate = await browser.signedIn(bob, { isPhone: true })
    await candidate.goto(`/console/orgs/${org.id}`)
    await button(candidate, 'Become the owner').click()
    await candidate.getByText('You own the organization now.').waitFor()
    expect(await getOrg(bob, org)).toMatchObject({ isOwner: true, description: 'Drills and ladders' })

    await page.reload()
    await button(page, 'Leave').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()

    await candidate.getByRole('tab', { name: 'Settings' }).click()
    await button(candidate, 'Dissolve').click()
    await candidate.getByLabel('Type “Tool Library” to confirm').fill('Tool Library')
    await candidate.getByRole('dialog').getByRole('button', { name: 'Dissolve' }).click()
    await candidate.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()
    expect((await bob.call('orgs.get', { params: { id: org.id } })).status).toBe(404)
  })
})

test('a refusal is shown at its field, and below the form if one of its fields is not drawn', async () => {
  const page = await browser.signedIn(alice)
  browser.allow(/status of 400/)
  let paths = ['body.name']
  let requests = 0
  await page.route('**/api/orgs', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    requests++
    const details = paths.map((path) => ({ path, message: `${path} is refused` }))
    await route.fulfill({ status: 400, json: { code: 400, message: 'Bad request', details, requestId: 'r-1' } })
  })
  await page.goto('/console/orgs/new')
  const name = page.getByLabel('Name')
  await name.fill('Boat club')
  await name.press('Enter')
  await page.locator('[name=name][aria-invalid=true]:focus').waitFor()
  await page.getByText('body.name is refused').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  paths = ['body.name', 'body.avatarUrl']
  await name.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'body.avatarUrl is refused' }).waitFor()
  expect([requests, await name.inputValue()]).toEqual([2, 'Boat club'])
  await name.fill('x'.repeat(101))
  await page.getByText('At most 100 characters.').waitFor()
  await name.press('Enter')
  await page.locator('[name=name]:focus').waitFor()
  expect([requests, (await name.inputValue()).length]).toEqual([2, 101])
})
