/** Uploads in three steps: ask for a link, send the bytes, finish. */

import { describe, expect, test } from 'bun:test'

import type { AskForUpload } from '#domains/files/uploads/uploads.model.ts'
import { expireUploads } from '#domains/files/uploads/uploads.service.ts'
import { HOUR, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { pathOf, png, putBytes, text, usedStorage } from './helpers.ts'

const { server, alice, mallory } = useServer({
  people: ['alice', 'mallory'],
  settings: { 'upload.maxBytes': 100_000 },
})

const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

const ask = (person: Person, size: number, more: Partial<AskForUpload> = {}) =>
  person.call('files.createTicket', { body: { name: 'note.txt', size, ...more } })
const asked = async (...input: Parameters<typeof ask>) => ok(await ask(...input)).data
const finish = (person: Person, uploadId: string, name?: string) =>
  person.call('files.finishUpload', { body: { uploadId, ...(name !== undefined && { name }) } })

describe('a ticket', () => {
  test('leads to a file in three steps, and the callback can be repeated', async () => {
    const before = await usedStorage(alice)
    const bytes = text(1234)
    const ticket = await asked(alice, 1234, { sha256: sha256(bytes), mime: 'text/plain' })
    expect(ticket).toMatchObject({ provider: 'LOCAL', method: 'PUT', headers: {}, maxBytes: 100_000 })
    expect(await usedStorage(alice)).toBe(before + 1234)
    expect(ok(await putBytes(server, ticket, bytes)).data).toBeNull()
    const file = ok(await finish(alice, ticket.uploadId)).data
    expect(file).toMatchObject({ size: 1234, name: 'note.txt', mime: 'text/plain', sha256: sha256(bytes) })
    expect(ok(await finish(alice, ticket.uploadId)).data).toEqual(file)
    expect(await usedStorage(alice)).toBe(before + 1234)
    expect((await putBytes(server, ticket, bytes)).status).toBe(400)
  })

  test('charges images with the bytes that are stored', async () => {
    const before = await usedStorage(alice)
    const bytes = png(300)
    const ticket = await asked(alice, bytes.length, { type: 'avatar' })
    ok(await putBytes(server, ticket, bytes))
    const file = ok(await finish(alice, ticket.uploadId, 'me.png')).data
    expect(file).toMatchObject({ name: 'me.png', mime: 'image/png', width: 300 })
    expect(await usedStorage(alice)).toBe(before + file.size)
  })

  test('the last complete body counts', async () => {
    const [first, second] = [text(60), text(60)]
    const ticket = await asked(alice, 60)
    ok(await putBytes(server, ticket, first))
    ok(await putBytes(server, ticket, second))
    expect((await putBytes(server, ticket, text(59))).status).toBe(400)
    expect((await putBytes(server, ticket, text(61))).status).toBe(413)
    expect(ok(await finish(alice, ticket.uploadId)).data.sha256).toBe(sha256(second))
  })

  test('answers 413 and 400 to bodies of another size without a Content-Length', async () => {
    const ticket = await asked(alice, 1000)
    for (const [size, status] of [
      [999, 400],
      [1001, 413],
      [0, 400],
      [1000, 200],
    ] as const) {
      const bytes = text(size)
      const body = new ReadableStream({
        start(controller) {
          if (size > 0) controller.enqueue(bytes)
          controller.close()
        },
      })
      const reply = await fetch(server.url + pathOf(ticket.url), { method: 'PUT', body })
      expect(`${size}: ${reply.status} ${await reply.text()}`).toStartWith(`${size}: ${status}`)
    }
    ok(await finish(alice, ticket.uploadId))
  })

  test('answers 413 above the largest upload, 400 for nothing, and 429 beyond the quota', async () => {
    expect((await ask(alice, 100_001)).status).toBe(413)
    for (const size of [0, -1, 1.5]) expect((await ask(alice, size)).status).toBe(400)
    for (const hash of ['', 'abc', 'z'.repeat(64)]) expect((await ask(alice, 10, { sha256: hash })).status).toBe(400)
  })

  test('is answered by 403 with a changed link, 404 without a row', async () => {
    const ticket = await asked(alice, 10)
    const path = pathOf(ticket.url)
    const put = (changed: string) => server.request('PUT', changed, { body: text(10) })
    for (const changed of [
      path.replace(/expires=\d/, 'expires=9'),
      path.replace(/signature=./, 'signature='),
      path.replace(ticket.uploadId, 'another'),
      `${path}x`,
    ])
      expect(`${(await put(changed)).status} ${changed}`).toStartWith('403')
    for (const changed of [path.replace(/&signature.*/, ''), path.replace(/\?.*/, '')])
      expect((await put(changed)).status).toBe(400)
  })

  test('belongs to the user who asked for it', async () => {
    const ticket = await asked(alice, 10)
    ok(await putBytes(server, ticket, text(10)))
    expect((await finish(mallory, ticket.uploadId)).status).toBe(404)
    expect((await finish(alice, 'unknown')).status).toBe(404)
    ok(await finish(alice, ticket.uploadId))
    expect((await finish(mallory, ticket.uploadId)).status).toBe(404)
  })

  test('stays good when the callback comes before the bytes', async () => {
    const ticket = await asked(alice, 10)
    expect((await finish(alice, ticket.uploadId)).status).toBe(400)
    ok(await putBytes(server, ticket, text(10)))
    ok(await finish(alice, ticket.uploadId))
  })

  test('ends when the bytes have another hash or type, and its storage is free again', async () => {
    const before = await usedStorage(alice)
    for (const [more, status] of [
      [{ sha256: sha256(text(10)) }, 400],
      [{ type: 'avatar' }, 415],
    ] as const) {
      const ticket = await asked(alice, 10, more)
      ok(await putBytes(server, ticket, text(10)))
      expect((await finish(alice, ticket.uploadId)).status).toBe(status)
      expect((await finish(alice, ticket.uploadId)).status).toBe(404)
      expect((await putBytes(server, ticket, text(10))).status).toBe(404)
    }
    expect(await usedStorage(alice)).toBe(before)
  })

  test('makes one file in 50 parallel callbacks', async () => {
    const before = await usedStorage(alice)
    const bytes = png(200)
    const ticket = await asked(alice, bytes.length, { type: 'album' })
    ok(await putBytes(server, ticket, bytes))
    const files = await race(50, async () => ok(await finish(alice, ticket.uploadId)).data)
    expect(new Set(files.map(({ id }) => id)).size).toBe(1)
    expect(await usedStorage(alice)).toBe(before + files[0]!.size)
  })

  test('is limited to 100 unfinished ones, also when they are asked for at once', async () => {
    const greedy = await server.person()
    const replies = await race(110, () => ask(greedy, 1))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(10)
    expect(await usedStorage(greedy)).toBe(100)
  })

  test('needs the permission point of the organization, and counts towards its quota', async () => {
    const org = await createOrg(alice)
    const member = await server.person()
    await addMembers(alice, org, member)
    const bytes = png()
    for (const person of [mallory, member])
      expect((await ask(person, 10, { type: 'org', orgId: org.id })).status).toBe(403)
    expect((await ask(alice, 10, { type: 'avatar', orgId: org.id })).status).toBe(400)
    const before = await usedStorage(alice)
    const ticket = await asked(alice, bytes.length, { type: 'org', orgId: org.id })
    ok(await putBytes(server, ticket, bytes))
    expect(ok(await finish(alice, ticket.uploadId)).data.orgId).toBe(org.id)
    expect(await usedStorage(alice)).toBe(before)
  })
})

describe.if(inProcess)('an expired ticket', () => {
  test('is refused by the link and the callback, and its storage and bytes go', async () => {
    const waiting = async () => (await Array.fromAsync(server.ctx.blobs.list('uploads/'))).length
    const late = await server.person()
    const ticket = await asked(late, 10)
    ok(await putBytes(server, ticket, text(10)))
    expect(await waiting()).toBeGreaterThan(0)
    server.clock.advance(15 * MINUTE)
    expect((await putBytes(server, ticket, text(10))).status).toBe(403)
    expect((await finish(late, ticket.uploadId)).status).toBe(400)
    await expireUploads(server.ctx)
    while ((await waiting()) > 0) await Bun.sleep(5)
    expect(await usedStorage(late)).toBe(0)
    expect((await finish(late, ticket.uploadId)).status).toBe(400)
    server.clock.advance(HOUR)
    await expireUploads(server.ctx)
    expect((await finish(late, ticket.uploadId)).status).toBe(404)
  })
})
