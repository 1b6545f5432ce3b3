/** Voice messages that browsers have recorded. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { setSetting } from '#domains/settings/index.ts'

import { pathOf, upload, uploaded } from '../files/helpers.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { connect, relate, send } from './helpers.ts'

const recorded = (name: string) => Bun.file(join(import.meta.dir, '../fixtures/voice', name)).bytes()

describe.if(inProcess)('voice messages of browsers', () => {
  const { server, alice, bob, mallory } = useServer({
    people: ['alice', 'bob', 'mallory'],
    settings: { 'chat.messagesPerMinute': 0 },
  })
  const ids: Record<string, number> = {}
  const voice = (fileId: number, durationMs: number) =>
    send(alice, { toUserId: bob.id, type: 'VOICE', content: { fileId, durationMs } })

  beforeAll(async () => {
    await connect(server, alice, bob)
    await relate(server, mallory, alice)
    for (const name of ['chromium.webm', 'firefox.webm', 'firefox.ogg', 'chromium.mp4'])
      ids[name] = (await uploaded(alice, await recorded(name), { name })).id
  })

  const TYPES = [
    ['chromium.webm', 'audio/webm'],
    ['firefox.webm', 'audio/webm'],
    ['firefox.ogg', 'audio/ogg'],
    ['chromium.mp4', 'audio/mp4'],
  ] as const
  for (const [name, mime] of TYPES)
    test(`${name} is sent, and arrives as ${mime} that no browser shows as a page`, async () => {
      const { messages } = ok(await voice(ids[name]!, 400)).data
      const bytes = await recorded(name)
      const { content } = messages[0]
      expect(content).toMatchObject({ fileId: ids[name], durationMs: 400, size: bytes.length, mime })
      const got = await server.request('GET', pathOf(content.url))
      expect(got.bytes).toEqual(bytes)
      expect(got.headers.get('content-type')).toBe(mime)
      expect(got.headers.get('x-content-type-options')).toBe('nosniff')
      expect(got.headers.get('content-disposition')).toStartWith(`attachment; filename="${name}"`)
      expect(got.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    })

  test('a length that the recording does not have is refused with the true one, and nothing is stored', async () => {
    for (const name of ['chromium.webm', 'firefox.ogg'])
      for (const durationMs of [3000, 600_000]) {
        const { status, code, details } = await voice(ids[name]!, durationMs)
        expect([status, code]).toEqual([400, 4021])
        expect(details).toMatchObject([{ path: 'body.content.durationMs' }])
        expect(details[0]!.message).toMatch(/must be the length of the recording: (3|4)\d\d$/)
      }
    expect((await voice(ids['chromium.webm']!, 0)).code).toBe(4021)
    // The microphone takes a moment, so clients measure a little more.
    ok(await voice(ids['chromium.webm']!, 2200))
    // The length of MP4 is not measured.
    ok(await voice(ids['chromium.mp4']!, 60_000))
  })

  test('a recording is no picture and no video, and that of another user is not sent', async () => {
    const fileId = ids['firefox.webm']
    for (const type of ['IMAGE', 'VIDEO']) {
      const { status, code } = await send(alice, { toUserId: bob.id, type, content: { fileId } })
      expect([status, code]).toEqual([400, 4021])
    }
    const content = { fileId, durationMs: 400 }
    expect((await send(mallory, { toUserId: alice.id, type: 'VOICE', content })).code).toBe(4021)
    ok(await send(alice, { toUserId: bob.id, type: 'FILE', content: { fileId } }))
  })

  test('files that only begin as a recording, or promise a picture, are refused', async () => {
    const webm = await recorded('firefox.webm')
    const page = Buffer.from('<html><script>alert(1)</script></html>')
    for (const bytes of [
      Buffer.concat([webm, page]),
      Buffer.concat([webm.subarray(0, 400), page]),
      webm.subarray(0, 300),
    ])
      expect((await upload(alice, new Uint8Array(bytes), { name: 'voice.webm' })).status).toBe(415)
    expect((await upload(alice, webm, { name: 'photo.jpg' })).status).toBe(415)
    expect((await uploaded(alice, webm, { name: 'voice.html' })).name).toBe('voice.webm')
    expect((await uploaded(alice, await recorded('firefox.ogg'), { name: '../voice.oga' })).name).toBe('voice.oga')
  })

  test('administrators can refuse recordings by the types of uploads', async () => {
    const set = (types: string[]) => server.ctx.db.write('test', (tx) => setSetting(tx, 'upload.types', types as never))
    await set(['image/png', 'audio/ogg'])
    expect((await upload(alice, await recorded('firefox.webm'))).status).toBe(415)
    await uploaded(alice, await recorded('firefox.ogg'))
  })
})
