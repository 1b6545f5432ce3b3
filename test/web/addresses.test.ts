/**
 * Addresses of single things: they show the same in every workspace, and say whose the thing is. Forms: two tabs do not overwrite each other.
 */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { createActivity } from '../activities/helpers.ts'
import { createAsset, createLocation } from '../assets/helpers.ts'
import { png, uploaded } from '../files/helpers.ts'
import { newestReport, report } from '../found/helpers.ts'
import { ok, until, useServer } from '../harness/index.ts'
import { createTemplate } from '../metadata/helpers.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { choose, openAs } from './workspace.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })
const browser = useBrowser(server)

/** The address of a page, and texts or values of fields that it must show. */
type Address = readonly [address: string, ...facts: string[]]

const LIBRARY = 'Willow Street Library'
const OBJECT = { objectName: 'asset' }
let orgId = 0
let orgAsset = 0
let nickname = ''
let ofOrg: readonly Address[] = []
let personal: readonly Address[] = []

/** The addresses of everything that has one, for one owner. */
async function addressesOf(owner: { orgId?: number }): Promise<readonly Address[]> {
  const { orgId: org } = owner
  const mark = org === undefined ? 'of Alice' : 'of the library'
  const query = owner
  const folder = org === undefined ? await createCategory(alice, 'Folder of Alice') : null
  const menu = { name: `Menu ${mark}`, content: 'menu', ...(folder !== null && { categoryId: folder }) }
  const code = ok(await alice.call('qrCodes.create', { query, body: menu })).data
  const category = ok(await alice.call('assetCategories.create', { query, body: { name: `Tools ${mark}` } })).data.id
  const place = org === undefined ? null : await createLocation(alice, org, 'Reading room')
  const custodian = org === undefined ? null : alice.id
  const own = { categoryId: category, locationId: place, custodianId: custodian }
  const asset = await createAsset(alice, { ...owner, name: `Ladder ${mark}`, ...own })
  ok(await alice.call('assets.checkOut', { params: { id: asset.id }, query, body: { personName: 'Ms Chen' } }))
  const body = { name: `Stock ${mark}`, scope: { categoryIds: [category] } }
  const inventory = ok(await alice.call('inventories.create', { query, body })).data.id
  ok(await alice.call('inventories.update', { params: { id: inventory }, query, body: { status: 'RUNNING' } }))
  const activity = await createActivity(alice, { ...owner, name: `Cleanup ${mark}` })
  const file = await uploaded(alice, png(), { type: 'album', ...owner }, `sunrise ${mark}.png`)
  const photo = ok(await alice.call('album.add', { body: { ...owner, fileId: file.id } })).data
  const template = await createTemplate(alice, { name: `Serials ${mark}` }, owner)
  ok(await alice.call('found.updateAssetCard', { params: { id: asset.id }, query, body: { when: 'ALWAYS' } }))
  await report(server, asset, { message: `Seen the ladder ${mark}` })
  const { id: found } = await newestReport(alice, owner)
  const at = org === undefined ? '' : `&org=${org}`
  if (org !== undefined) orgAsset = asset.id
  const names = [`Tools ${mark}`, ...(org === undefined ? [] : ['Reading room', nickname])]
  const places = org === undefined ? [] : ['Reading room', 'Where you are']
  return [
    [`/codes/${code.id}`, `Menu ${mark}`, ...(folder === null ? [] : ['Folder of Alice'])],
    [`/codes/${code.id}/link`, `Menu ${mark}`],
    [`/codes/${code.id}/edit`, `Menu ${mark}`, ...(folder === null ? [] : ['Folder of Alice'])],
    [`/codes/print?ids=${code.id}${at}`, `Menu ${mark}`],
    [`/assets/${asset.id}`, `Ladder ${mark}`, 'Lent to Ms Chen', ...names],
    [`/assets/${asset.id}/edit`, `Ladder ${mark}`, ...names],
    [`/assets/labels?ids=${asset.id}${at}`, `Ladder ${mark}`, ...(org === undefined ? [] : [LIBRARY])],
    [`/assets/inventories/${inventory}`, `Stock ${mark}`, `Ladder ${mark}`, `Tools ${mark}`, ...places],
    [`/assets/fields/templates/${template.id}?object=asset${at}`, `Serials ${mark}`],
    [`/found/${found}`, `Ladder ${mark}`, `Seen the ladder ${mark}`, 'I have it back', 'Your answer'],
    [`/activities/${activity.id}`, `Cleanup ${mark}`, 'Edit', 'Publish'],
    [`/activities/${activity.id}/edit`, `Cleanup ${mark}`],
    [`/album?photo=${photo.id}`, photo.name],
  ]
}

beforeAll(async () => {
  orgId = (await createOrg(alice, { name: LIBRARY })).id
  nickname = ok(await alice.call('profile.get')).data.nickname
  ok(await alice.call('metadata.createField', { params: OBJECT, body: { name: 'Serial', type: 'TEXT' } }))
  personal = await addressesOf({})
  ofOrg = await addressesOf({ orgId })
})

/** The facts of a page: its texts and the values of its fields, without the bar that names the owner. */
const factsOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const main = document.querySelector('[role=dialog]') ?? document.getElementById('main-content') ?? document.body
    const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT)
    const facts = []
    while (texts.nextNode())
      if (!texts.currentNode.parentElement.closest('[role=note]')) facts.push(texts.currentNode.nodeValue)
    for (const { value, checked } of main.querySelectorAll('input:not([type=file]), textarea'))
      facts.push(value + (checked ? ' checked' : ''))
    return facts
  })()`)

const shows = async (page: Page, facts: readonly string[]): Promise<boolean> => {
  const all = (await factsOf(page)).join('\n')
  return facts.every((fact) => all.includes(fact))
}

const bar = (page: Page) => page.getByRole('note').filter({ hasText: /belongs to|your own|属于/ })

describe('the address of a thing', () => {
  for (const [owner, addresses, belongs] of [
    ['an organization', () => ofOrg, `This belongs to ${LIBRARY}.`],
    ['a user', () => personal, 'This is your own.'],
  ] as const)
    test(`of ${owner} shows the same in every workspace, and in another one whose it is`, async () => {
      const inOrg = await openAs(browser, alice, orgId)
      const own = await browser.signedIn(alice)
      const [here, elsewhere] = owner === 'a user' ? [own, inOrg] : [inOrg, own]
      for (const [address, ...facts] of addresses()) {
        await Promise.all([here, elsewhere].map((page) => page.goto(`/console${address}`)))
        for (const page of [here, elsewhere])
          await until(() => shows(page, facts), `${address} shows ${facts.join(', ')}`)
        await until(
          async () => Bun.deepEquals(await factsOf(here), await factsOf(elsewhere)),
          `${address} shows the same in both workspaces`,
        )
        expect([address, await bar(here).count(), await bar(elsewhere).innerText()]).toEqual([
          address,
          0,
          expect.stringContaining(belongs),
        ])
      }
    })

  test('is changed with the owner of the thing, and the bar changes the workspace', async () => {
    const page = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN' })
    await page.goto(`/console/assets/${orgAsset}`)
    await bar(page).getByText(`此内容属于“${LIBRARY}”。`).waitFor()
    expect([await barriers(page), await isTooWide(page)]).toEqual([[], false])
    await screenshot(page, 'address-of-an-organization')
    await page.getByRole('link', { name: '编辑' }).click()
    await page.getByRole('textbox', { name: '名称' }).fill('梯子')
    await choose(page, '位置', 'Reading room')
    await page.getByRole('button', { name: '保存' }).click()
    await page.getByRole('heading', { name: '梯子', level: 1 }).waitFor()
    const { data } = ok(await alice.call('assets.get', { params: { id: orgAsset } }))
    expect(data).toMatchObject({ name: '梯子', orgId, custodianId: alice.id })
    expect(data.locationId).not.toBeNull()

    await bar(page).getByRole('button', { name: '切换到此组织' }).click()
    await bar(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: new RegExp(LIBRARY) }).waitFor()
    await page.getByText('Reading room').first().waitFor()
    await page.getByRole('link', { name: '返回' }).click()
    await page.getByText('梯子').waitFor()
  })

  test('of somebody else says that it is not here', async () => {
    const code = await createCode(mallory, { name: 'Secret' })
    browser.allow(/404/)
    const page = await openAs(browser, alice, orgId)
    await page.goto(`/console/codes/${code.id}`)
    await page.getByRole('heading', { name: 'This code is not here' }).waitFor()
    expect([await page.getByText('Secret').count(), await bar(page).count()]).toEqual([0, 0])
  })
})

describe('a thing that two tabs change', () => {
  const openBoth = async (address: string): Promise<[Page, Page]> => {
    const first = await browser.signedIn(alice)
    const second = await first.context().newPage()
    for (const page of [first, second]) await page.goto(`/console${address}`)
    browser.allow(/412/)
    return [first, second]
  }
  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()
  const question = (page: Page) => page.getByRole('dialog', { name: 'Someone changed this meanwhile' })

  test('keeps both changes if the second keeps its own, and says what is saved now', async () => {
    const { id } = await createCode(alice, { name: 'Menu', content: 'https://example.org' })
    const [first, second] = await openBoth(`/codes/${id}/edit`)
    await second.getByLabel('Name').fill('Menu of today')
    await second.getByLabel('Remark').fill('At the door')
    await first.getByLabel('Name').fill('Menu of Sunday')
    await first.getByLabel('Address').fill('https://example.com/sunday')
    await save(first)
    await first.getByRole('dialog', { name: 'Save another picture?' }).getByRole('button', { name: 'Save' }).click()
    await first.getByRole('heading', { name: 'Menu of Sunday', level: 1 }).waitFor()

    await save(second)
    await question(second).waitFor()
    expect(await barriers(second)).toEqual([])
    await screenshot(second, 'changed-meanwhile')
    const name = question(second).getByRole('region', { name: 'Name' })
    expect(await name.innerText()).toMatch(/Now: Menu of Sunday\s+Yours: Menu of today/)
    await question(second).getByText('Now: https://example.com/sunday').waitFor()
    await question(second).getByText('Yours: not changed by you').waitFor()
    expect(ok(await alice.call('qrCodes.get', { params: { id } })).data.name).toBe('Menu of Sunday')

    // Back to the form, where everything typed is still there, and once more.
    await second.keyboard.press('Escape')
    await question(second).waitFor({ state: 'detached' })
    expect(await second.getByLabel('Remark').inputValue()).toBe('At the door')
    await save(second)
    await question(second).getByRole('button', { name: 'Keep yours' }).click()
    await second.getByRole('heading', { name: 'Menu of today', level: 1 }).waitFor()
    const { data } = ok(await alice.call('qrCodes.get', { params: { id } }))
    expect(data).toMatchObject({ name: 'Menu of today', remark: 'At the door', content: 'https://example.com/sunday' })
  })

  test('shows the present row if the second takes it, and is saved then without a question', async () => {
    const { id } = await createActivity(alice, { name: 'Lake cleanup' })
    const [first, second] = await openBoth(`/activities/${id}/edit`)
    await second.getByLabel('Name').fill('Pond cleanup')
    await first.getByLabel('Name').fill('River cleanup')
    await save(first)
    await first.getByRole('heading', { name: 'River cleanup', level: 1 }).waitFor()
    await save(second)
    await question(second).getByRole('button', { name: 'Take theirs' }).click()
    await question(second).waitFor({ state: 'detached' })
    expect(await second.getByLabel('Name').inputValue()).toBe('River cleanup')
    await second.getByLabel('Name').fill('Brook cleanup')
    await save(second)
    await second.getByRole('heading', { name: 'Brook cleanup', level: 1 }).waitFor()
  })

  test('is saved without a question if only something else was changed that the form does not show', async () => {
    const asset = await createAsset(alice, { name: 'Ladder' })
    const [page] = await openBoth(`/assets/${asset.id}/edit`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Long ladder')
    ok(await alice.call('assets.checkOut', { params: { id: asset.id }, body: { personName: 'Ms Chen' } }))
    await save(page)
    await page.getByRole('heading', { name: 'Long ladder', level: 1 }).waitFor()
    await page.getByText('Lent to Ms Chen').first().waitFor()
  })

  test('keeps the fields of a template that another tab has added, and may be saved again and again', async () => {
    const { id } = await createTemplate(alice, { name: 'Bicycles' })
    const [first, second] = await openBoth(`/assets/fields/templates/${id}?object=asset`)
    const name = (page: Page) => page.getByRole('textbox', { name: 'Name' })
    for (const text of ['Bikes', 'Cargo bikes']) {
      await name(first).fill(text)
      await save(first)
      await first.getByRole('heading', { name: text, level: 1 }).waitFor()
    }
    await choose(first, 'Add a field', /Serial/)
    await save(first)
    await until(async () => {
      const { items } = ok(await alice.call('metadata.templateFields', { params: { id } })).data
      return items.length === 1
    })
    await second.getByLabel('Description').fill('With two wheels')
    await save(second)
    await question(second).getByText('Now: Cargo bikes').waitFor()
    await question(second).getByRole('button', { name: 'Keep yours' }).click()
    await question(second).waitFor({ state: 'detached' })
    await second.getByText('The template was saved.').waitFor()
    const [{ items }, templates] = [
      ok(await alice.call('metadata.templateFields', { params: { id } })).data,
      ok(await alice.call('metadata.templates', { params: OBJECT })).data.items,
    ]
    expect(items).toHaveLength(1)
    expect(templates.find((one) => one.id === id)).toMatchObject({
      name: 'Cargo bikes',
      description: 'With two wheels',
    })
  })
})

test('the page of a thing that does not exist says so under a heading, and leads to the start', async () => {
  browser.allow(/status of 404/)
  const page = await browser.signedIn(mallory)
  for (const address of ['/assets/999999', '/assets/supplies/999999/edit', '/reservations/999999', '/orgs/999999']) {
    await page.goto(`/console${address}`)
    await page.getByRole('heading', { name: 'This page does not exist', level: 1 }).waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  }
  await page.getByRole('link', { name: 'Go to the start' }).click()
  await page.getByText('Hello').waitFor()
})
