/** The public pages of agreements. */

import { describe, expect, test } from 'bun:test'

import { ok, startServer, useServer } from '../harness/index.ts'
import { activate, publish } from './helpers.ts'

const { server, admin } = useServer()

const page = (type: string, headers: Record<string, string> = {}) =>
  server.request('GET', `/public/agreement/${type}`, { headers: { accept: 'text/html', ...headers } })
const policy = (reply: { headers: Headers }) => reply.headers.get('content-security-policy')!

describe('GET /public/agreement/:type', () => {
  test('shows the current version in English or Chinese, without a token', async () => {
    const { version } = await publish(admin, 'SERVICE', { title: 'House rules', content: '## Noise\n\nBe **quiet**.' })
    const en = await page('service')
    expect(en.status).toBe(200)
    expect(en.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(en.text).toContain('<html lang="en">')
    expect(en.text).toContain('<h1>House rules</h1>')
    expect(en.text).toContain('Terms of service')
    expect(en.text).toContain(`Version ${version}, in effect since `)
    expect(en.text).toContain('<h2>Noise</h2>\n<p>Be <strong>quiet</strong>.</p>')
    const zh = await page('service', { 'accept-language': 'zh-CN' })
    expect(zh.text).toContain('<html lang="zh-CN">')
    expect(zh.text).toContain('服务条款')
    expect(zh.text).toContain(`第 ${version} 版，自 `)
    await publish(admin, 'PRIVACY', { title: 'Your data' })
    expect((await page('privacy')).text).toContain('<h1>Your data</h1>')
    expect((await page('privacy', { 'accept-language': 'zh' })).text).toContain('隐私政策')
  })

  test('shows an older version after it was activated again', async () => {
    const old = await publish(admin, 'SERVICE', { title: 'First edition' })
    await publish(admin, 'SERVICE', { title: 'Second edition' })
    expect((await page('service')).text).toContain('Second edition')
    ok(await activate(admin, old))
    const { text } = await page('service')
    expect(text).toContain('First edition')
    expect(text).not.toContain('Second edition')
  })

  test('escapes the title, shows no raw HTML of the content, and allows neither scripts nor styles of it', async () => {
    const hostile = '<script>alert(1)</script>\n\n<style>body{display:none}</style>\n\n<iframe src="//evil"></iframe>'
    await publish(admin, 'PRIVACY', { title: '<script>alert(2)</script>', content: hostile })
    const reply = await page('privacy')
    expect(reply.text).not.toMatch(/<script|<iframe|<style>body\{display/)
    expect(reply.text).toContain('&lt;script&gt;alert(2)')
    expect(policy(reply)).toStartWith("default-src 'none'; manifest-src 'self'; style-src 'sha256-")
    expect(policy(reply)).not.toContain('script-src')
  })

  test('loads pictures of other servers only if the agreement has a picture', async () => {
    await publish(admin, 'PRIVACY', { content: 'No picture' })
    expect(policy(await page('privacy'))).toContain("img-src 'self';")
    await publish(admin, 'PRIVACY', { content: '![Our logo](https://example.org/logo.png)' })
    const reply = await page('privacy')
    expect(reply.text).toContain('<img src="https://example.org/logo.png" alt="Our logo"')
    expect(policy(reply)).toContain("img-src 'self' https:;")
  })

  test('with Accept: application/json answers like the API', async () => {
    await publish(admin, 'SERVICE')
    const api = ok(await server.request('GET', '/api/agreement/current?type=SERVICE'))
    const json = ok(await page('service', { accept: 'application/json' }))
    expect(json.data).toEqual(api.data)
    const etag = api.headers.get('etag')!
    expect(json.headers.get('etag')).toBe(etag)
    expect((await page('service', { accept: 'application/json', 'if-none-match': etag })).status).toBe(304)
    expect((await page('SERVICE')).status).toBe(200)
  })

  test('answers a 404 page for unknown types and if nothing is published', async () => {
    await using empty = await startServer()
    const get = (type: string, headers: Record<string, string>) =>
      empty.request('GET', `/public/agreement/${type}`, { headers })
    for (const type of ['service', 'privacy', 'cookies', '__proto__', '%3Cscript%3E']) {
      const en = await get(type, { accept: 'text/html' })
      expect([en.status, en.headers.get('content-type')], type).toEqual([404, 'text/html; charset=utf-8'])
      expect(en.text).toContain('Nothing to see here')
      expect(en.text).not.toContain('cookies')
      expect((await get(type, { accept: 'text/html', 'accept-language': 'zh' })).text).toContain('未找到内容')
      expect(await get(type, { accept: 'application/json' })).toMatchObject({ status: 404, code: 404 })
    }
  })
})
