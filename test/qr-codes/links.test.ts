/** Short links lead straight to the target of their code. */

import { describe, expect, test } from 'bun:test'

import { MAX_TARGET_BYTES } from '#lib/link-target.ts'

import { ok, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCode } from './helpers.ts'
import { ANDROID, changeLink, createLink, pathOf, scan, setLink } from './link-helpers.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

const scansOf = async (id: number): Promise<number> => ok(await alice.get(`/api/qr-codes/${id}`)).data.scanCount

describe('a scan', () => {
  const long = 'https://example.com/'.padEnd(MAX_TARGET_BYTES, 'x')
  const targets: [content: string, location: string][] = [
    ['https://example.com', 'https://example.com/'],
    ['https://müller.example/straße?ü=ß#ö', 'https://xn--mller-kva.example/stra%C3%9Fe?%C3%BC=%C3%9F#%C3%B6'],
    ['https://example.com/%0d%0aSet-Cookie:%20a=b', 'https://example.com/%0d%0aSet-Cookie:%20a=b'],
    ['https://example.com//evil.example', 'https://example.com//evil.example'],
    ['https://example.com\\@evil.example', 'https://example.com/@evil.example'],
    ['https://example.com/@name?to=a@b', 'https://example.com/@name?to=a@b'],
    ['  HTTP://EXAMPLE.com/A ', 'http://example.com/A'],
    [long, long],
  ]
  for (const [content, location] of targets)
    test(`of a code for ${JSON.stringify(content).slice(0, 60)} is answered with 302 and that address`, async () => {
      const code = await createLink(alice, content)
      for (const path of [pathOf(code), `/Q/${code.slug!.toUpperCase()}`, `/public/qr/${code.uuid}`]) {
        const { status, headers, text } = await scan(server, path)
        expect(status).toBe(302)
        expect(headers.get('location')).toBe(location)
        expect(headers.get('cache-control')).toBe('no-store')
        expect(headers.get('referrer-policy')).toBe('no-referrer')
        expect(headers.get('x-robots-tag')).toBe('noindex')
        expect(headers.get('set-cookie')).toBeNull()
        expect(text.match(/<a /g)).toHaveLength(1)
      }
      expect(await scansOf(code.id)).toBe(3)
    })

  test.each([
    'WIFI:S:guests;T:WPA;P:tulips;;',
    'just text',
    'tel:+4930123456',
    'mailto:a@example.com',
    'javascript:alert(1)',
    'JavaScript://example.com/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'intent://example.com#Intent;scheme=https;end',
    '//evil.example',
    'https:/evil.example',
    'https:///evil.example',
    'https:\\\\evil.example',
  ])('of a code for %j shows the share page', async (content) => {
    const code = await createLink(alice, content)
    for (const path of [pathOf(code), `/public/qr/${code.uuid}`]) {
      const { status, headers, text } = await scan(server, path)
      expect([status, headers.get('location')]).toEqual([200, null])
      expect(text).toContain(code.name)
    }
    expect(await scansOf(code.id)).toBe(2)
  })

  test('of a code that opens its page shows that', async () => {
    const code = await createLink(alice, 'https://example.com', { opens: 'PAGE' })
    for (const path of [pathOf(code), `/public/qr/${code.uuid}`])
      expect((await scan(server, path)).text).toContain('https://example.com')
    expect(await scansOf(code.id)).toBe(2)
  })

  test('of the public link with ?page shows the share page, and is not counted', async () => {
    const code = await createLink(alice)
    expect((await scan(server, `/public/qr/${code.uuid}`, { query: '?page' })).status).toBe(200)
    expect((await scan(server, `/public/qr/${code.uuid}`, { query: '?page&lang=zh' })).text).toContain('lang="zh-CN"')
    expect(await scansOf(code.id)).toBe(0)
  })

  test('of an unknown, private or deleted code, or of a wrong slug, is answered with 404', async () => {
    const hidden = await createCode(alice, { content: 'https://example.com', isDynamic: true, isPublic: false })
    const deleted = await createLink(alice)
    ok(await alice.send('DELETE', `/api/qr-codes/${deleted.id}`))
    for (const path of [
      pathOf(hidden),
      pathOf(deleted),
      '/q/unknown',
      '/q/%00',
      '/q/a%2fb',
      `/q/${'x'.repeat(3000)}`,
    ]) {
      const { status, headers } = await scan(server, path)
      expect([path.slice(0, 20), status]).toEqual([path.slice(0, 20), 404])
      expect(headers.get('x-robots-tag')).toBe('noindex')
    }
    ok(await alice.send('PATCH', `/api/qr-codes/trash/restore/${deleted.id}`))
    expect((await scan(server, pathOf(deleted))).status).toBe(302)
  })

  test('of an earlier slug leads on, also after the code is no longer dynamic', async () => {
    const code = await createLink(alice)
    ok(await alice.put(`/api/qr-codes/${code.id}`, { slug: `spring-${code.id}` }))
    ok(await alice.put(`/api/qr-codes/${code.id}`, { isDynamic: false }))
    for (const slug of [code.slug!, `spring-${code.id}`, `SPRING-${code.id}`])
      expect((await scan(server, `/q/${slug}`)).headers.get('location')).toBe('https://example.com/menu')
    const link = ok(await alice.get(`/api/qr-codes/${code.id}/link`)).data
    expect(link).toMatchObject({ slug: `spring-${code.id}`, aliases: [code.slug], target: 'https://example.com/menu' })
  })

  test('by HEAD or by a robot is led like others and not counted', async () => {
    const code = await createLink(alice)
    expect((await scan(server, pathOf(code), { method: 'HEAD' })).status).toBe(302)
    const robots: Record<string, string>[] = [
      { 'user-agent': 'WhatsApp/2.23' },
      { 'user-agent': '' },
      { 'sec-purpose': 'prefetch' },
    ]
    for (const headers of robots)
      expect((await scan(server, pathOf(code), { headers })).headers.get('location')).toBe('https://example.com/menu')
    expect(await scansOf(code.id)).toBe(0)
  })
})

describe('a target', () => {
  test.each([
    'https://user@example.com',
    'https://user:secret@example.com/',
    'https://example.com/\u202egnp',
    `https://example.com/${'x'.repeat(MAX_TARGET_BYTES - 19)}`,
  ])('that begins %s is refused as content of a dynamic code', async (content) => {
    const body = { name: 'x', content, isDynamic: true }
    const { status, details } = await alice.post('/api/qr-codes', body)
    expect([status, details[0]?.path]).toEqual([400, 'body.content'])
  })

  test('in a rule or as fallback must be a web address', async () => {
    const code = await createLink(alice)
    for (const target of [
      'javascript:alert(1)',
      '//evil.example',
      'mailto:a@example.com',
      'https://a@b.example',
      '/q/x',
    ]) {
      const rules = await setLink(alice, code, { rules: [{ target, devices: ['IOS'] }] })
      expect([rules.status, rules.details[0]?.path]).toEqual([400, 'body.rules.0.target'])
      const fallback = await setLink(alice, code, { fallbackUrl: target })
      expect([fallback.status, fallback.details[0]?.path]).toEqual([400, 'body.fallbackUrl'])
    }
  })

  test('that is a short link of this server is refused, so that no loop comes about', async () => {
    const a = await createLink(alice, 'https://example.com/a')
    const b = await createLink(alice, 'https://example.com/b')
    // The router answers it, too.
    const doubled = a.shortUrl!.replace('/q/', '//q/')
    for (const content of [a.shortUrl!, a.shortUrl!.toUpperCase(), a.publicUrl, `${a.shortUrl!}?x=1`, doubled]) {
      expect((await alice.put(`/api/qr-codes/${b.id}`, { content })).status).toBe(400)
      expect((await setLink(alice, b, { rules: [{ target: content, devices: ['IOS'] }] })).status).toBe(400)
      expect((await setLink(alice, b, { fallbackUrl: content })).status).toBe(400)
    }
    expect((await alice.put(`/api/qr-codes/${b.id}`, { content: `${a.publicUrl}?page` })).status).toBe(200)
  })

  test('keeps its own parameters and gets those of the scan if forwardQuery is on', async () => {
    const code = await createLink(alice, 'https://example.com/?a=1#part')
    const query = '?a=2&b=%C3%BC&c=x%0d%0ay'
    expect((await scan(server, pathOf(code), { query })).headers.get('location')).toBe('https://example.com/?a=1#part')
    await changeLink(alice, code, { forwardQuery: true })
    expect((await scan(server, pathOf(code), { query })).headers.get('location')).toBe(
      'https://example.com/?a=1&b=%C3%BC&c=x%0D%0Ay#part',
    )
  })
})

describe('rules', () => {
  test('lead by device and language, the first that holds first', async () => {
    const code = await createLink(alice)
    const rules = [
      { target: 'https://example.com/ios-zh', devices: ['IOS'], languages: ['zh'] },
      { target: 'https://example.com/mobile', devices: ['MOBILE'] },
      { target: 'https://example.com/zh', languages: ['zh'] },
    ]
    await changeLink(alice, code, { rules })
    const led = async (headers: Record<string, string>) =>
      (await scan(server, pathOf(code), { headers })).headers.get('location')!.slice('https://example.com/'.length)
    expect(await led({ 'accept-language': 'zh-CN' })).toBe('ios-zh')
    expect(await led({ 'accept-language': 'de, zh;q=0.3' })).toBe('mobile')
    expect(await led({ 'user-agent': ANDROID, 'accept-language': 'zh' })).toBe('mobile')
    const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.4 Safari/605.1.15'
    expect(await led({ 'user-agent': mac, 'accept-language': 'zh' })).toBe('zh')
    expect(await led({ 'user-agent': mac, 'accept-language': 'de, zh;q=0.3' })).toBe('menu')
  })

  test('hold by the clocks of their time zone', async () => {
    const code = await createLink(alice)
    const now = Math.ceil(server.clock.now() / 1000) * 1000
    const shanghai = (at: number) => new Date(at + 8 * 3_600_000)
    const hour = (at: number) => shanghai(at).toISOString().slice(11, 16)
    const rule = {
      target: 'https://example.com/now',
      timeZone: 'Asia/Shanghai',
      hours: { from: hour(now - 3_600_000), to: hour(now + 3_600_000) },
    }
    await changeLink(alice, code, { rules: [rule] })
    expect((await scan(server, pathOf(code))).headers.get('location')).toBe('https://example.com/now')
    const tried = await alice.post(`/api/qr-codes/${code.id}/link/try`, { at: now + 2 * 3_600_000 })
    expect(ok(tried).data).toEqual({ result: 'TARGET', target: 'https://example.com/menu', ruleIndex: null })
  })

  test.each([
    [{}, 'body.rules.0'],
    [{ timeZone: 'Europe/Berlin' }, 'body.rules.0'],
    [{ weekdays: [1] }, 'body.rules.0.timeZone'],
    [{ weekdays: [1], timeZone: '+08:00' }, 'body.rules.0.timeZone'],
    [{ weekdays: [1], timeZone: 'Europe/Nowhere' }, 'body.rules.0.timeZone'],
    [{ weekdays: [0], timeZone: 'Europe/Berlin' }, 'body.rules.0.weekdays.0'],
    [{ hours: { from: '24:00', to: '01:00' }, timeZone: 'Europe/Berlin' }, 'body.rules.0.hours.from'],
    [{ from: 2_000_000_000_000, to: 2_000_000_000_000 }, 'body.rules.0.to'],
    [{ devices: ['FRIDGE'] }, 'body.rules.0.devices.0'],
    [{ languages: ['z_h'] }, 'body.rules.0.languages.0'],
    [{ countries: ['DE'] }, 'body.rules.0.countries'],
    [{ firstScans: 0 }, 'body.rules.0.firstScans'],
  ])('with %j are refused at %s, and change nothing', async (conditions, path) => {
    const code = await createLink(alice)
    const { status, details } = await setLink(alice, code, {
      rules: [{ target: 'https://example.com/x', ...conditions }],
    })
    expect([status, details[0]?.path]).toEqual([400, path])
    expect(ok(await alice.get(`/api/qr-codes/${code.id}/link`)).data).toMatchObject({
      rules: [],
      version: code.version,
    })
  })

  test('are at most 20', async () => {
    const code = await createLink(alice)
    const rules = Array.from({ length: 21 }, () => ({ target: 'https://example.com/x', devices: ['IOS'] }))
    expect((await setLink(alice, code, { rules })).status).toBe(400)
    expect((await changeLink(alice, code, { rules: rules.slice(1) })).rules).toHaveLength(20)
  })
})

describe('a link', () => {
  test('has all of its fields, and a version that rises only with a change', async () => {
    const code = await createLink(alice)
    const link = ok(await alice.get(`/api/qr-codes/${code.id}/link`)).data
    expect(link).toEqual({
      slug: code.slug,
      shortUrl: code.shortUrl,
      aliases: [],
      opens: 'TARGET',
      target: 'https://example.com/menu',
      forwardQuery: false,
      warn: false,
      warnsAlways: false,
      rules: [],
      fallbackUrl: null,
      expiresAt: null,
      maxScans: null,
      scansLeft: null,
      hasPassword: false,
      earlierScans: 0,
      version: code.version,
    })
    const rule = { target: 'https://example.com/ios', devices: ['IOS'] }
    const changed = await changeLink(alice, code, { rules: [rule], maxScans: 5, warn: true })
    expect(changed).toMatchObject({ warn: true, maxScans: 5, scansLeft: 5, version: code.version + 1 })
    expect(changed.rules[0]).toMatchObject({ ...rule, from: null, hours: null, firstScans: null })
    const again = await changeLink(alice, code, { rules: changed.rules, maxScans: 5, warn: true })
    expect(again.version).toBe(code.version + 1)
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data.version).toBe(code.version + 1)
    expect(await changeLink(alice, code, { rules: null, maxScans: null, warn: null })).toEqual({
      ...link,
      version: code.version + 2,
    })
  })

  test('is changed only at the version that If-Match names', async () => {
    const code = await createLink(alice)
    const headers = { 'if-match': `"${code.version + 1}"` }
    const refused = await alice.send('PUT', `/api/qr-codes/${code.id}/link`, { body: { warn: true }, headers })
    expect([refused.status, refused.data.warn]).toEqual([412, false])
  })

  test('of a code without a slug is 404, until a change gives it one', async () => {
    const code = await createCode(alice, { content: 'https://example.com/plain', isPublic: true })
    expect((await alice.get(`/api/qr-codes/${code.id}/link`)).status).toBe(404)
    expect((await alice.post(`/api/qr-codes/${code.id}/link/try`, {})).status).toBe(404)
    const link = await changeLink(alice, code, { slug: `plain-${code.id}` })
    expect(link).toMatchObject({ slug: `plain-${code.id}`, opens: 'TARGET' })
    expect((await scan(server, pathOf(link))).headers.get('location')).toBe('https://example.com/plain')
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data.pictureContent).toBe('https://example.com/plain')
  })

  test('is shown and changed by nobody else', async () => {
    const code = await createLink(alice)
    expect((await mallory.get(`/api/qr-codes/${code.id}/link`)).status).toBe(404)
    expect((await setLink(mallory, code, { warn: true })).status).toBe(404)
    expect((await mallory.post(`/api/qr-codes/${code.id}/link/try`, {})).status).toBe(404)
    expect((await server.request('GET', `/api/qr-codes/${code.id}/link`)).status).toBe(401)
  })

  test('of an organization needs the permissions of its members there', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, mallory)
    const code = await createLink(alice, 'https://example.com/org', { orgId: org.id })
    expect((await changeLink(alice, code, { warn: true })).warn).toBe(true)
    expect((await mallory.get(`/api/qr-codes/${code.id}/link`)).status).toBe(200)
    expect((await setLink(mallory, code, { warn: false })).status).toBe(403)
  })
})

describe('the information about a link', () => {
  const json = { accept: 'application/json' }
  test('names where it leads, and counts nothing', async () => {
    const code = await createLink(alice, 'https://example.com:8443/menu')
    const { data } = ok(await scan(server, `${pathOf(code)}/info`, { headers: json }))
    expect(data).toEqual({ slug: code.slug, name: code.name, opens: 'TARGET', host: 'example.com:8443', blank: false })
    expect((await scan(server, `${pathOf(code)}/info`)).text).toContain('example.com:8443')
    expect(await scansOf(code.id)).toBe(0)
    const text = await createLink(alice, 'just text')
    expect(ok(await scan(server, `${pathOf(text)}/info`, { headers: json })).data.host).toBeNull()
  })

  test('is 404 for unknown and private codes', async () => {
    const hidden = await createCode(alice, { content: 'https://example.com', isDynamic: true, isPublic: false })
    for (const path of [`${pathOf(hidden)}/info`, '/q/unknown/info']) {
      expect((await scan(server, path)).status).toBe(404)
      expect((await scan(server, path, { headers: json })).status).toBe(404)
    }
  })
})

test('the warning page names the host, links to the target once and is counted', async () => {
  const code = await createLink(alice, 'https://example.com/<menu>?a="b"')
  await changeLink(alice, code, { warn: true })
  const { status, text, headers } = await scan(server, pathOf(code))
  expect([status, headers.get('location')]).toEqual([200, null])
  expect(text).toContain('<strong>example.com</strong>')
  expect(text.match(/href="https:\/\/example\.com\/%3Cmenu%3E\?a=%22b%22"/g)).toHaveLength(1)
  expect(await scansOf(code.id)).toBe(1)
})
