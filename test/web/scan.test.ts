/** Scanning in the web application: camera, pictures, handheld scanners, several in a row, and the history. */

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Page } from 'playwright-core'

import { encodeQr } from '#lib/qr/index.ts'
import { toPng } from '#lib/qr/png.ts'

import { ok, useServer } from '../harness/index.ts'
import { type Picture, pictureOfPng } from '../lib/qr-pictures.ts'
import { barriers, isTooWide, screenshot, until, useBrowser } from './browser.ts'
import { CAMERA_HEIGHT, CAMERA_WIDTH, cameraOf, videoOf } from './camera.ts'

const CONTENT = 'https://example.org/rooms/201?name=教室'
const folder = mkdtempSync(join(tmpdir(), 'tessera-camera-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'camera.y4m'), videoOf(seen(pictureOfPng(pngOf(CONTENT)))))

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server, { args: cameraOf(join(folder, 'camera.y4m')) })

function pngOf(content: string): Uint8Array<ArrayBuffer> {
  return toPng(encodeQr(content, 'M'), { size: 400, margin: 4, fg: '000000', bg: 'ffffff' })
}

/** The brightness of a frame with the picture in its middle. */
function seen({ size, dark }: Picture): Uint8Array {
  const luma = new Uint8Array(CAMERA_WIDTH * CAMERA_HEIGHT).fill(200)
  const [left, top] = [(CAMERA_WIDTH - size) >> 1, (CAMERA_HEIGHT - size) >> 1]
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) luma[(top + y) * CAMERA_WIDTH + left + x] = dark[y * size + x] === 1 ? 16 : 235
  return luma
}

test('the camera reads a code, the scan is recorded, and the own code in it is opened', async () => {
  const code = ok(await alice.call('qrCodes.create', { body: { name: 'Room 201', content: CONTENT } })).data
  for (const look of [
    { isPhone: true, isDark: true, locale: 'zh-CN', next: '继续扫描', show: '查看二维码' },
    { isPhone: false, isDark: false, locale: 'en', next: 'Scan next', show: 'Show code' },
  ] as const) {
    const page = await browser.signedIn(alice, look)
    await page.goto('/console/scan')
    await page.getByRole('heading', { name: 'Room 201' }).waitFor()
    await page.getByText(CONTENT).waitFor()
    expect(await barriers(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
    await screenshot(page, `scan-${look.locale}`)
    const { items } = ok(await alice.call('scanRecords.list', {})).data
    expect(items[0]).toMatchObject({ content: CONTENT, source: 'CAMERA', qrCodeId: code.id })
    // The camera goes on: the same code is read again.
    await page.getByRole('button', { name: look.next }).click()
    await page.getByRole('link', { name: look.show }).click()
    await page.waitForURL(`**/codes/${code.id}`)
  }
  // Two pages, each with a scan before and one after "next".
  expect(ok(await alice.call('scanRecords.list', {})).data.total).toBe(4)
})

const refuseCamera = (page: Page) =>
  page.addInitScript(() => {
    // @ts-expect-error -- runs in the browser
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
  })

test('pictures and handheld scanners are read, and a row of scans stays on the page', async () => {
  browser.allow(/NotAllowedError/)
  const page = await browser.signedIn(bob)
  // Without a camera the page says what to do, and the other ways work.
  await refuseCamera(page)
  await page.goto('/console/scan')
  await page.getByText('The browser does not let this page use the camera').waitFor()
  const file = (name: string, content: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from(pngOf(content)) })
  await page.setInputFiles('input[type=file]', file('wifi.png', 'WIFI:T:WPA;S:Hall;P:let me in;;'))
  await page.getByText('let me in').waitFor()
  await page.getByRole('button', { name: 'Copy: Password' }).waitFor()
  await page.setInputFiles('input[type=file]', {
    name: 'notes.png',
    mimeType: 'image/png',
    buffer: Buffer.from('these are no pixels'),
  })
  await page.getByText('The file is not a picture').waitFor()

  await page.getByLabel('Several in a row').check()
  // As fast as a scanner types; the letters are shortcuts of the web application otherwise.
  await page.evaluate(() => {
    for (const key of [...'tel:+8613800000000', 'Enter'])
      // @ts-expect-error -- runs in the browser
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  })
  await page.getByText('+8613800000000').first().waitFor()
  await page.getByRole('button', { name: 'Type a code' }).click()
  await page.getByLabel('Content or number under the code').fill('https://example.net/elsewhere')
  await page.getByRole('button', { name: 'Use', exact: true }).click()
  await page.getByRole('link', { name: 'Open example.net' }).waitFor()
  // The earlier one is still there.
  await page.getByText('+8613800000000').first().waitFor()
  const { items } = ok(await bob.call('scanRecords.list', {})).data
  expect(items.map(({ source, contentType }) => `${source} ${contentType}`)).toEqual([
    'MANUAL URL',
    'MANUAL PHONE',
    'IMAGE WIFI',
  ])
})

/** Sends a form as browsers do for applications that share something. Each picture is a PNG in base64. */
const share = (page: Page, fields: Record<string, string>, picture?: string) =>
  page.evaluate(
    ([fields, picture]) => {
      /* oxlint-disable no-undef -- runs in the browser */
      // @ts-expect-error -- runs in the browser
      const { document, DataTransfer, File } = globalThis
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', action: '/console/share', enctype: 'multipart/form-data' })
      for (const [name, value] of Object.entries(fields)) {
        const input = Object.assign(document.createElement('input'), { name, value })
        form.append(input)
      }
      if (picture !== undefined) {
        const files = new DataTransfer()
        files.items.add(new File([Uint8Array.fromBase64(picture)], 'code.png', { type: 'image/png' }))
        form.append(
          Object.assign(document.createElement('input'), { type: 'file', name: 'pictures', files: files.files }),
        )
      }
      document.body.append(form)
      form.submit()
      /* oxlint-enable no-undef */
    },
    [fields, picture] as const,
  )

test('a picture that another application shares is read, a link or text becomes a new code, and nothing stays in the browser', async () => {
  browser.allow(/NotAllowedError|status of 401/)
  const person = await server.person()
  const page = await browser.signedIn(person, { hasWorker: true, isPhone: true })
  await refuseCamera(page)
  const picture = Buffer.from(pngOf('tel:+8613800000077')).toString('base64')
  await page.goto('/console/')
  // The server answers as long as there is no worker: it keeps nothing.
  await share(page, { title: 'Photo' }, picture)
  await page.getByRole('heading', { name: 'Please share it again' }).waitFor()
  await page.getByRole('link', { name: 'Open the application' }).click()
  await until(page, 'navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)')
  await share(page, { title: 'Photo', text: 'A caption' }, picture)
  await page.getByText('+8613800000077').first().waitFor()
  expect(new URL(page.url()).search).toBe('')
  expect(await page.evaluate("caches.has('shared')")).toBe(false)
  const { items } = ok(await person.call('scanRecords.list', {})).data
  expect(items.map(({ content, source }) => `${source} ${content}`)).toEqual(['IMAGE tel:+8613800000077'])

  await share(page, { title: 'Opening hours', text: 'https://example.org/hours' })
  await page.getByRole('heading', { name: 'New code' }).waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Opening hours')
  expect(await page.getByLabel('Web address').inputValue()).toBe('https://example.org/hours')
  await page.getByRole('button', { name: 'Create code' }).click()
  await page.getByText('Code created.').waitFor()
  expect(ok(await person.call('qrCodes.list', {})).data.items[0]).toMatchObject({
    name: 'Opening hours',
    content: 'https://example.org/hours',
    contentType: 'URL',
  })

  // Loaded again, and already read.
  await page.goto('/console/scan?shared=read')
  await page.getByText('The picture or text did not arrive').waitFor()
  // The session ends before it is read: the next user of this browser must not find it.
  await page.evaluate("caches.open('shared').then((cache) => cache.put('/console/scan?shared=left', new Response('')))")
  await page.getByRole('button', { name: /^Profile/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  await until(page, "caches.has('shared').then((isKept) => !isKept)")
})

test('a code that is read without a connection is shown, and recorded later with the time of the scan', async () => {
  browser.allow(/ERR_FAILED|NotAllowedError/)
  const person = await server.person()
  const page = await browser.signedIn(person)
  await refuseCamera(page)
  await page.goto('/console/scan')
  await page.route('**/api/scan-records', (route) => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Type a code' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('WIFI:T:WPA;S:Hall;P:welcome;;')
  await page.keyboard.press('Enter')
  await page.getByText('welcome', { exact: true }).waitFor()
  await page.getByText('The scan is not in your history yet.').waitFor()
  expect(await barriers(page)).toEqual([])
  expect(ok(await person.call('scanRecords.list')).data.total).toBe(0)
  const before = Date.now()
  await page.getByRole('button', { name: 'Save now' }).click()
  await page.getByRole('button', { name: 'Mark as favourite' }).waitFor()
  const { items } = ok(await person.call('scanRecords.list')).data
  expect(items).toMatchObject([{ content: 'WIFI:T:WPA;S:Hall;P:welcome;;', source: 'MANUAL' }])
  expect(items[0]!.scannedAt).toBeLessThan(before)
})

test('the history is searched, named, marked and deleted', async () => {
  const page = await browser.signedIn(bob, { isPhone: true })
  await page.goto('/console/scan/history')
  const list = page.getByRole('list', { name: 'Scans' })
  await list.getByRole('listitem').nth(2).waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill('Hall')
  await list.getByText('https://example.net/elsewhere').waitFor({ state: 'detached' })
  await list.getByText('WIFI:T:WPA;S:Hall').waitFor()
  expect(await list.getByRole('listitem').count()).toBe(1)
  await list.getByRole('button').first().click()
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('Wi-Fi of the hall')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Mark Wi-Fi of the hall as favourite' }).click()
  await page.getByRole('searchbox', { name: 'Search' }).fill('')
  await list.getByText('https://example.net/elsewhere').waitFor()
  await page.getByRole('button', { name: 'Favourites' }).click()
  await list.getByText('https://example.net/elsewhere').waitFor({ state: 'detached' })
  expect(await barriers(page)).toEqual([])
  expect(await isTooWide(page)).toBe(false)
  await screenshot(page, 'scan-history')
  await page.getByText('Wi-Fi of the hall').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('The scan disappears from your history').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Nothing found').waitFor()
  expect(ok(await bob.call('scanRecords.list', {})).data.total).toBe(2)
})
