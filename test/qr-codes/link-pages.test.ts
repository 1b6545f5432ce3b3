/** The pages that a scan of a short link may show: their status, headers and words, and that texts of users never become markup. */

import { describe, expect, test } from 'bun:test'

import type { AppContext } from '#context'
import * as pages from '#domains/qr-codes/links/links.page.ts'

/** Pages ask it for the name of the server only. */
const ctx = {} as AppContext
const EVIL = `"><script>alert('x')</script>&`
const visit = (locale: 'en' | 'zh' = 'en'): pages.Visit => ({ ctx, locale, path: '/q/spring' })
const INFO: pages.LinkInfo = {
  name: 'Spring menu',
  target: { url: 'https://example.com/menu?table=12' },
  createdAt: Date.UTC(2026, 10, 29, 23),
  abuseContact: 'abuse@example.org',
}

type Draw = (visit: pages.Visit) => Response
const ALL: readonly (readonly [name: string, status: number, words: Record<'en' | 'zh', string>, Draw])[] = [
  ['an unknown code', 404, { en: 'Nothing to see here', zh: '未找到内容' }, pages.unknownLinkPage],
  [
    'a blocked code',
    403,
    { en: 'The operator of this service has blocked this code', zh: '本服务的运营者已封禁此二维码' },
    pages.blockedPage,
  ],
  [
    'a code that leads to a blocked host',
    403,
    { en: 'This code leads to a blocked website', zh: '此二维码指向已被封禁的网站' },
    pages.hostBlockedPage,
  ],
  [
    'an expired code',
    410,
    { en: 'This code has expired', zh: '此二维码已过期' },
    (given) => pages.endedPage(given, 'EXPIRED'),
  ],
  [
    'a code that has been used up',
    410,
    { en: 'This code has been used up', zh: '此二维码的使用次数已用完' },
    (given) => pages.endedPage(given, 'EXHAUSTED'),
  ],
  [
    'a code with a password',
    200,
    { en: 'This code asks for a password', zh: '打开此二维码需要密码' },
    (given) => pages.passwordPage(given, { action: '/q/spring?table=12', isWrong: false }),
  ],
  [
    'a wrong password',
    403,
    { en: 'This password is wrong', zh: '密码错误' },
    (given) => pages.passwordPage(given, { action: '/q/spring', isWrong: true }),
  ],
  [
    'too many wrong passwords',
    429,
    { en: 'Try again in 42 minutes.', zh: '请在 42 分钟后重试。' },
    (given) => pages.tooManyTriesPage(given, 'PASSWORDS', 2_461),
  ],
  [
    'too many wrong short links',
    429,
    { en: 'Too many wrong short links', zh: '短链接错误次数过多' },
    (given) => pages.tooManyTriesPage(given, 'SLUGS', 59),
  ],
  [
    'a code with a warning',
    200,
    { en: 'This code leads to <strong>example.com</strong>', zh: '此二维码指向<br /><strong>example.com</strong>' },
    (given) => pages.warningPage(given, 'https://example.com/menu'),
  ],
  ['the facts about a code', 200, { en: 'Spring menu', zh: '2026年11月29日' }, (given) => pages.infoPage(given, INFO)],
]

describe.each(ALL)('the page of %s', (_name, status, words, draw) => {
  for (const locale of ['en', 'zh'] as const)
    test(`has its status, its words and no script: ${locale}`, async () => {
      const page = draw(visit(locale))
      expect(page.status).toBe(status)
      expect(page.headers.get('x-robots-tag')).toBe('noindex')
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('referrer-policy')).toBe('no-referrer')
      expect(page.headers.get('content-security-policy')).not.toContain('script-src')
      const markup = await page.text()
      expect(markup).toContain(words[locale])
      expect(markup).toContain(`lang="${locale === 'zh' ? 'zh-CN' : 'en'}"`)
      expect(markup).not.toMatch(/<script|javascript:|\son\w+=/i)
    })
})

test('the password form sends the password by POST with the query of the scan, and may be redirected to other servers', async () => {
  const page = pages.passwordPage(visit(), { action: `/q/spring?a=${EVIL}`, isWrong: false })
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http: https:;")
  const markup = await page.text()
  expect(markup).toContain('<form method="post" action="/q/spring?a=&quot;&gt;&lt;script&gt;')
  expect(markup).toContain('type="password"')
  expect(markup).not.toContain('<script')
})

test('the page of too many wrong passwords says when the next try is possible, to people and programs', async () => {
  const page = pages.tooManyTriesPage(visit(), 'PASSWORDS', 59)
  expect(page.headers.get('retry-after')).toBe('59')
  expect(await page.text()).toContain('Try again in a minute.')
})

test('the warning shows the host as browsers resolve it and the whole address, and has one link to it', async () => {
  const markup = await pages.warningPage(visit(), `https://exämple.com:8443/ü?q=${EVIL}#end`).text()
  expect(markup).toContain('<strong>xn--exmple-cua.com:8443</strong>')
  const href = 'https://xn--exmple-cua.com:8443/%C3%BC?q=%22%3E%3Cscript%3Ealert(%27x%27)%3C/script%3E&amp;#end'
  expect(markup).toContain(`<p class="text">${href}</p>`)
  expect(markup.split(`href="${href}"`)).toHaveLength(2)
  expect(markup).toContain(`href="${href}" rel="noreferrer nofollow">Continue</a>`)
})

test('the info page shows the host before the address, when the code was made, and whom to write to about abuse', async () => {
  const info = (more: Partial<pages.LinkInfo>) => pages.infoPage(visit(), { ...INFO, ...more }).text()
  expect(await info({})).toContain('<strong>example.com</strong><br />https://example.com/menu?table=12')
  expect(await info({})).toContain('<time datetime="2026-11-29T23:00:00.000Z">November 29, 2026</time>')
  expect(await info({})).toContain('<a href="mailto:abuse@example.org" rel="noreferrer nofollow">abuse@example.org</a>')
  expect(await info({ abuseContact: 'https://example.org/abuse' })).toContain(
    '<a href="https://example.org/abuse" rel=',
  )
  expect(await info({ abuseContact: `javascript:alert(1)@${EVIL}` })).not.toContain('href="javascript')
  expect(await info({ abuseContact: '' })).not.toContain('Report this code')
  expect(await info({ target: 'HIDDEN' })).not.toContain('example.com')
  expect(await info({ target: 'PAGE' })).toContain('A page of this server')
  const named = await info({ name: EVIL, abuseContact: EVIL })
  expect(named).not.toContain('<script>alert')
})
