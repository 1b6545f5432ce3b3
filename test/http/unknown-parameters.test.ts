/** Query parameters that an operation does not know. */

import { describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'

import type { Method } from '../harness/client.ts'
import { type Reply, useServer } from '../harness/index.ts'

const IGNORED = 'x-ignored-parameters'
const ignored = ({ headers }: Reply) => headers.get(IGNORED)

describe('without the setting', () => {
  const { server, alice } = useServer({ people: ['alice'], settings: { 'http.refuseUnknownParameters': false } })
  const get = (path: string, headers = {}) => server.request('GET', path, { headers })

  test('an unknown parameter is ignored and named in the answer', async () => {
    const reply = await alice.get('/api/qr-codes', { keywrod: 'menu', page: 1 })
    expect([reply.status, ignored(reply)]).toEqual([200, 'keywrod'])
    expect(ignored(await alice.get('/api/auth/userinfo', { fields: 'id' }))).toBe('fields')
    expect(ignored(await alice.get('/api/notifications', { is_read: 'true', unreadOnly: true }))).not.toBeNull()
  })

  test('answers to requests with known parameters only have no such header', async () => {
    for (const query of ['', '?page=1&size=5', '?org_id=&nothing=', '?lang=zh'])
      expect(ignored(await alice.get(`/api/qr-codes${query}`))).toBeNull()
    expect(ignored(await alice.get('/api/assets', { 'field.7': 'x', 'field.7.min': '1' }))).toBeNull()
    expect(ignored(await get('/console?tab=devices'))).toBeNull()
  })

  test('refusals and revalidated answers name the parameters too', async () => {
    const refused = await alice.get('/api/qr-codes', { page: 0, foo: 1 })
    expect([refused.status, ignored(refused)]).toEqual([400, 'foo'])
    const { headers } = await get('/api/app/update/check?version_code=1&x=1')
    const again = await get('/api/app/update/check?version_code=1&x=1', { 'if-none-match': headers.get('etag')! })
    expect([again.status, ignored(again)]).toEqual([304, 'x'])
  })

  test('names from outside are encoded and cut, and only ten of them are sent', async () => {
    const names = ['a\r\nSet-Cookie: x=1', '中文', 'a,b', 'x'.repeat(500), '😀'.repeat(30), '\ud800', 'é"\\']
    const query = names.map((name) => `${encodeURIComponent(name.toWellFormed())}=1`).join('&')
    const reply = await get(`/api/app/update/check?${query}&__proto__=1&constructor=1`)
    expect(reply.headers.get('set-cookie')).toBeNull()
    const value = ignored(reply)!
    expect(value).toMatch(/^[!-~]+(, [!-~]+)*$/)
    const sent = value.split(', ')
    expect(sent.slice(0, 4)).toEqual(['a%0D%0ASet-Cookie%3A%20x%3D1', '%E4%B8%AD%E6%96%87', 'a%2Cb', 'x'.repeat(40)])
    expect(sent).toContain('constructor')
    for (const name of sent) expect(name.length).toBeLessThanOrEqual(40)
    for (const name of sent) expect(() => decodeURIComponent(name)).not.toThrow()

    const many = Array.from({ length: 50 }, (_, i) => `p${i}=1`).join('&')
    expect(ignored(await get(`/api/app/update/check?${many}`))).toBe('p0, p1, p2, p3, p4, p5, p6, p7, p8, p9')
  })

  test('public pages and aliases name them', async () => {
    for (const path of ['/', '/s/activity/x', '/S/activity/x', '/public/qr/x', '/public/orgs/x', '/docs'])
      expect([path, ignored(await get(`${path}?utm_source=a&lang=zh`))]).toEqual([path, 'utm_source'])
    expect(ignored(await get('/s/activity/x?code=a&tz=UTC'))).toBeNull()
  })
})

describe('with the setting', () => {
  const { server, alice, admin } = useServer({ people: ['alice'] })

  test('an unknown parameter is refused, with the nearest known one, in the language of the caller', async () => {
    const ask = (language: string) =>
      alice.send('GET', '/api/qr-codes', {
        query: { keywrod: 'menu', nonsense: 1, page: 1 },
        headers: { 'accept-language': language },
      })
    const en = await ask('en')
    expect([en.status, en.code, en.message]).toEqual([400, 400, 'Unknown parameter keywrod; did you mean keyword?'])
    expect(en.details).toEqual([
      { path: 'query.keywrod', message: 'is not a parameter of this operation; did you mean keyword?' },
      { path: 'query.nonsense', message: 'is not a parameter of this operation' },
    ])
    expect((await ask('zh')).message).toBe('未知参数 keywrod，您是否想用 keyword？')
  })

  test('every operation accepts its own parameters in both spellings', async () => {
    const snake = (name: string) => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)
    let checked = 0
    for (const { method, path, query, access } of allEndpoints) {
      const names = Object.keys((query?.['properties'] ?? {}) as object)
      if (names.length === 0 || access.kind === 'signedUrl') continue
      for (const spelled of [names, names.map(snake)]) {
        const reply = await admin.send(method as Method, path.replaceAll(/:\w+/g, '0'), {
          query: Object.fromEntries(spelled.map((name) => [name, 'x'])),
        })
        expect([path, reply.message]).toEqual([path, expect.not.stringContaining('Unknown parameter')])
        checked++
      }
    }
    expect(checked).toBeGreaterThan(100)
  })

  test('a write with an unknown parameter changes nothing', async () => {
    const body = { name: 'Menu', content: 'https://example.org' }
    const reply = await alice.send('POST', '/api/qr-codes', { query: { organisation: 7 }, body })
    expect(reply.status).toBe(400)
    expect((await alice.get('/api/qr-codes')).data.total).toBe(0)
  })

  test('callers without permission never see the parameters of the operation', async () => {
    expect((await server.request('GET', '/api/qr-codes?keywrod=1')).status).toBe(401)
    expect((await alice.get('/api/admin/users', { keywrod: 1 })).status).toBe(403)
  })

  test('pages ignore what messengers add to links, and their JSON does not', async () => {
    const headers = { accept: 'application/json' }
    const page = await server.request('GET', '/?from=singlemessage')
    expect([page.status, ignored(page)]).toEqual([200, 'from'])
    expect((await server.request('GET', '/public/orgs/K7WPQ2MX?from=x', { headers })).status).toBe(400)
  })

  test('administrators turn it off and on while the server runs', async () => {
    const set = (value: boolean) =>
      admin.put('/api/admin/settings', { values: { 'http.refuseUnknownParameters': value } })
    expect((await set(false)).status).toBe(200)
    expect((await alice.get('/api/qr-codes', { keywrod: 1 })).status).toBe(200)
    expect((await set(true)).status).toBe(200)
    expect((await alice.get('/api/qr-codes', { keywrod: 1 })).status).toBe(400)
  })
})
