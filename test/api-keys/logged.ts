import { ok } from '../harness/index.ts'
import type { LoggedFixture } from '../operation-log/logged-fixture.ts'

export const logged: LoggedFixture = {
  'admin.apiKeys.revoke': async ({ server, admin }) => {
    const user = await server.person()
    const { data } = ok(await user.call('apiKeys.create', { body: { name: 'Spreadsheet', points: ['asset:read'] } }))
    const revoke = (id = data.id) => admin.delete(`/api/admin/api-keys/${id}`)
    return {
      call: () => revoke(),
      row: {
        targetId: data.id,
        targetName: 'Spreadsheet',
        before: { userId: user.id, prefix: data.prefix, domain: 'APP', orgId: null, points: ['asset:read'] },
        after: null,
      },
      refused: [() => revoke(999_999_999)],
      unchanged: () => revoke(),
    }
  },
}
