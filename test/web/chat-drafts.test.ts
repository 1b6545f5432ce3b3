/** Notes to oneself and drafts in the web application: one person on two devices. */

import { describe, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { ok, type Person, until, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { makeContacts } from './contact-requests.ts'

const { server } = useServer()
const browser = useBrowser(server)

/** Two people with a conversation. */
async function pair(): Promise<{ alice: Person; bob: Person; id: number }> {
  const [alice, bob] = [await server.person(), await server.person()]
  await makeContacts(alice, bob)
  const body = {
    toUserId: alice.id,
    clientMsgId: 'first',
    type: 'TEXT' as const,
    content: { text: 'When do we meet?' },
  }
  return { alice, bob, id: ok(await bob.call('messages.send', { body })).data.conversationId }
}

const field = (page: Page, name = 'Message') => page.getByRole('textbox', { name, exact: true })
const shows = (page: Page, text: string) => until(async () => (await field(page).inputValue()) === text)
const stored = (person: Person, id: number, draft: string) =>
  until(async () => ok(await person.call('conversations.get', { params: { id } })).data.draft === draft)

/**
 * Holds back the requests that store drafts, until `isConnected` is set in the tab: a test without a service worker could not reload its page
 * without a connection. `page.route` does not get the requests of a page that ends.
 */
const cutDrafts = (page: Page) =>
  page.addInitScript(() => {
    const { fetch } = globalThis
    globalThis.fetch = ((input: string, init) =>
      input.endsWith('/draft') && sessionStorage.getItem('isConnected') === null
        ? Promise.reject(new TypeError('no connection'))
        : fetch(input, init)) as typeof fetch
  })

describe('notes to oneself', () => {
  test('are opened from “New chat”, shown on all devices, and messages are forwarded into them', async () => {
    const { alice, id } = await pair()
    const phone = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN' })
    await phone.goto('/console/chats')
    await phone.getByRole('link', { name: /When do we meet/ }).waitFor()
    expect(await phone.getByText('给自己的笔记').count()).toBe(0)

    const desk = await browser.signedIn(alice)
    await desk.goto('/console/chats')
    await desk.getByRole('button', { name: 'New chat' }).first().click()
    await desk.getByRole('menuitem', { name: 'New chat' }).click()
    await desk.getByRole('dialog').getByText('Notes to myself').click()
    await desk.getByText('Only you see these messages').waitFor()
    await field(desk).fill('Buy toner')
    await field(desk).press('Enter')
    await desk.getByRole('log').getByText('Buy toner').waitFor()
    const row = phone.getByRole('link', { name: /给自己的笔记.*Buy toner/ })
    await row.waitFor()
    expect(await isTooWide(phone)).toBe(false)
    expect(await barriers(desk)).toEqual([])
    await screenshot(desk, 'chat-notes')

    await desk.goto(`/console/chats/${id}`)
    await desk.getByRole('button', { name: 'Actions for this message' }).click()
    await desk.getByRole('menuitem', { name: 'Forward' }).click()
    await desk.getByRole('dialog').getByRole('checkbox', { name: 'Notes to myself' }).click()
    await desk.getByRole('dialog').getByRole('button', { name: 'Forward' }).click()
    await desk.getByText('Forwarded.').waitFor()
    await phone.getByRole('link', { name: /给自己的笔记.*When do we meet/ }).click()
    await phone.getByRole('log').getByText('Buy toner').waitFor()
    await phone.getByRole('button', { name: '会话操作' }).click()
    expect(await phone.getByRole('menuitem', { name: '静音' }).count()).toBe(0)
  })
})

describe('drafts', () => {
  test('appear on the other device with the message that they answer, and go with the message', async () => {
    const { alice, id } = await pair()
    const phone = await browser.signedIn(alice, { isPhone: true })
    await phone.goto('/console/chats')
    const desk = await browser.signedIn(alice)
    await desk.goto(`/console/chats/${id}`)
    await desk.getByRole('button', { name: 'Actions for this message' }).click()
    await desk.getByRole('menuitem', { name: 'Reply' }).click()
    await field(desk).fill('At nine, at the')
    await phone.getByRole('link', { name: /Draft: At nine, at the/ }).click()
    await shows(phone, 'At nine, at the')
    await phone.getByRole('button', { name: 'Do not reply to this message' }).waitFor()
    // The phone goes on where the desk has stopped, and the desk shows it.
    await field(phone).press('End')
    await field(phone).pressSequentially(' station')
    await shows(desk, 'At nine, at the station')
    await phone.getByRole('button', { name: 'Send', exact: true }).click()
    await desk.getByRole('log').getByText('At nine, at the station').waitFor()
    await shows(desk, '')
    await stored(alice, id, '')
    const { items } = ok(await alice.call('conversations.history', { params: { id } })).data
    expect(items[0]).toMatchObject({
      content: { text: 'At nine, at the station' },
      replyTo: { excerpt: 'When do we meet?' },
    })
  })

  test('written without a connection survive a reload, and are kept beside what another device has written meanwhile', async () => {
    // The refusal of the older draft.
    browser.allow(/409/)
    const { alice, id } = await pair()
    const phone = await browser.signedIn(alice, { isPhone: true })
    await cutDrafts(phone)
    await phone.goto(`/console/chats/${id}`)
    await field(phone).fill('Written on the train')
    await phone.reload()
    await shows(phone, 'Written on the train')

    const desk = await browser.signedIn(alice)
    await desk.goto(`/console/chats/${id}`)
    await field(desk).fill('Written at the desk')
    await stored(alice, id, 'Written at the desk')
    await shows(phone, 'Written at the desk\nWritten on the train')
    await phone.getByText('You have written here on another device, too').waitFor()
    await phone.evaluate(() => sessionStorage.setItem('isConnected', 'yes'))
    await phone.reload()
    await shows(phone, 'Written at the desk\nWritten on the train')
    await field(phone).press('Control+End')
    await field(phone).pressSequentially('!')
    const both = 'Written at the desk\nWritten on the train!'
    await shows(desk, both)
    await stored(alice, id, both)
    await screenshot(phone, 'chat-draft-merged')
    expect(await isTooWide(phone)).toBe(false)
  })

  test('a draft of an unstored message is shown in the list, and leaves the browser with the sign-out', async () => {
    const { alice, id } = await pair()
    const desk = await browser.signedIn(alice)
    await cutDrafts(desk)
    await desk.goto(`/console/chats/${id}`)
    await field(desk).fill('Only in this browser')
    await desk.goto('/console/chats')
    await desk.getByRole('link', { name: /Draft: Only in this browser/ }).waitFor()
    const kept = () => desk.evaluate(() => JSON.stringify(localStorage))
    expect(await kept()).toContain('Only in this browser')
    await desk.getByLabel('Profile').click()
    await desk.getByText('Sign out').click()
    await desk.getByRole('dialog').getByText('A draft of a message has not reached the server').waitFor()
    await desk.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await desk.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    expect(await kept()).not.toContain('Only in this browser')
  })
})
