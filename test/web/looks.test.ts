/** The page of designs in the web application, and codes that have one. */

import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'

import type { Page } from 'playwright-core'

import { png } from '../files/helpers.ts'
import { ok, until, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { newWorkspace } from './workspace.ts'

const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })
const browser = useBrowser(server)

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const choice = (page: Page, group: string, name: string) =>
  page.getByRole('group', { name: group, exact: true }).getByRole('button', { name, exact: true })

test('a user makes a design, which is checked while it is drawn, and gives it to a code', async () => {
  const page = await browser.signedIn(alice)
  await page.goto('/console/codes/looks')
  await button(page, 'New design').click()
  await page.getByText('Scans well').waitFor()
  await page.getByLabel('Colour of the code').fill('#dddddd')
  await page.getByText(/^Does not scan: The colour of the code needs more contrast/).waitFor()
  await page.getByLabel('Colour of the code').fill('#1a3b8c')
  await choice(page, 'Modules', 'Dots').click()
  await choice(page, 'Corners', 'Round').click()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(png(200)) })
  await page.getByText(/^Logo: 20$|^Size in per cent: 20$/).waitFor()
  await page.getByText(/^Scans/).waitFor()
  await page.getByLabel('Name').fill('Blue dots')
  await screenshot(page, 'look')
  expect(await barriers(page)).toEqual([])
  await page.locator('form button[type=submit]').click()
  await page.getByText('Design created.').waitFor()
  const [design] = ok(await alice.call('qrCodeDesigns.list', {})).data.items
  expect(design).toMatchObject({ name: 'Blue dots', fg: '1a3b8c', modules: 'DOTS', eyes: 'CIRCLE', logo: { size: 20 } })

  await page.goto('/console/codes/new')
  await page.getByLabel('Web address').fill('https://example.org/menu')
  await page.getByLabel('Design').click()
  await page.getByRole('option', { name: 'Blue dots' }).click()
  await screenshot(page, 'look-in-form')
  await button(page, 'Create code').click()
  await page.getByRole('heading', { level: 1, name: 'example.org' }).waitFor()
  expect(ok(await alice.call('qrCodes.list', {})).data.items).toMatchObject([{ designId: design!.id }])
  const source = await page.getByRole('img', { name: 'QR code: example.org' }).getAttribute('src')
  expect(source).toMatch(/^\/api\/qrcode\/design\/\w{22}\?format=svg$/)
  await screenshot(page, 'look-code')

  const downloading = page.waitForEvent('download')
  await button(page, 'Download').click()
  await page.getByRole('menuitem', { name: 'PDF, SVG or PNG true to size' }).click()
  await page.getByText('Readable from about 50 cm.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe('example.org.pdf')
  const pdf = (await readFile(await file.path())).toString('latin1')
  // 50 mm in points.
  expect(pdf).toMatch(/\/MediaBox ?\[0 0 141\.7\d*/)

  await page.goto(`/console/codes/looks?design=${design!.id}`)
  await button(page, 'Delete').click()
  await page.getByText('The code that has it becomes plain.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Design deleted.').waitFor()
  expect(ok(await alice.call('qrCodes.list', {})).data.items).toMatchObject([{ designId: null }])
})

test.each([
  ['Arabic', 'امسحني'],
  ['Chinese', '扫描查看菜单'],
  ['emoji', 'Scan 👋🏽 🍜'],
])('the words of a frame are drawn in the browser: %s', async (_, words) => {
  const person = await server.person()
  const page = await browser.signedIn(person)
  await page.goto('/console/codes/looks?design=new')
  await page.getByLabel('Name').fill('Frame')
  await choice(page, 'Frame with words', 'Below').click()
  await page.getByRole('textbox', { name: 'Words' }).fill(words)
  await page.locator('form button[type=submit]').click()
  await page.getByText('Design created.').waitFor()
  const [design] = ok(await person.call('qrCodeDesigns.list', {})).data.items
  expect(design!.frame).toMatchObject({ text: words, position: 'BELOW' })
  const stored = ok(await person.call('files.get', { params: { id: design!.frame!.textFileId! } })).data
  expect(stored).toMatchObject({ entityType: 'QR_DESIGN', entityId: design!.id })
  expect(stored.width!).toBeGreaterThan(stored.height!)
  expect(stored.height).toBeLessThanOrEqual(600)
  await screenshot(page, `look-words-${_}`)
  // Saved again without a change of the words, it keeps the picture of them.
  await page.getByLabel('Name').fill('Another name')
  await page.locator('form button[type=submit]').click()
  await until(async () => ok(await person.call('qrCodeDesigns.list', {})).data.items[0]!.name === 'Another name')
  const [saved] = ok(await person.call('qrCodeDesigns.list', {})).data.items
  expect(saved!.frame!.textFileId).toBe(design!.frame!.textFileId)
})

test('an organization has a default design, which the form of a new code shows', async () => {
  const { orgId, page } = await newWorkspace(browser, bob)
  const design = ok(
    await bob.call('qrCodeDesigns.create', { body: { name: 'House style', fg: '003366', isDefault: true, orgId } }),
  ).data
  await page.goto('/console/codes/new')
  await page.getByText('House style').first().waitFor()
  await page.getByLabel('Web address').fill('https://example.org/books')
  await button(page, 'Create code').click()
  await page.getByRole('heading', { level: 1, name: 'example.org' }).waitFor()
  const codes = ok(await bob.call('qrCodes.list', { query: { orgId } })).data.items
  expect(codes).toMatchObject([{ designId: design.id }])
})

test('the page fits a phone, in Chinese and dark', async () => {
  for (const fields of [
    { name: '蓝色圆点', fg: '1a3b8c', modules: 'DOTS', eyes: 'CIRCLE', isDefault: true },
    { name: 'Rounded', modules: 'ROUNDED', gradient: { type: 'LINEAR', to: '7a1fa2', angle: 45 } },
  ] as const)
    ok(await carol.call('qrCodeDesigns.create', { body: fields }))
  const page = await browser.signedIn(carol, { isPhone: true, isDark: true, locale: 'zh-CN' })
  await page.goto('/console/codes/looks')
  await page.getByText('蓝色圆点').click()
  await page.getByText('容易扫描').waitFor()
  expect(await isTooWide(page)).toBe(false)
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'look-phone')
})
