/** Every kind of page in Chromium: on a phone and wide, light and dark, in both languages. `SCREENSHOTS=FOLDER` saves their pictures. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'

import { createActivity } from '../activities/helpers.ts'
import { issued } from '../activities/pass-helpers.ts'
import { png, uploaded } from '../files/helpers.ts'
import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { ok, type Person, startServer, type TestServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'

const axe = join(import.meta.dir, '../../node_modules/axe-core/axe.min.js')
const screenshots = process.env['SCREENSHOTS']

const LONG = 'Extraordinarilylongwordwithoutanyspace'.repeat(3)
const CODES = {
  wifi: { name: 'Guests', content: `WIFI:S:office-5G;T:WPA;P:${'Correct-Horse-Battery-7'.repeat(2)};H:true;;` },
  contact: {
    name: 'Ada Lovelace',
    content:
      'BEGIN:VCARD\nVERSION:3.0\nN:Lovelace;Ada\nFN:Ada Lovelace\nORG:Analytical Engines\nTITLE:Analyst\nTEL:+44 20 7946 0000\n' +
      'EMAIL:ada.lovelace@analytical-engines.example.org\nADR:;;12 St James’s Square;London;;SW1Y 4JH;UK\nURL:https://example.org/ada\nNOTE:Notes G\\nto follow\nEND:VCARD',
  },
  event: {
    name: 'Summer fair',
    content:
      'BEGIN:VEVENT\nSUMMARY:Summer fair\nDTSTART;TZID=Europe/Berlin:20270703T100000\nDTEND;TZID=Europe/Berlin:20270703T180000\nLOCATION:School yard\nDESCRIPTION:Cake\\nand music\nEND:VEVENT',
  },
  place: { name: 'Meeting point', content: 'geo:30.2426,120.1494?q=30.2426,120.1494(West Lake)' },
  message: { name: 'Report a fault', content: 'smsto:+8613800138000:Lamp 12 is broken' },
  mail: { name: 'Write to us', content: 'MATMSG:TO:office@example.org;SUB:Question;BODY:Dear office;;' },
  phone: { name: 'Porter', content: 'tel:+86 571 8888 0000' },
  address: {
    name: 'Menu of the summer',
    content: 'https://menu.example.com/summer/2026?table=12&utm_source=qr',
    style: { fg: '7a1f5c', bg: 'ffe3f4', margin: 1 },
  },
  text: { name: LONG.slice(0, 100), content: `${LONG}\n\nWater the plants on Monday.` },
} as const

describe('pages in a browser', () => {
  if (!hasChromium) return

  let browser: Browser
  let server: TestServer
  let fresh: TestServer
  const pages: Record<string, string> = {}

  beforeAll(async () => {
    ;[server, fresh, browser] = await Promise.all([startServer(), startServer({ noAdmin: true }), launchChromium()])
    const [admin, alice] = await Promise.all([server.admin(), server.person()])
    pages['new'] = `${fresh.url}/`
    pages['new-setup'] = `${fresh.url}/setup`
    pages['front'] = `${server.url}/`
    pages['setup'] = `${server.url}/setup`
    for (const [kind, path] of await publicPaths(admin, alice)) pages[kind] = server.url + path
  })
  afterAll(async () => {
    await browser.close()
    await Promise.all([server.stop(), fresh.stop()])
  })

  async function publicPaths(admin: Person, alice: Person): Promise<[kind: string, path: string][]> {
    const paths: [string, string][] = []
    for (const [kind, code] of Object.entries(CODES))
      paths.push([kind, `/public/qr/${(await createCode(alice, { ...code, isPublic: true })).uuid}`])
    const org = await createOrg(alice, {
      name: 'Friends of the Lake',
      description: 'We meet on Saturdays.\nNew members are welcome.',
      joinPolicy: 'FREE',
    })
    paths.push(['organization', `/public/orgs/${org.code}`])
    const content = '# Rules\n\nBe kind.\n\n| when | what |\n| --- | --- |\n| always | listen |'
    ok(await admin.call('agreements.publish', { body: { type: 'SERVICE', title: 'Terms of service', content } }))
    paths.push(['agreement', '/public/agreement/service'])
    const activity = await createActivity(alice, {
      name: 'Lake cleanup',
      description:
        '# Programme\n\n| when | what |\n| --- | --- |\n| 10:00 | pier |\n\nBring **gloves**, and read [the rules](https://example.org/rules).',
      descriptionFormat: 'MARKDOWN',
      coverFileId: (await uploaded(alice, png(600), { type: 'activity' })).id,
      registration: { capacity: 200 },
      timeZone: 'Asia/Shanghai',
      location: '1 Lake Road',
      latitude: 30.25,
      longitude: 120.15,
      startTime: Date.UTC(2030, 10, 30, 6),
      endTime: Date.UTC(2030, 10, 30, 9),
      hasCheckIn: true,
      hasPass: true,
      visibility: 'PUBLIC',
      status: 'ACTIVE',
    })
    paths.push(['activity', `/s/activity/${activity.uuid}`])
    const { data: links } = ok(await alice.call('activities.qrCodes', { params: { id: activity.id } }))
    paths.push(['check-in', new URL(links.find(({ type }) => type === 'CHECK_IN')!.publicUrl).pathname])
    const [pass] = await issued(alice, activity.id, { holderName: 'Lin Mei' })
    paths.push(['pass', new URL(pass!.publicUrl).pathname])
    const asset = ok(await alice.call('assets.create', { body: { name: 'Lamp 12', publicFields: ['name'] } }))
    paths.push(['asset', `/s/asset/${asset.data.uuid}`])
    return paths
  }

  /** Rules of axe that the page breaks seriously: `color-contrast: .hint`. */
  async function seriousFindings(page: Page, rules: object): Promise<string[]> {
    await page.addScriptTag({ path: axe })
    const { violations } = await page.evaluate<{
      violations: { id: string; impact: string; nodes: { target: string[] }[] }[]
    }>(`axe.run(${JSON.stringify(rules)})`)
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  }

  const ALL = { resultTypes: ['violations'] }
  /** In the dark and in Chinese only colours and languages differ. */
  const COLORS = { runOnly: { type: 'rule', values: ['color-contrast', 'html-has-lang', 'valid-lang'] } }

  for (const look of [
    { name: 'phone, light, English', width: 390, height: 844, colorScheme: 'light', locale: 'en', rules: ALL },
    { name: 'phone, dark, Chinese', width: 390, height: 844, colorScheme: 'dark', locale: 'zh-CN', rules: COLORS },
    // Nothing changes between 640 pixels and this but the margins, so it is for looking at.
    ...(screenshots === undefined
      ? []
      : [{ name: 'desktop', width: 1280, height: 800, colorScheme: 'dark', locale: 'en', rules: COLORS } as const]),
  ] as const)
    test(`every kind of page is accessible, fits the screen and logs no error: ${look.name}`, async () => {
      const { width, height, colorScheme, locale, rules } = look
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, locale, bypassCSP: true })
      const page = await context.newPage()
      const found: string[] = []
      let kind = ''
      const report = (problem: string) => void found.push(`${kind}: ${problem}`)
      page.on('console', (message) => message.type() === 'error' && report(message.text()))
      page.on('pageerror', (error) => report(error.message))
      page.on('request', (request) => {
        if (![server.url, fresh.url].includes(new URL(request.url()).origin)) report(`requests ${request.url()}`)
      })
      for (const [name, url] of Object.entries(pages)) {
        kind = name
        expect((await page.goto(url))!.status(), url).toBe(200)
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        if (overflow > 0) report(`is ${overflow} pixels too wide`)
        if (screenshots !== undefined)
          await page.screenshot({ path: join(screenshots, `${kind}-${width}-${locale}.png`), fullPage: true })
        for (const finding of await seriousFindings(page, rules)) report(finding)
      }
      await context.close()
      expect(found).toEqual([])
    })

  test('words and links of a page have spaces between them where a browser has no styles', async () => {
    const found: string[] = []
    for (const [kind, url] of Object.entries(pages)) {
      const body = (await (await fetch(url)).text()).split('<body>')[1]!.replaceAll(/<svg[^]*?<\/svg>/g, '')
      const touching = /[^<>]*<\/(?:a|b|span|button|code)>(?:<(?:a|b|span|button|code|nav)\b|[\p{L}\d])[^<]*/gu
      for (const [words] of body.matchAll(touching)) found.push(`${kind}: ${words}`)
    }
    expect(found).toEqual([])
  })

  test('the front page shows a printed sheet, and fits a desktop of 900 pixels without its foot cut off', async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    for (const url of [`${server.url}/?lang=en`, `${server.url}/?lang=zh`, `${fresh.url}/?lang=en`]) {
      await page.goto(url)
      expect(await page.locator('svg.sheet').isVisible()).toBe(true)
      expect(await page.evaluate<number>('document.documentElement.scrollHeight'), url).toBe(900)
    }
    await page.close()
  })

  test('the policy of the pages lets their styles, icons and script through, and the button copies the password', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await page.goto(pages['wifi']!)
    expect(await page.locator('.copy').count()).toBe(2)
    await page.locator('.copy').nth(1).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('Correct-Horse-Battery-7'.repeat(2))
    expect(errors).toEqual([])
    // On paper there is nothing to press.
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.copy:visible, .button:visible').count()).toBe(0)
    expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Guests', 'QR code'])
    await context.close()
  })

  test('without script, one click selects the whole password, and the language and the sign-in are links', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await page.goto(pages['wifi']!)
    expect(await page.locator('.copy').count()).toBe(0)
    const selection = await page.evaluate("getComputedStyle(document.querySelectorAll('.copyable')[1]).userSelect")
    expect(selection).toBe('all')
    await page.getByRole('link', { name: '中文' }).click()
    await page.getByRole('heading', { name: '二维码' }).waitFor()
    await page.getByRole('link', { name: 'Tessera', exact: true }).click()
    expect(new URL(page.url()).pathname).toBe('/')
    expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/console/')
    await context.close()
  })
})
