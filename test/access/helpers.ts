/** Helpers for the tests of role administration. */

import { expect } from 'bun:test'

import type { PermissionDomain } from '#db/schema/access.ts'
import type {
  CreateRole,
  PermissionView as Point,
  RoleView as Role,
  UserRoleView as UserRole,
} from '#domains/access/admin/access.admin.model.ts'

import { ok, type Person, type Reply } from '../harness/index.ts'

interface Page<T> {
  items: T[]
  total: number
}

/** The items of all pages of a list. */
async function allPages<T>(load: (page: number) => Promise<Reply<Page<T>>>): Promise<T[]> {
  const items: T[] = []
  for (let page = 1; ; page++) {
    const { data } = ok(await load(page))
    items.push(...data.items)
    if (items.length >= data.total) return items
  }
}

export const listPoints = (admin: Person, domain: PermissionDomain): Promise<Point[]> =>
  allPages((page) => admin.call('access.listPermissions', { query: { domain, page, size: 100 } }))

export async function findPoint(admin: Person, domain: PermissionDomain, name: string): Promise<Point> {
  const point = (await listPoints(admin, domain)).find((each) => each.name === name)
  expect(point, `${domain} ${name}`).toBeDefined()
  return point!
}

export async function setEnabled(admin: Person, point: { id: number }, enabled: boolean): Promise<Point> {
  return ok(await admin.call('access.changePermission', { params: { id: point.id }, body: { enabled } })).data
}

export const listRoles = (admin: Person, domain: PermissionDomain, scopeId: number): Promise<Role[]> =>
  allPages((page) => admin.call('access.listRoles', { query: { domain, scopeId, page, size: 100 } }))

export async function findRole(admin: Person, domain: PermissionDomain, scopeId: number, code: string): Promise<Role> {
  const role = (await listRoles(admin, domain, scopeId)).find((each) => each.code === code)
  expect(role, `${domain} ${scopeId} ${code}`).toBeDefined()
  return role!
}

let counter = 0

/** Creates a custom role with a unique code, in the PLATFORM domain unless `fields` says otherwise. */
export async function createRole(admin: Person, fields: Partial<CreateRole> = {}): Promise<Role> {
  counter += 1
  const body = { domain: 'PLATFORM' as const, code: `ROLE_${counter}`, name: `Role ${counter}`, ...fields }
  return ok(await admin.call('access.createRole', { body })).data
}

export const changeRole = (admin: Person, role: { id: number }, body: { name?: string; permissions?: string[] }) =>
  admin.call('access.changeRole', { params: { id: role.id }, body })

export const deleteRole = (admin: Person, role: { id: number }) =>
  admin.call('access.deleteRole', { params: { id: role.id } })

export const grant = (admin: Person, user: { id: number }, role: { id: number }) =>
  admin.call('access.grantRole', { params: { userId: user.id }, body: { roleId: role.id } })

export const revoke = (admin: Person, user: { id: number }, role: { id: number }) =>
  admin.call('access.revokeRole', { params: { userId: user.id, roleId: role.id } })

/** The roles a user holds, as `DOMAIN scope CODE`. */
export const rolesOf = async (admin: Person, user: { id: number }): Promise<string[]> =>
  (
    await allPages<UserRole>((page) =>
      admin.call('access.listUserRoles', { params: { userId: user.id }, query: { page, size: 100 } }),
    )
  ).map(({ domain, scopeId, code }) => `${domain} ${scopeId} ${code}`)

/** The roles of a new user. */
export const NEW_USER = ['APP 0 USER']

export const myPermissions = async (user: Person) => ok(await user.call('access.myPermissions')).data

/** Status of a request that needs the PLATFORM point `system:read`. */
export const systemReadStatus = async (user: Person): Promise<number> => (await user.call('actuator.info')).status
