import type { LoggedFixture } from '../operation-log/logged-fixture.ts'

export const logged: LoggedFixture = {
  'notifications.send': async ({ server, admin }) => {
    const reader = await server.person()
    const send = (userIds: number[]) =>
      admin.post('/api/notifications', { title: 'Closed on Monday', body: 'The **secret** garden', userIds })
    return {
      call: () => send([reader.id]),
      row: {
        targetId: ({ data }) => data.id,
        targetName: 'Closed on Monday',
        before: null,
        after: { audience: 'USERS', userIds: [reader.id] },
      },
      refused: [() => send([999_999_999]), () => send([])],
    }
  },
}
