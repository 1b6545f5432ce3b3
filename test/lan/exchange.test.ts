/** Clients at work while the certificate changes many times. */

import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get, request } from 'node:https'
import { connect } from 'node:tls'

import { renewLanCertificates } from '#domains/lan/index.ts'
import { servedHere } from '#http/tls.ts'

import { inProcess, ok, startServer, type TestServer, until } from '../harness/index.ts'

const EXCHANGES = 20
const HANDSHAKES = 50
const MB = 1_000_000
const UPLOAD = 100 * MB
const STEP = UPLOAD / EXCHANGES

const UNCHECKED = { rejectUnauthorized: false } as const

/** The serial number that a new connection gets. Only handshakes in the moment of an exchange may fail, and are repeated. */
async function handshake(server: TestServer): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const attempt = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ...UNCHECKED }, () => {
        resolve(socket.getPeerCertificate().serialNumber.toLowerCase())
        socket.destroy()
      })
      socket.on('error', reject).on('close', () => reject(new Error('closed')))
    })
  let serial = ''
  await until(async () => (serial = await attempt().catch(() => '')) !== '', 'a handshake succeeds')
  return serial
}

async function openSocket(server: TestServer, token: string) {
  const socket = new WebSocket(`${server.url.replace('https', 'wss')}/ws/chat?token=${token}`, {
    tls: UNCHECKED,
  } as never)
  const frames: string[] = []
  socket.addEventListener('message', ({ data }) => frames.push(JSON.parse(String(data)).type))
  await until(() => frames.includes('hello'))
  const pongs = () => frames.filter((type) => type === 'pong').length
  return {
    socket,
    async ping() {
      const before = pongs()
      socket.send(JSON.stringify({ type: 'ping', id: '1' }))
      await until(() => pongs() > before)
    },
  }
}

describe.if(inProcess)('while the certificate changes 20 times', () => {
  test('a thousand handshakes succeed, and two sockets, an upload of 100 MB and a slow download go on', async () => {
    await using server = await startServer({
      config: { lan: true, httpPort: 0, publicUrl: 'https://127.0.0.1:0' },
      settings: { 'upload.maxBytes': 2 * UPLOAD },
    })
    const { ctx } = server
    const alice = await server.person()
    const bob = await server.person()
    const text = Buffer.alloc(UPLOAD, 'a line of a long text\n')
    const ticketFor = async (size: number) =>
      ok(await alice.call('files.createTicket', { body: { name: 'long.txt', size } })).data
    const finish = async (uploadId: string) =>
      ok(await alice.call('files.finishUpload', { body: { uploadId } })).data as { id: number }
    const begin = async () => {
      const ticket = await ticketFor(UPLOAD)
      const url = new URL(ticket.url, server.url)
      const sending = request(`${server.url}${url.pathname}${url.search}`, {
        method: 'PUT',
        headers: { 'content-length': UPLOAD, 'content-type': 'application/octet-stream' },
        ...UNCHECKED,
      })
      const answered = once(sending, 'response') as Promise<[{ statusCode: number }]>
      const write = (part: Uint8Array) => new Promise<void>((done) => sending.write(part, () => done()))
      return { ticket, sending, answered, write }
    }

    const whole = await begin()
    whole.sending.end(text)
    expect((await whole.answered)[0].statusCode).toBe(200)
    const { id } = await finish(whole.ticket.uploadId)

    const sockets = [await openSocket(server, alice.token), await openSocket(server, bob.token)]
    const upload = await begin()
    const download = get(`${server.url}/api/files/${id}/content`, {
      headers: { authorization: `Bearer ${alice.token}`, 'x-device-id': alice.deviceId },
      ...UNCHECKED,
    })
    const [response] = (await once(download, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(200)
    const reading = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    let received = 0
    const readUpTo = async (bytes: number) => {
      while (received < bytes) {
        const { value, done } = await reading.next()
        if (done === true) return
        received += value.length
      }
    }

    const seen = new Set<string>()
    for (let nth = 0; nth < EXCHANGES; nth++) {
      const before = servedHere(ctx).serial!
      const early = Array.from({ length: HANDSHAKES / 2 }, () => handshake(server))
      await ctx.db.write('test.renew', async (tx) => renewLanCertificates(tx))
      await until(() => servedHere(ctx).serial !== before)
      const after = servedHere(ctx).serial!
      for (const serial of await Promise.all(early)) expect([before, after]).toContain(serial)
      const late = await Promise.all(Array.from({ length: HANDSHAKES / 2 }, () => handshake(server)))
      expect(new Set(late)).toEqual(new Set([after]))
      seen.add(after)
      await upload.write(text.subarray(nth * STEP, (nth + 1) * STEP))
      await readUpTo((nth + 1) * STEP)
      for (const { ping } of sockets) await ping()
    }
    expect(seen.size).toBe(EXCHANGES)
    upload.sending.end()
    expect((await upload.answered)[0].statusCode).toBe(200)
    expect((await finish(upload.ticket.uploadId)).id).toBeGreaterThan(0)
    await readUpTo(UPLOAD + 1)
    expect(received).toBe(UPLOAD)
    for (const { socket } of sockets) expect(socket.readyState).toBe(WebSocket.OPEN)
  })
})
