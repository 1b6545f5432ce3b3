import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { addPasskey } from '../harness/authenticator.ts'
import { ok } from '../harness/index.ts'

export const isolation: IsolationFixture = {
  async make({ server, admin, victim }) {
    const linked = await server.person('linked')
    const link = ok(await victim.post('/api/auth/link', { linkedUserId: linked.id, password: linked.password })).data.id
    const device = ok(await victim.call('devices.list')).data.items[0]!.deviceId
    const word = (kind: 'Adjectives' | 'Nouns') =>
      admin.call(`admin.nickname${kind}.create`, { body: { word: 'Of the victim' } })
    const [adjective, noun] = [ok(await word('Adjectives')).data.id, ok(await word('Nouns')).data.id]
    const passkey = (await addPasskey(victim, 'Key of the victim')).id
    const stranger = (await server.person()).id
    const dataExport = ok(await victim.call('ownData.start', { body: { files: false } })).data.id
    return {
      dataExport,
      adjective,
      noun,
      stranger,
      link,
      passkey,
      linked: linked.id,
      device,
      session: victim.sessionId,
      user: victim.id,
    }
  },
  paths: [
    [/^\/api\/auth\/sessions\/:/, 'session'],
    [/^\/api\/auth\/passkeys\/:/, 'passkey'],
    [/^\/api\/auth\/(devices|logout)\/:/, 'device'],
    [/^\/api(\/admin)?\/auth\/link\/:/, 'link'],
    [/^\/api\/auth\/accounts\/:/, 'linked'],
    [/^\/api\/auth\/export\/:/, 'dataExport'],
    [/^\/api\/admin\/nickname\/adjectives\/:/, 'adjective'],
    [/^\/api\/admin\/nickname\/nouns\/:/, 'noun'],
    [/^\/api\/admin\/user-imports\/:/, 'stranger'],
    [/^\/api\/login-records\/user\/:/, 'user'],
    [/^\/api\/admin\/users\/:userId(\/role|\/status|\/reset-code|\/sessions\/end|\/export)?$/, 'stranger'],
  ],
  fields: { sessionId: 'session', deviceId: 'device', userId: 'user', linkedUserId: 'user' },
  reads: (_owned, victim) => [
    '/api/auth/sessions',
    '/api/auth/devices',
    '/api/auth/passkeys',
    '/api/auth/userinfo',
    '/api/auth/link/list',
    '/api/auth/link/list?direction=INCOMING',
    `/api/login-records/user/${victim.id}`,
  ],
}
