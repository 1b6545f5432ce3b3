/** Assets in the web application over a longer time: many loans, two people in one stock-taking, templates in use. */

import { describe, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { createAsset } from '../assets/helpers.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { addMembers } from '../orgs/helpers.ts'
import { isTooWide, type PageOptions, until, useBrowser } from './browser.ts'
import { choose, newWorkspace, openAs } from './workspace.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)
const workspace = (options: PageOptions = {}) => newWorkspace(browser, alice, options)

const dialogButton = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })

describe('many assets', () => {
  test('loans of more than 100 assets all show the names of their assets', async () => {
    const { orgId, page } = await workspace()
    const COUNT = 104
    await Promise.all(
      Array.from({ length: COUNT }, async (_, n) => {
        const { id } = await createAsset(alice, { name: `Drill ${n}`, orgId })
        ok(await alice.call('assets.checkOut', { params: { id }, query: { orgId }, body: { personName: 'Ms Chen' } }))
      }),
    )
    await page.goto('/console/assets/loans')
    for (const shown of [30, 60, 90])
      await page.getByRole('button', { name: `Show more (${shown} / ${COUNT})` }).click()
    await page.getByRole('link', { name: 'Drill 0', exact: true }).waitFor()
    await until(page, `document.querySelectorAll('main li a').length === ${COUNT}`)
    expect(await page.getByText('Deleted asset').count()).toBe(0)
  })
})

test('the link of the calendar can be copied on a page without https', async () => {
  const { page } = await workspace({ permissions: ['clipboard-read'] })
  await page.addInitScript(`
    Object.defineProperty(globalThis, 'isSecureContext', { value: false })
    delete Navigator.prototype.clipboard`)
  await page.goto('/console/assets')
  await page.getByRole('button', { name: 'Calendar' }).click()
  await dialogButton(page, 'Make a link').click()
  const link = await page.getByLabel('Link', { exact: true }).inputValue()
  await dialogButton(page, 'Copy').click()
  await page.getByText('Copied.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('searchbox').focus()
  await page.keyboard.press('Control+V')
  expect(await page.getByRole('searchbox').inputValue()).toBe(link)
})

test('the dialog that lends an asset says who is reminded', async () => {
  const { orgId, page } = await workspace({ isPhone: true, locale: 'zh-CN' })
  const { id } = await createAsset(alice, { name: '投影仪', orgId })
  await page.goto(`/console/assets/${id}`)
  await page.getByRole('button', { name: '借出' }).click()
  await page.getByText('到期前一天会提醒借用人。').waitFor()
  await page.getByRole('button', { name: '其他人' }).click()
  await page.getByText('到期前一天会提醒你。').waitFor()
})

describe.if(inProcess)('an overdue loan', () => {
  test('is marked in the list and on the page of the asset by the time of the server', async () => {
    const { orgId, page } = await workspace({ isPhone: true, locale: 'zh-CN' })
    const { id } = await createAsset(alice, { name: '投影仪', orgId })
    const body = { personName: '陈老师', dueAt: server.clock.now() + 70_000 }
    ok(await alice.call('assets.checkOut', { params: { id }, query: { orgId }, body }))
    await page.goto('/console/assets')
    await page.getByText('已借出').filter({ visible: true }).waitFor()
    server.clock.advance(80_000)
    await page.reload()
    await page.getByText('已逾期').filter({ visible: true }).waitFor()
    await page.getByRole('link', { name: /投影仪/ }).click()
    await page.getByText('已借给 陈老师，已逾期：应于').waitFor()
  })
})

describe('a stock-taking', () => {
  test('takes scans that follow each other faster than the answers, and shows those of others', async () => {
    const { orgId, page } = await workspace({ isPhone: true, locale: 'zh-CN' })
    await addMembers(alice, { id: orgId }, bob)
    for (const assetNo of ['K-1', 'K-2', 'K-3']) await createAsset(alice, { name: `键盘 ${assetNo}`, assetNo, orgId })
    const inventory = ok(
      await alice.call('inventories.create', { query: { orgId }, body: { name: '年终盘点', assigneeIds: [bob.id] } }),
    ).data
    const target = { params: { id: inventory.id }, query: { orgId } }
    ok(await alice.call('inventories.update', { ...target, body: { status: 'RUNNING' } }))
    const others = await openAs(browser, bob, orgId)
    for (const one of [page, others]) {
      await one.goto(`/console/assets/inventories/${inventory.id}`)
      await one.getByRole('tab', { name: /Missing|未找到/ }).waitFor()
    }

    // Two codes in one task of the browser: no answer can come in between.
    await others.evaluate(`for (const key of ['K', '-', '1', 'Enter', 'K', '-', '2', 'Enter'])
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`)
    await others.getByText('键盘 K-1 (K-1): found').waitFor()
    await others.getByText('键盘 K-2 (K-2): found').waitFor()

    // The first page has done nothing.
    await page.getByRole('tabpanel').getByText('键盘 K-1').waitFor({ state: 'detached' })
    expect(await page.getByRole('tabpanel').innerText()).toContain('键盘 K-3')
    expect(ok(await alice.call('inventories.get', target)).data).toMatchObject({ found: 2, missing: 1 })
    expect(await isTooWide(page)).toBe(false)
  })
})

describe('templates and fields in use', () => {
  test('a template is bound to one asset and taken away again', async () => {
    const { orgId, page } = await workspace({ isPhone: true })
    const { id } = await createAsset(alice, { name: 'Boiler', orgId })
    const make = async (name: string) =>
      ok(await alice.post(`/api/orgs/${orgId}/meta/objects/asset/templates`, { name })).data as { id: number }
    const template = await make('Inspections')
    const field = ok(
      await alice.post(`/api/orgs/${orgId}/meta/objects/asset/fields`, {
        name: 'Inspector',
        key: 'inspector',
        type: 'TEXT',
      }),
    ).data as { id: number }
    ok(
      await alice.put(`/api/orgs/${orgId}/meta/templates/${template.id}/fields`, {
        items: [{ fieldId: field.id, group: 'Safety' }],
      }),
    )
    const bound = async () =>
      ok(await alice.call('metadata.orgBindings', { params: { orgId, objectName: 'asset', entityId: id } })).data.items

    await page.goto(`/console/assets/${id}`)
    const open = async () => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Field templates' }).click()
    }
    await open()
    await choose(page, 'Only for this asset', 'Inspections')
    await page.keyboard.press('Escape')
    await dialogButton(page, 'Save').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await bound()).toMatchObject([{ name: 'Inspections', source: 'ENTITY' }])
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('heading', { name: 'Safety' }).waitFor()
    await page.getByLabel('Inspector').fill('Ms Rao')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Ms Rao').waitFor()

    await open()
    await page.getByRole('dialog').getByText('Inspections').waitFor()
    await page.getByLabel('Only for this asset').press('Backspace')
    await dialogButton(page, 'Save').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await bound()).filter(({ source }) => source === 'ENTITY')).toEqual([])
    // The value stays.
    await page.getByText('Ms Rao').waitFor()
  })

  test('a field that a formula names is not deleted, and the dialog says why; a template in use is deleted without its values', async () => {
    const { orgId, page } = await workspace({ isPhone: true, locale: 'zh-CN' })
    const meta = `/api/orgs/${orgId}/meta`
    const field = async (body: object) =>
      ok(await alice.post(`${meta}/objects/asset/fields`, body)).data as { id: number }
    const price = await field({ name: '单价', key: 'price', type: 'NUMBER' })
    await field({
      name: '含税',
      key: 'gross',
      type: 'COMPUTED',
      config: { formula: '{price} * 2', resultType: 'NUMBER' },
    })
    const template = ok(await alice.post(`${meta}/objects/asset/templates`, { name: '采购' })).data as { id: number }
    ok(await alice.put(`${meta}/templates/${template.id}/fields`, { items: [{ fieldId: price.id }] }))
    ok(
      await alice.call('assetCategories.create', {
        query: { orgId },
        body: { name: '电器', templateIds: [template.id] },
      }),
    )
    const { id } = await createAsset(alice, { name: '冰箱', orgId, values: [{ fieldId: price.id, value: '1200' }] })

    browser.allow(/status of 400/)
    await page.goto('/console/assets/fields')
    await page.getByRole('button', { name: '删除 单价' }).click()
    await dialogButton(page, '删除字段').click()
    await page.getByText('有公式使用该字段，请先修改公式').waitFor()
    await page.getByRole('button', { name: '取消' }).click()

    await page.getByRole('tab', { name: '模板' }).click()
    await page.getByRole('button', { name: '删除 采购' }).click()
    await dialogButton(page, '删除模板').click()
    await page.getByText('模板已删除。').waitFor()
    await page.goto(`/console/assets/${id}`)
    await page.getByText('1,200').waitFor()

    // Its page says that it is gone, instead of showing nothing.
    browser.allow(/status of 404/)
    await page.goto(`/console/assets/fields/templates/${template.id}`)
    await page.getByRole('heading', { name: '没有找到模板' }).first().waitFor()
  })
})
