import { describe, expect, test } from 'bun:test'

import { inProcess, ok, type Person, race, startServer, until, useServer } from '../harness/index.ts'
import { readByZxing } from '../lib/qr-pictures.ts'
import { type Code, createCode } from './helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const json = (uuid: string) => server.request('GET', `/api/qr-codes/public/${uuid}`)
const page = (uuid: string, headers: Record<string, string> = {}) =>
  server.request('GET', `/public/qr/${uuid}`, { headers })
const scansOf = async (user: Person, code: Code): Promise<number> =>
  ok(await user.call('qrCodes.get', { params: { id: code.id } })).data.scanCount
/** Statistics count only the scans that have been written to the database. */
const untilWritten = (user: Person, scans: number) =>
  until(async () => ok(await user.call('qrCodes.stats')).data.scanCount === scans)

describe('public codes', () => {
  test('GET /qr-codes/public/:uuid shows the code without its owner, remark and tags', async () => {
    const code = await createCode(alice, { isPublic: true, remark: 'owner’s remark', tags: ['owner’s tag'] })
    const { data, text } = ok(await json(code.uuid))
    expect(data).toEqual({
      uuid: code.uuid,
      name: code.name,
      content: code.content,
      contentType: 'TEXT',
      style: { fg: '000000', bg: 'ffffff', level: 'M', margin: 4 },
      isDynamic: false,
      scanCount: 1,
      imageUrl: code['imageUrl'],
      publicUrl: code['publicUrl'],
      found: null,
      createdAt: code['createdAt'],
      updatedAt: code['updatedAt'],
    })
    expect(text).not.toContain('owner’s')
    expect(text).not.toContain('userId')
    expect(ok(await page(code.uuid, { accept: 'application/json' })).data).toEqual({ ...data, scanCount: 2 })
    expect(ok(await json(code.uuid.toUpperCase())).data.uuid).toBe(code.uuid)
  })

  test('GET /qr-codes/public/:uuid answers the same 404 to private, deleted and unknown codes', async () => {
    const code = await createCode(alice)
    const answers = async () => {
      const replies = [
        await json(code.uuid),
        await page(code.uuid, { accept: 'application/json' }),
        await page(code.uuid),
      ]
      return replies.map((r) => r.status)
    }
    const is = (status: number) => [status, status, status]
    expect(await answers()).toEqual(is(404))
    ok(await alice.patch(`/api/qr-codes/${code.id}/public`, { isPublic: true }))
    expect(await answers()).toEqual(is(200))
    ok(await alice.patch(`/api/qr-codes/${code.id}/public`, { isPublic: false }))
    expect(await answers()).toEqual(is(404))
    ok(await alice.patch(`/api/qr-codes/${code.id}/public`, { isPublic: true }))
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    expect(await answers()).toEqual(is(404))
    ok(await alice.patch(`/api/qr-codes/trash/restore/${code.id}`))
    expect(await answers()).toEqual(is(200))
    // Private and unknown codes cannot be distinguished.
    const hidden = await json((await createCode(alice)).uuid)
    for (const uuid of [crypto.randomUUID(), 'abc', String(code.id), '%27%20or%201=1', 'x'.repeat(300)]) {
      const unknown = await json(uuid)
      expect([400, 404], uuid).toContain(unknown.status)
      if (unknown.status === 404) expect(unknown.message).toBe(hidden.message)
    }
  })
})

describe('scan counts', () => {
  test('the scan count of a code includes every one of many concurrent views at once, before and after they are written', async () => {
    const user = await server.person()
    const code = await createCode(user, { isPublic: true })
    await race(50, (i) => (i % 2 ? json(code.uuid) : page(code.uuid)))
    expect(await scansOf(user, code)).toBe(50)
    expect(ok(await user.get('/api/qr-codes', { keyword: code.name })).data.items[0].scanCount).toBe(50)
    await untilWritten(user, 50)
    expect(await scansOf(user, code)).toBe(50)
    await race(50, () => json(code.uuid))
    expect(await scansOf(user, code)).toBe(100)
    await untilWritten(user, 100)
    expect(await scansOf(user, code)).toBe(100)
  })

  test('the scan count of a code does not change the version and updatedAt of the code', async () => {
    const user = await server.person()
    const code = await createCode(user, { isPublic: true })
    await json(code.uuid)
    await untilWritten(user, 1)
    expect(ok(await user.get(`/api/qr-codes/${code.id}`)).data).toEqual({ ...code, scanCount: 1 })
  })

  test('the scan count of a code does not include views of a private code', async () => {
    const code = await createCode(alice)
    await json(code.uuid)
    await page(code.uuid)
    expect(await scansOf(alice, code)).toBe(0)
  })

  // On PostgreSQL a second server would get a database of its own.
  test.if(inProcess && !process.env['TEST_DATABASE_URL'])(
    'the scan count of a code loses no view when the server stops',
    async () => {
      const { mkdtempSync, rmSync } = await import('node:fs')
      const { tmpdir } = await import('node:os')
      const dataDir = mkdtempSync(`${tmpdir()}/tessera-scans-`)
      try {
        const before = await startServer({ dataDir })
        const bob = await before.person()
        const code = await createCode(bob, { isPublic: true })
        await race(7, () => before.request('GET', `/api/qr-codes/public/${code.uuid}`))
        await before.stop()
        const after = await startServer({ dataDir })
        try {
          expect(ok(await after.request('GET', `/api/qr-codes/public/${code.uuid}`)).data.scanCount).toBe(8)
        } finally {
          await after.stop()
        }
      } finally {
        rmSync(dataDir, { recursive: true, force: true })
      }
    },
  )
})

describe('share pages', () => {
  const policyOf = (headers: Headers) =>
    new Map(
      headers
        .get('content-security-policy')!
        .split(';')
        .map((part) => {
          const [name, ...sources] = part.trim().split(' ')
          return [name!, sources.join(' ')]
        }),
    )

  test('the share page is HTML without scripts that loads nothing from other servers', async () => {
    const code = await createCode(alice, { isPublic: true, content: 'https://example.com/menu' })
    const reply = ok(await page(code.uuid))
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = policyOf(reply.headers)
    expect(policy.get('default-src')).toBe("'none'")
    expect(policy.get('img-src')).toBe("'self'")
    expect(policy.has('script-src')).toBe(false)
    expect(policy.get('style-src')).not.toContain('unsafe')
    expect(reply.text).not.toMatch(/<script|<iframe|javascript:|\son\w+=/i)
    expect(reply.text).toContain('<meta name="viewport"')
    expect(reply.text).toContain('prefers-color-scheme:dark')
    for (const [, src] of reply.text.matchAll(/(?:src|srcset)="([^"]*)"/g)) expect(src).toStartWith('/')
  })

  test('the share page shows the name and a picture that scans to the content', async () => {
    const code = await createCode(alice, {
      isPublic: true,
      name: '菜单 <Menu> & "more"',
      content: 'https://example.com/菜单?a=1&b="2"',
    })
    const { text } = ok(await page(code.uuid))
    expect(text).toContain('菜单 &lt;Menu&gt; &amp; &quot;more&quot;')
    const src = /<img[^>]* src="([^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&')
    const picture = ok(await server.request('GET', src))
    expect(await readByZxing(picture.bytes)).toMatchObject({ text: code.content })
  })

  test('the share page is in the language of the visitor', async () => {
    const code = await createCode(alice, { isPublic: true, content: 'https://example.com/' })
    const en = ok(await page(code.uuid))
    const zh = ok(await page(code.uuid, { 'accept-language': 'zh-CN,zh;q=0.9' }))
    expect(en.text).toContain('<html lang="en"')
    expect(en.text).toContain('Open link')
    expect(zh.text).toContain('<html lang="zh-CN"')
    expect(zh.text).toContain('打开链接')
    expect(zh.text).not.toContain('Open link')
  })

  const hrefsOf = async (content: string, contentType: Code['contentType'] = 'URL') => {
    const code = await createCode(alice, { isPublic: true, content, contentType })
    const { text } = ok(await page(code.uuid))
    const hrefs = [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))
    // Links to the front page, the other language and the files of the code.
    return hrefs.filter((href) => href !== '/' && !href.startsWith(`/public/qr/${code.uuid}`))
  }

  for (const [content, hrefs] of [
    ['https://example.com/a?b=c', ['https://example.com/a?b=c']],
    ['http://example.com', ['http://example.com/']],
    ['  HTTPS://EXAMPLE.com/Ä ', ['https://example.com/%C3%84']],
    ['tel:+86 138-0013-8000', ['tel:+86 138-0013-8000']],
    ['mailto:a@example.com?subject=x', ['mailto:a@example.com?subject=x']],
  ] as const)
    test(`the share page has a button for the content ${JSON.stringify(content)}`, async () =>
      expect(await hrefsOf(content)).toEqual([...hrefs]))

  for (const content of [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'intent://scan/#Intent;end',
    'see https://example.com',
    'https://',
    'tel:1;javascript:alert(1)',
    '"><a href="https://evil.example/">x</a>',
    '<a href=https://evil.example/>x</a>',
  ])
    test(`the share page has no link for the content ${JSON.stringify(content)}, even if its type is URL`, async () => {
      expect(await hrefsOf(content)).toEqual([])
      const code = await createCode(alice, { isPublic: true, name: content.replace(/\t/g, ' '), content })
      expect(ok(await page(code.uuid)).text).not.toMatch(/<script|<a href=https?:/i)
    })

  const WIFI = 'WIFI:S:office \\"1\\";T:WPA;P:Tr1ck<y>;H:true;;'
  const VCARD = 'BEGIN:VCARD\nVERSION:3.0\nFN:Ada <b>\nTEL:+44 20 1\nURL:javascript:alert(1)\nEND:VCARD'
  const EVENT = 'BEGIN:VEVENT\nSUMMARY:Tea\nDTSTART:20261128T140000Z\nDTEND:20261128T150000Z\nLOCATION:Hall\nEND:VEVENT'

  for (const [content, shown, hrefs] of [
    [WIFI, ['>office &quot;1&quot;</code>', '>Tr1ck&lt;y&gt;</code>', 'WPA', 'enter its name by hand'], []],
    [VCARD, ['Ada &lt;b&gt;', '+44 20 1', 'javascript:alert(1)', 'Save contact'], ['tel:+44201']],
    [
      EVENT,
      ['Saturday, November 28, 2026', '3:00', '(UTC)', 'Add to calendar'],
      ['https://www.openstreetmap.org/search?query=Hall'],
    ],
    [
      'geo:30.25,120.15?q=West Lake',
      ['West Lake'],
      [
        'geo:30.25,120.15?q=30.25,120.15(West%20Lake)',
        'https://www.openstreetmap.org/?mlat=30.25&mlon=120.15#map=17/30.25/120.15',
      ],
    ],
    ['smsto:10086:Hello & bye', ['Hello &amp; bye'], ['sms:10086?body=Hello%20%26%20bye', 'tel:10086']],
    ['MATMSG:TO:mei@example.org;SUB:Hi;;', ['mei@example.org'], ['mailto:mei@example.org?subject=Hi']],
    [
      'https://example.com/deep/page',
      ['<p class="lead host">example.com</p>', 'https://example.com/deep/page'],
      ['https://example.com/deep/page'],
    ],
  ] as const)
    test(`the share page shows the content ${JSON.stringify(content.slice(0, 40))} in readable parts with its links`, async () => {
      const code = await createCode(alice, { isPublic: true, content })
      const { text } = ok(await page(code.uuid))
      for (const part of shown) expect(text).toContain(part)
      expect(await hrefsOf(content)).toEqual([...hrefs])
      expect(text).not.toMatch(/<b>|<y>|BEGIN:|;;</)
    })

  test('the preview of a share page has the name and a picture that scans, and neither the content nor the password', async () => {
    const code = await createCode(alice, {
      isPublic: true,
      name: 'Guest "Wi-Fi"',
      content: WIFI,
      style: { fg: '0b6b57', margin: 2 },
    })
    const { text } = ok(await page(code.uuid))
    const head = text.slice(0, text.indexOf('<style'))
    expect(head).toContain('<meta property="og:title" content="Guest &quot;Wi-Fi&quot;" />')
    expect(head).toContain('<meta property="og:description" content="Wi-Fi access" />')
    expect(head).not.toMatch(/Tr1ck|office/)
    const image = /property="og:image" content="([^"]+)"/.exec(head)![1]!
    expect(image).toStartWith(new URL(code['publicUrl'] as string).origin)
    const picture = ok(await server.request('GET', new URL(image).pathname))
    expect(picture.headers.get('content-type')).toBe('image/png')
    expect(await readByZxing(picture.bytes)).toMatchObject({ text: code.content })
  })

  const file = (uuid: string, name: string, headers: Record<string, string> = {}) =>
    server.request('GET', `/public/qr/${uuid}/${name}`, { headers })

  test('the files of a public code are its picture, its contact and its event, and they do not count as scans', async () => {
    const contact = await createCode(alice, { isPublic: true, name: 'Ada: 数学', content: VCARD })
    const card = ok(await file(contact.uuid, 'contact.vcf'))
    expect(card.headers.get('content-type')).toBe('text/vcard; charset=utf-8')
    expect(card.headers.get('content-disposition')).toStartWith('attachment; filename="Ada')
    expect(card.text).toBe(`${VCARD.replaceAll('\n', '\r\n')}\r\n`)
    const svg = ok(await file(contact.uuid.toUpperCase(), 'code.svg'))
    expect(svg.headers.get('content-type')).toBe('image/svg+xml')
    expect(svg.headers.get('content-security-policy')).toBe("default-src 'none'")
    const etag = svg.headers.get('etag')!
    expect((await file(contact.uuid, 'code.svg', { 'if-none-match': etag })).status).toBe(304)
    const event = await createCode(alice, { isPublic: true, content: EVENT })
    const calendar = ok(await file(event.uuid, 'event.ics'))
    expect(calendar.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(calendar.text).toContain(`UID:${event.uuid}@tessera\r\n`)
    expect(await scansOf(alice, contact)).toBe(0)

    for (const [uuid, name] of [
      [contact.uuid, 'event.ics'],
      [event.uuid, 'contact.vcf'],
      [event.uuid, 'code.gif'],
      [crypto.randomUUID(), 'code.png'],
      ['x', 'code.png'],
    ] as const)
      expect((await file(uuid, name)).status, `${uuid} ${name}`).toBe(404)
    ok(await alice.patch(`/api/qr-codes/${event.id}/public`, { isPublic: false }))
    for (const name of ['code.png', 'code.svg', 'event.ics']) expect((await file(event.uuid, name)).status).toBe(404)
  })

  test('the share page of an unknown code is a 404 page in the language of the visitor, or JSON if the client asks for it', async () => {
    const uuid = crypto.randomUUID()
    const en = await page(uuid)
    expect(en.status).toBe(404)
    expect(en.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(policyOf(en.headers).get('default-src')).toBe("'none'")
    expect((await page(uuid, { 'accept-language': 'zh' })).text).toContain('<html lang="zh-CN"')
    const asJson = await page(uuid, { accept: 'application/json' })
    expect(asJson).toMatchObject({ status: 404, code: 404 })
  })
})

describe('landing pages', () => {
  for (const type of ['activity', 'check-in', 'pass', 'asset', 'film', '..%2f..'])
    test(`GET /s/${type}/:id answers 404, as a page or as JSON`, async () => {
      const html = await server.request('GET', `/s/${type}/${crypto.randomUUID()}`)
      expect(html.status).toBe(404)
      expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
      const asJson = await server.request('GET', `/s/${type}/1`, { headers: { accept: 'application/json' } })
      expect(asJson).toMatchObject({ status: 404, code: 404 })
    })

  test.if(inProcess)(
    'links in upper case, which QR codes of passes hold, lead to the same pages, also below the path of the public URL',
    async () => {
      await using below = await startServer({ config: { publicUrl: 'https://example.org/codes' }, noAdmin: true })
      const owner = await below.person()
      const body = { name: 'Lamp', publicFields: ['name' as const] }
      const { uuid, publicUrl } = ok(await owner.call('assets.create', { body })).data
      expect(publicUrl).toBe(`https://example.org/codes/s/asset/${uuid}`)
      const inUpperCase = `/S/ASSET/${uuid}`.toUpperCase()
      for (const path of [`/s/asset/${uuid}`, inUpperCase, `/CODES${inUpperCase}`]) {
        const page = await below.request('GET', path)
        expect(page.status).toBe(200)
        expect(page.text).toContain('<h1>Lamp</h1>')
      }
      for (const path of [`/CODES/s/asset/${uuid}`, '/CODES/HEALTH', `/OTHER${inUpperCase}`])
        expect((await below.request('GET', path)).status).toBe(404)
    },
  )
})
