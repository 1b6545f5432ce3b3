/** Uploads of backups: in parts, with gaps and overlaps, and of other bytes. */

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

import { createRole, findRole, grant } from '../access/helpers.ts'
import { ok, race, until, useServer } from '../harness/index.ts'
import { idle, list, make, put } from './helpers.ts'

const { server, admin, mallory, operator } = useServer({ people: ['mallory', 'operator'] })

const onPostgres = Boolean(process.env['TEST_DATABASE_URL'])
const folder = () => join(server.dataDir, 'backups')
const head = async (name: string) => {
  const { headers, status } = await admin.send('HEAD' as 'GET', `/api/admin/backups/${name}`)
  return { status, size: Number(headers.get('content-length')) }
}

/** The bytes of a backup, which is deleted from the server. */
async function backup() {
  const { name } = await make(admin)
  const bytes = readFileSync(join(folder(), name))
  ok(await admin.call('backups.delete', { params: { name } }))
  return bytes
}

describe('an uploaded backup', () => {
  test('is verified before it can be restored, and does not count as a backup of this server', async () => {
    const bytes = await backup()
    await idle(admin)
    const view = ok(await put(admin, 'moved.tar.zst', bytes)).data
    expect(view).toMatchObject({ state: 'READY', source: 'UPLOAD', createdBy: { name: 'root' }, bytes: bytes.length })
    const { items, lastGoodAt } = await idle(admin)
    const found = items.find(({ name }) => name === 'moved.tar.zst')!
    expect(found.verification).toMatchObject({ state: 'GOOD', problem: null })
    expect(lastGoodAt).toBeNull()
    expect(readFileSync(join(folder(), 'moved.tar.zst')).equals(bytes)).toBe(true)
    const preview = ok(await admin.call('restores.preview', { params: { name: 'moved.tar.zst' } })).data
    expect(preview).toMatchObject({ secretFits: true, database: 'SAME_KIND' })
    expect(preview.refusals.map(({ code }) => code)).toEqual(onPostgres ? ['DATABASE_NOT_EMPTY'] : [])
    expect(preview.host).not.toBeNull()
    const again = await put(admin, 'moved.tar.zst', bytes)
    expect([again.status, again.message]).toEqual([400, 'There is a backup of this name already'])
    ok(await admin.call('backups.delete', { params: { name: 'moved.tar.zst' } }))
  })

  test('can arrive in parts, each of which begins at the size that HEAD reports', async () => {
    const bytes = await backup()
    const name = 'parts.tar.zst'
    const [total, third] = [bytes.length, Math.floor(bytes.length / 3)]
    const send = (start: number, end: number) => put(admin, name, bytes.subarray(start, end), { start, total })
    expect(ok(await send(0, third)).data).toMatchObject({ state: 'UPLOADING', bytes: third })
    expect(await head(name)).toEqual({ status: 200, size: third })
    expect((await list(admin)).items.find((one) => one.name === name)).toMatchObject({
      state: 'UPLOADING',
      source: 'UPLOAD',
    })
    for (const id of ['backups.verify', 'backups.downloadLink', 'restores.preview'] as const)
      expect((await admin.call(id, { params: { name } })).status).toBe(400)
    for (const start of [0, third - 1, third + 1]) {
      const refused = await send(start, start + third)
      expect(refused.status).toBe(400)
      expect(refused.message).toContain(`The server has ${third} bytes of this backup`)
    }
    expect((await head(name)).size).toBe(third)
    ok(await send(third, 2 * third))
    await idle(admin)
    expect(ok(await send(2 * third, total)).data).toMatchObject({ state: 'READY', bytes: total })
    const { items } = await idle(admin)
    expect(items.find((one) => one.name === name)!.verification.state).toBe('GOOD')
    expect(readFileSync(join(folder(), name)).equals(bytes)).toBe(true)
    ok(await admin.call('backups.delete', { params: { name } }))
    expect((await head(name)).status).toBe(404)
  })

  test('that is cut goes on where it stopped, and begins again without a range', async () => {
    const bytes = await backup()
    const name = 'cut.tar.zst'
    const half = Math.floor(bytes.length / 2)
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      [
        `PUT /api/admin/backups/${name} HTTP/1.1`,
        `Host: ${hostname}`,
        `Authorization: Bearer ${admin.token}`,
        `X-Device-Id: ${admin.deviceId}`,
        `Content-Length: ${bytes.length}`,
        '\r\n',
      ].join('\r\n'),
    )
    socket.write(bytes.subarray(0, half))
    await until(async () => (await head(name)).size === half)
    const second = await put(admin, name, bytes)
    expect([second.status, second.message]).toEqual([400, 'This backup is being uploaded by another request'])
    socket.destroy()
    let rest = second
    await until(async () => {
      rest = await put(admin, name, bytes.subarray(half), { start: half, total: bytes.length })
      return rest.status === 200
    })
    expect(rest.data).toMatchObject({ state: 'READY' })
    ok(await (await idle(admin), admin.call('backups.delete', { params: { name } })))

    ok(await put(admin, name, bytes.subarray(0, half), { start: 0, total: bytes.length }))
    expect(ok(await put(admin, name, bytes)).data).toMatchObject({ state: 'READY', bytes: bytes.length })
    await idle(admin)
    ok(await admin.call('backups.delete', { params: { name } }))
  })

  test('of other bytes is refused and leaves nothing', async () => {
    const gzip = Bun.gzipSync(Buffer.from('some text that is not a backup'))
    for (const bytes of [Buffer.from('text'), Buffer.alloc(0), Buffer.alloc(600_000, 7), gzip]) {
      const { status, message } = await put(admin, 'other.tar.gz', bytes)
      expect([status, message]).toEqual([400, 'This is not a backup of Tessera'])
    }
    // The first part of many is enough to see it.
    const { status } = await put(admin, 'other.tar.gz', Buffer.alloc(600_000, 7), { start: 0, total: 5e9 })
    expect(status).toBe(400)
    expect(readdirSync(folder()).filter((name) => name.includes('other'))).toEqual([])
  })

  test('that is damaged further on is found damaged, and cannot be restored', async () => {
    const bytes = await backup()
    bytes[bytes.length - 100]! ^= 1
    const name = 'damaged.tar.zst'
    ok(await put(admin, name, bytes))
    const found = (await idle(admin)).items.find((one) => one.name === name)!
    expect(found.verification.state).toBe('DAMAGED')
    const { status, message } = await admin.call('restores.preview', { params: { name } })
    expect([status, message]).toEqual([400, 'Verify this backup first'])
    ok(await admin.call('backups.delete', { params: { name } }))
  })

  test('is refused before a byte is read if it would leave less than 1 GB free', async () => {
    const { freeBytes } = await list(admin)
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (chunk) => (answer += String(chunk)))
    socket.write(
      [
        'PUT /api/admin/backups/large.tar.zst HTTP/1.1',
        `Host: ${hostname}`,
        `Authorization: Bearer ${admin.token}`,
        `X-Device-Id: ${admin.deviceId}`,
        // Other programs may free some space meanwhile.
        `Content-Length: ${freeBytes! + 50e9}`,
        '\r\n',
      ].join('\r\n'),
    )
    await until(() => answer.includes('\r\n\r\n'))
    socket.destroy()
    expect(answer).toStartWith('HTTP/1.1 413')
    expect(existsSync(join(folder(), '.upload-large.tar.zst'))).toBe(false)
  })

  test('needs its length and a range that fits', async () => {
    const { token, deviceId } = admin
    const chunked = await fetch(`${server.url}/api/admin/backups/x.tar.zst`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'x-device-id': deviceId },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(10))
          controller.close()
        },
      }),
    })
    expect(chunked.status).toBe(400)
    for (const range of ['bytes 0-5/10', 'bytes 5-4/10', 'bytes 0-3/3', 'items 0-3/4', 'bytes 0-3/*']) {
      const headers = { 'content-range': range }
      const reply = await admin.send('PUT', '/api/admin/backups/x.tar.zst', { headers, body: new Uint8Array(4) })
      expect(reply.message).toContain('Content-Range')
      expect(reply.status).toBe(400)
    }
    for (const name of ['x.zip', '.x.tar.zst', '..%2Fx.tar.zst'])
      expect([400, 404]).toContain((await put(admin, name, new Uint8Array(4))).status)
  })

  test('is accepted from SYSTEM_ADMIN only', async () => {
    const role = await createRole(admin, { permissions: ['system:read', 'setting:update'] })
    ok(await grant(admin, operator, role))
    ok(await grant(admin, mallory, await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')))
    for (const one of [operator, mallory]) expect((await put(one, 'x.tar.zst', new Uint8Array(4))).status).toBe(403)
    expect((await fetch(`${server.url}/api/admin/backups/x.tar.zst`, { method: 'PUT', body: 'x' })).status).toBe(401)
    expect(existsSync(join(folder(), '.upload-x.tar.zst'))).toBe(false)
  })

  test('is stored once if several requests with it arrive at the same time', async () => {
    const bytes = await backup()
    const replies = await race(6, () => put(admin, 'race.tar.zst', bytes))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(5)
    await idle(admin)
    ok(await admin.call('backups.delete', { params: { name: 'race.tar.zst' } }))
  })
})
