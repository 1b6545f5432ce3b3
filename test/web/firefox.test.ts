/** The journeys of the web application that depend most on the browser, in Firefox: session, code reader, gate and stock-taking offline. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Locator, Page } from 'playwright-core'

import { encodeQr } from '#lib/qr/index.ts'
import { toPng } from '#lib/qr/png.ts'

import { issued, withPasses } from '../activities/pass-helpers.ts'
import { createAsset } from '../assets/helpers.ts'
import { hasFirefox } from '../harness/firefox.ts'
import { ok, useServer } from '../harness/index.ts'
import { type SlowProxy, startProxy } from '../harness/proxy.ts'
import { until, useBrowser } from './browser.ts'
import { withCamera } from './camera.ts'
import { makeContacts } from './contact-requests.ts'

if (!hasFirefox)
  console.warn('Firefox is not installed, so the web application is not tested in it: apt-get install firefox-esr')

describe.if(hasFirefox)('the web application in Firefox', () => {
  const { server, alice } = useServer({ people: ['alice'] })
  let proxy: SlowProxy
  beforeAll(async () => {
    proxy = await startProxy([server.url])
  })
  afterAll(() => proxy.stop())
  const browser = useBrowser(
    {
      get url() {
        return proxy.url
      },
    },
    { isFirefox: true },
  )

  /** Key by key: React does not notice `fill`, which assigns the value by a script in Firefox. */
  const type = (field: Locator, text: string) => field.pressSequentially(text)

  /** A page with a new session, by the form. */
  async function signIn(options: { hasWorker?: boolean; isPhone?: boolean } = {}): Promise<Page> {
    const page = await browser.page(options)
    page.context().setDefaultTimeout(100_000)
    await page.goto('/console/login')
    await type(page.getByLabel('Username, e-mail or phone'), alice.username)
    await type(page.locator('input[type=password]'), alice.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Hello').waitFor()
    return page
  }

  const picture = (content: string) => ({
    name: 'code.png',
    mimeType: 'image/png',
    buffer: Buffer.from(toPng(encodeQr(content, 'M'), { size: 400, margin: 4, fg: '000000', bg: 'ffffff' })),
  })

  test('a session outlives a reload, is in all tabs, and ends in all of them', async () => {
    const page = await signIn()
    await page.reload()
    await page.getByText('Hello').waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')
    const other = await page.context().newPage()
    await other.goto('/console/codes')
    await other.getByRole('heading', { name: 'QR codes', level: 1 }).waitFor()
    await page.getByRole('button', { name: /^Profile/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    await other.waitForURL('**/login')
    await other.goto('/console/codes')
    await other.waitForURL('**/login')
  })

  test('a page that is left while a part of it is loading does not come back', async () => {
    proxy.slow((path) => (path.startsWith('/console/Overview-') ? 3000 : path === '/console/codes' ? 1000 : 0))
    const page = await signIn()
    await page.goto('/console/codes')
    await page.getByRole('heading', { name: 'QR codes', level: 1 }).waitFor()
    proxy.slow(() => 0)
  })

  test('codes are read from a picture and from a handheld scanner', async () => {
    const page = await signIn()
    await page.goto('/console/scan')
    await page.setInputFiles('input[type=file]', picture('WIFI:T:WPA;S:Hall;P:let me in;;'))
    await page.getByText('let me in').waitFor()
    // All keys at once, as people never type.
    await page.evaluate(`for (const key of [...'tel:+8613800000000', 'Enter'])
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`)
    await page.getByText('+8613800000000').first().waitFor()
    await until({ evaluate: async () => ok(await alice.call('scanRecords.list', {})).data.total === 2 }, '')
    const { items } = ok(await alice.call('scanRecords.list', {})).data
    expect(items.map(({ source, contentType }) => `${source} ${contentType}`)).toEqual(['MANUAL PHONE', 'IMAGE WIFI'])
  })

  test('a gate and a stock-taking go on without a connection, also after a reload, and send their scans afterwards', async () => {
    // Firefox's messages about requests without an answer.
    browser.allow(/can.t establish a connection|connection to ws:|NetworkError|status of 404/)
    const { id } = await withPasses(alice, { name: 'Concert' })
    const holders = ['Ann', 'Ben', 'Eve'].map((name) => ({ name }))
    const [ann, ben, eve] = await issued(alice, id, { holders })
    for (const n of [1, 2, 3]) await createAsset(alice, { name: `Chair ${n}`, assetNo: `C-${n}` })
    const inventory = ok(await alice.call('inventories.create', { body: { name: 'Autumn' } })).data
    const target = { params: { id: inventory.id } }
    ok(await alice.call('inventories.update', { ...target, body: { status: 'RUNNING' } }))
    const counting = `/console/assets/inventories/${inventory.id}`
    const gate = `/console/activities/${id}/gate`

    const page = await signIn({ hasWorker: true, isPhone: true })
    const camera = await withCamera(page)
    await page.goto(counting)
    await page.getByLabel('Asset number, serial number or address').waitFor()
    await page.goto(gate)
    await page.getByText('If the connection is lost').waitFor()
    await page.getByRole('button', { name: 'Start scanning' }).click()
    await camera.show(ann!.qrContent!)
    await page.getByText('Admitted: 1').waitFor()
    await until(page, "navigator.serviceWorker.ready.then(({ active }) => active.state === 'activated')")

    await proxy.stop()
    await camera.show(ben!.qrContent!)
    await page.getByText('Admitted: 2').waitFor()
    await page.goto(gate)
    await page.getByText('No connection. You see data').waitFor()
    await page.getByRole('button', { name: 'Start scanning' }).click()
    await page.setInputFiles('input[type=file]', picture(eve!.qrContent!))
    await page.getByText('Admitted: 3').waitFor()
    await page.goto(counting)
    for (const code of ['C-1', 'C-2', 'C-3']) {
      await type(page.getByLabel('Asset number, serial number or address'), code)
      await page.getByRole('button', { name: 'Enter', exact: true }).click()
    }
    await page.getByText('3 scans are waiting to be sent').waitFor()

    proxy = await startProxy([server.url], Number(new URL(proxy.url).port))
    const uses = async () =>
      ok(await alice.call('passes.activityRecords', { params: { id } }))
        .data.items.map(({ holderName, result, offline }) => `${holderName} ${result} ${offline}`)
        .toSorted()
    await until({ evaluate: async () => (await uses()).length === 3 }, '')
    expect(await uses()).toEqual(['Ann ACCEPTED false', 'Ben ACCEPTED true', 'Eve ACCEPTED true'])
    await until({ evaluate: async () => ok(await alice.call('inventories.get', target)).data.found === 3 }, '')
  })

  test('a voice message is recorded and sent', async () => {
    const bob = await server.person()
    await makeContacts(alice, bob)
    const page = await signIn()
    await page.goto(`/console/chats/with/${bob.id}`)
    await page.getByRole('button', { name: 'Record a voice message' }).click()
    await page.getByRole('timer').getByText('0:01').waitFor()
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('log').getByLabel('Voice message').waitFor()
    expect(await page.evaluate(`document.querySelector('[role=log] audio').play().then(() => 'plays')`)).toBe('plays')
    const { items } = ok(await bob.call('conversations.list')).data
    expect(items[0]!.lastMessage).toMatchObject({ type: 'VOICE', content: { mime: 'audio/webm' } })
  })
})
