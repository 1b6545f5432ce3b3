/** The web application through a cut network, a killed browser and an upgrade of the server: nothing is lost and nothing counts twice. */

import { Database } from 'bun:sqlite'
import { afterAll, afterEach, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type BrowserContext, chromium, type Page } from 'playwright-core'

import { issued, withPasses } from '../activities/pass-helpers.ts'
import { createAsset } from '../assets/helpers.ts'
import { chromiumOptions } from '../harness/chromium.ts'
import { ok, type Person, useServer } from '../harness/index.ts'
import { logoForm } from '../server/logo-form.ts'
import { until } from './browser.ts'
import { startProxy } from './proxy.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })

const proxy = startProxy(server)
const profile = mkdtempSync(join(tmpdir(), 'tessera-browser-'))
let context: BrowserContext | undefined
afterEach(async () => {
  await context?.close()
  rmSync(profile, { recursive: true, force: true })
})
afterAll(async () => {
  await proxy.cut()
})

async function startBrowser(): Promise<Page> {
  context = await chromium.launchPersistentContext(profile, {
    ...chromiumOptions(),
    baseURL: proxy.url,
    locale: 'en',
    viewport: { width: 390, height: 844 },
  })
  context.setDefaultTimeout(60_000)
  context.setDefaultNavigationTimeout(120_000)
  return context.pages()[0] ?? (await context.newPage())
}

async function signIn(page: Page, person: Person = alice): Promise<void> {
  await page.goto('/console/login')
  await page.getByLabel('Username, e-mail or phone').fill(person.username)
  await page.locator('input[type=password]').fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/console\/?$/)
}

const isReady = (page: Page): Promise<void> =>
  until(page, "navigator.serviceWorker.ready.then(({ active }) => active.state === 'activated')")

/** Chromium writes cookies up to half a minute late. A browser that is killed before would begin with an old one, and be signed out. */
async function cookiesAreWritten(): Promise<void> {
  const copy = join(profile, 'cookies-copy')
  const written = () => {
    try {
      copyFileSync(join(profile, 'Default/Cookies'), copy)
      const database = new Database(copy)
      // Microseconds since 1601.
      const rows = database.query('SELECT expires_utc FROM cookies').all() as { expires_utc: number }[]
      database.close()
      return new Set(rows.map(({ expires_utc }) => Math.round(expires_utc / 1e6 - 11_644_473_600)))
    } catch {
      // It is being written.
      return new Set<number>()
    }
  }
  const kept = (await context!.cookies()).filter(({ expires }) => expires > 0)
  expect(kept.length).toBeGreaterThan(0)
  const isWritten = async () => {
    const rows = written()
    return kept.every(({ expires }) => rows.has(Math.round(expires)))
  }
  await until({ evaluate: isWritten }, '')
}

const check = async (page: Page, content: string) => {
  await page.getByLabel('Link or text of the pass').fill(content)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
}
const enter = async (page: Page, code: string) => {
  await page.getByLabel('Asset number, serial number or address').fill(code)
  await page.getByRole('button', { name: 'Enter', exact: true }).click()
}

test('guests admitted and assets counted without a connection are sent once, after the browser was killed and the server upgraded', async () => {
  const { id } = await withPasses(alice, { name: 'Concert' })
  const [ann, ben, eve] = await issued(alice, id, { holders: ['Ann', 'Ben', 'Eve'].map((name) => ({ name })) })
  for (const n of [1, 2, 3]) await createAsset(alice, { name: `Chair ${n}`, assetNo: `C-${n}` })
  const inventory = ok(await alice.call('inventories.create', { body: { name: 'Autumn' } })).data
  const target = { params: { id: inventory.id } }
  ok(await alice.call('inventories.update', { ...target, body: { status: 'RUNNING' } }))
  ok(await alice.call('qrCodes.create', { body: { name: 'Menu', content: 'https://example.org' } }))
  const gate = `/console/activities/${id}/gate`
  const counting = `/console/assets/inventories/${inventory.id}`

  let page = await startBrowser()
  await signIn(page)
  await page.goto('/console/codes')
  await page.getByText('Menu').first().waitFor()
  await page.goto(counting)
  await enter(page, 'C-1')
  await page.getByText('Chair 1 (C-1): found').waitFor()
  await page.goto(gate)
  await page.getByText('If the connection is lost').waitFor()
  await isReady(page)
  expect(await page.evaluate('caches.keys().then(({ length }) => length)')).toBe(1)
  await context!.close()

  // The browser starts again without a connection.
  await proxy.cut()
  page = await startBrowser()
  await page.goto(gate)
  await page.getByText('If the connection is lost').waitFor()
  await page.getByText('No connection. You see data').waitFor()
  await until(page, `[...document.images].every((image) => image.complete && image.naturalWidth > 0)`)
  await page.getByRole('button', { name: 'Start scanning' }).click()
  for (const [pass, admitted] of [
    [ann, 1],
    [ben, 2],
  ] as const) {
    await check(page, pass!.qrContent!)
    await page.getByText(`Admitted: ${admitted}`).waitFor()
  }
  await page.goto(counting)
  await enter(page, 'C-2')
  await enter(page, 'C-3')
  await page.getByText('2 scans are waiting to be sent').waitFor()
  await page.goto('/console/codes')
  await page.getByText('Menu').first().waitFor()

  await cookiesAreWritten()
  const closed = new Promise((resolve) => context!.once('close', resolve))
  const session = await context!.newCDPSession(page)
  // It ends at once, without closing its files.
  await session.send('Browser.crash').catch(() => undefined)
  await closed
  page = await startBrowser()
  await page.goto(counting)
  await page.getByText('2 scans are waiting to be sent').waitFor()
  await page.goto(gate)
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await check(page, ann!.qrContent!)
  await page.getByRole('alert').filter({ hasText: 'Already used' }).waitFor()
  await check(page, eve!.qrContent!)
  await page.getByText('Admitted: 3').waitFor()

  proxy.upgrade()
  proxy.open()
  const records = async () =>
    ok(await alice.call('passes.activityRecords', { params: { id } })).data.items.map(
      ({ holderName, result, offline }) => `${holderName} ${result} ${offline}`,
    )
  await until({ evaluate: async () => (await records()).length === 3 }, '')
  await until({ evaluate: async () => ok(await alice.call('inventories.get', target)).data.found === 3 }, '')
  await page.goto('/console/')
  await page.getByText('Hello').waitFor()
  expect(await page.locator('script[src*="main-new"]').count()).toBe(1)
  expect((await records()).toSorted()).toEqual(['Ann ACCEPTED true', 'Ben ACCEPTED true', 'Eve ACCEPTED true'])
  // One version at a time, and no answer of the interface.
  await until(
    page,
    `caches.keys().then(async ([name, ...others]) => {
    const urls = (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)
    return others.length === 0 && urls.some((url) => url.includes('main-new')) && urls.every((url) => url.startsWith('/console/') || url === '/favicon.svg')
  })`,
  )

  // A network that hangs: the page opens all the same.
  proxy.hang()
  await page.goto('/console/codes')
  await page.getByText('Menu').first().waitFor()
  proxy.release()
})

test('a code and assets made without a connection are sent once after the browser was killed, and a refused one can be changed', async () => {
  const maker = await server.person()
  await createAsset(maker, { name: 'Old lamp', assetNo: 'L-1' })
  let page = await startBrowser()
  await signIn(page, maker)
  await page.goto('/console/assets')
  await page.getByText('Old lamp').first().waitFor()
  await page.goto('/console/codes')
  await page.getByText('No codes yet').waitFor()
  await isReady(page)

  await proxy.cut()
  await page.goto('/console/codes/new')
  await page.getByLabel('Web address').fill('https://example.org/made-offline')
  await page.getByLabel('Name').fill('Made offline')
  await page.getByRole('button', { name: 'Create code' }).click()
  await page.getByText('It is kept on this device').first().waitFor()
  await page.getByText('1 waits to be sent').waitFor()
  // The content of this code is known without the server.
  await page.getByRole('img', { name: 'Made offline' }).waitFor()
  for (const [name, assetNo] of [
    ['New lamp', 'L-2'],
    ['Double lamp', 'L-1'],
  ] as const) {
    await page.goto('/console/assets/new')
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByLabel('Asset number').fill(assetNo)
    await page.getByRole('button', { name: 'Register', exact: true }).click()
    await page.getByText(name).waitFor()
  }
  await page.getByText('2 wait to be sent').waitFor()

  await cookiesAreWritten()
  const closed = new Promise((resolve) => context!.once('close', resolve))
  await (await context!.newCDPSession(page)).send('Browser.crash').catch(() => undefined)
  await closed
  page = await startBrowser()
  await page.goto('/console/codes')
  await page.getByText('1 waits to be sent').waitFor()
  // The first answers are lost on their way.
  let losesAnswers = true
  await context!.route('**/api/sync/push', async (route) => {
    const response = await route.fetch().catch(() => undefined)
    // It fails if the page was closed meanwhile.
    await (losesAnswers || !response ? route.abort() : route.fulfill({ response })).catch(() => undefined)
  })
  proxy.open()
  const codes = async () => ok(await maker.call('qrCodes.list', {})).data.items.map(({ name }) => name)
  await until({ evaluate: async () => (await codes()).length > 0 }, '')
  losesAnswers = false
  await page.goto('/console/codes')
  await page.getByRole('link', { name: 'Made offline' }).waitFor()
  await page.getByText('to be sent').waitFor({ state: 'detached' })
  expect(await codes()).toEqual(['Made offline'])

  await page.goto('/console/assets')
  await page.getByRole('alert').filter({ hasText: 'The server did not take “Double lamp”' }).waitFor()
  const assets = async () =>
    ok(await maker.call('assets.list', {}))
      .data.items.map(({ name }) => name)
      .toSorted()
  expect(await assets()).toEqual(['New lamp', 'Old lamp'])
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await page.getByLabel('Asset number').fill('L-3')
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await page.getByText('The asset was registered.').waitFor()
  expect(await assets()).toEqual(['Double lamp', 'New lamp', 'Old lamp'])
  await page.goto('/console/assets')
  await page.getByText('Double lamp').first().waitFor()
  expect(await page.getByText('The server did not take').count()).toBe(0)
})

test('the name and logo of the server are shown without a connection, and others as soon as the server has answered once', async () => {
  const rename = async (name: string) => {
    ok(await admin.call('server.identity.update', { body: { name } }))
    return new URL(ok(await admin.call('server.logo.update', { body: logoForm() })).data.logoUrl!).pathname
  }
  const isShown = async (page: Page, name: string, logo: string) => {
    await page.goto('/console/codes')
    await page.getByText('No codes yet').waitFor()
    expect(await page.title()).toEndWith(`· ${name}`)
    await until(page, `document.querySelector('header img[src="${logo}"]').naturalWidth > 0`)
  }
  const logosKept = `caches.keys().then(async ([name]) =>
    (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname).filter((path) => !path.startsWith('/console/')))`
  const first = await rename('Willow Street')
  const page = await startBrowser()
  await signIn(page, await server.person())
  await isShown(page, 'Willow Street', first)
  await isReady(page)
  await proxy.cut()
  await isShown(page, 'Willow Street', first)
  proxy.open()
  const second = await rename('Elm Street')
  await isShown(page, 'Elm Street', second)
  await until(page, `${logosKept}.then((paths) => paths.join() === '${second}')`)
  await until(page, `caches.match('/console/').then((kept) => kept.text()).then((text) => text.includes('Elm Street'))`)
  await proxy.cut()
  await isShown(page, 'Elm Street', second)
  proxy.open()
  ok(await admin.call('server.logo.delete'))
  ok(await admin.call('server.identity.update', { body: {} }))
})

test('a session that ended while there was no connection is at its end as soon as the server answers, and nothing is left of it', async () => {
  const page = await startBrowser()
  await signIn(page)
  ok(await alice.call('qrCodes.create', { body: { name: 'Menu', content: 'https://example.org' } }))
  await page.goto('/console/codes')
  await page.getByText('Menu').first().waitFor()
  await isReady(page)
  await context!.clearCookies()
  await proxy.cut()
  await page.goto('/console/codes')
  await page.getByText('No connection. You see data').waitFor()
  await page.getByText('Menu').first().waitFor()
  proxy.open()
  await page.waitForURL('**/login')
  await until(page, "localStorage.getItem('tessera.kept') === null")
})

test('kept data of a session are deleted 30 days after its last use, also without a connection', async () => {
  const page = await startBrowser()
  await signIn(page)
  await page.goto('/console/codes')
  await isReady(page)
  await proxy.cut()
  for (const [days, isKept] of [
    [29, true],
    [31, false],
  ] as const) {
    await page.clock.setSystemTime(Date.now() + days * 24 * 3_600_000)
    await page.goto('/console/codes')
    if (isKept) await page.getByText('No connection. You see data').waitFor()
    else await until(page, "localStorage.getItem('tessera.kept') === null")
  }
  proxy.open()
})

test('pages that were not opened before open without a connection: the pass of a guest, the gate of the day, codes and stock-takings', async () => {
  const guest = await server.person()
  const { id } = await withPasses(alice, {
    name: 'Summer concert',
    visibility: 'PUBLIC',
    registration: { capacity: 5 },
    // Until then the guest can register.
    startTime: Date.now() + 3_600_000,
  })
  ok(await guest.call('registrations.register', { params: { id }, body: {} }))
  const [pass] = await issued(alice, id, { holders: [{ userId: guest.id }] })
  const own = await withPasses(guest, { name: 'Own evening' })
  ok(await guest.call('qrCodes.create', { body: { name: 'Front door', content: 'https://example.org' } }))
  const inventory = ok(await guest.call('inventories.create', { body: { name: 'Cellar' } })).data
  ok(await guest.call('inventories.update', { params: { id: inventory.id }, body: { status: 'RUNNING' } }))
  const page = await startBrowser()
  await page.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: false } })")
  await signIn(page, guest)
  await isReady(page)
  const rows = (name: string) => `new Promise((resolve, reject) => {
    const opened = indexedDB.open('tessera')
    opened.onerror = () => reject(opened.error)
    opened.onsuccess = () => {
      const all = opened.result.transaction('${name}').objectStore('${name}').getAll()
      all.onsuccess = () => (opened.result.close(), resolve(all.result))
    }
  })`
  // Kept as the last of all.
  await until(page, `${rows('answers')}.then((all) => all.some(({ id }) => id === 'prepared'))`)

  await proxy.cut()
  await page.goto('/console/activities/passes')
  await page.getByRole('button', { name: /^Show the pass: Summer concert/ }).click()
  await page.getByRole('dialog').getByText('Summer concert').waitFor()
  expect(pass!.holderUserId).toBe(guest.id)
  await page.goto(`/console/activities/${own.id}/gate`)
  await page.getByText('If the connection is lost').waitFor()
  await page.goto('/console/codes')
  await page.getByRole('link', { name: 'Front door' }).waitFor()
  await page.goto(`/console/assets/inventories/${inventory.id}`)
  await page.getByLabel('Asset number, serial number or address').waitFor()
  proxy.open()
})

test('nothing is read in advance on a connection that saves data', async () => {
  const guest = await server.person()
  const page = await startBrowser()
  await page.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
  await page.clock.install()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await signIn(page, guest)
  // The worker is registered after a pause, and the reading begins after another.
  await page.clock.runFor(4_000)
  await isReady(page)
  await page.clock.runFor(10_000)
  await page.getByRole('link', { name: 'QR codes' }).first().click()
  await page.getByText('No codes yet').waitFor()
  // Only the lists of activities and the reading in advance ask for a phase.
  expect(asked.filter((url) => url.includes('phase='))).toEqual([])
})
