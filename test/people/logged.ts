import type { LoggedFixture } from '../operation-log/logged-fixture.ts'

export const logged: LoggedFixture = {
  'admin.users.import': async ({ admin }) => {
    const send = (text: string) => {
      const body = new FormData()
      body.set('file', new File([text], 'people.csv'))
      return admin.send('POST', '/api/admin/users/import', { body })
    }
    return {
      call: () => send('username\nlogged.import\n'),
      row: {
        targetId: null,
        targetName: null,
        before: null,
        after: { created: 1, updated: 0, unchanged: 0, way: 'START_CODE' },
      },
      refused: [() => send('username\n9\n'), () => send('color\nred\n')],
      unchanged: () => send('username\nlogged.import\n'),
    }
  },
}
