import { describe, expect, test } from 'bun:test'

import { pushToUsers, socketsOf } from '#http/socket.ts'
import { socketsOfServer } from '#http/sockets/sockets.ts'
import { DAY, MINUTE, SECOND } from '#platform/clock.ts'

import { inProcess, ok, type Person, startServer, type TestSocket, useServer } from '../harness/index.ts'
import { frame, OP, type RawSocket, rawSocket } from '../harness/raw-socket.ts'

const { server, admin } = useServer()

const raw = async (person: Person, url = server.url): Promise<RawSocket> => {
  const socket = await rawSocket(url, { path: `/ws/chat?token=${person.token}` })
  await socket.next()
  return socket
}

/** The reason of `session.revoked`, and the code of the close. */
const ending = async (socket: TestSocket) => {
  const { code } = await socket.closed
  return [socket.of('session.revoked')[0]?.reason, code]
}

describe('the socket of a session', () => {
  test('closes when the session signs out, and the sockets of other sessions stay open', async () => {
    const alice = await server.person()
    const other = ok(await alice.post('/api/auth/sessions', {})).data
    const [first, second] = [await alice.socket(), await alice.socket()]
    const elsewhere = await alice.socket({ headers: { authorization: `Bearer ${other.accessToken}` } })
    expect(elsewhere.hello.sessionId).toBe(other.sessionId)
    ok(await alice.post('/api/auth/logout'))
    expect(await ending(first)).toEqual(['LOGOUT', 4401])
    expect(await ending(second)).toEqual(['LOGOUT', 4401])
    await elsewhere.roundTrip()
    await elsewhere.close()
  })

  test('closes when another device revokes the session', async () => {
    const alice = await server.person()
    const other = ok(await alice.post('/api/auth/sessions', {})).data
    const [mine, revoked] = [
      await alice.socket(),
      await alice.socket({ headers: { authorization: `Bearer ${other.accessToken}` } }),
    ]
    ok(await alice.delete(`/api/auth/sessions/${other.sessionId}`))
    expect(await ending(revoked)).toEqual(['REVOKED', 4401])
    await mine.close()
  })

  test('closes when the password changes', async () => {
    const alice = await server.person()
    const socket = await alice.socket()
    ok(
      await alice.post('/api/auth/password/change', {
        verifyType: 'OLD_PASSWORD',
        oldPassword: alice.password,
        newPassword: 'another long secret',
      }),
    )
    expect(await ending(socket)).toEqual(['PASSWORD_CHANGED', 4401])
  })

  test('closes when the account is deleted', async () => {
    const alice = await server.person()
    const socket = await alice.socket()
    ok(await alice.post('/api/auth/account/delete', { password: alice.password }))
    expect(await ending(socket)).toEqual(['DELETED', 4401])
  })

  test('gets nothing after the session has ended', async () => {
    const alice = await server.person()
    const socket = await alice.socket()
    await alice.post('/api/auth/logout')
    socket.send('ping')
    await socket.closed
    expect(socket.frames.at(-1)!.type).toBe('session.revoked')
  })
})

describe.if(inProcess)('the lifetime of a socket', () => {
  test('ends when its token expires', async () => {
    await using other = await startServer()
    const alice = await other.person()
    const socket = await alice.socket()
    other.clock.advance(8 * DAY)
    expect(await ending(socket)).toEqual(['EXPIRED', 4401])
  })

  test('ends when nothing was heard for 75 seconds, and not before', async () => {
    await using other = await startServer()
    const alice = await other.person()
    const silent = await raw(alice, other.url)
    const answering = await alice.socket()
    for (const at of [0, 30, 60]) {
      other.clock.advance((at === 0 ? 31 : 30) * SECOND)
      // The server pings both; the library of the second answers.
      expect((await silent.next())!.op).toBe(OP.ping)
      await answering.roundTrip()
      if (at === 30) break
    }
    other.clock.advance(15 * SECOND)
    expect(await silent.closed()).toEqual({ code: 4408, reason: 'nothing heard' })
    await answering.roundTrip()
    await answering.close()
  })

  test('after a minute, frames are counted from 0', async () => {
    await using other = await startServer()
    const socket = await (await other.person()).socket()
    for (let i = 0; i < 118; i++) socket.send('ping')
    await socket.roundTrip()
    other.clock.advance(MINUTE)
    for (let i = 0; i < 118; i++) socket.send('ping')
    await socket.roundTrip()
    await socket.close()
  })
})

describe('a client that breaks a limit', () => {
  test('is closed with 1009 for a frame above 64 KiB, also in parts, and not for one of 64 KiB', async () => {
    const alice = await server.person()
    const whole = await raw(alice)
    whole.send(OP.text, 'x'.repeat(64 * 1024))
    expect(JSON.parse((await whole.next())!.payload.toString()).data.code).toBe(400)
    whole.send(OP.text, 'x'.repeat(64 * 1024 + 1))
    expect((await whole.closed())?.code).toBe(1009)
    const parts = await raw(alice)
    parts.write(frame(OP.text, 'x'.repeat(40_000), { fin: false }))
    parts.write(frame(OP.continuation, 'x'.repeat(40_000)))
    expect((await parts.closed())?.code).toBe(1009)
  })

  test('is closed with 1007 for text that is not UTF-8', async () => {
    const socket = await raw(await server.person())
    socket.send(OP.text, new Uint8Array([0xff, 0xfe, 0xfd]))
    expect((await socket.closed())?.code).toBe(1007)
  })

  test('is closed with 1008 at the 20th bad frame in a minute, which is still answered', async () => {
    const socket = await (await server.person()).socket()
    for (let i = 0; i < 25; i++) socket.send('nothing')
    expect(await socket.closed).toEqual({ code: 1008, reason: 'too many bad frames' })
    expect(socket.of('error')).toHaveLength(20)
  })

  test('is closed with 1008 at the 120th frame in a minute, whatever the frames are', async () => {
    const alice = await server.person()
    const frames = await alice.socket()
    for (let i = 0; i < 130; i++) frames.send('ping')
    expect(await frames.closed).toEqual({ code: 1008, reason: 'too many frames' })
    expect(frames.of('pong')).toHaveLength(119)
    for (const op of [OP.ping, OP.pong]) {
      const control = await raw(alice)
      for (let i = 0; i < 130; i++) control.send(op, '')
      expect((await control.closed())?.code).toBe(1008)
    }
  })

  test('is closed with 4409 if it has the oldest of 21 sockets of its session', async () => {
    const alice = await server.person()
    const bob = await server.person()
    const other = await bob.socket()
    const sockets: TestSocket[] = []
    for (let i = 0; i < 22; i++) sockets.push(await alice.socket())
    expect((await sockets[0]!.closed).code).toBe(4409)
    expect((await sockets[1]!.closed).code).toBe(4409)
    await Promise.all(sockets.slice(2).map((socket) => socket.roundTrip()))
    await other.roundTrip()
    await Promise.all([other, ...sockets.slice(2)].map((socket) => socket.close()))
  })
})

describe.if(inProcess)('a client that does not read', () => {
  /** Pushes until the socket is closed or 64 MB were sent. Returns the number of bytes. */
  function flood(person: Person): number {
    const data = 'x'.repeat(64 * 1024)
    let sent = 0
    while ([...socketsOf(server.ctx, person.id)].length > 0 && sent < 64 * 1024 * 1024) {
      pushToUsers(server.ctx, [person.id], { type: 'news', data })
      sent += data.length
    }
    return sent
  }

  test('is closed with 1013 when 1 MiB waits, and reads the reason after the rest', async () => {
    const alice = await server.person()
    const socket = await raw(alice)
    socket.tcp.pause()
    const sent = flood(alice)
    // Besides 1 MiB, the buffers of the kernel are full.
    expect(sent).toBeLessThan(16 * 1024 * 1024)
    socket.tcp.resume()
    expect((await socket.closed())?.code).toBe(1013)
  })

  test('is cut off if it does not read the rest in time', async () => {
    const alice = await server.person()
    const socket = await raw(alice)
    socket.tcp.pause()
    flood(alice)
    expect(socketsOfServer(server.ctx).unsent).toBeGreaterThan(1024 * 1024)
    server.clock.advance(11 * SECOND)
    while (socketsOfServer(server.ctx).unsent > 0) await Bun.sleep(20)
    socket.tcp.resume()
    // No close frame: the server has dropped the bytes that waited.
    expect(await socket.closed()).toBeUndefined()
  })

  test('does not delay the others', async () => {
    const [alice, bob] = [await server.person(), await server.person()]
    const slow = await raw(alice)
    slow.tcp.pause()
    const socket = await bob.socket()
    for (let n = 0; n < 500; n++) {
      pushToUsers(server.ctx, [alice.id, bob.id], { type: 'news', data: { n, text: 'x'.repeat(20_000) } })
      await socket.next('news')
    }
    expect(socket.of('news').map(({ n }) => n)).toEqual(Array.from({ length: 500 }, (_, n) => n))
    slow.destroy()
    await socket.close()
  })
})

describe('a server that stops', () => {
  test.if(inProcess)('closes every socket with 1012 and a time to try again, and opens none', async () => {
    const other = await startServer()
    const people = [await other.person(), await other.person()]
    const sockets = await Promise.all(people.flatMap((person) => [person.socket(), person.socket()]))
    const idle = await raw(people[0]!, other.url)
    idle.tcp.pause()
    const stopped = socketsOfServer(other.ctx)
    const stopping = other.drain()
    const closed = await Promise.all(sockets.map((socket) => socket.closed))
    expect(new Set(closed.map(({ code }) => code))).toEqual(new Set([1012]))
    const delays = closed.map(({ reason }) => Number(/^retry after (\d+) ms$/.exec(reason)?.[1]))
    for (const ms of delays) expect(ms >= 500 && ms <= 5000).toBe(true)
    expect(new Set(delays).size).toBeGreaterThan(1)
    const refused = await rawSocket(other.url, { path: `/ws/chat?token=${people[0]!.token}` })
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    await stopping
    expect(stopped.count).toBe(0)
    idle.destroy()
    await other.stop()
  })
})

test('the metrics show how many sockets are open, and why others were closed', async () => {
  const alice = await server.person()
  const socket = await alice.socket()
  const read = async () => (await admin.get('/actuator/metrics')).text
  const before = await read()
  expect(Number(/^tessera_sockets (\d+)$/m.exec(before)?.[1])).toBeGreaterThan(0)
  const count = (text: string) => Number(/^tessera_sockets_closed_total\{code="4401"\} (\d+)$/m.exec(text)?.[1] ?? 0)
  await alice.post('/api/auth/logout')
  await socket.closed
  expect(count(await read())).toBe(count(before) + 1)
})
