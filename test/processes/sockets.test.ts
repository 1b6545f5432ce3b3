/** Sockets get everything that concerns their user, whichever process a request has reached. */

import { describe, expect, test } from 'bun:test'

import { socketsOf } from '#http/socket.ts'

import { connect } from '../chat/helpers.ts'
import { ok, type Person, race, type TestServer, until } from '../harness/index.ts'
import { openSocket, type TestSocket } from '../harness/socket.ts'
import { sendTo as notifyUsers } from '../notifications/helpers.ts'
import { APART_MS, endConnections, onPostgres, sendTo, startProcess, withServers } from './several.ts'

/** A socket of the person at each server. */
const socketsAt = (servers: readonly { readonly url: string }[], { token }: Person): Promise<TestSocket[]> =>
  Promise.all(servers.map(({ url }) => openSocket(url, token)))

let keys = 0
const say = async (server: TestServer, from: Person, to: Person, text: string): Promise<number> => {
  const body = { toUserId: to.id, clientMsgId: `key-${++keys}`, type: 'TEXT', content: { text } }
  return ok(await sendTo(server, from, 'POST', '/api/chats/messages', { body })).data.messages[0].id
}

describe.if(onPostgres)('with three processes', () => {
  test('messages that any of them accepts reach the sockets of all, once and in order', async () => {
    await withServers(3, async ({ servers }) => {
      const [ann, bob] = [await servers[0]!.person(), await servers[1]!.person()]
      await connect(servers[0]!, ann, bob)
      const sockets = [...(await socketsAt(servers, ann)), ...(await socketsAt(servers, bob))]
      const sent: number[] = []
      for (let i = 0; i < 15; i++) sent.push(await say(servers[i % 3]!, ann, bob, `${i}`))
      const atOnce = Array.from({ length: 45 }, (_, i) =>
        i % 2 === 0 ? say(servers[i % 3]!, ann, bob, `at once ${i}`) : say(servers[i % 3]!, bob, ann, `at once ${i}`),
      )
      sent.push(...(await Promise.all(atOnce)).toSorted((a, b) => a - b))
      const recalled = sent[0]!
      ok(await sendTo(servers[2]!, ann, 'POST', `/api/chats/messages/${recalled}/recall`))
      for (const socket of sockets) {
        // The last frame of all.
        await socket.next('message.recalled', ({ messageId }) => messageId === recalled)
        expect(socket.of('message').map(({ id }) => id)).toEqual(sent)
      }
    })
  })

  test('contact requests, notifications, conversations, read marks and typing reach the sockets of the others', async () => {
    await withServers(3, async ({ servers }) => {
      const [first, second, third] = servers as [TestServer, TestServer, TestServer]
      const admin = await first.admin()
      const [ann, bob] = [await first.person(), await first.person()]
      const [ofAnn, ofBob] = [await openSocket(second.url, ann.token), await openSocket(third.url, bob.token)]

      const card = ok(await bob.get('/api/contacts/my-qrcode')).data
      ok(await sendTo(first, ann, 'POST', '/api/contacts/requests', { body: { code: card.content } }))
      const request = await ofBob.next('contact.request')
      expect(request).toMatchObject({ userId: ann.id, status: 'PENDING' })
      ok(await sendTo(first, bob, 'POST', `/api/contacts/${request.id}/accept`))
      expect(await ofAnn.next('contact.request')).toMatchObject({ userId: bob.id, status: 'ACCEPTED' })

      await notifyUsers(admin, [ann.id], 'Closed on Monday')
      expect(
        (await ofAnn.next('notification', ({ notification }) => notification.title === 'Closed on Monday')).unreadCount,
      ).toBeGreaterThan(0)

      const messageId = await say(first, ann, bob, 'hello')
      const { conversationId } = await ofBob.next('message', ({ id }) => id === messageId)
      ok(await sendTo(first, bob, 'POST', `/api/chats/conversations/${conversationId}/read`))
      expect(await ofAnn.next('read')).toEqual({ conversationId, userId: bob.id, readUpToId: messageId })
      ok(await sendTo(first, ann, 'POST', `/api/chats/conversations/${conversationId}/pin`, { body: { pinned: true } }))
      await ofAnn.next('conversation.updated', ({ id, pinned }) => id === conversationId && pinned === true)

      ofAnn.send('typing', { conversationId })
      expect(await ofBob.next('typing')).toEqual({ conversationId, userId: ann.id })
    })
  })

  test('a socket ends at every process with its session, and gets nothing afterwards', async () => {
    await withServers(3, async ({ servers }) => {
      const [ann, bob] = [await servers[0]!.person(), await servers[0]!.person()]
      await connect(servers[0]!, ann, bob)
      const sockets = await socketsAt(servers, ann)
      ok(await sendTo(servers[1]!, ann, 'POST', '/api/auth/logout'))
      for (const socket of sockets) expect((await socket.closed).code).toBe(4401)
      for (const [i, server] of servers.entries()) await say(server, bob, ann, `too late ${i}`)
      for (const socket of sockets) {
        expect(socket.of('session.revoked')).toEqual([{ reason: 'LOGOUT' }])
        expect(socket.frames.at(-1)!.type).toBe('session.revoked')
      }
      for (const { url } of servers) await expect(openSocket(url, ann.token)).rejects.toThrow()
    })
  })
})

describe.if(onPostgres)('the sockets of one session', () => {
  /** Codes of the closes, in the order in which the sockets were opened; undefined for those that are open. */
  const closes = (sockets: readonly TestSocket[]) => {
    const codes: (number | undefined)[] = sockets.map(() => undefined)
    for (const [nth, { closed }] of sockets.entries()) void closed.then(({ code }) => (codes[nth] = code))
    return codes
  }
  const ready = (servers: readonly TestServer[]) =>
    until(() => servers.every(({ ctx }) => ctx.processes.alive === 3 && ctx.limiter.share(20) === 20))

  test('are at most 20 at all processes together, the newest of them', async () => {
    await withServers(3, async ({ servers }) => {
      await ready(servers)
      // The oldest are those of the process whose clock is behind, unless all clocks are alike.
      for (const [nth, { clock }] of servers.entries()) clock.advance((servers.length - nth) * APART_MS)
      const ann = await servers[0]!.person()
      const sockets: TestSocket[] = []
      for (let nth = 0; nth < 26; nth++) {
        sockets.push(await openSocket(servers[nth % 3]!.url, ann.token))
        for (const { clock } of servers) clock.advance(1)
      }
      const codes = closes(sockets)
      await until(() => codes.filter((code) => code === undefined).length <= 20)
      expect(codes).toEqual([...Array(6).fill(4409), ...Array(20).fill(undefined)])
      // A place that was left can be taken again.
      sockets[10]!.close()
      await sockets[10]!.closed
      sockets.push(await openSocket(servers[0]!.url, ann.token))
      // Each process has reported its sockets again.
      await Bun.sleep(1500)
      // On a busy machine a process may not have heard yet that a socket was closed, and closes its oldest one: its client opens it again.
      const open = servers.reduce((sum, { ctx }) => sum + [...socketsOf(ctx, ann.id)].length, 0)
      expect([19, 20]).toContain(open)
      expect(codes.filter((code) => code === 4409)).toHaveLength(26 - open)
    })
  })

  test('that are opened at once at all processes remain 20', async () => {
    await withServers(3, async ({ servers }) => {
      await ready(servers)
      const ann = await servers[0]!.person()
      // Some are closed before they are greeted.
      await race(60, (nth) => openSocket(servers[nth % 3]!.url, ann.token).catch(() => undefined))
      const open = () => servers.reduce((sum, { ctx }) => sum + [...socketsOf(ctx, ann.id)].length, 0)
      await until(() => open() <= 20)
      // Each process has reported its sockets again.
      await Bun.sleep(1500)
      expect(open()).toBe(20)
    })
  })
})

describe.if(onPostgres)('with three processes whose connections to the database break', () => {
  test('a session that ends at the same moment is refused by all of them, and its sockets end', async () => {
    await withServers(3, async ({ servers, config }) => {
      for (const ending of servers) {
        const ann = await servers[0]!.person()
        const sockets = await socketsAt(servers, ann)
        const breaking = endConnections(config.databaseUrl!)
        // The first attempt may fail with 503, or succeed without an answer.
        await until(async () => (await sendTo(ending, ann, 'POST', '/api/auth/logout')).status < 500)
        await breaking
        for (const socket of sockets) expect((await socket.closed).code).toBe(4401)
        for (const server of servers)
          await until(async () => {
            const { status } = await sendTo(server, ann, 'GET', '/api/auth/userinfo')
            expect([401, 503]).toContain(status)
            return status === 401
          })
        await until(async () => (await servers[0]!.request('GET', '/actuator/health')).status === 200)
      }
    })
  })
})

describe.if(onPostgres)('with three processes of their own', () => {
  test('a session that one of them ends is refused by all, also before the answer has arrived', async () => {
    await withServers(0, async (several) => {
      const processes = await Promise.all([startProcess(several), startProcess(several), startProcess(several)])
      const helper = await several.start()
      const [closing, refusing]: [number[], number[]] = [[], []]
      try {
        for (let round = 0; round < 20; round++) {
          const ending = processes[round % 3]!
          const ann = await helper.person()
          const sockets = await socketsAt(processes, ann)
          const statuses = async () =>
            Promise.all(processes.map(async (other) => (await sendTo(other, ann, 'GET', '/api/auth/userinfo')).status))
          // Each process has the session in its cache.
          expect(await statuses()).toEqual([200, 200, 200])
          const started = performance.now()
          const answer = sendTo(ending, ann, 'POST', '/api/auth/logout')
          // The first socket that closes shows that the write is committed. From then on no process may accept the session.
          await Promise.race(sockets.map(({ closed }) => closed))
          expect(await statuses()).toEqual([401, 401, 401])
          refusing.push(performance.now() - started)
          for (const { closed } of sockets) expect((await closed).code).toBe(4401)
          closing.push(performance.now() - started)
          ok(await answer)
        }
      } finally {
        await Promise.all(processes.map((child) => child.stop()))
      }
      const at = (times: number[], share: number) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!
      for (const [what, times] of Object.entries({ refused: refusing, 'sockets closed': closing }))
        console.log(
          `${what} everywhere: median ${at(times, 0.5).toFixed()} ms, slowest ${at(times, 0.999).toFixed()} ms`,
        )
      // Processes also look once a second: without the notification, the median would be half a second or more.
      expect(at(closing, 0.5)).toBeLessThan(400)
    })
  })
})
