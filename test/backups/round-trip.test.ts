/** Backups of the console and the command line: one restores the other's, and a killed server leaves nothing that looks good. */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { send } from '../harness/client.ts'
import { Installation, onPostgres, type RunningCli } from '../ops/cli.ts'

const ADMIN = { username: 'root', password: 'correct horse battery' }
const env = { TESSERA_ADMIN_USERNAME: ADMIN.username, TESSERA_ADMIN_PASSWORD: ADMIN.password }

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const backups = () => join(place.dataDir, 'backups')
const archives = () => readdirSync(backups()).filter((name) => /\.(zst|gz)$/.test(name))

/** The administrator of a running server. */
async function signIn({ url }: RunningCli) {
  const device = { 'x-device-id': `device-of-the-administrator-${crypto.randomUUID()}` }
  const body = { account: ADMIN.username, password: ADMIN.password }
  const { data } = await send(url, 'POST', '/api/admin/auth/login', { body, headers: device })
  const headers = { ...device, authorization: `Bearer ${data.accessToken}` }
  return async (method: string, path: string, sent?: object) => {
    const reply = await send(url, method, path, { headers, ...(sent && { body: sent }) })
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`)
    return reply.data
  }
}
type Administrator = Awaited<ReturnType<typeof signIn>>

async function idle(admin: Administrator) {
  for (let i = 0; i < 2400; i++) {
    const found = await admin('GET', '/api/admin/backups')
    if (!found.isBusy) return found.items
    await Bun.sleep(50)
  }
  throw new Error('a backup has not ended within two minutes')
}

test('a downloaded backup is restored by the command line, and one of the command line is listed and verified', async () => {
  let server = await place.serve([], { env })
  let admin = await signIn(server)
  await admin('POST', '/api/qr-codes', { name: 'Before', content: 'https://example.org/before' })
  const { name } = await admin('POST', '/api/admin/backups', {})
  await idle(admin)
  const { url } = await admin('POST', `/api/admin/backups/${name}/download-link`)
  const path = (url as string).slice(new URL(url).origin.length)
  const file = join(place.home, 'downloaded.tar.zst')
  await Bun.write(file, await fetch(server.url + path))
  await admin('POST', '/api/qr-codes', { name: 'After', content: 'https://example.org/after' })

  const cli = await place.run(['backup', join(backups(), 'by-hand.tar.zst')])
  expect(cli).toMatchObject({ code: 0 })
  const found = await idle(admin)
  const own = found.find((one: { name: string }) => one.name !== name)
  expect(own).toMatchObject({
    state: 'READY',
    source: 'COMMAND_LINE',
    createdBy: null,
    verification: { state: 'NONE' },
  })
  await admin('POST', `/api/admin/backups/${own.name}/verify`)
  expect((await idle(admin)).find((one: { name: string }) => one.name === own.name)).toMatchObject({
    source: 'COMMAND_LINE',
    verification: { state: 'GOOD' },
  })

  await server.end()
  if (onPostgres) await place.newDatabase()
  const restored = await place.run(['restore', file])
  expect(restored, restored.stderr).toMatchObject({ code: 0 })
  server = await place.serve([], { env })
  admin = await signIn(server)
  const { items } = await admin('GET', '/api/qr-codes')
  expect(items.map((one: { name: string }) => one.name)).toEqual(['Before'])
  // The copied database says that this backup is being made; the folder says that it is complete.
  expect((await idle(admin)).find((one: { name: string }) => one.name === name)).toMatchObject({ state: 'READY' })
  await admin('POST', '/api/admin/backups', {})
  await idle(admin)
})

/** A file without blocks on disk, which takes a while to read. */
function putLargeFile(): void {
  const folder = join(place.dataDir, 'files', 'zz')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'large'), '')
  truncateSync(join(folder, 'large'), 16e9)
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const)
  test(`a server that ends by ${signal} during a backup leaves no file of it, and lists it as failed`, async () => {
    let server = await place.serve([], { env })
    let admin = await signIn(server)
    putLargeFile()
    const { name, state } = await admin('POST', '/api/admin/backups', {})
    expect(state).toBe('RUNNING')
    await server.end(signal)
    expect(archives()).toEqual([])

    server = await place.serve([], { env })
    admin = await signIn(server)
    const [failed] = (await admin('GET', '/api/admin/backups')).items
    expect(failed).toMatchObject({ name, state: 'FAILED', bytes: null, verification: { state: 'NONE' } })
    expect(failed.problem).toContain('make it again')
    // The process of the backup notices that the server is gone, and removes what it has written.
    for (let i = 0; i < 1200 && readdirSync(backups()).some((file) => file.startsWith('.backup-')); i++)
      await Bun.sleep(50)
    expect(readdirSync(backups()).filter((file) => file.startsWith('.backup-'))).toEqual([])
    expect(archives()).toEqual([])
    await admin('DELETE', `/api/admin/backups/${name}`)
    expect((await admin('GET', '/api/admin/backups')).items).toEqual([])
  })

test.if(onPostgres)('without pg_dump, a backup of PostgreSQL is refused with what to install', async () => {
  const server = await place.serve([], { env: { ...env, PATH: '/nowhere' } })
  const admin = await signIn(server)
  const refused = await admin('POST', '/api/admin/backups', {}).catch((error: Error) => error.message)
  expect(refused).toStartWith('400')
  expect(refused).toContain('install PostgreSQL’s client tools')
})

test('TESSERA_BACKUP_DIR is the folder of the command line and the server, and doctor checks it', async () => {
  const folder = join(place.home, 'other disk')
  const given = { env: { ...env, TESSERA_BACKUP_DIR: folder } }
  const finding = async () => {
    const { stdout } = await place.run(['doctor', '--json'], given)
    return (JSON.parse(stdout) as { check: string; verdict: string }[]).find(({ check }) => check === 'backups')
  }
  expect(await finding()).toMatchObject({ verdict: 'WARN' })
  const server = await place.serve([], given)
  expect(await place.run(['backup'], given)).toMatchObject({ code: 0 })
  const admin = await signIn(server)
  expect((await idle(admin)).map((one: { source: string }) => one.source)).toEqual(['COMMAND_LINE'])
  expect(readdirSync(folder)).toHaveLength(1)
  expect(archives()).toEqual([])
  expect(await finding()).toMatchObject({ verdict: 'OK' })
  chmodSync(folder, 0o755)
  expect(await finding()).toMatchObject({ verdict: 'WARN' })
})

test('the commands use the folder that an administrator chose, and never create it', async () => {
  const folder = join(place.home, 'other disk')
  mkdirSync(folder, { mode: 0o700 })
  const server = await place.serve([], { env })
  const admin = await signIn(server)
  await admin('PUT', '/api/admin/settings', { values: { 'backup.directory': folder } })
  const doctor = async () => {
    const { stdout } = await place.run(['doctor', '--json'], { env })
    return (JSON.parse(stdout) as { check: string; verdict: string }[]).find(({ check }) => check === 'backups')
  }
  expect(await place.run(['backup'], { env })).toMatchObject({ code: 0 })
  expect((await idle(admin)).map((one: { source: string }) => one.source)).toEqual(['COMMAND_LINE'])
  expect(readdirSync(folder)).toHaveLength(1)
  expect(archives()).toEqual([])
  expect(await doctor()).toMatchObject({ verdict: 'OK' })
  rmSync(folder, { recursive: true })
  expect(await doctor()).toMatchObject({ verdict: 'FAIL' })
  expect(await place.run(['backup'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('connect its disk'),
  })
  expect(await admin('POST', '/api/admin/backups', {}).catch((error: Error) => error.message)).toContain(
    'connect its disk',
  )
  expect(readdirSync(place.home)).not.toContain('other disk')
  // The start value wins.
  const own = join(place.home, 'own')
  expect(await place.run(['backup'], { env: { ...env, TESSERA_BACKUP_DIR: own } })).toMatchObject({ code: 0 })
  expect(readdirSync(own)).toHaveLength(1)
})
