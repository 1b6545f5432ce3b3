/** Maintenance, value and counts of assets in the web application. */

import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { createAsset, getAsset } from '../assets/helpers.ts'
import { createCategory } from '../assets/places.ts'
import { ok, useServer } from '../harness/index.ts'
import { isTooWide, type PageOptions, screenshot, useBrowser } from './browser.ts'
import { choose, newWorkspace } from './workspace.ts'

const { server, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)
const workspace = (options: PageOptions = {}) => newWorkspace(browser, alice, options)

const dialogButton = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

test('a plan for a category makes its assets due, and what is done moves the date', async () => {
  const { orgId, page } = await workspace()
  const { id: categoryId } = await createCategory(alice, 'Machines', { orgId })
  const { id } = await createAsset(alice, { name: 'Drill', categoryId, orgId })
  await page.goto('/console/assets/maintenance')
  await page.getByText('Nothing is due').waitFor()
  await page.getByRole('button', { name: 'New plan' }).click()
  await page.getByLabel('Name').fill('Safety check')
  await choose(page, 'Assets of this category', 'Machines')
  await page.getByLabel('First due date').fill('2026-01-31')
  await page.getByLabel('Interval').fill('1')
  await screenshot(page, 'maintenance-plan')
  await dialogButton(page, 'Save').click()
  await closed(page)
  await page.getByRole('link', { name: /^Drill/ }).waitFor()
  await page.getByText(/Safety check · overdue since/).waitFor()
  await screenshot(page, 'maintenance')

  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await page.getByLabel('Done on').fill('2026-01-31')
  await page.getByLabel('Cost').fill('49.9')
  await page.getByLabel('Company').fill('Volt Ltd')
  await page.setInputFiles('input[type=file]', {
    name: 'report.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('fine'),
  })
  await page.getByRole('dialog').getByText('report.txt').waitFor()
  await screenshot(page, 'maintenance-record')
  await dialogButton(page, 'Save').click()
  await closed(page)
  expect(ok(await getAsset(alice, id)).data.nextMaintenance).toBe('2026-02-28')

  await page.getByRole('link', { name: /^Drill/ }).click()
  const list = page.getByRole('list', { name: 'Done' })
  await list.getByText('49.90 · Volt Ltd').waitFor()
  await list.getByRole('link', { name: 'report.txt' }).waitFor()
  await screenshot(page, 'maintenance-asset')
  await list.getByRole('button', { name: 'Delete' }).click()
  await dialogButton(page, 'Delete').click()
  await page.getByText('Nothing is recorded yet.').waitFor()
  expect(ok(await getAsset(alice, id)).data.nextMaintenance).toBe('2026-01-31')
})

test('the page of maintenance fits a phone, in Chinese', async () => {
  const { orgId, page } = await workspace({ isPhone: true, locale: 'zh-CN' })
  const asset = await createAsset(alice, { name: '投影仪', orgId })
  const plan = {
    name: '年度检查',
    kind: 'INSPECTION',
    every: { months: 12 },
    firstDue: '2026-01-31',
    assetId: asset.id,
  } as const
  ok(await alice.call('assetPlans.create', { query: { orgId }, body: { ...plan, orgId } }))
  await page.goto('/console/assets/maintenance')
  await page.getByText(/年度检查 · 已逾期/).waitFor()
  expect(await isTooWide(page)).toBe(false)
  await screenshot(page, 'maintenance-phone')
  await page.goto(`/console/assets/${asset.id}`)
  await page.getByText(/已逾期：/).waitFor()
  expect(await isTooWide(page)).toBe(false)
  await screenshot(page, 'maintenance-asset-phone')
})

test('the depreciation of a category gives the value in the report, which is saved as a file', async () => {
  const { orgId, page } = await workspace()
  const { id: categoryId } = await createCategory(alice, 'Laptops', { orgId })
  await createAsset(alice, { name: 'Laptop', categoryId, orgId, purchaseDate: '2025-01-15', purchasePrice: '1200' })
  await page.goto('/console/assets/categories')
  await page.getByRole('button', { name: 'Actions for Laptops' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await choose(page, 'Depreciation', 'Straight line')
  await page.getByLabel('Useful life in months').fill('36')
  await page.getByLabel('Count every … months').fill('12')
  await screenshot(page, 'category-depreciation')
  await dialogButton(page, 'Save').click()
  await closed(page)
  await page.goto('/console/assets/reports')
  await page.getByLabel('On the day').fill('2025-11-15')
  await page.getByRole('cell', { name: '866.67' }).waitFor()
  expect(await page.getByRole('region', { name: 'Value' }).innerText()).toContain('333.33')
  await screenshot(page, 'reports')
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  expect(file.suggestedFilename()).toBe('depreciation-2025-11-15.csv')
})

test('the result of a closed stock-taking is previewed and applied', async () => {
  const { orgId, page } = await workspace()
  const { id } = await createAsset(alice, { name: 'Keyboard', orgId })
  const { id: found } = await createAsset(alice, { name: 'Mouse', orgId })
  const inventory = ok(await alice.call('inventories.create', { query: { orgId }, body: { name: 'Autumn' } })).data
  const target = { params: { id: inventory.id }, query: { orgId } }
  ok(await alice.call('inventories.update', { ...target, body: { status: 'RUNNING' } }))
  ok(await alice.call('inventories.scan', { ...target, body: { assetId: found } }))
  ok(await alice.call('inventories.update', { ...target, body: { status: 'CLOSED' } }))
  await page.goto(`/console/assets/inventories/${inventory.id}`)
  await page.getByRole('button', { name: 'Apply' }).click()
  await dialogButton(page, 'Preview').click()
  await page.getByText('1 asset changes.').waitFor()
  expect(ok(await getAsset(alice, id)).data.status).toBe('IN_USE')
  await screenshot(page, 'inventory-apply')
  await dialogButton(page, 'Apply').click()
  await page.getByText('The result was applied.').waitFor()
  expect(ok(await getAsset(alice, id)).data.status).toBe('LOST')
})
