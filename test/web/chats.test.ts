/** Chats and notifications of the web application: two people write to each other in two browsers. */

import { describe, expect, test } from 'bun:test'

import { openActivity } from '../activities/registering.ts'
import { ok, type Person, until as eventually, useServer } from '../harness/index.ts'
import { barriers, isTooWide, menuLink, screenshot, useBrowser } from './browser.ts'
import { makeContacts } from './contact-requests.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

const nameOf = async (person: Person) => ok(await person.call('profile.get')).data.nickname

describe('chats', () => {
  test('two people write, reply, react, recall and see what the other has read', async () => {
    await makeContacts(alice, bob)
    const phone = await browser.signedIn(bob, { isPhone: true, locale: 'zh-CN' })
    await phone.goto('/console/chats')
    await phone.getByText('还没有会话').waitFor()
    const desk = await browser.signedIn(alice)
    await desk.goto('/console/chats')
    await desk.getByText('No conversations yet').waitFor()
    await desk.getByRole('button', { name: 'New chat' }).last().click()
    const choice = desk.getByRole('dialog').getByText(await nameOf(bob))
    await choice.waitFor()
    // The choice of a person is enough.
    expect(await desk.getByRole('dialog').getByRole('button', { name: 'New chat' }).count()).toBe(0)
    await choice.click()
    await desk.getByRole('textbox', { name: 'Message' }).fill('Did the labels arrive?')
    await desk.getByRole('textbox', { name: 'Message' }).press('Enter')
    await desk.getByRole('log').getByText('Did the labels arrive?').waitFor()

    // It appears on the phone by itself. Opening it marks it as read there and on the desk.
    await phone.getByRole('link', { name: /Did the labels arrive/ }).click()
    await phone.getByRole('log').getByText('Did the labels arrive?').waitFor()
    await desk.getByRole('img', { name: 'Read', exact: true }).waitFor()

    await phone.getByRole('button', { name: '消息操作' }).click()
    await phone.getByRole('menuitem', { name: '回复' }).click()
    await phone.getByRole('textbox', { name: '消息' }).fill('到了，谢谢！')
    await phone.getByRole('button', { name: '发送', exact: true }).click()
    const answer = desk.locator('[id^=message-]', { hasText: '到了，谢谢！' })
    await answer.getByText('You').waitFor()

    await answer.getByRole('button', { name: 'Actions for this message' }).click()
    await desk.getByRole('menuitem', { name: 'React with 👍' }).click()
    await phone.getByRole('button', { name: /👍 1/ }).waitFor()
    for (const page of [phone, desk]) expect(await isTooWide(page)).toBe(false)
    await screenshot(phone, 'chat-phone')
    await screenshot(desk, 'chat-desk')

    const own = phone.locator('[id^=message-]', { hasText: '到了，谢谢！' })
    await own.getByRole('button', { name: '消息操作' }).click()
    await phone.getByRole('menuitem', { name: '编辑' }).click()
    await phone.getByRole('dialog').getByRole('textbox', { name: '消息' }).fill('都到了，谢谢！')
    await phone.getByRole('dialog').getByRole('button', { name: '保存' }).click()
    const edited = desk.locator('[id^=message-]', { hasText: '都到了，谢谢！' })
    await edited.getByText('edited').waitFor()
    // Deleted for oneself: it stays on the phone.
    await desk.getByRole('log').getByText('Did the labels arrive?').first().waitFor()
    await desk
      .locator('[id^=message-]', { hasText: 'Did the labels arrive?' })
      .first()
      .getByRole('button', { name: 'Actions for this message' })
      .click()
    await desk.getByRole('menuitem', { name: 'Delete for me' }).click()
    await desk.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await desk.locator('[id^=message-]').nth(1).waitFor({ state: 'detached' })
    expect(await phone.locator('[id^=message-]').count()).toBe(2)

    await phone.locator('[id^=message-]', { hasText: '都到了' }).getByRole('button', { name: '消息操作' }).click()
    await phone.getByRole('menuitem', { name: '撤回' }).click()
    await phone.getByText('你撤回了一条消息').first().waitFor()
    await desk
      .getByRole('log')
      .getByText(/recalled a message/)
      .waitFor()
  })

  test('names are offered after “@”, and a message of a group is reported, removed, and handled by an administrator', async () => {
    const [olga, paul] = [await server.person(), await server.person()]
    await makeContacts(olga, paul)
    const body = { name: 'Climbers', userIds: [paul.id] }
    const { id } = ok(await olga.call('groups.create', { body })).data
    const spam = { conversationId: id, clientMsgId: 'spam', type: 'TEXT' as const, content: { text: 'Buy ropes here' } }
    ok(await paul.call('messages.send', { body: spam }))
    const page = await browser.signedIn(olga)
    await page.goto(`/console/chats/${id}`)
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.pressSequentially(`Look @${(await nameOf(paul)).slice(0, 3)}`)
    await page.getByRole('menuitem', { name: await nameOf(paul) }).waitFor()
    await field.press('Enter')
    await field.pressSequentially('and @a')
    await page.getByRole('menuitem', { name: '@all' }).click()
    await field.press('Enter')
    await page
      .getByRole('log')
      .getByText(/^Look @.* and @all$/)
      .waitFor()
    const { items } = ok(await paul.call('conversations.history', { params: { id } })).data
    expect(items[0]!.content).toMatchObject({ mentions: [paul.id], mentionsAll: true })

    const message = page.locator('[id^=message-]', { hasText: 'Buy ropes here' })
    await message.getByRole('button', { name: 'Actions for this message' }).click()
    await page.getByRole('menuitem', { name: 'Report' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('Advertising')
    await page.getByRole('dialog').getByRole('button', { name: 'Report' }).click()
    await page.getByText('The message is reported.').waitFor()
    await message.getByRole('button', { name: 'Actions for this message' }).click()
    await page.getByRole('menuitem', { name: 'Remove for everyone' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('No advertising')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('log').getByText('A message was removed by You: No advertising').waitFor()

    const desk = await browser.signedIn(await server.admin())
    await desk.goto('/console/admin/chat/reports')
    await desk.getByText('Buy ropes here').waitFor()
    await desk
      .getByRole('row', { name: /Buy ropes here/ })
      .getByRole('checkbox')
      .click()
    await desk.getByRole('button', { name: 'Remove messages' }).click()
    await desk.getByRole('dialog').getByRole('button', { name: 'Remove messages' }).click()
    await desk.getByText('The message is removed.').waitFor()
  })

  test('the sender of a message in a group sees who has read it, and contacts who share it see who is online', async () => {
    const [olga, paul] = [await server.person(), await server.person()]
    await makeContacts(olga, paul)
    const { id } = ok(await olga.call('groups.create', { body: { name: 'Climbers', userIds: [paul.id] } })).data
    const text = { clientMsgId: 'marks', type: 'TEXT' as const, content: { text: 'Who comes along?' } }
    ok(await olga.call('messages.send', { body: { ...text, conversationId: id } }))
    ok(await paul.call('contacts.updatePrivacy', { body: { presence: true } }))
    const page = await browser.signedIn(olga)
    await page.goto('/console/contacts?tab=privacy')
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
    await page.getByRole('switch', { name: 'Online status' }).click()
    await saved
    await page.goto(`/console/chats/${id}`)
    const message = page.locator('[id^=message-]', { hasText: 'Who comes along?' })
    await message.getByRole('button', { name: 'Not read yet' }).waitFor()
    expect(await barriers(page)).toEqual([])

    // The count changes by itself, and stays after a reaction, which brings the message again.
    const desk = await browser.signedIn(paul, { isPhone: true, locale: 'zh-CN' })
    await desk.goto(`/console/chats/${id}`)
    await message.getByRole('button', { name: 'Read by 1 member' }).waitFor()
    await desk
      .locator('[id^=message-]', { hasText: 'Who comes along?' })
      .getByRole('button', { name: '消息操作' })
      .click()
    expect(await desk.getByRole('menuitem', { name: '谁已读' }).count()).toBe(0)
    await desk.getByRole('menuitem', { name: '回应 👍' }).click()
    await message.getByRole('button', { name: /👍 1/ }).waitFor()
    await message.getByRole('button', { name: 'Read by 1 member' }).click()
    const dialog = page.getByRole('dialog', { name: 'Read by' })
    await dialog.getByText(await nameOf(paul)).waitFor()
    expect(await dialog.getByText('other member').count()).toBe(0)
    await screenshot(page, 'chat-readers')
    await dialog.getByRole('button', { name: 'Close' }).click()

    // Paul's page has said that he is there, and a server writes it within some seconds.
    await eventually(
      async () =>
        ok(await olga.call('contacts.presence', { query: { userIds: [paul.id] } })).data.items[0]?.online === true,
    )
    ok(await olga.call('messages.send', { body: { ...text, toUserId: paul.id, clientMsgId: 'direct' } }))
    await page.goto(`/console/chats/with/${paul.id}`)
    await page.getByText('Online', { exact: true }).waitFor()
    expect(await isTooWide(page)).toBe(false)
    await desk.goto('/console/contacts')
    await desk.getByText(/在线/).first().waitFor()
    await desk.getByRole('link', { name: await nameOf(olga), exact: true }).click()
    await desk.getByText('在线', { exact: true }).waitFor()
    await screenshot(desk, 'contact-presence')
  })

  test('a contact who is not on the first page of the list is addressed by name', async () => {
    const [ines, jack, kate] = [await server.person(), await server.person(), await server.person()]
    await makeContacts(ines, jack)
    await makeContacts(ines, kate)
    const { items } = ok(await ines.call('contacts.list', { query: { page: 2, size: 1 } })).data
    const page = await browser.signedIn(ines)
    // With pages of one row, the second contact is where the hundred-and-first one is otherwise.
    await page.route(/\/api\/contacts\?.*size=100/, (route) =>
      route.continue({ url: route.request().url().replace('size=100', 'size=1') }),
    )
    await page.goto(`/console/chats/with/${items[0]!.userId}`)
    await page.getByRole('heading', { name: items[0]!.nickname }).waitFor()
  })

  test('a message found far back is shown with those around it, and the messages in between on demand', async () => {
    const [lena, mike] = [await server.person(), await server.person()]
    await makeContacts(lena, mike)
    const ids: number[] = []
    let conversationId = 0
    // A user may send 60 messages a minute.
    for (let n = 0; n < 112; n++) {
      const [from, to] = n % 2 === 0 ? [mike, lena] : [lena, mike]
      const body = { toUserId: to.id, clientMsgId: `far-${n}`, type: 'TEXT' as const, content: { text: `Note ${n}.` } }
      const { messages } = ok(await from.call('messages.send', { body })).data
      ids.push(messages[0]!.id)
      conversationId = messages[0]!.conversationId
    }
    const page = await browser.signedIn(lena)
    let readings = 0
    page.on('request', (request) => {
      if (/conversations\/\d+\/messages/.test(request.url()) && request.method() === 'GET') readings++
    })
    await page.goto(`/console/chats/${conversationId}?message=${ids[2]}`)
    const log = page.getByRole('log')
    await log.getByText('Note 2.').waitFor()
    await log.getByText('Note 52.').waitFor()
    await log.getByText('Note 111.').waitFor()
    expect(await log.getByText('Note 53.').count()).toBe(0)
    // The newest page, the page that ends with the message, and the page after it.
    expect(readings).toBe(3)
    await log.getByRole('button', { name: 'Show the messages in between' }).click()
    await log.getByText('Note 61.').waitFor()
    expect(await log.getByRole('button', { name: 'Show the messages in between' }).count()).toBe(0)
    expect(await log.locator('[id^=message-]').count()).toBe(112)
  })

  test('messages of one person in the same minute show their time once', async () => {
    const [lena, mike] = [await server.person(), await server.person()]
    await makeContacts(lena, mike)
    const sent: { createdAt: number; conversationId: number }[] = []
    for (const [n, [from, to]] of [[lena, mike] as const, [lena, mike] as const, [mike, lena] as const].entries()) {
      const body = { toUserId: to.id, clientMsgId: `time-${n}`, type: 'TEXT' as const, content: { text: `Note ${n}.` } }
      sent.push(ok(await from.call('messages.send', { body })).data.messages[0]!)
    }
    // The clock goes on: two messages may be on both sides of a full minute.
    const minuteOf = (at: number) => Math.floor(at / 60_000)
    const groups = minuteOf(sent[0]!.createdAt) === minuteOf(sent[1]!.createdAt) ? 2 : 3
    const page = await browser.signedIn(lena)
    await page.goto(`/console/chats/${sent[0]!.conversationId}`)
    await page.getByRole('log').getByText('Note 2.').waitFor()
    expect(
      await page
        .getByRole('log')
        .getByText(/^\d\d:\d\d$/)
        .count(),
    ).toBe(groups)
  })

  test('a message is forwarded to one person after the other', async () => {
    const [lena, marc, nora] = [await server.person(), await server.person(), await server.person()]
    await makeContacts(lena, marc)
    await makeContacts(lena, nora)
    ok(
      await lena.call('messages.send', {
        body: { toUserId: marc.id, clientMsgId: 'first', type: 'TEXT', content: { text: 'Plan' } },
      }),
    )
    const page = await browser.signedIn(lena)
    await page.goto(`/console/chats/with/${marc.id}`)
    for (const to of [marc, nora]) {
      await page.getByRole('log').getByRole('button', { name: 'Actions for this message' }).first().click()
      await page.getByRole('menuitem', { name: 'Forward' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('checkbox', { name: await nameOf(to) }).click()
      await dialog.getByRole('button', { name: 'Forward (1)' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    const { items } = ok(await nora.call('conversations.list')).data
    expect(items.map(({ lastMessage }) => lastMessage?.content)).toEqual([{ text: 'Plan' }])
  })

  test('the list says in the language of the user what happened in a group', async () => {
    const [pia, quinn] = [await server.person(), await server.person()]
    await makeContacts(pia, quinn)
    const { id } = ok(await pia.call('groups.create', { body: { name: '开放日', userIds: [quinn.id] } })).data
    const page = await browser.signedIn(quinn, { isPhone: true, locale: 'zh-CN' })
    await page.goto('/console/chats')
    const row = page.getByRole('link', { name: /开放日/ })
    await row.getByText(`${await nameOf(pia)} 创建了群聊`).waitFor()
    ok(await pia.call('groups.update', { params: { id }, body: { name: '开放日筹备' } }))
    await row.getByText(`${await nameOf(pia)} 修改了群名`).waitFor()
  })

  test('the row of a group says which message is the own one, and its number of unread messages is at its end', async () => {
    const [pia, quinn] = [await server.person(), await server.person()]
    await makeContacts(pia, quinn)
    const { id } = ok(await pia.call('groups.create', { body: { name: 'Garden', userIds: [quinn.id] } })).data
    const write = async (person: Person, text: string) =>
      ok(
        await person.call('messages.send', {
          body: { conversationId: id, clientMsgId: text.replaceAll(/\W/g, '-'), type: 'TEXT', content: { text } },
        }),
      )
    await write(pia, 'Who waters?')
    const page = await browser.signedIn(quinn)
    await page.goto('/console/chats')
    const row = page.getByRole('link', { name: /Garden/ })
    await row.getByText('Who waters?').waitFor()
    // The number is at the right end, and the first letter of the name is free.
    const [box, badge] = [await row.boundingBox(), await row.getByLabel('1 unread').boundingBox()]
    expect(box!.x + box!.width - (badge!.x + badge!.width)).toBeLessThan(24)
    // The same in the menu, where the number of notifications is only on the bell.
    const menu = page.getByRole('navigation', { name: 'Menu' })
    const entry = menu.getByRole('link', { name: /Chats/ })
    const [link, number] = [await entry.boundingBox(), await entry.getByText('1', { exact: true }).boundingBox()]
    const word = await entry.getByText('Chats').boundingBox()
    expect(link!.x + link!.width - (number!.x + number!.width)).toBeLessThan(24)
    expect(word!.x + word!.width).toBeLessThan(number!.x)
    await page.getByRole('link', { name: /^Notifications, [1-9]/ }).waitFor()
    await menu.getByRole('link', { name: 'Notifications', exact: true }).waitFor()
    await write(quinn, 'I do')
    await row.getByText('You: I do').waitFor()
    await write(pia, 'Thank you')
    await row.getByText(`${await nameOf(pia)}: Thank you`).waitFor()
    expect(await row.getByText('You:').count()).toBe(0)
  })

  test('a sent message leaves no draft, also if the tab is closed at once', async () => {
    const [lena, marc] = [await server.person(), await server.person()]
    await makeContacts(lena, marc)
    const body = { toUserId: lena.id, clientMsgId: 'first', type: 'TEXT' as const, content: { text: 'Hello' } }
    const { conversationId: id } = ok(await marc.call('messages.send', { body })).data
    const draft = async () => ok(await lena.call('conversations.get', { params: { id } })).data.draft
    const page = await browser.signedIn(lena)
    await page.goto(`/console/chats/${id}`)
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('Good morning')
    await eventually(async () => (await draft()) === 'Good morning')
    await field.press('Enter')
    await page.getByRole('log').getByText('Good morning').waitFor()
    await page.close()
    await eventually(async () => (await draft()) === '')

    // A text that was not sent is kept, even if the tab is closed before the pause after which it is stored.
    const next = await browser.signedIn(lena)
    await next.goto(`/console/chats/${id}`)
    await next.getByRole('textbox', { name: 'Message' }).fill('Not yet')
    await next.close({ runBeforeUnload: true })
    await eventually(async () => (await draft()) === 'Not yet')
  })

  test('messages to a known conversation change the list and the badge without a request', async () => {
    const [nora, omar] = [await server.person(), await server.person()]
    await makeContacts(nora, omar)
    const send = async (text: string) =>
      ok(
        await omar.call('messages.send', {
          body: { toUserId: nora.id, clientMsgId: text.replaceAll(' ', '-'), type: 'TEXT', content: { text } },
        }),
      ).data
    await send('first words')
    const page = await browser.signedIn(nora)
    await page.goto('/console/chats')
    const row = page.getByRole('link', { name: /first words/ })
    await row.waitFor()
    await page.getByLabel('1 unread').first().waitFor()
    let readings = 0
    page.on('request', (request) => {
      if (/\/chats\/conversations/.test(request.url())) readings++
    })
    for (let n = 1; n <= 12; n++) await send(`line ${n}`)
    await page.getByRole('link', { name: /line 12/ }).waitFor()
    await page.getByLabel('13 unread').first().waitFor()
    expect(readings).toBe(0)
  })

  test('a message whose answer was lost is sent again and stored once', async () => {
    browser.allow(/ERR_FAILED/)
    const [carol, dave] = [await server.person('carol'), await server.person('dave')]
    await makeContacts(carol, dave)
    const page = await browser.signedIn(carol)
    // The socket would bring the message before somebody can send it again.
    await page.routeWebSocket('**/ws/chat', () => {})
    await page.goto(`/console/chats/with/${dave.id}`)
    let isLost = true
    await page.route('**/api/chats/messages', async (route) => {
      if (!isLost) return await route.continue()
      isLost = false
      // The server stores it, and the answer does not arrive.
      await route.fetch()
      await route.abort('failed')
    })
    await page.getByRole('textbox', { name: 'Message' }).fill('Once only')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('log').getByText('Once only').waitFor()
    const { conversations } = ok(await dave.call('chats.sync', { query: { afterId: 0 } })).data
    const { items } = ok(
      await dave.call('conversations.history', { params: { id: conversations[0]!.id }, query: {} }),
    ).data
    expect(items.map(({ content }) => content['text'])).toEqual(['Once only'])
  })

  test('messages that were not sent are gone after a sign-out, and the next user of the tab sends none of them', async () => {
    browser.allow(/ERR_INTERNET_DISCONNECTED|ERR_FAILED|401/)
    const [pia, quinn] = [await server.person(), await server.person()]
    const rosa = await server.person()
    for (const person of [pia, quinn]) await makeContacts(person, rosa)
    const first = ok(
      await pia.call('messages.send', {
        body: { toUserId: rosa.id, clientMsgId: 'first', type: 'TEXT', content: { text: 'before' } },
      }),
    ).data
    const page = await browser.signedIn(pia)
    await page.goto(`/console/chats/${first.conversationId}`)
    await page.getByRole('log').getByText('before').waitFor()
    await page.route('**/api/chats/messages', (route) => route.abort('failed'))
    await page.getByRole('textbox', { name: 'Message' }).fill('Private words of Pia')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    await page.getByRole('button', { name: 'Send again' }).waitFor()
    // A file whose upload is answered only when the next user has signed in.
    let answer = () => {}
    const isAsked = new Promise<void>((asked) => {
      void page.route('**/api/files/upload', async (route) => {
        asked()
        await new Promise<void>((resolve) => (answer = resolve))
        await route.fulfill({ json: { code: 200, data: { id: 1, mime: 'text/plain' } } })
      })
    })
    await page.setInputFiles('input[type=file]', {
      name: 'diary.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('x'),
    })
    await isAsked
    await page.unroute('**/api/chats/messages')
    await page.getByLabel('Profile').click()
    await page.getByText('Sign out').click()

    // In the same tab, without a reload.
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/api/chats/messages')) sent.push(request.postData() ?? '')
    })
    await page.getByLabel('Username, e-mail or phone').fill(quinn.username)
    await page.getByLabel('Password').last().fill(quinn.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await menuLink(page, 'Chats').click()
    answer()
    // Before the list was read there is only the button that opens a menu.
    await page.getByText('No conversations yet').waitFor()
    await page.getByRole('button', { name: 'New chat' }).last().click()
    await page
      .getByRole('dialog')
      .getByText(await nameOf(rosa))
      .click()
    await page.getByText('No messages yet').last().waitFor()
    expect(await page.getByText('Private words of Pia').count()).toBe(0)
    await page.getByRole('textbox', { name: 'Message' }).fill('Words of Quinn')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    await page.getByRole('log').getByText('Words of Quinn').waitFor()
    expect(sent.map((body) => JSON.parse(body).content.text)).toEqual(['Words of Quinn'])
  })

  test('messages that came while the connection was lost appear in order when it is back, and a file and a place are sent', async () => {
    browser.allow(/ERR_INTERNET_DISCONNECTED/)
    const [erin, frank] = [await server.person('erin'), await server.person('frank')]
    await makeContacts(erin, frank)
    const send = async (text: string) =>
      ok(
        await frank.call('messages.send', {
          body: { toUserId: erin.id, clientMsgId: text.replaceAll(' ', '-'), type: 'TEXT', content: { text } },
        }),
      ).data
    const { conversationId } = await send('before')
    const page = await browser.signedIn(erin, { permissions: ['geolocation'] })
    const sockets: { close: () => Promise<void> }[] = []
    await page.routeWebSocket('**/ws/chat', (socket) => {
      sockets.push(socket)
      socket.connectToServer()
    })
    await page.goto(`/console/chats/${conversationId}`)
    const log = page.getByRole('log')
    await log.getByText('before').waitFor()
    await send('by socket')
    await log.getByText('by socket').waitFor()
    await page.context().setOffline(true)
    await sockets[0]!.close()
    for (const text of ['while away', 'still away']) await send(text)
    await page.context().setOffline(false)
    await send('back again')
    for (const text of ['back again', 'still away']) await log.getByText(text).waitFor()
    const shown = (await log.locator('[id^=message-]').allInnerTexts()).join('|')
    expect(shown).toMatch(/^[^]*before[^]*by socket[^]*while away[^]*still away[^]*back again[^]*$/)

    await page.setInputFiles('input[type=file]', {
      name: 'minutes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Minutes of the meeting'),
    })
    await log.getByRole('link', { name: /minutes\.txt/ }).waitFor()

    await page.context().setGeolocation({ latitude: 47.37689, longitude: 8.54169 })
    await page.getByRole('button', { name: 'Send something else' }).click()
    await page.getByRole('menuitem', { name: 'My position' }).click()
    const question = page.getByRole('dialog', { name: 'Send your position?' })
    await question.waitFor()
    expect(await log.getByText('47.37689').count()).toBe(0)
    await question.getByRole('button', { name: 'Send' }).click()
    await log.getByText('47.37689, 8.54169').waitFor()
    await question.waitFor({ state: 'hidden' })
  })

  test('a message that is recalled while an older answer of the catch-up is on its way does not show its text', async () => {
    browser.allow(/ERR_INTERNET_DISCONNECTED/)
    const [ivy, jack] = [await server.person('ivy'), await server.person('jack')]
    await makeContacts(ivy, jack)
    const send = async (text: string) => {
      const body = { toUserId: ivy.id, clientMsgId: text, type: 'TEXT' as const, content: { text } }
      return ok(await jack.call('messages.send', { body })).data
    }
    const { conversationId } = await send('before')
    const page = await browser.signedIn(ivy)
    const sockets: { close: () => Promise<void> }[] = []
    const recalled = Promise.withResolvers<void>()
    await page.routeWebSocket('**/ws/chat', (socket) => {
      sockets.push(socket)
      const connection = socket.connectToServer()
      connection.onMessage((frame) => {
        socket.send(frame)
        if (String(frame).includes('"message.recalled"')) recalled.resolve()
      })
    })
    await page.goto(`/console/chats/${conversationId}`)
    const log = page.getByRole('log')
    await log.getByText('before').waitFor()
    const computed = Promise.withResolvers<void>()
    await page.route('**/api/chats/sync?*', async (route) => {
      const response = await route.fetch()
      computed.resolve()
      await recalled.promise
      await route.fulfill({ response })
    })
    await page.context().setOffline(true)
    await sockets[0]!.close()
    const [regret] = (await send('regret')).messages
    await page.context().setOffline(false)
    await computed.promise
    ok(await jack.call('messages.recall', { params: { id: regret!.id } }))
    await recalled.promise
    await send('after')
    await log.getByText('after').waitFor()
    await log.getByText(/recalled a message/).waitFor()
    expect(await log.getByText('regret').count()).toBe(0)
  })

  for (const isDark of [false, true])
    test(`a group is created, renamed and left without barriers, ${isDark ? 'dark' : 'light'}`, async () => {
      const [gina, hugo] = [await server.person(), await server.person()]
      await makeContacts(gina, hugo)
      const page = await browser.signedIn(gina, { isPhone: !isDark, isDark })
      await page.goto('/console/chats')
      await page.getByRole('heading', { level: 1, name: 'Chats' }).waitFor()
      expect(await barriers(page)).toEqual([])
      await page.locator('[data-create]').click()
      await page.getByRole('menuitem', { name: 'New group' }).click()
      await page.getByLabel('Name of the group').fill('Rowing')
      await page.getByRole('checkbox').click()
      expect(await barriers(page)).toEqual([])
      await page.getByRole('button', { name: 'Create group' }).click()
      await page.getByRole('log').getByText('You created the group').waitFor()
      expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
        barriers: [],
        isTooWide: false,
      })
      await page.getByRole('button', { name: 'Actions for this conversation' }).click()
      await page.getByRole('menuitem', { name: 'Group and members' }).click()
      await page.getByText('2 members').last().waitFor()
      await page.getByLabel('Name of the group').fill('Rowing on Sunday')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Rowing on Sunday' }).first().waitFor()
      await page.getByRole('button', { name: 'Leave group' }).click()
      await page
        .getByRole('dialog', { name: /Leave group/ })
        .getByRole('button', { name: 'Leave group' })
        .click()
      await page.getByText('You left the group').waitFor()
      await screenshot(page, `group-${isDark ? 'dark' : 'light'}`)
    })
})

describe('notifications', () => {
  test('a notification appears at once, opens its page, and is deleted', async () => {
    const org = ok(await alice.call('orgs.create', { body: { name: 'Boat house' } })).data
    const page = await browser.signedIn(bob)
    await page.goto('/console/notifications')
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor()
    ok(await alice.call('orgs.invite', { params: { id: org.id }, body: { userIds: [bob.id] } }))
    const row = page.getByRole('link', { name: /Boat house/ })
    await row.waitFor()
    // This server has no mail server, so there is no choice of mails.
    expect(await page.getByText('E-mails about activities').count()).toBe(0)
    expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
      barriers: [],
      isTooWide: false,
    })
    await row.click()
    await page.getByRole('button', { name: 'Go there' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Notification deleted').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor()
    await page.getByRole('link', { name: /Boat house/ }).waitFor({ state: 'detached' })
  })

  test('a notification about an activity opens the activity', async () => {
    const { id } = await openActivity(server, alice, {}, { name: 'Lantern walk' })
    ok(await bob.call('registrations.register', { params: { id }, body: {} }))
    ok(await alice.call('registrations.cancelOf', { params: { id, userId: bob.id } }))
    const page = await browser.signedIn(bob)
    await page.goto('/console/notifications')
    await page.getByRole('link', { name: /Your registration was cancelled/ }).click()
    await page.getByRole('button', { name: 'Go there' }).click()
    await page.getByRole('heading', { level: 1, name: 'Lantern walk' }).waitFor()
  })
})
