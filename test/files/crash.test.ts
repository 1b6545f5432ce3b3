/**
 * A kill during uploads leaves no row without bytes: 20 clients upload, the server is killed several times and started again on the
 * same data, every acknowledged file is there with its bytes, and the clean-up deletes the rest.
 */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'

import { send } from '../harness/client.ts'
import { Installation, type RunningCli } from '../ops/cli.ts'
import { text } from './helpers.ts'

const CLIENTS = 20
const KILLS = 5
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
  const acknowledged = new Map<number, string>()

  async function uploadUntilKilled(running: RunningCli, onFile: () => void): Promise<void> {
    for (;;) {
      const bytes = text(5000)
      const form = new FormData()
      form.set('file', new File([bytes], 'a.txt'))
      try {
        const reply = await send(running.url, 'POST', '/api/files/upload', { headers, body: form })
        if (reply.status !== 200) return
        acknowledged.set(reply.data.id, new Bun.CryptoHasher('sha256').update(bytes).digest('hex'))
        onFile()
      } catch {
        return
      }
    }
  }

  for (let round = 0; round < KILLS; round++) {
    const running = server
    let left = UPLOADS
    const onFile = (): void => {
      if (--left === 0) setTimeout(() => running.child.kill('SIGKILL'), Math.random() * 20)
    }
    await Promise.all(Array.from({ length: CLIENTS }, () => uploadUntilKilled(running, onFile)))
    await running.child.exited
    server = await start()
    expect((await stored()).staged).toEqual([])
  }

  expect(acknowledged.size).toBeGreaterThanOrEqual(KILLS * UPLOADS)
  for (const [id, sha256] of acknowledged) {
    const { status, data: file } = await send(server.url, 'GET', `/api/files/${id}`, { headers })
    expect(`${id}: ${status} ${file?.sha256}`).toBe(`${id}: 200 ${sha256}`)
  }
  const { data: quotas } = await send(server.url, 'GET', '/api/auth/quotas', { headers })
  expect(quotas.storage.used % 5000).toBe(0)
  expect(quotas.storage.used).toBeGreaterThanOrEqual(acknowledged.size * 5000)
  expect(await server.end()).toBe(0)

  // All rows have bytes with the right hash, and the counts of references and bytes are right.
  const before = await stored()
  for (const key of before.keys) await utimes(join(place.dataDir, 'files', key), 0, 0)
  const doctor = await place.run(['doctor', '--files'])
  expect(doctor.stdout).toContain('all hashes match')
  expect(doctor.stdout).not.toContain('is counted as used')
  expect(doctor.stdout).not.toContain('is recorded with')
  const unused = Number(/(\d+) files \([^)]*\) belong to nothing/.exec(doctor.stdout)?.[1] ?? 0)
  expect(before.keys.length).toBe(quotas.storage.used / 5000 + unused)
  console.log(`${KILLS} kills, ${acknowledged.size} files acknowledged, ${unused} left over without a row`)
}, 300_000)
