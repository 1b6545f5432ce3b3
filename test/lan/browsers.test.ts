/**
 * Chromium and Firefox accept the server after its authority was added to their store, refuse it before, and refuse other names in certificates of
 * the same authority. Both have their own way to verify, which is not that of OpenSSL.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'

import type { Page } from 'playwright-core'

import { readLocalAuthority } from '#db/local-authority.ts'
import { signingKey } from '#platform/keys.ts'
import { issueCertificate, type LocalAuthority } from '#platform/local-authority.ts'
import { sealOf } from '#platform/seal.ts'

import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { firefoxPath, hasFirefox } from '../harness/firefox.ts'
import { until } from '../harness/until.ts'
import { Installation } from '../ops/cli.ts'
import { hasCertutil, LAN, type LanServer, serveLan, trustIn } from './lan.ts'

const FOREIGN = 'foreign.example.org'

test('certutil is there', () => {
  if (hasCertutil) return
  console.log('Browsers are not tested here, because certutil is missing: apt-get install libnss3-tools')
  expect(process.env['CI']).toBeFalsy()
})

let place: Installation
let server: LanServer
let authority: LocalAuthority
/** Somebody with the key of the authority, at a name that it is not for. */
let rogue: Bun.Server<undefined>
let rogueRequests = 0
beforeAll(async () => {
  place = await Installation.make()
  server = await serveLan(place, [...LAN, '--log-format', 'text'])
  const row = (await readLocalAuthority(place))!
  const seal = sealOf(await signingKey({ dataDir: place.dataDir, secret: '' }))
  authority = { certificate: row.certificate, key: seal.open(row.sealedKey)! }
  const { cert, key } = await issueCertificate('Mallory', authority, { dns: [FOREIGN], addresses: [] }, Date.now())
  rogue = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert, key },
    fetch() {
      rogueRequests++
      return new Response('rogue')
    },
  })
})
afterAll(async () => {
  await rogue?.stop(true)
  await server?.end()
  await place?.dispose()
})

/** The error with which the browser refuses the address; empty if it opens it. */
async function refusal(page: Page, url: string): Promise<string> {
  try {
    await page.goto(url)
    return ''
  } catch (error) {
    const { message } = error as Error
    // It shows a page of its own, by a navigation that would interrupt the next one.
    await page.waitForURL('chrome-error://chromewebdata/')
    return message
  }
}

describe.if(hasCertutil && hasChromium)('Chromium', () => {
  /** Its store is in the home directory. */
  async function withPage<T>(home: string, work: (page: Page) => Promise<T>): Promise<T> {
    const args = [`--host-resolver-rules=MAP ${FOREIGN} 127.0.0.1`]
    const browser = await launchChromium({ isWhole: true, args, home })
    try {
      return await work(await browser.newPage({ locale: 'en-GB' }))
    } finally {
      await browser.close()
    }
  }

  test('refuses the server without trust, and the page says so', async () => {
    const home = join(place.home, 'untrusting')
    mkdirSync(home)
    await withPage(home, async (page) => {
      expect(await refusal(page, server.url)).toContain('ERR_CERT_AUTHORITY_INVALID')
      await page.goto(`${server.plain}/trust`)
      await page.getByText('This device does not trust the server yet.').waitFor()
    })
  })

  test('accepts the server after trust, and refuses another name of the same authority', async () => {
    const home = join(place.home, 'trusting')
    trustIn(join(home, '.pki/nssdb'), server.ca)
    await withPage(home, async (page) => {
      await page.goto(`${server.plain}/trust`)
      await page.getByText('This device trusts the server.').waitFor()
      await page.getByRole('link', { name: 'Open the server with https' }).click()
      await page.waitForURL(`${server.url}/`)
      expect(await page.evaluate('isSecureContext')).toBe(true)
      await page.goto(`${server.url}/trust?lang=zh`)
      await page.getByText('如果浏览器没有显示警告').waitFor()
      expect(await refusal(page, `https://${FOREIGN}:${rogue.port}`)).toContain('ERR_CERT')
    })
    expect(rogueRequests).toBe(0)
  })
})

describe.if(hasCertutil && hasFirefox)('Firefox', () => {
  const profile = (name: string): string => {
    const folder = join(place.home, name)
    mkdirSync(folder)
    writeFileSync(
      join(folder, 'user.js'),
      `user_pref('network.dns.localDomains', '${FOREIGN}');\nuser_pref('datareporting.policy.dataSubmissionEnabled', false);\n`,
    )
    return folder
  }
  const open = (folder: string, url: string) =>
    Bun.spawn(
      [firefoxPath!, '--headless', '--no-remote', '--profile', folder, '--screenshot', join(folder, 'p.png'), url],
      { env: { ...process.env, HOME: folder }, stdio: ['ignore', 'ignore', 'ignore'] },
    )
  /** Opens the address through a port that sees Firefox close its connection, as it does without a request when it refuses the certificate. */
  async function openAndClose(folder: string, host: string, port: number): Promise<void> {
    let closed = 0
    const proxy = createServer((from) => {
      const to = connect(port, '127.0.0.1')
      from.pipe(to).pipe(from)
      to.on('error', () => from.destroy())
      from.on('error', () => to.destroy()).on('close', () => closed++)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const child = open(folder, `https://${host}:${(proxy.address() as AddressInfo).port}/docs`)
    try {
      await until(() => closed > 0)
    } finally {
      // It does not end at a warning.
      child.kill()
      await child.exited
      proxy.close()
    }
  }
  const seen = (): boolean => server.stderr().includes('GET /docs ')

  test('refuses the server without trust', async () => {
    await openAndClose(profile('firefox-untrusting'), '127.0.0.1', Number(server.port))
    expect(seen()).toBe(false)
  })

  test('accepts the server after trust, and refuses another name of the same authority', async () => {
    const folder = profile('firefox-trusting')
    trustIn(folder, server.ca)
    expect(await open(folder, `${server.url}/docs`).exited).toBe(0)
    await until(seen)
    await openAndClose(folder, FOREIGN, rogue.port!)
    expect(rogueRequests).toBe(0)
  })
})
