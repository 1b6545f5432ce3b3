/** A member exports a conversation: the messages that the member sees, as JSON and as pages that open without a server. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { eq } from 'drizzle-orm'
import { unzipSync } from 'fflate'

import { conversationMembers, messages } from '#db/schema/chat.ts'
import { IN_ORDER, takeNumbers } from '#domains/chat/numbers.ts'
import { DAY } from '#platform/clock.ts'

import { png, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, type TestServer, useServer } from '../harness/index.ts'
import { changeMember, connect, makeGroup, recall, relate, send, sendText } from './helpers.ts'

const HOSTILE = `</p></article><script>alert(1)</script><img src=x onerror="alert(2)">&quot;'.html`

const path = (id: number, query = 'format=json') => `/api/chats/conversations/${id}/export?${query}`

/** Messages of `sender` in a group. Returns the id of the first. */
const fill = (server: TestServer, conversationId: number, sender: Person, count: number, text: string) =>
  server.ctx.db.write(
    'test.fill',
    async (tx) => {
      const first = await takeNumbers(tx, count)
      for (let from = 0; from < count; from += 100) {
        const ids = Array.from({ length: Math.min(100, count - from) }, (_, i) => first + from + i)
        const row = {
          conversationId,
          senderId: sender.id,
          type: 'TEXT' as const,
          content: { text },
          createdAt: tx.stamp,
        }
        await tx.insert(messages).values(ids.map((id) => ({ ...row, id })))
      }
      await tx
        .update(conversationMembers)
        .set({ lastMessageId: first + count - 1 })
        .where(eq(conversationMembers.conversationId, conversationId))
      return first
    },
    IN_ORDER,
  )

describe.if(inProcess)('exports of conversations', () => {
  const { server, alice, bob, carol, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
  })
  const json = async (person: Person, id: number) => {
    const reply = await person.get(path(id))
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json'])
    return JSON.parse(new TextDecoder().decode(reply.bytes))
  }
  async function pages(person: Person, id: number, query = '') {
    const reply = await person.get(path(id, `format=html${query}`))
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="chat-\d+-\d{8}\.zip"$/)
    const files = unzipSync(reply.bytes)
    return { files, names: Object.keys(files), index: new TextDecoder().decode(files['index.html']) }
  }
  let conversation: number
  beforeAll(async () => {
    await connect(server, alice, bob)
    conversation = (await sendText(alice, bob, 'first')).conversationId
  })

  test('they have what the member sees: edits as they are, recalls without content, nothing that was deleted or cleared', async () => {
    const edited = await sendText(alice, bob, 'befroe')
    ok(await alice.call('messages.edit', { params: { id: edited.id }, body: { content: { text: 'before' } } }))
    const recalled = await sendText(bob, alice, 'never said')
    ok(await recall(bob, recalled.id))
    const deleted = await sendText(bob, alice, 'only for bob')
    ok(await alice.call('messages.delete', { params: { id: deleted.id } }))
    const answer = ok(await send(alice, { toUserId: bob.id, content: { text: 'yes' }, replyToId: edited.id })).data
    ok(await bob.call('messages.react', { params: { id: answer.messages[0].id, emoji: '👍' } }))

    const own = await json(alice, conversation)
    const { nickname } = ok(await bob.call('profile.get')).data
    expect(own).toMatchObject({ id: conversation, type: 'DIRECT', title: nickname })
    expect(own.messages.map((one: { content: { text?: string } }) => one.content.text)).toEqual([
      'first',
      'before',
      undefined,
      'yes',
    ])
    expect(own.messages[1].editedAt).toBeNumber()
    expect(own.messages[2]).toMatchObject({ id: recalled.id, recalled: true, content: {}, senderName: nickname })
    expect(own.messages[3]).toMatchObject({
      replyTo: { id: edited.id, excerpt: 'before' },
      reactions: [{ emoji: '👍', count: 1 }],
    })
    const text = JSON.stringify(own)
    for (const absent of ['befroe', 'never said', 'only for bob', 'mentionedBefore', 'signature='])
      expect(text).not.toContain(absent)
    expect(JSON.stringify(await json(bob, conversation))).toContain('only for bob')

    const { index, names } = await pages(alice, conversation)
    expect(names).toEqual(['index.html'])
    for (const shown of ['first', 'before', 'yes', 'This message was recalled.', '👍 1']) expect(index).toContain(shown)
    for (const absent of ['befroe', 'never said', 'only for bob']) expect(index).not.toContain(absent)
    ok(await alice.call('conversations.clear', { params: { id: conversation } }))
    expect((await json(alice, conversation)).messages).toEqual([])
    expect((await pages(alice, conversation, '&lang=zh')).index).toContain('没有消息。')
  })

  test('members of a group get what was sent while they were in it, and former members nothing', async () => {
    const group = await makeGroup(server, [alice, bob])
    const say = async (text: string) =>
      ok(await send(alice, { conversationId: group, content: { text } })).data.messages[0].id
    const before = await say('before bob')
    await changeMember(server, group, bob, { clearedUpTo: before })
    const removed = await say('an insult')
    ok(await alice.call('messages.remove', { params: { id: removed }, body: { reason: 'Be polite' } }))
    await say('after bob')
    expect((await json(bob, group)).messages.map((one: { content: { text?: string } }) => one.content.text)).toEqual([
      undefined,
      'after bob',
    ])
    const { index } = await pages(bob, group)
    expect(index).toContain('Be polite')
    for (const absent of ['before bob', 'an insult']) expect(index).not.toContain(absent)
    await changeMember(server, group, bob, { leftAfter: removed, role: null })
    const refused = await bob.get(path(group))
    expect([refused.status, refused.code]).toEqual([403, 4015])
  })

  test('pictures and files are in the archive once, under names that are safe, and texts are no markup', async () => {
    await connect(server, alice, carol)
    const picture = png()
    const { id: fileId } = await uploaded(alice, picture, { name: `../../${HOSTILE}.png` })
    const image = { toUserId: carol.id, type: 'IMAGE', content: { fileId, caption: HOSTILE } }
    const { conversationId } = ok(await send(alice, image)).data
    ok(await send(alice, image))
    ok(await send(alice, { toUserId: carol.id, type: 'FILE', content: { fileId, name: HOSTILE } }))
    const voice = await uploaded(
      alice,
      await Bun.file(join(import.meta.dir, '../fixtures/voice/firefox.ogg')).bytes(),
      { name: 'voice.ogg' },
    )
    ok(await send(alice, { toUserId: carol.id, type: 'VOICE', content: { fileId: voice.id, durationMs: 400 } }))
    ok(
      await send(alice, {
        toUserId: carol.id,
        type: 'LOCATION',
        content: { latitude: 1, longitude: 2, name: HOSTILE },
      }),
    )
    const recalled = ok(await send(alice, { ...image, content: { fileId: (await uploaded(alice, png())).id } })).data
      .messages[0].id
    ok(await recall(alice, recalled))
    ok(await send(alice, { toUserId: carol.id, content: { text: HOSTILE } }))
    ok(await carol.call('profile.update', { body: { nickname: `<b onclick=alert(3)>C` } }))

    const { files, names, index } = await pages(alice, conversationId)
    expect(names).toHaveLength(3)
    for (const name of names) expect(name).toMatch(/^(index\.html|files\/[^/\\<>:"|?*\u202e]+\.(png|ogg))$/)
    const [png64] = names.filter((name) => name.endsWith('.png'))
    expect(files[png64!]!.subarray(0, 4)).toEqual(picture.subarray(0, 4))
    expect(index).not.toMatch(/<script|<img src=x|<b |onclick=alert\(3\)>|https?:\/\//)
    expect(index).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(index).toContain(`http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;`)
    for (const [, href] of index.matchAll(/(?:href|src)="([^"]*)"/g))
      expect(names).toContain(decodeURIComponent(href!.replaceAll('&#39;', "'")))
  })

  test('long conversations have pages that lead to each other, and the whole order is kept', async () => {
    const group = await makeGroup(server, [alice, bob])
    const first = await fill(server, group, alice, 2300, 'x'.repeat(100))
    expect((await json(alice, group)).messages.map(({ id }: { id: number }) => id)).toEqual(
      Array.from({ length: 2300 }, (_, i) => first + i),
    )
    const { names, files, index } = await pages(alice, group)
    expect(names).toEqual(['messages-0001.html', 'messages-0002.html', 'index.html'])
    const text = (name: string) => new TextDecoder().decode(files[name])
    expect(text('messages-0001.html').match(/<article/g)).toHaveLength(1000)
    expect(text('messages-0001.html')).toContain('href="messages-0002.html"')
    expect(text('messages-0002.html')).toContain('href="index.html"')
    expect(index.match(/<article/g)).toHaveLength(300)
    expect(index).toContain('href="messages-0001.html"')
  })

  test('an export ends when its reader leaves the group or signs out, and is not complete', async () => {
    const readers = [await server.person(), await server.person()] as const
    const group = await makeGroup(server, [alice, ...readers])
    await fill(server, group, alice, 4000, 'x'.repeat(5000))
    const ends = [
      () => changeMember(server, group, readers[0], { leftAfter: 1, role: null }),
      () => readers[1].call('auth.logout', {}),
    ]
    for (const [i, reader] of readers.entries()) {
      const headers = { authorization: `Bearer ${reader.token}`, 'x-device-id': reader.deviceId }
      const body = (await fetch(server.url + path(group), { headers })).body!.getReader()
      let bytes = (await body.read()).value!.length
      await ends[i]!()
      const rest = async () => {
        for (let part; !(part = await body.read()).done;) bytes += part.value.length
      }
      // The connection ends without the end of the file.
      await expect(rest()).rejects.toThrow()
      expect(bytes).toBeLessThan(19_000_000)
    }
  })

  test('others are answered as if the conversation did not exist', async () => {
    for (const format of ['json', 'html']) {
      const refused = await mallory.get(path(conversation, `format=${format}`))
      const unknown = await mallory.get(path(999_999))
      expect([refused.status, refused.code, refused.message]).toEqual([404, unknown.code, unknown.message])
      expect((await server.request('GET', path(conversation, `format=${format}`))).status).toBe(401)
    }
    await relate(server, mallory, alice)
    expect((await mallory.get(path(conversation))).status).toBe(404)
  })
})

describe.if(inProcess)('an export of notes', () => {
  const { alice } = useServer({ people: ['alice'] })

  test('has the title that the web application shows', async () => {
    const { id } = ok(await alice.call('chats.openNotes')).data
    expect(JSON.parse(ok(await alice.get(path(id))).text).title).toBe('Notes to myself')
    expect(JSON.parse(ok(await alice.get(path(id, 'lang=zh'))).text).title).toBe('给自己的笔记')
  })
})

describe.if(inProcess)('the limit of exports', () => {
  const { server, alice, bob } = useServer({ people: ['alice', 'bob'], rateLimit: true })

  test('a user has five a day, whatever the conversations, and refusals do not count', async () => {
    await connect(server, alice, bob)
    const other = (await sendText(bob, alice, 'again')).conversationId
    expect((await bob.get(path(other, 'format=pdf'))).status).toBe(400)
    expect((await bob.get(path(other, 'format=json&tz=Nowhere'))).status).toBe(400)
    expect((await bob.get(path(999_999))).status).toBe(404)
    for (let i = 0; i < 3; i++) ok(await bob.get(path(other)))
    // A user has one at a time, and none beyond the fifth.
    let done = 3
    for (let i = 0; i < 3; i++) {
      const replies = await race(6, () => bob.get(path(other)))
      done += replies.filter(({ status }) => status === 200).length
      expect(replies.every(({ status }) => status === 200 || status === 429)).toBe(true)
    }
    expect(done).toBe(5)
    const refused = await bob.get(path(other))
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3600)
    ok(await alice.get(path(other)))
    server.clock.advance(DAY)
    ok(await bob.get(path(other)))
  })
})
