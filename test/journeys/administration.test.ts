/**
 * An administrator gives a new employee an account and an organization, repairs what goes wrong, and takes everything back. The operation log
 * shows each step.
 */

import { describe, expect, test } from 'bun:test'

import { pathOf, png, uploaded } from '../files/helpers.ts'
import { ok, type Reply, useServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'

const { server, admin, owner } = useServer({ people: ['owner'] })

const signIn = (username: string, password: string, deviceId: string): Promise<Reply> =>
  server.request('POST', '/api/auth/login', { deviceId, body: { username, password } })

describe('an administrator', () => {
  test('creates an account, moves it into an organization, removes its contents and sessions, and disables it', async () => {
    const { total: before } = ok(await admin.get('/api/admin/logs')).data

    // The account, with a password that is shown once.
    const created = ok(await admin.post('/api/admin/users', { username: 'lena', nickname: 'Lena' })).data
    expect(created).toMatchObject({ username: 'lena', status: 'ACTIVE', isAdmin: false, lastLoginAt: null })
    const { initialPassword } = created
    expect(ok(await admin.get(`/api/admin/users/${created.id}`)).text).not.toContain(initialPassword)
    const device = 'device-of-lena-0123456789'
    const lena = person(server.url, await signIn('lena', initialPassword, device), 'lena', initialPassword, device)
    const found = ok(await admin.get('/api/admin/users', { keyword: 'lena' })).data
    expect(found.items).toMatchObject([{ id: lena.id, lastLoginAt: expect.any(Number) }])
    // An administrator for a moment: she sees all users, and then no longer.
    expect(ok(await admin.patch(`/api/admin/users/${lena.id}/role`, { role: 'ADMIN' })).data.isAdmin).toBe(true)
    ok(await lena.get('/api/admin/users'))
    ok(await admin.patch(`/api/admin/users/${lena.id}/role`, { role: 'USER' }))
    expect((await lena.get('/api/admin/users')).status).toBe(403)

    // The organization.
    const org = ok(await admin.post('/api/admin/orgs', { name: 'City Library', ownerId: owner.id })).data
    ok(await admin.post(`/api/admin/orgs/${org.id}/members`, { userId: lena.id }))
    ok(await admin.post(`/api/admin/orgs/${org.id}/transfer-ownership`, { userId: lena.id }))
    expect(ok(await admin.get(`/api/admin/users/${lena.id}/memberships`)).data.items).toMatchObject([
      { orgId: org.id, isOwner: true },
    ])
    const code = ok(
      await lena.post('/api/qr-codes', { name: 'Shelf 12', content: 'https://example.org/12', orgId: org.id }),
    ).data
    const photo = await uploaded(lena, png(), { type: 'other' }, 'map.png')

    // Repairs.
    const obstacles = await admin.delete(`/api/admin/orgs/${org.id}?force=true`)
    expect(obstacles.status).toBe(400)
    expect(obstacles.details.map(({ path }) => path)).toContain('resources.qrCodes')
    const codes = ok(await admin.get('/api/admin/qr-codes', { orgId: org.id })).data
    expect(codes.items).toMatchObject([{ id: code.id, orgName: 'City Library', owner: { userId: lena.id } }])
    ok(await admin.delete(`/api/admin/qr-codes/${code.id}`))
    expect((await lena.get(`/api/qr-codes/${code.id}`)).status).toBe(404)
    ok(await admin.delete(`/api/admin/files/${photo.id}`))
    expect((await server.request('GET', pathOf(photo.url))).status).toBe(404)
    ok(await admin.delete(`/api/admin/orgs/${org.id}?force=true`))
    expect((await lena.get(`/api/orgs/${org.id}`)).status).toBe(404)

    // Registration is closed at once, and opened again.
    ok(await admin.put('/api/admin/settings', { values: { 'registration.enabled': false } }))
    const late = { username: 'late', password: 'correct horse battery 42' }
    expect((await server.request('POST', '/api/auth/register', { deviceId: 'x'.repeat(20), body: late })).status).toBe(
      403,
    )
    ok(await admin.put('/api/admin/settings', { values: { 'registration.enabled': null } }))

    // The session, and then the account.
    ok(await admin.delete(`/api/admin/auth/sessions/${lena.sessionId}`))
    expect((await lena.call('profile.get')).status).toBe(401)
    const disabled = ok(await admin.patch(`/api/admin/users/${lena.id}/status`, { status: 'DISABLED' })).data
    expect(disabled.status).toBe('DISABLED')
    expect((await signIn('lena', initialPassword, device)).status).toBe(403)

    const log = ok(await admin.get('/api/admin/logs', { size: 100 })).data
    const actions = log.items.slice(0, log.total - before).map(({ action }: { action: string }) => action)
    expect(actions.toReversed()).toEqual([
      'USER_CREATE',
      'USER_ROLE',
      'USER_ROLE',
      'ORG_CREATE',
      'ORG_MEMBER_ADD',
      'ORG_TRANSFER',
      'QR_CODE_DELETE',
      'FILE_DELETE',
      'ORG_DELETE',
      'SETTING_UPDATE',
      'SETTING_UPDATE',
      'SESSION_REVOKE',
      'USER_STATUS',
    ])
    expect(JSON.stringify(log)).not.toContain(initialPassword)
    for (const row of log.items.slice(0, -1)) expect(row.previousHash).toBe(log.items[log.items.indexOf(row) + 1].hash)
    const csv = await admin.get('/api/admin/logs', { format: 'csv' })
    expect(csv.status).toBe(200)
    expect(csv.text).toContain('ORG_TRANSFER')

    const { totals } = ok(await admin.get('/api/admin/statistics')).data
    expect(totals).toMatchObject({ users: expect.any(Number), organizations: 0, qrCodes: 0 })
  })
})
