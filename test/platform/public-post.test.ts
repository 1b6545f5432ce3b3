import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { isPublicIp } from '#lib/ip.ts'
import { mayBePublic, NotPublicError, postPublic, type PublicPost } from '#platform/public-post.ts'

const pem = (name: string) => readFileSync(join(import.meta.dir, '../harness/tls', name), 'utf8')
let hits: string[] = []
let secure: Bun.Server<undefined>
let plain: Bun.Server<undefined>

beforeAll(() => {
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    hits.push(`${request.method} ${request.headers.get('host')} ${pathname} ${await request.text()}`)
    if (pathname === '/redirect') return new Response(null, { status: 307, headers: { location: '/trap' } })
    if (pathname === '/endless') return new Response(endless(), { status: 201 })
    if (pathname === '/silent') return new Promise(() => undefined)
    return new Response('taken', { status: 201, headers: { 'retry-after': '7' } })
  }
  const here = { port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch } as const
  secure = Bun.serve({ ...here, tls: { cert: pem('cert.pem'), key: pem('key.pem') } })
  plain = Bun.serve(here)
})
afterAll(() => Promise.all([secure.stop(true), plain.stop(true)]))

const endless = () =>
  new ReadableStream({
    async pull(controller) {
      await Bun.sleep(1)
      controller.enqueue(new Uint8Array(512))
    },
  })

function post(url: string, more: Partial<PublicPost> = {}) {
  hits = []
  const signal = new AbortController().signal
  return postPublic(url, { headers: {}, body: Buffer.from('hello'), allowed: [], signal, ...more })
}

const PRIVATE = [
  '127.0.0.1',
  '127.9.9.9',
  '0.0.0.0',
  '10.0.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '::10.0.0.1',
  '64:ff9b::a00:1',
  '2001::1',
  '2001:db8::1',
  '2002:a00:1::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
]

describe('An address', () => {
  test.each(PRIVATE)('%s is not public', (ip) => {
    expect(isPublicIp(ip)).toBe(false)
    expect(mayBePublic(new URL(`https://${ip.includes(':') ? `[${ip}]` : ip}/`), [])).toBe(false)
  })

  test.each([
    'http://[::ffff:10.0.0.1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://167772161/',
    'https://012.0.0.1/',
    'https://0x0a.1/',
    'https://127.1/',
    'https://10.0.0.1./',
    'https://user@1.1.1.1/',
    'https://nas/',
    'https://nas.local/',
    'https://metadata.google.internal./',
  ])('is refused as %s, before its name is resolved', (url) => {
    expect(mayBePublic(new URL(url), ['https://10.0.0.1:8443', 'http://10.0.0.1'])).toBe(false)
  })

  test.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '223.255.255.255', '::ffff:8.8.8.8', '2606:4700::1111'])(
    '%s is public',
    (ip) => expect(isPublicIp(ip)).toBe(true),
  )
})

describe('A POST to an address of a user', () => {
  test.each(PRIVATE)('is not sent to a name that resolves to %s, alone or beside a public address', async (ip) => {
    const url = `https://push.example.org:${secure.port}/`
    for (const addresses of [[ip], ['1.1.1.1', ip]])
      await expect(post(url, { resolve: async () => addresses })).rejects.toThrow(NotPublicError)
    expect(hits).toEqual([])
  })

  test('is not sent to localhost or without TLS', async () => {
    for (const url of [`https://localhost:${secure.port}/`, `http://127.0.0.1:${plain.port}/`, 'http://1.1.1.1/'])
      await expect(post(url)).rejects.toThrow(NotPublicError)
    expect(hits).toEqual([])
  })

  test('resolves the name once, goes to that address, and checks the certificate against the name', async () => {
    const resolved: string[] = []
    const resolve = async (host: string) => {
      resolved.push(host)
      return ['127.0.0.1']
    }
    const send = (host: string) => {
      const origin = `https://${host}:${secure.port}`
      return post(`${origin}/a?b=1`, { allowed: [origin], ca: pem('cert.pem'), resolve })
    }
    expect(await send('localhost')).toEqual({
      status: 201,
      retryAfter: 7,
      text: 'taken',
      start: 'taken',
      isPublic: false,
    })
    expect(hits).toEqual([`POST localhost:${secure.port} /a hello`])
    expect(resolved).toEqual(['localhost'])
    await expect(send('push.example.org')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    expect(hits).toEqual([])
  })

  test('follows no redirect, and does not read an endless answer to its end', async () => {
    const allowed = [plain.url.origin]
    expect((await post(`${plain.url}redirect`, { allowed })).status).toBe(307)
    expect(hits).toHaveLength(1)
    expect((await post(`${plain.url}endless`, { allowed })).status).toBe(201)
  })

  test('keeps the start of a longer answer', async () => {
    const answer = await post(`${plain.url}endless`, { allowed: [plain.url.origin], most: { ms: 10_000, bytes: 100 } })
    expect(answer.text).toBeUndefined()
    expect(answer.start).toHaveLength(100)
  })

  test('fails if the connection is closed within the answer', async () => {
    using cutting = Bun.listen({
      port: 0,
      hostname: '127.0.0.1',
      socket: {
        data(socket) {
          socket.write('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\nstart')
          socket.end()
        },
      },
    })
    const origin = `http://127.0.0.1:${cutting.port}`
    await expect(post(`${origin}/`, { allowed: [origin] })).rejects.toThrow()
  })

  test('ends when it is cancelled', async () => {
    const stop = new AbortController()
    const sending = post(`${plain.url}silent`, { allowed: [plain.url.origin], signal: stop.signal })
    while (hits.length === 0) await Bun.sleep(1)
    stop.abort()
    await expect(sending).rejects.toThrow()
  })
})
