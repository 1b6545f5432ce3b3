import { serverZone } from '#platform/clock.ts'

import type { Person } from '../harness/index.ts'
import type { LoggedFixture, LoggedWorld } from '../operation-log/logged-fixture.ts'
import { addMembers, createOrg, type Org, UNKNOWN_ID } from './helpers.ts'

/** An organization named `name`, with its owner and a member. */
async function orgWithMember({ server }: LoggedWorld, name: string): Promise<{ org: Org; owner: Person; bob: Person }> {
  const [owner, bob] = [await server.person(), await server.person()]
  const org = await createOrg(owner, { name })
  await addMembers(owner, org, bob)
  return { org, owner, bob }
}

const membership = (org: Org, ...roles: string[]) => ({ membership: { orgId: org.id, orgName: org.name, roles } })

export const logged: LoggedFixture = {
  'admin.orgs.create': async ({ server, admin }) => {
    const ownerId = (await server.person()).id
    const create = (fields: object) => admin.post('/api/admin/orgs', { name: 'Founded', ownerId, ...fields })
    return {
      call: () => create({ visibility: 'INTERNAL', memberLimit: 9 }),
      row: {
        targetId: (reply) => reply.data.id,
        targetName: 'Founded',
        before: null,
        after: {
          name: 'Founded',
          description: '',
          status: 'ACTIVE',
          visibility: 'INTERNAL',
          joinPolicy: 'INVITE',
          memberLimit: 9,
          timeZone: serverZone(),
          avatarUrl: null,
          ownerId,
        },
      },
      refused: [() => create({ ownerId: UNKNOWN_ID }), () => create({ memberLimit: 0 }), () => create({ name: '' })],
    }
  },
  'admin.orgs.update': async (world) => {
    const { org } = await orgWithMember(world, 'Before')
    const update = (body: object, id = org.id) => world.admin.put(`/api/admin/orgs/${id}`, body)
    const body = { name: 'After', status: 'DISABLED', description: '' }
    return {
      call: () => update(body),
      row: {
        targetId: org.id,
        targetName: 'After',
        before: { name: 'Before', status: 'ACTIVE' },
        after: { name: 'After', status: 'DISABLED' },
      },
      refused: [() => update({ memberLimit: 1 }), () => update({ status: 'GONE' }), () => update(body, UNKNOWN_ID)],
      unchanged: () => update(body),
    }
  },
  'admin.orgs.dissolve': async (world) => {
    const { org, owner } = await orgWithMember(world, 'Dissolved')
    const dissolve = () => world.admin.delete(`/api/admin/orgs/${org.id}?force=true`)
    return {
      call: dissolve,
      row: {
        targetId: org.id,
        targetName: 'Dissolved',
        before: {
          name: 'Dissolved',
          description: '',
          status: 'ACTIVE',
          visibility: 'PUBLIC',
          joinPolicy: 'APPROVAL',
          memberLimit: 500,
          timeZone: serverZone(),
          avatarUrl: null,
          ownerId: owner.id,
          memberCount: 2,
        },
        after: null,
      },
      refused: [dissolve],
    }
  },
  'admin.orgs.transfer': async (world) => {
    const { org, owner, bob } = await orgWithMember(world, 'Handed over')
    const transfer = (userId: number) => world.admin.post(`/api/admin/orgs/${org.id}/transfer-ownership`, { userId })
    return {
      call: () => transfer(bob.id),
      row: {
        targetId: org.id,
        targetName: 'Handed over',
        before: { ownerId: owner.id },
        after: { ownerId: bob.id },
      },
      refused: [() => transfer(bob.id), () => transfer(UNKNOWN_ID), () => transfer(world.admin.id)],
    }
  },
  'admin.orgs.addMember': async (world) => {
    const { org } = await orgWithMember(world, 'Joined')
    const carol = await world.server.person()
    const add = (body: object) => world.admin.post(`/api/admin/orgs/${org.id}/members`, body)
    return {
      call: () => add({ userId: carol.id, roleCode: 'ADMIN' }),
      row: { targetId: carol.id, targetName: carol.username, before: null, after: membership(org, 'ADMIN') },
      refused: [() => add({ userId: carol.id }), () => add({ userId: UNKNOWN_ID })],
    }
  },
  'admin.users.join': async (world) => {
    const { org } = await orgWithMember(world, 'Joined too')
    const { admin } = world
    const add = (body: object) => admin.post(`/api/admin/users/${admin.id}/orgs/${org.id}`, body)
    return {
      // An administrator who joins is logged like everyone else.
      call: () => add({}),
      row: { targetId: admin.id, targetName: admin.username, before: null, after: membership(org, 'MEMBER') },
      refused: [() => add({}), () => add({ roleCode: 'ADMIN' })],
    }
  },
  'admin.orgs.changeRole': async (world) => {
    const { org, owner, bob } = await orgWithMember(world, 'Promoted')
    const change = (user: Person, roleCode: string) =>
      world.admin.put(`/api/admin/orgs/${org.id}/members/${user.id}/role`, { roleCode })
    return {
      call: () => change(bob, 'ADMIN'),
      row: {
        targetId: bob.id,
        targetName: bob.username,
        before: membership(org, 'MEMBER'),
        after: membership(org, 'ADMIN'),
      },
      refused: [() => change(owner, 'MEMBER'), () => change(bob, 'OWNER'), () => change(world.admin, 'ADMIN')],
      unchanged: () => change(bob, 'ADMIN'),
    }
  },
  'orgs.createRole': async ({ admin }) => {
    const org = await createOrg(admin)
    const create = (body: object, id = org.id) => admin.post(`/api/orgs/${id}/roles`, body)
    return {
      call: () => create({ name: 'Doors', permissions: ['org:read'] }),
      row: {
        targetId: (reply) => reply.data.id,
        targetName: 'Doors',
        before: null,
        after: { orgId: org.id, name: 'Doors', description: '', permissions: ['org:read'] },
      },
      refused: [() => create({ name: 'DOORS' }), () => create({ name: '' }), () => create({ name: 'x' }, UNKNOWN_ID)],
    }
  },
  'orgs.updateRole': async ({ admin }) => {
    const org = await createOrg(admin)
    const made = await admin.post(`/api/orgs/${org.id}/roles`, { name: 'Doors', permissions: ['org:read'] })
    const update = (body: object) => admin.put(`/api/orgs/${org.id}/roles/${made.data.id}`, body)
    const body = { description: 'At the doors', permissions: ['pass:verify'] }
    return {
      call: () => update(body),
      row: {
        targetId: made.data.id,
        targetName: 'Doors',
        before: { description: '', permissions: ['org:read'] },
        after: body,
      },
      refused: [() => update({ name: 'Owner' }), () => update({ permissions: ['org:delete'] })],
      unchanged: () => update(body),
    }
  },
  'orgs.deleteRole': async ({ admin }) => {
    const org = await createOrg(admin)
    const made = await admin.post(`/api/orgs/${org.id}/roles`, { name: 'Doors', permissions: ['org:read'] })
    const remove = () => admin.delete(`/api/orgs/${org.id}/roles/${made.data.id}`)
    return {
      call: remove,
      row: {
        targetId: made.data.id,
        targetName: 'Doors',
        before: {
          orgId: org.id,
          name: 'Doors',
          description: '',
          permissions: ['org:read'],
          members: 0,
          replaceWith: 'MEMBER',
        },
        after: null,
      },
      refused: [remove],
    }
  },
  ...Object.fromEntries(
    [
      ['admin.orgs.removeMember', (org: Org, user: Person) => `/api/admin/orgs/${org.id}/members/${user.id}`] as const,
      ['admin.users.leave', (org: Org, user: Person) => `/api/admin/users/${user.id}/orgs/${org.id}`] as const,
    ].map(([id, path]) => [
      id,
      async (world: LoggedWorld) => {
        const { org, owner, bob } = await orgWithMember(world, 'Left')
        const remove = (user: Person) => world.admin.delete(path(org, user))
        return {
          call: () => remove(bob),
          row: { targetId: bob.id, targetName: bob.username, before: membership(org, 'MEMBER'), after: null },
          refused: [() => remove(bob), () => remove(owner)],
        }
      },
    ]),
  ),
}
