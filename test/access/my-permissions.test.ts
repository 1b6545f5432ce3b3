import { describe, expect, test } from 'bun:test'

import { pointsOf } from '#permission-points'

import { useServer } from '../harness/index.ts'
import { myPermissions } from './helpers.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })

describe('GET /api/rbac/my-permissions', () => {
  test('returns every APP point and no other point for a new user', async () => {
    expect(await myPermissions(alice)).toEqual({
      permissions: pointsOf('APP').toSorted(),
      platform: [],
      app: pointsOf('APP').toSorted(),
      org: [],
      orgId: null,
      roleName: 'User',
    })
  })

  test('returns every PLATFORM point too for the first administrator', async () => {
    const found = await myPermissions(admin)
    expect(found.platform).toEqual(pointsOf('PLATFORM').toSorted())
    expect(found.permissions).toEqual([...new Set([...found.platform, ...found.app, ...found.org])].toSorted())
    expect(found.roleName).toBe('System administrator')
  })

  test('answers 401 without a token', async () => {
    const reply = await server.call('access.myPermissions')
    expect(reply.status).toBe(401)
    expect(reply.data).toBeUndefined()
  })
})
