/** What the tests of role administration share. */

import { expect } from 'bun:test'

import type { Person, Reply } from '../harness/index.ts'

export interface Role {
  id: number
  domain: string
  scopeId: number
  code: string
  name: string
  isSystem: boolean
  holdsEverything: boolean
  permissionIds: number[]
  permissions: string[]
}

export interface Point {
  id: number
  domain: string
  name: string
  enabled: boolean
}

export const ok = (reply: Reply, what = ''): Reply => {
  expect(reply.status, `${what} ${reply.text.slice(0, 500)}`).toBe(200)
  return reply
}

/** All pages of a list. */
export async function all<T>(who: Person, path: string, query: Record<string, string | number> = {}): Promise<T[]> {
  const items: T[] = []
  for (let page = 1; ; page++) {
    const { data } = ok(await who.get(path, { ...query, page, size: 100 }))
    items.push(...data.items)
    if (items.length >= data.total) return items
  }
}

export const points = (who: Person, domain: string): Promise<Point[]> =>
  all<Point>(who, '/api/rbac/permissions', { domain })

export async function point(who: Person, domain: string, name: string): Promise<Point> {
  const found = (await points(who, domain)).find((each) => each.name === name)
  expect(found, `${domain} ${name}`).toBeDefined()
  return found!
}

export const roles = (who: Person, domain: string, scopeId: number): Promise<Role[]> =>
  all<Role>(who, '/api/rbac/roles', { domain, scopeId })

export async function role(who: Person, domain: string, scopeId: number, code: string): Promise<Role> {
  const found = (await roles(who, domain, scopeId)).find((each) => each.code === code)
  expect(found, `${domain} ${scopeId} ${code}`).toBeDefined()
  return found!
}

let counter = 0

/** A custom role with a code of its own. */
export async function makeRole(who: Person, fields: Record<string, unknown> = {}): Promise<Role> {
  counter += 1
  return ok(
    await who.post('/api/rbac/roles', {
      domain: 'PLATFORM',
      code: `ROLE_${counter}`,
      name: `Role ${counter}`,
      ...fields,
    }),
  ).data
}

export const grant = (who: Person, whom: { id: number }, roleId: number): Promise<Reply> =>
  who.post(`/api/rbac/users/${whom.id}/roles`, { roleId })

export const revoke = (who: Person, whom: { id: number }, roleId: number): Promise<Reply> =>
  who.delete(`/api/rbac/users/${whom.id}/roles/${roleId}`)

export const heldBy = async (who: Person, whom: { id: number }): Promise<string[]> =>
  (await all<Role>(who, `/api/rbac/users/${whom.id}/roles`)).map(
    (each) => `${each.domain} ${each.scopeId} ${each.code}`,
  )
