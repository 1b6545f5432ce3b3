/** A browser, a phone with a socket and a phone that catches up show the same messages after every step. */

import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { type Message, Phone } from '../chat/phone.ts'
import { uploaded } from '../files/helpers.ts'
import { ok, type Person, until as eventually, useServer } from '../harness/index.ts'
import { useBrowser } from './browser.ts'
import { makeContacts } from './contact-requests.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })
const browser = useBrowser(server)

const voice = await Bun.file(join(import.meta.dir, '../fixtures/voice/chromium.webm')).bytes()

let sent = 0
const send = async (person: Person, conversationId: number, message: object = {}) => {
  const body = { conversationId, clientMsgId: `devices-${++sent}`, type: 'TEXT', content: { text: '' }, ...message }
  return ok(await person.post('/api/chats/messages', body)).data.messages[0] as Message
}
const textOf = (message: Message) => (message.type === 'VOICE' ? 'voice' : String(message.content['text']))

/** A line for each message of users on a phone, as the browser shows it. */
const linesOf = (phone: Phone) =>
  phone.written
    .filter(({ id }) => !phone.deleted.has(id))
    .map((message) =>
      phone.recalled.has(message.id)
        ? 'gone'
        : [textOf(message), message.editedAt !== null && 'edited', message.pin !== null && 'pinned']
            .filter(Boolean)
            .join(', '),
    )

/** The same of the page. Notices of the group have no sender and are left out. */
const LINES = `[...document.querySelectorAll('[role=log] [id^=message-]')].flatMap((row) => {
  const text = row.textContent
  if (/recalled a message|was removed by/.test(text)) return ['gone']
  if (row.querySelector('button') === null) return []
  const said = row.querySelector('audio') ? 'voice' : /(Tulips|Roses|Herbs)( again)?/.exec(text)?.[0]
  const marks = [...row.querySelectorAll('[title^=Edited]')].map(() => 'edited')
  if ([...row.querySelectorAll('title')].some((title) => title.textContent.startsWith('Pinned by'))) marks.push('pinned')
  return [[said, ...marks].join(', ')]
})`

test('a browser and two phones show the same after every step of messages that are sent, edited, removed, deleted, pinned, heard and recalled', async () => {
  await makeContacts(alice, bob)
  const { id } = ok(await alice.call('groups.create', { body: { name: 'Garden', userIds: [bob.id] } })).data
  const live = new Phone(bob, () => server.url, 'a phone with a socket')
  const away = new Phone(bob, () => server.url, 'a phone that catches up')
  live.start()
  const desk = await browser.signedIn(bob)
  await desk.goto(`/console/chats/${id}`)
  await desk.getByRole('textbox', { name: 'Message' }).waitFor()
  const everywhere = async (...lines: string[]) => {
    await away.catchUp()
    expect(linesOf(away)).toEqual(lines)
    await eventually(() => linesOf(live).join('; ') === lines.join('; '), `the live phone shows ${lines.join('; ')}`)
    let shown: unknown
    await eventually(async () => Bun.deepEquals((shown = await desk.evaluate(LINES)), lines)).catch(() => undefined)
    expect(shown).toEqual(lines)
  }
  const isMarked = async (marked: boolean) => {
    expect(ok(await bob.call('conversations.get', { params: { id } })).data.markedUnread).toBe(marked)
    await desk.getByRole('img', { name: 'Unread' }).waitFor({ state: marked ? 'visible' : 'detached' })
  }

  const first = await send(alice, id, { content: { text: 'Tulips' } })
  const second = await send(bob, id, { content: { text: 'Roses' } })
  const third = await send(alice, id, { content: { text: 'Herbs' } })
  await everywhere('Tulips', 'Roses', 'Herbs')
  const edit = (person: Person, message: Message, text: string) =>
    person.call('messages.edit', { params: { id: message.id }, body: { content: { text } } })
  ok(await edit(alice, first, 'Tulips again'))
  await everywhere('Tulips again, edited', 'Roses', 'Herbs')
  const removal = { reason: 'Too long' }
  ok(await alice.call('messages.remove', { params: { id: second.id }, body: removal }))
  await everywhere('Tulips again, edited', 'gone', 'Herbs')
  await desk
    .getByRole('log')
    .getByText(/was removed by .*: Too long/)
    .waitFor()
  ok(await bob.call('messages.delete', { params: { id: third.id } }))
  await everywhere('Tulips again, edited', 'gone')
  ok(await alice.call('messages.pin', { params: { id: first.id } }))
  await everywhere('Tulips again, edited, pinned', 'gone')

  await isMarked(false)
  ok(await bob.call('conversations.unread', { params: { id } }))
  await isMarked(true)
  await everywhere('Tulips again, edited, pinned', 'gone')
  ok(await bob.call('conversations.read', { params: { id }, body: {} }))
  await isMarked(false)

  const { id: fileId } = await uploaded(alice, voice, { name: 'voice.webm' })
  const spoken = await send(alice, id, { type: 'VOICE', content: { fileId, durationMs: 400 } })
  await everywhere('Tulips again, edited, pinned', 'gone', 'voice')
  ok(await alice.call('messages.recall', { params: { id: spoken.id } }))
  await everywhere('Tulips again, edited, pinned', 'gone', 'gone')
  ok(await edit(alice, first, 'Tulips'))
  await everywhere('Tulips, edited, pinned', 'gone', 'gone')

  // A page that is loaded again shows the same.
  await desk.reload()
  await everywhere('Tulips, edited, pinned', 'gone', 'gone')
  await desk
    .getByRole('log')
    .getByText(/was removed by .*: Too long/)
    .waitFor()
  await live.end()
  expect([...live.problems, ...away.problems]).toEqual([])
})
