/** The page of labels of assets and locations: for each kind of printer, and on phones. */

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

import { startedInventory } from '../assets/counting.ts'
import { createAsset, createLocation } from '../assets/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { codesIn, zplLabels } from '../lib/labels/labels.ts'
import { readPdf } from '../lib/pdf-files.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { newWorkspace } from './workspace.ts'

const { server, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

test('labels of a filter are drawn, saved as a printer, and downloaded for it', async () => {
  const { orgId, page } = await newWorkspace(browser, alice, {})
  for (const name of ['Laptop 1', 'Laptop 2', 'Chair']) await createAsset(alice, { name, orgId })
  await page.goto('/console/assets?keyword=Laptop')
  await page.getByRole('link', { name: 'Labels' }).first().click()
  await page.getByText('2 labels, 2 pages').waitFor()
  await page.getByText(/The first label · Laptop 2 .* 50 × 30 mm/).waitFor()
  await page.getByRole('combobox', { name: 'Code', exact: true }).click()
  await page.getByRole('option', { name: 'Data Matrix' }).click()
  await page.getByRole('checkbox', { name: 'Brand' }).check()
  await page.getByRole('button', { name: 'Save as a printer' }).click()
  await page.getByLabel('Name of the printer').fill('Zebra in the office')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('The printer was saved.').waitFor()
  const saved = ok(await alice.call('labelProfiles.list', { query: { orgId } })).data.items
  expect(saved).toMatchObject([
    { name: 'Zebra in the office', symbology: 'DATA_MATRIX', fields: ['name', 'assetNo', 'brand'] },
  ])
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'asset-labels')

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'ZPL' }).click()
  // The address of a server under test leads to this computer only.
  await page.getByRole('button', { name: 'Print anyway' }).click()
  const labels = zplLabels(readFileSync(await (await download).path(), 'utf8'))
  const { items } = ok(await alice.call('assets.list', { query: { orgId, keyword: 'Laptop' } })).data
  expect([await codesIn(labels[0]!), await codesIn(labels[1]!)].flat()).toEqual(items.map(({ publicUrl }) => publicUrl))
})

test('assets that were registered since the page was opened get labels', async () => {
  const { orgId, page } = await newWorkspace(browser, alice, {})
  await createAsset(alice, { name: 'Old', orgId })
  await page.goto(`/console/assets/labels?org=${orgId}`)
  await page.getByText('Nothing to print').waitFor()
  await createAsset(alice, { name: 'New 1', orgId })
  await createAsset(alice, { name: 'New 2', orgId })
  await page.getByRole('button', { name: 'Look again' }).click()
  await page.getByText('2 labels, 2 pages').waitFor()
  await page.getByText(/The first label · New 1/).waitFor()
})

test('a printer is corrected by what was measured on its calibration page', async () => {
  const { orgId, page } = await newWorkspace(browser, alice, {})
  const { id } = await createAsset(alice, { name: 'Piano', orgId })
  await page.goto(`/console/assets/labels?ids=${id}&org=${orgId}`)
  await page.getByText('1 label, 1 page').waitFor()
  await page.getByRole('button', { name: 'Corrections of the printer' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Print calibration page' }).click()
  const { pages } = await readPdf(readFileSync(await (await download).path()))
  expect(pages[0]).toContain('44')
  await page.getByText('44 mm wide and 24 mm high').waitFor()
  await page.getByLabel('Measured width (mm)').fill('43')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.getByLabel('Width factor').inputValue()).toBe('1.023')
})

test('locations have labels, whose codes say where the stock-taking is', async () => {
  const { orgId, page } = await newWorkspace(browser, alice, { isPhone: true, locale: 'zh-CN' })
  const hall = await createLocation(alice, orgId, 'Hall')
  await page.goto(`/console/assets/labels?source=LOCATION&org=${orgId}`)
  await page.getByText('1 个标签，共 1 页').waitFor()
  await page.getByText(/第一个标签 · Hall/).waitFor()
  expect(await barriers(page)).toEqual([])
  expect(await isTooWide(page)).toBe(false)
  await screenshot(page, 'location-labels')

  const { uuid, publicUrl } = ok(await alice.call('locations.tree', { params: { orgId } })).data[0]!
  await page.goto(`/console/places/${uuid}`)
  await page.getByRole('heading', { name: 'Hall' }).waitFor()
  const { id } = await startedInventory(alice, { orgId })
  await page.goto(`/console/assets/inventories/${id}`)
  await page.getByLabel('资产编号、序列号或链接').fill(publicUrl)
  await page.getByRole('button', { name: '录入' }).click()
  await page.getByText('当前位置：Hall').waitFor()
  await createAsset(alice, { orgId, assetNo: 'P-1' })
  await page.getByLabel('资产编号、序列号或链接').fill('P-1')
  await page.getByRole('button', { name: '录入' }).click()
  await page.getByText('P-1').first().waitFor()
  const { items } = ok(await alice.call('inventories.items', { params: { id }, query: { orgId } })).data
  expect(items).toMatchObject([{ assetNo: 'P-1', locationId: hall }])
})
