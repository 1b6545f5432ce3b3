/** Gates without an account in the web application: making and handing them over, and scanning on a device that nobody has signed in on. */

import { describe, expect, test } from 'bun:test'

import type { Locator, Page } from 'playwright-core'

import { issued, withPasses } from '../activities/pass-helpers.ts'
import { hasFirefox } from '../harness/firefox.ts'
import { ok, useServer } from '../harness/index.ts'
import { until } from '../harness/until.ts'
import { barriers, isTooWide, screenshot, until as untilIn, useBrowser } from './browser.ts'

const NO_NETWORK = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_CONNECTION_FAILED|NetworkError|NS_ERROR/

/** The result of the last scan, over the whole screen. */
const resultOf = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text })

/** Key by key in Firefox, where React does not notice a value that a script assigns. */
const write = (field: Locator, text: string) =>
  field.page().context().browser()!.browserType().name() === 'firefox'
    ? field.pressSequentially(text)
    : field.fill(text)

async function scan(page: Page, content: string): Promise<void> {
  // The result of the scan before covers the page.
  const next = page.getByRole('button', { name: 'Next', exact: true })
  if (await next.isVisible()) await next.click()
  await write(page.getByLabel('Link or text of the pass'), content)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
}

async function openGate(page: Page, url: string, device = 'Lin, back door'): Promise<void> {
  await page.goto(new URL(url).pathname + new URL(url).hash)
  await write(page.getByLabel('Name of this device'), device)
  await page.getByRole('button', { name: 'Open the gate' }).click()
  await page.getByText('If the connection is lost').waitFor()
}

const start = (page: Page) => page.getByRole('button', { name: 'Start scanning' }).click()

for (const isFirefox of hasFirefox ? [false, true] : [false])
  describe(`a gate without an account in ${isFirefox ? 'Firefox' : 'Chromium'}`, () => {
    const { server, admin, alice } = useServer({ people: ['alice'] })
    const browser = useBrowser(server, { isFirefox })

    const createGate = async (id: number, body: object = {}) =>
      ok(await alice.call('activityGates.create', { params: { id }, body: { name: 'Main entrance', ...body } })).data
    const uses = async (id: number) =>
      ok(await alice.call('passes.activityRecords', { params: { id } }))
        .data.items.map(
          ({ holderName, result, offline, gate, undoneAt }) =>
            `${holderName} ${result}${offline ? ' offline' : ''}${undoneAt === null ? '' : ' undone'} ${gate?.deviceName}`,
        )
        .toSorted()

    test('scans passes, takes an entry back and lets in by name, and its secret is nowhere', async () => {
      browser.allow(/status of 404/)
      const { id } = await withPasses(alice, { name: 'Concert' })
      const [ann] = await issued(alice, id, { holders: ['Ann', 'Ben'].map((name) => ({ name })) })
      const { url } = await createGate(id)
      const page = await browser.page({ isPhone: true })
      const requested: string[] = []
      page.on('request', (request) => requested.push(`${request.url()} ${JSON.stringify(request.headers())}`))
      await openGate(page, url!)
      const secret = new URL(url!).hash.slice(1)
      expect(secret.length).toBeGreaterThan(20)
      expect(await page.evaluate('location.href')).toBe(`${server.url}/console/gate`)
      expect(
        await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage, state: history.state })'),
      ).not.toContain(secret)
      expect(requested.filter((request) => request.includes(secret))).toEqual([])
      expect(await barriers(page)).toEqual([])
      await start(page)
      await scan(page, ann!.qrContent!)
      await resultOf(page, 'AnnLet in').waitFor()
      expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
        barriers: [],
        isTooWide: false,
      })
      await screenshot(page, `gate-link-result-${isFirefox}`)
      await page.getByRole('button', { name: 'Undo this entry' }).click()
      await page.getByText('Admitted: 0').waitFor()
      await scan(page, ann!.qrContent!)
      await resultOf(page, 'AnnLet in').waitFor()
      await page.getByRole('button', { name: 'Next', exact: true }).click()
      await page.getByRole('button', { name: 'Find by name' }).click()
      const find = page.getByRole('dialog', { name: 'Find a pass by name' })
      await find.getByText('Type at least 2 letters').waitFor()
      await write(find.getByRole('searchbox'), 'be')
      await find.getByRole('button', { name: /Ben/ }).click()
      await page.getByRole('dialog', { name: 'Let Ben in?' }).getByRole('button', { name: 'Let in' }).click()
      await resultOf(page, 'BenLet in').waitFor()
      await page.getByRole('button', { name: 'Next', exact: true }).click()
      expect({ barriers: await barriers(page), isTooWide: await isTooWide(page) }).toEqual({
        barriers: [],
        isTooWide: false,
      })
      await screenshot(page, `gate-link-${isFirefox}`)
      const device = 'Lin, back door'
      expect(await uses(id)).toEqual([
        `Ann ACCEPTED ${device}`,
        `Ann ACCEPTED undone ${device}`,
        `Ben ACCEPTED ${device}`,
      ])
      // The page opens again without the link.
      await page.goto('/console/gate')
      await page.getByRole('heading', { name: 'Concert' }).waitFor()
      // A wrong link says so.
      await page.goto('/console/gate#wrong')
      await page.getByRole('button', { name: 'Open the gate' }).click()
      await page.getByText('This link is wrong or has ended').waitFor()
    })

    // Playwright cannot take the connection away from Firefox; firefox.test.ts does that by a proxy.
    if (isFirefox) return

    test('goes on without a connection, and sends what it has when it is ended', async () => {
      browser.allow(NO_NETWORK)
      browser.allow(/status of 401/)
      const { id } = await withPasses(alice, { name: 'Market' })
      const [ann, ben] = await issued(alice, id, { holders: ['Ann', 'Ben'].map((name) => ({ name })) })
      const gate = await createGate(id, { showNames: false, direction: 'ENTRY' })
      const page = await browser.page({ isPhone: true, isDark: true })
      await openGate(page, gate.url!)
      await start(page)
      // Entries only, and nobody is found by name.
      expect(await page.getByRole('button', { name: 'Exit' }).count()).toBe(0)
      expect(await page.getByRole('button', { name: 'Find by name' }).count()).toBe(0)
      await scan(page, ann!.qrContent!)
      await resultOf(page, 'A**Let in').waitFor()
      await page.context().setOffline(true)
      await scan(page, ann!.qrContent!)
      await resultOf(page, 'Already used').waitFor()
      await scan(page, ben!.qrContent!)
      await resultOf(page, 'Checked without a connection').waitFor()
      await page.getByText('1 scan is waiting to be sent').waitFor()
      await screenshot(page, 'gate-link-offline')
      ok(await alice.call('activityGates.revoke', { params: { id, gateId: gate.id } }))
      await page.context().setOffline(false)
      await page.getByText('The organizer has ended this gate').waitFor()
      await page.getByText('All scans of this device have been sent').waitFor()
      await screenshot(page, 'gate-link-ended')
      expect(await barriers(page)).toEqual([])
      expect(await uses(id)).toEqual(['Ann ACCEPTED Lin, back door', 'Ben ACCEPTED offline Lin, back door'])
      await page.getByRole('button', { name: 'Remove from this device' }).click()
      await page.getByText('No gate is open on this device').waitFor()
      await page.goto('/console/gate')
      await page.getByText('No gate is open on this device').waitFor()
    })

    test('asks before it is closed while scans wait, and keeps them apart from those of accounts', async () => {
      browser.allow(NO_NETWORK)
      const { id } = await withPasses(alice, { name: 'Reading' })
      const [ann] = await issued(alice, id, { holders: [{ name: 'Ann' }] })
      const { url } = await createGate(id)
      const page = await browser.page({ locale: 'zh-CN', isDark: true })
      await page.goto(new URL(url!).pathname + new URL(url!).hash)
      await page.getByLabel('本设备名称').fill('小林')
      await screenshot(page, 'gate-link-open-zh')
      await page.getByRole('button', { name: '打开检票口' }).click()
      await page.getByText('断网后可继续检票').waitFor()
      await page.getByRole('button', { name: '开始扫码' }).click()
      await page.context().route('**/public/gate/**', (route) => route.abort('connectionfailed'))
      await page.getByLabel('通行证链接或内容').fill(ann!.qrContent!)
      await page.getByRole('button', { name: '核验' }).click()
      await page.getByText('1 条记录待上传').waitFor()
      await screenshot(page, 'gate-link-zh')
      const asked = page.waitForEvent('dialog')
      const left = page.goto('/console/login')
      const dialog = await asked
      expect(dialog.type()).toBe('beforeunload')
      await dialog.accept()
      await left
      // The sign-in of a user and the end of the session leave the scans of the gate alone.
      const login = await page.context().request.post('/api/auth/login', {
        headers: { origin: server.url, 'x-refresh-token': 'cookie' },
        data: { account: alice.username, password: alice.password },
      })
      expect(login.status()).toBe(200)
      await page.evaluate("localStorage.setItem('tessera.signedIn', '1')")
      await page.goto('/console/account')
      await page.getByRole('button', { name: /^个人菜单/ }).click()
      await page.getByRole('menuitem', { name: '退出登录' }).click()
      await page.waitForURL('**/login')
      expect(await uses(id)).toEqual([])
      await page.context().unroute('**/public/gate/**')
      await page.goto('/console/gate')
      await page.getByRole('heading', { name: 'Reading' }).waitFor()
      await until(async () => (await uses(id)).join() === 'Ann ACCEPTED offline 小林')
    })

    test('opens again without a connection after the first visit', async () => {
      browser.allow(NO_NETWORK)
      const { id } = await withPasses(alice, { name: 'Theatre' })
      const [ann] = await issued(alice, id, { holders: [{ name: 'Ann' }] })
      const { url } = await createGate(id)
      const page = await browser.page({ isPhone: true, hasWorker: true })
      await openGate(page, url!)
      await untilIn(page, 'navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)')
      await page.context().setOffline(true)
      await page.reload()
      await page.getByText('If the connection is lost').waitFor()
      await start(page)
      await scan(page, ann!.qrContent!)
      await resultOf(page, 'Checked without a connection').waitFor()
      await page.getByText('scan is waiting to be sent').waitFor()
      await page.context().setOffline(false)
      await page.getByText('scan is waiting to be sent').waitFor({ state: 'detached' })
      expect(await uses(id)).toEqual(['Ann ACCEPTED offline Lin, back door'])
    })

    test('is made on the page of the activity, handed over by its code, changed, renewed and ended', async () => {
      const { id } = await withPasses(alice, { name: 'Garden party' })
      ok(await alice.call('checkInLists.create', { params: { id }, body: { name: 'Lunch' } }))
      const page = await browser.signedIn(alice)
      await page.goto(`/console/activities/${id}?tab=gates`)
      await page.getByText('No gates yet').waitFor()
      await page.getByRole('button', { name: 'New gate' }).click()
      const dialog = page.getByRole('dialog', { name: 'New gate' })
      await dialog.getByLabel('Name').first().fill('Back door')
      await dialog.getByLabel('Check-in lists').click()
      await page.getByRole('option', { name: 'Lunch' }).click()
      await page.keyboard.press('Escape')
      await dialog.getByRole('switch', { name: 'Shows names of visitors' }).click()
      await screenshot(page, 'gate-dialog')
      await dialog.getByRole('button', { name: 'Save' }).click()
      const handOver = page.getByRole('dialog', { name: 'Hand over “Back door”' })
      await handOver.getByText('Shows no names').waitFor()
      await handOver.getByRole('img', { name: 'Hand over “Back door”' }).waitFor()
      await screenshot(page, 'gate-hand-over')
      expect(await barriers(page)).toEqual([])
      // On paper, the page itself is not there.
      await page.emulateMedia({ media: 'print' })
      await page.getByText('Garden party', { exact: true }).last().waitFor()
      await screenshot(page, 'gate-paper')
      await page.emulateMedia({ media: 'screen' })
      await handOver.getByRole('button', { name: 'Close' }).click()
      const [gate] = ok(await alice.call('activityGates.list', { params: { id } })).data.items
      expect(gate).toMatchObject({ name: 'Back door', showNames: false, canSearch: false, direction: 'BOTH' })
      expect(gate!.listIds).toHaveLength(1)
      ok(
        await server.request('POST', '/public/gate/session', {
          body: { secret: new URL(gate!.url!).hash.slice(1), deviceId: 'device-1234567890', deviceName: 'Lin' },
        }),
      )
      await page.getByText('1 of 5 devices').waitFor()
      await page.getByText('Lin · online').waitFor()
      await screenshot(page, 'gates')
      await page.getByRole('button', { name: 'Change: Back door' }).click()
      const change = page.getByRole('dialog', { name: 'Change “Back door”' })
      await change.getByLabel('Devices that may open the link').fill('0')
      await change.getByRole('button', { name: 'Save' }).click()
      await change.getByText('At least 1').waitFor()
      await change.getByLabel('Devices that may open the link').fill('2')
      await change.getByRole('button', { name: 'Save' }).click()
      await page.getByText('1 of 2 devices').waitFor()
      await page.getByRole('button', { name: 'New link: Back door' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'New link' }).click()
      await page.getByText('0 of 2 devices').waitFor()
      await page.getByRole('button', { name: 'End: Back door' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
      await page.getByText('Ended', { exact: true }).waitFor()
      expect(await barriers(page)).toEqual([])
      const [ended] = ok(await alice.call('activityGates.list', { params: { id } })).data.items
      expect(ended!.revokedAt).not.toBeNull()
    })

    test('is ended by an administrator', async () => {
      const { id } = await withPasses(alice, { name: 'Rally' })
      await createGate(id)
      const page = await browser.signedIn(admin)
      await page.goto(`/console/admin/activities/${id}/show`)
      await page.getByRole('button', { name: 'End: Main entrance' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
      await page.getByRole('list', { name: 'Gates without an account' }).getByText('Ended').waitFor()
      const [gate] = ok(await alice.call('activityGates.list', { params: { id } })).data.items
      expect(gate!.revokedAt).not.toBeNull()
    })
  })
