import type { LoggedFixture } from '../operation-log/logged-fixture.ts'

export const logged: LoggedFixture = {
  'admin.chat.changeSettings': async ({ admin }) => {
    const change = (body: object) => admin.send('PUT', '/api/admin/chat/settings', { body })
    return {
      call: () => change({ maxContacts: 400, recallSeconds: 120 }),
      row: { targetId: null, targetName: null, before: { maxContacts: 500 }, after: { maxContacts: 400 } },
      refused: [() => change({ maxContacts: 0 }), () => change({ maxContacts: 300, recallSeconds: -1 })],
      unchanged: () => change({ maxContacts: 400 }),
    }
  },
}
