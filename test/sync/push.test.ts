import { describe, expect, test } from 'bun:test'

import { setOrgStatus } from '#domains/orgs/index.ts'

import { inProcess, ok, type Person, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { allPages, createCategory, createCode } from '../qr-codes/helpers.ts'
import { conflictsOf, newCategory, newCode, otherDevice, push, pushOne, record } from './push-helpers.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

const codeOf = async (user: Person, id: number | null) => ok(await user.get(`/api/qr-codes/${id}`)).data
const rejected = (code: number) => ({ status: 'REJECTED', code, version: null, updatedAt: null })

describe('POST /api/sync/push', () => {
  test('creates rows and answers their ids and versions in the order of the request', async () => {
    const before = Date.now()
    const { data } = ok(
      await alice.post('/api/sync/push', {
        records: [newCategory('Menus', { localId: 'c1' }), newCode('Spring', { localId: 'q1' }, { tags: ['a'] })],
      }),
    )
    const [category, code] = data.results
    expect(category).toEqual({
      entity: 'category',
      localId: 'c1',
      serverId: category.serverId,
      version: 1,
      updatedAt: category.updatedAt,
      status: 'APPLIED',
    })
    expect(code).toMatchObject({ entity: 'qrCode', localId: 'q1', status: 'APPLIED', version: 1 })
    expect(code.updatedAt).toBeGreaterThanOrEqual(before)
    expect(data.serverTime).toBeGreaterThanOrEqual(code.updatedAt)
    expect(ok(await alice.get(`/api/categories/${category.serverId}`)).data).toMatchObject({ name: 'Menus' })
    expect(await codeOf(alice, code.serverId)).toMatchObject({ name: 'Spring', tags: ['a'] })
  })

  test('creates, changes and deletes a row in the order of the request', async () => {
    const localId = 'whole life'
    const [created, changed, deleted, deletedAgain] = await push(
      alice,
      newCode('young', { localId }),
      record({ entity: 'qrCode', localId, baseVersion: 1, data: { name: 'old' } }),
      record({ entity: 'qrCode', localId, baseVersion: 2, deleted: true }),
      record({ entity: 'qrCode', localId, baseVersion: 3, deleted: true }),
    )
    const { serverId } = created!
    expect([created, changed, deleted, deletedAgain]).toMatchObject(
      [1, 2, 3, 3].map((version) => ({ status: 'APPLIED', version, serverId })),
    )
    expect((await alice.get(`/api/qr-codes/${serverId}`)).status).toBe(404)
  })

  test('answers an update that changes nothing with the version that the row has, whatever the times', async () => {
    const { serverId } = await pushOne(alice, newCode('same', { localId: 'same' }))
    ok(await alice.put(`/api/qr-codes/${serverId}`, { remark: 'of the server' }))
    const same = { entity: 'qrCode', localId: 'same', data: { name: 'same', remark: 'of the server' } }
    for (const [baseVersion, updatedAt] of [
      [1, 1],
      [2, 2],
      [0, Date.now()],
      [9, Date.now() + 1000],
    ])
      expect(await pushOne(alice, { ...same, baseVersion, updatedAt })).toMatchObject({ status: 'APPLIED', version: 2 })
    expect((await conflictsOf(alice)).filter(({ localId }) => localId === 'same')).toEqual([])
  })

  test('keeps fields that an update does not name', async () => {
    const { serverId } = await pushOne(alice, newCode('partial', { localId: 'partial' }, { remark: 'stays' }))
    await pushOne(alice, { entity: 'qrCode', localId: 'partial', baseVersion: 1, data: { pinned: true } })
    expect(await codeOf(alice, serverId)).toMatchObject({ name: 'partial', remark: 'stays', pinned: true })
  })

  test('ignores fields that clients cannot set, so a whole row can be sent back', async () => {
    const code = await createCode(alice)
    const result = await pushOne(alice, {
      entity: 'qrCode',
      serverId: code.id,
      baseVersion: 1,
      data: { ...code, id: 1, uuid: 'x', scanCount: 7, orgId: 99, createdAt: 1, version: 8, name: 'sent back' },
    })
    expect(result).toMatchObject({ status: 'APPLIED', serverId: code.id, version: 2 })
    expect(await codeOf(alice, code.id)).toEqual({
      ...code,
      name: 'sent back',
      ...('updatedAt' in code && { updatedAt: result.updatedAt! }),
      ...('version' in code && { version: 2 }),
    })
  })

  test('deletes nothing for a local id that is not known', async () => {
    expect(await pushOne(alice, { localId: 'never seen', deleted: true })).toEqual({
      entity: 'category',
      localId: 'never seen',
      serverId: null,
      version: 0,
      updatedAt: null,
      status: 'APPLIED',
    })
  })

  test('rejects a version for a row that the device has not pushed', async () => {
    for (const deleted of [true, false])
      expect(await pushOne(alice, newCategory('no', { baseVersion: 1, deleted }))).toMatchObject({
        ...rejected(400),
        serverId: null,
        details: [{ path: 'baseVersion' }],
      })
  })

  test('rejects records one by one: the others are applied', async () => {
    const parent = await createCategory(alice, 'with a child')
    await createCategory(alice, 'child', parent)
    const results = await push(
      alice,
      newCategory('good'),
      newCategory('x'.repeat(101)),
      record({ entity: 'animal', data: {} }),
      record({ entity: '__proto__', data: {} }),
      record({ entity: 'category', serverId: parent, baseVersion: 1, deleted: true }),
      record({ entity: 'category', serverId: 999_999_999, baseVersion: 1, deleted: true }),
      newCode('deep', {}, { parentId: 1, content: '' }),
      newCategory('good too'),
    )
    expect(results).toMatchObject([
      { status: 'APPLIED' },
      { ...rejected(400), details: [{ path: 'data.name' }] },
      { ...rejected(400), details: [{ path: 'entity' }] },
      { ...rejected(400), details: [{ path: 'entity' }] },
      { ...rejected(400), serverId: parent },
      { ...rejected(404), serverId: 999_999_999 },
      { ...rejected(400), details: [{ path: 'data.content' }] },
      { status: 'APPLIED' },
    ])
    for (const { status, message } of results)
      expect(typeof message).toBe(status === 'APPLIED' ? 'undefined' : 'string')
  })

  test('deletes a category whose children do not stay, in any order, and no other one', async () => {
    const make = async (name: string, parentId: number | null = null) => createCategory(alice, name, parentId)
    const tops = [await make('top'), await make('with a moved child'), await make('with a child that stays')]
    const middle = await make('middle', tops[0])
    const [leaf, moved, stays] = [
      await make('leaf', middle),
      await make('moved', tops[1]),
      await make('stays', tops[2]),
    ]
    const deletion = (serverId: number) => record({ serverId, baseVersion: 1, deleted: true })
    const results = await push(
      alice,
      ...tops.map(deletion),
      deletion(middle),
      deletion(leaf),
      record({ serverId: moved, baseVersion: 1, data: { parentId: null } }),
      newCategory('unrelated'),
    )
    expect(results.map(({ status }) => status)).toEqual([
      'APPLIED',
      'APPLIED',
      'REJECTED',
      'APPLIED',
      'APPLIED',
      'APPLIED',
      'APPLIED',
    ])
    const left = ok(await alice.get('/api/categories', { size: 100 })).data.items as {
      id: number
      parentId: number | null
    }[]
    expect(left.filter(({ id }) => [...tops, middle, leaf, moved!, stays!].includes(id)).map(({ id }) => id)).toEqual([
      tops[2]!,
      moved!,
      stays!,
    ])
  })

  test('answers in the language of the caller', async () => {
    const answer = await alice.send('POST', '/api/sync/push', {
      headers: { 'accept-language': 'zh-CN' },
      body: { records: [newCategory(''), newCategory('c', { serverId: 999_999_999 })] },
    })
    expect(ok(answer).data.results).toMatchObject([
      { message: '请求无效', details: [{ path: 'data.name' }] },
      { message: '未找到' },
    ])
  })

  test("rejects other users' rows with 404 and does not change them", async () => {
    const code = await createCode(bob, { name: 'of Bob' })
    const results = await push(
      alice,
      record({ entity: 'qrCode', serverId: code.id, baseVersion: 1, data: { name: 'stolen' } }),
      record({ entity: 'qrCode', serverId: code.id, baseVersion: 1, deleted: true }),
      record({ entity: 'qrCode', serverId: code.id, baseVersion: 0, updatedAt: 1, data: { name: 'stolen' } }),
    )
    expect(results).toMatchObject([rejected(404), rejected(404), rejected(404)])
    expect(results.map(({ message }) => message)).toEqual(Array(3).fill('Not found'))
    expect((await codeOf(bob, code.id)).name).toBe('of Bob')
    ok(await bob.delete(`/api/qr-codes/${code.id}`))
    expect(await pushOne(alice, { entity: 'qrCode', serverId: code.id, deleted: true })).toMatchObject(rejected(404))
    ok(await bob.delete('/api/qr-codes/trash'))
    expect(await pushOne(alice, { entity: 'qrCode', serverId: code.id, deleted: true })).toMatchObject(rejected(404))
    expect(await conflictsOf(alice, { entity: 'qrCode' })).toEqual(
      (await conflictsOf(alice, { entity: 'qrCode' })).filter(({ serverId }) => serverId !== code.id),
    )
  })

  test('needs a signed-in user and the permission sync:push', async () => {
    expect((await server.request('POST', '/api/sync/push', { body: { records: [newCategory('x')] } })).status).toBe(401)
    expect((await admin.get('/api/sync/conflicts')).status).toBe(200)
  })
})

describe('rows of organizations in a push', () => {
  const codeIn = (orgId: number, fields = {}) => newCode('of the organization', fields, { orgId })

  test('are created where the data names an organization in which the user may create them', async () => {
    const org = await createOrg(alice)
    const results = await push(
      alice,
      codeIn(org.id),
      newCode('snake', {}, { org_id: org.id }),
      newCode('no', {}, { orgId: null }),
    )
    expect(results.map(({ status }) => status)).toEqual(['APPLIED', 'APPLIED', 'APPLIED'])
    const items = await allPages(alice, '/api/qr-codes', 100, { orgId: org.id })
    expect(items.map(({ id }) => id)).toEqual([results[0]!.serverId!, results[1]!.serverId!])
  })

  test('are rejected with 403 in organizations in which the user may not create them, also unknown ones', async () => {
    const org = await createOrg(alice)
    for (const orgId of [org.id, 999_999_999]) expect(await pushOne(bob, codeIn(orgId))).toMatchObject(rejected(403))
    await addMembers(alice, org, bob)
    await setRole(alice, org, bob, 'GUEST')
    expect(await pushOne(bob, codeIn(org.id))).toMatchObject(rejected(403))
    expect(await allPages(alice, '/api/qr-codes', 100, { orgId: org.id })).toEqual([])
    for (const orgId of ['1', 1.5, -1, {}])
      expect(await pushOne(alice, newCode('odd', {}, { orgId }))).toMatchObject({
        ...rejected(400),
        details: [{ path: 'data.orgId' }],
      })
    expect(await pushOne(alice, newCategory('personal', {}, { orgId: org.id }))).toMatchObject({
      ...rejected(400),
      details: [{ path: 'data.orgId' }],
    })
  })

  test('are changed by members who may, rejected with 403 for those who may only read, and with 404 for others', async () => {
    const org = await createOrg(alice)
    const { serverId } = await pushOne(alice, codeIn(org.id))
    const change = (name: string) => ({ entity: 'qrCode', serverId, baseVersion: 1, data: { name } })
    const deletion = { entity: 'qrCode', serverId, baseVersion: 1, deleted: true }
    expect(await pushOne(bob, change('of a stranger'))).toMatchObject(rejected(404))
    expect(await pushOne(bob, deletion)).toMatchObject(rejected(404))
    await addMembers(alice, org, bob)
    await setRole(alice, org, bob, 'GUEST')
    expect(await pushOne(bob, change('of a guest'))).toMatchObject(rejected(403))
    expect(await pushOne(bob, deletion)).toMatchObject(rejected(403))
    await setRole(alice, org, bob, 'ADMIN')
    expect(await pushOne(bob, change('of an administrator'))).toMatchObject({ status: 'APPLIED', version: 2 })
    // An organization in the data of a row that exists is ignored.
    const own = await pushOne(bob, newCode('personal'))
    const moved = { entity: 'qrCode', serverId: own.serverId, baseVersion: 1, data: { orgId: org.id, name: 'moved' } }
    expect(await pushOne(bob, moved)).toMatchObject({ status: 'APPLIED' })
    expect((await codeOf(bob, own.serverId)).name).toBe('moved')
    expect(await allPages(alice, '/api/qr-codes', 100, { orgId: org.id })).toHaveLength(1)
  })
})

test.if(inProcess)('rows of a disabled organization are rejected with 403', async () => {
  const org = await createOrg(alice)
  const { serverId } = await pushOne(alice, newCode('of the organization', {}, { orgId: org.id }))
  await server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, 'DISABLED'))
  expect(
    await push(
      alice,
      newCode('new', {}, { orgId: org.id }),
      record({ entity: 'qrCode', serverId, baseVersion: 1, data: { name: 'changed' } }),
      record({ entity: 'qrCode', serverId, baseVersion: 1, deleted: true }),
    ),
  ).toMatchObject([rejected(403), rejected(403), rejected(403)])
})

describe('a push of bad input', () => {
  const bad = async (records: unknown) => {
    const answer = await alice.post('/api/sync/push', { records })
    expect(answer.status).toBe(400)
    return answer.details.map(({ path }) => path)
  }
  const good = { entity: 'category', localId: 'bad input', baseVersion: 0, updatedAt: 1, data: { name: 'bad input' } }

  test('is refused as a whole, and nothing is written', async () => {
    const without = (key: string) => Object.fromEntries(Object.entries(good).filter(([name]) => name !== key))
    for (const key of ['entity', 'localId', 'baseVersion', 'updatedAt', 'data'])
      expect(await bad([good, without(key)])).toEqual([`body.records.1.${key}`])
    for (const [field, values] of Object.entries({
      entity: [1, null, '', 'x'.repeat(65), 'a\0b'],
      localId: [1, null, '', 'x'.repeat(65), 'a\0b', '\ud800', { toString: 'x' }],
      baseVersion: [-1, 1.5, '1', null, 2 ** 60],
      updatedAt: [-1, 1.5, 'yesterday', null, 2 ** 60, '2026-02-30'],
      data: [null, [], 'x', 1, true],
      serverId: [0, -1, 1.5, '5', 2 ** 60],
      deleted: [1, 'true'],
    }))
      for (const value of values)
        expect(await bad([good, { ...good, [field]: value }])).toEqual([`body.records.1.${field}`])
    for (const records of [[], null, {}, 'x', undefined]) expect(await bad(records)).toEqual(['body.records'])
    expect(await bad([null])).toEqual(['body.records.0'])
    const { items } = ok(await alice.get('/api/categories', { keyword: 'bad input' })).data
    expect(items).toEqual([])
  })

  test('is refused when it has more than 1,000 records, and lists 50 problems at most', async () => {
    expect(await bad(Array.from({ length: 1001 }, () => good))).toEqual(['body.records'])
    for (const one of [{}, { ...good, data: 1 }]) {
      const paths = await bad(Array.from({ length: 1000 }, () => one))
      expect(paths).toHaveLength(51)
    }
  })

  test('is refused when it is too large, too deep or has too many values', async () => {
    const statusOf = async (data: unknown) =>
      (await alice.post('/api/sync/push', { records: [{ ...good, data }] })).status
    expect(await statusOf({ name: 'x'.repeat(5 * 1024 * 1024) })).toBe(413)
    let deep: unknown = 1
    for (let i = 0; i < 40; i++) deep = { deep }
    expect(await statusOf({ name: 'x', deep })).toBe(400)
    expect(await statusOf({ name: 'x', many: Array(100_001).fill(0) })).toBe(400)
  })

  test('with odd data is rejected for its record only, or ignored if the entity has no such field', async () => {
    const results = await push(
      alice,
      newCategory('a\0b'),
      newCategory('\ud800'),
      newCategory('fine', {}, { unknown: '\0\ud800', ['__proto__']: { name: 'x' }, constructor: 1, toString: null }),
      newCategory('huge', {}, { sortOrder: 1e308 }),
      newCategory('large', {}, { unknown: 'x'.repeat(256 * 1024) }),
      record({ data: JSON.parse('{"__proto__": {"name": "hidden"}}') }),
    )
    expect(results).toMatchObject([
      { ...rejected(400), details: [{ path: 'data.name' }] },
      { ...rejected(400), details: [{ path: 'data.name' }] },
      { status: 'APPLIED' },
      { ...rejected(400), details: [{ path: 'data.sortOrder' }] },
      { ...rejected(400), details: [{ path: 'data' }] },
      { ...rejected(400), details: [{ path: 'data.name' }] },
    ])
  })

  test('with odd data that loses is kept as it was pushed', async () => {
    const { serverId } = await pushOne(alice, newCategory('odd'))
    await pushOne(await otherDevice(server, alice), { serverId, baseVersion: 1, data: { name: 'changed' } })
    const data = { name: 'lost', unknown: 'a\0b\ud800', ['__proto__']: 1 }
    const { conflictId } = await pushOne(alice, { serverId, baseVersion: 1, updatedAt: 1, data })
    const kept = (await conflictsOf(alice)).find(({ id }) => id === conflictId)
    expect(JSON.stringify(kept!.clientData)).toBe(JSON.stringify(data))
  })
})

describe('limits of pushes', () => {
  test('a user pushes at most as many records a day as the setting says, and the budget survives a restart of the day', async () => {
    const limited = await startServer({ rateLimit: true, settings: { 'budget.pushedRecordsPerUser': 5 } })
    try {
      const user = await limited.person()
      await push(user, newCategory('1'), newCategory('2'), newCategory('3'))
      const refused = await user.post('/api/sync/push', {
        records: [newCategory('4'), newCategory('5'), newCategory('6')],
      })
      expect([refused.status, refused.code]).toEqual([429, 4022])
      expect(refused.headers.get('retry-after')).not.toBeNull()
      await push(user, newCategory('4'), newCategory('5'))
      expect(ok(await user.get('/api/categories')).data.total).toBe(5)
      if (inProcess) {
        limited.clock.advance(24 * 3_600_000)
        await push(user, newCategory('7'))
      }
    } finally {
      await limited.stop()
    }
  })

  test('other requests are answered during a push of 1,000 records, and between its records', async () => {
    let isPushing = true
    const pushing = push(alice, ...Array.from({ length: 1000 }, (_, i) => newCategory(`during ${i}`))).then(
      (results) => {
        isPushing = false
        return results
      },
    )
    let answers = 0
    while (isPushing) {
      ok(await bob.get('/api/categories', { size: 1 }))
      if (isPushing) answers += 1
    }
    const results = await pushing
    // In one turn of the event loop, none would be answered. Writes of 64 records at a time leave more than 15 turns.
    expect(answers).toBeGreaterThan(10)
    expect(results.every(({ status }) => status === 'APPLIED')).toBe(true)
  })

  test('pushes of several devices at once are all answered', async () => {
    const carol = await server.person('carol')
    const devices = [carol, ...(await Promise.all([1, 2, 3, 4, 5].map(() => otherDevice(server, carol))))]
    const answers = await Promise.all(
      devices.flatMap((device, d) =>
        [1, 2, 3].map((n) => push(device, newCategory(`${d} ${n}`), newCategory(`${d} ${n} b`))),
      ),
    )
    expect(answers.flat().every(({ status }) => status === 'APPLIED')).toBe(true)
    expect(ok(await carol.get('/api/categories')).data.total).toBe(36)
  })
})
