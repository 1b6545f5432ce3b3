import { describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { storageError } from '#db/errors.ts'
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
    server.ctx.lifecycle.leaving = true
    const { status, body } = await health(admin)
    server.ctx.lifecycle.leaving = false
    expect([status, body.status]).toEqual([503, 'DOWN'])
    expect(body.components.server).toMatchObject({ status: 'DOWN', draining: true })
    expect(body.components.database.status).toBe('UP')
  })
})

/** The status and body of a probe. */
const probe = async (name: 'live' | 'ready') => {
  const reply = await server.request('GET', `/actuator/health/${name}`)
  return [reply.status, JSON.parse(reply.text)]
}
const UP = [200, { status: 'UP' }]

describe('probes', () => {
  test('are UP without a token and without an envelope', async () => {
    expect(await probe('live')).toEqual(UP)
    expect(await probe('ready')).toEqual(UP)
  })

  test.if(inProcess)('are refused by no rate, unlike other requests of their address', async () => {
    const limited = { ...server.ctx.config, rateLimit: true }
    const before = server.ctx.config
    Object.assign(server.ctx, { config: limited })
    try {
      let status = 200
      for (let nth = 0; status === 200 && nth < 2000; nth++) status = (await health()).status
      expect(status).toBe(429)
      expect(await probe('live')).toEqual(UP)
      expect(await probe('ready')).toEqual(UP)
    } finally {
      Object.assign(server.ctx, { config: before })
    }
  })

  test.if(inProcess)('say DOWN and why, and nothing else is asked for live', async () => {
    const { ctx } = server
    const down = async (change: object, of: object) => {
      const before = Object.fromEntries(Object.keys(change).map((key) => [key, of[key as never]]))
      // An answer may be reused for a moment.
      await Bun.sleep(250)
      Object.assign(of, change)
      const [ready, live] = [await probe('ready'), await probe('live')]
      Object.assign(of, before)
      expect(live).toEqual(UP)
      return ready
    }
    const refuse = (kind: 'unreachable' | 'full') => ({
      checkWritable: async () => {
        throw storageError(kind, 'the database')
      },
    })
    expect(await down({ behindMs: () => 6000 }, ctx.bus)).toEqual([503, { status: 'DOWN', reason: 'BEHIND' }])
    const onPostgres = ctx.config.databaseUrl !== ''
    for (const kind of ['unreachable', 'full'] as const)
      expect(await down(refuse(kind), ctx.db)).toEqual([
        503,
        { status: 'DOWN', reason: onPostgres ? 'DATABASE' : 'STORAGE' },
      ])
    const noDirectory = { config: { ...ctx.config, dataDir: '/nowhere' } }
    expect(await down(noDirectory, ctx)).toEqual([503, { status: 'DOWN', reason: 'STORAGE' }])
    const silent = { checkWritable: () => new Promise(() => undefined) }
    expect(await down(silent, ctx.db)).toEqual([503, { status: 'DOWN', reason: 'DATABASE' }])
    await Bun.sleep(250)
    expect(await probe('ready')).toEqual(UP)
  })

  test.if(inProcess)(
    'ready is DOWN at once when the server begins to stop, although an answer was just given',
    async () => {
      expect(await probe('ready')).toEqual(UP)
      server.ctx.lifecycle.leaving = true
      const [ready, live, whole] = [await probe('ready'), await probe('live'), await health()]
      server.ctx.lifecycle.leaving = false
      expect(ready).toEqual([503, { status: 'DOWN', reason: 'DRAINING' }])
      expect(live).toEqual(UP)
      expect(whole.status).toBe(503)
    },
  )
})

describe.if(inProcess)('GET /actuator/info', () => {
  const published = useServer({ config: { publicUrl: 'https://qr.example.org' } })

  test('says whether links and codes lead to the machine of the server itself', async () => {
    expect(ok(await admin.call('actuator.info')).data.hasLocalAddress).toBe(true)
    expect(ok(await published.admin.call('actuator.info')).data.hasLocalAddress).toBe(false)
  })
})
