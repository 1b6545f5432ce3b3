import { beforeAll, describe, expect, test } from 'bun:test'

import type { ScanView } from '#domains/qr-codes/scans/scans.model.ts'
import { findOrganizationsByContent, findPersonalByContent } from '#domains/qr-codes/scans/scans.store.ts'

import { onSqlite, withStore } from '../db/fresh.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { onPostgres, sendTo, withServers } from '../processes/several.ts'
import { allPages, createCode } from './helpers.ts'

const { server, admin, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

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
  })

  test('the resolved target of a scan of the content of an own code is that code, the oldest if several have it', async () => {
    const long = 'x'.repeat(2950)
    for (const content of ['hello codes', `${long}汉`]) {
      const code = await createCode(alice, { content })
      await createCode(alice, { content })
      expect(await scan(alice, { content })).toMatchObject({
        qrCodeId: code.id,
        title: code.name,
        resolved: { kind: 'QR_CODE', id: code.id, title: code.name },
      })
    }
    for (const content of ['Hello codes', 'hello codes ', long])
      expect(await scan(alice, { content })).toMatchObject({ qrCodeId: null, resolved: { kind: 'TEXT' } })
  })

  test('the resolved target of a scan is no code in the trash, and no code of another user that has the same content', async () => {
    for (const isPublic of [true, false]) await createCode(mallory, { content: 'their content', isPublic })
    expect((await scan(alice, { content: 'their content' })).resolved).toEqual({ kind: 'TEXT' })
    const deleted = await createCode(alice, { content: 'deleted content' })
    ok(await alice.delete(`/api/qr-codes/${deleted.id}`))
    expect((await scan(alice, { content: 'deleted content' })).resolved).toEqual({ kind: 'TEXT' })
  })

  test('the resolved target of a scan is a code of an organization for members who may read its codes, after their own codes', async () => {
    const [owner, member, pointless] = [await server.person(), await server.person(), await server.person()]
    const org = await createOrg(owner)
    await addMembers(owner, org, member, pointless)
    const role = { code: 'POINTLESS', name: 'pointless', domain: 'ORG' as const, scopeId: org.id, permissions: [] }
    ok(await admin.call('access.createRole', { body: role }))
    await setRole(owner, org, pointless, 'POINTLESS')
    const body = { name: 'of the organization', content: 'shared content', orgId: org.id }
    const code = ok(await owner.call('qrCodes.create', { body })).data
    const target = { kind: 'QR_CODE', id: code.id, title: code.name }
    for (const content of [code.content, code.publicUrl]) {
      expect((await scan(member, { content })).resolved).toEqual(target as never)
      for (const other of [pointless, alice]) expect((await scan(other, { content })).qrCodeId).toBeNull()
    }
    const own = await createCode(member, { content: code.content })
    expect((await scan(member, { content: code.content })).qrCodeId).toBe(own.id)
  })

  test('the resolved target of a scan of an organization’s page is the organization', async () => {
    const org = await createOrg(mallory)
    const { publicUrl } = ok(await mallory.call('orgs.qrcode', { params: { id: org.id } })).data
    const target = { kind: 'ORG_JOIN', id: org.id, title: org.name }
    expect((await scan(alice, { content: publicUrl })).resolved).toEqual(target as never)
    const hidden = await createOrg(mallory, { visibility: 'INTERNAL' })
    const link = publicUrl.replace(org.code, hidden.code)
    expect((await scan(alice, { content: link })).resolved).toEqual({ kind: 'ORG_JOIN' })
  })
})

test.if(onSqlite)('a scanned content is searched for by an index and without sorting', async () => {
  await withStore(async ({ read }, place) => {
    const { runner } = read as unknown as { runner: { rows(sql: string, params: unknown[]): unknown[][] } }
    const queries: [sql: string, params: unknown[]][] = []
    runner.rows = (...query) => (queries.push(query), [])
    await findPersonalByContent(read, 1, 'content')
    await findOrganizationsByContent(read, [1, 2, 3], 'content')
    expect(queries).toHaveLength(2)
    for (const [i, index] of ['qr_codes_content', 'qr_codes_org_content'].entries()) {
      const [sql, params] = queries[i]!
      const filled = sql.replaceAll('?', () => `'${String(params.shift())}'`)
      const plan = (await place.raw(`explain query plan ${filled}`)).map((row) => String(row[3]))
      expect(plan).toEqual([expect.stringContaining(`USING INDEX ${index} `)])
    }
  })
})

describe('counting', () => {
  const countOf = async (who: Person, code: { id: number }) =>
    ok(await who.get(`/api/qr-codes/${code.id}`)).data.scanCount

  test('a scan record of a content or a link counts as a scan, for a public code of another user too', async () => {
    const [byContent, byLink] = [await createCode(alice), await createCode(mallory, { isPublic: true })]
    await scan(alice, { content: byContent.content })
    await scan(alice, { content: byLink.publicUrl })
    expect(await countOf(alice, byContent)).toBe(1)
    expect(await countOf(mallory, byLink)).toBe(1)
    const { version, updatedAt } = ok(await alice.get(`/api/qr-codes/${byContent.id}`)).data
    expect({ version, updatedAt }).toEqual({ version: byContent.version, updatedAt: byContent.updatedAt })
  })

  test('50 concurrent scan records of a session count as one scan, and each is recorded', async () => {
    const code = await createCode(alice)
    const records = await race(50, () => scan(alice, { content: code.content }))
    expect(new Set(records.map((record) => record.id)).size).toBe(50)
    expect(records.every((record) => record.qrCodeId === code.id)).toBe(true)
    expect(await countOf(alice, code)).toBe(1)
  })

  test.if(inProcess)('a code counts one scan a minute for each session', async () => {
    const me = await server.person()
    const code = await createCode(me)
    const deviceId = 'another-device-of-mine'
    const body = { account: me.username, password: me.password }
    const token = ok(await server.request('POST', '/api/auth/login', { deviceId, body })).data.accessToken
    const scanThere = () =>
      server.request('POST', '/api/scan-records', { token, deviceId, body: { content: code.content } })
    for (let i = 0; i < 2; i++) {
      await scan(me, { content: code.content })
      ok(await scanThere())
    }
    expect(await countOf(me, code)).toBe(2)
    server.clock.advance(60_000)
    await scan(me, { content: code.publicUrl })
    expect(await countOf(me, code)).toBe(3)
  })

  test('30 users who scan one public code at once are 30 scans, in its statistics too', async () => {
    const code = await createCode(alice, { isPublic: true })
    const people = await Promise.all(Array.from({ length: 30 }, () => server.person()))
    await race(30, (i) => scan(people[i]!, { content: code.publicUrl }))
    expect(await countOf(alice, code)).toBe(30)
    expect(ok(await alice.get(`/api/qr-codes/${code.id}/stats`)).data.total).toBe(30)
  })

  test.if(onPostgres)('a session that scans through three processes at once is one scan', async () => {
    await withServers(3, async ({ servers }) => {
      const me = await servers[0]!.person()
      const code = await createCode(me)
      const body = { content: code.content }
      await race(15, async (i) => ok(await sendTo(servers[i % 3]!, me, 'POST', '/api/scan-records', { body })))
      for (const server of servers)
        expect(ok(await sendTo(server, me, 'GET', `/api/qr-codes/${code.id}`)).data.scanCount).toBe(1)
    })
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
