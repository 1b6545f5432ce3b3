/** Random histories: clients that catch up from any cursor by any pages have exactly the view of the server, and all counts are exact. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { conversationMembers, messages } from '#db/schema/chat.ts'
import { isUnread, isVisible } from '#domains/chat/members.rules.ts'
import { sync } from '#domains/chat/sync/sync.service.ts'
import type { Actor } from '#http/endpoint.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { recall, sendAll, type Sent } from './conversation-helpers.ts'

/** Mulberry32: the same histories in each run. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

/** A device that keeps messages by catching up. */
class Device {
  cursor = 0
  readonly contents = new Map<number, string>()

  constructor(readonly person: Person) {}

  /** Returns whether there is more. */
  async sync(limit: number): Promise<boolean> {
    const query = { afterId: this.cursor, limit }
    const page = ok(await this.person.call('chats.sync', { query })).data
    const numbers = page.messages.map(({ id }) => id)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(page.messages.length + page.recalled.length + page.updated.length).toBeLessThanOrEqual(limit)
    for (const { id, content } of page.messages) {
      expect(id).toBeGreaterThan(this.cursor)
      expect(this.contents.has(id)).toBe(false)
      this.contents.set(id, JSON.stringify(content))
    }
    for (const { messageId } of page.recalled) if (this.contents.has(messageId)) this.contents.set(messageId, '{}')
    const touched = new Set([...page.messages, ...page.recalled].map(({ conversationId }) => conversationId))
    expect(new Set(page.conversations.map(({ id }) => id))).toEqual(touched)
    if (page.messages.length + page.recalled.length === 0) expect(page.cursor).toBe(this.cursor)
    expect(page.cursor).toBeGreaterThanOrEqual(this.cursor)
    this.cursor = page.cursor
    return page.hasMore
  }
}

describe.if(inProcess)('catching up', () => {
  const { server, ann, ben, cid, dan } = useServer({ people: ['ann', 'ben', 'cid', 'dan'] })

  const rowsOf = (userId: number) =>
    server.ctx.db.read.select().from(conversationMembers).where(eq(conversationMembers.userId, userId))

  /** Compares member rows with a count over all messages. */
  async function checkCounts(people: readonly Person[]): Promise<void> {
    const all = await server.ctx.db.read.select().from(messages)
    for (const { id } of people)
      for (const row of await rowsOf(id)) {
        const seen = all.filter((m) => m.conversationId === row.conversationId && isVisible(m.id, row))
        expect(row.unread).toBe(seen.filter((message) => isUnread(message, row)).length)
        expect(row.lastMessageId).toBe(seen.length === 0 ? null : Math.max(...seen.map((m) => m.id)))
      }
  }

  test.each([1, 2, 3])(
    'history %d of random sends, recalls, reads, clears and deletes is rebuilt exactly',
    async (seed) => {
      const random = randomOf(seed)
      const people = [ann, ben, cid, dan]
      const pick = <T>(list: readonly T[]): T => list[random(list.length)]!
      const devices = people.flatMap((person) => [new Device(person), new Device(person)])
      // Devices of an earlier history would see cleared messages.
      for (const device of devices) while (await device.sync(500));
      const sent: Sent[] = []
      for (let step = 0; step < 150; step++) {
        const person = pick(people)
        const other = pick(people.filter((one) => one !== person))
        const action = random(10)
        if (action < 5) {
          const texts = Array.from({ length: 1 + random(4) }, (_, i) => `${seed}.${step}.${i}`)
          sent.push(...(await sendAll(server, person, other, texts, random(8) === 0 ? { type: 'SYSTEM' } : {})))
        } else if (action === 5 && sent.length > 0) {
          const [message] = sent.splice(random(sent.length), 1)
          if (message!.type !== 'SYSTEM') await recall(server, message!)
        } else if (action < 8) {
          const row = pick(await rowsOf(person.id))
          if (row !== undefined && !row.hidden) {
            const { items } = ok(
              await person.call('conversations.history', { params: { id: row.conversationId }, query: { limit: 100 } }),
            ).data
            const messageId = pick(items)?.id
            const body = messageId === undefined || random(3) === 0 ? {} : { messageId }
            ok(await person.call('conversations.read', { params: { id: row.conversationId }, body }))
          }
        } else if (action === 8 && random(3) === 0) {
          const row = pick(await rowsOf(person.id))
          if (row !== undefined && !row.hidden) {
            const params = { id: row.conversationId }
            ok(await person.call(random(2) === 0 ? 'conversations.clear' : 'conversations.delete', { params }))
          }
        } else await pick(devices).sync(1 + random(20))
        if (step % 25 === 0) await checkCounts(people)
      }
      await checkCounts(people)
      for (const device of devices) {
        while (await device.sync(1 + random(40)));
        const rows = await rowsOf(device.person.id)
        const all = await server.ctx.db.read.select().from(messages)
        const visible = all.filter((message) => {
          const row = rows.find(({ conversationId }) => conversationId === message.conversationId)
          return row !== undefined && isVisible(message.id, row)
        })
        // Messages that the user has cleared since the device got them are still there: a clear is no message.
        const cleared = (id: number) => !visible.some((message) => message.id === id)
        const kept = [...device.contents].filter(([id]) => !cleared(id))
        expect(new Map(kept)).toEqual(new Map(visible.map(({ id, content }) => [id, JSON.stringify(content)])))
        const { unread } = (await rowsOf(device.person.id)).reduce((a, b) => ({ unread: a.unread + b.unread }), {
          unread: 0,
        })
        const page = ok(await device.person.call('conversations.list', { query: { size: 100 } })).data
        expect(page.items.reduce((sum, { unreadCount }) => sum + unreadCount, 0)).toBe(unread)
      }
    },
  )

  test('reads that race with sends leave exact counts', async () => {
    const [{ conversationId: id }] = (await sendAll(server, ann, ben, ['start'])) as [Sent]
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        if (i % 2 === 0) await sendAll(server, i % 4 === 0 ? ann : ben, i % 4 === 0 ? ben : ann, ['x', 'y'])
        else ok(await (i % 4 === 1 ? ann : ben).call('conversations.read', { params: { id }, body: {} }))
      }),
    )
    await checkCounts([ann, ben])
  })

  test('many unread messages are marked in steps, and the rest stays unread', async () => {
    const reader = await server.person()
    const sent: Sent[] = []
    const texts = Array.from({ length: 300 }, (_, i) => String(i))
    for (let i = 0; i < 8; i++) sent.push(...(await sendAll(server, ann, reader, texts)))
    const params = { id: sent[0]!.conversationId }
    const read = (messageId: number) => reader.call('conversations.read', { params, body: { messageId } })
    expect(ok(await read(sent[2199]!.id)).data).toMatchObject({ readUpToId: sent[2199]!.id, unreadCount: 200 })
    await checkCounts([reader])
  })

  test('GET /api/chats/sync refuses a limit above 500, answers 401 without a token, and shows strangers nothing', async () => {
    expect((await server.request('GET', '/api/chats/sync')).status).toBe(401)
    expect((await ann.get('/api/chats/sync', { limit: 501 })).status).toBe(400)
    expect((await ann.get('/api/chats/sync', { afterId: -1 })).status).toBe(400)
    const stranger = await server.person()
    const nothing = { messages: [], recalled: [], updated: [], conversations: [], cursor: 7, hasMore: false }
    expect(ok(await stranger.call('chats.sync', { query: { afterId: 7 } })).data).toEqual(nothing)
  })

  // Reads of PostgreSQL give way to others anyway, and their answers may arrive together.
  test.if(!process.env['TEST_DATABASE_URL'])(
    'twenty pages that are asked for at once are made in turns of their own',
    async () => {
      await sendAll(server, ann, ben, ['hello'])
      let turn = 0
      let isCounting = true
      const next = () => void (turn++, isCounting && setImmediate(next))
      next()
      const madeIn: number[] = []
      await race(20, async () => {
        await sync(server.ctx, { userId: ann.id } as Actor, { afterId: 0, limit: 500 })
        madeIn.push(turn)
      })
      isCounting = false
      expect(new Set(madeIn).size).toBe(20)
    },
  )
})
