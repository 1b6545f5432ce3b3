import { describe, expect, test } from 'bun:test'

import { bindPlatformRole, createRole, unbindRoles } from '#domains/access/index.ts'

import { inProcess, type Person, startServer, useServer } from '../harness/index.ts'
import { type Handshake, rawSocket } from '../harness/raw-socket.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'], config: { publicUrl: 'https://qr.example.org' } })

/** The status of a handshake, and the data of `hello` if it succeeds. */
async function handshake(
  options: Handshake & { token?: string } = {},
): Promise<{ status: number; body: string; protocol?: string }> {
  const { token, path = '/ws/chat', ...rest } = options
  const socket = await rawSocket(server.url, { ...rest, path: token === undefined ? path : `${path}?token=${token}` })
  const protocol = socket.headers.get('sec-websocket-protocol')
  try {
    if (socket.status !== 101) return { status: socket.status, body: socket.body }
    const first = await socket.next()
    return { status: 101, body: first!.payload.toString(), ...(protocol !== undefined && { protocol }) }
  } finally {
    socket.destroy()
  }
}

describe('the token of a handshake', () => {
  test('opens a socket from the query, and its first frame is hello', async () => {
    const { status, body, protocol } = await handshake({ token: alice.token })
    expect(status).toBe(101)
    expect(protocol).toBeUndefined()
    expect(JSON.parse(body)).toEqual({
      type: 'hello',
      data: {
        serverTime: expect.any(Number),
        cursor: expect.any(Number),
        userId: alice.id,
        sessionId: alice.sessionId,
        heartbeatSeconds: 30,
        unread: { messages: 0, notifications: 0 },
      },
    })
  })

  test('opens a socket as a subprotocol, and the server chooses `bearer`', async () => {
    const headers = { 'sec-websocket-protocol': `bearer, ${alice.token}` }
    expect(await handshake({ headers })).toMatchObject({ status: 101, protocol: 'bearer' })
  })

  test('opens a socket from the Authorization header too', async () => {
    expect((await handshake({ headers: { authorization: `Bearer ${alice.token}` } })).status).toBe(101)
  })

  test('is required, and must be valid', async () => {
    const refused = [
      {},
      { token: '' },
      { token: 'nonsense' },
      { token: alice.token.slice(0, -3) },
      { headers: { 'sec-websocket-protocol': 'bearer' } },
      { headers: { 'sec-websocket-protocol': `other, ${alice.token}` } },
      { headers: { 'sec-websocket-protocol': alice.token } },
    ]
    for (const options of refused) expect((await handshake(options)).status, JSON.stringify(options)).toBe(401)
  })

  test('is refused with 401 if its session has ended', async () => {
    const gone = await server.person()
    await gone.post('/api/auth/logout')
    expect((await handshake({ token: gone.token })).status).toBe(401)
  })

  test('suffices alone, but a device that is named must be that of the session', async () => {
    const from = (deviceId: string) => handshake({ token: alice.token, headers: { 'x-device-id': deviceId } })
    expect((await from(alice.deviceId)).status).toBe(101)
    expect((await from(bob.deviceId)).status).toBe(401)
  })

  test.if(inProcess)('is refused with 401 if it has expired', async () => {
    await using other = await startServer()
    const { token } = await other.person()
    other.clock.advance(8 * 24 * 3600 * 1000)
    expect((await rawSocket(other.url, { path: `/ws/chat?token=${token}` })).status).toBe(401)
  })
})

test('a plain GET with a token is 426, and without one 401', async () => {
  const plain = await alice.get('/ws/chat')
  expect(plain.status).toBe(426)
  expect(plain.headers.get('upgrade')).toBe('websocket')
  expect((await server.request('GET', `/ws/chat?token=${alice.token}`)).status).toBe(426)
  expect((await server.request('GET', '/ws/chat')).status).toBe(401)
})

test('a handshake without a key, or with another method, opens no socket', async () => {
  expect((await handshake({ token: alice.token, headers: { 'sec-websocket-key': '' } })).status).toBe(426)
  expect((await handshake({ token: alice.token, method: 'POST' })).status).toBe(405)
})

test.if(inProcess)('a user without the permission point is refused with 403', async () => {
  const roleless = await server.person()
  const { ctx } = server
  await ctx.db.write('test', (tx) => unbindRoles(tx, roleless.id, 'APP', 0))
  expect((await handshake({ token: roleless.token })).status).toBe(403)
})

describe('the origin of a handshake', () => {
  const from = async (origin: string, host?: string) =>
    (await handshake({ token: alice.token, headers: { origin }, ...(host !== undefined && { host }) })).status

  test('may be that of the Host header, in either scheme, because a proxy may end TLS', async () => {
    const { host } = new URL(server.url)
    expect(await from(`http://${host}`)).toBe(101)
    expect(await from(`https://${host}`)).toBe(101)
    expect(await from('https://box.example.com', 'box.example.com')).toBe(101)
    expect(await from('https://box.example.com', 'box.example.com:443')).toBe(101)
  })

  // The harness gives the executable no public URL.
  test.if(inProcess)('may be that of the public URL, whatever the Host is', async () => {
    expect(await from('https://qr.example.org', '127.0.0.1:8080')).toBe(101)
  })

  test('is refused with 403 if it is any other', async () => {
    const { host, hostname } = new URL(server.url)
    const refused = [
      'null',
      'https://evil.example.com',
      `http://${hostname}`,
      `http://${host}.evil.example.com`,
      `http://evil.example.com#${host}`,
      'https://qr.example.org.evil.example.com',
      'http://qr.example.org',
      'garbage',
    ]
    for (const origin of refused) expect(await from(origin), origin).toBe(403)
  })

  test('may be one of the configured origins', async () => {
    await using other = await startServer({ config: { corsOrigins: ['https://app.example.org'] } })
    const { token } = await other.person()
    const statusFrom = async (origin: string) => {
      const socket = await rawSocket(other.url, { path: `/ws/chat?token=${token}`, headers: { origin } })
      socket.destroy()
      return socket.status
    }
    expect(await statusFrom('https://app.example.org')).toBe(101)
    expect(await statusFrom('https://web.example.org')).toBe(403)
  })
})

test('a short Host such as `nas` opens a socket', async () => {
  for (const host of ['nas', 'a', 'nas:8080']) expect((await handshake({ token: alice.token, host })).status).toBe(101)
})

test('handshakes with wrong tokens are limited by address', async () => {
  await using other = await startServer({ rateLimit: true })
  let last = 0
  for (let i = 0; i < 320 && last !== 429; i++)
    last = (await rawSocket(other.url, { path: `/ws/chat?token=x${i}` })).status
  expect(last).toBe(429)
})

test('handshakes are limited by address', async () => {
  await using other = await startServer({ rateLimit: true })
  const { token } = await other.person()
  const statuses: number[] = []
  for (let i = 0; i < 601; i++) {
    const socket = await rawSocket(other.url, { path: `/ws/chat?token=${token}` })
    statuses.push(socket.status)
    socket.destroy()
  }
  expect(statuses.slice(0, 600).every((status) => status === 101)).toBe(true)
  expect(statuses[600]).toBe(429)
})

describe('the permission of a live socket', () => {
  test.if(inProcess)('ends with the role that gave it, for this user only', async () => {
    const { ctx } = server
    const carol: Person = await server.person()
    const socket = await carol.socket()
    const other = await bob.socket()
    await ctx.db.write('test', (tx) => unbindRoles(tx, carol.id, 'APP', 0))
    expect(await socket.closed).toEqual({ code: 1008, reason: 'no permission' })
    await other.roundTrip()
    await other.close()
  })

  test.if(inProcess)('stays when a role changes that does not give it', async () => {
    const { ctx } = server
    const socket = await bob.socket()
    await ctx.db.write('test', async (tx) => {
      await createRole(tx, { domain: 'PLATFORM', scopeId: 0, code: 'WATCHER', name: 'Watcher', points: [] })
      await bindPlatformRole(ctx, tx, bob.id, 'WATCHER')
    })
    await socket.roundTrip()
    await socket.close()
  })
})
