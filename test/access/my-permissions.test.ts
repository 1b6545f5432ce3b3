import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { pointsOf } from '#permission-points'

import { startServer, type TestServer } from '../harness/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

describe('GET /api/rbac/my-permissions', () => {
  test('a new user holds every APP point and nothing else', async () => {
    const { status, data } = await (await server.person()).get('/api/rbac/my-permissions')
    expect(status).toBe(200)
    expect(data).toEqual({
      permissions: pointsOf('APP').toSorted(),
      platform: [],
      app: pointsOf('APP').toSorted(),
      org: [],
      orgId: null,
      roleName: 'User',
    })
  })

  test('the first administrator holds every PLATFORM point too', async () => {
    const { data } = await (await server.admin()).get('/api/rbac/my-permissions')
    expect(data.platform).toEqual(pointsOf('PLATFORM').toSorted())
    expect(data.permissions).toEqual([...new Set([...data.platform, ...data.app, ...data.org])].toSorted())
    expect(data.roleName).toBe('System administrator')
  })

  test('asks for a token', async () => {
    const reply = await server.request('GET', '/api/rbac/my-permissions')
    expect(reply.status).toBe(401)
    expect(reply.data).toBeUndefined()
  })
})
