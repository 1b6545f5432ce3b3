/** Administrators find, change and delete the content of users in the web application. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Page } from 'playwright-core'

import { DAY } from '#platform/clock.ts'

import { checkIn } from '../activities/check-in-helpers.ts'
import { createActivity } from '../activities/helpers.ts'
import { guests, issued, withPasses } from '../activities/pass-helpers.ts'
import { createAsset } from '../assets/helpers.ts'
import { png, uploaded } from '../files/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { barriers, screenshot, useBrowser } from './browser.ts'

const { server, alice, admin } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

/** One row of every table; the names are those of the rows. */
beforeAll(async () => {
  const org = await createOrg(alice, { name: 'Harbour Rowers' })
  await createCode(alice, { name: 'Boat house', isPublic: true })
  for (const name of ['Old sign', 'Older sign']) await createCode(alice, { name })
  const shared = await createCode(alice, { name: 'Menu' })
  await createCategory(alice, 'Signs')
  ok(await alice.call('scanRecords.create', { body: { content: 'https://example.org/oar', source: 'CAMERA' } }))
  ok(
    await alice.call('shares.create', {
      params: { orgId: org.id },
      body: { entityType: 'QR_CODE', sourceId: shared.id },
    }),
  )
  const now = Date.now()
  const times = { startTime: now - DAY, endTime: now + DAY }
  await createActivity(alice, { ...times, name: 'Spring cleaning' })
  const regatta = await withPasses(alice, { ...times, name: 'Regatta', visibility: 'PUBLIC', hasCheckIn: true })
  ok(await checkIn(alice, regatta))
  await issued(alice, regatta.id, { holders: guests(1) })
  await createAsset(alice, { name: 'Rowing machine', brand: 'Concept2' })
  ok(await alice.call('assetCategories.create', { body: { name: 'Boats' } }))
  await uploaded(alice, new TextEncoder().encode('Minutes of the meeting'), { type: 'other' }, 'minutes.txt')
  const photo = await uploaded(alice, png(), { type: 'album' }, 'sunrise.png')
  ok(await alice.call('album.add', { body: { fileId: photo.id } }))
})

/** Opens a table and waits for its rows. */
async function table(page: Page, name: string): Promise<void> {
  await page.goto(`/console/admin/${name}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('main a[href*="row="], main a[href*="/show"]').first().waitFor()
}

const dialog = (page: Page) => page.getByRole('dialog').last()

test('the drawer of a row has its details and is closed by going back', async () => {
  const page = await browser.signedIn(admin, { isPhone: true, isDark: true })
  await table(page, 'qr-codes')
  await page.getByRole('link', { name: 'Boat house', exact: true }).click()
  await dialog(page).getByRole('img', { name: 'The QR code “Boat house”' }).waitFor()
  await dialog(page).getByText('No administrator has changed this.').waitFor()
  expect(await barriers(page)).toEqual([])
  await screenshot(page, 'admin-qr-code-drawer')
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('administrators search and filter, and read what to do when nothing is found', async () => {
  const page = await browser.signedIn(admin)
  await table(page, 'qr-codes')
  await page.keyboard.press('f')
  await page.keyboard.type('Boat')
  await page.getByRole('link', { name: 'Old sign', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Boat house', exact: true }).waitFor()
  await page.keyboard.type(' that is not there')
  await page.getByText('Nothing matches these filters.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('link', { name: 'Old sign', exact: true }).waitFor()
})

test('a code is found by the website that it leads to, blocked with a reason that its owner reads, and unblocked', async () => {
  const owner = await server.person()
  const code = await createCode(owner, { name: 'Prize draw', content: 'https://win.evil.example/now' })
  const page = await browser.signedIn(admin)
  await table(page, 'qr-codes')
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('menuitem', { name: 'Leads to the website' }).click()
  await page.getByRole('textbox', { name: 'Leads to the website' }).fill('evil.example')
  await page.getByRole('link', { name: 'Boat house', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Prize draw', exact: true }).click()
  await dialog(page).getByRole('button', { name: 'Block', exact: true }).click()
  await dialog(page).getByText('Block the code “Prize draw”?').waitFor()
  await dialog(page).getByLabel('Reason').fill('Phishing')
  expect(await barriers(page)).toEqual([])
  await dialog(page).getByRole('button', { name: 'Block', exact: true }).click()
  await page.getByText('The code is blocked.').waitFor()
  await dialog(page).getByText('Blocked since').waitFor()
  await screenshot(page, 'admin-qr-code-blocked')
  const { items } = ok(await owner.get('/api/notifications')).data
  expect(items[0].body).toContain('Reason: Phishing')
  await dialog(page).getByRole('button', { name: 'Unblock', exact: true }).click()
  await dialog(page).getByText('Unblock the code “Prize draw”?').waitFor()
  await dialog(page).getByRole('button', { name: 'Unblock', exact: true }).click()
  await page.getByText('The code is no longer blocked.').waitFor()
  expect(ok(await admin.get('/api/admin/qr-codes', { keyword: 'Prize draw' })).data.items[0].blockedAt).toBeNull()

  const phone = await browser.signedIn(owner, { isPhone: true, locale: 'zh-CN' })
  await phone.goto('/console/notifications')
  await phone.getByText('服务器管理员解除了对二维码“Prize draw”的封禁').first().click()
  await phone.getByRole('button', { name: '前往' }).click()
  await phone.waitForURL(`**/console/codes/${code.id}`)
})

describe('activities', () => {
  test('an activity is created for a user and changed', async () => {
    const page = await browser.signedIn(admin)
    await page.goto('/console/admin/activities')
    await page.getByRole('link', { name: 'Create' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Night paddle')
    await page.getByRole('combobox', { name: 'User' }).fill('alice')
    await page.getByRole('option', { name: 'alice' }).click()
    await page.getByLabel('City').fill('Lindau')
    await page.getByRole('switch', { name: 'Registration' }).check()
    await page.getByRole('button', { name: 'Add question' }).click()
    await page.getByLabel('Question 1', { exact: true }).fill('Which seat?')
    await page.getByLabel('Short code').fill('no')
    browser.allow(/status of 400/)
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.locator('[name="checkInConfig.shortCode"][aria-invalid=true]').waitFor()
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Night paddle')
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Short code').fill('LAKE7')
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.getByRole('heading', { name: 'Night paddle' }).waitFor()
    expect(await barriers(page)).toEqual([])

    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Place', { exact: true }).fill('North pier')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('North pier').first().waitFor()
    const { data } = ok(await admin.get('/api/admin/activities', { keyword: 'Night paddle' }))
    expect(data.items[0]).toMatchObject({
      ownerId: alice.id,
      status: 'DRAFT',
      location: 'North pier',
      hasCheckIn: true,
      region: { city: 'Lindau' },
      registration: { questions: [{ label: 'Which seat?', required: false }] },
    })
  })

  test('an activity is deleted after a question that names it', async () => {
    const page = await browser.signedIn(admin)
    await table(page, 'activities')
    await page.getByRole('link', { name: 'Spring cleaning' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByText('Delete the activity “Spring cleaning”?').waitFor()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The activity is deleted.').waitFor()
    expect(ok(await admin.get('/api/admin/activities', { keyword: 'Spring' })).data.total).toBe(0)
  })
})

test('a pass is revoked with a reason that its holder sees, and stays in the list', async () => {
  const page = await browser.signedIn(admin)
  await table(page, 'passes')
  await page.getByRole('link', { name: 'Guest 1' }).click()
  await dialog(page)
    .getByText(/^until \d/)
    .waitFor()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await dialog(page).getByLabel('Reason').fill('Sold twice')
  await dialog(page).getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The pass is revoked.').waitFor()
  await dialog(page).getByText('Sold twice').first().waitFor()
  expect(ok(await admin.get('/api/admin/passes')).data.items[0]).toMatchObject({
    status: 'REVOKED',
    revokeReason: 'Sold twice',
  })
})

test('an asset is scrapped', async () => {
  const page = await browser.signedIn(admin, { isPhone: true })
  await table(page, 'assets')
  await page.getByRole('link', { name: 'Rowing machine' }).click()
  await page.getByRole('button', { name: 'Scrap' }).click()
  await dialog(page).getByRole('button', { name: 'Scrap' }).click()
  await page.getByText('The asset is scrapped.').waitFor()
  expect(ok(await admin.get('/api/admin/assets')).data.items[0]).toMatchObject({ status: 'SCRAPPED' })
})

describe('deleting', () => {
  const rows = [
    ['qr-codes', 'Boat house', '/api/admin/qr-codes'],
    ['categories', 'Signs', '/api/admin/categories'],
    ['check-ins', 'Regatta', '/api/admin/check-in'],
    ['passes', 'Guest 1', '/api/admin/passes'],
    ['assets', 'Rowing machine', '/api/admin/assets'],
    ['asset-categories', 'Boats', '/api/admin/asset-categories'],
    ['shares', 'Menu', '/api/admin/shares'],
    ['album', 'sunrise.png', '/api/admin/albums'],
    ['files', 'minutes.txt', '/api/admin/files'],
  ] as const
  test('a row of each table is deleted after a question, and the others stay', async () => {
    const page = await browser.signedIn(admin)
    for (const [name, row, path] of rows) {
      const before = ok(await admin.get(path)).data.total
      await table(page, name)
      await page.getByRole('link', { name: row, exact: true }).first().click()
      await dialog(page).getByRole('button', { name: 'Delete' }).click()
      await dialog(page)
        .getByText(/cannot be undone/)
        .waitFor()
      await dialog(page).getByRole('button', { name: 'Delete' }).click()
      await page.getByText('Deleted', { exact: true }).waitFor()
      expect({ name, total: ok(await admin.get(path)).data.total }).toEqual({ name, total: before - 1 })
    }
  })

  test('a deletion of several rows goes on after a refusal, which names the rows that stay', async () => {
    const field = (body: {
      name: string
      key?: string
      type: 'NUMBER' | 'COMPUTED'
      config?: Record<string, unknown>
    }) => admin.call('metadata.createAnyField', { body: { objectName: 'asset', scope: 'GLOBAL', ...body } })
    ok(await field({ name: 'Weight', key: 'weight', type: 'NUMBER' }))
    ok(await field({ name: 'Length', key: 'length', type: 'NUMBER' }))
    ok(await field({ name: 'Load', type: 'COMPUTED', config: { formula: '{weight} * 2' } }))
    const page = await browser.signedIn(admin)
    await table(page, 'fields')
    for (const name of ['Weight', 'Length']) await page.getByRole('row', { name }).getByRole('checkbox').check()
    browser.allow(/status of 4\d\d/)
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByText('One was left as it is:').waitFor()
    await dialog(page)
      .getByText(/“Weight”: .*formula/)
      .waitFor()
    expect(await dialog(page).getByText('Length').count()).toBe(0)
    const { items } = ok(await admin.call('metadata.allFields', { query: { size: 100 } })).data
    expect(items.map(({ name }) => name)).toContain('Weight')
    expect(items.map(({ name }) => name)).not.toContain('Length')
  })

  test('several codes are deleted at once', async () => {
    const page = await browser.signedIn(admin)
    await table(page, 'qr-codes')
    for (const name of ['Old sign', 'Older sign']) await page.getByRole('row', { name }).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByText('Delete 2 selected rows?').waitFor()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 rows deleted').waitFor()
    expect(ok(await admin.get('/api/admin/qr-codes', { keyword: 'sign' })).data.total).toBe(0)
  })
})

describe('stored files that nothing uses', () => {
  // A server of their own: a minute after the start of the other one, the daily clean-up may delete them first.
  const own = useServer()
  const ownBrowser = useBrowser(own.server)

  test('are counted, listed and deleted', async () => {
    const key = `ab/${'ab'.repeat(32)}.abcdef`
    const path = join(own.server.dataDir, 'files', key)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, 'left behind')
    await utimes(path, (Date.now() - 3 * DAY) / 1000, (Date.now() - 3 * DAY) / 1000)
    const page = await ownBrowser.signedIn(own.admin)
    await page.goto('/console/admin/files')
    await page.getByRole('alert').filter({ hasText: '1 stored file (11 B)' }).getByRole('button').click()
    await dialog(page).getByText(key).waitFor()
    expect(await barriers(page)).toEqual([])
    await dialog(page).getByRole('button', { name: 'Clean up' }).click()
    await dialog(page)
      .getByText(/^1 file \(11 B\) will be deleted/)
      .waitFor()
    await dialog(page).getByRole('button', { name: 'Clean up' }).click()
    await page.getByText('1 file deleted, 11 B freed').waitFor()
    await page.getByText('Every stored file is in use.').waitFor()
    expect(ok(await own.admin.call('admin.files.orphaned')).data.total).toBe(0)
  })
})
