import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'

export const isolation: IsolationFixture = {
  async make({ admin, victim, mark }) {
    ok(await admin.post('/api/notifications', { userIds: [victim.id], title: mark, body: mark }))
    return { notification: ok(await victim.call('notifications.list')).data.items[0]!.id }
  },
  paths: [[/^\/api\/notifications\/:/, 'notification']],
  fields: {},
  reads: () => ['/api/notifications?size=100'],
}
