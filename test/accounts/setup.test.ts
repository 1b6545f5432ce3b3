import { describe, expect, test } from 'bun:test'

import { accounts, createAdministrator, createSetupLink, listAdministrators } from '#domains/accounts/index.ts'

import { inProcess, race, startServer, useServer } from '../harness/index.ts'

const good = { username: 'chief', password: 'correct horse battery' }

describe.if(inProcess)('the setup link', () => {
  const { server } = useServer({ noAdmin: true, config: { publicUrl: 'https://qr.example.org/tessera' } })

  const link = async () => (await createSetupLink(server.ctx))!
  const tokenOf = (path: string) => new URLSearchParams(path.split('?')[1]).get('token')!
  const submit = (token: string, fields: Record<string, string>, language = 'en') =>
    server.request('POST', '/setup', {
      // Browsers send no origin with the form of a page that allows no referrer.
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': language, origin: 'null' },
      body: new URLSearchParams({ token, ...fields }).toString(),
    })
  const consoleLogin = (username: string, password: string) =>
    server.request('POST', '/api/admin/auth/login', { body: { account: username, password } })

  test('the setup link opens a page without script in English or Chinese, as often as wanted', async () => {
    const path = await link()
    for (let i = 0; i < 3; i++) expect((await server.request('GET', path)).status).toBe(200)
    const page = await server.request('GET', path)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.text).toContain('Set up this server')
    expect(page.text).not.toContain('<script')
    const chinese = await server.request('GET', path, { headers: { 'accept-language': 'zh-CN' } })
    expect(chinese.text).toContain('设置此服务器')
  })

  test('a wrong, replaced or expired setup link is answered with 403 and creates no administrator', async () => {
    const old = await link()
    await link()
    expect((await server.request('GET', old)).status).toBe(403)
    expect((await submit(tokenOf(old), good)).status).toBe(403)
    expect((await submit('x'.repeat(43), good)).status).toBe(403)
    const late = await link()
    server.clock.advance(24 * 3_600_000 + 1)
    expect((await server.request('GET', late)).status).toBe(403)
    expect((await submit(tokenOf(late), good)).status).toBe(403)
    expect(await listAdministrators(server.ctx)).toEqual([])
    expect((await consoleLogin(good.username, good.password)).status).toBe(401)
  })

  test('a setup link that does not work leads to a page with the ways to get one, and to the sign-in once the server is set up', async () => {
    const used = await link()
    const get = (path: string, accept = 'text/html') =>
      server.request('GET', path, { headers: { accept, 'accept-language': 'en' } })
    const withoutToken = await get('/setup')
    expect(withoutToken.status).toBe(200)
    const wrong = await get('/setup?token=wrong')
    expect(wrong.status).toBe(403)
    const posted = await submit('wrong', good)
    expect(posted.status).toBe(403)
    for (const { text } of [withoutToken, wrong, posted]) {
      expect(text).toContain('Restart the server')
      expect(text).toContain('tessera admin create NAME')
      expect(text).toContain('href="/"')
    }
    expect(withoutToken.text).not.toContain('has expired')
    for (const { text } of [wrong, posted]) expect(text).toContain('has been used, has been replaced')
    expect((await get('/setup?token=wrong&lang=zh')).text).toContain('重启服务器')
    expect(await get('/setup?token=wrong', 'application/json')).toMatchObject({ status: 403, code: 403 })

    await using other = await startServer()
    for (const path of ['/setup', used]) {
      const { text } = await other.request('GET', path)
      expect(text).toContain('has an administrator already')
      expect(text).toContain('href="/console/"')
      expect(text).not.toContain('admin create')
    }
  })

  test('a form with bad fields is shown again with the problems, and the setup link still works', async () => {
    await server.person('occupied')
    const token = tokenOf(await link())
    const bad: [Record<string, string>, string][] = [
      [{ ...good, username: '1bad' }, 'start with a letter'],
      [{ ...good, username: 'Occupied' }, 'is taken'],
      [{ ...good, password: 'short' }, 'at least 10 characters'],
      [{ ...good, password: 'qwertyuiop' }, 'too easy to guess'],
      [{ username: 'a.long.username', password: 'A.long.username' }, 'too easy to guess'],
      [{ ...good, repeated: 'correct horse batterx' }, 'not the same'],
    ]
    for (const [fields, message] of bad) {
      const reply = await submit(token, fields)
      expect(reply.status, message).toBe(400)
      expect(reply.text).toContain(message)
      expect(reply.text).toContain('<form')
      expect(reply.text).not.toContain(fields['password']!)
    }
    const markup = await submit(token, { ...good, username: '"><b>' })
    expect(markup.text).not.toContain('<b>')
    expect((await submit(token, { ...good, password: 'short' }, 'zh')).text).toContain('至少 10 个字符')
    expect(await listAdministrators(server.ctx)).toEqual([])
  })

  test('50 submissions at once with one setup link create one administrator with an irrevocable role', async () => {
    const token = tokenOf(await link())
    const replies = await race(50, (i) => submit(token, { ...good, username: `chief${i}`, repeated: good.password }))
    const won = replies.flatMap((r, i) => (r.status === 303 ? [i] : []))
    expect(won).toHaveLength(1)
    expect(replies.filter((r) => r.status === 403)).toHaveLength(49)
    expect(replies[won[0]!]!.headers.get('location')).toBe('/console/admin/setup?session')
    // They have signed in, and nobody else has.
    const cookies = replies.map((r) => r.headers.getSetCookie().map((cookie) => cookie.split(';')[0]!))
    expect(cookies.flatMap((own, i) => (own.length > 0 ? [i] : []))).toEqual(won)
    expect(replies[won[0]!]!.headers.getSetCookie()[0]).toMatch(
      /^__Secure-.*; Path=\/tessera\/api\/auth\/refresh; .*Secure; HttpOnly; SameSite=Strict/,
    )
    const session = await server.request('POST', '/api/auth/refresh', {
      headers: { 'x-refresh-token': 'cookie', cookie: cookies[won[0]!]!.join('; '), origin: 'https://qr.example.org' },
    })
    expect(session.data).toMatchObject({ user: { username: `chief${won[0]}` } })
    const administrators = await listAdministrators(server.ctx)
    expect(administrators).toMatchObject([
      { username: `chief${won[0]}`, roles: ['SYSTEM_ADMIN'], isInitial: true, status: 'ACTIVE' },
    ])
    expect((await consoleLogin(`chief${won[0]}`, good.password)).status).toBe(200)
    for (const i of [0, 1, 2].filter((n) => n !== won[0]))
      expect((await consoleLogin(`chief${i}`, good.password)).status).toBe(401)
    // With an administrator there are no new links, and the used one no longer works.
    expect(await createSetupLink(server.ctx)).toBeNull()
    expect((await submit(token, { ...good, username: 'second' })).status).toBe(403)
  })

  test('administrators created later are not initial, and need a free username and a strong password', async () => {
    await createAdministrator(server.ctx, { username: 'deputy', password: 'another good battery' })
    const all = await listAdministrators(server.ctx)
    expect(all.map((a) => [a.username, a.isInitial])).toContainEqual(['deputy', false])
    expect(all.filter((a) => a.isInitial)).toHaveLength(1)
    await expect(
      createAdministrator(server.ctx, { username: 'Deputy', password: 'another good battery' }),
    ).rejects.toThrow('The username is taken.')
    await expect(createAdministrator(server.ctx, { username: 'weakling', password: '1234567890' })).rejects.toThrow(
      'The password is too easy to guess.',
    )
    expect(await listAdministrators(server.ctx)).toHaveLength(2)
  })
})

describe.if(inProcess)('the configured administrator', () => {
  test('the configured administrator is created only if there is no administrator', async () => {
    await using server = await startServer()
    const first = await listAdministrators(server.ctx)
    expect(first).toMatchObject([{ username: 'root', isInitial: true, roles: ['SYSTEM_ADMIN'] }])
    await accounts.start(server.ctx)
    expect(await listAdministrators(server.ctx)).toEqual(first)
    expect(await createSetupLink(server.ctx)).toBeNull()
  })

  test('the server does not start with a weak password of the configured administrator', async () => {
    const config = { adminUsername: 'root', adminPassword: 'password' }
    await expect(startServer({ config })).rejects.toThrow('The password must have at least 10 characters.')
  })
})
