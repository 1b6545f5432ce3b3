/**
 * A kill during uploads leaves no row without bytes: 20 clients upload, the server is killed several times and started again on the
 * same data, every acknowledged file is there with its bytes, and the clean-up deletes the rest.
 */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'

import { send } from '../harness/client.ts'
import { Installation, onPostgres, type RunningCli } from '../ops/cli.ts'
import { pathOf, png, text } from './helpers.ts'

const CLIENTS = 20
/** On PostgreSQL the rows are in another process, which a kill does not interrupt. */
const KILLS = onPostgres ? 2 : 5
/** Uploads that are acknowledged before a kill. */
const UPLOADS = 40

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const start = (): Promise<RunningCli> =>
  place.serve([], { env: { TESSERA_RATE_LIMIT: 'off', TESSERA_LOG_LEVEL: 'error' } })

/** All stored files by key, and the temporary ones. */
async function stored(): Promise<{ keys: string[]; staged: string[] }> {
  const folder = join(place.dataDir, 'files')
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const keys = paths.map((path) => path.slice(folder.length + 1))
  return {
    keys: keys.filter((key) => !key.startsWith('.')),
    staged: keys.filter((key) => key.startsWith('.staging')),
  }
}

test(`${KILLS} kills while ${CLIENTS} clients upload lose no acknowledged file and leave no row without bytes`, async () => {
  let server = await start()
  const device = { 'x-device-id': 'device-of-the-uploader-long-enough' }
  const account = { username: 'uploader', password: 'a password of a client' }
  const { data } = await send(server.url, 'POST', '/api/auth/register', { headers: device, body: account })
  const headers = { ...device, authorization: `Bearer ${data.accessToken}` }
  /** SHA-256 by id. */
  const acknowledged = new Map<number, string>()
  const images: number[] = []
  let killed = false
  /** Links whose bytes the server has acknowledged, and not yet the file: SHA-256 by upload id. */
  const waiting = new Map<string, string>()
  const hashOf = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

  const post = async (running: RunningCli, path: string, body: unknown) => {
    const { status, data, text: answer } = await send(running.url, 'POST', path, { headers, body })
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${answer}`)
    return data
  }
  async function uploadByForm(running: RunningCli, type: 'text' | 'image'): Promise<void> {
    const bytes = type === 'text' ? text(5000) : png()
    const form = new FormData()
    form.set('file', new File([bytes], 'a file'))
    const { id, sha256 } = await post(running, '/api/files/upload', form)
    // Images are stored as other bytes than those that were sent.
    acknowledged.set(id, type === 'text' ? hashOf(bytes) : sha256)
    if (type === 'image') images.push(id)
  }
  async function uploadByLink(running: RunningCli): Promise<void> {
    const bytes = text(5000)
    const { uploadId, url } = await post(running, '/api/files/sts-token', { name: 'a file', size: bytes.length })
    const { status } = await send(running.url, 'PUT', pathOf(url), { body: bytes })
    if (status !== 200) throw new Error(`the bytes were answered ${status}`)
    waiting.set(uploadId, hashOf(bytes))
    const { id } = await post(running, '/api/files/callback', { uploadId })
    waiting.delete(uploadId)
    acknowledged.set(id, hashOf(bytes))
  }

  async function uploadUntilKilled(running: RunningCli, i: number, onFile: () => void): Promise<void> {
    for (;;)
      try {
        if (i % 3 === 0) await uploadByForm(running, 'text')
        else if (i % 3 === 1) await uploadByLink(running)
        else await uploadByForm(running, 'image')
        onFile()
      } catch (error) {
        if (killed) return
        throw error
      }
  }

  for (let round = 0; round < KILLS; round++) {
    const running = server
    let left = UPLOADS
    killed = false
    const kill = (): void => {
      killed = true
      running.child.kill('SIGKILL')
    }
    const onFile = (): void => {
      if (--left === 0) setTimeout(kill, Math.random() * 20)
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, i) => uploadUntilKilled(running, i, onFile)))
    await running.child.exited
    server = await start()
    expect((await stored()).staged).toEqual([])
  }

  expect(acknowledged.size).toBeGreaterThanOrEqual(KILLS * UPLOADS)
  // Uploads whose bytes were acknowledged can be finished, also if the server had made the file and the answer was lost.
  const resumed = waiting.size
  for (const [uploadId, sha256] of waiting) {
    const file = await post(server, '/api/files/callback', { uploadId })
    expect(file.sha256).toBe(sha256)
    acknowledged.set(file.id, sha256)
  }
  for (const [id, sha256] of acknowledged) {
    const { status, data: file } = await send(server.url, 'GET', `/api/files/${id}`, { headers })
    expect(`${id}: ${status} ${file?.sha256}`).toBe(`${id}: 200 ${sha256}`)
  }
  expect(images.length).toBeGreaterThan(0)
  for (const id of images) {
    const path = `/api/files/${id}/content`
    const { status, bytes } = await send(server.url, 'GET', path, { headers, query: { variant: 'THUMBNAIL' } })
    expect(`${id}: ${status}`).toBe(`${id}: 200`)
    expect((await new Bun.Image(bytes).metadata()).width).toBe(64)
  }
  expect(await server.end()).toBe(0)

  // All rows have bytes with the right hash, and the counts of references and bytes are right.
  const before = (await stored()).keys.filter((key) => !key.startsWith('uploads/'))
  for (const key of before) await utimes(join(place.dataDir, 'files', key), 0, 0)
  const doctor = await place.run(['doctor', '--files'])
  expect(doctor.code).toBe(0)
  expect(doctor.stdout).not.toContain('is counted as used')
  expect(doctor.stdout).not.toContain('is recorded with')
  const [, referred] = /(\d+) files, [^,]*, all hashes match/.exec(doctor.stdout)!
  const unused = Number(/(\d+) files \([^)]*\) belong to nothing/.exec(doctor.stdout)?.[1] ?? 0)
  expect(before.length).toBe(Number(referred) + unused)
  console.log(
    `${KILLS} kills, ${acknowledged.size} files acknowledged, ${resumed} uploads resumed, ${unused} left over without a row`,
  )
})
