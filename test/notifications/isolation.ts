import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'

export const isolation: IsolationFixture = {
  async make({ admin, victim, mark }) {
    ok(await admin.post('/api/notifications', { userIds: [victim.id], title: mark, body: mark }))
    const toDelete = { userIds: [admin.id], title: 'to delete', body: 'text' }
    const send = ok(await admin.call('notifications.send', { body: toDelete })).data.id
    return { send, notification: ok(await victim.call('notifications.list')).data.items[0]!.id }
  },
  paths: [
    [/^\/api\/admin\/notifications\/:/, 'send'],
    [/^\/api\/notifications\/:/, 'notification'],
  ],
  fields: {},
  reads: () => ['/api/notifications?size=100'],
}
