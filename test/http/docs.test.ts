/** /openapi.json and /docs over HTTP, and /docs in a real browser. */

import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { useServer } from '../harness/index.ts'

const { server } = useServer()

const FILES = ['/docs/swagger-ui.js', '/docs/start.js', '/docs/swagger-ui.css', '/docs/look.css']

describe('the document and its page', () => {
  test('the document, the page and its files need no token', async () => {
    for (const path of ['/openapi.json', '/docs', '/favicon.svg', ...FILES])
      expect({ path, status: (await server.request('GET', path)).status }).toEqual({ path, status: 200 })
  })

  test('GET /openapi.json describes this version and this server', async () => {
    const { text, headers } = await server.request('GET', '/openapi.json')
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    const document = JSON.parse(text)
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe((await Bun.file(`${import.meta.dir}/../../package.json`).json()).version)
    expect(document.servers[0].url).toBe('/')
    expect(document.paths['/api/qr-codes'].post.operationId).toBeString()
    expect(document.paths['/openapi.json']).toBeUndefined()
  })

  test('the document, the page and its files answer 304 to an unchanged copy', async () => {
    for (const path of ['/openapi.json', '/docs', ...FILES]) {
      const first = await server.request('GET', path)
      const etag = first.headers.get('etag')!
      expect(etag).toMatch(/^".+"$/)
      expect(first.headers.get('cache-control')).toBe('no-cache')
      const again = await server.request('GET', path, { headers: { 'if-none-match': etag } })
      expect({ path, status: again.status, length: again.bytes.length }).toEqual({ path, status: 304, length: 0 })
      const other = await server.request('GET', path, { headers: { 'if-none-match': '"other"' } })
      expect(other.status).toBe(200)
    }
  })

  test('GET /openapi.json is compressed as the client prefers, with a tag of its own for each coding', async () => {
    const get = (coding: string, headers = {}) =>
      fetch(`${server.url}/openapi.json`, { headers: { 'accept-encoding': coding, ...headers }, decompress: false })
    const plain = await get('identity')
    expect(plain.headers.get('content-encoding')).toBeNull()
    const text = await plain.text()
    const tags = new Set([plain.headers.get('etag')])
    const decoded = { br: brotliDecompressSync, gzip: gunzipSync }
    for (const [coding, decode] of Object.entries(decoded)) {
      const reply = await get(coding)
      const bytes = await reply.bytes()
      expect([reply.headers.get('content-encoding'), reply.headers.get('vary')]).toEqual([coding, 'accept-encoding'])
      expect(bytes.length).toBeLessThan(text.length / 5)
      expect(decode(bytes).toString()).toBe(text)
      const etag = reply.headers.get('etag')!
      tags.add(etag)
      expect((await get(coding, { 'if-none-match': etag })).status).toBe(304)
      expect((await get('identity', { 'if-none-match': etag })).status).toBe(200)
    }
    expect(tags.size).toBe(3)
  })

  test('/docs runs no inline script and loads files from this server only', async () => {
    const { text, headers } = await server.request('GET', '/docs')
    const policy = headers.get('content-security-policy')!
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(text).not.toMatch(/<script>|<style|https?:\/\//)
    const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((m) => m[1]!)
    expect(loaded.sort()).toEqual([...FILES, '/favicon.svg', '/openapi.json'].sort())
    for (const path of FILES) {
      const type = (await server.request('GET', path)).headers.get('content-type')
      expect(type).toBe(path.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8')
    }
  })
})

describe('in a browser', () => {
  if (hasChromium)
    test('/docs in Chromium lists every operation, calls one, and requests nothing from other servers', async () => {
      const me = await server.person()
      const browser = await launchChromium()
      try {
        const page = await (
          await browser.newContext({ colorScheme: 'dark', viewport: { width: 1200, height: 3000 } })
        ).newPage()
        page.setDefaultTimeout(60_000)
        const otherServers: string[] = []
        const errors: string[] = []
        page.on('request', (request) => {
          if (!request.url().startsWith(`${server.url}/`) && !request.url().startsWith('data:'))
            otherServers.push(request.url())
        })
        page.on('console', (message) => {
          if (message.type() === 'error') errors.push(message.text())
        })
        page.on('pageerror', (error) => errors.push(error.message))

        await page.goto(`${server.url}/docs`)
        await page.waitForSelector('.opblock-tag')
        const { paths, tags } = JSON.parse((await server.request('GET', '/openapi.json')).text)
        const operations = Object.values(paths).flatMap((item) => Object.values(item as object)) as { tags: string[] }[]
        const section = (name: string) => page.locator(`.opblock-tag[data-tag="${name}"]`)
        // Open one section at a time: the page renders only operations in view.
        for (const { name } of tags) {
          await section(name).click()
          const here = operations.filter((operation) => operation.tags.includes(name)).length
          await page
            .locator('.opblock')
            .nth(here - 1)
            .waitFor()
          expect(await page.locator('.opblock').count(), name).toBe(here)
          await section(name).click()
          await page.waitForSelector('.opblock', { state: 'detached' })
        }
        await section('Access control').click()
        expect(await page.locator('html.dark-mode').count()).toBe(1)

        await page.click('button.authorize')
        await page.fill('#auth-bearer-value', me.token)
        await page.fill('#api_key_value', me.deviceId)
        // Once clicked, each button becomes "Logout".
        for (const _ of ['token', 'device']) await page.locator('.auth-btn-wrapper button.authorize').first().click()
        await page.click('.auth-btn-wrapper .btn-done')
        const operation = page.locator('.opblock', { has: page.locator('[data-path="/api/rbac/my-permissions"]') })
        await operation.locator('.opblock-summary-control').click()
        await operation.locator('button.execute').click()
        const answered = operation.locator('.live-responses-table .response-col_status')
        await answered.first().waitFor()
        expect(await operation.locator('.live-responses-table').innerText()).toContain('200')

        expect(otherServers).toEqual([])
        expect(errors).toEqual([])
      } finally {
        await browser.close()
      }
    })
})
