/** The tables of administrators with no row, few and many rows, with slow and refused answers, and on narrow screens. */

import { beforeAll, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'

import type { Page } from 'playwright-core'

import { createAsset } from '../assets/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { until, useBrowser } from './browser.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

beforeAll(async () => {
  await createCode(alice, { name: 'Menu' })
  for (let n = 1; n <= 30; n++) await createCode(alice, { name: `Sign ${n}` })
  await createAsset(alice, { name: 'Ladder' })
  await createOrg(alice, { name: '城市图书馆' })
})

const CODES = '**/api/admin/qr-codes?*'
const heading = (page: Page) => page.getByRole('heading', { level: 1 })

test('short words in cells stand on one line, and columns without values are left out', async () => {
  const page = await browser.signedIn(admin, { locale: 'zh-CN' })
  for (const name of ['orgs', 'qr-codes', 'users', 'sessions']) {
    await page.goto(`/console/admin/${name}`)
    await page.locator('tbody tr').first().waitFor()
    const broken = await page.evaluate<string[]>(`(() => {
      const walker = document.createTreeWalker(document.querySelector('table'), NodeFilter.SHOW_TEXT)
      const broken = []
      while (walker.nextNode()) {
        const range = document.createRange()
        range.selectNodeContents(walker.currentNode)
        if (walker.currentNode.data.length <= 8 && range.getClientRects().length > 1) broken.push(walker.currentNode.data)
      }
      return broken
    })()`)
    expect({ name, broken }).toEqual({ name, broken: [] })
  }
  await page.goto('/console/admin/assets')
  await page.locator('tbody tr').first().waitFor()
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
    '',
    '名称',
    '资产编号',
    '状态',
    '所有者',
    '创建时间',
  ])
})

test('on a phone, the buttons stand beside the title and two filters share a row', async () => {
  const page = await browser.signedIn(admin, { isPhone: true })
  await page.goto('/console/admin/users')
  await page.getByRole('link', { name: alice.username }).first().waitFor()
  const middle = async (locator: ReturnType<Page['locator']>) => {
    const { y, height } = (await locator.boundingBox())!
    return y + height / 2
  }
  expect(await middle(page.getByRole('link', { name: 'New user' }))).toBeCloseTo(await middle(heading(page)), -1)
  expect(await middle(page.getByRole('button', { name: 'Export' }))).toBeCloseTo(await middle(heading(page)), -1)
  expect(await middle(page.getByPlaceholder('Search'))).toBeCloseTo(
    await middle(page.getByRole('combobox', { name: 'Status' })),
    -1,
  )
})

test('a refused answer is shown with its reason, and trying again shows the rows', async () => {
  browser.allow(/status of 503/)
  const page = await browser.signedIn(admin)
  await page.route(CODES, (route) =>
    route.fulfill({
      status: 503,
      json: { success: false, code: 50300, message: 'The server is busy. Try again in a minute.', data: null },
    }),
  )
  await page.goto('/console/admin/qr-codes')
  await page.getByRole('alert').filter({ hasText: 'The server is busy.' }).waitFor()
  expect(await page.getByText('No QR codes yet').count()).toBe(0)
  await page.unroute(CODES)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'Sign 30', exact: true }).waitFor()
})

test('a slow answer keeps the rows and shows that others are on their way', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/qr-codes')
  await page.getByRole('link', { name: 'Sign 30', exact: true }).waitFor()
  const held = Promise.withResolvers<void>()
  await page.route(CODES, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Go to next page' }).click()
  await page.getByRole('main').getByRole('progressbar', { name: 'Loading' }).waitFor()
  await page.getByRole('link', { name: 'Sign 30', exact: true }).waitFor()
  held.resolve()
  await page.getByRole('link', { name: 'Sign 1', exact: true }).waitFor()
  await page.getByRole('main').getByRole('progressbar', { name: 'Loading' }).waitFor({ state: 'detached' })
})

test('going back to a table keeps its filters and its page', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/qr-codes')
  await page.getByPlaceholder('Search').fill('Sign')
  await page.getByText('1-25 of 30').waitFor()
  await page.getByRole('button', { name: 'Go to next page' }).click()
  await page.getByText('26-30 of 30').waitFor()
  await page.getByRole('row', { name: 'Sign 5' }).getByRole('link').nth(1).click()
  await page.getByRole('tab', { name: 'Profile' }).waitFor()
  await page.goBack()
  await page.getByText('26-30 of 30').waitFor()
  expect(await page.getByPlaceholder('Search').inputValue()).toBe('Sign')
})

test('filters, order and page are in the address, and survive a reload, a row and "back"', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/qr-codes')
  await page.getByPlaceholder('Search').fill('Sign')
  await page.getByText('1-25 of 30').waitFor()
  await page.getByRole('button', { name: 'Created' }).click()
  await page.getByRole('link', { name: 'Sign 1', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Go to page 2' }).click()
  await page.getByText('26-30 of 30').waitFor()
  const shown = { keyword: 'Sign', sort: 'createdAt', page: '2' }
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual(shown)

  await page.reload()
  await page.getByText('26-30 of 30').waitFor()
  expect(await page.getByPlaceholder('Search').inputValue()).toBe('Sign')
  const order = page.getByRole('columnheader', { name: 'Created' })
  expect(await order.getAttribute('aria-sort')).toBe('ascending')

  await page.getByRole('link', { name: 'Sign 26', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ ...shown, row: expect.any(String) })
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual(shown)
  await page.goBack()
  await page.getByText('1-25 of 30').waitFor()
})

test('a filter is added from the menu, gets the focus, takes digits only and can be removed', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/qr-codes')
  await page.getByRole('link', { name: 'Sign 30', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('menuitem', { name: 'Folder number' }).click()
  await until(page, "document.activeElement.tagName === 'INPUT'")
  await page.keyboard.type('-9e9 ')
  await page.getByText('Nothing matches these filters.').waitFor()
  expect(await page.getByLabel('Folder number').inputValue()).toBe('99')
  expect(new URL(page.url()).search).toBe('?categoryId=99')
  await page.getByRole('button', { name: 'Remove this filter' }).click()
  await page.getByRole('link', { name: 'Sign 30', exact: true }).waitFor()
  expect([new URL(page.url()).search, await page.getByLabel('Folder number').count()]).toEqual(['', 0])
})

test('an address with a page that is not there, an unknown order and a time shows what there is', async () => {
  const page = await browser.signedIn(admin)
  const asked = page.waitForRequest((request) => request.url().includes('/api/admin/qr-codes?'))
  await page.goto('/console/admin/qr-codes?page=9&size=7&sort=secret&from=2020-01-01T00:00Z')
  const query = new URL((await asked).url()).searchParams
  expect(Object.fromEntries(query)).toEqual({
    from: String(Date.UTC(2020, 0, 1)),
    sort: '-createdAt',
    page: '9',
    size: '25',
  })
  await page.getByText('26-31 of 31').waitFor()
  expect(new URL(page.url()).searchParams.get('page')).toBe('2')
  expect(await page.getByLabel('From').inputValue()).toStartWith('20')
})

test('a table of 12,000 rows shows 25 of them and exports the first 10,000', async () => {
  const page = await browser.signedIn(admin)
  const [row] = ok(await admin.call('admin.qrCodes.list', { query: { size: 1 } })).data.items
  await page.route(CODES, async (route) => {
    const query = new URL(route.request().url()).searchParams
    const [from, size] = [(Number(query.get('page')) - 1) * Number(query.get('size')), Number(query.get('size'))]
    const items = Array.from({ length: size }, (_, i) => ({ ...row, id: from + i + 1, name: `编号 ${from + i + 1}` }))
    await route.fulfill({
      json: { success: true, code: 0, message: '', data: { items, total: 12_000, page: 1, size } },
    })
  })
  await page.goto('/console/admin/qr-codes')
  await page.getByText('1-25 of 12000').or(page.getByText('1-25 of 12,000')).waitFor()
  expect(await page.getByRole('row').count()).toBe(26)
  await page.getByLabel('Select all').check()
  await page.getByRole('button', { name: 'Select the first 500 of 12,000' }).click()
  await page.getByText('500 items selected').waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const file = await readFile(await (await downloading).path(), 'utf8')
  await page.getByText('Exported the first 10,000 rows.').waitFor()
  const lines = file.trimEnd().split('\r\n')
  expect(file.startsWith('\uFEFF')).toBe(true)
  expect(lines).toHaveLength(10_001)
  expect(lines.at(-1)).toStartWith('编号 10000,')
})
