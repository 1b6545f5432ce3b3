/** Full disks, S3 servers that fail or refuse, and signed URLs. */

import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { inspect } from 'node:util'

import { defaultConfig } from '#config/config.ts'
import { readStorageUrl, type S3Bucket } from '#config/storage.ts'
import { openBlobs } from '#platform/blobs/index.ts'
import { BlobError, type BlobStore } from '#platform/blobs/port.ts'
import { S3Blobs } from '#platform/blobs/s3.ts'
import { createStaging } from '#platform/blobs/staging.ts'

import { CERTIFICATE, S3_SECRET, startS3, type StorageUrlOptions } from '../harness/s3.ts'
import { OWN_MOUNTS } from '../ops/cli.ts'

const root = mkdtempSync(join(tmpdir(), 'tessera-blobs-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0
async function fileOf(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const path = join(root, `file-${count++}`)
  await Bun.write(path, content)
  return path
}

const textOf = async (blobs: BlobStore, key: string): Promise<string> => new Response((await blobs.read(key))!).text()

async function failure(work: Promise<unknown>): Promise<BlobError> {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(BlobError)
  return error as BlobError
}

test('local files: uploads to a full disk fail as full, leave nothing behind, and succeed once there is space', () => {
  const folder = join(root, 'full')
  mkdirSync(folder)
  const script = `mount -t tmpfs -o size=3m none "${folder}" && exec "$0" "$@"`
  const program = [process.execPath, join(import.meta.dir, 'full-disk.ts'), folder]
  const { stdout, stderr } = Bun.spawnSync([...OWN_MOUNTS, script, ...program])
  expect(stderr.toString()).toBe('')
  const result = JSON.parse(stdout.toString()) as Record<string, unknown> & { stored: number }
  expect(result.stored).toBeGreaterThan(2)
  const full = (where: string) => ({
    kind: 'full',
    message: `The folder of files ${where} is on a disk that is full: free some space and try again. No saved data is lost.`,
  })
  expect(result).toEqual({
    stored: result.stored,
    failures: Array.from({ length: 20 - result.stored }, () => full(join(folder, '.staging'))),
    left: 0,
    check: full(folder),
    read: 500_000,
    listed: result.stored,
  })
})

test('staging: an upload that breaks off or is too large leaves nothing behind', async () => {
  const folder = join(root, 'staging')
  const staging = createStaging(folder)
  await staging.clear()
  async function* breaking() {
    yield new Uint8Array(100_000)
    throw new Error('connection lost')
  }
  await expect(staging.receive(breaking(), 1_000_000)).rejects.toThrow('connection lost')
  async function* bytes() {
    yield new Uint8Array(60)
    yield new Uint8Array(60)
  }
  await expect(staging.receive(bytes(), 119)).rejects.toMatchObject({ name: 'TooManyBytes' })
  const listed = () => Array.fromAsync(new Bun.Glob('*').scan(folder))
  expect(await listed()).toEqual([])
  const file = await staging.receive(bytes(), 120)
  expect(file.size).toBe(120)
  expect(file.sha256).toBe(new Bun.CryptoHasher('sha256').update(new Uint8Array(120)).digest('hex'))
  // In a shared folder it may belong to another process, until it is a day old.
  await createStaging(folder, { isShared: true }).clear()
  expect(await listed()).toHaveLength(1)
  const old = await staging.receive(bytes(), 120)
  utimesSync(old.path, 0, Date.now() / 1000 - 90_000)
  await createStaging(folder, { isShared: true }).clear()
  expect(await listed()).toEqual([basename(file.path)])
  // The next start deletes files of a process that was killed.
  await createStaging(folder).clear()
  expect(await listed()).toEqual([])
  await file.dispose()
})

/**
 * As much of an S3 server as uploads need, without a check of signatures. `decide` answers the first of the same requests otherwise: with a status, with
 * a code in the body of a 200, or ('lost') with 503 after it was carried out.
 */
function fakeS3(decide: (request: string) => number | string | undefined) {
  const requests: string[] = []
  const uploads = new Map<string, Uint8Array[]>()
  const objects = new Map<string, Uint8Array>()
  let sending = 0
  let most = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    maxRequestBodySize: 1e9,
    async fetch(request) {
      const { pathname, searchParams: query } = new URL(request.url)
      const part = query.get('partNumber')
      const name =
        request.method === 'POST'
          ? query.has('uploads')
            ? 'BEGIN'
            : 'END'
          : request.method === 'DELETE'
            ? 'ABORT'
            : `${request.method}${part === null ? '' : ` ${part}`}`
      const special = requests.includes(name) ? undefined : decide(name)
      requests.push(name)
      const announced = Number(request.headers.get('content-length'))
      most = Math.max(most, (sending += announced))
      const body = await request.bytes()
      sending -= announced
      if (typeof special === 'number') return new Response('', { status: special })
      if (special === 'InternalError') return new Response('<Error><Code>InternalError</Code></Error>')
      if (name === 'HEAD') {
        const found = objects.get(pathname)
        return new Response(found ?? null, { status: found ? 200 : 404 })
      }
      if (name === 'BEGIN') {
        uploads.set(pathname, [])
        return new Response('<UploadId>one</UploadId>')
      }
      if (part !== null) {
        uploads.get(pathname)![Number(part) - 1] = body
        return new Response('', { headers: { etag: `"${part}"` } })
      }
      if (name === 'END') {
        const parts = uploads.get(pathname)
        if (!parts) return new Response('<Error><Code>NoSuchUpload</Code></Error>', { status: 404 })
        uploads.delete(pathname)
        objects.set(pathname, Buffer.concat(parts))
        if (special === 'lost') return new Response('', { status: 503 })
      }
      if (name === 'PUT') objects.set(pathname, body)
      return new Response('')
    },
  })
  return {
    host: `127.0.0.1:${server.port}`,
    requests,
    object: (key: string) => {
      const found = objects.get(`/files/${key}`)
      return found && new Uint8Array(found)
    },
    mostBytesAtOnce: () => most,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

const s3 = await startS3()
const encrypted = await startS3({ tls: true })
/** A server whose disk has 6 MB. */
const small = await startS3({
  before: [...OWN_MOUNTS, `mount -t tmpfs -o size=6m none "$FOLDER" && mkdir "$FOLDER/files" && exec "$0" "$@"`],
})

describe.skipIf(s3 === undefined)('S3', () => {
  const bucketOf = (options?: StorageUrlOptions): S3Bucket => readStorageUrl(s3!.storageUrl(options)) as S3Bucket
  const open = (options?: StorageUrlOptions): BlobStore =>
    openBlobs({ ...defaultConfig, storageUrl: s3!.storageUrl(options) })

  /** Between the store and the S3 server: `handle` decides about each connection, counted from 1, and each chunk of an answer. */
  async function between(decide: (connection: number, answered: number) => 'pass' | 'close' | 'hang') {
    let connections = 0
    let passed = 0
    const closed: Promise<void>[] = []
    const server = createServer((client) => {
      const connection = ++connections
      closed.push(new Promise((resolve) => client.on('close', resolve)))
      let answered = 0
      const first = decide(connection, 0)
      client.on('error', () => undefined)
      if (first === 'close') return void client.destroy()
      if (first === 'hang') return
      const upstream = connect(Number(s3!.host.split(':')[1]), '127.0.0.1')
      upstream.on('error', () => client.destroy())
      client.on('close', () => upstream.destroy())
      client.pipe(upstream)
      upstream.on('data', (chunk) => {
        answered += chunk.length
        if (decide(connection, answered) === 'close') return void client.destroy()
        passed += chunk.length
        if (client.write(chunk)) return
        upstream.pause()
        client.once('drain', () => upstream.resume())
      })
      upstream.on('end', () => client.end())
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    server.listen(0, '127.0.0.1', resolve)
    await promise
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    return {
      host,
      connections: () => connections,
      passed: () => passed,
      closed,
      [Symbol.dispose]: () => void server.close(),
    }
  }

  test.each(['path', 'virtual'] as const)('S3: a bucket in the address by style=%s stores and signs', async (style) => {
    const blobs = open({ style })
    const key = `style/${style}`
    await blobs.put(key, await fileOf('hello'))
    expect(await textOf(blobs, key)).toBe('hello')
    expect(await Array.fromAsync(blobs.list(key))).toMatchObject([{ key, size: 5 }])
    const put = blobs.presignPut(`${key}-put`, 5, 60)!
    expect(new URL(put).hostname).toBe(style === 'path' ? '127.0.0.1' : 'files.s3.localhost')
    expect((await fetch(put, { method: 'PUT', body: 'world' })).status).toBe(200)
    expect(await textOf(blobs, `${key}-put`)).toBe('world')
    await blobs.check()
    await blobs.put(`${key}-parts`, await fileOf(new Uint8Array(9_000_000)))
    expect((await blobs.stat(`${key}-parts`))?.size).toBe(9_000_000)
    await blobs.delete(key)
    expect(await blobs.stat(key)).toBeUndefined()
  })

  test('S3: stores with different prefixes in one bucket do not see the bytes of each other', async () => {
    const [one, two] = [open({ prefix: 'one' }), open({ prefix: 'two/deep' })]
    await one.put('aa/x', await fileOf('1'))
    await two.put('aa/x', await fileOf('22'))
    expect(await textOf(one, 'aa/x')).toBe('1')
    expect(await Array.fromAsync(one.list(''))).toMatchObject([{ key: 'aa/x', size: 1 }])
    expect(await Array.fromAsync(two.list('aa/'))).toMatchObject([{ key: 'aa/x', size: 2 }])
    await one.delete('aa/x')
    expect(await textOf(two, 'aa/x')).toBe('22')
  })

  test('S3: a signed URL stores one key with its size until it expires', async () => {
    const blobs = open()
    await blobs.put('signed/a', await fileOf('a'))
    const put = blobs.presignPut('signed/new', 3, 60)!
    const status = async (url: string, init?: RequestInit): Promise<number> => {
      const answer = await fetch(url, init)
      await answer.text()
      return answer.status
    }
    expect(await status(put, { method: 'PUT', body: 'new' })).toBe(200)
    expect(await textOf(blobs, 'signed/new')).toBe('new')
    for (const body of ['newer', 'ne', ''])
      expect(`${body}: ${await status(put, { method: 'PUT', body })}`).toEndWith('403')
    expect(await status(put.replace('signed/new', 'signed/a'), { method: 'PUT', body: 'new' })).toBe(403)
    const chunked = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('new'))
        controller.close()
      },
    })
    // On a connection of its own: the server refuses it before it has read the body, whose bytes the next request would follow.
    expect(await status(put, { method: 'PUT', body: chunked, keepalive: false })).toBeGreaterThanOrEqual(400)
    expect(await textOf(blobs, 'signed/new')).toBe('new')

    const store = (url: string): Promise<number> => status(url, { method: 'PUT', body: 'bad' })
    expect(await store(put.replace(/(X-Amz-Signature=)(.)/, (_, name, c) => name + (c === '0' ? '1' : '0')))).toBe(403)
    expect(await store(put.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'))).toBe(403)
    expect(await store(put.split('?')[0]!)).toBe(403)
    expect(await status(put)).toBe(403)
    expect(await status(put, { method: 'DELETE' })).toBe(403)
    expect(await textOf(blobs, 'signed/new')).toBe('new')
    expect(await textOf(blobs, 'signed/a')).toBe('a')
    // The S3 server checks the time itself.
    const short = blobs.presignPut('signed/short', 3, 1)!
    const until = Date.now() + 30_000
    while (Date.now() < until && (await store(short)) === 200) await Bun.sleep(100)
    expect(await store(short)).toBe(403)
  })

  test('S3: signed URLs for clients begin with the public address', () => {
    const url = new URL(s3!.storageUrl())
    url.searchParams.set('public', 'https://files.example.org')
    const signed = openBlobs({ ...defaultConfig, storageUrl: url.href }).presignPut('aa/x', 5, 900)!
    expect(signed).toStartWith('https://files.example.org/files/aa/x?')
    expect(signed).toContain('X-Amz-Expires=900')
  })

  const refusals: [name: string, options: StorageUrlOptions, message: RegExp][] = [
    [
      'a wrong secret',
      { secret: 'wrong-secret' },
      /refuses access \((SignatureDoesNotMatch|HTTP 403)\): check the key/,
    ],
    ['an unknown key', { key: 'nobody' }, /refuses access \(\w+\): check the key/],
    [
      'another region',
      { region: 'us-west-9' },
      /belongs to another region or address \(\w+\): check|refuses access \(HTTP 403\)/,
    ],
    ['a port where nothing listens', { host: '127.0.0.1:9' }, /cannot be reached \(\w+\): check the address/],
    ['a name that does not exist', { host: 'nothing.internal' }, /cannot be reached \(\w+\): check the address/],
  ]

  test.each(refusals)(
    'S3: %s is reported as unreachable by every method, without the secret',
    async (_, options, expected) => {
      const blobs = open(options)
      const path = await fileOf('x')
      const attempts = {
        put: () => blobs.put('aa/x', path),
        parts: async () => blobs.put('aa/y', await fileOf(new Uint8Array(9_000_000))),
        read: () => blobs.read('aa/x'),
        stat: () => blobs.stat('aa/x'),
        delete: () => blobs.delete('aa/x'),
        list: () => Array.fromAsync(blobs.list('')),
        check: () => blobs.check(),
      }
      for (const [method, attempt] of Object.entries(attempts)) {
        const error = await failure(attempt())
        expect(`${method}: ${error.kind}`).toBe(`${method}: unreachable`)
        expect(error.message).toMatch(/^The bucket files at [\w.:]+ /)
        expect(`${method}: ${error.message}`).toMatch(expected)
        const everything = inspect(error, { depth: 10, showHidden: true })
        for (const secret of [options.secret ?? S3_SECRET, encodeURIComponent(S3_SECRET), 'X-Amz-'])
          expect(everything).not.toContain(secret)
      }
      expect(existsSync(path)).toBe(false)
    },
  )

  test('S3: a bucket that does not exist is reported by its name', async () => {
    const blobs = open({ bucket: 'nowhere' })
    const path = await fileOf('x')
    for (const attempt of [() => blobs.put('aa/x', path), () => blobs.stat('aa/x'), () => blobs.check()]) {
      const error = await failure(attempt())
      expect(error.kind).toBe('unreachable')
      expect(error.message).toStartWith('The bucket nowhere at 127.0.0.1:')
      expect(error.message).toContain('does not exist (NoSuchBucket)')
    }
  })

  test('S3: a connection that breaks is tried again, at most three times', async () => {
    using twice = await between((connection) => (connection <= 2 ? 'close' : 'pass'))
    const blobs = open({ host: twice.host })
    await blobs.put('again/x', await fileOf('hello'))
    expect(twice.connections()).toBe(3)
    expect(await textOf(blobs, 'again/x')).toBe('hello')

    using never = await between(() => 'close')
    const path = await fileOf('x')
    expect(await failure(open({ host: never.host }).put('again/y', path))).toMatchObject({ kind: 'unreachable' })
    expect(never.connections()).toBe(3)
    expect(existsSync(path)).toBe(false)
  })

  test('S3: a part that fails is sent again, and the others are not', async () => {
    using fake = fakeS3((request) => (request === 'PUT 2' ? 503 : undefined))
    const bytes = crypto.getRandomValues(new Uint8Array(60_000))
    const large = new Uint8Array(12_000_000)
    for (let at = 0; at < large.length; at += bytes.length) large.set(bytes, at)
    await open({ host: fake.host }).put('aa/x', await fileOf(large))
    expect(fake.requests).toEqual(['BEGIN', 'PUT 1', 'PUT 2', 'PUT 2', 'PUT 3', 'END', 'HEAD'])
    expect(fake.object('aa/x')).toEqual(large)
  })

  test('S3: the end of an upload in parts that fails in the body of its answer is tried again', async () => {
    using fake = fakeS3((request) => (request === 'END' ? 'InternalError' : undefined))
    await open({ host: fake.host }).put('aa/x', await fileOf(new Uint8Array(9_000_000)))
    expect(fake.requests).toEqual(['BEGIN', 'PUT 1', 'PUT 2', 'END', 'END', 'HEAD'])
  })

  test('S3: an upload in parts whose end was stored and not answered has succeeded', async () => {
    using fake = fakeS3((request) => (request === 'END' ? 'lost' : undefined))
    await open({ host: fake.host }).put('aa/x', await fileOf(new Uint8Array(9_000_000)))
    expect(fake.requests).toEqual(['BEGIN', 'PUT 1', 'PUT 2', 'END', 'END', 'HEAD'])
  })

  test('S3: an upload in parts that fails leaves no parts behind', async () => {
    using fake = fakeS3((request) => (request === 'PUT 2' ? 507 : undefined))
    expect(await failure(open({ host: fake.host }).put('aa/x', await fileOf(new Uint8Array(9_000_000))))).toMatchObject(
      {
        kind: 'full',
      },
    )
    expect(fake.requests).toEqual(['BEGIN', 'PUT 1', 'PUT 2', 'ABORT'])
    expect(fake.object('aa/x')).toBeUndefined()
  })

  test('S3: uploads by HTTPS do not need all of their bytes in memory', async () => {
    const bytes = new Uint8Array(20_000_000)
    for (let at = 0; at < bytes.length; at += 50_000) crypto.getRandomValues(bytes.subarray(at, at + 50_000))
    const uploads = await Promise.all(
      Array.from({ length: 16 }, async (_, i) => ({ key: `tls/${i}`, path: await fileOf(bytes) })),
    )
    const argument = JSON.stringify({ config: { ...defaultConfig, storageUrl: encrypted!.storageUrl() }, uploads })
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: CERTIFICATE }
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'upload-memory.ts'), argument], { env })
    const result = JSON.parse(await new Response(child.stdout).text()) as { grown: number; sha256: string }
    expect(await child.exited).toBe(0)
    expect(result.sha256).toBe(Bun.SHA256.hash(bytes, 'hex'))
    // Measured: 44 MB. Sent all at once, they take 342 MB.
    expect(result.grown).toBeLessThan(100e6)
  })

  test('S3: a small file does not wait until large ones are complete', async () => {
    using fake = fakeS3(() => undefined)
    const blobs = open({ host: fake.host })
    const large = await Promise.all(Array.from({ length: 4 }, () => fileOf(new Uint8Array(40_000_000))))
    const storing = large.map((path, i) => blobs.put(`aa/${i}`, path))
    while (!fake.requests.includes('PUT 2')) await Bun.sleep(1)
    await blobs.put('aa/small', await fileOf('x'))
    expect(fake.requests).not.toContain('END')
    await Promise.all(storing)
    expect(fake.mostBytesAtOnce()).toBeLessThanOrEqual(16 * 1024 * 1024)
  })

  test('S3: a download whose connection breaks fails instead of ending early', async () => {
    await open().put('cut/x', await fileOf(new Uint8Array(5_000_000)))
    using cut = await between((_, answered) => (answered > 2_000_000 ? 'close' : 'pass'))
    const bytes = await open({ host: cut.host }).read('cut/x')
    let received = 0
    const reading = (async () => {
      for await (const chunk of bytes as ReadableStream<Uint8Array>) received += chunk.length
    })()
    const error = await failure(reading)
    expect(error.kind).toBe('unreachable')
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('X-Amz-')
    expect(received).toBeLessThan(5_000_000)
  })

  test('S3: bytes are fetched as they are read, and no longer once the reader has left', async () => {
    const size = 60_000_000
    await open().put('slow/x', await fileOf(new Uint8Array(size)))
    using counting = await between(() => 'pass')
    const bytes = (await open({ host: counting.host }).read('slow/x')) as ReadableStream<Uint8Array>
    const reader = bytes.getReader()
    await reader.read()
    // Until nothing has arrived for a while.
    for (let [before, same] = [-1, 0]; same < 20 && counting.passed() < size;) {
      await Bun.sleep(25)
      same = counting.passed() === before ? same + 1 : 0
      before = counting.passed()
    }
    expect(counting.passed()).toBeLessThan(size)
    await reader.cancel()
    await Promise.all(counting.closed)
    expect(counting.passed()).toBeLessThan(size)
  })

  test('S3: a server that accepts connections and never answers is reported after the time limit', async () => {
    using hanging = await between(() => 'hang')
    const blobs = new S3Blobs(bucketOf({ host: hanging.host }), { answerMs: 100, partMs: 200 })
    const [whole, large] = [await fileOf('x'), await fileOf(new Uint8Array(9_000_000))]
    const attempts = [
      () => blobs.read('aa/x'),
      () => blobs.stat('aa/x'),
      () => blobs.delete('aa/x'),
      () => Array.fromAsync(blobs.list('')),
      () => blobs.put('aa/x', whole),
      () => blobs.put('aa/y', large),
    ]
    for (const attempt of attempts) {
      const error = await failure(attempt())
      expect(error).toMatchObject({ kind: 'unreachable' })
      expect(error.message).toContain('did not answer in time')
    }
    expect(existsSync(whole) || existsSync(large)).toBe(false)
  })

  test('S3: a server with a full disk is reported as full, and stores again once there is space', async () => {
    const blobs = openBlobs({ ...defaultConfig, storageUrl: small!.storageUrl() })
    await blobs.put('aa/first', await fileOf(new Uint8Array(5_000_000)))
    for (const size of [5_000_000, 9_000_000]) {
      const error = await failure(blobs.put('aa/second', await fileOf(new Uint8Array(size))))
      expect(error.kind).toBe('full')
      expect(error.message).toContain('is full or has reached its quota (InsufficientStorage)')
    }
    expect(await blobs.stat('aa/second')).toBeUndefined()
    await blobs.delete('aa/first')
    await blobs.put('aa/second', await fileOf(new Uint8Array(5_000_000)))
    expect((await blobs.stat('aa/second'))?.size).toBe(5_000_000)
  })
})
