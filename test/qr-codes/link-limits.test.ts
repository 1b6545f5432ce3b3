/** Links that end, that a number of scans uses up, or that ask for a password, and codes whose targets the server does not show at once. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { identities, users } from '#db/schema/accounts.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import { setSetting, type Settings } from '#domains/settings/index.ts'

import { inProcess, ok, race, type TestServer, useServer } from '../harness/index.ts'
import { changeLink, createLink, pathOf, scan, setLink } from './link-helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })
const HOUR = 3_600_000
const json = { accept: 'application/json' }

const set = <K extends keyof Settings & string>(on: TestServer, key: K, value: Settings[K]) =>
  on.ctx.db.write('test.setting', (tx) => setSetting(tx, key, value as never))

describe.if(inProcess)('a link that expires', () => {
  test('leads until then, and shows that it is over or its fallback afterwards', async () => {
    const code = await createLink(alice)
    const expiresAt = server.clock.now() + HOUR
    await changeLink(alice, code, { expiresAt })
    expect((await scan(server, pathOf(code))).status).toBe(302)
    server.clock.advance(HOUR)
    const over = await scan(server, pathOf(code))
    expect([over.status, over.headers.get('location')]).toEqual([410, null])
    // The time is in the past, but it is not new.
    await changeLink(alice, code, { expiresAt, fallbackUrl: 'https://example.com/over' })
    expect((await scan(server, pathOf(code))).headers.get('location')).toBe('https://example.com/over')
    expect(ok(await alice.post(`/api/qr-codes/${code.id}/link/try`, {})).data).toEqual({
      result: 'FALLBACK',
      target: 'https://example.com/over',
      ruleIndex: null,
    })
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data.scanCount).toBe(2)
  })

  test('cannot end in the past', async () => {
    const code = await createLink(alice)
    const { status, details } = await setLink(alice, code, { expiresAt: server.clock.now() - 1 })
    expect([status, details[0]?.path]).toEqual([400, 'body.expiresAt'])
  })
})

describe('a link with maxScans', () => {
  test('gives its target to exactly so many of 200 scans at once', async () => {
    const code = await createLink(alice)
    await changeLink(alice, code, { maxScans: 100 })
    const replies = await race(200, () => scan(server, pathOf(code)))
    expect(replies.filter(({ status }) => status === 302)).toHaveLength(100)
    expect(replies.filter(({ status }) => status === 410)).toHaveLength(100)
    expect(ok(await alice.get(`/api/qr-codes/${code.id}/link`)).data).toMatchObject({ maxScans: 100, scansLeft: 0 })
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data.scanCount).toBe(100)
  })

  test('counts from when it was set, and goes on counting when it is sent again', async () => {
    const code = await createLink(alice)
    await scan(server, pathOf(code))
    await changeLink(alice, code, { maxScans: 2 })
    await scan(server, pathOf(code))
    expect((await changeLink(alice, code, { maxScans: 2, warn: false })).scansLeft).toBe(1)
    expect((await scan(server, pathOf(code))).status).toBe(302)
    expect((await scan(server, pathOf(code))).status).toBe(410)
    expect((await changeLink(alice, code, { maxScans: 3 })).scansLeft).toBe(3)
    expect((await scan(server, pathOf(code))).status).toBe(302)
  })

  test('shows robots its information, which names no host and takes no scan', async () => {
    const code = await createLink(alice)
    await changeLink(alice, code, { maxScans: 1 })
    for (const options of [{ method: 'HEAD' }, { headers: { 'user-agent': 'Slackbot 1.0' } }]) {
      const { status, text } = await scan(server, pathOf(code), options)
      expect(status).toBe(200)
      expect(text).not.toContain('example.com')
    }
    expect((await scan(server, pathOf(code))).status).toBe(302)
  })
})

test('a rule with firstScans leads exactly so many of 60 scans at once, also after it has moved', async () => {
  const code = await createLink(alice)
  const first = { target: 'https://example.com/first', firstScans: 25 }
  await changeLink(alice, code, { rules: [first] })
  const led = async (count: number) =>
    (await race(count, () => scan(server, pathOf(code)))).filter(
      ({ headers }) => headers.get('location') === first.target,
    ).length
  await scan(server, pathOf(code), { headers: { 'user-agent': 'facebookexternalhit/1.1' } })
  expect(await led(10)).toBe(10)
  await changeLink(alice, code, { rules: [{ target: 'https://example.com/x', devices: ['ANDROID'] }, first] })
  expect(await led(60)).toBe(15)
})

describe('a password', () => {
  test('is asked for in each scan, and nothing else shows the content', async () => {
    const code = await createLink(alice, 'BEGIN:VCARD\nVERSION:3.0\nFN:Ann Tulip\nEND:VCARD')
    const link = await changeLink(alice, code, { password: 'tulip' })
    expect(link.hasPassword).toBe(true)
    expect(link).not.toHaveProperty('password')
    for (const path of [pathOf(code), `/public/qr/${code.uuid}`, `/public/qr/${code.uuid}?page`]) {
      const { status, text } = await scan(server, path)
      expect(status).toBe(200)
      expect(text).toContain('type="password"')
      expect(text).toContain(`action="${pathOf(code)}`)
      expect(text).not.toContain('Tulip')
    }
    expect((await server.request('GET', `/api/qr-codes/public/${code.uuid}`)).status).toBe(404)
    expect((await scan(server, `/public/qr/${code.uuid}`, { headers: json })).status).toBe(404)
    expect((await scan(server, `/public/qr/${code.uuid}/contact.vcf`)).status).toBe(404)
    expect((await scan(server, `/public/qr/${code.uuid}/code.png`)).status).toBe(200)
    await alice.put(`/api/qr-codes/${code.id}`, { isDynamic: false })
    expect((await scan(server, `/public/qr/${code.uuid}/code.png`)).status).toBe(404)
    expect((await scan(server, `/public/qr/${code.uuid}/code.svg`)).status).toBe(404)
    expect(ok(await scan(server, `${pathOf(code)}/info`, { headers: json })).data.host).toBeNull()
    expect(ok(await alice.post(`/api/qr-codes/${code.id}/link/try`, {})).data.result).toBe('PASSWORD')
    const right = await scan(server, pathOf(code), { password: 'tulip' })
    expect([right.status, right.headers.get('set-cookie')]).toEqual([200, null])
    expect(right.text).toContain('Tulip')
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data.scanCount).toBe(1)
  })

  test('leads to the target with 303, with the parameters of the scan', async () => {
    const code = await createLink(alice)
    await changeLink(alice, code, { password: 'tulip', forwardQuery: true })
    expect((await scan(server, pathOf(code), { query: '?a=1' })).text).toContain(`action="${pathOf(code)}?a=1"`)
    const right = await scan(server, pathOf(code), { password: 'tulip', query: '?a=1' })
    expect([right.status, right.headers.get('location')]).toEqual([303, 'https://example.com/menu?a=1'])
    const wrong = await scan(server, pathOf(code), { password: 'rose' })
    expect([wrong.status, wrong.headers.get('location')]).toEqual([403, null])
    expect(wrong.text).toContain('type="password"')
    await changeLink(alice, code, { password: null })
    expect((await scan(server, pathOf(code))).status).toBe(302)
  })

  test.if(inProcess)(
    'cannot be guessed: after 20 wrong ones in an hour from an address the right one is refused, too',
    async () => {
      const code = await createLink(alice)
      await changeLink(alice, code, { password: 'tulip' })
      const replies = await race(40, (i) => scan(server, pathOf(code), { password: `wrong ${i}` }))
      expect(replies.filter(({ status }) => status === 403)).toHaveLength(20)
      expect(replies.filter(({ status }) => status === 429)).toHaveLength(20)
      const refused = await scan(server, pathOf(code), { password: 'tulip' })
      expect([refused.status, Number(refused.headers.get('retry-after')) > 3000]).toEqual([429, true])
      server.clock.advance(HOUR)
      expect((await scan(server, pathOf(code), { password: 'tulip' })).status).toBe(303)
    },
  )

  test.if(inProcess)('takes 200 wrong ones in an hour from all addresses, which are not stored', async () => {
    const proxy = useProxy
    const code = await createLink(proxy.alice)
    await changeLink(proxy.alice, code, { password: 'tulip' })
    const from = (i: number) => ({ 'x-forwarded-for': `203.0.113.${i % 15}` })
    const replies = await race(250, (i) => scan(proxy.server, pathOf(code), { password: `no ${i}`, headers: from(i) }))
    expect(replies.filter(({ status }) => status === 403)).toHaveLength(200)
    const other = await scan(proxy.server, pathOf(code), {
      password: 'tulip',
      headers: { 'x-forwarded-for': '203.0.113.99' },
    })
    expect(other.status).toBe(429)
    const rows = await proxy.server.ctx.db.read.select().from((await import('#db/schema/settings.ts')).counters)
    expect(JSON.stringify(rows)).not.toContain('203.0.113')
  })

  test.if(inProcess)('does not matter after the link has expired', async () => {
    const code = await createLink(alice)
    await changeLink(alice, code, { password: 'tulip', expiresAt: server.clock.now() + HOUR })
    server.clock.advance(HOUR)
    for (const password of ['rose', 'tulip']) expect((await scan(server, pathOf(code), { password })).status).toBe(410)
    await changeLink(alice, code, { fallbackUrl: 'https://example.com/over' })
    const over = await scan(server, pathOf(code), { password: 'rose' })
    expect([over.status, over.headers.get('location')]).toEqual([303, 'https://example.com/over'])
  })

  test.each(['abc', 'x'.repeat(129)])('of the wrong length is refused', async (password) => {
    const code = await createLink(alice)
    expect((await setLink(alice, code, { password })).status).toBe(400)
  })
})

const useProxy = useServer({ people: ['alice'], rateLimit: false, config: { trustedProxies: ['127.0.0.1', '::1'] } })

describe.if(inProcess)('a block', () => {
  test('of a code holds at every address that it has', async () => {
    const code = await createLink(alice)
    ok(await alice.put(`/api/qr-codes/${code.id}`, { slug: `blocked-${code.id}` }))
    await server.ctx.db.write('test.block', (tx) =>
      tx.update(qrCodes).set({ blockedAt: tx.stamp }).where(eq(qrCodes.id, code.id)),
    )
    const paths = [pathOf(code), `/q/blocked-${code.id}`, `/Q/BLOCKED-${code.id}`, `/public/qr/${code.uuid}`]
    for (const path of [...paths, `/public/qr/${code.uuid}?page`]) {
      const { status, headers, text } = await scan(server, path)
      expect([path, status, headers.get('location')]).toEqual([path, 403, null])
      expect(text).not.toContain('example.com')
    }
    expect((await server.request('GET', `/api/qr-codes/public/${code.uuid}`)).status).toBe(404)
    expect(ok(await scan(server, `${pathOf(code)}/info`, { headers: json })).data.host).toBeNull()
    expect(ok(await alice.post(`/api/qr-codes/${code.id}/link/try`, {})).data.result).toBe('BLOCKED')
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data.scanCount).toBe(0)
  })

  test('of a host holds with its sub-domains, for old codes and new ones', async () => {
    const code = await createLink(alice, 'https://a.evil.example/x')
    await changeLink(alice, code, { maxScans: 5 })
    await set(server, 'links.blockedHosts', ['Evil.example'])
    try {
      expect((await scan(server, pathOf(code))).status).toBe(403)
      expect(ok(await alice.get(`/api/qr-codes/${code.id}/link`)).data.scansLeft).toBe(5)
      const body = { name: 'x', content: 'https://EVIL.example./', isDynamic: true }
      expect((await alice.post('/api/qr-codes', body)).status).toBe(400)
      expect((await setLink(alice, code, { fallbackUrl: 'https://evil.example' })).status).toBe(400)
      const words = await scan(server, pathOf(await createLink(alice, 'https://evil.example/ has our menu')))
      expect(words.status).toBe(200)
      expect(words.text).toContain('https://evil.example/ has our menu')
      expect(words.text).not.toContain('href="https://evil.example')
    } finally {
      await set(server, 'links.blockedHosts', [])
    }
    expect((await scan(server, pathOf(code))).status).toBe(302)
  })

  test('of a host does not keep the rest of an earlier link from being changed', async () => {
    const code = await createLink(alice)
    const rules = [{ target: 'https://evil.example/ios', devices: ['IOS'] }]
    const before = await changeLink(alice, code, { rules, fallbackUrl: 'https://evil.example/over' })
    await set(server, 'links.blockedHosts', ['evil.example'])
    try {
      expect((await changeLink(alice, code, before)).version).toBe(before.version)
      expect(await changeLink(alice, code, { ...before, warn: true })).toMatchObject({ warn: true })
      const more = [...rules, { target: 'https://evil.example/ios', devices: ['ANDROID'] }]
      const refused = await setLink(alice, code, { rules: more })
      expect([refused.status, refused.details.map(({ path }) => path)]).toEqual([400, ['body.rules.1.target']])
      expect((await scan(server, pathOf(code))).status).toBe(403)
    } finally {
      await set(server, 'links.blockedHosts', [])
    }
  })
})

describe.if(inProcess)('the warning page', () => {
  const mail = useServer({ people: ['alice'], config: { smtpUrl: 'smtp://127.0.0.1:9', mailFrom: 'a@example.org' } })
  const led = async (code: { slug: string | null }) => (await scan(mail.server, pathOf(code))).status

  test('is shown for codes of owners who have proved nothing, if the server can send mails', async () => {
    const { server: sender, alice: owner } = mail
    const code = await createLink(owner)
    const id = code.userId
    const write = (columns: Partial<typeof users.$inferInsert>) =>
      sender.ctx.db.write('test.user', (tx) => tx.update(users).set(columns).where(eq(users.id, id)))
    expect(await led(code)).toBe(200)
    expect(ok(await owner.get(`/api/qr-codes/${code.id}/link`)).data).toMatchObject({ warn: false, warnsAlways: true })
    await write({ createdByAdmin: true })
    expect(await led(code)).toBe(302)
    expect(ok(await owner.get(`/api/qr-codes/${code.id}/link`)).data.warnsAlways).toBe(false)
    await write({ createdByAdmin: false })
    const contact = { userId: id, provider: 'EMAIL', credential: 'alice@example.org', verified: false } as const
    await sender.ctx.db.write('test.contact', (tx) => tx.insert(identities).values({ ...contact, createdAt: 1 }))
    expect(await led(code)).toBe(200)
    await sender.ctx.db.write('test.contact', (tx) =>
      tx.update(identities).set({ verified: true }).where(eq(identities.credential, contact.credential)),
    )
    expect(await led(code)).toBe(302)
  })

  test('follows links.direct, and an administrator needs no proof', async () => {
    const { server: sender } = mail
    const admin = await sender.admin()
    const code = await createLink(admin)
    expect(await led(code)).toBe(302)
    await set(sender, 'links.direct', 'NONE')
    expect(await led(code)).toBe(200)
    await set(sender, 'links.direct', 'ALL')
    expect(await led(await createLink(await sender.person()))).toBe(302)
    await set(sender, 'links.direct', 'PROVED')
    const stranger = await createLink(await sender.person())
    expect(await led(stranger)).toBe(200)
  })

  test('is shown before the fallback of owners who have proved nothing, too', async () => {
    const stranger = await mail.server.person()
    const code = await createLink(stranger)
    await changeLink(stranger, code, { maxScans: 1, fallbackUrl: 'https://example.com/over' })
    expect(await led(code)).toBe(200)
    const over = await scan(mail.server, pathOf(code))
    expect([over.status, over.headers.get('location')]).toEqual([200, null])
    expect(over.text).toContain('https://example.com/over')
  })

  test('is not needed for users whom an administrator creates', async () => {
    const admin = await mail.server.admin()
    const body = { username: 'carol', password: 'Tulips-7-market' }
    const { id } = ok(await admin.call('admin.users.create', { body })).data
    const [row] = await mail.server.ctx.db.read.select({ by: users.createdByAdmin }).from(users).where(eq(users.id, id))
    expect(row).toEqual({ by: true })
  })
})

describe.if(inProcess)('a short domain', () => {
  const short = useServer({
    people: ['alice'],
    config: { publicUrl: 'https://qr.example.org', shortUrl: 'https://go.example.org' },
  })
  const at = (path: string, host = 'go.example.org', options = {}) =>
    scan(short.server, path, { ...options, headers: { 'x-forwarded-host': host, ...options } })

  test('has short links right after its host, and nothing else', async () => {
    const code = await createLink(short.alice)
    expect(code.shortUrl).toBe(`https://go.example.org/${code.slug}`)
    expect(code.pictureContent).toBe(`HTTPS://GO.EXAMPLE.ORG/${code.slug!.toUpperCase()}`)
    for (const path of [`/${code.slug}`, `/${code.slug!.toUpperCase()}`, pathOf(code)])
      expect((await at(path)).headers.get('location')).toBe('https://example.com/menu')
    const front = await at('/')
    expect([front.status, front.headers.get('location')]).toEqual([302, 'https://qr.example.org/'])
    expect((await at(`/${code.slug}/info`)).text).toContain('example.com')
    for (const path of ['/api/me', '/console/', '/robots.txt', `/public/qr/${code.uuid}`, '/s/asset/1', '/unknown'])
      expect([path, (await at(path)).status]).toEqual([path, 404])
    expect((await scan(short.server, `/${code.slug}`)).status).toBe(404)
    expect((await at(pathOf(code), 'qr.example.org')).status).toBe(302)
    expect((await short.alice.put(`/api/qr-codes/${code.id}`, { content: `${code.shortUrl}x` })).status).toBe(400)
  })

  test('has pages whose pictures, languages and forms are at the public address', async () => {
    const code = await createLink(short.alice, 'just text')
    const page = await at(`/${code.slug}`)
    expect(page.text).toContain('<base href="https://qr.example.org/" />')
    expect(page.text).toContain(`href="/q/${code.slug}?lang=zh"`)
    expect(page.headers.get('content-security-policy')).toContain("img-src 'self' https://qr.example.org")
    await changeLink(short.alice, code, { password: 'tulip' })
    expect((await at(`/${code.slug}`)).text).toContain(`action="/q/${code.slug}"`)
  })
})

describe.if(inProcess)('the limit of public pages', () => {
  const limited = useServer({ people: ['alice'], rateLimit: true })

  test('is a page with 429 that says when to try again, and counts nothing', async () => {
    const code = await createLink(limited.alice)
    const replies = await race(310, () => scan(limited.server, pathOf(code)))
    expect(replies.filter(({ status }) => status === 302)).toHaveLength(300)
    const { status, headers, text } = replies.find((reply) => reply.status !== 302)!
    expect([status, headers.get('x-robots-tag')]).toEqual([429, 'noindex'])
    expect(Number(headers.get('retry-after'))).toBeWithin(1, 61)
    expect(text).toContain('<h1>Too many requests')
    expect(ok(await limited.alice.get(`/api/qr-codes/${code.id}`)).data.scanCount).toBe(300)
  })
})
