import { ok } from '../harness/index.ts'
import type { LoggedFixture } from '../operation-log/logged-fixture.ts'

export const logged: LoggedFixture = {
  'admin.users.create': async ({ admin }) => {
    const create = (body: object) => admin.post('/api/admin/users', body)
    const fields = { username: 'logged.user', nickname: 'Logged' }
    return {
      call: () => create({ ...fields, password: 'not in the log', email: 'logged@example.org' }),
      row: {
        targetId: (reply) => reply.data.id,
        targetName: 'logged.user',
        before: null,
        after: { ...fields, identityTypes: ['EMAIL'] },
      },
      refused: [
        () => create(fields),
        () => create({}),
        () => create({ username: 'other.user', email: 'logged@example.org' }),
      ],
    }
  },
  'admin.users.update': async ({ server, admin }) => {
    const user = await server.person()
    const change = (body: object, id = user.id) => admin.put(`/api/admin/users/${id}`, body)
    return {
      call: () => change({ signature: 'Hello', password: 'ignored' }),
      row: {
        targetId: user.id,
        targetName: user.username,
        before: { signature: null },
        after: { signature: 'Hello' },
      },
      refused: [() => change({ nickname: 5 }), () => change({ nickname: 'x' }, 999_999_999)],
      unchanged: () => change({ signature: 'Hello' }),
    }
  },
  'admin.users.changeRole': async ({ server, admin }) => {
    const user = await server.person()
    const change = (role: string, id = user.id) => admin.patch(`/api/admin/users/${id}/role`, { role })
    return {
      call: () => change('ADMIN'),
      row: {
        targetId: user.id,
        targetName: user.username,
        before: { roles: [] },
        after: { roles: ['USER_ADMIN'] },
      },
      refused: [() => change('OWNER'), () => change('USER', admin.id), () => change('ADMIN', 999_999_999)],
      unchanged: () => change('ADMIN'),
    }
  },
  'admin.users.resetCode': async ({ server, admin }) => {
    ok(await admin.call('admin.settings.update', { body: { values: { 'security.adminResetCodes': true } } }))
    const user = await server.person()
    const make = (id = user.id, body: object = {}) => admin.post(`/api/admin/users/${id}/reset-code`, body)
    return {
      call: () => make(),
      row: {
        targetId: user.id,
        targetName: user.username,
        before: null,
        after: (reply) => ({ expiresAt: reply.data.expiresAt }),
      },
      refused: [() => make(admin.id), () => make(user.id, { hours: 100 }), () => make(999_999_999)],
    }
  },
  'admin.users.endSessions': async ({ server, admin }) => {
    const user = await server.person()
    const end = (id = user.id) => admin.post(`/api/admin/users/${id}/sessions/end`)
    return {
      call: () => end(),
      row: { targetId: user.id, targetName: user.username, before: { userId: user.id, sessions: 1 }, after: null },
      refused: [() => end(999_999_999)],
      unchanged: () => end(),
    }
  },
  'admin.users.changeStatus': async ({ server, admin }) => {
    const user = await server.person()
    const change = (status: string, id = user.id) =>
      admin.patch(`/api/admin/users/${id}/status`, { status, reason: 'Asked for it' })
    return {
      call: () => change('DISABLED'),
      row: {
        targetId: user.id,
        targetName: user.username,
        before: { status: 'ACTIVE', reason: null },
        after: { status: 'DISABLED', reason: 'Asked for it' },
      },
      refused: [() => change('DELETED'), () => change('DISABLED', admin.id), () => change('ACTIVE', 999_999_999)],
      unchanged: () => change('DISABLED'),
    }
  },
  'admin.users.delete': async ({ server, admin }) => {
    const [user, active] = [await server.person(), await server.person()]
    ok(await admin.patch(`/api/admin/users/${user.id}/status`, { status: 'DISABLED' }))
    const remove = (id: number, body: object) => admin.delete(`/api/admin/users/${id}`, body)
    return {
      call: () => remove(user.id, { content: 'DELETE', reason: 'Asked for it' }),
      row: {
        targetId: user.id,
        targetName: null,
        before: { status: 'DISABLED', content: null, reason: null },
        after: { status: 'DELETED', content: 'DELETE', reason: 'Asked for it' },
      },
      refused: [
        () => remove(user.id, {}),
        () => remove(active.id, { reason: 'active' }),
        () => remove(999_999_999, { reason: 'unknown' }),
      ],
    }
  },
  'ownData.startOfUser': async ({ server, admin }) => {
    const user = await server.person()
    const start = (id: number) => admin.post(`/api/admin/users/${id}/export`)
    return {
      call: () => start(user.id),
      row: {
        targetId: user.id,
        targetName: user.username,
        before: null,
        after: (reply) => ({ export: reply.data.id as string }),
      },
      refused: [() => start(999_999_999)],
    }
  },
}
