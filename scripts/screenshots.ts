/**
 * Takes the pictures of the application that browsers show before they install it (`screenshots` of the manifest): the codes of a new user, in a
 * wide window and on a phone. Start `bun run dev`, then run `bun scripts/screenshots.ts` and commit the files.
 */

import { join, resolve } from 'node:path'

import { chromium } from 'playwright-core'

const [url = 'http://127.0.0.1:8080'] = process.argv.slice(2)
const folder = resolve(import.meta.dir, '../src/http/page-files')

const SHAPES = [
  { name: 'screenshot-wide', width: 1280, height: 800 },
  { name: 'screenshot-narrow', width: 390, height: 844 },
] as const

/** The newest is the last. */
const CODES = [
  { name: 'Opening hours', content: 'Monday to Friday, 9 to 17', contentType: 'TEXT' },
  { name: 'Feedback', content: 'mailto:feedback@example.org', contentType: 'EMAIL' },
  { name: 'Meeting point', content: 'geo:46.948,7.4474', contentType: 'GEO' },
  { name: 'Front desk', content: 'tel:+41310000000', contentType: 'PHONE' },
  { name: 'Guest Wi-Fi', content: 'WIFI:T:WPA;S:Lobby;P:welcome-2030;;', contentType: 'WIFI' },
  { name: 'Menu', content: 'https://example.org/menu', contentType: 'URL', isDynamic: true, isPublic: true },
]

const username = `ada${Date.now()}`
const password = 'a picture of codes'
const device = { 'x-device-id': `screenshots-${crypto.randomUUID()}`, 'x-device-name': 'Demo' }

async function post<T>(path: string, headers: Record<string, string>, body: object): Promise<T> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { ...device, ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { data: T }).data
}

const user = { username, nickname: 'Ada', password }
const { accessToken } = await post<{ accessToken: string }>('/api/auth/register', {}, user)
for (const code of CODES) await post('/api/qr-codes', { authorization: `Bearer ${accessToken}` }, code)

const browser = await chromium.launch({
  executablePath: Bun.which('chromium') ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
/** Written at the end, since `bun run dev` restarts when a file changes. */
const pictures = new Map<string, string>()
try {
  for (const { name, ...viewport } of SHAPES) {
    const page = await browser.newPage({ baseURL: url, locale: 'en', reducedMotion: 'reduce', viewport })
    await page.goto('/console/login')
    await page.getByLabel('Username, e-mail or phone').fill(username)
    await page.locator('input[type=password]').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/console\/?$/)
    await page.goto('/console/codes')
    await page.getByText('Opening hours').waitFor()
    await page.waitForLoadState('networkidle')
    // Playwright writes PNG and JPEG only, which are three times as large.
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 })
    pictures.set(name, data)
    await page.close()
  }
} finally {
  await browser.close()
}
for (const [name, data] of pictures) await Bun.write(join(folder, `${name}.webp`), Buffer.from(data, 'base64'))
