/** Getting people in and back: slips, invitations by mail, reset codes and initial passwords in the web application. */

import { afterAll, beforeAll, expect, test } from 'bun:test'

import { newEmail } from '../accounts/helpers.ts'
import { ok, startGateways, until, useServer } from '../harness/index.ts'
import { createOrg, type Org } from '../orgs/helpers.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const gateways = await startGateways()
const { server, admin, alice } = useServer({ people: ['alice'], config: gateways.config })
const browser = useBrowser(server)
afterAll(() => gateways.stop())
let org: Org

const OWN = 'a password of their own'
const setting = async (key: string, value: boolean) =>
  ok(await admin.call('admin.settings.update', { body: { values: { [key]: value } } }))
beforeAll(async () => {
  org = await createOrg(admin, { name: 'Green Lake School' })
  await setting('security.adminResetCodes', true)
})

test('an administrator imports a class list, and a pupil starts with the code of a slip', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/users')
  await page.getByRole('link', { name: 'Import' }).click()
  await page.locator('input[type=file]').setInputFiles({
    name: 'klasse.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Kennung;Name\nanna.b;Änne Berg\nwang.w;王伟\n'),
  })
  await page.getByText('choose which of its columns is the username').waitFor()
  await page.getByRole('combobox', { name: 'Kennung' }).click()
  await page.getByRole('option', { name: 'Username' }).click()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByRole('button', { name: 'Import 2 rows' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'user-import')
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByRole('heading', { name: 'The import is finished' }).waitFor()
  const slips = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Slips to cut out (PDF)' }).click()
  expect((await slips).suggestedFilename()).toBe('start-codes.pdf')
  const href = await page.getByRole('link', { name: 'Table (Excel)' }).getAttribute('href')
  expect((await fetch(server.url + href!)).status).toBe(200)
  await screenshot(page, 'user-import-done')

  // Another code, as the first one is in a file that the test does not read.
  const userId = ok(await admin.call('admin.users.list', { query: { keyword: 'wang.w' } })).data.items[0]!.id
  const { code } = ok(await admin.call('admin.users.resetCode', { params: { userId }, body: {} })).data
  const pupil = await browser.page({ isPhone: true, locale: 'zh-CN' })
  await pupil.goto('/console/login')
  await pupil.getByRole('link', { name: '我有初始码' }).click()
  await pupil.getByLabel('用户名或邮箱').fill('wang.w')
  await pupil.getByLabel('代码').fill(code.toLowerCase())
  await pupil.getByLabel('新密码').fill(OWN)
  expect(await barriers(pupil)).toEqual([])
  expect(await isTooWide(pupil)).toBe(false)
  await screenshot(pupil, 'start-code-zh')
  await pupil.getByRole('button', { name: '设置密码' }).click()
  await pupil.getByText('密码已设置').waitFor()
  ok(await server.request('POST', '/api/auth/login', { body: { account: 'wang.w', password: OWN } }))
})

test('a slip opens the page with name and code, and a wrong one is explained', async () => {
  browser.allow(/status of 400/)
  const page = await browser.page()
  await page.goto('/console/start#account=anna.b&code=AAAA-AAAA-AAAA-AAAA')
  expect(await page.getByLabel('Username or e-mail').inputValue()).toBe('anna.b')
  await page.getByLabel('New password').fill(OWN)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('alert').filter({ hasText: 'The code is wrong or has expired' }).waitFor()
})

test('an owner without a confirmed address learns it before writing invitations', async () => {
  const own = await createOrg(alice)
  const page = await browser.signedIn(alice)
  await page.goto(`/console/orgs/${own.id}?tab=joining`)
  await page.getByRole('button', { name: 'Invite by mail' }).click()
  await page.getByText('First confirm an e-mail address of yours').waitFor()
  await page.getByLabel('E-mail addresses').fill(newEmail())
  expect(await page.getByRole('button', { name: 'Send invitations' }).isDisabled()).toBe(true)
})

test('somebody without an account sees who invites them, registers and is a member', async () => {
  const page = await browser.signedIn(admin)
  const email = newEmail()
  await page.goto(`/console/orgs/${org.id}?tab=joining`)
  await page.getByRole('button', { name: 'Invite by mail' }).click()
  await page.getByLabel('E-mail addresses').fill(`${email}\n${email}`)
  await page.getByLabel('Message').fill('See you on Monday.')
  await page.getByRole('button', { name: 'Send invitations' }).click()
  await page.getByText('The mail is on its way.').waitFor()
  await screenshot(page, 'invite-mails')
  await until(() => gateways.mails.some(({ to }) => to === email), 'the invitation arrived')
  const link = /(\/console\/invited#\S+)/.exec(gateways.mails.find(({ to }) => to === email)!.text)![1]!

  const stranger = await browser.page({ isPhone: true })
  await stranger.goto(link)
  await stranger.getByText('invites you to Green Lake School').waitFor()
  await stranger.getByRole('link', { name: 'Create an account' }).click()
  await stranger.getByText('invites you to Green Lake School').waitFor()
  await stranger.getByLabel('Username or e-mail').fill('invited.one')
  await stranger.getByLabel('Password').fill(OWN)
  expect(await barriers(stranger)).toEqual([])
  expect(await isTooWide(stranger)).toBe(false)
  await screenshot(stranger, 'invited-register')
  await stranger.getByRole('button', { name: 'Create account' }).click()
  await until(
    async () => ok(await admin.call('orgs.members', { params: { orgId: org.id } })).data.items.length === 2,
    'the new user is a member',
  )
})

test('a user who is signed in accepts the invitation of a link', async () => {
  const email = newEmail()
  ok(await admin.call('orgs.inviteByMail', { params: { id: org.id }, body: { emails: [email] } }))
  await until(() => gateways.mails.some(({ to }) => to === email), 'the invitation arrived')
  const link = /(\/console\/invited#\S+)/.exec(gateways.mails.find(({ to }) => to === email)!.text)![1]!
  const page = await browser.signedIn(alice, { locale: 'zh-CN' })
  await page.goto(link)
  await page.getByRole('heading', { name: /邀请你加入 Green Lake School/ }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: '接受' }).click()
  await page.getByText('你已成为成员。').waitFor()
})

test('a reset code is made with a plain sentence, and its user withdraws it from the notification', async () => {
  const page = await browser.signedIn(admin)
  await page.goto(`/console/admin/users/${admin.id}/show`)
  await page.getByText('You cannot make a reset code for yourself.').waitFor()
  await page.goto(`/console/admin/users/${alice.id}/show`)
  await page.getByRole('button', { name: 'Make a reset code' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make a reset code' }).click()
  await page.getByRole('dialog').locator('output').waitFor()
  expect(await page.getByRole('dialog').locator('output').innerText()).toMatch(/^(\S{4}-){3}\S{4}$/)
  await screenshot(page, 'reset-code')

  const mine = await browser.signedIn(alice)
  await mine.goto('/console/notifications')
  await mine.getByText('A reset code was made for your account').first().click()
  await mine.goto('/console/account/security?resetCode')
  await mine.getByRole('button', { name: 'I did not ask for this' }).click()
  await mine.getByRole('dialog').getByRole('button', { name: 'I did not ask for this' }).click()
  await mine.getByText('The code no longer works.').waitFor()
  const told = ok(await admin.call('notifications.list')).data.items
  expect(told.some(({ data }) => data['event'] === 'RESET_CODE_WITHDRAWN')).toBe(true)
})

test('a user with an initial password gets only the page that changes it, also after a reload', async () => {
  await setting('password.changeInitial', true)
  try {
    browser.allow(/status of 403/)
    ok(await admin.post('/api/admin/users', { username: 'first.day', password: 'handed over on paper' }))
    const page = await browser.page({ isPhone: true })
    await page.goto('/console/login')
    await page.getByLabel('Username, e-mail or phone').fill('first.day')
    await page.getByLabel('Password').last().fill('handed over on paper')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await screenshot(page, 'initial-password')
    await page.getByLabel('Password that you were given').fill('handed over on paper')
    await page.getByLabel('New password').fill(OWN)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('Username, e-mail or phone').waitFor()
    await page.getByLabel('Username, e-mail or phone').fill('first.day')
    await page.getByLabel('Password').last().fill(OWN)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Profile' }).waitFor()
  } finally {
    await setting('password.changeInitial', false)
  }
})
