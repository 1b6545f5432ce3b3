/** Signed URLs in a real browser. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Browser, Page } from 'playwright-core'

import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { PIXEL, storeFile } from './stored.ts'

const { server, alice } = useServer({ people: ['alice'] })

/** Reports that it ran as a script. */
const HTML = '<!doctype html><title>ran</title><script>document.title = "script ran"</script><h1>Not an image</h1>'

describe.if(inProcess && hasChromium)('in Chromium', () => {
  let browser: Browser
  let page: Page
  /** The image in the page of `otherServer`. */
  let shown = ''
  const otherServer = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () =>
      new Response(`<!doctype html><img src="${shown.replaceAll('&', '&amp;')}">`, {
        headers: { 'content-type': 'text/html' },
      }),
  })
  beforeAll(async () => {
    browser = await launchChromium()
    page = await browser.newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await otherServer.stop(true)
  })

  const signedUrl = async (fileId: number, disposition: 'inline' | 'attachment' = 'inline') => {
    const { url } = ok(await alice.call('files.signedUrl', { query: { fileId, disposition } })).data
    return server.url + url.slice(new URL(url).origin.length)
  }

  /** Width of the image in a page of another origin, 0 if it cannot be loaded. */
  async function widthInPage(url: string): Promise<number> {
    shown = url
    await page.goto(otherServer.url.href)
    return page.evaluate<number>(`new Promise((resolve) => {
      const image = document.querySelector('img')
      const done = () => resolve(image.naturalWidth)
      if (image.complete) done()
      else image.onload = image.onerror = done
    })`)
  }

  /** Opens the address as a document. Returns the name of the download that it starts, or else the title of the page. */
  async function opened(url: string): Promise<string> {
    const download = page.waitForEvent('download')
    download.catch(() => {})
    const loaded = page.goto(url).then(
      () => page.title(),
      // Navigation ends with an error if it becomes a download.
      async () => `saved as ${(await download).suggestedFilename()}`,
    )
    return loaded
  }

  test('an <img> of a signed URL loads without a token, and not after the URL was edited', async () => {
    const { id } = await storeFile(server, alice, { bytes: PIXEL, name: 'red.png', mime: 'image/png' })
    const url = await signedUrl(id)
    expect(await widthInPage(url)).toBe(1)
    expect(
      await widthInPage(url.replace(/signature=(.)/, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`)),
    ).toBe(0)
  })

  test('an HTML file is saved and never shown, whatever type and disposition it has', async () => {
    const stored = [
      await storeFile(server, alice, { bytes: HTML, name: 'page.html', mime: 'text/html' }),
      await storeFile(server, alice, { bytes: HTML, name: '页面.svg', mime: 'image/svg+xml' }),
    ]
    const results: string[] = []
    for (const { id } of stored) results.push(await opened(await signedUrl(id)))
    expect(results).toEqual(['saved as page.html', 'saved as 页面.svg'])
  })

  test('an HTML file that is stored as an image is shown as a broken image, and its script does not run', async () => {
    const { id } = await storeFile(server, alice, { bytes: HTML, name: 'x.png', mime: 'image/png' })
    const url = await signedUrl(id)
    expect(await opened(url)).not.toContain('ran')
    expect(await page.locator('h1').count()).toBe(0)
    expect(await widthInPage(url)).toBe(0)
  })
})
