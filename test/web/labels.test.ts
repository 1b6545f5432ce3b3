/** Blank labels in the web application: making and printing them, and deciding what each stands for. */

import { expect, test } from 'bun:test'

import type { BlankView } from '#domains/qr-codes/blanks/blanks.model.ts'

import { createAsset } from '../assets/helpers.ts'
import { ok, type Person, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

async function freeLabels(user: Person, count: number, prefix: string): Promise<BlankView[]> {
  const batch = ok(await user.call('qrBlanks.create', { body: { count, name: 'Library', prefix } })).data
  return ok(await user.call('qrBlanks.list', { query: { batchId: batch.id, size: 100 } })).data.items
}
const labelOf = async (user: Person, slug: string) => ok(await user.call('qrBlanks.get', { params: { slug } })).data

const LOOKS = [
  { isPhone: false, isDark: false, locale: 'en' },
  { isPhone: true, isDark: true, locale: 'zh-CN' },
] as const

test('labels are made, their progress is shown, and they are downloaded and printed', async () => {
  const design = ok(await alice.call('qrCodeDesigns.create', { body: { name: 'Round', modules: 'ROUNDED' } })).data
  const page = await browser.signedIn(alice)
  await page.goto('/console/codes/labels')
  await page.getByText('No blank labels yet').waitFor()
  await page.getByRole('button', { name: 'Make labels' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Library')
  await dialog.getByLabel('How many').fill('12')
  await dialog.getByLabel('Beginning of each number').fill('lib-')
  await dialog.getByLabel('Design').click()
  await page.getByRole('option', { name: 'Round' }).click()
  await dialog.getByRole('button', { name: 'Make labels' }).click()
  await page.getByText('LIB-00001 – LIB-00012').waitFor()
  expect(ok(await alice.call('qrBlanks.batches', {})).data.items[0]).toMatchObject({ designId: design.id, count: 12 })
  const [label] = ok(await alice.call('qrBlanks.list', {})).data.items
  const asset = await createAsset(alice, { name: 'Projector' })
  ok(await alice.call('qrBlanks.bind', { params: { slug: label!.slug }, body: { kind: 'ASSET', id: asset.id } }))
  for (const look of LOOKS) {
    const shown = await browser.signedIn(alice, look)
    await shown.goto('/console/codes/labels')
    await shown.getByText(look.locale === 'en' ? '1 of 12 in use' : '已使用 1 / 12').waitFor()
    expect(await barriers(shown)).toEqual([])
    expect(await isTooWide(shown)).toBe(false)
    await screenshot(shown, `labels-${look.locale}`)
    await shown.goto(`/console/assets/${asset.id}`)
    await shown.getByRole('link', { name: label!.number }).click()
    await shown.getByText('Projector').waitFor()
  }
  await page.reload()
  await page.getByRole('button', { name: 'Actions for Library' }).click()
  await page.getByRole('menuitem', { name: /PDF/ }).click()
  // The address of a server under test leads to this computer only.
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Print anyway' }).click(),
  ])
  expect(download.suggestedFilename()).toEndWith('.pdf')
  await page.getByRole('button', { name: 'Actions for Library' }).click()
  await page.getByRole('menuitem', { name: 'Print on sheets' }).click()
  await page.getByRole('heading', { name: 'Print blank labels' }).waitFor()
  await page.getByText('LIB-00012').first().waitFor()
  await screenshot(page, 'labels-print')
})

test('the page of a free label binds it to the thing that the user chooses', async () => {
  await createAsset(bob, { name: 'Microscope', assetNo: 'MIC-7' })
  ok(await bob.call('qrCodes.create', { body: { name: 'Timetable', content: 'https://example.org/t' } }))
  const labels = await freeLabels(bob, 4, 'BOB-')
  for (const [i, look] of LOOKS.entries()) {
    const page = await browser.signedIn(bob, look)
    const { slug, number } = labels[i]!
    await page.goto(`/console/labels/${slug}`)
    await page.getByText(look.locale === 'en' ? 'What is this?' : '这是什么？').waitFor()
    await page.getByText('Timetable').waitFor()
    await screenshot(page, `label-free-${look.locale}`)
    await page.getByRole('searchbox').fill('micro')
    await page.getByText('Timetable').waitFor({ state: 'hidden' })
    expect(await barriers(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
    await page.getByText('Microscope').click()
    await page.getByRole('link', { name: look.locale === 'en' ? 'Open it' : '查看' }).waitFor()
    await page.getByRole('heading', { name: number }).waitFor()
    await screenshot(page, `label-bound-${look.locale}`)
    expect(await labelOf(bob, slug)).toMatchObject({ kind: 'ASSET', title: 'Microscope' })
  }
  const page = await browser.signedIn(bob)
  await page.goto(`/console/labels/${labels[0]!.slug}`)
  await page.getByRole('button', { name: 'Free the label' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Free the label' }).click()
  await page.getByText('What is this?').waitFor()
  await page.getByRole('button', { name: 'New code' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Door')
  await page.getByRole('dialog').getByLabel('Content').fill('https://example.org/door')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.getByRole('link', { name: 'Open it' }).click()
  await page.getByRole('heading', { name: 'Door' }).first().waitFor()
})

test('the page of a code that is not public says that its labels lead nowhere yet', async () => {
  const [label] = await freeLabels(bob, 1, 'PRIVATE-')
  const { id } = ok(await bob.call('qrCodes.create', { body: { name: 'Rota', content: 'https://example.org/r' } })).data
  ok(await bob.post(`/api/qr-codes/blanks/${label!.slug}/bind`, { kind: 'QR_CODE', id }))
  const page = await browser.signedIn(bob)
  await page.goto(`/console/codes/${id}`)
  await page.getByText('The short link and its labels lead nowhere until the page is public.').waitFor()
  ok(await bob.call('qrCodes.publish', { params: { id }, body: { isPublic: true } }))
  await page.reload()
  await page.getByText('Scans are led to the content at once.').waitFor()
})

test('somebody who may not see a label learns why, and can scan another one', async () => {
  browser.allow(/status of 404/)
  const [label] = await freeLabels(bob, 1, 'OTHER-')
  const page = await browser.signedIn(alice, { isPhone: true })
  await page.goto(`/console/labels/${label!.slug}`)
  await page.getByRole('heading', { name: 'You may not see this label' }).waitFor()
  expect(await page.content()).not.toContain(label!.number)
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Scan another one' }).click()
  await page.waitForURL('**/console/scan')
})

test('a scan of a free label offers to bind it, and the form of a new asset takes a label', async () => {
  browser.allow(/NotAllowedError/)
  const [first, second] = await freeLabels(bob, 2, 'NEW-')
  const page = await browser.signedIn(bob)
  await page.addInitScript(() => {
    // @ts-expect-error -- runs in the browser
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
  })
  await page.goto('/console/scan')
  await page.getByRole('button', { name: 'Type a code' }).click()
  await page.getByLabel('Content or number under the code').fill(first!.shortUrl.toUpperCase())
  await page.getByRole('button', { name: 'Use', exact: true }).click()
  await page.getByText('What is this?').waitFor()
  await page.getByText(first!.number).first().waitFor()
  await screenshot(page, 'scan-label')
  await page.getByRole('button', { name: 'New asset' }).click()
  await page.getByText(`Label ${first!.number}`).waitFor()
  await page.getByLabel('Name').fill('Camera')
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.waitForURL(/\/assets\/\d+$/)
  await page.getByRole('heading', { name: 'Camera' }).first().waitFor()
  await expect(labelOf(bob, first!.slug)).resolves.toMatchObject({ kind: 'ASSET', title: 'Camera' })

  await page.goto('/console/assets/new')
  await page.getByLabel('Name').fill('Tripod')
  await page.getByRole('button', { name: 'Scan a label' }).click()
  await page.getByRole('dialog').waitFor()
  // As fast as a handheld scanner types.
  const type = (text: string) =>
    page.evaluate(
      (keys) => {
        for (const key of keys)
          // @ts-expect-error -- runs in the browser
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      },
      [...text, 'Enter'],
    )
  await type(first!.shortUrl)
  await page.getByText('stands for “Camera” already').waitFor()
  await page.getByRole('button', { name: 'Scan a label' }).click()
  await page.getByRole('dialog').waitFor()
  await type(second!.shortUrl)
  await page.getByText(`Label ${second!.number}`).waitFor()
  await screenshot(page, 'asset-form-label')
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.getByRole('heading', { name: 'Tripod' }).first().waitFor()
  expect(await labelOf(bob, second!.slug)).toMatchObject({ kind: 'ASSET', title: 'Tripod' })
})
