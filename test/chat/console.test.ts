import { describe, expect, test } from 'bun:test'

import { DAY, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { sendAll } from './conversation-helpers.ts'

describe('settings of chat', () => {
  const { server, admin, alice } = useServer({ people: ['alice'] })
  const path = '/api/admin/chat/settings'

  test('administrators read them and change some, the others stay, and the change is logged once', async () => {
    const before = ok(await admin.call('admin.chat.settings')).data
    expect(before).toEqual({
      textMaxLength: 5000,
      mediaMaxBytes: 20 * 1024 * 1024,
      maxContacts: 500,
      requestsPerDay: 20,
      requestExpiryDays: 30,
      recallSeconds: 120,
      messagesPerMinute: 60,
      draftMaxLength: 1000,
      retentionDays: 0,
    })
    const change = { recallSeconds: 60, draftMaxLength: 10 }
    expect(ok(await admin.call('admin.chat.changeSettings', { body: change })).data).toEqual({ ...before, ...change })
    ok(await admin.call('admin.chat.changeSettings', { body: change }))
    expect(ok(await admin.call('admin.chat.settings')).data).toEqual({ ...before, ...change })
    const { items } = ok(await admin.get('/api/admin/logs', { action: 'CHAT_SETTING_UPDATE' })).data
    expect(items.map((row: { before: object; after: object }) => [row.before, row.after])).toEqual([
      [{ recallSeconds: 120, draftMaxLength: 1000 }, change],
    ])
  })

  test.each([
    { textMaxLength: 0 },
    { retentionDays: 3651 },
    { messagesPerMinute: 1.5 },
    { recallSeconds: '60s' },
    { maxContacts: null },
  ])('%j is refused with 400 and changes nothing', async (body) => {
    const before = ok(await admin.get(path)).data
    expect((await admin.put(path, { draftMaxLength: 5, ...body })).status).toBe(400)
    expect(ok(await admin.get(path)).data).toEqual(before)
  })

  test('settings and statistics answer 401 without a token and 403 to users without the permission', async () => {
    for (const url of [path, '/api/admin/chat/stats']) {
      expect((await server.request('GET', url)).status).toBe(401)
      expect((await alice.get(url)).status).toBe(403)
    }
    expect((await alice.put(path, { recallSeconds: 1 })).status).toBe(403)
  })
})

describe.if(inProcess)('statistics of chat', () => {
  const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

  test('messages are counted by type, sender and day of the time zone, are a minute old at most, and show no content', async () => {
    await sendAll(server, alice, bob, ['long ago'], { at: server.clock.now() - 8 * DAY })
    await sendAll(server, alice, bob, ['secret', 'secret'])
    await sendAll(server, bob, alice, ['picture'], { type: 'IMAGE' })
    const reply = ok(await admin.call('admin.chat.stats', { query: { days: '7', tz: 'Asia/Shanghai' } }))
    const { data } = reply
    expect(data).toMatchObject({
      conversations: 1,
      messages: 4,
      activeUsers: 2,
      contacts: 0,
      pendingRequests: 0,
      sockets: 0,
    })
    expect(data.byType).toEqual([
      { type: 'TEXT', count: 2 },
      { type: 'IMAGE', count: 1 },
    ])
    expect(data.byDay.length).toBe(7)
    expect(data.byDay.at(-1)).toMatchObject({ messages: 3, senders: 2 })
    expect(data.byDay.slice(0, -1).every(({ messages }) => messages === 0)).toBe(true)
    expect(reply.text).not.toContain('secret')

    await sendAll(server, alice, bob, ['newer'])
    const again = () => admin.call('admin.chat.stats', { query: { days: '7', tz: 'Asia/Shanghai' } })
    expect(ok(await again()).data.messages).toBe(4)
    server.clock.advance(2 * MINUTE)
    expect(ok(await again()).data.messages).toBe(5)
  })

  test('other periods and unknown time zones are refused with 400', async () => {
    expect((await admin.get('/api/admin/chat/stats', { days: 8 })).status).toBe(400)
    expect((await admin.get('/api/admin/chat/stats', { tz: 'Mars/Olympus' })).status).toBe(400)
  })
})
