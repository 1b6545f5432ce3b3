/** Bytes of files by token and by signed URL. Ranges and conditions are tested in test/http/byte-response.test.ts. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { releaseFile } from '#domains/files/index.ts'

import { findRole, revoke } from '../access/helpers.ts'
import { inProcess, ok, type Person, race, type Reply, useServer } from '../harness/index.ts'
import { fileStores } from '../harness/s3.ts'
import { pathOf } from './helpers.ts'
import { loseBytes, PIXEL, type StoredFile, storeFile } from './stored.ts'

const TEXT = 'abcdefghijklmnopqrstuvwxyz'

for (const { name, config } of await fileStores())
  describe.if(inProcess)(`files in the store: ${name}`, () => {
    const { server, admin, alice, mallory } = useServer({ people: ['alice', 'mallory'], config })

    async function signedPath(person: Person, fileId: number, query: object = {}): Promise<string> {
      return pathOf(ok(await person.call('files.signedUrl', { query: { fileId, ...query } })).data.url)
    }

    const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
      server.request('GET', path, { headers })

    let image: StoredFile
    let document: StoredFile

    beforeAll(async () => {
      image = await storeFile(server, alice, { bytes: PIXEL, name: 'red.png', mime: 'image/png', thumbnail: 'thumb' })
      document = await storeFile(server, alice, { bytes: TEXT, name: 'letters.pdf', mime: 'application/pdf' })
    })

    test('GET /api/files/:id/content with a signed URL answers the bytes, without a token', async () => {
      const path = await signedPath(alice, document.id)
      const reply = ok(await get(path))
      expect(reply.text).toBe(TEXT)
      const headers = Object.fromEntries(reply.headers)
      expect(headers).toMatchObject({
        'content-type': 'application/pdf',
        'content-length': '26',
        'content-disposition': 'attachment; filename="letters.pdf"',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        'accept-ranges': 'bytes',
        etag: `"${document.sha256}"`,
      })
      const [, seconds] = /^private, max-age=(\d+), immutable$/.exec(headers['cache-control']!) ?? []
      expect(Number(seconds)).toBeWithin(3600 - 600, 3601)
    })

    test('GET /api/files/:id/content with a token answers the bytes, and 304 to an unchanged copy', async () => {
      const path = `/api/files/${document.id}/content`
      const reply = ok(await alice.get(path))
      expect([reply.text, reply.headers.get('cache-control')]).toEqual([TEXT, 'private, no-cache'])
      const again = await alice.send('GET', path, { headers: { 'if-none-match': reply.headers.get('etag')! } })
      expect([again.status, again.text]).toEqual([304, ''])
    })

    test('GET /api/files/:id/content answers ranges, also by signed URL, and HEAD the headers alone', async () => {
      const path = await signedPath(alice, document.id)
      const part = await get(path, { range: 'bytes=2-4' })
      expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, 'cde', 'bytes 2-4/26'])
      const changed = await get(path, { range: 'bytes=2-4', 'if-range': '"another"' })
      expect([changed.status, changed.text]).toEqual([200, TEXT])
      expect((await get(path, { range: 'bytes=26-' })).status).toBe(416)
      const head = await server.request('HEAD', path)
      expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', '26'])
      expect(head.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    })

    test('GET /api/files/:id/content without signature and token answers 401', async () => {
      for (const method of ['GET', 'HEAD'])
        expect((await server.request(method, `/api/files/${document.id}/content`)).status).toBe(401)
    })

    test('a user without file:read gets 403 with a token, also for an own file, and signed URLs still work', async () => {
      const person = await server.person()
      const { id } = await storeFile(server, person, { bytes: new Uint8Array([1]) })
      const { url } = ok(await person.call('files.get', { params: { id } })).data
      ok(await revoke(admin, person, await findRole(admin, 'APP', 0, 'USER')))
      expect((await person.call('files.get', { params: { id } })).status).toBe(403)
      expect((await person.get(`/api/files/${id}/content`)).status).toBe(403)
      expect((await get(pathOf(url))).status).toBe(200)
    })

    test('a user who may not see a file gets 404 for it and for unknown files alike', async () => {
      const replies = await Promise.all([
        mallory.get(`/api/files/${document.id}/content`),
        mallory.get('/api/files/999999/content'),
        mallory.call('files.signedUrl', { query: { fileId: document.id } }),
        mallory.call('files.signedUrl', { query: { fileId: 999_999 } }),
      ])
      const answers = replies.map(({ status, message, headers }) => [status, message, headers.get('etag')])
      expect(answers).toEqual(answers.map(() => [404, 'Not found', null]))
    })

    test('a signed URL that was edited in any part answers 403, also to the owner', async () => {
      const path = await signedPath(alice, image.id)
      expect((await get(path)).status).toBe(200)
      const edits = [
        path.replace(`/${image.id}/`, `/${document.id}/`),
        path.replace(`/${image.id}/`, `/0${image.id}/`),
        path.replace('ORIGINAL', 'THUMBNAIL'),
        path.replace('inline', 'attachment'),
        path.replace('inline', 'INLINE'),
        path.replace(/expires=\d/, (all) => `${all}0`),
        path.replace(/expires=\d+&/, ''),
        path.replace(/signature=(.)/, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`),
        path.slice(0, -1),
        `${path}&variant=THUMBNAIL`,
        path.replace(/(signature=.{11}).*/, '$1'),
      ]
      for (const edited of edits) {
        expect(edited).not.toBe(path)
        expect([edited, (await get(edited)).status]).toEqual([edited, 403])
        expect((await alice.get(edited)).status).toBe(403)
      }
    })

    test('a signed URL works until it expires and is then answered with 403', async () => {
      const { url, expiresAt } = ok(
        await alice.call('files.signedUrl', { query: { fileId: document.id, expiresIn: 3600 } }),
      ).data
      expect(expiresAt - server.clock.now()).toBeWithin(3_000_000, 3_600_001)
      server.clock.advance(3_000_000)
      expect((await get(pathOf(url))).status).toBe(200)
      server.clock.advance(600_000)
      const late = await get(pathOf(url))
      expect([late.status, late.headers.get('cache-control')]).toEqual([403, 'no-store'])
    })

    test('a second expiry in a signed URL does not change how long caches keep the file', async () => {
      const url = pathOf(ok(await alice.call('files.get', { params: { id: document.id } })).data.url)
      const seconds = async (path: string) =>
        Number(/max-age=(\d+)/.exec((await get(path)).headers.get('cache-control') ?? '')?.[1])
      for (const expires of ['99999999999', 'soon'])
        expect(await seconds(url.replace('?', `?expires=${expires}&`))).toBeLessThanOrEqual(7200)
    })

    test.each([59, 86_401, 0, -1, 1.5])('GET /api/files/signed-url answers 400 to expiresIn=%p', async (expiresIn) => {
      const reply = await alice.get('/api/files/signed-url', { fileId: document.id, expiresIn })
      expect([reply.status, reply.details[0]?.path]).toEqual([400, 'query.expiresIn'])
    })

    test('only images are shown by browsers, whatever disposition is asked for', async () => {
      const html = await storeFile(server, alice, {
        bytes: '<script>alert(1)</script>',
        name: 'x.png',
        mime: 'text/html',
      })
      const svg = await storeFile(server, alice, { bytes: '<svg/>', name: 'x.svg', mime: 'image/svg+xml' })
      const dispositions: string[] = []
      for (const { id } of [image, document, html, svg])
        for (const disposition of ['inline', 'attachment']) {
          const reply = ok(await get(await signedPath(alice, id, { disposition })))
          dispositions.push(reply.headers.get('content-disposition')!.replace(/;.*/, ''))
        }
      expect(dispositions).toEqual(['inline', ...Array.from({ length: 7 }, () => 'attachment')])
    })

    test('the thumbnail has its own type, name and entity tag', async () => {
      const reply = ok(await get(await signedPath(alice, image.id, { variant: 'THUMBNAIL' })))
      expect([reply.text, reply.headers.get('content-type')]).toEqual(['thumb', 'image/webp'])
      expect(reply.headers.get('content-disposition')).toBe('inline; filename="red.webp"')
      expect(reply.headers.get('etag')).not.toBe(`"${image.sha256}"`)
    })

    test('the thumbnail of a file that has none is answered with 404', async () => {
      const query = { fileId: document.id, variant: 'THUMBNAIL' as const }
      expect((await alice.call('files.signedUrl', { query })).status).toBe(404)
      expect((await alice.get(`/api/files/${document.id}/content`, { variant: 'THUMBNAIL' })).status).toBe(404)
    })

    test.each([
      ['菜单 "春".pdf', `attachment; filename="__ ___.pdf"; filename*=UTF-8''%E8%8F%9C%E5%8D%95%20%22%E6%98%A5%22.pdf`],
      [
        'a\r\nSet-Cookie: x=1.pdf',
        `attachment; filename="a__Set-Cookie: x=1.pdf"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%3D1.pdf`,
      ],
      ["it's 100%.pdf", `attachment; filename="it's 100_.pdf"; filename*=UTF-8''it%27s%20100%25.pdf`],
    ])('a download keeps the name %p', async (name, expected) => {
      const file = await storeFile(server, alice, { bytes: name, name })
      const reply = ok(await get(await signedPath(alice, file.id)))
      expect(reply.headers.get('content-disposition')).toBe(expected)
      expect(reply.headers.get('set-cookie')).toBeNull()
    })

    test('a deleted file is answered with 404 at once, also by a signed URL that is still valid', async () => {
      const file = await storeFile(server, alice, { bytes: 'to be deleted' })
      const path = await signedPath(alice, file.id)
      expect((await get(path)).status).toBe(200)
      await server.ctx.db.write('test', (tx) => releaseFile(server.ctx, tx, file.id))
      const replies = [await get(path), await server.request('HEAD', path), await alice.get(path.replace(/\?.*/, ''))]
      expect(replies.map((reply) => reply.status)).toEqual([404, 404, 404])
      expect(replies[0]!.text).not.toContain('deleted')
    })

    test('requests while a file is deleted answer all of its bytes or 404', async () => {
      const bytes = 'x'.repeat(100_000)
      for (let round = 0; round < 10; round++) {
        const file = await storeFile(server, alice, { bytes: bytes + round })
        const path = await signedPath(alice, file.id)
        const replies = await race(11, (i) =>
          i === 5
            ? server.ctx.db.write('test', (tx) => releaseFile(server.ctx, tx, file.id)).then(() => undefined)
            : get(path),
        )
        for (const reply of replies)
          if (reply !== undefined && reply.status !== 404)
            expect([reply.status, reply.text === bytes + round]).toEqual([200, true])
      }
    })

    test('a file whose bytes are lost is answered with 503 and not with 404', async () => {
      const file = await storeFile(server, alice, { bytes: 'to be lost' })
      const path = await signedPath(alice, file.id)
      await loseBytes(server)
      expect((await get(path)).status).toBe(503)
    })
  })
