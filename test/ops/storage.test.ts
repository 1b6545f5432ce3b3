/** The store of files as operators see it: doctor, health, backup and start, with a full disk and with S3. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { send } from '../harness/client.ts'
import { CERTIFICATE, S3_SECRET, startS3 } from '../harness/s3.ts'
import { Installation, OWN_MOUNTS, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const ADMIN = { TESSERA_ADMIN_USERNAME: 'root', TESSERA_ADMIN_PASSWORD: 'correct horse battery' }

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

async function doctor(env: Record<string, string> = {}) {
  const { code, stdout } = await place.run(['doctor', '--json'], { env })
  const found = JSON.parse(stdout) as { check: string; verdict: string; message: string }[]
  return { code, storage: found.find(({ check }) => check === 'storage') }
}

test('a full disk under the files leaves everything else working, and is over as soon as there is space', async () => {
  const folder = join(place.dataDir, 'files')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const script = `mount -t tmpfs -o size=2m,mode=700 none "${folder}" && { cat /dev/zero > "${folder}/.filler" 2>/dev/null; exec "$0" "$@"; }`
  const env = { ...ADMIN, TESSERA_RATE_LIMIT: 'off', TESSERA_LOG_LEVEL: 'info' }
  const server = await place.serve([], { env, before: [...OWN_MOUNTS, script] })
  const health = await monitor(server)
  const full = `The folder of files ${folder} is on a disk that is full: free some space and try again. No saved data is lost.`
  expect(await health()).toEqual({ status: 'UP', files: { status: 'DOWN', storage: 'LOCAL', problem: full } })
  const device = { 'x-device-id': 'device-of-ann-long-enough' }
  const person = { username: 'ann', password: 'a password of somebody' }
  const registered = await send(server.url, 'POST', '/api/auth/register', { headers: device, body: person })
  expect(registered.status).toBe(200)
  const headers = { ...device, authorization: `Bearer ${registered.data.accessToken}` }
  const upload = async (): Promise<number> => {
    const body = new FormData()
    body.set('file', new File(['x'.repeat(30_000)], 'note.txt'))
    return (await send(server.url, 'POST', '/api/files/upload', { headers, body })).status
  }
  const statuses = await Promise.all(Array.from({ length: 20 }, upload))
  expect(new Set(statuses)).toEqual(new Set([503]))
  const code = { name: 'Menu', content: 'https://example.org' }
  expect((await send(server.url, 'POST', '/api/qr-codes', { headers, body: code })).status).toBe(200)
  const quotas = await send(server.url, 'GET', '/api/auth/quotas', { headers })
  expect(quotas.data.storage.used).toBe(0)

  // The mount is visible only to the server.
  rmSync(`/proc/${server.child.pid}/root${folder}/.filler`)
  expect(await health()).toEqual({ status: 'UP', files: { status: 'UP', storage: 'LOCAL', problem: null } })
  expect(await upload()).toBe(200)
  expect(await server.end()).toBe(0)
})

test('doctor checks the folder of files once it exists', async () => {
  expect((await doctor()).storage).toBeUndefined()
  await (await place.serve()).end()
  expect(await doctor()).toEqual({
    code: 0,
    storage: { check: 'storage', verdict: 'OK', message: `files are in the folder ${join(place.dataDir, 'files')}` },
  })
})

test('a start with a wrong address of the bucket ends with exit code 2 and says what is wrong', async () => {
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
