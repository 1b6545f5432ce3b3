/** Phones that work without a network and synchronize when they have one again. */

import { describe, expect, test } from 'bun:test'

import { createAsset } from '../assets/helpers.ts'
import { png, uploaded } from '../files/helpers.ts'
import { ok, passed, type Person, useServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { addMembers, createOrg, leave } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { Phone, type Result } from '../sync/phone.ts'

const { server } = useServer({ noAdmin: true })

/** Signs the user in on another device, or again on the same one. */
async function signIn(user: Person, deviceId = `device-${crypto.randomUUID()}`): Promise<Person> {
  const body = { account: user.username, password: user.password }
  const reply = await server.request('POST', '/api/auth/login', { headers: { 'x-device-id': deviceId }, body })
  return person(server.url, reply, user.username, user.password, deviceId)
}

const conflictsOf = async (user: Person, query = {}) =>
  ok(await user.get('/api/sync/conflicts', query)).data.items as {
    id: number
    winner: string
    serverId: number
    clientData: object | null
    serverData: Record<string, unknown> | null
    status: string
  }[]
const resolve = (user: Person, conflictId: number | undefined, acceptServer: boolean) =>
  user.post('/api/sync/resolve', { conflictId, acceptServer })
const shown = (results: readonly Result[]) =>
  results.map(({ status, code, details }) =>
    [status, code, details?.[0]?.path].filter((part) => part !== undefined).join(' '),
  )

describe('a day without a network', () => {
  test('a phone scans, makes QR codes in new categories, takes photos and edits assets, and sends everything in the evening', async () => {
    const user = await server.person()
    const kept = await createCode(user, { name: 'Menu' })
    const thrown = await createCode(user, { name: 'Old menu' })
    const asset = await createAsset(user, { name: 'Drill', status: 'IN_USE' })
    const phone = new Phone(user)
    await phone.pull()
    expect(phone.all('qrCode').map((row) => row['name'])).toEqual(['Menu', 'Old menu'])

    // Everything below happens without a network. References are local ids, also of rows that come later in the queue.
    const stand = phone.create('qrCode', { name: 'Stand 4', content: 'https://example.org/4', categoryId: 'to come' })
    const fairs = phone.create('category', { name: 'Fairs' })
    const spring = phone.create('category', { name: 'Spring', color: '#AABBCC', parentId: fairs })
    phone.pending[0]!.data!['categoryId'] = spring
    const scan = phone.create('scanRecord', {
      content: 'https://example.org/4',
      source: 'CAMERA',
      scannedAt: Date.now(),
    })
    const cupboards = phone.create('assetCategory', { name: 'Cupboards' })
    const cupboard = phone.create('asset', { name: 'Cupboard', assetNo: 'C-1', categoryId: cupboards })
    phone.edit('asset', asset.id, { name: 'Hammer drill', status: 'REPAIR' })
    phone.edit('qrCode', kept.id, { pinned: true })
    phone.remove('qrCode', thrown.id)

    // In the evening the pictures are uploaded first.
    const file = await uploaded(user, png(), { type: 'album', name: 'stand.png' })
    const photo = phone.create('albumPhoto', { fileId: file.id, qrCodeId: stand, takenAt: 1_700_000_000_000 })
    const pushed = phone.pending
    const first = await phone.pushAll()

    // The phone did not get that answer, and sends everything again.
    phone.pending = pushed
    expect(await phone.pushAll()).toEqual(first)
    await phone.expectCurrent()

    const category = phone.own('category', spring)
    expect(category).toMatchObject({ name: 'Spring', color: '#aabbcc', parentId: phone.own('category', fairs).id })
    expect(phone.own('qrCode', stand)).toMatchObject({ name: 'Stand 4', categoryId: category.id, orgId: null })
    expect(phone.own('scanRecord', scan)).toMatchObject({ content: 'https://example.org/4' })
    expect(phone.own('asset', cupboard)).toMatchObject({
      assetNo: 'C-1',
      categoryId: phone.own('assetCategory', cupboards).id,
    })
    expect(phone.own('albumPhoto', photo)).toMatchObject({
      fileId: file.id,
      qrCodeId: phone.own('qrCode', stand).id,
      takenAt: 1_700_000_000_000,
    })
    expect(phone.row('asset', asset.id)).toMatchObject({ name: 'Hammer drill', status: 'REPAIR' })
    expect(phone.row('qrCode', kept.id)['pinned']).toBe(true)
    expect(phone.all('qrCode')).toHaveLength(2)
    expect(phone.all('asset')).toHaveLength(2)
    expect(ok(await user.get('/api/qr-codes/trash')).data.items.map((row: { id: number }) => row.id)).toEqual([
      thrown.id,
    ])

    // The next day, the phone moves the photo to another place. Its local ids still work.
    phone.edit('albumPhoto', phone.own('albumPhoto', photo).id, {
      takenAt: 1_600_000_000_000,
      latitude: 30.25,
      longitude: 120.15,
      qrCodeId: stand,
    })
    await phone.pushAll()
    await phone.expectCurrent()
    expect(phone.own('albumPhoto', photo)).toMatchObject({ latitude: 30.25, takenAt: 1_600_000_000_000, version: 2 })
  })

  test('records that the server rejects stay on the phone, and those that refer to them too', async () => {
    const user = await server.person()
    const phone = new Phone(user)
    const asset = await createAsset(user, { assetNo: 'A-1' })
    const bad = phone.create('category', { name: '' })
    phone.create('qrCode', { name: 'In it', content: 'x', categoryId: bad })
    phone.create('asset', { name: 'Twin', assetNo: 'a-1' })
    phone.create('albumPhoto', { takenAt: 1 })
    const good = phone.create('qrCode', { name: 'Alone', content: 'x' })
    const { results } = ok(await phone.push()).data
    expect(shown(results)).toEqual([
      'REJECTED 400 data.name',
      'REJECTED 400 data.categoryId',
      'REJECTED 400 data.assetNo',
      'REJECTED 400 data.fileId',
      'APPLIED',
    ])
    expect(phone.pending.map(({ entity }) => entity)).toEqual(['category', 'qrCode', 'asset', 'albumPhoto'])
    await phone.expectCurrent()
    expect([phone.all('qrCode').map((row) => row.localId), phone.all('asset').map((row) => row.id)]).toEqual([
      [good],
      [asset.id],
    ])
    // The user corrects them.
    const [category, , twin] = phone.pending
    category!.data!['name'] = 'Tools'
    twin!.data!['assetNo'] = 'A-2'
    phone.pending[3]!.data!['fileId'] = (await uploaded(user, png(), { type: 'album' })).id
    await phone.pushAll()
    await phone.expectCurrent()
    expect(phone.all('qrCode')[1]).toMatchObject({ name: 'In it', categoryId: phone.own('category', bad).id })
  })
})

describe('edits on both sides', () => {
  test('the later edit wins, the other one is on the list of conflicts, and the user can take either', async () => {
    const user = await server.person()
    const [early, late, gone, back] = [
      await createAsset(user, { name: 'Early' }),
      await createAsset(user, { name: 'Late' }),
      await createAsset(user, { name: 'Gone' }),
      await createAsset(user, { name: 'Back' }),
    ]
    const phone = new Phone(user)
    await phone.pull()
    const before = Date.now() - 60_000
    phone.edit('asset', early.id, { name: 'Early, by the phone' }, before)
    phone.remove('asset', gone.id, before)
    // Meanwhile in a browser.
    const { call } = user
    ok(await call('assets.update', { params: { id: early.id }, body: { name: 'Early, by the browser' } }))
    ok(await call('assets.update', { params: { id: gone.id }, body: { name: 'Gone, but not yet' } }))
    ok(await call('assets.update', { params: { id: late.id }, body: { brand: 'Browser' } }))
    ok(await call('assets.delete', { params: { id: back.id } }))
    await passed(ok(await user.get('/api/sync/pull', { since: phone.since })).data.serverTime)
    phone.edit('asset', late.id, { name: 'Late, by the phone' })
    phone.edit('asset', back.id, { name: 'Back again' })

    const { results } = ok(await phone.push()).data
    expect(shown(results)).toEqual(['CONFLICT', 'CONFLICT', 'APPLIED', 'APPLIED'])
    await phone.expectCurrent()
    const names = () => phone.all('asset').map((row) => row['name'])
    expect(names()).toEqual(['Early, by the browser', 'Late, by the phone', 'Gone, but not yet', 'Back again'])
    expect(phone.row('asset', late.id)['brand']).toBe('Browser')

    const conflicts = await conflictsOf(user)
    expect(conflicts.map(({ id }) => id)).toEqual(
      results.map(({ conflictId }) => conflictId!).toSorted((a, b) => b - a),
    )
    const lost = new Map(
      conflicts.map(({ winner, serverId, serverData }) => [serverId, [winner, serverData?.['name'] ?? null]]),
    )
    expect(lost.get(early.id)).toEqual(['SERVER', 'Early, by the browser'])
    expect(lost.get(gone.id)).toEqual(['SERVER', 'Gone, but not yet'])
    expect(lost.get(late.id)).toEqual(['CLIENT', 'Late'])
    expect(lost.get(back.id)).toEqual(['CLIENT', null])

    const [onEarly, onGone, onLate, onBack] = results.map(({ conflictId }) => conflictId)
    // The phone's edit of the first asset and its deletion of the third shall count after all.
    for (const id of [onEarly, onGone])
      expect(ok(await resolve(user, id, false)).data).toMatchObject({ version: 0, acceptServer: false })
    phone.pending = [
      { ...phone.edit('asset', early.id, { name: 'Early, by the phone' }, before), baseVersion: 0 },
      { ...phone.remove('asset', gone.id, before), baseVersion: 0 },
    ]
    await phone.pushAll()
    // The server's states of the other two shall count, although the phone had won.
    const accepted = ok(await resolve(user, onLate, true)).data
    expect(accepted).toMatchObject({ entity: 'asset', serverId: late.id, acceptServer: true })
    ok(await resolve(user, onBack, true))
    expect((await resolve(user, onBack, false)).status).toBe(400)
    ok(await resolve(user, onBack, true))
    await phone.expectCurrent()
    expect(names()).toEqual(['Early, by the phone', 'Late'])
    expect(phone.row('asset', late.id).version).toBe(accepted.version)
    expect(await conflictsOf(user)).toEqual([])
    expect(await conflictsOf(user, { status: 'ALL', entity: 'asset' })).toHaveLength(4)
  })

  test('colleagues who edit the assets of their organization on two phones end with the same rows', async () => {
    const [owner, member] = [await server.person(), await server.person()]
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    await createAsset(owner, { orgId: org.id, name: 'Ladder' })
    await createAsset(owner, { orgId: org.id, name: 'Saw' })
    const [ours, theirs] = [new Phone(owner), new Phone(owner, org.id)]
    const reader = new Phone(member)
    for (const phone of [ours, theirs, reader]) await phone.pull()
    const [ladder, saw] = ours.all('asset')
    expect(reader.all('asset').map(({ id }) => id)).toEqual([ladder!.id, saw!.id])

    ours.edit('asset', ladder!.id, { brand: 'Phone' })
    ok(await owner.call('assets.update', { params: { id: saw!.id }, body: { brand: 'Browser' } }))
    ours.create('asset', { name: 'Rope', orgId: org.id })
    await ours.pushAll()
    // Members may see the assets of this organization, and not change them.
    reader.edit('asset', ladder!.id, { brand: 'Mine' })
    reader.create('asset', { name: 'Mine', orgId: org.id })
    expect(shown(ok(await reader.push()).data.results)).toEqual(['REJECTED 403', 'REJECTED 403'])
    for (const phone of [ours, theirs, reader]) await phone.expectCurrent()
    const assets = (phone: Phone) => phone.state()['asset']
    expect(assets(reader)).toEqual(assets(theirs))
    expect(assets(ours)).toEqual(assets(theirs))
    expect(ours.all('asset').map((row) => row['brand'])).toEqual(['Phone', 'Browser', expect.anything()])
  })
})

describe('phones that may no longer keep or send everything', () => {
  test('leaving an organization takes its rows from the phone, and joining it again brings them back', async () => {
    const [owner, member] = [await server.person(), await server.person()]
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const body = { name: 'Of the organization', content: 'x', orgId: org.id }
    const theirs = ok(await owner.call('qrCodes.create', { body })).data
    const own = await createCode(member, { name: 'Own' })
    const phone = new Phone(member)
    await phone.pull()
    expect(phone.all('qrCode').map(({ id }) => id)).toEqual([theirs.id, own.id])
    phone.edit('qrCode', theirs.id, { name: 'Edited too late' })
    phone.edit('qrCode', own.id, { name: 'Still own' })
    ok(await leave(member, org))
    expect(shown(ok(await phone.push()).data.results)).toEqual(['REJECTED 404', 'APPLIED'])
    expect((await member.get('/api/sync/pull', { since: 0, orgId: org.id })).status).toBe(403)
    await phone.expectCurrent()
    expect(phone.all('qrCode').map((row) => row['name'])).toEqual(['Still own'])
    expect(ok(await owner.get(`/api/qr-codes/${theirs.id}`)).data.name).toBe('Of the organization')

    await addMembers(owner, org, member)
    await phone.expectCurrent()
    expect(phone.all('qrCode').map((row) => row['name'])).toEqual(['Of the organization', 'Still own'])
  })

  test('a lost phone cannot push once its session is revoked, and after a new sign-in nothing is lost', async () => {
    const user = await server.person()
    const code = await createCode(user, { name: 'Menu' })
    const phone = new Phone(user)
    await phone.pull()
    const local = phone.create('category', { name: 'First' })
    await phone.pushAll()
    phone.edit('qrCode', code.id, { name: 'New menu' })
    phone.create('qrCode', { name: 'Made on the way', content: 'x', categoryId: local })

    const laptop = await signIn(user)
    ok(await laptop.call('sessions.revoke', { params: { sessionId: user.sessionId } }))
    const pending = [...phone.pending]
    expect((await phone.push()).status).toBe(401)
    expect((await user.get('/api/sync/pull', { since: phone.since })).status).toBe(401)
    expect(phone.pending).toEqual(pending)
    expect(ok(await laptop.get(`/api/qr-codes/${code.id}`)).data.name).toBe('Menu')

    // It was found again. Its local ids belong to the device, not to the session.
    phone.user = await signIn(user, user.deviceId)
    await phone.pushAll()
    await phone.expectCurrent()
    expect(phone.all('qrCode').map((row) => [row['name'], row['categoryId']])).toEqual([
      ['New menu', null],
      ['Made on the way', phone.own('category', local).id],
    ])
  })

  test('two phones of one user use the same local ids for different rows, and end with the same rows', async () => {
    const user = await server.person()
    await createCategory(user, 'Common')
    const [first, second] = [new Phone(user), new Phone(await signIn(user))]
    for (const phone of [first, second]) await phone.pull()
    first.pending = [
      { entity: 'category', localId: 'c', baseVersion: 0, updatedAt: Date.now(), data: { name: 'By the first' } },
      {
        entity: 'qrCode',
        localId: 'c',
        baseVersion: 0,
        updatedAt: Date.now(),
        data: { name: 'Code of the first', content: 'x', categoryId: 'c' },
      },
    ]
    second.pending = [
      { entity: 'category', localId: 'c', baseVersion: 0, updatedAt: Date.now(), data: { name: 'By the second' } },
    ]
    await Promise.all([first.pushAll(), second.pushAll()])
    for (const phone of [first, second]) await phone.expectCurrent()
    expect(first.state()).toEqual(second.state())
    expect(first.own('category', 'c')['name']).toBe('By the first')
    expect(second.own('category', 'c')['name']).toBe('By the second')
    expect(second.all('qrCode').map((row) => [row['categoryId'], row.localId])).toEqual([
      [first.own('category', 'c').id, undefined],
    ])

    // One phone deletes what the other one has changed a moment later.
    const [common] = first.all('category')
    first.remove('category', common!.id, Date.now() - 60_000)
    second.edit('category', common!.id, { name: 'Still needed' })
    await second.pushAll()
    expect(shown(ok(await first.push()).data.results)).toEqual(['CONFLICT'])
    for (const phone of [first, second]) await phone.expectCurrent()
    expect(first.state()).toEqual(second.state())
    expect(first.row('category', common!.id)['name']).toBe('Still needed')
    const conflicts = await conflictsOf(second.user)
    expect(conflicts.map(({ winner, clientData }) => [winner, clientData])).toEqual([['SERVER', null]])
    ok(await resolve(first.user, conflicts[0]!.id, true))
    expect(await conflictsOf(first.user)).toEqual([])
  })
})
