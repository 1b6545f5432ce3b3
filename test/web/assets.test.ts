/** The pages of assets in the web application: register, loans, stock-taking, import, categories, fields and templates. */

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

import { createAsset, createLocation } from '../assets/helpers.ts'
import { png } from '../files/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { readPdf } from '../lib/pdf-files.ts'
import { barriers, isTooWide, type PageOptions, screenshot, useBrowser } from './browser.ts'
import { choose, newWorkspace } from './workspace.ts'

const { server, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

const workspace = (options: PageOptions = {}) => newWorkspace(browser, alice, options)
const listed = async (orgId: number) => ok(await alice.call('assets.list', { query: { orgId } })).data.items
const fieldOf = async (orgId: number, name: string, type: string, config: object = {}) =>
  ok(await alice.post(`/api/orgs/${orgId}/meta/objects/asset/fields`, { name, key: name.toLowerCase(), type, config }))
    .data as { id: number }

describe('the register', () => {
  test('an asset is registered with category, place and photo, changed, lent, taken back, handed over and deleted', async () => {
    const { orgId, page } = await workspace()
    await createLocation(alice, orgId, 'Library', await createLocation(alice, orgId, 'Main building'))
    ok(await alice.call('assetCategories.create', { query: { orgId }, body: { name: 'Laptops' } }))

    await page.goto('/console/assets')
    await page.getByRole('heading', { name: 'No assets yet' }).waitFor()
    await page.keyboard.press('n')
    await page.getByRole('textbox', { name: 'Name' }).fill('ThinkPad X1')
    await choose(page, 'Category', 'Laptops')
    await choose(page, 'Location', 'Library')
    await page.getByLabel('Brand').fill('Lenovo')
    await page.getByLabel('Purchase price').fill('1999.90')
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from(png(64)) })
    await page.getByAltText('photo 1').waitFor()
    await page.getByRole('button', { name: 'Register', exact: true }).click()

    await page.getByText('The asset was registered.').waitFor()
    await page.getByText('Main building / Library').waitFor()
    // Where it is, and who has it if somebody does, come first.
    expect(await page.locator('#main-content dl dt').first().innerText()).toBe('Location')
    const [asset] = await listed(orgId)
    expect(asset).toMatchObject({ name: 'ThinkPad X1', brand: 'Lenovo', purchasePrice: '1999.90', status: 'IN_USE' })
    expect(asset!.photos).toHaveLength(1)
    await page.getByAltText(`QR code of ${asset!.assetNo}`).waitFor()

    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('')
    await page.getByRole('textbox', { name: 'Name' }).fill('ThinkPad X1 Carbon')
    await choose(page, 'Status', 'In repair')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'ThinkPad X1 Carbon', level: 1 }).waitFor()
    expect(await listed(orgId)).toMatchObject([{ name: 'ThinkPad X1 Carbon', status: 'REPAIR', brand: 'Lenovo' }])

    await page.getByRole('button', { name: 'Lend' }).click()
    await page.getByRole('button', { name: 'Someone else' }).click()
    await page.getByLabel('Name of the borrower').fill('Ms Chen')
    await page.getByLabel('Due back').fill('2999-01-31')
    await page.getByRole('dialog').getByRole('button', { name: 'Lend' }).click()
    await page.getByText('Lent to Ms Chen. Due back on').waitFor()
    expect((await listed(orgId))[0]!.loan).toMatchObject({ personName: 'Ms Chen' })

    await page.getByRole('button', { name: 'Take back' }).click()
    await choose(page, 'Condition', 'Damaged')
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
    await page.getByText('The asset is back.').waitFor()
    const loans = ok(await alice.call('assets.loans', { query: { orgId } })).data.items
    expect(loans).toMatchObject([{ condition: 'DAMAGED', checkedInAt: expect.any(Number) }])

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Hand over' }).click()
    await choose(page, 'New custodian', /./)
    await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click()
    await page.getByRole('tab', { name: 'Hand-overs' }).click()
    await page.getByText('Custodian: nobody →').waitFor()
    expect((await listed(orgId))[0]!.custodianId).toBe(alice.id)

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('This cannot be undone').waitFor()
    expect(await listed(orgId)).toHaveLength(1)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No assets yet' }).waitFor()
    expect(await listed(orgId)).toEqual([])
  })

  test('a refusal is shown at its field, and the form keeps the values that were entered', async () => {
    browser.allow(/status of 4/)
    const { orgId, page } = await workspace({ isPhone: true, locale: 'zh-CN' })
    ok(await alice.call('assets.create', { query: { orgId }, body: { name: 'first', assetNo: 'A-1' } }))
    await page.goto('/console/assets/new')
    await page.getByRole('textbox', { name: '名称' }).fill('投影仪')
    await page.getByRole('textbox', { name: '资产编号' }).fill('a-1')
    await page.getByRole('button', { name: '登记', exact: true }).click()
    await page.locator('[name=assetNo][aria-invalid=true]').waitFor()
    expect(await page.getByRole('textbox', { name: '名称' }).inputValue()).toBe('投影仪')
    await page.getByRole('textbox', { name: '资产编号' }).fill('A-2')
    await page.getByRole('button', { name: '登记', exact: true }).click()
    await page.getByRole('heading', { name: '投影仪', level: 1 }).waitFor()
    expect(await listed(orgId)).toHaveLength(2)
  })

  test('the list is searched and filtered by its address, and selected assets are changed together', async () => {
    const { orgId, page } = await workspace()
    const field = await fieldOf(orgId, 'Grade', 'SELECT', { options: ['A', 'B'] })
    for (const [name, value] of [
      ['Chair', 'A'],
      ['Desk', 'B'],
      ['Lamp', 'B'],
    ] as const)
      await createAsset(alice, { name, orgId, values: [{ fieldId: field.id, value }] })
    await page.goto('/console/assets?sort=name')
    await page.getByText('3 assets').waitFor()
    await page.keyboard.press('f')
    await page.keyboard.type('no such thing')
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.getByRole('button', { name: 'Remove all filters' }).click()
    await page.getByRole('button', { name: 'Filters' }).click()
    await choose(page, 'Filter by another field', 'Grade')
    await choose(page, 'Grade', 'B')
    await page.getByText('2 assets').waitFor()
    expect(await page.getByRole('link', { name: 'Chair' }).count()).toBe(0)

    await page.getByLabel('Select all shown').check()
    await page.getByRole('button', { name: 'Change' }).click()
    await choose(page, 'Status', 'Lost')
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
    await page.getByText('2 assets were changed.').waitFor()
    const states = (await listed(orgId)).map(({ name, status }) => `${name} ${status}`)
    expect(states.toSorted()).toEqual(['Chair IN_USE', 'Desk LOST', 'Lamp LOST'])
  })

  test('deleting goes on after a refusal, says why, and keeps the refused asset selected', async () => {
    const { orgId, page } = await workspace()
    const query = { orgId }
    for (const name of ['Chair', 'Desk', 'Lamp']) {
      const asset = await createAsset(alice, { name, orgId })
      if (name === 'Chair')
        ok(await alice.call('assets.checkOut', { params: { id: asset.id }, query, body: { personName: 'Ms Chen' } }))
    }
    await page.goto('/console/assets?sort=name')
    await page.getByText('3 assets').waitFor()
    await page.getByLabel('Select all shown').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    browser.allow(/status of 400/)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 assets were deleted.').waitFor()
    await page.getByText('One was left as it is:').waitFor()
    await page
      .getByRole('alert')
      .getByText(/on loan/)
      .waitFor()
    await page.getByText('1 selected').waitFor()
    expect(await page.getByLabel('Select Chair').isChecked()).toBe(true)
    expect((await listed(orgId)).map(({ name }) => name)).toEqual(['Chair'])
  })

  test('positions are drawn on a plane that shows where they are, and opened from it and from the list', async () => {
    const { orgId, page } = await workspace()
    // A street of 110 lamps in one direction, and a pump 4 km north of it.
    for (let i = 0; i < 110; i++)
      await createAsset(alice, { name: `Lamp ${i}`, orgId, latitude: 31.2 + i / 1e6, longitude: 121.4 + i / 1e6 })
    const pump = await createAsset(alice, { name: 'Pump', orgId, latitude: 31.236, longitude: 121.4 })
    await page.goto('/console/assets/map')
    await page.getByText('111 assets with a position').waitFor()
    const plane = page.getByRole('img', { name: 'Plane of positions' })
    const spots = plane.locator('circle')
    expect(await spots.count()).toBeGreaterThan(1)
    await plane.getByText(/^[125] km$/).waitFor()
    expect(await barriers(page)).toEqual([])
    await screenshot(page, 'assets-plane')
    // North is up: the group of the pump, which is the smaller one, is above the other.
    const height = async (n: number) => (await spots.nth(n).boundingBox())!.y
    const titles = await spots.evaluateAll((all) => all.map((one) => one.textContent!))
    const [small, large] = [titles.indexOf('1 asset'), titles.findIndex((title) => /^1\d\d /.test(title))]
    expect(await height(small)).toBeLessThan(await height(large))

    await spots.nth(small).click()
    await page.getByRole('link', { name: 'Pump', exact: true }).waitFor()
    await spots.first().click()
    await page.waitForURL(`**/console/assets/${pump.id}`)
    await page.goBack()
    await page.getByRole('button', { name: 'Show all again' }).click()
    await page.getByText('111 assets with a position').waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: '110 assets' })
      .getByRole('button', { name: 'Show them' })
      .press('Enter')
    await page.getByText('110 assets with a position').waitFor()
    expect(await spots.count()).toBeGreaterThan(1)
  })

  test('labels of more than 100 assets are printed on sheets, and missing ones are mentioned', async () => {
    const { orgId, page } = await workspace()
    const ids: number[] = []
    for (let i = 0; i < 101; i++) ids.push((await createAsset(alice, { name: `Chair ${i}`, orgId })).id)
    await page.goto(`/console/assets/labels?ids=${[...ids, 999_999].join(',')}&org=${orgId}`)
    await page.getByText('101 labels, 101 pages').waitFor()
    await page.getByText('One has no label').waitFor()
    await page.getByRole('combobox', { name: 'Medium' }).click()
    await page.getByRole('option', { name: /Avery L7160/ }).click()
    await page.getByText('101 labels, 5 pages').waitFor()
    await page.getByText(/The first label · Chair 0 .* 63.5 × 38.1 mm/).waitFor()
    await page.getByRole('checkbox', { name: 'Organization', exact: true }).check()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'PDF', exact: true }).click()
    // The address of the server under test is none that phones can open.
    await page.getByRole('button', { name: 'Print anyway' }).click()
    const pdf = await readPdf(readFileSync(await (await download).path()))
    expect(pdf.pages).toHaveLength(5)
    expect(pdf.pages[4]).toContain('Chair 100')
    const { name } = ok(await alice.call('orgs.get', { params: { id: orgId } })).data
    expect(pdf.pages[0]).toContain(name)
  })
})

describe('fields and templates', () => {
  test('the form has an input for each type of field and stores the values', async () => {
    const { orgId, page } = await workspace()
    const options = { options: ['red', 'blue'] }
    await createAsset(alice, { name: 'Charger', orgId })
    for (const [name, type, config] of [
      ['Serial', 'TEXT', {}],
      ['Story', 'TEXTAREA', {}],
      ['Volts', 'NUMBER', { unit: 'V' }],
      ['Checked', 'DATE', {}],
      ['Seen', 'DATETIME', {}],
      ['Insured', 'BOOLEAN', { trueLabel: 'Insured', falseLabel: 'Not insured' }],
      ['Shade', 'SELECT', options],
      ['Side', 'RADIO', options],
      ['Tags', 'MULTI_SELECT', options],
      ['Parts', 'CHECKBOX', options],
      ['Manual', 'ATTACHMENT', {}],
      ['Damage', 'PHOTO', {}],
      ['Spot', 'GEO', {}],
      ['Partner', 'REF', { target: 'ASSET' }],
      ['Twice', 'COMPUTED', { formula: '{volts} * 2', resultType: 'NUMBER' }],
    ] as const)
      await fieldOf(orgId, name, type, config)
    await page.goto('/console/assets/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Kit')
    await page.getByRole('button', { name: 'More fields' }).click()
    await page.getByLabel('Serial', { exact: true }).fill('S-1')
    await page.getByLabel('Story').fill('Line 1\nLine 2')
    await page.getByLabel('Volts').fill('12.5')
    await page.getByLabel('Checked').fill('2026-05-01')
    await page.getByLabel('Seen').fill('2026-05-01T10:30')
    await choose(page, 'Insured', 'Not insured')
    await choose(page, 'Shade', 'blue')
    await page.getByRole('radio', { name: 'red' }).check()
    await choose(page, 'Tags', 'red')
    await page.keyboard.press('Escape')
    await page.getByRole('checkbox', { name: 'blue' }).check()
    const files = page.locator('input[type=file]')
    await files.nth(1).setInputFiles({ name: 'manual.txt', mimeType: 'text/plain', buffer: Buffer.from('Read me') })
    await page.getByText('manual.txt').waitFor()
    await files.nth(2).setInputFiles({ name: 'b.png', mimeType: 'image/png', buffer: Buffer.from(png(64)) })
    await page.getByAltText('photo 1').waitFor()
    const spot = page.getByRole('group', { name: 'Spot' })
    await spot.getByLabel('Latitude').fill('30.25')
    await spot.getByLabel('Longitude').fill('120.15')
    await spot.getByLabel('Address').fill('West Lake')
    await choose(page, 'Partner', /Charger/)
    await page.getByRole('button', { name: 'Register', exact: true }).click()
    await page.getByRole('heading', { name: 'Kit', level: 1 }).waitFor()

    const id = Number(new URL(page.url()).pathname.split('/').at(-1))
    const { values } = ok(await alice.call('assets.get', { params: { id }, query: { orgId } })).data
    const stored = Object.fromEntries(values!.map(({ key, value }) => [key, value]))
    expect(stored).toMatchObject({
      serial: 'S-1',
      story: 'Line 1\nLine 2',
      volts: 12.5,
      checked: '2026-05-01',
      seen: await page.evaluate(() => new Date('2026-05-01T10:30').getTime()),
      insured: false,
      shade: 'blue',
      side: 'red',
      tags: ['red'],
      parts: ['blue'],
      manual: [{ name: 'manual.txt' }],
      damage: [{ mime: 'image/png' }],
      spot: { latitude: 30.25, longitude: 120.15, address: 'West Lake' },
      partner: { title: expect.stringContaining('Charger') },
      twice: 25,
    })
    for (const shown of ['12.5 V', '1 May 2026', 'Not insured', 'West Lake', 'manual.txt'])
      await page
        .getByText(shown, { exact: shown !== 'manual.txt' })
        .first()
        .waitFor()
    await screenshot(page, 'asset-fields')
  })

  test('a field and a template are created, and the template decides what the form of an asset asks for', async () => {
    const { orgId, page } = await workspace({ isPhone: true })
    await page.goto('/console/assets/fields')
    await page.getByRole('heading', { name: 'No own fields yet' }).waitFor()
    await page.getByRole('button', { name: 'New field' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Operating system')
    await choose(page, 'Type', 'Drop-down list')
    for (const [i, label] of ['Linux', 'Windows'].entries()) {
      await page.getByRole('button', { name: 'Add a choice' }).click()
      await page.getByRole('textbox', { name: `Choice ${i + 1}` }).fill(label)
    }
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('The field was created.').waitFor()

    await page.getByRole('tab', { name: 'Templates' }).click()
    await page.getByRole('button', { name: 'New template' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Computers')
    await page.getByLabel(/^Default for everything/).check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Computers', level: 1 }).waitFor()
    await choose(page, 'Add a field', 'Operating system')
    await page.getByLabel('Required').check()
    // Name and fields are saved by two calls: if the fields are refused, the name is not saved either.
    browser.allow(/status of 400/)
    await page.getByRole('textbox', { name: 'Name' }).fill('PCs')
    await page.getByLabel('Heading above Operating system').fill('x'.repeat(500))
    const refusal = page.waitForResponse((answer) => answer.url().includes('/fields') && answer.status() === 400)
    await page.getByRole('button', { name: 'Save' }).click()
    await refusal
    const names = async () => {
      const params = { objectName: 'asset', orgId }
      return ok(await alice.call('metadata.orgTemplates', { params, query: {} })).data.items.map(({ name }) => name)
    }
    expect(await names()).toContain('Computers')
    await page.getByLabel('Heading above Operating system').fill('Software')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The template was saved.').waitFor()
    expect(await names()).toContain('PCs')

    await page.goto('/console/assets/new')
    await page.getByRole('heading', { name: 'Software' }).waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('PC')
    await choose(page, 'Operating system', 'Windows')
    await page.getByRole('button', { name: 'Register', exact: true }).click()
    await page.getByRole('heading', { name: 'PC', level: 1 }).waitFor()
    const found = ok(await alice.call('assets.list', { query: { orgId, include: ['values'] } })).data.items
    expect(found[0]!.values).toContainEqual(expect.objectContaining({ name: 'Operating system', value: 'Windows' }))
  })
})

describe('categories, stock-taking and import', () => {
  test('categories are created below each other, renamed, moved, ordered and deleted', async () => {
    const { orgId, page } = await workspace({ isPhone: true, isDark: true })
    const tree = async () => ok(await alice.call('assetCategories.tree', { query: { orgId } })).data
    await page.goto('/console/assets/categories')
    await page.getByRole('button', { name: 'New category' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('IT')
    await page.getByRole('radio', { name: 'Blue' }).check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Actions for IT' }).click()
    await page.getByRole('menuitem', { name: 'New category below it' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Laptops')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Actions for Laptops' }).waitFor()
    expect(await tree()).toMatchObject([{ name: 'IT', color: '#2a62b8', children: [{ name: 'Laptops' }] }])

    await page.getByRole('button', { name: 'Actions for Laptops' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Notebooks')
    await page.getByRole('button', { name: 'Save' }).click()
    const act = async (category: string, action: string) => {
      await page.getByRole('button', { name: `Actions for ${category}` }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    // A category with others below it cannot be deleted, so no button offers that.
    await act('IT', 'Delete')
    await page.getByText('There are categories below it. Move or delete these first.').waitFor()
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Close' }).first().click()

    await act('Notebooks', 'Move')
    await choose(page, 'Into', 'Top level')
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
    await page.getByText('The category was moved.').waitFor()
    expect(await tree()).toMatchObject([{ name: 'IT' }, { name: 'Notebooks' }])
    await act('Notebooks', 'Move up')
    await page.getByRole('listitem').first().getByText('Notebooks').waitFor()
    await act('Notebooks', 'Move')
    await choose(page, 'Into', 'IT')
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
    await page.getByRole('listitem').first().getByText('IT', { exact: true }).waitFor()

    await act('Notebooks', 'Delete')
    await page.getByText('The category has no assets.').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The category was deleted.').waitFor()
    expect(await tree()).toMatchObject([{ name: 'IT', children: [] }])
  })

  test('a stock-taking is planned, started, scanned and closed, in Chinese on a phone', async () => {
    const { orgId, page } = await workspace({ isPhone: true, locale: 'zh-CN' })
    const gym = await createLocation(alice, orgId, '体育馆')
    await createAsset(alice, { name: '排球', assetNo: 'B-1', orgId, locationId: gym })
    await createAsset(alice, { name: '跳绳', assetNo: 'B-2', orgId, locationId: gym })
    await page.goto('/console/assets/inventories')
    await page.getByRole('button', { name: '新建盘点' }).click()
    await page.getByRole('textbox', { name: '名称' }).fill('秋季盘点')
    await page.getByRole('button', { name: '新建', exact: true }).click()
    await page.getByRole('heading', { name: '秋季盘点', level: 1 }).waitFor()
    await page.getByRole('button', { name: '开始盘点' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '开始盘点' }).click()

    // The handheld scanner types faster than people, outside of fields.
    await page.getByRole('button', { name: '录入' }).waitFor()
    await page.evaluate(`for (const key of ['B', '-', '1', 'Enter'])
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`)
    await page.getByText('排球 (B-1)：已找到').waitFor()
    const label = page.getByLabel('资产编号、序列号或链接')
    await label.fill('b-1')
    await page.keyboard.press('Enter')
    await page.getByText('排球 (B-1) 已扫描过').waitFor()
    browser.allow(/status of 404/)
    await label.fill('B-9')
    await page.keyboard.press('Enter')
    await page.getByText('台账中没有“B-9”').waitFor()
    expect(await page.getByRole('link', { name: '登记资产' }).getAttribute('href')).toEndWith('/assets/new?assetNo=B-9')
    expect(await label.inputValue()).toBe('B-9')
    await label.fill(`${server.url}/a/no-label`)
    await page.keyboard.press('Enter')
    await page.getByText('这不是本台账中资产的标签').waitFor()
    expect(await page.getByRole('tabpanel').innerText()).toContain('跳绳')

    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: '报告' }).click()
    expect((await saved).suggestedFilename()).toEndWith('.xlsx')
    await page.getByRole('button', { name: '结束盘点' }).click()
    await page.getByText('有 1 件资产未找到').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: '结束盘点' }).click()
    await page.getByText('盘点已结束。').waitFor()
    const [inventory] = ok(await alice.call('inventories.list', { query: { orgId } })).data.items
    expect(inventory).toMatchObject({ status: 'CLOSED', expected: 2, found: 1, missing: 1 })
  })

  test('an import shows errors by row, takes a matched column, and writes only after the check', async () => {
    const { orgId, page } = await workspace()
    const csv = (day: string) => ({
      name: 'list.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`Gerät,Asset tag,Purchase date\nProjector,P-1,${day}\nScreen,P-2,${day}\n`),
    })
    await page.goto('/console/assets/import')
    await page.locator('input[type=file]').setInputFiles(csv('2026-02-31'))
    await page.getByText('choose which of the columns is the name').waitFor()
    browser.allow(/status of 400/)
    await choose(page, 'Gerät', 'Purchase date')
    await page.getByRole('button', { name: 'Check again' }).click()
    // Beside the columns, which can be below the fold.
    const columns = page.locator('.MuiCard-root').filter({ hasText: '2. Match the columns' })
    await columns.getByText('Two columns of the sheet have the same meaning').waitFor()
    await choose(page, 'Gerät', 'Name')
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('choose which of the columns is the name').waitFor({ state: 'detached' })
    await page.getByText('Purchase date: must be a day that exists').waitFor()
    await page.getByText('“2026-02-31”: rows 2, 3', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^Import \d/ }).isDisabled()).toBe(true)
    expect(await listed(orgId)).toEqual([])

    await page.locator('input[type=file]').setInputFiles(csv('2026-02-28'))
    // The corrected file keeps the column that was chosen.
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByRole('heading', { name: 'The import is finished' }).waitFor()
    expect((await listed(orgId)).map(({ name, assetNo }) => `${assetNo} ${name}`).toSorted()).toEqual([
      'P-1 Projector',
      'P-2 Screen',
    ])
  })
})

describe('a list of another program', () => {
  for (const isPhone of [false, true])
    test(`is imported as it is, with its words and header chosen, ${isPhone ? 'on a phone' : 'on a desktop'}`, async () => {
      const { orgId, page } = await workspace({ isPhone })
      await page.goto('/console/assets/import')
      // Проектор and Стол in Windows-1251.
      const names = ['cff0eee5eaf2eef0', 'd1f2eeeb'].map((hex) => Buffer.from(hex, 'hex'))
      const lines = [
        Buffer.from('Register of the school\nName;Asset tag;Status;Price;Purchased\n'),
        ...names.flatMap((name, i) => [name, Buffer.from(`;L-${i};On the shelf;1.849,78;25/12/2024\n`)]),
        Buffer.from('Total;;;3.699,56;\n'),
      ]
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.concat(lines) })
      await page.getByText('Row 2 is the header.').waitFor()
      await page.getByText('is a row of sums and was skipped').waitFor()
      await page.getByRole('button', { name: 'Read as windows-1251' }).click()
      await page.getByRole('cell', { name: 'Проектор' }).first().waitFor()
      await choose(page, 'Status: On the shelf (2 rows)', 'Idle')
      await page.getByRole('button', { name: 'Check again' }).click()
      await page.getByText('in the file: 1.849,78').first().waitFor()
      expect(await isTooWide(page)).toBe(false)
      await page.getByRole('button', { name: 'Row 1 is the header', exact: true }).click()
      await page.getByText('Row 1 is the header.').waitFor()
      await page.getByRole('button', { name: 'Row 2 is the header', exact: true }).click()
      await page.getByRole('button', { name: 'Import 2 rows' }).click()
      await page.getByRole('heading', { name: 'The import is finished' }).waitFor()
      expect(await listed(orgId)).toMatchObject([
        { status: 'IDLE', purchasePrice: '1849.78', purchaseDate: '2024-12-25' },
        { status: 'IDLE', purchasePrice: '1849.78', purchaseDate: '2024-12-25' },
      ])
      await page.goto('/console/assets/imports')
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('and 2 new ones are deleted').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
      await page.getByText('The import was undone.').waitFor()
      expect(await isTooWide(page)).toBe(false)
      expect(await listed(orgId)).toEqual([])
    })
})

describe('a personal workspace', () => {
  test('an import says that places need an organization, and ignores their column on request', async () => {
    const page = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN' })
    const { total } = ok(await alice.call('assets.list')).data
    await page.goto('/console/assets/import')
    await page.locator('input[type=file]').setInputFiles({
      name: '器材.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('品名,存放地点\n长笛,琴房\n小号,琴房\n'),
    })
    await page.getByText('“琴房”：第 2、3 行').waitFor()
    await page.getByRole('button', { name: '忽略此列' }).click()
    await page.getByRole('button', { name: '导入 2 行' }).click()
    await page.getByRole('heading', { name: '导入完成' }).waitFor()
    expect(await isTooWide(page)).toBe(false)
    const { items, total: now } = ok(await alice.call('assets.list', { query: { sort: '-createdAt' } })).data
    expect(now).toBe(total + 2)
    expect(
      items
        .slice(0, 2)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['小号', '长笛'])
  })
})

describe('pages of a lent asset and of a running stock-taking', () => {
  for (const isDark of [false, true])
    test(`have no barriers and fit the window, ${isDark ? 'dark on a phone in Chinese' : 'light on a desktop'}`, async () => {
      const options: PageOptions = isDark ? { isDark, isPhone: true, locale: 'zh-CN' } : {}
      const { orgId, page } = await workspace(options)
      const query = { orgId }
      const hall = await createLocation(alice, orgId, 'A hall with a rather long name, ground floor')
      const { id } = await createAsset(alice, {
        name: 'Electron beam tube with a stand and a power supply',
        orgId,
        locationId: hall,
        latitude: 30.25,
        longitude: 120.15,
        publicFields: ['name'],
      })
      ok(await alice.call('assets.checkOut', { params: { id }, query, body: { personName: 'Ms Chen' } }))
      const inventory = ok(await alice.call('inventories.create', { query, body: { name: 'Autumn' } })).data
      ok(
        await alice.call('inventories.update', {
          params: { id: inventory.id },
          query,
          body: { status: 'RUNNING' },
        }),
      )
      for (const path of ['', `/${id}`, `/labels?ids=${id}&org=${orgId}`, '/loans', `/inventories/${inventory.id}`]) {
        await page.goto(`/console/assets${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.waitForLoadState('networkidle')
        expect({ path, barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
          path,
          barriers: [],
          isTooWide: false,
        })
        await screenshot(page, `assets${path.replaceAll(/\W+/g, '-')}-${isDark ? 'dark' : 'light'}`)
      }
    })
})
