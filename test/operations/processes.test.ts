/** The list of processes in the console. */

import { describe, expect, test } from 'bun:test'
import { hostname } from 'node:os'

import { createRole, grant } from '../access/helpers.ts'
import { inProcess, ok, until, useServer } from '../harness/index.ts'

const { server, admin, mallory } = useServer({ people: ['mallory'] })

describe('GET /api/admin/processes', () => {
  test('lists the processes that answer requests, one of which runs the jobs', async () => {
    const list = async () => ok(await admin.call('processes.list')).data.items
    const expected = inProcess || process.env['TEST_BINARY'] ? 1 : Number(process.env['TEST_PROCESSES'])
    await until(async () => (await list()).filter(({ listening }) => listening).length === expected)
    const items = await list()
    expect(items).toHaveLength(expected)
    expect(items.filter(({ hasJobs }) => hasJobs)).toHaveLength(1)
    for (const one of items) {
      expect(one).toEqual({
        id: expect.stringMatching(/^\w+$/),
        version: expect.stringMatching(/^\d/),
        host: hostname(),
        startedAt: expect.any(Number),
        lastSeenAt: expect.any(Number),
        listening: true,
        sockets: 0,
        requestsPerSecond: expect.any(Number),
        memoryBytes: expect.any(Number),
        hasJobs: expect.any(Boolean),
        state: 'UP',
      })
      expect(one.memoryBytes).toBeGreaterThan(1_000_000)
      expect(one.lastSeenAt).toBeGreaterThanOrEqual(one.startedAt)
    }
  })

  test('shows that requests are answered', async () => {
    await until(async () => {
      const { items } = ok(await admin.call('processes.list')).data
      return items.some(({ requestsPerSecond }) => requestsPerSecond > 0)
    })
  })

  test('is answered to holders of system:read only', async () => {
    expect((await server.request('GET', '/api/admin/processes')).status).toBe(401)
    expect((await mallory.call('processes.list')).status).toBe(403)
    const [reader, clerk] = [await server.person(), await server.person()]
    ok(await grant(admin, reader, await createRole(admin, { permissions: ['system:read'] })))
    ok(await grant(admin, clerk, await createRole(admin, { permissions: ['user:read'] })))
    expect((await reader.call('processes.list')).status).toBe(200)
    expect((await clerk.call('processes.list')).status).toBe(403)
  })
})
