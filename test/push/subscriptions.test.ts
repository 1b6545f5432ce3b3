import { describe, expect, test } from 'bun:test'

import { pushSubscriptions } from '#db/schema/push.ts'

import { inProcess, ok, race, useServer } from '../harness/index.ts'
import { makeDevice } from './push-service.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

const newBody = (more: object = {}) => ({
  endpoint: `https://push.example.net/${crypto.randomUUID()}`,
  keys: makeDevice().keys,
  ...more,
})
const subscriptionsOf = async (person: typeof alice) => ok(await person.call('push.list')).data.items
const PATH = '/api/notifications/subscriptions'

describe('POST /api/notifications/subscriptions', () => {
  test('subscribes a device once, however often it is repeated, and shows no keys', async () => {
    const body = newBody({ quietFrom: 1320, quietTo: 420, timeZone: 'Asia/Shanghai' })
    const first = ok(await alice.post(PATH, body)).data
    expect(first).toMatchObject({
      host: 'push.example.net',
      current: true,
      quietFrom: 1320,
      quietTo: 420,
      timeZone: 'Asia/Shanghai',
      locale: 'en',
      lastSuccessAt: null,
    })
    const again = ok(await alice.post(PATH, { ...body, quietFrom: null, quietTo: null, timeZone: '+08:00' })).data
    expect(again).toEqual({ ...first, quietFrom: null, quietTo: null, timeZone: '+08:00' })
    const listed = await alice.get(PATH)
    expect(listed.data.items).toEqual([again])
    for (const secret of [body.endpoint, body.keys.auth, body.keys.p256dh]) expect(listed.text).not.toContain(secret)
    if (inProcess) {
      const rows = JSON.stringify(await server.ctx.db.read.select().from(pushSubscriptions))
      expect(rows).toContain(body.endpoint)
      expect(rows).not.toContain(body.keys.auth)
    }
    ok(await alice.call('push.unsubscribe', { params: { id: first.id } }))
    expect(await subscriptionsOf(alice)).toEqual([])
    expect((await alice.call('push.unsubscribe', { params: { id: first.id } })).status).toBe(404)
  })

  test('gives a device that another user takes over to that user', async () => {
    const body = newBody()
    ok(await alice.post(PATH, body))
    ok(await bob.post(PATH, body))
    expect(await subscriptionsOf(alice)).toEqual([])
    expect(await subscriptionsOf(bob)).toHaveLength(1)
  })

  test('refuses endpoints, keys, quiet hours and time zones that are not valid, and stores nothing', async () => {
    const before = await subscriptionsOf(alice)
    const bad: object[] = [
      ...[
        'http://push.example.net/1',
        'https://127.0.0.1/1',
        'https://0x7f.1/1',
        'https://2130706433/1',
        'https://10.1.2.3/1',
        'https://169.254.169.254/latest/meta-data',
        'https://[::1]/1',
        'https://[::ffff:10.0.0.1]/1',
        'https://[fd00::1]/1',
        'https://localhost/1',
        'https://metadata.google.internal/1',
        'https://intranet/1',
        'https://user:password@push.example.net/1',
        'ftp://push.example.net/1',
        'push.example.net',
        `https://push.example.net/${'x'.repeat(2000)}`,
      ].map((endpoint) => ({ endpoint })),
      { keys: { p256dh: 'x'.repeat(87), auth: makeDevice().keys.auth } },
      { keys: { p256dh: makeDevice().keys.p256dh, auth: 'short' } },
      { keys: undefined },
      { quietFrom: 60 },
      { quietTo: 60 },
      { quietFrom: 60, quietTo: 60 },
      { quietFrom: 1440, quietTo: 60 },
      { quietFrom: 1, quietTo: 2, timeZone: 'Mars/Olympus' },
    ]
    for (const more of bad) expect((await alice.post(PATH, newBody(more))).status, JSON.stringify(more)).toBe(400)
    expect(await subscriptionsOf(alice)).toEqual(before)
  })

  test('allows 20 subscriptions of a user, also of 50 at once', async () => {
    const carol = await server.person()
    const results = await race(50, () => carol.post(PATH, newBody()))
    const statuses = results.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
    expect(await subscriptionsOf(carol)).toHaveLength(20)
  })

  test('is refused without a token', async () => {
    expect((await server.request('POST', PATH, { body: newBody() })).status).toBe(401)
    expect((await server.request('GET', PATH)).status).toBe(401)
    expect((await server.request('GET', `${PATH}/key`)).status).toBe(401)
    expect((await server.request('DELETE', `${PATH}/1`)).status).toBe(401)
  })
})

test('DELETE /api/notifications/subscriptions/:id answers 404 to other users', async () => {
  const { id } = ok(await alice.post(PATH, newBody())).data
  expect((await bob.call('push.unsubscribe', { params: { id } })).status).toBe(404)
  expect((await subscriptionsOf(alice)).map((item) => item.id)).toContain(id)
})

test('A subscription ends with its session', async () => {
  const dave = await server.person()
  ok(await dave.post(PATH, newBody()))
  ok(await dave.post('/api/auth/logout'))
  const login = await server.request('POST', '/api/auth/login', {
    headers: { 'x-device-id': dave.deviceId },
    body: { account: dave.username, password: dave.password },
  })
  const list = await server.request('GET', PATH, { token: ok(login).data.accessToken, deviceId: dave.deviceId })
  expect(ok(list).data.items).toEqual([])
})

test('GET /api/notifications/subscriptions/key answers with the same point on P-256 to all users', async () => {
  const { publicKey } = ok(await alice.call('push.key')).data
  const point = Buffer.from(publicKey, 'base64url')
  expect([point.length, point[0]]).toEqual([65, 4])
  expect(ok(await bob.call('push.key')).data.publicKey).toBe(publicKey)
})
