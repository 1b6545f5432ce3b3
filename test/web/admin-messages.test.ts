/** Administrators send notifications, publish agreements and app versions, limit chat, and define fields in the web application. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { createAsset } from '../assets/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { barriers, useBrowser } from './browser.ts'

const { server, alice, bob, admin } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

beforeAll(async () => {
  ok(
    await admin.call('agreements.publish', {
      body: { type: 'PRIVACY', title: 'Privacy policy', content: '## Data\n\nWe keep **little**.' },
    }),
  )
  ok(await admin.call('admin.notifications.send', { body: { all: true, title: 'Welcome', body: 'Have a look.' } }))
})

const dialog = (page: Page) => page.getByRole('dialog').last()

/** Chooses an option of a select or of an input that searches. */
async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).last().click()
  await page.getByRole('option', { name: option }).first().click()
}

/** Confirms the question that is open. */
const confirm = (page: Page, action: string) => dialog(page).getByRole('button', { name: action }).click()

describe('notifications', () => {
  test('one is written with the toolbar, previewed by the server, sent to a user and withdrawn', async () => {
    const page = await browser.signedIn(admin)
    await page.goto('/console/admin/notifications')
    await page.getByRole('link', { name: 'Send notification' }).click()
    await page.getByLabel('Title').fill('Boat house closed')
    await page.getByLabel('Text (Markdown)').fill('The boat house is closed on Monday.')
    await page.getByLabel('Text (Markdown)').selectText()
    await page.getByRole('button', { name: 'Bold' }).click()
    expect(await page.getByLabel('Text (Markdown)').inputValue()).toBe('**The boat house is closed on Monday.**')
    await page.locator('section strong').getByText('The boat house is closed on Monday.').waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    expect(await page.getByLabel('Add a user').evaluate((field) => field.matches(':invalid'))).toBe(true)
    expect(await dialog(page).count()).toBe(0)
    await choose(page, 'Add a user', 'alice')
    await page.getByRole('region', { name: 'Chosen users' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Send' }).click()
    await dialog(page).getByText('Send it to 1 user?').waitFor()
    await confirm(page, 'Send')
    await page.getByRole('link', { name: 'Boat house closed' }).waitFor()
    const received = async (person: typeof alice) =>
      ok(await person.call('notifications.list')).data.items.some(({ title }) => title === 'Boat house closed')
    expect(await received(alice)).toBe(true)
    expect(await received(bob)).toBe(false)

    await page.getByRole('link', { name: 'Boat house closed' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByText('The notification is taken back').waitFor()
    await confirm(page, 'Delete')
    await page.getByText('Deleted', { exact: true }).waitFor()
    expect(await received(alice)).toBe(false)
  })
})

describe('agreements', () => {
  test('pictures of other servers are links, in the preview and for those who accept', async () => {
    const page = await browser.signedIn(admin)
    await page.goto('/console/admin/agreements/create')
    await page.getByLabel('Title').fill('Terms')
    await page
      .getByRole('textbox', { name: 'Text (Markdown)' })
      .fill('![Logo](https://elsewhere.example/a.png) and ![ours](/favicon.svg)')
    const link = page.getByRole('link', { name: 'Picture: Logo (elsewhere.example)' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe('https://elsewhere.example/a.png')
    await page.getByRole('img', { name: 'ours' }).waitFor()
  })

  test('a version is published from an earlier one, and the earlier one is put into effect again', async () => {
    const page = await browser.signedIn(admin, { isPhone: true })
    await page.goto('/console/admin/agreements')
    await page.getByRole('link', { name: 'Privacy policy' }).click()
    await page.getByText('We keep little.').waitFor()
    await page.getByRole('link', { name: 'New version from this one' }).click()
    await page.getByRole('textbox', { name: 'Text (Markdown)' }).fill('## Data\n\nWe keep *nothing*.')
    await page.getByRole('tab', { name: 'Preview' }).click()
    await page.locator('section em').getByText('nothing').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await dialog(page).getByText('can never be changed or deleted').waitFor()
    await confirm(page, 'Publish')
    await page.getByText('The version is published and in effect.').waitFor()
    const current = async () => ok(await alice.call('agreements.current', { query: { type: 'PRIVACY' } })).data.version
    expect(await current()).toBe(2)

    await page.goto('/console/admin/agreements/1/show')
    await page.getByRole('button', { name: 'Put into effect' }).click()
    await confirm(page, 'Put into effect')
    await page.getByText('The version is in effect.').waitFor()
    expect(await current()).toBe(1)
  })
})

test('an app version is published with its package, and downloads give the same bytes', async () => {
  const page = await browser.signedIn(admin)
  const bytes = crypto.getRandomValues(new Uint8Array(60_000))
  await page.goto('/console/admin/app-updates')
  await page.getByRole('link', { name: 'Publish version' }).click()
  expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true)
  await page.locator('input[type=file]').setInputFiles({
    name: 'rowing club 1.2.0.apk',
    mimeType: 'application/vnd.android.package-archive',
    buffer: Buffer.from(bytes),
  })
  await page.getByText('rowing-club-1.2.0.apk (59 KB) is uploaded.').waitFor()
  expect(await page.getByLabel('Version name').inputValue()).toBe('1.2.0')
  await page.getByLabel('Version code').fill('12')
  await page.getByLabel('Release notes').fill('- Faster')
  await page.getByRole('button', { name: 'Publish' }).click()
  await dialog(page).getByText('cannot be withdrawn').waitFor()
  await confirm(page, 'Publish')
  await page.getByRole('link', { name: '1.2.0' }).click()
  await dialog(page).getByRole('listitem').getByText('Faster').waitFor()
  const href = await dialog(page).getByRole('link', { name: 'Download package' }).getAttribute('href')
  const answer = await page.context().request.get(href!)
  expect(Buffer.compare(await answer.body(), Buffer.from(bytes))).toBe(0)
})

test('a limit of chat is changed, and a wrong one is explained at its field', async () => {
  const page = await browser.signedIn(admin)
  await page.goto('/console/admin/chat')
  await page.getByLabel('Seconds in which a message can be recalled').fill('300')
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.getByText('The limits are changed.').waitFor()
  expect(ok(await admin.call('admin.chat.settings')).data.recallSeconds).toBe(300)
  const longest = page.getByLabel('Longest message, in characters')
  await longest.fill('0')
  await page.getByText('At least 1.').waitFor()
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.locator('input[aria-invalid=true]:focus').waitFor()
  expect(await longest.inputValue()).toBe('0')
  expect(ok(await admin.call('admin.chat.settings')).data.textMaxLength).toBeGreaterThan(0)
})

describe('fields and templates', () => {
  test('a field is created, changed, put into a template, and both are deleted', async () => {
    const page = await browser.signedIn(admin)
    await page.goto('/console/admin/fields')
    await page.getByRole('button', { name: 'Create field' }).click()
    await dialog(page).getByLabel('Name', { exact: false }).first().fill('Condition')
    await choose(page, 'Type', 'Drop-down list')
    for (const [i, label] of ['Good', 'Worn out'].entries()) {
      await dialog(page).getByRole('button', { name: 'Add a choice' }).click()
      await dialog(page)
        .getByRole('textbox', { name: `Choice ${i + 1}` })
        .fill(label)
    }
    await choose(page, 'Condition', 'Good')
    expect(await barriers(page)).toEqual([])
    await confirm(page, 'Create')
    await page.getByText('The field is created.').waitFor()
    const field = async () => ok(await admin.get('/api/admin/meta/fields', { keyword: 'Condition' })).data.items[0]
    expect((await field()).config).toMatchObject({
      options: [
        { value: 'Good', label: 'Good' },
        { value: 'Worn out', label: 'Worn out' },
      ],
      default: 'Good',
    })

    await page.getByRole('link', { name: 'Condition' }).click()
    await dialog(page).getByRole('button', { name: 'Edit' }).click()
    await dialog(page).getByRole('checkbox', { name: 'Required' }).check()
    await confirm(page, 'Save')
    await page.getByText('The field is changed.').waitFor()
    expect((await field()).config).toMatchObject({ required: true, default: 'Good' })
    await dialog(page).getByRole('button', { name: 'Edit' }).click()
    await choose(page, 'Type', 'Photos')
    await dialog(page).getByLabel('File types').fill('image/png, .jpg')
    await confirm(page, 'Save')
    await page.locator('dt', { hasText: 'File types' }).waitFor()
    expect((await field()).config.accept).toEqual(['image/png', '.jpg'])

    await page.goto('/console/admin/templates')
    await page.getByRole('button', { name: 'Create template' }).click()
    await dialog(page).getByLabel('Name').fill('Boats')
    await dialog(page).getByRole('switch', { name: 'Default' }).check()
    await confirm(page, 'Create template')
    await page.getByRole('link', { name: 'Boats' }).click()
    await dialog(page).getByRole('button', { name: 'Choose fields' }).click()
    for (const name of ['Condition', 'Brand']) {
      await page.getByLabel('Add a field').fill(name)
      await page.getByRole('option', { name }).click()
    }
    await page.getByRole('button', { name: 'Move Brand up' }).click()
    await dialog(page).getByLabel('Heading').last().fill('Safety')
    expect(await barriers(page)).toEqual([])
    await confirm(page, 'Save fields')
    await page.getByText('The fields of the template are changed.').waitFor()
    const asset = await createAsset(alice)
    const values = ok(await admin.call('metadata.assetFields', { params: { id: asset.id } })).data.items
    const chosen = values.filter(({ templateId }) => templateId !== null)
    expect(chosen.map(({ name, group }) => [name, group])).toEqual([
      ['Brand', ''],
      ['Condition', 'Safety'],
    ])

    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await confirm(page, 'Delete')
    await page.getByText('Deleted', { exact: true }).waitFor()
    expect(ok(await admin.get('/api/admin/meta/templates', { keyword: 'Boats' })).data.total).toBe(0)
    await page.goto('/console/admin/fields')
    await page.getByRole('link', { name: 'Condition' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await confirm(page, 'Delete')
    await page.getByText('Deleted', { exact: true }).waitFor()
    expect(await field()).toBeUndefined()
  })

  test('a kind of things is registered and disabled, in Chinese on a phone', async () => {
    const page = await browser.signedIn(admin, { isPhone: true, locale: 'zh-CN' })
    await page.goto('/console/admin/objects')
    await page.getByRole('button', { name: '注册' }).click()
    await dialog(page).getByLabel('接口中的名称').fill('boat')
    await dialog(page).getByLabel('显示名称').fill('船只')
    await confirm(page, '注册')
    await page.getByRole('link', { name: '船只' }).click()
    await dialog(page).getByRole('button', { name: '停用' }).click()
    await dialog(page).getByText('不会删除任何内容').waitFor()
    await confirm(page, '停用')
    await page.getByText('对象类型已更新。').waitFor()
    const { items } = ok(await admin.call('metadata.allObjects')).data
    expect(items.find(({ name }) => name === 'boat')).toMatchObject({ label: '船只', enabled: false })
  })
})
