/** The contents of the operation log. No change of an administrator is missing in it. */

import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { allEndpoints } from '#app'
import { permissions } from '#db/schema/access.ts'
import { adminLogs } from '#db/schema/operation-log.ts'
import { withStoredLog } from '#db/stored-log.ts'
import { domain } from '#domains/domain.ts'
import { signaturesOf, verifyLog } from '#domains/operation-log/index.ts'
import { endpoint, type LogEntry, platform } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'
import { Type } from '#http/schema.ts'
import { localTime } from '#lib/days.ts'
import { csvCell } from '#lib/spreadsheets/csv-writer.ts'
import { serverZone } from '#platform/clock.ts'

import {
  changeRole,
  createRole,
  deleteRole,
  findPoint,
  findRole,
  grant,
  revoke,
  setEnabled,
} from '../access/helpers.ts'
import { inProcess, ok, type Person, race, type TestServer, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'

const { server, admin } = useServer()

const list = async (query: Record<string, string | number> = {}, who: Person = admin) =>
  ok(await who.call('operationLog.list', { query: { size: 100, ...query } as never })).data
const newest = async () => (await list({ size: 1 })).items[0]!

describe('the operation log', () => {
  test('has a row for each change of points, roles and bindings, with the changed fields only', async () => {
    const before = (await list()).total
    const point = { domain: 'APP' as const, resource: 'greenhouse', action: 'water', description: 'Water the plants' }
    const { id: pointId } = ok(await admin.call('access.createPermission', { body: point })).data
    const about = { actorId: admin.id, actorName: 'root', ipAddress: '127.0.0.1' }
    expect(await newest()).toMatchObject({
      ...about,
      action: 'PERMISSION_CREATE',
      targetType: 'PERMISSION',
      targetId: pointId,
      targetName: 'greenhouse:water',
      before: null,
      after: { domain: 'APP', description: 'Water the plants', enabled: true },
    })
    await setEnabled(admin, { id: pointId }, false)
    expect(await newest()).toMatchObject({
      action: 'PERMISSION_UPDATE',
      before: { enabled: true },
      after: { enabled: false },
    })

    const role = await createRole(admin, { code: 'GARDENER', permissions: ['user:read', 'org:read'] })
    expect(await newest()).toMatchObject({
      action: 'ROLE_CREATE',
      targetId: role.id,
      targetName: 'GARDENER',
      after: { domain: 'PLATFORM', scopeId: 0, name: role.name, permissions: ['org:read', 'user:read'] },
    })
    ok(await changeRole(admin, role, { permissions: ['org:read'] }))
    expect(await newest()).toMatchObject({
      action: 'ROLE_UPDATE',
      before: { permissions: ['org:read', 'user:read'] },
      after: { permissions: ['org:read'] },
    })
    expect(Object.keys((await newest()).after!)).toEqual(['permissions'])

    const person = await server.person()
    const binding = { roleId: role.id, domain: 'PLATFORM', scopeId: 0, code: 'GARDENER' }
    const target = { targetType: 'USER_ROLE', targetId: person.id, targetName: person.username }
    ok(await grant(admin, person, role))
    expect(await newest()).toMatchObject({ action: 'USER_ROLE_GRANT', ...target, before: null, after: binding })
    ok(await revoke(admin, person, role))
    expect(await newest()).toMatchObject({ action: 'USER_ROLE_REVOKE', ...target, before: binding, after: null })
    ok(await deleteRole(admin, role))
    expect(await newest()).toMatchObject({ action: 'ROLE_DELETE', before: { permissions: ['org:read'] }, after: null })
    expect((await list()).total).toBe(before + 7)
  })

  test('has a row for each notification that is sent, without its text', async () => {
    const [alice, bob] = [await server.person(), await server.person()]
    const org = await createOrg(alice)
    const send = (audience: object) =>
      admin.post('/api/notifications', { title: 'Closed on Monday', body: 'The **secret** garden', ...audience })
    const sent = ok(await send({ userIds: [bob.id, alice.id] }))
    expect(await newest()).toMatchObject({
      action: 'NOTIFICATION_SEND',
      targetId: sent.data.id,
      targetName: 'Closed on Monday',
      after: { audience: 'USERS', userIds: [bob.id, alice.id] },
    })
    ok(await send({ orgId: org.id }))
    expect((await newest()).after).toEqual({ audience: 'ORG', orgId: org.id })
    ok(await send({ all: true }))
    expect((await newest()).after).toEqual({ audience: 'ALL' })
    expect(JSON.stringify(await list())).not.toContain('garden')
  })

  test('gets no row from refused requests and from those that change nothing', async () => {
    const role = await createRole(admin, { permissions: ['user:read'] })
    const person = await server.person()
    ok(await grant(admin, person, role))
    const point = await findPoint(admin, 'APP', 'chat:read')
    const { total } = await list()
    ok(await grant(admin, person, role))
    const same = ok(await changeRole(admin, role, { name: role.name, permissions: ['user:read'] })).data
    expect(same.updatedAt).toBe(role.updatedAt)
    ok(await admin.call('access.changePermission', { params: { id: point.id }, body: { enabled: true } }))
    const refused = [
      await grant(person, person, role),
      await grant(admin, { id: 999_999_999 }, role),
      await changeRole(admin, role, { permissions: ['no_such:point'] }),
      await deleteRole(admin, await findRole(admin, 'APP', 0, 'USER')),
      await admin.post('/api/notifications', { title: 'x', body: 'x', userIds: [999_999_999] }),
    ]
    expect(refused.map((reply) => reply.status)).toEqual([403, 404, 400, 400, 400])
    expect((await list()).total).toBe(total)
  })

  test('keeps the id of the request, and the name of an administrator who has deleted the account since', async () => {
    const person = await server.person('former.admin')
    const role = await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')
    ok(await grant(admin, person, role))
    const headers = { 'x-request-id': 'my-own-request-7' }
    const body = { domain: 'PLATFORM', code: 'NAMED', name: 'Named' }
    ok(await person.send('POST', '/api/rbac/roles', { headers, body }))
    ok(await revoke(admin, person, role))
    ok(await person.call('auth.deleteAccount'))
    const [row] = (await list({ actorId: person.id })).items
    expect(row).toMatchObject({ actorName: 'former.admin', action: 'ROLE_CREATE', requestId: 'my-own-request-7' })
  })

  test('cuts long texts between two characters, so that every program can read the row', async () => {
    const org = await createOrg(admin)
    const params = { orgId: org.id }
    for (const length of [497, 498, 499]) {
      const description = `${'x'.repeat(length)}${'😀'.repeat(10)}`
      ok(await admin.call('admin.orgs.update', { params, body: { description } }))
      const logged = String((await newest()).after!['description'])
      expect(logged.isWellFormed()).toBe(true)
      expect(logged).toMatch(/^x+(?:😀)?…$/u)
    }
  })

  test('is filtered by action, actor, target, time and name, newest first', async () => {
    const person = await server.person()
    ok(await grant(admin, person, await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')))
    const granted = await newest()
    const mine = await createRole(person, { code: 'FILTERED_1' })
    await createRole(person, { code: 'FILTERED_2' })
    const names = async (query: Record<string, string | number>) =>
      (await list(query)).items.map((row) => row.targetName)
    expect(await names({ actorId: person.id })).toEqual(['FILTERED_2', 'FILTERED_1'])
    expect(await names({ actorId: person.id, size: 1, page: 2 })).toEqual(['FILTERED_1'])
    expect(await names({ actorId: person.id, action: 'ROLE_DELETE' })).toEqual([])
    expect(await names({ targetType: 'ROLE', targetId: mine.id })).toEqual(['FILTERED_1'])
    expect(await names({ targetType: 'USER_ROLE', targetId: mine.id })).toEqual([])
    expect(await names({ keyword: 'filtered_2' })).toEqual(['FILTERED_2'])
    const [last] = (await list({ size: 1 })).items
    expect(await names({ from: granted.createdAt, to: last!.createdAt })).toEqual(['FILTERED_1', person.username])
    for (const query of ['action=ROLE_', 'targetType=role', 'actorId=0'])
      expect((await admin.get(`/api/admin/logs?${query}`)).status, query).toBe(400)
  })

  test('is exported as CSV and XLSX with the same filters, and its texts are never formulas', async () => {
    const person = await server.person()
    const role = await createRole(admin, { permissions: ['user:read'] })
    ok(await grant(admin, person, role))
    const sent = { title: '=HYPERLINK("https://example.org")', body: 'x', userIds: [person.id] }
    ok(await admin.post('/api/notifications', sent))
    const send = (query: string) => admin.send('GET', `/api/admin/logs?${query}`, {})
    const csv = async (query: string) => {
      const reply = await send(`format=csv&${query}`)
      expect(reply.headers.get('content-type')).toStartWith('text/csv')
      return reply.text.trimEnd().split('\r\n')
    }
    const [title, line, ...others] = await csv(`targetType=ROLE&targetId=${role.id}`)
    expect(title).toStartWith(`ID,Time (${serverZone()}),Administrator ID,Administrator,Action`)
    expect(others).toEqual([])
    expect(line).toContain(`,${admin.id},root,ROLE_CREATE,ROLE,${role.id},${role.code},`)
    expect(await csv('keyword=no-such-name')).toHaveLength(1)
    expect((await csv('keyword=hyperlink'))[1]).toContain(`,"'=HYPERLINK(""https://example.org"")",`)
    expect(await csv('')).toHaveLength((await list()).total + 1)
    const workbook = await send('format=xlsx&action=ROLE_CREATE')
    expect(workbook.headers.get('content-type')).toContain('spreadsheetml.sheet')
    expect((await send('format=pdf')).status).toBe(400)
    expect((await person.get('/api/admin/logs?format=csv')).status).toBe(403)
  })

  test('is exported with times in the zone that the query names', async () => {
    const role = await createRole(admin, { permissions: ['user:read'] })
    const [row] = (await list({ targetType: 'ROLE', targetId: role.id })).items
    for (const [tz, name] of [
      ['Asia/Kathmandu', 'Asia/Kathmandu'],
      ['-03:30', 'UTC-03:30'],
    ] as const) {
      const query = { format: 'csv', tz, targetType: 'ROLE', targetId: role.id }
      const [title, line] = (await admin.get('/api/admin/logs', query)).text.split('\r\n')
      expect(title!.split(',')[1]).toBe(`Time (${name})`)
      expect(line!.split(',')[1]).toBe(csvCell(localTime(row!.createdAt, tz)))
    }
    const refused = await admin.get('/api/admin/logs', { format: 'csv', tz: 'Mars/Olympus' })
    expect([refused.status, refused.details]).toMatchObject([400, [{ path: 'query.tz' }]])
  })

  test('is shown to holders of admin_log:read only', async () => {
    const person = await server.person()
    ok(await grant(admin, person, await createRole(admin, { permissions: ['user:read'] })))
    expect((await person.get('/api/admin/logs')).status).toBe(403)
    expect((await server.request('GET', '/api/admin/logs')).status).toBe(401)
    ok(await grant(admin, person, await createRole(admin, { permissions: ['admin_log:read'] })))
    expect((await list({}, person)).total).toBeGreaterThan(0)
  })
})

const chainOf = async ({ ctx, dataDir }: TestServer) => {
  const rows = await ctx.db.read.select().from(adminLogs).orderBy(adminLogs.id)
  const place = { dataDir, databaseUrl: ctx.config.databaseUrl }
  return { rows, report: await withStoredLog(place, (log) => verifyLog(log, signaturesOf(ctx.seal))) }
}

describe.if(inProcess)('the chain of the operation log', () => {
  test('stays one chain while fifty administrators change things at the same time', async () => {
    const before = (await chainOf(server)).rows.length
    const role = await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')
    const people = await Promise.all(Array.from({ length: 5 }, () => server.person()))
    for (const person of people) ok(await grant(admin, person, role))
    const replies = await race(50, (i) =>
      people[i % 5]!.post('/api/rbac/roles', { domain: 'APP', code: `CHAIN_${i >> 1}`, name: 'x' }),
    )
    const succeeded = replies.filter((reply) => reply.status === 200).length
    expect(succeeded).toBe(25)
    const { rows, report } = await chainOf(server)
    expect(report).toMatchObject({ rows: before + 5 + succeeded, fault: undefined, otherKeyUntil: undefined })
    expect(new Set(rows.map((row) => row.previousHash)).size).toBe(rows.length)
  })

  test('cannot be changed with UPDATE or DELETE', async () => {
    await createRole(admin)
    const { rows } = await chainOf(server)
    const { db } = server.ctx
    const attempts = [
      () => db.write('test', async (tx) => void (await tx.update(adminLogs).set({ actorName: 'x' }))),
      () => db.write('test', async (tx) => void (await tx.delete(adminLogs).where(eq(adminLogs.id, rows[0]!.id)))),
    ]
    for (const attempt of attempts) {
      const error = await attempt().catch((caught: unknown) => caught)
      expect(String((error as Error).message)).toMatch(/cannot be/)
    }
    expect((await chainOf(server)).rows).toEqual(rows)
  })
})

/** An operation of the console whose code depends on `body.mode`. */
const careless = domain({
  name: 'careless',
  endpoints: [
    endpoint({
      id: 'careless.describe',
      method: 'PUT',
      path: '/api/admin/careless',
      summary: 'Describe all points',
      tag: 'Access control',
      access: platform('rbac_permission:update'),
      logs: 'PERMISSION_UPDATE',
      body: Type.Object({ mode: Type.String(), description: Type.String() }),
      async run({ ctx, actor, body }) {
        const change = (tx: Parameters<Parameters<typeof actor.write>[1]>[0]) =>
          tx
            .update(permissions)
            .set({ description: body.description })
            .where(sql`1 = 1`)
        if (body.mode === 'forgets') await ctx.db.write('careless.describe', async (tx) => void (await change(tx)))
        else
          await actor.write('careless.describe', async (tx) => {
            await change(tx)
            if (body.mode === 'fails') throw badRequest('No', '否')
            const after: Record<string, object> = {
              secret: { password: 'x' },
              large: { ids: Array.from({ length: 200_000 }, (_, i) => i) },
            }
            const logged: LogEntry = { after: { ...after[body.mode] } }
            return { result: undefined, logged }
          })
      },
    }),
  ],
})

describe.if(inProcess)('an operation of the console', () => {
  const { server, admin } = useServer({ domains: (product) => [...product, careless] })
  const describePoints = (mode: string, description: string) => admin.put('/api/admin/careless', { mode, description })
  const state = async () => ({
    rows: (await server.ctx.db.read.select().from(adminLogs)).length,
    description: (await findPoint(admin, 'APP', 'chat:read')).description,
  })

  test('commits its change and its row together', async () => {
    ok(await describePoints('right', 'logged'))
    expect(await state()).toEqual({ rows: 1, description: 'logged' })
  })

  test('leaves neither a change nor a row if it fails after the change', async () => {
    const before = await state()
    expect((await describePoints('fails', 'refused')).status).toBe(400)
    expect((await describePoints('secret', 'with a password')).status).toBe(500)
    const large = await describePoints('large', 'with 200,000 ids')
    expect(large).toMatchObject({ status: 400, message: expect.stringContaining('too large for the operation log') })
    expect(await state()).toEqual(before)
  })

  test('answers 500 in tests and development if it writes without the operation log', async () => {
    expect((await describePoints('forgets', 'not logged')).status).toBe(500)
  })
})

/** Writes of the console that change nothing that administrators could want to trace. A package has no effect before its publication. */
const NOT_LOGGED = [
  'POST /api/admin/common/render-markdown',
  'POST /api/admin/auth/login',
  'POST /api/admin/auth/refresh',
  'POST /api/admin/server/mail/test',
  'POST /api/admin/oidc/providers/:id/check',
  'POST /api/admin/server/update',
  'POST /api/admin/server/reach/checks',
  'POST /api/admin/backups/:name/preview',
  'POST /api/admin/webhooks/:id/test',
  'POST /api/admin/webhooks/:id/replay',
  'POST /api/admin/webhooks/:id/deliveries/:deliveryId/replay',
]

/** Owners decide with them who may do what. */
const LOGGED_TOO: readonly string[] = ['orgs.createRole', 'orgs.updateRole', 'orgs.deleteRole']

test('every write of the console names its action in the operation log, and no read does', () => {
  const wrong = allEndpoints.filter(({ id, method, path, access, logs }) => {
    const isConsole = /^\/api\/(?:admin|rbac)\//.test(path) || ['admin', 'platform', 'publisher'].includes(access.kind)
    const isLogged = method !== 'GET' && isConsole && !NOT_LOGGED.includes(`${method} ${path}`)
    return (isLogged || LOGGED_TOO.includes(id)) !== (logs !== undefined)
  })
  expect(wrong.map(({ id }) => id)).toEqual([])
  expect(allEndpoints.filter(({ logs }) => logs !== undefined).length).toBeGreaterThanOrEqual(8)
})
