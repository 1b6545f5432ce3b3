/** The setup of a new server in the browser, from the setup link to the summary. */

import { describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Locator, Page } from 'playwright-core'

import { findRole, grant } from '../access/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, until, useBrowser } from './browser.ts'
import { useNewServer } from './new-server.ts'

const PASSWORD = 'three green tiles'

const WORDS = {
  en: {
    submit: 'Create administrator',
    username: 'Username',
    password: 'Password',
    again: 'Password again',
    next: 'Continue',
    keep: 'Keep as it is',
    skip: 'Skip',
    org: 'Name of the organization',
    done: 'The setup is done',
    step: (nth: number, name: string) => `Step ${nth} of 8: ${name}`,
    names: ['Language', 'Name', 'Address', 'Mail', 'Registration', 'Backups', 'Organization', 'Members'],
    without: 'Without a mail server',
  },
  zh: {
    submit: '创建管理员',
    username: '用户名',
    password: '密码',
    again: '再次输入密码',
    next: '继续',
    keep: '保持不变',
    skip: '跳过',
    org: '组织名称',
    done: '设置已完成',
    step: (nth: number, name: string) => `第 ${nth} 步，共 8 步：${name}`,
    names: ['语言', '名称', '访问地址', '邮件', '注册', '备份', '组织', '成员'],
    without: '未设置邮件服务器时',
  },
} as const
type Words = (typeof WORDS)['en' | 'zh']

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function look(page: Page, name: string) {
  expect({ name, barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    name,
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, `setup-${name}`)
}

/** Counts the clicks and typed fields of a person. */
function counted() {
  const effort = { clicks: 0, fields: 0 }
  return {
    effort,
    async click(target: Locator) {
      effort.clicks++
      await target.click()
    },
    async type(field: Locator, text: string) {
      effort.fields++
      await field.fill(text)
    },
  }
}

async function signUp(page: Page, path: string, words: Words, { click, type }: ReturnType<typeof counted>) {
  await page.goto(path)
  await type(page.getByLabel(words.username), 'karin')
  await type(page.getByLabel(words.password, { exact: true }), PASSWORD)
  await type(page.getByLabel(words.again), PASSWORD)
  await click(button(page, words.submit))
}

describe.each([
  ['en', false],
  ['zh', true],
] as const)('a new server, in %s', (locale, isPhone) => {
  const words = WORDS[locale]
  const server = useNewServer()
  const browser = useBrowser(server)

  test('is set up with every default by at most 12 clicks and 4 typed fields, and each step says where one is', async () => {
    const page = await browser.page({ isPhone, locale: locale === 'zh' ? 'zh-CN' : 'en' })
    const person = counted()
    const { click, type, effort } = person
    await signUp(page, server.setupPath, words, person)
    for (const [at, name] of words.names.entries()) {
      const heading = title(page, words.step(at + 1, name))
      await heading.waitFor()
      // Screen readers say the step. The first page of a visit leaves the focus where the browser has it.
      if (at > 0) await until(page, "document.activeElement?.tagName === 'H1'")
      await look(page, `${locale}-${at + 1}`)
      if (at === 3) await page.getByText(words.without).waitFor()
      if (at === 6) await type(page.getByLabel(words.org), 'Garden club')
      if (at === 7) await page.getByRole('img', { name: /Garden club/ }).waitFor()
      await click(button(page, at === 2 ? words.keep : words.next))
    }
    await title(page, words.done).waitFor()
    await page.getByText(words.without).waitFor()
    await look(page, `${locale}-summary`)
    expect(effort.clicks).toBeLessThanOrEqual(12)
    expect(effort.fields).toBeLessThanOrEqual(4)
    expect(effort).toEqual({ clicks: 9, fields: 4 })
  })
})

describe('a new server, in Firefox', () => {
  const server = useNewServer()
  const browser = useBrowser(server, { isFirefox: true })

  test('leads through the setup also if every step is skipped', async () => {
    const words = WORDS.en
    const page = await browser.page()
    await signUp(page, server.setupPath, words, counted())
    for (const [at, name] of words.names.entries()) {
      await title(page, words.step(at + 1, name)).waitFor()
      await button(page, words.skip).click()
    }
    await title(page, words.done).waitFor()
  })
})

describe('system administrators', () => {
  const { server, admin, deputy, auditor } = useServer({ people: ['deputy', 'auditor'] })
  const browser = useBrowser(server)
  const words = WORDS.en
  const steps = async () =>
    Object.fromEntries(ok(await admin.call('server.setup')).data.steps.map(({ key, status }) => [key, status]))
  const reopen = async () => {
    const keys = ok(await admin.call('server.setup')).data.steps.map(({ key }) => key)
    ok(await admin.call('server.setup.update', { body: { steps: keys.map((key) => ({ key, status: 'OPEN' })) } }))
  }

  test('two of them share the steps, and the second goes on where the first stopped', async () => {
    await grant(admin, deputy, await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN'))
    const first = await browser.signedIn(admin)
    await first.goto('/console/admin')
    await first.getByText('Setup: 8 steps left').waitFor()
    await first.getByRole('link', { name: 'Continue' }).click()
    for (const at of [1, 2]) {
      await title(first, words.step(at, words.names[at - 1]!)).waitFor()
      await button(first, words.next).click()
    }
    await title(first, words.step(3, 'Address')).waitFor()
    const second = await browser.signedIn(deputy)
    await second.goto('/console/admin/setup')
    await title(second, words.step(3, 'Address')).waitFor()
    await button(second, words.keep).click()
    await title(second, words.step(4, 'Mail')).waitFor()
    // The first one decides the same step otherwise: the last decision counts, and nothing is refused.
    await button(first, words.skip).click()
    await title(first, words.step(4, 'Mail')).waitFor()
    expect(await steps()).toMatchObject({ language: 'DONE', name: 'DONE', reach: 'SKIPPED', mail: 'OPEN' })
  })

  test('reload and the way back keep the place in every step, and a changed form asks first', async () => {
    await reopen()
    const page = await browser.signedIn(admin)
    await page.goto('/console/admin/setup')
    for (const [at, name] of words.names.entries()) {
      const heading = title(page, words.step(at + 1, name))
      await heading.waitFor()
      await page.reload()
      await heading.waitFor()
      if (at > 0) {
        await page.goBack()
        await title(page, words.step(at, words.names[at - 1]!)).waitFor()
        await page.goForward()
        await heading.waitFor()
        await page.getByRole('link', { name: 'Back', exact: true }).click()
        await title(page, words.step(at, words.names[at - 1]!)).waitFor()
        await page.goBack()
        await heading.waitFor()
      }
      await button(page, words.skip).click()
    }
    await title(page, words.done).waitFor()
    expect(Object.values(await steps())).toEqual(Array.from({ length: 8 }, () => 'SKIPPED'))
    await page.goto('/console/admin/setup?step=name')
    await page.getByLabel('Name', { exact: true }).fill('Willow Street Library')
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
    await button(page, words.next).click()
    await title(page, words.step(3, 'Address')).waitFor()
    expect((await steps())['name']).toBe('DONE')
    expect(ok(await server.call('server.get')).data.name).toBe('Willow Street Library')
    ok(await admin.call('server.identity.update', { body: {} }))
  })

  test('a skipped step is done later in Administration, where the summary leads', async () => {
    const page = await browser.signedIn(admin)
    ok(
      await admin.call('server.setup.update', {
        body: { steps: Object.keys(await steps()).map((key) => ({ key: key as 'mail', status: 'SKIPPED' })) },
      }),
    )
    await page.goto('/console/admin')
    await title(page, 'Overview').waitFor()
    await page.getByText('Newest good backup').waitFor()
    expect(await page.getByText(/steps? left/).count()).toBe(0)
    // Each of them is done where its link leads.
    for (const [step, place] of [
      ['Language', page.locator('[id="label-server.language"]')],
      ['Name', page.getByLabel('Name', { exact: true })],
      ['Address', page.getByLabel('This network', { exact: true })],
      ['Mail', page.getByRole('heading', { name: 'Mail server' })],
      ['Backups', page.locator('[id="label-backup.directory"]')],
      ['Organization', page.getByRole('heading', { name: 'New organization' })],
      ['Members', page.getByRole('heading', { name: 'Organizations' })],
    ] as const) {
      await page.goto('/console/admin/setup')
      await page.getByRole('link', { name: `Open in Administration: ${step}` }).click()
      await place.waitFor()
    }
    await page.goto('/console/admin/setup')
    await title(page, words.done).waitFor()
    await page.getByRole('link', { name: 'Open in Administration: Registration' }).click()
    await page.getByLabel('Registration', { exact: true }).click()
    await button(page, 'Save').click()
    await page.getByText('The settings are saved.').waitFor()
    expect(ok(await server.call('server.get')).data.registration).toBe('INVITATION')
    ok(await admin.call('admin.settings.update', { body: { values: { 'registration.enabled': null } } }))
  })

  test('the folder of backups is refused with the reason at its field, and a warning is to be read before the next step', async () => {
    const page = await browser.signedIn(admin)
    browser.allow(/status of 400/)
    await page.goto('/console/admin/setup?step=backup')
    const field = page.getByLabel('Folder of backups')
    await field.fill(join(server.dataDir, 'backups'))
    await button(page, words.next).click()
    await page.getByText(/is in a folder of the server’s own data|is not an existing folder/).waitFor()
    const path = `${server.dataDir}-copies`
    mkdirSync(path)
    await field.fill(path)
    await button(page, words.next).click()
    await page.getByText('This folder is on the disk of the data').waitFor()
    await title(page, words.step(6, 'Backups')).waitFor()
    await button(page, words.next).click()
    await title(page, words.step(7, 'Organization')).waitFor()
    const { folder } = ok(await admin.call('backups.list')).data
    expect(folder.path).toBe(path)
    await page.goto('/console/admin/backups')
    await page.getByText(path).waitFor()
    ok(await admin.call('admin.settings.update', { body: { values: { 'backup.directory': null } } }))
  })

  test('the language of the administrator and of the server is chosen together', async () => {
    const page = await browser.signedIn(admin)
    await page.goto('/console/admin/setup?step=language')
    await page.getByLabel('Language').click()
    await page.getByRole('option', { name: '中文' }).click()
    await button(page, words.next).click()
    await title(page, WORDS.zh.step(2, '名称')).waitFor()
    const { items } = ok(await admin.call('admin.settings.list')).data
    expect(items.find(({ key }) => key === 'server.language')?.value).toBe('zh')
    // A visitor whose browser has neither language.
    const stranger = await browser.page({ locale: 'fr' })
    await stranger.goto('/console/login')
    await button(stranger, '登录').waitFor()
    ok(await admin.call('admin.settings.update', { body: { values: { 'server.language': null } } }))
  })

  test('other administrators see neither the notice nor the steps', async () => {
    await reopen()
    await grant(admin, auditor, await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN'))
    const page = await browser.signedIn(auditor)
    await page.goto('/console/admin')
    await title(page, 'Overview').waitFor()
    await page.goto('/console/admin/setup')
    await title(page, 'No access').waitFor()
    expect(await button(page, words.next).count()).toBe(0)
  })
})

describe('a server with start values', () => {
  const server = useNewServer({
    TESSERA_SMTP_URL: 'smtp://127.0.0.1:2525',
    TESSERA_MAIL_FROM: 'desk@example.org',
    TESSERA_PUBLIC_URL: 'http://localhost:8080',
    TESSERA_BACKUP_DIR: join(process.env['TMPDIR'] ?? '/tmp', 'tessera-setup-backups'),
  })
  const browser = useBrowser(server)
  const words = WORDS.en

  test('names them in the steps that they decide, and goes on from there', async () => {
    const page = await browser.page()
    await signUp(page, server.setupPath, words, counted())
    await title(page, words.step(1, 'Language')).waitFor()
    await page.goto('/console/admin/setup?step=reach')
    await page.getByText('Set by TESSERA_PUBLIC_URL at the start of the server').waitFor()
    expect(await button(page, words.skip).count()).toBe(0)
    await button(page, words.next).click()
    await page.getByText('Set by TESSERA_SMTP_URL at the start of the server').waitFor()
    expect(await page.getByLabel('Host').isDisabled()).toBe(true)
    await button(page, words.next).click()
    await title(page, words.step(5, 'Registration')).waitFor()
    await button(page, words.next).click()
    await page.getByText('Set by TESSERA_BACKUP_DIR at the start of the server').waitFor()
    expect(await page.getByLabel('Folder of backups').isDisabled()).toBe(true)
    await button(page, words.next).click()
    await title(page, words.step(7, 'Organization')).waitFor()
  })
})
