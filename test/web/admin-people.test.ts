/** Users, organizations, roles, sessions and links in the web application. */

import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'

import type { Page } from 'playwright-core'

import { pathOf, png, uploaded } from '../files/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { isTooWide, useBrowser } from './browser.ts'

const { server, admin, alice, bob, carol, dora } = useServer({ people: ['alice', 'bob', 'carol', 'dora'] })
const browser = useBrowser(server)

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()

/** Chooses the first option that a picker finds. */
async function pick(page: Page, label: string | RegExp, text: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).fill(text)
  await page.getByRole('option', { name: text }).first().click()
}

test('an administrator creates a user, hands over the password, disables and enables the account', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/users')
  await heading(page, 'Users')
  await page.keyboard.press('n')
  await heading(page, 'New user')
  await page.getByLabel('Username').fill('1x')
  await button(page, 'Create user').click()
  browser.allow(/status of 400/)
  // The message is at the field, which has the focus.
  await page.locator('input[aria-invalid=true]:focus').waitFor()
  expect(await page.getByLabel('Username').getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByLabel('Username').fill('greta')
  await page.getByLabel('Nickname').fill('Greta Holm')
  await button(page, 'Create user').click()
  await says(page, 'Greta Holm can sign in now')
  const password = await page.locator('output').innerText()
  expect(password).toMatch(/^\S{20}$/)

  await page.getByRole('link', { name: 'Open the user' }).click()
  await heading(page, 'Greta Holm')
  await button(page, 'Edit profile').click()
  await page.getByLabel('About').fill('Front desk')
  await button(page, 'Save').click()
  await says(page, 'The profile is saved.')
  await button(page, 'Disable').click()
  await dialog(page).getByText('signed out everywhere').waitFor()
  await dialog(page).getByLabel('Reason, for the operation log').fill('Left the club')
  await dialog(page).getByRole('button', { name: 'Disable' }).click()
  await button(page, 'Enable').waitFor()
  const [greta] = ok(await admin.call('admin.users.list', { query: { keyword: 'greta' } })).data.items
  expect(greta).toMatchObject({ status: 'DISABLED', signature: 'Front desk' })
  await page.getByRole('tab', { name: 'History' }).click()
  await says(page, 'Left the club')
  await says(page, 'User created')
  await button(page, 'Enable').click()
  await dialog(page).getByRole('button', { name: 'Enable' }).click()
  await button(page, 'Disable').waitFor()
})

test('an administrator exports the data of a user, and deletes the account with its content once it is disabled', async () => {
  const heinz = await server.person('heinz')
  const { publicUrl } = await createCode(heinz, { isPublic: true })
  const page = await browser.signedIn(admin)
  await page.goto(`/console/admin/users/${heinz.id}/show`)
  await page.getByRole('tab', { name: 'Data' }).click()
  await button(page, 'Export the data').click()
  await dialog(page).getByText('the operation log names you').waitFor()
  await dialog(page).getByRole('button', { name: 'Export the data' }).click()
  const links = page.waitForRequest(/\/api\/auth\/export\/\w+\/download\?/)
  await button(page, 'Download').click()
  expect((await links).url()).toContain(`user=${admin.id}`)
  await says(page, 'Disable the user first.')
  const body = { status: 'DISABLED' } as const
  ok(await admin.call('admin.users.changeStatus', { params: { userId: heinz.id }, body }))
  await page.reload()
  await button(page, 'Delete the account').click()
  await dialog(page).getByText('Backups of the server').waitFor()
  await dialog(page).getByLabel('Delete the content too').check()
  await dialog(page).getByLabel('Reason, for the operation log').fill('Asked for it')
  await dialog(page).getByRole('button', { name: 'Delete the account' }).click()
  await says(page, 'The account is deleted.')
  expect((await fetch(server.url + pathOf(publicUrl))).status).toBe(404)
  const [log] = ok(await admin.call('operationLog.list', { query: { action: 'USER_DELETE' } })).data.items
  expect(log).toMatchObject({
    targetId: heinz.id,
    targetName: null,
    after: { content: 'DELETE', reason: 'Asked for it' },
  })
})

test('an administrator removes the picture of a user', async () => {
  const { id: avatarFileId } = await uploaded(bob, png(), { type: 'avatar' }, 'bob.png')
  ok(await bob.call('profile.update', { body: { avatarFileId } }))
  const page = await browser.signedIn(admin)
  await page.goto(`/console/admin/users/${bob.id}/show`)
  await button(page, 'Edit profile').click()
  await button(page, 'Remove picture').click()
  await button(page, 'Save').click()
  await says(page, 'The profile is saved.')
  expect(ok(await bob.call('profile.get', {})).data.avatarUrl).toBeNull()
})

test('users are found, exported without formulas, and disabled together after a question', async () => {
  ok(await alice.call('profile.update', { body: { nickname: '=1+1' } }))
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/users')
  await page.getByPlaceholder('Search').fill('no such user')
  await says(page, 'Nothing matches these filters.')
  await page.getByPlaceholder('Search').fill(alice.username)
  await page.getByRole('link', { name: alice.username }).waitFor()
  const downloading = page.waitForEvent('download')
  await button(page, 'Export').click()
  const file = await readFile(await (await downloading).path(), 'utf8')
  expect(file.startsWith('\uFEFF')).toBe(true)
  expect(file.trim().split('\r\n')).toHaveLength(2)
  expect(file).toContain(",'=1+1,")

  await page.getByPlaceholder('Search').fill('')
  const row = ({ username }: { username: string }) => page.getByRole('row').filter({ hasText: username })
  for (const person of [admin, alice, bob]) await row(person).getByRole('checkbox').check()
  await button(page, 'Disable').click()
  await dialog(page).getByText('Disable 3 users?').waitFor()
  // Administrators cannot disable themselves. The others are disabled, and that row stays selected.
  browser.allow(/status of 4\d\d/)
  await dialog(page).getByRole('button', { name: 'Disable' }).click()
  await says(page, '2 users are disabled.')
  await dialog(page).getByText('One was left as it is:').waitFor()
  await dialog(page).getByText('Disable this user?').waitFor()
  await button(page, 'Cancel').click()
  expect(await row(admin).getByRole('checkbox').isChecked()).toBe(true)
  expect(await row(bob).getByRole('checkbox').isChecked()).toBe(false)
  for (const person of [alice, bob])
    ok(await admin.call('admin.users.changeStatus', { params: { userId: person.id }, body: { status: 'ACTIVE' } }))
})

test('an administrator founds an organization, adds a member, changes the role, transfers and dissolves it', async () => {
  const page = await browser.signedIn(admin, { isPhone: true, locale: 'zh-CN' })
  await page.goto('/console/admin/orgs/create')
  await heading(page, '新建组织')
  await page.getByLabel('名称').fill('城市图书馆')
  await pick(page, /所有者/, carol.username)
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'library.png', mimeType: 'image/png', buffer: Buffer.from(png()) })
  await button(page, '更换图片').waitFor()
  await button(page, '保存').click()
  await heading(page, '城市图书馆')
  await page.getByRole('tab', { name: '成员' }).click()
  await button(page, '添加成员').click()
  await pick(page, /用户/, alice.username)
  await button(page, '添加').click()
  await says(page, '用户已成为成员')
  await page.getByRole('button', { name: /^更改角色/ }).click()
  await dialog(page).getByRole('combobox').click()
  await page.getByRole('option', { name: '管理员' }).click()
  await button(page, '保存').click()
  await says(page, '角色已更改。')

  await button(page, '转让').click()
  await dialog(page).getByRole('combobox').click()
  await page.getByRole('option').first().click()
  await dialog(page).getByRole('button', { name: '转让' }).click()
  await says(page, '组织已有新的所有者。')
  const [org] = ok(await admin.call('admin.orgs.list', { query: { keyword: '城市图书馆' } })).data.items
  expect(org).toMatchObject({ ownerId: alice.id, memberCount: 2, avatarUrl: expect.stringContaining('/') })
  expect(await isTooWide(page)).toBe(false)

  await button(page, '解散组织').click()
  const confirm = dialog(page).getByRole('button', { name: '解散组织' })
  expect(await confirm.isDisabled()).toBe(true)
  await dialog(page).getByRole('textbox').fill('城市图书馆')
  await confirm.click()
  await heading(page, '组织')
  expect(ok(await admin.call('admin.orgs.list', { query: { keyword: '城市图书馆' } })).data.total).toBe(0)
})

test('a role is created with permissions, granted, explained, revoked and deleted', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/access')
  await heading(page, 'Roles and permissions')
  await button(page, 'New role').click()
  await dialog(page).getByLabel('Name').fill('Log reader')
  await dialog(page).getByLabel('Code').fill('log_reader')
  await dialog(page).getByRole('button', { name: 'New role' }).click()
  await heading(page, 'Log reader')
  await page.getByLabel('Search permissions').fill('operation log')
  await page.getByRole('checkbox', { name: 'All: Operation log' }).check()
  await button(page, 'Save').click()
  await says(page, 'The role is saved and works at once.')

  await page.goto(`/console/admin/users/${dora.id}/show?tab=roles`)
  await button(page, 'Grant a role').click()
  await dialog(page).getByRole('combobox').click()
  await page.getByRole('option', { name: 'Log reader (Administration)' }).click()
  await dialog(page).getByRole('button', { name: 'Grant a role' }).click()
  await says(page, 'The role is granted and works at once.')
  expect((await dora.call('operationLog.list', {})).status).toBe(200)

  await page.goto('/console/admin/access?tab=explain')
  await pick(page, 'User', dora.username)
  await pick(page, 'Permission', 'Operation log: View')
  await says(page, 'Yes, the user may do this.')
  await says(page, 'Log reader: grants it')

  await page.goto(`/console/admin/users/${dora.id}/show?tab=roles`)
  await button(page, 'Revoke Log reader').click()
  await dialog(page).getByRole('button', { name: 'Revoke' }).click()
  await says(page, 'The role is revoked.')
  expect((await dora.call('operationLog.list', {})).status).toBe(403)
  await page.goto('/console/admin/access')
  await page.getByRole('link', { name: 'Log reader' }).click()
  await button(page, 'Delete role').click()
  await dialog(page).getByRole('button', { name: 'Delete role' }).click()
  await heading(page, 'Roles and permissions')
  // The role that always has every permission says why it cannot be changed.
  await page.getByRole('link', { name: 'System administrator' }).click()
  await says(page, 'Has every permission of its area')
  expect(await page.getByRole('checkbox', { name: 'All: Users' }).isDisabled()).toBe(true)
})

test('permission points are described and found in Chinese', async () => {
  const page = await browser.signedIn(admin, { locale: 'zh-CN' })
  await page.goto('/console/admin/access?tab=points')
  await page.getByLabel('搜索权限点').fill('清空回收站')
  await says(page, '个人内容 · 删除二维码和清空回收站')
  expect(await page.getByRole('list', { name: '权限点' }).getByRole('listitem').count()).toBe(2)
})

test('sessions are ended and links are proposed and deleted after a question', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/sessions')
  await page.getByRole('row').filter({ hasText: carol.username }).getByRole('checkbox').check()
  await button(page, 'End sessions').click()
  await dialog(page).getByRole('button', { name: 'End sessions' }).click()
  await says(page, 'The session is ended.')
  expect((await carol.call('profile.get', {})).status).toBe(401)

  await page.goto('/console/admin/links')
  await says(page, 'No accounts are linked')
  await button(page, 'Propose a link').click()
  await pick(page, /Who may switch/, alice.username)
  await pick(page, /To this account/, bob.username)
  await dialog(page).getByRole('button', { name: 'Propose a link' }).click()
  await says(page, 'Waits for consent')
  await page.getByRole('row').nth(1).getByRole('checkbox').check()
  await button(page, 'Delete links').click()
  await dialog(page).getByRole('button', { name: 'Delete links' }).click()
  await says(page, 'No accounts are linked')
})

test('pages hide the tabs and buttons that a role does not allow', async () => {
  const { id } = ok(
    await admin.call('access.createRole', {
      body: { code: 'READER', name: 'Reader', domain: 'PLATFORM', permissions: ['user:read'] },
    }),
  ).data
  ok(await admin.call('access.grantRole', { params: { userId: dora.id }, body: { roleId: id } }))
  const page = await browser.signedIn(dora)
  await page.goto(`/console/admin/users/${alice.id}/show`)
  await page.getByRole('tab', { name: 'Profile' }).waitFor()
  expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Profile', 'Organizations'])
  expect(await button(page, 'Disable').count()).toBe(0)
  expect(await button(page, 'Edit profile').count()).toBe(0)
  await page.goto('/console/admin/users')
  await page.getByRole('link', { name: alice.username }).waitFor()
  expect(await page.getByRole('link', { name: 'New user' }).count()).toBe(0)
  ok(await admin.call('access.deleteRole', { params: { id } }))
})
