/** Which data the web application keeps for the time without a connection, how it goes on with them, and when it deletes them. */

import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { issued, withPasses } from '../activities/pass-helpers.ts'
import { createAsset } from '../assets/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { until, useBrowser } from './browser.ts'
import { newWorkspace } from './workspace.ts'

const { server, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

const NO_NETWORK = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_CONNECTION_|status of 404|WebSocket/

/** The number of rows of each store of the browser that is not empty. */
const KEPT = `(async () => {
  const answer = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const database = await answer(indexedDB.open('tessera'))
  const counts = {}
  for (const name of database.objectStoreNames) {
    const count = await answer(database.transaction(name).objectStore(name).count())
    if (count > 0) counts[name] = count
  }
  database.close()
  return counts
})()`

/** Opening the database before the page does would create an empty one. */
async function hasAnswers(page: Page): Promise<void> {
  await until(page, "indexedDB.databases().then((all) => all.some(({ name }) => name === 'tessera'))")
  await until(page, `${KEPT}.then((counts) => counts.answers > 0)`)
}

async function openGate(page: Page, id: number): Promise<void> {
  await page.goto(`/console/activities/${id}/gate`)
  await page.getByText('If the connection is lost').waitFor()
  await page.getByRole('button', { name: 'Start scanning' }).click()
}

async function check(page: Page, content: string): Promise<void> {
  await page.getByLabel('Link or text of the pass').fill(content)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Profile/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
}

test('a sign-out without a connection deletes everything that the browser has kept of the user', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Concert' })
  const [ann, old] = await issued(alice, id, { holders: [{ name: 'Ann' }, { name: 'Old' }] })
  ok(await alice.call('passes.revoke', { params: { passId: old!.id }, body: {} }))
  const page = await browser.signedIn(alice, { isPhone: true })
  await openGate(page, id)
  await check(page, ann!.qrContent!)
  await page.getByText('Admitted: 1').waitFor()
  expect(Object.keys((await page.evaluate(KEPT)) as object)).toEqual(['answers', 'gates', 'revoked', 'uses'])
  await page.context().setOffline(true)
  await signOut(page)
  await until(page, `${KEPT}.then((counts) => Object.keys(counts).length === 0)`)
  expect(await page.evaluate("localStorage.getItem('tessera.kept')")).toBeNull()
})

test('a sign-out also deletes rows of this tab whose mark another tab has removed', async () => {
  const page = await browser.signedIn(alice)
  await page.goto('/console/codes')
  await hasAnswers(page)
  await page.evaluate("localStorage.removeItem('tessera.kept')")
  await signOut(page)
  await until(page, `${KEPT}.then((counts) => Object.keys(counts).length === 0)`)
})

test('data that could not be deleted at the sign-out is deleted when the page starts again', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Concert' })
  const page = await browser.signedIn(alice)
  await openGate(page, id)
  await page.evaluate(`IDBObjectStore.prototype.delete = () => { throw new DOMException('refused', 'UnknownError') }`)
  await signOut(page)
  expect(Object.keys((await page.evaluate(KEPT)) as object)).toContain('gates')
  await page.goto('/console/login')
  await until(page, `${KEPT}.then((counts) => Object.keys(counts).length === 0)`)
})

test('a gate says that it goes on without a connection when its code reader is there, and names the cause if it is not', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Concert' })
  const page = await browser.signedIn(alice)
  await page.route('**/*.wasm', (route) => route.abort('connectionfailed'))
  await page.route('**/zxing*', (route) => route.abort('connectionfailed'))
  await page.goto(`/console/activities/${id}/gate`)
  await page.getByText('The code reader could not be loaded yet').waitFor()
  expect(await page.getByText('If the connection is lost').count()).toBe(0)
  await page.getByRole('button', { name: 'Start scanning' }).click()
  const { bytes } = ok(await server.request('GET', '/api/qrcode/render?content=x&level=L&size=600'))
  const picture = { name: 'pass.png', mimeType: 'image/png', buffer: Buffer.from(bytes) }
  await page.locator('input[type=file]').setInputFiles(picture)
  await page.getByText('The code reader could not be loaded. Check your connection').first().waitFor()
  await page.locator('input[type=file]').setInputFiles({ ...picture, buffer: Buffer.from('no picture') })
  await page.getByText('The file is not a picture that this browser can show.').waitFor()
})

test('a network that hangs is waited for once, and the gate asks the server again when it has answered', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Concert' })
  const holders = ['Ann', 'Ben', 'Eve'].map((name) => ({ name }))
  const [ann, ben, eve] = await issued(alice, id, { holders })
  const page = await browser.signedIn(alice)
  await openGate(page, id)
  let asked = 0
  await page.route('**/api/activities/**', (route) => {
    if (route.request().url().endsWith('/pass/verify')) asked++
  })
  for (const [pass, admitted] of [
    [ann, 1],
    [ben, 2],
  ] as const) {
    await check(page, pass!.qrContent!)
    await page.getByText(`Admitted: ${admitted}`).waitFor()
  }
  expect(asked).toBe(1)
  await page.unroute('**/api/activities/**')
  await page.getByText('Connected').waitFor()
  await check(page, eve!.qrContent!)
  await page.getByRole('alert').filter({ hasText: 'EveLet in' }).waitFor()
})

test('a browser that refuses its database or does not answer says so at once, and passes are checked with the server', async () => {
  const { id } = await withPasses(alice, { name: 'Concert' })
  const [ann, ben] = await issued(alice, id, { holders: [{ name: 'Ann' }, { name: 'Ben' }] })
  for (const [open, pass] of [
    ["() => { throw new DOMException('refused', 'SecurityError') }", ann],
    ['() => new EventTarget()', ben],
  ] as const) {
    const page = await browser.signedIn(alice)
    await page.addInitScript(`IDBFactory.prototype.open = ${open}`)
    await page.goto(`/console/activities/${id}/gate`)
    await page.getByText('This browser cannot keep scans').waitFor()
    await page.getByRole('button', { name: 'Start scanning' }).click()
    await check(page, pass!.qrContent!)
    await page.getByRole('alert').filter({ hasText: 'Let in' }).waitFor()
  }
})

test('scans of a stock-taking wait for the connection, survive a reload, and are sent once in their order; refused ones say why', async () => {
  browser.allow(NO_NETWORK)
  const { orgId, page } = await newWorkspace(browser, alice, { isPhone: true })
  for (const n of [1, 2, 3, 4, 5]) await createAsset(alice, { name: `Chair ${n}`, assetNo: `C-${n}`, orgId })
  const query = { orgId }
  const { id } = ok(await alice.call('inventories.create', { query, body: { name: 'Autumn' } })).data
  const target = { params: { id }, query }
  ok(await alice.call('inventories.update', { ...target, body: { status: 'RUNNING' } }))
  await page.goto(`/console/assets/inventories/${id}`)
  const enter = async (code: string) => {
    await page.getByLabel('Asset number, serial number or address').fill(code)
    await page.getByRole('button', { name: 'Enter', exact: true }).click()
  }
  await enter('C-1')
  await page.getByText('Chair 1 (C-1): found').waitFor()
  await page.context().setOffline(true)
  for (const code of ['C-2', 'X-9', 'C-3', 'C-4', 'C-5']) await enter(code)
  await page.getByText('5 scans are waiting to be sent').waitFor()
  await page.getByText('C-5, C-4, C-3, X-9, C-2').waitFor()

  // The page is closed, and the answer to the first upload is lost.
  const context = page.context()
  await page.close()
  let isLost = true
  const sent: string[] = []
  await context.route('**/inventories/*/scan*', async (route) => {
    sent.push((route.request().postDataJSON() as { code: string }).code)
    if (!isLost) return await route.continue()
    isLost = false
    await route.fetch()
    return await route.abort('connectionfailed')
  })
  await context.setOffline(false)
  const again = await context.newPage()
  await again.goto(`/console/assets/inventories/${id}`)
  await again.getByText('“X-9” is no asset of this register').waitFor()
  await again.getByText('The server did not take 1 scan:').waitFor()
  await until({ evaluate: async () => sent.length === 6 }, '')
  expect(sent).toEqual(['C-2', 'C-2', 'X-9', 'C-3', 'C-4', 'C-5'])
  await until({ evaluate: async () => ok(await alice.call('inventories.get', target)).data.found === 5 }, '')
  await again.getByRole('button', { name: 'Discard X-9' }).click()
  await again.getByText('The server did not take 1 scan:').waitFor({ state: 'detached' })
  expect(Object.keys((await again.evaluate(KEPT)) as object)).not.toContain('outbox')
})

test('scans are kept also after the user has cleared the data of the site', async () => {
  browser.allow(NO_NETWORK)
  const { orgId, page } = await newWorkspace(browser, alice)
  await createAsset(alice, { name: 'Chair 1', assetNo: 'C-1', orgId })
  const query = { orgId }
  const { id } = ok(await alice.call('inventories.create', { query, body: { name: 'Spring' } })).data
  ok(await alice.call('inventories.update', { params: { id }, query, body: { status: 'RUNNING' } }))
  await page.goto(`/console/assets/inventories/${id}`)
  const field = page.getByLabel('Asset number, serial number or address')
  await field.waitFor()
  await hasAnswers(page)
  await page.context().setOffline(true)
  const session = await page.context().newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin: server.url, storageTypes: 'indexeddb' })
  await field.fill('C-1')
  await page.getByRole('button', { name: 'Enter', exact: true }).click()
  await page.getByText('1 scan is waiting to be sent').waitFor()
  await page.context().setOffline(false)
  await page.getByText('Chair 1 (C-1): found').waitFor()
})

test('a sign-out says how many scans of stock-takings were not sent, and they are sent at the next sign-in', async () => {
  browser.allow(NO_NETWORK)
  const { orgId, page } = await newWorkspace(browser, alice)
  await createAsset(alice, { name: 'Chair', assetNo: 'C-1', orgId })
  const query = { orgId }
  const { id } = ok(await alice.call('inventories.create', { query, body: { name: 'Autumn' } })).data
  const target = { params: { id }, query }
  ok(await alice.call('inventories.update', { ...target, body: { status: 'RUNNING' } }))
  await page.goto(`/console/assets/inventories/${id}`)
  await page.getByLabel('Asset number, serial number or address').waitFor()
  await page.context().setOffline(true)
  await page.getByLabel('Asset number, serial number or address').fill('C-1')
  await page.getByRole('button', { name: 'Enter', exact: true }).click()
  await page.getByText('1 scan is waiting to be sent').waitFor()
  await page.getByRole('button', { name: /^Profile/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByText('1 scan of a stock-taking was not sent yet').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  await until(page, `${KEPT}.then((counts) => JSON.stringify(counts) === '{"outbox":1}')`)
  await page.context().setOffline(false)
  await page.getByLabel('Username, e-mail or phone').fill(alice.username)
  await page.locator('input[type=password]').fill(alice.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/console\/?$/)
  await until({ evaluate: async () => ok(await alice.call('inventories.get', target)).data.found === 1 }, '')
})
