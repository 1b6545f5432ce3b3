/**
 * Hostile files over HTTP, by both ways to upload: each is answered soon with the expected outcome, nothing but images is shown by a
 * browser, no temporary file is left, and the server goes on.
 */

import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { ok, useServer } from '../harness/index.ts'
import { pathOf, png, putBytes, upload, uploaded } from './helpers.ts'
import { type HostileFile, hostileFiles } from './hostile.ts'

const { server, alice } = useServer({ people: ['alice'] })

const contentOf = (url: string) => server.request('GET', pathOf(url))

interface Outcome {
  readonly status: number
  readonly id: number | undefined
}

/** Statuses of a refusal: too many pixels, a type that is not accepted, or no bytes. */
const REFUSALS = [400, 413, 415]

async function expectOutcome({ expected, name }: HostileFile, { status, id }: Outcome): Promise<void> {
  if (expected === 'refused') {
    expect(`${name}: ${REFUSALS.includes(status)} ${status}`).toBe(`${name}: true ${status}`)
    return
  }
  expect(`${name}: ${status}`).toBe(`${name}: 200`)
  const file = ok(await alice.call('files.get', { params: { id: id! } })).data
  const isImage = expected === 'stored as image'
  expect(file.mime.startsWith('image/')).toBe(isImage)
  // oxlint-disable-next-line no-control-regex -- names must not contain these characters
  expect(file.name).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069/\\]+$/)
  expect(new TextEncoder().encode(file.name).length).toBeLessThanOrEqual(255)
  for (const url of [file.url, file.url.replace('disposition=attachment', 'disposition=inline')]) {
    const answer = await contentOf(url)
    // A signed URL that was edited is refused.
    expect([200, 403]).toContain(answer.status)
    if (answer.status !== 200) continue
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-security-policy')).toContain('sandbox')
    expect(answer.headers.get('content-disposition')).toStartWith(isImage ? 'inline' : 'attachment')
    expect(answer.headers.get('content-type')).toBe(file.mime)
  }
  ok(await alice.call('files.delete', { params: { id: id! } }))
}

async function byForm(file: HostileFile, bytes: Uint8Array<ArrayBuffer>): Promise<Outcome> {
  const { status, data } = await upload(alice, bytes, { type: 'other', name: file.fileName }, 'file')
  return { status, id: data?.id }
}

async function byTicket(file: HostileFile, bytes: Uint8Array<ArrayBuffer>): Promise<Outcome> {
  const ticket = ok(await alice.call('files.createTicket', { body: { name: file.fileName, size: bytes.length } })).data
  ok(await putBytes(server, ticket, bytes))
  const { status, data } = await alice.call('files.finishUpload', { body: { uploadId: ticket.uploadId } })
  return { status, id: data?.id }
}

describe('hostile files', () => {
  test('come in at least 60 kinds', () => expect(hostileFiles.length).toBeGreaterThanOrEqual(60))

  for (const [i, file] of hostileFiles.entries())
    test(`${file.name} is ${file.expected}`, async () => {
      const bytes = new Uint8Array(file.bytes())
      // Decoding takes most of the time, so each file goes one of the two ways.
      await expectOutcome(
        file,
        i % 2 === 0 || bytes.length === 0 ? await byForm(file, bytes) : await byTicket(file, bytes),
      )
      if (file.expected === 'stored as attachment')
        expect((await upload(alice, bytes, { type: 'album', name: file.fileName })).status).toBe(415)
      expect(await readdir(join(server.dataDir, 'files', '.staging'))).toEqual([])
    })

  test('leave a server that stores images', async () => {
    await uploaded(alice, png(), { type: 'album' })
  })
})
