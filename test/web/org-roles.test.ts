/** Roles that the owner of an organization makes in the web application: from a preset, in words, given, changed and deleted. */

import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { ok, useServer } from '../harness/index.ts'
import { addMembers, apply, createOrg, getOrg } from '../orgs/helpers.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, admin, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })
const browser = useBrowser(server)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const entry = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })
const box = (page: Page, name: RegExp) => page.getByRole('checkbox', { name })
const choose = async (page: Page, field: string, option: string) => {
  await page.getByRole('combobox', { name: field }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const rolesOf = async (org: { id: number }) =>
  ok(await alice.call('orgs.roles', { params: { orgId: org.id } })).data.items
const namesIn = async (org: { id: number }, name: string) =>
  (await rolesOf(org)).find((role) => role.name === name)!.permissions.map((point) => point.name)

test('the owner makes a role from a preset, and it is completed with what it needs', async () => {
  const org = await createOrg(alice, { name: 'Willow School' })
  await addMembers(alice, org, bob)
  const page = await browser.signedIn(alice)
  await page.goto(`/console/orgs/${org.id}?tab=roles`)
  await page.getByText('No roles of your own yet').waitFor()
  await button(page, 'New role').click()
  await choose(page, 'Start from', 'Gate staff')
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Gate staff')
  await page.getByRole('textbox', { name: 'Name' }).fill('Doors, evening')
  expect(await box(page, /^May admit guests/).isChecked()).toBe(true)
  await page.getByText('Page: Gate').waitFor()
  await box(page, /^May hand out assets/).check()
  await page.getByText('Added, because the others need it: May see all assets').waitFor()
  expect(await box(page, /^May see all assets/).isDisabled()).toBe(true)
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'org-role')
  await button(page, 'Save').click()
  await page.getByText('The role is saved. It takes effect at once.').waitFor()
  expect((await namesIn(org, 'Doors, evening')).toSorted()).toEqual([
    'activity:read',
    'asset:read',
    'asset:transfer',
    'checkin:read',
    'org:read',
    'pass:read',
    'pass:verify',
  ])

  await page.getByRole('tab', { name: 'Members' }).click()
  await button(page, `Actions for ${ok(await bob.call('profile.get')).data.nickname}`).click()
  await entry(page, 'Change the role').click()
  await choose(page, 'Role', 'Doors, evening')
  await button(page, 'Save').click()
  await page.getByText(/^Doors, evening, since/).waitFor()
  expect((await getOrg(bob, org)).permissions).toContain('pass:verify')
})

test('the owner changes a role on a phone in Chinese, and deletes it with a replacement', async () => {
  const org = await createOrg(alice, { name: 'Reed School' })
  await addMembers(alice, org, bob)
  const role = ok(
    await alice.call('orgs.createRole', {
      params: { orgId: org.id },
      body: { name: '门口', permissions: ['pass:verify', 'asset:scrap'] },
    }),
  ).data
  const params = { orgId: org.id, userId: bob.id }
  ok(await alice.call('orgs.changeMember', { params, body: { roleId: role.id } }))
  const point = ok(
    await admin.call('access.listPermissions', { query: { domain: 'ORG', keyword: 'scrap' } }),
  ).data.items.find(({ name }) => name === 'asset:scrap')!
  const setDelegable = async (delegable: boolean) =>
    ok(await admin.call('access.changePermission', { params: { id: point.id }, body: { delegable } }))
  await setDelegable(false)
  const page = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN' })
  await page.goto(`/console/orgs/${org.id}?tab=roles`)
  await button(page, '对角色门口的操作').click()
  await entry(page, '编辑').click()
  await page.getByText('已不可用，保存时将去除：可以报废资产。').waitFor()
  await box(page, /^可以查看签到记录/).check()
  expect([await barriers(page), await isTooWide(page)]).toEqual([[], false])
  await screenshot(page, 'org-role-zh')
  await button(page, '保存').click()
  await page.getByText('角色已保存，立即生效。').waitFor()
  expect((await namesIn(org, '门口')).toSorted()).toEqual([
    'activity:read',
    'checkin:read',
    'org:read',
    'pass:read',
    'pass:verify',
  ])
  await setDelegable(true)

  await button(page, '对角色门口的操作').click()
  await entry(page, '删除').click()
  await choose(page, '其成员的新角色', '访客')
  await button(page, '删除').click()
  await page.getByText('还没有自建角色').waitFor()
  expect((await getOrg(bob, org)).roleName).toBe('Guest')
})

test('a role is given with an invitation and with the approval of a request', async () => {
  const org = await createOrg(alice, { name: 'Iris School' })
  const body = { name: 'Borrowers', preset: 'BORROWER' as const }
  ok(await alice.call('orgs.createRole', { params: { orgId: org.id }, body }))
  ok(await apply(bob, org))
  const { nickname } = ok(await bob.call('profile.get')).data
  const page = await browser.signedIn(alice)
  await page.goto(`/console/orgs/${org.id}?tab=joining`)
  await button(page, `Approve ${nickname} with a role`).click()
  await choose(page, 'Role', 'Borrowers')
  await button(page, 'Approve').click()
  await page.getByText('No pending requests.').waitFor()
  expect((await getOrg(bob, org)).roleName).toBe('Borrowers')

  const invited = ok(await carol.call('profile.get')).data.nickname
  await button(page, 'Invite').click()
  await page.getByRole('combobox', { name: 'People' }).fill(carol.username)
  await page.getByRole('option', { name: invited }).click()
  await choose(page, 'Role', 'Borrowers')
  await button(page, 'Send').click()
  await button(page, 'Close').click()
  await page.getByText(/Role: Borrowers/).waitFor()
  const [invitation] = ok(await carol.call('orgs.myInvitations')).data.items
  expect(invitation!.roleName).toBe('Borrowers')
})

test('an administrator says that organizations may give a point, and members see roles without buttons', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/access')
  await page.getByRole('tab', { name: 'Permission points' }).click()
  await page.getByRole('searchbox', { name: 'Search permission points' }).fill('org:update')
  await page.getByText(/Not for roles that organizations make/).waitFor()
  const ofOrgs = page.getByRole('listitem').filter({ hasText: 'Not for roles that organizations make' })
  await ofOrgs.getByRole('button', { name: 'Change the description of org:update' }).click()
  const mark = page.getByRole('switch', { name: 'Organizations may give it' })
  expect(await mark.isChecked()).toBe(false)
  await mark.check()
  await button(page, 'Save').click()
  await page.getByText(/Not for roles that organizations make/).waitFor({ state: 'detached' })
  const org = await createOrg(alice, { name: 'Fern School' })
  await addMembers(alice, org, bob)
  const { items } = ok(await alice.call('orgs.rolePoints', { params: { orgId: org.id } })).data
  expect(items.find(({ name }) => name === 'org:update')).toMatchObject({ delegable: true })

  const members = await browser.signedIn(bob)
  await members.goto(`/console/orgs/${org.id}?tab=roles`)
  await members.getByText('May do everything').waitFor()
  expect(await members.getByRole('button', { name: 'New role' }).count()).toBe(0)
})
