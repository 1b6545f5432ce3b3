/** Uploading and downloading app packages. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

import { appPackages } from '#db/schema/app-updates.ts'
import { blobs } from '#db/schema/files.ts'
import { setSetting } from '#domains/settings/index.ts'

import { send } from '../harness/client.ts'
import { inProcess, ok, race, startServer, useServer } from '../harness/index.ts'
import { download, hashOf, makeKey, publish, upload } from './helpers.ts'

const { server, admin } = useServer()
let key = ''
beforeAll(async () => {
  ;({ key } = await makeKey(server))
})

let last = 0
/** Publishes a version with the package. */
const publishPackage = async (name: string) =>
  ok(await publish(server, key, { versionCode: ++last, versionName: '1', downloadUrl: `/api/app/download/${name}` }))

/** Every stored file of a server, with its folder; without `.installation`, the mark of the folder. */
const storedFiles = ({ dataDir } = server) =>
  readdirSync(join(dataDir, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => join(parentPath, name))

test('the same bytes under the same name answer the same package, and others are refused', async () => {
  const first = ok(await upload(server, key, 'same.apk', 'bytes'))
  expect(ok(await upload(server, key, 'same.apk', 'bytes')).data).toEqual(first.data)
  expect(ok(await upload(server, admin, 'same.apk', 'bytes')).data).toEqual(first.data)
  expect((await upload(server, key, 'same.apk', 'other')).status).toBe(400)
  await publishPackage('same.apk')
  expect((await upload(server, key, 'same.apk', 'other')).status).toBe(400)
  expect((await download(server, 'same.apk')).text).toBe('bytes')
})

test('an empty package and no body are refused', async () => {
  expect((await upload(server, key, 'empty.apk', '')).status).toBe(400)
  const headers = { 'x-publish-key': key }
  expect((await send(server.url, 'PUT', '/api/app/packages/empty.apk', { headers })).status).toBe(400)
})

test.each(['a', 'A1.apk', 'app_1-2.3.apk', 'a..b', 'a.', 'x'.repeat(100), 'constructor', 'CON'])(
  'a package can be called %s',
  async (name) => {
    ok(await upload(server, key, name, `bytes of ${name}`))
    await publishPackage(name)
    const reply = ok(await download(server, name))
    expect(reply.text).toBe(`bytes of ${name}`)
    expect(reply.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
  },
)

/** Parts of a path that are not names of packages. */
const BAD_NAMES = [
  '.',
  '..',
  '%2e%2e',
  '.hidden',
  '-option',
  '_a',
  'a%2fb',
  '..%2f..%2ftessera.db',
  '..%5c..%5ctessera.db',
  '..%252f..%252ftessera.db',
  '%2fetc%2fpasswd',
  'a%00.apk',
  '%00',
  'a%0ab',
  'a%20b',
  'a%3fb',
  'caf%C3%A9.apk',
  '%E2%80%AEkpa.exe',
  '%ff%fe',
  '%',
  'x'.repeat(101),
  'a:b',
  'a;b',
  '..%c0%af..%c0%aftessera.db',
]

/** Sends the path as it is: fetch would resolve `..`. */
function raw(method: string, path: string, body = ''): Promise<string> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (data) => (answer += data.toString('latin1')))
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
    const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Publish-Key: ${key}\r\n`
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
  })
}

test.each(BAD_NAMES)('no package can be uploaded or downloaded as %s, and no file is answered', async (name) => {
  const before = storedFiles().length
  const put = await raw('PUT', `/api/app/packages/${name}`, 'bytes')
  expect(put).toMatch(/^HTTP\/1\.1 40[045] /)
  const get = await raw('GET', `/api/app/download/${name}`)
  // Control characters and invisible ones are refused before they are looked up, and `..` is resolved to another path.
  expect(get).toMatch(/%0|%E2/.test(name) ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 40[45] /)
  expect(get).not.toMatch(/SQLite format|root:/)
  expect(storedFiles()).toHaveLength(before)
})

test.each([
  '/api/app/download/../../../tessera.db',
  '/api/app/download/./../../tessera.db',
  '/api/app/download//etc/passwd',
  '/api/app/download/x/../../../../keys/signing.key',
  '/api/app/download/same.apk/',
  '/api/app/download/same.apk/..',
])('GET %s answers no file of the server', async (path) => {
  const answer = await raw('GET', path)
  if (answer.startsWith('HTTP/1.1 200')) expect(answer).toEndWith('\r\n\r\nbytes')
  else expect(answer).toMatch(/^HTTP\/1\.1 40[045] /)
})

test('a package is downloaded only after a version with it is published', async () => {
  ok(await upload(server, key, 'waiting.apk', 'waiting'))
  const before = await download(server, 'waiting.apk')
  expect([before.status, before.text.includes('waiting')]).toEqual([404, false])
  const unknown = await download(server, 'unknown.apk')
  const shape = ({ status, code, message }: typeof before) => ({ status, code, message })
  expect(shape(before)).toEqual(shape(unknown))
  await publishPackage('waiting.apk')
  expect(ok(await download(server, 'waiting.apk')).text).toBe('waiting')
})

test('a body that ends early stores nothing, and the package can be uploaded afterwards', async () => {
  const before = storedFiles().length
  const { hostname, port } = new URL(server.url)
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `PUT /api/app/packages/cut.apk HTTP/1.1\r\nHost: x\r\nX-Publish-Key: ${key}\r\nContent-Length: 100\r\n\r\nhalf`,
      )
      // Until the server has received the part of the body.
      setTimeout(() => socket.end(), 50)
    })
    socket
      .on('close', () => resolve())
      .on('error', () => resolve())
      .resume()
  })
  ok(await upload(server, key, 'cut.apk', 'whole'))
  while (storedFiles().length !== before + 1) await Bun.sleep(10)
  await publishPackage('cut.apk')
  expect((await download(server, 'cut.apk')).text).toBe('whole')
})

describe.if(inProcess)('inside the server', () => {
  const packages = () => server.ctx.db.read.select({ name: appPackages.fileName }).from(appPackages)

  test('a package above app.maxPackageBytes is refused with 413, announced or not, and leaves no bytes', async () => {
    await using small = await startServer({ settings: { 'app.maxPackageBytes': 10 } })
    const own = (await makeKey(small)).key
    ok(await upload(small, own, 'ten.apk', '0123456789'))
    expect((await upload(small, own, 'eleven.apk', '0123456789a')).status).toBe(413)
    const parts = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < 4; i++) controller.enqueue(new TextEncoder().encode('1234'))
        controller.close()
      },
    })
    const unannounced = await fetch(`${small.url}/api/app/packages/streamed.apk`, {
      method: 'PUT',
      headers: { 'x-publish-key': own },
      body: parts,
    })
    expect([unannounced.status, (await unannounced.text()).includes('413')]).toEqual([413, true])
    expect(storedFiles(small)).toHaveLength(1)
    await small.ctx.db.write('test', (tx) => setSetting(tx, 'app.maxPackageBytes', 20))
    ok(await upload(small, own, 'eleven.apk', '0123456789a'))
  })

  test('50 uploads of the same bytes under one name at once make one package, and its bytes are stored once', async () => {
    const replies = await race(50, () => upload(server, key, 'race.apk', 'racing'))
    for (const reply of replies) expect(ok(reply).data).toEqual(replies[0]!.data)
    expect((await packages()).filter(({ name }) => name === 'race.apk')).toHaveLength(1)
    const [blob] = (await server.ctx.db.read.select().from(blobs)).filter(({ sha256 }) => sha256 === hashOf('racing'))
    expect(blob).toMatchObject({ refs: 1, size: 6 })
    // Copies are deleted after the answers.
    while (storedFiles().filter((path) => path.includes(hashOf('racing'))).length > 1) await Bun.sleep(10)
    await publishPackage('race.apk')
    expect((await download(server, 'race.apk')).text).toBe('racing')
  })

  test('of 50 uploads of different bytes under one name at once, one wins, and the others leave no bytes', async () => {
    const before = (await server.ctx.db.read.select().from(blobs)).length
    const files = storedFiles().length
    const replies = await race(50, (i) => upload(server, key, 'fight.apk', `bytes ${i}`))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 49 }, () => 400)])
    const winner = replies.find(({ status }) => status === 200)!.data
    expect(await server.ctx.db.read.select().from(blobs)).toHaveLength(before + 1)
    while (storedFiles().length > files + 1) await Bun.sleep(10)
    await publishPackage('fight.apk')
    expect(hashOf((await download(server, 'fight.apk')).bytes)).toBe(winner.sha256)
  })

  test('two names with the same bytes refer to bytes that are stored once', async () => {
    for (const name of ['one.apk', 'two.apk']) ok(await upload(server, key, name, 'shared bytes'))
    const hash = hashOf('shared bytes')
    const found = (await server.ctx.db.read.select().from(blobs)).filter(({ sha256 }) => sha256 === hash)
    expect(found).toMatchObject([{ refs: 2 }])
    while (storedFiles().filter((path) => path.includes(hash)).length > 1) await Bun.sleep(10)
  })

  test('at most 100 new packages and 100 new versions a day are accepted from one address, and repeats are free', async () => {
    await using limited = await startServer({ rateLimit: true })
    const own = (await makeKey(limited)).key
    const minute = () => limited.clock.advance(61_000)
    for (let i = 0; i < 100; i++) {
      if (i % 25 === 0) minute()
      ok(await upload(limited, own, `p${i}.apk`, `bytes ${i}`))
    }
    minute()
    expect((await upload(limited, own, 'more.apk', 'more')).status).toBe(429)
    ok(await upload(limited, own, 'p7.apk', 'bytes 7'))
    const versions = (versionCode: number) =>
      publish(limited, own, { versionCode, versionName: '1', downloadUrl: '/api/app/download/p1.apk' })
    for (let i = 1; i <= 100; i++) {
      if (i % 25 === 1) minute()
      ok(await versions(i))
    }
    minute()
    expect((await versions(101)).status).toBe(429)
    ok(await versions(50))
    limited.clock.advance(86_400_000)
    ok(await upload(limited, own, 'more.apk', 'more'))
    ok(await versions(101))
  })

  test('wrong keys are limited to 60 a minute for an address', async () => {
    await using limited = await startServer({ rateLimit: true })
    const statuses = []
    for (let i = 0; i < 61; i++) statuses.push((await publish(limited, `wrong ${i}`, {})).status)
    expect([statuses.indexOf(429), statuses[0]]).toEqual([60, 401])
  })
})
