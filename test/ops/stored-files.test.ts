/** Uploaded files as operators care for them: backups while users upload and delete, restores, and files that were lost or damaged. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { PhotoView } from '#domains/album/album.model.ts'
import type { FileView } from '#domains/files/files.model.ts'

import { pathOf, png, text } from '../files/helpers.ts'
import { ok, type Reply, send } from '../harness/client.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'

type Bytes = Uint8Array<ArrayBuffer>

const CLIENTS = 4
const FILES = 30
const ROUNDS = 3
/** Some files are so large that copying all of them takes longer than many uploads and deletions. */
const LARGE = 4_000_000
const QUIET = { env: { TESSERA_RATE_LIMIT: 'off', TESSERA_LOG_LEVEL: 'warn' } }

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const hashOf = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** A user who uploads files and deletes them, and remembers those that the server has acknowledged. */
class Uploader {
  /** SHA-256 by id. */
  readonly files = new Map<number, string>()
  #headers: Record<string, string> = {}
  constructor(readonly name: string) {}

  async signIn(server: RunningCli, path: 'register' | 'login'): Promise<void> {
    const device = { 'x-device-id': `device-of-${this.name}-long-enough` }
    const body = { username: this.name, account: this.name, password: 'a password of an uploader' }
    const { data } = ok(await send(server.url, 'POST', `/api/auth/${path}`, { body, headers: device }))
    this.#headers = { ...device, authorization: `Bearer ${data.accessToken}` }
  }

  request(server: RunningCli, method: string, path: string, body?: unknown): Promise<Reply> {
    return send(server.url, method, path, { headers: this.#headers, ...(body !== undefined && { body }) })
  }

  async upload(server: RunningCli, bytes: Bytes, type: 'album' | 'other' = 'other'): Promise<FileView> {
    const form = new FormData()
    form.set('type', type)
    form.set('file', new File([bytes], 'file'))
    return this.#remember(ok(await this.request(server, 'POST', '/api/files/upload', form)).data)
  }

  async uploadByLink(server: RunningCli, bytes: Bytes): Promise<FileView> {
    const body = { name: 'file', size: bytes.length }
    const ticket = ok(await this.request(server, 'POST', '/api/files/sts-token', body)).data
    ok(await send(server.url, 'PUT', pathOf(ticket.url), { body: bytes }))
    const { uploadId } = ticket
    return this.#remember(ok(await this.request(server, 'POST', '/api/files/callback', { uploadId })).data)
  }

  async addPhoto(server: RunningCli): Promise<PhotoView> {
    const { id: fileId } = await this.upload(server, png(500), 'album')
    return ok(await this.request(server, 'POST', '/api/album', { fileId })).data
  }

  async delete(server: RunningCli, id: number): Promise<void> {
    this.files.delete(id)
    ok(await this.request(server, 'DELETE', `/api/files/${id}`))
  }

  content = (server: RunningCli, id: number): Promise<Reply> => this.request(server, 'GET', `/api/files/${id}/content`)

  #remember(file: FileView): FileView {
    this.files.set(file.id, file.sha256)
    return file
  }
}

interface Finding {
  check: string
  verdict: string
  message: string
}

/** `doctor --files`: the exit code, and the findings about files as `VERDICT message`. */
async function doctor(where: Installation): Promise<{ code: number | null; found: string[] }> {
  const { code, stdout } = await where.run(['doctor', '--files', '--json'])
  const files = (JSON.parse(stdout) as Finding[]).filter(({ check }) => check === 'files')
  return { code, found: files.map(({ verdict, message }) => `${verdict} ${message}`) }
}

/** Of the one stored file with this SHA-256. */
function pathOfBytes(sha256: string): string {
  const folder = join(place.dataDir, 'files', sha256.slice(0, 2))
  const names = readdirSync(folder).filter((name) => name.startsWith(sha256))
  expect(names).toHaveLength(1)
  return join(folder, names[0]!)
}

test('backups during uploads and deletions contain the bytes of every file in them', async () => {
  const server = await place.serve([], QUIET)
  const clients = Array.from({ length: CLIENTS }, (_, i) => new Uploader(`client${i}`))
  for (const client of clients) await client.signIn(server, 'register')
  // The clients below delete only their own files.
  const keeper = new Uploader('keeper')
  await keeper.signIn(server, 'register')
  for (let i = 0; i < FILES; i++) {
    const client = clients[i % CLIENTS]!
    if (i % 10 === 0) await keeper.upload(server, text(LARGE))
    else if (i % 3 === 0) await client.uploadByLink(server, text(2000))
    else await client.upload(server, i % 2 ? png() : text(500))
  }

  // On a fast machine, a backup ends before much else has happened.
  let [uploads, deletions] = [0, 0]
  for (let round = 0; round < ROUNDS || Math.min(uploads, deletions) < ROUNDS * CLIENTS; round++) {
    let stop = false
    const before = clients.map(({ files }) => new Map(files))
    const work = clients.map(async (client, i) => {
      for (let n = 0; !stop; n++) {
        if (n % 2 && client.files.size > 0) {
          // The first and oldest one: it is in the copy of the database, or was just before.
          await client.delete(server, client.files.keys().next().value!)
          deletions++
        } else {
          await (n % 4 ? client.uploadByLink(server, text(3000)) : client.upload(server, i % 2 ? png() : text(3000)))
          uploads++
        }
      }
    })
    const archive = join(place.home, `backup-${round}.tar.zst`)
    const made = await place.run(['backup', archive])
    stop = true
    await Promise.all(work)
    expect(made).toMatchObject({ code: 0, stderr: '' })

    const other = await Installation.make()
    if (onPostgres) await other.newDatabase()
    try {
      expect(await other.run(['restore', archive])).toMatchObject({ code: 0, stderr: '' })
      const { code, found } = await doctor(other)
      expect(found).toEqual([expect.stringMatching(/^OK \d+ files, [\d.]+ k?M?B, all hashes match$/)])
      expect(code).toBe(0)
      // Everything that was acknowledged before the backup and not deleted until its end.
      const restored = await other.serve([], QUIET)
      for (const [i, client] of clients.entries()) {
        await client.signIn(restored, 'login')
        for (const [id, sha256] of before[i]!) {
          if (!client.files.has(id)) continue
          const content = await client.content(restored, id)
          expect(`${id}: ${content.status} ${hashOf(content.bytes)}`).toBe(`${id}: 200 ${sha256}`)
        }
      }
      expect(await restored.end()).toBe(0)
      for (const client of clients) await client.signIn(server, 'login')
    } finally {
      await other.dispose()
    }
  }
  expect(await server.end()).toBe(0)
  expect((await doctor(place)).found).toEqual([expect.stringMatching(/^OK /)])
})

describe('doctor --files', () => {
  const DAY = 24 * 3600

  test('names lost, changed and truncated files with the rows that use them, until they are brought back from a backup', async () => {
    const ann = new Uploader('ann')
    const server = await place.serve([], QUIET)
    await ann.signIn(server, 'register')
    const lost = await ann.upload(server, text(1000))
    const photo = await ann.addPhoto(server)
    const cut = await ann.upload(server, text(1000))
    const good = await ann.upload(server, text(1000))
    const thumbnail = await send(server.url, 'GET', pathOf(photo.thumbnailUrl!))
    expect(await server.end()).toBe(0)
    expect(await doctor(place)).toEqual({ code: 0, found: [expect.stringMatching(/^OK 5 files, /)] })
    const archive = join(place.home, 'backup.tar.zst')
    expect((await place.run(['backup', archive])).code).toBe(0)

    rmSync(pathOfBytes(lost.sha256))
    const changed = pathOfBytes(ann.files.get(photo.fileId)!)
    const bytes = readFileSync(changed)
    bytes[bytes.length - 1]! ^= 1
    writeFileSync(changed, bytes)
    truncateSync(pathOfBytes(cut.sha256), 999)
    rmSync(pathOfBytes(hashOf(thumbnail.bytes)))
    for (const [key, age] of [
      [`00/${'0'.repeat(64)}.old`, 2 * DAY],
      [`00/${'0'.repeat(64)}.young`, 0],
      ['uploads/old.old', 2 * DAY],
      ['uploads/young.young', 0],
    ] as const) {
      const orphan = join(place.dataDir, 'files', key)
      mkdirSync(dirname(orphan), { recursive: true })
      writeFileSync(orphan, 'nobody refers to this')
      utimesSync(orphan, Date.now() / 1000 - age, Date.now() / 1000 - age)
    }

    const { code, found } = await doctor(place)
    expect(code).toBe(1)
    const described = found.map((line) => line.replace(/\w\w\/(\w{64})\.\w+/, '$1'))
    const inAlbum = `${photo.fileId} (album, PHOTO ${photo.id})`
    const expected = [
      `FAIL ${lost.sha256} is missing. Used by file ${lost.id} (other, belongs to nothing).`,
      `FAIL ${ann.files.get(photo.fileId)} is damaged: its hash differs. Used by file ${inAlbum}.`,
      `FAIL ${cut.sha256} is damaged: it has 999 bytes instead of 1000. Used by file ${cut.id} (other, belongs to nothing).`,
      `FAIL ${hashOf(thumbnail.bytes)} is missing. Used by thumbnail of file ${inAlbum}.`,
      'WARN 2 files (42 B) belong to nothing: the server deletes them daily.',
      'FAIL 4 of 5 files are missing or damaged: restore them from a backup.',
    ]
    expect(described.toSorted()).toEqual(expected.toSorted())
    const printed = await place.run(['doctor', '--files'])
    expect(printed.code).toBe(1)
    expect(printed.stdout).toContain(`Used by file ${lost.id}`)
    expect(printed.stderr).toContain('5 failed, ')
    expect((await place.run(['doctor'])).code).toBe(0)

    // Requests for the lost bytes are answered, and the others work.
    const again = await place.serve([], QUIET)
    await ann.signIn(again, 'login')
    expect((await ann.content(again, good.id)).status).toBe(200)
    for (const id of [lost.id, cut.id]) {
      const reply = await ann.content(again, id)
      expect(`${reply.status} ${reply.text}`).toMatch(/^503 .*cannot store or read files/)
    }
    expect((await ann.request(again, 'GET', `/api/files/${photo.fileId}/content?variant=THUMBNAIL`)).status).toBe(503)
    expect((await ann.request(again, 'GET', `/api/album/${photo.id}`)).status).toBe(200)
    // A file without a backup can be deleted, and the bytes of others come back as the manual says.
    await ann.delete(again, lost.id)
    const names = found.flatMap((line) => /^FAIL (\w\w\/\S+) is /.exec(line)?.[1] ?? [])
    expect(names).toHaveLength(4)
    const script = 'zstd -dc "$0" | tar -x -C "$@"'
    const back = names.filter((name) => !name.includes(lost.sha256)).map((name) => `files/${name}`)
    const tar = Bun.spawnSync(['sh', '-ec', script, archive, place.dataDir, ...back])
    expect(tar.stderr.toString()).toBe('')
    for (const id of [cut.id, photo.fileId])
      expect(hashOf((await ann.content(again, id)).bytes)).toBe(ann.files.get(id)!)
    expect((await ann.request(again, 'GET', `/api/files/${photo.fileId}/content?variant=THUMBNAIL`)).status).toBe(200)
    expect(await again.end()).toBe(0)
    const lines = again
      .stderr()
      .split('\n')
      .filter((line) => line.includes('files cannot be stored or read'))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines[0]).toContain('"kind":"io"')
    expect((await doctor(place)).code).toBe(0)
  })
})

test('files of another database are reported by doctor, and tessera files adopt takes them over', async () => {
  const doctor = async () => {
    const { stdout } = await place.run(['doctor', '--json'])
    return (JSON.parse(stdout) as { check: string; verdict: string; message: string }[]).find(
      ({ check }) => check === 'storage',
    )!
  }
  const marker = join(place.dataDir, 'files/.installation')
  expect((await place.run(['files', 'adopt'])).code).not.toBe(0)
  await (await place.serve([], QUIET)).end()
  const id = readFileSync(marker, 'utf8')
  expect((await doctor()).verdict).toBe('OK')
  expect((await place.run(['files', 'adopt'])).stdout).toContain('already')

  writeFileSync(marker, 'the id of another installation')
  expect(await doctor()).toMatchObject({ verdict: 'WARN', message: expect.stringContaining('tessera files adopt') })
  const server = await place.serve([], QUIET)
  expect(server.stderr()).toContain('belong to another database')
  const adopted = await place.run(['files', 'adopt'])
  expect([adopted.code, adopted.stdout]).toEqual([0, expect.stringContaining('Took over the folder')])
  expect(readFileSync(marker, 'utf8')).toBe(id)
  expect((await doctor()).verdict).toBe('OK')
  await server.end()
  expect((await place.run(['files', 'adapt'])).code).toBe(2)
})

test.skipIf(onPostgres)(
  'a restored database gets an id of its own, and takes over the files that were restored with it',
  async () => {
    const marker = join(place.dataDir, 'files/.installation')
    const server = await place.serve([], QUIET)
    const uploader = new Uploader('ann')
    await uploader.signIn(server, 'register')
    await uploader.upload(server, text(100))
    const before = readFileSync(marker, 'utf8')
    const file = join(place.dataDir, 'backup.tar.zst')
    expect((await place.run(['backup', file])).code).toBe(0)
    await server.end()
    expect((await place.run(['restore', file])).code).toBe(0)
    const restored = await place.serve([], QUIET)
    const after = readFileSync(marker, 'utf8')
    expect(after).not.toBe(before)
    expect(restored.stderr()).not.toContain('another database')
    await restored.end()
  },
)
