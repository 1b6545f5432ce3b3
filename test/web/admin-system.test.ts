/** Overview, settings, operation log, backups, server log and nickname words in the web application. */

import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { createRole, grant } from '../access/helpers.ts'
import { png } from '../files/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { buildLicenses } from '../harness/licenses.ts'
import { startMailSink } from '../harness/mail-sink.ts'
import { createOrg } from '../orgs/helpers.ts'
import { barriers, isTooWide, screenshot, until, useBrowser } from './browser.ts'

const { server, admin } = useServer()
const browser = useBrowser(server)

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

test('settings are saved together or not at all, and can be reset', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/settings')
  await page.getByRole('heading', { level: 2 }).first().waitFor()
  const { items } = ok(await admin.call('admin.settings.list', {})).data
  const groups = new Set(items.map(({ group }) => group))
  expect((await page.getByRole('heading', { level: 2 }).allInnerTexts()).filter((name) => groups.has(name))).toEqual([])
  for (const { label, choices } of items)
    if (choices) expect(choices).not.toContain(await page.getByRole('combobox', { name: label }).innerText())
  await page.getByLabel('Search settings').fill('quota')
  await page.getByLabel('Files', { exact: true }).fill('-1')
  await page.getByLabel('Assets', { exact: true }).fill('7')
  await says(page, '2 changes are not saved')
  browser.allow(/status of 400/)
  await button(page, 'Save').click()
  await says(page, 'Nothing was saved')
  const valueOf = async (key: string) =>
    ok(await admin.call('admin.settings.list', {})).data.items.find((one) => one.key === key)?.value
  expect(await valueOf('quota.assets')).toBe(100_000)
  const refused = page.getByLabel('Files', { exact: true })
  expect(await refused.getAttribute('aria-invalid')).toBe('true')
  const message = page.locator(`[id="${(await refused.getAttribute('aria-describedby'))!.split(' ').at(-1)!}"]`)
  expect(await message.innerText()).toMatch(/must be/)
  expect(await page.getByLabel('Assets', { exact: true }).getAttribute('aria-invalid')).toBe('false')
  await page.getByLabel('Files', { exact: true }).fill('9')
  await button(page, 'Save').click()
  await says(page, 'The settings are saved.')
  expect(await valueOf('quota.assets')).toBe(7)
  expect(await page.getByLabel('Storage', { exact: true }).inputValue()).toBe('1024')
  await page.getByLabel('Storage', { exact: true }).fill('1.5')
  await page.getByLabel('Search settings').fill('backup')
  await page.getByLabel('Backups by schedule').click()
  await page.getByRole('option', { name: 'Every Sunday' }).click()
  await page.locator('code', { hasText: 'Asia/Shanghai' }).waitFor()
  await button(page, 'Save').click()
  await says(page, 'Default: Never')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.getByLabel('Search settings').fill('')
  await page.getByText(/not saved/).waitFor({ state: 'detached' })
  expect([await valueOf('quota.storage'), await valueOf('backup.schedule')]).toEqual([1.5 * 1024 * 1024, 'WEEKLY'])
  ok(
    await admin.call('admin.settings.update', { body: { values: { 'quota.storage': null, 'backup.schedule': null } } }),
  )
  expect(await page.getByText('app.force_update').count()).toBe(0)
  await page.getByRole('link', { name: 'App versions' }).last().waitFor()
  await button(page, 'Reset to the default: Assets').click()
  await button(page, 'Save').click()
  await page.getByText(/not saved/).waitFor({ state: 'detached' })
  await page.goto('/console/admin/operation-log')
  await page
    .getByRole('row', { name: /^Settings changed/ })
    .first()
    .getByRole('link')
    .first()
    .click()
  await dialog(page)
    .getByText(/^Assets: 7 → 100,000$/)
    .waitFor()
  await dialog(page).getByText('Hash of the row before').waitFor()
})

test('the operation log names the recipients of a notification, and the organization', async () => {
  const [lin, ben] = [await server.person(), await server.person()]
  ok(await lin.call('profile.update', { body: { nickname: 'Lin Mei' } }))
  ok(await ben.call('profile.update', { body: { nickname: 'Ben' } }))
  const send = async (audience: object) =>
    ok(await admin.post('/api/notifications', { title: 'Closed on Monday', body: 'Until noon', ...audience }))
  await send({ userIds: [lin.id, ben.id] })
  await send({ orgId: (await createOrg(lin, { name: 'Willow Library' })).id })
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/operation-log')
  const sent = page.getByRole('row', { name: /^Notification sent/ })
  await sent.nth(0).getByText('Willow Library').waitFor()
  for (const name of ['Lin Mei', 'Ben']) await sent.nth(1).getByRole('link', { name }).waitFor()
  const texts = (await sent.allInnerTexts()).slice(0, 2)
  expect(texts[0]).toMatch(/Organization:\s+Willow Library/)
  expect(texts.join().match(/Recipients/g)).toHaveLength(1)
  await screenshot(page, 'operation-log')
})

test('settings that protect the server are shown read-only to administrators who are not SYSTEM_ADMIN, with the reason', async () => {
  const operator = await server.person()
  ok(await grant(admin, operator, await createRole(admin, { permissions: ['setting:read', 'setting:update'] })))
  const page = await browser.signedIn(operator)
  await page.goto('/console/admin/settings')
  expect(await page.getByLabel('Assets', { exact: true }).isEnabled()).toBe(true)
  for (const label of ['Common passwords', 'Two-factor sign-in', 'Backups to keep', 'Retention of the operation log'])
    expect(await page.getByLabel(label, { exact: true }).isDisabled(), label).toBe(true)
  expect(await page.getByText('Only system administrators can change this').count()).toBe(17)
  const chief = await browser.signedIn(admin)
  await chief.goto('/console/admin/settings')
  expect(await chief.getByLabel('Common passwords', { exact: true }).isEnabled()).toBe(true)
  expect(await chief.getByText('Only system administrators can change this').count()).toBe(0)
  // This administrator has no second factor.
  browser.allow(/status of 400/)
  await chief.getByLabel('Two-factor sign-in', { exact: true }).check()
  await button(chief, 'Save').click()
  await says(chief, 'Two-factor sign-in: needs two-factor sign-in for your own account: switch it on first')
})

test('an administrator makes, verifies and deletes a backup', async () => {
  const page = await browser.signedIn(admin, { isPhone: true, locale: 'zh-CN' })
  await page.goto('/console/admin/backups')
  await says(page, '还没有备份')
  await button(page, '创建备份').click()
  await page.getByRole('button', { name: /^校验 / }).click()
  await dialog(page).getByRole('button', { name: '校验' }).click()
  await page.getByText('已校验', { exact: true }).waitFor()
  await page.getByRole('button', { name: /^删除 / }).click()
  await dialog(page).getByRole('button', { name: '删除' }).click()
  await says(page, '还没有备份')
})

test('the overview begins with backup, failed sign-ins and storage, unfolds the growth, and leads to the licences', async () => {
  await buildLicenses()
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin')
  // The figures that people ask for each day come first. Growth is folded.
  const tiles = page.locator('#main-content a').filter({ hasText: /Newest good backup|Failed sign-ins|Storage|Users/ })
  await tiles.nth(3).waitFor()
  const texts = await tiles.allInnerTexts()
  expect(texts.map((text) => text.split('\n')[0])).toEqual([
    'Newest good backup',
    'Failed sign-ins',
    'Storage',
    'Users',
  ])
  expect(await page.getByRole('heading', { name: 'New codes and scans' }).count()).toBe(0)
  await button(page, 'Growth').click()
  await page.getByRole('table', { name: 'New codes and scans' }).waitFor()
  await page.getByRole('link', { name: 'Licences', exact: true }).click()
  await page.getByRole('heading', { name: 'Licences', exact: true }).waitFor()
  const react = page.locator('details', { hasText: /react-dom \d/ })
  await react.locator('summary').click()
  await react.getByText('Permission is hereby granted').waitFor()
  expect(await isTooWide(page)).toBe(false)
  expect(await barriers(page)).toEqual([])
})

test('a nickname word is added, changed and deleted', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/words')
  await button(page, 'Add a word').click()
  await dialog(page).getByLabel('Word').fill('Zesty')
  await button(page, 'Add').click()
  await button(page, 'Zesty').click()
  await dialog(page).getByLabel('Word').fill('Zestful')
  await button(page, 'Save').click()
  await button(page, 'Zestful').click()
  await button(page, 'Delete').click()
  await page.getByRole('dialog').last().getByRole('button', { name: 'Delete' }).click()
  await says(page, 'The word is deleted.')
})

test('the server log shows the lines of all processes, or of one', async () => {
  const page = await browser.signedIn(admin)
  const { processes } = ok(await admin.call('serverLog.list', { query: { level: 'debug', since: 0, limit: 200 } })).data
  await page.goto('/console/admin/server-log')
  const choice = page.getByRole('combobox', { name: 'Process' })
  if (processes.length === 1) {
    await says(page, /The newest lines of process \d+ on/)
    expect(await choice.count()).toBe(0)
    return
  }
  await says(page, `The newest lines of the ${processes.length} processes of this server.`)
  const { id, host } = processes[1]!
  await choice.click()
  await page.getByRole('option', { name: `${id} · ${host}` }).click()
  await says(page, `The newest lines of process ${id} on ${host}.`)
  await screenshot(page, 'server-log-process')
  expect(await isTooWide(page)).toBe(false)
})

test('the page of the server shows its processes, database, files, background work and limits', async () => {
  for (const [locale, headings] of [
    ['en', ['Processes', 'Database', 'Files', 'Background work', 'Limits of each process']],
    ['zh-CN', ['进程', '数据库', '文件', '后台任务', '每个进程的限制']],
  ] as const)
    for (const isPhone of [false, true]) {
      const page = await browser.signedIn(admin, { locale, isPhone })
      await page.goto('/console/admin/server')
      for (const name of headings) await page.getByRole('heading', { name, exact: true }).waitFor()
      await says(page, /^(SQLite|PostgreSQL) \d+\./)
      await page.getByText('qrCodes.purgeTrash', { exact: true }).waitFor()
      expect(await isTooWide(page)).toBe(false)
      expect(await barriers(page)).toEqual([])
      await screenshot(page, `server-${locale}-${isPhone ? 'phone' : 'desktop'}`)
    }
})

test('the logo is chosen, shown on both grounds and in the application, and removed', async () => {
  const page = await browser.signedIn(admin)
  const choose = async (label: string, buffer: Uint8Array) => {
    const chooser = page.waitForEvent('filechooser')
    await button(page, label).click()
    await (await chooser).setFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(buffer) })
  }
  const isLoaded = (selector: string, count: number) =>
    until(
      page,
      `[...document.querySelectorAll('${selector}')].filter((image) => image.naturalWidth > 0).length === ${count}`,
    )
  await page.goto('/console/admin/site')
  await page.getByLabel('Name', { exact: true }).fill('Typed before')
  browser.allow(/status of 4(?:00|15)/)
  await choose('Choose logo', png(64))
  await says(page, /at least 128 pixels on both sides/)
  await choose('Choose logo', new TextEncoder().encode('<svg/>'))
  await says(page, /SVG files may contain scripts/)
  await choose('Choose logo', png(300))
  await says(page, 'The logo is changed.')
  await isLoaded('figure img', 3)
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed before')
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'logo')
  await page.goto('/console/admin/site')
  await isLoaded('header img[src^="/icons/"]', 1)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await isTooWide(page)).toBe(false)
  await screenshot(page, 'logo-phone')
  await button(page, 'Remove logo').click()
  await dialog(page).getByRole('button', { name: 'Remove logo' }).click()
  await says(page, 'The logo is removed.')
  await button(page, 'Choose logo').waitFor()
  expect(ok(await server.call('server.get')).data.logoUrl).toBeNull()
})

test('the overview and the page of the server name what needs a restart, what would refuse it, and what is ignored', async () => {
  const page = await browser.signedIn(admin, { isPhone: true })
  const restart = { needed: true, fields: ['smtpUrl', 'port'], problems: ['port is wrong.'] }
  await page.route('**/api/admin/server', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { data: object }
    await route.fulfill({ response, json: { ...body, data: { ...body.data, restart, ignored: ['server.mail'] } } })
  })
  for (const path of ['/console/admin', '/console/admin/server']) {
    await page.goto(path)
    await says(page, 'A restart is needed for: smtp_url, port.')
    await says(page, 'The configuration was changed, and the next start would be refused. port is wrong.')
    await says(page, 'Stored values that are not valid are ignored. Set them again: server.mail.')
    expect(await isTooWide(page)).toBe(false)
  }
})

test('a newer version is shown with a link to its notes, and the setting says why it is locked', async () => {
  const page = await browser.signedIn(admin, { isPhone: true })
  await page.goto('/console/admin/settings?keyword=update.check')
  await says(page, /^Cannot be switched on: it needs /)
  expect(await page.getByLabel('Look for newer versions', { exact: true }).isDisabled()).toBe(true)
  await page.goto('/console/admin/server')
  await says(page, /^The server cannot look for newer versions: that needs /)
  await page.route('**/api/admin/server', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { data: object }
    const available = {
      version: '1.4.0',
      date: '2027-03-01',
      notesUrl: 'https://example.org/notes',
      sha256sumsUrl: 'https://example.org/SHA256SUMS',
    }
    const update = { locked: null, enabled: true, checkedAt: 1_800_000_000_000, problem: 'NOT_SIGNED', available }
    await route.fulfill({ response, json: { ...body, data: { ...body.data, update } } })
  })
  await page.goto('/console/admin')
  await says(page, /^Version 1\.4\.0 of .*2027 is there\./)
  const link = page.getByRole('link', { name: 'Release notes' })
  expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
    'https://example.org/notes',
    'noreferrer',
  ])
  await page.goto('/console/admin/server')
  await says(page, /had no result: the answer has no valid signature\./)
  await button(page, 'Look now').waitFor()
  expect(await isTooWide(page)).toBe(false)
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'newer-version')
})

test('the name is shown in the application, and the mail server is tried before it is saved', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/site')
  await page.getByLabel('Name', { exact: true }).fill('Willow Street')
  await page.getByLabel('Colour on light ground').fill('#ffff00')
  await page.getByLabel('Website').fill('willow.example')
  browser.allow(/status of 400/)
  await button(page, 'Save').first().click()
  await says(page, /must be an address that begins with/)
  await page.getByLabel('Website').fill('https://willow.example')
  await button(page, 'Save').first().click()
  await says(page, 'The name and look are changed.')
  await says(page, /^Shown as #/)
  expect(await barriers(page)).toEqual([])

  const { port, mails, stop } = await startMailSink({ clear: true })
  await page.getByLabel('Mails', { exact: true }).click()
  await page.getByRole('option', { name: 'Are sent by a mail server' }).click()
  await page.getByLabel('Sender').fill('Desk <desk@gmail.com>')
  await page.getByLabel('Sender').blur()
  expect(await page.getByLabel('Host').inputValue()).toBe('smtp.gmail.com')
  expect(await page.getByLabel('User', { exact: true }).inputValue()).toBe('desk@gmail.com')
  await page.getByLabel('Host').fill('127.0.0.1')
  await page.getByLabel('Port').fill(String(port))
  await page.getByLabel('Encryption').click()
  await page.getByRole('option', { name: /^None/ }).click()
  await page.getByLabel('User', { exact: true }).fill('')
  await page.getByLabel('Test mail to').fill('mei@example.org')
  await button(page, 'Send a test mail').click()
  await says(page, /The mail server took the mail/)
  expect(mails[0]!.subject).toBe('Test mail from Willow Street')
  await stop()
  await button(page, 'Send a test mail').click()
  await says(page, /No mail server answers there/)
  // The name has the same version, so the form of the mail server sends its values again.
  browser.allow(/status of 412/)
  await button(page, 'Save').last().click()
  await says(page, 'The mail server is changed.')
  await screenshot(page, 'site')

  await page.goto('/console/admin/site')
  await page.getByRole('banner').getByText('Willow Street').waitFor()
  await until(page, "document.title === 'Name and mail · Willow Street'")
  expect(await page.getByLabel('Host').inputValue()).toBe('127.0.0.1')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await isTooWide(page)).toBe(false)
  await screenshot(page, 'site-phone')
  ok(await admin.call('server.identity.update', { body: {} }))
  ok(await admin.call('server.mail.update', { body: { kind: 'NONE' } }))
})
