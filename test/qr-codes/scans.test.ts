import { beforeAll, describe, expect, test } from 'bun:test'

import type { ScanView } from '#domains/qr-codes/scans/model.ts'

import { ok, type Person, useServer } from '../harness/index.ts'
import { allPages, createCode } from './helpers.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

const scan = async (who: Person, fields: Record<string, unknown>) =>
  ok(await who.post('/api/scan-records', fields)).data

describe('recording', () => {
  test('POST /scan-records records a content alone, and with every other field', async () => {
    const least = await scan(alice, { content: 'hello' })
    expect(least).toEqual({
      id: expect.any(Number),
      content: 'hello',
      contentType: 'TEXT',
      source: 'CAMERA',
      qrCodeId: null,
      title: null,
      favorite: false,
      latitude: null,
      longitude: null,
      address: null,
      scannedAt: least.createdAt,
      createdAt: expect.any(Number),
      resolved: { kind: 'TEXT' },
    })
    const fields = {
      content: ' WIFI:S:x;; ',
      contentType: 'OTHER',
      source: 'IMAGE',
      title: 'Café',
      favorite: true,
      latitude: -33.86,
      longitude: 151.2,
      address: '悉尼',
    }
    const ahead = Date.now() + 23 * 3_600_000
    expect(await scan(alice, { content: 'x', scannedAt: ahead })).toMatchObject({ scannedAt: ahead })
    const full = await scan(alice, { ...fields, scannedAt: '2026-03-01T10:00:00+08:00' })
    expect(full).toMatchObject({ ...fields, scannedAt: Date.parse('2026-03-01T02:00:00Z'), resolved: { kind: 'TEXT' } })
  })

  for (const [what, body] of [
    ['a missing content', {}],
    ['an empty content', { content: '' }],
    ['a content of 2,954 bytes', { content: 'x'.repeat(2954) }],
    ['a content of 985 Chinese characters', { content: '汉'.repeat(985) }],
    ['an unknown source', { content: 'x', source: 'EAR' }],
    ['a latitude of 91', { content: 'x', latitude: 91, longitude: 0 }],
    ['a latitude without its longitude', { content: 'x', latitude: 9 }],
    ['an invalid time', { content: 'x', scannedAt: 'yesterday' }],
    ['a time more than a day ahead', { content: 'x', scannedAt: Date.now() + 25 * 3_600_000 }],
  ] as const)
    test(`POST /scan-records answers 400 to ${what} and records nothing`, async () => {
      const before = ok(await alice.get('/api/scan-records')).data.total
      expect((await alice.post('/api/scan-records', body)).status).toBe(400)
      expect(ok(await alice.get('/api/scan-records')).data.total).toBe(before)
    })
})

describe('resolving', () => {
  test('the resolved target of a scan is a code of the caller or a public code, but not a private code of another user', async () => {
    const mine = await createCode(alice, { name: 'mine' })
    const open = await createCode(mallory, { name: 'open', isPublic: true })
    const hidden = await createCode(mallory, { name: 'hidden' })
    const link = (code: { uuid: string }, path = '/public/qr/') =>
      new URL(mine['publicUrl'] as string).origin + path + code.uuid
    expect(await scan(alice, { content: link(mine) })).toMatchObject({
      qrCodeId: mine.id,
      title: 'mine',
      contentType: 'URL',
      resolved: { kind: 'QR_CODE', id: mine.id, title: 'mine' },
    })
    expect((await scan(alice, { content: link(open, '/api/qr-codes/public/') })).resolved).toEqual({
      kind: 'QR_CODE',
      id: open.id,
      title: 'open',
    })
    const secret = await scan(alice, { content: link(hidden) })
    const unknown = await scan(alice, { content: link({ uuid: crypto.randomUUID() }) })
    for (const record of [secret, unknown])
      expect(record).toMatchObject({ qrCodeId: null, title: null, resolved: { kind: 'URL' } })
    ok(await alice.delete(`/api/qr-codes/${mine.id}`))
    expect((await scan(alice, { content: link(mine) })).resolved).toEqual({ kind: 'URL' })
    expect(await scan(alice, { content: link(open), title: 'my title' })).toMatchObject({ title: 'my title' })
    // Recording a scan does not count as opening the page.
    expect(ok(await mallory.get(`/api/qr-codes/${open.id}`)).data.scanCount).toBe(0)
  })

  test('the resolved target of a scan follows from the prefixes and landing paths of the interface', async () => {
    const origin = new URL((await createCode(alice))['publicUrl'] as string).origin
    for (const [content, kind] of [
      ['activity:12:CODE', 'ACTIVITY'],
      ['org-join:AB23CD45', 'ORG_JOIN'],
      ['user:abc', 'USER'],
      [`${origin}/s/activity/${crypto.randomUUID()}`, 'ACTIVITY'],
      [`${origin}/s/check-in/${crypto.randomUUID()}`, 'CHECK_IN'],
      [`${origin}/s/pass/${crypto.randomUUID()}`, 'PASS'],
      [`${origin}/s/asset/${crypto.randomUUID()}`, 'ASSET'],
      ['https://example.com', 'URL'],
      ['hello', 'TEXT'],
    ])
      expect((await scan(alice, { content })).resolved, content).toEqual({ kind: kind! })
  })
})

describe('lists', () => {
  let me: Person
  const ids: Record<string, number> = {}
  const at = (day: number) => Date.parse(`2026-03-0${day}T12:00:00Z`)

  beforeAll(async () => {
    me = await server.person()
    const make = async (key: string, fields: Record<string, unknown>) => (ids[key] = (await scan(me, fields)).id)
    await make('second', { content: 'https://example.com/Alpha', scannedAt: at(2), source: 'IMAGE' })
    await make('first', { content: 'x', title: '100% alpha', scannedAt: at(1), favorite: true })
    await make('fourth', { content: 'y', address: 'Alphastraße', scannedAt: at(4), source: 'MANUAL' })
    await make('thirdA', { content: 'z', scannedAt: at(3) })
    await make('thirdB', { content: '你好，世界', scannedAt: at(3) })
  })

  const found = async (query: Record<string, string | number | boolean> = {}) => {
    const { data } = ok(await me.get('/api/scan-records', query))
    expect(data.total).toBe(data.items.length)
    return data.items.map((r: { id: number }) => Object.keys(ids).find((key) => ids[key] === r.id))
  }

  test('GET /scan-records lists the newest records first, those of the same time by id, in pages', async () => {
    expect(await found()).toEqual(['fourth', 'thirdB', 'thirdA', 'second', 'first'])
    const paged = await allPages<ScanView>(me, '/api/scan-records', 2)
    expect(paged.map((r) => r.id)).toEqual(['fourth', 'thirdB', 'thirdA', 'second', 'first'].map((key) => ids[key]!))
    expect(paged[0]).not.toHaveProperty('resolved')
  })

  for (const [query, keys] of [
    [{ favorite: true }, ['first']],
    [{ favorite: false, source: 'CAMERA' }, ['thirdB', 'thirdA']],
    [{ keyword: 'ALPHA' }, ['fourth', 'second', 'first']],
    [{ keyword: '%' }, ['first']],
    [{ keyword: '世界' }, ['thirdB']],
    [{ contentType: 'URL' }, ['second']],
    [{ source: 'MANUAL' }, ['fourth']],
    [{ from: at(3) }, ['fourth', 'thirdB', 'thirdA']],
    [{ to: at(3) }, ['second', 'first']],
    [{ from: '2026-03-02', to: '2026-03-04T12:00:00Z' }, ['thirdB', 'thirdA', 'second']],
  ] as const)
    test(`GET /scan-records with ${JSON.stringify(query)} finds ${keys.join(', ')}`, async () =>
      expect(await found(query as never)).toEqual([...keys]))

  test('GET /scan-records answers 400 to invalid filters', async () => {
    for (const query of [{ source: 'EAR' }, { from: 'x' }, { favorite: 'perhaps' }, { contentType: 'FILM' }])
      expect((await me.get('/api/scan-records', query as never)).status, JSON.stringify(query)).toBe(400)
  })
})

describe('changing', () => {
  test('PATCH and DELETE /scan-records/:id change favourite, title and address, but not content and time, and delete the record', async () => {
    const record = await scan(alice, { content: 'x', title: 't' })
    const { resolved: _, ...view } = record
    const changed = ok(
      await alice.patch(`/api/scan-records/${record.id}`, { favorite: true, title: null, content: 'y', scannedAt: 5 }),
    )
    expect(changed.data).toEqual({ ...view, favorite: true, title: null })
    expect(ok(await alice.patch(`/api/scan-records/${record.id}`, { address: 'here' })).data).toEqual({
      ...view,
      favorite: true,
      title: null,
      address: 'here',
    })
    expect((await alice.patch(`/api/scan-records/${record.id}`, { favorite: 'yes' })).status).toBe(400)
    expect(ok(await alice.delete(`/api/scan-records/${record.id}`)).data).toBeNull()
    expect((await alice.delete(`/api/scan-records/${record.id}`)).status).toBe(404)
  })

  test('PATCH and DELETE /scan-records/:id answer 401 without a token and 404 to other users, whose lists do not contain the record', async () => {
    const record = await scan(alice, { content: 'private' })
    for (const [method, body] of [
      ['PATCH', { favorite: true }],
      ['DELETE', undefined],
    ] as const) {
      const path = `/api/scan-records/${record.id}`
      expect((await server.request(method, path, { body })).status).toBe(401)
      expect((await mallory.send(method, path, { body })).status).toBe(404)
      expect((await alice.send(method, '/api/scan-records/abc', { body })).status).toBe(400)
    }
    expect(
      ok(await alice.get('/api/scan-records')).data.items.find((r: { id: number }) => r.id === record.id).favorite,
    ).toBe(false)
    expect(JSON.stringify(ok(await mallory.get('/api/scan-records')).data)).not.toContain('private')
    for (const path of ['', '/stats'])
      expect((await server.request('GET', `/api/scan-records${path}`)).status).toBe(401)
    expect((await server.request('POST', '/api/scan-records', { body: { content: 'x' } })).status).toBe(401)
  })
})
