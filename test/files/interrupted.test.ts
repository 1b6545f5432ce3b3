/** Bodies that end too early, are too large, or never end: the server answers, keeps nothing, and goes on. */

import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'

import { inProcess, ok, type Person, race, startServer, type TestServer, useServer } from '../harness/index.ts'
import { pathOf, putBytes, text, uploaded, usedStorage } from './helpers.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'], settings: { 'upload.maxBytes': 100_000 } })

const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
const FORM = 'multipart/form-data; boundary=b'

const staged = (): Promise<string[]> => readdir(join(server.dataDir, 'files', '.staging')).catch(() => [])
async function nothingStaged(): Promise<void> {
  while ((await staged()).length > 0) await Bun.sleep(5)
}

interface Connection {
  write(chunk: string | Uint8Array): void
  /** Closes the connection without an end of the body. */
  hangUp(): void
  /** Everything that the server has answered, once it closes the connection. */
  answer: Promise<string>
}

/** Sends a request over a connection of its own. */
function open(method: string, path: string, headers: Record<string, string>, to: TestServer = server): Connection {
  const { port } = new URL(to.url)
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  let seen = ''
  const { promise: answer, resolve } = Promise.withResolvers<string>()
  socket.on('data', (chunk) => (seen += chunk.toString('latin1')))
  socket.on('close', () => resolve(seen))
  // A reset is an expected end here.
  socket.on('error', () => undefined)
  const all = {
    host: 'localhost',
    connection: 'close',
    authorization: `Bearer ${alice.token}`,
    'x-device-id': alice.deviceId,
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  return { write: (chunk) => void socket.write(chunk), hangUp: () => void socket.destroy(), answer }
}

const upload = (headers: Record<string, string>): Connection =>
  open('POST', '/api/files/upload', { 'content-type': FORM, ...headers })

const chunk = (content: string): string => `${content.length.toString(16)}\r\n${content}\r\n`

test('clients that hang up in the middle of a form leave no file and no storage', async () => {
  const before = await usedStorage(alice)
  const bodies = [HEAD.slice(0, 5), HEAD.slice(0, 50), HEAD, `${HEAD}some text`, HEAD + 'x'.repeat(70_000)]
  await race(50, async (i) => {
    const connection = upload({ 'content-length': '90000' })
    connection.write(bodies[i % bodies.length]!)
    // Some hang up after the server has begun to write the file.
    if (i % 2 === 0) while ((await staged()).length === 0 && i % bodies.length > 2) await Bun.sleep(1)
    connection.hangUp()
    await connection.answer
  })
  await nothingStaged()
  expect(await usedStorage(alice)).toBe(before)
  await uploaded(alice, text())
})

test('clients that hang up within a second file do not stop the server', async () => {
  await race(20, async () => {
    const connection = upload({ 'transfer-encoding': 'chunked' })
    connection.write(chunk(`${HEAD}first\r\n${HEAD}second`))
    await Bun.sleep(1)
    connection.hangUp()
    await connection.answer
  })
  await nothingStaged()
  await uploaded(alice, text())
})

test('a file above the limit is answered with 413 while it is sent', async () => {
  const announced = upload({ 'content-length': '1000000' })
  announced.write(HEAD)
  expect(await announced.answer).toStartWith('HTTP/1.1 413')
  const unannounced = upload({ 'transfer-encoding': 'chunked' })
  unannounced.write(chunk(HEAD) + chunk('x'.repeat(100_001)))
  expect(await unannounced.answer).toStartWith('HTTP/1.1 413')
  await nothingStaged()
})

test('a form that never ends is answered with 413', async () => {
  for (const start of ['', `${HEAD}text\r\n--b--\r\n`, '--b\r\nContent-Disposition: form-data; other\r\n\r\n']) {
    const connection = upload({ 'transfer-encoding': 'chunked' })
    if (start !== '') connection.write(chunk(start))
    for (let sent = 0; sent < 100; sent++) connection.write(chunk('y'.repeat(10_000)))
    connection.write('0\r\n\r\n')
    const answer = await connection.answer
    expect(`${answer.split('\r\n')[0]} ${start}`).toMatch(/^HTTP\/1\.1 4(?:00|13)/)
  }
  await nothingStaged()
})

test('clients that hang up in the middle of the bytes of a ticket leave the ticket as it was', async () => {
  const ticket = ok(await alice.call('files.createTicket', { body: { name: 'a.txt', size: 50_000 } })).data
  const first = text(50_000)
  ok(await putBytes(server, ticket, first))
  await race(20, async () => {
    const connection = open('PUT', pathOf(ticket.url), { 'content-length': '50000' })
    connection.write(text(30_000))
    await Bun.sleep(2)
    connection.hangUp()
    await connection.answer
  })
  await nothingStaged()
  const file = ok(await alice.call('files.finishUpload', { body: { uploadId: ticket.uploadId } })).data
  expect(file.sha256).toBe(new Bun.CryptoHasher('sha256').update(first).digest('hex'))
})

test('slow bodies of one user leave places for the other users of the address', async () => {
  const ask = async (person: Person) =>
    ok(await person.call('files.createTicket', { body: { name: 'a', size: 10 } })).data
  const [slow, quick] = [await ask(alice), await ask(bob)]
  await nothingStaged()
  const connections = Array.from({ length: 64 }, () => open('PUT', pathOf(slow.url), { 'content-length': '10' }))
  for (const connection of connections) connection.write('x')
  const answers: string[] = []
  for (const connection of connections) void connection.answer.then((answer) => answers.push(answer))
  while (answers.length + (await staged()).length < 64) await Bun.sleep(5)
  ok(await putBytes(server, quick, text(10)))
  expect(answers).toHaveLength(32)
  for (const answer of answers) expect(answer).toStartWith('HTTP/1.1 429')
  for (const connection of connections) connection.hangUp()
  await nothingStaged()
  ok(await putBytes(server, slow, text(10)))
})

// Bun closes a connection if less than 160 KB of a body arrive within its idle timeout. The checks of timeouts are 4 s apart.
test.if(inProcess)('uploads at 1 KB a second are received whole when other slow bodies have been cut', async () => {
  await using slow = await startServer({ idleSeconds: 4 })
  const { token, deviceId, call } = await slow.person()
  const ticket = ok(await call('files.createTicket', { body: { name: 'a.txt', size: 50_000 } })).data
  const begin = (method: string, path: string, headers: Record<string, string>): Connection =>
    open(method, path, { ...headers, authorization: `Bearer ${token}`, 'x-device-id': deviceId }, slow)
  const [form, end] = [HEAD + 'x'.repeat(50_000), '\r\n--b--\r\n']
  const uploads = [
    {
      body: form + end,
      connection: begin('POST', '/api/files/upload', {
        'content-type': FORM,
        'content-length': String(form.length + end.length),
      }),
    },
    { body: 'x'.repeat(50_000), connection: begin('PUT', pathOf(ticket.url), { 'content-length': '50000' }) },
  ]
  // Begun last, so its time ends last.
  const other = begin('POST', '/api/qr-codes', { 'content-type': 'application/json', 'content-length': '50000' })
  let sent = 0
  let isCut = false
  void other.answer.then(() => (isCut = true))
  while (!isCut) {
    for (const { body, connection } of uploads) connection.write(body.slice(sent, sent + 100))
    other.write(' '.repeat(100))
    sent += 100
    await Bun.sleep(100)
  }
  for (const { body, connection } of uploads) connection.write(body.slice(sent))
  expect(await other.answer).toBe('')
  for (const { connection } of uploads) expect(await connection.answer).toStartWith('HTTP/1.1 200')
})
