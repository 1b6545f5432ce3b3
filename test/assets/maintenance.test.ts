/** Plans and records of maintenance, when assets are due, and the notices. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { notifyOfMaintenance } from '#domains/assets/maintenance/notices.service.ts'
import { refreshAll } from '#domains/assets/maintenance/plans.service.ts'

import { png, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave, setRole, UNKNOWN_ID } from '../orgs/helpers.ts'
import { addMany, createAsset, deleteAsset, getAsset, scrapAsset, transfer, updateAsset } from './helpers.ts'
import { createCategory } from './places.ts'

const { server, admin, alice, bob, carol, mallory } = useServer({
  people: ['alice', 'bob', 'carol', 'mallory'],
  // The tests run the jobs of assets themselves.
  domains: (product) => product.map((domain) => (domain.name === 'assets' ? { ...domain, jobs: [] } : domain)),
})
let orgId: number

beforeAll(async () => {
  orgId = (await createOrg(alice, { timeZone: 'Pacific/Auckland' })).id
  await addMembers(alice, { id: orgId }, bob, carol)
  await setRole(alice, { id: orgId }, bob, 'ADMIN')
})

const plan = async (person: Person, fields: object) => {
  const body = { name: 'Check', kind: 'INSPECTION', every: { months: 1 }, firstDue: '2026-01-31', ...fields }
  return ok(await person.post('/api/assets/maintenance/plans', body)).data as { id: number; version: number }
}
const record = async (person: Person, assetId: number, fields: object) =>
  ok(await person.post(`/api/assets/${assetId}/maintenance`, { kind: 'INSPECTION', doneOn: '2026-01-31', ...fields }))
    .data as { id: number; version: number; fileIds: number[] }
const next = async (person: Person, id: number) => ok(await getAsset(person, id)).data.nextMaintenance
const due = async (person: Person, query: object = {}) =>
  ok(await person.call('assetMaintenance.due', { query: { size: 100, ...query } })).data.items
const category = async (person: Person, fields: object = {}) => (await createCategory(person, 'Machines', fields)).id

describe('due dates', () => {
  test('follow the last record of the plan, and the day of the month comes back after a short month', async () => {
    const { id } = await createAsset(alice)
    const { id: planId } = await plan(alice, { assetId: id })
    expect(await next(alice, id)).toBe('2026-01-31')
    await record(alice, id, { planId, doneOn: '2026-01-31' })
    expect(await next(alice, id)).toBe('2026-02-28')
    const late = await record(alice, id, { planId, doneOn: '2026-02-28' })
    expect(await next(alice, id)).toBe('2026-03-31')
    await record(alice, id, { doneOn: '2026-06-01' })
    expect(await next(alice, id)).toBe('2026-03-31')
    ok(await alice.put(`/api/assets/${id}/maintenance/${late.id}`, { nextDue: '2026-05-05' }))
    expect(await next(alice, id)).toBe('2026-05-05')
    ok(await alice.delete(`/api/assets/${id}/maintenance/${late.id}`))
    expect(await next(alice, id)).toBe('2026-02-28')
    ok(await alice.put(`/api/assets/maintenance/plans/${planId}`, { every: { days: 10 } }))
    expect(await next(alice, id)).toBe('2026-02-10')
    ok(await alice.delete(`/api/assets/maintenance/plans/${planId}`))
    expect(await next(alice, id)).toBeNull()
    expect(await due(alice, { assetId: id })).toEqual([])
  })

  test('exist for each asset of a category and of those below it, also for new and moved ones', async () => {
    const top = await category(alice)
    const below = await category(alice, { parentId: top })
    const elsewhere = await category(alice)
    const [inside, deep, outside] = [
      await createAsset(alice, { categoryId: top }),
      await createAsset(alice, { categoryId: below }),
      await createAsset(alice, { categoryId: elsewhere }),
    ]
    const { id: planId } = await plan(alice, { categoryId: top, firstDue: '2026-04-01' })
    const early = await plan(alice, { assetId: deep.id, firstDue: '2026-03-01' })
    const later = await createAsset(alice, { categoryId: below })
    expect(later.nextMaintenance).toBe('2026-04-01')
    expect(await Promise.all([inside, deep, outside].map(({ id }) => next(alice, id)))).toEqual([
      '2026-04-01',
      '2026-03-01',
      null,
    ])
    expect((await due(alice)).map(({ assetId, planId: of, dueOn }) => [assetId, of, dueOn])).toEqual([
      [deep.id, early.id, '2026-03-01'],
      [inside.id, planId, '2026-04-01'],
      [deep.id, planId, '2026-04-01'],
      [later.id, planId, '2026-04-01'],
    ])
    expect(ok(await updateAsset(alice, outside.id, { categoryId: below })).data.nextMaintenance).toBe('2026-04-01')
    expect(ok(await updateAsset(alice, outside.id, { categoryId: null })).data.nextMaintenance).toBeNull()
    expect(ok(await scrapAsset(alice, later.id)).data.nextMaintenance).toBeNull()
    ok(await deleteAsset(alice, deep.id))
    expect((await due(alice)).map(({ assetId }) => assetId)).toEqual([inside.id])
    const { data } = ok(
      await alice.call('assets.list', { query: { sort: 'nextMaintenance', maintenanceTo: '2026-04-01' } }),
    )
    expect(data.items.map(({ id }) => id)).toEqual([inside.id])
  })

  test.if(inProcess)('follow a category that moves or is deleted', async () => {
    const [top, below] = [await category(alice), await category(alice)]
    const { id } = await createAsset(alice, { categoryId: below })
    const { id: planId } = await plan(alice, { categoryId: top, firstDue: '2026-07-01' })
    expect(await next(alice, id)).toBeNull()
    ok(await alice.call('assetCategories.move', { params: { id: below }, body: { parentId: top } }))
    await refreshAll(server.ctx)
    expect(await next(alice, id)).toBe('2026-07-01')
    ok(await alice.call('assetCategories.move', { params: { id: below }, body: { parentId: null } }))
    await refreshAll(server.ctx)
    expect(await next(alice, id)).toBeNull()
    ok(await alice.call('assetCategories.delete', { params: { id: top } }))
    expect((await alice.delete(`/api/assets/maintenance/plans/${planId}`)).status).toBe(404)
  })

  test.if(inProcess)('reach every asset of a large category, also those that were imported together', async () => {
    const me = await server.person()
    const categoryId = await category(me)
    await addMany(
      server,
      { userId: me.id, orgId: 0 },
      Array.from({ length: 3100 }, () => ({ categoryId })),
    )
    const { id } = await plan(me, { categoryId, firstDue: '2026-05-01' })
    const counted = async () => ok(await me.call('assetMaintenance.due', { query: { size: 1 } })).data.total
    expect(await counted()).toBe(2500)
    await refreshAll(server.ctx)
    expect(await counted()).toBe(3100)
    expect(ok(await me.call('assets.list', { query: { maintenanceTo: '2026-05-01', size: 1 } })).data.total).toBe(3100)
    ok(await me.delete(`/api/assets/maintenance/plans/${id}`))
    expect(await counted()).toBe(0)
    await refreshAll(server.ctx)
    expect(ok(await me.call('assets.list', { query: { maintenanceTo: '9999-12-31', size: 1 } })).data.total).toBe(0)
  })

  test('are the same whichever of two records at once is stored first', async () => {
    const { id } = await createAsset(alice)
    const { id: planId } = await plan(alice, { assetId: id, every: { days: 7 } })
    const days = ['2026-02-03', '2026-02-09', '2026-02-05', '2026-02-01']
    for (const reply of await race(4, (i) =>
      alice.post(`/api/assets/${id}/maintenance`, { kind: 'SERVICE', doneOn: days[i], planId }),
    ))
      ok(reply)
    expect(await next(alice, id)).toBe('2026-02-16')
  })

  test('go with an asset that is given to an organization, with its own plan and files', async () => {
    const asset = await createAsset(alice)
    const own = await plan(alice, { assetId: asset.id, firstDue: '2026-08-01' })
    const file = await uploaded(alice, png(64), { type: 'asset', name: 'report.png' })
    await record(alice, asset.id, { planId: own.id, doneOn: '2026-08-01', fileIds: [file.id] })
    ok(await transfer(alice, asset.id, { toOrgId: orgId }))
    expect((await due(bob, { orgId, assetId: asset.id })).map(({ dueOn }) => dueOn)).toEqual(['2026-09-01'])
    expect((await carol.get(`/api/files/${file.id}`)).status).toBe(200)
    expect((await mallory.get(`/api/files/${file.id}`)).status).toBe(404)
  })
})

describe('records', () => {
  test('keep cost, supplier and files, and a repair sets the status', async () => {
    const { id } = await createAsset(alice)
    const file = await uploaded(alice, png(64), { type: 'asset', name: 'bill.png' })
    const fields = {
      kind: 'REPAIR',
      cost: '49.9',
      supplier: 'Volt Ltd',
      result: 'PASSED',
      note: 'Cable',
      status: 'REPAIR',
    }
    const made = await record(alice, id, { ...fields, fileIds: [file.id] })
    expect(made).toMatchObject({
      cost: '49.90',
      supplier: 'Volt Ltd',
      result: 'PASSED',
      files: [{ fileId: file.id, name: 'bill.png' }],
    })
    expect(ok(await getAsset(alice, id)).data.status).toBe('REPAIR')
    expect(ok(await alice.get(`/api/files/${file.id}`)).data).toMatchObject({
      entityType: 'MAINTENANCE',
      entityId: made.id,
    })
    const path = `/api/assets/${id}/maintenance/${made.id}`
    expect(ok(await alice.put(path, { status: 'IN_USE', cost: null, fileIds: [] })).data).toMatchObject({
      cost: null,
      files: [],
    })
    expect(ok(await getAsset(alice, id)).data.status).toBe('IN_USE')
    expect((await alice.get(`/api/files/${file.id}`)).status).toBe(404)
    ok(await alice.delete(path))
    expect((await alice.get(`/api/assets/${id}/maintenance`)).data).toMatchObject({ items: [], total: 0 })
  })

  test('lose a file that is deleted, and an asset that is deleted takes its files with it', async () => {
    const { id } = await createAsset(alice)
    const files = [
      await uploaded(alice, png(64), { type: 'asset', name: 'a.png' }),
      await uploaded(alice, png(65), { type: 'asset', name: 'b.png' }),
    ]
    await record(alice, id, { fileIds: files.map((file) => file.id) })
    ok(await deleteAsset(alice, id))
    for (const file of files) expect((await alice.get(`/api/files/${file.id}`)).status).toBe(404)
  })

  test('are refused with an old version', async () => {
    const { id } = await createAsset(alice)
    const made = await record(alice, id, {})
    const change = (version: number) =>
      alice.send('PUT', `/api/assets/${id}/maintenance/${made.id}`, {
        body: { note: `of ${version}` },
        headers: { 'if-match': `"${version}"` },
      })
    expect((await change(made.version)).status).toBe(200)
    expect((await change(made.version)).status).toBe(412)
  })
})

describe('refusals', () => {
  test('bad plans are answered with 400 and change nothing', async () => {
    const { id: assetId } = await createAsset(alice)
    const foreign = (await createAsset(mallory)).id
    const good = { name: 'Check', kind: 'SERVICE', every: { days: 1 }, firstDue: '2026-01-01', assetId }
    const before = ok(await alice.get('/api/assets/maintenance/plans')).data.total
    for (const bad of [
      { every: {} },
      { every: { days: 1, months: 1 } },
      { every: { days: 0 } },
      { every: { months: 1.5 } },
      { firstDue: '2026-02-30' },
      { firstDue: '' },
      { leadDays: 366 },
      { leadDays: -1 },
      { kind: 'PARTY' },
      { name: '' },
      { assetId: null },
      { categoryId: 1 },
      { assetId: foreign },
      { assetId: null, categoryId: UNKNOWN_ID },
      { assigneeId: bob.id },
    ])
      expect((await alice.post('/api/assets/maintenance/plans', { ...good, ...bad })).status, JSON.stringify(bad)).toBe(
        400,
      )
    expect(ok(await alice.get('/api/assets/maintenance/plans')).data.total).toBe(before)
  })

  test('bad records are answered with 400 and change nothing', async () => {
    const { id } = await createAsset(alice)
    const other = await plan(alice, { assetId: (await createAsset(alice)).id })
    const foreignFile = await uploaded(mallory, png(64), { type: 'asset', name: 'x.png' })
    for (const bad of [
      { doneOn: '2026-02-30' },
      { doneOn: null },
      { nextDue: '2026-13-01' },
      { cost: '1e3' },
      { cost: -1 },
      { cost: '1.005' },
      { planId: other.id },
      { planId: UNKNOWN_ID },
      { status: 'IN_USE' },
      { kind: 'REPAIR', status: 'LOST' },
      { fileIds: [foreignFile.id] },
      { fileIds: [1, 2, 3, 4, 5, 6] },
      { result: 'GOOD' },
    ])
      expect(
        (await alice.post(`/api/assets/${id}/maintenance`, { kind: 'SERVICE', doneOn: '2026-01-01', ...bad })).status,
        JSON.stringify(bad),
      ).toBe(400)
    expect(ok(await alice.get(`/api/assets/${id}/maintenance`)).data.total).toBe(0)
  })

  test('strangers are answered with 404, members without the permission with 403, and nobody without a token', async () => {
    const asset = await createAsset(alice, { orgId })
    const made = await plan(alice, { orgId, assetId: asset.id })
    const done = await record(alice, asset.id, { planId: made.id })
    const [planPath, path] = [`/api/assets/maintenance/plans/${made.id}`, `/api/assets/${asset.id}/maintenance`]
    const body = { kind: 'SERVICE', doneOn: '2026-01-01' }
    for (const [person, status] of [
      [mallory, [404, 404, 404, 404]],
      [carol, [403, 403, 403, 200]],
    ] as const) {
      expect((await person.put(planPath, { name: 'Mine' })).status).toBe(status[0])
      expect((await person.post(path, body)).status).toBe(status[1])
      expect((await person.delete(`${path}/${done.id}`)).status).toBe(status[2])
      expect((await person.get(path)).status).toBe(status[3])
    }
    const mine = await createAsset(mallory)
    expect((await mallory.delete(`/api/assets/${mine.id}/maintenance/${done.id}`)).status).toBe(404)
    for (const at of [path, '/api/assets/maintenance/due', '/api/assets/maintenance/plans'])
      expect((await fetch(`${server.url}${at}`)).status).toBe(401)
  })
})

describe.if(inProcess)('notices', () => {
  const notices = async (person: Person) =>
    ok(await person.call('notifications.list', { query: { size: 100 } })).data.items.filter(({ data }) =>
      String(data['event']).startsWith('MAINTENANCE_'),
    )
  const dayIn = (days: number, zone: string) =>
    Temporal.Instant.fromEpochMilliseconds(server.clock.now())
      .toZonedDateTimeISO(zone)
      .toPlainDate()
      .add({ days })
      .toString()

  test('go once to the assignee when a plan is due soon, and once when it is overdue, for all assets together', async () => {
    const [owner, worker] = [await server.person(), await server.person()]
    const org = await createOrg(owner, { timeZone: 'America/Los_Angeles' })
    await addMembers(owner, org, worker)
    const categoryId = await category(owner, { orgId: org.id })
    const assets = [
      await createAsset(owner, { orgId: org.id, categoryId }),
      await createAsset(owner, { orgId: org.id, categoryId }),
    ]
    const zone = 'America/Los_Angeles'
    const soon = await plan(owner, {
      orgId: org.id,
      categoryId,
      firstDue: dayIn(7, zone),
      leadDays: 7,
      assigneeId: worker.id,
    })
    await plan(owner, { orgId: org.id, categoryId, firstDue: dayIn(8, zone), leadDays: 7, assigneeId: worker.id })
    await Promise.all([notifyOfMaintenance(server.ctx), notifyOfMaintenance(server.ctx)])
    const [first, ...others] = await notices(worker)
    expect(others).toEqual([])
    expect(first!.data).toMatchObject({
      event: 'MAINTENANCE_DUE',
      planId: soon.id,
      assetIds: assets.map(({ id }) => id),
      orgId: org.id,
    })
    expect(await notices(owner)).toEqual([])
    const overdue = await plan(owner, { orgId: org.id, categoryId, firstDue: dayIn(-1, zone), assigneeId: worker.id })
    await notifyOfMaintenance(server.ctx)
    await notifyOfMaintenance(server.ctx)
    const found = await notices(worker)
    expect(found.map(({ data }) => data['event'])).toEqual(['MAINTENANCE_OVERDUE', 'MAINTENANCE_DUE'])
    await record(owner, assets[0]!.id, { planId: overdue.id, doneOn: dayIn(-2, zone), nextDue: dayIn(-1, zone) })
    await notifyOfMaintenance(server.ctx)
    expect(await notices(worker)).toHaveLength(2)
    await record(owner, assets[0]!.id, { planId: overdue.id, doneOn: dayIn(0, zone), nextDue: dayIn(3, zone) })
    await notifyOfMaintenance(server.ctx)
    expect(await notices(worker)).toHaveLength(3)
  })

  test('go to the custodian without an assignee, and to the keepers without a custodian', async () => {
    const [owner, keeper, member] = [await server.person(), await server.person(), await server.person()]
    const org = await createOrg(owner)
    await addMembers(owner, org, keeper, member)
    await setRole(owner, org, keeper, 'ADMIN')
    const categoryId = await category(owner, { orgId: org.id })
    const kept = await createAsset(owner, { orgId: org.id, categoryId, custodianId: member.id })
    const free = await createAsset(owner, { orgId: org.id, categoryId })
    await plan(owner, { orgId: org.id, categoryId, firstDue: dayIn(1, 'UTC') })
    await notifyOfMaintenance(server.ctx)
    const idsOf = async (person: Person) => (await notices(person)).map(({ data }) => data['assetId'])
    expect([await idsOf(member), await idsOf(owner), await idsOf(keeper)]).toEqual([[kept.id], [free.id], [free.id]])
  })

  test('stop in a disabled organization and for somebody who has left', async () => {
    const [owner, worker] = [await server.person(), await server.person()]
    const org = await createOrg(owner)
    await addMembers(owner, org, worker)
    const { id } = await createAsset(owner, { orgId: org.id })
    const made = await plan(owner, { orgId: org.id, assetId: id, firstDue: dayIn(1, 'UTC'), assigneeId: worker.id })
    ok(await admin.put(`/api/admin/orgs/${org.id}`, { status: 'DISABLED' }))
    await notifyOfMaintenance(server.ctx)
    expect([await notices(owner), await notices(worker)]).toEqual([[], []])
    expect((await owner.put(`/api/assets/maintenance/plans/${made.id}`, { name: 'x' })).status).toBe(403)
    ok(await admin.put(`/api/admin/orgs/${org.id}`, { status: 'ACTIVE' }))
    await leave(worker, org)
    const { data } = ok(await owner.get(`/api/assets/maintenance/plans?orgId=${org.id}`))
    expect(data.items[0]).toMatchObject({ id: made.id, assigneeId: null })
    await notifyOfMaintenance(server.ctx)
    expect([(await notices(owner)).length, (await notices(worker)).length]).toEqual([1, 0])
  })
})

test('plans keep an organization from being dissolved', async () => {
  const owner = await server.person()
  const org = await createOrg(owner)
  const categoryId = await category(owner, { orgId: org.id })
  const made = await plan(owner, { orgId: org.id, categoryId })
  expect((await owner.delete(`/api/orgs/${org.id}?force=true`)).status).toBe(400)
  ok(await owner.delete(`/api/assets/maintenance/plans/${made.id}`))
  ok(await owner.delete(`/api/orgs/${org.id}?force=true`))
})
