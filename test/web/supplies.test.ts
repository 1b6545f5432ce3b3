/** Supplies in the web application: the list, the form, movements, taking some by oneself, labels, and the list of administrators. */

import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { createLocation } from '../assets/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { addMembers } from '../orgs/helpers.ts'
import { barriers, isTooWide, type PageOptions, screenshot, useBrowser } from './browser.ts'
import { choose, newWorkspace } from './workspace.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)
const workspace = (options: PageOptions = {}) => newWorkspace(browser, alice, options)

const dialogButton = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })
const addSupply = async (fields: object) =>
  ok(await alice.call('supplies.create', { body: { name: 'Toner', ...fields } })).data
const getSupply = async (id: number) => ok(await alice.call('supplies.get', { params: { id } })).data
const move = async (id: number, body: object) =>
  ok(await alice.call('supplies.move', { params: { id }, body: body as never })).data

test('a supply is registered, filled, handed out and counted, and a movement is reversed', async () => {
  browser.allow(/status of 400/)
  const { orgId, page } = await workspace()
  await createLocation(alice, orgId, 'Storeroom')
  await page.goto('/console/assets/supplies')
  await page.getByText('No supplies yet').waitFor()
  await screenshot(page, 'supplies-empty')
  await page.getByRole('main').getByRole('link', { name: 'Add supply' }).last().click()
  await page.getByLabel('Name').fill('Whiteboard markers')
  await page.getByLabel('Unit').fill('box')
  await page.getByLabel('Minimum').fill('5')
  await page.getByLabel('Stock after an order').fill('20')
  await page.getByLabel('Price of one').fill('4.9')
  await screenshot(page, 'supply-form')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('The supply was registered.').waitFor()
  const id = Number(/supplies\/(\d+)/.exec(page.url())?.[1])
  expect(await getSupply(id)).toMatchObject({ unit: 'box', minimum: 5, target: 20, price: '4.90', stock: 0 })

  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByLabel('Quantity (box)').fill('12')
  await choose(page, 'Where', 'Storeroom')
  await screenshot(page, 'supply-in')
  await dialogButton(page, 'Book').click()
  await closed(page)
  await page.getByRole('button', { name: 'Hand out' }).click()
  await page.getByLabel('Quantity (box)').fill('20')
  await dialogButton(page, 'Book').click()
  await page.getByText(/is more than there are: 12 are left/).waitFor()
  await page.getByLabel('Quantity (box)').fill('9')
  await dialogButton(page, 'Book').click()
  await closed(page)
  await page.getByText('Low', { exact: true }).waitFor()
  await page.getByText('Taken: -9 box').waitFor()
  await screenshot(page, 'supply-page')
  expect((await getSupply(id)).stock).toBe(3)

  await page.getByRole('button', { name: 'Reverse' }).first().click()
  await dialogButton(page, 'Reverse').click()
  await closed(page)
  await page.getByText('Taken: +9 box').waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Count' }).click()
  await page.getByLabel('How many are there').fill('10')
  await dialogButton(page, 'Book').click()
  await closed(page)
  await page.getByText('Counted: -2 box').waitFor()
  expect((await getSupply(id)).stock).toBe(10)
})

test('several supplies are booked at once, and the list is filtered', async () => {
  const { orgId, page } = await workspace()
  const toner = await addSupply({ name: 'Toner', orgId, minimum: 3 })
  const chalk = await addSupply({ name: 'Chalk', orgId })
  await page.goto('/console/assets/supplies')
  await page.getByRole('checkbox', { name: 'Select Toner' }).check()
  await page.getByRole('checkbox', { name: 'Select Chalk' }).check()
  await page.getByRole('button', { name: 'Book movements' }).click()
  await page.getByLabel(/^Toner/).fill('2')
  await page.getByLabel(/^Chalk/).fill('7')
  await screenshot(page, 'supplies-several')
  await dialogButton(page, 'Book').click()
  await closed(page)
  expect([(await getSupply(toner.id)).stock, (await getSupply(chalk.id)).stock]).toEqual([2, 7])
  await page.getByText('7 pcs').waitFor()
  await choose(page, 'Stock', 'Below the minimum')
  await page.getByText('7 pcs').waitFor({ state: 'detached' })
  await page.getByText('2 pcs').waitFor()
  await screenshot(page, 'supplies')
  await page.goto('/console/assets/supplies/movements')
  await page.getByRole('link', { name: 'Chalk' }).waitFor()
  await screenshot(page, 'supply-movements')
  await page.getByRole('button', { name: 'Export' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'CSV' }).click()])
  expect(file.suggestedFilename()).toStartWith('supply-movements-')
})

test('chairs are lent and taken back from the list of people', async () => {
  const { orgId, page } = await workspace()
  const { id } = await addSupply({ name: 'Chairs', kind: 'POOL', orgId })
  await move(id, { type: 'IN', quantity: 40 })
  await page.goto(`/console/assets/supplies/${id}`)
  await page.getByRole('button', { name: 'Hand out' }).click()
  await page.getByRole('button', { name: 'Someone else' }).click()
  await page.getByLabel('Name').fill('Ms Chen')
  await page.getByLabel('Quantity (pcs)').fill('30')
  await dialogButton(page, 'Book').click()
  await closed(page)
  const people = page.getByRole('list', { name: 'Who has some' })
  await people.getByText('Ms Chen: 30 pcs').waitFor()
  await screenshot(page, 'supply-lent')
  await people.getByRole('button', { name: 'Take back' }).click()
  await page.getByLabel('Quantity (pcs)').fill('10')
  await dialogButton(page, 'Book').click()
  await closed(page)
  await people.getByText('Ms Chen: 20 pcs').waitFor()
  expect(await getSupply(id)).toMatchObject({ stock: 20, lent: 20 })
})

test('a member takes some from the page of the code, also without a connection', async () => {
  browser.allow(/ERR_INTERNET_DISCONNECTED|ERR_FAILED|status of 40[04]|WebSocket/)
  const { orgId } = await workspace()
  await addMembers(alice, { id: orgId }, bob)
  const supply = await addSupply({ name: 'Toner', orgId, selfService: true, maxPerTake: 2 })
  await move(supply.id, { type: 'IN', quantity: 5 })
  const page = await browser.signedIn(bob, { isPhone: true })
  await page.goto(`/console/take/${supply.uuid}`)
  await page.getByText('5 pcs left').waitFor()
  expect(await isTooWide(page)).toBe(false)
  await screenshot(page, 'take-phone')
  await page.getByLabel('Quantity (pcs)').fill('2')
  await page.getByRole('button', { name: 'Take', exact: true }).click()
  await page.getByText('You took 2 pcs. 3 are left.').waitFor()
  await page.getByLabel('Quantity (pcs)').fill('3')
  await page.getByRole('button', { name: 'Take', exact: true }).click()
  await page.getByText(/must be at most 2 at once/).waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByText(/must be at most 2 at once/).waitFor({ state: 'detached' })

  await page.context().setOffline(true)
  await page.getByLabel('Quantity (pcs)').fill('1')
  await page.getByRole('button', { name: 'Take', exact: true }).click()
  await page.getByText(/1 entry waits on this device/).waitFor()
  await screenshot(page, 'take-offline')
  expect((await getSupply(supply.id)).stock).toBe(3)
  await page.context().setOffline(false)
  await page.getByText('You took 1 pcs. 2 are left.').waitFor()
  expect((await getSupply(supply.id)).stock).toBe(2)
  await page.goto('/console/take/00000000-0000-4000-8000-000000000000')
  await page.getByText('No such supply').waitFor()
})

const csv = (text: string | Uint8Array) => ({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
const supplies = async (orgId: number) =>
  ok(await alice.call('supplies.list', { query: { orgId, size: 100 } })).data.items

for (const isPhone of [false, true])
  test(`a foreign list is imported with a chosen header and decimal sign, ${isPhone ? 'on a phone' : 'on a desktop'}`, async () => {
    const { orgId, page } = await workspace({ isPhone })
    const shelf = await createLocation(alice, orgId, 'Shelf')
    await page.goto('/console/assets/supplies/import')
    const list = 'Bestand;;;;;\nvon November;;;;;\nArtikel;Menge;Preis;Ort;Category;Was\n'
    await page
      .locator('input[type=file]')
      .setInputFiles(csv(`${list}Toner;4;1.200;Regal;Office;x\nKreide;12;2.000;Halle / Schrank;Office;x\n`))
    await page.getByRole('button', { name: 'Row 2 is the header' }).click()
    await page.getByText('Row 2 is the header.').waitFor()
    await page.getByRole('button', { name: 'Row 3 is the header' }).click()
    await page.getByText('Row 3 is the header.').waitFor()
    for (const [header, target] of [
      ['Artikel', 'Name'],
      ['Menge', 'Stock'],
      ['Preis', 'Price of one'],
      ['Ort', 'Location'],
    ] as const)
      await choose(page, header, target)
    await choose(page, 'Decimal separator of texts', 'Comma: 1.849,78')
    await page.getByRole('button', { name: 'Check again' }).click()
    await choose(page, 'Location: Regal (1 row)', 'Shelf')
    await page.getByLabel('Create missing categories').check()
    await page.getByLabel('Create missing locations').check()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Check again' }).click()
    const preview = page.getByRole('region', { name: 'First rows' })
    await preview.getByText('Halle / Schrank').waitFor()
    await preview.getByText('2000.00').waitFor()
    await preview.getByText('in the file: 2.000').waitFor()
    await page.getByRole('button', { name: 'Save as a mapping' }).click()
    await page.getByRole('textbox', { name: 'Name of the mapping' }).fill('Bestandsliste')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('The mapping was saved.').waitFor()
    expect(await isTooWide(page)).toBe(false)
    await screenshot(page, `supplies-import${isPhone ? '-phone' : ''}`)
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByRole('heading', { name: 'The import is finished' }).waitFor()
    const [halle] = (ok(await alice.call('locations.tree', { params: { orgId } })).data as unknown as Place[]).filter(
      ({ name }) => name === 'Halle',
    )
    const [office] = ok(await alice.call('assetCategories.tree', { query: { orgId } })).data as unknown as Place[]
    expect(office!.name).toBe('Office')
    expect(
      (await supplies(orgId))
        .map(({ name, stock, price, byLocation, categoryId }) => [
          name,
          stock,
          price,
          byLocation[0]!.locationId,
          categoryId,
        ])
        .toSorted(),
    ).toEqual([
      ['Kreide', 12, '2000.00', halle!.children[0]!.id, office!.id],
      ['Toner', 4, '1200.00', shelf, office!.id],
    ])

    // The next list is read with the saved mapping.
    await page.getByRole('button', { name: 'Import another file' }).click()
    await page.locator('input[type=file]').setInputFiles(csv(`${list}Stifte;7;0,50;Regal;Office;x\n`))
    await page.getByRole('button', { name: 'Use the saved mapping' }).click()
    await page.getByText('The file is read with the saved mapping “Bestandsliste”.').waitFor()
    expect(await isTooWide(page)).toBe(false)
    await screenshot(page, `supplies-import-mapping${isPhone ? '-phone' : ''}`)
    await page.getByText('Columns: Artikel, Menge, Preis, Ort, Category, Was').waitFor()
    await page.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByRole('heading', { name: 'The import is finished' }).waitFor()
    expect((await supplies(orgId)).find(({ name }) => name === 'Stifte')).toMatchObject({ stock: 7, price: '0.50' })
  })

interface Place {
  readonly id: number
  readonly name: string
  readonly children: readonly Place[]
}

test('a list in another encoding is read as chosen', async () => {
  const { orgId, page } = await workspace({ locale: 'zh-CN' })
  await page.goto('/console/assets/supplies/import')
  // “名称,库存 / 粉笔,3” in GB 18030.
  const bytes = Uint8Array.fromHex('c3fbb3c62cbfe2b4e60ab7dbb1ca2c330a')
  await page.locator('input[type=file]').setInputFiles(csv(bytes))
  await page.getByRole('region', { name: '前几行' }).getByText('粉笔').waitFor()
  await choose(page, '文本编码', 'windows-1252')
  await page.getByRole('button', { name: '重新检查' }).click()
  await page.getByText('·Û±Ê').first().waitFor()
  await choose(page, '文本编码', 'gb18030')
  await page.getByRole('button', { name: '重新检查' }).click()
  await page.getByRole('region', { name: '前几行' }).getByText('粉笔').waitFor()
  await page.getByRole('button', { name: '导入 1 行' }).click()
  await page.getByRole('heading', { name: '导入完成' }).waitFor()
  expect((await supplies(orgId)).map(({ name, stock }) => [name, stock])).toEqual([['粉笔', 3]])
})

test('the pages of supplies fit a phone, in Chinese', async () => {
  const { orgId, page } = await workspace({ isPhone: true, locale: 'zh-CN' })
  const { id } = await addSupply({ name: '粉笔', unit: '盒', minimum: 5, orgId })
  await move(id, { type: 'IN', quantity: 3 })
  for (const [path, text] of [
    ['supplies', '3 盒'],
    [`supplies/${id}`, '入库：+3 盒'],
    ['supplies/movements', '入库：+3'],
    ['supplies/new', '登记物料'],
  ] as const) {
    await page.goto(`/console/assets/${path}`)
    await page.getByText(text).first().waitFor()
    expect([path, await isTooWide(page)]).toEqual([path, false])
    await screenshot(page, `${path.replaceAll('/', '-')}-phone`)
  }
})

test('labels of supplies are drawn and counted', async () => {
  const { orgId, page } = await workspace()
  const { id } = await addSupply({ name: 'Toner', supplyNo: 'T-1', orgId })
  await addSupply({ name: 'Chalk', supplyNo: 'C-1', orgId })
  await page.goto(`/console/assets/labels?source=SUPPLY&ids=${id}&org=${orgId}`)
  await page.getByText('1 label, 1 page').waitFor()
  await page.goto(`/console/assets/labels?source=SUPPLY&all=1&org=${orgId}`)
  await page.getByText('2 labels, 2 pages').waitFor()
  await screenshot(page, 'supply-labels')
})

test('administrators see the supplies of all owners', async () => {
  const { id } = await addSupply({ name: 'Own toner' })
  await move(id, { type: 'IN', quantity: 4 })
  const page = await browser.signedIn(await server.admin())
  await page.goto('/console/admin/supplies')
  await page.getByText('Own toner').click()
  await page.getByText('4 pcs').waitFor()
  await screenshot(page, 'admin-supplies')
})
