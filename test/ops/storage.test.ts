/** The store of files as operators see it: doctor, health, backup and start, with a full disk and with S3. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { defaultConfig } from '#config/config.ts'
import { openBlobs } from '#platform/blobs/index.ts'

import { pathOf, png, text } from '../files/helpers.ts'
import { ok, type Reply, send } from '../harness/client.ts'
import { race } from '../harness/race.ts'
import { CERTIFICATE, S3_SECRET, startS3 } from '../harness/s3.ts'
import { Installation, OWN_MOUNTS, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const ADMIN = { TESSERA_ADMIN_USERNAME: 'root', TESSERA_ADMIN_PASSWORD: 'correct horse battery' }

interface Finding {
  check: string
  verdict: string
  message: string
}

interface FilesHealth {
  status: string
  storage: string
  problem: string | null
}

/** Signs the administrator in. Returns a function that reads the status of the server and of its store of files. */
async function monitor(server: RunningCli) {
  const device = { 'x-device-id': 'device-of-the-monitor-long' }
  const body = { account: ADMIN.TESSERA_ADMIN_USERNAME, password: ADMIN.TESSERA_ADMIN_PASSWORD }
  const { data } = await send(server.url, 'POST', '/api/admin/auth/login', { headers: device, body })
  const headers = { ...device, authorization: `Bearer ${data.accessToken}` }
  return async (): Promise<{ status: string; files: FilesHealth }> => {
    const answer = await fetch(`${server.url}/actuator/health`, { headers })
    const { status, components } = (await answer.json()) as { status: string; components: { files: FilesHealth } }
    return { status, files: components.files }
  }
}

/** Registers a user. Returns the headers of the user's requests. */
async function register(server: RunningCli): Promise<Record<string, string>> {
  const device = { 'x-device-id': 'device-of-ann-long-enough' }
  const body = { username: 'ann', password: 'a password of somebody' }
  const { status, data } = await send(server.url, 'POST', '/api/auth/register', { headers: device, body })
  expect(status).toBe(200)
  return { ...device, authorization: `Bearer ${data.accessToken}` }
}

function uploadNote(server: RunningCli, headers: Record<string, string>): Promise<Reply> {
  const body = new FormData()
  body.set('file', new File(['x'.repeat(30_000)], 'note.txt'))
  return send(server.url, 'POST', '/api/files/upload', { headers, body })
}

async function doctor(env: Record<string, string> = {}) {
  const { code, stdout } = await place.run(['doctor', '--json'], { env })
  const found = JSON.parse(stdout) as Finding[]
  return { code, storage: found.find(({ check }) => check === 'storage') }
}

/** A user who uploads in both ways. */
async function uploader(server: RunningCli) {
  const device = { 'x-device-id': 'device-of-the-uploader-long' }
  const body = { username: 'ann', password: 'a password of somebody' }
  const { data } = ok(await send(server.url, 'POST', '/api/auth/register', { headers: device, body }))
  const headers = { ...device, authorization: `Bearer ${data.accessToken}` }
  const post = (path: string, content: unknown) => send(server.url, 'POST', path, { headers, body: content })
  return {
    async byForm(bytes: Uint8Array<ArrayBuffer>): Promise<Reply> {
      const form = new FormData()
      form.set('file', new File([bytes], 'file'))
      return post('/api/files/upload', form)
    },
    askForLink: async (size: number) => ok(await post('/api/files/sts-token', { name: 'file', size })).data,
    sendBytes: (link: { url: string }, bytes: Uint8Array<ArrayBuffer>) =>
      send(server.url, 'PUT', pathOf(link.url), { body: bytes }),
    finish: ({ uploadId }: { uploadId: string }) => post('/api/files/callback', { uploadId }),
    get: (path: string) => send(server.url, 'GET', path, { headers }),
    delete: (id: number) => send(server.url, 'DELETE', `/api/files/${id}`, { headers }),
    addCode: () => post('/api/qr-codes', { name: 'Door', content: 'https://example.org' }),
    /** On another device: a second session of the same one ends the first. */
    signIn: () =>
      send(server.url, 'POST', '/api/auth/login', {
        headers: { 'x-device-id': 'another-device-of-the-uploader' },
        body: { account: 'ann', password: body.password },
      }),
    storage: async (): Promise<number> =>
      ok(await send(server.url, 'GET', '/api/auth/quotas', { headers })).data.storage.used,
  }
}

const CANNOT_STORE = { status: 503, message: 'The server cannot store or read files at the moment' }

test('a full disk under the files refuses uploads, leaves everything else working, and is over as soon as there is space', async () => {
  const folder = join(place.dataDir, 'files')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const script = `mount -t tmpfs -o size=2m,mode=700 none "${folder}" && { cat /dev/zero > "${folder}/.filler" 2>/dev/null; exec "$0" "$@"; }`
  const env = { ...ADMIN, TESSERA_RATE_LIMIT: 'off', TESSERA_LOG_LEVEL: 'info' }
  const server = await place.serve([], { env, before: [...OWN_MOUNTS, script] })
  // The mount is visible only to the server.
  const mounted = `/proc/${server.child.pid}/root${folder}`
  const health = await monitor(server)
  const full = `The folder of files ${folder} is on a disk that is full: free some space and try again. No saved data is lost.`
  expect(await health()).toEqual({ status: 'UP', files: { status: 'DOWN', storage: 'LOCAL', problem: full } })

  const ann = await uploader(server)
  const bytes = text(100_000)
  const waiting = await ann.askForLink(bytes.length)
  const attempts = await race(20, (i) =>
    i % 2 ? ann.byForm(i % 4 === 1 ? text() : png()) : ann.sendBytes(waiting, bytes),
  )
  for (const refused of attempts) {
    expect(refused).toMatchObject(CANNOT_STORE)
    expect(refused.headers.get('retry-after')).toBe('30')
  }
  ok(await ann.signIn())
  ok(await ann.addCode())
  // Only the link reserves storage.
  expect(await ann.storage()).toBe(bytes.length)
  expect(readdirSync(join(mounted, '.staging'))).toEqual([])

  rmSync(join(mounted, '.filler'))
  expect(await health()).toEqual({ status: 'UP', files: { status: 'UP', storage: 'LOCAL', problem: null } })
  ok(await ann.sendBytes(waiting, bytes))
  const file = ok(await ann.finish(waiting)).data
  ok(await ann.byForm(png()))

  // The disk becomes full in the middle of uploads at the same time. Those that fit are stored.
  const replies = await race(6, () => ann.byForm(text(600_000)))
  const stored = replies.filter(({ status }) => status === 200)
  expect(stored.length).toBeLessThan(4)
  for (const reply of replies) if (reply.status !== 200) expect(reply).toMatchObject(CANNOT_STORE)
  expect((await ann.byForm(text(3_000_000))).status).toBe(503)
  expect((await ann.get(`/api/files/${file.id}/content`)).bytes).toEqual(bytes)
  expect(readdirSync(join(mounted, '.staging'))).toEqual([])

  // Deleting files frees space too.
  for (const { data } of stored) ok(await ann.delete(data.id))
  const used = await ann.storage()
  // The bytes go a moment after the answer.
  const last = text(600_000)
  while ((await ann.byForm(last)).status === 503) await Bun.sleep(20)
  expect(await ann.storage()).toBe(used + 600_000)
  expect(await server.end()).toBe(0)
  const reports = server
    .stderr()
    .split('\n')
    .filter((line) => line.includes('files cannot be stored or read'))
  expect(reports.length).toBeGreaterThan(3)
  for (const line of reports) expect(line).toContain('"kind":"full"')
})

test('doctor checks the folder of files once it exists', async () => {
  expect((await doctor()).storage).toBeUndefined()
  await (await place.serve()).end()
  expect(await doctor()).toEqual({
    code: 0,
    storage: { check: 'storage', verdict: 'OK', message: `files are in the folder ${join(place.dataDir, 'files')}` },
  })
})

test('a start with a wrong address of the bucket ends with exit code 2 and names the mistake', async () => {
  const env = { TESSERA_STORAGE_URL: 's3://KEY:hunter2@s3.example.org?region=x' }
  const { code, stdout, stderr } = await place.run(['serve'], { env })
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toContain('TESSERA_STORAGE_URL must be the complete address of a bucket')
  expect(stderr).toContain('the bucket is missing')
  expect(stderr).not.toContain('hunter2')
  const shown = await place.run(['check-config'], { env: { TESSERA_STORAGE_URL: 's3://KEY:hunter2@h/files' } })
  expect(shown.code).toBe(0)
  expect(shown.stdout).toMatch(/TESSERA_STORAGE_URL +s3:\/\/KEY:\*\*\*@h\/files +TESSERA_STORAGE_URL/)
})

const s3 = await startS3()
const encrypted = await startS3({ tls: true })

describe.skipIf(s3 === undefined)('S3', () => {
  test('doctor says whether the bucket can be written, read and deleted from', async () => {
    const good = await doctor({ TESSERA_STORAGE_URL: s3!.storageUrl() })
    expect(good.code).toBe(0)
    expect(good.storage).toMatchObject({ verdict: 'OK', message: `files are in the bucket files at ${s3!.host}` })

    const refused = await doctor({ TESSERA_STORAGE_URL: s3!.storageUrl({ secret: 'hunter2/hunter2' }) })
    expect(refused.code).toBe(1)
    expect(refused.storage?.verdict).toBe('FAIL')
    expect(refused.storage?.message).toStartWith(`The bucket files at ${s3!.host} refuses access (`)
    expect(refused.storage?.message).not.toContain('hunter2')

    const missing = await doctor({ TESSERA_STORAGE_URL: s3!.storageUrl({ bucket: 'nowhere' }) })
    expect(missing.storage?.message).toContain('does not exist (NoSuchBucket)')
  })

  test('doctor accepts the certificate of an authority in NODE_EXTRA_CA_CERTS, and no other', async () => {
    const env = { TESSERA_STORAGE_URL: encrypted!.storageUrl() }
    const other = await doctor(env)
    expect(other.storage?.verdict).toBe('FAIL')
    expect(other.storage?.message).toContain('has no trusted certificate (')
    expect((await doctor({ ...env, NODE_EXTRA_CA_CERTS: CERTIFICATE })).storage).toMatchObject({ verdict: 'OK' })
  })

  test('health shows the bucket to administrators, and a lost S3 server does not make the server DOWN', async () => {
    const env = { ...ADMIN, TESSERA_STORAGE_URL: s3!.storageUrl() }
    const server = await place.serve([], { env })
    expect(await (await monitor(server))()).toEqual({
      status: 'UP',
      files: { status: 'UP', storage: 'OSS', problem: null },
    })
    expect(await server.end()).toBe(0)

    const lost = await place.serve([], {
      env: { ...env, TESSERA_STORAGE_URL: s3!.storageUrl({ host: '127.0.0.1:9' }) },
    })
    const { status, files } = await (await monitor(lost))()
    expect(status).toBe('UP')
    expect(files).toMatchObject({ status: 'DOWN', storage: 'OSS' })
    expect(files.problem).toStartWith('The bucket files at 127.0.0.1:9 cannot be reached')
    expect(await lost.end()).toBe(0)
    expect(lost.stderr()).not.toContain(S3_SECRET)
  })

  test('doctor --files finds bytes that the bucket has lost, and a restored database finds its files there', async () => {
    const env = { TESSERA_STORAGE_URL: s3!.storageUrl({ prefix: 'doctor' }) }
    const server = await place.serve([], { env })
    const headers = await register(server)
    const { data: file } = await uploadNote(server, headers)
    await server.end()
    const files = async () => {
      const { code, stdout } = await place.run(['doctor', '--files', '--json'], { env })
      const found = JSON.parse(stdout) as Finding[]
      return { code, messages: found.filter(({ check }) => check === 'files').map(({ message }) => message) }
    }
    expect(await files()).toEqual({ code: 0, messages: [expect.stringMatching(/^1 files, .*all hashes match$/)] })

    const archive = join(place.home, 'backup.tar.zst')
    expect((await place.run(['backup', archive], { env })).code).toBe(0)
    rmSync(place.dataDir, { recursive: true })
    if (place.databaseUrl !== '') await place.newDatabase()
    const restored = await place.run(['restore', archive, '--keep-sessions'], { env })
    expect(`${restored.code} ${restored.stderr}`).toStartWith('0 ')
    const again = await place.serve([], { env })
    const content = await fetch(`${again.url}/api/files/${file.id}/content`, { headers })
    expect([content.status, (await content.text()).length]).toEqual([200, 30_000])
    await again.end()

    const blobs = openBlobs({ ...defaultConfig, storageUrl: env.TESSERA_STORAGE_URL })
    for await (const { key } of blobs.list('')) await blobs.delete(key)
    const lost = await files()
    expect(lost.code).toBe(1)
    expect(lost.messages.join()).toContain(`${file.sha256}`)
    expect(lost.messages.join()).toContain('is missing')
  })

  test('backup says that it does not include the bucket', async () => {
    const env = { TESSERA_STORAGE_URL: s3!.storageUrl() }
    await (await place.serve([], { env })).end()
    const text = await place.run(['backup'], { env })
    expect(text.code).toBe(0)
    expect(text.stdout).toContain(`It does not include uploaded files: they are in the bucket files at ${s3!.host}.`)
    const json = await place.run(['backup', join(place.home, 'x.tar.zst'), '--json'], { env })
    expect(JSON.parse(json.stdout)).toMatchObject({ notIncluded: `the bucket files at ${s3!.host}` })
    expect((await place.run(['backup', join(place.home, 'y.tar.zst')])).stdout).not.toContain('not include')
  })
})
