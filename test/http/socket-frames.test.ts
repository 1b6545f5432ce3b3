import { describe, expect, test } from 'bun:test'

import { domain } from '#domains/domain.ts'
import { notFound } from '#http/errors.ts'
import { Type } from '#http/schema.ts'
import { pushLocalized, pushToUsers } from '#http/socket.ts'

import { inProcess, type TestSocket, useServer } from '../harness/index.ts'
import { frame, OP, rawSocket } from '../harness/raw-socket.ts'

const received: unknown[] = []
/** Frames of a domain that exists in this test only. */
const probes = domain({
  name: 'probes',
  socketFrames: [
    {
      type: 'probe',
      data: Type.Object({ lastNumber: Type.Integer({ minimum: 0 }) }),
      run: (_ctx, actor, data) => void received.push([actor.userId, data]),
    },
    {
      type: 'absent',
      data: Type.Object({}),
      run: () => {
        throw notFound()
      },
    },
    {
      type: 'broken',
      data: Type.Object({}),
      run: async () => {
        throw new Error('secret detail')
      },
    },
  ],
  socketHello: async () => ({ cursor: 17, unread: { messages: 3 } }),
})

describe.if(inProcess)('frames', () => {
  const { server, alice, bob } = useServer({
    people: ['alice', 'bob'],
    // The probes greet in place of chat.
    domains: (product) => [
      ...product.map((one) => (one.name === 'chat' ? { ...one, socketHello: async () => ({}) } : one)),
      probes,
    ],
  })

  /** The `error` frame that answers this text. */
  async function refusal(socket: TestSocket, text: string | Uint8Array<ArrayBuffer>) {
    socket.sendRaw(text)
    return socket.nextFrame((one) => one.type === 'error', 'an error')
  }

  test('hello has the parts that domains contribute', async () => {
    const socket = await alice.socket()
    expect(socket.hello).toMatchObject({ cursor: 17, unread: { messages: 3, notifications: 0 } })
    await socket.close()
  })

  test('a ping is answered by a pong with its id and the time of the server', async () => {
    const socket = await alice.socket()
    socket.send('ping', {}, 'first')
    socket.sendRaw('{"type":"ping"}')
    expect(await socket.nextFrame(({ type }) => type === 'pong')).toEqual({
      type: 'pong',
      id: 'first',
      data: { serverTime: expect.any(Number) },
    })
    expect(await socket.nextFrame(({ type }) => type === 'pong')).toEqual({
      type: 'pong',
      data: { serverTime: expect.any(Number) },
    })
    await socket.close()
  })

  test('the data of a frame is validated and normalized like a body', async () => {
    const socket = await alice.socket()
    socket.send('probe', { last_number: 5, unknown: true })
    await socket.roundTrip()
    expect(received.splice(0)).toEqual([[alice.id, { lastNumber: 5 }]])
    const { id, data } = await refusal(socket, '{"type":"probe","id":"p","data":{"lastNumber":-1}}')
    expect({ id, data }).toEqual({ id: 'p', data: { code: 400, message: 'data.lastNumber must be at least 0' } })
    for (const data of ['null', '[]', '7', '{}', '{"lastNumber":"5"}', '{"lastNumber":1.5}'])
      expect((await refusal(socket, `{"type":"probe","data":${data}}`)).data.code).toBe(400)
    expect(received).toEqual([])
    await socket.close()
  })

  test('a frame that is not a JSON object, or has an unknown type or a wrong id, is answered with an error, and the socket stays', async () => {
    const socket = await alice.socket()
    const bad = [
      '',
      'ping',
      '{"type":"ping"',
      '[]',
      'null',
      '"ping"',
      '{}',
      '{"type":1}',
      '{"type":"__proto__"}',
      '{"type":"message","data":{}}',
      '{"type":"ping","id":1}',
      '{"type":"ping","id":""}',
      `{"type":"ping","id":"${'x'.repeat(65)}"}`,
      '['.repeat(30_000) + ']'.repeat(30_000),
      '{"type":'.repeat(8000),
    ]
    for (const text of bad) expect((await refusal(socket, text)).data.code, text.slice(0, 40)).toBe(400)
    expect((await refusal(socket, new Uint8Array([1, 2, 3]))).data.code).toBe(400)
    expect((await refusal(socket, '{"type":"nothing","id":"mine"}')).id).toBe('mine')
    await socket.roundTrip()
    await socket.close()
  })

  test('errors are in the language of the handshake', async () => {
    const socket = await alice.socket({ headers: { 'accept-language': 'zh-CN' } })
    expect((await refusal(socket, '{"type":"nothing"}')).data.message).toBe('未知的帧类型')
    await socket.close()
  })

  test('a refusal of a domain is an error frame, and a failure shows no details', async () => {
    const socket = await alice.socket()
    expect((await refusal(socket, '{"type":"absent","id":"a"}')).data).toEqual({ code: 404, message: 'Not found' })
    const { data } = await refusal(socket, '{"type":"broken","id":"b"}')
    expect(data.code).toBe(500)
    expect(data.message).not.toContain('secret')
    await socket.close()
  })

  test('a frame is pushed to every socket of its users and to no other, in the language of each', async () => {
    const sockets = [
      await alice.socket(),
      await alice.socket({ headers: { 'accept-language': 'zh' } }),
      await bob.socket(),
    ]
    pushToUsers(server.ctx, [alice.id, 999], { type: 'news', data: { n: 1 } })
    pushLocalized(server.ctx, alice.id, (locale) => ({ type: 'news', data: { locale } }))
    await Promise.all(sockets.map((socket) => socket.roundTrip()))
    expect(sockets.map((socket) => socket.of('news'))).toEqual([
      [{ n: 1 }, { locale: 'en' }],
      [{ n: 1 }, { locale: 'zh' }],
      [],
    ])
    await Promise.all(sockets.map((socket) => socket.close()))
  })

  test('frames that are pushed while hello is made arrive after it', async () => {
    const raw = await rawSocket(server.url, { path: `/ws/chat?token=${bob.token}` })
    // The answer of the handshake has been read, and hello may still be under way.
    pushToUsers(server.ctx, [bob.id], { type: 'news', data: {} })
    const types = [await raw.next(), await raw.next()].map((one) => JSON.parse(one!.payload.toString()).type)
    expect(types).toEqual(['hello', 'news'])
    raw.destroy()
  })

  test('a fragmented text is one frame', async () => {
    const raw = await rawSocket(server.url, { path: `/ws/chat?token=${bob.token}` })
    await raw.next()
    raw.write(frame(OP.text, '{"type":', { fin: false }))
    raw.write(frame(OP.continuation, '"ping","id":"f"}'))
    expect(JSON.parse((await raw.next())!.payload.toString())).toMatchObject({ type: 'pong', id: 'f' })
    raw.destroy()
  })
})
