/** The page that imports assets: saved mappings, missing locations and quantities. */

import { describe, expect, test } from 'bun:test'

import { ok, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { choose, newWorkspace } from './workspace.ts'

const { server, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

const csv = (text: string) => ({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
const listed = async (orgId: number) => ok(await alice.call('assets.list', { query: { orgId, size: 100 } })).data.items

describe('a list that comes again', () => {
  for (const isPhone of [false, true])
    test(`is read with a saved mapping, ${isPhone ? 'on a phone' : 'on a desktop'}`, async () => {
      const { orgId, page } = await newWorkspace(browser, alice, { isPhone })
      const mappings = async () => ok(await alice.call('importMappings.list', { query: { orgId } })).data.items
      const file = page.locator('input[type=file]')
      await page.goto('/console/assets/import')
      await file.setInputFiles(csv('Gerät;Zustand\nBeamer;läuft\n'))
      await page.getByText('choose which of its columns is the name').waitFor()
      await choose(page, 'Gerät', 'Name')
      await choose(page, 'Zustand', 'Status')
      await page.getByRole('button', { name: 'Check again' }).click()
      await choose(page, 'Status: läuft (1 row)', 'In use')
      await page.getByRole('button', { name: 'Save as a mapping' }).click()
      await page.getByRole('textbox', { name: 'Name of the mapping' }).fill('Geräteliste')
      expect(await barriers(page)).toEqual([])
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByText('The mapping was saved.').waitFor()
      expect(await mappings()).toMatchObject([
        { name: 'Geräteliste', headings: ['Gerät', 'Zustand'], options: { statusMap: '{"läuft":"IN_USE"}' } },
      ])

      await page.goto('/console/assets/import')
      await file.setInputFiles(csv('Zustand;Gerät\nläuft;Tisch\nläuft;Stuhl\n'))
      await page.getByText('A mapping was saved for files with these columns: “Geräteliste”.').waitFor()
      expect(await isTooWide(page)).toBe(false)
      await screenshot(page, `import-saved-mapping${isPhone ? '-phone' : ''}`)
      await page.getByRole('button', { name: 'Use the saved mapping' }).click()
      await page.getByText('The file is read with the saved mapping “Geräteliste”.').waitFor()
      await choose(page, 'Rows with', 'new numbers only')
      await page.getByRole('button', { name: 'Save to “Geräteliste”' }).click()
      await page.getByText('The mapping was saved.').waitFor()
      await page.getByRole('button', { name: 'Check again' }).click()
      await page.getByRole('button', { name: 'Import 2 rows' }).click()
      await page.getByRole('heading', { name: 'The import is finished' }).waitFor()
      expect((await listed(orgId)).map(({ name, status }) => `${name} ${status}`).toSorted()).toEqual([
        'Stuhl IN_USE',
        'Tisch IN_USE',
      ])
      expect(await mappings()).toMatchObject([{ options: { mode: 'CREATE' }, version: 2 }])

      await page.goto('/console/assets/imports')
      await page.getByText('Columns: Gerät, Zustand').waitFor()
      expect(await barriers(page)).toEqual([])
      expect(await isTooWide(page)).toBe(false)
      await screenshot(page, `import-mappings${isPhone ? '-phone' : ''}`)
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('textbox', { name: 'Name of the mapping' }).fill('Monatsliste')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByText('Monatsliste').waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByText('The mapping was deleted.').waitFor()
      await page.getByRole('heading', { name: 'Saved mappings' }).waitFor({ state: 'detached' })
      expect(await mappings()).toEqual([])
    })
})

test('missing locations and the pieces of a quantity are created on request, and undone', async () => {
  const { orgId, page } = await newWorkspace(browser, alice, { isPhone: true, locale: 'zh-CN' })
  const rooms = async () => ok(await alice.call('locations.tree', { params: { orgId } })).data
  await page.goto('/console/assets/import')
  await page.locator('input[type=file]').setInputFiles(csv('品名,数量,存放地点\n椅子,12,主楼 / 201\n'))
  await page.getByText('为数量，但该行按一项资产读取').waitFor()
  await page.getByLabel('自动新建缺少的位置').check()
  await page.getByLabel('数量中的每一件生成一项资产').check()
  await page.getByRole('button', { name: '重新检查' }).click()
  await page.getByRole('button', { name: '导入 12 项资产' }).waitFor()
  expect(await isTooWide(page)).toBe(false)
  await screenshot(page, 'import-quantity-zh')
  await page.getByRole('button', { name: '导入 12 项资产' }).click()
  await page.getByRole('heading', { name: '导入完成' }).waitFor()
  const [main] = await rooms()
  expect([main!.name, main!.children[0]!.name]).toEqual(['主楼', '201'])
  expect((await listed(orgId)).map(({ locationId }) => locationId)).toEqual(
    Array.from({ length: 12 }, () => main!.children[0]!.id),
  )
  await page.goto('/console/assets/imports')
  await page.getByRole('button', { name: '撤销' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '撤销' }).click()
  await page.getByText('导入已撤销。').waitFor()
  expect(await listed(orgId)).toEqual([])
  expect(await rooms()).toEqual([])
})
