import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { changeRole, createRole, deleteRole, findPoint, findRole, grant, revoke } from './helpers.ts'

const NOBODY = { id: 999_999_999 }

export const logged: LoggedFixture = {
  'access.createPermission': async ({ admin }) => {
    const point = { domain: 'APP' as const, resource: 'greenhouse', action: 'water', description: 'Water the plants' }
    const create = (body: typeof point) => admin.call('access.createPermission', { body })
    return {
      call: () => create(point),
      row: {
        targetId: ({ data }) => data.id,
        targetName: 'greenhouse:water',
        before: null,
        after: { domain: 'APP', description: 'Water the plants', enabled: true },
      },
      refused: [() => create(point), () => create({ ...point, resource: 'Green House' })],
    }
  },
  'access.changePermission': async ({ admin }) => {
    const { id } = await findPoint(admin, 'APP', 'contact:read')
    const change = (point: { id: number }, enabled: boolean) =>
      admin.call('access.changePermission', { params: { id: point.id }, body: { enabled } })
    return {
      call: () => change({ id }, false),
      row: { targetId: id, targetName: 'contact:read', before: { enabled: true }, after: { enabled: false } },
      refused: [() => change(NOBODY, false)],
      unchanged: () => change({ id }, false),
    }
  },
  'access.createRole': async ({ admin }) => {
    const role = {
      domain: 'PLATFORM' as const,
      code: 'LOGGED_NEW',
      name: 'New',
      permissions: ['org:read', 'user:read'],
    }
    const create = (body: typeof role) => admin.call('access.createRole', { body })
    return {
      call: () => create(role),
      row: {
        targetId: ({ data }) => data.id,
        targetName: 'LOGGED_NEW',
        before: null,
        after: { domain: 'PLATFORM', scopeId: 0, name: 'New', permissions: ['org:read', 'user:read'] },
      },
      refused: [() => create(role), () => create({ ...role, code: 'LOGGED_OTHER', permissions: ['no_such:point'] })],
    }
  },
  'access.changeRole': async ({ admin }) => {
    const role = await createRole(admin, { name: 'Same', permissions: ['org:read', 'user:read'] })
    const after = { name: 'Same', permissions: ['org:read'] }
    return {
      call: () => changeRole(admin, role, after),
      row: {
        targetId: role.id,
        targetName: role.code,
        before: { permissions: ['org:read', 'user:read'] },
        after: { permissions: ['org:read'] },
      },
      refused: [
        () => changeRole(admin, NOBODY, after),
        () => changeRole(admin, role, { permissions: ['no_such:point'] }),
      ],
      unchanged: () => changeRole(admin, role, after),
    }
  },
  'access.deleteRole': async ({ admin }) => {
    const role = await createRole(admin, { permissions: ['org:read'] })
    const system = await findRole(admin, 'APP', 0, 'USER')
    return {
      call: () => deleteRole(admin, role),
      row: {
        targetId: role.id,
        targetName: role.code,
        before: { domain: 'PLATFORM', scopeId: 0, name: role.name, permissions: ['org:read'] },
        after: null,
      },
      refused: [() => deleteRole(admin, role), () => deleteRole(admin, system)],
    }
  },
  'access.grantRole': async ({ server, admin }) => {
    const [person, role] = [await server.person(), await createRole(admin)]
    return {
      call: () => grant(admin, person, role),
      row: {
        targetId: person.id,
        targetName: person.username,
        before: null,
        after: { roleId: role.id, domain: 'PLATFORM', scopeId: 0, code: role.code },
      },
      refused: [() => grant(admin, NOBODY, role), () => grant(person, person, role)],
      unchanged: () => grant(admin, person, role),
    }
  },
  'access.revokeRole': async ({ server, admin }) => {
    const [person, role] = [await server.person(), await createRole(admin)]
    await grant(admin, person, role)
    return {
      call: () => revoke(admin, person, role),
      row: {
        targetId: person.id,
        targetName: person.username,
        before: { roleId: role.id, domain: 'PLATFORM', scopeId: 0, code: role.code },
        after: null,
      },
      refused: [() => revoke(admin, person, role), () => revoke(admin, NOBODY, role)],
    }
  },
}
