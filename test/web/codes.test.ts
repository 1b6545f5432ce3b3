/** QR codes in the web application: creating, folders, printing, bulk actions and the trash. */

import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'

import { createCanvas, loadImage } from '@napi-rs/canvas'
import type { Locator, Page, Route } from 'playwright-core'

import { withPasses } from '../activities/pass-helpers.ts'
import { ok, until, useServer } from '../harness/index.ts'
import { type Code, codesOf, readPdf } from '../lib/pdf-files.ts'
import { pictureOfPng, pictureOfSvg, readByZxing } from '../lib/qr-pictures.ts'
import { createOrg } from '../orgs/helpers.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { choose } from './workspace.ts'

const { server, alice, bob, carol, dora, emil, frank } = useServer({
  people: ['alice', 'bob', 'carol', 'dora', 'emil', 'frank'],
})
const browser = useBrowser(server)

/** The text in a picture that the web application has drawn. */
async function textIn(page: Page, name: string): Promise<string | undefined> {
  const source = await page.getByRole('img', { name }).first().getAttribute('src')
  const svg = decodeURIComponent(source!.slice('data:image/svg+xml,'.length))
  return (await readByZxing(pictureOfSvg(svg, 4)))?.text
}

/** The tests do not start the server under its public address. */
const openPage = (publicUrl: string) =>
  fetch(server.url + new URL(publicUrl).pathname, {
    redirect: 'manual',
    // As a phone: robots are counted apart.
    headers: { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' },
  })

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
/** The message at the bottom of the page. */
const says = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor()

test('a newcomer makes a code, changes, publishes, downloads and deletes it, and restores it from the trash', async () => {
  const page = await browser.signedIn(alice)
  await page.goto('/console/codes')
  await page.getByText('No codes yet').waitFor()
  await page.keyboard.press('n')
  await page.getByLabel('Web address').fill('www.example.org/menu')
  // The preview follows the typing without a request.
  await page.getByText(/^28 bytes/).waitFor()
  expect(await textIn(page, 'Preview')).toBe('https://www.example.org/menu')
  await page.getByLabel('Colour of the code').fill('#c8e6c9')
  await page.getByText('The contrast is too low').waitFor()
  await page.getByLabel('Colour of the code').fill('#0b6b57')
  await page.getByLabel('Tags').fill('menu')
  await page.getByLabel('Tags').press('Enter')
  await button(page, 'Create code').click()

  // The name is the host, as none was given.
  await page.getByRole('heading', { name: 'www.example.org', level: 1 }).waitFor()
  expect(await textIn(page, 'QR code: www.example.org')).toBe('https://www.example.org/menu')
  const downloading = page.waitForEvent('download')
  await button(page, 'Download').click()
  await page.getByRole('menuitem', { name: /PNG 600/ }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('www.example.org.png')
  const picture = pictureOfPng(await readFile(await download.path()))
  expect(picture).toMatchObject({ size: 600, fg: '0b6b57', bg: 'ffffff' })
  expect((await readByZxing(picture))?.text).toBe('https://www.example.org/menu')

  // The target is the largest fact, and changed beside it.
  const target = page.getByText('https://www.example.org/menu', { exact: true })
  // @ts-expect-error -- runs in the browser
  const sizeOf = (one: Locator) => one.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize))
  expect(await sizeOf(target)).toBeGreaterThan(await sizeOf(page.getByRole('heading', { level: 2, name: 'Link' })))
  await button(page, 'Change target').click()
  await page.getByRole('dialog').getByLabel('Web address').fill('https://www.example.org/lunch')
  await button(page, 'Save').click()
  await page.getByText('https://www.example.org/lunch', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('Menu')
  await page.getByLabel('Dynamic: changeable after printing').check()
  await button(page, 'Save').click()
  await page.getByRole('dialog', { name: 'Save another picture?' }).getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Menu', level: 1 }).waitFor()
  const [code] = ok(await alice.call('qrCodes.list', {})).data.items
  expect(code).toMatchObject({ name: 'Menu', isDynamic: true, isPublic: true, tags: ['menu'], contentType: 'URL' })
  expect(code).toMatchObject({ opens: 'TARGET', slug: expect.any(String) })
  expect(await textIn(page, 'QR code: Menu')).toBe(code!.shortUrl!.toUpperCase())
  await page.getByText(code!.shortUrl!, { exact: true }).waitFor()
  await page.getByRole('link', { name: `${code!.publicUrl}?page` }).waitFor()
  expect((await openPage(code!.publicUrl)).status).toBe(302)
  // The page that was opened is in the chart, whose numbers are in a table for screen readers.
  await page.reload()
  await page.getByRole('table', { name: 'Scans a day' }).getByRole('cell', { name: '1', exact: true }).waitFor()
  await page.getByLabel('Everyone with the link sees this code').click()
  await page.getByText('Printed copies of this code lead nowhere').waitFor()
  expect((await openPage(code!.publicUrl)).status).toBe(404)

  await button(page, 'Actions for Menu').click()
  await page.getByRole('menuitem', { name: 'Move to the trash' }).click()
  await page.getByRole('dialog').getByText('The code can be restored for 30 days').waitFor()
  await button(page, 'Move to the trash').click()
  await page.getByText('No codes yet').waitFor()
  await page.goto('/console/codes/trash')
  await button(page, 'Restore Menu').click()
  await page.getByText('The trash is empty').waitFor()
  expect(ok(await alice.call('qrCodes.list', {})).data.total).toBe(1)
})

test('each type of content has a form that writes what phones understand and reads it again', async () => {
  const page = await browser.signedIn(bob, { isPhone: true, locale: 'zh-CN' })
  const make = async (type: string, fields: Record<string, string>, content: string | RegExp) => {
    await page.goto('/console/codes/new')
    await page.getByRole('radio', { name: type, exact: true }).check()
    // A type can be called like one of its fields.
    const field = (label: string) => page.getByLabel(label).and(page.locator(':not([type=radio])')).first()
    for (const [label, value] of Object.entries(fields)) await field(label).fill(value)
    await button(page, '新建').click()
    await page.getByRole('link', { name: '编辑' }).waitFor()
    const { items } = ok(await bob.call('qrCodes.list', { query: { sort: '-createdAt' } })).data
    expect(items[0]!.content).toMatch(content)
    // The form of an existing code is filled from its text, and keeps it.
    await page.getByRole('link', { name: '编辑' }).click()
    for (const [label, value] of Object.entries(fields)) {
      const shown = field(label)
      await shown.waitFor()
      expect(await shown.inputValue()).toBe(value)
    }
    await button(page, '保存').click()
    await page.getByRole('link', { name: '编辑' }).waitFor()
    expect(ok(await bob.call('qrCodes.get', { params: { id: items[0]!.id } })).data.content).toBe(items[0]!.content)
  }
  await make('Wi-Fi', { 网络名称: '大厅;1', 密码: 'a:b\\c' }, /^WIFI:T:WPA;S:大厅\\;1;P:a\\:b\\\\c;;$/)
  await make(
    '名片',
    { 姓: '李', 电话: '+8613800000000' },
    /^BEGIN:VCARD\n[^]*\nN:李;;;;\nFN:李\nTEL;TYPE=CELL:\+8613800000000\n/,
  )
  await make('日程', { 标题: '家长会', 开始: '2027-03-01T18:30' }, /\nSUMMARY:家长会\nDTSTART:20270[23]\d\dT\d{4}00Z\n/)
  await make('位置', { 纬度: '30.25', 经度: '120.15' }, /^geo:30\.25,120\.15$/)
  expect(await isTooWide(page)).toBe(false)
})

test('folders are made, nested, changed and deleted, and codes are found, moved and deleted together', async () => {
  const items = Array.from({ length: 4 }, (_, i) => ({
    name: `Chair ${i}`,
    content: `https://example.org/chairs/${i}`,
  }))
  ok(await carol.call('qrCodes.createBatch', { body: { items } }))
  const page = await browser.signedIn(carol)
  await page.goto('/console/codes')
  await button(page, 'New folder').click()
  await page.getByLabel('Name').fill('Rooms')
  await button(page, 'Save').click()
  await button(page, 'Actions for Rooms').click()
  await page.getByRole('menuitem', { name: 'New folder inside' }).click()
  await page.getByLabel('Name').fill('Hall')
  await button(page, 'Save').click()
  await button(page, 'Actions for Hall').click()
  await page.getByRole('menuitem', { name: 'Name and colour' }).click()
  await page.getByLabel('Name').fill('Great hall')
  await button(page, 'Save').click()
  await button(page, 'Actions for Great hall').waitFor()

  await page.keyboard.press('f')
  await page.keyboard.type('chairs/1')
  await page.getByRole('link', { name: 'Chair 2' }).waitFor({ state: 'detached' })
  await page.getByRole('searchbox', { name: 'Search' }).fill('')
  await page.getByRole('link', { name: 'Chair 2' }).waitFor()
  await page.getByLabel('Select Chair 0').check()
  await page.getByLabel('Select Chair 1').check()
  await button(page, 'Move').click()
  await page.getByRole('dialog').getByLabel('Great hall').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  await says(page, '2 codes moved.')
  await page.getByRole('button', { name: /^Rooms/ }).click()
  await page.getByRole('link', { name: 'Chair 2' }).waitFor({ state: 'detached' })
  const rows = page.getByRole('list', { name: 'Codes' }).getByRole('listitem')
  await rows.nth(1).waitFor()
  expect(await rows.count()).toBe(2)

  // A folder with others inside is refused with the reason; an empty one is deleted, and its codes stay.
  await button(page, 'Actions for Rooms').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('The folder contains a folder. Move or delete it first.').waitFor()
  await button(page, 'Close').click()
  await button(page, 'Actions for Great hall').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('The 2 codes in it will not be deleted').waitFor()
  await button(page, 'Delete folder').click()
  await says(page, 'Folder deleted.')
  await page.getByRole('button', { name: 'All codes' }).click()
  await page.getByLabel('Select Chair 0').check()
  await page.getByLabel('Select all shown').check()
  await button(page, 'Trash').click()
  await button(page, 'Move 4 to the trash').click()
  await page.getByText('No codes yet').waitFor()
  const trash = ok(await carol.call('qrCodes.trash', {})).data
  expect(trash.total).toBe(4)
  await page.goto('/console/codes/trash')
  await button(page, 'Delete Chair 0 permanently').click()
  await button(page, 'Delete permanently').click()
  await says(page, 'Deleted permanently.')
  await button(page, 'Empty the trash').click()
  await button(page, 'Delete 3 permanently').click()
  await page.getByText('The trash is empty', { exact: true }).waitFor()
  expect(ok(await carol.call('qrCodes.trash', {})).data.total).toBe(0)
})

test('all codes of a search are selected beyond the page, and actions on them can be stopped and name the refused ones', async () => {
  const create = (name: string) => ({ name, content: `https://example.org/${name.replace(' ', '/')}` })
  const items = Array.from({ length: 130 }, (_, i) => create(`Chair ${i}`))
  ok(await frank.call('qrCodes.createBatch', { body: { items: [create('Desk'), ...items] } }))
  const page = await browser.signedIn(frank)
  await page.goto('/console/codes?keyword=Chair')
  await page.getByText('130 codes').waitFor()
  expect(await page.getByText('Select all 130').count()).toBe(0)
  await page.getByLabel('Select all shown').check()
  await page.getByText('30 selected').waitFor()

  // Reading is stopped, and fails without a connection: the selection stays.
  const second = Promise.withResolvers<Route>()
  await page.route(/page=2&size=100/, (route) => second.resolve(route))
  await button(page, 'Select all 130').click()
  const reading = await second.promise
  await page.getByText('100 of 130').waitFor()
  expect(await button(page, 'Trash').count()).toBe(0)
  await button(page, 'Stop').click()
  await button(page, 'Select all 130').waitFor()
  await reading.abort().catch(() => {})
  await page.unroute(/page=2&size=100/)
  browser.allow(/ERR_INTERNET_DISCONNECTED/)
  await page.context().setOffline(true)
  await button(page, 'Select all 130').click()
  await page.getByText('The server cannot be reached.').first().waitFor()
  await page.getByText('30 selected').waitFor()
  await page.context().setOffline(false)

  await button(page, 'Select all 130').click()
  await page.getByText('130 selected').waitFor()
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'codes-all-selected')
  const late = ok(await frank.call('qrCodes.create', { body: create('Chair 999') })).data
  const [first] = ok(await frank.call('qrCodes.list', { query: { keyword: 'Chair 0' } })).data.items
  ok(await frank.call('qrCodes.delete', { params: { id: first!.id } }))

  // Four are moved to the trash before "Stop".
  const fourth = Promise.withResolvers<Route>()
  let deletions = 0
  await page.route(/\/api\/qr-codes\/\d+$/, (route) => (++deletions === 4 ? fourth.resolve(route) : route.continue()))
  await button(page, 'Trash').click()
  await page.getByText('Move 130 codes to the trash?').waitFor()
  await button(page, 'Move 130 to the trash').click()
  const last = await fourth.promise
  await page.getByRole('dialog').getByText('3 of 130').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
  await last.continue()
  await says(page, '4 moved to the trash.')
  await page.getByText('126 selected').waitFor()
  const rest = ok(await frank.call('qrCodes.list', { query: { keyword: 'Chair' } })).data
  expect(rest.total).toBe(126)

  browser.allow(/status of 404/)
  await button(page, 'Pin').click()
  await page.getByText('One was left as it is:').waitFor()
  await page.getByText('“Chair 0”:').waitFor()
  await says(page, '125 pinned.')
  await page.getByText('1 selected').waitFor()
  const pinned = ok(await frank.call('qrCodes.list', { query: { pinned: true } })).data
  expect(pinned.total).toBe(125)
  expect(pinned.items.map(({ id }) => id)).not.toContain(late.id)

  // The new code is taken only when it is asked for.
  await button(page, 'Clear the selection').click()
  await page.getByLabel('Select all shown').check()
  await button(page, 'Select all 126').click()
  await page.getByText('126 selected').waitFor()
  await page.getByRole('link', { name: 'Print' }).click()
  await page.getByText('126 labels on 6 sheets').waitFor()
})

/** Of the printed page that the test reads. */
const DPI = 120

/** The codes on a sheet with 3 × 8 labels, each read for itself. */
async function labelsOf(png: Uint8Array): Promise<Code[]> {
  const sheet = await loadImage(png)
  const [width, height] = [sheet.width / 3, sheet.height / 8]
  const codes: Code[] = []
  for (let n = 0; n < 24; n++) {
    const label = createCanvas(Math.floor(width), Math.floor(height))
    label.getContext('2d').drawImage(sheet, -(n % 3) * width, -Math.floor(n / 3) * height)
    codes.push(...(await codesOf(label.toBuffer('image/png'))))
  }
  return codes
}

test('a wide window shows the list as a table with the chosen columns, and keeps the choice', async () => {
  for (const name of ['Menu', 'Garden', 'Wi-Fi'])
    ok(await emil.call('qrCodes.create', { body: { name, content: `https://example.org/${name}`, tags: ['club'] } }))
  const page = await browser.signedIn(emil)
  await page.goto('/console/codes')
  await button(page, 'Table').click()
  const headings = page.getByRole('columnheader')
  await page.getByRole('columnheader', { name: 'Tags' }).waitFor()
  await button(page, 'Columns').click()
  await page.getByRole('menuitemcheckbox', { name: 'Tags', checked: true }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Changed', checked: false }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('columnheader', { name: 'Changed' }).waitFor()
  expect(await headings.filter({ hasText: 'Tags' }).count()).toBe(0)
  expect(await barriers(page)).toEqual([])

  // A heading sorts, and rows are selected as in the other view.
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
  await page.getByRole('row').nth(1).getByRole('link', { name: 'Garden' }).waitFor()
  // The rows in their new order may replace the one that is clicked.
  const garden = page.getByRole('checkbox', { name: 'Select Garden' })
  await until(() =>
    garden.check({ timeout: 5000 }).then(
      () => true,
      () => false,
    ),
  )
  await button(page, 'Rows with pictures').click()
  await page.getByRole('checkbox', { name: 'Select Garden', checked: true }).waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await barriers(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
  await button(page, 'Table').click()
  await page.reload()
  await page.getByRole('columnheader', { name: 'Changed' }).waitFor()
  await screenshot(page, 'codes-table')

  // The keys and the menu of a row are those of the other view.
  const link = page.getByRole('link', { name: 'Garden' })
  await link.focus()
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog', { name: 'Change the target of “Garden”' })
  await dialog.getByLabel('Web address').fill('https://example.org/park')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await says(page, 'Target changed.')
  await button(page, 'Actions for Garden').click()
  await page.getByRole('menuitem', { name: 'Pin' }).click()
  await says(page, 'Pinned.')
  expect(new URL(page.url()).pathname).toBe('/console/codes')
  await link.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Garden', level: 1 }).waitFor()
  await page.goBack()
  await page.getByRole('columnheader', { name: 'Changed' }).waitFor()

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('list', { name: 'Codes' }).waitFor()
  expect(await page.getByRole('table').count()).toBe(0)
})

test('pasted lines become codes, and the printed sheets hold each of them on a label of the right size', async () => {
  const page = await browser.signedIn(dora)
  await page.goto('/console/codes/batch')
  const lines = Array.from({ length: 26 }, (_, i) => `Desk ${i + 1}\thttps://example.org/desks/${i + 1}`)
  await page.getByLabel('Lines').fill(lines.join('\n'))
  await button(page, 'Create 26 codes').click()
  let reads = 0
  page.on('request', (request) => (reads += /\/api\/qr-codes\?.*\bids=/.test(request.url()) ? 1 : 0))
  await page.getByRole('link', { name: 'Print labels' }).click()
  // 3 × 8 labels a sheet.
  await page.getByText('26 labels on 2 sheets').waitFor()
  expect(reads).toBe(1)
  await screenshot(page, 'codes-print')
  const pdf = await readPdf(await page.pdf({ preferCSSPageSize: true, printBackground: true }))
  expect(pdf.pages).toHaveLength(2)
  const read = [...(await labelsOf(await pdf.picture(1, DPI))), ...(await labelsOf(await pdf.picture(2, DPI)))]
  expect(read.map(({ text }) => text)).toEqual(lines.map((line) => line.split('\t')[1]!))
  expect(pdf.pages[1]).toContain('Desk 26')
  // Nothing of the web application's frame is printed.
  expect(pdf.pages[0]).not.toContain('Print')
  // A code without its margin has 25 of 33 modules; the label is 37.1 mm high, with 2.5 mm of padding.
  const millimetres = (read[0]!.width / DPI) * 25.4
  expect(millimetres).toBeGreaterThan(32.1 * (25 / 33) - 2)
  expect(millimetres).toBeLessThan(32.1 * (25 / 33) + 2)
})

test('codes whose creation was answered on a lost connection are not created again', async () => {
  const person = await server.person()
  const page = await browser.signedIn(person)
  await page.goto('/console/codes/batch')
  await page.getByLabel('Lines').fill('Hall\thttps://example.org/hall\nLibrary\thttps://example.org/library')
  browser.allow(/ERR_FAILED/)
  const lose = async (route: Route) => {
    await route.fetch()
    await route.abort()
  }
  await page.route('**/api/qr-codes/batch**', lose, { times: 2 })
  await button(page, 'Create 2 codes').dblclick()
  await page.getByText('codes that exist already are not created twice').waitFor()
  expect(ok(await person.call('qrCodes.list')).data.total).toBe(2)

  // A line that was added meanwhile becomes a code, even if that answer is lost too.
  await page.getByLabel('Lines').press('End')
  await page.getByLabel('Lines').press('Control+End')
  await page.getByLabel('Lines').pressSequentially('\nhttps://example.org/gym')
  for (const count of [1, 2]) {
    await button(page, 'Create 3 codes').click()
    if (count === 1) await page.getByText('codes that exist already are not created twice').waitFor()
  }
  await page.getByText('3 codes created').waitFor()
  const { items } = ok(await person.call('qrCodes.list')).data
  expect(items.map(({ name }) => name)).toEqual(['Hall', 'Library', 'https://example.org/gym'])
})

test('the list of codes shows the newest first until a code is pinned, and remembers an order that was chosen', async () => {
  const person = await server.person()
  const create = async (name: string) =>
    ok(await person.call('qrCodes.create', { body: { name, content: `https://example.org/${name}` } })).data
  const oldest = await create('Oldest')
  await create('Middle')
  await create('Newest')
  const page = await browser.signedIn(person)
  const list = page.getByRole('list', { name: 'Codes' })
  // The pin is a picture with a title.
  const names = async () => (await list.getByRole('link').allTextContents()).join(' ').replace('Pinned', '')
  await page.goto('/console/codes')
  await list.getByRole('link', { name: 'Oldest' }).waitFor()
  expect(await names()).toBe('Newest Middle Oldest')

  await button(page, `Actions for ${oldest.name}`).click()
  await page.getByRole('menuitem', { name: 'Pin to the top' }).click()
  await until(async () => (await names()) === 'Oldest Middle Newest')
  await page.reload()
  await list.getByRole('link', { name: 'Oldest' }).waitFor()
  expect(await names()).toBe('Oldest Middle Newest')

  await choose(page, 'Order', 'Newest first')
  await until(async () => (await names()) === 'Newest Middle Oldest')
  await page.goto('/console/codes')
  await list.getByRole('link', { name: 'Oldest' }).waitFor()
  expect(await names()).toBe('Newest Middle Oldest')
})

test('codes are dimmed in the dark theme, but white on the full screen and in print', async () => {
  const person = await server.person()
  const body = { name: 'Menu', content: 'https://example.org' }
  const { id } = ok(await person.call('qrCodes.create', { body })).data
  const page = await browser.signedIn(person, { isDark: true })
  const filters = async (place: Locator) => {
    await place.first().waitFor({ state: 'attached' })
    // @ts-expect-error -- runs in the browser
    return await place.evaluateAll((pictures) => [...new Set(pictures.map((one) => getComputedStyle(one).filter))])
  }
  const pictures = page.locator('img[src^="data:image/svg"]')
  await page.goto(`/console/codes/${id}`)
  expect(await filters(pictures)).toEqual(['brightness(0.85)'])
  await button(page, 'Full screen').click()
  expect(await filters(page.getByRole('dialog').locator('img'))).toEqual(['none'])

  await page.goto(`/console/codes/print?ids=${id}`)
  expect(await filters(pictures)).toEqual(['brightness(0.85)'])
  await page.emulateMedia({ media: 'print' })
  expect(await filters(pictures)).toEqual(['none'])
})

test('the pages of a code with a folder and scans have no serious barriers and fit a phone, in light and dark', async () => {
  const folder = ok(await dora.call('categories.create', { body: { name: 'Doors' } })).data
  const wifi = ok(
    await dora.call('qrCodes.create', {
      body: { name: 'Guest Wi-Fi', content: 'WIFI:T:WPA;S:Hall;P:welcome;;', categoryId: folder.id, isPublic: true },
    }),
  ).data
  await openPage(wifi.publicUrl)
  const looks = [
    { isPhone: true, isDark: false, locale: 'en' },
    { isPhone: false, isDark: true, locale: 'zh-CN' },
  ] as const
  for (const look of looks) {
    const page = await browser.signedIn(dora, look)
    for (const [path, text] of [
      ['', 'Guest Wi-Fi'],
      [`/${wifi.id}`, 'welcome'],
      ['/statistics', 'Guest Wi-Fi'],
    ] as const) {
      await page.goto(`/console/codes${path}`)
      await page.getByText(text).first().waitFor()
      expect(await barriers(page), path).toEqual([])
      expect(await isTooWide(page), path).toBe(false)
      await screenshot(page, `codes${path.replaceAll(/\W+/g, '-')}-${look.isDark ? 'dark' : 'phone'}`)
    }
  }
})

test('a change between dynamic and fixed warns that printed copies stay, in the form and when it is saved', async () => {
  const { id } = ok(
    await alice.call('qrCodes.create', { body: { name: 'Menu', content: 'https://example.org/a' } }),
  ).data
  const page = await browser.signedIn(alice)
  await page.goto(`/console/codes/${id}/edit`)
  const warning = page.getByText('printed already keep leading to https://example.org/a. Print them again.')
  await page.getByLabel('Dynamic: changeable after printing').check()
  await warning.waitFor()
  await page.getByLabel('Dynamic: changeable after printing').uncheck()
  await warning.waitFor({ state: 'detached' })
  await page.getByLabel('Dynamic: changeable after printing').check()
  await button(page, 'Save').click()
  const question = page.getByRole('dialog', { name: 'Save another picture?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  const isDynamic = async () => ok(await alice.call('qrCodes.get', { params: { id } })).data.isDynamic
  expect(await isDynamic()).toBe(false)
  await button(page, 'Save').click()
  await question.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Menu', level: 1 }).waitFor()
  expect(await isDynamic()).toBe(true)
})

test('a dynamic code gets the short link that its owner chooses, and every change of its picture is asked about', async () => {
  const page = await browser.signedIn(alice, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/console/codes/new')
  await page.getByLabel('Web address').fill('https://example.org/spring')
  await page.getByLabel('Dynamic: changeable after printing').check()
  expect(await page.getByLabel('Open the link at once').isChecked()).toBe(true)
  await page.getByLabel('Short link').fill('info')
  browser.allow(/status of 400/)
  await button(page, 'Create code').click()
  await page.locator('[name=slug][aria-invalid=true]').waitFor()
  await page.getByLabel('Short link').fill('Spring-26')
  await until(async () => (await textIn(page, 'Preview'))?.endsWith('/Q/SPRING-26') === true)
  await button(page, 'Create code').click()
  await page.getByRole('heading', { name: 'example.org', level: 1 }).waitFor()
  const [made] = ok(await alice.call('qrCodes.list', { query: { sort: '-createdAt', size: 1 } })).data.items
  const link = made!.shortUrl!
  expect(link).toEndWith('/q/spring-26')
  await page.getByText(link, { exact: true }).waitFor()
  await button(page, 'Copy short link').click()
  await page.getByText('Copied.').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link)
  expect(await textIn(page, 'QR code: example.org')).toBe(link.toUpperCase())

  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Open the link at once').uncheck()
  await page.getByLabel('Short link').fill('summer-26')
  await page.getByText(`Codes that you have printed already keep leading to ${link}. Print them again.`).waitFor()
  await button(page, 'Save').click()
  await page.getByRole('dialog', { name: 'Save another picture?' }).getByRole('button', { name: 'Save' }).click()
  await page.getByText(link.replace('spring-26', 'summer-26'), { exact: true }).waitFor()
  await page.getByText('The picture has changed.').waitFor()
  await page.getByText('Scans are shown the public page first.').waitFor()
  await button(page, 'Open links at once').click()
  await page.getByText('Scans are led to the content at once.').waitFor()
})

test('several codes that show the public page first open their links at once, and keep their pictures', async () => {
  const person = await server.person()
  const make = async (name: string) =>
    ok(
      await person.call('qrCodes.create', {
        body: { name, content: 'https://example.org', isDynamic: true, opens: 'PAGE' },
      }),
    ).data
  const made = [await make('Door'), await make('Gate')]
  ok(await person.call('qrCodes.create', { body: { name: 'Wall', content: 'https://example.org' } }))
  const page = await browser.signedIn(person, { isPhone: true, locale: 'zh-CN' })
  await page.goto('/console/codes')
  for (const name of ['Door', 'Gate', 'Wall']) await page.getByRole('checkbox', { name: new RegExp(name) }).check()
  await page.getByRole('button', { name: '直接打开链接' }).click()
  await page.getByText('2 个二维码将直接打开链接。').waitFor()
  for (const { id, pictureContent } of made)
    expect(ok(await person.call('qrCodes.get', { params: { id } })).data).toMatchObject({
      opens: 'TARGET',
      pictureContent,
    })
})

test('everything that is printed or sent with a local address of the server says so, and that a dynamic code is not published', async () => {
  browser.allow(/status of 404/)
  const person = await server.person()
  const org = await createOrg(person, { name: 'Harbour Rowers' })
  const make = async (name: string, body: object) =>
    ok(await person.call('qrCodes.create', { body: { name, content: 'https://example.org', ...body } })).data.id
  const fixed = await make('Fixed', {})
  const shared = await make('Shared', { isPublic: true })
  const dynamic = await make('Dynamic', { isDynamic: true, isPublic: true })
  const dead = await make('Dead', { isDynamic: true, isPublic: false })
  const asset = ok(await person.call('assets.create', { body: { name: 'Chair', assetNo: 'C-1' } })).data.id
  const activity = (await withPasses(person, { name: 'Dinner' })).id
  await person.call('passes.issue', { params: { id: activity }, body: { holders: [{ name: 'Ann Lee' }] } })

  const page = await browser.signedIn(person)
  const local = page.getByText('Codes of this server lead to http://localhost')
  const opened = async (address: string, there: Locator) => {
    await page.goto(`/console${address}`)
    await there.first().waitFor()
  }
  const heading = (name: string) => page.getByRole('heading', { level: 1, name })
  const places = [
    [`/codes/${dynamic}`, heading('Dynamic')],
    [`/codes/${shared}`, heading('Shared')],
    [`/codes/print?ids=${fixed},${dynamic}`, page.getByText('2 labels on 1 sheet')],
    [`/assets/${asset}`, heading('Chair')],
    [`/assets/labels?ids=${asset}`, page.getByText('1 label, 1 page')],
    [`/orgs/${org.id}`, page.getByText(org.code)],
    [`/orgs/${org.id}/poster`, page.getByText(/\/console\/join$/)],
    [`/activities/${activity}`, page.getByRole('button', { name: 'Full screen: Activity' })],
    [`/activities/${activity}?tab=passes`, page.getByText('Ann Lee')],
  ] as const
  const openPass = async (address: string) => {
    if (!address.endsWith('passes')) return
    await page.getByText('Ann Lee').first().click()
    await page.getByRole('dialog', { name: 'Ann Lee' }).waitFor()
  }
  for (const [address, there] of places) {
    await opened(address, there)
    await openPass(address)
    await local.first().waitFor()
    expect(await local.count(), address).toBe(1)
  }
  // The poster names the address of its code, and not that by which it was opened.
  await opened(`/orgs/${org.id}/poster`, page.getByText(/^http:\/\/localhost:\d+\/console\/join$/))
  await opened(`/codes/print?ids=${fixed}`, page.getByText('1 label on 1 sheet'))
  expect(await local.count()).toBe(0)
  await opened(`/codes/print?ids=${dynamic},${dead}`, page.getByText('1 of these codes leads nowhere until its page'))
  await opened(`/codes/${dead}`, page.getByText('Printed copies of this code lead nowhere'))

  // It is asked once before something with the address is printed or saved, and never for a code that leads elsewhere.
  await page.addInitScript('window.print = () => void (window.printed = (window.printed ?? 0) + 1)')
  const printed = (times: number) => page.waitForFunction(`(window.printed ?? 0) === ${times}`)
  const question = page.getByRole('dialog', { name: 'Print with this address?' })
  await opened(`/codes/print?ids=${fixed}`, page.getByText('1 label on 1 sheet'))
  await button(page, 'Print').click()
  await printed(1)
  await opened(`/codes/print?ids=${fixed},${dynamic}`, page.getByText('2 labels on 1 sheet'))
  await button(page, 'Print').click()
  await question.getByText('Only the computer of the server can open it').waitFor()
  expect(await question.getByRole('link', { name: 'Change the address' }).count()).toBe(0)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'hidden' })
  await printed(0)
  await button(page, 'Print').click()
  const reported = page.waitForRequest('**/api/server/printed')
  await question.getByRole('button', { name: 'Print anyway' }).click()
  expect((await reported).postDataJSON()).toEqual({ things: 1 })
  await printed(1)
  await button(page, 'Print').click()
  await printed(2)

  // The same of a server with an address that others can open.
  await page.route('**/api/**', async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replaceAll(
      /"publicUrl":"http:..localhost:\d+/g,
      '"publicUrl":"https://qr.test',
    )
    await route.fulfill({ response, body })
  })
  for (const [address, there] of places) {
    await opened(address, there)
    await openPass(address)
    expect(await local.count(), address).toBe(0)
  }
  await opened(`/orgs/${org.id}/poster`, page.getByText('https://qr.test/console/join', { exact: true }))
})
