/** The same uploads with files on local disk and in a bucket of a real S3 server. */

import { describe, expect, test } from 'bun:test'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { fileStores } from '../harness/s3.ts'
import { pathOf, png, text, uploaded, usedStorage } from './helpers.ts'

for (const { name, config } of await fileStores())
  describe.if(inProcess)(`uploads to the store: ${name}`, () => {
    const { server, alice } = useServer({ people: ['alice'], config })

    const ask = async (size: number, more: object = {}) =>
      ok(await alice.call('files.createTicket', { body: { name: 'a.txt', size, ...more } })).data
    const finish = (person: Person, uploadId: string) => person.call('files.finishUpload', { body: { uploadId } })
    /** Returns the status. */
    async function put(ticket: Awaited<ReturnType<typeof ask>>, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
      const url = ticket.provider === 'S3' ? ticket.url : server.url + pathOf(ticket.url)
      const response = await fetch(url, { method: ticket.method, headers: ticket.headers, body: bytes })
      await response.bytes()
      return response.status
    }
    const keys = (): Promise<string[]> => Array.fromAsync(server.ctx.blobs.list(''), ({ key }) => key)
    async function nothingStored(): Promise<void> {
      while ((await keys()).length > 0) await Bun.sleep(10)
    }

    test('a form and a ticket with the same image are stored once, and deleted with the last file', async () => {
      const bytes = png(100)
      const file = await uploaded(alice, bytes, { type: 'album' }, 'a.png')
      expect(file.storage).toBe(server.ctx.blobs.storage)
      const ticket = await ask(bytes.length, { type: 'album' })
      expect(ticket.provider).toBe(file.storage === 'OSS' ? 'S3' : 'LOCAL')
      expect((await finish(alice, ticket.uploadId)).status).toBe(400)
      expect(await put(ticket, bytes)).toBe(200)
      const files = await race(20, async () => ok(await finish(alice, ticket.uploadId)).data)
      expect(new Set(files.map(({ id }) => id)).size).toBe(1)
      expect(files[0]!.sha256).toBe(file.sha256)
      expect(await usedStorage(alice)).toBe(2 * file.size)
      // The image and its thumbnail.
      while ((await keys()).length > 2) await Bun.sleep(10)
      ok(await alice.call('files.delete', { params: { id: file.id } }))
      ok(await alice.call('files.get', { params: { id: files[0]!.id } }))
      ok(await alice.call('files.delete', { params: { id: files[0]!.id } }))
      await nothingStored()
      expect(await usedStorage(alice)).toBe(0)
    })

    test('bytes of another hash end the ticket, and those of another size are not taken', async () => {
      const other = await ask(100, { sha256: '0'.repeat(64) })
      expect(await put(other, text(100))).toBe(200)
      expect((await finish(alice, other.uploadId)).status).toBe(400)
      expect((await finish(alice, other.uploadId)).status).toBe(404)
      const exact = await ask(100)
      // The size is part of the signature for S3.
      const refused = exact.provider === 'S3' ? [403, 403] : [400, 413]
      expect([await put(exact, text(90)), await put(exact, text(101))]).toEqual(refused)
      expect((await finish(alice, exact.uploadId)).status).toBe(400)
      await nothingStored()
      expect(await usedStorage(alice)).toBe(100)
    })
  })
