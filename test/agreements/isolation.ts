import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'
import { accept, publish } from './helpers.ts'

export const isolation: IsolationFixture = {
  async make({ admin, victim }) {
    const { id } = await publish(admin, 'SERVICE')
    // The victim has accepted one agreement and not the other.
    ok(await accept(victim, await publish(admin, 'PRIVACY')))
    return { agreement: id }
  },
  paths: [[/^\/api\/admin\/agreements\/:/, 'agreement']],
  fields: {},
  reads: () => ['/api/auth/userinfo'],
}
