/** Voice messages are recorded, heard and sent in the browser, here with the fake microphone of Chromium. */

import { describe, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { ok, useServer } from '../harness/index.ts'
import { isTooWide, screenshot, useBrowser } from './browser.ts'
import { makeContacts } from './contact-requests.ts'

const MICROPHONE = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server, { args: MICROPHONE })

/** Makes `getUserMedia` fail with an exception of this name; null for the real one. */
const setMicrophone = (page: Page, name: string | null) =>
  page.evaluate(
    name === null
      ? 'delete navigator.mediaDevices.getUserMedia'
      : `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', '${name}'))`,
  )

describe('voice messages', () => {
  test('are recorded, heard before they are sent, and played by the other person', async () => {
    await makeContacts(alice, bob)
    const phone = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN' })
    await phone.goto(`/console/chats/with/${bob.id}`)
    await phone.getByRole('button', { name: '录制语音消息' }).click()
    await phone.getByText('正在录音…').waitFor()
    await phone.getByRole('timer').getByText('0:01').waitFor()
    await screenshot(phone, 'voice-recording-phone')
    await phone.getByRole('button', { name: '停止录音' }).click()
    await phone.getByLabel('你的录音').waitFor()
    // The page has a policy that decides about sounds, too.
    await phone.waitForFunction(`document.querySelector('audio').readyState > 0`)
    expect(await isTooWide(phone)).toBe(false)
    await phone.getByRole('button', { name: '发送', exact: true }).click()
    await phone.getByRole('log').getByLabel('语音').waitFor()
    await phone.getByRole('textbox', { name: '消息' }).waitFor()

    const desk = await browser.signedIn(bob)
    await desk.goto('/console/chats')
    await desk.getByRole('link', { name: /Voice message/ }).click()
    const player = desk.getByRole('log').getByLabel('Voice message')
    await player.waitFor()
    expect(await desk.evaluate(`document.querySelector('[role=log] audio').play().then(() => 'plays')`)).toBe('plays')
    await desk
      .getByRole('log')
      .getByText(/^0:0\d$/)
      .waitFor()
    await screenshot(desk, 'voice-desk')
    const { id } = ok(await bob.call('conversations.list')).data.items[0]!
    const { items } = ok(await bob.call('conversations.history', { params: { id } })).data
    expect(items[0]).toMatchObject({ type: 'VOICE', content: { mime: 'audio/webm' } })
    // The recorder begins a moment after the timer.
    expect((items[0]!.content as { durationMs: number }).durationMs).toBeGreaterThan(500)
  })

  test('are deleted before they are sent, and the page says why there is no microphone', async () => {
    const { items } = ok(await alice.call('conversations.list')).data
    const page = await browser.signedIn(alice)
    await page.goto(`/console/chats/${items[0]!.id}`)
    const record = page.getByRole('button', { name: 'Record a voice message' })
    await record.click()
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await page.getByRole('button', { name: 'Delete the recording' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('Text instead')
    expect(await record.count()).toBe(0)
    await page.getByRole('textbox', { name: 'Message' }).fill('')

    const PROBLEMS = [
      ['NotAllowedError', 'does not give this page the microphone'],
      ['NotFoundError', 'has no microphone'],
      ['NotReadableError', 'cannot be used'],
    ] as const
    for (const [name, text] of PROBLEMS) {
      await setMicrophone(page, name)
      await record.click()
      await page.getByRole('alert').getByText(text).waitFor()
      await setMicrophone(page, null)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('button', { name: 'Delete the recording' }).click()
    }
    const { data } = ok(await bob.call('conversations.history', { params: { id: items[0]!.id } }))
    expect(data.items).toHaveLength(1)
  })

  test('have a download where the browser cannot play them', async () => {
    const { items } = ok(await bob.call('conversations.list')).data
    const page = await browser.signedIn(bob)
    await page.addInitScript(`HTMLMediaElement.prototype.canPlayType = () => ''`)
    await page.goto(`/console/chats/${items[0]!.id}`)
    await page.getByText('This browser cannot play the recording.').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('log').getByRole('link', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('voice.webm')
  })
})
