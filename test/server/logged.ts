import { png } from '../files/helpers.ts'
import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { logoForm } from './logo-form.ts'

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
  'server.logo.update': async ({ admin }) => {
    const send = (bytes: Uint8Array) => admin.send('PUT', '/api/admin/server/logo', { body: logoForm(bytes) })
    const logo = png(128)
    return {
      call: () => send(logo),
      row: {
        targetId: null,
        targetName: 'logo',
        before: { key: null },
        after: ({ data }) => ({ key: new URL(data.logoUrl).pathname.split('/')[2] }),
      },
      refused: [() => send(png(64))],
      unchanged: () => send(logo),
    }
  },
  'server.logo.delete': async ({ admin }) => {
    const remove = () => admin.send('DELETE', '/api/admin/server/logo')
    const { data } = await admin.send('PUT', '/api/admin/server/logo', { body: logoForm() })
    return {
      call: remove,
      row: {
        targetId: null,
        targetName: 'logo',
        before: { key: new URL(data.logoUrl).pathname.split('/')[2] },
        after: { key: null },
      },
      refused: [() => admin.send('DELETE', '/api/admin/server/logo', { headers: { 'if-match': 'x' } })],
      unchanged: remove,
    }
  },
  'server.reach.update': async ({ admin }) => {
    const change = (body: object) => admin.send('PUT', '/api/admin/server/reach', { body })
    const value = { mode: 'PROXY', publicUrl: 'https://qr.example.org' }
    return {
      call: () => change(value),
      row: {
        targetId: null,
        targetName: 'reach',
        before: { mode: null, publicUrl: null, names: null, loopback: null },
        after: { ...value, names: [], loopback: true },
      },
      refused: [() => change({ mode: 'DOMAIN', names: [] })],
      unchanged: () => change(value),
    }
  },
  'server.certificate.update': async ({ admin }) => {
    const change = (body: object) => admin.send('PUT', '/api/admin/server/certificate', { body })
    return {
      call: () => change({ email: 'desk@example.org' }),
      row: {
        targetId: null,
        targetName: 'certificate',
        before: { email: null },
        after: { email: 'desk@example.org' },
      },
      refused: [() => change({ kind: 'FILES' })],
      unchanged: () => change({ email: 'desk@example.org' }),
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
