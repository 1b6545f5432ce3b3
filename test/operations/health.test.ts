import { describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { outbox } from '#db/schema/delivery.ts'

import { createRole, grant } from '../access/helpers.ts'
import { inProcess, ok, type Person, useServer } from '../harness/index.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })

/** Health answers without an envelope. */
const health = async (who?: Pick<Person, 'token' | 'deviceId'>) => {
  const reply = await server.request('GET', '/actuator/health', who ? { token: who.token, deviceId: who.deviceId } : {})
  return { status: reply.status, body: JSON.parse(reply.text) }
}
const bare = { status: 200, body: { status: 'UP' } }

describe('GET /actuator/health', () => {
  test('shows details to administrators', async () => {
    const { status, body } = await health(admin)
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'UP',
      components: {
        database: {
          status: 'UP',
          kind: process.env['TEST_DATABASE_URL'] ? 'postgres' : 'sqlite',
          responseMs: expect.any(Number),
        },
        disk: { status: 'UP', freeBytes: expect.any(Number), minimumBytes: 16 * 1024 * 1024 },
        files: { status: 'UP', storage: 'LOCAL', problem: null },
        outbox: { status: 'UP', waiting: 0, retrying: 0, oldestSeconds: null },
        backup: { status: 'UP', schedule: 'OFF', lastGoodAt: null },
        server: {
          status: 'UP',
          draining: false,
          version: expect.stringMatching(/^\d/),
          uptimeSeconds: expect.any(Number),
        },
      },
    })
    const clerk = await server.person()
    ok(await grant(admin, clerk, await createRole(admin, { permissions: [] })))
    expect(Object.keys((await health(clerk)).body)).toEqual(['status', 'components'])
  })

  test('shows only the status to everyone else', async () => {
    expect(await health()).toEqual(bare)
    expect(await health(alice)).toEqual(bare)
    expect(await health({ token: 'x.y.z', deviceId: admin.deviceId })).toEqual(bare)
    expect(await health({ token: admin.token, deviceId: alice.deviceId })).toEqual(bare)
    const former = await server.person()
    const role = await createRole(admin)
    ok(await grant(admin, former, role))
    ok(await admin.call('access.deleteRole', { params: { id: role.id } }))
    expect(await health(former)).toEqual(bare)
  })

  test.if(inProcess)('reports messages that wait for a gateway, without calling the server DOWN', async () => {
    const { ctx, clock } = server
    const createdAt = clock.now()
    const message = { channel: 'EMAIL', topic: null, payload: 'x', expiresAt: 9e12, dueAt: 9e12, createdAt } as const
    await ctx.db.write('test', async (tx) => {
      await tx.insert(outbox).values({ ...message, attempts: 0 })
      await tx.insert(outbox).values({ ...message, attempts: 3 })
    })
    const waiting = { waiting: 2, retrying: 1 }
    expect((await health(admin)).body.components.outbox).toMatchObject({ status: 'UP', ...waiting })
    clock.advance(11 * 60_000)
    const later = await health(admin)
    expect(later.body.components.outbox).toEqual({ status: 'DELAYED', ...waiting, oldestSeconds: 660 })
    expect(later.body.status).toBe('UP')
    await ctx.db.write('test', async (tx) => void (await tx.delete(outbox).where(sql`1 = 1`)))
  })

  test.if(inProcess)('answers 503 with details while the server is stopping', async () => {
    server.ctx.lifecycle.draining = true
    const { status, body } = await health(admin)
    server.ctx.lifecycle.draining = false
    expect([status, body.status]).toEqual([503, 'DOWN'])
    expect(body.components.server).toMatchObject({ status: 'DOWN', draining: true })
    expect(body.components.database.status).toBe('UP')
  })
})

describe.if(inProcess)('GET /actuator/info', () => {
  const published = useServer({ config: { publicUrl: 'https://qr.example.org' } })

  test('says whether links and codes lead to the machine of the server itself', async () => {
    expect(ok(await admin.call('actuator.info')).data.hasLocalAddress).toBe(true)
    expect(ok(await published.admin.call('actuator.info')).data.hasLocalAddress).toBe(false)
  })
})
