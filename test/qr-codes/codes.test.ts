import { describe, expect, test } from 'bun:test'

import { bindRole, createRole, unbindRoles } from '#domains/access/index.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { createCategory, createCode } from './helpers.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('creating a code', () => {
  test('POST /qr-codes creates a code from a name and a content', async () => {
    const startedAt = Date.now()
    const { data } = ok(await alice.post('/api/qr-codes', { name: ' Menu ', content: ' https://example.com/menu ' }))
    expect(data.uuid).toMatch(UUID_V4)
    expect(data).toEqual({
      id: expect.any(Number),
      uuid: data.uuid,
      name: 'Menu',
      content: ' https://example.com/menu ',
      contentType: 'URL',
      categoryId: null,
      tags: [],
      remark: '',
      style: { fg: '000000', bg: 'ffffff', level: 'M', margin: 4 },
      isPublic: false,
      isDynamic: false,
      pinned: false,
      sortOrder: 0,
      orgId: null,
      userId: alice.id,
      scanCount: 0,
      imageUrl: expect.stringMatching(/^http.*\/api\/qrcode\/render\?content=%20https%3A%2F%2Fexample\.com%2Fmenu%20$/),
      publicUrl: expect.stringMatching(new RegExp(`^http.*/public/qr/${data.uuid}$`)),
      slug: null,
      shortUrl: null,
      pictureContent: ' https://example.com/menu ',
      opens: null,
      designId: null,
      blockedAt: null,
      version: 1,
      createdAt: data.updatedAt,
      updatedAt: expect.any(Number),
      warnings: [],
    })
    expect(data.createdAt).toBeGreaterThanOrEqual(startedAt)
    // Stamps are at most a second ahead of the clock.
    expect(data.createdAt).toBeLessThanOrEqual(Date.now() + 1000)
    const { warnings: _, ...shown } = data
    expect(ok(await alice.get(`/api/qr-codes/${data.id}`)).data).toEqual(shown)
  })

  test('POST /qr-codes stores every field that a request can set', async () => {
    const categoryId = await createCategory(alice, 'Guests')
    const fields = {
      name: '无线网络 😀',
      content: 'WIFI:T:WPA;S:guest;P:secret;;',
      contentType: 'TEXT',
      categoryId,
      tags: ['wifi', '客人', 'wifi'],
      remark: 'two\nlines',
      isPublic: true,
      style: { fg: '1A2B3C', level: 'H', margin: 0 },
    }
    const { data } = ok(await alice.post('/api/qr-codes', fields))
    expect(data).toMatchObject({
      ...fields,
      tags: ['wifi', '客人'],
      style: { fg: '1a2b3c', bg: 'ffffff', level: 'H', margin: 0 },
    })
    expect(data.imageUrl).toContain('&level=H&margin=0&fg=1a2b3c')
  })

  test('POST /qr-codes accepts field names in snake_case', async () => {
    const { data } = ok(
      await alice.post('/api/qr-codes', { name: 'x', content: 'y', is_public: true, content_type: 'OTHER' }),
    )
    expect(data).toMatchObject({ isPublic: true, contentType: 'OTHER' })
  })

  test('POST /qr-codes ignores fields that the server sets', async () => {
    const { data } = ok(
      await alice.post('/api/qr-codes', {
        name: 'x',
        content: 'y',
        id: 999_999,
        uuid: '7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f',
        userId: mallory.id,
        scanCount: 1000,
        version: 77,
        createdAt: 1,
        deletedAt: 5,
        pinned: true,
      }),
    )
    expect(data).toMatchObject({ userId: alice.id, scanCount: 0, version: 1, pinned: false })
    expect(data.id).not.toBe(999_999)
    expect(data.uuid).not.toBe('7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f')
    expect(ok(await mallory.get('/api/qr-codes')).data.total).toBe(0)
  })

  test('POST /qr-codes accepts 2,953 bytes, which fit at level L', async () => {
    const { data } = ok(await alice.post('/api/qr-codes', { name: 'full', content: 'a'.repeat(2953) }))
    expect(data.style.level).toBe('L')
    const picture = await fetch(server.url + new URL(data.imageUrl).pathname + new URL(data.imageUrl).search)
    expect(picture.status).toBe(200)
  })

  const bad: [what: string, body: unknown, path: string][] = [
    ['a missing name', { content: 'x' }, 'body.name'],
    ['a blank name', { name: '   ', content: 'x' }, 'body.name'],
    ['a name of 101 characters', { name: 'x'.repeat(101), content: 'x' }, 'body.name'],
    ['a control character in the name', { name: 'a\u0007b', content: 'x' }, 'body.name'],
    ['a missing content', { name: 'x' }, 'body.content'],
    ['an empty content', { name: 'x', content: '' }, 'body.content'],
    ['content as a number', { name: 'x', content: 5 }, 'body.content'],
    ['a NUL in the content', { name: 'x', content: 'a\0b' }, 'body.content'],
    ['a content of 2,954 bytes', { name: 'x', content: 'a'.repeat(2954) }, 'body.content'],
    ['a content of 2,955 bytes in 985 characters', { name: 'x', content: '汉'.repeat(985) }, 'body.content'],
    [
      'a content that is too long for level M',
      { name: 'x', content: 'a'.repeat(2332), style: { level: 'M' } },
      'body.content',
    ],
    [
      'a content that is too long for level H',
      { name: 'x', content: 'a'.repeat(1274), style: { level: 'H' } },
      'body.content',
    ],
    ['an unknown type', { name: 'x', content: 'x', contentType: 'FILM' }, 'body.contentType'],
    ['a colour with a #', { name: 'x', content: 'x', style: { fg: '#000000' } }, 'body.style'],
    ['a margin of 11', { name: 'x', content: 'x', style: { margin: 11 } }, 'body.style'],
    ['21 tags', { name: 'x', content: 'x', tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, 'body.tags'],
    ['an empty tag', { name: 'x', content: 'x', tags: [''] }, 'body.tags'],
    ['a remark of 2,001 characters', { name: 'x', content: 'x', remark: 'x'.repeat(2001) }, 'body.remark'],
    ['a category that does not exist', { name: 'x', content: 'x', categoryId: 999_999 }, 'body.categoryId'],
  ]
  for (const [what, body, path] of bad)
    test(`POST /qr-codes answers 400 to ${what} and creates nothing`, async () => {
      const before = ok(await alice.get('/api/qr-codes')).data.total
      const reply = await alice.post('/api/qr-codes', body)
      expect(reply.status, reply.text).toBe(400)
      expect(
        reply.details.some((d) => d.path.startsWith(path)),
        reply.text,
      ).toBe(true)
      expect(ok(await alice.get('/api/qr-codes')).data.total).toBe(before)
    })

  test('POST /qr-codes answers the same to a category of another user as to one that does not exist', async () => {
    const categoryId = await createCategory(mallory, 'private')
    const theirs = await alice.post('/api/qr-codes', { name: 'x', content: 'x', categoryId })
    const unknown = await alice.post('/api/qr-codes', { name: 'x', content: 'x', categoryId: 999_999 })
    expect(theirs.status).toBe(400)
    expect(theirs.details).toEqual(unknown.details)
  })

  test('POST /qr-codes explains problems in Chinese if the client asks for it', async () => {
    const body = { name: 'x', content: 'a'.repeat(1274), style: { level: 'H' } }
    const reply = await alice.send('POST', '/api/qr-codes', { body, headers: { 'accept-language': 'zh-CN' } })
    expect(reply.details).toEqual([
      { path: 'body.content', message: '占 1274 字节；在此纠错级别下二维码最多容纳 1273 字节' },
    ])
  })
})

describe('changing a code', () => {
  test('PUT /qr-codes/:id changes only the fields of the request and increments the version', async () => {
    const code = await createCode(alice, { remark: 'keep', tags: ['a'] })
    const { warnings, ...data } = ok(await alice.put(`/api/qr-codes/${code.id}`, { name: 'new name' })).data
    expect(warnings).toEqual([])
    expect(data).toEqual({ ...code, name: 'new name', version: 2, updatedAt: data.updatedAt })
    expect(data.updatedAt).toBeGreaterThan(code['updatedAt'] as number)
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toEqual(data)
  })

  test('PUT /qr-codes/:id changes nothing if the request has no fields', async () => {
    const code = await createCode(alice)
    expect(ok(await alice.put(`/api/qr-codes/${code.id}`, {})).data).toEqual({ ...code, warnings: [] })
  })

  test('PUT /qr-codes/:id clears fields that are null, but refuses to clear name and content', async () => {
    const categoryId = await createCategory(alice, 'A')
    const code = await createCode(alice, {
      categoryId,
      remark: 'r',
      tags: ['t'],
      isPublic: true,
      style: { level: 'H' },
    })
    const { data } = ok(
      await alice.put(`/api/qr-codes/${code.id}`, {
        categoryId: null,
        remark: null,
        tags: null,
        isPublic: null,
        style: null,
      }),
    )
    expect(data).toMatchObject({ categoryId: null, remark: '', tags: [], isPublic: false, style: { level: 'M' } })
    for (const field of ['name', 'content'])
      expect((await alice.put(`/api/qr-codes/${code.id}`, { [field]: null })).status, field).toBe(400)
  })

  test('PUT /qr-codes/:id detects the type of a new content unless the request names one', async () => {
    const code = await createCode(alice, { content: 'plain' })
    expect(code['contentType']).toBe('TEXT')
    const put = async (body: unknown) => ok(await alice.put(`/api/qr-codes/${code.id}`, body)).data.contentType
    expect(await put({ content: 'https://example.com' })).toBe('URL')
    expect(await put({ content: 'tel:+8613800138000', contentType: 'OTHER' })).toBe('OTHER')
    expect(await put({ name: 'renamed' })).toBe('OTHER')
    expect(await put({ contentType: null })).toBe('PHONE')
  })

  test('PUT /qr-codes/:id answers 400 to a style with a level that the content does not fit into', async () => {
    const code = await createCode(alice, { content: 'a'.repeat(2000) })
    const reply = await alice.put(`/api/qr-codes/${code.id}`, { style: { level: 'H' } })
    expect(reply.status).toBe(400)
    expect(reply.details[0]?.path).toBe('body.style')
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toEqual(code)
  })

  test('PUT /qr-codes/:id ignores fields that only the server changes', async () => {
    const code = await createCode(alice)
    const { data } = ok(
      await alice.put(`/api/qr-codes/${code.id}`, {
        name: 'x',
        uuid: 'y',
        userId: mallory.id,
        scanCount: 9,
        orgIds: [1],
        createdAt: 1,
      }),
    )
    expect(data).toMatchObject({
      uuid: code.uuid,
      userId: alice.id,
      scanCount: 0,
      orgId: null,
      createdAt: code['createdAt'],
    })
  })

  test('PUT /qr-codes/:id loses none of several concurrent changes', async () => {
    const code = await createCode(alice)
    const fields = [
      { name: 'n' },
      { remark: 'r' },
      { tags: ['t'] },
      { pinned: true },
      { sortOrder: 4 },
      { isPublic: true },
    ]
    await Promise.all(fields.map((body) => alice.put(`/api/qr-codes/${code.id}`, body)))
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toMatchObject({
      ...Object.assign({}, ...fields),
      version: 7,
    })
  })

  test('PATCH /qr-codes/:id/pin and /public set pinned and isPublic, and increment the version each time', async () => {
    const { id } = await createCode(alice)
    const patch = async (what: string, body: unknown) => ok(await alice.patch(`/api/qr-codes/${id}/${what}`, body)).data
    expect(await patch('pin', { pinned: true })).toMatchObject({ pinned: true, version: 2 })
    expect(await patch('pin', { pinned: false })).toMatchObject({ pinned: false, version: 3 })
    expect(await patch('public', { isPublic: true })).toMatchObject({ isPublic: true, version: 4 })
    expect(await patch('public', { isPublic: false })).toMatchObject({ isPublic: false, version: 5 })
    expect((await alice.patch(`/api/qr-codes/${id}/pin`, {})).status).toBe(400)
    expect((await alice.patch(`/api/qr-codes/${id}/public`, { isPublic: 'yes' })).status).toBe(400)
    expect(ok(await alice.get(`/api/qr-codes/${id}`)).data.version).toBe(5)
  })
})

describe('access to codes', () => {
  const calls: [method: 'GET' | 'PUT' | 'DELETE' | 'PATCH', suffix: string, body?: unknown][] = [
    ['GET', ''],
    ['PUT', '', { name: 'taken' }],
    ['DELETE', ''],
    ['PATCH', '/pin', { pinned: true }],
    ['PATCH', '/public', { isPublic: true }],
  ]
  for (const [method, suffix, body] of calls) {
    test(`${method} /qr-codes/:id${suffix} answers 401 without a token and 404 to other users, and changes nothing`, async () => {
      const code = await createCode(alice)
      const path = `/api/qr-codes/${code.id}${suffix}`
      expect((await server.request(method, path, { body })).status).toBe(401)
      const theirs = await mallory.send(method, path, { body })
      const unknown = await mallory.send(method, `/api/qr-codes/999999${suffix}`, { body })
      expect(theirs.status).toBe(404)
      expect(theirs.message).toBe(unknown.message)
      expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toEqual(code)
    })

    test(`${method} /qr-codes/:id${suffix} answers 400 to an id that is not a positive integer`, async () => {
      for (const id of ['abc', '0', '-1', '1.5', '9007199254740993'])
        expect((await alice.send(method, `/api/qr-codes/${id}${suffix}`, { body })).status, id).toBe(400)
    })
  }

  test('every operation answers 403 for an organization that the caller is not a member of', async () => {
    const code = await createCode(alice)
    for (const [method, suffix, body] of [...calls, ['POST', 's', { name: 'x', content: 'y' }] as const]) {
      const path = suffix === 's' ? '/api/qr-codes' : `/api/qr-codes/${code.id}${suffix}`
      expect((await alice.send(method, `${path}?orgId=7`, { body })).status, `${method} ${suffix}`).toBe(403)
    }
    expect((await alice.post('/api/qr-codes', { name: 'x', content: 'y', orgId: 7 })).status).toBe(403)
    for (const path of ['/api/qr-codes', '/api/qr-codes/trash', '/api/qr-codes/stats'])
      expect((await alice.get(path, { orgId: 7 })).status, path).toBe(403)
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toEqual(code)
  })

  test.if(inProcess)(
    'a user with permission to write but not to publish cannot make a code public by any request',
    async () => {
      const writer = await server.person()
      const { ctx } = server
      await ctx.db.write('test', async (tx) => {
        await unbindRoles(tx, writer.id, 'APP', 0)
        const points = ['read', 'create', 'update', 'delete'].map((action) => `qr_code:${action}`)
        await createRole(tx, { domain: 'APP', scopeId: 0, code: 'WRITER', name: 'Writer', points })
        await bindRole(tx, writer.id, 'APP', 0, 'WRITER')
      })
      const code = await createCode(writer, { isPublic: false })
      const tries = [
        () => writer.post('/api/qr-codes', { name: 'x', content: 'x', isPublic: true }),
        () => writer.post('/api/qr-codes/batch', { items: [{ name: 'x', content: 'x', isPublic: true }] }),
        () => writer.put(`/api/qr-codes/${code.id}`, { isPublic: true }),
        () => writer.patch(`/api/qr-codes/${code.id}/public`, { isPublic: true }),
        () => writer.post('/api/qr-codes/batch/export', { format: 'csv' }),
      ]
      for (const [i, call] of tries.entries()) expect((await call()).status, String(i)).toBe(403)
      expect(ok(await writer.get('/api/qr-codes')).data.items).toEqual([code])
      ok(await writer.put(`/api/qr-codes/${code.id}`, { name: 'renamed', isPublic: false }))
    },
  )
})
