/** Pinned messages and marks as unread in the web application, which shows the same as two phones after every step. */

import { expect, test } from 'bun:test'

import { Phone } from '../chat/phone.ts'
import { ok, type Person, until as eventually, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { makeContacts } from './contact-requests.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

const nameOf = async (person: Person) => ok(await person.call('profile.get')).data.nickname
let sent = 0
const say = async (person: Person, id: number, text: string) => {
  const body = { conversationId: id, clientMsgId: `pins-${++sent}`, type: 'TEXT' as const, content: { text } }
  return ok(await person.call('messages.send', { body })).data.messages[0]!
}
const phoneOf = (person: Person, name: string) => new Phone(person, () => server.url, name)

test('messages are pinned, found and unpinned in the browser, which shows the same pins as a phone with a socket and one that catches up', async () => {
  // The fourth pinned message is refused.
  browser.allow(/status of 400/)
  await makeContacts(alice, bob)
  const { id } = ok(await alice.call('groups.create', { body: { name: 'Garden', userIds: [bob.id] } })).data
  const first = await say(alice, id, 'The key is under the pot')
  for (let n = 1; n <= 70; n++) await say(n % 2 ? bob : alice, id, `line ${n}`)
  const live = phoneOf(bob, 'a phone with a socket')
  live.start()
  const away = phoneOf(bob, 'a phone that catches up')
  const desk = await browser.signedIn(bob)
  await desk.goto(`/console/chats/${id}`)
  const bar = desk.getByRole('region', { name: 'Pinned messages' })
  const pinnedOn = (phone: Phone) =>
    phone.messages
      .filter((message) => message.pin !== null && !phone.recalled.has(message.id))
      .toSorted((a, b) => b.pin!.pinnedAt - a.pin!.pinnedAt)
      .map((message) => String(message.content['text']))
  const openBar = async () => {
    const all = bar.getByRole('button', { name: /^Show all/ })
    if (await all.isVisible()) await all.click()
  }
  /** The same texts everywhere, the latest pinned first. */
  const everywhere = async (...texts: string[]) => {
    // A button of the page has only sent its request.
    await eventually(() => pinnedOn(live).join() === texts.join())
    await away.catchUp()
    expect(pinnedOn(away)).toEqual(texts)
    await eventually(async () => {
      await openBar()
      const names = await bar.getByRole('listitem').allInnerTexts()
      return names.map((name) => name.replace(/^.*?: /, '')).join() === texts.join()
    })
  }
  await desk.getByRole('log').getByText('line 70', { exact: true }).waitFor()
  await everywhere()

  // The owner pins on the phone: the member sees it, may open it however old it is, and may not change it.
  const owner = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN' })
  await owner.goto(`/console/chats/${id}?message=${first.id}`)
  const own = owner.locator(`#message-${first.id}`)
  await own.getByRole('button', { name: '消息操作' }).click()
  await owner.getByRole('menuitem', { name: '置顶消息' }).click()
  await owner.getByRole('region', { name: '置顶消息' }).getByText('我：The key is under the pot').waitFor()
  await everywhere('The key is under the pot')
  await bar.getByText(`${await nameOf(alice)}: The key is under the pot`).click()
  await desk.locator(`#message-${first.id}`).getByText('The key is under the pot').waitFor()
  await desk.getByRole('img', { name: `Pinned by ${await nameOf(alice)}` }).waitFor()
  expect(await bar.getByRole('button', { name: /^Unpin/ }).count()).toBe(0)
  const actions = desk.locator(`#message-${first.id}`).getByRole('button', { name: 'Actions for this message' })
  await actions.click()
  await desk.getByRole('menuitem', { name: 'Reply' }).waitFor()
  expect(await desk.getByRole('menuitem', { name: /[Pp]in message/ }).count()).toBe(0)
  await desk.keyboard.press('Escape')
  for (const page of [owner, desk]) expect(await isTooWide(page)).toBe(false)
  await screenshot(owner, 'pins-phone')

  // Members may pin once the group says so.
  ok(await alice.call('groups.update', { params: { id }, body: { membersPin: true } }))
  await bar.getByRole('button', { name: 'Unpin “The key is under the pot”' }).waitFor()
  const [second, third, fourth] = [
    await say(bob, id, 'Water on Mondays'),
    await say(alice, id, 'Compost is full'),
    await say(alice, id, 'Gate code 1234'),
  ]
  await desk.locator(`#message-${second.id}`).getByRole('button', { name: 'Actions for this message' }).click()
  await desk.getByRole('menuitem', { name: 'Pin message' }).click()
  await everywhere('Water on Mondays', 'The key is under the pot')
  ok(await bob.call('messages.pin', { params: { id: third.id } }))
  await everywhere('Compost is full', 'Water on Mondays', 'The key is under the pot')
  await screenshot(desk, 'pins-desktop')
  expect(await barriers(desk)).toEqual([])
  await desk.locator(`#message-${fourth.id}`).getByRole('button', { name: 'Actions for this message' }).click()
  await desk.getByRole('menuitem', { name: 'Pin message' }).click()
  await desk.getByText(/at most 3 pinned messages/).waitFor()
  ok(await bob.call('messages.edit', { params: { id: second.id }, body: { content: { text: 'Water on Tuesdays' } } }))
  await everywhere('Compost is full', 'Water on Tuesdays', 'The key is under the pot')
  ok(await alice.call('messages.recall', { params: { id: third.id } }))
  await everywhere('Water on Tuesdays', 'The key is under the pot')
  await bar.getByRole('button', { name: 'Unpin “Water on Tuesdays”' }).click()
  await everywhere('The key is under the pot')
  ok(await alice.call('messages.unpin', { params: { id: first.id } }))
  await everywhere()
  await live.end()
  expect([...live.problems, ...away.problems]).toEqual([])
})

test('a conversation is marked as unread in the menu of its row, on all devices, until it is opened', async () => {
  const [pia, quinn] = [await server.person(), await server.person()]
  await makeContacts(pia, quinn)
  const body = {
    toUserId: quinn.id,
    clientMsgId: 'hello',
    type: 'TEXT' as const,
    content: { text: 'Can you call me?' },
  }
  const { conversationId: id } = ok(await pia.call('messages.send', { body })).data
  ok(await quinn.call('conversations.read', { params: { id }, body: {} }))
  const [desk, phone] = [
    await browser.signedIn(quinn),
    await browser.signedIn(quinn, { isPhone: true, locale: 'zh-CN' }),
  ]
  const title = await nameOf(pia)
  for (const page of [desk, phone]) await page.goto('/console/chats')
  await phone.getByRole('link', { name: /Can you call me/ }).waitFor()
  expect(await phone.getByRole('img', { name: '未读' }).count()).toBe(0)
  await desk.getByRole('button', { name: `Actions for ${title}` }).click()
  await desk.getByRole('menuitem', { name: 'Mark as unread' }).click()
  await desk.getByRole('img', { name: 'Unread' }).waitFor()
  await phone.getByRole('img', { name: '未读' }).waitFor()
  const menu = desk.getByRole('navigation', { name: 'Menu' })
  await menu.getByText('1', { exact: true }).waitFor()
  await screenshot(phone, 'marked-unread-phone')
  expect(await isTooWide(phone)).toBe(false)
  expect(await barriers(phone)).toEqual([])

  await phone.getByRole('link', { name: /Can you call me/ }).click()
  await phone.getByRole('log').getByText('Can you call me?').waitFor()
  await desk.getByRole('img', { name: 'Unread' }).waitFor({ state: 'detached' })
  await menu.getByText('1', { exact: true }).waitFor({ state: 'detached' })

  // From the conversation itself, which is then left, and back by the menu of the row.
  await phone.getByRole('button', { name: '会话操作' }).click()
  await phone.getByRole('menuitem', { name: '标为未读' }).click()
  await phone.getByRole('img', { name: '未读' }).waitFor()
  await desk.getByRole('button', { name: `Actions for ${title}` }).click()
  await desk.getByRole('menuitem', { name: 'Mark as read' }).click()
  await phone.getByRole('img', { name: '未读' }).waitFor({ state: 'detached' })
})
