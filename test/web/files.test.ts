/** Files in the web application that are stored in S3, at another address than the public one. */

import { describe, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { createAsset, photo } from '../assets/helpers.ts'
import { befriend } from '../contacts/helpers.ts'
import { png, text } from '../files/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { startS3 } from '../harness/s3.ts'
import { useBrowser } from './browser.ts'

const s3 = await startS3()

/** Waits for the `n`-th picture whose address contains `part`. Fails if its bytes are no picture. */
const loaded = (page: Page, part: string, n = 0): Promise<unknown> =>
  page
    .locator(`img[src*="${part}"]`)
    .nth(n)
    .evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode())

describe.skipIf(s3 === undefined)('files in S3', () => {
  const { server, alice, bob } = useServer({
    people: ['alice', 'bob'],
    config: { storageUrl: s3?.storageUrl() ?? '', publicUrl: 'https://qr.example.org' },
  })
  const browser = useBrowser(server)

  test('are uploaded, shown and downloaded through the server whose page is open', async () => {
    await befriend(alice, bob)
    const asset = await createAsset(alice, { photos: [await photo(alice)] })
    const page = await browser.signedIn(alice)

    await page.goto('/console/account')
    await page.setInputFiles('input[type=file]', { name: 'me.png', mimeType: 'image/png', buffer: Buffer.from(png()) })
    await loaded(page, '/public/images/')
    // The address in the answer is not the one of the page.
    expect(ok(await alice.call('profile.get')).data.avatarUrl).not.toStartWith(server.url)

    await page.goto('/console/album')
    const lake = { name: 'lake.png', mimeType: 'image/png', buffer: Buffer.from(png()) }
    await page.locator('input[type=file][multiple]').setInputFiles([lake])
    await page.getByText('1 photo added').waitFor()
    await loaded(page, '/content?variant=THUMBNAIL')

    await page.goto(`/console/assets/${asset.id}`)
    await loaded(page, '/content?variant=')

    await page.goto(`/console/chats/with/${bob.id}`)
    await page.setInputFiles('input[type=file]', { ...lake, name: 'boat.png' })
    await loaded(page, '/api/chats/messages/')
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from(text()) }
    await page.setInputFiles('input[type=file]', notes)
    const saved = page.waitForEvent('download')
    await page
      .getByRole('log')
      .getByRole('link', { name: /notes\.txt/ })
      .click()
    const stream = await (await saved).createReadStream()
    expect(Buffer.concat(await Array.fromAsync(stream))).toEqual(notes.buffer)
  })

  test('appear over the socket if other people send them', async () => {
    const page = await browser.signedIn(alice)
    await page.goto(`/console/chats/with/${bob.id}`)
    await loaded(page, '/api/chats/messages/')
    const sender = await browser.signedIn(bob)
    await sender.goto(`/console/chats/with/${alice.id}`)
    await sender.setInputFiles('input[type=file]', {
      name: 'fish.png',
      mimeType: 'image/png',
      buffer: Buffer.from(png()),
    })
    await loaded(page, '/api/chats/messages/', 1)
  })
})
