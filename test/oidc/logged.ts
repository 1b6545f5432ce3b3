import type { LoggedFixture } from '../operation-log/logged-fixture.ts'

const ISSUER = 'https://id.example.org'
const FIELDS = {
  scopes: 'openid email profile',
  createAccounts: false,
  linkByEmail: false,
  trustMfa: false,
  groupsClaim: 'groups',
  roleMap: [],
  roleMode: 'ADD',
  logout: 'NONE',
}
const body = (key: string) => ({ key, name: 'School', issuer: ISSUER, clientId: 'tessera', clientSecret: 'hidden' })
const shown = (key: string) => ({
  key,
  name: 'School',
  issuer: ISSUER,
  clientId: 'tessera',
  client: 'with a key',
  enabled: true,
  ...FIELDS,
})

export const logged: LoggedFixture = {
  'admin.oidcProviders.create': async ({ admin }) => {
    const create = (key: string, more: object = {}) =>
      admin.post('/api/admin/oidc/providers', { ...body(key), ...more })
    return {
      call: () => create('made'),
      row: {
        targetId: (reply) => reply.data.id,
        targetName: 'made',
        before: null,
        after: shown('made'),
      },
      refused: [() => create('made'), () => create('Not a key'), () => create('other', { issuer: 'http://10.0.0.5' })],
    }
  },
  'admin.oidcProviders.update': async ({ admin }) => {
    const { id } = (await admin.post('/api/admin/oidc/providers', body('changed'))).data
    const update = (change: object, of = id) => admin.put(`/api/admin/oidc/providers/${of}`, change)
    return {
      call: () => update({ name: 'College', clientSecret: 'another' }),
      row: {
        targetId: id,
        targetName: 'changed',
        before: { name: 'School', client: 'with a key' },
        after: { name: 'College', client: 'with a new key' },
      },
      refused: [() => update({ issuer: 'nothing' }), () => update({ name: 'x' }, 999_999_999)],
      unchanged: () => update({ name: 'College', clientSecret: 'another' }),
    }
  },
  'admin.oidcProviders.delete': async ({ admin }) => {
    const { id } = (await admin.post('/api/admin/oidc/providers', body('deleted'))).data
    const remove = () => admin.delete(`/api/admin/oidc/providers/${id}`)
    return {
      call: remove,
      row: { targetId: id, targetName: 'deleted', before: shown('deleted'), after: null },
      refused: [remove],
    }
  },
}
