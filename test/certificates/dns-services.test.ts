/** Names that are proved by a DNS service: acme-dns and Cloudflare, as they answer and as they should not. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

import { desc } from 'drizzle-orm'

import { acmeOrders, certificates } from '#db/schema/certificates.ts'
import { applySettings } from '#domains/certificates/index.ts'
import { dnsNetwork } from '#domains/certificates/proofs.service.ts'
import { loadServerValues, type PartValue, setServerValue } from '#domains/settings/index.ts'
import { changeRecord, type DnsNetwork, type DnsService, PUBLIC_NETWORK } from '#platform/acme/dns-service.ts'

import { inProcess, ok, startServer, until } from '../harness/index.ts'
import { AUTHORITY_CA, startPebble } from '../harness/pebble.ts'

const pebble = await startPebble()

const SECRET = 'the-secret-of-the-dns-service'
const NAME = '_acme-challenge.example.net'
const VALUE = 'x'.repeat(43)
const CERTIFICATE = {
  cert: readFileSync(AUTHORITY_CA, 'utf8'),
  key: readFileSync(AUTHORITY_CA.replace('.cert.', '.key.'), 'utf8'),
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: Record<string, string>
}

let asked: Asked[] = []
let answer: (request: Asked) => Response | Promise<Response>
let service: Bun.Server<undefined>
let network: DnsNetwork
beforeEach(() => {
  asked = []
  service = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: CERTIFICATE,
    idleTimeout: 0,
    async fetch(received) {
      const { method, url, headers } = received
      const { pathname, search } = new URL(url)
      const sent = await received.text()
      const request = { method, path: pathname + search, headers, body: sent === '' ? {} : JSON.parse(sent) }
      asked.push(request)
      return answer(request)
    },
  })
  const origin = `https://localhost:${service.port!}`
  network = { allowed: [origin], ca: CERTIFICATE.cert, cloudflare: origin, settleMs: 0 }
})
afterEach(() => service.stop(true))

const acmeDns = (): Extract<DnsService, { kind: 'ACMEDNS' }> => ({
  kind: 'ACMEDNS',
  url: `${network.cloudflare}/`,
  username: 'the-user',
  password: SECRET,
  subdomain: 'd420c923',
})
const cloudflare = (): Extract<DnsService, { kind: 'CLOUDFLARE' }> => ({
  kind: 'CLOUDFLARE',
  token: SECRET,
  zoneId: 'zone/1',
})

const { signal } = new AbortController()
const change = (with_: DnsService, action: 'present' | 'cleanup', over: DnsNetwork = network) =>
  changeRecord(with_, [action, NAME, VALUE], over, signal)
const failure = (with_: DnsService, over?: DnsNetwork) =>
  change(with_, 'present', over).then(
    () => 'none',
    (error: Error & { type?: string }) => `${error.type}: ${error.message}`,
  )

/** A zone as Cloudflare shows it. */
function zone() {
  const records = new Map<string, { id: string; name: string; content: string }>([
    ['1', { id: '1', name: NAME, content: '"of somebody else"' }],
  ])
  let next = 2
  const result = (value: unknown) => Response.json({ success: true, errors: [], result: value })
  answer = ({ method, path, body }) => {
    const id = decodeURIComponent(path.split('/').at(-1)!)
    if (method === 'POST') {
      const made = { id: String(next++), name: body['name']!, content: body['content']! }
      records.set(made.id, made)
      return result(made)
    }
    if (method === 'DELETE') return result(records.delete(id) ? { id } : null)
    return result([...records.values()])
  }
  return records
}

test('acme-dns gets the value for its subdomain, and nothing is asked to remove it', async () => {
  answer = ({ body }) => Response.json({ txt: body['txt'] })
  await change(acmeDns(), 'present')
  await change(acmeDns(), 'cleanup')
  expect(asked.map(({ method, path, body }) => [method, path, body as object])).toEqual([
    ['POST', '/update', { subdomain: 'd420c923', txt: VALUE }],
  ])
  expect([asked[0]!.headers.get('x-api-user'), asked[0]!.headers.get('x-api-key')]).toEqual(['the-user', SECRET])
})

test('Cloudflare gets a record once, and loses that one only', async () => {
  const records = zone()
  await change(cloudflare(), 'present')
  await change(cloudflare(), 'present')
  expect([...records.values()].map(({ name, content }) => [name, content])).toEqual([
    [NAME, '"of somebody else"'],
    [NAME, `"${VALUE}"`],
  ])
  await change(cloudflare(), 'cleanup')
  expect([...records.keys()]).toEqual(['1'])
  for (const { path, headers } of asked) {
    expect(path).toStartWith('/client/v4/zones/zone%2F1/dns_records')
    expect(headers.get('authorization')).toBe(`Bearer ${SECRET}`)
  }
})

test.each<[string, () => Response, RegExp]>([
  ['that refuses and quotes the secret', () => new Response(`no ${SECRET}`, { status: 403 }), /HTTP 403 no \*\*\*$/],
  ['that leads elsewhere', () => Response.redirect(`${network.cloudflare}/trap`, 307), /HTTP 307/],
  ['that answers with a page', () => new Response('<h1>It works</h1>'), /HTTP 200 <h1>It works<\/h1>/],
  ['that fails with a long text', () => new Response('a'.repeat(5000), { status: 500 }), /HTTP 500 a+$/],
  ['that fails in JSON', () => Response.json({ success: false, errors: [{ code: 9109 }] }), /"code":9109/],
  ['that sends more than 64 KB', () => new Response('a'.repeat(65 * 1024)), /larger than 65536 bytes/],
])('a service %s is quoted briefly, without the secret', async (_what, reply, words) => {
  answer = reply
  for (const one of [acmeDns(), cloudflare()]) {
    const said = await failure(one)
    expect(said).toMatch(words)
    expect(said).toStartWith('dnsService: ')
    expect(said).not.toContain(SECRET)
    expect(said.length).toBeLessThanOrEqual('dnsService: '.length + 300)
  }
  expect(asked.some(({ path }) => path === '/trap')).toBe(false)
})

test('a service with a private address, or without https, is not asked', async () => {
  answer = () => Response.json({})
  const { host, port } = new URL(network.cloudflare)
  for (const url of [`https://${host}`, `https://127.0.0.1:${port}`, `https://[::1]:${port}`, `http://${host}`])
    expect(await failure({ ...acmeDns(), url }, PUBLIC_NETWORK)).toMatch(/is not a public https host/)
  expect(await failure({ ...acmeDns(), url: `http://${host}` })).toMatch(/is not a public https host/)
  expect(asked).toEqual([])
})

describe.skipIf(pebble === undefined || !inProcess)('a server without a port for plain HTTP', () => {
  const names = ['example.net', '*.example.net']

  async function ordering(dns: (seal: (text: string) => string) => PartValue<'certificate'>['dns'], domain = names) {
    const server = await startServer({ config: { acmeCa: AUTHORITY_CA, acmeDirectory: pebble!.directory } })
    const { ctx } = server
    Object.assign(dnsNetwork(ctx), network)
    const value = {
      kind: 'ACME',
      names: [],
      email: null,
      directory: null,
      agreedTo: null,
      chain: null,
      key: null,
    } as const
    await ctx.db.write('test', (tx) =>
      setServerValue(tx, 'certificate', {
        ...value,
        names: [],
        challenge: 'DNS_01',
        dns: dns((text) => ctx.seal.seal(text)),
      }),
    )
    await loadServerValues(ctx)
    Object.assign(ctx, { config: { ...ctx.config, domain, publicUrl: `https://${domain[0]!}` } })
    await applySettings(ctx)
    const issued = async () => {
      await until(async () => (await ctx.db.read.select().from(certificates)).length > 0)
      return (await ctx.db.read.select().from(certificates).orderBy(desc(certificates.id)))[0]!
    }
    return Object.assign(server, { issued })
  }

  test('gets a certificate for a wildcard by acme-dns', async () => {
    // As acme-dns, to which `_acme-challenge` is an alias: it keeps the last two values.
    let values: string[] = []
    answer = ({ body }) => {
      values = [body['txt']!, ...values].slice(0, 2)
      pebble!.names.texts.set(NAME, new Set(values))
      return Response.json({ txt: body['txt'] })
    }
    await using server = await ordering((seal) => ({ ...acmeDns(), password: seal(SECRET) }))
    expect((await server.issued()).names).toEqual(names)
    expect(new Set(values).size).toBe(2)
  })

  test('gets one by Cloudflare, and its records are removed', async () => {
    const records = zone()
    const { texts } = pebble!.names
    const zoned = answer
    answer = async (request) => {
      const reply = await zoned(request)
      texts.set(NAME, new Set([...records.values()].map(({ content }) => content.replaceAll('"', ''))))
      return reply
    }
    await using server = await ordering((seal) => ({ ...cloudflare(), token: seal(SECRET) }))
    expect((await server.issued()).names).toEqual(names)
    expect([...records.keys()]).toEqual(['1'])
    expect(asked.filter(({ method }) => method === 'DELETE')).toHaveLength(2)
  })

  test('shows why the service refused, without its secret, and keeps the order', async () => {
    answer = () => new Response(`Invalid API token ${SECRET}`, { status: 400 })
    await using server = await ordering((seal) => ({ ...cloudflare(), token: seal(SECRET) }), ['refused.example.net'])
    const { ctx } = server
    await until(async () => (await ctx.db.read.select().from(acmeOrders)).some(({ fault }) => fault !== null))
    const admin = await server.admin()
    const { data, text } = ok(await admin.call('server.values'))
    expect(data.certificate).toMatchObject({
      status: 'FAILED',
      challenge: 'DNS_01',
      dns: { kind: 'CLOUDFLARE', zoneId: 'zone/1', hasToken: true, hasPassword: false },
      lastError: { code: 'dnsService' },
    })
    expect(data.certificate.lastError!.sentence).toContain('Cloudflare: HTTP 400 Invalid API token ***')
    expect(text).not.toContain(SECRET)
    const [order] = await ctx.db.read.select().from(acmeOrders)
    expect(order!.url).toStartWith('https://')
  })
})
