import { describe, expect, test } from 'bun:test'

import { formatter, numberKey, ranges } from '#domains/assets/numbers.rules.ts'
import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { addMany, createAsset, deleteAsset, updateAsset } from './helpers.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'], noAdmin: true })
const year = new Date().getFullYear()

const setPattern = (pattern: string) =>
  server.ctx.db.write('test', (tx) => setSetting(tx, 'assets.numberPattern', pattern))

describe('asset numbers', () => {
  test('assets without a number get the numbers of the pattern, counted for each owner', async () => {
    const [first, second] = [await createAsset(alice), await createAsset(alice)]
    const padded = (n: number) => `A-${year}-${String(n).padStart(5, '0')}`
    expect([first.assetNo, second.assetNo]).toEqual([padded(1), padded(2)])
    expect((await createAsset(bob, { assetNo: '' })).assetNo).toBe(padded(1))
    expect((await createAsset(bob, { assetNo: null })).assetNo).toBe(padded(2))
    const org = await createOrg(alice)
    expect((await createAsset(alice, { orgId: org.id })).assetNo).toBe(padded(1))
  })

  test('a number is unique among the assets of an owner, ignoring case, and free for other owners', async () => {
    const asset = await createAsset(alice, { assetNo: 'Uniq-É1' })
    for (const assetNo of ['Uniq-É1', 'UNIQ-é1', ' uniq-é1 ', 'uniq-e\u03011']) {
      const reply = await alice.post('/api/assets', { name: 'a', assetNo })
      expect([reply.status, reply.details[0]?.path], assetNo).toEqual([400, 'body.assetNo'])
    }
    expect((await createAsset(bob, { assetNo: 'uniq-é1' })).assetNo).toBe('uniq-é1')
    const other = await createAsset(alice, { assetNo: 'other' })
    const reply = await updateAsset(alice, other.id, { assetNo: 'UNIQ-É1' })
    expect([reply.status, reply.details[0]?.path]).toEqual([400, 'body.assetNo'])
    expect(ok(await updateAsset(alice, asset.id, { assetNo: 'UNIQ-É1' })).data.assetNo).toBe('UNIQ-É1')
    ok(await deleteAsset(alice, asset.id))
    expect(ok(await updateAsset(alice, other.id, { assetNo: 'UNIQ-É1' })).data.assetNo).toBe('UNIQ-É1')
  })

  test('numbers that are taken are skipped', async () => {
    const user = await server.person()
    for (const n of [1, 2, 4]) await createAsset(user, { assetNo: `a-${year}-0000${n}` })
    expect((await createAsset(user)).assetNo).toBe(`A-${year}-00003`)
    expect((await createAsset(user)).assetNo).toBe(`A-${year}-00005`)
  })

  test.if(inProcess)('a generated number is found behind 5,000 that were imported', async () => {
    const user = await server.person()
    const owner = { userId: user.id, orgId: 0 }
    const numbers = Array.from({ length: 5000 }, (_, i) => `A-${year}-${String(i + 1).padStart(5, '0')}`)
    await addMany(
      server,
      owner,
      numbers.map((assetNo) => ({ assetNo })),
    )
    const taken = new Set(numbers)
    const { assetNo } = await createAsset(user)
    expect(taken.has(assetNo)).toBe(false)
    expect(assetNo).toMatch(new RegExp(`^A-${year}-\\d{5}$`))
  })

  test('of 50 concurrent requests with one number, one registers its asset', async () => {
    const replies = await race(50, (i) =>
      alice.post('/api/assets', { name: 'a', assetNo: i % 2 ? 'race-1' : 'RACE-1' }),
    )
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 200))
      expect([reply.status, reply.details[0]?.path]).toEqual([400, 'body.assetNo'])
    expect(ok(await alice.get('/api/assets', { keyword: 'race-1' })).data.total).toBe(1)
  })

  test('of 50 concurrent updates to one number, one succeeds', async () => {
    const user = await server.person()
    const rows: number[] = []
    for (let i = 0; i < 50; i++) rows.push((await createAsset(user)).id)
    const replies = await race(50, (i) => updateAsset(user, rows[i]!, { assetNo: 'contested' }))
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
    expect(replies.filter((reply) => reply.status === 400)).toHaveLength(49)
  })

  test('50 concurrent requests without a number get 50 numbers without a gap', async () => {
    const user = await server.person()
    const replies = await race(50, () => user.call('assets.create', { body: { name: 'a' } }))
    const numbers = replies.map((reply) => ok(reply).data.assetNo).toSorted()
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, i) => `A-${year}-${String(i + 1).padStart(5, '0')}`))
  })

  test.if(inProcess)('the pattern of the setting makes the numbers', async () => {
    const user = await server.person()
    try {
      await setPattern('资产 {seq:3}/{yyyy}')
      expect((await createAsset(user)).assetNo).toBe(`资产 001/${year}`)
      await setPattern('{seq}')
      expect((await createAsset(user)).assetNo).toBe('2')
    } finally {
      await setPattern('A-{yyyy}-{seq:5}')
    }
  })

  test.if(inProcess)('a pattern without exactly one sequence, or with other braces, is refused', async () => {
    for (const pattern of [
      'A-{yyyy}',
      '{seq}{seq}',
      '{seq:0}',
      '{seq:11}',
      '{seq:}',
      'A{',
      '{year}-{seq}',
      'a\n{seq}',
      `${'x'.repeat(60)}{seq}`,
    ])
      await expect(setPattern(pattern), pattern).rejects.toThrow('Not a valid value')
    await setPattern('A-{yyyy}-{seq:5}')
  })
})

describe('quota', () => {
  test.if(inProcess)('a quota of 5 assets lets exactly 5 of 50 concurrent requests register one', async () => {
    const user = await server.person()
    const quota = (limit: number) => server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.assets', limit))
    await quota(5)
    try {
      const replies = await race(50, () => user.post('/api/assets', { name: 'a' }))
      expect(replies.filter((reply) => reply.status === 200)).toHaveLength(5)
      for (const reply of replies.filter(({ status }) => status !== 200))
        expect([reply.status, reply.code]).toEqual([429, 4022])
      const { items, total } = ok(await user.call('assets.list')).data
      expect(total).toBe(5)
      ok(await deleteAsset(user, items[0]!.id))
      ok(await user.call('assets.create', { body: { name: 'a' } }))
      expect((await user.post('/api/assets', { name: 'a' })).code).toBe(4022)
      expect(ok(await user.get('/api/auth/quotas')).data.assets).toMatchObject({ used: 5, limit: 5 })
    } finally {
      await quota(100_000)
    }
  })

  test.if(inProcess)('the quota of an organization is apart from those of its members', async () => {
    const org = await createOrg(bob)
    const helper: Person = await server.person()
    await addMembers(bob, org, helper)
    await setRole(bob, org, helper, 'ADMIN')
    await createAsset(helper)
    await createAsset(helper, { orgId: org.id })
    const used = async (orgId?: number) =>
      ok(await helper.get('/api/assets', { size: 1, ...(orgId && { orgId }) })).data.total
    expect([await used(), await used(org.id)]).toEqual([1, 1])
  })
})

describe('rules', () => {
  test('patterns are filled with the day and a sequence of at least N digits', () => {
    const day = Temporal.PlainDate.from('2026-03-09')
    for (const [pattern, sequence, number] of [
      ['A-{yyyy}-{seq:5}', 7, 'A-2026-00007'],
      ['A-{yyyy}-{seq:5}', 123_456, 'A-2026-123456'],
      ['{yyyy}{mm}{dd}/{seq}', 1, '20260309/1'],
      [' {seq:2} ', 1, '01'],
      ['{seq:10}$&', 5, '0000000005$&'],
    ] as const)
      expect(formatter(pattern, day)(sequence)).toBe(number)
  })

  test('numbers are compared in lower case and in composed form', () => {
    expect(numberKey('É-1')).toBe(numberKey('e\u0301-1'))
    expect(numberKey('A')).not.toBe(numberKey('B'))
  })

  test('a bounded number of ranges leads past a million taken numbers', () => {
    const all = [...ranges(1, 1)]
    expect(all.length).toBeLessThanOrEqual(60)
    expect(all.findIndex(({ from }) => from > 1_000_000)).toBeLessThan(35)
  })
})
