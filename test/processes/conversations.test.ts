/**
 * Users who write to each other at the same instant through different processes. `ROUNDS=1000` makes it thorough.
 */

import { describe, expect, test } from 'bun:test'

import { createGroup } from '../chat/group-helpers.ts'
import { connect, newKey } from '../chat/helpers.ts'
import { type Message, Phone } from '../chat/phone.ts'
import { ok, type Person, race, type TestServer, until } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 60)

/** Returns the id of the message, or the status of the refusal. */
async function say(server: TestServer, from: Person, target: object): Promise<{ id?: number; status: number }> {
  const body = { ...target, clientMsgId: newKey(), type: 'TEXT', content: { text: 'hello' } }
  const { status, data } = await sendTo(server, from, 'POST', '/api/chats/messages', { body })
  return { status, id: data?.messages[0].id }
}

const idsOf = (messages: readonly Message[]) => messages.map(({ id }) => id)

/** All messages of users in a conversation, the oldest first. */
async function history(server: TestServer, person: Person, conversationId: number): Promise<number[]> {
  const found: Message[] = []
  for (;;) {
    const before = found.at(-1) === undefined ? '' : `&beforeId=${found.at(-1)!.id}`
    const path = `/api/chats/conversations/${conversationId}/messages?limit=100${before}`
    const { items, hasMore } = ok(await sendTo(server, person, 'GET', path)).data
    found.push(...items)
    if (!hasMore) return idsOf(found.filter(({ type }) => type !== 'SYSTEM')).toReversed()
  }
}

/** A phone of each person at each server. */
function phonesOf(servers: readonly TestServer[], people: readonly Person[]) {
  const phones = people.map((person) =>
    servers.map(({ url }, nth) => new Phone(person, () => url, `${person.id} at ${nth}`)),
  )
  for (const phone of phones.flat()) phone.start()
  return phones
}

/** Waits until each phone has as many messages as the first of its person gets by `sync`, and compares them. */
async function expectSame(servers: readonly TestServer[], phones: readonly (readonly Phone[])[]): Promise<void> {
  for (const ofPerson of phones) {
    const fresh = new Phone(ofPerson[0]!.account, () => servers.at(-1)!.url)
    await fresh.catchUp()
    for (const phone of ofPerson) {
      await until(() => phone.messages.length >= fresh.messages.length)
      expect(idsOf(phone.messages)).toEqual(idsOf(fresh.messages))
      await until(() => phone.recalled.size >= fresh.recalled.size)
      expect([...phone.recalled].toSorted()).toEqual([...fresh.recalled].toSorted())
      expect(phone.problems).toEqual([])
      // Otherwise the order of the sockets was not seen.
      expect(phone.counts.byFrame).toBeGreaterThan(0)
    }
  }
}

describe.if(onPostgres)('with two processes', () => {
  test('two users who write at the same instant see one order, live, in history and by sync, also while one blocks the other', async () => {
    await withServers(2, async ({ servers }) => {
      const [ann, bob] = [await servers[0]!.person(), await servers[0]!.person()]
      const admin = await servers[0]!.admin()
      ok(await admin.put('/api/admin/chat/settings', { messagesPerMinute: 0, recallSeconds: 86_400 }))
      await connect(servers[0]!, ann, bob)
      const phones = phonesOf(servers, [ann, bob])
      await until(() => phones.flat().every(({ counts }) => counts.caughtUp > 0))
      const { items } = ok(await bob.get('/api/contacts')).data
      const block = (word: 'block' | 'unblock', nth: number) =>
        sendTo(servers[nth % 2]!, bob, 'POST', `/api/contacts/${items[0].id}/${word}`)
      const accepted: number[] = []
      const refused: number[] = []
      let lastOfAnn: number | undefined
      for (let nth = 0; nth < ROUNDS; nth++) {
        const [first, second] = nth % 2 === 0 ? [0, 1] : [1, 0]
        const isBlocking = nth % 10 === 5
        const [ofAnn, ofBob] = await Promise.all([
          say(servers[first]!, ann, { toUserId: bob.id }),
          say(servers[second]!, bob, { toUserId: ann.id }),
          isBlocking ? block('block', nth) : undefined,
          nth % 10 === 8 && lastOfAnn !== undefined
            ? sendTo(servers[second]!, ann, 'POST', `/api/chats/messages/${lastOfAnn}/recall`)
            : undefined,
        ])
        for (const { id, status } of [ofAnn, ofBob])
          if (id === undefined) refused.push(status)
          else accepted.push(id)
        lastOfAnn = ofAnn.id
        if (!isBlocking) continue
        // From the answer on, no process accepts a message.
        for (const server of servers) {
          expect((await say(server, ann, { toUserId: bob.id })).status).toBe(403)
          expect((await say(server, bob, { toUserId: ann.id })).status).toBe(403)
        }
        ok(await block('unblock', nth + 1))
      }
      expect(refused.filter((status) => status !== 403)).toEqual([])
      accepted.sort((a, b) => a - b)
      const [conversation] = ok(await ann.get('/api/chats/conversations')).data.items
      for (const server of servers)
        for (const person of [ann, bob]) expect(await history(server, person, conversation.id)).toEqual(accepted)
      await expectSame(servers, phones)
      for (const phone of phones.flat()) {
        expect(idsOf(phone.written)).toEqual(accepted)
        expect(phone.recalled.size).toBeGreaterThan(0)
        await phone.end()
      }
    })
  })

  test('a member who leaves a group while others write gets the messages up to a point, the same live, in history and by sync', async () => {
    await withServers(2, async ({ servers }) => {
      const [ann, bob, carol] = [await servers[0]!.person(), await servers[0]!.person(), await servers[0]!.person()]
      for (const other of [bob, carol]) await connect(servers[0]!, ann, other)
      const phones = phonesOf(servers, [ann, bob, carol])
      await until(() => phones.flat().every(({ counts }) => counts.caughtUp > 0))
      for (let nth = 0; nth < ROUNDS / 10; nth++) {
        const { id } = await createGroup(ann, [bob, carol])
        const [one, other] = [servers[nth % 2]!, servers[(nth + 1) % 2]!]
        const target = { conversationId: id }
        ok((await say(one, bob, target)) as never)
        const writing = race(12, (i) => say(i % 2 === 0 ? one : other, i % 4 < 2 ? ann : carol, target))
        const leaving = sendTo(other, bob, 'POST', `/api/chats/groups/${id}/leave`)
        ok(await leaving)
        for (const server of servers) expect((await say(server, bob, target)).status).toBe(403)
        await writing
        const all = await history(one, ann, id)
        expect(all).toHaveLength(13)
        const seen = await history(one, bob, id)
        expect(seen).toEqual(all.slice(0, seen.length))
        expect(seen.length).toBeGreaterThan(0)
        expect(await history(other, bob, id)).toEqual(seen)
        expect(await history(other, carol, id)).toEqual(all)
      }
      await expectSame(servers, phones)
      for (const phone of phones.flat()) await phone.end()
    })
  })
})
