/** The first hour of somebody who has never used a terminal: from the first page of a new server to a checked-in visitor and a backup. */

import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'

import type { Page } from 'playwright-core'

import { pictureOfPng, readByZxing } from '../lib/qr-pictures.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { useNewServer } from './new-server.ts'

const PASSWORD = 'three green tiles'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 })

/** The value of an input for a moment, in the time zone of the page. */
const local = (page: Page, time: number) =>
  page.evaluate<string>(`new Date(${time} - new Date(${time}).getTimezoneOffset() * 60000).toISOString().slice(0, 16)`)

describe('the first hour', () => {
  const server = useNewServer()
  const browser = useBrowser(server)

  test('leads from the front page of a new server to a code, an activity, a checked-in visitor and a backup', async () => {
    const page = await browser.page()
    await page.goto('/')
    await page.getByRole('link', { name: 'Set up this server' }).click()
    await page.getByText('The server printed the link in the terminal').waitFor()
    await page.goto(server.setupPath)
    await page.getByLabel('Username').fill('karin')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('Password again').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create administrator' }).click()
    await heading(page, 'Step 1 of 8: Language').waitFor()
    await page.goto('/console/')
    await heading(page, 'Hello, karin').waitFor()
    await page.getByText('Codes of this server lead to http').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByText('No codes yet').waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('Web address').fill('https://example.org/spring')
    await page.getByLabel('Name').fill('Spring fair')
    await page.keyboard.press('Enter')
    await heading(page, 'Spring fair').waitFor()

    await page.getByLabel('Publish').click()
    const link = page.getByRole('link', { name: /\/public\// }).first()
    await link.waitFor()
    const downloading = page.waitForEvent('download')
    await button(page, 'Download').click()
    await page.getByRole('menuitem', { name: /PNG 600/ }).click()
    const picture = pictureOfPng(await readFile(await (await downloading).path()))
    expect((await readByZxing(picture))?.text).toBe('https://example.org/spring')

    const stranger = await browser.page({ isPhone: true })
    await stranger.goto(new URL((await link.getAttribute('href'))!, server.url).pathname)
    await heading(stranger, 'Spring fair').waitFor()

    await page.goto('/console/orgs/new')
    await page.getByLabel('Name').fill('Garden club')
    await button(page, 'Create organization').click()
    await heading(page, 'Garden club').waitFor()

    await page.goto('/console/activities/new')
    await page.getByLabel('Name').fill('Spring fair')
    await page.getByLabel('Start *').fill(await local(page, Date.now() - 3_600_000))
    await page.getByLabel('End *').fill(await local(page, Date.now() + 3_600_000))
    await page.getByLabel('Visibility').click()
    await page.getByRole('option', { name: 'Public' }).click()
    await page.getByLabel('Short code').fill('TULIP')
    await button(page, 'Create draft').click()
    await heading(page, 'Spring fair').waitFor()
    await button(page, 'Publish').click()
    await page.getByText('The activity is published.').waitFor()
    const activity = new URL(page.url()).pathname

    // The second person has a phone in Chinese and registers there.
    const visitor = await browser.page({ isPhone: true, isDark: true, locale: 'zh-CN' })
    await visitor.goto('/')
    await visitor.getByRole('link', { name: '登录' }).click()
    await visitor.getByRole('link', { name: /注册/ }).click()
    await visitor.getByLabel('用户名或邮箱').fill('meiling')
    await visitor.getByLabel('密码').first().fill('seven paper boats')
    await visitor.getByLabel('昵称').fill('美玲')
    await button(visitor, '注册').click()
    await heading(visitor, '你好，美玲').waitFor()
    await visitor.goto(activity)
    await visitor.getByLabel('签到口令').fill('tulip')
    await button(visitor, '签到').click()
    await visitor.getByText('签到成功。').waitFor()
    await screenshot(visitor, 'newcomer-checked-in')

    // The administrator disables the account, which signs the phone out at once, and enables it again.
    browser.allow(/status of 401/)
    await page.goto('/console/admin/users')
    await page.getByRole('row').filter({ hasText: '美玲' }).click()
    await heading(page, /美玲/).waitFor()
    await button(page, 'Disable').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByText('The user is disabled and signed out.').waitFor()
    await visitor.getByLabel('用户名、邮箱或手机号').waitFor()
    await button(page, 'Enable').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click()
    await page.getByText('The user can sign in again.').waitFor()

    await page.goto('/console/admin/settings')
    await page.getByLabel('Search settings').fill('organizations that a user may own')
    await page.getByLabel('Organizations', { exact: true }).fill('3')
    await button(page, 'Save').click()
    await page.getByText('The settings are saved.').waitFor()

    await page.goto('/console/admin/backups')
    await button(page, 'Create a backup').click()
    await page.getByText('Not verified').waitFor()
  })
})

describe('the same start in Chinese on a phone', () => {
  const server = useNewServer()
  const browser = useBrowser(server)

  test('leads from the front page to the first code', async () => {
    const page = await browser.page({ isPhone: true, locale: 'zh-CN' })
    const look = async (name: string) => {
      expect({ name, barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
        name,
        barriers: [],
        isTooWide: false,
      })
      await screenshot(page, `newcomer-${name}`)
    }
    await page.goto('/')
    await look('front')
    await page.getByRole('link', { name: '设置此服务器' }).click()
    await look('how-to-set-up')
    await page.goto(server.setupPath)
    await look('set-up')
    await page.getByLabel('用户名').fill('karin')
    await page.getByLabel('密码', { exact: true }).fill(PASSWORD)
    await page.getByLabel('再次输入密码').fill(PASSWORD)
    await page.getByRole('button', { name: '创建管理员' }).click()
    await heading(page, '第 1 步，共 8 步：语言').waitFor()
    await page.goto('/console/')
    await heading(page, '你好，karin').waitFor()
    await look('start')
    await page.getByRole('navigation', { name: '主要功能' }).getByRole('link', { name: '二维码' }).click()
    await page.getByText('还没有二维码').waitFor()
    await page.keyboard.press('n')
    await page.getByRole('textbox', { name: '网址' }).fill('https://example.org/spring')
    await page.getByLabel('名称').fill('春季游园会')
    await look('new-code')
    await button(page, '新建').click()
    await heading(page, '春季游园会').waitFor()
    await look('code')
  })
})
