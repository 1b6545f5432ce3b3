/** Conditional requests and ranges, over real connections: Bun changes answers with files on its own. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { answerBytes, contentDisposition, parseRange, type StoredBytes } from '#http/byte-response.ts'
import { endpoint, open } from '#http/endpoint.ts'
import type { Gatekeeper } from '#http/mount.ts'
import { Enum, Type } from '#http/schema.ts'
import { listen, type RunningServer } from '#http/server.ts'
import type { Bytes } from '#platform/blobs/port.ts'

import { send } from '../harness/client.ts'
import { bareContext } from './context.ts'

const TEXT = 'abcdefghijklmnopqrstuvwxyz'
const folder = mkdtempSync(join(tmpdir(), 'tessera-bytes-'))
let reads = 0

const stored: StoredBytes = {
  size: TEXT.length,
  etag: '"v2"',
  type: 'application/octet-stream',
  disposition: 'attachment',
  name: 'letters.bin',
  headers: { 'cache-control': 'private', 'repr-digest': 'sha-256=:abc=:' },
}

/** The same bytes as the two kinds of store deliver them. */
const sources: Record<
  'file' | 'stream' | 'short' | 'long' | 'empty' | 'missing',
  (start: number, end: number) => Bytes | undefined
> = {
  file: (start, end) => Bun.file(join(folder, 'letters')).slice(start, end),
  stream: (start, end) => new Blob([TEXT]).slice(start, end).stream(),
  short: (start, end) => new Blob([TEXT]).slice(start, end - 1).stream(),
  long: (start, end) => new Blob([`${TEXT}!`]).slice(start, end + 1).stream(),
  empty: (start, end) => Bun.file(join(folder, 'empty')).slice(start, end),
  missing: () => undefined,
}

const endpoints = [
  endpoint({
    id: 'bytes.get',
    method: 'GET',
    path: '/bytes/:source',
    summary: 'Download',
    tag: 'Operations',
    access: open,
    params: Type.Object({ source: Enum(['file', 'stream', 'short', 'long', 'empty', 'missing']) }),
    answers: 'application/octet-stream',
    sendsRanges: true,
    run: ({ request, params: { source } }) =>
      answerBytes(request, source === 'empty' ? { ...stored, size: 0 } : stored, async ({ start, end }) => {
        reads++
        return sources[source](start, end)
      }),
  }),
]

const never = (): never => {
  throw new Error('no operation of this test asks')
}
const gates: Gatekeeper = {
  authenticate: never,
  can: never,
  refusesUnknownParameters: () => false,
  consoleRefusal: never,
  isMember: never,
  refusalIn: never,
  spend: never,
  refusePublisherKey: never,
  isAdministrator: never,
  loggedActor: never,
}

let server: RunningServer
beforeAll(async () => {
  await Bun.write(join(folder, 'letters'), TEXT)
  await Bun.write(join(folder, 'empty'), '')
  server = listen(endpoints, bareContext({ host: '127.0.0.1' }), gates)
})
afterAll(async () => {
  await server.kill()
  rmSync(folder, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}) => send(server.url, 'GET', path, { headers })

test.each([
  // Header, size, start and end (after the last byte), `no` for 416, `all` where the header is ignored.
  [null, 10, 'all'],
  ['bytes=0-', 10, [0, 10]],
  ['bytes=0-0', 10, [0, 1]],
  ['bytes=9-', 10, [9, 10]],
  ['bytes=2-4', 10, [2, 5]],
  ['bytes=2-99', 10, [2, 10]],
  ['bytes=-3', 10, [7, 10]],
  ['bytes=-99', 10, [0, 10]],
  ['Bytes=1-1', 10, [1, 2]],
  ['bytes = 1-1', 10, [1, 2]],
  ['bytes= 1-1 ', 10, [1, 2]],
  ['bytes=,1-1,', 10, [1, 2]],
  ['bytes=10-', 10, 'no'],
  ['bytes=10-12', 10, 'no'],
  ['bytes=-0', 10, 'no'],
  ['bytes=0-', 0, 'no'],
  ['bytes=-5', 0, 'all'],
  [`bytes=${'9'.repeat(400)}-`, 10, 'no'],
  [`bytes=5-${'9'.repeat(400)}`, 10, [5, 10]],
  [`bytes=-${'9'.repeat(400)}`, 10, [0, 10]],
  ['bytes=4-2', 10, 'all'],
  ['bytes=1-2,4-5', 10, 'all'],
  ['bytes=', 10, 'all'],
  ['bytes=-', 10, 'all'],
  ['bytes=1', 10, 'all'],
  ['bytes=a-b', 10, 'all'],
  ['bytes=1-2-3', 10, 'all'],
  ['bytes=+1-2', 10, 'all'],
  ['bytes=1.5-2', 10, 'all'],
  ['bytes=0x1-2', 10, 'all'],
  ['items=1-2', 10, 'all'],
  ['xbytes=1-2', 10, 'all'],
  ['1-2', 10, 'all'],
  ['', 10, 'all'],
] as const)('Range %p of %p bytes selects %p', (header, size, expected) => {
  const range = parseRange(header, size)
  const shown = range === undefined ? 'all' : range === 'unsatisfiable' ? 'no' : [range.start, range.end]
  expect<unknown>(shown).toEqual(expected)
})

describe.each(['file', 'stream'])('bytes from a %s', (source) => {
  const path = `/bytes/${source}`

  test('GET sends all bytes with their entity tag, type, name and length', async () => {
    const reply = await get(path)
    expect([reply.status, reply.text]).toEqual([200, TEXT])
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      etag: '"v2"',
      'accept-ranges': 'bytes',
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="letters.bin"',
      'content-length': '26',
      'cache-control': 'private',
      'repr-digest': 'sha-256=:abc=:',
      'x-content-type-options': 'nosniff',
    })
  })

  test('HEAD sends the headers of GET and reads no bytes', async () => {
    const whole = await get(path)
    reads = 0
    const head = await send(server.url, 'HEAD', path, { headers: { range: 'bytes=1-2' } })
    expect([head.status, head.text, reads]).toEqual([200, '', 0])
    for (const name of ['etag', 'content-length', 'content-type', 'content-disposition', 'accept-ranges'])
      expect(head.headers.get(name), name).toBe(whole.headers.get(name))
  })

  test.each([
    ['bytes=0-0', 'a', 'bytes 0-0/26'],
    ['bytes=3-5', 'def', 'bytes 3-5/26'],
    ['bytes=20-', 'uvwxyz', 'bytes 20-25/26'],
    ['bytes=-2', 'yz', 'bytes 24-25/26'],
    ['bytes=0-', TEXT, 'bytes 0-25/26'],
  ])('GET with Range %p answers 206 with these bytes only', async (range, text, contentRange) => {
    const reply = await get(path, { range })
    expect([reply.status, reply.text]).toEqual([206, text])
    expect(reply.headers.get('content-range')).toBe(contentRange)
    expect(reply.headers.get('content-length')).toBe(String(text.length))
    expect(reply.headers.get('etag')).toBe('"v2"')
  })

  test.each(['bytes=1-2,4-5', 'bytes=4-2', 'items=1-2', 'bytes=x'])(
    'GET with Range %p, which is ignored, answers 200 with all bytes',
    async (range) => {
      const reply = await get(path, { range })
      expect([reply.status, reply.text, reply.headers.get('content-range')]).toEqual([200, TEXT, null])
    },
  )

  test.each(['bytes=26-', 'bytes=99-100', 'bytes=-0'])('GET with Range %p answers 416 with the size', async (range) => {
    const reply = await get(path, { range })
    expect([reply.status, reply.code]).toEqual([416, 416])
    expect(reply.headers.get('content-range')).toBe('bytes */26')
    expect(reply.text).not.toContain('abc')
  })

  test.each([
    ['"v2"', 206],
    ['"v1"', 200],
    ['W/"v2"', 200],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 200],
  ])('GET with Range and If-Range %p answers %p', async (ifRange, status) => {
    const reply = await get(path, { range: 'bytes=1-2', 'if-range': ifRange })
    expect([reply.status, reply.text]).toEqual([status, status === 206 ? 'bc' : TEXT])
    const beyond = await get(path, { range: 'bytes=99-', 'if-range': ifRange })
    expect(beyond.status).toBe(status === 206 ? 416 : 200)
  })

  test.each([
    ['"v2"', 304],
    ['W/"v2"', 304],
    ['"v1", "v2"', 304],
    ['*', 304],
    ['"v1"', 200],
  ])('GET and HEAD with If-None-Match %p answer %p', async (ifNoneMatch, status) => {
    for (const method of ['GET', 'HEAD']) {
      const reply = await send(server.url, method, path, { headers: { 'if-none-match': ifNoneMatch } })
      expect([method, reply.status]).toEqual([method, status])
      expect(reply.headers.get('etag')).toBe('"v2"')
      if (status === 304) expect([reply.text, reply.headers.get('content-disposition')]).toEqual(['', null])
    }
    // The condition comes before the range.
    const ranged = await get(path, { 'if-none-match': ifNoneMatch, range: 'bytes=99-' })
    expect(ranged.status).toBe(status === 304 ? 304 : 416)
  })

  test.each([
    ['"v2"', 206],
    ['*', 206],
    ['"v1", "v2"', 206],
    ['"v1"', 412],
    ['W/"v2"', 412],
  ])('GET with Range and If-Match %p answers %p', async (ifMatch, status) => {
    const reply = await get(path, { 'if-match': ifMatch, range: 'bytes=1-2' })
    expect([reply.status, reply.text === 'bc']).toEqual([status, status === 206])
  })
})

test('a file without bytes can be downloaded, and has no range', async () => {
  const reply = await get('/bytes/empty')
  expect([reply.status, reply.text, reply.headers.get('content-length')]).toEqual([200, '', '0'])
  const ranged = await get('/bytes/empty', { range: 'bytes=0-' })
  expect([ranged.status, ranged.headers.get('content-range')]).toEqual([416, 'bytes */0'])
})

test('a download whose bytes are missing answers 503 without the name of the file', async () => {
  const reply = await get('/bytes/missing')
  expect([reply.status, reply.headers.get('etag')]).toEqual([503, null])
  expect(reply.text).not.toContain('letters')
})

test.each([
  ['menu.pdf', 'attachment; filename="menu.pdf"'],
  ['a b.txt', 'attachment; filename="a b.txt"'],
  ['a"b\\c%41.txt', `attachment; filename="a_b_c_41.txt"; filename*=UTF-8''a%22b%5Cc%2541.txt`],
  ["菜单 '1'.pdf", `attachment; filename="__ '1'.pdf"; filename*=UTF-8''%E8%8F%9C%E5%8D%95%20%271%27.pdf`],
  ['x\r\nSet-Cookie: a=b', `attachment; filename="x__Set-Cookie: a=b"; filename*=UTF-8''x%0D%0ASet-Cookie%3A%20a%3Db`],
  ['\ud800.png', `attachment; filename="_.png"; filename*=UTF-8''%EF%BF%BD.png`],
  ['👩‍🍳.png', `attachment; filename="___.png"; filename*=UTF-8''%F0%9F%91%A9%E2%80%8D%F0%9F%8D%B3.png`],
])('the header Content-Disposition contains the name %p', (name, expected) => {
  expect(contentDisposition('attachment', name)).toBe(expected)
  // Throws if the header is not valid.
  expect(new Headers({ 'content-disposition': expected }).get('content-disposition')).toBe(expected)
})

test.each(['short', 'long'])(
  'a stream that is too %s ends with a broken connection, also for a range',
  async (source) => {
    for (const range of ['', 'bytes=3-9']) {
      const answer = fetch(`${server.url}/bytes/${source}`, { headers: { range } })
      expect(await answer.then((response) => response.text()).catch(() => 'broken')).toBe('broken')
    }
    expect((await get('/bytes/stream')).text).toBe(TEXT)
  },
)
