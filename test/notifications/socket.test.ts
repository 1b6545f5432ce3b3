import { describe, expect, test } from 'bun:test'

import type { AppContext } from '#context'
import { notify } from '#domains/notifications/index.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { whenSent } from './helpers.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

describe('a notification', () => {
  test('reaches every socket of its user at once, in the language of each, with the number of unread ones', async () => {
    const [english, chinese, others] = [
      await alice.socket(),
      await alice.socket({ headers: { 'accept-language': 'zh' } }),
      await bob.socket(),
    ]
    const before = english.hello.unread.notifications
    const org = ok(await bob.post('/api/orgs', { name: 'Willow Street Library' })).data
    ok(await bob.post(`/api/orgs/${org.id}/invite`, { userIds: [alice.id] }))
    const pushed = await english.next('notification')
    expect(pushed.unreadCount).toBe(before + 1)
    const listed = ok(await alice.get('/api/notifications')).data.items[0]
    expect(pushed.notification).toEqual(listed)
    const translated = (await chinese.next('notification')).notification
    expect(translated.id).toBe(listed.id)
    expect(translated.title).not.toBe(listed.title)
    await others.roundTrip()
    expect(others.of('notification')).toEqual([])
    const later = await alice.socket()
    expect(later.hello.unread.notifications).toBe(before + 1)
    await Promise.all([english, chinese, others, later].map((socket) => socket.close()))
  })

  test('reaches all live users if an administrator sends it to everyone', async () => {
    const sockets = [await alice.socket(), await bob.socket()]
    const body = { title: 'Closed on Monday', body: 'The library is **closed**.', all: true }
    const { id } = ok(await admin.post('/api/notifications', body)).data
    for (const socket of sockets) {
      const { notification } = await socket.next('notification')
      expect(notification).toMatchObject({
        title: 'Closed on Monday',
        bodyPlain: 'The library is closed.',
        type: 'SYSTEM',
      })
    }
    await whenSent(admin, id)
    await Promise.all(sockets.map((socket) => socket.close()))
  })

  test.if(inProcess)('arrives in its order among others, and a write that fails sends none', async () => {
    const { ctx } = server
    const socket = await alice.socket()
    const send = (n: number, fails = false) =>
      ctx.db.write('test', async (tx) => {
        const text = { en: `number ${n}`, zh: `第 ${n} 条` }
        await notify(ctx, tx, { userIds: [alice.id], type: 'SYSTEM', title: text, body: text })
        if (fails) throw new Error('rolled back')
      })
    for (let n = 1; n <= 30; n++) await (n === 7 ? expect(send(n, true)).rejects.toThrow('rolled back') : send(n))
    await socket.next('notification', ({ notification }) => notification.title === 'number 30')
    const titles = socket.of('notification').map(({ notification }) => notification.title)
    expect(titles).toEqual(
      Array.from({ length: 30 }, (_, i) => `number ${i + 1}`).filter((title) => title !== 'number 7'),
    )
    await socket.close()
  })

  test.if(inProcess)('costs no query if no recipient has a socket', async () => {
    const { ctx } = server
    const socket = await alice.socket()
    const counted = countReads(ctx)
    const text = { en: 'to many', zh: '群发' }
    const absent = (await Promise.all(Array.from({ length: 20 }, () => server.person()))).map(({ id }) => id)
    async function readsOf(userIds: number[]): Promise<number> {
      counted.reset()
      await ctx.db.write('test', (tx) => notify(ctx, tx, { userIds, type: 'SYSTEM', title: text, body: text }))
      await socket.next('notification')
      return counted.reads()
    }
    await readsOf([alice.id])
    expect(await readsOf([alice.id, bob.id, ...absent])).toBe(await readsOf([alice.id]))
    await socket.close()
  })
})

/** Counts the queries outside of writes. */
function countReads(ctx: AppContext) {
  const runner = (ctx.db.read as unknown as { runner: { rows(sql: string, params: unknown[]): unknown } }).runner
  const original = runner.rows.bind(runner)
  let count = 0
  runner.rows = (sql, params) => {
    count++
    return original(sql, params)
  }
  return { reads: () => count, reset: () => void (count = 0) }
}
