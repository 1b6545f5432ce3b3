/** Clients that send anything: other sockets must keep getting their frames, in order and at once. */

import { describe, expect, test } from 'bun:test'

import { pushToUsers } from '#http/socket.ts'
import { socketsOfServer } from '#http/sockets/sockets.ts'

import { inProcess, type Person, useServer } from '../harness/index.ts'
import { frame, OP, type RawSocket, rawSocket } from '../harness/raw-socket.ts'

/** A generator of numbers that is the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Pick = (below: number) => number

const bytes = (pick: Pick, length: number): Uint8Array => Uint8Array.from({ length }, () => pick(256))

/** Kinds of hostile bytes. */
const HOSTILE: Readonly<Record<string, (pick: Pick) => Uint8Array>> = {
  deep: (pick) => frame(OP.text, '['.repeat(1 + pick(65_000))),
  'deep and closed': (pick) => {
    const depth = 1 + pick(32_000)
    return frame(OP.text, `{"type":"ping","data":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  },
  'beyond 64 KiB': (pick) => frame(OP.text, '['.repeat(100_000 + pick(1000))),
  'announced but never sent': (pick) => frame(OP.text, 'x'.repeat(60_000)).subarray(0, 8 + pick(1000)),
  'huge announced length': () => Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
  binary: (pick) => frame(OP.binary, bytes(pick, pick(2000))),
  'wrong UTF-8': (pick) => frame(OP.text, Uint8Array.from([0xc0, 0x80, 0xed, 0xa0, 0x80, ...bytes(pick, pick(50))])),
  'not JSON': (pick) => frame(OP.text, Buffer.from(bytes(pick, pick(200))).toString('hex')),
  'JSON of another shape': (pick) =>
    frame(OP.text, ['null', '[]', '1', '"x"', '{}', '{"type":{}}', '{"type":[]}'][pick(7)]!),
  'keys of prototypes': (pick) =>
    frame(
      OP.text,
      `{"type":"${['__proto__', 'constructor', 'toString'][pick(3)]}","__proto__":{"polluted":1},"data":{"__proto__":{"polluted":1}}}`,
    ),
  'unknown opcode': (pick) => frame(3 + pick(5), 'x'),
  'reserved bits': () => frame(OP.text, 'x', { rsv: 0x70 }),
  'long ping': (pick) => frame(OP.ping, 'x'.repeat(126 + pick(1000))),
  pings: () => Buffer.concat(Array.from({ length: 150 }, () => frame(OP.ping, ''))),
  'continuation of nothing': () => frame(OP.continuation, 'x'),
  'endless fragments': () =>
    Buffer.concat(Array.from({ length: 200 }, () => frame(OP.continuation, 'x'.repeat(500), { fin: false }))),
  'wrong close': (pick) =>
    frame(OP.close, [Buffer.from([3]), Buffer.from([0, 1]), Buffer.from([3, 232, 0xff])][pick(3)]!),
  'no mask': () => Buffer.from([0x81, 0x02, 0x68, 0x69]),
  'random bytes': (pick) => bytes(pick, 1 + pick(500)),
}
const KINDS = Object.keys(HOSTILE)
const FRAMES = 10_000
/** Hostile connections that are open at the same time. */
const AT_ONCE = 15
/** One after another until the server closes, at most. */
const FRAMES_OF_CONNECTION = 12

describe.if(inProcess)('10,000 hostile frames', () => {
  const { server, mallory, alice } = useServer({ people: ['mallory', 'alice'] })

  /** Sends hostile frames until the server closes; some connections end half-open, some at once. */
  async function attack(person: Person, pick: Pick): Promise<number> {
    const socket: RawSocket = await rawSocket(server.url, { path: `/ws/chat?token=${person.token}` })
    expect(socket.status).toBe(101)
    let sent = 0
    for (; sent < FRAMES_OF_CONNECTION && !socket.tcp.destroyed && socket.tcp.writable; sent++) {
      socket.write(HOSTILE[KINDS[pick(KINDS.length)]!]!(pick))
      if (pick(4) === 0) await Bun.sleep(0)
    }
    if (pick(3) === 0) socket.tcp.end()
    else if (pick(2) === 0) await Promise.race([socket.closed(), Bun.sleep(5)])
    socket.destroy()
    return sent
  }

  test('disturb neither other sockets nor the server', async () => {
    const pick = numbers(12)
    const good = await alice.socket()
    let sent = 0
    let pushed = 0
    async function attacker(): Promise<void> {
      while (sent < FRAMES) {
        const more = await attack(mallory, pick)
        sent += more
        // The frame of the good socket arrives while others are attacked: the wait fails if it does not.
        const n = pushed++
        pushToUsers(server.ctx, [alice.id], { type: 'news', data: { n } })
        await good.next('news', (data) => data.n === n)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, attacker))
    expect(sent).toBeGreaterThanOrEqual(FRAMES)
    expect(good.of('news').map(({ n }) => n)).toEqual(Array.from({ length: pushed }, (_, n) => n))
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect((await alice.get('/api/auth/userinfo')).status).toBe(200)
    await good.roundTrip()
    // Nothing is left of the attackers.
    while (socketsOfServer(server.ctx).count > 1) await Bun.sleep(20)
    expect(socketsOfServer(server.ctx).unsent).toBe(0)
    await good.close()
  })

  test('every kind of hostile frame is answered with an error or a close, or waits for its rest', async () => {
    const pick = numbers(7)
    const WAITS = new Set(['announced but never sent', 'random bytes', 'deep and closed'])
    for (const kind of KINDS.filter((one) => !WAITS.has(one))) {
      const socket = await rawSocket(server.url, { path: `/ws/chat?token=${mallory.token}` })
      expect((await socket.next())!.op).toBe(OP.text)
      socket.write(HOSTILE[kind]!(pick))
      for (let answer = await socket.next(); ; answer = await socket.next()) {
        // The pongs of a flood come before its close.
        if (answer?.op === OP.pong) continue
        const isError = answer?.op === OP.text && JSON.parse(answer.payload.toString()).type === 'error'
        expect(answer === undefined || answer.op === OP.close || isError, kind).toBe(true)
        break
      }
      socket.destroy()
    }
  })
})
