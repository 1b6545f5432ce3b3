/** Administration of permission points. */

import { describe, expect, test } from 'bun:test'

import { pointsOf } from '#permission-points'

import { ok, race, useServer } from '../harness/index.ts'
import { findPoint, listPoints, myPermissions, setEnabled } from './helpers.ts'

const { server, admin } = useServer()

describe('GET /api/rbac/permissions', () => {
  test('lists every point of a domain once, in pages', async () => {
    for (const domain of ['PLATFORM', 'APP', 'ORG'] as const) {
      const names = (await listPoints(admin, domain)).map((each) => each.name)
      expect(names.filter((name) => pointsOf(domain).includes(name)).toSorted()).toEqual(pointsOf(domain).toSorted())
      expect(new Set(names).size).toBe(names.length)
    }
  })

  test('filters by keyword and domain, and answers 400 for an unknown domain', async () => {
    const { data } = ok(await admin.call('access.listPermissions', { query: { keyword: 'transfer', domain: 'ORG' } }))
    expect(data.items.map((each) => each.name)).toContain('org:transfer')
    expect(data.items.every((each) => each.domain === 'ORG')).toBe(true)
    expect(data.total).toBeLessThan(20)
    expect((await admin.get('/api/rbac/permissions', { domain: 'CHAT' })).status).toBe(400)
  })
})

describe('POST /api/rbac/permissions', () => {
  test('creates a unique point that only roles with every point of the domain hold', async () => {
    const body = {
      domain: 'PLATFORM' as const,
      resource: 'greenhouse',
      action: 'water',
      description: 'Water the plants',
    }
    expect(ok(await admin.call('access.createPermission', { body })).data).toMatchObject({
      ...body,
      name: 'greenhouse:water',
      enabled: true,
    })
    expect((await myPermissions(admin)).platform).toContain('greenhouse:water')
    const again = await admin.call('access.createPermission', { body: { ...body, description: 'Other words' } })
    expect(again.status).toBe(400)
    expect((await findPoint(admin, 'PLATFORM', 'greenhouse:water')).description).toBe('Water the plants')
    ok(await admin.call('access.createPermission', { body: { ...body, domain: 'APP' } }))
    expect((await myPermissions(await server.person())).app).not.toContain('greenhouse:water')
  })

  test('creates a point once if fifty concurrent requests ask for it', async () => {
    const body = { domain: 'APP' as const, resource: 'race', action: 'win' }
    const replies = await race(50, () => admin.call('access.createPermission', { body }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(49)
    expect((await listPoints(admin, 'APP')).filter((each) => each.name === 'race:win')).toHaveLength(1)
  })

  test.each([
    { domain: 'CHAT' },
    { resource: 'Thing' },
    { action: 'a:b' },
    { action: '' },
    { resource: 'x'.repeat(51) },
  ])('answers 400 to %j and creates nothing', async (invalid) => {
    const valid = { domain: 'APP', resource: 'thing', action: 'do' }
    expect((await admin.post('/api/rbac/permissions', { ...valid, ...invalid })).status).toBe(400)
    expect((await listPoints(admin, 'APP')).some((each) => each.name.startsWith('thing:'))).toBe(false)
  })
})

describe('PUT /api/rbac/permissions/:id', () => {
  test('disables a point for everyone immediately, and enables it again', async () => {
    const user = await server.person()
    const point = await findPoint(admin, 'APP', 'category:read')
    ok(await user.call('categories.list'))
    expect((await setEnabled(admin, point, false)).enabled).toBe(false)
    expect((await user.call('categories.list')).status).toBe(403)
    expect((await myPermissions(user)).app).not.toContain('category:read')
    const body = { description: 'Look at folders' }
    expect(ok(await admin.call('access.changePermission', { params: { id: point.id }, body })).data).toMatchObject({
      enabled: false,
      description: 'Look at folders',
    })
    await setEnabled(admin, point, true)
    ok(await user.call('categories.list'))
  })

  test('works for SYSTEM_ADMIN even after rbac_permission:update was disabled', async () => {
    const point = await findPoint(admin, 'PLATFORM', 'rbac_permission:update')
    await setEnabled(admin, point, false)
    await setEnabled(admin, point, true)
  })

  test('answers 404 for an unknown point and 400 for an invalid body; DELETE is not allowed', async () => {
    const { id } = await findPoint(admin, 'APP', 'category:read')
    expect((await admin.delete(`/api/rbac/permissions/${id}`)).status).toBe(405)
    expect((await admin.put('/api/rbac/permissions/999999999', { enabled: false })).status).toBe(404)
    expect((await admin.put(`/api/rbac/permissions/${id}`, { enabled: 'perhaps' })).status).toBe(400)
  })
})
