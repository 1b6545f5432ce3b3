/** The gate in the web application: with a camera, with lost answers, without a connection, in two tabs, and after the page was left. */

import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { DAY } from '#platform/clock.ts'

import { issued, withPasses } from '../activities/pass-helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { barriers, isTooWide, screenshot, useBrowser } from './browser.ts'
import { withCamera } from './camera.ts'

const { server, alice } = useServer({ people: ['alice'] })
const browser = useBrowser(server)

const NO_NETWORK = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_CONNECTION_FAILED|status of 404/

/** The verdict on the last scan. */
const verdictOf = (page: Page, text: string | RegExp) =>
  page.locator('[role=alert]:not([data-is-earlier])').first().filter({ hasText: text })

async function openGate(page: Page, activityId: number): Promise<void> {
  await page.goto(`/console/activities/${activityId}/gate`)
  await page.getByText('If the connection is lost').waitFor()
  await page.getByRole('button', { name: 'Start scanning' }).click()
}

async function scan(page: Page, content: string): Promise<void> {
  // Two scans can have the same verdict.
  await page
    .getByRole('alert')
    .first()
    .evaluate((element) => element.setAttribute('data-is-earlier', ''))
  await page.getByLabel('Link or text of the pass').fill(content)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
}

const uses = async (id: number) => {
  const { items } = ok(await alice.call('passes.activityRecords', { params: { id } })).data
  return items
    .map(({ holderName, result, offline }) => `${holderName} ${result}${offline ? ' offline' : ''}`)
    .toSorted()
}

test('a pass that stays before the camera is admitted once, and the next one after it', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Concert' })
  const holders = ['Ann', 'Ben', 'Eve', 'Dan'].map((name) => ({ name }))
  const [ann, ben, eve, dan] = await issued(alice, id, { holders })
  const page = await browser.signedIn(alice, { isPhone: true })
  const camera = await withCamera(page)
  await openGate(page, id)
  await camera.show(ann!.qrContent!)
  await verdictOf(page, 'AnnLet in').waitFor()
  await camera.wait()
  await verdictOf(page, 'AnnLet in').waitFor()
  await camera.show(ben!.qrContent!)
  await verdictOf(page, 'BenLet in').waitFor()
  expect(await uses(id)).toEqual(['Ann ACCEPTED', 'Ben ACCEPTED'])
  // Phones take a picture where the page gets no camera, as without https.
  const path = `/api/qrcode/render?content=${encodeURIComponent(dan!.qrContent!)}&level=L&size=600`
  const { bytes } = ok(await server.request('GET', path))
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'pass.png', mimeType: 'image/png', buffer: Buffer.from(bytes) })
  await verdictOf(page, 'DanLet in').waitFor()

  await page.context().setOffline(true)
  await camera.show(eve!.qrContent!)
  await verdictOf(page, 'Checked without a connection').waitFor()
  await camera.wait()
  await verdictOf(page, 'Let in').waitFor()
  await page.getByText('Admitted: 4').waitFor()
  await page.context().setOffline(false)
  await page.getByText('1 scan is waiting to be sent').waitFor({ state: 'detached' })
  await page.getByText('Connected').waitFor()
  expect(await uses(id)).toEqual(['Ann ACCEPTED', 'Ben ACCEPTED', 'Dan ACCEPTED', 'Eve ACCEPTED offline'])
})

test('a gate judges passes with and without a connection, and sends the scans when it is back', async () => {
  browser.allow(/ERR_INTERNET_DISCONNECTED|status of 404/)
  const { id } = await withPasses(alice, { name: 'Concert' })
  const [ann, ben, eve, old] = await issued(alice, id, {
    holders: ['Ann', 'Ben', 'Eve', 'Old'].map((name) => ({ name })),
  })
  ok(await alice.call('passes.revoke', { params: { passId: old!.id }, body: {} }))
  const page = await browser.signedIn(alice, { isPhone: true })
  await page.goto(`/console/activities/${id}/gate`)
  await page.getByText('the list of revoked passes (1)').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'AnnLet in').waitFor()
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'Already used').waitFor()
  await page.getByText('Admitted: 1').waitFor()
  await screenshot(page, 'gate-refused')

  await page.context().setOffline(true)
  await scan(page, ben!.qrContent!)
  await verdictOf(page, 'Checked without a connection').waitFor()
  await page.getByText('1 scan is waiting to be sent').waitFor()
  await scan(page, ben!.qrContent!)
  await verdictOf(page, 'Already used').waitFor()
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'Already used').waitFor()
  await scan(page, old!.qrContent!)
  await verdictOf(page, 'Revoked').waitFor()
  // One character of the signature is another one.
  const forged = eve!.qrContent!.replace(/.{10}$/, (end) => (end.startsWith('A') ? 'B' : 'A') + end.slice(1))
  await scan(page, forged)
  await verdictOf(page, 'Forged or altered').waitFor()
  await page.getByText('Admitted: 2').waitFor()

  await page.context().setOffline(false)
  await page.getByText('1 scan is waiting to be sent').waitFor({ state: 'detached' })
  await page.getByText('Connected').waitFor()
  const { items } = ok(
    await alice.call('passes.activityRecords', { params: { id }, query: { result: 'ACCEPTED' } }),
  ).data
  expect(items.map(({ holderName, offline }) => [holderName, offline])).toEqual([
    ['Ben', true],
    ['Ann', false],
  ])
})

test('a gate without a connection goes by the changes of the list and not by printed codes', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Moved' })
  const now = Date.now()
  const holders = ['Ann', 'Ben'].map((name) => ({ name }))
  const [ann] = await issued(alice, id, { holders: holders.slice(0, 1), validFrom: now + DAY })
  const [ben, eve] = await issued(alice, id, { holders, validTo: now + 20 * DAY })
  const change = async (
    passId: number,
    body: { validFrom?: number | null; validTo?: number; followsActivity?: boolean },
  ) => ok(await alice.call('passes.update', { params: { passId }, body }))
  await change(ann!.id, { validFrom: null })
  await change(ben!.id, { validTo: now - DAY })
  const page = await browser.signedIn(alice, { isPhone: true })
  await openGate(page, id)
  await page.context().setOffline(true)
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'Checked without a connection').waitFor()
  await scan(page, ben!.qrContent!)
  await verdictOf(page, 'Expired').waitFor()
  await change(eve!.id, { validFrom: now + DAY })
  // When it is back, it reads the list at once, although the last one is not a minute old.
  const renewed = page.waitForResponse((response) => response.url().includes('/pass/revocations') && response.ok())
  await page.context().setOffline(false)
  await renewed
  await page.getByText('1 scan is waiting to be sent').waitFor({ state: 'detached' })
  await page.context().setOffline(true)
  await scan(page, eve!.qrContent!)
  await verdictOf(page, 'Not valid yet').waitFor()
  expect(await uses(id)).toEqual(['Ann ACCEPTED offline'])
})

test('a visitor whose answer was lost gets in when the pass is scanned again', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Reading' })
  const [ann, ben] = await issued(alice, id, { holders: ['Ann', 'Ben'].map((name) => ({ name })) })
  const page = await browser.signedIn(alice, { isPhone: true })
  await openGate(page, id)
  await page.route('**/pass/verify', async (route) => {
    await route.fetch()
    await route.abort('connectionfailed')
  })
  await scan(page, ben!.qrContent!)
  await verdictOf(page, 'Let inChecked without a connection').waitFor()
  // The link of the page of a pass has no signature, so the gate cannot judge it alone.
  await scan(page, ann!.publicUrl)
  await verdictOf(page, 'can only be checked with a connection').waitFor()
  await page.unroute('**/pass/verify')
  await scan(page, ann!.publicUrl)
  await verdictOf(page, 'AnnLet in').waitFor()
  await page.getByText('Connected').waitFor()
  await scan(page, ann!.publicUrl)
  await verdictOf(page, 'Already used').waitFor()
  await scan(page, ben!.qrContent!)
  await verdictOf(page, 'Already used').waitFor()
  expect(await uses(id)).toEqual(['Ann ACCEPTED', 'Ann REFUSED', 'Ben ACCEPTED', 'Ben REFUSED'])
})

test('a scan of the wrong person is undone in the list of last scans, and the pass can enter again', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Workshop' })
  const [ann] = await issued(alice, id, { holders: [{ name: 'Ann' }] })
  const page = await browser.signedIn(alice, { isPhone: true })
  await openGate(page, id)
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'AnnLet in').waitFor()
  await page.getByText('Admitted: 1').waitFor()
  const last = page.getByRole('list', { name: 'Last scans' }).getByRole('listitem')
  await last.getByRole('button', { name: 'Undo: Ann' }).click()
  const dialog = page.getByRole('dialog', { name: 'Undo the entry of Ann?' })
  await dialog.getByLabel('Reason (optional)').fill('Other Ann')
  await screenshot(page, 'gate-undo')
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await last.filter({ hasText: 'Other Ann' }).getByText('Undone', { exact: true }).waitFor()
  await page.getByText('Admitted: 0').waitFor()
  expect(await page.getByRole('button', { name: 'Undo: Ann' }).count()).toBe(0)
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  // The browser does not take the pass for used either.
  await page.context().setOffline(true)
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'Checked without a connection').waitFor()
  await page.getByText('1 scan is waiting to be sent').waitFor()
  await page.context().setOffline(false)
  await page.getByText('1 scan is waiting to be sent').waitFor({ state: 'detached' })
  expect(await uses(id)).toEqual(['Ann ACCEPTED', 'Ann ACCEPTED offline'])

  await page.goto(`/console/activities/${id}?tab=passes`)
  await page.getByRole('button', { name: 'Scans at the gate' }).click()
  const records = page.getByRole('list', { name: 'Scans at the gate' })
  await records.getByText('Undone', { exact: true }).waitFor()
  await records.getByRole('button', { name: 'Undo: Ann' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
  await records.getByRole('button', { name: 'Undo: Ann' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Passes', exact: true }).click()
  await page.getByText('0 of 1 entries used').waitFor()
})

test('a pass is let in again if the answer to its first scan was lost and the use was undone meanwhile', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Reading' })
  const [ann] = await issued(alice, id, { holders: [{ name: 'Ann' }] })
  const page = await browser.signedIn(alice, { isPhone: true })
  await openGate(page, id)
  await page.route('**/pass/verify', async (route) => {
    await route.fetch()
    await route.abort('connectionfailed')
  })
  await scan(page, ann!.publicUrl)
  await verdictOf(page, 'can only be checked with a connection').waitFor()
  await page.unroute('**/pass/verify')
  const [use] = ok(await alice.call('passes.activityRecords', { params: { id } })).data.items
  ok(await alice.call('passes.undo', { params: { id, recordId: use!.id }, body: {} }))
  await scan(page, ann!.publicUrl)
  await verdictOf(page, 'AnnLet in').waitFor()
  expect(await uses(id)).toEqual(['Ann ACCEPTED', 'Ann ACCEPTED'])
  const [pass] = ok(await alice.call('passes.list', { params: { id } })).data.items
  expect(pass!.usedCount).toBe(1)
})

test('a visitor who left may come back without a connection, once', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Market' })
  const [ann] = await issued(alice, id, { holders: [{ name: 'Ann' }] })
  const page = await browser.signedIn(alice, { isPhone: true })
  await openGate(page, id)
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'AnnLet in').waitFor()
  await page.getByRole('button', { name: 'Exit' }).click()
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'AnnGoodbye').waitFor()
  await page.context().setOffline(true)
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'Already used').waitFor()
  await page.getByRole('button', { name: 'Entry' }).click()
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'Checked without a connection').waitFor()
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'Already used').waitFor()
})

test('a phone whose clock is two days ahead admits valid passes without a connection', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Concert' })
  const [ann] = await issued(alice, id, { holders: [{ name: 'Ann' }], validTo: server.clock.now() + DAY })
  const page = await browser.signedIn(alice, { isPhone: true })
  await page.addInitScript(`{
    const real = Date.now
    Date.now = () => real() + ${2 * DAY}
  }`)
  await openGate(page, id)
  await page.context().setOffline(true)
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'Checked without a connection').waitFor()
  await page.getByText('scan is waiting to be sent').waitFor()
  await page.context().setOffline(false)
  await page.getByText('scan is waiting to be sent').waitFor({ state: 'detached' })
  expect(await uses(id)).toEqual(['Ann ACCEPTED offline'])
})

test('a scan that the server refuses does not hold up the others, and can be discarded', async () => {
  browser.allow(NO_NETWORK)
  browser.allow(/status of 400/)
  const { id } = await withPasses(alice, { name: 'Lecture' })
  const [ann, ben, eve] = await issued(alice, id, { holders: ['Ann', 'Ben', 'Eve'].map((name) => ({ name })) })
  const page = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN', isDark: true })
  await page.goto(`/console/activities/${id}/gate`)
  await page.getByText('断网后可继续检票').waitFor()
  await page.getByRole('button', { name: '开始扫码' }).click()
  const enter = async (content: string) => {
    await page.getByLabel('通行证链接或内容').fill(content)
    await page.getByRole('button', { name: '核验' }).click()
  }
  await page.context().setOffline(true)
  await enter(ann!.qrContent!)
  await page.getByText('1 条记录待上传').waitFor()
  // The clock of the phone is two days ahead for one scan.
  await page.evaluate(`{
    const real = Date.now
    Date.now = () => real() + ${2 * DAY}
    globalThis.repairClock = () => (Date.now = real)
  }`)
  await enter(ben!.qrContent!)
  await page.getByText('2 条记录待上传').waitFor()
  await page.evaluate('repairClock()')
  await enter(eve!.qrContent!)
  await page.getByText('3 条记录待上传').waitFor()
  await page.context().setOffline(false)
  await page.getByText('服务器未接受 1 条记录').waitFor()
  expect(await uses(id)).toEqual(['Ann ACCEPTED offline', 'Eve ACCEPTED offline'])
  expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
    barriers: [],
    isTooWide: false,
  })
  await screenshot(page, 'gate-refused-scan')
  await page.getByRole('button', { name: '丢弃' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '丢弃' }).click()
  await page.getByText('服务器未接受').waitFor({ state: 'detached' })
})

test('two tabs of a gate share their passes, and unsent scans are kept until the user is there again', async () => {
  browser.allow(NO_NETWORK)
  const { id } = await withPasses(alice, { name: 'Theatre' })
  const [ann, ben] = await issued(alice, id, { holders: ['Ann', 'Ben'].map((name) => ({ name })) })
  const page = await browser.signedIn(alice)
  await openGate(page, id)
  const other = await page.context().newPage()
  await openGate(other, id)
  await page.context().setOffline(true)
  await scan(page, ann!.qrContent!)
  await verdictOf(page, 'Checked without a connection').waitFor()
  await scan(other, ann!.qrContent!)
  await verdictOf(other, 'Already used').waitFor()
  await scan(other, ben!.qrContent!)
  await other.getByText('2 scans are waiting to be sent').waitFor()
  await page.close()
  await other.close()

  await page.context().route('**/pass/redemptions', (route) => route.abort('connectionfailed'))
  await page.context().setOffline(false)
  const home = await page.context().newPage()
  await home.goto('/console/')
  await home.getByRole('button', { name: /^Profile/ }).click()
  await home.getByRole('menuitem', { name: 'Sign out' }).click()
  await home.getByText('2 scans at a gate were not sent yet').waitFor()
  await screenshot(home, 'gate-sign-out')
  expect(await uses(id)).toEqual([])
  await home.getByRole('button', { name: 'Cancel' }).click()
  await page.context().unroute('**/pass/redemptions')
  // Now everything can be sent, so that the session ends without a question.
  await home.getByRole('button', { name: /^Profile/ }).click()
  await home.getByRole('menuitem', { name: 'Sign out' }).click()
  await home.waitForURL('**/login')
  expect(await uses(id)).toEqual(['Ann ACCEPTED offline', 'Ben ACCEPTED offline'])
})

test('a name is asked about before its pass is let in, because a tap on the wrong one would lock somebody out', async () => {
  const { id } = await withPasses(alice, { name: 'Reading' })
  await issued(alice, id, { holders: [{ name: 'Ann' }, { name: 'Ben' }] })
  const page = await browser.signedIn(alice, { isPhone: true })
  await openGate(page, id)
  await page.getByRole('button', { name: 'Find by name' }).click()
  const find = page.getByRole('dialog', { name: 'Find a pass by name' })
  await find.getByRole('button', { name: /Ann/ }).click()
  await page.getByRole('dialog', { name: 'Let Ann in?' }).getByRole('button', { name: 'Cancel' }).click()
  await find.getByRole('button', { name: /Ben/ }).click()
  await page.getByRole('dialog', { name: 'Let Ben in?' }).getByRole('button', { name: 'Let in' }).click()
  await verdictOf(page, 'BenLet in').waitFor()
  expect(await uses(id)).toEqual(['Ben ACCEPTED'])
})
