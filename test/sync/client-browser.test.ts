/** The reference client of offline sync in Chromium, with IndexedDB. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import type { Browser, Page } from 'playwright-core'

import { MemoryStorage } from '../../examples/sync-client/storage.ts'
import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { type Person, startServer, type TestServer } from '../harness/index.ts'
import { device, onNewDevice, rowsOf, shownNames } from './client-helpers.ts'
import { EXPECTED, runCases } from './client-storage-cases.ts'

test('the storage in memory passes the cases of every storage', async () => {
  expect(await runCases(new MemoryStorage())).toEqual(EXPECTED)
})

/** The client, its storage and the cases as one script that sets `globalThis.sync`. */
async function bundle(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'tessera-client-'))
  try {
    const entry = join(directory, 'entry.ts')
    const from = (path: string) => JSON.stringify(resolve(import.meta.dir, path))
    await Bun.write(
      entry,
      `import { SyncClient } from ${from('../../examples/sync-client/client.ts')}
       import { IndexedDbStorage } from ${from('../../examples/sync-client/indexeddb.ts')}
       import { runCases } from ${from('client-storage-cases.ts')}
       globalThis.sync = { SyncClient, IndexedDbStorage, runCases }`,
    )
    const built = await Bun.build({ entrypoints: [entry], target: 'browser' })
    return await built.outputs[0]!.text()
  } finally {
    rmSync(directory, { recursive: true })
  }
}

describe.if(hasChromium)('in Chromium', () => {
  const script = bundle()
  const site = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) =>
      request.url.endsWith('.js')
        ? new Response(await script, { headers: { 'content-type': 'text/javascript' } })
        : new Response('<!doctype html><script type="module" src="/client.js"></script>', {
            headers: { 'content-type': 'text/html' },
          }),
  })
  const browser: Promise<Browser> = launchChromium()
  afterAll(async () => {
    await (await browser).close()
    await site.stop(true)
  })
  /** A tab of a new profile, or another one of the same profile. */
  async function openTab(other?: Page): Promise<Page> {
    const context = other?.context() ?? (await (await browser).newContext())
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(site.url.href)
    await page.waitForFunction('globalThis.sync !== undefined')
    return page
  }

  test('the storage in IndexedDB passes the cases of every storage, and keeps rows when the page is closed', async () => {
    const page = await openTab()
    const results = await page.evaluate(`(async () => {
      const storage = await sync.IndexedDbStorage.open('cases')
      const results = await sync.runCases(storage)
      storage.close()
      return JSON.stringify(results, (_, value) => value === undefined ? 'undefined' : value)
    })()`)
    const expected = JSON.stringify(EXPECTED, (_, value) => (value === undefined ? 'undefined' : value))
    expect(JSON.parse(results as string)).toEqual(JSON.parse(expected))

    const later = await openTab(page)
    await page.close()
    const since = `sync.IndexedDbStorage.open('cases').then((storage) => storage.transaction(async (tx) => (await tx.state()).since))`
    expect(await later.evaluate(since)).toBe(20)
  })

  describe('with a server', () => {
    let server: TestServer
    beforeAll(async () => {
      server = await startServer({ config: { corsOrigins: [site.url.origin] } })
    })
    afterAll(() => server.stop())

    /** Requests of all tabs that are running, and the largest number of them so far. */
    let running = 0
    let most = 0

    /** Starts the client in a tab, as `client`. Tabs of one profile share its rows. */
    async function start(page: Page, person: Person): Promise<void> {
      await page.exposeFunction('enter', () => void (most = Math.max(most, ++running)))
      await page.exposeFunction('leave', () => void running--)
      const options = { url: server.url, deviceId: person.deviceId }
      await page.evaluate(`(async () => {
        globalThis.client = new sync.SyncClient({
          ...${JSON.stringify(options)},
          token: async () => ${JSON.stringify(person.token)},
          storage: await sync.IndexedDbStorage.open('user-${person.id}'),
          sleep: async () => {},
          fetch: async (address, init) => {
            await enter()
            try {
              return await fetch(address, init)
            } finally {
              await leave()
            }
          },
        })
      })()`)
    }

    test('a page works without a network, is closed, and another page sends its edits', async () => {
      const user = await server.person()
      const page = await openTab()
      await start(page, user)
      await page.context().setOffline(true)
      const shown = await page.evaluate(`(async () => {
        const category = await client.create('category', { name: 'Building' })
        await client.create('qrCode', { name: 'Door', content: 'door', categoryId: category })
        const error = await client.sync().catch((error) => error)
        return [error.status, (await client.list('qrCode')).map(({ data, isUnsent }) => [data.name, isUnsent])]
      })()`)
      expect(shown).toEqual([0, [['Door', true]]])

      await page.context().setOffline(false)
      const later = await openTab(page)
      await page.close()
      await start(later, user)
      await later.evaluate('client.sync()')
      const laptop = device(server.url, await onNewDevice(server.url, user))
      await laptop.client.sync()
      const [category] = await rowsOf(laptop, 'category')
      expect((await rowsOf(laptop, 'qrCode')).map(({ server }) => server)).toMatchObject([
        { name: 'Door', categoryId: category!.serverId },
      ])
      await later.context().close()
    })

    test('tabs that synchronize at the same time take turns, and show the same rows', async () => {
      const user = await server.person()
      const first = await openTab()
      const second = await openTab(first)
      most = 0
      const edit = (tab: string) => `(async () => {
        for (let i = 0; i < 5; i++) {
          await client.create('category', { name: '${tab}' + i })
          await client.sync()
        }
      })()`
      await Promise.all(
        [first, second].map(async (page, i) => {
          await start(page, user)
          await page.evaluate(edit(`tab ${i}, `))
        }),
      )
      expect(most).toBe(1)
      const names = [0, 1].flatMap((tab) => [0, 1, 2, 3, 4].map((i) => `tab ${tab}, ${i}`))
      const inTab = `client.list('category').then((items) => items.map(({ data }) => data.name).sort())`
      expect(await first.evaluate(inTab)).toEqual(names)
      expect(await second.evaluate(inTab)).toEqual(names)
      const laptop = device(server.url, await onNewDevice(server.url, user))
      await laptop.client.sync()
      expect(await shownNames(laptop, 'category')).toEqual(names)
      await first.context().close()
    })

    test('a tab that is closed before the answer arrives leaves its batch to the next tab', async () => {
      const user = await server.person()
      const page = await openTab()
      await start(page, user)
      const bodies: (string | null)[] = []
      const isPush = (address: string) => address.endsWith('/api/sync/push')
      /** Settles when the server has answered the push, which the page never sees. */
      const answered = new Promise<void>((resolve) => {
        void page.route('**/api/sync/push', async (route) => {
          if (route.request().method() !== 'POST') return route.continue()
          bodies.push(route.request().postData())
          await route.fetch()
          resolve()
        })
      })
      await page.evaluate(`void client.create('category', { name: 'Once' }).then(() => client.sync())`)
      await answered
      const other = await openTab(page)
      await start(other, user)
      other.on('request', (request) => {
        if (isPush(request.url()) && request.method() === 'POST') bodies.push(request.postData())
      })
      await page.close()
      await other.evaluate('client.sync()')
      expect(bodies).toHaveLength(2)
      expect(bodies[1]).toBe(bodies[0]!)
      const laptop = device(server.url, await onNewDevice(server.url, user))
      await laptop.client.sync()
      expect(await shownNames(laptop, 'category')).toEqual(['Once'])
      await other.context().close()
    })
  })
})
