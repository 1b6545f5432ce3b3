/** Publishing versions, and asking for them. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { revokePublisherKey } from '#db/publisher-keys.ts'
import { appUpdates, publisherKeys } from '#db/schema/app-updates.ts'
import { fileNameIn } from '#domains/app-updates/app-updates.rules.ts'
import { publishUpdate } from '#domains/app-updates/app-updates.service.ts'
import { getSetting, type SettingKey } from '#domains/settings/index.ts'
import { sha256 } from '#platform/ids.ts'

import { inProcess, ok, race, startServer, useServer } from '../harness/index.ts'
import { hashOf, makeKey, placeOf, publish, release, upload } from './helpers.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })
let key = ''
beforeAll(async () => {
  ;({ key } = await makeKey(server))
})

let last = 100
/** A version code greater than all before. */
const next = (): number => (last += 10)

const check = async (versionCode: unknown) => server.request('GET', `/api/app/update/check?versionCode=${versionCode}`)
const latest = async () => ok(await server.call('appUpdates.latest')).data

test('before anything is published, check has no update, latest is null and versions is empty', async () => {
  await using fresh = await startServer()
  expect(ok(await fresh.request('GET', '/api/app/update/check?versionCode=0')).data).toEqual({
    hasUpdate: false,
    versionCode: null,
    versionName: null,
    downloadUrl: null,
    fileSize: null,
    releaseNotes: null,
    releaseNotesHtml: null,
    isMajor: null,
    forceUpdate: null,
    sha256: null,
  })
  expect(ok(await fresh.request('GET', '/api/app/update/latest')).data).toBeNull()
  expect(ok(await fresh.request('GET', '/api/app/update/versions')).data).toEqual([])
})

test('a published version is answered by publish, check, latest, versions and the console alike', async () => {
  const versionCode = next()
  const bytes = 'the first package'
  const { data: uploaded } = ok(await upload(server, key, 'first.apk', bytes))
  expect(uploaded).toEqual({
    fileName: 'first.apk',
    fileSize: bytes.length,
    sha256: hashOf(bytes),
    downloadUrl: expect.stringMatching(/^http:\/\/.+\/api\/app\/download\/first\.apk$/),
  })
  const published = ok(
    await publish(server, key, {
      versionCode,
      versionName: ' 1.0 ',
      downloadUrl: uploaded.downloadUrl,
      fileSize: bytes.length,
      sha256: hashOf(bytes).toUpperCase(),
      releaseNotes: 'Now **faster** <script>alert(1)</script>',
      isMajor: true,
      forceUpdate: 1,
    }),
  ).data
  expect(published).toEqual({
    id: expect.any(Number),
    versionCode,
    versionName: '1.0',
    downloadUrl: uploaded.downloadUrl,
    fileSize: bytes.length,
    releaseNotes: 'Now **faster** <script>alert(1)</script>',
    releaseNotesHtml: expect.stringContaining('<strong>faster</strong>'),
    isMajor: 1,
    forceUpdate: 1,
    sha256: hashOf(bytes),
    createdAt: expect.any(Number),
  })
  expect(published.releaseNotesHtml).not.toContain('<script')
  expect(await latest()).toEqual(published)
  expect(ok(await server.call('appUpdates.versions')).data[0]).toEqual(published)
  const { id, createdAt, ...shown } = published
  expect(ok(await check(versionCode - 1)).data).toEqual({ hasUpdate: true, ...shown })
  const listed = ok(await admin.call('appUpdates.list')).data
  expect(listed.items[0]).toEqual({ id, createdAt, ...shown })
  expect((await alice.call('appUpdates.list')).status).toBe(403)
})

test.each([
  [-1, true],
  [0, false],
  [1, false],
])('check with the latest version code and %p says that there is an update: %p', async (difference, hasUpdate) => {
  const versionCode = next()
  ok(await release(server, key, versionCode))
  expect(ok(await check(versionCode + difference)).data.hasUpdate).toBe(hasUpdate)
})

test('version codes are compared as integers, not as texts', async () => {
  await using fresh = await startServer()
  const own = (await makeKey(fresh)).key
  ok(await release(fresh, own, 9))
  ok(await release(fresh, own, 10))
  const answer = async (code: number) =>
    ok(await fresh.request('GET', `/api/app/update/check?versionCode=${code}`)).data.hasUpdate
  expect([await answer(9), await answer(10), await answer(100)]).toEqual([true, false, false])
  expect((await release(fresh, own, 2)).status).toBe(400)
})

test.each(['', '-1', '1.5', 'abc', '0x10', '1e999', 'NaN'])('check with versionCode=%p answers 400', async (code) => {
  expect((await check(code)).status).toBe(400)
})

test('check without versionCode answers 400, and answers revalidate by entity tag', async () => {
  expect((await server.request('GET', '/api/app/update/check')).status).toBe(400)
  const first = ok(await check(1))
  const again = await server.request('GET', '/api/app/update/check?versionCode=1', {
    headers: { 'if-none-match': first.headers.get('etag')! },
  })
  expect(again.status).toBe(304)
})

test('versions lists the latest three, newest first, and the console lists pages of all', async () => {
  const codes = [next(), next(), next(), next()]
  for (const code of codes) ok(await release(server, key, code))
  const shown = ok(await server.call('appUpdates.versions')).data.map(({ versionCode }) => versionCode)
  expect(shown).toEqual(codes.toReversed().slice(0, 3))
  const page = ok(await admin.call('appUpdates.list', { query: { page: 2, size: 2 } })).data
  expect(page.items.map(({ versionCode }) => versionCode)).toEqual([codes[1]!, codes[0]!])
  expect(page.total).toBeGreaterThanOrEqual(4)
})

describe('a publication that is not accepted changes nothing', () => {
  let downloadUrl = ''
  beforeAll(async () => {
    downloadUrl = ok(await upload(server, key, 'refused.apk', 'refused')).data.downloadUrl
  })

  const body = (change: object) => ({ versionCode: last + 1, versionName: '1', downloadUrl, ...change })

  test.each<[string, () => object]>([
    ['no version code', () => ({ versionCode: undefined })],
    ['version code 0', () => ({ versionCode: 0 })],
    ['a version code beyond 2^31', () => ({ versionCode: 2_147_483_648 })],
    ['a version code that is text', () => ({ versionCode: '12' })],
    ['no version name', () => ({ versionName: ' ' })],
    ['a version name of 51 characters', () => ({ versionName: 'x'.repeat(51) })],
    ['no address', () => ({ downloadUrl: undefined })],
    ['an address elsewhere', () => ({ downloadUrl: 'https://example.org/api/app/download/refused.apk' })],
    ['an address below another path', () => ({ downloadUrl: '/api/app/packages/refused.apk' })],
    ['an unknown package', () => ({ downloadUrl: '/api/app/download/unknown.apk' })],
    ['an address with a query', () => ({ downloadUrl: `${downloadUrl}?x=1` })],
    ['an address with ..', () => ({ downloadUrl: '/api/app/download/../download/refused.apk' })],
    ['another size', () => ({ fileSize: 8 })],
    ['another hash', () => ({ sha256: hashOf('other') })],
    ['flags beyond 1', () => ({ isMajor: 2 })],
    ['flags that are text', () => ({ forceUpdate: 'true' })],
    ['too long release notes', () => ({ releaseNotes: 'x'.repeat(100_001) })],
    ['the version code of another publication', () => ({ versionCode: last })],
    ['a version code between published ones', () => ({ versionCode: last - 1 })],
  ])('with %s', async (_, change) => {
    ok(await release(server, key, next()))
    const before = await latest()
    const reply = await publish(server, key, body(change()))
    expect(reply.status, reply.text).toBe(400)
    expect(await latest()).toEqual(before)
  })
})

test('the same publication again answers the first row, also after newer ones, and another one is refused', async () => {
  const versionCode = next()
  const first = ok(await release(server, key, versionCode, { releaseNotes: 'same', isMajor: 0 })).data
  ok(await release(server, key, next()))
  const before = await latest()
  expect(ok(await release(server, key, versionCode, { releaseNotes: ' same ', isMajor: false })).data).toEqual(first)
  for (const change of [{ releaseNotes: 'other' }, { isMajor: 1 }, { forceUpdate: 1 }, { versionName: 'other' }])
    expect((await release(server, key, versionCode, { releaseNotes: 'same', ...change })).status).toBe(400)
  expect(await latest()).toEqual(before)
})

test.each([
  ['/api/app/download/a.apk', 'a.apk'],
  ['https://qr.example.org/api/app/download/a.apk', 'a.apk'],
  ['http://10.0.0.1:8080/api/app/download/a.apk', 'a.apk'],
  ['https://qr.example.org.evil.example/api/app/download/a.apk', undefined],
  ['https://evil.example/api/app/download/a.apk', undefined],
  ['//evil.example/api/app/download/a.apk', undefined],
  ['https://qr.example.org', undefined],
  ['/api/app/download', undefined],
  ['/API/app/download/a.apk', undefined],
  ['a.apk', undefined],
])('the address %p contains the file name %p', (address, name) => {
  expect(fileNameIn(address, ['https://qr.example.org', 'http://10.0.0.1:8080'])).toBe(name as never)
})

describe('publishers', () => {
  test('without a key or token, and with a wrong key or token, publishing and uploading answer 401', async () => {
    const body = { versionCode: next(), versionName: '1', downloadUrl: '/api/app/download/first.apk' }
    for (const who of [undefined, 'wrong', '', { token: 'wrong', deviceId: 'x'.repeat(20) }])
      for (const reply of [
        await publish(server, who, body),
        // Nobody else learns how a publication has to look.
        await publish(server, who, {}),
        await upload(server, who, 'not-stored.apk', 'x'),
      ])
        expect([reply.status, reply.data]).toEqual([401, undefined])
    expect((await publish(server, key, { ...body, downloadUrl: '/api/app/download/not-stored.apk' })).status).toBe(400)
  })

  test('a wrong key answers 401 even with the token of an administrator', async () => {
    const headers = { 'x-publish-key': 'wrong' }
    const body = { versionCode: next(), versionName: '1', downloadUrl: '/api/app/download/first.apk' }
    expect((await admin.send('POST', '/api/app/update/publish', { headers, body })).status).toBe(401)
  })

  test('a token without the permission point answers 403', async () => {
    expect((await release(server, alice, next())).status).toBe(403)
    expect((await upload(server, alice, 'of-alice.apk', 'x')).status).toBe(403)
  })

  test('a key opens no other operation', async () => {
    const headers = { 'x-publish-key': key }
    for (const path of ['/api/admin/app-updates', '/api/auth/userinfo'])
      expect((await server.request('GET', path, { headers })).status).toBe(401)
  })

  test('a revoked key answers 401 at once, and other keys still work', async () => {
    const other = await makeKey(server, 'other')
    ok(await release(server, other.key, next()))
    await revokePublisherKey(placeOf(server), other.id)
    const before = await latest()
    expect((await release(server, other.key, next())).status).toBe(401)
    expect(await latest()).toEqual(before)
    ok(await release(server, key, next()))
  })

  test.if(inProcess)('a key that is revoked after its request was admitted publishes nothing', async () => {
    const own = await makeKey(server, 'late')
    const before = await latest()
    await revokePublisherKey(placeOf(server), own.id)
    const request = new Request(server.url, { headers: { 'x-publish-key': own.key } })
    const body = {
      versionCode: next(),
      versionName: '1',
      downloadUrl: '/api/app/download/first.apk',
      releaseNotes: '',
      isMajor: 0,
      forceUpdate: 0,
    }
    const caller = { requestId: '', ip: '127.0.0.1', locale: 'en', userAgent: '' } as const
    const admitted = { actor: undefined, caller: { ...caller, deviceId: undefined, deviceName: undefined }, request }
    await expect(publishUpdate(server.ctx, admitted, body)).rejects.toMatchObject({ status: 401 })
    expect(await latest()).toEqual(before)
  })

  test.if(inProcess)('keys are stored as hashes, and a publication refers to its key', async () => {
    const own = await makeKey(server, 'hashed')
    const { data } = ok(await release(server, own.key, next()))
    const keys = await server.ctx.db.read.select().from(publisherKeys)
    expect(JSON.stringify(keys)).not.toContain(own.key)
    expect(keys.find(({ id }) => id === own.id)).toMatchObject({ name: 'hashed', keyHash: sha256(own.key) })
    const rows = await server.ctx.db.read.select().from(appUpdates)
    expect(rows.find(({ id }) => id === data.id)).toMatchObject({ publisherKeyId: own.id, publishedBy: null })
  })

  test('a publication by an administrator is in the operation log once, and one by a key is not', async () => {
    const logged = async () =>
      ok(await admin.call('operationLog.list', { query: { action: 'APP_UPDATE_PUBLISH' } })).data.items
    const before = await logged()
    const { data } = ok(await release(server, admin, next(), { isMajor: 1 }))
    ok(await release(server, admin, data.versionCode, { isMajor: 1 }))
    ok(await release(server, key, next()))
    const after = await logged()
    expect(after).toHaveLength(before.length + 1)
    expect(after[0]).toMatchObject({
      actorId: admin.id,
      targetId: data.id,
      targetName: data.versionName,
      before: null,
      after: { versionCode: data.versionCode, sha256: data.sha256, isMajor: true },
    })
  })
})

describe.if(inProcess)('the settings of the latest version', () => {
  const settings = async () => {
    const keys: SettingKey[] = [
      'app.latest_version_code',
      'app.latest_version_name',
      'app.download_url',
      'app.file_size',
      'app.release_notes',
      'app.is_major',
      'app.force_update',
    ]
    return Promise.all(keys.map((name) => getSetting(server.ctx, name)))
  }

  test('a publication writes them, and a refused one does not', async () => {
    const { data } = ok(await release(server, key, next(), { releaseNotes: 'notes', isMajor: 1, versionName: '7.1' }))
    const expected = [data.versionCode, '7.1', data.downloadUrl, data.fileSize, 'notes', 1, 0]
    expect(await settings()).toEqual(expected)
    expect((await release(server, key, data.versionCode - 1)).status).toBe(400)
    expect((await release(server, key, data.versionCode, { releaseNotes: 'other' })).status).toBe(400)
    expect(await settings()).toEqual(expected)
  })

  test('of 50 different publications of one version at once, one wins', async () => {
    const versionCode = next()
    ok(await upload(server, key, `race-${versionCode}.apk`, 'x'))
    const downloadUrl = `/api/app/download/race-${versionCode}.apk`
    const replies = await race(50, (i) => publish(server, key, { versionCode, versionName: `name ${i}`, downloadUrl }))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 49 }, () => 400)])
    const winner = replies.find(({ status }) => status === 200)!.data
    expect(await latest()).toEqual(winner)
    expect((await settings())[1]).toBe(winner.versionName)
  })

  test('50 equal publications at once answer the same row', async () => {
    const versionCode = next()
    ok(await upload(server, key, `equal-${versionCode}.apk`, 'x'))
    const body = { versionCode, versionName: '1', downloadUrl: `/api/app/download/equal-${versionCode}.apk` }
    const replies = await race(50, () => publish(server, key, body))
    expect(new Set(replies.map((reply) => ok(reply).data.id)).size).toBe(1)
  })

  test('after 50 publications of different versions at once, the settings equal the greatest, which was accepted', async () => {
    const base = last
    last += 100
    const downloadUrl = ok(await upload(server, key, 'many.apk', 'many')).data.downloadUrl
    const replies = await race(50, (i) =>
      publish(server, key, { versionCode: base + 1 + ((i * 37) % 50), versionName: `${i}`, downloadUrl }),
    )
    expect(replies.every(({ status }) => status === 200 || status === 400)).toBe(true)
    const accepted = replies.filter(({ status }) => status === 200).map(({ data }) => data)
    const greatest = Math.max(...accepted.map(({ versionCode }) => versionCode))
    expect(greatest).toBe(base + 50)
    const winner = accepted.find(({ versionCode }) => versionCode === greatest)
    expect(await latest()).toEqual(winner)
    expect((await settings()).slice(0, 3)).toEqual([greatest, winner.versionName, winner.downloadUrl])
    // Ids and version codes rise together.
    const rows = await server.ctx.db.read.select().from(appUpdates).orderBy(appUpdates.id)
    const codes = rows.map(({ versionCode }) => versionCode)
    expect(codes).toEqual(codes.toSorted((a, b) => a - b))
  })
})
