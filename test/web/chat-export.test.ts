/** A conversation is exported from its menu, and the archive opens in a browser without a server. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { unzipSync } from 'fflate'

import { png, uploaded } from '../files/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { isTooWide, screenshot, useBrowser } from './browser.ts'
import { makeContacts } from './contact-requests.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

describe('the export of a conversation', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'export-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('is downloaded on a phone and opens as pages with pictures, without scripts and without a network', async () => {
    await makeContacts(alice, bob)
    const picture = await uploaded(alice, png(200), { name: "Plan of 'hall' & yard #1 100%.png" })
    const voice = await Bun.file(join(import.meta.dir, '../fixtures/voice/chromium.webm')).bytes()
    const recording = await uploaded(alice, voice, { name: 'voice.webm' })
    const CONTENTS = [
      ['TEXT', { text: '<img src=x onerror="document.title=1">\n  second line' }],
      ['IMAGE', { fileId: picture.id, caption: 'The plan' }],
      ['VOICE', { fileId: recording.id, durationMs: 400 }],
      ['FILE', { fileId: picture.id, name: 'Plan.png' }],
    ] as const
    for (const [i, [type, content]] of CONTENTS.entries())
      ok(await alice.call('messages.send', { body: { toUserId: bob.id, clientMsgId: `export-${i}`, type, content } }))
    const { id } = ok(await bob.call('conversations.list')).data.items[0]!

    const phone = await browser.signedIn(bob, { isPhone: true, locale: 'zh-CN' })
    await phone.goto(`/console/chats/${id}`)
    await phone.getByRole('button', { name: '会话操作' }).click()
    await phone.getByRole('menuitem', { name: '导出…' }).click()
    await phone.getByRole('radio', { name: /网页/ }).waitFor()
    await screenshot(phone, 'chat-export-phone')
    const [download] = await Promise.all([
      phone.waitForEvent('download'),
      phone.getByRole('dialog').getByRole('button', { name: '导出' }).click(),
    ])
    await phone.getByText('导出文件已保存。').waitFor()
    const files = unzipSync(await Bun.file(await download.path()).bytes())
    for (const [name, bytes] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await Bun.write(join(folder, name), bytes)
    }

    const page = await browser.page()
    // Requests to anything else fail the test.
    browser.allow(new RegExp(`foreign request: file://${folder}/`))
    await page.goto(`file://${folder}/index.html`)
    expect(await page.evaluate('document.querySelector("article p").textContent')).toBe(CONTENTS[0][1].text)
    await page.waitForFunction('document.querySelector("img").naturalWidth === 200')
    // The styles of the page are those that its policy allows.
    expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).fontSize')).toBe('22.4px')
    await page.evaluate('document.querySelector("audio").play()')
    expect(await page.title()).not.toBe('1')
    await screenshot(page, 'chat-export-page')
    await page.getByRole('link', { name: 'Plan.png' }).click()
    await page.waitForURL(/^file:.*png$/)
    expect(await isTooWide(phone)).toBe(false)
  })

  test('is downloaded as JSON on a desktop', async () => {
    const { id } = ok(await bob.call('conversations.list')).data.items[0]!
    const page = await browser.signedIn(bob)
    await page.goto(`/console/chats/${id}`)
    await page.getByRole('button', { name: 'Actions for this conversation' }).click()
    await page.getByRole('menuitem', { name: 'Export…' }).click()
    await page.getByRole('radio', { name: /JSON/ }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
    ])
    const exported = (await Bun.file(await download.path()).json()) as { messages: { content: object }[] }
    expect(exported.messages.map(({ content }) => content)).toMatchObject([
      {},
      { caption: 'The plan' },
      { durationMs: 400 },
      {},
    ])
  })
})
