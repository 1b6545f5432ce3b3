/** The logged writes about sessions, account links and nickname words. */

import { ok } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import type { LoggedFixture } from '../operation-log/logged-fixture.ts'

/** The writes about words of one kind. */
function ofWords(list: 'Adjectives' | 'Nouns', kind: 'ADJECTIVE' | 'NOUN'): LoggedFixture {
  const path = `/api/admin/nickname/${list.toLowerCase()}`
  const create = (admin: Person, word: string) => admin.post(path, { word, locale: 'en' })
  return {
    [`admin.nickname${list}.create`]: async ({ admin }) => ({
      call: () => create(admin, 'Logged'),
      row: {
        targetId: (reply) => reply.data.id as number,
        targetName: 'Logged',
        before: null,
        after: { kind, locale: 'en', word: 'Logged' },
      },
      refused: [() => create(admin, 'LOGGED'), () => create(admin, '')],
    }),
    [`admin.nickname${list}.update`]: async ({ admin }) => {
      const { id } = ok(await create(admin, 'Before')).data
      ok(await create(admin, 'Taken'))
      const update = (word: string, which = id) => admin.put(`${path}/${which}`, { word })
      return {
        call: () => update('After'),
        row: { targetId: id, targetName: 'Before', before: { word: 'Before' }, after: { word: 'After' } },
        refused: [() => update('taken'), () => update('Other', 999_999_999)],
        unchanged: () => update('After'),
      }
    },
    [`admin.nickname${list}.delete`]: async ({ admin }) => {
      const { id } = ok(await create(admin, 'Deleted')).data
      const remove = () => admin.delete(`${path}/${id}`)
      return {
        call: remove,
        row: { targetId: id, targetName: 'Deleted', before: { kind, locale: 'en', word: 'Deleted' }, after: null },
        refused: [remove],
      }
    },
  }
}

export const logged: LoggedFixture = {
  'admin.links.propose': async ({ server, admin }) => {
    const [owner, linked] = [await server.person(), await server.person()]
    const propose = (ownerUserId: number, linkedUserId: number) =>
      admin.post('/api/admin/auth/link', { ownerUserId, linkedUserId })
    return {
      call: () => propose(owner.id, linked.id),
      row: {
        targetId: (reply) => reply.data.id as number,
        targetName: `${owner.username} → ${linked.username}`,
        before: null,
        after: { ownerUserId: owner.id, linkedUserId: linked.id, status: 'PENDING' },
      },
      refused: [() => propose(owner.id, linked.id), () => propose(admin.id, linked.id)],
    }
  },
  'admin.links.delete': async ({ server, admin }) => {
    const [owner, linked] = [await server.person(), await server.person()]
    const proof = { verifyType: 'PASSWORD', linkedUserId: linked.id, password: linked.password } as const
    const { id } = ok(await owner.call('auth.link', { body: proof })).data
    const remove = () => admin.delete(`/api/admin/auth/link/${id}`)
    return {
      call: remove,
      row: {
        targetId: id,
        targetName: `${owner.username} → ${linked.username}`,
        before: { ownerUserId: owner.id, linkedUserId: linked.id, status: 'ACTIVE' },
        after: null,
      },
      refused: [remove],
    }
  },
  'admin.sessions.revoke': async ({ server, admin }) => {
    const user = await server.person()
    const revoke = (id: number) => admin.delete(`/api/admin/auth/sessions/${id}`)
    const headers = { 'x-device-name': 'Tablet', 'x-forwarded-for': '203.0.113.9' }
    const body = { account: user.username, password: user.password }
    const deviceId = `device-${crypto.randomUUID()}`
    const login = await server.request('POST', '/api/auth/login', { body, headers, deviceId })
    const { sessionId } = person(server.url, login, user.username, '', deviceId)
    return {
      call: () => revoke(sessionId),
      row: {
        targetId: sessionId,
        targetName: user.username,
        before: { userId: user.id, deviceName: 'Tablet', loginType: 'login', ipAddress: '203.0.113.9' },
        after: null,
      },
      refused: [() => revoke(sessionId), () => revoke(999_999_999)],
    }
  },

  ...ofWords('Adjectives', 'ADJECTIVE'),
  ...ofWords('Nouns', 'NOUN'),
}
