import { ok } from '../harness/index.ts'
import type { LoggedFixture, LoggedWorld } from '../operation-log/logged-fixture.ts'

const body = { name: 'ERP', url: 'https://example.org/hook', events: ['user.*'] }
const shown = {
  name: 'ERP',
  origin: 'https://example.org',
  urlSha256: hashOf(body.url),
  events: ['user.*'],
  enabled: true,
}

function hashOf(url: string): string {
  return new Bun.CryptoHasher('sha256').update(url).digest('base64url').slice(0, 12)
}

const make = async ({ admin }: LoggedWorld) => ok(await admin.call('webhooks.createOfServer', { body })).data.id

export const logged: LoggedFixture = {
  'webhooks.createOfServer': async ({ admin }) => ({
    call: () => admin.post('/api/admin/webhooks', body),
    row: { targetId: (reply) => reply.data.id as number, targetName: 'ERP', before: null, after: shown },
    refused: [
      () => admin.post('/api/admin/webhooks', { ...body, url: 'http://[::ffff:10.0.0.1]/' }),
      () => admin.post('/api/admin/webhooks', { ...body, events: ['nothing.*'] }),
    ],
  }),
  'webhooks.updateOfServer': async (world) => {
    const id = await make(world)
    const change = (changed: object, of = id) => world.admin.put(`/api/admin/webhooks/${of}`, changed)
    return {
      call: () => change({ enabled: false }),
      row: { targetId: id, targetName: 'ERP', before: { enabled: true }, after: { enabled: false } },
      refused: [() => change({ enabled: false }, 999_999_999), () => change({ url: 'https://10.0.0.1/' })],
      unchanged: () => change({ enabled: false }),
    }
  },
  'webhooks.deleteOfServer': async (world) => {
    const id = await make(world)
    const call = () => world.admin.delete(`/api/admin/webhooks/${id}`)
    return { call, row: { targetId: id, targetName: 'ERP', before: shown, after: null }, refused: [call] }
  },
  'webhooks.renewSecretOfServer': async (world) => {
    const id = await make(world)
    const renew = (of: number) => world.admin.post(`/api/admin/webhooks/${of}/secret`)
    return {
      call: () => renew(id),
      row: { targetId: id, targetName: 'ERP', before: { renewed: false }, after: { renewed: true } },
      refused: [() => renew(999_999_999)],
    }
  },
}
