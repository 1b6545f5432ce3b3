/**
 * Every operation that requires a point of the PLATFORM domain, with the four system roles and custom roles: exactly the holders of the point
 * are admitted. Ids do not exist and bodies are empty, so a caller who is admitted gets 400, 404 or an answer.
 */

import { beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import type { Access } from '#http/endpoint.ts'

import { ok, type Person, useServer } from '../harness/index.ts'
import { createRole, findPoint, findRole, grant, setEnabled } from './helpers.ts'

const { server, admin } = useServer()

const pointOf = (access: Access): string | undefined =>
  access.kind === 'platform' || access.kind === 'publisher' ? access.point : undefined
const operations = allEndpoints.flatMap((endpoint) => {
  const point = pointOf(endpoint.access)
  return point === undefined ? [] : [{ ...endpoint, point }]
})
const points = [...new Set(operations.map(({ point }) => point))].toSorted()

/** Some points that the roles have, and have not, by the specification (§5.9). */
const SPECIFIED = {
  USER_ADMIN: { holds: ['user:update', 'org:transfer', 'session:revoke'], lacks: ['setting:update', 'pass:delete'] },
  BUSINESS_ADMIN: { holds: ['category:delete', 'file:delete', 'album:delete'], lacks: ['user:read', 'setting:read'] },
  OPERATION_ADMIN: { holds: ['activity:create', 'notification:send'], lacks: ['qr_code:read', 'admin_log:read'] },
} as const

/** They also ask for SYSTEM_ADMIN, before they look for a row or at the body. */
const SYSTEM_ADMIN_ONLY = [
  'access.changePermission',
  'admin.chat.dismissReport',
  'admin.chat.removeReported',
  'admin.chat.reports',
  'ownData.latestOfUser',
  'ownData.startOfUser',
  'server.certificate.renew',
  'server.certificate.update',
  'server.reach.update',
  'server.checks.start',
  'server.checks.get',
  'server.mail.update',
  'server.restart',
  'server.setup',
]

async function holderOf(role: { id: number; permissions: string[] }): Promise<{ person: Person; held: Set<string> }> {
  const person = await server.person()
  ok(await grant(admin, person, role))
  return { person, held: new Set(role.permissions) }
}

/** Whether the caller may use each of the operations. */
async function admitted(person: Person): Promise<Map<string, boolean>> {
  const outcomes = new Map<string, boolean>()
  for (const { id, method, path, body } of operations) {
    const url = path.replace(/:\w+/g, '999999999')
    const { status } = await person.send(method, url, body ? { body: {} } : {})
    expect(status, id).not.toBe(401)
    expect(status, id).toBeLessThan(500)
    outcomes.set(id, status !== 403)
  }
  return outcomes
}

const expectAdmitted = async (person: Person, isHeld: (point: string, id: string) => boolean) =>
  expect(await admitted(person)).toEqual(new Map(operations.map(({ id, point }) => [id, isHeld(point, id)])))

describe('operations of administrators', () => {
  // Otherwise reset codes are refused to everyone.
  beforeAll(async () => {
    ok(await admin.call('admin.settings.update', { body: { values: { 'security.adminResetCodes': true } } }))
  })

  for (const [code, { holds, lacks }] of Object.entries(SPECIFIED))
    test(`admit ${code} to those of its points only`, async () => {
      const { person, held } = await holderOf(await findRole(admin, 'PLATFORM', 0, code))
      for (const point of holds) expect(held, point).toContain(point)
      for (const point of lacks) expect(held, point).not.toContain(point)
      await expectAdmitted(person, (point, id) => held.has(point) && !SYSTEM_ADMIN_ONLY.includes(id))
    })

  test('admit SYSTEM_ADMIN to all of them, and a user without a role to none', async () => {
    const { person } = await holderOf(await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN'))
    await expectAdmitted(person, () => true)
    await expectAdmitted(await server.person(), () => false)
  })

  test('admit two custom roles that share the points to one half each', async () => {
    for (const half of [0, 1]) {
      const some = points.filter((_, i) => i % 2 === half)
      const { person } = await holderOf(await createRole(admin, { permissions: some }))
      await expectAdmitted(person, (point, id) => some.includes(point) && !SYSTEM_ADMIN_ONLY.includes(id))
    }
  })

  test('admit nobody while their point is disabled', async () => {
    const point = 'login_record:read'
    const row = await findPoint(admin, 'PLATFORM', point)
    await setEnabled(admin, row, false)
    try {
      expect((await admin.get('/api/login-records/admin/all')).status).toBe(403)
    } finally {
      await setEnabled(admin, row, true)
    }
    ok(await admin.get('/api/login-records/admin/all'))
  })
})
