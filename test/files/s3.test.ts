/** Files in S3 beyond what stores.test.ts tests for both stores. */

import { describe, expect, test } from 'bun:test'

import { inProcess, ok, type Person, startServer, until, useServer } from '../harness/index.ts'
import { startS3 } from '../harness/s3.ts'
import { pathOf, png, text, upload, uploaded, usedStorage } from './helpers.ts'

const s3 = await startS3()

describe.skipIf(s3 === undefined)('with S3', () => {
  const { server, alice, mallory } = useServer({
    people: ['alice', 'mallory'],
    config: { storageUrl: s3?.storageUrl({ prefix: 'journey' }) ?? '' },
    settings: { 'upload.maxBytes': 20_000_000 },
  })

  const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const content = (id: number) => `/api/files/${id}/content`
  const keys = async (): Promise<string[]> =>
    (await Array.fromAsync(server.ctx.blobs.list(''))).map(({ key }) => key).toSorted()

  test('an upload in a form is stored, served with ranges to its owner only, and deleted', async () => {
    const bytes = text(30_000)
    const file = await uploaded(alice, bytes)
    expect(file).toMatchObject({ storage: 'OSS', size: 30_000, sha256: sha256(bytes) })
    if (inProcess) expect((await keys()).some((key) => key.includes(file.sha256))).toBe(true)

    const whole = ok(await alice.get(content(file.id)))
    expect(sha256(whole.bytes)).toBe(file.sha256)
    const part = await alice.send('GET', content(file.id), { headers: { range: 'bytes=100-199' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 100-199/30000'])
    expect(part.bytes).toEqual(bytes.subarray(100, 200))
    const signed = ok(await server.request('GET', pathOf(file.url)))
    expect(sha256(signed.bytes)).toBe(file.sha256)
    expect((await mallory.get(content(file.id))).status).toBe(404)

    ok(await alice.call('files.delete', { params: { id: file.id } }))
    expect((await alice.get(content(file.id))).status).toBe(404)
    if (inProcess) await until(async () => !(await keys()).some((key) => key.includes(file.sha256)))
  })

  test('an upload in three steps goes straight to the S3 server, with exactly the size that was announced', async () => {
    const bytes = png(500)
    const before = await usedStorage(alice)
    const ask = { name: 'photo.png', type: 'album' as const, size: bytes.length, sha256: sha256(bytes) }
    const ticket = ok(await alice.call('files.createTicket', { body: ask })).data
    expect(ticket).toMatchObject({ provider: 'S3', method: 'PUT', headers: {} })
    expect(new URL(ticket.url).host).toBe(s3!.host)

    const finish = (person: Person) => person.call('files.finishUpload', { body: { uploadId: ticket.uploadId } })
    expect((await finish(alice)).status).toBe(400)
    const put = async (body: Uint8Array<ArrayBuffer>, url = ticket.url): Promise<number> => {
      const answer = await fetch(url, { method: 'PUT', body })
      await answer.text()
      return answer.status
    }
    expect(await put(new Uint8Array(bytes.length + 1))).toBe(403)
    expect(await put(bytes.slice(1))).toBe(403)
    expect(await put(bytes, ticket.url.replace(/uploads%2F|uploads\//, 'others/'))).toBe(403)
    expect(await put(bytes)).toBe(200)
    expect((await finish(mallory)).status).toBe(404)
    const file = ok(await finish(alice)).data
    expect(file).toMatchObject({ storage: 'OSS', mime: 'image/png', width: 500 })
    expect(await usedStorage(alice)).toBe(before + file.size)
    const thumbnail = ok(await server.request('GET', pathOf(file.thumbnailUrl!)))
    expect(thumbnail.headers.get('content-type')).toBe('image/webp')
    if (inProcess) await until(async () => !(await keys()).some((key) => key.startsWith('uploads/')))
  })

  test('15 MB are uploaded in parts and served unchanged', async () => {
    const bytes = new Uint8Array(15_000_000).map((_, i) => 32 + (i % 90))
    const file = await uploaded(alice, bytes)
    expect(sha256(ok(await alice.get(content(file.id))).bytes)).toBe(sha256(bytes))
  })
})

test('without an S3 server, operations on files answer 503, reserve nothing, and everything else works', async () => {
  // Nothing listens on port 9.
  const config = { storageUrl: 's3://KEY:SECRET@127.0.0.1:9/files?tls=off' }
  await using server = await startServer({ config })
  const ann = await server.person()
  for (const bytes of [text(), png()]) {
    const reply = await upload(ann, bytes)
    expect([reply.status, reply.code]).toEqual([503, 503])
    expect(reply.headers.get('retry-after')).toBe('30')
  }
  expect(await usedStorage(ann)).toBe(0)
  ok(await ann.call('qrCodes.create', { body: { name: 'Menu', content: 'https://example.org' } }))
})
