/**
 * The whole first hour of somebody who has an empty folder and a browser: the setup link, all steps, an address and a certificate for the
 * network, and a guest with a phone, in the other language, who scans the screen of the administrator at that address.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Locator, Page } from 'playwright-core'

import { freePort } from '../harness/s3.ts'
import { until } from '../harness/until.ts'
import { hasCertutil, trustIn } from '../lan/lan.ts'
import { Installation, type RunningCli } from '../ops/cli.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { CAMERA_HEIGHT, CAMERA_WIDTH, cameraOf, videoOf } from './camera.ts'

const PASSWORD = 'three green tiles'
const HOST = 'willow.local'
const LIBRARY = 'Willow Street Library'

const WORDS = {
  en: {
    username: 'Username',
    password: 'Password',
    again: 'Password again',
    makeAdministrator: 'Create administrator',
    steps: {
      language: 'Language',
      name: 'Name',
      reach: 'Address',
      certificate: 'Certificate',
      mail: 'Mail',
      registration: 'Registration',
      backup: 'Backups',
      organization: 'Organization',
      invite: 'Members',
    },
    next: 'Continue',
    skip: 'Skip',
    save: 'Save',
    name: 'Name',
    network: 'This network',
    names: 'Names',
    more: 'More',
    httpsPort: 'Port for HTTPS',
    host: 'Listen on the address',
    kind: 'Certificate',
    ofServer: /^From this server/,
    valid: /^The certificate is valid until/,
    openThere: 'Open it there',
    anyone: 'Anyone can register',
    org: 'Name of the organization',
    done: 'The setup is done',
    signIn: 'Sign in',
    account: 'Username, e-mail or phone',
    hello: (name: string) => `Hello, ${name}`,
    start: 'Start *',
    end: 'End *',
    visibility: 'Visibility',
    isPublic: 'Public',
    draft: 'Create draft',
    publish: 'Publish',
    showCode: 'Show the check-in code',
    checkIns: 'Checked in1',
    register: 'Create an account',
    registerAs: 'Username or e-mail',
    nickname: 'Name that others see',
    createAccount: 'Create account',
    scan: 'Scan',
    toCheckIn: 'Go to check-in',
    checkIn: 'Check in',
    checkedIn: 'You are checked in.',
  },
  zh: {
    username: '用户名',
    password: '密码',
    again: '再次输入密码',
    makeAdministrator: '创建管理员',
    steps: {
      language: '语言',
      name: '名称',
      reach: '访问地址',
      certificate: '证书',
      mail: '邮件',
      registration: '注册',
      backup: '备份',
      organization: '组织',
      invite: '成员',
    },
    next: '继续',
    skip: '跳过',
    save: '保存',
    name: '名称',
    network: '本地网络',
    names: '名称',
    more: '更多',
    httpsPort: 'HTTPS 端口',
    host: '监听地址',
    kind: '证书来源',
    ofServer: /^由此服务器颁发/,
    valid: /^证书有效/,
    openThere: '前往新地址',
    anyone: '任何人都可以注册',
    org: '组织名称',
    done: '设置已完成',
    signIn: '登录',
    account: '用户名、邮箱或手机号',
    hello: (name: string) => `你好，${name}`,
    start: '开始 *',
    end: '结束 *',
    visibility: '可见范围',
    isPublic: '公开',
    draft: '保存草稿',
    publish: '发布',
    showCode: '显示签到二维码',
    checkIns: '已签到1',
    register: '注册账号',
    registerAs: '用户名或邮箱',
    nickname: '昵称',
    createAccount: '注册',
    scan: '扫一扫',
    toCheckIn: '前往签到',
    checkIn: '签到',
    checkedIn: '签到成功。',
  },
} as const
type Step = keyof (typeof WORDS)['en']['steps']

const LOCALES = { en: 'en', zh: 'zh-CN' } as const
const ONLY_HERE = `--host-resolver-rules=MAP ${HOST} 127.0.0.1`

const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true })
const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 })

/** The value of an input for a moment, in the time zone of the page. */
const local = (page: Page, time: number) =>
  page.evaluate<string>(`new Date(${time} - new Date(${time}).getTimezoneOffset() * 60000).toISOString().slice(0, 16)`)

/** The frame of a camera in front of the screen that shows the picture. */
async function seenByCamera(picture: Locator): Promise<Uint8Array> {
  const pixels = await picture.evaluate(
    (image, [width, height]) => {
      /* oxlint-disable no-undef -- runs in the browser */
      // @ts-expect-error -- runs in the browser
      const canvas = Object.assign(document.createElement('canvas'), { width, height })
      const context = canvas.getContext('2d')
      context.fillStyle = '#ccc'
      context.fillRect(0, 0, width, height)
      context.drawImage(image, 120, 40, 400, 400)
      /* oxlint-enable no-undef */
      return [...context.getImageData(0, 0, width, height).data].filter((_, i) => i % 4 === 0)
    },
    [CAMERA_WIDTH, CAMERA_HEIGHT] as const,
  )
  return Uint8Array.from(pixels)
}

describe.if(hasCertutil).each([
  ['en', 'zh'],
  ['zh', 'en'],
] as const)('the first hour, in %s, with a guest in %s', (locale, guestLocale) => {
  const words = WORDS[locale]
  const folder = mkdtempSync(join(tmpdir(), 'tessera-first-hour-'))
  const video = join(folder, 'camera.y4m')
  /** Where the administrator opens the server. */
  const place = { url: '' }
  let installation: Installation
  let server: RunningCli
  let setupLink = ''
  beforeAll(async () => {
    installation = await Installation.make()
    expect(readdirSync(installation.cwd)).toEqual([])
    server = await installation.serve()
    await until(() => /\/setup\?token=\S+\n/.test(server.stdout()))
    setupLink = /http:\S+\/setup\?token=\S+/.exec(server.stdout())![0]
    place.url = new URL(setupLink).origin
  })
  afterAll(async () => {
    await installation.dispose()
    rmSync(folder, { recursive: true, force: true })
  })

  async function look(page: Page, name: string): Promise<void> {
    expect({ name, barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
      name,
      barriers: [],
      isTooWide: false,
    })
    await screenshot(page, `first-hour-${locale}-${name}`)
  }
  const arrive = async (page: Page, step: Step) => {
    await title(page, new RegExp(`[:：] ?${words.steps[step]}$`)).waitFor()
    await look(page, step)
  }

  describe('on the computer of the server', () => {
    const browser = useBrowser(place)

    test('leads from the setup link to a certificate for the network', async () => {
      const page = await browser.page({ locale: LOCALES[locale] })
      await page.goto(setupLink)
      await look(page, 'setup-link')
      await page.getByLabel(words.username).fill('karin')
      await page.getByLabel(words.password, { exact: true }).fill(PASSWORD)
      await page.getByLabel(words.again).fill(PASSWORD)
      await button(page, words.makeAdministrator).click()
      await arrive(page, 'language')
      await button(page, words.next).click()
      await arrive(page, 'name')
      await page.getByLabel(words.name, { exact: true }).fill(LIBRARY)
      await button(page, words.next).click()

      await arrive(page, 'reach')
      const port = await freePort()
      await page.getByRole('radio', { name: words.network }).check()
      await page.getByLabel(words.names).fill(HOST)
      await button(page, words.more).click()
      await page.getByLabel(words.httpsPort).fill(String(port))
      await page.getByLabel(words.host).fill('127.0.0.1')
      await look(page, 'reach-typed')
      await button(page, words.save).click()
      await page.getByText(`http://${HOST}:`).first().waitFor()
      await look(page, 'reach-moved')
      await button(page, words.next).click()

      await arrive(page, 'certificate')
      await page.getByLabel(words.kind, { exact: true }).click()
      await page.getByRole('option', { name: words.ofServer }).click()
      await look(page, 'certificate-chosen')
      await button(page, words.save).click()
      await page.getByText(words.valid).waitFor()
      const there = page.getByRole('link', { name: words.openThere })
      expect(await there.getAttribute('href')).toBe(`https://${HOST}:${port}/console/admin/setup`)
      await look(page, 'certificate-made')
      await button(page, words.next).click()
      await arrive(page, 'mail')

      // The devices of both trust the server from now on.
      const ca = await (await fetch(new URL('/trust/ca.pem', place.url))).text()
      trustIn(join(folder, '.pki/nssdb'), ca)
      place.url = `https://${HOST}:${port}`
    })
  })

  describe('at the https address', () => {
    const computer = useBrowser(place, { isWhole: true, home: folder, args: [ONLY_HERE] })
    const phone = useBrowser(place, { isWhole: true, home: folder, args: [ONLY_HERE, ...cameraOf(video)] })

    test('leads through the other steps to an activity, in which a guest checks in by camera', async () => {
      const page = await computer.page({ locale: LOCALES[locale] })
      await page.goto('/')
      await look(page, 'front')
      await page.getByRole('link', { name: words.signIn }).click()
      await page.getByLabel(words.account).fill('karin')
      await page.getByLabel(words.password).last().fill(PASSWORD)
      await button(page, words.signIn).click()
      await title(page, words.hello('karin')).waitFor()
      expect(await page.evaluate('isSecureContext')).toBe(true)
      await look(page, 'start')
      await page.goto('/console/admin/setup')
      await title(page, new RegExp(`[:：] ?${words.steps.mail}$`)).waitFor()
      await button(page, words.skip).click()
      await arrive(page, 'registration')
      await page.getByText(words.anyone).waitFor()
      await button(page, words.next).click()
      await arrive(page, 'backup')
      await button(page, words.next).click()
      await arrive(page, 'organization')
      await page.getByLabel(words.org).fill('Garden club')
      await button(page, words.next).click()
      await arrive(page, 'invite')
      await page.getByRole('img', { name: /Garden club/ }).waitFor()
      await button(page, words.next).click()
      await title(page, words.done).waitFor()
      await look(page, 'summary')

      await page.goto('/console/activities/new')
      await page.getByLabel(`${words.name} *`).fill('Spring fair')
      await page.getByLabel(words.start).fill(await local(page, Date.now() - 3_600_000))
      await page.getByLabel(words.end).fill(await local(page, Date.now() + 3_600_000))
      await page.getByLabel(words.visibility).click()
      await page.getByRole('option', { name: words.isPublic }).click()
      await button(page, words.draft).click()
      await title(page, 'Spring fair').waitFor()
      await button(page, words.publish).click()
      await page.getByRole('link', { name: words.showCode }).click()
      const screen = page.getByRole('dialog')
      await look(page, 'check-in-code')
      writeFileSync(video, videoOf(await seenByCamera(screen.getByRole('img'))))

      const theirs = WORDS[guestLocale]
      const guest = await phone.page({ isPhone: true, locale: LOCALES[guestLocale] })
      await guest.goto('/')
      await look(guest, 'guest-front')
      await guest.getByRole('link', { name: theirs.signIn }).click()
      await guest.getByRole('link', { name: theirs.register }).click()
      await guest.getByLabel(theirs.registerAs).fill('meiling')
      await guest.getByLabel(theirs.password).first().fill('seven paper boats')
      await guest.getByLabel(theirs.nickname).fill('美玲')
      await look(guest, 'guest-registers')
      await button(guest, theirs.createAccount).click()
      await title(guest, theirs.hello('美玲')).waitFor()
      await look(guest, 'guest-start')
      await guest.getByRole('link', { name: theirs.scan }).first().click()
      await guest.getByRole('link', { name: theirs.toCheckIn }).waitFor()
      await look(guest, 'guest-scanned')
      await guest.getByRole('link', { name: theirs.toCheckIn }).click()
      await title(guest, 'Spring fair').waitFor()
      await look(guest, 'guest-activity')
      await button(guest, theirs.checkIn).click()
      await guest.getByText(theirs.checkedIn).waitFor()
      await look(guest, 'guest-checked-in')

      await page.reload()
      await page.getByText(words.checkIns).waitFor()
    })
  })
})
