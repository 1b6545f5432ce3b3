/** An administrator publishes terms of service and an app version, and phones find both. */

import { describe, expect, test } from 'bun:test'

import { text } from '../files/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { fileStores } from '../harness/s3.ts'

const PACKAGE_SIZE = 3_000_000

for (const { name, config } of await fileStores())
  describe(`with ${name}`, () => {
    const { server, admin, phone, stranger } = useServer({ people: ['phone', 'stranger'], config })

    test('a phone finds the published terms, accepts them, and is asked again for the next version only', async () => {
      const current = (etag?: string) =>
        server.request('GET', '/api/agreement/current', {
          query: { type: 'SERVICE' },
          headers: etag === undefined ? {} : { 'if-none-match': etag },
        })
      const pending = async () => ok(await phone.call('profile.get')).data.pendingAgreements
      expect((await current()).status).toBe(404)
      expect(await pending()).toEqual([])

      const publish = (content: string) =>
        admin.call('agreements.publish', { body: { type: 'SERVICE', title: 'Terms of service', content } })
      expect((await phone.post('/api/admin/agreements', { type: 'SERVICE', title: 't', content: 'c' })).status).toBe(
        403,
      )
      ok(await publish('Be **kind**.'))
      const first = ok(await current())
      expect(first.data).toMatchObject({ type: 'SERVICE', version: 1, content: 'Be **kind**.' })
      expect(first.data.contentHtml).toContain('<strong>kind</strong>')
      const etag = first.headers.get('etag')!
      expect((await current(etag)).status).toBe(304)
      expect((await server.request('GET', '/public/agreement/service')).text).toContain('<strong>kind</strong>')

      expect(await pending()).toEqual([{ type: 'SERVICE', version: 1, title: 'Terms of service' }])
      const accept = (version: number) => phone.call('agreements.accept', { body: { type: 'SERVICE', version } })
      const accepted = ok(await accept(1)).data
      expect(await pending()).toEqual([])
      expect(ok(await accept(1)).data).toEqual(accepted)

      ok(await publish('Be **very kind**.'))
      expect(await pending()).toEqual([{ type: 'SERVICE', version: 2, title: 'Terms of service' }])
      expect((await accept(1)).status).toBe(400)
      const second = ok(await current(etag))
      expect(second.data.version).toBe(2)
      ok(await accept(2))
      expect(await pending()).toEqual([])
    })

    test('a phone finds the published app version and downloads it in parts whose SHA-256 matches', async () => {
      const bytes = text(PACKAGE_SIZE)
      const check = async (versionCode: number) =>
        ok(await server.call('appUpdates.check', { query: { versionCode } })).data
      const download = (headers: Record<string, string> = {}) =>
        server.request('GET', '/api/app/download/app-14.apk', { headers })
      expect(await check(13)).toMatchObject({ hasUpdate: false, versionCode: null })

      const put = { body: bytes, headers: { 'content-type': 'application/octet-stream' } }
      expect((await stranger.send('PUT', '/api/app/packages/app-14.apk', put)).status).toBe(403)
      expect((await server.request('PUT', '/api/app/packages/app-14.apk', put)).status).toBe(401)
      const stored = ok(await admin.send('PUT', '/api/app/packages/app-14.apk', put)).data
      expect(stored).toMatchObject({ fileName: 'app-14.apk', fileSize: PACKAGE_SIZE })
      expect((await download()).status).toBe(404)
      const body = {
        versionCode: 14,
        versionName: '1.4.0',
        downloadUrl: stored.downloadUrl,
        releaseNotes: '- **Faster**',
      }
      ok(await admin.call('appUpdates.publish', { body: { ...body, isMajor: 0, forceUpdate: 1 } }))

      const found = await check(13)
      expect(found).toMatchObject({ hasUpdate: true, versionCode: 14, forceUpdate: 1, fileSize: PACKAGE_SIZE })
      expect(found.releaseNotesHtml).toContain('<strong>Faster</strong>')
      expect((await check(14)).hasUpdate).toBe(false)

      // The connection breaks several times; the phone continues where it stopped.
      const whole = new Bun.CryptoHasher('sha256')
      let received = 0
      let etag = ''
      while (received < PACKAGE_SIZE) {
        const until = Math.min(received + 700_001, PACKAGE_SIZE) - 1
        const part = await download({ range: `bytes=${received}-${until}`, ...(etag !== '' && { 'if-range': etag }) })
        expect(part.status).toBe(206)
        expect(part.headers.get('content-range')).toBe(`bytes ${received}-${until}/${PACKAGE_SIZE}`)
        etag = part.headers.get('etag')!
        whole.update(part.bytes)
        received += part.bytes.length
      }
      expect(whole.digest('hex')).toBe(found.sha256!)
      const complete = ok(await download())
      expect(Buffer.from(complete.bytes).equals(bytes)).toBe(true)
      expect(complete.headers.get('repr-digest')).toBe(
        `sha-256=:${Buffer.from(found.sha256!, 'hex').toString('base64')}:`,
      )
      expect((await download({ range: `bytes=${PACKAGE_SIZE}-` })).status).toBe(416)
      for (const path of ['..%2fkeys%2fsigning.key', '../keys/signing.key', 'app-14.apk%00', '.staging', 'app-15.apk'])
        expect((await server.request('GET', `/api/app/download/${path}`)).status).not.toBe(200)
    })
  })
