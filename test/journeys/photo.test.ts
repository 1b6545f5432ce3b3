/** A photo from the phone to the organization: over a connection that breaks, seen by those who may see it and by nobody else. */

import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'

import type { PhotoView } from '#domains/album/album.model.ts'
import type { UploadedFile } from '#domains/files/uploads/uploads.model.ts'
import { HOUR } from '#platform/clock.ts'

import { exif, exifSegment, SYDNEY, withSegments } from '../files/build-images.ts'
import { jpeg, pathOf, upload, usedStorage } from '../files/helpers.ts'
import { inProcess, ok, type Person, type Reply, useServer } from '../harness/index.ts'
import { fileStores } from '../harness/s3.ts'
import { addMembers, createOrg, leave, type Org } from '../orgs/helpers.ts'

type Bytes = Uint8Array<ArrayBuffer>

const TAKEN_AT = Date.parse('2024-05-06T07:08:09+10:00')

/** A photo as a phone takes it. It differs from all others. */
async function photograph(): Promise<Bytes> {
  const photo = withSegments(await jpeg(1200), exifSegment(exif(SYDNEY))) as Bytes
  // The first quarter must not already contain the whole picture.
  expect(photo.length).toBeGreaterThan(20_000)
  return photo
}

/** Sends a part of a request over a connection of its own, and closes it before the answer. */
async function breakOff(url: string, head: string[], body: Bytes): Promise<void> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname })
  const closed = Promise.withResolvers<void>()
  socket.on('close', () => closed.resolve())
  // A reset is an expected end here.
  socket.on('error', () => undefined)
  const [method, ...headers] = head
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${headers.join('\r\n')}\r\n\r\n`)
  await new Promise<void>((resolve, reject) => socket.write(body, (error) => (error ? reject(error) : resolve())))
  socket.destroy()
  await closed.promise
}

/** No byte of an image is in the answer. */
function expectNoImage(reply: Reply, context: string): void {
  const type = reply.headers.get('content-type') ?? ''
  expect(`${context}: ${type}`).toBe(`${context}: application/json; charset=utf-8`)
  expect(reply.data ?? null).toBeNull()
}

for (const { name, config } of await fileStores())
  describe(`with ${name}`, () => {
    const { server, owner, phone, member, stranger } = useServer({
      people: ['owner', 'phone', 'member', 'stranger'],
      noAdmin: true,
      config,
    })

    const anonymously = (url: string, headers: Record<string, string> = {}) =>
      server.request('GET', pathOf(url), { headers })
    /** Where the bytes of a ticket go: to this server, or to S3. */
    const target = (ticket: { provider: string; url: string }): string =>
      ticket.provider === 'S3' ? ticket.url : server.url + pathOf(ticket.url)

    const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

    const details = { address: 'Hall B', watermark: { text: 'Fire extinguisher 12', operator: 'Lin Mei' } }

    /** Adds and shares a photo of `user`. */
    async function shared(
      user: Person,
      org: Org,
    ): Promise<{ original: PhotoView; copy: PhotoView; unshare(): Promise<Reply> }> {
      const file: UploadedFile = ok(await upload(user, await photograph(), { type: 'album' }, 'IMG_1.jpg')).data
      const original = ok(await user.call('album.add', { body: { ...details, fileId: file.id } })).data
      const body = { entityType: 'ALBUM_PHOTO', sourceId: original.id } as const
      const share = ok(await user.call('shares.create', { params: { orgId: org.id }, body })).data
      return {
        original,
        copy: ok(await user.call('album.get', { params: { id: share.copyId } })).data,
        unshare: () => user.call('shares.delete', { params: { orgId: org.id, shareId: share.id } }),
      }
    }

    /** Every way to the file and the photo that a signed-in user has. */
    async function expectUnknownTo(user: Person, photo: PhotoView, fileId = photo.fileId): Promise<void> {
      const paths = [
        `/api/files/${fileId}`,
        `/api/files/${fileId}/content`,
        `/api/files/${fileId}/content?variant=THUMBNAIL`,
        `/api/files/signed-url?fileId=${fileId}`,
        `/api/files/signed-url?fileId=${fileId}&variant=THUMBNAIL`,
        `/api/album/${photo.id}`,
      ]
      for (const path of paths) {
        const reply = await user.get(path)
        expect(`${path}: ${reply.status}`).toBe(`${path}: 404`)
        expectNoImage(reply, path)
      }
      for (const path of [`/api/files/${fileId}`, `/api/album/${photo.id}`])
        expect((await user.delete(path)).status).toBe(404)
    }

    test('a phone sends a photo by link over a connection that breaks, and gets one file with its time and place', async () => {
      const photo = await photograph()
      const before = await usedStorage(phone)
      const body = { name: 'IMG_2041.jpg', size: photo.length, type: 'album', sha256: sha256(photo) } as const
      const ask = async () => ok(await phone.call('files.createTicket', { body })).data
      const finish = () => phone.call('files.finishUpload', { body: { uploadId: ticket.uploadId } })
      const send = async (): Promise<void> => {
        const answer = await fetch(target(ticket), { method: ticket.method, headers: ticket.headers, body: photo })
        expect(`${answer.status} ${await answer.text()}`).toStartWith('200')
      }

      let ticket = await ask()
      for (const part of [0, photo.length / 4, photo.length - 1, photo.length]) {
        // Some S3 servers keep a part of the bytes. The callback would then end the upload, because the size is wrong.
        if (part === photo.length && ticket.provider === 'LOCAL') expect((await finish()).status).toBe(400)
        await breakOff(target(ticket), ['PUT', `content-length: ${photo.length}`], photo.subarray(0, part))
      }
      // All bytes were sent, but the answer is lost: the phone cannot know whether they arrived, and sends them again.
      await send()
      let finished = await finish()
      // The bytes that were sent first may have arrived last.
      if (finished.message.includes('try again')) finished = await finish()
      if (finished.message.includes('announced') && ticket.provider === 'S3') {
        ticket = await ask()
        await send()
        finished = await finish()
      }
      const file = ok(finished).data
      expect(ok(await finish()).data).toEqual(file)
      expect(file).toMatchObject({ name: 'IMG_2041.jpg', mime: 'image/jpeg', width: 1200, height: 1200 })
      expect(file.storage).toBe(config.storageUrl === '' ? 'LOCAL' : 'OSS')
      expect(file.capture?.takenAt).toBe(TAKEN_AT)
      expect(await usedStorage(phone)).toBe(before + file.size)

      const thumbnail = await anonymously(file.thumbnailUrl!)
      expect(thumbnail.status).toBe(200)
      expect(thumbnail.headers.get('content-type')).toBe('image/webp')
      expect(await new Bun.Image(thumbnail.bytes).metadata()).toMatchObject({ format: 'webp', width: 400, height: 400 })
      const stored = await anonymously(file.url)
      expect(sha256(stored.bytes)).toBe(file.sha256)
      expect(Buffer.from(stored.bytes).includes('Exif')).toBe(false)

      const added = ok(await phone.call('album.add', { body: { fileId: file.id } })).data
      expect(added).toMatchObject({ fileId: file.id, takenAt: TAKEN_AT, name: 'IMG_2041.jpg', size: file.size })
      expect(added.latitude).toBeCloseTo(-33.858472, 5)
      expect(added.longitude).toBeCloseTo(151.21, 5)
    })

    test('a phone sends a photo as a form over a connection that breaks, and the repetition stores it once', async () => {
      const photo = await photograph()
      const before = await usedStorage(phone)
      const requestId = crypto.randomUUID()
      const form = new FormData()
      form.set('type', 'album')
      form.set('requestId', requestId)
      form.set('file', new File([photo], 'IMG_2042.jpg'))
      const encoded = new Response(form)
      const head = [
        'POST',
        `content-type: ${encoded.headers.get('content-type')}`,
        `authorization: Bearer ${phone.token}`,
        `x-device-id: ${phone.deviceId}`,
      ]
      const body = (await encoded.bytes()) as Bytes
      for (const part of [body.length / 4, body.length])
        await breakOff(
          `${server.url}/api/files/upload`,
          [...head, `content-length: ${body.length}`],
          body.subarray(0, part),
        )
      const send = () => upload(phone, photo, { type: 'album', requestId }, 'IMG_2042.jpg')
      const file = ok(await send()).data
      expect(ok(await send()).data).toEqual(file)
      expect(await usedStorage(phone)).toBe(before + file.size)
    })

    test('a shared photo is seen by members, and strangers get neither the photo nor a byte of it', async () => {
      const org = await createOrg(owner)
      await addMembers(owner, org, phone, member)
      const { original, copy } = await shared(phone, org)

      const seen = ok(await member.call('album.listOfOrg', { params: { orgId: org.id } })).data.items
      expect(seen.map(({ id }) => id)).toEqual([copy.id])
      expect(seen[0]).toMatchObject({
        ...details,
        takenAt: TAKEN_AT,
        latitude: original.latitude,
        longitude: original.longitude,
      })
      const image = await anonymously(seen[0]!.url)
      expect(image.status).toBe(200)
      expect(image.bytes.length).toBe(copy.size)
      expect((await anonymously(seen[0]!.thumbnailUrl!)).status).toBe(200)
      const withToken = await member.get(`/api/files/${copy.fileId}/content`)
      expect(sha256(withToken.bytes)).toBe(sha256(image.bytes))
      // The original belongs to the phone alone.
      await expectUnknownTo(member, original)

      expect((await stranger.get(`/api/album/org/${org.id}`)).status).toBe(403)
      expect((await stranger.get(`/api/album?orgId=${org.id}`)).status).toBe(403)
      await expectUnknownTo(stranger, original)
      await expectUnknownTo(stranger, copy)
      for (let guess = 1; guess <= copy.fileId + 3; guess++) {
        const reply = await stranger.get(`/api/files/${guess}/content`)
        expect(reply.status).toBe(404)
        expectNoImage(reply, `file ${guess}`)
        const nobody = await server.request('GET', `/api/files/${guess}/content`)
        expect(nobody.status).toBe(401)
        expectNoImage(nobody, `file ${guess}`)
      }
      // The operations that take an id of a file.
      expect((await stranger.post('/api/album', { fileId: copy.fileId })).status).toBe(400)
      expect((await stranger.put('/api/auth/userinfo', { avatarFileId: copy.fileId })).status).toBe(400)
    })

    test('a signed address that was changed in any part gives no byte, with and without the token of a stranger', async () => {
      const org = await createOrg(owner)
      await addMembers(owner, org, phone)
      const { original, copy } = await shared(phone, org)
      const url = new URL(copy.url)
      const valid = Object.fromEntries(url.searchParams)
      const changed = (path: string, query: Record<string, string>): string =>
        `${path}?${new URLSearchParams({ ...valid, ...query }).toString()}`
      const other = new URL(original.url).searchParams.get('signature')!
      const ofThumbnail = new URL(copy.thumbnailUrl!).searchParams.get('signature')!
      const addresses = [
        changed(`/api/files/${original.fileId}/content`, {}),
        changed(`/api/files/0${copy.fileId}/content`, { signature: other }),
        changed(url.pathname, { variant: 'THUMBNAIL' }),
        changed(url.pathname, { disposition: 'attachment' }),
        changed(url.pathname, { expires: String(Number(valid['expires']) + 1) }),
        changed(url.pathname, { expires: `${valid['expires']}0` }),
        changed(url.pathname, { expires: '0' }),
        changed(url.pathname, { signature: other }),
        changed(url.pathname, { signature: ofThumbnail }),
        changed(url.pathname, { signature: valid['signature']!.slice(0, -1) }),
        changed(url.pathname, { signature: `${valid['signature']!}A` }),
        changed(url.pathname, { signature: valid['signature']!.toUpperCase() }),
        changed(url.pathname, { signature: '' }),
      ]
      for (const address of addresses) {
        const replies = [await server.request('GET', address), await stranger.get(address)]
        for (const reply of replies) {
          expect(`${address}: ${reply.status}`).toMatch(/: (?:400|401|403|404)$/)
          expectNoImage(reply, address)
        }
      }
      expect((await server.request('HEAD', addresses[0]!)).status).toBe(403)
      // The address is the permission: it is valid for everyone who has it.
      expect((await stranger.get(pathOf(copy.url))).status).toBe(200)
    })

    test('the copy stays when the original is deleted, and a member who leaves gets no new address', async () => {
      const org = await createOrg(owner)
      await addMembers(owner, org, phone, member)
      const before = await usedStorage(phone)
      const { original, copy } = await shared(phone, org)
      expect(await usedStorage(phone)).toBe(before + original.size)
      const bytes = (await anonymously(original.url)).bytes

      ok(await phone.call('album.delete', { params: { id: original.id } }))
      expect(await usedStorage(phone)).toBe(before)
      for (const address of [original.url, original.thumbnailUrl!])
        expect((await anonymously(address)).status).toBe(404)
      await expectUnknownTo(phone, original)
      for (const address of [copy.url, copy.thumbnailUrl!]) expect((await anonymously(address)).status).toBe(200)
      expect(sha256((await anonymously(copy.url)).bytes)).toBe(sha256(bytes))

      const seen = ok(await member.call('album.get', { params: { id: copy.id } })).data
      ok(await leave(member, org))
      await expectUnknownTo(member, copy)
      expect((await member.get(`/api/album/org/${org.id}`)).status).toBe(403)
      expect((await owner.get(`/api/files/${copy.fileId}`)).status).toBe(200)
      if (inProcess) {
        // The addresses that the member has kept end within two hours.
        server.clock.advance(2 * HOUR)
        for (const address of [seen.url, seen.thumbnailUrl!]) {
          const reply = await anonymously(address)
          expect(reply.status).toBe(403)
          expectNoImage(reply, address)
        }
      }
    })

    test('the addresses of a shared copy end with the share', async () => {
      const org = await createOrg(owner)
      await addMembers(owner, org, member)
      const { original, copy, unshare } = await shared(owner, org)
      ok(await unshare())
      for (const address of [copy.url, copy.thumbnailUrl!]) expect((await anonymously(address)).status).toBe(404)
      await expectUnknownTo(owner, copy)
      await expectUnknownTo(member, copy)
      expect((await anonymously(original.url)).status).toBe(200)
    })

    test('the storage that GET /api/auth/quotas shows is the sum of the files of the user, or of the organization', async () => {
      const user = await server.person()
      const org = await createOrg(user)
      const sizes: number[] = []
      for (let i = 0; i < 3; i++) sizes.push((await shared(user, org)).original.size)
      const single = ok(await upload(user, await photograph())).data
      const files = ok(await user.call('album.list')).data.items
      expect(files.map(({ size }) => size).toSorted()).toEqual(sizes.toSorted())
      const sum = sizes.reduce((total, size) => total + size, 0)
      expect(await usedStorage(user)).toBe(sum + single.size)
      const quotas = (who: Person) => who.call('profile.quotas', { query: { orgId: org.id } })
      expect(ok(await quotas(user)).data.storage.used).toBe(sum)
      expect((await quotas(stranger)).status).toBe(403)
      ok(await user.call('files.delete', { params: { id: single.id } }))
      for (const { id } of files) ok(await user.call('album.delete', { params: { id } }))
      expect(await usedStorage(user)).toBe(0)
      // The copies stay.
      expect(ok(await quotas(user)).data.storage.used).toBe(sum)
    })
  })
