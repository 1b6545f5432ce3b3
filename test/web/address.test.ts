/** The address of the server and its certificate in the web application. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Locator, Page } from 'playwright-core'

import { createRole, grant } from '../access/helpers.ts'
import { hasFirefox } from '../harness/firefox.ts'
import { inProcess, ok, type Person, startServer, type TestServer, until } from '../harness/index.ts'
import { AUTHORITY_CA, startPebble } from '../harness/pebble.ts'
import { barriers, isTooWide, screenshot, settled, useBrowser } from './browser.ts'

const MACHINE = { hasIpv6: false, names: ['willow', 'willow.local'], addresses: ['127.0.0.1'], publicAddresses: [] }
const PATH = '/console/admin/address'
const TLS = join(import.meta.dir, '../harness/tls')

const pebble = await startPebble()

function freePort(): number {
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const port = probe.port!
  void probe.stop(true)
  return port
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
/** A card with its heading. */
const section = (page: Page, name: string): Locator =>
  page.locator('.MuiCard-root').filter({ has: page.getByRole('heading', { name, level: 2, exact: true }) })
const save = (page: Page, name: string) =>
  section(page, name).getByRole('button', { name: 'Save', exact: true }).click()

async function look(page: Page, name: string): Promise<void> {
  expect({ name, barriers: await barriers(page) }).toEqual({ name, barriers: [] })
  await page.mouse.wheel(0, -10_000)
  await screenshot(page, `address-${name}`)
  await page.setViewportSize({ width: 390, height: 844 })
  await settled(page)
  expect({ name, isTooWide: await isTooWide(page) }).toEqual({ name, isTooWide: false })
  await screenshot(page, `address-${name}-phone`)
  await page.setViewportSize({ width: 1280, height: 800 })
}

describe.if(inProcess)('the address and the certificate', () => {
  let server: TestServer
  let admin: Person
  const start = async (options: object = {}) => {
    server = await startServer({ machine: () => MACHINE, ...options })
    admin = await server.admin()
  }
  beforeEach(() => start())
  afterEach(() => server.stop())
  const place = {
    get url() {
      return server.url
    },
  }
  const values = async () => ok(await admin.call('server.values')).data
  const network = (httpsPort: number, names = ['willow']) =>
    admin.call('server.reach.update', { body: { mode: 'NETWORK', names, httpsPort, host: '127.0.0.1' } })

  // The pages are closed before the server stops.
  describe('in the browser', () => {
    const browser = useBrowser(place)
    const firefox = hasFirefox ? useBrowser(place, { isFirefox: true }) : undefined

    test('lead the network to a free port and back, and say where the server answers', async () => {
      const port = freePort()
      const page = await browser.signedIn(admin)
      await page.goto(PATH)
      await says(page, /^Only this computer can open the address/)
      expect(await section(page, 'Certificate').count()).toBe(0)
      await look(page, 'local')
      await page.getByRole('radio', { name: 'This network' }).check()
      await page.getByLabel('Names').fill('willow')
      await section(page, 'Change the address').getByRole('button', { name: 'More' }).click()
      await page.getByLabel('Port without HTTPS').fill(String(port))
      await page.getByLabel('Listen on the address').fill('127.0.0.1')
      await save(page, 'Change the address')
      await says(page, `The server answers at http://willow:${port} from now on.`)
      expect(await page.getByRole('link', { name: 'Open it there' }).getAttribute('href')).toBe(
        `http://willow:${port}${PATH}`,
      )
      expect((await fetch(`http://127.0.0.1:${port}/actuator/health`)).status).toBe(200)
      await says(page, 'There is no certificate: connections')
      await look(page, 'network')
      await page.getByRole('radio', { name: 'This computer only' }).check()
      await save(page, 'Change the address')
      await says(page, 'nothing printed')
      expect((await values()).reach).toMatchObject({ mode: 'LOCAL', aliases: [{ origin: `http://willow:${port}` }] })
      await button(page, `Remove http://willow:${port}`).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await says(page, 'The address is removed.')
      expect((await values()).reach.aliases).toEqual([])
    })

    test('stay as they are if a port is taken or a name is none, and the field says so', async () => {
      const taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('other') })
      const page = await browser.signedIn(admin)
      browser.allow(/status of 400/)
      await page.goto(PATH)
      await page.getByRole('radio', { name: 'This network' }).check()
      await button(page, 'More').click()
      await page.getByLabel('Port without HTTPS').fill(String(taken.port))
      await page.getByLabel('Listen on the address').fill('127.0.0.1')
      await save(page, 'Change the address')
      await says(page, `needs port ${taken.port}, which another program uses`)
      expect(await page.getByLabel('Port without HTTPS').getAttribute('aria-invalid')).toBe('true')
      await page.getByRole('radio', { name: 'A name of the internet' }).check()
      await page.getByLabel('Names').fill('library, qr.example.org')
      await save(page, 'Change the address')
      await says(page, /must be a name of the internet/)
      expect(await page.getByLabel('Names').getAttribute('aria-invalid')).toBe('true')
      expect((await values()).reach.mode).toBe('LOCAL')
      await taken.stop(true)
    })

    test('show the authority of the server with its fingerprint, and replace it', async () => {
      ok(await network(freePort()))
      const page = await browser.signedIn(admin)
      await page.goto(PATH)
      await page.getByLabel('Certificate', { exact: true }).click()
      await page.getByRole('option', { name: /^From this server/ }).click()
      await says(page, /A person with the key of this server could then read/)
      await save(page, 'Certificate')
      await says(page, /^The certificate is valid until/)
      const first = (await values()).certificate.authority!.fingerprint
      expect(first).toMatch(/^([0-9A-F]{4} ){15}[0-9A-F]{4}$/)
      await says(page, first)
      expect(await page.getByRole('link', { name: /\/trust$/ }).count()).toBe(1)
      await look(page, 'authority')
      await button(page, 'Replace the authority').click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('0 devices have trusted the present one').waitFor()
      await dialog.getByRole('button', { name: 'Replace the authority' }).click()
      await until(async () => (await values()).certificate.authority!.fingerprint !== first)
      await says(page, (await values()).certificate.authority!.fingerprint)
      await button(page, 'Renew now').click()
      await says(page, 'A new certificate is under way.')
      // A name that the authority may not certify needs another one, which is asked. The replaced one has raised the version.
      browser.allow(/status of (400|412)/)
      await page.getByLabel('Further names in the network').fill('library.lan')
      await save(page, 'Certificate')
      await page.getByLabel(/^Replace the authority, so that/).check()
      await save(page, 'Certificate')
      await until(async () => (await values()).certificate.names.includes('library.lan'))
      // It is kept while the server is for this computer only.
      await page.getByRole('radio', { name: 'This computer only' }).check()
      await save(page, 'Change the address')
      await button(page, 'Forget it').click()
      await says(page, 'The certificate is forgotten.')
      await until(async () => (await values()).certificate.sources['kind'] === 'DEFAULT')
    })

    test('take a certificate from files, but not with a wrong key', async () => {
      ok(await network(freePort(), ['localhost']))
      const page = await browser.signedIn(admin)
      await page.goto(PATH)
      await page.getByLabel('Certificate', { exact: true }).click()
      await page.getByRole('option', { name: 'From files' }).click()
      const choose = async (name: string, file: string) => {
        const chooser = page.waitForEvent('filechooser')
        await button(page, name).click()
        await (await chooser).setFiles(join(TLS, file))
      }
      await choose('Choose the certificate file', 'localhost-1.cert.pem')
      await choose('Choose the key file', 'localhost-2.key.pem')
      browser.allow(/status of 400/)
      await page.getByLabel('Private key (PEM)').getByText('PRIVATE KEY').waitFor()
      await save(page, 'Certificate')
      await says(page, /does not belong/)
      expect(await page.getByLabel('Private key (PEM)').getAttribute('aria-invalid')).toBe('true')
      const pem = readFileSync(join(TLS, 'localhost-1.key.pem'), 'utf8')
      await page.getByLabel('Private key (PEM)').fill(pem)
      await save(page, 'Certificate')
      await says(page, /^The certificate is valid until/)
      expect(await page.content()).not.toContain(pem.split('\n')[1]!)
      await look(page, 'files')
    })

    test('ask for the terms of the certificate authority before a name of the internet gets one', async () => {
      const [httpsPort, httpPort] = [freePort(), freePort()]
      const body = { mode: 'DOMAIN' as const, names: ['qr.example.org'], httpsPort, httpPort, host: '127.0.0.1' }
      ok(await admin.call('server.reach.update', { body }))
      const page = await browser.signedIn(admin)
      await page.goto(PATH)
      await says(page, /^There is no certificate yet/)
      await page.getByRole('checkbox', { name: /terms of Let’s Encrypt/ }).waitFor()
      const own = section(page, 'Certificate')
      const submit = own.getByRole('button', { name: 'Save', exact: true })
      expect(await submit.isDisabled()).toBe(true)
      await own.getByRole('button', { name: 'More' }).click()
      // An authority that does not answer: the state and the next attempt are shown.
      await page.getByLabel('Directory of another authority').fill('https://127.0.0.1:1/directory')
      await page.getByRole('checkbox', { name: /terms of the certificate authority/ }).check()
      await submit.click()
      await says(page, /^There is no certificate for all names/)
      await says(page, /The server tries again on/)
      await button(page, 'Try again now').waitFor()
      await look(page, 'failed')
    })

    test.skipIf(pebble === undefined)(
      'get a certificate from an authority, and the page shows how it goes',
      async () => {
        await server.stop()
        await start({ config: { acmeCa: AUTHORITY_CA } })
        const page = await browser.signedIn(admin)
        await page.goto(PATH)
        await page.getByRole('radio', { name: 'A name of the internet' }).check()
        await page.getByLabel('Names').fill('qr.example.org')
        await button(page, 'More').click()
        const httpsPort = freePort()
        await page.getByLabel('Port for HTTPS').fill(String(httpsPort))
        await page.getByLabel('Port without HTTPS').fill(String(pebble!.httpPort))
        await page.getByLabel('Listen on the address').fill('127.0.0.1')
        await save(page, 'Change the address')
        await says(page, `The server answers at https://qr.example.org:${httpsPort} as soon as it has a certificate`)
        await section(page, 'Certificate').getByRole('button', { name: 'More' }).click()
        await page.getByLabel('Directory of another authority').fill(pebble!.directory)
        await page.getByRole('checkbox', { name: /terms of the certificate authority/ }).check()
        await save(page, 'Certificate')
        await says(page, /^The certificate is valid until/)
        await says(page, /Pebble Intermediate CA/)
        await look(page, 'acme')
      },
    )

    test('ask for a proof of the administrator who has signed in long ago', async () => {
      const page = await browser.signedIn(admin)
      await page.goto(PATH)
      await page.getByRole('radio', { name: 'Behind a proxy' }).check()
      await page.getByLabel('Public address').fill('https://qr.example.org')
      server.clock.advance(11 * 60_000)
      browser.allow(/status of 403/)
      await save(page, 'Change the address')
      const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' })
      await confirmation.getByLabel('Password').fill(admin.password)
      await button(page, 'Confirm').click()
      await says(page, 'The server answers at https://qr.example.org from now on.')
    })

    test('are locked if the server was started with an address, whose name is shown', async () => {
      await server.stop()
      await start({ origins: new Map([['host', '--host']]) })
      const page = await browser.signedIn(admin)
      await page.goto(PATH)
      await says(page, 'Set by --host at the start of the server, and can only be changed there.')
      expect(await page.getByRole('radio', { name: 'This network' }).isDisabled()).toBe(true)
      expect(await button(page, 'Save').count()).toBe(0)
      await look(page, 'locked')
    })

    test('are kept in their order when somebody else has changed them meanwhile', async () => {
      const page = await browser.signedIn(admin)
      await page.goto(PATH)
      await page.getByRole('radio', { name: 'Behind a proxy' }).check()
      await page.getByLabel('Public address').fill('https://qr.example.org')
      const other = { mode: 'PROXY' as const, publicUrl: 'https://other.example.org' }
      ok(await admin.call('server.reach.update', { body: other }))
      browser.allow(/status of 412/)
      await save(page, 'Change the address')
      const dialog = page.getByRole('dialog')
      await dialog.getByText('https://other.example.org').first().waitFor()
      await screenshot(page, 'address-conflict')
    })

    test('are set in the setup, whose next step asks for the certificate', async () => {
      const httpsPort = freePort()
      const page = await browser.signedIn(admin)
      await page.goto('/console/admin/setup?step=reach')
      await page.getByRole('radio', { name: 'This network' }).check()
      await page.getByLabel('Names').fill('willow')
      await button(page, 'More').click()
      await page.getByLabel('Port for HTTPS').fill(String(httpsPort))
      await page.getByLabel('Listen on the address').fill('127.0.0.1')
      await button(page, 'Save').click()
      await says(page, /^The server answers at http:\/\/willow/)
      await screenshot(page, 'setup-reach-moved')
      await button(page, 'Continue').click()
      await page.getByRole('heading', { name: /: Certificate$/, level: 1 }).waitFor()
      await button(page, 'Keep as it is').waitFor()
      await page.getByLabel('Certificate', { exact: true }).click()
      await page.getByRole('option', { name: /^From this server/ }).click()
      await button(page, 'Save').click()
      await says(page, /^The certificate is valid until/)
      await look(page, 'setup-certificate')
      await button(page, 'Continue').click()
      await page.getByRole('heading', { name: /: Mail$/, level: 1 }).waitFor()
      expect((await values()).reach.publicUrl).toBe(`https://willow:${httpsPort}`)
    })

    test('are shown without buttons to administrators who may only read them', async () => {
      const reader = await server.person()
      ok(await grant(admin, reader, await createRole(admin, { permissions: ['system:read'] })))
      const page = await browser.signedIn(reader)
      await page.goto(PATH)
      await says(page, 'http://localhost:8080')
      expect(await page.getByRole('radio', { name: 'This network' }).isDisabled()).toBe(true)
      expect(await button(page, 'Save').count()).toBe(0)
    })

    test('are changed in Chinese on a phone', async () => {
      const port = freePort()
      const page = await browser.signedIn(admin, { isPhone: true, locale: 'zh-CN' })
      await page.goto(PATH)
      await page.getByRole('heading', { name: '地址与证书' }).waitFor()
      await page.getByRole('radio', { name: '通过代理' }).check()
      await page.getByLabel('公开地址').fill('https://qr.example.org')
      await button(page, '更多').click()
      await page.getByLabel('供代理使用的端口').fill(String(port))
      await button(page, '保存').first().click()
      await says(page, '服务器现在的地址是 https://qr.example.org')
      await screenshot(page, 'address-zh-phone')
      expect(await isTooWide(page)).toBe(false)
    })

    const key = async (page: Page) => {
      const port = freePort()
      await page.goto(PATH)
      await page.getByRole('radio', { name: 'This computer only' }).focus()
      await page.keyboard.press('ArrowDown')
      expect(await page.getByRole('radio', { name: 'This network' }).isChecked()).toBe(true)
      await page.keyboard.press('Tab')
      await page.keyboard.type('willow')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByLabel('Port without HTTPS').focus()
      await page.keyboard.type(String(port))
      await page.getByLabel('Listen on the address').focus()
      await page.keyboard.type('127.0.0.1')
      await page.keyboard.press('Enter')
      await says(page, `The server answers at http://willow:${port} from now on.`)
    }
    test('are changed with the keyboard alone', async () => key(await browser.signedIn(admin)))
    test.if(hasFirefox)('are changed with the keyboard alone in Firefox', async () =>
      key(await firefox!.signedIn(admin)),
    )
  })
})
