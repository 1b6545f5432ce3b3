/** Messages that are sent at the same time are stored by one write, and each is refused or stored by itself. */

import { describe, expect, test } from 'bun:test'

import { eq, inArray } from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import { users } from '#db/schema/accounts.ts'
import { messageCards, messageFiles, messages } from '#db/schema/chat.ts'
import { sendMessage } from '#domains/chat/messages/messages.service.ts'
import { domain } from '#domains/domain.ts'
import { setSetting } from '#domains/settings/index.ts'
import { AppError } from '#http/errors.ts'

import { statementsOf } from '../db/plans.ts'
import { text as note, uploaded } from '../files/helpers.ts'
import { inProcess, ok, openSocket, type Person, race, useServer } from '../harness/index.ts'
import { connect, makeGroup, memberOf, newKey, relate, send, sendText, storedMessages } from './helpers.ts'

/** Messages with this text cannot be stored. */
const POISON = 'poison'
const other = domain({
  name: 'other',
  on: {
    async 'messages.sent'(_ctx, tx, { ids }) {
      const rows = await tx
        .select()
        .from(messages)
        .where(inArray(messages.id, [...ids]))
      if (rows.some(({ content }) => content['text'] === POISON)) throw new Error('a listener has failed')
    },
  },
})

describe.if(inProcess)('messages that are sent at once', () => {
  const { server, alice, bob } = useServer({
    people: ['alice', 'bob'],
    settings: { 'chat.messagesPerMinute': 0 },
    ...(inProcess && { domains: (product) => [...product, other] }),
  })
  const count = async () => (await storedMessages(server)).length

  /** Contacts of one another in pairs who have all written before. */
  async function writers(size: number): Promise<readonly { readonly from: Person; readonly to: Person }[]> {
    const people = await race(size, () => server.person())
    const pairs = people.map((from, i) => ({ from, to: people[i ^ 1]! }))
    for (const { from, to } of pairs) await relate(server, from, to)
    for (const { from, to } of pairs) await sendText(from, to)
    return pairs
  }

  const text = (content: object = {}) => ({
    type: 'TEXT',
    content: { text: 'hello', ...content },
    clientMsgId: newKey(),
  })
  type Body = Parameters<typeof sendMessage>[3]

  /** Calls the use case in one turn of the event loop, as if all requests had arrived before the first write. Returns the statuses. */
  const sendInOneTurn = (bodies: readonly (readonly [from: Person, body: Body])[]) =>
    Promise.all(
      bodies.map(async ([{ id: userId, sessionId }, body]) => {
        const caller = { ip: '127.0.0.1', locale: 'en' } as Parameters<typeof sendMessage>[2]
        try {
          await sendMessage(server.ctx, { userId, sessionId, deviceKey: '' }, caller, body)
          return 200
        } catch (error) {
          if (!(error instanceof AppError)) return 500
          return error.code
        }
      }),
    )

  /** The numbers of statements of the writes that send. */
  async function countStatements(run: () => Promise<unknown>): Promise<number[]> {
    const { db } = server.ctx
    const write = db.write.bind(db)
    const counts: number[] = []
    db.write = async (name, fn, options) => {
      let statements = 0
      const result = await write(
        name,
        (tx) => {
          statements = 0
          const { runner } = tx as unknown as { runner: { rows(sql: string, params: unknown[]): unknown } }
          const rows = runner.rows.bind(runner)
          runner.rows = (sql, params) => {
            statements += 1
            return rows(sql, params)
          }
          return fn(tx)
        },
        options,
      )
      if (name === 'chat.send') counts.push(statements)
      return result
    }
    try {
      await run()
    } finally {
      db.write = write
    }
    return counts
  }

  // PostgreSQL stores in one statement. BEGIN and COMMIT are not counted, and the listener of this file reads once.
  const STATEMENTS = (dialect === 'sqlite' ? 6 : 2) + 1

  test('a text costs few statements, however many members and messages the conversation has', async () => {
    await connect(server, alice, bob)
    await sendText(alice, bob)
    expect(await countStatements(() => send(alice, { toUserId: bob.id }))).toEqual([STATEMENTS])
    const people = await race(10, () => server.person())
    const group = await makeGroup(server, [alice, ...people])
    for (let i = 0; i < 10; i++) ok(await send(alice, { conversationId: group }))
    expect(await countStatements(() => send(alice, { conversationId: group }))).toEqual([STATEMENTS])
  })

  test('a text is answered and delivered without a read while nobody has a socket', async () => {
    await connect(server, alice, bob)
    await sendText(alice, bob)
    let last = 0
    const sendOne = async () => void (last = (await sendText(alice, bob)).id)
    expect(await statementsOf(server.ctx.db.read, sendOne, 'messages')).toEqual([])
    const socket = await openSocket(server.url, bob.token)
    expect(socket.hello.cursor).toBe(last)
    const { id } = await sendText(alice, bob)
    expect(await socket.next('message')).toMatchObject({ id })
    await socket.close()
  })

  test('sixty-four texts cost as many statements as one', async () => {
    const pairs = await writers(64)
    const before = await count()
    const bodies = pairs.map(({ from, to }) => [from, { ...text(), toUserId: to.id }] as const)
    expect(await countStatements(() => sendInOneTurn(bodies))).toEqual([STATEMENTS])
    expect(await count()).toBe(before + 64)
    const rows = (await storedMessages(server)).slice(before)
    expect(rows.map(({ senderId }) => senderId)).toEqual(pairs.map(({ from }) => from.id))
    expect(rows.map(({ id }) => id)).toEqual(rows.map((_, i) => rows[0]!.id + i))
    for (const [i, { conversationId }] of rows.entries())
      expect(await memberOf(server, conversationId, pairs[i]!.to)).toMatchObject({ unread: 2 })
  })

  test('one write stores many texts for one large group, and texts for few large groups', async () => {
    const members = Array.from({ length: 600 }, (_, i) => ({ id: 1_000_000 + i }))
    await server.ctx.db.write('test.members', async (tx) => {
      const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
      const rows = members.map(({ id }) => ({ id, username: `member${id}`, nickname: 'member', ...times }))
      await tx.insert(users).values(rows)
    })
    const groups: number[] = []
    for (let i = 0; i < 3; i++) groups.push(await makeGroup(server, [alice, ...members]))
    const writesOf = (conversationIds: readonly number[]) =>
      countStatements(() =>
        sendInOneTurn(conversationIds.map((conversationId) => [alice, { ...text(), conversationId }])),
      )
    expect(await writesOf(Array<number>(10).fill(groups[0]!))).toHaveLength(1)
    expect(await writesOf(groups)).toHaveLength(2)
    for (const [i, group] of groups.entries())
      expect(await memberOf(server, group, members[0] as Person)).toMatchObject({ unread: i === 0 ? 11 : 1 })
  })

  test('each of a group is answered by itself, and the rows of the others are stored', async () => {
    const pairs = await writers(64)
    const setLimit = (limit: number) =>
      server.ctx.db.write('test.limit', (tx) => setSetting(tx, 'chat.messagesPerMinute', limit))
    await setLimit(3)
    try {
      const [blocked, hurried, used, lost, wrong, replying] = pairs.filter((_, i) => i % 2 === 0)
      await relate(server, blocked!.to, blocked!.from, { blocked: true })
      for (let i = 0; i < 3; i++) await sendText(hurried!.from, hurried!.to)
      const key = newKey()
      ok(await send(used!.from, { toUserId: used!.to.id, clientMsgId: key }))
      const before = await count()
      const special = new Map<Person, object>([
        [used!.from, { clientMsgId: key, content: { text: 'another' } }],
        [lost!.from, { toUserId: 999_999_999 }],
        [wrong!.from, { content: { text: '@you', mentions: [alice.id] } }],
        [replying!.from, { replyToId: 999_999_999 }],
      ])
      const bodies = pairs.map(({ from, to }) => [from, { ...text(), toUserId: to.id, ...special.get(from) }] as const)
      const codes = await sendInOneTurn(bodies)
      // The block refuses both sides.
      const refused = [4012, 4012, 4022, 200, 400, 200, 404, 200, 4021, 200, 400]
      expect(codes).toEqual([...refused, ...Array<number>(64 - refused.length).fill(200)])
      expect(await count()).toBe(before + 57)
    } finally {
      await setLimit(0)
    }
  })

  test('of ten texts of one sender at once as many are stored as the limit allows', async () => {
    const [{ from, to }] = (await writers(2)) as [{ from: Person; to: Person }]
    const setLimit = (limit: number) =>
      server.ctx.db.write('test.limit', (tx) => setSetting(tx, 'chat.messagesPerMinute', limit))
    await setLimit(7)
    try {
      const codes = await sendInOneTurn(Array.from({ length: 10 }, () => [from, { ...text(), toUserId: to.id }]))
      expect(codes).toEqual([...Array<number>(7).fill(200), 4022, 4022, 4022])
      server.clock.advance(60_000)
      expect(await sendInOneTurn([[from, { ...text(), toUserId: to.id }]])).toEqual([200])
    } finally {
      await setLimit(0)
    }
  })

  test('two texts with one clientMsgId make one message, and those with other contents are refused', async () => {
    const [{ from, to }] = (await writers(2)) as [{ from: Person; to: Person }]
    const body = { ...text(), toUserId: to.id }
    const before = await count()
    const different = { ...body, content: { text: 'different' } }
    expect(
      await sendInOneTurn([
        [from, body],
        [from, body],
        [from, different],
        [to, { ...body, toUserId: from.id }],
      ]),
    ).toEqual([200, 200, 400, 200])
    expect(await count()).toBe(before + 2)
  })

  test('two users who write to each other for the first time make one conversation', async () => {
    const [a, b] = [await server.person(), await server.person()]
    await connect(server, a, b)
    const codes = await sendInOneTurn([
      [a, { ...text(), toUserId: b.id }],
      [b, { ...text(), toUserId: a.id }],
    ])
    expect(codes).toEqual([200, 200])
    const own = (await storedMessages(server)).filter(({ senderId }) => senderId === a.id || senderId === b.id)
    expect(own).toHaveLength(2)
    expect(own[0]!.conversationId).toBe(own[1]!.conversationId)
    for (const person of [a, b])
      expect(await memberOf(server, own[0]!.conversationId, person)).toMatchObject({
        unread: 1,
        lastMessageId: own[1]!.id,
      })
  })

  test('a message that cannot be stored fails alone', async () => {
    const pairs = await writers(16)
    const before = await count()
    const bodies = pairs.map(
      ({ from, to }, i) => [from, { ...text(i === 5 ? { text: POISON } : {}), toUserId: to.id }] as const,
    )
    const codes = await sendInOneTurn(bodies)
    expect(codes.map((code, i) => (i === 5 ? code === 500 : code === 200))).toEqual(Array<boolean>(16).fill(true))
    expect(await count()).toBe(before + 15)
  })

  test('files, cards, mentions and replies are stored beside texts', async () => {
    const pairs = await writers(6)
    const [a, b, c, d] = pairs.map(({ from }) => from) as [Person, Person, Person, Person]
    const file = await uploaded(a, note())
    const first = await sendText(b, a)
    const codes = await sendInOneTurn([
      [a, { ...text(), toUserId: b.id, type: 'FILE', content: { fileId: file.id } }],
      [b, { ...text({ mentions: [a.id] }), toUserId: a.id, replyToId: first.id }],
      [c, { ...text(), toUserId: d.id, type: 'CARD', content: { userId: c.id } }],
      [d, { ...text(), toUserId: c.id }],
    ])
    expect(codes).toEqual([200, 200, 200, 200])
    const rows = (await storedMessages(server)).slice(-4)
    const [ofA, ofB, ofC, ofD] = [a, b, c, d].map(({ id }) => rows.find(({ senderId }) => senderId === id))
    expect(await server.ctx.db.read.select().from(messageFiles).where(eq(messageFiles.fileId, file.id))).toMatchObject([
      { messageId: ofA!.id },
    ])
    expect(await memberOf(server, ofB!.conversationId, a)).toMatchObject({ unread: 3, mentionedAt: ofB!.id })
    expect(ofB!.replyToId).toBe(first.id)
    expect(await server.ctx.db.read.select().from(messageCards).where(eq(messageCards.userId, c.id))).toMatchObject([
      { messageId: ofC!.id, conversationId: ofC!.conversationId },
    ])
    expect(ofD!.content).toEqual({ text: 'hello' })
  })

  test('users who write at once get numbers without gaps, and readers who continue from a number miss none', async () => {
    const people = await race(32, () => server.person())
    const group = await makeGroup(server, [...people, alice])
    const before = (await storedMessages(server)).at(-1)!.id
    const total = people.length * 5
    const read: number[] = []
    let cursor = before
    const poll = async () => {
      const { data } = ok(await alice.call('chats.sync', { query: { afterId: cursor } }))
      read.push(...data.messages.map(({ id }) => id))
      cursor = data.cursor
    }
    const [sent] = await Promise.all([
      race(people.length, async (i) => {
        const ids: number[] = []
        for (let n = 0; n < 5; n++) ids.push(ok(await send(people[i]!, { conversationId: group })).data.messages[0].id)
        return ids
      }),
      (async () => {
        while (read.length < total) await poll()
      })(),
    ])
    expect(read).toEqual(Array.from({ length: total }, (_, i) => before + 1 + i))
    for (const ids of sent) expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(await memberOf(server, group, alice)).toMatchObject({ unread: total })
    for (const person of people) expect(await memberOf(server, group, person)).toMatchObject({ unread: total - 5 })
  })
})
