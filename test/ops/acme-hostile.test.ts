/** A server whose certificate authority sends wrong answers or none: it shows the reason, goes on, and uses no certificate that is wrong. */

import 'reflect-metadata'

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'

import { type AuthorityProxy, type Kind, startAuthorityProxy } from '../harness/authority-proxy.ts'
import { AUTHORITY_CA, startPebble } from '../harness/pebble.ts'
import { freePort } from '../harness/s3.ts'
import { until } from '../harness/until.ts'
import { Installation } from './cli.ts'

const pebble = await startPebble()

let place: Installation
let authority: AuthorityProxy
let port = 0
beforeEach(async () => {
  place = await Installation.make()
  authority = startAuthorityProxy(pebble?.directory)
  port = pebble?.httpPort ?? (await freePort())
})
afterEach(async () => {
  await place.dispose()
  await authority.stop()
})

const start = () =>
  place.start(['serve'], {
    env: {
      TESSERA_DOMAIN: 'qr.example.org',
      TESSERA_ACME_DIRECTORY: authority.directory,
      TESSERA_ACME_CA: AUTHORITY_CA,
      TESSERA_HTTP_PORT: String(port),
      TESSERA_LOG_LEVEL: 'warn',
    },
  })

const page = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' })

/** Starts the server, waits until its page shows the words, and stops it. Returns the seconds until the next attempt. */
async function expectFault(words: RegExp): Promise<number> {
  const child = start()
  await until(
    async () =>
      words.test(
        await page().then(
          (answer) => answer.text(),
          () => '',
        ),
      ),
    `the page shows ${words}`,
  )
  const answer = await page()
  expect(answer.status).toBe(503)
  expect((await fetch(`http://127.0.0.1:${port}/actuator/health`)).status).toBe(200)
  child.kill()
  const [stdout] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect(await child.exited).toBe(0)
  expect(stdout).toContain('getting a certificate for qr.example.org')
  expect(stdout).not.toContain('listening on')
  return Number(answer.headers.get('retry-after'))
}

const LARGE = 100 * 1024 * 1024

describe('a directory of an authority', () => {
  test.each<[string, () => Response, RegExp]>([
    ['that answers with 500', () => new Response('broken', { status: 500 }), /is not the directory .*HTTP 500/],
    [
      'that is a page',
      () => new Response('<h1>It works</h1>', { headers: { 'content-type': 'text/html' } }),
      /is not the directory/,
    ],
    ['that leads elsewhere', () => Response.redirect('https://evil.example/dir', 302), /answers with a redirect/],
    [
      'whose addresses are not https',
      () => Response.json({ newNonce: 'http://127.0.0.1:1/', newAccount: 'http://127.0.0.1:1/', newOrder: 'file:///' }),
      /is not an https address/,
    ],
  ])('%s is not used', async (_what, answer, words) => {
    authority.before = answer
    expect(await expectFault(words)).toBeLessThanOrEqual(60)
  })

  test('of 100 MB is not read', async () => {
    let sent = 0
    authority.before = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            const chunk = new Uint8Array(64 * 1024).fill(32)
            sent += chunk.length
            controller.enqueue(chunk)
            if (sent >= LARGE) controller.close()
          },
        }),
      )
    await expectFault(/is larger than 65536 bytes/)
    expect(sent).toBeLessThan(LARGE / 4)
  })

  test('that asks for a pause of a year is asked again after a day', async () => {
    authority.before = () => new Response(null, { status: 503, headers: { 'retry-after': String(365 * 86_400) } })
    const seconds = await expectFault(/is not the directory/)
    expect(seconds).toBeLessThanOrEqual(86_400)
    expect(seconds).toBeGreaterThan(86_000)
  })

  test('that never answers does not stop the server, nor its end', async () => {
    const asked = Promise.withResolvers<void>()
    authority.before = () => {
      asked.resolve()
      return new Promise<Response>(() => undefined)
    }
    const child = start()
    await asked.promise
    const answer = await page()
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('It is getting one now')])
    child.kill()
    expect(await child.exited).toBe(0)
  })
})

describe.skipIf(pebble === undefined)('an authority', () => {
  const problem = (type: string, detail: string, status: number, headers: Record<string, string> = {}): Response =>
    Response.json({ type: `urn:ietf:params:acme:error:${type}`, detail }, { status, headers })

  test.each<[string, Kind, () => Response, RegExp]>([
    ['that refuses the account', 'account', () => problem('externalAccountRequired', 'no', 403), /made at its website/],
    [
      'that has had too many orders',
      'newOrder',
      () => problem('rateLimited', 'too many certificates already issued', 429, { 'retry-after': '7200' }),
      /too many requests for these names.*too many certificates already issued/s,
    ],
    [
      'whose words are markup',
      'newOrder',
      () => problem('rejectedIdentifier', '<script>alert(1)</script>'.repeat(100), 400),
      /issues no certificates.*&lt;script&gt;/s,
    ],
    [
      'whose orders are pages',
      'newOrder',
      () => new Response('<h1>It works</h1>', { status: 201 }),
      /did not say where/,
    ],
    ['that refuses every nonce', 'newOrder', () => problem('badNonce', 'again', 400), /refused the order/],
  ])('%s is quoted on the page', async (what, kind, answer, words) => {
    authority.before = (message) => (message.kind === kind ? answer() : undefined)
    const seconds = await expectFault(words)
    expect(seconds).toBeLessThanOrEqual(7200)
    if (what.includes('nonce')) expect(authority.messages.filter((one) => one.kind === 'newOrder').length).toBe(6)
  })

  const OTHER_KEY = readFileSync(AUTHORITY_CA, 'utf8')
  const pem = (text: string): Response =>
    new Response(text, { headers: { 'content-type': 'application/pem-certificate-chain' } })

  test('that sends a certificate for another key is not believed', async () => {
    authority.after = ({ kind }) => (kind === 'certificate' ? pem(OTHER_KEY) : undefined)
    await expectFault(/is not for this server\. It is not used\..*another key/s)
  })

  test('that sends a certificate for another name, or one that has ended, is not believed', async () => {
    const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
    let request: Pkcs10CertificateRequest | undefined
    authority.before = ({ kind, payload }) => {
      if (kind === 'finalize') request = new Pkcs10CertificateRequest(Buffer.from(String(payload!['csr']), 'base64url'))
      return undefined
    }
    const signed = (name: string, notAfter: number) =>
      X509CertificateGenerator.create({
        serialNumber: '01',
        subject: `CN=${name}`,
        issuer: 'CN=liar',
        notBefore: new Date(Date.now() - 86_400_000),
        notAfter: new Date(notAfter),
        publicKey: request!.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
        extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
      })
    for (const [name, notAfter, words] of [
      ['evil.example', Date.now() + 86_400_000, /is not for qr\.example\.org/],
      ['qr.example.org', Date.now() - 1000, /has expired/],
    ] as const) {
      authority.after = async ({ kind }) =>
        kind === 'certificate' ? pem((await signed(name, notAfter)).toString('pem')) : undefined
      await expectFault(words)
      // A fresh database, since the pause after the failure is a row.
      await place.dispose()
      place = await Installation.make()
    }
  })
})
