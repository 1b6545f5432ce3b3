/** Owners say in the web application where the short links of their codes lead, and visitors are led there, with scripts or without. */

import { expect, test } from 'bun:test'

import { ok, useServer } from '../harness/index.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { barriers, screenshot, useBrowser } from './browser.ts'

const { server, alice, admin } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

/** The target of a scan, which is not followed. */
async function scan(slug: string, headers: Record<string, string> = {}): Promise<string | number> {
  const reply = await fetch(`${server.url}/q/${slug}`, { redirect: 'manual', headers })
  return reply.headers.get('location') ?? reply.status
}
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1'

test('rules are written, read out, ordered and tried, and lead scans', async () => {
  const code = await createCode(admin, { name: 'Menu', content: 'https://example.org/menu', isDynamic: true })
  const page = await browser.signedIn(admin)
  await page.goto(`/console/codes/${code.id}`)
  await page.getByRole('link', { name: 'Rules, end and password' }).click()
  await page.getByRole('heading', { name: 'Short link of “Menu”' }).waitFor()
  await page.getByText('No rules: every scan leads to the content of the code.').waitFor()

  const add = async (target: string, fill: () => Promise<void>) => {
    await page.getByRole('button', { name: 'Add a rule' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a rule' })
    await dialog.getByLabel('Leads to').fill(target)
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.getByText('Fill in a condition.').waitFor()
    await fill()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await add('https://example.org/zh', async () => {
    await page.getByLabel('Languages').fill('zh')
  })
  await add('https://example.org/iphone', async () => {
    await page.getByRole('dialog').getByRole('combobox', { name: 'Devices' }).click()
    await page.getByRole('option', { name: 'iPhone or iPad' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').getByText('Scans with iPhone or iPad lead to https://example.org/iphone.').waitFor()
  })
  const sentences = () => page.locator('main ol > li').allInnerTexts()
  expect(await sentences()).toEqual([
    'Scans in Chinese lead to https://example.org/zh.',
    'Scans with iPhone or iPad lead to https://example.org/iphone.',
  ])
  await page.getByText('All other scans lead to https://example.org/menu.').waitFor()
  await page.getByRole('button', { name: 'Move rule 2 up' }).click()
  expect((await sentences())[0]).toBe('Scans with iPhone or iPad lead to https://example.org/iphone.')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()

  expect(await scan(code.slug!)).toBe('https://example.org/menu')
  expect(await scan(code.slug!, { 'accept-language': 'zh-CN', 'user-agent': IPHONE })).toBe(
    'https://example.org/iphone',
  )

  await page.getByRole('combobox', { name: 'Device' }).click()
  await page.getByRole('option', { name: 'iPhone or iPad' }).click()
  await page.getByRole('button', { name: 'Try' }).click()
  await page.getByText('Leads to https://example.org/iphone. Rule 1 holds.').waitFor()
  await screenshot(page, 'link-rules')
  await page.getByRole('button', { name: 'Remove rule 1' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'Try' }).click()
  await page.getByText('Leads to https://example.org/menu. No rule holds.').waitFor()
})

test.each([
  {
    locale: 'en',
    sentences: [
      'The first 100 scans on Saturday or Sunday, between 22:00 and 06:00 (Asia/Shanghai), with Android, Windows or any phone, ' +
        'in Chinese or Austrian German lead to https://example.org/night.',
      'The first 5 scans lead to https://example.org/first.',
      'Scans on Monday (Europe/Berlin) lead to https://example.org/monday.',
    ],
  },
  {
    locale: 'zh-CN',
    sentences: [
      '星期六或星期日，22:00 至 06:00（Asia/Shanghai），使用 安卓、Windows或任意手机，语言为 中文或奥地利德语，前 100 次扫码：前往 https://example.org/night。',
      '前 5 次扫码：前往 https://example.org/first。',
      '星期一（Europe/Berlin）：前往 https://example.org/monday。',
    ],
  },
] as const)('all conditions of rules are read out as one sentence in $locale', async ({ locale, sentences }) => {
  const { id } = await createCode(admin, { content: 'https://example.org/menu', isDynamic: true })
  const night = {
    target: 'https://example.org/night',
    weekdays: [6, 7],
    hours: { from: '22:00', to: '06:00' },
    timeZone: 'Asia/Shanghai',
    devices: ['ANDROID', 'WINDOWS', 'MOBILE'] as ('ANDROID' | 'WINDOWS' | 'MOBILE')[],
    languages: ['zh', 'de-AT'],
    firstScans: 100,
  }
  const first = { target: 'https://example.org/first', firstScans: 5 }
  const monday = { target: 'https://example.org/monday', weekdays: [1], timeZone: 'Europe/Berlin' }
  ok(await admin.call('qrCodes.updateLink', { params: { id }, body: { rules: [night, first, monday] } }))
  const page = await browser.signedIn(admin, { locale })
  await page.goto(`/console/codes/${id}/link`)
  await page.locator('main ol > li').first().waitFor()
  expect(await page.locator('main ol > li').allInnerTexts()).toEqual([...sentences])
})

test('an end, a password and a warning are set on a phone, and visitors without scripts meet them', async () => {
  browser.allow(/status of 403|foreign request/)
  const code = await createCode(alice, { name: 'Menu', content: 'https://example.org/menu', isDynamic: true })
  const page = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN' })
  await page.goto(`/console/codes/${code.id}/link`)
  await page.getByLabel('扫码多少次后失效').fill('2')
  await page.getByLabel('需要密码').check()
  await page.locator('[name=password]').fill('tulip-market')
  await page.getByLabel('先显示将前往的网址').check()
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'link-phone')
  await page.getByRole('button', { name: '保存' }).click()
  await page.getByText('已保存。').waitFor()
  await page.getByText('剩余 2 次。').waitFor()

  const context = await page.context().browser()!.newContext({
    javaScriptEnabled: false,
    baseURL: server.url,
    // That of Chromium without a window is the one of a robot.
    userAgent: IPHONE,
  })
  const visitor = await context.newPage()
  await visitor.goto(`/q/${code.slug}?lang=en`)
  await visitor.getByRole('heading', { name: 'This code asks for a password' }).waitFor()
  await visitor.getByLabel('Password').fill('wrong')
  await visitor.getByRole('button', { name: 'Continue' }).click()
  await visitor.getByText('This password is wrong').waitFor()
  await visitor.getByLabel('Password').fill('tulip-market')
  await visitor.getByRole('button', { name: 'Continue' }).click()
  await visitor.getByRole('heading', { name: 'This code leads to example.org' }).waitFor()
  expect(await visitor.getByRole('link', { name: 'Continue' }).getAttribute('href')).toBe('https://example.org/menu')
  ok(await admin.call('admin.qrCodes.block', { params: { qrCodeId: code.id }, body: { blocked: true } }))
  await visitor.goto(`/q/${code.slug}?lang=zh`)
  await visitor.getByRole('heading', { name: '本服务的运营者已封禁此二维码' }).waitFor()
  await visitor.goto(`/public/qr/${code.uuid}?page`)
  await visitor.getByRole('heading', { name: /blocked|封禁/ }).waitFor()
  await context.close()
  await page.reload()
  await page.goto(`/console/codes/${code.id}`)
  await page.getByText('封禁了此码').waitFor()
})
