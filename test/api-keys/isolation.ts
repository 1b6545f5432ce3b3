import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'

export const isolation: IsolationFixture = {
  async make({ victim, mark, owned }) {
    const make = async (body: object) =>
      ok(await victim.call('apiKeys.create', { body: { name: mark, points: ['asset:read'], ...body } })).data.id
    ok(await victim.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: victim.password }))
    return { apiKey: await make({}), orgApiKey: await make({ orgId: owned['org'] }) }
  },
  paths: [
    [/^\/api\/auth\/api-keys\/:/, 'apiKey'],
    [/^\/api\/admin\/api-keys\/:/, 'apiKey'],
  ],
  fields: { keyId: 'orgApiKey' },
  reads: ({ org }) => ['/api/auth/api-keys', `/api/orgs/${org}/api-keys`],
}
