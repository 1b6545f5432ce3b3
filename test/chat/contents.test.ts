/** Contents of messages by type: accepted ones with the values that the server adds, and those refused with code 4021. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { Runner } from '#db/query/builders.ts'
import { hasCardOf } from '#domains/chat/messages/messages.store.ts'
import { setSetting } from '#domains/settings/index.ts'

import { createActivity } from '../activities/helpers.ts'
import { png, text, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { connect, newKey, recall, relate, send, storedMessages, unrelate } from './helpers.ts'

/** Files with these first bytes, which decide the type, and random ones, so that each is another file. */
const bytesOf = (head: string): Uint8Array<ArrayBuffer> => Buffer.from(head + crypto.randomUUID(), 'latin1')
const m4a = () => bytesOf('\0\0\0\x18ftypM4A \0\0\0\0M4A mp42')
const mp4 = () => bytesOf('\0\0\0\x18ftypisom\0\0\0\0isommp41')

describe.if(inProcess)('contents of messages', () => {
  const { server, alice, bob, mallory } = useServer({
    people: ['alice', 'bob', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
  })
  const ids: Record<string, number> = {}
  const upload = async (person: Person, bytes: Uint8Array<ArrayBuffer>, name: string) =>
    (await uploaded(person, bytes, { name })).id

  beforeAll(async () => {
    await connect(server, alice, bob)
    await relate(server, mallory, alice)
    ids['image'] = await upload(alice, png(), 'sign.png')
    ids['note'] = await upload(alice, text(), 'note.txt')
    ids['sound'] = await upload(alice, m4a(), 'voice.m4a')
    ids['video'] = await upload(alice, mp4(), 'clip.mp4')
    ids['foreign'] = await upload(mallory, png(), 'foreign.png')
    ids['avatar'] = (await uploaded(alice, png(), { type: 'avatar', name: 'me.png' })).id
    const code = { name: 'Menu', content: 'https://example.org/menu' }
    ids['code'] = ok(await alice.call('qrCodes.create', { body: code })).data.id
    ids['dynamic'] = ok(await alice.call('qrCodes.create', { body: { ...code, isDynamic: true } })).data.id
    ids['foreignCode'] = ok(await mallory.call('qrCodes.create', { body: code })).data.id
    ids['activity'] = (await createActivity(mallory, { name: 'Fair', visibility: 'PUBLIC', status: 'ACTIVE' })).id
    ids['draft'] = (await createActivity(mallory, { name: 'Plans' })).id
    ids['byInvitation'] = (
      await createActivity(mallory, { name: 'Party', visibility: 'INVITE_ONLY', status: 'ACTIVE' })
    ).id
  })

  const sendContent = (type: string, content: unknown, more: object = {}) =>
    send(alice, { toUserId: bob.id, type, content, ...more })
  const shown = async (type: string, content: unknown) => ok(await sendContent(type, content)).data.messages[0].content

  test('TEXT keeps line breaks and drops unknown keys', async () => {
    expect(await shown('TEXT', { text: ' one\ntwo 你好 👩‍👩‍👧 ', font: 'Comic' })).toEqual({ text: 'one\ntwo 你好 👩‍👩‍👧' })
    expect(await shown('TEXT', { text: 'a'.repeat(5000) })).toEqual({ text: 'a'.repeat(5000) })
  })

  test('IMAGE, FILE, VOICE and VIDEO get the facts of their files and addresses', async () => {
    const url = expect.stringMatching(/^http.*\/api\/chats\/messages\/\d+\/file\?variant=ORIGINAL&/)
    const thumbnailUrl = expect.stringMatching(/^http.*\/api\/chats\/messages\/\d+\/file\?variant=THUMBNAIL&/)
    const size = expect.any(Number)
    expect(await shown('IMAGE', { file_id: ids['image'], caption: 'Here' })).toEqual({
      fileId: ids['image'],
      caption: 'Here',
      url,
      thumbnailUrl,
      width: 64,
      height: 64,
      size,
      mime: 'image/png',
    })
    const note = { fileId: ids['note'], url, size, mime: 'text/plain' }
    expect(await shown('FILE', { fileId: ids['note'] })).toEqual({ ...note, name: 'note.txt' })
    expect(await shown('FILE', { fileId: ids['note'], name: 'Notes of May' })).toEqual({
      ...note,
      name: 'Notes of May',
    })
    expect(await shown('FILE', { fileId: ids['image'] })).toMatchObject({ mime: 'image/png' })
    const voice = { fileId: ids['sound'], durationMs: 4200 }
    expect(await shown('VOICE', voice)).toEqual({ ...voice, url, size, mime: 'audio/mp4' })
    const video = { fileId: ids['video'] }
    expect(await shown('VIDEO', video)).toEqual({ ...video, url, thumbnailUrl: null, size, mime: 'video/mp4' })
    const withPicture = { ...video, durationMs: 9000, thumbnailFileId: ids['image'] }
    expect(await shown('VIDEO', withPicture)).toEqual({ ...withPicture, url, thumbnailUrl, size, mime: 'video/mp4' })
  })

  test('LOCATION keeps the position, name and address', async () => {
    const place = { latitude: -33.85, longitude: 151.2, name: 'Opera', address: 'Bennelong Point' }
    expect(await shown('LOCATION', place)).toEqual(place)
    expect(await shown('LOCATION', { latitude: 0, longitude: 0 })).toEqual({ latitude: 0, longitude: 0 })
  })

  test('CARD shows the name and picture of a contact or of the sender as they were', async () => {
    ok(await bob.call('profile.update', { body: { nickname: 'Bobby' } }))
    expect(await shown('CARD', { userId: bob.id })).toEqual({ userId: bob.id, nickname: 'Bobby', avatarUrl: null })
    expect(await shown('CARD', { userId: alice.id })).toMatchObject({ userId: alice.id })
    const { messages } = ok(await sendContent('CARD', { userId: bob.id })).data
    ok(await bob.call('profile.update', { body: { nickname: 'Robert' } }))
    const body = { toUserId: bob.id, clientMsgId: messages[0].clientMsgId, type: 'CARD', content: { userId: bob.id } }
    expect(ok(await alice.post('/api/chats/messages', body)).data.messages[0].content.nickname).toBe('Bobby')
  })

  test('QR_CODE shows the code as it was', async () => {
    const imageUrl = expect.stringContaining('/api/qrcode/render?content=https')
    const menu = { name: 'Menu', content: 'https://example.org/menu', contentType: 'URL' }
    expect(await shown('QR_CODE', { qrCodeId: ids['code'] })).toEqual({ qrCodeId: ids['code'], ...menu, imageUrl })
    const dynamic = await shown('QR_CODE', { qrCodeId: ids['dynamic'] })
    expect(decodeURIComponent(dynamic.imageUrl)).toContain('/Q/')
  })

  test('ACTIVITY shows an activity that the sender can see, and its invite code if the sender gave it', async () => {
    const fair = await shown('ACTIVITY', { activityId: ids['activity'] })
    expect(fair).toMatchObject({ activityId: ids['activity'], name: 'Fair', coverUrl: null })
    expect(fair.qrContent).toBe(`activity:${ids['activity']}`)
    expect(fair.endTime).toBeGreaterThan(fair.startTime)
    const { inviteCode } = ok(await mallory.call('activities.get', { params: { id: ids['byInvitation']! } })).data
    const party = await shown('ACTIVITY', { activityId: ids['byInvitation'], inviteCode })
    expect(party).toMatchObject({ inviteCode, qrContent: `activity:${ids['byInvitation']}:${inviteCode}` })
  })

  const bad: readonly (readonly [what: string, type: string, content: () => unknown, path: string])[] = [
    ['no object', 'TEXT', () => 'hello', 'body.content'],
    ['null', 'TEXT', () => null, 'body.content'],
    ['a list', 'TEXT', () => [], 'body.content'],
    ['no text', 'TEXT', () => ({}), 'body.content.text'],
    ['an empty text', 'TEXT', () => ({ text: '' }), 'body.content.text'],
    ['a text of spaces', 'TEXT', () => ({ text: ' \n ' }), 'body.content.text'],
    ['a number as the text', 'TEXT', () => ({ text: 5 }), 'body.content.text'],
    ['5,001 characters', 'TEXT', () => ({ text: 'a'.repeat(5001) }), 'body.content.text'],
    ['20,001 characters', 'TEXT', () => ({ text: 'a'.repeat(20_001) }), 'body.content.text'],
    ['a NUL', 'TEXT', () => ({ text: 'a\0b' }), 'body.content.text'],
    ['a lone surrogate', 'TEXT', () => ({ text: 'a\ud800' }), 'body.content.text'],
    ['a number as the mentions', 'TEXT', () => ({ text: 'a', mentions: 1 }), 'body.content.mentions'],
    ['a text as a mention', 'TEXT', () => ({ text: 'a', mentions: ['x'] }), 'body.content.mentions.0'],
    ['501 mentions', 'TEXT', () => ({ text: 'a', mentions: Array(501).fill(1) }), 'body.content.mentions'],
    ['no file', 'IMAGE', () => ({}), 'body.content.fileId'],
    ['a caption of 501', 'IMAGE', () => ({ fileId: ids['image'], caption: 'a'.repeat(501) }), 'body.content.caption'],
    ['an unknown file', 'IMAGE', () => ({ fileId: 999_999_999 }), 'body.content.fileId'],
    ['the file of another user', 'IMAGE', () => ({ fileId: ids['foreign'] }), 'body.content.fileId'],
    ['a file of another type', 'IMAGE', () => ({ fileId: ids['avatar'] }), 'body.content.fileId'],
    ['a text as the image', 'IMAGE', () => ({ fileId: ids['note'] }), 'body.content.fileId'],
    ['a video as the image', 'IMAGE', () => ({ fileId: ids['video'] }), 'body.content.fileId'],
    ['a name of 201', 'FILE', () => ({ fileId: ids['note'], name: 'a'.repeat(201) }), 'body.content.name'],
    ['no duration', 'VOICE', () => ({ fileId: ids['sound'] }), 'body.content.durationMs'],
    ['a duration of 0', 'VOICE', () => ({ fileId: ids['sound'], durationMs: 0 }), 'body.content.durationMs'],
    ['over 10 minutes', 'VOICE', () => ({ fileId: ids['sound'], durationMs: 600_001 }), 'body.content.durationMs'],
    ['an image as the voice', 'VOICE', () => ({ fileId: ids['image'], durationMs: 1 }), 'body.content.fileId'],
    ['a sound as the video', 'VIDEO', () => ({ fileId: ids['sound'] }), 'body.content.fileId'],
    [
      'a sound as the picture',
      'VIDEO',
      () => ({ fileId: ids['video'], thumbnailFileId: ids['sound'] }),
      'body.content.thumbnailFileId',
    ],
    [
      'a foreign picture',
      'VIDEO',
      () => ({ fileId: ids['video'], thumbnailFileId: ids['foreign'] }),
      'body.content.thumbnailFileId',
    ],
    ['no longitude', 'LOCATION', () => ({ latitude: 1 }), 'body.content.longitude'],
    ['latitude 91', 'LOCATION', () => ({ latitude: 91, longitude: 0 }), 'body.content.latitude'],
    ['a name of 101', 'LOCATION', () => ({ latitude: 1, longitude: 1, name: 'a'.repeat(101) }), 'body.content.name'],
    [
      'an address of 201',
      'LOCATION',
      () => ({ latitude: 1, longitude: 1, address: 'a'.repeat(201) }),
      'body.content.address',
    ],
    ['the card of a known user without contact', 'CARD', () => ({ userId: mallory.id }), 'body.content.userId'],
    ['no user', 'CARD', () => ({}), 'body.content.userId'],
    ['an unknown code', 'QR_CODE', () => ({ qrCodeId: 999_999_999 }), 'body.content.qrCodeId'],
    ['the code of another user', 'QR_CODE', () => ({ qrCodeId: ids['foreignCode'] }), 'body.content.qrCodeId'],
    ['an unknown activity', 'ACTIVITY', () => ({ activityId: 999_999_999 }), 'body.content.activityId'],
    ['the draft of another user', 'ACTIVITY', () => ({ activityId: ids['draft'] }), 'body.content.activityId'],
    ['no invite code', 'ACTIVITY', () => ({ activityId: ids['byInvitation'] }), 'body.content.activityId'],
    [
      'a wrong invite code',
      'ACTIVITY',
      () => ({ activityId: ids['byInvitation'], inviteCode: 'WRONG' }),
      'body.content.activityId',
    ],
  ]
  for (const [what, type, content, path] of bad)
    test(`${type} with ${what} is refused with 4021 at ${path}`, async () => {
      const before = await storedMessages(server)
      const reply = await sendContent(type, content())
      expect([reply.status, reply.code, reply.details?.map((detail) => detail.path)]).toEqual([400, 4021, [path]])
      expect(await storedMessages(server)).toEqual(before)
    })

  test('the card of a user of whom the sender may not know is answered like that of an unknown user', async () => {
    const stranger = await server.person()
    const replies = [
      await sendContent('CARD', { userId: stranger.id }),
      await sendContent('CARD', { userId: 999_999_999 }),
    ]
    expect(replies.map(({ status, code, message }) => [status, code, message])).toEqual([
      [404, 404, 'Not found'],
      [404, 404, 'Not found'],
    ])
  })

  test('a received card lets the recipient name its user until the message is recalled', async () => {
    const [a, b, c] = [await server.person(), await server.person(), await server.person()]
    await connect(server, a, b)
    await connect(server, a, c)
    const card = { toUserId: b.id, type: 'CARD', content: { userId: c.id } }
    expect((await send(b, { toUserId: c.id })).status).toBe(404)
    // Cards that the user has sent do not count.
    await relate(server, b, c)
    await relate(server, c, b)
    ok(await send(b, { toUserId: a.id, type: 'CARD', content: { userId: c.id } }))
    await unrelate(server, b, c)
    expect((await send(b, { toUserId: c.id })).status).toBe(404)
    const { messages } = ok(await send(a, card)).data
    const afterCard = await send(b, { toUserId: c.id })
    expect([afterCard.status, afterCard.code]).toEqual([403, 4011])
    ok(await a.call('messages.recall', { params: { id: messages[0].id } }))
    expect((await send(b, { toUserId: c.id })).status).toBe(404)
  })

  test('lower limits of the settings hold for text and media', async () => {
    const set = (key: 'chat.textMaxLength' | 'chat.mediaMaxBytes', value: number) =>
      server.ctx.db.write('test.set', (tx) => setSetting(tx, key, value))
    await set('chat.textMaxLength', 10)
    await set('chat.mediaMaxBytes', 30)
    try {
      expect((await sendContent('TEXT', { text: 'a'.repeat(11) })).code).toBe(4021)
      ok(await sendContent('TEXT', { text: 'a'.repeat(10) }))
      const reply = await sendContent('FILE', { fileId: ids['note'] })
      expect([reply.code, reply.details[0]?.path]).toEqual([4021, 'body.content.fileId'])
    } finally {
      await set('chat.textMaxLength', 5000)
      await set('chat.mediaMaxBytes', 20 * 1024 * 1024)
    }
  })

  test('attachments become messages of their own with consecutive ids, the text first', async () => {
    const clientMsgId = newKey()
    const attachments = [
      { fileId: ids['image'], caption: 'one' },
      { fileId: ids['video'], type: 'VIDEO', durationMs: 5 },
      { file_id: ids['note'], type: 'FILE', name: 'Two' },
    ]
    const { messages } = ok(await sendContent('TEXT', { text: 'See' }, { clientMsgId, attachments })).data
    const first = messages[0].id
    expect(
      messages.map(({ id, type, clientMsgId: key }: { id: number; type: string; clientMsgId: string }) => [
        id - first,
        type,
        key,
      ]),
    ).toEqual([
      [0, 'TEXT', clientMsgId],
      [1, 'IMAGE', `${clientMsgId}:1`],
      [2, 'VIDEO', `${clientMsgId}:2`],
      [3, 'FILE', `${clientMsgId}:3`],
    ])
    expect(messages[3].content.name).toBe('Two')
    // A repeat is the whole request.
    expect(ok(await sendContent('TEXT', { text: 'See' }, { clientMsgId, attachments })).data.messages).toEqual(messages)
    expect((await sendContent('TEXT', { text: 'See' }, { clientMsgId })).code).toBe(400)
    const images = ok(await sendContent('IMAGE', undefined, { attachments: Array(9).fill(attachments[0]) })).data
      .messages
    expect(images).toHaveLength(9)
  })

  test('attachments are stored all together or not at all', async () => {
    const image = { fileId: ids['image'] }
    const cases: readonly (readonly [body: object, code: number, path: string | undefined])[] = [
      [{ attachments: [image, { fileId: ids['note'] }] }, 4021, 'body.attachments.1.fileId'],
      [{ attachments: [image, { ...image, caption: 'a'.repeat(501) }] }, 4021, 'body.attachments.1.caption'],
      [{ attachments: [image, 'x'] }, 4021, 'body.attachments.1'],
      [{ attachments: [image, { ...image, type: 'VOICE' }] }, 4020, undefined],
      [{ attachments: [] }, 400, 'body.attachments'],
      [{ attachments: Array.from({ length: 10 }, () => image) }, 400, 'body.attachments'],
      [{ type: 'LOCATION', content: { latitude: 1, longitude: 1 }, attachments: [image] }, 400, 'body.attachments'],
      [{ type: 'IMAGE', content: image, attachments: [image] }, 400, 'body.content'],
      [{ type: 'TEXT', content: undefined, attachments: [image] }, 4021, 'body.content'],
    ]
    const before = await storedMessages(server)
    for (const [body, code, path] of cases) {
      const reply = await send(alice, { toUserId: bob.id, ...body })
      expect([reply.status, reply.code, reply.details?.[0]?.path]).toEqual([400, code, path])
    }
    expect(await storedMessages(server)).toEqual(before)
  })

  test('a user knows the owner of a card from others, as long as they can see the card, and not of their own cards', async () => {
    const [dora, emil] = [await server.person(), await server.person()]
    await connect(server, alice, dora)
    await connect(server, alice, emil)
    const knows = (person: Person, other: Person) => hasCardOf(server.ctx.db.read, person.id, other.id)
    const card = { type: 'CARD', content: { userId: emil.id } }
    const { conversationId, messages } = ok(await send(alice, { toUserId: dora.id, ...card })).data
    expect([await knows(dora, emil), await knows(alice, emil), await knows(mallory, emil)]).toEqual([
      true,
      false,
      false,
    ])
    ok(await dora.call('conversations.clear', { params: { id: conversationId } }))
    expect(await knows(dora, emil)).toBe(false)
    const again = ok(await send(alice, { toUserId: dora.id, ...card })).data.messages[0]
    expect(await knows(dora, emil)).toBe(true)
    for (const { id } of [messages[0], again]) ok(await recall(alice, id))
    expect(await knows(dora, emil)).toBe(false)
  })

  // Other plans are right for small tables on PostgreSQL.
  test.if(!process.env['TEST_DATABASE_URL'])(
    'cards are looked up by the conversations of the user who asks',
    async () => {
      const { runner } = server.ctx.db.read as unknown as { runner: Runner }
      const rows = runner.rows.bind(runner)
      const statements: [string, unknown[]][] = []
      runner.rows = (sql, params) => {
        if (sql.includes('message_cards')) statements.push([sql, params])
        return rows(sql, params)
      }
      try {
        await hasCardOf(server.ctx.db.read, mallory.id, bob.id)
      } finally {
        runner.rows = rows
      }
      expect(statements).toHaveLength(1)
      const plan = (await rows(`EXPLAIN QUERY PLAN ${statements[0]![0]}`, statements[0]![1])).map((row) =>
        String(row[3]),
      )
      expect(plan[0]).toMatch(/^SEARCH conversation_members USING .*\(user_id=\?\)/)
      expect(plan[1]).toMatch(
        /^SEARCH message_cards USING .*\(user_id=\? AND conversation_id=\? AND message_id>\?( AND message_id<\?)?\)/,
      )
    },
  )
})
