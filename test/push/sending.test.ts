import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { messagesForDevices } from '#domains/chat/index.ts'

import { changeMember, connect, makeGroup, recall, send, sendText } from '../chat/helpers.ts'
import { inProcess, ok, type Person, startServer, type TestServer } from '../harness/index.ts'
import { person as personOf } from '../harness/people.ts'
import { sendTo } from '../notifications/helpers.ts'
import { startPushService } from './push-service.ts'

let service: Awaited<ReturnType<typeof startPushService>>
let server: TestServer
let alice: Person
let admin: Person

beforeAll(async () => {
  service = await startPushService()
  server = await startServer({ config: { pushServices: [service.origin] } })
  alice = await server.person('alice')
  admin = await server.admin()
})
afterAll(async () => {
  await server?.stop()
  await service?.stop()
})

async function device() {
  const person = await server.person()
  return { person, ...(await service.subscribe(person)) }
}

/** A contact of Alice with a device. */
async function withDevice(quiet: Parameters<typeof service.subscribe>[1] = {}) {
  const person = await server.person()
  await connect(server, alice, person)
  return { person, ...(await service.subscribe(person, quiet)) }
}

/** The same user on another device. */
async function onTablet({ username, password }: Person): Promise<Person> {
  const deviceId = `tablet-${crypto.randomUUID()}`
  const headers = { 'x-device-id': deviceId }
  const login = await server.request('POST', '/api/auth/login', { headers, body: { account: username, password } })
  return personOf(server.url, login, username, password, deviceId)
}

test('A device gets notifications in the language in which it subscribed', async () => {
  const person = await server.person()
  const [english, chinese] = [await service.subscribe(person), await service.subscribe(person, {}, 'zh')]
  const org = ok(await alice.post('/api/orgs', { name: 'Willow Street Library' })).data
  ok(await alice.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] }))
  const { message, claims } = await service.next(english.path)
  const listed = ok(await person.call('notifications.list')).data.items[0]!
  const { id: notificationId, type: notificationType, title } = listed
  expect(message).toMatchObject({ type: 'notification', notificationId, notificationType, title })
  expect(message.body).toContain('Willow Street Library')
  expect(claims['aud']).toBe(service.origin)
  const translated = await service.next(chinese.path)
  expect(translated.message).toMatchObject({ notificationId })
  expect(translated.message.title).toMatch(/\p{Script=Han}/u)
})

describe('A device', () => {
  test('gets nothing while its session has a socket, but other devices of the user do', async () => {
    const { person, path } = await device()
    const other = await service.subscribe(await onTablet(person))
    const socket = await person.socket()
    // With several processes, some are sent by others than the one that has the socket.
    for (const n of [1, 2, 3]) await sendTo(admin, [person.id], `on screen ${n}`)
    for (const n of [1, 2, 3]) await service.next(other.path, ({ title }) => title === `on screen ${n}`)
    expect(service.of(path)).toEqual([])
    await socket.close()
    await sendTo(admin, [person.id], 'in the pocket')
    await service.next(path, ({ title }) => title === 'in the pocket')
    expect(service.of(path)).toHaveLength(1)
  })

  test.each([404, 410])('is deleted if its push service answers %d', async (status) => {
    const { person, path } = await device()
    service.answer(path, new Response(null, { status }))
    await sendTo(admin, [person.id])
    await service.attempted(path, 1)
    while (ok(await person.call('push.list')).data.items.length > 0) await Bun.sleep(10)
  })

  test('gets a notification again after 429 and 503, once', async () => {
    const { person, path } = await device()
    service.answer(
      path,
      new Response(null, { status: 503 }),
      new Response(null, { status: 429, headers: { 'retry-after': '1' } }),
    )
    await sendTo(admin, [person.id], 'third time lucky')
    await service.next(path)
    expect(service.attempts.filter((one) => one === path)).toHaveLength(3)
    expect(service.of(path)).toHaveLength(1)
  })

  test('is not followed to where its push service redirects, and nothing is repeated', async () => {
    const { person, path } = await device()
    const trap = await device()
    service.answer(path, new Response(null, { status: 307, headers: { location: service.origin + trap.path } }))
    await sendTo(admin, [person.id])
    await service.attempted(path, 1)
    const last = await device()
    await sendTo(admin, [last.person.id])
    await service.next(last.path)
    expect(service.attempts).not.toContain(trap.path)
    expect(service.attempts.filter((one) => one === path)).toHaveLength(1)
  })
})

describe.if(inProcess)('A device of a contact', () => {
  test('gets a message that only it can read, signed by the server', async () => {
    const { person, path } = await withDevice()
    const { publicKey } = ok(await person.call('push.key')).data
    const text = `Lunch?\n${'🍜'.repeat(200)}`
    const { id, conversationId } = await sendText(alice, person, text)
    const { message, headers, claims, bytes } = await service.next(path)
    const nickname = message.senderName as string
    expect(message).toEqual({
      type: 'message',
      conversationId,
      messageId: id,
      messageType: 'TEXT',
      senderId: alice.id,
      senderName: nickname,
      title: nickname,
      body: `Lunch? ${'🍜'.repeat(93)}`,
    })
    expect(claims).toMatchObject({ aud: service.origin, key: publicKey, sub: server.ctx.config.publicUrl })
    expect(Object.fromEntries(headers)).toMatchObject({
      ttl: '86400',
      urgency: 'high',
      'content-encoding': 'aes128gcm',
    })
    expect(headers.get('topic')).toMatch(/^[\w-]{32}$/)
    expect(bytes).toBe(4096)
    while (ok(await person.call('push.list')).data.items[0]!.lastSuccessAt === null) await Bun.sleep(10)
  })

  test('gets nothing in quiet hours, and only mentions from a muted conversation', async () => {
    const [muted, mentioned] = [await withDevice(), await withDevice()]
    const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(server.clock.now()).toZonedDateTimeISO('Asia/Tokyo')
    const at = hour * 60 + minute
    const quiet = await withDevice({ quietFrom: (at + 1380) % 1440, quietTo: (at + 60) % 1440, timeZone: 'Asia/Tokyo' })
    const group = await makeGroup(server, [alice, muted.person, mentioned.person])
    for (const { person } of [muted, mentioned]) await changeMember(server, group, person, { muted: true })
    await sendText(alice, quiet.person)
    const content = { text: 'for one of you', mentions: [mentioned.person.id] }
    ok(await send(alice, { conversationId: group, content }))
    const { message, headers } = await service.next(mentioned.path)
    expect(message).toMatchObject({ title: 'Team', body: 'for one of you' })
    expect(headers.get('urgency')).toBe('high')
    // Pushes of a user are sent one after the other.
    await sendTo(admin, [quiet.person.id, muted.person.id], 'later')
    await service.next(muted.path, ({ title }) => title === 'later')
    expect(service.of(muted.path)).toHaveLength(1)
    expect(service.of(quiet.path)).toEqual([])
  })

  test('gets no messages that were read or recalled, nor of those that its user sent', async () => {
    const bob = await server.person()
    await connect(server, alice, bob)
    const told = async (id: number) => (await messagesForDevices(server.ctx, [id])).flatMap(({ userIds }) => userIds)
    const [read, recalled, unread] = [
      await sendText(alice, bob),
      await sendText(alice, bob),
      await sendText(alice, bob),
    ]
    expect(await told(read.id)).toEqual([bob.id])
    expect(await told(recalled.id)).toEqual([bob.id])
    const mark = { messageId: read.id }
    ok(await bob.call('conversations.read', { params: { id: read.conversationId }, body: mark }))
    ok(await recall(alice, recalled.id))
    expect(await told(read.id)).toEqual([])
    expect(await told(recalled.id)).toEqual([])
    expect(await told(unread.id)).toEqual([bob.id])
  })

  test('is deleted if it refused ten messages in a row and took none for a day', async () => {
    const { person, path } = await withDevice()
    const refusals = 10
    service.answer(path, ...Array.from({ length: refusals }, () => new Response(null, { status: 400 })))
    for (let n = 1; n <= refusals; n++) {
      await sendText(alice, person, `number ${n}`)
      await service.attempted(path, n)
      if (n < refusals) expect(ok(await person.call('push.list')).data.items).toHaveLength(1)
      // Beyond the pause after a refusal, which is an hour at most.
      server.clock.advance(3 * 60 * 60 * 1000)
    }
    while (ok(await person.call('push.list')).data.items.length > 0) await Bun.sleep(10)
  })
})
