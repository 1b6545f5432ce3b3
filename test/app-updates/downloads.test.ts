/** Downloads of packages from both stores of files. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { send } from '../harness/client.ts'
import { ok, useServer } from '../harness/index.ts'
import { fileStores } from '../harness/s3.ts'
import { download, hashOf, makeKey, publish, upload } from './helpers.ts'

/** Bytes. More than S3 stores with one request (8 MiB). */
const SIZE = 9_000_000

for (const { name, config } of await fileStores())
  describe(`with packages in ${name},`, () => {
    const { server } = useServer({ config })
    const bytes = new Uint8Array(SIZE).map((_, i) => (i * 7919) >> 5)
    let key = ''
    beforeAll(async () => {
      ;({ key } = await makeKey(server))
      ok(await upload(server, key, 'large.apk', bytes))
      ok(await publish(server, key, { versionCode: 1, versionName: '1', downloadUrl: '/api/app/download/large.apk' }))
    })

    test('a download has the bytes, their hash and headers that make browsers save them', async () => {
      const reply = ok(await download(server, 'large.apk'))
      expect(hashOf(reply.bytes)).toBe(hashOf(bytes))
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="large.apk"',
        // Bun 1.4.5 sends streams without their length (github.com/oven-sh/bun/issues/10507). HEAD has it.
        ...(config.storageUrl === '' && { 'content-length': String(bytes.length) }),
        'x-content-type-options': 'nosniff',
        'accept-ranges': 'bytes',
        etag: `"${hashOf(bytes)}"`,
        'repr-digest': `sha-256=:${Buffer.from(hashOf(bytes), 'hex').toString('base64')}:`,
      })
    })

    test('a download answers HEAD with its length and without bytes', async () => {
      const head = await send(server.url, 'HEAD', '/api/app/download/large.apk')
      expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, String(SIZE), 0])
    })

    test('a download that was interrupted continues with Range and If-Range, and parts give the whole', async () => {
      const etag = (await download(server, 'large.apk')).headers.get('etag')!
      const parts: Uint8Array[] = []
      for (let at = 0; at < bytes.length; at += 2_000_001) {
        const range = `bytes=${at}-${at + 2_000_000}`
        const part = await download(server, 'large.apk', { range, 'if-range': etag })
        expect(part.status).toBe(206)
        parts.push(part.bytes)
      }
      expect(hashOf(new Uint8Array(Buffer.concat(parts)))).toBe(hashOf(bytes))
      expect((await download(server, 'large.apk', { range: 'bytes=5-6', 'if-range': '"old"' })).status).toBe(200)
      const suffix = await download(server, 'large.apk', { range: 'bytes=-10' })
      expect([suffix.status, Array.from(suffix.bytes)]).toEqual([206, Array.from(bytes.slice(-10))])
      const beyond = await download(server, 'large.apk', { range: `bytes=${SIZE}-` })
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${SIZE}`])
      expect((await download(server, 'large.apk', { 'if-none-match': etag })).status).toBe(304)
    })

    test('the same package again answers the same, and other bytes under its name are refused', async () => {
      const first = ok(await upload(server, key, 'large.apk', bytes)).data
      expect([first.sha256, first.fileSize]).toEqual([hashOf(bytes), SIZE])
      expect((await upload(server, key, 'large.apk', bytes.slice(1))).status).toBe(400)
      expect(hashOf(ok(await download(server, 'large.apk')).bytes)).toBe(hashOf(bytes))
    })
  })
