/** HTML pages: texts of users never become markup, and the Content-Security-Policy allows only the contents of the page. */

import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'

import type { AppContext } from '#context'
import {
  button,
  card,
  errorPage,
  facts,
  field,
  form,
  hiddenField,
  html,
  htmlPage,
  notFoundPage,
  notice,
  type Page,
  qrPicture,
  rawHtml,
  text,
} from '#http/pages.ts'

/** Pages ask it for the name of the server only. */
const ctx = {} as AppContext
const EVIL = `"><script>alert('x')</script>&`
const page = (more: Partial<Page> = {}) =>
  htmlPage(ctx, { title: 'Menu', locale: 'en', body: html`<p>Hello</p>`, ...more })
const policy = (response: Response): Record<string, string> =>
  Object.fromEntries(
    response.headers
      .get('content-security-policy')!
      .split('; ')
      .map((rule) => [rule.slice(0, rule.indexOf(' ')), rule.slice(rule.indexOf(' ') + 1)]),
  )

describe('html', () => {
  test('html`` escapes values, keeps nested markup and lists of it, and writes nothing for null, undefined and booleans', () => {
    expect(html`<b title="${EVIL}">${EVIL}</b>`.text).toBe(
      '<b title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</b>',
    )
    expect(html`${html`<i>${'<'}</i>`}${[html`<u></u>`, '<']}${7}`.text).toBe('<i>&lt;</i><u></u>&lt;7')
    expect(html`a${null}${undefined}${false}${true}b`.text).toBe('ab')
    expect(html`${rawHtml('<hr>')}`.text).toBe('<hr>')
  })

  test('html`` escapes an object that only looks like markup', () => {
    const lookalike = { text: '<script>' } as unknown as string
    expect(html`${lookalike}`.text).toBe('[object Object]')
  })
})

describe('a page', () => {
  test('a page is HTML in the language of the caller and is not stored by caches', async () => {
    const response = page({ locale: 'zh' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('vary')).toBe('accept, accept-language')
    const body = await response.text()
    expect(body).toStartWith('<!doctype html>')
    expect(body).toContain('<html lang="zh-CN">')
    expect(body).toContain('<title>Menu · Tessera</title>')
    expect(await page().text()).toContain('<html lang="en">')
  })

  test('the policy of a page allows exactly the style sheet in it', async () => {
    const response = page()
    const styles = [...(await response.text()).matchAll(/<style>([^]*?)<\/style>/g)].map((m) => m[1]!)
    expect(styles).toHaveLength(1)
    const hash = createHash('sha256').update(styles[0]!).digest('base64')
    expect(policy(response)).toEqual({
      'default-src': "'none'",
      'manifest-src': "'self'",
      'style-src': `'sha256-${hash}'`,
      'img-src': "'self'",
      'form-action': "'self'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    })
  })

  test('the policy of a page allows further sources only if they are given', () => {
    const {
      'img-src': images,
      'form-action': action,
      'default-src': rest,
    } = policy(page({ imageSources: ['data:', 'https://cdn.example.org'], formAction: "'none'" }))
    expect(images).toBe("'self' data: https://cdn.example.org")
    expect(action).toBe("'none'")
    expect(rest).toBe("'none'")
  })

  test('a page with values to copy allows and loads the script of this server that copies them, and no other page does', async () => {
    const copying = page({ copies: true })
    expect(policy(copying)['script-src']).toBe("'self'")
    const scripts = [...(await copying.text()).matchAll(/<script([^>]*)>(.*?)<\/script>/g)]
    expect(scripts).toHaveLength(1)
    expect(scripts[0]![1]).toContain('src="/copy.js"')
    expect(scripts[0]![2]).toBe('')
    expect(policy(page())['script-src']).toBeUndefined()
    expect(await page().text()).not.toContain('<script')
  })

  test('a page has the tags of its preview, links to the other language, and asks search engines not to list it', async () => {
    const preview = { title: EVIL, description: EVIL, image: 'https://qr.example.org/a.png' }
    const body = await page({ preview, path: '/setup?token=a&b=1' }).text()
    expect(body).toContain('<meta name="robots" content="noindex" />')
    expect(body).toContain('<meta property="og:image" content="https://qr.example.org/a.png" />')
    expect(body).toContain('<a href="/setup?token=a&amp;b=1&amp;lang=zh" lang="zh-CN" hreflang="zh-CN">中文</a>')
    expect(body).toMatch(/<span lang="en" aria-current="true">English<\/span>/)
    expect(body).not.toContain('<script')
    const plain = await page({ indexed: true }).text()
    expect(plain).not.toMatch(/noindex|og:|hreflang/)
  })

  test('a page can have another status, caching and further headers', () => {
    const response = page({ status: 410, cache: 'no-cache', headers: { etag: '"1"' } })
    expect(response.status).toBe(410)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('etag')).toBe('"1"')
  })

  test('a page contains no script, no inline style, no address of another server and no markup of a user', async () => {
    const pages = [
      page({
        title: EVIL,
        body: card(
          [
            text(EVIL),
            facts([
              [EVIL, EVIL],
              ['link', html`<a href="/x">x</a>`],
            ]),
            notice(EVIL, 'bad'),
            qrPicture(`/api/qrcode/render?content=${encodeURIComponent(EVIL)}`, EVIL),
            form('/setup', [
              hiddenField('token', EVIL),
              field({
                label: EVIL,
                name: 'username',
                value: EVIL,
                hint: EVIL,
                error: EVIL,
                pattern: EVIL,
                required: true,
              }),
              field({ label: 'x', name: 'about', type: 'textarea', value: EVIL }),
              button(EVIL),
              button(EVIL, { href: `/x?${EVIL}`, kind: 'plain' }),
            ]),
          ],
          { title: EVIL },
        ),
      }),
      errorPage(ctx, 400, EVIL, 'en'),
      notFoundPage(ctx, 'zh'),
    ]
    for (const response of pages) {
      const body = await response.text()
      expect(body).not.toMatch(/<script|javascript:| style=| on\w+=|@import|url\(/i)
      expect(body.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\//)
      expect(body).not.toContain(`'x'`)
    }
  })
})

describe('the parts', () => {
  test('a field refers to its label, and to its error instead of its hint', () => {
    const plain = field({
      label: 'Name',
      name: 'n',
      value: 'Mei',
      hint: 'As you like',
      maxLength: 32,
      required: true,
    }).text
    expect(plain).toContain('<label for="f-n">Name</label>')
    expect(plain).toMatch(/id="f-n"[^>]* name="n" required maxlength="32"[^>]* aria-describedby="n-n"/)
    expect(plain).toContain('value="Mei"')
    expect(plain).toContain('<p class="hint" id="n-n">As you like</p>')
    expect(plain).not.toContain('aria-invalid')
    const wrong = field({ label: 'Name', name: 'n', hint: 'As you like', error: 'is required' }).text
    expect(wrong).toContain('aria-invalid="true"')
    expect(wrong).toContain('<p class="hint bad" id="n-n">is required</p>')
    expect(wrong).not.toContain('As you like')
  })

  test('a button links only to safe addresses', () => {
    for (const href of ['/x', 'mailto:mei@example.org', 'tel:+86138'])
      expect(button('Open', { href }).text).toBe(` <a class="button" href="${href}">Open</a>`)
    for (const href of ['https://example.org/?a=1', 'http://example.org'])
      expect(button('Open', { href }).text).toBe(` <a class="button" href="${href}" rel="noreferrer nofollow">Open</a>`)
    for (const href of [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'JavaScript:x',
      'data:text/html,x',
      '//evil.example',
      '/\\evil.example',
      '',
    ])
      expect(button('Open', { href }).text).toBe('')
  })

  test('a password field never contains a value', () => {
    expect(field({ label: 'p', name: 'p', type: 'password', value: 'hunter2' }).text).not.toContain('hunter2')
  })

  test('a text keeps its line breaks, also in a textarea', () => {
    expect(text(' a\n  b').text).toBe('<p class="text"> a\n  b</p>')
    expect(field({ label: 't', name: 't', type: 'textarea', value: 'a\n  b' }).text).toContain('>a\n  b</textarea>')
  })

  test('facts without a value are left out', () => {
    const list = facts([
      ['a', 1],
      ['b', null],
      ['c', ''],
      ['d', 0],
    ]).text
    expect([...list.matchAll(/<dt>(\w)<\/dt>/g)].map((m) => m[1])).toEqual(['a', 'd'])
  })
})

describe('error pages', () => {
  test('an error page has the status and the sentence of the error', async () => {
    const error = errorPage(ctx, 403, 'You may not', 'en')
    expect(error.status).toBe(403)
    expect(await error.text()).toContain('<h1>You may not</h1>')
  })

  test('the 404 page is always the same, in English or Chinese', async () => {
    expect(notFoundPage(ctx, 'en').status).toBe(404)
    expect(await notFoundPage(ctx, 'en').text()).toBe(await notFoundPage(ctx, 'en').text())
    expect(await notFoundPage(ctx, 'en').text()).toContain('Nothing to see here')
    expect(await notFoundPage(ctx, 'zh').text()).toContain('未找到内容')
  })
})
