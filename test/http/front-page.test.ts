/** The front page, and the files for which browsers, phones and search engines ask by themselves. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'

import { hashOf, publish, upload } from '../app-updates/helpers.ts'
import { ok, type TestServer, useServer } from '../harness/index.ts'
import { buildLicenses } from '../harness/licenses.ts'

// One of the links leads to the licences.
beforeAll(() => buildLicenses())

const open = async (server: TestServer, path = '/', language = 'en') => {
  const reply = ok(await server.request('GET', path, { headers: { accept: 'text/html', 'accept-language': language } }))
  const links = [...reply.text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))
  return { ...reply, links }
}

describe('the front page of a new server', () => {
  const { server } = useServer({ noAdmin: true })

  test('a page that does not exist leads to itself in the other language, and to the front page', async () => {
    const page = async (path: string) => {
      const { status, text } = await server.request('GET', path, { headers: { accept: 'text/html' } })
      return { status, text, links: [...text.matchAll(/href="([^"]*lang=[^"]*)"/g)].map(([, href]) => href) }
    }
    for (const path of ['/nothing/here', '/nothing/here?token=secret', `/public/qr/${crypto.randomUUID()}`])
      expect(await page(path)).toMatchObject({ status: 404, links: ['?lang=zh', '/?lang=en'] })
    const chinese = await page('/nothing/here?lang=zh')
    expect(chinese).toMatchObject({ status: 404, links: ['?lang=en', '/?lang=zh'] })
    expect(chinese.text).toContain('未找到内容')
  })

  test('the front page of a server without administrator leads to the setup, the sign-in and the API documentation', async () => {
    const { text, links, headers } = await open(server)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).toContain('no administrator yet')
    expect(links).toEqual(expect.arrayContaining(['/setup', '/console/', '/docs']))
    expect(text).not.toContain('Get the app')
    expect(text).not.toMatch(/<script|token=/)
  })

  test('the front page is in English or Chinese, by the browser or by a link, which wins', async () => {
    expect((await open(server)).text).toContain('<html lang="en">')
    const chinese = await open(server, '/', 'zh-CN,zh;q=0.9')
    expect(chinese.text).toContain('<html lang="zh-CN">')
    expect(chinese.text).toContain('设置此服务器')
    expect(chinese.links).toContain('/?lang=en')
    const chosen = await open(server, '/?lang=en', 'zh-CN')
    expect(chosen.text).toContain('<html lang="en">')
    expect(chosen.links).toContain('/setup?lang=en')
    expect((await open(server, '/?lang=fr')).text).toContain('<html lang="en">')
  })

  test('every link of the front page that this server answers leads to a page or document', async () => {
    const { links } = await open(server)
    for (const path of links.filter((href) => href !== '/console/'))
      expect({ path, status: (await server.request('GET', path)).status }).toEqual({ path, status: 200 })
  })
})

describe('the front page of a server in use', () => {
  const { server, admin } = useServer()

  test('the front page of a server with an administrator leads to the sign-in and no longer to the setup', async () => {
    const { text, links } = await open(server)
    expect(links).toContain('/console/')
    expect(links).not.toContain('/setup')
    expect(text).not.toContain('no administrator yet')
    expect(text).toContain('no account yet')
    ok(await admin.put('/api/admin/settings', { values: { 'registration.enabled': false } }))
    expect((await open(server)).text).not.toContain('no account yet')
  })

  test('the front page has the terms of service and the latest version of the app once they are published', async () => {
    expect((await open(server)).links.join(' ')).not.toMatch(/agreement|download/)
    ok(
      await admin.call('agreements.publish', {
        body: { type: 'SERVICE', title: 'Rules <of> the club', content: 'Hi' },
      }),
    )
    const terms = await open(server, '/?lang=zh')
    expect(terms.links).toContain('/public/agreement/service?lang=zh')
    expect(terms.text).toContain('Rules &lt;of&gt; the club')

    const bytes = new Uint8Array(2_500_000).fill(7)
    ok(await upload(server, admin, 'club-1.4.0.apk', bytes))
    expect((await open(server)).text).not.toContain('club-1.4.0.apk')
    const version = { versionCode: 14, versionName: '1.4.0', downloadUrl: '/api/app/download/club-1.4.0.apk' }
    ok(await publish(server, admin, version))
    const { text, links } = await open(server)
    expect(text).toContain('Get the Android app')
    expect(text).toContain('2.5 MB')
    const download = links.find((href) => href.includes('download'))!
    expect(hashOf(ok(await server.request('GET', download)).bytes)).toBe(hashOf(bytes))
  })
})

describe('files that pages and phones ask for', () => {
  const { server } = useServer({ noAdmin: true })
  const bytesOf = async (path: string) => ok(await server.request('GET', path)).bytes
  /** Width and height in the header of a PNG. */
  const sizeOf = (png: Uint8Array) => {
    const view = new DataView(png.buffer, png.byteOffset)
    expect(view.getUint32(12)).toBe(0x49484452)
    return [view.getUint32(16), view.getUint32(20)]
  }

  test('GET /favicon.ico is an icon file with a PNG of 16, 32 and 48 pixels', async () => {
    const icon = await bytesOf('/favicon.ico')
    const view = new DataView(icon.buffer, icon.byteOffset)
    expect([view.getUint16(2, true), view.getUint16(4, true)]).toEqual([1, 3])
    for (const [i, size] of [16, 32, 48].entries()) {
      const [length, offset] = [view.getUint32(6 + 16 * i + 8, true), view.getUint32(6 + 16 * i + 12, true)]
      expect(sizeOf(icon.slice(offset, offset + length))).toEqual([size, size])
    }
  })

  test('the web app manifest starts the console, and its icons have the sizes that it says', async () => {
    const reply = ok(await server.request('GET', '/manifest.webmanifest'))
    expect(reply.headers.get('content-type')).toStartWith('application/manifest+json')
    const manifest = JSON.parse(reply.text) as {
      start_url: string
      icons: { src: string; sizes: string; purpose?: string }[]
    }
    expect(manifest.start_url).toBe('/console/')
    for (const { src, sizes } of manifest.icons) expect(sizeOf(await bytesOf(src)).join('x')).toBe(sizes)
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(['192x192', '512x512']))
    expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true)
    expect(sizeOf(await bytesOf('/apple-touch-icon.png'))).toEqual([180, 180])
  })

  test('the manifest shows the application on a wide window and on a phone, by two small pictures', async () => {
    const { screenshots } = JSON.parse(ok(await server.request('GET', '/manifest.webmanifest')).text) as {
      screenshots: { src: string; sizes: string; type: string; form_factor: string }[]
    }
    expect(screenshots.map((shot) => shot.form_factor)).toEqual(['wide', 'narrow'])
    let bytes = 0
    for (const { src, sizes, type } of screenshots) {
      const reply = ok(await server.request('GET', src))
      expect(reply.headers.get('content-type')).toBe(type)
      const file = Buffer.from(await bytesOf(src))
      bytes += file.length
      // The extended form of WebP has width and height minus one, in three bytes each.
      expect(file.toString('latin1', 8, 16)).toBe('WEBPVP8X')
      expect(`${file.readUIntLE(24, 3) + 1}x${file.readUIntLE(27, 3) + 1}`).toBe(sizes)
    }
    expect(bytes).toBeLessThan(60 * 1024)
  })

  test('a request without a valid Host, as HTTP/1.0 allows, is answered like others', async () => {
    const statusOf = async (path: string, host: string) => {
      const { hostname, port } = new URL(server.url)
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const socket = connect(Number(port), hostname, () => socket.write(`GET ${path} HTTP/1.0\r\n${host}\r\n`))
      socket.on('data', (bytes) => resolve(bytes.toString('latin1'))).on('error', reject)
      const answer = await promise.finally(() => socket.destroy())
      return `${host.trim()} ${path} ${answer.split(' ')[1]}`
    }
    for (const host of ['', 'Host: a b\r\n', 'Host: "><script>\r\n', 'Host: a:99999\r\n'])
      for (const path of ['/', '/actuator/health', '/console/', '/public/images/none', '/none?to=http://x/'])
        expect(await statusOf(path, host)).toBe(`${host.trim()} ${path} ${path.includes('none') ? 404 : 200}`)
  })

  test('search engines may list the front page, and no page that says noindex: /robots.txt lets them read it', async () => {
    const { text } = ok(await server.request('GET', '/robots.txt'))
    expect(text).toContain('Allow: /$\n')
    expect(text).toEndWith('Disallow: /\n')
    expect((await open(server)).text).not.toContain('noindex')
    expect((await open(server, '/setup')).text).toContain('noindex')
  })

  test('files of pages answer 304 to an unchanged copy', async () => {
    for (const path of ['/favicon.ico', '/icons/icon-512.png', '/manifest.webmanifest', '/robots.txt', '/copy.js']) {
      const etag = ok(await server.request('GET', path)).headers.get('etag')!
      const again = await server.request('GET', path, { headers: { 'if-none-match': etag } })
      expect({ path, status: again.status }).toEqual({ path, status: 304 })
    }
  })
})
