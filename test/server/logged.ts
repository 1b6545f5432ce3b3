import type { LoggedFixture } from '../operation-log/logged-fixture.ts'

export const logged: LoggedFixture = {
  'server.identity.update': async ({ admin }) => {
    const change = (body: object) => admin.send('PUT', '/api/admin/server/identity', { body })
    return {
      call: () => change({ name: 'Library' }),
      row: { targetId: null, targetName: 'identity', before: { name: null }, after: { name: 'Library' } },
      refused: [() => change({ contact: { url: 'x' } })],
      unchanged: () => change({ name: 'Library' }),
    }
  },
  'server.setup.update': async ({ admin }) => {
    const mark = (key: string) =>
      admin.send('PUT', '/api/admin/setup', { body: { steps: [{ key, status: 'SKIPPED' }] } })
    return {
      call: () => mark('mail'),
      row: { targetId: null, targetName: 'setup', before: { mail: null }, after: { mail: 'SKIPPED' } },
      refused: [() => mark('colour')],
      unchanged: () => mark('mail'),
    }
  },
  'server.mail.update': async ({ admin }) => {
    const change = (body: object) => admin.send('PUT', '/api/admin/server/mail', { body })
    const mail = { host: '127.0.0.1', port: 2525, security: 'NONE', from: 'a@example.org' }
    return {
      call: () => change(mail),
      row: {
        targetId: null,
        targetName: 'mail',
        before: { host: null, port: null, security: null, from: null, user: null },
        after: { ...mail, user: '' },
      },
      refused: [() => change({ port: 0 })],
      unchanged: () => change(mail),
    }
  },
}
