/** The ACME client alone, with a real authority. test/ops/acme.test.ts has the server with it. */

import { describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { AcmeClient } from '#platform/acme/client.ts'
import { checkIssued, newKey, renewalIdOf } from '#platform/acme/keys.ts'
import { obtain, type Obtaining } from '#platform/acme/obtain.ts'
import { AcmeError, OrderGone } from '#platform/acme/request.ts'

import { AUTHORITY_CA, startPebble } from '../harness/pebble.ts'

const pebble = await startPebble({ refusedNonces: 25 })

const NAMES = ['qr.example.org', 'www.example.org']

describe.skipIf(pebble === undefined)('with an authority that refuses a quarter of the nonces', () => {
  const { signal } = new AbortController()
  const makeClient = () =>
    new AcmeClient({
      directory: pebble!.directory,
      ca: readFileSync(AUTHORITY_CA, 'utf8'),
      accountKey: newKey(),
      signal,
      now: Date.now,
    })

  /** Answers challenges over HTTP until it is disposed. */
  function answering() {
    const tokens = new Map<string, string>()
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: pebble!.httpPort,
      fetch: ({ url }) => new Response(tokens.get(new URL(url).pathname) ?? '', { status: 200 }),
    })
    return {
      proof: {
        kind: 'HTTP_01',
        present: async (token, text) => void tokens.set(`/.well-known/acme-challenge/${token}`, text),
      } as Obtaining['proof'],
      [Symbol.asyncDispose]: () => server.stop(true),
    }
  }

  const working = (more: Pick<Obtaining, 'proof'> & Partial<Obtaining>): Obtaining => ({
    names: NAMES,
    key: newKey(),
    order: undefined,
    replaces: undefined,
    signal,
    ordered: async () => undefined,
    keep: async () => undefined,
    ...more,
  })

  test('an order with HTTP-01 gives a certificate for all names, which is renewed with the suggested window', async () => {
    await using http = answering()
    const client = makeClient()
    await client.register('admin@example.org')
    const key = newKey()
    const chain = await obtain(client, working({ key, proof: http.proof }))
    const issued = checkIssued(chain, key, NAMES, Date.now())
    expect(issued.notAfter - issued.notBefore).toBeGreaterThan(89 * 86_400_000)
    expect(new X509Certificate(chain).subjectAltName).toBe('DNS:qr.example.org, DNS:www.example.org')
    const window = await client.renewalWindow((await renewalIdOf(chain))!)
    expect(window!.start).toBeGreaterThan(Date.now())
    expect(window!.end).toBeLessThan(issued.notAfter)
    const replaced = await obtain(client, working({ proof: http.proof, replaces: (await renewalIdOf(chain))! }))
    expect(replaced).not.toBe(chain)
  })

  test('an order with DNS-01 gives a certificate for a wildcard', async () => {
    const client = makeClient()
    await client.register('')
    const { texts } = pebble!.names
    const key = newKey()
    const names = ['example.net', '*.example.net']
    const proof: Obtaining['proof'] = {
      kind: 'DNS_01',
      change: async (action, name, value) =>
        void (action === 'present' ? texts.set(name, new Set([value])) : texts.delete(name)),
    }
    const chain = await obtain(client, working({ names, key, proof }))
    expect(checkIssued(chain, key, names, Date.now()).chain).toBe(chain)
    expect(texts.size).toBe(0)
  })

  test('an order that was begun is continued with its address, and one that failed is gone', async () => {
    await using http = answering()
    const client = makeClient()
    await client.register('')
    const key = newKey()
    let order = ''
    const killed = new Error('killed')
    const begun = working({
      key,
      proof: http.proof,
      ordered: async (url) => void (order = url),
      keep: () => Promise.reject(killed),
    })
    expect(await obtain(client, begun).catch((error: unknown) => error)).toBe(killed)
    const chain = await obtain(client, working({ key, proof: http.proof, order }))
    expect(checkIssued(chain, key, NAMES, Date.now()).serial).toMatch(/^[0-9a-f]+$/)
    // As after a kill between the issue and the download.
    expect(await obtain(client, working({ key, proof: http.proof, order }))).toBe(chain)

    pebble!.names.hidden.add('gone.example.org')
    let failed = ''
    const failing = working({
      names: ['gone.example.org'],
      proof: http.proof,
      ordered: async (url) => void (failed = url),
    })
    const error = await obtain(client, failing).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(AcmeError)
    expect([(error as AcmeError).type, (error as AcmeError).more.identifier]).toEqual([
      'connection',
      'gone.example.org',
    ])
    const again = obtain(client, working({ names: ['gone.example.org'], proof: http.proof, order: failed }))
    expect(await again.catch((error: unknown) => error)).toBeInstanceOf(OrderGone)
  })

  test('a certificate for another key or other names is refused', async () => {
    await using http = answering()
    const client = makeClient()
    await client.register('')
    const key = newKey()
    const chain = await obtain(client, working({ key, proof: http.proof }))
    const check =
      (...[key, names, now]: [string, string[], number]) =>
      () =>
        checkIssued(chain, key, names, now)
    expect(check(newKey(), NAMES, Date.now())).toThrow(/another key/)
    expect(check(key, [...NAMES, 'other.example.org'], Date.now())).toThrow(/is not for other\.example\.org/)
    expect(check(key, NAMES, Date.now() + 91 * 86_400_000)).toThrow(/has expired/)
    expect(() => checkIssued('<html>', key, NAMES, Date.now())).toThrow(/cannot be read/)
  })
})

test('the name of a certificate for renewal information is that of the example in RFC 9773', async () => {
  expect(await renewalIdOf(RFC_9773_CERTIFICATE)).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')
})

/** Appendix A of RFC 9773. */
const RFC_9773_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`
