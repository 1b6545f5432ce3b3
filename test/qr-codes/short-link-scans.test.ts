/** How scans of short links are counted: by people, by robots, and by those who asked not to be counted. */

import { describe, expect, test } from 'bun:test'

import { inProcess, ok, type Person, startServer, type TestServer, until } from '../harness/index.ts'
import { createCode } from './helpers.ts'

const PREVIEWERS = [
  'WhatsApp/2.23.20.0',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Slack-ImgProxy (+https://api.slack.com/robots)',
  'TelegramBot (like TwitterBot)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
  'facebookexternalhit/1.1;line-poker/1.0',
  'Twitterbot/1.0',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko; Microsoft-Teams-Url-Preview/1.0)',
  'Mozilla/5.0 (Linux; Android 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/86 WeChat-Crawler',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
  'Mozilla/5.0 (compatible; Pinterestbot/1.0; +https://www.pinterest.com/bot.html)',
  'Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)',
  'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
  'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
  'Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)',
  'Viber/13.3.0',
  'Synapse (bot; +https://github.com/matrix-org/synapse)',
]

const BROWSERS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; 23127PN0CC Build/UKQ1; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/116.0.0.0 Mobile Safari/537.36 XWEB/1160065 MicroMessenger/8.0.47.2560 WeChat/arm64 Weixin NetType/WIFI Language/zh_CN',
  'Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile HuaweiBrowser/5.1.1.300',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0',
  'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
  'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 350.0.0.20.90 (iPhone14,5; iOS 17_6)',
]

async function withLink(use: (s: TestServer, me: Person, code: { id: number; path: string }) => Promise<void>) {
  const s = await startServer()
  try {
    const me = await s.person()
    const { id, shortUrl } = await createCode(me, {
      content: 'https://example.org/menu',
      isDynamic: true,
      isPublic: true,
    })
    await use(s, me, { id, path: new URL(shortUrl!).pathname })
  } finally {
    await s.stop()
  }
}

/** The test's own client would follow the redirect. */
const open = (s: TestServer, path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(s.url + path, { method, redirect: 'manual', headers })
const [PHONE] = BROWSERS as [string]

/** As soon as everything is written. */
async function statsOf(me: Person, id: number, written: number) {
  await until(async () => ok(await me.call('qrCodes.get', { params: { id } })).data.scanCount === written)
  let stats = ok(await me.call('qrCodes.scanStats', { params: { id } })).data
  await until(async () => {
    const before = stats
    stats = ok(await me.call('qrCodes.scanStats', { params: { id } })).data
    return before.robots === stats.robots && stats.byDevice.reduce((n, { count }) => n + count, 0) <= stats.total
  })
  return stats
}

describe.if(inProcess)('scans of a short link', () => {
  test('by the most frequent previewers are robots, and by real browsers are scans', () =>
    withLink(async (s, me, { id, path }) => {
      for (const agent of PREVIEWERS) expect((await open(s, path, { 'user-agent': agent })).status).toBe(302)
      for (const agent of BROWSERS) expect((await open(s, path, { 'user-agent': agent })).status).toBe(302)
      // Without an agent, and pages that are loaded ahead.
      await open(s, path, { 'user-agent': '' })
      for (const name of ['sec-purpose', 'purpose', 'x-moz'])
        await open(s, path, { 'user-agent': PHONE, [name]: 'prefetch;prerender' })
      await until(async () => (await statsOf(me, id, BROWSERS.length)).robots === PREVIEWERS.length + 4)
      const stats = await statsOf(me, id, BROWSERS.length)
      expect(stats.byDevice.reduce((n, { count }) => n + count, 0)).toBe(BROWSERS.length)
      expect(stats.visitors).toBeGreaterThan(8)
    }))

  test('by a storm of HEAD requests count nothing', () =>
    withLink(async (s, me, { id, path }) => {
      await Promise.all(Array.from({ length: 200 }, () => open(s, path, { 'user-agent': PHONE }, 'HEAD')))
      await open(s, path, { 'user-agent': PHONE })
      await until(async () => (await statsOf(me, id, 1)).visitors === 1)
      expect(await statsOf(me, id, 1)).toMatchObject({ total: 1, robots: 0 })
    }))

  test('by visitors who opted out count once, in no breakdown', () =>
    withLink(async (s, me, { id, path }) => {
      await open(s, path, { 'user-agent': PHONE, dnt: '1' })
      await open(s, path, { 'user-agent': PHONE, 'sec-gpc': '1' })
      await open(s, path, {
        'user-agent': PHONE,
        'accept-language': 'pt-BR',
        referer: 'https://blog.example/post?id=1',
      })
      await until(async () => (await statsOf(me, id, 3)).visitors === 1)
      expect(await statsOf(me, id, 3)).toMatchObject({
        total: 3,
        visitors: 1,
        byDevice: [{ value: 'IOS', count: 1 }],
        byLanguage: [{ value: 'pt', count: 1 }],
        byCountry: [{ value: null, count: 1 }],
        byReferrer: [{ value: 'blog.example', count: 1 }],
        byRule: [{ value: 'default', count: 1 }],
      })
    }))

  test('count nothing where they lead nowhere, nor on the pages beside the link', () =>
    withLink(async (s, me, { id, path }) => {
      const { uuid } = ok(await me.call('qrCodes.get', { params: { id } })).data
      await open(s, `${path}/info`, { 'user-agent': PHONE })
      await open(s, `/public/qr/${uuid}?page`, { 'user-agent': PHONE })
      ok(await me.call('qrCodes.publish', { params: { id }, body: { isPublic: false } }))
      expect((await open(s, path, { 'user-agent': PHONE })).status).toBe(404)
      ok(await me.call('qrCodes.publish', { params: { id }, body: { isPublic: true } }))
      await open(s, `/public/qr/${uuid}`, { 'user-agent': PHONE })
      await until(async () => (await statsOf(me, id, 1)).visitors === 1)
      expect(await statsOf(me, id, 1)).toMatchObject({ total: 1, robots: 0 })
    }))
})
